// What helper_timer.h of the CUDA samples has: a watch that counts milliseconds.
typedef struct StopWatchInterface {
    double total, started;
    int sessions;
    bool running;
} StopWatchInterface;

static double helper_now(void)
{
    struct timeval now;
    gettimeofday(&now, NULL);
    return now.tv_sec * 1e3 + now.tv_usec * 1e-3;
}

static bool sdkCreateTimer(StopWatchInterface **timer)
{
    StopWatchInterface *made = (StopWatchInterface *)malloc(sizeof(StopWatchInterface));
    made->total = 0.0;
    made->started = 0.0;
    made->sessions = 0;
    made->running = false;
    *timer = made;
    return true;
}

static bool sdkDeleteTimer(StopWatchInterface **timer)
{
    free(*timer);
    *timer = NULL;
    return true;
}

static bool sdkStartTimer(StopWatchInterface **timer)
{
    (*timer)->started = helper_now();
    (*timer)->running = true;
    return true;
}

static bool sdkStopTimer(StopWatchInterface **timer)
{
    (*timer)->total += helper_now() - (*timer)->started;
    (*timer)->sessions++;
    (*timer)->running = false;
    return true;
}

static bool sdkResetTimer(StopWatchInterface **timer)
{
    (*timer)->total = 0.0;
    (*timer)->sessions = 0;
    if ((*timer)->running)
        (*timer)->started = helper_now();
    return true;
}

static float sdkGetTimerValue(StopWatchInterface **timer)
{
    return (float)((*timer)->total + ((*timer)->running ? helper_now() - (*timer)->started : 0.0));
}

static float sdkGetAverageTimerValue(StopWatchInterface **timer)
{
    return (*timer)->sessions > 0 ? (float)((*timer)->total / (*timer)->sessions) : 0.0f;
}
