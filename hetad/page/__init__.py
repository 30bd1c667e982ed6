"""`hetad explain --html`: one file that shows a program beside its derivative, and what was decided about both."""
