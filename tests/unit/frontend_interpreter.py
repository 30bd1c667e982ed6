"""Runs host functions of the IR, lowered or normalised, one statement at a time: the tests' meaning of the IR."""

from __future__ import annotations

import copy
import math
import struct
from typing import Any

from hetad.ir.nodes import (
    AddressOf,
    Aggregate,
    Assign,
    Binary,
    Block,
    Break,
    Call,
    CallExpr,
    Cast,
    Const,
    Continue,
    Declare,
    DoWhile,
    Expr,
    For,
    If,
    Index,
    Intrinsic,
    Member,
    Program,
    Return,
    Select,
    Stmt,
    String,
    Switch,
    Unary,
    Update,
    Var,
    While,
)
from hetad.ir.types import BOOL, Array, Float, Int, Pointer, Struct, Type, element, size_of


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


class _Return(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class Address:
    """A pointer: a Python list or dict and a key; arithmetic only in lists."""

    def __init__(self, container: Any, key: Any) -> None:
        self.container, self.key = container, key

    def __deepcopy__(self, memo: dict[int, Any]) -> Address:
        return self

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, n: int) -> Address:
        return Address(self.container, self.key + n) if n else self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Address) and self.container is other.container and self.key == other.key


def to_type(value: Any, type_: Type) -> Any:
    if isinstance(type_, Int) and not isinstance(value, Address):
        if type_ == BOOL:
            return int(bool(value))
        value = int(value) & ((1 << type_.bits) - 1)
        return value - (1 << type_.bits) if type_.signed and value >> (type_.bits - 1) else value
    if isinstance(type_, Float):
        if type_.bits == 64:
            return float(value)
        try:
            return struct.unpack("f", struct.pack("f", float(value)))[0]
        except OverflowError:
            return math.copysign(math.inf, value)
    return value


