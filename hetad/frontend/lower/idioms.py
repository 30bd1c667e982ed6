"""Loops around atomicCAS that add: they are the atomicAdd that older devices lack, and have its derivative.

    unsigned long long *bits = (unsigned long long *)address, old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);

becomes `return atomicAdd(address, value);`: the loop ends when nothing came between, so it adds once and gives what was
there before (NVIDIA, CUDA C++ Programming Guide, atomic functions).
"""

from __future__ import annotations

from collections.abc import Iterator

from pycparser import c_ast

from hetad.frontend.lower.c_nodes import arguments

_BITS = {
    "__double_as_longlong": "__longlong_as_double",
    "__float_as_int": "__int_as_float",
    "__float_as_uint": "__uint_as_float",
}


def with_atomic_add(body: c_ast.Compound) -> c_ast.Compound:
    """The body of a function that does nothing but add in such a loop, as a call; any other as it is."""
    found = _Addition()
    for node in body.block_items or ():
        if not found.takes(node):
            return body
    if found.value is None or found.address is None:
        return body
    call = c_ast.FuncCall(
        c_ast.ID("atomicAdd", found.at), c_ast.ExprList([found.address, found.value], found.at), found.at
    )
    return c_ast.Compound([c_ast.Return(call, found.at) if found.returns else call], body.coord)


class _Addition:
    """What is known of the statements so far."""

    def __init__(self) -> None:
        self.address: c_ast.Node | None = None
        self.value: c_ast.Node | None = None
        self.returns = False
        self.at: object = None
        self._bits: str | None = None  # the pointer to bits
        self._old: str | None = None  # what was there
        self._others: set[str] = set()  # declared without a value
        self._as_number: str | None = None

    def takes(self, node: c_ast.Node) -> bool:
        """Whether a statement is the next part."""
        if self.returns:
            return False
        if isinstance(node, c_ast.DeclList):
            return all(self.takes(d) for d in node.decls)
        if isinstance(node, c_ast.Decl):
            return self.value is None and self._declares(node)
        if isinstance(node, c_ast.DoWhile):
            return self.value is None and self._loops(node)
        if isinstance(node, c_ast.Return):
            self.returns = self._as_number is not None and _call(node.expr, self._as_number) == self._old
            return self.returns
        return False

    def _declares(self, node: c_ast.Decl) -> bool:
        value = _bare(node.init)
        if value is None:
            self._others.add(str(node.name))
            return True
        if isinstance(value, c_ast.UnaryOp) and value.op == "*" and _name(value.expr) == self._bits is not None:
            self._old = node.name
            return True
        if self._bits is None and isinstance(node.init, c_ast.Cast) and isinstance(value, c_ast.ID):
            self._bits, self.address = node.name, value
            return True
        return False

    def _loops(self, node: c_ast.DoWhile) -> bool:
        condition = _bare(node.cond)
        if not isinstance(condition, c_ast.BinaryOp) or condition.op != "!=" or self._old is None:
            return False
        both = {_name(condition.left), _name(condition.right)}
        statements = node.stmt.block_items if isinstance(node.stmt, c_ast.Compound) else None
        if self._old not in both or len(both) != 2 or statements is None or len(statements) != 2:
            return False
        (assumed,) = both - {self._old}
        first, second = statements
        if assumed not in self._others or _set(first, assumed) is None or _name(_set(first, assumed)) != self._old:
            return False
        swap = _bare(_set(second, self._old))
        if not isinstance(swap, c_ast.FuncCall) or _name(swap.name) != "atomicCAS":
            return False
        given = arguments(swap)
        if len(given) != 3 or (_name(given[0]), _name(given[1])) != (self._bits, assumed):
            return False
        self.at = swap.coord
        self.value = self._added(_bare(given[2]), assumed)
        return self.value is not None

    def _added(self, node: c_ast.Node | None, assumed: str) -> c_ast.Node | None:
        """What is added to the number whose bits are assumed."""
        if not isinstance(node, c_ast.FuncCall) or _name(node.name) not in _BITS or len(arguments(node)) != 1:
            return None
        self._as_number = _BITS[str(_name(node.name))]
        sum_ = _bare(arguments(node)[0])
        if not isinstance(sum_, c_ast.BinaryOp) or sum_.op != "+":
            return None
        for value, before in ((sum_.left, sum_.right), (sum_.right, sum_.left)):
            own = {assumed, self._old, self._bits}
            if _call(before, self._as_number) == assumed and not own.intersection(_names(value)):
                return value
        return None


def _bare(node: c_ast.Node | None) -> c_ast.Node | None:
    """Without casts: the bits and the numbers have the same size, which atomicCAS and the conversions see to."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    return node


def _name(node: c_ast.Node | None) -> str | None:
    bare = _bare(node)
    return str(bare.name).removeprefix("::") if isinstance(bare, c_ast.ID) else None


def _call(node: c_ast.Node | None, function: str) -> str | None:
    """The variable to which a function is applied."""
    bare = _bare(node)
    if isinstance(bare, c_ast.FuncCall) and _name(bare.name) == function and len(arguments(bare)) == 1:
        return _name(arguments(bare)[0])
    return None


def _set(node: c_ast.Node, name: str) -> c_ast.Node | None:
    """What a statement assigns to a variable."""
    if isinstance(node, c_ast.Assignment) and node.op == "=" and _name(node.lvalue) == name:
        return node.rvalue
    return None


def _names(node: c_ast.Node) -> Iterator[str]:
    if isinstance(node, c_ast.ID):
        yield node.name
    for _, child in node.children():
        yield from _names(child)
