"""Checks that IR is well formed.  A failure is a bug of the pass that made it, not of the user's program."""

from __future__ import annotations

from collections import Counter
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
    Const,
    Continue,
    Declare,
    DoWhile,
    Expr,
    For,
    Function,
    Index,
    Intrinsic,
    Launch,
    Member,
    Program,
    Return,
    Select,
    Stmt,
    String,
    Switch,
    Symbol,
    Unary,
    Update,
    Var,
    While,
)
from hetad.ir.types import (
    BOOL,
    DIM3,
    VOID,
    Array,
    Float,
    Int,
    Pointer,
    Struct,
    Type,
    Void,
    element,
    holds_floating,
)
from hetad.ir.visit import bodies, children, declared, own_exprs, walk_expr, walk_stmts

_COMPARISONS = {"<", "<=", ">", ">=", "==", "!=", "&&", "||"}


class InvalidIR(AssertionError):
    """`str()` names the function, the position and the node."""


def verify_lowered(program: Program) -> None:
    """Types, scopes and callees of every function are consistent."""
    known = {g.symbol for g in program.globals}
    for function in program.functions.values():
        _Checker(program, function).function_body(known)


def verify_normalised(program: Program) -> None:
    """Lowered and, besides, in the form that `nodes.py` calls normalised."""
    verify_lowered(program)
    for function in program.functions.values():
        _Form(program, function).check()


class _Checker:
    def __init__(self, program: Program, function: Function) -> None:
        self.program = program
        self.function = function

    def fail(self, node: Expr | Stmt, message: str) -> None:
        from hetad.ir.printer import expr_text, stmt_text

        try:
            text = stmt_text(node) if isinstance(node, Stmt) else expr_text(node)
        except (TypeError, AttributeError, KeyError):
            text = type(node).__name__
        raise InvalidIR(f"{self.function.name}, {node.span}: {message}: {text}")

    def require(self, condition: bool, node: Expr | Stmt, message: str) -> None:
        if not condition:
            self.fail(node, message)

    # --- scopes --------------------------------------------------------------------------------

    def function_body(self, known: set[Symbol]) -> None:
        self.body(self.function.body, known | set(self.function.params))

    def body(self, body: Body, scope: set[Symbol]) -> set[Symbol]:
        scope = set(scope)
        for stmt in body:
            self.statement(stmt, scope)
        return scope

    def statement(self, stmt: Stmt, scope: set[Symbol]) -> None:
        if isinstance(stmt, Declare):
            self.require(stmt.symbol not in scope, stmt, "declared twice")
            scope.add(stmt.symbol)
        if isinstance(stmt, For):
            scope = self.body(stmt.init, scope)
            self.expressions(stmt, scope)
            self.body(stmt.step, scope)
            self.body(stmt.body, scope)
            return
        self.expressions(stmt, scope)
        self.types(stmt)
        for nested in bodies(stmt):
            self.body(nested, scope)

    def expressions(self, stmt: Stmt, scope: set[Symbol]) -> None:
        for root in own_exprs(stmt):
            for e in walk_expr(root):
                if isinstance(e, Var) and e.symbol.storage not in ("global", "constant"):
                    self.require(e.symbol in scope, e, f"'{e.symbol.name}' is not in scope")
                self.expression(e)

    # --- types ---------------------------------------------------------------------------------

    def expression(self, e: Expr) -> None:
        match e:
            case Index(base=base, index=index):
                self.require(isinstance(base.type, Pointer | Array), e, "indexes no pointer or array")
                self.require(element(base.type) == e.type, e, "is not of its element's type")
                self.require(isinstance(index.type, Int), e, "index is no integer")
            case Member(base=base, name=name):
                ok = isinstance(base.type, Struct) and base.type.field_type(name) == e.type
                self.require(ok, e, "is not of its member's type")
            case AddressOf(place=place):
                self.require(isinstance(e.type, Pointer) and e.type.to == place.type, e, "has another type")
            case Unary(op=op, operand=operand):
                expected = BOOL if op == "!" else operand.type
                self.require(e.type == expected, e, f"has type {e.type}, not {expected}")
            case Binary():
                self._binary(e)
            case Select(then=then, orelse=orelse):
                self.require(then.type == orelse.type == e.type, e, "has arms of different types")
            case CallExpr(function=function, args=args):
                self._own_call(e, function, args)
                self.require(self.program.functions[function].returns == e.type, e, "has another type")
            case Aggregate(elements=elements, type=Struct(fields=fields)):
                self.require(len(elements) <= len(fields), e, "has too many elements")
                for each, f in zip(elements, fields, strict=False):
                    self.require(each.type == f.type, e, f"gives {f.name} a {each.type}")
            case Aggregate(elements=elements, type=Array(of=of)):
                self.require(all(x.type == of for x in elements), e, "has elements of another type")

    def _binary(self, e: Binary) -> None:
        left, right = e.left.type, e.right.type
        if isinstance(left, Pointer) and isinstance(right, Pointer):
            self.require(e.op in _COMPARISONS or e.op == "-", e, "combines pointers")
        elif isinstance(left, Pointer) and e.op in ("+", "-"):
            self.require(e.type == left and isinstance(right, Int), e, "is no pointer arithmetic")
        elif e.op in ("&&", "||"):
            self.require(e.type == BOOL, e, "is no bool")
        elif e.op in ("<<", ">>"):
            self.require(e.type == left, e, "is not of its left operand's type")
        else:
            self.require(left == right, e, f"has operands of types {left} and {right}")
            self.require(e.type == (BOOL if e.op in _COMPARISONS else left), e, f"has type {e.type}")

    def types(self, stmt: Stmt) -> None:
        match stmt:
            case Declare(symbol=symbol, init=init) if init is not None:
                same = init.type == symbol.type or (isinstance(init, String) and isinstance(symbol.type, Array))
                self.require(same, stmt, f"initialises a {symbol.type} with a {init.type}")
            case Assign(target=target, value=value):
                self.require(target.type == value.type, stmt, f"assigns a {value.type} to a {target.type}")
            case Update(op=op, target=target, value=value) if op not in ("<<", ">>"):
                if not isinstance(target.type, Pointer):
                    self.require(target.type == value.type, stmt, f"updates a {target.type} by a {value.type}")
            case Call(function=function, args=args) if function in self.program.functions:
                self._own_call(stmt, function, args)
                if stmt.result is not None:
                    returned = self.program.functions[function].returns
                    self.require(stmt.result.type == returned, stmt, f"stores a {returned}")
            case Launch(kernel=kernel, args=args):
                self._own_call(stmt, kernel, args)
                for extent in (stmt.grid, stmt.block):
                    self.require(extent.type == DIM3 or isinstance(extent.type, Int), stmt, "extent is no dim3")
            case Return(value=value):
                given: Type = VOID if value is None else value.type
                self.require(given == self.function.returns, stmt, f"returns a {given}")

    def _own_call(self, node: Expr | Stmt, name: str, args: tuple[Expr, ...]) -> None:
        self.require(name in self.program.functions, node, f"'{name}' is not in the program")
        params = self.program.functions[name].params
        self.require(len(args) == len(params), node, f"'{name}' takes {len(params)} arguments")
        for a, p in zip(args, params, strict=True):
            self.require(a.type == p.type, node, f"parameter '{p.name}' is a {p.type}, not a {a.type}")


