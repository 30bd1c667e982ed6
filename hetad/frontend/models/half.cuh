// What hetad reads in place of cuda_fp16.h and cuda_bf16.h: every operation is done in float, where sums, products,
// quotients and roots of two 16-bit numbers round to what one rounding to 16 bits gives, and then rounded.
// Source: S. Figueroa, When is double rounding innocuous?, 1995 (24 >= 2 * 11 + 2).
__both double hetad_fma_to_odd(double x, double y, double z);  // of a row in rules/math

#define HETAD_ARITHMETIC(T, PAIR, round)                                                                              \
    __both inline T operator+(T a) { return a; }                                                                      \
    __both inline T operator-(T a) { return round(-float(a)); }                                                       \
    __both inline T operator+(T a, T b) { return round(float(a) + float(b)); }                                        \
    __both inline T operator-(T a, T b) { return round(float(a) - float(b)); }                                        \
    __both inline T operator*(T a, T b) { return round(float(a) * float(b)); }                                        \
    __both inline T operator/(T a, T b) { return round(float(a) / float(b)); }                                        \
    __both inline T &operator+=(T &a, T b) { return a = a + b; }                                                      \
    __both inline T &operator-=(T &a, T b) { return a = a - b; }                                                      \
    __both inline T &operator*=(T &a, T b) { return a = a * b; }                                                      \
    __both inline T &operator/=(T &a, T b) { return a = a / b; }                                                      \
    __both inline T &operator++(T &a) { return a = a + round(1.0f); }                                                 \
    __both inline T &operator--(T &a) { return a = a - round(1.0f); }                                                 \
    __both inline bool operator==(T a, T b) { return float(a) == float(b); }                                          \
    __both inline bool operator!=(T a, T b) { return float(a) != float(b); }                                          \
    __both inline bool operator<(T a, T b) { return float(a) < float(b); }                                            \
    __both inline bool operator<=(T a, T b) { return float(a) <= float(b); }                                          \
    __both inline bool operator>(T a, T b) { return float(a) > float(b); }                                            \
    __both inline bool operator>=(T a, T b) { return float(a) >= float(b); }                                          \
    __both inline T __hneg(T a) { return -a; }                                                                        \
    __both inline T __habs(T a) { return round(fabsf(float(a))); }                                                    \
    __both inline T __hadd(T a, T b) { return a + b; }                                                                \
    __both inline T __hadd_rn(T a, T b) { return a + b; }                                                             \
    __both inline T __hsub(T a, T b) { return a - b; }                                                                \
    __both inline T __hsub_rn(T a, T b) { return a - b; }                                                             \
    __both inline T __hmul(T a, T b) { return a * b; }                                                                \
    __both inline T __hmul_rn(T a, T b) { return a * b; }                                                             \
    __both inline T __hdiv(T a, T b) { return a / b; }                                                                \
    __both inline T __hfma(T a, T b, T c) { return T(hetad_fma_to_odd(float(a), float(b), float(c))); }               \
    __both inline T __hmax(T a, T b) { return round(fmaxf(float(a), float(b))); }                                     \
    __both inline T __hmin(T a, T b) { return round(fminf(float(a), float(b))); }                                     \
    __both inline bool __heq(T a, T b) { return a == b; }                                                             \
    __both inline bool __hne(T a, T b) { return float(a) < float(b) || float(a) > float(b); }                         \
    __both inline bool __hlt(T a, T b) { return a < b; }                                                              \
    __both inline bool __hle(T a, T b) { return a <= b; }                                                             \
    __both inline bool __hgt(T a, T b) { return a > b; }                                                              \
    __both inline bool __hge(T a, T b) { return a >= b; }                                                             \
    __both inline bool __hisnan(T a) { return isnan(float(a)); }                                                      \
    __both inline T hsqrt(T a) { return round(sqrtf(float(a))); }                                                     \
    __both inline T hrsqrt(T a) { return round(rsqrtf(float(a))); }                                                   \
    __both inline T hrcp(T a) { return round(1.0f / float(a)); }                                                      \
    __both inline T hexp(T a) { return round(expf(float(a))); }                                                       \
    __both inline T hexp2(T a) { return round(exp2f(float(a))); }                                                     \
    __both inline T hexp10(T a) { return round(exp10f(float(a))); }                                                   \
    __both inline T hlog(T a) { return round(logf(float(a))); }                                                       \
    __both inline T hlog2(T a) { return round(log2f(float(a))); }                                                     \
    __both inline T hlog10(T a) { return round(log10f(float(a))); }                                                   \
    __both inline T hsin(T a) { return round(sinf(float(a))); }                                                       \
    __both inline T hcos(T a) { return round(cosf(float(a))); }                                                       \
    __both inline T htanh(T a) { return round(tanhf(float(a))); }                                                     \
    __both inline T hfloor(T a) { return round(floorf(float(a))); }                                                   \
    __both inline T hceil(T a) { return round(ceilf(float(a))); }                                                     \
    __both inline T htrunc(T a) { return round(truncf(float(a))); }                                                   \
    __both inline T hrint(T a) { return round(rintf(float(a))); }                                                     \
    __device__ inline T __shfl_sync(unsigned mask, T a, int lane, int width = 32)                                     \
    {                                                                                                                 \
        return round(__shfl_sync(mask, float(a), lane, width));                                                       \
    }                                                                                                                 \
    __device__ inline T __shfl_up_sync(unsigned mask, T a, unsigned by, int width = 32)                               \
    {                                                                                                                 \
        return round(__shfl_up_sync(mask, float(a), by, width));                                                      \
    }                                                                                                                 \
    __device__ inline T __shfl_down_sync(unsigned mask, T a, unsigned by, int width = 32)                             \
    {                                                                                                                 \
        return round(__shfl_down_sync(mask, float(a), by, width));                                                    \
    }                                                                                                                 \
    __device__ inline T __shfl_xor_sync(unsigned mask, T a, int by, int width = 32)                                   \
    {                                                                                                                 \
        return round(__shfl_xor_sync(mask, float(a), by, width));                                                     \
    }                                                                                                                 \
    HETAD_PAIRS(T, PAIR)

