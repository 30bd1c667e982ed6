// What helper_string.h of the CUDA samples has of the command line: `-name`, `--name=value`.
static int helper_place(const char *argument, const char *name)
{
    int start = 0, length = (int)strlen(name);
    while (argument[start] == '-')
        start++;
    if (start == 0 || strncasecmp(argument + start, name, length) != 0)
        return 0;
    return argument[start + length] == 0 || argument[start + length] == '=' ? start + length : 0;
}

static bool checkCmdLineFlag(const int argc, const char **argv, const char *name)
{
    bool found = false;
    for (int i = 1; i < argc; i++)
        if (helper_place(argv[i], name) > 0)
            found = true;
    return found;
}

static int getCmdLineArgumentInt(const int argc, const char **argv, const char *name)
{
    int value = 0;
    for (int i = 1; i < argc; i++) {
        int place = helper_place(argv[i], name);
        if (place > 0 && argv[i][place] == '=')
            value = atoi(argv[i] + place + 1);
    }
    return value;
}

static float getCmdLineArgumentFloat(const int argc, const char **argv, const char *name)
{
    float value = 0.0f;
    for (int i = 1; i < argc; i++) {
        int place = helper_place(argv[i], name);
        if (place > 0 && argv[i][place] == '=')
            value = (float)atof(argv[i] + place + 1);
    }
    return value;
}
