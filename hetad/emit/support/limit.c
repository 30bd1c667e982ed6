// The memory limit: bytes for all that is saved, and bytes of host memory for further checkpoints of device memory.
static void hetad_limit(size_t bytes, size_t on_host)
{
    hetad_budget.limit[0] = bytes;
    hetad_budget.limit[1] = on_host;
}
