"""What derivatives of MPI and NCCL programs do beside calling these: the forward and the reverse part of each function.

An operand is named after the argument of the function that it is (`memops/communication.py` has the roles); `adj_x` is
the adjoint of the memory behind the argument x, and `on_x` says what is known of that (`host/communication.py`, where).
The functions are in `emit/support/mpi*.c` and `nccl.c`.
"""

from __future__ import annotations

from dataclasses import dataclass

from hetad.ir.types import INT, Type
from hetad.memops.communication import NUMBERS, STARTED
from hetad.rules.callee import Callee, Inactive
from hetad.rules.operation import ADJOINT_OF_COLLECTIVE
from hetad.rules.operations import Act, Value

_C = "MPI_Comm communicator"
_REDUCED = f"int elements, MPI_Datatype type, MPI_Op operator, {_C}"
_ON = "int on_src, int on_updated"
_SENT = f"int elements, MPI_Datatype type, int peer, int tag, {_C}"
_BLOCK = "void *adj_updated, int block, MPI_Datatype block_type"
_BLOCKS = "void *adj_updated, const int *counts, const int *places, int block, MPI_Datatype block_type"
_SOME = "int elements, MPI_Request *requests, int *number, int *numbers, MPI_Status *status"
_ADJOINTS = "void *adj_src, void *adj_updated"


def _positions(prototype: str, *starts: str) -> tuple[int, ...]:
    names = [part.split()[-1] for part in prototype.partition("(")[2].rstrip(")").split(", ")]
    return tuple(i for i, name in enumerate(names) if name.startswith("*") and name[1:].startswith(starts))


def _pullback(prototype: str) -> Act:
    """What the reverse sweep does for a call."""
    adjoints = _positions(prototype, "adj_")
    reads = (*adjoints, *_positions(prototype, "counts", "places", "sent_"))
    return Act(
        f"void {prototype}", "may fail for want of memory", "of reverse sweep", reads=reads, writes=adjoints
    )  # fmt: skip


def _forward(prototype: str) -> Act:
    """What stands for a call in the forward sweep, and remembers what the reverse sweep must know."""
    reads = _positions(prototype, "src", "updated", "requests", "request_held")
    writes = _positions(prototype, "dst", "updated", "request", "status", "number", "found")
    return Act(
        f"int {prototype}", "may fail for want of memory", "adds nothing", "remembers addresses", reads=reads,
        writes=writes,
    )  # fmt: skip


def _extent(prototype: str) -> Value:
    """The bytes that a call overwrites."""
    return Value(f"size_t {prototype}", pullback=Inactive())


elements_bytes = _extent("mpi_bytes(int elements, MPI_Datatype type)")
_unless = _extent("mpi_bytes_unless(const void *updated, int block, MPI_Datatype block_type)")
_of_all = _extent(f"mpi_bytes_of_all(int block, MPI_Datatype block_type, {_C})")
_of_blocks = _extent(f"mpi_bytes_of_blocks(const int *counts, const int *places, MPI_Datatype block_type, {_C})")


@dataclass(frozen=True, slots=True)
class Rule:
    """`forward`: in the place of the call, where that must be remembered; `extent`: of what it overwrites, `of` these
    arguments where they are not those that it names.  `before` and `behind`: what stands beside the call; `adjoint`: of
    an operation of all ranks that is started, what begins its adjoint where the wait for it is undone."""

    pullback: Act | None
    forward: Act | None = None
    extent: Value | None = None
    of: str = ""
    before: Act | None = None
    behind: Act | None = None
    adjoint: str = ""


_of_near = _extent(f"mpi_bytes_of_near(int block, MPI_Datatype block_type, {_C})")
_of_near_blocks = _extent(
    f"mpi_bytes_of_near_blocks(const int *counts, const int *places, MPI_Datatype block_type, {_C})"
)
_send = _pullback(f"mpi_send_pullback(void *adj_src, {_SENT}, int on_src)")
_recv_pullback = _pullback("mpi_recv_pullback(void *adj_dst)")
_wait_pullback = _pullback("mpi_wait_pullback(void)")

