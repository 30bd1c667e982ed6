// Threads that run one after another sum alone.
static inline unsigned hetad_lanes(void)
{
    return 1;
}

static inline float hetad_lane_sum_float(float value, unsigned lanes)
{
    (void)lanes;
    return value;
}

static inline double hetad_lane_sum_double(double value, unsigned lanes)
{
    (void)lanes;
    return value;
}

static inline unsigned hetad_few_lanes(void)
{
    return 1;
}

#define hetad_of_lane(value, member, lanes) (value)
