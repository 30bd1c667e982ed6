"""Nodes as text: expressions, statements, declarations, names and support functions of every target."""
