"""Launches in the forward sweep, and of pullbacks in the reverse sweep."""
