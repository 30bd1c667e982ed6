// What all programs of the process share; Python gives it to each when it is loaded.
static const struct hetad_process *hetad_process;

void hetad_connect(const struct hetad_process *shared)
{
    hetad_process = shared;
}
