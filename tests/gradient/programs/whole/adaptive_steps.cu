/*---
function = "solve"
wrt = ["y0", "params"]
of = ["yf"]
inputs = { yf = { shape = [12], random = 1 }, y0 = { shape = [12], random_uniform = 2, low = 0.2, high = 0.8 }, params = { shape = [9], random_uniform = 3, low = 0.4, high = 0.9 }, cells = 3, xmax = 4 }
---*/
// Ordinary differential equations, one system a thread, with steps that are repeated until their error is small.
#define EQUATIONS 4
#define PARAMETERS 3
__device__ void binding(double time, double *now, double *rate_of, double *parameter, int offset)
{
    int o1 = offset, o2 = offset + 1, o3 = offset + 2;
    double bound = now[o1], calcium = now[o2];
    double kd = parameter[0] * pow(bound, 2) / (pow(bound, 2) + pow(parameter[1], 2));
    double rate = kd * (1 + calcium / 0.9) - exp(-time / parameter[2]);
    rate_of[o1] = 1e-1 * rate;
    rate_of[o2] = 1e-1 * (rate * calcium - now[o3]);
    rate_of[o3] = -0.2 * now[o3] * rate;
}
__device__ void master(double time, double *now, double *parameter, double *rate_of)
{
    binding(time, now, rate_of, parameter, 0);
    rate_of[3] = log(1 + now[0] * now[3]) - rate_of[0];
    for (int i = 0; i < EQUATIONS; i++) {
        if (isnan(rate_of[i]) == 1) rate_of[i] = 0.0001;
        else if (isinf(rate_of[i]) == 1) rate_of[i] = 0.0001;
    }
}
__device__ void embedded_step(double time, double h, double *now, double *rate_of, double *error, double *parameter)
{
    static const double c2 = 1.0 / 3.0, b21 = 2.0 / 27.0, b31 = 1.0 / 36.0, b32 = 3.0 / 36.0;
    double temp[3][EQUATIONS];
    double stage[EQUATIONS];
    int i, j;
    for (j = 0; j < 3; j++) {
        double at = time;
        if (j == 0) {
            for (i = 0; i < EQUATIONS; i++) stage[i] = now[i];
        } else if (j == 1) {
            at = time + c2 * h;
            for (i = 0; i < EQUATIONS; i++) stage[i] = now[i] + h * (b21 * (temp[0][i]));
        } else {
            at = time + h;
            for (i = 0; i < EQUATIONS; i++) stage[i] = now[i] + h * (b31 * (temp[0][i]) + b32 * (temp[1][i]));
        }
        master(at, stage, parameter, temp[j]);
    }
    for (i = 0; i < EQUATIONS; i++) {
        rate_of[i] = now[i] + h * (0.25 * temp[0][i] + 0.25 * temp[1][i] + 0.5 * temp[2][i]);
        error[i] = fabs((temp[0][i] + temp[2][i] - 2 * temp[1][i]) * 0.1);
    }
}
__global__ void solver(double *yf, const double *y0, double *params, int cells, int xmax)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid >= cells) return;
    double y[EQUATIONS], ynew[EQUATIONS], err[EQUATIONS], scale[EQUATIONS];
    double *par = params + tid * PARAMETERS;
    double h, x = 0.0, covered = 0.0;
    int i, j, k, error, outside;
    for (i = 0; i < EQUATIONS; i++) y[i] = y0[tid * EQUATIONS + i];
    h = 0.5;
    for (k = 1; k <= xmax; k++) {
        x = k - 1;
        h = 0.5;
        double scaling = 1;
        for (j = 0; j < 3; j++) {
            error = 0;
            outside = 0;
            double smallest = 4;
            embedded_step(x, h, y, ynew, err, par);
            for (i = 0; i < EQUATIONS; i++) if (err[i] > 0) error = 1;
            if (error != 1) { scaling = 4; break; }
            for (i = 0; i < EQUATIONS; i++) {
                double yy = y[i] == 0.0 ? 1e-4 : fabs(y[i]);
                scale[i] = 0.8 * pow(1e-1 * yy / err[i], 1.0 / 7.0);
                if (scale[i] < smallest) smallest = scale[i];
            }
            scaling = smallest < 0.125 ? 0.125 : smallest > 4 ? 4 : smallest;
            for (i = 0; i < EQUATIONS; i++) if (err[i] <= 1e-1 * fabs(y[i])) outside++;
            if (outside == EQUATIONS) break;
            h = h * scaling;
            if (h >= 0.9) h = 0.9;
        }
        for (i = 0; i < EQUATIONS; i++) y[i] = ynew[i];
        covered += h;
    }
    for (i = 0; i < EQUATIONS; i++) yf[tid * EQUATIONS + i] = y[i] * covered;
}
void solve(double *yf, const double *y0, double *params, int cells, int xmax)
{
    solver<<<(cells + 1) / 2, 2>>>(yf, y0, params, cells, xmax);
}
