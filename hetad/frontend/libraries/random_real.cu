// What curand.h gives in one precision.  Numbers are constants to a derivative; mean and deviation are not.
__global__ static void random_uniform_real(real *out, size_t n, unsigned long long seed, unsigned long long position)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = random_unit_real(seed, position, i);
}

// Box and Muller: two uniform numbers become two normal ones.
__device__ static real random_normal_real(unsigned long long seed, unsigned long long position, unsigned long long i)
{
    real radius = sqrt((real)-2 * log(random_unit_real(seed, position, i - i % 2)));
    real turn = 2 * random_unit_real(seed, position, i - i % 2 + 1);
    return i % 2 == 0 ? radius * cospi(turn) : radius * sinpi(turn);
}

__global__ static void random_normal_kernel_real(
    real *out, size_t n, real mean, real deviation, unsigned long long seed, unsigned long long position)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = mean + deviation * random_normal_real(seed, position, i);
}

__global__ static void random_log_normal_kernel_real(
    real *out, size_t n, real mean, real deviation, unsigned long long seed, unsigned long long position)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = exp(mean + deviation * random_normal_real(seed, position, i));
}

static curandStatus_t curandGenerateUniformOfReal(curandGenerator_t generator, real *out, size_t n)
{
    if (n > 0)
        random_uniform_real<<<(unsigned)((n + 255) / 256), 256, 0, generator->stream>>>(
            out, n, generator->seed, generator->position);
    generator->position += n * (sizeof(real) / 4);
    return CURAND_STATUS_SUCCESS;
}

static curandStatus_t curandGenerateNormalOfReal(
    curandGenerator_t generator, real *out, size_t n, real mean, real stddev)
{
    if (n % 2 != 0)
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (n > 0)
        random_normal_kernel_real<<<(unsigned)((n + 255) / 256), 256, 0, generator->stream>>>(
            out, n, mean, stddev, generator->seed, generator->position);
    generator->position += n * (sizeof(real) / 4);
    return CURAND_STATUS_SUCCESS;
}

static curandStatus_t curandGenerateLogNormalOfReal(
    curandGenerator_t generator, real *out, size_t n, real mean, real stddev)
{
    if (n % 2 != 0)
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (n > 0)
        random_log_normal_kernel_real<<<(unsigned)((n + 255) / 256), 256, 0, generator->stream>>>(
            out, n, mean, stddev, generator->seed, generator->position);
    generator->position += n * (sizeof(real) / 4);
    return CURAND_STATUS_SUCCESS;
}