class _Form(_Checker):
    """The restrictions of the normalised form."""

    def check(self) -> None:
        names = Counter(s.name for s in (*self.function.params, *declared(self.function.body)))
        for name, count in names.items():
            if count > 1:
                raise InvalidIR(f"{self.function.name}: {count} variables are called '{name}'")
        body = self.function.body
        if self.function.returns != VOID:
            ends = bool(body) and isinstance(body[-1], Return)
            if not ends:
                raise InvalidIR(f"{self.function.name} does not end in a return")
            body = body[:-1]
        for stmt in walk_stmts(body):
            self._statement_form(stmt)
        for stmt in walk_stmts(self.function.body):
            for e in self._roots(stmt):
                self._expression_form(e)

    def _statement_form(self, stmt: Stmt) -> None:
        forbidden = DoWhile | Switch | Break | Continue | Return | Block
        self.require(not isinstance(stmt, forbidden), stmt, f"{type(stmt).__name__} is left")
        match stmt:
            case Update(op=op):
                self.require(op in ("+", "-"), stmt, f"'{op}=' is left")
            case Launch(args=args):
                plain = all(isinstance(a, Var | Const) for a in args if isinstance(a.type, Float))
                self.require(plain, stmt, "a floating argument is no variable")
            case Call(function=function, result=result) if function in self.program.functions:
                self.require(result is None or isinstance(result, Var), stmt, "the result is no variable")
            case For(init=init, step=step):
                simple = all(isinstance(s, Declare | Assign | Update) for s in (*init, *step))
                self.require(simple, stmt, "the head is not simple")
            case While(cond=cond):
                self.require(not isinstance(cond.type, Void), stmt, "the condition has no value")

    def _roots(self, stmt: Stmt) -> Iterator[Expr]:
        """Expressions below which floating intrinsics may not stand."""
        whole = stmt.init if isinstance(stmt, Declare) else None
        if isinstance(stmt, Assign) and isinstance(stmt.target, Var):
            whole = stmt.value
        for root in own_exprs(stmt):
            if root is whole and isinstance(root, Intrinsic):
                yield from children(root)
            else:
                yield root

    def _expression_form(self, root: Expr) -> None:
        for e in walk_expr(root):
            self.require(not isinstance(e, CallExpr), e, "a call is left in an expression")
            if isinstance(e, Intrinsic):
                self.require(not isinstance(e.type, Float), e, "an intrinsic is inside an expression")
            if isinstance(e, Select) and not isinstance(e.type, Pointer):
                self.require(not holds_floating(e.type), e, "a floating choice is left")
