/*---
function = "run"
wrt = ["x"]
[inputs]
x = { shape = [23], random = 1 }
n = 23
---*/
// A file that is read through std::istream & where it is there: words, letters, numbers and lines.
#include <cuda_runtime.h>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

struct Settings {
    int steps = 3;
    double rate = 0.25;
    std::string scheme = "none";
    char mark = '-';
};

// "key value" a line, behind a title; false where there is none, or a key is not known.
static bool read_settings(std::istream &in, Settings &s)
{
    std::string key, title;
    if (!std::getline(in, title) || title != "settings of a run")
        return false;
    while (in >> key) {
        if (key == "steps")
            in >> s.steps;
        else if (key == "rate")
            in >> s.rate;
        else if (key == "scheme")
            in >> s.scheme >> s.mark;
        else
            return false;
    }
    return true;
}

__global__ void decay(double *y, const double *x, double rate, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = y[i] * (1.0 - rate * x[i]);
}

double run(const double *x, int n)
{
    Settings s;
    char path[64];
    snprintf(path, sizeof path, "/tmp/settings_of_run_%d.txt", (int)getpid());
    FILE *file = fopen(path, "w");
    fprintf(file, "settings of a run\nsteps 4\n\trate 0.35\nscheme scaled *\n");
    fclose(file);
    std::ifstream missing("/tmp/no_such_settings.txt");
    if (!missing || !read_settings(missing, s)) {
        std::ifstream in(path);
        if (!read_settings(in, s))
            return 0.0;
    }
    std::ifstream again(path);
    std::string line;
    int lines = 0;
    while (std::getline(again, line))
        lines += line.empty() ? 0 : 1;
    remove(path);
    std::vector<double> y(n, 1.0);
    double *d_x, *d_y;
    cudaMalloc(&d_x, n * sizeof(double));
    cudaMalloc(&d_y, n * sizeof(double));
    cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    for (int k = 0; k < s.steps; k++)
        decay<<<(n + 7) / 8, 8>>>(d_y, d_x, s.rate, n);
    cudaMemcpy(y.data(), d_y, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_y);
    double sum = 0;
    for (double v : y)
        sum += v;
    return sum * (s.scheme == "scaled" && s.mark == '*' ? lines : 0.0);
}
