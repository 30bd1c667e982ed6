// What cufft.h declares, as far as hetad knows it.  A plan holds the sizes: `rows` transforms of `n` numbers, or for
// two dimensions one of rows x n.
#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1

typedef enum {
    CUFFT_SUCCESS = 0,
    CUFFT_INVALID_PLAN = 1,
    CUFFT_ALLOC_FAILED = 2,
    CUFFT_INVALID_TYPE = 3,
    CUFFT_INVALID_VALUE = 4,
    CUFFT_INTERNAL_ERROR = 5,
    CUFFT_EXEC_FAILED = 6,
    CUFFT_SETUP_FAILED = 7,
    CUFFT_INVALID_SIZE = 8
} cufftResult;

typedef enum {
    CUFFT_R2C = 0x2a,
    CUFFT_C2R = 0x2c,
    CUFFT_C2C = 0x29,
    CUFFT_D2Z = 0x6a,
    CUFFT_Z2D = 0x6c,
    CUFFT_Z2Z = 0x69
} cufftType;

typedef float cufftReal;
typedef double cufftDoubleReal;
typedef float2 cufftComplex;
typedef double2 cufftDoubleComplex;

typedef struct {
    int n, rows, plane;
    cufftType type;
    cudaStream_t stream;
} fft_plan;

typedef fft_plan *cufftHandle;

static cufftResult fft_new_plan(cufftHandle *plan, int rows, int n, int plane, cufftType type)
{
    if (n < 1 || rows < 1)
        return CUFFT_INVALID_SIZE;
    fft_plan *made = (fft_plan *)malloc(sizeof(fft_plan));
    made->n = n;
    made->rows = rows;
    made->plane = plane;
    made->type = type;
    made->stream = 0;
    *plan = made;
    return CUFFT_SUCCESS;
}

static cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch)
{
    return fft_new_plan(plan, batch, nx, 0, type);
}

static cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type)
{
    return fft_new_plan(plan, nx, ny, 1, type);
}

static cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream)
{
    plan->stream = stream;
    return CUFFT_SUCCESS;
}

static cufftResult cufftDestroy(cufftHandle plan)
{
    free(plan);
    return CUFFT_SUCCESS;
}
