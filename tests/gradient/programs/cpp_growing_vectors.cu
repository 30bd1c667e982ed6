/*---
function = "model"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [10] }
x = { shape = [10], random_uniform = 1, low = 0.5, high = 1.5 }
n = 10
---*/
// Vectors of the host that grow in a loop, are copied, moved, returned, passed on, kept in classes, and read by the device.
#include <vector>

__global__ void square(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] * x[i] + 0.5 * x[(i + 1) % n];
}

static std::vector<double> on_device(const std::vector<double> &v)
{
    std::vector<double> out(v.size());
    double *d_in, *d_out;
    cudaMalloc(&d_in, v.size() * sizeof(double));
    cudaMalloc(&d_out, v.size() * sizeof(double));
    cudaMemcpy(d_in, v.data(), v.size() * sizeof(double), cudaMemcpyHostToDevice);
    square<<<2, 8>>>(d_out, d_in, (int)v.size());
    cudaMemcpy(out.data(), d_out, out.size() * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return out;
}

class History {
public:
    explicit History(int expected) { energy.reserve(expected); }
    void record(const std::vector<double> &state)
    {
        double e = 0.0;
        for (size_t i = 0; i < state.size(); ++i)
            e += state[i] * state[i];
        energy.push_back(e / state.size());
        last = state;
    }
    double mean() const
    {
        double sum = 0.0;
        for (size_t i = 0; i < energy.size(); i++)
            sum += energy[i];
        return energy.empty() ? 0.0 : sum / energy.size();
    }
    std::vector<double> last;

private:
    std::vector<double> energy;
};

void model(double *y, const double *x, int n)
{
    std::vector<double> state(x, x + n);
    std::vector<double> growing;
    std::vector<int> order;
    History history(2);
    for (int s = 0; s < 4; ++s) {
        state = on_device(state);
        history.record(state);
        for (int k = 0; k <= s; ++k) {
            growing.push_back(0.5 * state[k] * state[k + 1]);
            order.push_back(k);
        }
        if (s == 2)
            growing.resize(growing.size() + 2, 0.25);
    }
    std::vector<double> copy = growing, other(3, x[1]);
    copy[0] *= copy.back();
    other.assign(2, x[0]);
    other.insert(other.begin() + 1, x[3] * x[3]);
    copy.erase(copy.begin() + 1, copy.begin() + 3);
    copy.swap(other);
    std::swap(growing, other);
    std::vector<double> moved(std::move(growing));
    double sum = 0.0;
    for (double *p = moved.data(); p != moved.data() + moved.size(); ++p)
        sum += *p;
    for (int i = 0; i < n; ++i)
        y[i] = history.last.at(i) * history.mean() + moved[order[i]] + copy.front() * other[i % other.size()] + sum;
}
