/* CUDA's mathematical functions that C's <math.h> lacks, for kernels that run on a CPU.

   A line that starts with "//@" opens a section: the names it defines, then, after "needs", names whose sections come
   first.  hetad/rules/math/cpu.py cuts the file there; each section is written at most once.
   The C function for a CUDA name is hetad_ and the name without its leading underscores. */

//@ rsqrt rsqrtf
static inline double hetad_rsqrt(double x) { return 1.0 / sqrt(x); }
static inline float hetad_rsqrtf(float x) { return 1.0f / sqrtf(x); }  // 2 ulp, as in CUDA

//@ rcbrt rcbrtf
static inline double hetad_rcbrt(double x) { return 1.0 / cbrt(x); }
static inline float hetad_rcbrtf(float x) { return (float)(1.0 / cbrt((double)x)); }

//@ rhypot rhypotf
static inline double hetad_rhypot(double x, double y) { return 1.0 / hypot(x, y); }
static inline float hetad_rhypotf(float x, float y) { return (float)(1.0 / hypot((double)x, (double)y)); }

//@ norm3d norm3df
static inline double hetad_norm3d(double x, double y, double z) { return hypot(hypot(x, y), z); }
static inline float hetad_norm3df(float x, float y, float z) { return (float)hetad_norm3d(x, y, z); }

//@ rnorm3d rnorm3df needs norm3d
static inline double hetad_rnorm3d(double x, double y, double z) { return 1.0 / hetad_norm3d(x, y, z); }
static inline float hetad_rnorm3df(float x, float y, float z) { return (float)(1.0 / hetad_norm3d(x, y, z)); }

//@ norm4d norm4df
static inline double hetad_norm4d(double x, double y, double z, double w) { return hypot(hypot(x, y), hypot(z, w)); }
static inline float hetad_norm4df(float x, float y, float z, float w) { return (float)hetad_norm4d(x, y, z, w); }

//@ rnorm4d rnorm4df needs norm4d
static inline double hetad_rnorm4d(double x, double y, double z, double w) { return 1.0 / hetad_norm4d(x, y, z, w); }
static inline float hetad_rnorm4df(float x, float y, float z, float w) { return (float)(1.0 / hetad_norm4d(x, y, z, w)); }

//@ norm normf
// As on a GPU, the norm of fewer than one element is that of the first.
static inline double hetad_norm(int n, const double *p) {
  double r = 0.0;
  for (int i = 0; i < (n < 1 ? 1 : n); ++i) r = hypot(r, p[i]);
  return r;
}
static inline float hetad_normf(int n, const float *p) {
  double r = 0.0;
  for (int i = 0; i < (n < 1 ? 1 : n); ++i) r += (double)p[i] * (double)p[i];
  return (float)sqrt(r);
}

//@ rnorm rnormf needs norm
static inline double hetad_rnorm(int n, const double *p) { return 1.0 / hetad_norm(n, p); }
static inline float hetad_rnormf(int n, const float *p) { return 1.0f / hetad_normf(n, p); }

//@ exp10 exp10f __exp10f
static inline double hetad_exp10(double x) { return pow(10.0, x); }
static inline float hetad_exp10f(float x) { return (float)pow(10.0, (double)x); }

//@ sincos sincosf __sincosf
static inline void hetad_sincos(double x, double *s, double *c) { *s = sin(x); *c = cos(x); }
static inline void hetad_sincosf(float x, float *s, float *c) { *s = sinf(x); *c = cosf(x); }

