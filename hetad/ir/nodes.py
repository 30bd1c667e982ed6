"""The IR: its whole grammar on one screen.

Nodes are frozen and compare structurally except symbols, which are identities.  Every node has the
span of the user's source it came from; a synthesised node keeps the span of its primal statement.  The spans
of inlined code tell of the calls that it stands for, and code of one call becomes a function again by them.
Expressions have no side effects: lowering turns `a[i++] = f(x)` into several statements.

Lowered form: all statements below.  Normalised form (what analyses and the reverse engine accept): see
`frontend/normalize`.  What holds of all programs, and what of those in a form, is said in `hetad/ir/verify`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from hetad.diagnostics import Span
from hetad.ir.forms import Form
from hetad.ir.records import node
from hetad.ir.types import Type

Extent = Literal["value", "range", "part", "allocation", "reached", "column"]
# entry: not a variable but a slot of the tape, for what the caller's memory holds on entry
Storage = Literal["param", "local", "shared", "global", "constant", "static", "entry"]


@dataclass(frozen=True, eq=False, slots=True)
class Symbol:
    """A variable.  Identity is the object, never the name.

    `const`: nothing changes the value that it has as a parameter, or that its declaration gives it, where this does.
    `adjoint`: it holds adjoints, or leads to them.
    """

    name: str
    type: Type
    span: Span
    storage: Storage = "local"
    const: bool = False
    adjoint: bool = False

    def __repr__(self) -> str:
        return f"<{self.name}: {self.type}>"


def _span() -> Span:
    return field(compare=False, kw_only=True)  # type: ignore[no-any-return]


# --- expressions; those marked (place) can be assigned to ---------------------------------------


@node(frozen=True, slots=True)
class Const:
    """A literal.  `text` is the user's spelling, kept for printing."""

    value: int | float | bool
    type: Type
    text: str | None = field(default=None, compare=False)
    span: Span = _span()


@node(frozen=True, slots=True)
class String:
    text: str  # with quotes, as in the source
    type: Type
    span: Span = _span()


@node(frozen=True, slots=True)
class Var:  # (place)
    symbol: Symbol
    span: Span = _span()

    @property
    def type(self) -> Type:
        return self.symbol.type


@node(frozen=True, slots=True)
class Index:  # (place) base[index]; *p is p[0]
    base: Expr  # of pointer or array type
    index: Expr
    type: Type
    span: Span = _span()


@node(frozen=True, slots=True)
class Member:  # (place) base.name; p->name is Member(Index(p, 0), name)
    base: Expr
    name: str
    type: Type
    span: Span = _span()


@node(frozen=True, slots=True)
class AddressOf:
    place: Place
    type: Type
    span: Span = _span()


@node(frozen=True, slots=True)
class ThreadIndex:
    """`threadIdx.x` and its like; `name` is threadIdx, blockIdx, blockDim, gridDim; or warpSize with axis ''."""

    name: str
    axis: str
    type: Type
    span: Span = _span()


@node(frozen=True, slots=True)
class Unary:
    op: Literal["-", "!", "~"]
    operand: Expr
    type: Type
    span: Span = _span()


@node(frozen=True, slots=True)
class Binary:
    """Arithmetic, comparison, logic (`&&`, `||` without side effects), pointer plus integer."""

    op: str
    left: Expr
    right: Expr
    type: Type
    span: Span = _span()


@node(frozen=True, slots=True)
class Select:
    """`cond ? then : orelse`."""

    cond: Expr
    then: Expr
    orelse: Expr
    type: Type
    span: Span = _span()


@node(frozen=True, slots=True)
class Cast:
    """A conversion, written or implicit: arithmetic operands always have the operation's own type."""

    operand: Expr
    type: Type
    implicit: bool = field(default=False, compare=False)
    span: Span = _span()


@node(frozen=True, slots=True)
class Intrinsic:
    """A call of a function hetad knows (`rules/`): sinf, fmax, __ldg, ..."""

    name: str
    args: tuple[Expr, ...]
    type: Type
    span: Span = _span()


