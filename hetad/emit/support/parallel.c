// Blocks in parallel: the caller and the workers of a pool take ranges of blocks until there are none left.
#include <pthread.h>

typedef void (*hetad_block_range)(dim3, dim3, char *, size_t, void **, size_t, size_t);

static int hetad_thread_count = 1;
static struct {
    pthread_mutex_t lock;
    pthread_cond_t start, done;
    int workers, wanted, busy, code;
    unsigned long generation;
    hetad_block_range run;
    dim3 grid, block;
    size_t shared, next, total, chunk;
    void **args;
} hetad_pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .start = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};
static _Thread_local jmp_buf hetad_landing;

static void hetad_land(int code)
{
    longjmp(hetad_landing, code);
}

static void hetad_work(void)
{
    const int code = setjmp(hetad_landing);
    if (code == 0) {
        hetad_leave = hetad_land;
        char *const dynamic = hetad_dynamic_shared(hetad_pool.shared);
        for (;;) {
            const size_t first = __atomic_fetch_add(&hetad_pool.next, hetad_pool.chunk, __ATOMIC_RELAXED);
            if (first >= hetad_pool.total) {
                break;
            }
            const size_t rest = hetad_pool.total - first, n = rest < hetad_pool.chunk ? rest : hetad_pool.chunk;
            hetad_pool.run(
                hetad_pool.grid, hetad_pool.block, dynamic, hetad_pool.shared, hetad_pool.args, first, first + n);
        }
    } else {
        __atomic_store_n(&hetad_pool.next, hetad_pool.total, __ATOMIC_RELAXED);
        __atomic_store_n(&hetad_pool.code, code, __ATOMIC_RELAXED);
    }
    hetad_leave = NULL;
}

static void *hetad_worker(void *number)
{
    unsigned long seen = 0;
    pthread_mutex_lock(&hetad_pool.lock);
    for (;;) {
        while (hetad_pool.generation == seen || (int)(size_t)number >= hetad_pool.wanted) {
            seen = hetad_pool.generation;
            pthread_cond_wait(&hetad_pool.start, &hetad_pool.lock);
        }
        seen = hetad_pool.generation;
        pthread_mutex_unlock(&hetad_pool.lock);
        hetad_work();
        pthread_mutex_lock(&hetad_pool.lock);
        if (--hetad_pool.busy == 0) {
            pthread_cond_signal(&hetad_pool.done);
        }
    }
    return NULL;
}

static void hetad_after_fork(void)
{
    hetad_pool.workers = 0;  // they exist in the parent only
    hetad_pool.generation = 0;
    pthread_mutex_init(&hetad_pool.lock, NULL);
    pthread_cond_init(&hetad_pool.start, NULL);
    pthread_cond_init(&hetad_pool.done, NULL);
}

// As many workers as are wanted, or as there can be; the lock is held.
static void hetad_hire(int wanted)
{
    static int registered;
    if (!registered) {
        registered = 1;
        pthread_atfork(NULL, NULL, hetad_after_fork);
    }
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 8 << 20);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    while (hetad_pool.workers < wanted) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, hetad_worker, (void *)(size_t)hetad_pool.workers) != 0) {
            break;
        }
        ++hetad_pool.workers;
    }
    pthread_attr_destroy(&attributes);
}

static void hetad_run_parallel(hetad_block_range run, dim3 grid, dim3 block, size_t shared, void **args)
{
    const size_t total = (size_t)grid.x * grid.y * grid.z;
    const int threads = total < (size_t)hetad_thread_count ? (int)total : hetad_thread_count;
    if (threads <= 1) {
        run(grid, block, hetad_dynamic_shared(shared), shared, args, 0, total);
        return;
    }
    pthread_mutex_lock(&hetad_pool.lock);
    hetad_hire(threads - 1);
    const size_t chunk = total / ((size_t)threads * 8);
    hetad_pool.wanted = threads - 1 < hetad_pool.workers ? threads - 1 : hetad_pool.workers;
    hetad_pool.busy = hetad_pool.wanted;
    hetad_pool.run = run;
    hetad_pool.grid = grid;
    hetad_pool.block = block;
    hetad_pool.shared = shared;
    hetad_pool.args = args;
    hetad_pool.next = 0;
    hetad_pool.total = total;
    hetad_pool.chunk = chunk > 0 ? chunk : 1;
    hetad_pool.code = 0;
    ++hetad_pool.generation;
    pthread_cond_broadcast(&hetad_pool.start);
    pthread_mutex_unlock(&hetad_pool.lock);
    hetad_work();
    pthread_mutex_lock(&hetad_pool.lock);
    while (hetad_pool.busy > 0) {
        pthread_cond_wait(&hetad_pool.done, &hetad_pool.lock);
    }
    pthread_mutex_unlock(&hetad_pool.lock);
    if (hetad_pool.code != 0) {
        hetad_stop(hetad_pool.code);
    }
}

void hetad_cpu_threads(int threads)
{
    hetad_thread_count = threads;
}
