"""hetad's own C and CUDA functions, in `support/`: which of them a program needs, and their text in each dialect.

A file is a list of definitions with a blank line between, whose names start with `hetad_` (or `cuda`, where C stands in
for the CUDA runtime).  Each definition is emitted only when something needs it; what it needs follows from its text.

* `name_float.c` is also `name_double.c`, with the word replaced.
* A line that ends in `// if used` stays only if something of the file that it calls into is there for another reason.
* `HETAD_LAUNCH(kernel, grid, block, args...);` becomes a launch.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hetad.emit.dialect import Dialect

_FOLDER = Path(__file__).parent / "support"

CUDA_DEVICE = (
    "guarded.c",
    "take_float.cu", "take_double.cu", "swap_float.cu", "swap_double.cu", "block_add_float.cu", "block_add_double.cu",
    "lanes.cu", "lane_sums.cu", "add_run_float.cu", "add_run_double.cu", "add_each_double.cu", "add_chain_double.cu",
    "hot_float.cu", "hot_double.cu",
    "warp_add_float.cu", "warp_add_double.cu", "shuffles_float.cu", "shuffles_double.cu",
)  # fmt: skip
HOST = (
    "check.c", "serial.c", "allocations.c", "registry.c", "ledger.c", "devices.c", "argument.c", "sets.c", "symbol.c",
    "clear.c", "retire.c", "memory.c", "sets_copies.c", "budget.c", "tape_file.c", "tape.c", "devices_kept.c",
    "last_snapshot.c", "device_copies.c", "moved.c", "levels.c", "snapshot.c", "save.c", "columns.c", "save_range.c",
    "save_part.c", "rename.c", "sets_saves.c", "sets_renames.c", "limit.c", "discard.c", "what_next.c", "loop.c",
    "loop_plan.c", "loop_room.c", "names.c", "files.c", "held.c", "image.c", "positions.c", "resume.c", "loop_next.c",
    "kernel_tape.c", "sets_tape.c", "launched.c", "blocks.c", "disjoint.c", "zeros.c", "sets_zeros.c",
    "scalar_float.c", "scalar_double.c", "rows.c", "kept.c", "tables.c", "copy_kinds.c", "copy_pullback_float.c",
    "copy_pullback_double.c", "move_pullback_float.c", "move_pullback_double.c", "rows_pullback_float.c",
    "rows_pullback_double.c", "sets_float.c", "sets_double.c", "mpi.c", "mpi_types.c", "mpi_cells.c", "mpi_messages.c",
    "mpi_requests.c", "mpi_blocks.c", "mpi_weights.c", "mpi_collectives.c", "mpi_block_collectives.c",
    "mpi_neighbours.c", "mpi_started.c", "mpi_tangents.c", "mpi_duals.c", "mpi_persistent.c", "mpi_loops.c", "nccl.c",
    "record.c", "record_sum_float.c", "record_sum_double.c", "session.c",
)  # fmt: skip
CUDA_HOST = ("fail.cu", "routines.cu", "action.c", "schedule.cu", *HOST)
C_DEVICE = ("guarded.c", "atomics.c", "adjoint_cells.c", "lanes.c", "lane_sums.c", "lane_bounds.c")
C_PARALLEL_DEVICE = (
    "guarded.c", "atomics_parallel.c", "adjoint_cells_parallel.c", "lanes.c", "lane_sums.c", "lane_bounds.c",
)  # fmt: skip
C_HOST = (
    "fail.c", "all_come.c", "process.c", "print.c", "watch.c", "arena.c", "race_cells.c", "races.c", "fibers.c",
    "parallel.c", "owned.c", "sized.c", "cuda_api.c", "cuda_devices.c", "device_properties.c", "cuda_streams.c",
    "cublas.c", "options.c", "action.c", "scheduler.c", "sites.c", "nccl_on_mpi.c", "nccl_on_devices.c",
    "nccl_on_gpus.c", "mpi_on_gpus.c", *HOST, "unwind.c", "report.c",
)  # fmt: skip

WHOLE = frozenset(  # belong together
    {
        "action.c",
        "atomics.c",
        "atomics_parallel.c",
        "budget.c",
        "cublas.c",
        "fibers.c",
        "files.c",
        "held.c",
        "image.c",
        "levels.c",
        "loop.c",
        "loop_next.c",
        "loop_plan.c",
        "loop_room.c",
        "names.c",
        "options.c",
        "owned.c",
        "parallel.c",
        "positions.c",
        "process.c",
        "race_cells.c",
        "races.c",
        "report.c",
        "resume.c",
        "serial.c",
    }
    | {"nccl_on_devices.c", "mpi_on_gpus.c"}
    | {"tape_file.c", "sites.c", "schedule.cu", "scheduler.c", "tables.c", "watch.c"}
)

_NCCL = frozenset({"nccl_on_mpi.c", "nccl_on_devices.c", "nccl_on_gpus.c"})
_TYPES = frozenset({"cudaError_t", "cublasHandle_t", "ncclComm_t", "ncclResult_t", "ncclDataType_t"})  # of libraries
_NAME = re.compile(r"\b(?:hetad_|HETAD_|cuda|cublas|nccl)\w+")
_ENUMERATORS = re.compile(r"^enum hetad_\w+ \{([^}]*)\}", re.MULTILINE)
_DEFINITION = re.compile(r"^(?:static|struct|void|__attribute__)\b[^=;{]*|^#define \w+", re.MULTILINE)
_IF_USED = re.compile(r"[ \t]*// if used$", re.MULTILINE)
_OTHERWISE = re.compile(
    r"^#if(?P<not>n?)def HETAD_(?:ON_CPU|CHECKED).*\n(?P<there>(?:(?!#).*\n)*)"
    r"(?:#else.*\n(?P<otherwise>(?:(?!#).*\n)*))?#endif.*\n?",
    re.MULTILINE,
)
_LAUNCH = re.compile(r"HETAD_LAUNCH\((.*)\);")


@dataclass(frozen=True, slots=True)
class Snippet:
    """One definition of a support file."""

    file: str
    text: str
    defines: frozenset[str]

    @property
    def uses(self) -> list[str]:
        """The names that must be there for this one."""
        lines = (line.split("//")[0] for line in self.text.splitlines() if not _IF_USED.search(line))
        return names("\n".join(lines)) + ["hetad_launch"] * bool(self.kernels)

    @property
    def uses_if_there(self) -> list[str]:
        """The names in lines that stay only if used."""
        return [n for line in self.text.splitlines() if _IF_USED.search(line) for n in names(line)]

    @property
    def kernels(self) -> list[str]:
        return [m[1].split(",")[0].strip() for m in _LAUNCH.finditer(self.text)]


def names(text: str) -> list[str]:
    """The names in a text that support may define."""
    return _NAME.findall(text)


@cache
def own_names() -> frozenset[str]:
    """The names of hetad's in support, but for those of kernels, which are the program's."""
    texts = (path.read_text() for path in _FOLDER.iterdir() if path.is_file())
    kernels = launched(s for file in HOST for s in _snippets(file))
    found = {name for text in texts for name in names(text) if name.startswith("hetad_")}
    return frozenset({n.replace("_float", real) for n in found for real in ("_float", "_double")}.difference(kernels))


def read(name: str) -> str:
    """The text of a support file; a `_double` file is made from the `_float` one where it has none of its own."""
    path = _FOLDER / name
    if "_double" in name and not path.exists():
        text = (_FOLDER / name.replace("_double", "_float")).read_text()
        return re.sub(r"\bfloat\b", "double", text).replace("_float", "_double").replace("0.0f", "0.0")
    return path.read_text()


@cache
def _snippets(file: str) -> tuple[Snippet, ...]:
    text = read(file).strip()
    return tuple(Snippet(file, t, _defined(t)) for t in ([text] if file in WHOLE else text.split("\n\n")))


def _defined(text: str) -> frozenset[str]:
    """The names that a definition introduces: a function's stands before its parameters."""
    found: set[str] = set()
    for match in _DEFINITION.finditer(text):
        head, parameters, _ = match[0].replace("__attribute__((noreturn))", "").partition("(")
        found.update(names(head)[-1:] if parameters else names(head))
    for match in _ENUMERATORS.finditer(text):
        found.update(names(match[1]))
    return frozenset(found) - _TYPES


