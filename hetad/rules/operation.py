"""What an operation of hetad's own is: a function with a typed prototype, of which code makes and finds calls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeGuard

from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.types import (
    BLAS_HANDLE,
    COMMUNICATOR,
    CUDA_ERROR,
    DATATYPE,
    DIM3,
    DOUBLE,
    FLOAT,
    MESSAGE_STATUS,
    NCCL_COMMUNICATOR,
    NCCL_NUMBER,
    NCCL_REDUCTION,
    NCCL_RESULT,
    REDUCTION,
    REQUEST,
    SIZE_T,
    VOID,
    Array,
    Opaque,
    Pointer,
    Type,
    of_value,
)
from hetad.rules.callee import ALL, Callee, Pullback, Refused, Trait
from hetad.rules.row import TYPES

ADJOINT_OF_COLLECTIVE = Opaque("hetad_mpi_adjoint")

_TYPES = {
    **TYPES, "size_t": SIZE_T, "cudaError_t": CUDA_ERROR, "cublasHandle_t": BLAS_HANDLE, "dim3": DIM3,
    "MPI_Comm": COMMUNICATOR, "MPI_Datatype": DATATYPE, "MPI_Op": REDUCTION, "MPI_Request": REQUEST,
    ADJOINT_OF_COLLECTIVE.name: ADJOINT_OF_COLLECTIVE, "MPI_Status": MESSAGE_STATUS, "ncclComm_t": NCCL_COMMUNICATOR,
    "ncclResult_t": NCCL_RESULT,
    "ncclDataType_t": NCCL_NUMBER, "ncclRedOp_t": NCCL_REDUCTION,
}  # fmt: skip
_OUT = Pointer(Pointer(VOID))  # where an allocation puts its pointer
_NO_DERIVATIVE = Refused("hetad has no derivative for it")


class Operation:
    """`prototype`: one whose name ends in `_real` stands for two, of float and of double; `any` is a type that does not
    matter.  `kept`: it has an effect on adjoints or on the run that no analysis of values may remove."""

    def __init__(
        self,
        prototype: str,
        *traits: Trait,
        reads: tuple[int, ...] = (),
        writes: tuple[int, ...] = (),
        kept: bool = True,
        pullback: Pullback = _NO_DERIVATIVE,
    ) -> None:
        returns, name, listed = re.fullmatch(r"(.*?)(\w+)\((.*)\)", prototype).groups()  # type: ignore[union-attr]
        operands = re.findall(r"(\w[\w ]*?)( \**)(\w+)(?:, |$)", listed if listed != "void" else "")
        anything = listed == "..."
        self.rows: dict[Type, Callee] = {
            real: Callee(
                f"hetad_{name.replace('_real', f'_{real}')}",
                "support",
                roles=tuple(role for _, _, role in operands),
                returns=type_of(returns, real),
                params=None if anything else tuple(type_of(word + stars, real) for word, stars, _ in operands),
                reads=ALL if anything else frozenset(reads),
                writes=ALL if anything else frozenset(writes),
                kept=kept,
                pullback=pullback,
                traits=frozenset(traits),
            )
            for real in ((FLOAT, DOUBLE) if name.endswith("_real") else (FLOAT,))
        }
        _OF_NAME.update((row.name, self) for row in self.rows.values())

    def row(self, operands: tuple[ir.Expr, ...], of: Type | None = None) -> Callee:
        """For these operands."""
        if len(self.rows) == 1:
            return self.rows[FLOAT]
        return self.rows[of if of is not None else _number(operands[0].type)]

    @property
    def name(self) -> str:
        """The function's, where there is but one."""
        (row,) = self.rows.values()
        return row.name

    def of(self, name: str) -> Type | None:
        """The type of numbers for which the function of this name does the operation, if that is one of several."""
        return next((real for real, row in self.rows.items() if row.name == name and len(self.rows) > 1), None)

    def is_declared(self, name: str, returns: Type, params: tuple[Type, ...]) -> bool:
        """Whether a function with this name and these types is what does the operation on a target."""
        row = next(row for row in self.rows.values() if row.name == name)
        return row.params is not None and (row.returns, row.params) == (returns, params)


class Act(Operation):
    """A statement."""

    def __call__(
        self, *operands: ir.Expr, result: ir.Place | None = None, of: Type | None = None, span: Span
    ) -> ir.Call:
        """`of`: the type of numbers, where the first operand does not tell."""
        row = self.row(operands, of)
        if row.params and row.params[0] == _OUT != operands[0].type:
            operands = (ir.Cast(operands[0], _OUT, span=operands[0].span), *operands[1:])
        return ir.Call(row.name, operands, result, span=span)


class Value(Operation):
    """An expression; one of any type has that of its operand `value`."""

    def __call__(self, *operands: ir.Expr, of: Type | None = None, span: Span) -> ir.Intrinsic:
        row = self.row(operands, of)
        type_ = row.returns if row.returns is not None else of_value(operands[row.roles.index("value")].type)
        return ir.Intrinsic(row.name, operands, type_, span=span)


_OF_NAME: dict[str, Operation] = {}


def does(s: ir.Stmt, *operations: Act) -> TypeGuard[ir.Call]:
    """Whether the statement is one of these."""
    return isinstance(s, ir.Call) and is_named(s.function, *operations)


def gives(e: ir.Expr | None, *operations: Value) -> TypeGuard[ir.Intrinsic]:
    """Whether the expression is one of these."""
    return isinstance(e, ir.Intrinsic) and is_named(e.name, *operations)


def named(function: str) -> Operation | None:
    """The operation that a function of this name does in generated code."""
    return _OF_NAME.get(function)


def is_named(function: str, *operations: Operation) -> bool:
    """Whether a function of generated code is one of these."""
    return _OF_NAME.get(function) in operations


def _number(type_: Type) -> Type:
    return (
        _number(type_.to if isinstance(type_, Pointer) else type_.of) if isinstance(type_, Pointer | Array) else type_
    )


def type_of(spelled: str, real: Type = FLOAT) -> Type | None:
    """`const void *`, `real`, ...; None for `any`."""
    const, word = "const " in spelled, spelled.replace("const ", "").strip(" *")
    type_ = real if word == "real" else None if word == "any" else _TYPES[word]
    for _ in range(spelled.count("*")):
        assert type_ is not None
        type_, const = Pointer(type_, const=const), False
    return type_


def rows() -> Iterator[Callee]:
    """Of all operations."""
    return (row for operation in dict.fromkeys(_OF_NAME.values()) for row in operation.rows.values())
