"""A program on its way to its derivative: what was asked for, and what the passes so far have found out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hetad.adjoint.options import ALL, Options
from hetad.analysis.effects import KernelEffects, summary_of
from hetad.device.asked import Around
from hetad.diagnostics import Span
from hetad.host.derivative import Parameter
from hetad.host.kernels.launcher import CONFIGURATION
from hetad.ir import nodes as ir
from hetad.ir.types import VOID, Pointer
from hetad.passes.manager import part_pass
from hetad.passes.task import Task

if TYPE_CHECKING:
    from hetad.analysis.pointers import Location
    from hetad.host.decisions import Explanation, MemoryLimit
    from hetad.host.explanation import Saves
    from hetad.host.kernels.pullbacks import Pullbacks
    from hetad.host.saves.buffer_versioning import Renaming
    from hetad.host.saves.checkpoint import Checkpoints
    from hetad.host.saves.parts import Ends, WrittenParts
    from hetad.host.saves.rematerialisation import Refill
    from hetad.host.setting import Setting
    from hetad.rules.user import Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The derivative of `of` (None: the return value) of a function with respect to `wrt`, names of its parameters.

    `rules` stand for device functions, which are then not looked into.  The `options` never change the gradient.  With
    `memory_limit` time loops run by schedules.  `measured`: a run tells what each statement saves.  Without `value` the
    derivative returns nothing, and what only led to the value is not run.  `graph`: it must be possible to run it as
    CUDA graphs.  `directions`: the derivative is the tangent along so many directions; 0: it is the gradient.  With
    `dependence` masks of inputs stand in the place of tangents (`tangent/algebra.py`).  `batch`: it
    is for a batch of sets, between which these parameters differ; with `at_once` they share launches where they can.
    `again`: the derivative is differentiated once more, so its memory is asked for by operations with derivatives.
    """

    function: str
    wrt: tuple[str, ...]
    of: tuple[str, ...] | None = None
    options: Options = ALL
    rules: Rules = field(default_factory=dict)
    memory_limit: MemoryLimit | None = None
    measured: bool = False
    value: bool = True
    graph: bool = False
    directions: int = 0
    dependence: bool = False
    batch: tuple[str, ...] | None = None
    at_once: bool = False
    again: bool = False

    @property
    def suffix(self) -> str:
        """What tells the name of the derivative from that of the function."""
        return "dependence" if self.dependence else "tangent" if self.is_tangent else "grad"

    @property
    def is_tangent(self) -> bool:
        return self.directions > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reversal:
    """What the reverse engine leaves to the passes behind it.

    active: locations that have an adjoint.
    shadows: for variables, the variable that is, or leads to, their adjoint.
    pullbacks: the kernels that were made.
    parts, cells_of: what statements write; for snapshots of a whole buffer, the part of it that they are there for.
    frees: statements that may be left out, each group together.
    extents: grids and blocks in variables that nothing changes.
    checkpoints: under a memory limit, the loops that run by schedules.
    refills: launches that may run again instead of a save, and in the end those that do.
    """

    active: frozenset[Location]
    shadows: Mapping[ir.Symbol, ir.Symbol]
    pullbacks: Pullbacks
    parts: WrittenParts
    cells_of: Mapping[ir.Symbol, Ends]
    frees: Sequence[tuple[ir.Stmt, ...]]
    extents: Mapping[ir.Symbol, ir.Expr]
    checkpoints: Checkpoints | None
    refills: Sequence[Refill]


@dataclass(frozen=True, slots=True)
class Together:
    """The parameters of a derivative for all sets of a batch: where what it returns goes, how many sets there are, and
    for pointers the size of what one has, by the primal's name and whether it counts bytes."""

    params: tuple[ir.Symbol, ...]
    value: ir.Symbol | None
    sets: ir.Symbol
    sizes: Mapping[tuple[str, bool], ir.Symbol]