def _files(dialect: Dialect) -> tuple[str, ...]:
    """Every support file of a dialect, definitions before uses."""
    if dialect.cuda:
        return (*CUDA_DEVICE, *CUDA_HOST)
    return (*(C_PARALLEL_DEVICE if dialect.parallel else C_DEVICE), *C_HOST)


def _without(wanted: Collection[str], dialect: Dialect) -> frozenset[str]:
    """The files in whose place there is another: of those that stand for NCCL on the CPU, all but one."""
    on_cpu = "nccl_on_devices.c" if "ncclCommInitAll" in wanted else "nccl_on_mpi.c"
    return _NCCL - {"nccl_on_gpus.c" if dialect.on_gpus else on_cpu}


@cache
def _definers(dialect: Dialect, without: frozenset[str]) -> Mapping[str, Snippet]:
    table: dict[str, Snippet] = {}
    for file in _files(dialect):
        if file in without:
            continue
        for each in _snippets(file):
            for name in sorted(each.defines):
                table.setdefault(name, each)
    return table


def needed(wanted: Iterable[str], dialect: Dialect) -> tuple[Snippet, ...]:
    """The snippets that define the names `wanted`, and all that those need, in order.  Allocations are kept by a ledger
    where that is enough."""
    names_wanted = list(wanted)
    without = _without(names_wanted, dialect)
    found = _closed(names_wanted, dialect, without | {"registry.c"})
    if not _only_in_registry().isdisjoint(names_wanted + [name for each in found for name in each.uses]):
        found = _closed(names_wanted, dialect, without | {"ledger.c"})
    return tuple(each for file in _files(dialect) for each in _snippets(file) if each in found)


