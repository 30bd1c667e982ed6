// A failure leaves the program and returns to the entry, which reports it.
static jmp_buf hetad_entry;
static char hetad_text[512];

__attribute__((noreturn)) static void hetad_fail(const char *message)
{
    snprintf(hetad_text, sizeof hetad_text, "%s", message);
    longjmp(hetad_entry, 1);
}

__attribute__((noreturn)) static inline void hetad_exit(int status)
{
    snprintf(hetad_text, sizeof hetad_text, "the program called exit(%d)", status);
    longjmp(hetad_entry, 2);
}

__attribute__((noreturn)) static inline void hetad_abort(void)
{
    hetad_fail("the program called abort()");
}

#define hetad_assert(condition, text) ((condition) ? (void)0 : hetad_fail("assertion failed: " text))