@node(frozen=True, slots=True)
class CallExpr:
    """A call, inside an expression, of a function of the program; gone after normalisation."""

    function: str
    args: tuple[Expr, ...]
    type: Type
    span: Span = _span()


@node(frozen=True, slots=True)
class Aggregate:
    """`{a, b, c}` for an array or struct (all elements listed or the rest zero), and `dim3(x, y, z)`."""

    elements: tuple[Expr, ...]
    type: Type
    span: Span = _span()


Place = Var | Index | Member
Expr = (
    Const | String | Var | Index | Member | AddressOf | ThreadIndex | Unary | Binary | Select | Cast
    | Intrinsic | CallExpr | Aggregate
)  # fmt: skip

# --- statements ----------------------------------------------------------------------------------


@node(frozen=True, slots=True)
class Declare:
    symbol: Symbol
    init: Expr | None
    span: Span = _span()


@node(frozen=True, slots=True)
class Assign:
    target: Place
    value: Expr
    span: Span = _span()


@node(frozen=True, slots=True)
class Update:
    """`target op= value`; `op` without the equals sign."""

    op: str
    target: Place
    value: Expr
    span: Span = _span()


@node(frozen=True, slots=True)
class Call:
    """A call as a statement: a function of the program, or one of hetad's tables (cudaMalloc, atomicAdd,
    __syncthreads, printf).  `result` receives the returned value."""

    function: str
    args: tuple[Expr, ...]
    result: Place | None = None
    span: Span = _span()


@node(frozen=True, slots=True)
class Launch:
    """`kernel<<<grid, block, shared, stream>>>(args)`; grid and block have type dim3 or an integer type."""

    kernel: str
    grid: Expr
    block: Expr
    shared: Expr | None
    stream: Expr | None
    args: tuple[Expr, ...]
    span: Span = _span()


@node(frozen=True, slots=True)
class Block:
    """A scope."""

    body: Body
    span: Span = _span()


@node(frozen=True, slots=True)
class If:
    cond: Expr
    then: Body
    orelse: Body
    span: Span = _span()


@node(frozen=True, slots=True)
class For:
    """`for (init; cond; step) body`.  `init` is declarations or assignments, `step` assignments or updates."""

    init: Body
    cond: Expr | None
    step: Body
    body: Body
    unroll: str | None = field(default=None, compare=False)  # the text after `#pragma unroll`
    primal: For | None = field(default=None, compare=False)  # of a reversed loop: the loop it reverses
    lanes: bool = field(default=False, compare=False)  # CPU: neighbouring iterations, in any order, as vector lanes
    sums: tuple[Symbol, ...] = field(default=(), compare=False)  # to which iterations add, in any order
    span: Span = _span()


@node(frozen=True, slots=True)
class While:
    cond: Expr
    body: Body
    span: Span = _span()


@node(frozen=True, slots=True)
class DoWhile:
    body: Body
    cond: Expr
    span: Span = _span()


@node(frozen=True, slots=True)
class Case:
    """`case values: body`; no values for `default`.  The body falls through unless it ends in Break."""

    values: tuple[Expr, ...]
    default: bool
    body: Body
    span: Span = _span()


@node(frozen=True, slots=True)
class Switch:
    subject: Expr
    cases: tuple[Case, ...]
    span: Span = _span()


@node(frozen=True, slots=True)
class Break:
    span: Span = _span()


@node(frozen=True, slots=True)
class Continue:
    span: Span = _span()


@node(frozen=True, slots=True)
class Return:
    value: Expr | None
    span: Span = _span()


@node(frozen=True, slots=True)
class Goto:
    """A jump to a label further on in the function; the front end replaces it before anybody else sees it."""

    label: str
    span: Span = _span()


@node(frozen=True, slots=True)
class Label:
    """Where jumps lead; the front end replaces it together with them."""

    name: str
    span: Span = _span()


