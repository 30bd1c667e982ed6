// One number of a stage of Stockham's algorithm for a factor of any size, on a line of n numbers which lie `step` apart;
// `done` is the product of the factors before.
// Source: C. Van Loan, Computational Frameworks for the Fast Fourier Transform, 1992.
__device__ static void fft_real_stage(complex *out, const complex *in, int at, int n, int factor, int done, int step,
                                      int sign)
{
    int left = n / done / factor, q = at % done, r = at / done % factor, j = at / done / factor;
    real re = 0, im = 0;
    for (int t = 0; t < factor; t++) {
        long long turn = ((long long)r * t % factor * left + (long long)j * r) % ((long long)factor * left);
        double angle = 2.0 * turn / ((double)factor * left);
        real c = (real)cospi(angle), s = (real)(sign * sinpi(angle));
        complex x = in[(q + (long long)done * (j + (long long)left * t)) * step];
        re += c * x.x - s * x.y;
        im += c * x.y + s * x.x;
    }
    out[(long long)at * step].x = re;
    out[(long long)at * step].y = im;
}

// Transforms lines that lie in `work` from `at` on, as a block does it together; the result is there or `room` further
// on.  The numbers of a line are `step` apart, the lines begin `apart` from each other.  Returns where the result is.
__device__ static long long fft_real_lines(complex *work, long long at, long long room, long long first, int n,
                                           int lines, int step, int apart, int sign)
{
    int done = 1, factor = 2, moved = 0;
    while (done < n) {
        while (n / done % factor != 0)
            factor++;
        long long from = moved ? room - at : at, to = room - from;
        for (long long cell = threadIdx.x; cell < (long long)n * lines; cell += blockDim.x) {
            long long begin = first + cell / n * apart;
            fft_real_stage(work + to + begin, work + from + begin, cell % n, n, factor, done, step, sign);
        }
        __syncthreads();
        done *= factor;
        moved = 1 - moved;
    }
    return moved ? room - at : at;
}

// Transforms what the block has in the first half of `work`: a line, or all of a plane.
__device__ static long long fft_real_block(complex *work, int rows, int n, int plane, int sign)
{
    long long count = (long long)rows * n;
    __syncthreads();
    long long at = fft_real_lines(work, 0, count, plane ? 0 : (long long)blockIdx.x * n, n, plane ? rows : 1, 1, n,
                                  sign);
    if (plane)
        at = fft_real_lines(work, at, count, 0, rows, n, n, 1, sign);
    return at;
}

// The kernels that stand for routines of the library, for `rows` lines of n numbers or a plane of them; `work` has
// room for all numbers twice.  There is a block for each line, or one for the plane.
__global__ static void fft_real_K2K(int rows, int n, int plane, const complex *in, complex *out, int direction,
                                    complex *work)
{
    long long first = plane ? 0 : (long long)blockIdx.x * n, end = plane ? (long long)rows * n : first + n;
    for (long long i = first + threadIdx.x; i < end; i += blockDim.x)
        work[i] = in[i];
    long long at = fft_real_block(work, rows, n, plane, direction);
    for (long long i = first + threadIdx.x; i < end; i += blockDim.x)
        out[i] = work[at + i];
}

// Of each row the first n / 2 + 1 numbers are kept.
__global__ static void fft_real_E2K(int rows, int n, int plane, const real *in, complex *out, complex *work)
{
    int kept = n / 2 + 1;
    int first = plane ? 0 : blockIdx.x, end = plane ? rows : first + 1;
    for (long long i = (long long)first * n + threadIdx.x; i < (long long)end * n; i += blockDim.x) {
        work[i].x = in[i];
        work[i].y = 0;
    }
    long long at = fft_real_block(work, rows, n, plane, CUFFT_FORWARD);
    for (long long i = (long long)first * kept + threadIdx.x; i < (long long)end * kept; i += blockDim.x)
        out[i] = work[at + i / kept * n + i % kept];
}

// What is left out of a row is the conjugate of what is there.
__global__ static void fft_real_K2E(int rows, int n, int plane, const complex *in, real *out, complex *work)
{
    int kept = n / 2 + 1;
    int first = plane ? 0 : blockIdx.x, end = plane ? rows : first + 1;
    for (long long i = (long long)first * n + threadIdx.x; i < (long long)end * n; i += blockDim.x) {
        int k = i % n, row = i / n;
        if (k < kept) {
            work[i] = in[(long long)row * kept + k];
        } else {
            complex mirror = in[(long long)(plane ? (rows - row) % rows : row) * kept + n - k];
            work[i].x = mirror.x;
            work[i].y = -mirror.y;
        }
    }
    long long at = fft_real_block(work, rows, n, plane, CUFFT_INVERSE);
    for (long long i = (long long)first * n + threadIdx.x; i < (long long)end * n; i += blockDim.x)
        out[i] = work[at + i].x;
}

__global__ static void fft_real_clear(complex *out, long long count)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < count) {
        out[i].x = 0;
        out[i].y = 0;
    }
}

__global__ static void fft_real_add(complex *out, const complex *in, long long count)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < count) {
        out[i].x += in[i].x;
        out[i].y += in[i].y;
    }
}

__global__ static void fft_real_clear_numbers(real *out, long long count)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = 0;
}

__global__ static void fft_real_add_numbers(real *out, const real *in, long long count)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < count)
        out[i] += in[i];
}

// Numbers on the diagonal of the mirror stand for themselves, all others for two in the whole row.
__device__ static bool fft_real_alone(int k, int n)
{
    return k == 0 || 2 * k == n;
}

