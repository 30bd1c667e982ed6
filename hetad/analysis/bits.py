"""Numbers made of bits: refused where the bits may be those of an active number.

Integers never carry derivatives.  That is wrong only if the bits of a floating number are kept in an integer and made
into a number again, so integers that may hold bits of numbers that depend on `wrt` are followed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hetad.analysis.dataflow import closed
from hetad.analysis.effects import Effects
from hetad.analysis.moved_bits import Varied, bits_copied, copies_integers_to_numbers
from hetad.analysis.pointer_expressions import floating_leaves_of
from hetad.analysis.pointers import Location, Root
from hetad.diagnostics import UnsupportedError, report
from hetad.ir import nodes as ir
from hetad.ir.types import CHAR, UCHAR, Float, Int, Pointer, Struct, scalar_base
from hetad.ir.visit import own_exprs, own_nodes, walk_expr, walk_stmts
from hetad.rules.refused import needs_constant, table


def refuse_bits(host: Varied, launched: Sequence[tuple[ir.Launch, Varied]]) -> None:
    """Raises UnsupportedError at the first number made of bits that may have come from an active number.

    `launched`: what the host function launches, and the kernel of each.  All calls are inlined.
    """
    parts = [host, *(part for _, part in launched)]
    holds = [_holding_bits(host, set())]
    holds += [_holding_bits(part, _given_bits(host, holds[0], s, part.function)) for s, part in launched]
    in_memory = any(isinstance(x, Root) for found in holds for x in found)
    _refuse_seen_as_numbers(host, launched, holds)
    if in_memory:  # whose memory that is, is not asked
        holds = [_holding_bits(p, found | _memory(p.effects)) for p, found in zip(parts, holds, strict=True)]
    for part, found in zip(parts, holds, strict=True):
        for s in walk_stmts(part.function.body):
            if copies_integers_to_numbers(part.effects, s) and not found.isdisjoint(part.effects.reads(s)):
                report(bits_copied(s))
            for e in own_nodes(s):
                if isinstance(e, ir.Intrinsic) and needs_constant(e.name):
                    if _reads_bits(part, e) or not found.isdisjoint(part.effects.loads(e)):
                        report(
                            UnsupportedError(
                                f"'{e.name}' makes a number of bits that may be those of an active one",
                                e.span,
                                "keep the number itself, or give the function a rule with hetad.pullback",
                            )
                        )


def _holding_bits(part: Varied, found: set[Location]) -> set[Location]:
    """Integers of a function, and structs and arrays of them, that may hold the bits of an active number: those in
    `found`, and what is made of them."""
    effects = part.effects

    def made(s: ir.Stmt) -> Iterator[Location]:
        value = s.init if isinstance(s, ir.Declare) else s.value if isinstance(s, ir.Assign | ir.Update) else None
        if value is not None and not isinstance(value.type, Float | Pointer):
            if _reads_bits(part, value) or not found.isdisjoint(effects.loads(value)):
                yield from effects.writes(s)
        elif isinstance(s, ir.Call) and (_reads_bits(part, s) or not found.isdisjoint(effects.reads(s))):
            yield from (x for x in effects.writes(s) if not (isinstance(x, ir.Symbol) and isinstance(x.type, Float)))

    return closed(found, part.function.body, made)


def _refuse_seen_as_numbers(
    host: Varied, launched: Sequence[tuple[ir.Launch, Varied]], holds: Sequence[set[Location]]
) -> None:
    """Raises UnsupportedError where memory that holds bits is seen as integers here and as numbers there."""
    holding: set[Location] = {x for x in holds[0] if isinstance(x, Root)}
    views = _views(host)
    for (s, part), found in zip(launched, holds[1:], strict=True):
        inner = _views(part)
        for param, arg in zip(part.function.params, s.args, strict=True):
            root = part.effects.pointers.parameter_roots.get(param)
            if root is None:
                continue
            for x in host.effects.pointers.targets(arg):
                views.setdefault(x, set()).update(inner.get(root, ()))
                holding |= {x} if root in found else set()
    for s, _ in launched:
        for arg in s.args:
            reached = host.effects.behind(arg) if isinstance(arg.type, Pointer) else ()
            if any(x in holding and len(views.get(x, ())) == 2 for x in reached):
                report(
                    UnsupportedError(
                        "this memory may hold the bits of active numbers, and is seen as numbers too",
                        arg.span,
                        "use one type for it",
                    )
                )


def _views(part: Varied) -> dict[Location, set[str]]:
    """How memory is seen: as numbers, or as integers, alone or in structs without numbers."""
    found: dict[Location, set[str]] = {}
    for s in walk_stmts(part.function.body):
        for e in own_nodes(s):
            if not isinstance(e.type, Pointer):
                continue
            base = scalar_base(e.type.to)
            whole = isinstance(base, Int) or (isinstance(base, Struct) and not floating_leaves_of(base))
            if (isinstance(base, Float) or whole) and base not in (CHAR, UCHAR):
                for x in part.effects.pointers.targets(e):
                    found.setdefault(x, set()).add("integers" if whole else "numbers")
    return found


def _memory(effects: Effects) -> set[Location]:
    return {*effects.pointers.roots(), *effects.pointers.field_roots.values()}


def _given_bits(host: Varied, found: set[Location], s: ir.Launch, kernel: ir.Function) -> set[Location]:
    """The parameters of a kernel that a launch gives such integers by value."""
    given: set[Location] = set()
    for param, arg in zip(kernel.params, s.args, strict=True):
        by_value = not isinstance(param.type, Float | Pointer)
        if by_value and (_reads_bits(host, arg) or not found.isdisjoint(host.effects.loads(arg))):
            given.add(param)
    return given


def _reads_bits(part: Varied, node: ir.Expr | ir.Call) -> bool:
    own = own_exprs(node) if isinstance(node, ir.Call) else (node,)
    found = (e for each in own for e in walk_expr(each) if _is_bits(e))
    return any(not part.locations.isdisjoint(part.effects.loads(e)) for e in found)


def _is_bits(e: ir.Expr) -> bool:
    if isinstance(e, ir.Intrinsic) and e.name in table() and isinstance(e.type, Int):
        return True
    if isinstance(e, ir.Index) and isinstance(e.type, Int) and isinstance(e.base, ir.Cast):
        given = e.base.operand.type
        return isinstance(given, Pointer) and bool(floating_leaves_of(given))
    return False
