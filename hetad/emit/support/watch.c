// What Python sees of a running program: how far it is.  And Ctrl-C, after which it stops at its next launch.
struct hetad_watch {
    size_t launches, forward;  // launches so far, and those of the forward sweep once it is done
    size_t steps, all_steps;   // of a time loop that runs by a schedule: runs and reversals of steps
};

struct hetad_watch hetad_watch;
int hetad_catches_interrupts;  // set by Python in its main thread

static volatile sig_atomic_t hetad_interrupted;
static struct sigaction hetad_handler_before;

static void hetad_on_interrupt(int number)
{
    (void)number;
    hetad_interrupted = 1;
}

static void hetad_begin_watch(void)
{
    memset(&hetad_watch, 0, sizeof hetad_watch);
    hetad_interrupted = 0;
    if (hetad_catches_interrupts) {
        struct sigaction ours;
        memset(&ours, 0, sizeof ours);
        ours.sa_handler = hetad_on_interrupt;
        sigaction(SIGINT, NULL, &hetad_handler_before);
        if (hetad_handler_before.sa_handler != SIG_IGN) {
            sigaction(SIGINT, &ours, NULL);
        }
    }
}

// Whoever handles Ctrl-C otherwise learns of it now.
static void hetad_end_watch(void)
{
    if (hetad_catches_interrupts) {
        sigaction(SIGINT, &hetad_handler_before, NULL);
        if (hetad_interrupted) {
            raise(SIGINT);
        }
    }
}

static inline void hetad_watch_launch(void)
{
    ++hetad_watch.launches;
    if (hetad_interrupted) {
        snprintf(hetad_text, sizeof hetad_text, "the program was interrupted");
        hetad_stop(3);
    }
}

static void hetad_watch_turn(void)
{
    hetad_watch.forward = hetad_watch.launches;
}

static void hetad_watch_steps(int64_t steps, int64_t of)
{
    hetad_watch.steps += (size_t)steps;
    hetad_watch.all_steps += (size_t)of;
}
