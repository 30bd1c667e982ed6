// The known buffers, sorted by address.
struct hetad_allocation {
    char *start;
    size_t bytes;  // see hetad_find  // if used
    int on_device;
    int owned;  // by the derivative, which frees it: see hetad_register  // if used
    size_t each;  // see hetad_set_bytes: of the caller's, what each set of a batch has  // if used
    int zero;  // see hetad_was_zero: whether all of it is known to be zero  // if used
    size_t serial;  // see hetad_next_serial  // if used
    int constant;  // see hetad_constant: whether the program only reads it  // if used
    size_t buffer, older, fresh;  // see hetad_now: where the content is, and was; whether it was moved just now  // if used
};

static struct hetad_allocation *hetad_allocations;
static size_t hetad_allocation_count, hetad_allocation_room;

static void hetad_make_room(void)
{
    if (hetad_allocation_count == hetad_allocation_room) {
        size_t room = 2 * hetad_allocation_room + 16;
        void *moved = realloc(hetad_allocations, room * sizeof *hetad_allocations);
        if (moved == NULL) {
            hetad_fail("out of host memory");
        }
        hetad_allocations = (struct hetad_allocation *)moved;
        hetad_allocation_room = room;
    }
}