@node(frozen=True, slots=True)
class Comment:
    """A `//` line in emitted code."""

    text: str
    span: Span = _span()


@node(frozen=True, slots=True)
class Opaque:
    """Host C++ that hetad does not read and nothing depends on: printed in a .cu, left out when hetad runs the program.

    The text is `texts[0] args[0] texts[1] args[1] ... texts[-1]`; it declares the variables `declares`.
    """

    texts: tuple[str, ...]
    args: tuple[Expr, ...] = ()
    declares: tuple[Symbol, ...] = ()
    headers: tuple[str, ...] = ()  # what it needs included
    span: Span = _span()


@node(frozen=True, slots=True)
class Push:
    """Save memory in `slot` on the tape (reverse engine only; lowered before emission).

    `value`: the value of the place `place`; `range`: `bytes` bytes behind the pointer `place`;
    `part`: the elements from `cells[0]` to `cells[1]`, counted from that pointer; `allocation`: the whole allocation
    that the pointer `place` points into; `reached`: the same, or nothing if it points nowhere; `column`: those of all
    the pointers that lie in the same memory as the place `place`, an element's size apart.  `overwritten`: whether
    what follows overwrites all of a range, or the elements from the first to the second of three, but those in gaps,
    each given by two more; then other memory may take the place of a copy (see `host/saves/buffer_versioning.py`).
    """

    slot: Symbol
    place: Expr
    extent: Extent = "value"
    bytes: Expr | None = None
    cells: tuple[Expr, ...] = ()
    overwritten: tuple[Expr, ...] = ()
    span: Span = _span()


@node(frozen=True, slots=True)
class Pop:
    """Give back what the matching `Push` saved."""

    slot: Symbol
    place: Expr
    extent: Extent = "value"
    bytes: Expr | None = None
    span: Span = _span()


Stmt = (
    Declare | Assign | Update | Call | Launch | Block | If | For | While | DoWhile | Switch | Break | Continue
    | Goto | Label | Return | Comment | Opaque | Push | Pop
)  # fmt: skip
Body = tuple[Stmt, ...]

# --- functions and programs ----------------------------------------------------------------------

Kind = Literal["host", "kernel", "device", "host device"]


@dataclass(frozen=True, slots=True)
class Sweep:
    """What does the work of all threads of a launch in one run: `body`, whose first loop, or that in each branch of its
    first condition, can be divided.

    `counted`: the loop counts threads in an int, so that there must not be too many.  `alone`: faster, where nobody
    else adds to the same cells at the same time.
    """

    body: Body
    counted: bool = False
    alone: Body | None = None


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    kind: Kind
    params: tuple[Symbol, ...]
    returns: Type
    body: Body
    span: Span
    launch_bounds: str | None = None  # the text between the parentheses of __launch_bounds__
    inline: str | None = None  # '__forceinline__', '__noinline__', 'static inline', ... as written
    comment: str | None = None  # printed above the function in emitted code, may have several lines
    reverse_threads: bool = False  # CPU: run threads last to first, so that a pullback undoes a primal's order
    sweep: Sweep | None = None  # CPU: what does the work of all threads in one run


@dataclass(frozen=True, slots=True)
class Global:
    """A variable at file scope: `symbol.storage` is 'global' (host, or __device__ if `device`) or 'constant'.
    managed: of both (`__managed__`); what was reached has none (`frontend/managed.py`)."""

    symbol: Symbol
    init: Expr | None
    device: bool
    span: Span
    managed: bool = False


@dataclass(frozen=True, slots=True)
class Program:
    """A closed program: every function that a body calls or launches is in `functions`, or in hetad's tables.
    Dictionaries keep the order of the source."""

    functions: Mapping[str, Function]
    globals: tuple[Global, ...] = ()
    structs: tuple[Type, ...] = ()  # the struct types in use, in order of definition (dim3 is built in)
    sources: Mapping[str, str] = field(default_factory=dict)  # file name -> text, for diagnostics
    forms: frozenset[Form] = frozenset()  # that all functions are in
