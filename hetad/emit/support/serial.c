// The allocations that are made outside of time loops that another process can go on with, counted: there, too, the number
// tells which is which.  0: made in a step.
static size_t hetad_serial;
static int hetad_in_steps;
static size_t hetad_next_serial(void)
{
    return hetad_in_steps ? 0 : ++hetad_serial;
}
