"""Programs that tell, or can be moved, at points along their way: what the debugger for gradients runs.

A point is a place where a value can be looked at: an operand or the result of a statement, or memory before and behind
a launch or a copy.  A program is rewritten in one of two ways, over the same points in the same order:

| way       | at a point `x`          | what it is for                                                          |
|-----------|-------------------------|-------------------------------------------------------------------------|
| "record"  | `values[at] = x;`       | run as it is it tells values; the tangent of `values` is that of each   |
| "perturb" | `x += nudges[at];`      | its gradient with respect to `nudges` is the adjoint of each value      |

Both are programs like any other, so derivatives of them are made by the passes that make all others.
"""
