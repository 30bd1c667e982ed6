"""Kernels over the cells of an adjoint, each of which sums what all threads would have added to it."""
