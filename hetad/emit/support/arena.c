// Memory for what threads keep between regions, of one block at a time; each thread of the machine has its own.
static char *hetad_arena(size_t bytes) __attribute__((malloc, noinline));
static char *hetad_arena(size_t bytes)
{
    char *const arena = (char *)hetad_process->memory(0, bytes);
    if (arena == NULL) {
        hetad_fail("out of host memory");
    }
#ifdef HETAD_CHECKED
    hetad_arena_extent = hetad_extent_at(arena, bytes);
#endif
    return arena;
}

// The dynamic shared memory of a launch.
static char *hetad_dynamic_shared(size_t bytes) __attribute__((malloc, noinline));
static char *hetad_dynamic_shared(size_t bytes)
{
    char *const memory = (char *)hetad_process->memory(1, bytes > 0 ? bytes : 1);
    if (memory == NULL) {
        hetad_fail("out of host memory");
    }
#ifdef HETAD_CHECKED
    hetad_dynamic_extent = hetad_extent_at(memory, bytes);
#endif
    return memory;
}
