/* What all compiled programs of a process share: memory of threads, a pool of threads, and Ctrl-C. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime.h"

#ifdef __GLIBC__ /* a signal handler reads these: no memory may have to be found for them first */
#define OF_THREAD static _Thread_local __attribute__((tls_model("initial-exec")))
#else
#define OF_THREAD static _Thread_local
#endif

OF_THREAD volatile sig_atomic_t may_leave; /* whether Ctrl-C may take this thread out of what it does */

/* --- Ctrl-C ----------------------------------------------------------------------------------------------------- */

struct job;

struct worker {
    pthread_t thread;
    struct job *volatile job;
    struct worker *next;
};

struct job {
    void (*work)(void *);
    void *data;
    void (*stop)(int code);
    int wanted, busy; /* how many more threads may come, and how many are there */
    volatile sig_atomic_t stopping;
    pthread_cond_t done;
    struct job *next;
};

OF_THREAD struct worker *volatile me; /* in threads of the pool */
static struct hetad_running *volatile watched;
static struct sigaction before_watch;

/* The first one ends the program at its next launch; the second one takes it out of what it does, unless that would
 * leave something half done, and then as soon as that is done. */
static void on_interrupt(int number)
{
    const int error = errno;
    struct hetad_running *const call = watched;
    if (me != NULL && me->job != NULL && me->job->stopping) {
        if (may_leave) {
            may_leave = 0;
            me->job->stop(HETAD_INTERRUPTED);
        }
    } else if (call != NULL && !pthread_equal(pthread_self(), call->thread)) {
        pthread_kill(call->thread, number);
    } else if (call != NULL && ++call->interrupts > 1 && may_leave) {
        may_leave = 0;
        call->stop(HETAD_INTERRUPTED);
    }
    errno = error;
}

/* Whether this thread is to leave what it does. */
static int is_over(void)
{
    const struct hetad_running *const call = watched;
    if (me != NULL)
        return me->job != NULL && me->job->stopping;
    return call != NULL && call->interrupts > 1 && pthread_equal(pthread_self(), call->thread);
}

static volatile sig_atomic_t *leave_flag(void)
{
    return &may_leave;
}

/* Ends what must not be left half done, with what `may_leave` was before; Ctrl-C may have come meanwhile. */
static void settle(sig_atomic_t before)
{
    may_leave = before;
    if (before && is_over()) {
        may_leave = 0;
        (me != NULL ? me->job->stop : watched->stop)(HETAD_INTERRUPTED);
    }
}

static void begin(struct hetad_running *call)
{
    call->interrupts = 0;
    call->thread = pthread_self();
    call->may_leave = &may_leave;
    may_leave = 0;
    if (!call->catches)
        return;
    struct sigaction ours;
    memset(&ours, 0, sizeof ours);
    ours.sa_handler = on_interrupt;
    ours.sa_flags = SA_NODEFER; /* it may not return */
    watched = call;
    sigaction(SIGINT, &ours, &before_watch);
    call->catches = before_watch.sa_handler != SIG_IGN;
    if (!call->catches) {
        sigaction(SIGINT, &before_watch, NULL);
        watched = NULL;
    }
}

/* Whoever handles Ctrl-C otherwise learns of it now. */
static void end(struct hetad_running *call)
{
    may_leave = 0;
    if (call->catches) {
        sigaction(SIGINT, &before_watch, NULL);
        watched = NULL;
        if (call->interrupts > 0)
            raise(SIGINT);
    }
}

/* --- memory ----------------------------------------------------------------------------------------------------- */

struct memory {
    void *start[2];
    size_t room[2];
};

OF_THREAD struct memory *memory;
static pthread_key_t key;

static void forget(void *p)
{
    struct memory *m = p;
    free(m->start[0]);
    free(m->start[1]);
    free(m);
    memory = NULL;
}

__attribute__((constructor)) static void make_key(void)
{
    pthread_key_create(&key, forget);
}

/* Memory of the calling thread, of one of two kinds, until it asks for more of that kind or ends; NULL: there is none. */
static void *thread_memory(int kind, size_t bytes)
{
    struct memory *m = memory;
    if (m != NULL && bytes <= m->room[kind])
        return m->start[kind];
    const sig_atomic_t before = may_leave;
    may_leave = 0;
    if (m == NULL && (m = calloc(1, sizeof *m)) != NULL && pthread_setspecific(key, m) != 0) {
        free(m);
        m = NULL;
    }
    memory = m;
    if (m != NULL) {
        free(m->start[kind]);
        m->room[kind] = (bytes + 4095) / 4096 * 4096;
        m->start[kind] = aligned_alloc(64, m->room[kind]);
        if (m->start[kind] == NULL)
            m->room[kind] = 0;
    }
    settle(before);
    return m != NULL ? m->start[kind] : NULL;
}

