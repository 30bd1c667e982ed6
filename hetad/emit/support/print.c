// Kernels print too: what holds the lock of a stream is not left.
static inline int hetad_printf(const char *format, ...)
{
    volatile sig_atomic_t *const may_leave = hetad_process->leave_flag();
    const sig_atomic_t before = *may_leave;
    va_list values;
    va_start(values, format);
    *may_leave = 0;
    const int printed = vprintf(format, values);
    va_end(values);
    hetad_process->settle(before);
    return printed;
}
