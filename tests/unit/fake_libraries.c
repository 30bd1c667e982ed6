/* cuBLAS and cuFFT for tests, on host memory, with the interface of the real ones: as much as hetad calls.
 *
 * They keep the rules that matter: the stream and where scalars lie belong to the handle, a plan is of one type and size,
 * a transform to real numbers destroys what it is given, and no argument may be against the library's own checks.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char journal[1 << 16];
static int failing;

static int answer; /* of calls */
static void *last_stream;

void fake_libraries_fail(int on) { failing = on; }
void fake_calls_fail(int code) { answer = code; }
void *fake_stream(void) { return last_stream; }
const char *fake_library_journal(void)
{
    static char copy[sizeof journal];
    memcpy(copy, journal, sizeof journal);
    journal[0] = 0;
    return copy;
}
static void wrote(const char *name)
{
    size_t used = strlen(journal);
    snprintf(journal + used, sizeof journal - used, "%s ", name);
}

struct handle {
    void *stream;
    int on_device;
};
int cublasCreate_v2(struct handle **h)
{
    wrote("create");
    *h = calloc(1, sizeof **h);
    return failing ? 1 : 0;
}
int cublasSetStream_v2(struct handle *h, void *stream)
{
    h->stream = last_stream = stream;
    return 0;
}
int cublasSetPointerMode_v2(struct handle *h, int mode)
{
    h->on_device = mode;
    return 0;
}

/* Whether a factor is where the handle does not look for it: those of the host are variables of a function. */
static int misplaced(struct handle *h, const void *factor)
{
    char here;
    long away = (const char *)factor - &here;
    return (away > -(1l << 23) && away < 1l << 23) == h->on_device;
}

static long at(int i, int n, int inc) { return inc < 0 ? (long)(i - n + 1) * inc : (long)i * inc; }