//@ sinpi sinpif cospi cospif sincospi sincospif
/* x = 2k + n/2 + t exactly, with |t| <= 1/4 */
static inline void hetad_sincospi(double x, double *s, double *c) {
  double turn = x - 2.0 * rint(0.5 * x), n = rint(2.0 * turn);
  double angle = 3.14159265358979323846 * (turn - 0.5 * n), sine = sin(angle), cosine = cos(angle);
  switch ((int)n & 3) {
    case 0: *s = sine; *c = cosine; break;
    case 1: *s = cosine; *c = 0.0 - sine; break;
    case 2: *s = 0.0 - sine; *c = -cosine; break;
    default: *s = -cosine; *c = sine; break;
  }
  if (x - x != 0.0) *s = *c = x - x; /* infinite or not a number */
}
static inline double hetad_sinpi(double x) { double s, c; hetad_sincospi(x, &s, &c); return s; }
static inline double hetad_cospi(double x) { double s, c; hetad_sincospi(x, &s, &c); return c; }
static inline float hetad_sinpif(float x) { return (float)hetad_sinpi(x); }
static inline float hetad_cospif(float x) { return (float)hetad_cospi(x); }
static inline void hetad_sincospif(float x, float *s, float *c) {
  double ds, dc;
  hetad_sincospi(x, &ds, &dc);
  *s = (float)ds;
  *c = (float)dc;
}

//@ normcdf normcdff
/* erfc(-x/sqrt 2) / 2; the rounding error of -x/sqrt 2 is corrected to first order, it would grow like x^2. */
static inline double hetad_normcdf(double x) {
  double t = -0.70710678118654752440 * x;
  double lost = fma(-0.70710678118654752440, x, -t) + 4.833646656726456726e-17 * x;
  double tail = erfc(t);
  return t > -6.0 && t < 28.0 ? 0.5 * (tail - 1.12837916709551257390 * exp(-t * t) * lost) : 0.5 * tail;
}
static inline float hetad_normcdff(float x) { return (float)(0.5 * erfc(-0.70710678118654752440 * (double)x)); }

//@ erfcx erfcxf
/* exp(x^2) erfc(x); where erfc nears its underflow the asymptotic series, DLMF 7.12.1. */
static inline double hetad_erfcx(double x) {
  if (x < 25.0) {
    double square = x * x, lost = fma(x, x, -square), scale = exp(square);
    if (scale - scale != 0.0) return scale; /* overflow */
    return (scale + scale * lost) * erfc(x);
  }
  double u = 0.5 / (x * x);
  double sum = 1.0 - u * (1.0 - 3.0 * u * (1.0 - 5.0 * u * (1.0 - 7.0 * u * (1.0 - 9.0 * u * (1.0 - 11.0 * u)))));
  return 0.56418958354775628695 / x * sum;
}
static inline float hetad_erfcxf(float x) { return (float)hetad_erfcx(x); }

//@ erfinv erfinvf erfcinv erfcinvf normcdfinv normcdfinvf needs erfcx
/* First guess: M. Giles, "Approximating the erfinv function", GPU Computing Gems 2 (2011), single precision; for tiny
   arguments the leading asymptotic term.  Then Halley's method on erf in the middle, and Newton's method on log erfc in
   the tails, where it converges quadratically down to the smallest double. */
static inline double hetad_math_erfinv_guess(double w) {
  if (w < 5.0) {
    w -= 2.5;
    return 1.50140941 + w * (0.246640727 + w * (-0.00417768164 + w * (-0.00125372503 + w * (0.00021858087
         + w * (-4.39150654e-06 + w * (-3.5233877e-06 + w * (3.43273939e-07 + w * 2.81022636e-08)))))));
  }
  w = sqrt(w) - 3.0;
  return 2.83297682 + w * (1.00167406 + w * (0.00943887047 + w * (-0.0076224613 + w * (0.00573950773
       + w * (-0.00367342844 + w * (0.00134934322 + w * (0.000100950558 - w * 0.000200214257)))))));
}
static inline double hetad_math_erfinv_middle(double x) { /* |x| <= 1/2 */
  double y = x * hetad_math_erfinv_guess(-log((1.0 - x) * (1.0 + x)));
  for (int i = 0; i < 2; ++i) {
    double step = (erf(y) - x) * 0.88622692545275801365 * exp(y * y);
    y -= step / (1.0 + y * step);
  }
  return y;
}
static inline double hetad_math_erfcinv_tail(double x) { /* 0 < x <= 1/2 */
  double log_x = log(x), w = -log_x - log(2.0 - x), y;
  if (w < 16.0)
    y = (1.0 - x) * hetad_math_erfinv_guess(w);
  else
    y = sqrt(-log_x - 0.5 * log(-3.14159265358979323846 * log_x));
  for (int i = 0; i < 4; ++i) {
    double scaled = hetad_erfcx(y);
    y += (log(scaled) - y * y - log_x) * 0.88622692545275801365 * scaled;
  }
  return y;
}
static inline double hetad_erfcinv(double x) {
  if (!(x > 0.0 && x < 2.0)) return x == 0.0 ? HUGE_VAL : x == 2.0 ? -HUGE_VAL : (x - x) / (x - x);
  return x < 0.5 ? hetad_math_erfcinv_tail(x) : x > 1.5 ? -hetad_math_erfcinv_tail(2.0 - x) : hetad_math_erfinv_middle(1.0 - x);
}
static inline double hetad_erfinv(double x) {
  if (!(x > -1.0 && x < 1.0)) return x == 1.0 ? HUGE_VAL : x == -1.0 ? -HUGE_VAL : (x - x) / (x - x);
  return x > 0.5 ? hetad_math_erfcinv_tail(1.0 - x) : x < -0.5 ? -hetad_math_erfcinv_tail(1.0 + x) : hetad_math_erfinv_middle(x);
}
static inline double hetad_normcdfinv(double x) { return -1.41421356237309504880 * hetad_erfcinv(2.0 * x); }
static inline float hetad_erfcinvf(float x) { return (float)hetad_erfcinv(x); }
static inline float hetad_erfinvf(float x) { return (float)hetad_erfinv(x); }
static inline float hetad_normcdfinvf(float x) { return (float)hetad_normcdfinv(x); }

