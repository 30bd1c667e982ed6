"""Where cuBLAS looks for the scalars of its calls, and puts its results: on the host or on the device.

It is a mode of the handle, which a program sets as it runs.  The library text asks for it in each routine
(`frontend/libraries/cublas.cu`); here the answers are found before the program runs, by following the handles through
the function, all calls inlined.  Where a handle may have either mode, the routine is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hetad.analysis.dataflow import Forward
from hetad.diagnostics import Span, UnsupportedError
from hetad.host.kernels.routines import with_choices_made
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare, literal
from hetad.ir.build import convert, succeeded
from hetad.ir.identity import IdentityMap
from hetad.ir.types import BLAS_HANDLE, INT, Array, Int, Pointer, Struct, Type
from hetad.ir.visit import bodies, map_body, own_nodes, repeated, substitute, walk_in_loops, walk_stmts
from hetad.passes.task import entry_pass
from hetad.rules.routines import HEADERS

_SET, _GET, _CREATE = "cublasSetPointerMode", "cublasGetPointerMode", "cublasCreate"
_HOST = 0
_Key = ir.Symbol | str
_MEMORY = "memory"  # stands for all handles in structs, in arrays and behind pointers
_State = dict[_Key, int | None]  # the modes of handles, and of variables that hold one; None: either


@entry_pass("pointer-modes")
def with_pointer_modes(function: ir.Function) -> ir.Function:
    """The function without questions for modes, and without what would be done in another one.

    Raises:
        UnsupportedError: a routine depends on a mode that is not known; or a handle of the caller's is left in
            another mode than it had.
    """
    statements = list(walk_stmts(function.body))
    if not any(_is_call(s, _GET) for s in statements):
        return function
    found = _Modes(function).found if any(_is_call(s, _SET) for s in statements) else IdentityMap()

    def answered(s: ir.Stmt) -> ir.Stmt | ir.Body:
        if not isinstance(s, ir.Call) or s.function != _GET:
            return s
        mode = found.get(s, _HOST)
        place = _out(s)
        if mode is None or place is None:
            raise UnsupportedError(
                "whether cuBLAS finds its scalars on the host or on the device is not known here",
                _calling(s, statements),
                "call cublasSetPointerMode with a constant, on every way that leads here",
            )
        value = convert(ir.Const(mode, INT, span=s.span), place.type)
        return (ir.Assign(place, value, span=s.span), *succeeded(s))

    return repeated(_with_answers, replace(function, body=map_body(answered, function.body)))


def _with_answers(function: ir.Function) -> ir.Function:
    """With what the library text decides by the answers, which it hands on in variables; one step."""
    writes: dict[ir.Symbol, int] = {}
    values: dict[ir.Symbol, ir.Symbol | ir.Expr] = {}
    for s in walk_stmts(function.body):
        symbol = _set_variable(s)
        if symbol is None:
            continue
        writes[symbol] = writes.get(symbol, 0) + 1
        value = s.value if isinstance(s, ir.Assign) else s.init if isinstance(s, ir.Declare) else None
        if symbol.span.file in HEADERS and isinstance(symbol.type, Int) and literal(value) is not None:
            assert value is not None
            values[symbol] = convert(value, symbol.type)
    pointed = {
        e.place.symbol
        for s in walk_stmts(function.body)
        for e in own_nodes(s)
        if isinstance(e, ir.AddressOf) and isinstance(e.place, ir.Var)
    }
    known = {x: v for x, v in values.items() if writes[x] == 1 and x not in pointed}
    if not known:
        return function
    body = map_body(lambda s: None if _mentions(s, known) else s, function.body)
    return with_choices_made(replace(function, body=substitute(known, body)))


def _mentions(s: ir.Stmt, known: Mapping[ir.Symbol, object]) -> bool:
    """Whether the statement declares or sets one of these."""
    symbol = s.symbol if isinstance(s, ir.Declare) else _set_variable(s)
    return symbol is not None and symbol in known


def _set_variable(s: ir.Stmt) -> ir.Symbol | None:
    """The variable that a statement sets as a whole."""
    match s:
        case ir.Declare(symbol=symbol, init=init) if init is not None:
            return symbol
        case ir.Assign(target=ir.Var(symbol=symbol)) | ir.Update(target=ir.Var(symbol=symbol)):
            return symbol
        case ir.Call(result=ir.Var(symbol=symbol)):
            return symbol
    return None


@dataclass
class _Origin:
    """Where the handles come from that are taken for one: from how many places, of which some may be in `loops`; and
    whether there are `copies`, so that an older one may be meant."""

    places: int = 0
    loops: bool = False
    copies: bool = False

    @property
    def several(self) -> bool:
        return self.places > 1 or (self.loops and self.copies)


class _Modes(Forward[_State]):
    """The answer to each question, by id of the call: `found`."""

    def __init__(self, function: ir.Function) -> None:
        self.found = IdentityMap[ir.Stmt, int | None]()
        self._last: dict[_Key, Span] = {}
        self._same: dict[_Key, _Key] = {}
        self._origins: dict[_Key, _Origin] = {_MEMORY: _Origin(copies=True)}
        given = _given(function)
        for key in given:
            self._origin(key).places += 1
            self._join(key, given[0])  # two parameters may be the same
        for s, around in walk_in_loops(function.body):
            self._join_copies(s, bool(around))
        end = self.follow(function.body, {})
        if given and end.get(self._of(given[0]), _HOST) != _HOST:
            raise UnsupportedError(
                "a handle of the caller's is left in another pointer mode",
                self._last.get(self._of(given[0]), function.span),
                "set CUBLAS_POINTER_MODE_HOST again before the function ends",
            )

    # -- which handles are the same

    def _join_copies(self, s: ir.Stmt, looped: bool) -> None:
        created = bare(s.args[-1]) if isinstance(s, ir.Call) and s.function == _CREATE else None
        if created is not None:
            place = _out(s)  # type: ignore[arg-type]
            origin = self._origin(_key(place) if place is not None else _MEMORY)
            origin.places += 1
            origin.loops = origin.loops or looped
        for e in own_nodes(s):
            if isinstance(e, ir.AddressOf) and e.place.type == BLAS_HANDLE and e is not created:
                self._join(_key(e.place), _MEMORY)
        match s:
            case ir.Declare(symbol=symbol, init=init) if init is not None and symbol.type == BLAS_HANDLE:
                self._join(symbol, _key(init))
            case ir.Assign(target=target, value=value) if target.type == BLAS_HANDLE:
                self._join(_key(target), _key(value))
                self._origin(_key(target)).copies = True

    def _origin(self, key: _Key) -> _Origin:
        return self._origins.setdefault(self._of(key), _Origin())

    def _of(self, key: _Key) -> _Key:
        while key in self._same:
            key = self._same[key]
        return key

    def _join(self, a: _Key, b: _Key) -> None:
        a, b = self._of(a), self._of(b)
        if a == b:
            return
        one, other = self._origins.pop(a, _Origin()), self._origin(b)
        self._same[a] = b
        other.places += one.places
        other.loops, other.copies = other.loops or one.loops, other.copies or one.copies

    # -- what happens to them

    def joined(self, one: _State, other: _State) -> _State:
        """Variables of which nothing is known are none of the state's; handles then look on the host."""
        both: _State = {}
        for key in (*one, *(k for k in other if k not in one)):
            missing = _HOST if not isinstance(key, ir.Symbol) or key.type == BLAS_HANDLE else None
            mode = one.get(key, missing)
            both[key] = mode if mode == other.get(key, missing) else None
        return both

    def behind(self, s: ir.Stmt, state: _State) -> _State:
        match s:
            case ir.Call(function=name) if name in (_SET, _GET, _CREATE):
                return self._call(s, state)
            case ir.Assign(target=ir.Var(symbol=symbol), value=value) if symbol.type == INT:
                return {**state, symbol: _value(value, state)}
            case ir.Declare(symbol=symbol, init=init) if init is not None and symbol.type == INT:
                return {**state, symbol: _value(init, state)}
        for inner in bodies(s):
            state = self.follow(inner, state)
        return {**state, **dict.fromkeys(_changed(s))}

    def _call(self, s: ir.Call, state: _State) -> _State:
        if s.function == _GET:
            place = _out(s)
            self.found[s] = mode = state.get(self._of(_key(s.args[0])), _HOST)
            return {**state, place.symbol: mode} if isinstance(place, ir.Var) else state
        place = _out(s) if s.function == _CREATE else None
        key = self._of(_key(s.args[0] if place is None else place))
        new = _HOST if s.function == _CREATE else _value(s.args[1], state)
        self._last[key] = s.span
        sure = not self._origin(key).several or new == state.get(key, _HOST)
        return {**state, key: new if sure else None}


