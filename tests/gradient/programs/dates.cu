/*---
function = "run"
wrt = ["x"]
[inputs]
x = 0.8
n = 9
---*/
// Dates and texts that the C library gives steer a computation, and are overwritten by the next ones.
#include <string.h>
#include <time.h>

double run(double x, int n)
{
    struct tm *date = NULL, *first = NULL;
    char *text = NULL;
    double sum = x;
    time_t begin = 86400L * 365;
    first = gmtime(&begin);
    for (int k = 0; k < n; k++) {
        time_t now = 86400L * 40 * k;
        date = gmtime(&now);
        text = asctime(date);
        if (date->tm_mon % 2)
            sum *= x;
        else
            sum += x * x * date->tm_mday * 0.1;
        sum *= 1.0 + 0.01 * x * text[4] * (strlen(text) > 20) * first->tm_mday;
    }
    return sum * (date->tm_year - 69) + sum * x * date->tm_mon;
}
