/*---
function = "run"
wrt = ["x"]
[inputs]
x = 0.7
options = { values = [9, 3, 4, 5, 6, 1] }
n = 6
---*/
// Loops whose trips are what a function with several returns gives: each has its own, in the reverse sweep too.
static int number(const int *options, int n, int wanted, int otherwise)
{
    for (int i = 1; i + 1 < n; i++)
        if (options[i] == wanted)
            return options[i + 1];
    return otherwise;
}

double run(double x, const int *options, int n)
{
    int steps = number(options, n, 3, 2), times = number(options, n, 5, 1), others = number(options, n, 8, 3);
    double loss = 0.0;
    for (int k = 0; k < steps; k++)
        loss += x * x * times;
    for (int k = others; k < times; k++)
        loss += sin(x * k);
    return loss;
}
