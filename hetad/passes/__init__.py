"""Passes: steps from program to program, and what runs, times, prints and checks them."""
