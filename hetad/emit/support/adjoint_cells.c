// What CUDA does with atomics and shuffles is plain addition where threads run one after another.
static inline float hetad_take_float(float *p)
{
    const float value = *p;
    *p = 0;
    return value;
}

static inline double hetad_take_double(double *p)
{
    const double value = *p;
    *p = 0;
    return value;
}

static inline float hetad_swap_float(float *p, float value)
{
    const float old = *p;
    *p = value;
    return old;
}

static inline void hetad_block_add_float(float *target, float value)
{
    if (value != 0) {
        *target += value;
    }
}

static inline double hetad_swap_double(double *p, double value)
{
    const double old = *p;
    *p = value;
    return old;
}

static inline void hetad_block_add_double(double *target, double value)
{
    if (value != 0) {
        *target += value;
    }
}

static inline void hetad_warp_add_float(float *target, float value)
{
    *target += value;
}

static inline void hetad_warp_add_double(double *target, double value)
{
    *target += value;
}

static inline void hetad_add_run_float(float *target, const float *values, int count)
{
    for (int i = 0; i < count; ++i) {
        target[i] += values[i];
    }
}

static inline void hetad_add_run_double(double *target, const double *values, int count)
{
    for (int i = 0; i < count; ++i) {
        target[i] += values[i];
    }
}

static inline void hetad_add_each_double(double *target, const double *values, int count)
{
    for (int i = 0; i < count; ++i) {
        target[i] += values[i];
    }
}

static inline void hetad_add_chain_double(double *target, const double *values, int count)
{
    for (int i = 0; i < count; ++i) {
        target[i] += values[i];
    }
}

static inline void hetad_block_sum_float(float *target, float value)
{
    if (value != 0) {
        *target += value;
    }
}

static inline void hetad_block_sum_double(double *target, double value)
{
    if (value != 0) {
        *target += value;
    }
}
