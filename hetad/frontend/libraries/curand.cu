// What curand.h declares of generators on the host, as far as hetad knows it.  Whatever type is asked for, the numbers
// are those of Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011): a
// function of the seed and of a position, the same on every backend.  A generator holds both.
typedef enum {
    CURAND_STATUS_SUCCESS = 0,
    CURAND_STATUS_VERSION_MISMATCH = 100,
    CURAND_STATUS_NOT_INITIALIZED = 101,
    CURAND_STATUS_ALLOCATION_FAILED = 102,
    CURAND_STATUS_TYPE_ERROR = 103,
    CURAND_STATUS_OUT_OF_RANGE = 104,
    CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
    CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
    CURAND_STATUS_LAUNCH_FAILURE = 201,
    CURAND_STATUS_PREEXISTING_FAILURE = 202,
    CURAND_STATUS_INITIALIZATION_FAILED = 203,
    CURAND_STATUS_ARCH_MISMATCH = 204,
    CURAND_STATUS_INTERNAL_ERROR = 999
} curandStatus_t;

typedef enum {
    CURAND_RNG_PSEUDO_DEFAULT = 100,
    CURAND_RNG_PSEUDO_XORWOW = 101,
    CURAND_RNG_PSEUDO_MRG32K3A = 121,
    CURAND_RNG_PSEUDO_MTGP32 = 141,
    CURAND_RNG_PSEUDO_MT19937 = 142,
    CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161
} curandRngType_t;

typedef enum {
    CURAND_ORDERING_PSEUDO_BEST = 100,
    CURAND_ORDERING_PSEUDO_DEFAULT = 101,
    CURAND_ORDERING_PSEUDO_SEEDED = 102,
    CURAND_ORDERING_PSEUDO_LEGACY = 103,
    CURAND_ORDERING_PSEUDO_DYNAMIC = 104
} curandOrdering_t;

typedef struct {
    unsigned long long seed, position;
    cudaStream_t stream;
} random_generator;

typedef random_generator *curandGenerator_t;

static curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type)
{
    random_generator *made = (random_generator *)malloc(sizeof(random_generator));
    made->seed = 0;
    made->position = 0;
    made->stream = 0;
    *generator = made;
    return CURAND_STATUS_SUCCESS;
}

static curandStatus_t curandDestroyGenerator(curandGenerator_t generator)
{
    free(generator);
    return CURAND_STATUS_SUCCESS;
}

static curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed)
{
    generator->seed = seed;
    generator->position = 0;
    return CURAND_STATUS_SUCCESS;
}

static curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset)
{
    generator->position = offset;
    return CURAND_STATUS_SUCCESS;
}

static curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order)
{
    return CURAND_STATUS_SUCCESS;
}

static curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream)
{
    generator->stream = stream;
    return CURAND_STATUS_SUCCESS;
}

static curandStatus_t curandGenerateSeeds(curandGenerator_t generator)
{
    return CURAND_STATUS_SUCCESS;
}

// The 32 bits at a position of the stream that a seed gives: a word of the block of four that a counter is mixed to.
__device__ static unsigned random_word(unsigned long long seed, unsigned long long position)
{
    unsigned long long block = position / 4;
    unsigned c0 = (unsigned)block, c1 = (unsigned)(block >> 32), c2 = 0, c3 = 0;
    unsigned k0 = (unsigned)seed, k1 = (unsigned)(seed >> 32);
    for (int round = 0; round < 10; round++) {
        unsigned long long p0 = 0xD2511F53ull * c0, p1 = 0xCD9E8D57ull * c2;
        unsigned n0 = (unsigned)(p1 >> 32) ^ c1 ^ k0, n2 = (unsigned)(p0 >> 32) ^ c3 ^ k1;
        c1 = (unsigned)p1;
        c3 = (unsigned)p0;
        c0 = n0;
        c2 = n2;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    unsigned low = position & 1 ? c1 : c0, high = position & 1 ? c3 : c2;
    return position & 2 ? high : low;
}

// In (0, 1], from one word and from two.  `i`: which number from the position on.
__device__ static float random_unit_float(unsigned long long seed, unsigned long long position, unsigned long long i)
{
    return (random_word(seed, position + i) >> 8) * 5.9604644775390625e-8f + 5.9604644775390625e-8f;
}

__device__ static double random_unit_double(unsigned long long seed, unsigned long long position, unsigned long long i)
{
    unsigned long long high = random_word(seed, position + 2 * i), low = random_word(seed, position + 2 * i + 1);
    return ((high << 32 | low) >> 11) * 1.1102230246251565e-16 + 1.1102230246251565e-16;
}

__global__ static void random_bits(unsigned *out, size_t n, unsigned long long seed, unsigned long long position)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = random_word(seed, position + i);
}

static curandStatus_t curandGenerate(curandGenerator_t generator, unsigned *out, size_t n)
{
    if (n > 0)
        random_bits<<<(unsigned)((n + 255) / 256), 256, 0, generator->stream>>>(
            out, n, generator->seed, generator->position);
    generator->position += n;
    return CURAND_STATUS_SUCCESS;
}
