"""The IR as text, for `--emit ir` and for debugging.  It reads like C; implicit conversions show as `float(x)`."""

from __future__ import annotations

from collections.abc import Iterator

from hetad.ir.nodes import (
    AddressOf,
    Aggregate,
    Assign,
    Binary,
    Block,
    Body,
    Break,
    Call,
    CallExpr,
    Cast,
    Comment,
    Const,
    Continue,
    Declare,
    DoWhile,
    Expr,
    For,
    Function,
    Global,
    If,
    Index,
    Intrinsic,
    Launch,
    Member,
    Opaque,
    Pop,
    Program,
    Push,
    Return,
    Select,
    Stmt,
    String,
    Switch,
    Symbol,
    ThreadIndex,
    Unary,
    Update,
    Var,
    While,
)
from hetad.ir.types import Array, Pointer, Struct, Type, is_volatile

_PRECEDENCE = {
    "*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<": 7, "<=": 7, ">": 7, ">=": 7,
    "==": 6, "!=": 6, "&": 5, "^": 4, "|": 3, "&&": 2, "||": 1,
}  # fmt: skip
_UNARY, _POSTFIX, _SELECT = 11, 12, 0


def program_text(program: Program) -> str:
    """The whole program."""
    parts = [f"struct {s.name} {{ {_fields(s)} }}" for s in program.structs if isinstance(s, Struct)]
    parts += [global_text(g) for g in program.globals]
    parts += [function_text(f) for f in program.functions.values()]
    return "\n\n".join(parts) + "\n"


def function_text(function: Function) -> str:
    params = ", ".join(declarator(p.type, p.name) for p in function.params)
    bounds = f" launch_bounds({function.launch_bounds})" if function.launch_bounds else ""
    head = f"{function.kind}{bounds} {declarator(function.returns, function.name)}({params})"
    lines = [head, "{", *body_lines(function.body, 1), "}"]
    if function.comment:
        lines = [f"// {line}" for line in function.comment.splitlines()] + lines
    return "\n".join(lines)


def global_text(variable: Global) -> str:
    space = "device " if variable.device else ""
    init = f" = {expr_text(variable.init)}" if variable.init is not None else ""
    return f"{variable.symbol.storage} {space}{declaration(variable.symbol)}{init};"


def body_text(body: Body, indent: int = 0) -> str:
    return "\n".join(body_lines(body, indent))


def stmt_text(stmt: Stmt) -> str:
    return body_text((stmt,))


def declarator(type_: Type, name: str) -> str:
    """`name` declared with `type_`, as in C: `double (*a)[16]`."""
    while True:
        if isinstance(type_, Array):
            length = "" if type_.length is None else type_.length
            name, type_ = f"{name}[{length}]", type_.of
        elif isinstance(type_, Pointer) and isinstance(type_.to, Array):
            name, type_ = f"(*{name})", type_.to
        elif isinstance(type_, Pointer):
            volatile = "volatile " if is_volatile(type_.to) else ""
            return f"{volatile}{type_}{name}"
        else:
            return f"{'volatile ' if is_volatile(type_) else ''}{type_} {name}"


def declaration(symbol: Symbol) -> str:
    const = "const " if symbol.const else ""
    shared = f"{symbol.storage} " if symbol.storage in ("shared", "static") else ""
    return f"{shared}{const}{declarator(symbol.type, symbol.name)}"


def _fields(struct: Struct) -> str:
    return " ".join(f"{declarator(f.type, f.name)};" for f in struct.fields)


# --- statements ----------------------------------------------------------------------------------


def body_lines(body: Body, indent: int) -> Iterator[str]:
    for stmt in body:
        yield from _stmt_lines(stmt, indent)


def _stmt_lines(stmt: Stmt, n: int) -> Iterator[str]:
    pad = "    " * n
    match stmt:
        case Block(body=body):
            yield from (pad + "{", *body_lines(body, n + 1), pad + "}")
        case If(cond=cond, then=then, orelse=orelse):
            yield f"{pad}if ({expr_text(cond)}) {{"
            yield from body_lines(then, n + 1)
            if orelse:
                yield pad + "} else {"
                yield from body_lines(orelse, n + 1)
            yield pad + "}"
        case For():
            if stmt.unroll is not None:
                yield f"{pad}#pragma unroll {stmt.unroll}".rstrip()
            cond_text = expr_text(stmt.cond) if stmt.cond is not None else ""
            yield f"{pad}for ({_inline(stmt.init)}; {cond_text}; {_inline(stmt.step)}) {{"
            yield from (*body_lines(stmt.body, n + 1), pad + "}")
        case While(cond=cond, body=body):
            yield from (f"{pad}while ({expr_text(cond)}) {{", *body_lines(body, n + 1), pad + "}")
        case DoWhile(body=body, cond=cond):
            yield from (pad + "do {", *body_lines(body, n + 1), f"{pad}}} while ({expr_text(cond)});")
        case Switch(subject=subject, cases=cases):
            yield f"{pad}switch ({expr_text(subject)}) {{"
            for case in cases:
                labels = [f"case {expr_text(v)}:" for v in case.values] + ["default:"] * case.default
                yield pad + " ".join(labels)
                yield from body_lines(case.body, n + 1)
            yield pad + "}"
        case Comment(text=text):
            yield f"{pad}// {text}"
        case Opaque(texts=texts, args=args):
            between = [part for text, arg in zip(texts, args, strict=False) for part in (text, expr_text(arg))]
            yield f"{pad}opaque {''.join([*between, texts[-1]])}"
        case _:
            yield f"{pad}{simple_text(stmt)};"


