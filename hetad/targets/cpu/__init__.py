"""Kernels as loops over blocks and threads, and host code over a table of functions: C."""
