// Memory for what threads keep between regions, of one block at a time; each worker has its own.
static char *hetad_arena(size_t bytes) __attribute__((malloc, noinline));
static char *hetad_arena(size_t bytes)
{
    static _Thread_local char *arena;
    static _Thread_local size_t room;
    if (bytes > room) {
        free(arena);
        room = (bytes + 4095) / 4096 * 4096;
        arena = aligned_alloc(64, room);
        if (arena == NULL) {
            room = 0;
            hetad_fail("out of host memory");
        }
    }
    return arena;
}

// The dynamic shared memory of a launch.
static char *hetad_dynamic_shared(size_t bytes) __attribute__((malloc, noinline));
static char *hetad_dynamic_shared(size_t bytes)
{
    static _Thread_local char *memory;
    static _Thread_local size_t room;
    if (bytes > room || memory == NULL) {
        free(memory);
        room = (bytes + 4096) / 4096 * 4096;
        memory = aligned_alloc(64, room);
        if (memory == NULL) {
            room = 0;
            hetad_fail("out of host memory");
        }
    }
    return memory;
}
