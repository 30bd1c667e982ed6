"""Libraries and features that hetad does not read, by the names that give them away, each with a way out."""

from __future__ import annotations

import re
from functools import cache

from hetad.diagnostics import Span, UnsupportedError

_OWN_KERNEL = "write the operation as a kernel"

# namespaces: what stands before `::`
SCOPES = {
    "thrust": ("the thrust library", _OWN_KERNEL),
    "cub": ("the cub library", _OWN_KERNEL),
    "cooperative_groups": ("cooperative groups", "use __syncthreads() and the __shfl_..._sync() functions"),
    "nvcuda": ("tensor-core fragments (wmma)", "write the product with plain arithmetic"),
    "cuda": ("libcu++", "use the C functions"),
    "cutlass": ("cutlass", _OWN_KERNEL),
    "Eigen": ("Eigen", "use plain arrays"),
}

_TEXTURE = ("textures", "pass the array as a pointer and index it")
_SURFACE = ("surfaces", "pass the array as a pointer and index it")
_GROUPS = SCOPES["cooperative_groups"]
_RANDOM = ("this part of cuRAND", "use curandState or curandStatePhilox4_32_10_t, or pass the numbers in an array")
_HALF = ("this function of half precision", "use those that round to nearest (__float2half, __hadd), without _sat")

_NAMES: tuple[tuple[str, tuple[str, str]], ...] = (
    (r"tex(?:1D|2D|3D)(?:fetch|Layered|Lod|Grad)*|tex2Dgather|texCubemap\w*|cudaTextureObject_t", _TEXTURE),
    (r"cuda(?:Bind|Unbind)Texture\w*|cuda(?:Create|Destroy)TextureObject|cudaTextureDesc|cudaResourceDesc", _TEXTURE),
    (r"surf(?:1D|2D|3D)(?:Layered)?(?:read|write)|cudaSurfaceObject_t|cuda(?:Create|Destroy)SurfaceObject", _SURFACE),
    (r"this_thread_block|this_grid|this_multi_grid|tiled_partition|coalesced_threads|thread_block_tile", _GROUPS),
    (r"thread_block|grid_group|coalesced_group|multi_grid_group", _GROUPS),
    (r"curand(?:_\w+|State\w*|Create\w*|Generate\w*|Set\w*|Destroy\w*|Generator_t)", _RANDOM),
    (r"clock64|__globaltimer\w*", ("clocks in kernels", "measure from the host, with events")),
    (
        r"__match_(?:any|all)_sync|__reduce_(?:and|or|xor)_sync|__reconverge|__shfl(?:_up|_down|_xor)?|__ballot|__any|__all",
        ("this warp function", "use the __shfl_..._sync(), __ballot_sync(), __any_sync() and __all_sync() functions"),
    ),
    (r"__float2(?:half|bfloat16)_r[zdu]|__h(?:add|sub|mul|fma)2?_(?:sat|relu)|__hcmadd", _HALF),
    (
        r"cudaLaunch(?:KernelEx|CooperativeKernel)\w*",
        ("launches of cooperative kernels", "launch with <<<...>>>"),
    ),
    (r"cudaGraph\w+|cudaStream(?:Begin|End)Capture\w*", ("CUDA graphs", "launch the kernels directly")),
    (
        r"cudaHostGetDevicePointer",
        ("memory that host and device share", "copy it to memory of the device with cudaMemcpy"),
    ),
    (
        r"cudaStreamAddCallback|cudaLaunchHostFunc",
        ("functions called by a stream", "call the function after cudaStreamSynchronize"),
    ),
    (
        r"cudaStreamAttachMemAsync",
        ("managed memory that belongs to a stream", "leave it attached to all streams, as cudaMallocManaged does"),
    ),
    (
        r"MPI_(?:Win(?:_\w+)?|R?Put|R?Get|R?Accumulate|R?Get_accumulate|Fetch_and_op|Compare_and_swap)",
        ("one-sided communication of MPI", "send what is put, and what is got, with MPI_Isend and MPI_Irecv"),
    ),
    (
        r"MPI_(?:Unp|P)ack(?:_\w+)?",
        (
            "numbers packed as bytes by MPI",
            "send them as they are, by a type of MPI_Type_create_struct if they lie apart",
        ),
    ),
    (
        r"MPI_I?M(?:probe|recv)|MPI_Message\w*",
        (
            "messages that are matched before they are received",
            "use MPI_Probe, and receive from the rank that it tells",
        ),
    ),
    (
        r"MPI_(?:Type_(?:struct|hvector|hindexed|extent|lb|ub)|Address)",
        (
            "what MPI 3 has removed",
            "use MPI_Type_create_struct, MPI_Type_create_hvector, MPI_Get_address and their like",
        ),
    ),
    (
        r"MPI_(?:Dist_graph|Graph)_\w+",
        ("graphs of ranks", "use MPI_Cart_create, or send messages"),
    ),
    (
        r"MPI_I?(?:Alltoallw|Neighbor_alltoallw)|MPI_I?neighbor_alltoallw|MPI_Ialltoallw",
        ("blocks of several types in one operation of MPI", "send each in messages of its own"),
    ),
    (r"qsort(?:_r)?|bsearch|atexit", ("C functions that call functions of the program", "write the loop out")),
    (
        r"strtok(?:_r)?|strn?dup|v?asprintf|getline|getdelim|v(?:s|sn|f)?printf|v(?:s|f)?scanf",
        ("this function of the C library", "use fgets, strchr, strtod and snprintf with an array"),
    ),
    (
        r"cudaMem(?:cpy|set)(?:3D|2D(?:To|From|Array)|To|FromArray|ArrayTo)\w*(?<!Symbol)(?<!SymbolAsync)"
        r"|cudaMalloc(?:3D\w*|Array|MipmappedArray)|cudaArray_\w*t|cudaFreeArray|cudaPitchedPtr|make_cuda\w+",
        ("memory of three dimensions and CUDA arrays", "use cudaMalloc or cudaMallocPitch, and index the memory"),
    ),
)


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<g{i}>(?:{names})$)" for i, (names, _) in enumerate(_NAMES)))


def library_name(name: str) -> tuple[str, str] | None:
    """What a name belongs to, and what to do instead; None for names that say nothing."""
    if name == "texture":
        return _TEXTURE
    match = _pattern().match(name)
    return _NAMES[int((match.lastgroup or "g0")[1:])][1] if match is not None else None


def refusal(what: tuple[str, str], span: Span) -> UnsupportedError:
    """The error for something that belongs to one of them."""
    return UnsupportedError(f"hetad does not support {what[0]}", span, what[1])
