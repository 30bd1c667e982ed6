// The adjoint of cudaMemcpy(dst, src, bytes, kind): adj_src += adj_dst; adj_dst = 0.
static void hetad_copy_pullback_float(float *adj_dst, float *adj_src, size_t bytes, int kind)
{
    hetad_sized(bytes);  // if used
    size_t n = bytes / sizeof(float);
    int sides = hetad_copy_sides(kind), to_device = sides & 1, from_device = sides & 2;
    if (adj_dst == NULL || bytes == 0) {
        return;
    }
    if (n * sizeof(float) != bytes) {
        hetad_fail("a copy of part of a number has no derivative");
    }
    if (adj_src != NULL && adj_dst < adj_src + n && adj_src < adj_dst + n) {
        hetad_fail("a copy whose source and destination overlap has no derivative");
    }
    float *term = adj_dst;
    const int before = hetad_go_to(from_device && adj_src != NULL ? adj_src : adj_dst);  // if used
    if (adj_src != NULL && sides == 3) term = (float *)hetad_brought(term, bytes);  // if used
    if (adj_src != NULL && to_device && !from_device) {
        term = (float *)malloc(bytes);
        if (term == NULL) {
            hetad_fail("out of host memory");
        }
        hetad_check(cudaMemcpy(term, adj_dst, bytes, cudaMemcpyDeviceToHost));
    } else if (adj_src != NULL && from_device && !to_device) {
        hetad_check(cudaMalloc((void **)&term, bytes));
        hetad_check(cudaMemcpy(term, adj_dst, bytes, cudaMemcpyHostToDevice));
    }
    if (adj_src != NULL && from_device) {
        HETAD_LAUNCH(hetad_accumulate_float, (unsigned)((n + 255) / 256), 256, adj_src, term, n);
        hetad_check(cudaGetLastError());
    } else if (adj_src != NULL) {
        for (size_t i = 0; i < n; ++i) {
            adj_src[i] += term[i];
        }
    }
    if (to_device) {
        hetad_go_to(adj_dst);  // if used
        hetad_check(cudaMemset(adj_dst, 0, bytes));
    } else {
        memset(adj_dst, 0, bytes);
    }
    if (term != adj_dst && from_device) {
        hetad_check(cudaFree(term));
    } else if (term != adj_dst) {
        free(term);
    }
    hetad_go_back(before);  // if used
}
