"""Lowering: from pycparser's syntax tree to the typed IR, with the types, conversions and overloads of CUDA C++."""
