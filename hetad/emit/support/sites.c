// What is saved by each statement, which tells its number before: bytes of a call, in all.  Only where it is measured.
enum { HETAD_SITES = 1024 };

static size_t hetad_site_bytes[HETAD_SITES];
static int hetad_site_now;

static void hetad_site(int number)
{
    hetad_site_now = number < HETAD_SITES ? number : HETAD_SITES - 1;
}

static inline void hetad_note(size_t bytes)
{
    hetad_site_bytes[hetad_site_now] += bytes;
}

static void hetad_reset_sites(void)
{
    memset(hetad_site_bytes, 0, sizeof hetad_site_bytes);
}

void hetad_sites(size_t *found)
{
    memcpy(found, hetad_site_bytes, sizeof hetad_site_bytes);
}
