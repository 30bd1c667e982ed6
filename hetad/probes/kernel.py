"""A kernel with points in its threads, launched in the place of one launch of the original.

Thread t is looked at if `every` divides t, as row t / every of `rows`; a row has room for `steps` values, in the order
in which the thread comes to them.
"""

from __future__ import annotations

from dataclasses import replace

from hetad.device.tape.storage import thread_position
from hetad.frontend.quote import Quote
from hetad.ir import nodes as ir
from hetad.ir.build import Names, binary, integer, var
from hetad.ir.types import INT, LLONG, Pointer
from hetad.ir.visit import declared, map_body
from hetad.passes.task import Task
from hetad.probes.looks import Look, Parameters, counter
from hetad.probes.points import Points, Probed, Way
from hetad.probes.statements import Statements

_OPENING = Quote("""
    long long at = 0;
    long long end = 0;
    if (thread % every == 0 && thread / every < rows) {
        at = thread / every * steps;
        end = at + steps;
    }
""")
_COUNTED = Quote("if (thread == 0) { counted[0] = threads; }")


def probed_kernel(task: Task, kernel: str, way: Way) -> Probed:
    """The program in which the launch of a kernel that has the number `which`, from 0, has points.

    Own parameters: `which`, `rows`, `steps`, `every`; to record, `numbers`, where the numbers of points are written,
    and `counted`, how many threads the launch has; and the values or nudges.
    """
    points = Points()
    original, entry = task.functions[kernel], task.function
    names = Names({p.name for p in entry.params} | {s.name for s in declared(entry.body)} | set(task.functions))
    added = Parameters(names, entry.span)
    which = added.add("which", INT)
    own = [added.add(name, LLONG) for name in ("rows", "steps", "every")]
    if way == "record":
        own += [added.add("numbers", Pointer(INT)), added.add("counted", Pointer(LLONG))]
    own.append(added.values(way, "thread"))
    made = _with_points(original, names.fresh(f"{kernel}_looked_at"), own, points, way, task)
    seen, opening = counter(names, "launches", entry.span)

    def launched(s: ir.Stmt) -> ir.Stmt | ir.Body:
        if not isinstance(s, ir.Launch) or s.kernel != kernel:
            return s
        looked = replace(s, kernel=made.name, args=(*s.args, *(var(p, s.span) for p in own)))
        here = binary("==", var(seen, s.span), ir.Cast(var(which, s.span), LLONG, implicit=True, span=s.span))
        return (
            ir.If(here, (looked,), (s,), span=s.span),
            ir.Update("+", var(seen, s.span), integer(1, s.span, LLONG), span=s.span),
        )

    body = (opening, *map_body(launched, entry.body))
    functions = {**task.functions, made.name: made, task.entry: replace(
        entry, params=(*entry.params, *added.all), body=body)}  # fmt: skip
    program = ir.Program(functions, task.globals, task.structs, task.sources)
    return Probed(program, task.entry, points, added.names, {})


def _with_points(
    kernel: ir.Function, name: str, given: list[ir.Symbol], points: Points, way: Way, task: Task
) -> ir.Function:  # fmt: skip
    names = Names({p.name for p in kernel.params} | {s.name for s in declared(kernel.body)} | set(task.functions))
    params = [replace(p, name=names.fresh(p.name)) for p in given]
    rows, steps, every, *rest = params
    thread, threads, position = thread_position(names, kernel.span)
    opening: list[ir.Stmt] = []
    if way == "record":
        numbers, counted, values = rest
        opening += _COUNTED(names, kernel.span, thread=thread, threads=threads, counted=counted)
    else:
        (values,) = rest
        numbers = None
    at, end = names.symbol("at", LLONG, kernel.span), names.symbol("end", LLONG, kernel.span)
    opening += _OPENING(names, kernel.span, thread=thread, every=every, rows=rows, steps=steps, at=at, end=end)
    look = Look(way, names, values, at, end, numbers)
    statements = Statements(
        kernel.name, names, points, lambda place, point, span: look.value(place, span, point), task.ruled
    )
    body = (*position, *opening, *statements.body(kernel.body))
    return replace(kernel, name=name, params=(*kernel.params, *params), body=body)
