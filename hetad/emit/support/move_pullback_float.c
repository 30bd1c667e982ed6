// The adjoint of memmove(dst, src, bytes), whose ranges may overlap: t = adj_dst; adj_dst = 0; adj_src += t.
static void hetad_move_pullback_float(float *adj_dst, float *adj_src, size_t bytes)
{
    hetad_sized(bytes);  // if used
    size_t n = bytes / sizeof(float);
    if (adj_dst == NULL || adj_src == NULL || bytes == 0) {
        return;
    }
    if (n * sizeof(float) != bytes) {
        hetad_fail("a copy of part of a number has no derivative");
    }
    float *term = (float *)malloc(bytes);
    if (term == NULL) {
        hetad_fail("out of host memory");
    }
    memcpy(term, adj_dst, bytes);
    memset(adj_dst, 0, bytes);
    for (size_t i = 0; i < n; ++i) {
        adj_src[i] += term[i];
    }
    free(term);
}
