"""Libraries that programs call, as CUDA source of hetad's own behind the names of their headers.

What a library does is written in the language that hetad differentiates, so nothing else needs to know of it: effects,
saving and adjoints follow, and it runs wherever the program does.  Only what is called is read.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent
_FILES = {"cublas_v2.h": ("cublas.cu", "blas_real.cu")}

LIBRARIES = frozenset(_FILES)


@cache
def library(header: str) -> str:
    """The source that stands for a header: its common part, then the part on `real` for float and for double."""
    common, typed = ((_FOLDER / file).read_text(encoding="utf-8") for file in _FILES[header])
    return "\n".join([common, *(_for_type(typed, real, letter) for real, letter in (("float", "S"), ("double", "D")))])


def _for_type(text: str, real: str, letter: str) -> str:
    return re.sub(r"\breal\b", real, text).replace("cublasR", f"cublas{letter}").replace("blas_r", f"blas_{real}")