@cache
def _only_in_registry() -> frozenset[str]:
    registry, ledger = ({n for s in _snippets(file) for n in s.defines} for file in ("registry.c", "ledger.c"))
    return frozenset(registry - ledger)


def _closed(wanted: Iterable[str], dialect: Dialect, without: frozenset[str]) -> set[Snippet]:
    todo = list(wanted)
    definers = _definers(dialect, without)
    found: set[Snippet] = set()
    while todo:
        each = definers.get(todo.pop())
        if each is not None and each not in found:
            found.add(each)
            todo += each.uses
        if not todo:
            files = {f.file for f in found}
            optional = [definers[n] for f in found for n in f.uses_if_there if n in definers]
            todo += [min(d.defines) for d in optional if d.file in files and d not in found]
    return found


def is_kept_until_the_end(snippets: Iterable[Snippet]) -> bool:
    """Whether these functions keep something for as long as a call of a derivative lasts."""
    ended = {name for s in _snippets("session.c") for name in s.uses_if_there}
    files = {file for file in HOST if any(not ended.isdisjoint(s.defines) for s in _snippets(file))}
    return any(s.file in files for s in snippets)


def launched(snippets: Iterable[Snippet]) -> tuple[str, ...]:
    """The kernels that snippets launch, each once."""
    return tuple(dict.fromkeys(kernel for s in snippets for kernel in s.kernels))


def in_front(snippets: Sequence[Snippet], used: Iterable[str], dialect: Dialect) -> tuple[list[str], list[Snippet]]:
    """What has to stand in front of a text that uses such names, where the snippets themselves follow it: declarations
    of functions, and the snippets of everything else with all that those need."""
    of_name = {name: s for s in snippets for name in s.defines}
    heads: list[str] = []
    whole: list[str] = []
    for name in dict.fromkeys(n for n in used if n in of_name):
        head = re.search(rf"^(static\b[^;{{}}=]*\b{name}\([^;{{}}]*\))\s*\{{", of_name[name].text, re.MULTILINE)
        if head is not None:
            heads.append(head[1] + ";")
        else:
            whole.append(name)
    needed_there = needed(whole, dialect)
    return heads, [s for s in snippets if s in needed_there]


def text(snippets: Iterable[Snippet], dialect: Dialect, kernels: Mapping[str, tuple[str, int]]) -> list[str]:
    """The emitted text of each snippet; `kernels` gives the emitted name and number of each kernel."""
    chosen = list(snippets)
    return [adapted(s.text, chosen, dialect, kernels) for s in chosen]


def adapted(source: str, chosen: Iterable[Snippet], dialect: Dialect, kernels: Mapping[str, tuple[str, int]]) -> str:
    there: set[str] = set()
    for s in chosen:
        there |= s.defines
    lines = []
    for line in (_without_cpu(source) if dialect.cuda else source).rstrip().splitlines():
        if _IF_USED.search(line):
            if not there.issuperset(n for n in names(line) if n.startswith("hetad_")):
                continue
            line = _IF_USED.sub("", line)
        lines.append(_LAUNCH.sub(lambda m: _launch(m[1], dialect, kernels), line))
    return "\n".join(lines)


def _without_cpu(source: str) -> str:
    """Without what is for programs that run on a CPU."""
    return _OTHERWISE.sub(lambda m: m["there"] if m["not"] else m["otherwise"] or "", source)


def _launch(arguments: str, dialect: Dialect, kernels: Mapping[str, tuple[str, int]]) -> str:
    kernel, grid, block, *args = _split(arguments)
    name, number = kernels[kernel]
    if dialect.cuda:
        return f"{name}<<<{grid}, {block}>>>({', '.join(args)});"
    pointers = ", ".join("&" + a for a in args)
    return (
        f"hetad_launch({number}, (dim3){{{grid}, 1, 1}}, (dim3){{{block}, 1, 1}}, 0, NULL, (void *[]){{{pointers}}});"
    )


def _split(arguments: str) -> list[str]:
    parts, depth = [""], 0
    for c in arguments:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts]