#define BLAS(real, S) \
    int cublas##S##axpy_v2(struct handle *h, int n, const real *alpha, const real *x, int incx, real *y, int incy) \
    { \
        wrote("axpy"); \
        for (int i = 0; i < n; i++) \
            y[at(i, n, incy)] += *alpha * x[at(i, n, incx)]; \
        return misplaced(h, alpha); \
    } \
    int cublas##S##scal_v2(struct handle *h, int n, const real *alpha, real *x, int incx) \
    { \
        wrote("scal"); \
        for (int i = 0; i < n && incx > 0; i++) \
            x[i * incx] *= *alpha; \
        return misplaced(h, alpha); \
    } \
    int cublas##S##copy_v2(struct handle *h, int n, const real *x, int incx, real *y, int incy) \
    { \
        wrote("copy"); \
        for (int i = 0; i < n; i++) \
            y[at(i, n, incy)] = x[at(i, n, incx)]; \
        return h->on_device; \
    } \
    int cublas##S##swap_v2(struct handle *h, int n, real *x, int incx, real *y, int incy) \
    { \
        wrote("swap"); \
        for (int i = 0; i < n; i++) { \
            real kept = y[at(i, n, incy)]; \
            y[at(i, n, incy)] = x[at(i, n, incx)]; \
            x[at(i, n, incx)] = kept; \
        } \
        return h->on_device; \
    } \
    int cublas##S##dot_v2(struct handle *h, int n, const real *x, int incx, const real *y, int incy, real *result) \
    { \
        double sum = 0; \
        wrote("dot"); \
        for (int i = 0; i < n; i++) \
            sum += x[at(i, n, incx)] * y[at(i, n, incy)]; \
        *result = sum; \
        return !h->on_device; \
    } \
    int cublas##S##asum_v2(struct handle *h, int n, const real *x, int incx, real *result) \
    { \
        double sum = 0; \
        wrote("asum"); \
        for (int i = 0; i < n && incx > 0; i++) \
            sum += fabs(x[i * incx]); \
        *result = sum; \
        return !h->on_device; \
    } \
    int cublas##S##nrm2_v2(struct handle *h, int n, const real *x, int incx, real *result) \
    { \
        double sum = 0; \
        wrote("nrm2"); \
        for (int i = 0; i < n && incx > 0; i++) \
            sum += (double)x[i * incx] * x[i * incx]; \
        *result = sqrt(sum); \
        return !h->on_device; \
    } \
    int cublas##S##gemv_v2(struct handle *h, int trans, int m, int n, const real *alpha, const real *a, int lda, \
                           const real *x, int incx, const real *beta, real *y, int incy) \
    { \
        int rows = trans ? n : m, columns = trans ? m : n; \
        wrote("gemv"); \
        if (m < 0 || n < 0 || lda < 1 || lda < m || incx == 0 || incy == 0 || trans < 0 || trans > 2) \
            return 7; \
        for (int i = 0; i < rows && columns > 0; i++) { \
            double sum = 0; \
            for (int k = 0; k < columns; k++) \
                sum += a[trans ? k + (long)i * lda : i + (long)k * lda] * x[at(k, columns, incx)]; \
            y[at(i, rows, incy)] = *alpha * sum + (*beta == 0 ? 0 : *beta * y[at(i, rows, incy)]); \
        } \
        return misplaced(h, alpha) || misplaced(h, beta); \
    } \
    int cublas##S##ger_v2(struct handle *h, int m, int n, const real *alpha, const real *x, int incx, const real *y, \
                          int incy, real *a, int lda) \
    { \
        wrote("ger"); \
        if (m < 0 || n < 0 || lda < 1 || lda < m || incx == 0 || incy == 0) \
            return 7; \
        for (int j = 0; j < n; j++) \
            for (int i = 0; i < m; i++) \
                a[i + (long)j * lda] += *alpha * x[at(i, m, incx)] * y[at(j, n, incy)]; \
        return misplaced(h, alpha); \
    } \
    static int S##multiply(struct handle *h, int ta, int tb, int m, int n, int k, const real *alpha, const real *a, \
                           int lda, const real *b, int ldb, const real *beta, real *c, int ldc) \
    { \
        if (m < 0 || n < 0 || k < 0 || lda < 1 || lda < (ta ? k : m) || ldb < 1 || ldb < (tb ? n : k) || ldc < 1 \
            || ldc < m || ta < 0 || ta > 2 || tb < 0 || tb > 2) \
            return 7; \
        for (int j = 0; j < n; j++) \
            for (int i = 0; i < m; i++) { \
                real *cell = &c[i + (long)j * ldc]; \
                double sum = 0; \
                for (int p = 0; p < k; p++) \
                    sum += a[ta ? p + (long)i * lda : i + (long)p * lda] * b[tb ? j + (long)p * ldb : p + (long)j * ldb]; \
                *cell = *alpha * sum + (*beta == 0 ? 0 : *beta * *cell); \
            } \
        return misplaced(h, alpha) || misplaced(h, beta); \
    } \
    int cublas##S##gemm_v2(struct handle *h, int ta, int tb, int m, int n, int k, const real *alpha, const real *a, \
                           int lda, const real *b, int ldb, const real *beta, real *c, int ldc) \
    { \
        wrote("gemm"); \
        if (answer != 0) \
            return answer; \
        return S##multiply(h, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc); \
    } \
    int cublas##S##gemmStridedBatched(struct handle *h, int ta, int tb, int m, int n, int k, const real *alpha, \
                                      const real *a, int lda, long long a_next, const real *b, int ldb, \
                                      long long b_next, const real *beta, real *c, int ldc, long long c_next, \
                                      int count) \
    { \
        int code = 0; \
        wrote("batch"); \
        for (int q = 0; q < count && code == 0; q++) \
            code = S##multiply(h, ta, tb, m, n, k, alpha, a + q * a_next, lda, b + q * b_next, ldb, beta, \
                               c + q * c_next, ldc); \
        return code; \
    }
BLAS(float, S)
BLAS(double, D)

static struct plan {
    int rows, n, plane, type;
    void *stream;
} plans[1024];
static int plan_count;