//@ cyl_bessel_i0 cyl_bessel_i0f cyl_bessel_i1 cyl_bessel_i1f
/* The power series DLMF 10.25.2, all of whose terms are positive, and the asymptotic series 10.40.1. */
static inline double hetad_math_bessel_i(int order, double x) { /* x >= 0 */
  double term = 1.0, sum = 1.0;
  if (x <= 20.0) {
    double square = 0.25 * x * x;
    for (int k = 1; term > 1e-17 * sum; ++k) sum += term *= square / ((double)k * (k + order));
    return order ? 0.5 * x * sum : sum;
  }
  for (int k = 1; k < 60 && fabs(term) > 1e-17; ++k) {
    double odd = 2.0 * k - 1.0;
    sum += term *= (odd * odd - 4.0 * order) / (8.0 * k * x);
  }
  double root = exp(0.5 * x); /* exp(x) alone would overflow before the result does */
  return root * (root * (0.39894228040143267794 / sqrt(x) * sum));
}
static inline double hetad_cyl_bessel_i0(double x) { return x == x ? hetad_math_bessel_i(0, fabs(x)) : x; }
static inline double hetad_cyl_bessel_i1(double x) { return x == x ? copysign(hetad_math_bessel_i(1, fabs(x)), x) : x; }
static inline float hetad_cyl_bessel_i0f(float x) { return (float)hetad_cyl_bessel_i0(x); }
static inline float hetad_cyl_bessel_i1f(float x) { return (float)hetad_cyl_bessel_i1(x); }

//@ j0f j1f jnf y0f y1f ynf
static inline float hetad_j0f(float x) { return (float)j0((double)x); }
static inline float hetad_j1f(float x) { return (float)j1((double)x); }
static inline float hetad_jnf(int n, float x) { return (float)jn(n, (double)x); }
static inline float hetad_y0f(float x) { return (float)y0((double)x); }
static inline float hetad_y1f(float x) { return (float)y1((double)x); }
static inline float hetad_ynf(int n, float x) { return (float)yn(n, (double)x); }

//@ fdivide fdividef __fdividef
static inline double hetad_fdivide(double x, double y) { return x / y; }
static inline float hetad_fdividef(float x, float y) { return x / y; }

//@ __expf __logf __log2f __log10f __powf __sinf __cosf __tanf __tanhf __saturatef
static inline float hetad_expf(float x) { return expf(x); }
static inline float hetad_logf(float x) { return logf(x); }
static inline float hetad_log2f(float x) { return log2f(x); }
static inline float hetad_log10f(float x) { return log10f(x); }
static inline float hetad_powf(float x, float y) { return powf(x, y); }
static inline float hetad_sinf(float x) { return sinf(x); }
static inline float hetad_cosf(float x) { return cosf(x); }
static inline float hetad_tanf(float x) { return tanf(x); }
static inline float hetad_tanhf(float x) { return tanhf(x); }
static inline float hetad_saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

