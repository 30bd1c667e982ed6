"""The operations of hetad's own: what a derivative does beside arithmetic, launches and calls of CUDA.

Each is declared as the C function that does it on a target: the prototype types operands and result.  In the IR it is a
call; passes make and find such calls through the names below, and no other way:

    operations.release(buffer, span=span)                     # a statement
    operations.take(cell, span=span)                          # an expression
    operations.does(s, operations.retire, operations.revive)  # whether a statement is one of these

The text of the functions is in `emit/support` (`emit/support.py` finds what a program needs), but for marks, which are
gone before anything is emitted, and for what only one target has, which another replaces
(`emit/synchronisation.at_once`, `targets/cpu/barrier_intervals/exchange.py`).

A derivative may be differentiated again.  There an operation without a derivative is refused (`host/again`), as each
is that does not say something else.
"""

from __future__ import annotations

from hetad.rules.callee import Absorbed, Inactive, InSpace, Means, OfCopy, Passed, Spelled, Trait
from hetad.rules.operation import Act, Operation, Value, does, gives, is_named, named, rows, type_of

__all__ = ["Act", "Operation", "Value", "does", "gives", "is_named", "named", "rows", "type_of"]

_FAILS: Trait = "may fail for want of memory"
ADDITION = "hetad_plus"  # kernels, by type, that a derivative of a copy's adjoint launches

# The run: its begin and end, what it is told, what it checks.  A derivative that is differentiated again is no run of
# its own; the checks stand.
begin = Act("void begin(void)", pullback=Absorbed())
end = Act("void end(void)", pullback=Absorbed())
argument = Act("void argument(const void *p, size_t bytes, int on_device)", pullback=Absorbed())
limit = Act("void limit(size_t bytes, size_t on_host)", "adds nothing", pullback=Absorbed())
checkpoints_in = Act("void checkpoints_in(const char *directory)", "adds nothing", pullback=Absorbed())
site = Act("void site(int number)", pullback=Absorbed())
forward_done = Act("void forward_done(void)", "adds nothing", "needs no session", pullback=Absorbed())
launched = Act(
    "void launched(dim3 grid)", "adds nothing", "needs no session", "of reverse sweep", pullback=Absorbed()
)  # fmt: skip
primal_launched = Act("void primal_launched(void)", "adds nothing", "needs no session", pullback=Absorbed())
cublas_given = Act("void cublas_given(cublasHandle_t handle)", "needs no session", pullback=Absorbed())
require = Act("void require(int holds, const char *message)", pullback=Inactive())
require_disjoint = Act(
    "void require_disjoint(const void *p, const void *q, const char *message)", "by its own address",
    pullback=Inactive(),
)  # fmt: skip
require_space = Act(
    "void require_space(const void *p, int on_device, const char *message)", "asks extents", "by its own address",
    pullback=Inactive(),
)  # fmt: skip
pointer_at = Act("void *pointer_at(const void *p)", "asks extents", reads=(0,), kept=False, pullback=Inactive())
apart = Value("int apart(const void *p, const void *q)", pullback=Inactive())

# Marks: what the memory behind the pointer holds means nothing here; what follows restores all of the variables; the
# memory behind the pointer has values that cannot be restored.
undefined = Act("void undefined(const void *p)", pullback=Inactive())
found = Act("void found(...)")
lost = Act("void lost(...)")

