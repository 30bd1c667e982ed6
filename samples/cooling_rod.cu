// A rod that is heated at one end and loses heat to the air: finite differences in space and explicit steps in time, and
// what thermometers along the rod read.  parameter_uncertainty.py fits conductivity, loss and heating to noisy readings,
// and tells from the Jacobian of the readings how well the three are known.
#include <stdlib.h>

__global__ void conduct(double *next, const double *now, int n, double conductivity, double loss, double heating)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double left = i > 0 ? now[i - 1] : now[0], right = i + 1 < n ? now[i + 1] : now[n - 1];
    double warmth = 1.0 + 0.1 * now[i];  // the loss grows with temperature, as by convection
    next[i] = now[i] + conductivity * (left - 2.0 * now[i] + right) - loss * warmth * now[i];
    if (i == 0)
        next[i] += heating;
}

__global__ void read(double *readings, const double *now, const int *thermometers, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count)
        readings[k] = now[thermometers[k]];
}

// The readings of all thermometers, `times` times, each after `steps` more steps in time: readings[time][thermometer].
void measure(double *readings, const int *thermometers, int n, int count, int times, int steps, double conductivity,
             double loss, double heating)
{
    double *now, *next, *d_readings;
    int *d_thermometers;
    cudaMalloc((void **)&now, n * sizeof(double));
    cudaMalloc((void **)&next, n * sizeof(double));
    cudaMalloc((void **)&d_readings, times * count * sizeof(double));
    cudaMalloc((void **)&d_thermometers, count * sizeof(int));
    cudaMemset(now, 0, n * sizeof(double));
    cudaMemcpy(d_thermometers, thermometers, count * sizeof(int), cudaMemcpyHostToDevice);
    for (int t = 0; t < times; t++) {
        for (int s = 0; s < steps; s++) {
            conduct<<<(n + 63) / 64, 64>>>(next, now, n, conductivity, loss, heating);
            double *held = now;
            now = next;
            next = held;
        }
        read<<<(count + 63) / 64, 64>>>(d_readings + t * count, now, d_thermometers, count);
    }
    cudaMemcpy(readings, d_readings, times * count * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(now);
    cudaFree(next);
    cudaFree(d_readings);
    cudaFree(d_thermometers);
}