def _changed(s: ir.Stmt) -> Iterator[ir.Symbol]:
    """Variables of modes that a statement changes, or may change."""
    changed = _set_variable(s)
    if changed is not None and changed.type == INT:
        yield changed
    for e in own_nodes(s):
        if isinstance(e, ir.AddressOf) and isinstance(e.place, ir.Var) and e.place.symbol.type == INT:
            yield e.place.symbol


def _value(expr: ir.Expr, state: _State) -> int | None:
    number = literal(expr)
    if number is not None:
        return number
    inner = bare(expr)
    return state.get(inner.symbol) if isinstance(inner, ir.Var) else None


def _given(function: ir.Function) -> list[_Key]:
    """The handles that the caller made."""
    plain: list[_Key] = [p for p in function.params if p.type == BLAS_HANDLE]
    return [*plain, *([_MEMORY] if any(_holds_handle(p.type) for p in function.params) else [])]


def _holds_handle(type_: Type) -> bool:
    while isinstance(type_, Array | Pointer):
        type_ = type_.of if isinstance(type_, Array) else type_.to
        if type_ == BLAS_HANDLE:
            return True
    return isinstance(type_, Struct) and any(
        f.type == BLAS_HANDLE or (f.type != type_ and not isinstance(f.type, Pointer) and _holds_handle(f.type))
        for f in type_.fields
    )


def _key(place: ir.Expr) -> _Key:
    inner = bare(place)
    return inner.symbol if isinstance(inner, ir.Var) and inner.type == BLAS_HANDLE else _MEMORY


def _out(s: ir.Call) -> ir.Place | None:
    """The place whose address the call is given."""
    inner = bare(s.args[-1])
    if isinstance(inner, ir.AddressOf):
        return inner.place
    if isinstance(inner.type, Pointer) and isinstance(inner, ir.Var | ir.Index | ir.Member):
        return ir.Index(inner, ir.Const(0, INT, span=inner.span), inner.type.to, span=inner.span)
    return None


def _calling(s: ir.Call, statements: Sequence[ir.Stmt]) -> Span:
    """Where the program calls the routine that asks: its handle stands there, or is copied there."""
    handle = bare(s.args[0])
    if handle.span.file not in HEADERS or not isinstance(handle, ir.Var):
        return handle.span
    copied = (d.span for d in statements if isinstance(d, ir.Declare) and d.symbol is handle.symbol)
    return next(copied, handle.span)


def _is_call(s: ir.Stmt, name: str) -> bool:
    return isinstance(s, ir.Call) and s.function == name
