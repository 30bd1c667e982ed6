// What hetad reads in place of curand_kernel.h: XORWOW and Philox4x32-10 give the device's numbers, normal ones to rounding.
// Source: G. Marsaglia, Xorshift RNGs, 2003; J. Salmon et al., Parallel random numbers: as easy as 1, 2, 3, 2011.

// Powers of x modulo the characteristic polynomial of XORWOW's shifts: x^(2^k), then x^(2^(67 + k)), for k below 32; a
// sequence has 2^67 numbers.
static __device__ const unsigned __curand_powers[64][5] = {
    {0x00000002, 0x00000000, 0x00000000, 0x00000000, 0x00000000},
    {0x00000004, 0x00000000, 0x00000000, 0x00000000, 0x00000000},
    {0x00000010, 0x00000000, 0x00000000, 0x00000000, 0x00000000},
    {0x00000100, 0x00000000, 0x00000000, 0x00000000, 0x00000000},
    {0x00010000, 0x00000000, 0x00000000, 0x00000000, 0x00000000},
    {0x00000000, 0x00000001, 0x00000000, 0x00000000, 0x00000000},
    {0x00000000, 0x00000000, 0x00000001, 0x00000000, 0x00000000},
    {0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000001},
    {0xbebd3534, 0x7064f5bc, 0x20be29eb, 0x536d5b32, 0x063a0069},
    {0x9df022be, 0x4c2ee09f, 0x0939c7c8, 0xe711c2f8, 0xc6f135ae},
    {0xed64ec08, 0xafc48684, 0xd81c59ee, 0x1640314f, 0x2bf0ccef},
    {0x16ade0a0, 0x3ff6a2d3, 0x4746bd83, 0x2e65a497, 0x263e40a4},
    {0x9d10e028, 0xee56d79c, 0xfb1b3286, 0x0f747418, 0x26f9476d},
    {0x284e9f80, 0x95328d41, 0x97ec0360, 0x1e655d95, 0x60a9306f},
    {0x3f490634, 0x9ae593fc, 0x1a95bb6b, 0xda10a3fc, 0xa3abaf54},
    {0xa80ecea0, 0x392ca981, 0x191e801e, 0xceb66042, 0x2f4edc3f},
    {0xfb9680e9, 0xbdaba0b2, 0x3986540f, 0x23fe6ccc, 0x0994e82f},
    {0x4d53badb, 0x3e30e97d, 0x19abbaf6, 0x5cd52f87, 0x98663641},
    {0x32da6db4, 0x80135829, 0x3abd4734, 0x2060c3f9, 0x38b2dd97},
    {0xbd3a57bd, 0x066101a8, 0x0b4f188e, 0x16890623, 0x8bf58771},
    {0x0c5b636f, 0x4407a814, 0x60204515, 0x5bd4dbd2, 0x2509eeb5},
    {0xa87f2bfe, 0x0143dfcb, 0x4b5142ba, 0xfd21a24b, 0x3dac4527},
    {0x21e9179d, 0x2b57aa94, 0x5f06e1fc, 0x6735dc98, 0x9aa0181f},
    {0x4a85a684, 0x2ff777f0, 0x8e58b0ed, 0xd4e84a39, 0x6d37f6a0},
    {0x793adf2b, 0x3d3e75c8, 0x0b091758, 0x9deb3f50, 0xbcd116ec},
    {0x89c7a15d, 0x43629d41, 0x8a870ba5, 0xa7916f56, 0x9db15489},
    {0xfa8fc346, 0x694921b1, 0xf2bd4c48, 0x8b05ae1b, 0x2de7aee2},
    {0xbc1bc6b9, 0xd73ea395, 0xfbdd753d, 0xe45dbacd, 0x7b16eae0},
    {0xf144e1f3, 0xb9b4b3c4, 0x8222f622, 0x9072105a, 0x66083550},
    {0xd88a6c5e, 0x9ac20a72, 0x209ef9a8, 0xe8e4fd8a, 0x1ec855a5},
    {0xbd734cf1, 0x9254a905, 0xfb38236d, 0x11e62fd3, 0xf9e7d21e},
    {0x8d333839, 0x69fed6df, 0x79338fde, 0xa38a8714, 0x0e538bca},
    {0x26294934, 0x77bbc248, 0x1a87dad0, 0x930052d4, 0x947e6dd2},
    {0x5f39c379, 0x95e20ba6, 0x20e9ff72, 0x1244ce5e, 0xe8fd228f},
    {0xa7474d19, 0x37c549e0, 0x140877d2, 0x24c43924, 0xcd52ebec},
    {0xe0360ec5, 0xb1c96c24, 0xdbb91766, 0x666ff5dc, 0xf19a7e52},
    {0xfcc8f692, 0x35aa698a, 0x04ebbf85, 0x448304b0, 0x082f3fd5},
    {0x48c289bd, 0xe851cf98, 0x845ad581, 0xfd70752a, 0x2c3e63f6},
    {0xe502f5b3, 0x77859d31, 0x97e1cbb3, 0xea09047a, 0x61d5f37e},
    {0xb89326d0, 0x5a8655a9, 0xfb6e98f5, 0x02102162, 0x7e6fcf6f},
    {0xb3a15db4, 0xc6df3330, 0x1a8be751, 0xf1e4b221, 0x6bb61c05},
    {0x133de1d0, 0x361e4422, 0xc6131fcf, 0xd9719f45, 0x9658a164},
    {0x19e2bee8, 0xf8974218, 0x4e65536a, 0xa2570336, 0xe9b88082},
    {0x7863644b, 0x2a21ce84, 0x112e86f1, 0xed01ce0e, 0xba143e84},
    {0x0e2cae2e, 0xd1011279, 0x58923768, 0x2bf650ba, 0xc985bcda},
    {0x213a286a, 0x6596b510, 0x6fc10eae, 0x38a13547, 0x11c7749e},
    {0x146281e7, 0xa45b4452, 0xafa8c695, 0x74a0ac94, 0x4b250e0a},
    {0x2306bc52, 0x790f3b4c, 0x2fe473b9, 0xbc81d7c0, 0x093efe98},
    {0x89658c8b, 0xf3914315, 0xa73fe84b, 0x3c5fadb6, 0xadba8dd6},
    {0x09e49814, 0x09caf5ed, 0x6b2460d9, 0x1b9981c1, 0x2d1fefc3},
    {0x82161afc, 0x9bb13c55, 0xfd20d7fb, 0x306d90b9, 0x92bf386f},
    {0x96d32350, 0x0e081864, 0x69faa798, 0xe7faecf5, 0xf1f951be},
    {0x3e9058c1, 0x71da9705, 0xe2cb1f2b, 0x73456536, 0xbd6501b6},
    {0x990ffc6e, 0xbfdd1b5d, 0xc83e520b, 0xe972936a, 0xac79abb9},
    {0xb1321eb5, 0xb06d01a2, 0x51532012, 0x8fb59962, 0x141d3b0b},
    {0x3257dfe1, 0xd8a3d601, 0x3a58c735, 0x845f36e4, 0x0112c611},
    {0xa0ffe9a4, 0xf57be00e, 0xe706880c, 0x191211ef, 0xee5664fb},
    {0x9a3385b8, 0xc540c30a, 0xb241d1e0, 0x00626569, 0x6b355fe9},
    {0xe129d45d, 0xac3e698b, 0xd61f79fd, 0x7a72a28b, 0x7f4942be},
    {0x612501bb, 0xae7b767d, 0xaa66c165, 0x09bfaf8e, 0x3e55c16d},
    {0x874e26a7, 0x33bc5a47, 0xad95cba5, 0x67651c39, 0xf1f07dca},
    {0xb5ed0732, 0x30e7a573, 0x5c056714, 0x2304f8fa, 0xebc584e1},
    {0x4b324c2e, 0x2bdcc5a0, 0x53eb4240, 0xcac4fbc1, 0x13e529e7},
    {0xe1683e38, 0xa2339994, 0x7308a647, 0xc7c3f0b1, 0x4a3dcd33},
};

