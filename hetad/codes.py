"""The codes of errors: one table, by which whoever meets an error finds its page in docs/errors.

No error is raised with a number: its class and its message say what kind it is, and the first row of the table that
names the class and describes the message counts.  A row without a description takes the rest of its class.  A number is
never given to another kind.  Each has an entry in docs/errors, with a program that gives it
(`tests/unit/test_errors.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple


class Code(NamedTuple):
    """A kind of error: those of a class in `classes` whose message has what `says` describes, a regular expression."""

    name: str
    title: str
    classes: str
    says: str = ""


GROUPS = {
    "1": "The text of the program",
    "2": "The language",
    "3": "Derivatives",
    "4": "While it runs",
    "5": "What is asked for",
    "6": "The machine",
    "9": "hetad itself",
}  # by the first digit

_TEXT, _REFUSED = "SyntaxProblem", "UnsupportedError"
_ASKED, _MACHINE = "ArgumentError", "BackendError"

CODES = (
    # --- the text of the program
    Code("HET101", "an unknown name or function", "UnknownNameError", r"^unknown"),
    Code("HET102", "an unknown type", "UnknownTypeProblem"),
    Code("HET103", "an error that Clang found", _TEXT, r"^Clang"),
    Code("HET104", "types that do not fit", _TEXT,
         r"cannot (convert|cast|be indexed|be dereferenced|refer)|^no (unary )?''|is not a condition|is ambiguous"
         r"|index must be|needs (the address|a pointer|integers|an integer)|must return|returns nothing"
         r"|has no .*member"),
    Code("HET105", "a wrong number of arguments", _TEXT, r"takes (at most )?\d|takes a pointer and|initialisers"),
    Code("HET106", "a call across host and device", _TEXT, r"is a kernel$|cannot call|is not a __global__"),
    Code("HET107", "the preprocessor", _TEXT, r"#|preprocessor|includes itself|[mM]acro"),
    Code("HET108", "C++ read as C", "IsCppError"),
    Code("HET109", "an assignment to what is constant", _TEXT, r"assignment to|cannot be assigned"),
    Code("HET100", "syntax that cannot be read", f"{_TEXT} ConsequenceError"),
    # --- while it runs: some are found before
    Code("HET401", "a data race", "RaceError"),
    Code("HET401", "a data race", _REFUSED, r"^a race\b"),
    Code("HET402", "an access outside of its memory", "MemoryAccessError"),
    Code("HET403", "a gradient that is not finite", "NonFiniteError"),
    Code("HET404", "a memory limit that cannot be met", "ExecutionError", r"memory limit"),
    Code("HET405", "too many accesses for the race detector", "RaceLimitError"),
    Code("HET400", "the program failed", "ExecutionError"),
    # --- the language
    Code("HET201", "recursion", _REFUSED, r"\brecursion\b"),
    Code("HET202", "jumps that hetad does not follow", _REFUSED, r"\bgoto\b|\blabel\b|may jump over"),
    Code("HET203", "a function that only the run tells", _REFUSED,
         r"function pointers|function that only|call through|as a value$|call of the variable|functions that call"),
    Code("HET204", "an object whose class only the run tells", _REFUSED, r"\bvirtual\b|whose class only the run tells"),
    Code("HET205", "exceptions", _REFUSED, r"\bexceptions\b"),
    Code("HET206", "a C++ library that is not read", _REFUSED,
         r"std::|\bthrust\b|\bcub\b|C\+\+ that (hetad|it) does not|a C\+\+ object that"),
    Code("HET208", "lambdas", _REFUSED, r"\blambda\b|no name outside of a function"),
    Code("HET207", "objects that act when they are made or end", _REFUSED,
         r"destructor|constructor|constructed|only moved|'new'|'delete|array of objects"),
    Code("HET209", "unions and bit-fields", _REFUSED, r"\bunion\b|bit-fields"),
    Code("HET210", "memory seen as another type", _REFUSED, r"support a (cast|conversion) of|a cast to a"),
    Code("HET211", "arrays whose length is not constant", _REFUSED, r"variable length|length is not a constant"),
    Code("HET212", "textures, CUDA arrays, volumes", _REFUSED, r"\btextures\b|CUDA arrays"),
    Code("HET213", "inline assembly", _REFUSED, r"inline assembly"),
    Code("HET214", "half precision", _REFUSED, r"half precision"),
    Code("HET215", "long double", _REFUSED, r"long double"),
    Code("HET216", "a function that hetad does not know", _REFUSED, r"^hetad does not know"),
    Code("HET217", "groups of threads, functions of warps", _REFUSED,
         r"groups of the threads|tiles whose size|whole grid|this warp function|clocks in kernels"),
    Code("HET218", "references", _REFUSED, r"\breference\b"),
    Code("HET219", "a launch that is not followed", _REFUSED,
         r"\ba launch (through|from|of)\b|of (a|this) launch|launches a kernel|argument of cudaLaunchKernel"),
    Code("HET220", "shared memory that is declared twice or elsewhere", _REFUSED, r"__shared__|memory at file scope"),
    Code("HET221", "variable arguments", _REFUSED, r"variable arguments"),
    Code("HET222", "a function with several definitions, or none", f"{_REFUSED} UnknownNameError",
         r"^'' is (defined|declared|a C|a name in hetad's)"),
    Code("HET200", "a construct that is not supported", _REFUSED, r"^hetad does not (support|read)|nests more deeply"),
    # --- derivatives
    Code("HET319", "a gradient that another process cannot go on with", _REFUSED, r"^resume="),
    Code("HET312", "messages of MPI and NCCL", _REFUSED,
         r"is sent as|of active data (by|that)|group (that starts|of NCCL)|sent along|sent messages"),
    Code("HET301", "a function without a derivative", _REFUSED, r"has no derivative|no derivative for"),
    Code("HET302", "an atomic operation on active data", _REFUSED, r"on active memory:"),
    Code("HET303", "the bits of active numbers", _REFUSED, r"\bbits\b|active data.* copied as bytes"),
    Code("HET304", "active data that is volatile", _REFUSED, r"active data is volatile"),
    Code("HET305", "messages between blocks", _REFUSED, r"memory fence"),
    Code("HET306", "a shuffle in a loop that lanes leave", _REFUSED, r"a shuffle among some lanes"),
    Code("HET307", "memory of the host, memory of the device", _REFUSED, r"is (host|device|managed) memory|may reach"),
    Code("HET315", "the pointer mode of cuBLAS", _REFUSED, r"cuBLAS|pointer mode"),
    Code("HET316", "structs that hold active data", _REFUSED, r"active (struct|data is passed)|beside its numbers"),
    Code("HET308", "a pointer that is not followed", _REFUSED, r"\bpointers?\b"),
    Code("HET309", "memory that is freed twice, or elsewhere", _REFUSED, r"\bfree[sd]\b"),
    Code("HET310", "a loop whose length only the launch tells", _REFUSED, r"how often this runs|kernel's tape"),
    Code("HET311", "data that decides what a CUDA graph runs", _REFUSED, r"^graph=True"),
    Code("HET313", "a fixed order that cannot be given", _REFUSED, r"^with deterministic=True"),
    Code("HET314", "shared memory that the derivative needs", _REFUSED, r"shared (memory|arrays)"),
    Code("HET317", "a derivative that this mode does not have", _REFUSED, r"has no (tangent|second)|hands on numbers"),
    Code("HET318", "memory that no variable keeps", _REFUSED, r"not kept|was not allocated"),
    Code("HET606", "a library that is not installed", f"{_MACHINE} {_REFUSED}", r"not installed|libclang cannot be"),
    Code("HET300", "what has no derivative here", _REFUSED),
    # --- what is asked for
    Code("HET501", "a file or function that is not there", "UnknownNameError"),
    Code("HET511", "an array of another library", _ASKED,
         r"requires a gradient|transformation of JAX|hand out|the memory of a|lies in GPU memory"),
    Code("HET513", "batches of sets", _ASKED, r"\bbatch(ed)?\b|a first axis of"),
    Code("HET502", "an argument of the wrong type", _ASKED,
         r"expected (an? |float|one to three)|out of range|has the fields|cannot be passed|a masked array"),
    Code("HET503", "an array that is too short", _ASKED, r"expected at least \d+ elements"),
    Code("HET504", "an array that cannot be used in place", _ASKED,
         r"not C-contiguous|which is read-only|share memory|lies on "),
    Code("HET505", "arguments that are missing, or too many", _ASKED, r"expected \d+ argument|given twice"),
    Code("HET507", "seeds and tangents", _ASKED,
         r"needs a seed|to seed\b|(seeds|tangents) must|no tangent of|expected the shape of|''\]'"),
    Code("HET506", "wrt and of", _ASKED, r": (wrt|of)\b|^(wrt|of)\b|which means the return value"),
    Code("HET508", "grid, block and stream of a launch", _ASKED, r"\b(grid|block|shared_mem|stream)="),
    Code("HET510", "a problem file", _ASKED, r"\.toml\b"),
    Code("HET514", "sparse derivatives", _ASKED, r"sparsity|no pattern"),
    Code("HET509", "options that do not exist, or not together", _ASKED,
         r"no optimisation|leave (\w+ )?out"
         r"|^(backend|mode|memory_limit|host_memory|checkpoint_dir|resume|checked|racecheck|debug|graph)\w*="),
    Code("HET512", "a rule of one's own", _ASKED, r"\brule\b|in the formula|__device__ (void|function$)|partials="),
    Code("HET515", "inputs and output of a whole program", _ASKED,
         r"no variable|several variables|the objective|^'' is no"),
    Code("HET516", "a function of the device", _ASKED, r"is a __device__ function"),
    Code("HET500", "an argument that does not fit", _ASKED),
    # --- the machine
    Code("HET601", "no C compiler", _MACHINE, r"no C compiler|there is no command|cannot be started"),
    Code("HET602", "no usable GPU", _MACHINE, r"CUDA (backend|device)|NVIDIA driver|needs a driver"),
    Code("HET603", "a compiler failed on what hetad wrote", _MACHINE, r"failed on code that hetad generated"),
    Code("HET604", "no usable MPI or NCCL", _MACHINE, r"\bMPI\b|\bNCCL\b"),
    Code("HET605", "a setting in the environment", _MACHINE, r"^HETAD_\w+ is"),
    Code("HET600", "what is compiled cannot be kept or loaded", _MACHINE),
    # --- hetad itself
    Code("HET900", "a mistake of hetad's own", "InternalError HetadError"),
)  # fmt: skip

# A name of the program's own, which says nothing about the kind of error.
_NAME = re.compile(r"'(?!(?:new|delete)\b)[^']*'")


def code_of(classes: Sequence[str], message: str) -> str:
    """The code of an error of these classes, the most derived first."""
    said = _NAME.sub("''", message.partition("\n")[0])
    for name in classes:
        for code in CODES:
            if name in code.classes.split() and re.search(code.says, said):
                return code.name
    return CODES[-1].name