class Interpreter:
    def __init__(self, program: Program, limit: int = 100_000) -> None:
        self.program = program
        self.steps = limit

    def call(self, name: str, *args: Any) -> Any:
        function = self.program.functions[name]
        env: dict[Any, list[Any]] = {}
        for g in self.program.globals:
            env[g.symbol] = [self.value(g.init, env) if g.init is not None else self.blank(g.symbol.type)]
        for p, a in zip(function.params, args, strict=True):
            env[p] = [copy.deepcopy(a) if isinstance(p.type, Struct) else to_type(a, p.type)]
        try:
            self.body(function.body, env)
        except _Return as result:
            return result.value
        return None

    def blank(self, type_: Type) -> Any:
        match type_:
            case Array(of=of, length=length):
                return [self.blank(of) for _ in range(length or 0)]
            case Struct(fields=fields):
                return {f.name: self.blank(f.type) for f in fields}
        return 0

    # --- statements ----------------------------------------------------------------------------

    def body(self, body: tuple[Stmt, ...], env: dict[Any, list[Any]]) -> None:
        for stmt in body:
            self.statement(stmt, env)

    def statement(self, stmt: Stmt, env: dict[Any, list[Any]]) -> None:
        self.steps -= 1
        assert self.steps > 0, "the program does not end"
        match stmt:
            case Declare(symbol=symbol, init=init):
                env[symbol] = [self.blank(symbol.type) if init is None else copy.deepcopy(self.value(init, env))]
            case Assign(target=target, value=value):
                result = self.value(value, env)
                container, key = self.place(target, env)
                container[key] = copy.deepcopy(result) if isinstance(target.type, Struct) else result
            case Update(op=op, target=target, value=value):
                container, key = self.place(target, env)
                new = self.operate(op, container[key], self.value(value, env), target.type)
                container[key] = to_type(new, target.type)
            case Call(function="free"):
                pass
            case Call(function="malloc" | "calloc", args=args, result=result) if result is not None:
                size = math.prod(self.value(a, env) for a in args)
                of = element(result.type)
                container, key = self.place(result, env)
                container[key] = Address([self.blank(of) for _ in range(size // size_of(of))], 0)
            case Call(function=function, args=args, result=result):
                returned = self.call(function, *(self.value(a, env) for a in args))
                if result is not None:
                    container, key = self.place(result, env)
                    container[key] = returned
            case Block(body=body):
                self.body(body, env)
            case If(cond=cond, then=then, orelse=orelse):
                self.body(then if self.value(cond, env) else orelse, env)
            case For():
                self.loop(stmt, env)
            case While(cond=cond, body=body):
                while self.value(cond, env):
                    if not self.turn(body, env):
                        break
            case DoWhile(body=body, cond=cond):
                while self.turn(body, env) and self.value(cond, env):
                    pass
            case Switch():
                self.switch(stmt, env)
            case Break():
                raise _Break
            case Continue():
                raise _Continue
            case Return(value=value):
                raise _Return(None if value is None else copy.deepcopy(self.value(value, env)))
            case _:
                raise AssertionError(f"cannot run {type(stmt).__name__}")

    def turn(self, body: tuple[Stmt, ...], env: dict[Any, list[Any]]) -> bool:
        self.steps -= 1
        assert self.steps > 0, "the program does not end"
        try:
            self.body(body, env)
        except _Break:
            return False
        except _Continue:
            pass
        return True

    def loop(self, stmt: For, env: dict[Any, list[Any]]) -> None:
        self.body(stmt.init, env)
        while stmt.cond is None or self.value(stmt.cond, env):
            if not self.turn(stmt.body, env):
                break
            self.body(stmt.step, env)

    def switch(self, stmt: Switch, env: dict[Any, list[Any]]) -> None:
        subject = self.value(stmt.subject, env)
        start = next(
            (i for i, c in enumerate(stmt.cases) if any(self.value(v, env) == subject for v in c.values)), None
        )
        if start is None:
            start = next((i for i, c in enumerate(stmt.cases) if c.default), len(stmt.cases))
        try:
            for case in stmt.cases[start:]:
                self.body(case.body, env)
        except _Break:
            pass

    # --- expressions ---------------------------------------------------------------------------

    def place(self, expr: Expr, env: dict[Any, list[Any]]) -> tuple[Any, Any]:
        match expr:
            case Var(symbol=symbol):
                return env[symbol], 0
            case Index(base=base, index=index):
                n = self.value(index, env)
                if isinstance(base.type, Array):
                    container, key = self.place(base, env)
                    return container[key], n
                address = self.value(base, env)
                if isinstance(base.type, Pointer) and isinstance(address.container, dict):
                    assert n == 0
                    return address.container, address.key
                return address.container, address.key + n
            case Member(base=base, name=name):
                if isinstance(base, Var | Index | Member):
                    container, key = self.place(base, env)
                    return container[key], name
                return self.value(base, env), name
        raise AssertionError(f"{type(expr).__name__} is no place")

    def value(self, expr: Expr, env: dict[Any, list[Any]]) -> Any:
        match expr:
            case Const(value=value, type=type_):
                return to_type(value, type_)
            case String(text=text):
                return text
            case Var() | Index() | Member():
                container, key = self.place(expr, env)
                return container[key]
            case AddressOf(place=place):
                return Address(*self.place(place, env))
            case Unary(op=op, operand=operand, type=type_):
                value = self.value(operand, env)
                return to_type({"-": lambda: -value, "!": lambda: not value, "~": lambda: ~value}[op](), type_)
            case Binary(op="&&", left=left, right=right):
                return int(bool(self.value(left, env)) and bool(self.value(right, env)))
            case Binary(op="||", left=left, right=right):
                return int(bool(self.value(left, env)) or bool(self.value(right, env)))
            case Binary(op=op, left=left, right=right, type=type_):
                return self.operate(op, self.value(left, env), self.value(right, env), type_)
            case Select(cond=cond, then=then, orelse=orelse):
                return self.value(then if self.value(cond, env) else orelse, env)
            case Cast(operand=operand, type=type_):
                if isinstance(operand.type, Array):
                    container, key = self.place(operand, env)
                    return Address(container[key], 0)
                return to_type(self.value(operand, env), type_)
            case CallExpr(function=function, args=args):
                return self.call(function, *(self.value(a, env) for a in args))
            case Intrinsic(name=name, args=args, type=type_):
                return to_type(_mathematics(name)(*(self.value(a, env) for a in args)), type_)
            case Aggregate(elements=elements, type=type_):
                return self.aggregate(elements, type_, env)
        raise AssertionError(f"cannot evaluate {type(expr).__name__}")

    def aggregate(self, elements: tuple[Expr, ...], type_: Type, env: dict[Any, list[Any]]) -> Any:
        result = self.blank(type_)
        keys = [f.name for f in type_.fields] if isinstance(type_, Struct) else range(len(result))
        for key, part in zip(keys, elements, strict=False):
            result[key] = copy.deepcopy(self.value(part, env))
        return result

    def operate(self, op: str, a: Any, b: Any, type_: Type) -> Any:
        match op:
            case "+":
                result = a + b
            case "-":
                same = isinstance(a, Address) and isinstance(b, Address)
                result = a.key - b.key if same else a + -b if isinstance(a, Address) else a - b
            case "*":
                result = a * b
            case "/":
                if isinstance(type_, Float):
                    result = (
                        a / b
                        if b
                        else math.nan
                        if a == 0 or a != a
                        else math.copysign(math.inf, a) * math.copysign(1, b)
                    )
                else:
                    result = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            case "%":
                result = abs(a) % abs(b) * (-1 if a < 0 else 1)
            case "<<":
                result = a << b
            case ">>":
                result = a >> b
            case "&":
                result = a & b
            case "|":
                result = a | b
            case "^":
                result = a ^ b
            case _:
                key = isinstance(a, Address) and isinstance(b, Address) and op not in ("==", "!=")
                x, y = (a.key, b.key) if key else (a, b)
                result = {
                    "<": lambda: x < y, "<=": lambda: x <= y, ">": lambda: x > y, ">=": lambda: x >= y,
                    "==": lambda: x == y, "!=": lambda: x != y,
                }[op]()  # fmt: skip
        return to_type(result, type_)


def _mathematics(name: str) -> Any:
    plain = name.removesuffix("f") if name not in ("erf",) else name
    return {"fabs": abs, "fmax": max, "fmin": min, "max": max, "min": min, "abs": abs}.get(plain) or getattr(
        math, plain
    )