struct curandStateXORWOW {
    unsigned d, v[5];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandState_t;

struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned STATE;
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

// --- XORWOW ---

__device__ inline void __curand_shift(unsigned *v)
{
    unsigned t = v[0] ^ (v[0] >> 2);
    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = v[4];
    v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}

// As many shifts at once as the power says.
__device__ inline void __curand_jump(unsigned *v, int power)
{
    unsigned sum[5] = {0, 0, 0, 0, 0};
    for (int i = 0; i < 160; ++i) {
        if (__curand_powers[power][i / 32] >> (i % 32) & 1u)
            for (int k = 0; k < 5; ++k)
                sum[k] ^= v[k];
        __curand_shift(v);
    }
    for (int k = 0; k < 5; ++k)
        v[k] = sum[k];
}

__device__ inline void skipahead(unsigned long long n, curandStateXORWOW *state)
{
    for (int k = 0; k < 32; ++k)
        if (n >> k & 1)
            __curand_jump(state->v, k);
    state->d += 362437u * (unsigned)n;
}

__device__ inline void skipahead_sequence(unsigned long long n, curandStateXORWOW *state)
{
    for (int k = 0; k < 32; ++k)
        if (n >> k & 1)
            __curand_jump(state->v, 32 + k);
}

__device__ inline void curand_init(
    unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStateXORWOW *state)
{
    unsigned s0 = (unsigned)seed ^ 0xaad26b49u, s1 = (unsigned)(seed >> 32) ^ 0xf7dcefddu;
    unsigned t0 = 1099087573u * s0, t1 = 2591861531u * s1;
    state->d = 6615241u + t1 + t0;
    state->v[0] = 123456789u + t0;
    state->v[1] = 362436069u ^ t0;
    state->v[2] = 521288629u + t1;
    state->v[3] = 88675123u ^ t1;
    state->v[4] = 5783321u + t0;
    state->boxmuller_flag = 0;
    state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
    skipahead_sequence(sequence, state);
    skipahead(offset, state);
}

__device__ inline unsigned curand(curandStateXORWOW *state)
{
    __curand_shift(state->v);
    state->d += 362437u;
    return state->v[4] + state->d;
}

// --- Philox4x32-10 ---

__device__ inline uint4 __curand_philox(uint4 c, uint2 key)
{
    for (int round = 0; round < 10; ++round) {
        unsigned high0 = __umulhi(0xd2511f53u, c.x), low0 = 0xd2511f53u * c.x;
        unsigned high1 = __umulhi(0xcd9e8d57u, c.z), low1 = 0xcd9e8d57u * c.z;
        c = make_uint4(high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0);
        key.x += 0x9e3779b9u;
        key.y += 0xbb67ae85u;
    }
    return c;
}

// The counter of 128 bits, by n in its lower or its upper half.
__device__ inline void __curand_count(uint4 *c, unsigned long long n)
{
    unsigned long long low = (unsigned long long)c->y << 32 | c->x, high = (unsigned long long)c->w << 32 | c->z;
    low += n;
    high += low < n;
    c->x = (unsigned)low;
    c->y = (unsigned)(low >> 32);
    c->z = (unsigned)high;
    c->w = (unsigned)(high >> 32);
}

__device__ inline void skipahead(unsigned long long n, curandStatePhilox4_32_10 *state)
{
    state->STATE += (unsigned)(n & 3);
    n >>= 2;
    if (state->STATE > 3) {
        n += 1;
        state->STATE -= 4;
    }
    __curand_count(&state->ctr, n);
    state->output = __curand_philox(state->ctr, state->key);
}

__device__ inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *state)
{
    unsigned long long high = ((unsigned long long)state->ctr.w << 32 | state->ctr.z) + n;
    state->ctr.z = (unsigned)high;
    state->ctr.w = (unsigned)(high >> 32);
    state->output = __curand_philox(state->ctr, state->key);
}