# Memory of the derivative, and of the program once the derivative rules over it.
device_malloc = Act(
    "cudaError_t device_malloc(void **p, size_t bytes)", _FAILS, writes=(0,), kept=False, pullback=Means("cudaMalloc")
)
device_zeros = Act(
    "cudaError_t device_zeros(void **p, size_t bytes)",
    _FAILS,
    writes=(0,),
    kept=False,
    pullback=Spelled("cudaMalloc(p, bytes); cudaMemset(at_p, 0, bytes);"),
)
managed_zeros = Act(
    "cudaError_t managed_zeros(void **p, size_t bytes)",
    _FAILS,
    writes=(0,),
    kept=False,
    pullback=Spelled("cudaMallocManaged(p, bytes); memset(at_p, 0, bytes);"),
)
host_malloc = Act("void *host_malloc(size_t bytes)", _FAILS, "on the host", kept=False, pullback=Means("malloc"))
host_zeros = Act(
    "void *host_zeros(size_t bytes)", _FAILS, "on the host", kept=False, pullback=Spelled("result = calloc(1, bytes);")
)
symbol_address = Act(
    "cudaError_t symbol_address(void **p, const void *symbol, size_t bytes)",
    writes=(0,),
    kept=False,
    pullback=Means("cudaGetSymbolAddress"),
)
tape_allocate = Act(
    "void tape_allocate(void **tape, const unsigned *depth, dim3 grid, dim3 block, size_t bytes)", writes=(0,),
    pullback=Spelled(
        "unsigned cells;"
        "cudaMemcpy(&cells, depth, sizeof(unsigned), cudaMemcpyDeviceToHost);"
        "cudaMalloc(tape, (size_t)cells * grid.x * grid.y * grid.z * block.x * block.y * block.z * bytes);"
    ),
)  # fmt: skip
release = Act(
    "void release(void *p)", _FAILS, "adds nothing", "by its own address",
    pullback=InSpace("cudaFree(p);", "free(p);"),
)  # fmt: skip
# In text that keeps no list of what is allocated: see `targets/cuda/frees.py`.
device_free = Act("void device_free(void *p)", _FAILS, "adds nothing", pullback=Means("cudaFree"))
host_free = Act("void host_free(void *p)", "adds nothing", "on the host", pullback=Means("free"))
retire = Act("void retire(void *p)", _FAILS, writes=(0,), pullback=Absorbed())
revive = Act("void revive(void *p)", pullback=Absorbed())
revive_zeros = Act("void revive_zeros(void *p)", writes=(0,), pullback=Absorbed())
freed = Act(
    "void freed(const void *p)", _FAILS, "adds nothing", "asks extents", "by its own address", pullback=Absorbed()
)
kept_bytes = Act("size_t kept_bytes(const void *p, size_t bytes)", kept=False, pullback=Inactive())

ALLOCATION = {  # by space, and whether it is zeroed
    ("device", False): device_malloc, ("device", True): device_zeros, ("managed", True): managed_zeros,
    ("host", False): host_malloc, ("host", True): host_zeros,
}  # fmt: skip
ALLOCATIONS = tuple(ALLOCATION.values())
ENDS = (release, retire, revive, revive_zeros)  # of an allocation; or its begin, again

# Tables: device memory that holds pointers, which the host has, with a copy on the device for launches.
elements = Act("size_t elements(size_t bytes, size_t each)", kept=False, pullback=Inactive())
read_back = Act("void read_back(const void *p)")
nested = Act("void nested(const void *first, size_t stride)")
table_on_device = Value("void *table_on_device(const void *p)")

_ON_HOST = """
    real *term = malloc(bytes);
    memcpy(term, adj_dst, bytes);
    memset(adj_dst, 0, bytes);
    for (size_t k = 0; k < bytes / sizeof(real); ++k) {
        add_numbers;
    }
    free(term);
"""
_FROM_DEVICE = """
    real *term = malloc(bytes);
    cudaMemcpy(term, adj_dst, bytes, cudaMemcpyDeviceToHost);
    cudaMemset(adj_dst, 0, bytes);
    for (size_t k = 0; k < bytes / sizeof(real); ++k) {
        add_numbers;
    }
    free(term);
"""
_FROM_HOST = """
    real *term;
    cudaMalloc((void **)&term, bytes);
    cudaMemcpy(term, adj_dst, bytes, cudaMemcpyHostToDevice);
    memset(adj_dst, 0, bytes);
    add;
    cudaFree(term);
"""

