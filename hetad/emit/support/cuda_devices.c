// The devices of the backend.
static inline cudaError_t cudaSetDevice(int device)
{
    return hetad_result(hetad_rt->set_device(device));
}

static inline cudaError_t cudaGetDevice(int *device)
{
    int count;
    *device = hetad_rt->device(&count);
    return cudaSuccess;
}

static inline cudaError_t cudaGetDeviceCount(int *count)
{
    (void)hetad_rt->device(count);
    return cudaSuccess;
}

static inline int hetad_is_device(int device)
{
    int count;
    cudaGetDeviceCount(&count);
    return device >= 0 && device < count;
}

static inline cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device)
{
    return hetad_result(hetad_is_device(device) ? hetad_rt->attribute(value, attribute, device) : cudaErrorInvalidDevice);
}

static inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *known, const void *p)
{
    const int device = hetad_rt->device_of(p);
    known->type = device >= 0 ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
    known->device = device;
    return cudaSuccess;
}

static inline cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    if (!hetad_is_device(device) || !hetad_is_device(peer)) {
        return hetad_result(cudaErrorInvalidDevice);
    }
    int current;
    cudaGetDevice(&current);
    cudaError_t error = cudaSetDevice(device);
    *can = error == cudaSuccess && device != peer && hetad_rt->peer(peer, HETAD_PEER_CAN) == cudaSuccess;
    cudaSetDevice(current);
    return error;
}

static inline cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)flags;
    return hetad_result(hetad_rt->peer(peer, HETAD_PEER_ENABLE));
}

static inline cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    return hetad_result(hetad_rt->peer(peer, HETAD_PEER_DISABLE));
}

// Where devices reach each other here, they also add there in one step.
static inline cudaError_t cudaDeviceGetP2PAttribute(int *value, int attribute, int device, int peer)
{
    (void)attribute;
    return cudaDeviceCanAccessPeer(value, device, peer);
}
