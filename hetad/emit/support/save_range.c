// The bytes from p on, wherever they are: what is not known as device memory is the host's.
static void hetad_save_range(const void *p, size_t bytes)
{
    hetad_sized(bytes);  // if used
    struct hetad_allocation *a = hetad_find(p);
    hetad_save_bytes((char *)p, p != NULL ? bytes : 0, a != NULL && a->on_device);
}

static void hetad_restore_range(void *p, size_t bytes)
{
    struct hetad_snapshot s;
    hetad_pop(&s, sizeof s);
    if (s.bytes != (p != NULL ? bytes : 0)) {
        hetad_fail("internal error: a snapshot of another length");
    }
    hetad_restore_bytes(&s, (char *)p);
}