//@ min max umin umax llmin llmax ullmin ullmax
static inline int hetad_min(int a, int b) { return a < b ? a : b; }
static inline int hetad_max(int a, int b) { return a > b ? a : b; }
static inline unsigned hetad_umin(unsigned a, unsigned b) { return a < b ? a : b; }
static inline unsigned hetad_umax(unsigned a, unsigned b) { return a > b ? a : b; }
static inline long long hetad_llmin(long long a, long long b) { return a < b ? a : b; }
static inline long long hetad_llmax(long long a, long long b) { return a > b ? a : b; }
static inline unsigned long long hetad_ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
static inline unsigned long long hetad_ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }

//@ __clz __clzll __ffs __ffsll __popc __popcll __brev __brevll
static inline int hetad_clz(int a) { return a ? __builtin_clz((unsigned)a) : 32; }
static inline int hetad_clzll(long long a) { return a ? __builtin_clzll((unsigned long long)a) : 64; }
static inline int hetad_ffs(int a) { return __builtin_ffs(a); }
static inline int hetad_ffsll(long long a) { return __builtin_ffsll(a); }
static inline int hetad_popc(unsigned a) { return __builtin_popcount(a); }
static inline int hetad_popcll(unsigned long long a) { return __builtin_popcountll(a); }
static inline unsigned long long hetad_brevll(unsigned long long a) {
  unsigned long long r = 0;
  for (int i = 0; i < 64; ++i, a >>= 1) r = r << 1 | (a & 1);
  return r;
}
static inline unsigned hetad_brev(unsigned a) { return (unsigned)(hetad_brevll(a) >> 32); }

//@ __mul24 __umul24 __mulhi __umulhi __mul64hi __umul64hi
static inline int hetad_math_low24(int a) { return (int)((unsigned)a << 8) >> 8; }
static inline int hetad_mul24(int a, int b) {
  return (int)((unsigned)hetad_math_low24(a) * (unsigned)hetad_math_low24(b));
}
static inline unsigned hetad_umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
static inline int hetad_mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
static inline unsigned hetad_umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
static inline long long hetad_mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
static inline unsigned long long hetad_umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}

//@ __sad __usad __hadd __rhadd __uhadd __urhadd
static inline unsigned hetad_sad(int a, int b, unsigned c) {
  return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c;
}
static inline unsigned hetad_usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
static inline int hetad_hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
static inline int hetad_rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
static inline unsigned hetad_uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
static inline unsigned hetad_urhadd(unsigned a, unsigned b) {
  return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}

//@ __byte_perm __funnelshift_l __funnelshift_r __funnelshift_lc __funnelshift_rc
static inline unsigned hetad_byte_perm(unsigned a, unsigned b, unsigned s) {
  unsigned long long bytes = (unsigned long long)b << 32 | a;
  unsigned r = 0;
  for (int i = 0; i < 4; ++i) r |= (unsigned)(bytes >> 8 * (s >> 4 * i & 7) & 0xff) << 8 * i;
  return r;
}
static inline unsigned hetad_funnelshift_lc(unsigned low, unsigned high, unsigned s) {
  return s >= 32 ? low : (unsigned)((((unsigned long long)high << 32 | low) << s) >> 32);
}
static inline unsigned hetad_funnelshift_rc(unsigned low, unsigned high, unsigned s) {
  return s >= 32 ? high : (unsigned)(((unsigned long long)high << 32 | low) >> s);
}
static inline unsigned hetad_funnelshift_l(unsigned low, unsigned high, unsigned s) {
  return hetad_funnelshift_lc(low, high, s & 31);
}
static inline unsigned hetad_funnelshift_r(unsigned low, unsigned high, unsigned s) {
  return hetad_funnelshift_rc(low, high, s & 31);
}