RULES: dict[str, Rule] = {
    **dict.fromkeys(("MPI_Send", "MPI_Ssend", "MPI_Rsend", "MPI_Bsend", "MPI_Isend", "MPI_Issend"), Rule(_send)),
    "MPI_Recv": Rule(
        _recv_pullback,
        _forward(f"mpi_recv(void *dst, {_SENT}, MPI_Status *status, void *adj_dst, int on_dst)"),
        elements_bytes,
    ),
    "MPI_Irecv": Rule(
        _pullback("mpi_irecv_pullback(void *adj_dst)"),
        _forward(f"mpi_irecv(void *dst, {_SENT}, MPI_Request *request, void *adj_dst, int on_dst, int line)"),
        elements_bytes,
    ),
    "MPI_Sendrecv": Rule(
        _pullback(
            "mpi_sendrecv_pullback(void *adj_src, void *adj_dst, int elements, MPI_Datatype type, int peer, int tag, "
            f"{_C}, int on_src)"
        ),
        _forward(
            "mpi_sendrecv(const void *src, int elements, MPI_Datatype type, int peer, int tag, void *dst, int block, "
            f"MPI_Datatype block_type, int from_peer, int from_tag, {_C}, MPI_Status *status, void *adj_dst, "
            "int on_dst)"
        ),
        elements_bytes,
        "block block_type",
    ),
    "MPI_Sendrecv_replace": Rule(
        _pullback(f"mpi_sendrecv_replace_pullback(void *adj_updated, {_SENT}, int on_updated)"),
        _forward(
            "mpi_sendrecv_replace(void *updated, int elements, MPI_Datatype type, int peer, int tag, int from_peer, "
            f"int from_tag, {_C}, MPI_Status *status, void *adj_updated, int on_updated)"
        ),
        elements_bytes,
    ),
    "MPI_Wait": Rule(_wait_pullback, _forward("mpi_wait(MPI_Request *request_held, MPI_Status *status)")),
    "MPI_Waitall": Rule(
        _wait_pullback, _forward("mpi_waitall(int elements, MPI_Request *requests, MPI_Status *status)")
    ),
    "MPI_Waitany": Rule(
        _wait_pullback, _forward("mpi_waitany(int elements, MPI_Request *requests, int *number, MPI_Status *status)")
    ),
    "MPI_Test": Rule(_wait_pullback, _forward("mpi_test(MPI_Request *request_held, int *number, MPI_Status *status)")),
    "MPI_Testall": Rule(
        _wait_pullback, _forward("mpi_testall(int elements, MPI_Request *requests, int *number, MPI_Status *status)")
    ),
    "MPI_Testany": Rule(
        _wait_pullback,
        _forward("mpi_testany(int elements, MPI_Request *requests, int *number, int *found, MPI_Status *status)"),
    ),
    "MPI_Waitsome": Rule(_wait_pullback, _forward(f"mpi_waitsome({_SOME})")),
    "MPI_Testsome": Rule(_wait_pullback, _forward(f"mpi_testsome({_SOME})")),
    "MPI_Bcast": Rule(
        _pullback(
            f"mpi_bcast_pullback(void *adj_updated, int elements, MPI_Datatype type, int root, {_C}, int on_updated)"
        ),
        None,
        elements_bytes,
    ),
    "MPI_Reduce": Rule(
        _pullback(
            f"mpi_reduce_pullback({_ADJOINTS}, int elements, MPI_Datatype type, MPI_Op operator, int root, {_C}, {_ON})"
        ),
        _forward(
            "mpi_reduce(const void *src, void *updated, int elements, MPI_Datatype type, MPI_Op operator, int root, "
            f"{_C}, {_ON})"
        ),
        _extent(f"mpi_bytes_at(int elements, MPI_Datatype type, int root, {_C})"),
    ),
    "MPI_Allreduce": Rule(
        _pullback(f"mpi_allreduce_pullback({_ADJOINTS}, {_REDUCED}, {_ON})"),
        _forward(f"mpi_allreduce(const void *src, void *updated, {_REDUCED}, {_ON})"),
        elements_bytes,
    ),
    "MPI_Scan": Rule(_pullback(f"mpi_scan_pullback({_ADJOINTS}, {_REDUCED}, {_ON})"), None, elements_bytes),
    "MPI_Exscan": Rule(_pullback(f"mpi_exscan_pullback({_ADJOINTS}, {_REDUCED}, {_ON})"), None, elements_bytes),
    "MPI_Reduce_scatter_block": Rule(
        _pullback(f"mpi_reduce_scatter_block_pullback({_ADJOINTS}, {_REDUCED}, {_ON})"),
        None,
        _extent(f"mpi_bytes_of_sum(const void *src, int elements, MPI_Datatype type, {_C})"),
    ),
    "MPI_Reduce_scatter": Rule(
        _pullback(
            f"mpi_reduce_scatter_pullback({_ADJOINTS}, const int *counts, MPI_Datatype type, MPI_Op operator, {_C}, "
            f"{_ON})"
        ),
        None,
        _extent(f"mpi_bytes_of_sums(const void *src, const int *counts, MPI_Datatype type, {_C})"),
    ),
}
_SENT_BLOCKS = "void *adj_src, const int *sent_counts, const int *sent_places, int elements, MPI_Datatype type"
# With a block for each rank or neighbour: those of different lengths stand for those of equal ones.
_ONE_SENT = f"void *adj_src, int elements, MPI_Datatype type, {_BLOCKS}"
_gather = _pullback(f"mpi_gatherv_pullback({_ONE_SENT}, int root, {_C}, {_ON})")
_scatter = _pullback(f"mpi_scatterv_pullback({_SENT_BLOCKS}, {_BLOCK}, int root, {_C}, {_ON})")
_all_gather = _pullback(f"mpi_allgatherv_pullback({_ONE_SENT}, {_C}, {_ON})")
_all_to_all = _pullback(f"mpi_alltoallv_pullback({_SENT_BLOCKS}, {_BLOCKS}, {_C}, {_ON})")
_near_all = _pullback(f"mpi_neighbor_allgatherv_pullback({_ONE_SENT}, {_C}, {_ON})")
_near_each = _pullback(f"mpi_neighbor_alltoallv_pullback({_SENT_BLOCKS}, {_BLOCKS}, {_C}, {_ON})")
RULES |= {
    "MPI_Gather": Rule(
        _gather, None, _extent(f"mpi_bytes_of_all_at(int block, MPI_Datatype block_type, int root, {_C})")
    ),
    "MPI_Gatherv": Rule(
        _gather,
        None,
        _extent(
            f"mpi_bytes_of_blocks_at(const int *counts, const int *places, MPI_Datatype block_type, int root, {_C})"
        ),
    ),
    "MPI_Scatter": Rule(_scatter, None, _unless),
    "MPI_Scatterv": Rule(_scatter, None, _unless),
    "MPI_Allgather": Rule(_all_gather, None, _of_all),
    "MPI_Allgatherv": Rule(_all_gather, None, _of_blocks),
    "MPI_Alltoall": Rule(_all_to_all, None, _of_all),
    "MPI_Alltoallv": Rule(_all_to_all, None, _of_blocks),
    "MPI_Neighbor_allgather": Rule(_near_all, None, _of_near),
    "MPI_Neighbor_allgatherv": Rule(_near_all, None, _of_near_blocks),
    "MPI_Neighbor_alltoall": Rule(_near_each, None, _of_near),
    "MPI_Neighbor_alltoallv": Rule(_near_each, None, _of_near_blocks),
}
# An operation that is started: before the call, and behind it.
_starting = Act(
    "void mpi_starting(hetad_mpi_adjoint adjoint, void *adj_src, void *adj_updated, int on_src, int on_updated, "
    "const void *src, const void *updated, const int *sent_counts, const int *sent_places, int elements, "
    "MPI_Datatype type, const int *counts, const int *places, int block, MPI_Datatype block_type, MPI_Op operator, "
    f"int root, {_C}, int line)",
    "may fail for want of memory", "adds nothing", "remembers addresses", reads=(5, 6, 7, 8, 11, 12),
)  # fmt: skip
_pending = Act("void mpi_pending(MPI_Request *request)", "adds nothing", reads=(0,), writes=(0,))
_starting_pullback = _pullback(f"mpi_starting_pullback({_ADJOINTS})")


