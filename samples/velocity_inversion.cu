// Sound through a plate: the wave equation in two dimensions, a pulse sent from each source in turn, the pressure heard at
// the receivers, and the misfit between what is heard and what was observed.  velocity_inversion.py finds the velocity of
// every cell from the misfit's gradient.
#include <math.h>
#include <stdlib.h>

#define SPONGE 6

typedef struct {
    double *before, *now, *next;  // three times of the pressure, n x n cells
    double *traces;               // steps x receivers
} Wave;

__global__ void propagate(double *next, const double *now, const double *before, const double *velocity, int n,
                          double courant)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    int i = y * n + x;
    double c = courant * velocity[i];
    double laplacian = now[i - 1] + now[i + 1] + now[i - n] + now[i + n] - 4.0 * now[i];
    int edge = min(min(x, n - 1 - x), min(y, n - 1 - y));
    double loss = edge < SPONGE ? 0.03 * (SPONGE - edge) : 0.0;  // waves leave through a sponge
    next[i] = (2.0 * now[i] - (1.0 - loss) * before[i] + c * c * laplacian) / (1.0 + loss);
}

__global__ void send(double *pressure, int source, double amplitude)
{
    pressure[source] += amplitude;
}

__global__ void hear(double *trace, const double *pressure, const int *receivers, int count)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < count)
        trace[r] = pressure[receivers[r]];
}

static double pulse(double t)
{
    double a = (t - 12.0) / 4.5;
    return (1.0 - a * a) * exp(-0.5 * a * a);
}

static void shoot(Wave *w, const double *velocity, const int *receivers, int source, int n, int count, int steps,
                  double courant)
{
    size_t bytes = (size_t)n * n * sizeof(double);
    dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
    cudaMemset(w->before, 0, bytes);
    cudaMemset(w->now, 0, bytes);
    cudaMemset(w->next, 0, bytes);
    for (int t = 0; t < steps; t++) {
        propagate<<<grid, block>>>(w->next, w->now, w->before, velocity, n, courant);
        send<<<1, 1>>>(w->next, source, pulse(t));
        hear<<<(count + 127) / 128, 128>>>(w->traces + (size_t)t * count, w->next, receivers, count);
        double *oldest = w->before;
        w->before = w->now;
        w->now = w->next;
        w->next = oldest;
    }
}

static void create(Wave *w, int n, int count, int steps)
{
    size_t bytes = (size_t)n * n * sizeof(double);
    cudaMalloc((void **)&w->before, bytes);
    cudaMalloc((void **)&w->now, bytes);
    cudaMalloc((void **)&w->next, bytes);
    cudaMalloc((void **)&w->traces, (size_t)steps * count * sizeof(double));
}

static void destroy(Wave *w)
{
    cudaFree(w->before);
    cudaFree(w->now);
    cudaFree(w->next);
    cudaFree(w->traces);
}

// What the receivers hear of each source: heard[shot][step][receiver].
void observe(double *heard, const double *velocity, const int *sources, const int *receivers, int n, int shots,
             int count, int steps, double courant)
{
    Wave w;
    double *d_velocity;
    int *d_receivers;
    create(&w, n, count, steps);
    cudaMalloc((void **)&d_velocity, (size_t)n * n * sizeof(double));
    cudaMalloc((void **)&d_receivers, count * sizeof(int));
    cudaMemcpy(d_velocity, velocity, (size_t)n * n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_receivers, receivers, count * sizeof(int), cudaMemcpyHostToDevice);
    size_t traces = (size_t)steps * count;
    for (int s = 0; s < shots; s++) {
        shoot(&w, d_velocity, d_receivers, sources[s], n, count, steps, courant);
        cudaMemcpy(heard + s * traces, w.traces, traces * sizeof(double), cudaMemcpyDeviceToHost);
    }
    destroy(&w);
    cudaFree(d_velocity);
    cudaFree(d_receivers);
}

// Half the sum of the squared differences between what is heard and what was observed.
double misfit(const double *velocity, const double *observed, const int *sources, const int *receivers, int n,
              int shots, int count, int steps, double courant)
{
    size_t traces = (size_t)steps * count;
    double *heard = (double *)malloc(shots * traces * sizeof(double)), sum = 0.0;
    observe(heard, velocity, sources, receivers, n, shots, count, steps, courant);
    for (size_t k = 0; k < shots * traces; k++)
        sum += 0.5 * (heard[k] - observed[k]) * (heard[k] - observed[k]);
    free(heard);
    return sum;
}
