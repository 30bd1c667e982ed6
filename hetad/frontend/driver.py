"""A whole program as a function: `main()` with inputs and an objective that are named by variables.

`main(argc, argv)` becomes a function of the inputs, whose value is the objective:

    double main(double alpha) { ... double alpha_1 = alpha; ... return loss; }
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hetad.diagnostics import ArgumentError, Span, UnsupportedError
from hetad.frontend.fresh_start import with_first_values
from hetad.ir import nodes as ir
from hetad.ir import texts
from hetad.ir.build import binary
from hetad.ir.names import called
from hetad.ir.places import exposed, written
from hetad.ir.types import CHAR, SIZE_T, UINT, VOID, Array, Float, Int, Pointer, Type, innermost, scalar_base, size_of
from hetad.ir.visit import bodies, map_body, map_exprs, walk_exprs, walk_stmts

_RANDOM = {"rand", "random"}  # which share their state


@dataclass(frozen=True, slots=True)
class Driver:
    """Which function of a program to take as a whole, and how; `argv` without the program's own name."""

    function: str
    inputs: tuple[str, ...]
    output: str | None
    argv: tuple[str, ...] = ()

    def of(self, program: ir.Program) -> ir.Program:
        """The program in which the function is one of its inputs.

        Raises:
            ArgumentError: a name means nothing, or no number.
            UnsupportedError: a variable is set in a way that cannot be replaced.
        """
        made = _Driven(program, self)
        return replace(program, functions=made.functions(), globals=(*program.globals, *made.globals))


