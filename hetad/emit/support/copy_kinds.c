// Which sides of a copy are device memory: bit 0 the destination, bit 1 the source.
static int hetad_copy_sides(int kind)
{
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return 1;
    case cudaMemcpyDeviceToHost:
        return 2;
    case cudaMemcpyDeviceToDevice:
        return 3;
    }
    return 0;
}

// The kind of a copy between these, one that names both sides.
static int hetad_copy_kind(const void *dst, const void *src, int kind)
{
    if (kind != cudaMemcpyDefault) {
        return kind;
    }
    if (hetad_on_device(src)) {
        return hetad_on_device(dst) ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost;
    }
    return hetad_on_device(dst) ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost;
}
