"""Pictures of a program: its call graph as Mermaid, DOT and SVG."""