class _Driven:
    def __init__(self, program: ir.Program, driver: Driver) -> None:
        self.program = program
        self.driver = driver
        self.helpers: dict[str, ir.Function] = {}
        self.globals: list[ir.Global] = []
        self.function = _ended(self._with_arguments(program.functions[driver.function]))
        if driver.function == "main" and _RANDOM & _called(program):
            self.function = _with_first_numbers(self.function)
        for name in driver.inputs:
            self.function = self._with_input(self.function, name)
        if driver.output is not None:
            self.function = self._with_output(self.function, driver.output)
        if driver.function == "main":
            whole = replace(program, globals=(*program.globals, *self.globals), functions=self.functions())
            self.function, values = with_first_values(whole, self.function)
            self.globals += values

    def functions(self) -> dict[str, ir.Function]:
        """Those of the program, as far as they are made."""
        return {**self.program.functions, **self.helpers, self.driver.function: self.function}

    # -- argc and argv

    def _with_arguments(self, function: ir.Function) -> ir.Function:
        """Without the parameters of `main`: they are known."""
        if function.name != "main" or len(function.params) < 2:
            return replace(function, params=()) if function.name == "main" else function
        count, texts = function.params[:2]
        given = (self.driver.function, *self.driver.argv)

        def known(e: ir.Expr) -> ir.Expr:
            match e:
                case ir.Var(symbol=symbol) if symbol is count:
                    return ir.Const(len(given), count.type, str(len(given)), span=e.span)
                case ir.Index(base=ir.Var(symbol=symbol), index=ir.Const(value=int() as i)) if symbol is texts:
                    return _text(given[i], e.type, e.span) if i < len(given) else ir.Const(0, e.type, "0", span=e.span)
                case ir.Index(base=ir.Var(symbol=symbol), index=index) if symbol is texts:
                    return _text_at(given, index, e)
            return e

        body = map_exprs(known, function.body)
        if any(isinstance(e, ir.Var) and e.symbol is texts for e in walk_exprs(body)) or count in written(
            function.body
        ):
            body = _with_variables(function.body, count, texts, given)
        return replace(function, params=(), body=body)

    # -- inputs

    def _with_input(self, function: ir.Function, name: str) -> ir.Function:
        symbol = self._variable(function, name)
        type_, span = symbol.type, symbol.span
        numbers = type_ if isinstance(type_, Float | Int) else Pointer(scalar_base(type_), const=True)
        if not isinstance(scalar_base(type_), Float | Int) or _holds_pointer(type_):
            raise ArgumentError(f"'{name}' is no number and no array of numbers, but of type {type_} ({span})")
        param = ir.Symbol(name, numbers, span, "param")
        value = ir.Var(param, span=span)
        if symbol.storage != "local":
            body = (self._given(symbol, value, span), *function.body)
            return replace(function, params=(*function.params, param), body=body)
        set_later = _only_assignment(function.body, symbol)

        def given(s: ir.Stmt) -> ir.Stmt | ir.Body:
            if set_later is not None and s is set_later:
                return set_later, self._given(symbol, value, s.span)
            if not (isinstance(s, ir.Declare) and s.symbol is symbol):
                return s
            if isinstance(type_, Array):
                return replace(s, init=None), self._given(symbol, value, s.span)
            if s.init is None and set_later is None:
                raise UnsupportedError(
                    f"'{name}' has no value where it is declared, and is not set in one place alone", s.span,
                    "declare it with the value to be replaced",
                )  # fmt: skip
            return replace(s, init=value) if s.init is not None else s

        body = map_body(given, function.body)
        return replace(function, params=(*function.params, param), body=body)

    def _given(self, symbol: ir.Symbol, value: ir.Expr, span: Span) -> ir.Stmt:
        place = ir.Var(symbol, span=span)
        if not isinstance(symbol.type, Array):
            return ir.Assign(place, value, span=span)
        size = ir.Const(size_of(symbol.type), SIZE_T, span=span)
        into = ir.Cast(place, Pointer(VOID), implicit=True, span=span)
        from_ = ir.Cast(value, Pointer(VOID, const=True), implicit=True, span=span)
        return ir.Call("memcpy", (into, from_, size), span=span)

    # -- the objective

    def _with_output(self, function: ir.Function, name: str) -> ir.Function:
        helper = self.program.functions.get(name)
        if helper is not None:
            symbol = self._kept_result(helper)
        else:
            symbol = self._variable(function, name)
        if not isinstance(symbol.type, Float):
            raise ArgumentError(f"the objective '{name}' is no floating number, but of type {symbol.type}")
        lead: ir.Body = ()
        body = function.body
        if symbol.storage == "local":  # it may be declared in a branch; a program that stops before has no objective
            nothing = ir.Const(math.nan, symbol.type, span=symbol.span)
            lead = (ir.Declare(symbol, nothing, span=symbol.span),)

            def assigned(s: ir.Stmt) -> ir.Stmt | None:
                if not (isinstance(s, ir.Declare) and s.symbol is symbol):
                    return s
                return ir.Assign(ir.Var(symbol, span=s.span), s.init, span=s.span) if s.init is not None else None

            body = map_body(assigned, body)

        def returned(s: ir.Stmt) -> ir.Stmt:
            return ir.Return(ir.Var(symbol, span=s.span), span=s.span) if isinstance(s, ir.Return) else s

        body = (*lead, *map_body(returned, body))
        if not isinstance(body[-1], ir.Return):
            body = (*body, ir.Return(ir.Var(symbol, span=function.span), span=function.span))
        return replace(function, body=body, returns=symbol.type)

    def _kept_result(self, helper: ir.Function) -> ir.Symbol:
        """The variable that keeps what a function returned last."""
        symbol = ir.Symbol(f"{helper.name}_result", helper.returns, helper.span, "global")
        if helper.kind != "host" or not isinstance(helper.returns, Float):
            raise ArgumentError(f"'{helper.name}' is no host function that returns a floating number")
        self.globals.append(ir.Global(symbol, ir.Const(math.nan, symbol.type, span=helper.span), False, helper.span))

        def kept(s: ir.Stmt) -> ir.Stmt | ir.Body:
            if not isinstance(s, ir.Return) or s.value is None:
                return s
            place = ir.Var(symbol, span=s.span)
            return ir.Assign(place, s.value, span=s.span), replace(s, value=place)

        self.helpers[helper.name] = replace(helper, body=map_body(kept, helper.body))
        return symbol

    # -- names

    def _variable(self, function: ir.Function, name: str) -> ir.Symbol:
        """The variable of that name: of the function, or else of the host at file scope."""
        own = [s.symbol for s in walk_stmts(function.body) if isinstance(s, ir.Declare) and s.symbol.name == name]
        if len(own) > 1:  # some hold what the text does not name
            own = [s for s in own if self._is_named(s)] or own
        if len(own) > 1:
            places = " and ".join(str(s.span) for s in own)
            raise ArgumentError(f"there are several variables '{name}' in {function.name}: {places}")
        outer = [g.symbol for g in self.program.globals if g.symbol.name == name and not g.device]
        if own or outer:
            return (own or outer)[0]
        names = sorted(set(self._names(function)))
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.5) or names
        raise ArgumentError(f"{function.name} has no variable '{name}'\n  help: there is {', '.join(near)}")

    def _is_named(self, symbol: ir.Symbol) -> bool:
        """Whether the variable's name stands where it is declared."""
        lines = self.program.sources.get(symbol.span.file, "").splitlines()
        line = lines[symbol.span.line - 1] if symbol.span.line <= len(lines) else ""
        return line[symbol.span.column - 1 :].startswith(symbol.name)

    def _names(self, function: ir.Function) -> Iterator[str]:
        yield from (s.symbol.name for s in walk_stmts(function.body) if isinstance(s, ir.Declare))
        yield from (g.symbol.name for g in self.program.globals if not g.device)


