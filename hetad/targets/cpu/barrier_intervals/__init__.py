"""Kernels on a CPU as the intervals between barriers, each a loop over threads."""
