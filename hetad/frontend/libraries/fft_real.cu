// One stage of Stockham's algorithm for a factor of any size.  Each thread computes one of the n numbers of a line,
// which lie `step` apart; the lines begin `apart` from each other.  `done` is the product of the factors before.
// Source: C. Van Loan, Computational Frameworks for the Fast Fourier Transform, 1992.
__global__ static void fft_real_stage(complex *out, const complex *in, int n, int factor, int done, int step,
                                      long long apart, int sign)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n)
        return;
    long long first = blockIdx.y * apart;
    int left = n / done / factor, q = at % done, r = at / done % factor, j = at / done / factor;
    real re = 0, im = 0;
    for (int t = 0; t < factor; t++) {
        long long turn = ((long long)r * t % factor * left + (long long)j * r) % ((long long)factor * left);
        double angle = 2.0 * turn / ((double)factor * left);
        real c = (real)cospi(angle), s = (real)(sign * sinpi(angle));
        complex x = in[first + (q + (long long)done * (j + (long long)left * t)) * step];
        re += c * x.x - s * x.y;
        im += c * x.y + s * x.x;
    }
    out[first + (long long)at * step].x = re;
    out[first + (long long)at * step].y = im;
}

__global__ static void fft_real_copy(complex *out, const complex *in, long long count)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = in[i];
}

__global__ static void fft_real_from_real(complex *out, const real *in, long long count)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < count) {
        out[i].x = in[i];
        out[i].y = 0;
    }
}

__global__ static void fft_real_to_real(real *out, const complex *in, long long count)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = in[i].x;
}

// The first n / 2 + 1 numbers of each row of n.
__global__ static void fft_real_half(complex *out, const complex *in, int n, int rows)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    int kept = n / 2 + 1;
    if (i < (long long)kept * rows)
        out[i] = in[i / kept * n + i % kept];
}

// Rows of n from their first halves: what is left out is the conjugate of what is there.
__global__ static void fft_real_whole(complex *out, const complex *in, int n, int rows, int plane)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    int kept = n / 2 + 1, k = i % n, row = i / n;
    if (i >= (long long)n * rows)
        return;
    if (k < kept) {
        out[i] = in[(long long)row * kept + k];
    } else {
        complex mirror = in[(long long)(plane ? (rows - row) % rows : row) * kept + n - k];
        out[i].x = mirror.x;
        out[i].y = -mirror.y;
    }
}

// Transforms `lines` lines between two buffers; returns whether the result is in the second.
static int fft_real_lines(complex *a, complex *b, int n, int lines, int step, long long apart, int sign,
                          cudaStream_t stream)
{
    complex *from = a, *to = b;
    int moved = 0, done = 1, factor = 2;
    while (done < n) {
        while (n / done % factor != 0)
            factor++;
        fft_real_stage<<<dim3((n + 127) / 128, lines), 128, 0, stream>>>(to, from, n, factor, done, step, apart, sign);
        complex *swap = from;
        from = to;
        to = swap;
        done *= factor;
        moved = 1 - moved;
    }
    return moved;
}

// Transforms what is in `a` by a plan; returns whether the result is in b.
static int fft_real_transform(const fft_plan *plan, complex *a, complex *b, int sign)
{
    int moved = fft_real_lines(a, b, plan->n, plan->rows, 1, plan->n, sign, plan->stream);
    if (!plan->plane)
        return moved;
    int again = fft_real_lines(moved ? b : a, moved ? a : b, plan->rows, plan->n, plan->n, 1, sign, plan->stream);
    return moved != again;
}

static cufftResult cufftExecK2K(cufftHandle plan, complex *in, complex *out, int direction)
{
    complex *a, *b;
    long long count = (long long)plan->n * plan->rows;
    unsigned blocks = (unsigned)((count + 255) / 256);
    if (plan->type != CUFFT_K2K)
        return CUFFT_INVALID_TYPE;
    if (cudaMalloc((void **)&a, count * sizeof(complex)) != cudaSuccess)
        return CUFFT_ALLOC_FAILED;
    if (cudaMalloc((void **)&b, count * sizeof(complex)) != cudaSuccess)
        return CUFFT_ALLOC_FAILED;
    fft_real_copy<<<blocks, 256, 0, plan->stream>>>(a, in, count);
    int moved = fft_real_transform(plan, a, b, direction);
    fft_real_copy<<<blocks, 256, 0, plan->stream>>>(out, moved ? b : a, count);
    cudaStreamSynchronize(plan->stream);
    cudaFree(a);
    cudaFree(b);
    return CUFFT_SUCCESS;
}

static cufftResult cufftExecE2K(cufftHandle plan, real *in, complex *out)
{
    complex *a, *b;
    long long count = (long long)plan->n * plan->rows, kept = (long long)(plan->n / 2 + 1) * plan->rows;
    if (plan->type != CUFFT_E2K)
        return CUFFT_INVALID_TYPE;
    if ((void *)in == (void *)out)
        abort(); // rows of numbers in place are padded: not known here
    if (cudaMalloc((void **)&a, count * sizeof(complex)) != cudaSuccess)
        return CUFFT_ALLOC_FAILED;
    if (cudaMalloc((void **)&b, count * sizeof(complex)) != cudaSuccess)
        return CUFFT_ALLOC_FAILED;
    fft_real_from_real<<<(unsigned)((count + 255) / 256), 256, 0, plan->stream>>>(a, in, count);
    int moved = fft_real_transform(plan, a, b, CUFFT_FORWARD);
    fft_real_half<<<(unsigned)((kept + 255) / 256), 256, 0, plan->stream>>>(out, moved ? b : a, plan->n, plan->rows);
    cudaStreamSynchronize(plan->stream);
    cudaFree(a);
    cudaFree(b);
    return CUFFT_SUCCESS;
}

static cufftResult cufftExecK2E(cufftHandle plan, complex *in, real *out)
{
    complex *a, *b;
    long long count = (long long)plan->n * plan->rows;
    unsigned blocks = (unsigned)((count + 255) / 256);
    if (plan->type != CUFFT_K2E)
        return CUFFT_INVALID_TYPE;
    if ((void *)in == (void *)out)
        abort(); // rows of numbers in place are padded: not known here
    if (cudaMalloc((void **)&a, count * sizeof(complex)) != cudaSuccess)
        return CUFFT_ALLOC_FAILED;
    if (cudaMalloc((void **)&b, count * sizeof(complex)) != cudaSuccess)
        return CUFFT_ALLOC_FAILED;
    fft_real_whole<<<blocks, 256, 0, plan->stream>>>(a, in, plan->n, plan->rows, plan->plane);
    int moved = fft_real_transform(plan, a, b, CUFFT_INVERSE);
    fft_real_to_real<<<blocks, 256, 0, plan->stream>>>(out, moved ? b : a, count);
    cudaStreamSynchronize(plan->stream);
    cudaFree(a);
    cudaFree(b);
    return CUFFT_SUCCESS;
}