__device__ inline void curand_init(
    unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStatePhilox4_32_10 *state)
{
    state->ctr = make_uint4(0, 0, 0, 0);
    state->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
    state->STATE = 0;
    state->boxmuller_flag = 0;
    state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
    skipahead_sequence(sequence, state);
    skipahead(offset, state);
}

__device__ inline unsigned curand(curandStatePhilox4_32_10 *state)
{
    unsigned at = state->STATE++;
    unsigned found = at == 0 ? state->output.x : at == 1 ? state->output.y : at == 2 ? state->output.z : state->output.w;
    if (state->STATE == 4) {
        __curand_count(&state->ctr, 1);
        state->output = __curand_philox(state->ctr, state->key);
        state->STATE = 0;
    }
    return found;
}

__device__ inline uint4 curand4(curandStatePhilox4_32_10 *state)
{
    uint4 now = state->output;
    __curand_count(&state->ctr, 1);
    state->output = __curand_philox(state->ctr, state->key);
    uint4 next = state->output;
    unsigned at = state->STATE;
    if (at == 1)
        return make_uint4(now.y, now.z, now.w, next.x);
    if (at == 2)
        return make_uint4(now.z, now.w, next.x, next.y);
    if (at == 3)
        return make_uint4(now.w, next.x, next.y, next.z);
    return now;
}