def _of_started(name: str) -> Rule:
    """The adjoints of blocks of different lengths are those of equal ones."""
    at_once = RULES[name]
    kind = name.removeprefix("MPI_").removesuffix("v").removesuffix("_block").lower()
    adjoint = f"hetad_mpi_{kind}_adjoint"
    return Rule(_starting_pullback, None, at_once.extent, at_once.of, _starting, _pending, adjoint)


def _persistent(name: str, buffer: str) -> Rule:
    """A request that is made once: what it stands for is noted."""
    made = Act(
        f"void mpi_persistent_{name}({buffer}, {_SENT}, const MPI_Request *request, void *adj_{buffer.split('*')[1]}, "
        f"int on_{buffer.split('*')[1]}, int line)",
        "may fail for want of memory", "adds nothing", "remembers addresses", reads=(6,),
    )  # fmt: skip
    return Rule(_pullback(f"mpi_persistent_{name}_pullback(void *adj_{buffer.split('*')[1]})"), behind=made)


RULES |= {name: _of_started(at_once) for name, at_once in STARTED.items()}
RULES |= dict.fromkeys(("MPI_Send_init", "MPI_Ssend_init", "MPI_Rsend_init"), _persistent("send", "const void *src"))
RULES |= {
    "MPI_Recv_init": _persistent("recv", "void *dst"),
    "MPI_Start": Rule(_pullback("mpi_start_pullback(void)"), _forward("mpi_start(MPI_Request *request_held)")),
    "MPI_Startall": Rule(
        _pullback("mpi_startall_pullback(int elements)"), _forward("mpi_startall(int elements, MPI_Request *requests)")
    ),
}