//@ __float_as_int __float_as_uint __int_as_float __uint_as_float
static inline int hetad_float_as_int(float x) { int a; __builtin_memcpy(&a, &x, 4); return a; }
static inline unsigned hetad_float_as_uint(float x) { unsigned a; __builtin_memcpy(&a, &x, 4); return a; }
static inline float hetad_int_as_float(int a) { float x; __builtin_memcpy(&x, &a, 4); return x; }
static inline float hetad_uint_as_float(unsigned a) { float x; __builtin_memcpy(&x, &a, 4); return x; }

//@ __double_as_longlong __longlong_as_double __double2hiint __double2loint __hiloint2double
static inline long long hetad_double_as_longlong(double x) { long long a; __builtin_memcpy(&a, &x, 8); return a; }
static inline double hetad_longlong_as_double(long long a) { double x; __builtin_memcpy(&x, &a, 8); return x; }
static inline int hetad_double2hiint(double x) { return (int)(hetad_double_as_longlong(x) >> 32); }
static inline int hetad_double2loint(double x) { return (int)hetad_double_as_longlong(x); }
static inline double hetad_hiloint2double(int high, int low) {
  return hetad_longlong_as_double((long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}

//@ :directed
/* Directed rounding: the result to nearest is moved by one unit when its exact error, of which only the sign matters,
   says so.  Modes: 0 to nearest even, 1 toward zero, 2 up, 3 down. */
#define HETAD_DIRECTED(T, F)                                                                                        \
  static inline T hetad_math_nudge##F(T s, T error, int mode) {                                                          \
    if (mode == 0 || error == 0 || error != error || s - s != 0) return s;                                          \
    int up = error > 0;                                                                                             \
    if (mode == 1) mode = up ? (s < 0 ? 2 : 0) : (s > 0 ? 3 : 0);                                                   \
    return mode == 2 && up ? nextafter##F(s, (T)HUGE_VAL) : mode == 3 && !up ? nextafter##F(s, -(T)HUGE_VAL) : s;   \
  }                                                                                                                 \
  static inline T hetad_math_two_sum##F(T a, T b, T *error) {                                                            \
    T s = a + b, c = s - a;                                                                                         \
    *error = (a - (s - c)) + (b - c);                                                                               \
    return s;                                                                                                       \
  }                                                                                                                 \
  static inline T hetad_math_add##F(T a, T b, int mode) {                                                                \
    T error, s = hetad_math_two_sum##F(a, b, &error);                                                                    \
    return hetad_math_nudge##F(s, error, mode);                                                                          \
  }                                                                                                                 \
  static inline T hetad_math_mul##F(T a, T b, int mode) { T s = a * b; return hetad_math_nudge##F(s, fma##F(a, b, -s), mode); } \
  static inline T hetad_math_div##F(T a, T b, int mode) {                                                                \
    T s = a / b, rest = fma##F(-s, b, a);                                                                           \
    return hetad_math_nudge##F(s, b < 0 ? -rest : rest, mode);                                                           \
  }                                                                                                                 \
  static inline T hetad_math_root##F(T a, int mode) { T s = sqrt##F(a); return hetad_math_nudge##F(s, fma##F(-s, s, a), mode); } \
  /* the error of an fma: Boldo and Muller, "Exact and approximated error of the FMA", IEEE Trans. Comp. 60 (2011) */ \
  static inline T hetad_math_fma##F(T a, T b, T c, int mode) {                                                           \
    T s = fma##F(a, b, c), product = a * b, low = fma##F(a, b, -product), alpha, beta, lost;                        \
    alpha = hetad_math_two_sum##F(c, low, &lost);                                                                        \
    T high = hetad_math_two_sum##F(product, alpha, &beta);                                                               \
    return hetad_math_nudge##F(s, ((high - s) + beta) + lost, mode);                                                     \
  }
HETAD_DIRECTED(double, )
HETAD_DIRECTED(float, f)
static inline float hetad_math_narrow(double x, int mode) {
  float s = (float)x;
  return hetad_math_nudgef(s, x > s ? 1.0f : x < s ? -1.0f : 0.0f, mode);
}

