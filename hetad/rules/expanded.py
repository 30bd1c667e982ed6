"""Functions that read an array: normalisation writes them out as a loop over functions that have rows.

| function | written out |
|---|---|
| `norm(n, p)`  | `s = 0; for (k = 0; k < n; k++) s = hypot(s, p[k]);` |
| `rnorm(n, p)` | the same, then `1 / s` |

As on a GPU, a norm of fewer than one element is that of the first.
"""

from __future__ import annotations

from functools import cache

from hetad.rules.inactive import Prototype, prototypes

_TEXTS = (
    "double norm(int n, const double *p)", "float normf(int n, const float *p)",
    "double rnorm(int n, const double *p)", "float rnormf(int n, const float *p)",
)  # fmt: skip


@cache
def table() -> dict[str, Prototype]:
    """Every such function by name."""
    return {p.name: p for text in _TEXTS for p in prototypes(text)}
