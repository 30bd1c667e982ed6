// The sum of the seeds of the lanes that read this one: in general the sources of all lanes are looked through.
static __device__ float hetad_seeds_of_readers_float(unsigned mask, unsigned lanes, float seed, int lane, int source)
{
    float sum = 0.0f;
    for (int reader = 0; reader < 32; ++reader) {
        if (lanes >> reader & 1) {
            const int read = __shfl_sync(mask, source, reader);
            const float term = __shfl_sync(mask, seed, reader);
            sum += read == lane ? term : 0.0f;
        }
    }
    return sum;
}

// Where every lane is read by one other lane at most, `reader`, and by itself if the shuffle would leave its segment.
static __device__ float hetad_seed_of_reader_float(
    unsigned mask, unsigned lanes, float seed, int lane, int source, int reader, bool reads)
{
    const float term = __shfl_sync(mask, seed, reader & 31);
    const bool takes_part = reader >= 0 && reader < 32 && reader != lane && (lanes >> (reader & 31) & 1);
    return (source == lane ? seed : 0.0f) + (takes_part && reads ? term : 0.0f);
}

// Adjoints of the shuffles: each lane gets the sum of `seed` over the lanes whose shuffle reads it.
static __device__ float hetad_shfl_adjoint_float(unsigned mask, float seed, int source, int width)
{
    const int lane = hetad_own_lane(), inside = source & (width - 1);
    const unsigned lanes = __ballot_sync(mask, 1);
    const bool one_source = hetad_same(mask, lanes, inside) && hetad_same(mask, lanes, width);
    if (lanes != 0xffffffffu || !one_source) {
        return hetad_seeds_of_readers_float(mask, lanes, seed, lane, hetad_lane(lane, source, width));
    }
    for (int offset = width / 2; offset > 0; offset /= 2) {
        seed += __shfl_xor_sync(mask, seed, offset);
    }
    return (lane & (width - 1)) == inside ? seed : 0.0f;
}

static __device__ float hetad_shfl_up_adjoint_float(unsigned mask, float seed, unsigned delta, int width)
{
    const int lane = hetad_own_lane(), source = hetad_lane_up(lane, delta, width);
    const unsigned lanes = __ballot_sync(mask, 1);
    if (!hetad_same(mask, lanes, (int)(delta & 31) + 64 * width)) {
        return hetad_seeds_of_readers_float(mask, lanes, seed, lane, source);
    }
    const int reader = lane + (int)(delta & 31);
    const bool reads = hetad_lane_up(reader, delta, width) == lane;
    return hetad_seed_of_reader_float(mask, lanes, seed, lane, source, reader, reads);
}

static __device__ float hetad_shfl_down_adjoint_float(unsigned mask, float seed, unsigned delta, int width)
{
    const int lane = hetad_own_lane(), source = hetad_lane_down(lane, delta, width);
    const unsigned lanes = __ballot_sync(mask, 1);
    if (!hetad_same(mask, lanes, (int)(delta & 31) + 64 * width)) {
        return hetad_seeds_of_readers_float(mask, lanes, seed, lane, source);
    }
    const int reader = lane - (int)(delta & 31);
    const bool reads = reader >= 0 && hetad_lane_down(reader, delta, width) == lane;
    return hetad_seed_of_reader_float(mask, lanes, seed, lane, source, reader, reads);
}

static __device__ float hetad_shfl_xor_adjoint_float(unsigned mask, float seed, int lane_mask, int width)
{
    const int lane = hetad_own_lane(), source = hetad_lane_xor(lane, lane_mask, width);
    const unsigned lanes = __ballot_sync(mask, 1);
    if (!hetad_same(mask, lanes, (lane_mask & 31) + 64 * width)) {
        return hetad_seeds_of_readers_float(mask, lanes, seed, lane, source);
    }
    const int reader = lane ^ (lane_mask & 31);
    const bool reads = hetad_lane_xor(reader, lane_mask, width) == lane;
    return hetad_seed_of_reader_float(mask, lanes, seed, lane, source, reader, reads);
}