//@ :to_integer
static inline double hetad_math_round(double x, int mode) {
  return mode == 0 ? rint(x) : mode == 1 ? trunc(x) : mode == 2 ? ceil(x) : floor(x);
}
/* out of range saturates; not a number gives `none`, as the hardware does */
static inline int hetad_math_to_int(double x, int none) {
  return x != x ? none : x >= 2147483647.0 ? 2147483647 : x <= -2147483648.0 ? -2147483647 - 1 : (int)x;
}
static inline unsigned hetad_math_to_uint(double x, unsigned none) {
  return x != x ? none : x >= 4294967295.0 ? 4294967295u : x <= 0.0 ? 0u : (unsigned)x;
}
static inline long long hetad_math_to_ll(double x) {
  return x >= 9223372036854775808.0 ? 9223372036854775807LL
         : x >= -9223372036854775808.0 ? (long long)x : -9223372036854775807LL - 1;
}
static inline unsigned long long hetad_math_to_ull(double x) {
  return x != x ? 1ull << 63 : x >= 18446744073709551616.0 ? ~0ull : x <= 0.0 ? 0ull : (unsigned long long)x;
}

//@ :from_integer needs :directed
static inline float hetad_math_from_integerf(__int128 a, int mode) {
  float s = (float)a;
  __int128 rest = a - (__int128)s;
  return hetad_math_nudgef(s, rest > 0 ? 1.0f : rest < 0 ? -1.0f : 0.0f, mode);
}
static inline double hetad_math_from_integer(__int128 a, int mode) {
  double s = (double)a;
  __int128 rest = a - (__int128)s;
  return hetad_math_nudge(s, rest > 0 ? 1.0 : rest < 0 ? -1.0 : 0.0, mode);
}

//@ hetad_digamma hetad_digammaf
/* Recurrence up to x >= 10, then the asymptotic series DLMF 5.11.2; reflection 5.5.4 for x < 0. */
HETAD_FUNCTION double hetad_digamma(double x) {
  double shift = 0.0;
  if (x <= 0.0) {
    double turn = x - rint(x);
    if (turn == 0.0) return (x - x) / (x - x);
    shift = -3.14159265358979323846 / tan(3.14159265358979323846 * turn);
    x = 1.0 - x;
  }
  for (; x < 10.0; x += 1.0) shift -= 1.0 / x;
  double u = 1.0 / (x * x);
  double tail = u * (1.0 / 12 - u * (1.0 / 120 - u * (1.0 / 252 - u * (1.0 / 240 - u * (1.0 / 132
              - u * (691.0 / 32760 - u * (1.0 / 12 - u * (3617.0 / 8160))))))));
  return shift + (log(x) - 0.5 / x - tail);
}
HETAD_FUNCTION float hetad_digammaf(float x) { return (float)hetad_digamma(x); }

//@ hetad_trigamma hetad_trigammaf
/* The derivative of the above; DLMF 5.15. */
HETAD_FUNCTION double hetad_trigamma(double x) {
  double shift = 0.0, sign = 1.0;
  if (x <= 0.0) {
    double s = sin(3.14159265358979323846 * (x - rint(x)));
    shift = 9.86960440108935861883 / (s * s);
    sign = -1.0;
    x = 1.0 - x;
  }
  for (; x < 10.0; x += 1.0) shift += sign / (x * x);
  double u = 1.0 / (x * x);
  double tail = u * (1.0 / 6 - u * (1.0 / 30 - u * (1.0 / 42 - u * (1.0 / 30 - u * (5.0 / 66
              - u * (691.0 / 2730 - u * (7.0 / 6 - u * (3617.0 / 510))))))));
  return shift + sign * ((1.0 + 0.5 / x + tail) / x);
}
HETAD_FUNCTION float hetad_trigammaf(float x) { return (float)hetad_trigamma(x); }

