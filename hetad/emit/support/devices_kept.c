// What the reverse sweep undoes: the current device, and whether it may use memory of another.
static void hetad_keep_device(void)
{
    const int device = hetad_current_device();
    hetad_push(&device, sizeof device);
}

static void hetad_return_to_device(void)
{
    int device;
    hetad_pop(&device, sizeof device);
    hetad_check(hetad_set_device(device));
}

// Adjoints are added to memory of the other device, by several threads.
static void hetad_keep_peer(int peer)
{
    int adds = 1;
    unsigned char known = 0;
    if (hetad_is_peer(peer)) {
        const int device = hetad_current_device();
        known = hetad_peers[device][peer];
        hetad_check(cudaDeviceGetP2PAttribute(&adds, cudaDevP2PAttrNativeAtomicSupported, device, peer));
    }
    if (!adds) {
        hetad_fail("between these two devices there are no atomic operations, which adjoints need: copy between them with "
                   "cudaMemcpyPeer, without cudaDeviceEnablePeerAccess");
    }
    hetad_push(&known, sizeof known);
}

static void hetad_return_peer(int peer)
{
    unsigned char before;
    hetad_pop(&before, sizeof before);
    if (!hetad_is_peer(peer)) {
        return;
    }
    const unsigned char now = hetad_peers[hetad_current_device()][peer];
    if (before == 0 && now == 1) {
        hetad_check(hetad_disable_peer(peer));
    } else if (before != 0 && now == 0) {
        hetad_check(hetad_enable_peer(peer, 0));
    }
}

// The device of a communicator of NCCL becomes the current one, for as long as it takes; which one was?
static int hetad_nccl_go_to(ncclComm_t c)
{
    const int before = hetad_current_device();
    int device = before;
    if (ncclCommCuDevice(c, &device) == ncclSuccess && device != before) {
        hetad_check(hetad_set_device(device));
    }
    return before;
}
