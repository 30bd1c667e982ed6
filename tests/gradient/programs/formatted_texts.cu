/*---
function = "driver"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [9] }
x = { shape = [9], random = 1 }
n = 9
---*/
// Names of files that are put together, and numbers that are read from texts over active ones.
#include <stdio.h>
#include <string.h>

void driver(double *y, const double *x, int n)
{
    char name[64], text[] = "0.25 3 1.5";
    double h[9], factor = x[0] * x[1];
    int k = 1, length = 0;
    for (int i = 0; i < n; i++)
        h[i] = x[i] * x[i];
    for (int step = 0; step < 3; step++) {
        length += snprintf(name, sizeof(name), "/dev/null%c%d", step == 0 ? '.' : '/', step);
        if (name[9] == '.')
            name[9] = 0;
        FILE *file = fopen(name, "w");
        y[step] += h[step] * factor * strlen(name);
        if (file != NULL) {
            fprintf(file, "%g\n", h[step]);
            fclose(file);
            y[8] += h[step] * length * x[2];
        }
        h[2] *= factor;
        if (sscanf(text, "%lf %d %lf", &factor, &k, &h[step + 1]) != 3)
            return;
        factor *= x[step + 3] * k;
    }
    for (int i = 0; i < n; i++)
        y[i] += h[i] * h[i] * factor;
}