/* --- threads ---------------------------------------------------------------------------------------------------- */

enum { IDLE_SECONDS = 5 }; /* after which a thread of the pool ends */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t start;
    struct worker *workers;
    struct job *jobs; /* that may have more threads */
    int count;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .start = PTHREAD_COND_INITIALIZER};

static struct timespec in(long milliseconds)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += milliseconds / 1000;
    t.tv_nsec += milliseconds % 1000 * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        ++t.tv_sec;
    }
    return t;
}

static struct job *open_job(void)
{
    struct job *j = pool.jobs;
    while (j != NULL && j->wanted == 0)
        j = j->next;
    return j;
}

static void dismiss(struct worker *self)
{
    struct worker **at = &pool.workers;
    while (*at != self)
        at = &(*at)->next;
    *at = self->next;
    --pool.count;
    free(self);
}

static void *serve(void *data)
{
    struct worker *const self = data;
    sigset_t interrupt;
    may_leave = 0;
    me = self;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_UNBLOCK, &interrupt, NULL);
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        struct job *const job = open_job();
        if (job == NULL) {
            const struct timespec until = in(1000 * IDLE_SECONDS);
            if (pthread_cond_timedwait(&pool.start, &pool.lock, &until) == ETIMEDOUT && open_job() == NULL)
                break;
            continue;
        }
        --job->wanted;
        ++job->busy;
        self->job = job;
        pthread_mutex_unlock(&pool.lock);
        job->work(job->data);
        pthread_mutex_lock(&pool.lock);
        self->job = NULL;
        if (--job->busy == 0)
            pthread_cond_signal(&job->done);
    }
    me = NULL;
    dismiss(self);
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

/* As many threads as are wanted, or as there can be; the lock is held. */
static void hire(int wanted)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* a thread begins with the signals of the one that makes it */
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 8 << 20);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    while (pool.count < wanted) {
        struct worker *const fresh = calloc(1, sizeof *fresh);
        if (fresh == NULL)
            break;
        if (pthread_create(&fresh->thread, &attributes, serve, fresh) != 0) {
            free(fresh);
            break;
        }
        fresh->next = pool.workers;
        pool.workers = fresh;
        ++pool.count;
    }
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void close_job(struct job *job)
{
    struct job **at = &pool.jobs;
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
}

/* Takes the threads out of a job that is not to be finished, as often as it takes. */
static void stop_workers(struct job *job)
{
    job->stopping = 1;
    for (struct worker *w = pool.workers; w != NULL; w = w->next)
        if (w->job == job)
            pthread_kill(w->thread, SIGINT);
}

/* Work of the calling thread, in which up to so many others help; it is done when this returns.  Nobody waits for a
 * thread that has other work: the caller would do all of it. */
static void together(void (*work)(void *), void *data, int helpers, void (*stop)(int))
{
    struct job job = {.work = work, .data = data, .stop = stop, .wanted = helpers};
    pthread_cond_init(&job.done, NULL);
    pthread_mutex_lock(&pool.lock);
    hire(helpers);
    job.next = pool.jobs;
    pool.jobs = &job;
    for (int i = 0; i < helpers; ++i)
        pthread_cond_signal(&pool.start);
    pthread_mutex_unlock(&pool.lock);
    work(data);
    pthread_mutex_lock(&pool.lock);
    close_job(&job);
    while (job.busy > 0) {
        const int over = is_over();
        const struct timespec until = in(over ? 2 : 50);
        if (over)
            stop_workers(&job);
        pthread_cond_timedwait(&job.done, &pool.lock, &until);
    }
    pthread_mutex_unlock(&pool.lock);
    pthread_cond_destroy(&job.done);
}

/* In the child of a fork only the thread exists that forked. */
static void after_fork(void)
{
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.start, NULL);
    pool.workers = NULL;
    pool.jobs = NULL;
    pool.count = 0;
    me = NULL;
    if (watched != NULL && !pthread_equal(pthread_self(), watched->thread)) {
        sigaction(SIGINT, &before_watch, NULL);
        watched = NULL;
    }
}

__attribute__((constructor)) static void at_fork(void)
{
    pthread_atfork(NULL, NULL, after_fork);
}

const struct hetad_process *hetad_process_functions(void)
{
    static const struct hetad_process functions = {thread_memory, leave_flag, settle, is_over, together, begin, end};
    return &functions;
}

int hetad_process_threads(void)
{
    pthread_mutex_lock(&pool.lock);
    const int count = pool.count;
    pthread_mutex_unlock(&pool.lock);
    return count;
}
