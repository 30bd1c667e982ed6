/*---
function = "driver"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [6] }
x = { shape = [6], random = 1 }
---*/
// Texts that steer a computation: read from a file by lines and characters, taken apart, put together, overwritten.
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

static void append(char *to, const char *word)
{
    if (strlen(to) > 0)
        strcat(to, ",");
    strncat(to, word, 9);
}

void driver(double *y, const double *x)
{
    char line[64], word[32] = "", *list = (char *)malloc(80), *end, *found;
    double h[6], factor = x[0], sum = 0;
    FILE *file = tmpfile();
    if (file == NULL)
        return;
    fprintf(file, "scale 0.5 3\nshift 0.25 1\n\nSkip 7\n");
    fputc('q', file);
    rewind(file);
    for (int i = 0; i < 6; i++)
        h[i] = x[i] * x[i];
    strcpy(list, "");
    while (fgets(line, 64, file) != NULL) {
        found = strchr(line, ' ');
        if (found == NULL || !isalpha(line[0]))
            continue;
        strncpy(word, line, found - line);
        word[found - line] = 0;
        double given = strtod(found, &end);
        long k = strtol(end, NULL, 10);
        factor *= x[1];
        if (!strcasecmp(word, "SCALE"))
            h[k] = h[k] * h[k] * given * factor;
        else if (strstr(line, "shift") != NULL)
            h[k + 1] = sin(h[k]) + given * factor;
        else
            sum += h[2] * strlen(list) * toupper(word[0]);
        append(list, word);
        factor = factor * factor + line[1] * x[2];
    }
    if (fgetc(file) == EOF && errno >= 0)
        sum *= x[3] * factor;
    rewind(file);
    if (fscanf(file, "%31s %lf %lf", word, &h[4], &h[5]) != 3 || getc(file) != '\n')
        return;
    fclose(file);
    time_t now = time(NULL);
    struct tm *date = localtime(&now);
    if (strftime(line, sizeof line, "%Y", date) != 4 || date->tm_mon > 11)
        sum = 0;
    snprintf(list, 80, "%s", word);
    char *copy = strcpy(line, list), *behind = stpcpy(word, "re");
    stpcpy(behind, "scale");
    found = (char *)memchr(word, 'l', 7);
    if (found != NULL && setenv("HETAD_TEST", found, 1) == 0 && access(getenv("HETAD_TEST"), F_OK) != 0 && getpid() > 0)
        sum *= 1 + strlen(getenv("HETAD_TEST")) * x[4] + (found - word);
    unsetenv("HETAD_TEST");
    for (int i = 0; i < 6; i++)
        y[i] = h[i] * h[i] * sum + factor * (copy[0] == 's' ? x[5] : x[4]) * (memcmp(list, "scale", 5) == 0);
    free(list);
}