@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation(Task):
    """The program that is differentiated; its `entry` is the host function, all else is for it.

    routines: pullbacks of kernels that stand for routines of a library.
    returned: the variable that holds the floating return value.
    known: what is known about the entry, once that does not change any more.
    active: what has an adjoint, or a tangent, once that is known.
    added: the derivative's parameters for adjoints or tangents.
    name, reversal: of the derivative, a function of the program too, once it is there.
    bits: of the masks that are in the place of tangents; as many inputs go along one direction.
    outer: the parameters of the entry that runs the derivative for each set of a batch, once that has the name.
    at_once: what the derivative takes beside its parameters if it runs all sets at once; `one_by_one`: why it does not.
    """

    request: Request
    routines: Mapping[str, ir.Function] = field(default_factory=dict)
    returned: ir.Symbol | None = None
    known: Setting | None = None
    active: frozenset[Location] = frozenset()
    name: str = ""
    added: tuple[Parameter, ...] = ()
    reversal: Reversal | None = None
    versions: Renaming | None = None
    arguments: tuple[ir.Stmt, ...] = ()
    saves: Saves | None = None
    explanation: Explanation | None = None
    outlined: tuple[str, ...] = ()
    bits: int = 0
    outer: tuple[Parameter, ...] = ()
    at_once: Together | None = None
    one_by_one: str = ""

    @property
    def options(self) -> Options:
        return self.request.options

    @property
    def resumes(self) -> bool:
        """Whether another process can go on with a call."""
        return self.request.memory_limit is not None and self.request.memory_limit.every is not None

    @property
    def around_kernels(self) -> Around:
        """The program as it was written, around its kernels."""
        written = ir.Program(self.written, self.globals, self.structs, self.sources)
        return Around(written, self.options, self.request.rules)

    @property
    def is_kernel(self) -> bool:
        """Whether it is a kernel that is differentiated, behind a host function that launches it."""
        return self.entry != self.request.function

    @property
    def setting(self) -> Setting:
        assert self.known is not None, "nothing is known about the function yet"
        return self.known

    @property
    def reversed(self) -> Reversal:
        assert self.reversal is not None, "the function is not reversed yet"
        return self.reversal

    @property
    def span(self) -> Span:
        return self.function.span

    @property
    def body(self) -> ir.Body:
        """Of the derivative."""
        return self.functions[self.name].body


def with_body(derivation: Derivation, body: ir.Body) -> Derivation:
    """With another body of the derivative."""
    old = derivation.functions.get(derivation.name)
    if old is not None and old.body is body:
        return derivation
    setting, asked = derivation.setting, derivation.request
    of = ", ".join(setting.of) if setting.of is not None else "the return value"
    what = f"{of} of {asked.function} (line {setting.span.line})"
    wrt = ", ".join(setting.wrt)
    between = "on" if asked.dependence else "along" if asked.is_tangent else "with respect to"
    comment = f"{'gradient' if not asked.is_tangent else asked.suffix} of {what} {between} {wrt}"
    returns = setting.returned.type if setting.returned is not None and asked.value else VOID
    symbols = tuple(p.symbol for p in parameters_of(derivation))
    made = ir.Function(derivation.name, "host", symbols, returns, body, setting.span, comment=comment)
    return replace(derivation, functions={**derivation.functions, made.name: made})


# Marks a function that gives the derivative another body as the pass of this name.
on_derivative = part_pass(with_body)


def parameters_of(derivation: Derivation) -> tuple[Parameter, ...]:
    """Of the derivative: the primal's, adjoints or tangents, and the sizes of memory that it asks for."""
    setting = derivation.setting
    return (
        *(_of_primal(derivation, p) for p in setting.function.params),
        *derivation.added,
        *(Parameter(s, "bytes", p.name) for p, s in setting.sizes.items()),
    )


def _of_primal(derivation: Derivation, p: ir.Symbol) -> Parameter:
    setting = derivation.setting
    if derivation.is_kernel and p in setting.function.params[: len(CONFIGURATION)]:
        return Parameter(p, CONFIGURATION[setting.function.params.index(p)])  # type: ignore[arg-type]
    root = setting.pointers.parameter_roots.get(p)
    if root is None or not isinstance(p.type, Pointer):
        return Parameter(p, "primal", p.name)
    return Parameter(p, "primal", p.name, setting.spaces.of_parameter(root) or "host")


def summaries(derivation: Derivation) -> dict[str, KernelEffects]:
    """What each kernel reads and writes."""
    return {name: summary_of(kernel) for name, kernel in derivation.kernels.items()}
