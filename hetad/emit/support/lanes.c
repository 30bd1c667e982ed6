// Which thread of the block a shuffle of thread `t` reads: PTX's rules; a thread that does not exist stands for `t`.
static inline size_t hetad_lane(size_t t, size_t threads, int lane, int width)
{
    const unsigned inside = (unsigned)width - 1;
    const size_t source = (t & ~(size_t)31) | (t & 31 & ~inside) | ((unsigned)lane & inside & 31);
    return source < threads ? source : t;
}

static inline size_t hetad_lane_up(size_t t, size_t threads, unsigned delta, int width)
{
    (void)threads;
    const unsigned lane = t & 31, first = lane & ~((unsigned)width - 1);
    return lane >= first + (delta & 31) ? t - (delta & 31) : t;
}

static inline size_t hetad_lane_down(size_t t, size_t threads, unsigned delta, int width)
{
    const unsigned lane = t & 31, last = lane | ((unsigned)width - 1);
    const size_t source = t + (delta & 31);
    return lane + (delta & 31) <= (last & 31) && source < threads ? source : t;
}

static inline size_t hetad_lane_xor(size_t t, size_t threads, int lane_mask, int width)
{
    const unsigned lane = t & 31, last = (lane | ((unsigned)width - 1)) & 31, other = lane ^ ((unsigned)lane_mask & 31);
    const size_t source = (t & ~(size_t)31) | other;
    return other <= last && source < threads ? source : t;
}

// __reduce_*_sync over the lanes of the warp of thread `t`.
static inline int hetad_reduce_add_int(const int *values, size_t t, unsigned lanes)
{
    unsigned found = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
        found += lanes >> lane & 1 ? (unsigned)values[(t & ~(size_t)31) + lane] : 0;
    }
    return (int)found;
}

static inline int hetad_reduce_min_int(const int *values, size_t t, unsigned lanes)
{
    int found = INT_MAX;
    for (unsigned lane = 0; lane < 32; ++lane) {
        const int value = lanes >> lane & 1 ? values[(t & ~(size_t)31) + lane] : INT_MAX;
        found = value < found ? value : found;
    }
    return found;
}

static inline int hetad_reduce_max_int(const int *values, size_t t, unsigned lanes)
{
    int found = INT_MIN;
    for (unsigned lane = 0; lane < 32; ++lane) {
        const int value = lanes >> lane & 1 ? values[(t & ~(size_t)31) + lane] : INT_MIN;
        found = value > found ? value : found;
    }
    return found;
}

static inline unsigned hetad_reduce_add_unsigned(const unsigned *values, size_t t, unsigned lanes)
{
    unsigned found = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
        found += lanes >> lane & 1 ? values[(t & ~(size_t)31) + lane] : 0;
    }
    return found;
}

static inline unsigned hetad_reduce_min_unsigned(const unsigned *values, size_t t, unsigned lanes)
{
    unsigned found = UINT_MAX;
    for (unsigned lane = 0; lane < 32; ++lane) {
        const unsigned value = lanes >> lane & 1 ? values[(t & ~(size_t)31) + lane] : UINT_MAX;
        found = value < found ? value : found;
    }
    return found;
}

static inline unsigned hetad_reduce_max_unsigned(const unsigned *values, size_t t, unsigned lanes)
{
    unsigned found = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
        const unsigned value = lanes >> lane & 1 ? values[(t & ~(size_t)31) + lane] : 0;
        found = value > found ? value : found;
    }
    return found;
}

// The cell that a lane comes to in this turn, of `cells`: each begins at another one.
static inline int hetad_spread(int turn, unsigned lane, int cells)
{
    const int at = turn + (int)(lane % (unsigned)cells);
    return at < cells ? at : at - cells;
}