def _called(program: ir.Program) -> set[str]:
    """What a program's functions call."""
    return {name for f in program.functions.values() for name in called(f.body)}


def _ended(function: ir.Function) -> ir.Function:
    """`exit` in `main` ends it as `return` does, but with a constant that says failure: then there is no objective."""

    def ended(s: ir.Stmt) -> ir.Stmt:
        if function.name != "main" or not (isinstance(s, ir.Call) and s.function == "exit"):
            return s
        (status,) = s.args
        return s if isinstance(status, ir.Const) and status.value else ir.Return(status, span=s.span)

    return replace(function, body=map_body(ended, function.body))


def _with_first_numbers(function: ir.Function) -> ir.Function:
    """A program starts with the numbers of srand(1), each time it runs."""
    one = ir.Const(1, UINT, "1", span=function.span)
    return replace(function, body=(ir.Call("srand", (one,), span=function.span), *function.body))


def _only_assignment(body: ir.Body, symbol: ir.Symbol) -> ir.Stmt | None:
    """The statement that sets a number which is declared without a value, if nothing else does."""
    setting = [s for s in walk_stmts(body) if not bodies(s) and symbol in written((s,))]
    declared = any(isinstance(s, ir.Declare) and s.symbol is symbol and s.init is not None for s in walk_stmts(body))
    return setting[0] if len(setting) == 1 and not declared and symbol not in exposed(body) else None


def _with_variables(body: ir.Body, count: ir.Symbol, vector: ir.Symbol, given: Sequence[str]) -> ir.Body:
    """The command line in variables, for a program that passes it on, or moves along it."""
    span, held = vector.span, Pointer(CHAR)
    array = ir.Symbol(f"{vector.name}_texts", Array(held, len(given) + 1), span)
    own_count, own_texts = ir.Symbol(count.name, count.type, count.span), ir.Symbol(vector.name, Pointer(held), span)
    values = (*(_text(t, held, span) for t in given), ir.Const(0, held, "0", span=span))
    first = ir.Cast(ir.Var(array, span=span), own_texts.type, implicit=True, span=span)

    def own(e: ir.Expr) -> ir.Expr:
        if isinstance(e, ir.Var) and e.symbol in (count, vector):
            return replace(e, symbol=own_count if e.symbol is count else own_texts)
        return e

    return (
        ir.Declare(array, ir.Aggregate(values, array.type, span=span), span=span),
        ir.Declare(own_texts, first, span=span),
        ir.Declare(own_count, ir.Const(len(given), count.type, str(len(given)), span=span), span=span),
        *map_exprs(own, body),
    )


def _text_at(given: Sequence[str], index: ir.Expr, e: ir.Expr) -> ir.Expr:
    """The text with that number, null after the last."""
    held = Pointer(CHAR, const=True)
    chosen: ir.Expr = ir.Const(0, held, "0", span=e.span)
    for i, text in reversed(list(enumerate(given))):
        here = binary("==", index, ir.Const(i, index.type, str(i), span=e.span))
        chosen = ir.Select(here, _text(text, held, e.span), chosen, held, span=e.span)
    return ir.Cast(chosen, e.type, span=e.span)


def _text(text: str, type_: Type, span: Span) -> ir.Expr:
    literal = texts.quoted(text)
    array = Array(CHAR, len(texts.octets(literal)) + 1)
    return ir.Cast(ir.String(literal, array, span=span), type_, implicit=True, span=span)


def _holds_pointer(type_: Type) -> bool:
    return isinstance(innermost(type_), Pointer)


def driver(function: str, inputs: Sequence[str], output: str | None, argv: Sequence[object]) -> Driver:
    return Driver(function, tuple(inputs), output, tuple(str(text) for text in argv))
