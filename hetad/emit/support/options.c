// The options of the command line, which each call reads from the first one on.
static int hetad_getopt(int count, char *const *words, const char *options)
{
    return getopt(count, words, options);
}

static int hetad_getopt_long(
    int count, char *const *words, const char *options, const struct option *longer, int *number)
{
    return getopt_long(count, words, options, longer, number);
}

static void hetad_restart_options(void)
{
    optind = 0;
}