// --- distributions: what they give is a constant to derivatives ---

__device__ inline float __curand_unit(unsigned x) { return x * 2.3283064e-10f + (2.3283064e-10f / 2.0f); }
__device__ inline double __curand_unit(unsigned x, unsigned y)
{
    unsigned long long z = (unsigned long long)x ^ ((unsigned long long)y << (53 - 32));
    return z * 1.1102230246251565e-16 + (1.1102230246251565e-16 / 2.0);
}
__device__ inline float2 __curand_box_muller(unsigned x, unsigned y)
{
    float u = __curand_unit(x), v = y * (2.3283064e-10f * 6.2831855f) + (2.3283064e-10f * 6.2831855f / 2.0f);
    float size = sqrtf(-2.0f * logf(u));
    return make_float2(size * sinf(v), size * cosf(v));
}

template <class State> __device__ inline float curand_uniform(State *state) { return __curand_unit(curand(state)); }
template <class State> __device__ inline double curand_uniform_double(State *state)
{
    unsigned x = curand(state), y = curand(state);
    return __curand_unit(x, y);
}
template <class State> __device__ inline float2 curand_normal2(State *state)
{
    unsigned x = curand(state), y = curand(state);
    return __curand_box_muller(x, y);
}
template <class State> __device__ inline float curand_normal(State *state)
{
    if (state->boxmuller_flag != 0) {
        state->boxmuller_flag = 0;
        return state->boxmuller_extra;
    }
    float2 two = curand_normal2(state);
    state->boxmuller_extra = two.y;
    state->boxmuller_flag = 1;
    return two.x;
}
template <class State> __device__ inline double2 curand_normal2_double(State *state)
{
    unsigned x0 = curand(state), x1 = curand(state), y0 = curand(state), y1 = curand(state);
    double u = __curand_unit(x0, x1), v = __curand_unit(y0, y1) * 2.0;
    double size = sqrt(-2.0 * log(u));
    return make_double2(size * sinpi(v), size * cospi(v));
}
template <class State> __device__ inline double curand_normal_double(State *state)
{
    if (state->boxmuller_flag_double != 0) {
        state->boxmuller_flag_double = 0;
        return state->boxmuller_extra_double;
    }
    double2 two = curand_normal2_double(state);
    state->boxmuller_extra_double = two.y;
    state->boxmuller_flag_double = 1;
    return two.x;
}
template <class State> __device__ inline float curand_log_normal(State *state, float mean, float deviation)
{
    return expf(mean + deviation * curand_normal(state));
}
template <class State> __device__ inline double curand_log_normal_double(State *state, double mean, double deviation)
{
    return exp(mean + deviation * curand_normal_double(state));
}
__device__ inline float4 curand_uniform4(curandStatePhilox4_32_10 *state)
{
    uint4 x = curand4(state);
    return make_float4(__curand_unit(x.x), __curand_unit(x.y), __curand_unit(x.z), __curand_unit(x.w));
}
__device__ inline float4 curand_normal4(curandStatePhilox4_32_10 *state)
{
    uint4 x = curand4(state);
    float2 a = __curand_box_muller(x.x, x.y), b = __curand_box_muller(x.z, x.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
