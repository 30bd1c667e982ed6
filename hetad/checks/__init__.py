"""Derivatives checked: against differences of the program, against its tangents, against Taylor polynomials."""
