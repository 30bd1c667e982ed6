// What Python sees of a running program: how far it is.  And Ctrl-C: after one the program stops at its next launch,
// after another one wherever it is, but for calls of libraries and of hetad's own, which it ends first.
struct hetad_watch {
    size_t launches, forward;  // launches so far, and those of the forward sweep once it is done
    size_t steps, all_steps;   // of a time loop that runs by a schedule: runs and reversals of steps
};

struct hetad_watch hetad_watch;
int hetad_catches_interrupts;  // set by Python in its main thread

static struct hetad_running hetad_this_call;

static inline void hetad_begin_watch(void)
{
    memset(&hetad_watch, 0, sizeof hetad_watch);
    hetad_this_call.catches = hetad_catches_interrupts;
    hetad_this_call.stop = hetad_stop;
    hetad_process->begin(&hetad_this_call);
}

static inline void hetad_end_watch(void)
{
    hetad_process->end(&hetad_this_call);
}

// Around what must not be left half done.
static inline void hetad_stay(void)
{
    *hetad_this_call.may_leave = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void hetad_may_go(void)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    *hetad_this_call.may_leave = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (hetad_this_call.interrupts > 1) {
        *hetad_this_call.may_leave = 0;
        hetad_stop(HETAD_INTERRUPTED);
    }
}

static inline void hetad_watch_launch(void)
{
    ++hetad_watch.launches;
    if (hetad_this_call.interrupts > 0) {
        *hetad_this_call.may_leave = 0;
        hetad_stop(HETAD_INTERRUPTED);
    }
}

static inline void hetad_watch_turn(void)
{
    hetad_watch.forward = hetad_watch.launches;
}

static inline void hetad_watch_steps(int64_t steps, int64_t of)
{
    hetad_watch.steps += (size_t)steps;
    hetad_watch.all_steps += (size_t)of;
}
