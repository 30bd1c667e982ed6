// A failure leaves the program and returns to the entry, which reports it.
static jmp_buf hetad_entry;
static char hetad_text[512];
static const char *hetad_place;  // of the launch or operation on memory that runs, in the program; NULL where there is none
const char *hetad_failed_launch;  // the place of the first launch that was refused, and had something to run
// How a thread with a stack of its own gets back to that of the entry.
static _Thread_local void (*hetad_leave)(int code);

__attribute__((noreturn)) static void hetad_stop(int code)
{
    if (hetad_leave != NULL) {
        hetad_leave(code);
    }
    longjmp(hetad_entry, code);
}

__attribute__((noreturn)) static void hetad_fail(const char *message)
{
    const char *const place = hetad_place;
    snprintf(hetad_text, sizeof hetad_text, "%s%s%s", place != NULL ? place : "", place != NULL ? ": " : "", message);
    hetad_stop(1);
}

__attribute__((noreturn)) static inline void hetad_exit(int status)
{
    snprintf(hetad_text, sizeof hetad_text, "the program called exit(%d)", status);
    hetad_stop(2);
}

__attribute__((noreturn)) static inline void hetad_abort(void)
{
    hetad_fail("the program called abort()");
}

#define hetad_assert(condition, text) ((condition) ? (void)0 : hetad_fail("assertion failed: " text))
