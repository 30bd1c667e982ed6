// Memory of so many bytes is copied or set.
static inline void hetad_sized(size_t bytes)
{
    if (bytes > (size_t)PTRDIFF_MAX) {
        hetad_fail("a copy or a fill of a negative number of bytes, or of more than any memory holds");
    }
}