_ROWS_ADDED = """
    for (size_t k = 0; k < height * row; ++k) {
        adj_src[k / row * (from_pitch / sizeof(real)) + k % row] += term[k];
    }
    free(term);
"""
_ROWS_CLEARED = """
    for (size_t k = 0; k < height; ++k) {
        memset(adj_dst + k * (to_pitch / sizeof(real)), 0, width);
    }
"""
_ROWS_ON_HOST = f"""
    size_t row = width / sizeof(real);
    real *term = malloc(height * width);
    cudaMemcpy2D(term, width, adj_dst, to_pitch, width, height, cudaMemcpyHostToHost);
    {_ROWS_CLEARED}
    {_ROWS_ADDED}
"""
_ROWS_FROM_DEVICE = f"""
    size_t row = width / sizeof(real);
    real *term = malloc(height * width);
    cudaMemcpy2D(term, width, adj_dst, to_pitch, width, height, cudaMemcpyDeviceToHost);
    cudaMemset2D(adj_dst, to_pitch, 0, width, height);
    {_ROWS_ADDED}
"""
_ROWS_FROM_HOST = f"""
    real *term;
    cudaMalloc((void **)&term, height * width);
    cudaMemcpy2D(term, width, adj_dst, to_pitch, width, height, cudaMemcpyHostToDevice);
    {_ROWS_CLEARED}
    add;
    cudaFree(term);
"""

# Where memory lies that is known only as the program runs: of one pointer, of both ends of a copy.
on_device = Value("int on_device(const void *p)", "asks extents", pullback=Inactive())
copy_kind = Value("int copy_kind(const void *dst, const void *src, int kind)", "asks extents", pullback=Inactive())

# Adjoints of memory operations: a fill, a copy, one that may overlap, one row by row; a scalar's, from the device.
clear = Act(
    "void clear(void *p, size_t bytes, int on_device)",
    _FAILS,
    "adds nothing",
    writes=(0,),
    pullback=InSpace("cudaMemset(p, 0, bytes);", "memset(p, 0, bytes);"),
)
clear_rows = Act(
    "void clear_rows(void *p, size_t pitch, size_t width, size_t height, int on_device)", _FAILS, "adds nothing",
    writes=(0,),
    pullback=InSpace(
        "cudaMemset2D(p, pitch, 0, width, height);",
        "for (size_t row = 0; row < height; ++row) { memset((char *)p + row * pitch, 0, width); }",
    ),
)  # fmt: skip
whole_numbers = Act(
    "void whole_numbers(const void *p, size_t bytes, size_t size)", "adds nothing", pullback=Inactive()
)  # fmt: skip
copy_pullback = Act(
    "void copy_pullback_real(real *adj_dst, real *adj_src, size_t bytes, int kind)", _FAILS, "of reverse sweep",
    reads=(0, 1), writes=(0, 1),
    pullback=OfCopy((_ON_HOST, _FROM_DEVICE, _FROM_HOST, "add; cudaMemset(adj_dst, 0, bytes);")),
)  # fmt: skip
move_pullback = Act(
    "void move_pullback_real(real *adj_dst, real *adj_src, size_t bytes)", _FAILS, "of reverse sweep", reads=(0, 1),
    writes=(0, 1),
    pullback=OfCopy((_ON_HOST,)),
)  # fmt: skip
rows_pullback = Act(
    "void rows_pullback_real(real *adj_dst, size_t to_pitch, real *adj_src, size_t from_pitch, size_t width,"
    " size_t height, int kind)",
    _FAILS, "of reverse sweep", reads=(0, 2), writes=(0, 2),
    pullback=OfCopy(
        (_ROWS_ON_HOST, _ROWS_FROM_DEVICE, _ROWS_FROM_HOST, "add; cudaMemset2D(adj_dst, to_pitch, 0, width, height);")
    ),
)  # fmt: skip
read_scalar = Act(
    "void read_scalar_real(real *adj, real *cell)",
    "of reverse sweep",
    reads=(0,),
    writes=(0,),
    pullback=Spelled(
        "real sum; cudaMemcpy(&sum, cell, sizeof(real), cudaMemcpyDeviceToHost);"
        " cudaMemset(cell, 0, sizeof(real)); at_adj += sum;"
    ),
)

