"""The functions of MPI, one row each, and its constants.

What a row's `action` says (`host/communication.py` has the adjoints, `tangent/communication.py` the tangents):

| action      | what it does                                                                             |
|-------------|------------------------------------------------------------------------------------------|
| communicate | moves `src` of some ranks to `dst` of others; both may be `updated`, in place              |
| start       | begins such a thing: the memory is the library's until the request is waited for           |
| complete    | waits for requests, or asks whether they are done; or starts what was made to be started   |
| inert       | numbers of ranks, communicators, types: integers, which have no derivative                 |

The library's handles and the values of its constants differ from one MPI to the next, so none of them is known here:
constants stand as names, and what a type or an operator means is asked at run time (`emit/support/mpi.c`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from hetad.ir.types import (
    COMMUNICATOR,
    DATATYPE,
    DOUBLE,
    INT,
    MESSAGE_STATUS,
    MPI_ADDRESS,
    MPI_INFO,
    REDUCTION,
    REQUEST,
    VOID,
    Opaque,
    Pointer,
    Type,
)
from hetad.memops.operation import Action, MemoryOperation

HEADER = "mpi.h"

# Roles of the arguments, beside those of `operation.py`:
#   elements, block              how many; the latter of what is received, where that has a number of its own
#   type, block_type             of what is sent or of all, and of what is received
#   peer, tag, from_peer, from_tag, root, operator, communicator
#   sent_counts, sent_places, counts, places   arrays: of each rank, how many elements, and where
#   displacements, types         of a type that is made: where its parts lie, in bytes, and what they are
#   request, request_held, requests, status, number, found, numbers, read, handle_changed, displacement, info
BUFFERS = ("src", "dst", "updated")  # the roles of what messages move
ACTIONS: tuple[Action, ...] = ("communicate", "start", "complete")
# Roles of arguments through which memory is read, and written.
READ = (
    "counts", "places", "sent_counts", "sent_places", "displacements", "types", "request_held", "requests", "read",
    "handle_changed",
)  # fmt: skip
WRITTEN = ("request", "request_held", "requests", "status", "number", "found", "handle_changed", "numbers")


def peers_of(buffer: str, roles: Sequence[str]) -> tuple[str, ...]:
    """The roles of the ranks that what plays the role `buffer` is sent to or comes from; none if it is all ranks."""
    if buffer == "dst" and "from_peer" in roles:
        return ("from_peer",)
    return tuple(role for role in ("peer", "from_peer" * (buffer == "updated")) if role in roles)


_SEND = "src elements type peer tag communicator"
_END = "type operator communicator"


def _row(name: str, action: Action, roles: str, stores: Type | None = None, together: bool = False) -> MemoryOperation:
    return MemoryOperation(
        f"MPI_{name}", action, INT, tuple(roles.split()), stores=stores, together=together, header=HEADER,
        c_text=f"hetad_mpi_checked(MPI_{name}({{}}))",
    )  # fmt: skip


def _moves() -> Iterator[MemoryOperation]:
    for name in ("Send", "Ssend", "Rsend", "Bsend"):
        yield _row(name, "communicate", _SEND)
    for name, roles in (
        ("Recv", "dst elements type peer tag communicator status"),
        ("Sendrecv", "src elements type peer tag dst block block_type from_peer from_tag communicator status"),
        ("Sendrecv_replace", "updated elements type peer tag from_peer from_tag communicator status"),
    ):
        yield _row(name, "communicate", roles, MESSAGE_STATUS)


def _collectives() -> Iterator[MemoryOperation]:
    """Each of them twice: one is waited for at once, the other when the program waits for its request."""
    block = "updated block block_type"
    for name, roles in (
        ("Bcast", "updated elements type root communicator"),
        ("Reduce", "src updated elements type operator root communicator"),
        ("Allreduce", f"src updated elements {_END}"),
        ("Scan", f"src updated elements {_END}"),
        ("Exscan", f"src updated elements {_END}"),
        ("Reduce_scatter_block", f"src updated elements {_END}"),
        ("Reduce_scatter", f"src updated counts {_END}"),
        ("Gather", f"src elements type {block} root communicator"),
        ("Gatherv", "src elements type updated counts places block_type root communicator"),
        ("Scatter", f"src elements type {block} root communicator"),
        ("Scatterv", f"src sent_counts sent_places type {block} root communicator"),
        ("Allgather", f"src elements type {block} communicator"),
        ("Allgatherv", "src elements type updated counts places block_type communicator"),
        ("Alltoall", f"src elements type {block} communicator"),
        ("Alltoallv", "src sent_counts sent_places type updated counts places block_type communicator"),
        ("Neighbor_allgather", f"src elements type {block} communicator"),
        ("Neighbor_allgatherv", "src elements type updated counts places block_type communicator"),
        ("Neighbor_alltoall", f"src elements type {block} communicator"),
        ("Neighbor_alltoallv", "src sent_counts sent_places type updated counts places block_type communicator"),
    ):
        yield _row(name, "communicate", roles)
        yield _row(f"I{name.lower()}", "start", f"{roles} request", REQUEST)


def _requests() -> Iterator[MemoryOperation]:
    for name in ("Isend", "Issend"):
        yield _row(name, "start", f"{_SEND} request", REQUEST)
    for name in ("Send_init", "Ssend_init", "Rsend_init"):
        yield _row(name, "start", f"{_SEND} request", REQUEST)
    yield _row("Recv_init", "start", "dst elements type peer tag communicator request", REQUEST)
    yield _row("Start", "complete", "request_held")
    yield _row("Startall", "complete", "elements requests")
    yield _row("Irecv", "start", "dst elements type peer tag communicator request", REQUEST)
    for name, roles in (
        ("Wait", "request_held status"),
        ("Waitall", "elements requests status"),
        ("Waitany", "elements requests number status"),
        ("Test", "request_held number status"),
        ("Testall", "elements requests number status"),
        ("Testany", "elements requests number found status"),
        ("Waitsome", "elements requests number numbers status"),
        ("Testsome", "elements requests number numbers status"),
    ):
        yield _row(name, "complete", roles, MESSAGE_STATUS)


def _answers() -> Iterator[MemoryOperation]:
    """What is asked of the library, and what it makes."""
    # Who calls a derivative may have MPI begin before, and goes on with it afterwards.
    yield replace(_row("Init", "inert", "other other", together=True), text="hetad_mpi_init()", c_text="")
    yield replace(
        _row("Init_thread", "inert", "other other elements store", INT, together=True),
        text="hetad_mpi_init_thread({2}, {3})", c_text="",
    )  # fmt: skip
    yield replace(_row("Finalize", "inert", "", together=True), c_text="hetad_mpi_finalize()", alone="")
    for name, roles in (
        ("Initialized", "store"),
        ("Finalized", "store"),
        ("Query_thread", "store"),
        ("Comm_rank", "communicator store"),
        ("Comm_size", "communicator store"),
        ("Get_version", "store store"),
        ("Get_count", "read type store"),
        ("Get_elements", "read type store"),
        ("Type_size", "type store"),
        ("Topo_test", "communicator store"),
        ("Cartdim_get", "communicator store"),
        ("Cart_rank", "communicator read store"),
        ("Cart_shift", "communicator elements elements store store"),
        ("Get_processor_name", "dst store"),
    ):
        yield _row(name, "inert" if name != "Get_processor_name" else "text", roles, INT)
    yield _row("Dims_create", "inert", "elements elements numbers")
    yield _row("Cart_coords", "inert", "communicator elements elements numbers")
    yield _row("Cart_get", "inert", "communicator elements numbers numbers numbers")
    yield _row("Probe", "inert", "peer tag communicator status", MESSAGE_STATUS, together=True)
    yield _row("Iprobe", "inert", "peer tag communicator number status", MESSAGE_STATUS, together=True)
    yield _row("Buffer_attach", "inert", "other elements", together=True)
    yield _row("Buffer_detach", "inert", "other store", INT, together=True)
    yield _row("Barrier", "inert", "communicator", together=True)
    yield _row("Ibarrier", "inert", "communicator store", REQUEST, together=True)
    for name, roles in (
        ("Comm_dup", "communicator store"),
        ("Comm_split", "communicator elements elements store"),
        ("Comm_split_type", "communicator elements elements info store"),
        ("Cart_create", "communicator elements read read elements store"),
        ("Cart_sub", "communicator read store"),
    ):
        yield _row(name, "inert", roles, COMMUNICATOR, together=True)
    yield from _types()
    yield _row("Type_commit", "inert", "handle_changed", DATATYPE, together=True)
    yield _row("Type_free", "inert", "handle_changed", DATATYPE, together=True)
    yield _row("Request_free", "inert", "handle_changed", REQUEST, together=True)
    yield _row("Comm_free", "inert", "handle_changed", COMMUNICATOR, together=True)
    yield MemoryOperation(
        "MPI_Abort", "exit", INT, ("communicator", "elements"), header=HEADER, c_text="hetad_mpi_abort({1})"
    )
    for name in ("Wtime", "Wtick"):
        yield MemoryOperation(f"MPI_{name}", "inert", DOUBLE, varies=True, header=HEADER)


def _types() -> Iterator[MemoryOperation]:
    """What types are made of, and where that lies."""
    for name, roles in (
        ("Type_dup", "type store"),
        ("Type_contiguous", "elements type store"),
        ("Type_vector", "elements elements elements type store"),
        ("Type_create_hvector", "elements elements displacement type store"),
        ("Type_indexed", "elements counts places type store"),
        ("Type_create_hindexed", "elements counts displacements type store"),
        ("Type_create_indexed_block", "elements elements places type store"),
        ("Type_create_hindexed_block", "elements elements displacements type store"),
        ("Type_create_subarray", "elements read read read elements type store"),
        ("Type_create_struct", "elements counts displacements types store"),
        ("Type_create_resized", "type displacement displacement store"),
    ):
        yield _row(name, "inert", roles, DATATYPE)
    for name, roles in (
        ("Type_get_extent", "type store store"),
        ("Type_get_true_extent", "type store store"),
        ("Get_address", "other store"),
    ):
        yield _row(name, "inert", roles, MPI_ADDRESS)
    for name in ("Aint_add", "Aint_diff"):
        yield MemoryOperation(f"MPI_{name}", "inert", MPI_ADDRESS, ("displacement", "displacement"), header=HEADER)


ROWS: tuple[MemoryOperation, ...] = (*_moves(), *_collectives(), *_requests(), *_answers())
# Operations of all ranks that are started, and what does the same at once.
STARTED = {row.name: f"MPI_{row.name[5:].capitalize()}" for row in _collectives() if row.action == "start"}

STARTS = frozenset({"MPI_Start", "MPI_Startall"})  # of requests that were made before
BEGINS = frozenset({"MPI_Init", "MPI_Init_thread"})
MAKE_COMMUNICATORS = frozenset(
    f"MPI_{name}" for name in ("Comm_dup", "Comm_split", "Comm_split_type", "Cart_create", "Cart_sub")
)

# -- constants, by name: what they are depends on the library, so nothing of it is known here

IN_PLACE = "MPI_IN_PLACE"
REALS = ("MPI_FLOAT", "MPI_DOUBLE")
BYTES = ("MPI_BYTE", "MPI_CHAR", "MPI_SIGNED_CHAR", "MPI_UNSIGNED_CHAR", "MPI_PACKED")
INTEGERS = (
    *(f"MPI_{word}" for word in ("SHORT", "INT", "LONG", "LONG_LONG", "LONG_LONG_INT", "C_BOOL")),
    *(f"MPI_UNSIGNED{word}" for word in ("", "_SHORT", "_LONG", "_LONG_LONG")),
    *(f"MPI_{sign}INT{bits}_T" for sign in ("", "U") for bits in (8, 16, 32, 64)),
)
SUM = "MPI_SUM"
OPERATORS = (SUM, "MPI_PROD", "MPI_MAX", "MPI_MIN")
OTHER_OPERATORS = ("MPI_LAND", "MPI_LOR", "MPI_LXOR", "MPI_BAND", "MPI_BOR", "MPI_BXOR")
WILDCARDS = ("MPI_ANY_SOURCE", "MPI_ANY_TAG")

# Handles: each differs from all others of its type.
HANDLES: dict[str, Opaque] = {
    **dict.fromkeys(("MPI_COMM_WORLD", "MPI_COMM_SELF", "MPI_COMM_NULL"), COMMUNICATOR),
    **dict.fromkeys((*REALS, *BYTES, *INTEGERS, "MPI_DATATYPE_NULL"), DATATYPE),
    **dict.fromkeys((*OPERATORS, *OTHER_OPERATORS, "MPI_OP_NULL"), REDUCTION),
    "MPI_REQUEST_NULL": REQUEST,
    "MPI_INFO_NULL": MPI_INFO,
}
# Numbers, of which some may be equal.
NUMBERS = (
    *WILDCARDS, "MPI_PROC_NULL", "MPI_BSEND_OVERHEAD", "MPI_UNDEFINED", "MPI_COMM_TYPE_SHARED", "MPI_CART",
    "MPI_ORDER_C", "MPI_ORDER_FORTRAN",
    "MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE",
)  # fmt: skip
# Addresses that stand for something else than memory.
ADDRESSES: dict[str, Pointer] = {
    IN_PLACE: Pointer(VOID),
    "MPI_STATUS_IGNORE": Pointer(MESSAGE_STATUS),
    "MPI_STATUSES_IGNORE": Pointer(MESSAGE_STATUS),
}
