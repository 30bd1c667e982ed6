// Blocks in parallel: the caller and threads of the process take ranges of blocks until there are none left.
typedef void (*hetad_block_range)(dim3, dim3, char *, size_t, void **, size_t, size_t);

static int hetad_thread_count = 1;
struct hetad_blocks_left {
    hetad_block_range run;
    dim3 grid, block;
    size_t shared, next, total, chunk;
    void **args;
    int code;
};
static _Thread_local jmp_buf hetad_landing;

static void hetad_land(int code)
{
    longjmp(hetad_landing, code);
}

static void hetad_work(void *data)
{
    struct hetad_blocks_left *const left = (struct hetad_blocks_left *)data;
    volatile sig_atomic_t *const may_leave = hetad_process->leave_flag();
#ifdef HETAD_CHECKED
    const char *const stack = hetad_stack;
    hetad_stack = (const char *)__builtin_frame_address(0);
#endif
    const int code = setjmp(hetad_landing);
    if (code == 0) {
        hetad_leave = hetad_land;
        char *const dynamic = hetad_dynamic_shared(left->shared);
        *may_leave = 1;
        for (;;) {
            const size_t first = __atomic_fetch_add(&left->next, left->chunk, __ATOMIC_RELAXED);
            if (first >= left->total) {
                break;
            }
            const size_t rest = left->total - first, n = rest < left->chunk ? rest : left->chunk;
            left->run(left->grid, left->block, dynamic, left->shared, left->args, first, first + n);
        }
    } else {
        __atomic_store_n(&left->next, left->total, __ATOMIC_RELAXED);
        __atomic_store_n(&left->code, code, __ATOMIC_RELAXED);
    }
    *may_leave = 0;
    hetad_leave = NULL;
#ifdef HETAD_CHECKED
    hetad_stack = stack;
#endif
}

static void hetad_run_parallel(hetad_block_range run, dim3 grid, dim3 block, size_t shared, void **args)
{
    const size_t total = (size_t)grid.x * grid.y * grid.z;
    const int threads = total < (size_t)hetad_thread_count ? (int)total : hetad_thread_count;
    if (threads <= 1) {
        run(grid, block, hetad_dynamic_shared(shared), shared, args, 0, total);
        return;
    }
    volatile sig_atomic_t *const may_leave = hetad_process->leave_flag();
    const sig_atomic_t before = *may_leave;
    *may_leave = 0;
    const size_t chunk = total / ((size_t)threads * 8);
    struct hetad_blocks_left left = {run, grid, block, shared, 0, total, chunk > 0 ? chunk : 1, args, 0};
    hetad_process->together(hetad_work, &left, threads - 1, hetad_stop);
    if (left.code != 0) {
        hetad_stop(left.code);
    }
    hetad_process->settle(before);
}

void hetad_cpu_threads(int threads)
{
    hetad_thread_count = threads;
}