# The tape: values; snapshots of an allocation, of one if the pointer leads to any, of bytes, of cells, of what a column
# of pointers leads to; other memory in place of a snapshot.
_SAVES: tuple[Trait, ...] = ("adds nothing", "remembers addresses")
_RESTORES: tuple[Trait, ...] = ("adds nothing", "of reverse sweep")
push = Act(
    "void push(const void *value, size_t bytes)", "adds nothing", "on the host", pullback=Means("hetad_keep_value")
)
pop = Act("void pop(void *value, size_t bytes)", "on the host", *_RESTORES, pullback=Means("hetad_recall_value"))
save = Act("void save(const void *p)", _FAILS, *_SAVES, pullback=Means("hetad_keep"))
save_reached = Act("void save_reached(const void *p)", _FAILS, *_SAVES)
save_range = Act("void save_range(const void *p, size_t bytes)", _FAILS, *_SAVES, pullback=Means("hetad_keep_range"))
save_part = Act(
    "void save_part(const void *p, long long first, long long last, size_t size)",
    _FAILS,
    *_SAVES,
    pullback=Means("hetad_keep"),
)
save_column = Act("void save_column(const void *first, size_t stride)", _FAILS, *_SAVES)
save_columns = Act(
    "void save_columns(const void *first, size_t between, size_t offset, size_t stride)", _FAILS, *_SAVES
)  # fmt: skip
rename = Act(
    "void rename(const void *p, long long first, long long last, size_t size, int sure)",
    *_SAVES,
    pullback=Means("hetad_keep"),
)
rename_range = Act(
    "void rename_range(const void *p, size_t bytes, int sure)", *_SAVES, pullback=Means("hetad_keep_range")
)
rename_part = Act(
    "void rename_part(const void *p, long long first, long long last, size_t size, int sure)",
    *_SAVES,
    pullback=Means("hetad_keep"),
)
rename_rows = Act(
    "void rename_rows(const void *p, long long first, long long last, size_t size, int sure, long long run,"
    " long long pitch)",
    *_SAVES,
    pullback=Means("hetad_keep"),
)
rename_planes = Act(
    "void rename_planes(const void *p, long long first, long long last, size_t size, int sure, long long run,"
    " long long pitch, long long run_2, long long pitch_2)",
    *_SAVES,
    pullback=Means("hetad_keep"),
)
renamed = Act("void renamed(const void *p)", *_SAVES, pullback=Absorbed())
now = Value("void *now(const void *p)", pullback=Passed("p"))
restore = Act("void restore(void *p)", _FAILS, *_RESTORES, pullback=Means("hetad_recall"))
restore_range = Act(
    "void restore_range(void *p, size_t bytes)", _FAILS, *_RESTORES, pullback=Means("hetad_recall_range")
)
restore_part = Act("void restore_part(void *p)", _FAILS, *_RESTORES, pullback=Means("hetad_recall"))
restore_column = Act("void restore_column(void)", _FAILS, *_RESTORES)
restore_columns = Act("void restore_columns(void)", _FAILS, *_RESTORES)