static int new_plan(int *plan, int rows, int n, int plane, int type)
{
    wrote("plan");
    if (failing)
        return 5;
    plans[plan_count] = (struct plan){rows, n, plane, type, NULL};
    *plan = plan_count++;
    return 0;
}
int cufftPlan1d(int *plan, int n, int type, int batch) { return new_plan(plan, batch, n, 0, type); }
int cufftPlan2d(int *plan, int rows, int n, int type) { return new_plan(plan, rows, n, 1, type); }
int cufftDestroy(int plan)
{
    wrote("destroy");
    plans[plan].type = 0;
    return 0;
}
int cufftSetStream(int plan, void *stream)
{
    plans[plan].stream = stream;
    return 0;
}
int cufftGetVersion(int *version)
{
    *version = 12345;
    return 0;
}

/* One number of the transform of a line, or of a plane. */
static void transformed(const struct plan *p, const double *all, int row, int k, int sign, double out[2])
{
    out[0] = out[1] = 0;
    for (int r = p->plane ? 0 : row; r < (p->plane ? p->rows : row + 1); r++)
        for (int j = 0; j < p->n; j++) {
            double turn = (double)((long)j * k % p->n) / p->n + (p->plane ? (double)((long)r * row % p->rows) / p->rows : 0);
            double c = cos(2 * M_PI * turn), s = sign * sin(2 * M_PI * turn);
            const double *x = &all[2 * (r * p->n + j)];
            out[0] += c * x[0] - s * x[1];
            out[1] += c * x[1] + s * x[0];
        }
}
#define FFT(real, C, R, K2K, R2K, K2R, code) \
    static double *C##numbers(const real *in, int count, int step) \
    { \
        double *all = calloc(2 * count + 2, sizeof *all); \
        for (int i = 0; i < count; i++) \
            for (int side = 0; side < step; side++) \
                all[2 * i + side] = in[step * i + side]; \
        return all; \
    } \
    int cufftExec##K2K(int plan, real *in, real *out, int direction) \
    { \
        const struct plan *p = &plans[plan]; \
        double *all, y[2]; \
        wrote(#K2K); \
        if (p->type != (0x29 | code)) \
            return 3; \
        all = C##numbers(in, p->rows * p->n, 2); \
        for (int i = 0; i < p->rows * p->n; i++) { \
            transformed(p, all, i / p->n, i % p->n, direction, y); \
            out[2 * i] = y[0]; \
            out[2 * i + 1] = y[1]; \
        } \
        free(all); \
        return 0; \
    } \
    int cufftExec##R2K(int plan, real *in, real *out) \
    { \
        const struct plan *p = &plans[plan]; \
        int kept = p->n / 2 + 1; \
        double *all, y[2]; \
        wrote(#R2K); \
        if (p->type != (0x2a | code)) \
            return 3; \
        all = C##numbers(in, p->rows * p->n, 1); \
        for (int i = 0; i < p->rows * kept; i++) { \
            transformed(p, all, i / kept, i % kept, -1, y); \
            out[2 * i] = y[0]; \
            out[2 * i + 1] = y[1]; \
        } \
        free(all); \
        return 0; \
    } \
    int cufftExec##K2R(int plan, real *in, real *out) \
    { \
        const struct plan *p = &plans[plan]; \
        int kept = p->n / 2 + 1; \
        double *all = calloc(2 * p->rows * p->n, sizeof *all), y[2]; \
        wrote(#K2R); \
        if (p->type != (0x2c | code)) \
            return 3; \
        for (int i = 0; i < p->rows * p->n; i++) { \
            int row = i / p->n, k = i % p->n, mirror = p->plane ? (p->rows - row) % p->rows : row; \
            const real *x = &in[2 * (k < kept ? row * kept + k : mirror * kept + p->n - k)]; \
            all[2 * i] = x[0]; \
            all[2 * i + 1] = k < kept ? x[1] : -x[1]; \
        } \
        for (int i = 0; i < p->rows * p->n; i++) { \
            transformed(p, all, i / p->n, i % p->n, 1, y); \
            out[i] = y[0]; \
        } \
        memset(in, 0xff, 2 * p->rows * kept * sizeof *in); \
        free(all); \
        return 0; \
    }
FFT(float, c, r, C2C, R2C, C2R, 0)
FFT(double, z, d, Z2Z, D2Z, Z2D, 0x40)
