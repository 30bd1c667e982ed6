// Not all threads that an operation waits for are here.
__attribute__((noreturn)) static void hetad_missing(const char *place, const char *what, size_t which)
{
    static _Thread_local char text[512];
    snprintf(text, sizeof text,
             "%s: %s %zu does not come here in the same iteration of the loops around; HETAD_CPU_MODE=fibers lets threads "
             "wait for each other", place, what, which);
    hetad_place = NULL;
    hetad_fail(text);
}

// All threads of the block that have not returned have to be `here`; `alive` is NULL where none has.
static inline void hetad_all_come(const unsigned char *here, const unsigned char *alive, size_t threads, const char *place)
{
    for (size_t t = 0; t < threads; ++t) {
        if (!here[t] && (alive == NULL || alive[t])) {
            hetad_missing(place, "thread", t);
        }
    }
}

// All lanes that the thread's mask names, and that have not returned, have to be here, with the same mask: `masks` has
// those of the threads that are.
static inline void hetad_all_named(
    const unsigned *masks, const unsigned char *alive, size_t t, size_t threads, const char *place)
{
    const size_t first = t & ~(size_t)31;
    for (size_t lane = 0; lane < 32 && first + lane < threads; ++lane) {
        const size_t other = first + lane;
        if (masks[t] >> lane & 1 && masks[other] != masks[t] && (alive == NULL || alive[other])) {
            hetad_missing(place, "of the lanes that its mask names,", lane);
        }
    }
}