//@ hetad_half_to_float
/* Exact.  Subnormal halves are normal floats. */
HETAD_FUNCTION float hetad_half_to_float(unsigned short bits) {
  union { float x; unsigned a; } result;
  const unsigned exponent = bits >> 10 & 31, fraction = bits & 0x3ffu;
  if (exponent == 0) {
    result.x = (float)fraction * 5.9604644775390625e-8f;
  } else {
    result.a = (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | fraction << 13;
  }
  result.a |= (bits & 0x8000u) << 16;
  return result.x;
}

//@ hetad_float_to_half
/* To the nearest, ties to even; from 65520 on infinity. */
HETAD_FUNCTION unsigned short hetad_float_to_half(float x) {
  union { float x; unsigned a; } given;
  given.x = x;
  const unsigned sign = given.a >> 16 & 0x8000u, size = given.a & 0x7fffffffu;
  unsigned kept, rest, tie;
  if (size > 0x7f800000u) return 0x7fffu;
  if (size >= 0x477ff000u) return (unsigned short)(sign | 0x7c00u);
  if (size < 0x33000000u) return (unsigned short)sign;
  if (size < 0x38800000u) {
    const unsigned shift = 126u - (size >> 23), number = (size & 0x7fffffu) | 0x800000u;
    kept = number >> shift;
    tie = 1u << (shift - 1);
    rest = number & (2u * tie - 1u);
  } else {
    kept = (size - 0x38000000u) >> 13;
    tie = 0x1000u;
    rest = size & 0x1fffu;
  }
  kept += rest > tie || (rest == tie && (kept & 1u));
  return (unsigned short)(sign | kept);
}

//@ hetad_bfloat16_to_float
HETAD_FUNCTION float hetad_bfloat16_to_float(unsigned short bits) {
  union { float x; unsigned a; } result;
  result.a = (unsigned)bits << 16;
  return result.x;
}

//@ hetad_float_to_bfloat16
/* To the nearest, ties to even. */
HETAD_FUNCTION unsigned short hetad_float_to_bfloat16(float x) {
  union { float x; unsigned a; } given;
  given.x = x;
  if ((given.a & 0x7fffffffu) > 0x7f800000u) return 0x7fffu;
  return (unsigned short)((given.a + 0x7fffu + (given.a >> 16 & 1u)) >> 16);
}

//@ :to_16_bits
/* To the nearest number with so many digits behind the first, and an exponent biased by so much; ties to even, in one
   rounding. */
HETAD_FUNCTION unsigned short hetad_to_16_bits(double x, unsigned digits, unsigned bias) {
  union { double x; unsigned long long a; } given;
  given.x = x;
  const unsigned long long size = given.a & 0x7fffffffffffffffull;
  const unsigned sign = (unsigned)(given.a >> 48) & 0x8000u, exponent = (unsigned)(size >> 52);
  const unsigned least = 1024 - bias; /* the exponent of the least normal number */
  unsigned dropped = 52 - digits;
  unsigned long long number = size - ((unsigned long long)(least - 1) << 52);
  if (size > 0x7ff0000000000000ull) return 0x7fffu;
  if (exponent > 1023 + bias) return (unsigned short)(sign | (2 * bias + 1) << digits);
  if (exponent + digits + 1 < least) return (unsigned short)sign;
  if (exponent < least) {
    dropped += least - exponent;
    number = (size & 0xfffffffffffffull) | 0x10000000000000ull;
  }
  const unsigned long long tie = 1ull << (dropped - 1), rest = number & (2ull * tie - 1ull);
  const unsigned kept = (unsigned)(number >> dropped);
  return (unsigned short)(sign | (kept + (rest > tie || (rest == tie && (kept & 1u)))));
}

//@ hetad_double_to_half needs :to_16_bits
HETAD_FUNCTION unsigned short hetad_double_to_half(double x) { return hetad_to_16_bits(x, 10, 15); }

//@ hetad_double_to_bfloat16 needs :to_16_bits
HETAD_FUNCTION unsigned short hetad_double_to_bfloat16(double x) { return hetad_to_16_bits(x, 7, 127); }

//@ hetad_fma_to_odd
/* x * y + z, where x * y is exact, rounded to odd: what is rounded again to half of the bits or less is rounded once.
   Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008. */
HETAD_FUNCTION double hetad_fma_to_odd(double x, double y, double z) {
  union { double x; long long a; } sum;
  const double product = x * y;
  sum.x = product + z;
  const double added = sum.x - product, lost = (product - (sum.x - added)) + (z - added);
  if (lost != 0.0 && sum.x - sum.x == 0.0 && !(sum.a & 1)) sum.a += (lost > 0.0) == (sum.x > 0.0) ? 1 : -1;
  return sum.x;
}