# The sets of a batch that run at once: how many, what one has of an argument; sizes for all, how far apart
# they lie, and where one does; values on the device.  What is done above for one, for each.
sets_at_once = Value("size_t sets_at_once(size_t bytes)", pullback=Inactive())
open_sets = Act("void open_sets(size_t sets)")
argument_sets = Act("void argument_sets(const void *p, size_t bytes, int on_device)")
of_sets = Value("size_t of_sets(size_t bytes)")
set_bytes = Value("size_t set_bytes(const void *p)", pullback=Inactive())
of_set = Value("void *of_set(const void *p, size_t set)")
upload = Act("void upload(void **to, const void *from, size_t size)", writes=(0,))
copy_sets = Act(
    "cudaError_t copy_sets(void *dst, size_t to, const void *src, size_t from, size_t bytes, int kind)", reads=(2,),
    writes=(0,),
)  # fmt: skip
fill_sets = Act("cudaError_t fill_sets(void *dst, size_t to, int value, size_t bytes)", writes=(0,))
clear_sets = Act("void clear_sets(void *p, size_t bytes, int on_device)", writes=(0,))
copy_pullback_sets = Act(
    "void copy_pullback_sets_real(real *adj_dst, real *adj_src, size_t bytes, int kind)", "of reverse sweep",
    reads=(0, 1), writes=(0, 1),
)  # fmt: skip
read_scalars = Act("void read_scalars_real(real *adj, real *cell)", "of reverse sweep", reads=(0,), writes=(0,))
tape_allocate_sets = Act(
    "void tape_allocate_sets(void **tape, const unsigned *depth, dim3 grid, dim3 block, size_t bytes)", writes=(0,)
)  # fmt: skip
push_sets = Act("void push_sets(const void *value, size_t bytes)", "adds nothing", "on the host")
pop_sets = Act("void pop_sets(void *value, size_t bytes)", "on the host", *_RESTORES)
save_sets = Act("void save_sets(const void *p, long long first, long long last, size_t size)", _FAILS, *_SAVES)
restore_sets = Act("void restore_sets(void *p)", _FAILS, *_RESTORES)
rename_sets = Act("void rename_sets(const void *p, long long first, long long last, size_t size, int sure)", *_SAVES)
rename_all = Act("void rename_all(const void *p, long long first, long long last, size_t size, int sure)", *_SAVES)
cleared_sets = Act("void cleared_sets(const void *p, long long first, long long last, size_t size, int sure)")

# Of programs on several devices: which device is current and what it may use of another, for the reverse sweep; and the
# cell on it of a number that kernels of several are given.
keep_device = Act("void keep_device(void)", "adds nothing")
return_to_device = Act("void return_to_device(void)", *_RESTORES)
keep_peer = Act("void keep_peer(int peer)", "adds nothing")
return_peer = Act("void return_peer(int peer)", *_RESTORES)
cell_here = Value("void *cell_here(const void *cell, size_t bytes)")

# Schedules of checkpoints: what to do next, from which step to which; whether there is one more step, where that is not
# known before, and whether this is the first time that it runs.
open_loop = Act("void open_loop(int line, size_t trips)")
reopen_loop = Act("void reopen_loop(void)", "of reverse sweep")
# Time loops that another process can go on with: the one that is opened next; the function's variables, which it takes
# up; memory that is only read; pointers and handles in memory, where the first is, how many bytes lie together and how
# far it is to the next; pointers in checkpoints; the end, from where on nothing is left to go on with.
resumes = Act("void resumes(void)", "adds nothing")
variable_numbers = Act("void variable_numbers(void *p, size_t bytes)", "adds nothing", "on the host", writes=(0,))
variable_pointers = Act("void variable_pointers(void *p, size_t bytes)", "adds nothing", "on the host", writes=(0,))
constant = Act("void constant(const void *p)", "adds nothing")
holds_pointers = Act(
    "void holds_pointers(const void *p, const void *first, size_t bytes, size_t stride)",
    "adds nothing",
)
holds_handles = Act(
    "void holds_handles(const void *p, const void *first, size_t bytes, size_t stride)",
    "adds nothing",
)
push_pointers = Act("void push_pointers(const void *pointers, size_t bytes)", "adds nothing", "on the host")
pop_pointers = Act("void pop_pointers(void *pointers, size_t bytes)", "on the host", *_RESTORES)
end_resume = Act("void end_resume(void)", "adds nothing")
goes_on = Act("void goes_on(int *more, int holds)", "adds nothing", writes=(0,), pullback=Spelled("at_more = holds;"))
first_run = Value("int first_run(void)", pullback=Inactive())
next_action = Act("void next(int *what, size_t *at, size_t *until)", "adds nothing", writes=(0, 1, 2))

