"""Tangents: the derivative along directions, in the order of the program; see `engine`."""
