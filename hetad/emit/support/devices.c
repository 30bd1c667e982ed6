// Programs on several devices.  The memory of each is used by its own kernels and by copies, which wait for what both
// devices have been given, unless the program has asked for more: then devices take turns.
static int hetad_sharing;  // whether kernels may use memory of other devices

static unsigned char hetad_used_devices[64];  // those that were current

static unsigned char hetad_peers[64][64];  // whether they may, by device and peer; 2: they could before the call

static int hetad_current_device(void)
{
    int device = 0;
    hetad_check(cudaGetDevice(&device));
    return device;
}

// The device that has the memory which p leads to; the current one, if that is no memory of one device.
static int hetad_device_of(const void *p)
{
    cudaPointerAttributes known;
    const int found = p != NULL && cudaPointerGetAttributes(&known, p) == cudaSuccess;
    return found && known.type == cudaMemoryTypeDevice ? known.device : hetad_current_device();
}

static int hetad_is_here(const void *p)
{
    return hetad_device_of(p) == hetad_current_device();
}

static cudaError_t hetad_set_device(int device)
{
    if (hetad_sharing && device != hetad_current_device()) {
        hetad_check(cudaDeviceSynchronize());
    }
    hetad_used_devices[hetad_current_device() & 63] = 1;
    const cudaError_t error = cudaSetDevice(device);
    hetad_used_devices[hetad_current_device() & 63] = 1;
    return error;
}

// The program has waited for a stream, whose work is that of a device now.
static cudaError_t hetad_wait_for_devices(void)
{
    const int before = hetad_current_device();
    cudaError_t error = cudaDeviceSynchronize();
    for (int device = 0; device < 64 && error == cudaSuccess; ++device) {
        if (hetad_used_devices[device] && device != before) {
            error = cudaSetDevice(device);
            error = error == cudaSuccess ? cudaDeviceSynchronize() : error;
        }
    }
    const cudaError_t back = cudaSetDevice(before);
    return error != cudaSuccess ? error : back;
}

// The device of p becomes the current one, for as long as it takes; which one was?
static int hetad_go_to(const void *p)
{
    const int before = hetad_current_device(), there = hetad_device_of(p);
    if (there != before) {
        hetad_check(hetad_set_device(there));
    }
    return before;
}

// Device memory as it is, or a copy of it where the current device is another one.
static void *hetad_brought(void *p, size_t bytes)
{
    void *copy = p;
    if (!hetad_is_here(p)) {
        hetad_check(cudaMalloc(&copy, bytes));
        hetad_check(cudaMemcpy(copy, p, bytes, cudaMemcpyDeviceToDevice));
    }
    return copy;
}

static void hetad_go_back(int before)
{
    if (before != hetad_current_device()) {
        hetad_check(hetad_set_device(before));
    }
}

static int hetad_is_peer(int peer)
{
    int count = 0;
    hetad_check(cudaGetDeviceCount(&count));
    return peer >= 0 && peer < count && count <= 64 && peer != hetad_current_device();
}

static cudaError_t hetad_enable_peer(int peer, unsigned flags)
{
    const int fine = cudaPeekAtLastError() == cudaSuccess;
    const cudaError_t error = cudaDeviceEnablePeerAccess(peer, flags);
    if (fine && error == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError();  // nothing went wrong
    }
    if (hetad_is_peer(peer) && (error == cudaSuccess || error == cudaErrorPeerAccessAlreadyEnabled)) {
        unsigned char *const known = &hetad_peers[hetad_current_device()][peer];
        *known = error == cudaSuccess ? 1 : *known == 0 ? 2 : *known;
        hetad_sharing = 1;
    }
    return error;
}

static cudaError_t hetad_disable_peer(int peer)
{
    hetad_check(cudaDeviceSynchronize());  // kernels that were launched may still use that memory
    const cudaError_t error = cudaDeviceDisablePeerAccess(peer);
    if (hetad_is_peer(peer) && error == cudaSuccess) {
        hetad_peers[hetad_current_device()][peer] = 0;
    }
    return error;
}

// Cells of adjoints on other devices than the one that has `cell`.
struct hetad_cell {
    const char *cell;
    char *here;
    size_t bytes;
};

static struct hetad_cell *hetad_cells;

static size_t hetad_cell_count, hetad_cell_room;

// Where kernels of the current device add to what `cell` is for.
static void *hetad_cell_here(const void *cell, size_t bytes)
{
    if (hetad_is_here(cell)) {
        return (void *)cell;
    }
    for (size_t i = 0; i < hetad_cell_count; ++i) {
        if (hetad_cells[i].cell == (const char *)cell && hetad_is_here(hetad_cells[i].here)) {
            return hetad_cells[i].here;
        }
    }
    if (hetad_cell_count == hetad_cell_room) {
        hetad_cell_room = 2 * hetad_cell_room + 16;
        void *moved = realloc(hetad_cells, hetad_cell_room * sizeof *hetad_cells);
        if (moved == NULL) {
            hetad_fail("out of host memory");
        }
        hetad_cells = (struct hetad_cell *)moved;
    }
    struct hetad_cell made = {(const char *)cell, NULL, bytes};
    hetad_check(cudaMalloc((void **)&made.here, bytes));
    hetad_check(cudaMemset(made.here, 0, bytes));
    hetad_cells[hetad_cell_count++] = made;
    return made.here;
}

// The next one after `last` (the first after NULL) that is for the same number as `cell`; NULL: there are no more.
static void *hetad_other_cell(const void *cell, const void *last)
{
    int behind = last == NULL;
    for (size_t i = 0; i < hetad_cell_count; ++i) {
        const size_t offset = (size_t)((const char *)cell - hetad_cells[i].cell);
        void *const here = hetad_cells[i].here + offset;
        if (offset < hetad_cells[i].bytes && behind) {
            return here;
        }
        behind |= offset < hetad_cells[i].bytes && here == last;
    }
    return NULL;
}

static void hetad_forget_devices(void)
{
    hetad_sharing = 0;
    memset(hetad_peers, 0, sizeof hetad_peers);
    memset(hetad_used_devices, 0, sizeof hetad_used_devices);
    while (hetad_cell_count > 0) {
        cudaFree(hetad_cells[--hetad_cell_count].here);
    }
}
