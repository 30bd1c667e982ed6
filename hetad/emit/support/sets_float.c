// As hetad_copy_pullback_float, for every set.
static void hetad_copy_pullback_sets_float(float *adj_dst, float *adj_src, size_t bytes, int kind)
{
    const size_t to = hetad_set_bytes(adj_dst), from = hetad_set_bytes(adj_src);
    if (adj_dst != NULL && hetad_is_pitch(to) && (adj_src == NULL || hetad_is_pitch(from))) {
        hetad_rows_pullback_float(adj_dst, to, adj_src, from, bytes, hetad_sets, kind);
        return;
    }
    for (size_t set = 0; set < hetad_sets; ++set) {
        hetad_copy_pullback_float((float *)((char *)adj_dst + set * to), (float *)((char *)adj_src + set * from), bytes, kind);
    }
}

// The adjoint of a scalar of each set.
static void hetad_read_scalars_float(float *adj, float *cell)
{
    const size_t to = hetad_set_bytes(adj), from = hetad_set_bytes(cell);
    float *sums = (float *)malloc(hetad_sets * sizeof(float));
    if (sums == NULL) {
        hetad_fail("out of host memory");
    }
    hetad_check(hetad_copy_sets(sums, sizeof(float), cell, from, sizeof(float), cudaMemcpyDeviceToHost));
    hetad_check(hetad_fill_sets(cell, from, 0, sizeof(float)));
    for (size_t set = 0; set < hetad_sets; ++set) {
        *(float *)((char *)adj + set * to) += sums[set];
    }
    free(sums);
}
