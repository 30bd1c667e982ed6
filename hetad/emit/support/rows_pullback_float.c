// The adjoint of cudaMemcpy2D(dst, src, ...): t = adj_dst; adj_dst = 0; adj_src += t, row by row.
static void hetad_rows_pullback_float(float *adj_dst, size_t to_pitch, float *adj_src, size_t from_pitch, size_t width,
                                      size_t height, int kind)
{
    if (adj_dst == NULL || width == 0 || height == 0) {
        return;
    }
    hetad_sized(height > PTRDIFF_MAX / (width > from_pitch ? width : from_pitch) ? SIZE_MAX : height * width);  // if used
    int sides = hetad_copy_sides(kind), to_device = sides & 1, from_device = sides & 2;
    int back = (to_device ? 2 : 0) + (from_device ? 1 : 0);
    size_t row = width / sizeof(float), pitch = from_pitch / sizeof(float), n = row * height;
    if (row * sizeof(float) != width || pitch * sizeof(float) != from_pitch || to_pitch % sizeof(float) != 0) {
        hetad_fail("a copy of part of a number has no derivative");
    }
    float *term = NULL;
    const int before = hetad_go_to(from_device && adj_src != NULL ? adj_src : adj_dst);  // if used
    if (adj_src != NULL && from_device) {
        hetad_check(cudaMalloc((void **)&term, n * sizeof(float)));
    } else if (adj_src != NULL) {
        term = (float *)malloc(n * sizeof(float));
        if (term == NULL) {
            hetad_fail("out of host memory");
        }
    }
    if (adj_src != NULL) {
        hetad_check(cudaMemcpy2D(term, width, adj_dst, to_pitch, width, height, (cudaMemcpyKind)back));
    }
    if (to_device) {
        hetad_go_to(adj_dst);  // if used
        hetad_check(cudaMemset2D(adj_dst, to_pitch, 0, width, height));
    } else {
        for (size_t i = 0; i < height; ++i) {
            memset((char *)adj_dst + i * to_pitch, 0, width);
        }
    }
    if (adj_src != NULL && from_device) {
        hetad_go_to(adj_src);  // if used
        HETAD_LAUNCH(hetad_accumulate_rows_float, (unsigned)((n + 255) / 256), 256, adj_src, term, n, row, pitch);
        hetad_check(cudaGetLastError());
        hetad_check(cudaFree(term));
    } else if (adj_src != NULL) {
        for (size_t i = 0; i < n; ++i) {
            adj_src[i / row * pitch + i % row] += term[i];
        }
        free(term);
    }
    hetad_go_back(before);  // if used
}
