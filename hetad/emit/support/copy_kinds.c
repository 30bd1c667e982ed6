// Which sides of a copy are device memory: bit 0 the destination, bit 1 the source.
static int hetad_copy_sides(const void *dst, const void *src, int kind)
{
    switch (kind) {
    case cudaMemcpyHostToHost:
        return 0;
    case cudaMemcpyHostToDevice:
        return 1;
    case cudaMemcpyDeviceToHost:
        return 2;
    case cudaMemcpyDeviceToDevice:
        return 3;
    }
    struct hetad_allocation *a = hetad_find(dst);
    int to = a != NULL && a->on_device;
    a = hetad_find(src);
    return to + 2 * (a != NULL && a->on_device);
}
