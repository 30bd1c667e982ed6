/* Programs on several devices: part of cuda_table.c.
 *
 * The program calls the device on which it starts number 0, and its memory is there that it was given.  The others are
 * those that Python has named, in order; the program's number of one is its ordinal, but for the first, which changes
 * places with ordinal 0.  On each the work goes to one stream; of the others, to the default one.  What one device does
 * with memory of another waits for all, but for kernels, before which the program waits (emit/support/devices.c).
 */
static int ordinal_of(int number)
{
    return number == 0 ? now.first : number == now.first ? 0 : number;
}

static status make_current(int ordinal)
{
    struct device *d = &devices[ordinal];
    void *context = NULL;
    int current = -1;
    status code = 0;
    if (cuCtxGetCurrent(&context) == 0 && context != NULL && cuCtxGetDevice(&current) == 0 && current == ordinal)
        return 0;
    if (d->context == NULL)
        code = cuDevicePrimaryCtxRetain(&d->context, ordinal);
    return code == 0 ? cuCtxSetCurrent(d->context) : code;
}

static int device(int *count)
{
    *count = now.others + 1;
    return now.current;
}

static int set_device(int number)
{
    int ordinal;
    status code;
    if (number == now.current)
        return 0;
    ordinal = ordinal_of(number);
    if (number < 0 || number > now.others || ordinal >= DEVICES || now.modules[ordinal] == NULL)
        return INVALID_DEVICE;
    code = make_current(ordinal);
    if (code != 0)
        return failed(code, "making a device current");
    now.current = number;
    now.module = now.modules[ordinal];
    now.device = &devices[ordinal];
    now.stream = number == 0 ? now.first_stream : NULL;
    return 0;
}

static int device_of(const void *p)
{
    int type = 0, ordinal = -1, managed = 0; /* all of them zeros where the driver does not know the memory */
    int asked[] = {MEMORY_TYPE, ORDINAL, IS_MANAGED};
    void *answers[] = {&type, &ordinal, &managed};
    if (cuPointerGetAttributes(3, asked, answers, (device_ptr)(size_t)p) != 0)
        return -1;
    if (type != OF_DEVICE || ordinal < 0 || managed)
        return -1; /* the host's, which may be pinned by a device, or everybody's */
    return ordinal == now.first ? 0 : ordinal == 0 ? now.first : ordinal;
}

/* Whether memory of another device than the current one is among these. */
static int is_elsewhere(const void *p, const void *q)
{
    int one, other;
    if (now.others == 0)
        return 0;
    one = device_of(p);
    other = device_of(q);
    return (one >= 0 && one != now.current) || (other >= 0 && other != now.current);
}

static status wait_for_devices(void)
{
    const int before = now.current;
    status code = cuCtxSynchronize();
    for (int number = 0; number <= now.others && code == 0; number++) {
        if (number == before)
            continue;
        code = set_device(number);
        if (code == 0)
            code = cuCtxSynchronize();
    }
    return set_device(before) != 0 && code == 0 ? now.last : code;
}

static status copy_between(void *dst, const void *src, size_t bytes, int kind)
{
    status code = kind < 0 || kind > 4 ? 21 : wait_for_devices(); /* cudaErrorInvalidMemcpyDirection */
    if (code == 0)
        code = cuMemcpyAsync((device_ptr)(size_t)dst, (device_ptr)(size_t)src, bytes, now.stream);
    return code == 0 ? cuStreamSynchronize(now.stream) : code;
}

/* Sets rows of memory that another device has. */
static status set_there(void *dst, size_t pitch, int value, size_t width, size_t height)
{
    const int before = now.current;
    status code = wait_for_devices(), back;
    if (code == 0)
        code = set_device(device_of(dst));
    if (code == 0)
        code = height == 1
                   ? cuMemsetD8Async((device_ptr)(size_t)dst, (unsigned char)value, width, now.stream)
                   : cuMemsetD2D8Async((device_ptr)(size_t)dst, pitch, (unsigned char)value, width, height, now.stream);
    if (code == 0)
        code = cuStreamSynchronize(now.stream);
    back = set_device(before);
    return code == 0 ? back : code;
}

/* Kernels of any device may still use the memory. */
static status free_there(void *p)
{
    const int before = now.current, there = device_of(p);
    status code = wait_for_devices(), back;
    if (code == 0 && there >= 0)
        code = set_device(there);
    if (code == 0)
        code = cuMemFree_v2((device_ptr)(size_t)p);
    back = set_device(before);
    return code == 0 ? back : code;
}

static int peer(int number, int what)
{
    void *context = NULL, *own = NULL;
    int can = 0, ordinal = ordinal_of(number);
    status code;
    if (number < 0 || number > now.others || number == now.current)
        return INVALID_DEVICE;
    code = cuDeviceCanAccessPeer(&can, ordinal_of(now.current), ordinal);
    if (code != 0 || !can)
        return code != 0 ? code : NO_PEER_ACCESS;
    if (what == HETAD_PEER_CAN)
        return 0;
    code = cuCtxGetCurrent(&own);
    if (code == 0)
        code = make_current(ordinal);
    if (code == 0)
        code = cuCtxGetCurrent(&context);
    if (code == 0)
        code = cuCtxSetCurrent(own);
    if (code == 0)
        code = what == HETAD_PEER_ENABLE ? cuCtxEnablePeerAccess(context, 0) : cuCtxDisablePeerAccess(context);
    return code;
}

/* The end of a call: all devices are done, and the first is current again. */
static void leave_devices(void)
{
    if (now.others > 0) {
        failed(wait_for_devices(), "waiting for the devices");
        set_device(0);
    }
    for (int ordinal = 0; ordinal < DEVICES; ordinal++)
        now.modules[ordinal] = NULL;
    now.others = 0;
}
