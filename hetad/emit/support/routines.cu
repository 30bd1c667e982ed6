// Every call of a library must succeed.
static void hetad_routine(int status)
{
    if (status != 0) {
        char message[64];
        snprintf(message, sizeof message, "a routine of cuBLAS or cuFFT fails with status %d", status);
        hetad_fail(message);
    }
}

// The handle of the derivative, which does all work in the default stream.
static int hetad_cublas(cublasHandle_t *handle)
{
    static cublasHandle_t own;
    if (own == NULL) {
        hetad_routine(cublasCreate(&own));
    }
    *handle = own;
    return 0;
}

// A handle of the caller's, for the same.
static void hetad_cublas_given(cublasHandle_t handle)
{
    hetad_routine(cublasSetStream(handle, NULL));
    hetad_routine(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
}

// A plan for `rows` transforms of n numbers, or one of rows x n in a plane; the last ones made are kept.
static cufftHandle hetad_fft_plan(int rows, int n, int plane, cufftType type)
{
    static struct {
        int rows, n, plane;
        cufftType type;
        cufftHandle plan;
    } plans[32];
    static int made;
    for (int i = 0; i < made && i < 32; i++) {
        if (plans[i].rows == rows && plans[i].n == n && plans[i].plane == plane && plans[i].type == type) {
            return plans[i].plan;
        }
    }
    const int at = made % 32;
    if (made >= 32) {
        cufftDestroy(plans[at].plan);
    }
    if (plane) {
        hetad_routine(cufftPlan2d(&plans[at].plan, rows, n, type));
    } else {
        hetad_routine(cufftPlan1d(&plans[at].plan, n, type, rows));
    }
    plans[at].rows = rows;
    plans[at].n = n;
    plans[at].plane = plane;
    plans[at].type = type;
    made++;
    return plans[at].plan;
}