def _tangent(prototype: str) -> Act:
    """What stands beside a call, or in its place, in the sweep of tangents."""
    given = _positions(prototype, "dot_", "src", "updated", "request")
    written = _positions(prototype, "dot_", "request", "status", "number", "found")
    return Act(prototype, "may fail for want of memory", reads=given, writes=written)


_REDUCTION = (
    "const void *src, const void *updated, void *dot_src, void *dot_updated, int elements, MPI_Datatype type, "
    f"MPI_Op operator, int root, {_C}, {_ON}"
)
_sent_tangent = _tangent(f"void mpi_send_tangent(void *dot_src, {_SENT}, int on_src)")

TANGENTS: dict[str, Act] = {
    **dict.fromkeys(("MPI_Send", "MPI_Isend", "MPI_Issend"), _sent_tangent),
    "MPI_Irecv": _tangent(f"void mpi_irecv_tangent(void *dot_dst, {_SENT}, MPI_Request *request, int on_dst)"),
    **dict.fromkeys(
        ("MPI_Send_init", "MPI_Ssend_init", "MPI_Rsend_init"),
        _tangent(f"void mpi_persistent_send_tangent(void *dot_src, {_SENT}, const MPI_Request *request, int on_src)"),
    ),
    "MPI_Recv_init": _tangent(
        f"void mpi_persistent_recv_tangent(void *dot_dst, {_SENT}, const MPI_Request *request, int on_dst)"
    ),
    "MPI_Start": _tangent("int mpi_start_tangent(MPI_Request *request_held)"),
    "MPI_Startall": _tangent("int mpi_startall_tangent(int elements, MPI_Request *requests)"),
    "MPI_Wait": _tangent("int mpi_wait_tangent(MPI_Request *request_held, MPI_Status *status)"),
    "MPI_Waitall": _tangent("int mpi_waitall_tangent(int elements, MPI_Request *requests, MPI_Status *status)"),
    "MPI_Waitany": _tangent(
        "int mpi_waitany_tangent(int elements, MPI_Request *requests, int *number, MPI_Status *status)"
    ),
    "MPI_Test": _tangent("int mpi_test_tangent(MPI_Request *request_held, int *number, MPI_Status *status)"),
    "MPI_Testall": _tangent(
        "int mpi_testall_tangent(int elements, MPI_Request *requests, int *number, MPI_Status *status)"
    ),
    "MPI_Testany": _tangent(
        "int mpi_testany_tangent(int elements, MPI_Request *requests, int *number, int *found, MPI_Status *status)"
    ),
    "MPI_Waitsome": _tangent(f"int mpi_waitsome_tangent({_SOME})"),
    "MPI_Testsome": _tangent(f"int mpi_testsome_tangent({_SOME})"),
    **dict.fromkeys(("MPI_Allreduce", "MPI_Reduce"), _tangent(f"void mpi_reduce_tangent({_REDUCTION})")),
    **dict.fromkeys(("MPI_Iallreduce", "MPI_Ireduce"), _tangent(f"void mpi_ireduce_tangent({_REDUCTION})")),
}
own_request = Act("void mpi_own_request(MPI_Request *request)", reads=(0,), writes=(0,))
tangents_pending = Act("void mpi_tangents_pending(MPI_Request *request)", reads=(0,), writes=(0,))
tangent_request = Value("MPI_Request *mpi_tangent_request(const MPI_Request *request)")
received_tangent = _tangent("void mpi_received_tangent(void *dot_dst, int on_dst)")
forget_receive = Act("void mpi_forget_receive(void)")

_N = "size_t count, ncclDataType_t kind_of_number"
_COMM = "ncclComm_t nccl"
nccl_bytes = _extent(f"nccl_bytes({_N})")
_nccl_bytes_of_all = _extent(f"nccl_bytes_of_all({_N}, {_COMM})")
_OP = "ncclRedOp_t reduction"

