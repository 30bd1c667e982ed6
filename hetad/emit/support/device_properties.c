// What the program is told about its device.
static cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device)
{
    int value = 0;
    size_t available = 0;
    if (!hetad_is_device(device)) {
        return hetad_result(cudaErrorInvalidDevice);
    }
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "the device of hetad");
    cudaError_t error = cudaMemGetInfo(&available, &p->totalGlobalMem);
    const struct {
        int attribute;
        int *place;
    } numbers[] = {
        {1, &p->maxThreadsPerBlock}, {2, &p->maxThreadsDim[0]}, {3, &p->maxThreadsDim[1]}, {4, &p->maxThreadsDim[2]},
        {5, &p->maxGridSize[0]}, {6, &p->maxGridSize[1]}, {7, &p->maxGridSize[2]}, {10, &p->warpSize},
        {12, &p->regsPerBlock}, {13, &p->clockRate}, {16, &p->multiProcessorCount}, {18, &p->integrated},
        {19, &p->canMapHostMemory}, {20, &p->computeMode}, {31, &p->concurrentKernels}, {32, &p->ECCEnabled},
        {33, &p->pciBusID}, {34, &p->pciDeviceID}, {36, &p->memoryClockRate}, {37, &p->memoryBusWidth},
        {38, &p->l2CacheSize}, {39, &p->maxThreadsPerMultiProcessor}, {40, &p->asyncEngineCount},
        {41, &p->unifiedAddressing}, {75, &p->major}, {76, &p->minor}, {83, &p->managedMemory},
        {106, &p->maxBlocksPerMultiProcessor},
    };
    const struct {
        int attribute;
        size_t *place;
    } sizes[] = {
        {8, &p->sharedMemPerBlock}, {9, &p->totalConstMem}, {11, &p->memPitch}, {14, &p->textureAlignment},
        {81, &p->sharedMemPerMultiprocessor}, {97, &p->sharedMemPerBlockOptin},
    };
    for (size_t i = 0; error == cudaSuccess && i < sizeof numbers / sizeof *numbers; ++i) {
        error = hetad_rt->attribute(numbers[i].place, numbers[i].attribute, device);
    }
    for (size_t i = 0; error == cudaSuccess && i < sizeof sizes / sizeof *sizes; ++i) {
        error = hetad_rt->attribute(&value, sizes[i].attribute, device);
        *sizes[i].place = (size_t)value;
    }
    return hetad_result(error);
}