// Operations on pairs, part by part.
#define HETAD_PAIRS(T, PAIR)                                                                                          \
    struct __align__(4) PAIR {                                                                                        \
        T x, y;                                                                                                       \
        PAIR() = default;                                                                                             \
        __both PAIR(T a, T b) : x(a), y(b) {}                                                                         \
    };                                                                                                                \
    __both inline PAIR operator-(PAIR a) { return PAIR(-a.x, -a.y); }                                                 \
    __both inline PAIR operator+(PAIR a, PAIR b) { return PAIR(a.x + b.x, a.y + b.y); }                               \
    __both inline PAIR operator-(PAIR a, PAIR b) { return PAIR(a.x - b.x, a.y - b.y); }                               \
    __both inline PAIR operator*(PAIR a, PAIR b) { return PAIR(a.x * b.x, a.y * b.y); }                               \
    __both inline PAIR operator/(PAIR a, PAIR b) { return PAIR(a.x / b.x, a.y / b.y); }                               \
    __both inline PAIR &operator+=(PAIR &a, PAIR b) { return a = a + b; }                                             \
    __both inline PAIR &operator-=(PAIR &a, PAIR b) { return a = a - b; }                                             \
    __both inline PAIR &operator*=(PAIR &a, PAIR b) { return a = a * b; }                                             \
    __both inline PAIR &operator/=(PAIR &a, PAIR b) { return a = a / b; }                                             \
    __both inline T __low2half(PAIR a) { return a.x; }                                                                \
    __both inline T __high2half(PAIR a) { return a.y; }                                                               \
    __both inline float __low2float(PAIR a) { return float(a.x); }                                                    \
    __both inline float __high2float(PAIR a) { return float(a.y); }                                                   \
    __both inline PAIR __lowhigh2highlow(PAIR a) { return PAIR(a.y, a.x); }                                           \
    __both inline PAIR __hneg2(PAIR a) { return -a; }                                                                 \
    __both inline PAIR __habs2(PAIR a) { return PAIR(__habs(a.x), __habs(a.y)); }                                     \
    __both inline PAIR __hadd2(PAIR a, PAIR b) { return a + b; }                                                      \
    __both inline PAIR __hsub2(PAIR a, PAIR b) { return a - b; }                                                      \
    __both inline PAIR __hmul2(PAIR a, PAIR b) { return a * b; }                                                      \
    __both inline PAIR __h2div(PAIR a, PAIR b) { return a / b; }                                                      \
    __both inline PAIR __hfma2(PAIR a, PAIR b, PAIR c) { return PAIR(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); } \
    __both inline PAIR __hmax2(PAIR a, PAIR b) { return PAIR(__hmax(a.x, b.x), __hmax(a.y, b.y)); }                   \
    __both inline PAIR __hmin2(PAIR a, PAIR b) { return PAIR(__hmin(a.x, b.x), __hmin(a.y, b.y)); }                   \
    __both inline PAIR h2sqrt(PAIR a) { return PAIR(hsqrt(a.x), hsqrt(a.y)); }                                        \
    __both inline PAIR h2rsqrt(PAIR a) { return PAIR(hrsqrt(a.x), hrsqrt(a.y)); }                                     \
    __both inline PAIR h2rcp(PAIR a) { return PAIR(hrcp(a.x), hrcp(a.y)); }                                           \
    __both inline PAIR h2exp(PAIR a) { return PAIR(hexp(a.x), hexp(a.y)); }                                           \
    __both inline PAIR h2exp2(PAIR a) { return PAIR(hexp2(a.x), hexp2(a.y)); }                                        \
    __both inline PAIR h2log(PAIR a) { return PAIR(hlog(a.x), hlog(a.y)); }                                           \
    __both inline PAIR h2sin(PAIR a) { return PAIR(hsin(a.x), hsin(a.y)); }                                           \
    __both inline PAIR h2cos(PAIR a) { return PAIR(hcos(a.x), hcos(a.y)); }                                           \
    __both inline PAIR h2tanh(PAIR a) { return PAIR(htanh(a.x), htanh(a.y)); }

