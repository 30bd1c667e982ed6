"""The statements of a derivative, its operations said plainly as their rows say (`rules/operations.py`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from hetad.analysis.pointer_expressions import out_place
from hetad.diagnostics import Span, UnsupportedError
from hetad.frontend.quote import Filling, Quote, Scope
from hetad.frontend.views import structs_copied
from hetad.host.again.additions import add_numbers, launched
from hetad.ir import nodes as ir
from hetad.ir import texts as c_texts
from hetad.ir.arithmetic import bare, literal
from hetad.ir.build import Names, binary, convert, integer, succeeded, zero
from hetad.ir.types import CHAR, DOUBLE, FLOAT, INT, SIZE_T, VOID, Float, Pointer, Struct, Type, size_of
from hetad.ir.visit import declared, map_body, map_expr, map_own_exprs, own_nodes, walk_stmts
from hetad.rules import callees, operations
from hetad.rules.callee import Absorbed, Callee, Means, OfCopy, Recorded, Refused, Spelled

_REMEDY = "take hetad.hvp of the program itself, or differentiate its tangent (hetad.jvp) instead"


class Meanings:
    """`body`: of the function; `kernels`: what it launches of hetad's own.  `differentiated`: what has no derivative is
    refused."""

    def __init__(self, program: ir.Program, f: ir.Function, differentiated: bool) -> None:
        self._program, self._differentiated = program, differentiated
        self._names = Names({s.name for s in (*f.params, *declared(f.body))} | set(program.functions))
        self.kernels: dict[str, ir.Function] = {}
        # There is one record: a derivative that has one, and a tape, is not differentiated.
        self._saves = any(operations.does(s, *_SAVES) for s in walk_stmts(f.body))
        self.body = map_body(self._statement, f.body)

    def _statement(self, s: ir.Stmt) -> ir.Stmt | ir.Body | None:
        values = [e for e in own_nodes(s) if isinstance(e, ir.Intrinsic) and operations.named(e.name) is not None]
        before: list[ir.Stmt] = []
        if values:
            s = self._without_values(s, before)
        done = self._call(s) if isinstance(s, ir.Call) else s
        if not before:
            return done
        return (*before, *(done if isinstance(done, tuple) else () if done is None else (done,)))

    # -- statements

    def _call(self, s: ir.Call) -> ir.Stmt | ir.Body | None:
        if s.function in self._program.functions:  # one of the user's may be called as an operation is
            return s
        row = callees.find(s.function)
        if row.kind not in ("support", "shuffle adjoint"):
            return s
        match row.pullback:
            case Refused() if self._differentiated:
                raise self._refusal(row, s.span)
            case Recorded() if self._differentiated and self._saves:
                raise self._refusal(row, s.span)
            case Absorbed():
                return None
            case Means(function=plain):
                return self._renamed(s, plain)
            case Spelled(text=text):
                return self._spelled(s, row, text)
            case OfCopy(by_kind=texts):
                return self._copied(s, row, texts)
        return s

    def _renamed(self, s: ir.Call, plain: str) -> ir.Stmt | ir.Body:
        if operations.does(s, *operations.RUNS):
            return tuple(replace(s, function=plain, args=pair) for pair in _cells(*s.args))
        done = replace(s, function=plain, args=s.args[: len(callees.find(plain).roles)])
        return done if s.result is None or _returns_status(plain) else replace(done, result=None)

    def _spelled(self, s: ir.Call, row: Callee, text: str) -> ir.Body:
        quote = quoted(text)
        held: Mapping[str, Filling] = dict(zip(row.roles, s.args, strict=True))
        places = {f"at_{role}": out_place(a) for role, a in held.items() if isinstance(a, ir.Expr)}
        given: dict[str, Filling] = {**held, **{n: p for n, p in places.items() if p is not None}, "real": _real(row)}
        if s.result is not None:
            given["result"] = s.result
        done = quote(self._names, s.span, **{n: x for n, x in given.items() if n in quote.words})
        if s.result is None or "result" in quote.words:
            return done
        return (*done, *succeeded(s))

    def _refusal(self, row: Callee, span: Span) -> UnsupportedError:
        what = f"a derivative is differentiated once more, and '{row.name}' in it has no derivative"
        return UnsupportedError(what, span, _REMEDY)

    def _copied(self, s: ir.Call, row: Callee, texts: tuple[str, ...]) -> ir.Body:
        """What undoes a copy, between these sides."""
        if "kind" not in row.roles:
            return self._undone(s, row, *texts)
        kind = literal(s.args[row.roles.index("kind")])
        if kind is None or kind not in range(len(texts)):
            what = "a copy without a direction, in a derivative that is differentiated once more"
            raise UnsupportedError(what, s.span, "say with the copy's kind where its ends lie")
        return self._undone(s, row, texts[kind])

    def _undone(self, s: ir.Call, row: Callee, said: str) -> ir.Body:
        """`said`: with which text."""
        roles = dict(zip(row.roles, s.args, strict=True))
        element: Type = _real(row)
        checked: ir.Body = ()
        if (held := structs_copied(s)) is not None:
            element, checked = held, _whole(roles["bytes"], held)
            roles |= {role: bare(roles[role]) for role in ("adj_dst", "adj_src")}
        quote = quoted(said)
        term = ir.Symbol(self._names.fresh("term"), Pointer(element), s.span)
        given: dict[str, Filling] = {**roles, "real": element, "term": term}
        if "add" in quote.words:
            kernel, launch = launched(roles, term if "term" in quote.words else None, element, s.span)
            self.kernels[kernel.name] = kernel
            given["add"] = (launch,)
        text = Scope(self._names, s.span)

        def added() -> ir.Body:
            pointers = roles["adj_src"], ir.Var(term, span=s.span)
            to, from_ = (ir.Index(p, text["k"], element, span=s.span) for p in pointers)
            return add_numbers(self._names, to, from_)

        given["add_numbers"] = added
        return (*checked, *text(quote, **{n: x for n, x in given.items() if n in quote.words}))

    # -- values

    def _without_values(self, s: ir.Stmt, before: list[ir.Stmt]) -> ir.Stmt:
        """The statement, with plain values in it; what has to come first is put `before`."""
        if isinstance(s, ir.Declare) and operations.gives(s.init, operations.take):
            return self._taken(s, s.init.args[0], before)
        return map_own_exprs(lambda e: map_expr(lambda x: self._value(x, before), e), s)

    def _taken(self, s: ir.Declare, pointer: ir.Expr, before: list[ir.Stmt]) -> ir.Stmt:
        """A number that is read and becomes zero, in the place that a pointer leads to or in that which it chooses."""
        place = out_place(pointer)
        if place is not None:
            before.append(replace(s, init=place))
            return ir.Assign(place, zero(place.type, s.span), span=s.span)
        found = ir.Var(ir.Symbol(self._names.fresh("value"), s.symbol.type, s.span), span=s.span)
        before += [ir.Declare(found.symbol, None, span=s.span), *_taken_from_chosen(pointer, found)]
        return replace(s, init=found)

    def _value(self, e: ir.Expr, before: list[ir.Stmt]) -> ir.Expr:
        if not isinstance(e, ir.Intrinsic) or operations.named(e.name) is None:
            return e
        row = callees.find(e.name)
        match row.pullback:
            case Refused() if self._differentiated:
                raise self._refusal(row, e.span)
            case Spelled(text=text):
                return self._in_variable(e, row, text, before)
        if operations.gives(e, operations.now):
            return ir.Cast(e.args[0], e.type, span=e.span)
        return zero(e.type, e.span) if operations.gives(e, operations.was_zero) else e

    def _in_variable(self, e: ir.Intrinsic, row: Callee, text: str, before: list[ir.Stmt]) -> ir.Expr:
        found = ir.Symbol(self._names.fresh("value"), e.type, e.span)
        before.append(ir.Declare(found, None, span=e.span))
        place = ir.Var(found, span=e.span)
        before += self._spelled(ir.Call(e.name, e.args, place, span=e.span), row, text)
        return place


_SAVES = (
    operations.push, operations.save, operations.save_part, operations.save_range, operations.rename,
    operations.rename_part, operations.rename_range, operations.rename_rows, operations.rename_planes,
)  # fmt: skip


@cache
def quoted(text: str) -> Quote:
    """A text of a row, which is read once."""
    return Quote(text)


def _cells(target: ir.Expr, values: ir.Expr, count: ir.Expr) -> Iterator[tuple[ir.Expr, ir.Expr]]:
    """Each cell that a run adds to, and what it adds."""
    assert isinstance(target.type, Pointer) and isinstance(count, ir.Const)
    for k in range(int(count.value)):
        at = ir.Const(k, INT, span=target.span)
        value = ir.Index(values, at, target.type.to, span=target.span)
        yield (binary("+", target, at) if k else target), value


def _taken_from_chosen(pointer: ir.Expr, to: ir.Var) -> ir.Body:
    pointer = bare(pointer)
    if isinstance(pointer, ir.Select):
        then, orelse = _taken_from_chosen(pointer.then, to), _taken_from_chosen(pointer.orelse, to)
        return (ir.If(pointer.cond, then, orelse, span=pointer.span),)
    place = out_place(pointer)
    assert place is not None
    return (
        ir.Assign(to, place, span=pointer.span),
        ir.Assign(place, zero(place.type, pointer.span), span=pointer.span),
    )


def _whole(size: ir.Expr, struct: Struct) -> ir.Body:
    """A check that so many bytes are whole structs."""
    span = size.span
    rest = binary("%", convert(size, SIZE_T), integer(size_of(struct), span, SIZE_T))
    said = c_texts.quoted(
        f"{span}: a copy of part of a struct '{struct}', whose derivative is differentiated once more"
    )
    whole = binary("==", rest, integer(0, span, SIZE_T))
    return (operations.require(whole, ir.String(said, Pointer(CHAR), span=span), span=span),)


def _returns_status(function: str) -> bool:
    return callees.find(function).returns not in (None, VOID)


def _real(row: Callee) -> Float:
    return DOUBLE if row.name.endswith("_double") else FLOAT