# Which adjoints are zero in every cell.
was_zero = Value("bool was_zero(const void *p)", pullback=Inactive())
cleared = Act(
    "void cleared(const void *p, long long first, long long last, size_t size, int sure)", _FAILS, "adds nothing",
    pullback=Absorbed(),
)  # fmt: skip
added = Act("void added(const void *p)", pullback=Absorbed())
added_anywhere = Act("void added_anywhere(void)", pullback=Absorbed())

# The cell that a lane comes to in a turn, of so many, where each lane begins at another one.
spread = Value("int spread(int turn, unsigned lane, int cells)", pullback=Inactive())

# Cells of adjoints in kernels: read one and clear it; exchange what it holds; add a sum over the block, the same where
# no other block adds, a sum over the lanes that come together, to cells that follow each other, to these one by one, to
# these where the next lane may begin in the middle, a sum over the block where the same cell recurs.
take = Value("real take_real(real *p)", reads=(0,), writes=(0,), pullback=Spelled("result = at_p; at_p = 0;"))
swap = Act(
    "real swap_real(real *p, real value)",
    reads=(0,),
    writes=(0,),
    pullback=Spelled("real held = value; result = at_p; at_p = held;"),
)
block_add = Act("void block_add_real(real *target, real value)", writes=(0,), pullback=Means("atomicAdd"))
block_sum = Act("void block_sum_real(real *target, real value)", writes=(0,), pullback=Means("atomicAdd"))
warp_add = Act("void warp_add_real(real *target, real value)", writes=(0,), pullback=Means("atomicAdd"))
add_run = Act(
    "void add_run_real(real *target, const real *values, int count)", writes=(0,), pullback=Means("atomicAdd")
)
add_each = Act(
    "void add_each_double(double *target, const double *values, int count)", writes=(0,), pullback=Means("atomicAdd")
)
add_chain = Act(
    "void add_chain_double(double *target, const double *values, int count)", writes=(0,), pullback=Means("atomicAdd")
)
RUNS = (add_run, add_each, add_chain)  # to cells that follow each other, as many as the operand `count`
hot_begin = Act("void hot_begin_real(void)", pullback=Absorbed())
hot_add = Act("void hot_add_real(real *target, real value)", writes=(0,), pullback=Means("atomicAdd"))
hot_end = Act("void hot_end_real(void)", pullback=Absorbed())
HOT = (hot_begin, hot_add, hot_end)
lane_sum = Value(
    "real lane_sum_real(real value, unsigned lanes)",
    pullback=Spelled(
        "result = value; for (unsigned offset = lanes / 2; offset > 0; offset /= 2) {"
        " result += __shfl_xor_sync(0xffffffff, result, offset); }"
    ),
)
of_lane = Value(
    "any of_lane(any value, unsigned member, unsigned lanes)",
    pullback=Spelled("result = value; if (lanes > 1) { result = __shfl_sync(0xffffffff, result, member, lanes); }"),
)
# A multiple of a seed in a derivative that is differentiated again: zero where the seed is, whatever the factor.
guarded = Value("any guarded(any seed, any value)", kept=False, pullback=Passed("value", "seed"))
replay = Value("any replay(any recorded, any value)", pullback=Passed("value"))  # the recorded in place of the value

# How many lanes, teams, tiles and blocks a target gives work to.
lanes = Value("unsigned lanes(void)", pullback=Inactive())
few_lanes = Value("unsigned few_lanes(void)", pullback=Inactive())
team = Value("unsigned team(unsigned blocks, unsigned threads)", pullback=Inactive())
tiling = Value("unsigned tiling(unsigned blocks)", pullback=Inactive())
marched = Value("unsigned marched(unsigned blocks, size_t threads)", pullback=Inactive())
blocks = Value("unsigned blocks(unsigned blocks, unsigned rows)", pullback=Inactive())

# Where the lanes of a strip begin and end on the CPU, that are within a bound.
raised = Value("long raised(long first, long bound, long end)", pullback=Inactive())
lowered = Value("long lowered(long end, long bound, long first)", pullback=Inactive())
