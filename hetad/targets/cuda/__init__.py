"""CUDA C++ for nvcc, and for NVRTC."""