RULES |= {
    "ncclSend": Rule(_pullback(f"nccl_send_pullback(void *adj_src, {_N}, int peer, {_COMM})")),
    "ncclRecv": Rule(_pullback(f"nccl_recv_pullback(void *adj_dst, {_N}, int peer, {_COMM})"), None, nccl_bytes),
    "ncclGroupStart": Rule(_pullback("nccl_group_start_pullback(void)")),
    "ncclGroupEnd": Rule(_pullback("nccl_group_end_pullback(void)")),
    "ncclAllReduce": Rule(_pullback(f"nccl_all_reduce_pullback({_ADJOINTS}, {_N}, {_OP}, {_COMM})"), None, nccl_bytes),
    "ncclBroadcast": Rule(
        _pullback(f"nccl_broadcast_pullback({_ADJOINTS}, {_N}, int root, {_COMM})"), None, nccl_bytes
    ),
    "ncclBcast": Rule(_pullback(f"nccl_bcast_pullback(void *adj_updated, {_N}, int root, {_COMM})"), None, nccl_bytes),
    "ncclReduce": Rule(
        _pullback(f"nccl_reduce_pullback({_ADJOINTS}, {_N}, {_OP}, int root, {_COMM})"),
        None,
        _extent(f"nccl_bytes_at({_N}, int root, {_COMM})"),
    ),
    "ncclAllGather": Rule(_pullback(f"nccl_all_gather_pullback({_ADJOINTS}, {_N}, {_COMM})"), None, _nccl_bytes_of_all),
    "ncclReduceScatter": Rule(
        _pullback(f"nccl_reduce_scatter_pullback({_ADJOINTS}, {_N}, {_OP}, {_COMM})"), None, nccl_bytes
    ),
}
nccl_destroy = Act("ncclResult_t nccl_destroy_later(ncclComm_t nccl)", "adds nothing")
nccl_done = Act("void nccl_destroy_now(void)", "adds nothing")

joined = Act(f"void mpi_joined({_C})", "adds nothing", "needs no session")
joined_twice = Act(f"void mpi_joined_twice({_C})", "adds nothing", "needs no session")
gone = Act("void mpi_gone(int peer)", "adds nothing")
came = Act("void mpi_came(int peer)", "adds nothing")
open_loop = Act(f"void mpi_open_loop(int line, size_t trips, {_C})", "adds nothing")
all_waited = Act("void mpi_all_waited(void)", "may fail for want of memory", "adds nothing")
done = Act("void mpi_done(void)", "adds nothing")
comm_free = Act("int mpi_comm_free(MPI_Comm *handle_changed)", "adds nothing", reads=(0,), writes=(0,))
request_free = Act("int mpi_request_free(MPI_Request *handle_changed)", "adds nothing", reads=(0,), writes=(0,))
type_free = Act("int mpi_type_free(MPI_Datatype *handle_changed)", "adds nothing", reads=(0,), writes=(0,))

FORWARD = tuple(r.forward for r in RULES.values() if r.forward is not None)
_WAITS = ("MPI_Wait", "MPI_Test", "MPI_Start")
COMPLETE = (
    *(r.forward for name, r in RULES.items() if name.startswith(_WAITS) and r.forward is not None),
    *(act for name, act in TANGENTS.items() if name.startswith(_WAITS)),
)


def remembered(function: str) -> frozenset[str]:
    """The roles of memory of whose adjoints the forward part of a function remembers the addresses."""
    if function not in RULES:
        return frozenset()
    rule = RULES[function]
    acts = [act for act in (rule.forward, rule.before, rule.behind) if act is not None]
    roles = (role for act in acts for role in act.row(()).roles)
    return frozenset(role.removeprefix("adj_") for role in roles if role.startswith("adj_"))


# Numbers that stand for ranks and the like: what they are, the library knows.
# So do functions stand for themselves that begin adjoints.
_NAMED: dict[str, Type] = {
    **dict.fromkeys(NUMBERS, INT),
    **{r.adjoint: ADJOINT_OF_COLLECTIVE for r in RULES.values() if r.adjoint},
}
CONSTANTS = tuple(
    Callee(name, "support", returns=type_, params=(), text={"cuda": name, "c": name}) for name, type_ in _NAMED.items()
)


def of_mpi(name: str) -> bool:
    """Whether an operation of these is one of MPI, which needs a communicator for what goes back."""
    return name.startswith("hetad_mpi_")
