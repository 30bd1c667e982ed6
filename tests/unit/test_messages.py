"""Which calls move numbers between ranks, and where requests end."""

from __future__ import annotations

import pytest

from hetad.analysis import messages
from hetad.ir import nodes as ir
from hetad.ir.visit import walk_stmts
from tests.functions import function


def call(text: str) -> ir.Stmt:
    f = function(f"#include <mpi.h>\nvoid f(double *x, double *y, int *n, MPI_Request *r) {{ {text} }}")
    (found,) = (s for s in walk_stmts(f.body) if not isinstance(s, ir.Declare | ir.Comment | ir.Return))
    return found


@pytest.mark.parametrize(
    ("text", "moves", "sent", "received", "completes", "meets"),
    [
        ("MPI_Send(x, 3, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);", True, ["x"], [], False, True),
        ("MPI_Send(n, 3, MPI_INT, 1, 0, MPI_COMM_WORLD);", False, [], [], False, True),
        ("MPI_Recv(y, 3, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);", True, [], ["y"], False, True),
        ("MPI_Irecv(y, 3, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, r);", True, [], ["y"], False, True),
        ("MPI_Allreduce(x, y, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);", True, ["x", "y"], ["y"], False, True),
        ("MPI_Wait(r, MPI_STATUS_IGNORE);", False, [], [], True, True),
        ("MPI_Barrier(MPI_COMM_WORLD);", False, [], [], False, True),
        ("cudaMemcpy(y, x, 8, cudaMemcpyDeviceToDevice);", False, [], [], False, False),
        ("y[0] = x[0];", False, [], [], False, False),
    ],
)
def test_calls_that_move_numbers(
    text: str, moves: bool, sent: list[str], received: list[str], completes: bool, meets: bool
) -> None:
    s = call(text)
    row = messages.moves(s)
    assert (row is not None, messages.completes(s), messages.meets(s)) == (moves, completes, meets)
    if row is not None and isinstance(s, ir.Call):
        found = [
            [e.operand if isinstance(e, ir.Cast) else e for e in which(s, row)]
            for which in (messages.sent, messages.received)
        ]
        assert [[e.symbol.name for e in some if isinstance(e, ir.Var)] for some in found] == [sent, received]
    begun = "Irecv" in text
    assert len(list(messages.started([s]))) == begun
