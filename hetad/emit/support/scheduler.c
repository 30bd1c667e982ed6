// Schedules are made by Python, which is asked once for each run of a time loop.
static int64_t (*hetad_planner)(const int64_t request[9], const struct hetad_action **actions);

void hetad_use_scheduler(int64_t (*scheduler)(const int64_t request[9], const struct hetad_action **actions))
{
    hetad_planner = scheduler;
}

// The actions for `steps` steps; how many, 0 where there is no way, -1 on failure.
static int64_t hetad_schedule(const int64_t request[9], const struct hetad_action **actions)
{
    return hetad_planner != NULL ? hetad_planner(request, actions) : -1;
}
