"""Libraries that programs call, as CUDA source of hetad's own behind the names of their headers.

What a library does is written in the language that hetad differentiates, so nothing else needs to know of it: effects,
saving and adjoints follow, and it runs wherever the program does.  Only what is called is read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent
_FILES = {
    "cublas_v2.h": ("cublas.cu", "blas_real.cu", "blas_real_tangents.cu"),
    "cuComplex.h": ("cucomplex.cu", "cucomplex_real.cu"),
    "cufft.h": ("cufft.cu", "fft_real.cu", "fft_real_tangents.cu"),
    "curand.h": ("curand.cu", "random_real.cu"),
    **{f"helper_{name}.h": (f"helper_{name}.cu",) for name in ("cuda", "functions", "string", "timer")},  # of samples
}
# What the words of a part on `real` become.  E and K are the letters of cuFFT for real and complex numbers; cuRAND's
# names end in nothing or in Double, those of cuComplex.h in f or in nothing.
_WORDS = ("real", "complex", "cublasR", "OfReal", "OfComplex", "cuRealComplex", "E2K", "K2E", "K2K")
_TYPES = tuple(
    dict(zip(_WORDS, words, strict=True))
    for words in (
        ("float", "float2", "cublasS", "", "f", "cuFloatComplex", "R2C", "C2R", "C2C"),
        ("double", "double2", "cublasD", "Double", "", "cuDoubleComplex", "D2Z", "Z2D", "Z2Z"),
    )
)

LIBRARIES = frozenset(_FILES)


@cache
def library(header: str) -> str:
    """The source that stands for a header: its common part, then the parts on `real` for float and for double."""
    common, *typed = ((_FOLDER / file).read_text(encoding="utf-8") for file in _FILES[header])
    return "\n".join([common, *(_for_type("\n".join(typed), words) for words in _TYPES)])


def _for_type(text: str, words: Mapping[str, str]) -> str:
    """`real` and `complex` are also parts of hetad's own names, between underscores."""
    pattern = r"(?<![A-Za-z])real(?![A-Za-z])|(?<![A-Za-z])complex\b|cublasR|OfReal|OfComplex|cuRealComplex|E2K|K2E|K2K"
    return re.sub(pattern, lambda m: words[m[0]], text)