def _inline(body: Body) -> str:
    return ", ".join(simple_text(stmt) for stmt in body)


def simple_text(stmt: Stmt) -> str:
    """A statement without nested ones, without its semicolon."""
    match stmt:
        case Declare(symbol=symbol, init=init):
            return declaration(symbol) + (f" = {expr_text(init)}" if init is not None else "")
        case Assign(target=target, value=value):
            return f"{expr_text(target)} = {expr_text(value)}"
        case Update(op=op, target=target, value=value):
            return f"{expr_text(target)} {op}= {expr_text(value)}"
        case Call(function=function, args=args, result=result):
            target_text = f"{expr_text(result)} = " if result is not None else ""
            return f"{target_text}{function}({_args(args)})"
        case Launch():
            extra = [e for e in (stmt.grid, stmt.block, stmt.shared, stmt.stream) if e is not None]
            return f"{stmt.kernel}<<<{_args(tuple(extra))}>>>({_args(stmt.args)})"
        case Break():
            return "break"
        case Continue():
            return "continue"
        case Return(value=value):
            return f"return {expr_text(value)}" if value is not None else "return"
        case Push(slot=slot, place=place):
            return f"push {slot.name} <- {expr_text(place)}"
        case Pop(slot=slot, place=place):
            return f"pop {slot.name} -> {expr_text(place)}"
    raise TypeError(f"{type(stmt).__name__} is not a simple statement")


# --- expressions ---------------------------------------------------------------------------------


def expr_text(expr: Expr) -> str:
    return _expr(expr)[0]


def _args(args: tuple[Expr, ...]) -> str:
    return ", ".join(expr_text(a) for a in args)


def _at(expr: Expr, level: int) -> str:
    text, own = _expr(expr)
    return text if own >= level else f"({text})"


def _expr(expr: Expr) -> tuple[str, int]:
    """Text and binding strength."""
    match expr:
        case Const():
            return const_text(expr), _POSTFIX
        case String(text=text):
            return text, _POSTFIX
        case Var(symbol=symbol):
            return symbol.name, _POSTFIX
        case Index(base=base, index=index):
            return f"{_at(base, _POSTFIX)}[{expr_text(index)}]", _POSTFIX
        case Member(base=base, name=name):
            return f"{_at(base, _POSTFIX)}.{name}", _POSTFIX
        case AddressOf(place=place):
            return f"&{_at(place, _UNARY)}", _UNARY
        case ThreadIndex(name=name, axis=axis):
            return (f"{name}.{axis}" if axis else name), _POSTFIX
        case Unary(op=op, operand=operand):
            text = _at(operand, _UNARY)
            return f"{op}{'' if not text.startswith('-') else ' '}{text}", _UNARY
        case Binary(op=op, left=left, right=right):
            level = _PRECEDENCE[op]
            return f"{_at(left, level)} {op} {_at(right, level + 1)}", level
        case Select(cond=cond, then=then, orelse=orelse):
            return f"{_at(cond, 1)} ? {expr_text(then)} : {_at(orelse, _SELECT)}", _SELECT
        case Cast(operand=operand, type=type_, implicit=True):
            return f"{declarator(type_, '').rstrip()}({expr_text(operand)})", _POSTFIX
        case Cast(operand=operand, type=type_):
            return f"({declarator(type_, '').rstrip()}){_at(operand, _UNARY)}", _UNARY
        case Intrinsic(name=name, args=args) | CallExpr(function=name, args=args):
            return f"{name}({_args(args)})", _POSTFIX
        case Aggregate(elements=elements, type=Struct(name=name)):
            return f"{name}{{{_args(elements)}}}", _POSTFIX
        case Aggregate(elements=elements):
            return f"{{{_args(elements)}}}", _POSTFIX
    raise TypeError(f"no text for {type(expr).__name__}")


def const_text(const: Const) -> str:
    if const.text is not None:
        return const.text
    if isinstance(const.value, bool):
        return "true" if const.value else "false"
    return repr(const.value)
