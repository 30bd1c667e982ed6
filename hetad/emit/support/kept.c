// How many bytes of an allocation of the program's own stay when it is given another size.
static size_t hetad_kept_bytes(const void *p, size_t bytes)
{
    if (p == NULL) {
        return 0;
    }
    struct hetad_allocation *a = hetad_find(p);
    if (a == NULL || !a->owned || a->start != (const char *)p) {
        hetad_fail("the program gives another size to memory that it did not allocate");
    }
    return a->bytes < bytes ? a->bytes : bytes;
}