HETAD_ARITHMETIC(__half, __half2, __float2half)
HETAD_ARITHMETIC(__nv_bfloat16, __nv_bfloat162, __float2bfloat16)

typedef __half2 half2;
typedef __nv_bfloat162 nv_bfloat162;

__both inline __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
__both inline __half2 make_half2(__half a, __half b) { return __half2(a, b); }
__both inline __half2 __half2half2(__half a) { return __half2(a, a); }
__both inline __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
__both inline __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
__both inline __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
__both inline __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
__both inline __half2 __float2half2_rn(float a) { return __half2(__float2half(a), __float2half(a)); }
__both inline __half2 __floats2half2_rn(float a, float b) { return __half2(__float2half(a), __float2half(b)); }
__both inline __half2 __float22half2_rn(float2 a) { return __half2(__float2half(a.x), __float2half(a.y)); }
__both inline float2 __half22float2(__half2 a) { return float2{float(a.x), float(a.y)}; }

__both inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
__both inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
__both inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
__both inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
__both inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
__both inline __nv_bfloat162 __float2bfloat162_rn(float a)
{
    return __nv_bfloat162(__float2bfloat16(a), __float2bfloat16(a));
}
__both inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b)
{
    return __nv_bfloat162(__float2bfloat16(a), __float2bfloat16(b));
}
__both inline float2 __bfloat1622float2(__nv_bfloat162 a) { return float2{float(a.x), float(a.y)}; }

__both inline __half __int2half_rn(int a) { return __half(a); }
__both inline __half __uint2half_rn(unsigned a) { return __half(a); }
__both inline __half __short2half_rn(short a) { return __half(a); }
__both inline int __half2int_rn(__half a) { return __float2int_rn(float(a)); }
__both inline int __half2int_rz(__half a) { return __float2int_rz(float(a)); }
__both inline int __half2int_rd(__half a) { return __float2int_rd(float(a)); }
__both inline int __half2int_ru(__half a) { return __float2int_ru(float(a)); }
__both inline unsigned __half2uint_rn(__half a) { return __float2uint_rn(float(a)); }
__both inline unsigned __half2uint_rz(__half a) { return __float2uint_rz(float(a)); }