// Half rows whose transform to real numbers is the real part of the transform of `in`, padded with zeros.
__global__ static void fft_real_fold(complex *out, const complex *in, int rows, int n, int plane)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    int kept = n / 2 + 1, row = i / kept, k = i % kept;
    if (i >= (long long)rows * kept)
        return;
    out[i].x = in[i].x / 2;
    out[i].y = in[i].y / 2;
    if (fft_real_alone(k, n)) {
        complex mirror = in[(long long)(plane ? (rows - row) % rows : row) * kept + k];
        out[i].x += mirror.x / 2;
        out[i].y -= mirror.y / 2;
    }
}

__global__ static void fft_real_add_folded(complex *out, const complex *in, int rows, int n)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    int kept = n / 2 + 1, factor = fft_real_alone(i % kept, n) ? 1 : 2;
    if (i < (long long)rows * kept) {
        out[i].x += factor * in[i].x;
        out[i].y += factor * in[i].y;
    }
}

// The transposed transform has the other sign.
static void fft_real_K2K_pullback(int rows, int n, int plane, int direction, complex *adj_in, complex *adj_out)
{
    if (adj_out != NULL) {
        long long count = (long long)rows * n;
        if (adj_in != NULL) {
            complex *back, *work;
            cudaMalloc((void **)&back, count * sizeof(complex));
            cudaMalloc((void **)&work, 2 * count * sizeof(complex));
            fft_real_K2K<<<plane ? 1 : rows, 256>>>(rows, n, plane, adj_out, back, -direction, work);
            fft_real_clear<<<(count + 255) / 256, 256>>>(adj_out, count);
            fft_real_add<<<(count + 255) / 256, 256>>>(adj_in, back, count);
            cudaFree(work);
            cudaFree(back);
        } else {
            fft_real_clear<<<(count + 255) / 256, 256>>>(adj_out, count);
        }
    }
}

static void fft_real_E2K_pullback(int rows, int n, int plane, real *adj_in, complex *adj_out)
{
    if (adj_out != NULL) {
        long long count = (long long)rows * n, kept = (long long)rows * (n / 2 + 1);
        if (adj_in != NULL) {
            complex *half, *work;
            real *back;
            cudaMalloc((void **)&half, kept * sizeof(complex));
            cudaMalloc((void **)&back, count * sizeof(real));
            cudaMalloc((void **)&work, 2 * count * sizeof(complex));
            fft_real_fold<<<(kept + 255) / 256, 256>>>(half, adj_out, rows, n, plane);
            fft_real_K2E<<<plane ? 1 : rows, 256>>>(rows, n, plane, half, back, work);
            fft_real_add_numbers<<<(count + 255) / 256, 256>>>(adj_in, back, count);
            cudaFree(work);
            cudaFree(back);
            cudaFree(half);
        }
        fft_real_clear<<<(kept + 255) / 256, 256>>>(adj_out, kept);
    }
}

static void fft_real_K2E_pullback(int rows, int n, int plane, complex *adj_in, real *adj_out)
{
    if (adj_out != NULL) {
        long long count = (long long)rows * n, kept = (long long)rows * (n / 2 + 1);
        if (adj_in != NULL) {
            complex *half, *work;
            cudaMalloc((void **)&half, kept * sizeof(complex));
            cudaMalloc((void **)&work, 2 * count * sizeof(complex));
            fft_real_E2K<<<plane ? 1 : rows, 256>>>(rows, n, plane, adj_out, half, work);
            fft_real_add_folded<<<(kept + 255) / 256, 256>>>(adj_in, half, rows, n);
            cudaFree(work);
            cudaFree(half);
        }
        fft_real_clear_numbers<<<(count + 255) / 256, 256>>>(adj_out, count);
    }
}

static cufftResult cufftExecK2K(cufftHandle plan, complex *in, complex *out, int direction)
{
    complex *work;
    if (plan->type != CUFFT_K2K)
        return CUFFT_INVALID_TYPE;
    cudaMalloc((void **)&work, 2 * (size_t)plan->rows * plan->n * sizeof(complex));
    fft_real_K2K<<<plan->plane ? 1 : plan->rows, 256, 0, plan->stream>>>(plan->rows, plan->n, plan->plane, in, out,
                                                                         direction, work);
    cudaFree(work);
    return CUFFT_SUCCESS;
}

static cufftResult cufftExecE2K(cufftHandle plan, real *in, complex *out)
{
    complex *work;
    if (plan->type != CUFFT_E2K)
        return CUFFT_INVALID_TYPE;
    if ((void *)in == (void *)out)
        abort(); // rows of numbers in place are padded: not known here
    cudaMalloc((void **)&work, 2 * (size_t)plan->rows * plan->n * sizeof(complex));
    fft_real_E2K<<<plan->plane ? 1 : plan->rows, 256, 0, plan->stream>>>(plan->rows, plan->n, plan->plane, in, out,
                                                                         work);
    cudaFree(work);
    return CUFFT_SUCCESS;
}

static cufftResult cufftExecK2E(cufftHandle plan, complex *in, real *out)
{
    complex *work;
    if (plan->type != CUFFT_K2E)
        return CUFFT_INVALID_TYPE;
    if ((void *)in == (void *)out)
        abort(); // rows of numbers in place are padded: not known here
    cudaMalloc((void **)&work, 2 * (size_t)plan->rows * plan->n * sizeof(complex));
    fft_real_K2E<<<plan->plane ? 1 : plan->rows, 256, 0, plan->stream>>>(plan->rows, plan->n, plan->plane, in, out,
                                                                         work);
    cudaFree(work);
    return CUFFT_SUCCESS;
}
