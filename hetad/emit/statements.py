"""Statements and functions as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hetad.analysis.loop_sums import summed
from hetad.emit import routines
from hetad.emit.declarators import declaration
from hetad.emit.expressions import COMPARISONS, LOGIC, Expressions, converted, usual
from hetad.emit.layout import INDENT
from hetad.emit.walk import mentioned
from hetad.ir import nodes as ir
from hetad.ir import texts
from hetad.ir.arithmetic import bare
from hetad.ir.build import is_one, is_zero
from hetad.ir.places import is_dynamic
from hetad.ir.types import BOOL, DIM3, Array, Float, Int, Pointer, Type, Void, size_of
from hetad.ir.visit import variables, walk_stmts
from hetad.rules import callees
from hetad.rules.routines import routine_of

_UNROLLED = 32  # times at most, where the program asks for all
_STACK = 1 << 16  # bytes of an array that the stack may hold


class Statements:
    """Prints the statements of one function.  Subclasses change what a launch or a return looks like."""

    def __init__(self, expressions: Expressions, function: ir.Function) -> None:
        self.expressions = expressions
        self.function = function
        self.dialect = expressions.dialect
        self.labels = "hetad_step"
        self._steps: list[str | None] = []  # for each loop around: the label of its step, if `continue` must jump there
        self._labelled = 0

    def lines(self, body: ir.Body, depth: int = 1) -> Iterator[str]:
        """`body`, indented."""
        pad = INDENT * depth
        for statement in with_initialisers(body):
            for line in self.statement(statement):
                yield pad + line if line else line

    def statement(self, statement: ir.Stmt | Initialised) -> Iterator[str]:
        match statement:
            case ir.Block(body=body):
                yield from ("{", *self.lines(body), "}")
            case ir.If():
                yield from self.conditional(statement)
            case ir.For():
                yield from self.expressions.before(statement)
                yield from self.counted(statement)
                self.expressions.behind(statement)
            case ir.While(cond=cond, body=body):
                yield from (f"while ({self.expressions.truth(cond)}) {{", *self.loop_body(body, None), "}")
            case ir.DoWhile(body=body, cond=cond):
                yield from ("do {", *self.loop_body(body, None), f"}} while ({self.expressions.truth(cond)});")
            case ir.Switch():
                yield from self.switch(statement)
            case ir.Comment(text=text):
                yield from texts.comment(text)
            case ir.Opaque(texts=pieces, args=args):
                if self.dialect.cuda:
                    between = [p for t, a in zip(pieces, args, strict=False) for p in (t, self.expressions.text(a))]
                    yield "".join([*between, pieces[-1]])
            case ir.Launch():
                yield from self.launch(statement)
            case ir.Return(value=value):
                yield from self.returning(value)
            case ir.Declare(symbol=symbol) if is_dynamic(symbol) and (
                self.expressions.local[symbol] in self.expressions.names.dynamic
            ):
                yield from self._ambiguous_dynamic(symbol)
            case ir.Declare(symbol=symbol, init=None | ir.Aggregate(elements=())) if self._is_large(symbol):
                yield f"static {self.declare(symbol, None)};"
                if statement.init is not None:
                    yield f"memset({self.expressions.local[symbol]}, 0, sizeof {self.expressions.local[symbol]});"
            case ir.Declare(symbol=symbol, init=init) if symbol.storage == "shared" and init is not None:
                yield self.declare(symbol, None) + ";"
                yield self.assign(ir.Var(symbol, span=statement.span), init) + ";"
            case _:
                yield self.simple(statement) + ";"

    def _is_large(self, symbol: ir.Symbol) -> bool:
        """Whether an array of the host has no place on the stack; host functions are not entered twice."""
        is_local = self.function.kind == "host" and symbol.storage == "local" and isinstance(symbol.type, Array)
        return is_local and size_of(symbol.type) > _STACK

    # --- control flow ---

    def conditional(self, statement: ir.If) -> Iterator[str]:
        cond, then, orelse = statement.cond, statement.then, statement.orelse
        if not then and orelse:
            cond = ir.Unary("!", cond, BOOL, span=statement.span)
            then, orelse = orelse, ()
        yield f"if ({self.expressions.truth(cond)}) {{"
        yield from self.lines(then)
        if len(orelse) == 1 and isinstance(orelse[0], ir.If) and (orelse[0].then or not orelse[0].orelse):
            first, *rest = self.conditional(orelse[0])
            yield f"}} else {first}"
            yield from rest
            return
        if orelse:
            yield "} else {"
            yield from self.lines(orelse)
        yield "}"

    def counted(self, loop: ir.For) -> Iterator[str]:
        cond = self.expressions.truth(loop.cond) if loop.cond is not None else ""
        init, step = self._init(loop.init), self._step(loop.step)
        head = f"for ({init or ''}; {cond}; {step or ''}) {{".replace("; ;", ";;").replace("; )", ";)")
        inner = [
            *self._pragma(loop),
            head,
            *(self.loop_body(loop.body, None) if step is not None else self._with_step(loop)),
            "}",
        ]
        if init is None:
            yield from ("{", *self.lines(loop.init), *(INDENT + line for line in inner), "}")
        else:
            yield from inner

    def _pragma(self, loop: ir.For) -> list[str]:
        """What stands in front of a loop: one line at most, as C compilers take it."""
        if self.dialect.cuda:
            return [f"#pragma unroll {loop.unroll}".rstrip()] if loop.unroll is not None else []
        reduction = list(self._reduction(loop))
        asked = self._is_unrolled(loop) and self.function.kind == "kernel"
        return reduction or ([f"#pragma GCC unroll {_UNROLLED}"] if asked else [])

    def _is_unrolled(self, loop: ir.For) -> bool:
        """Whether the program asks for it, of this loop or of the one that it reverses; not of loops around others."""
        asked = loop.unroll == "" or (loop.primal is not None and loop.primal.unroll == "")
        return asked and not any(isinstance(s, ir.For | ir.While | ir.DoWhile) for s in walk_stmts(loop.body))

    def _reduction(self, loop: ir.For) -> Iterator[str]:
        names = [self.expressions.local[x] for x in summed(loop)] if not self.dialect.cuda else []
        if names and all(name.isidentifier() for name in names):
            yield f"#pragma omp simd reduction(+ : {', '.join(names)})"

    def loop_body(self, body: ir.Body, step: str | None) -> list[str]:
        self._steps.append(step)
        lines = list(self.lines(body))
        self._steps.pop()
        return lines

    def _with_step(self, loop: ir.For) -> Iterator[str]:
        """A body with the step at its end, to which `continue` jumps."""
        if not any(isinstance(s, ir.Continue) for s in walk_stmts(loop.body)):
            yield from self.loop_body(loop.body, None)
        else:
            self._labelled += 1
            label = f"{self.labels}_{self._labelled}"
            body = self.loop_body(loop.body, label)
            yield from (INDENT + "{", *(INDENT + line for line in body), INDENT + "}", f"{INDENT}{label}:;")
        yield from self.lines(loop.step)

    def _init(self, init: ir.Body) -> str | None:
        """What stands first in the head of a `for`; None if it does not fit there."""
        declared = [s for s in init if isinstance(s, ir.Declare)]
        if not declared:
            return self._step(init)
        types = {declaration(s.symbol.type, "") for s in declared}
        scalars = all(isinstance(s.symbol.type, Int | Float) and s.init is not None for s in declared)
        if len(declared) == len(init) and (len(init) == 1 or (len(types) == 1 and scalars)):
            texts = [self.simple(s) for s in declared]
            if all(s.symbol.storage == "local" and not isinstance(s.init, ir.Aggregate) for s in declared):
                prefix = declaration(declared[0].symbol.type, "") + " "
                return ", ".join([texts[0], *(t.removeprefix("const ").removeprefix(prefix) for t in texts[1:])])
        return None

    def _step(self, step: ir.Body) -> str | None:
        if not all(isinstance(s, ir.Assign | ir.Update) for s in step):
            return None
        return ", ".join(self.simple(s) for s in step)

    def switch(self, statement: ir.Switch) -> Iterator[str]:
        yield f"switch ({self.expressions.converted(statement.subject, statement.subject.type)}) {{"
        for case in statement.cases:
            labels = [f"case {self.expressions.converted(v, v.type)}:" for v in case.values]
            labels += ["default:"] * case.default
            scoped = any(isinstance(s, ir.Declare) for s in case.body)
            yield from labels[:-1]
            yield labels[-1] + (" {" if scoped else "")
            yield from self.lines(case.body)
            if scoped:
                yield "}"
        yield "}"

    def returning(self, value: ir.Expr | None) -> Iterator[str]:
        yield f"return {self.expressions.converted(value, self.function.returns)};" if value is not None else "return;"

    # --- simple statements ---

    def simple(self, statement: ir.Stmt | Initialised) -> str:
        """A statement without others inside, without its semicolon."""
        match statement:
            case ir.Declare(symbol=symbol, init=init):
                return self.declare(symbol, init)
            case Initialised(symbol=symbol, call=call):
                return f"{self._declarator(symbol, True)} = {self.result_of(call, symbol.type)}"
            case ir.Assign(target=target, value=value):
                return self.assign(target, value)
            case ir.Update(op=op, target=target, value=value):
                return self.update(op, target, value)
            case ir.Call(result=None):
                return self.expressions.call(statement.function, statement.args)
            case ir.Call(result=result):
                assert result is not None
                return self.store(result, self.result_of(statement, result.type))
            case ir.Break():
                return "break"
            case ir.Continue():
                return f"goto {self._steps[-1]}" if self._steps and self._steps[-1] else "continue"
        raise TypeError(f"{type(statement).__name__} cannot be emitted")

    def result_of(self, call: ir.Call, target: Type) -> str:
        text = self.expressions.call(call.function, call.args)
        typed = isinstance(target, Pointer) and not isinstance(target.to, Void)
        if typed and self._returns_void_pointer(call.function):
            return f"({declaration(target)}){text}"
        return text

    def _returns_void_pointer(self, function: str) -> bool:
        returns = callees.find(function).returns
        return isinstance(returns, Pointer) and isinstance(returns.to, Void)

    def _declarator(self, symbol: ir.Symbol, initialised: bool) -> str:
        local = self.expressions.local
        const = symbol.const and initialised and symbol not in local.written
        text = declaration(symbol.type, local[symbol], const, restrict=self.dialect.cuda)
        if is_dynamic(symbol):  # aligned for any type: it may be carved up, and static shared memory may lie before it
            return f"extern __shared__ __align__(16) {text}"
        if self.dialect.cuda and isinstance(symbol.type, Array) and local.is_viewed(symbol.type):
            text = "__align__(16) " + text
        if symbol.storage == "shared":
            return "__shared__ " + text
        return "static " + text if symbol.storage == "static" else text

    def _ambiguous_dynamic(self, symbol: ir.Symbol) -> Iterator[str]:
        """A dynamic shared array whose name stands for another type elsewhere in the file."""
        assert isinstance(symbol.type, Array)
        pointer = Pointer(symbol.type.of)
        yield "extern __shared__ __align__(16) unsigned char hetad_dynamic[];"
        name = declaration(pointer, self.expressions.local[symbol], const=True)
        yield f"{name} = ({declaration(pointer)})hetad_dynamic;"

    def declare(self, symbol: ir.Symbol, init: ir.Expr | None) -> str:
        text = self._declarator(symbol, init is not None)
        if init is None:
            return text
        if isinstance(init, ir.Aggregate):
            if symbol.type == DIM3 and self.dialect.cuda:
                return text + (self.expressions.dim3_elements(init) if init.elements else "")  # no function: x();
            if symbol.type != DIM3:
                return f"{text} = {self.expressions.aggregate(init)}"
        return f"{text} = {self.expressions.converted(init, symbol.type)}"

    def assign(self, target: ir.Place, value: ir.Expr) -> str:
        inner = converted(value, target.type, self.dialect)
        if isinstance(inner, ir.Binary) and inner.op not in COMPARISONS | LOGIC:
            compound = self._compound(target, inner)
            if compound is not None:
                return compound
        return self.store(target, self.expressions.converted(value, target.type))

    def store(self, target: ir.Place, value: str) -> str:
        return f"{self.expressions.place(target)} = {value}"

    def _compound(self, target: ir.Place, value: ir.Binary) -> str | None:
        """`x *= y` for `x = x * y`, when both compute in the same type."""
        left = converted(value.left, value.left.type, self.dialect)
        if left != target:
            return None
        if isinstance(target.type, Pointer):
            return self.update(value.op, target, value.right) if isinstance(value.right.type, Int) else None
        if not isinstance(target.type, Int | Float) or usual(target.type, value.right.type) != usual(
            value.left.type, value.right.type
        ):
            return None
        return self.update(value.op, target, value.right)

    def update(self, op: str, target: ir.Place, value: ir.Expr) -> str:
        if op in "+-" and isinstance(value, ir.Const) and value.value == 1 and not isinstance(target.type, Float):
            return f"{op}{op}{self.expressions.place(target, 14)}"
        return f"{self.expressions.place(target)} {op}= {self.operand(target, value)}"

    def operand(self, target: ir.Place, value: ir.Expr) -> str:
        """What stands behind the `+=` of an update."""
        if isinstance(target.type, Pointer):
            return self.expressions.index(value)
        plain = converted(value, value.type, self.dialect)
        if usual(target.type, plain.type) != usual(target.type, value.type):
            plain = value
        return self.expressions.text(plain)

    # --- launches ---

    def launch(self, launch: ir.Launch) -> Iterator[str]:
        e = self.expressions
        routine = routine_of(launch.kernel, launch.span)
        if routine is not None:
            yield from routines.call(e, launch, routine)
            return
        options = [self.extent(launch.grid), self.extent(launch.block)]
        shared, stream = launch.shared, launch.stream
        if not _is_default(stream):
            assert stream is not None
            options += [e.index(shared) if shared is not None else "0", e.converted(stream, stream.type)]
        elif not _is_default(shared):
            assert shared is not None
            options.append(e.index(shared))
        types = e.names.parameters[launch.kernel]
        args = ", ".join(e.converted(a, t) for a, t in zip(launch.args, types, strict=True))
        yield f"{e.names.functions[launch.kernel]}<<<{', '.join(options)}>>>({args});"

    def extent(self, expr: ir.Expr) -> str:
        """The size of a grid or block: `dim3(n)` is written `n`."""
        if isinstance(expr, ir.Aggregate) and all(_is_one(e) for e in expr.elements[1:]) and expr.elements:
            expr = expr.elements[0]
        while isinstance(expr, ir.Cast) and expr.implicit and expr.type == DIM3:
            expr = expr.operand
        return self.expressions.index(expr) if isinstance(expr.type, Int) else self.expressions.text(expr)


class Initialised:
    """A declaration joined with the call that gives the variable its first value."""

    __match_args__ = ("symbol", "call")

    def __init__(self, symbol: ir.Symbol, call: ir.Call) -> None:
        self.symbol = symbol
        self.call = call


def with_initialisers(body: ir.Body) -> Iterator[ir.Stmt | Initialised]:
    """`body` with each plain declaration moved down to the assignment that first mentions its variable."""
    waiting = {s.symbol: s for s in body if isinstance(s, ir.Declare) and s.init is None and _can_wait(s.symbol)}
    if not waiting:
        yield from body
        return
    first: dict[int, ir.Declare] = {}
    pending = dict(waiting)
    joined: set[ir.Symbol] = set()
    for position, statement in enumerate(body):
        if not pending:
            break
        if isinstance(statement, ir.Declare) and statement.symbol in pending and statement.init is None:
            continue
        used = mentioned(statement) & pending.keys()
        for symbol in used:
            declare = pending.pop(symbol)
            if _gives_first_value(statement, symbol):
                first[position] = declare
                joined.add(symbol)
    for position, statement in enumerate(body):
        if position in first:
            symbol = first[position].symbol
            if isinstance(statement, ir.Assign):
                yield replace(first[position], init=statement.value)
            elif isinstance(statement, ir.Call):
                yield Initialised(symbol, statement)
        elif not (isinstance(statement, ir.Declare) and statement.symbol in joined and statement.init is None):
            yield statement


def _can_wait(symbol: ir.Symbol) -> bool:
    return symbol.storage == "local" and not isinstance(symbol.type, Array)


def _gives_first_value(statement: ir.Stmt, symbol: ir.Symbol) -> bool:
    match statement:
        case ir.Assign(target=ir.Var(symbol=target), value=value):
            return target is symbol and symbol not in set(variables(value))
        case ir.Call(result=ir.Var(symbol=target), args=args):
            return target is symbol and all(symbol not in set(variables(a)) for a in args)
    return False


def _is_default(expr: ir.Expr | None) -> bool:
    return expr is None or is_zero(bare(expr))


def _is_one(expr: ir.Expr) -> bool:
    return is_one(bare(expr))
