/*---
function = "price"
wrt = ["spot", "vol"]
of = ["value", "total"]
[inputs]
spot = { shape = [8], random = 5 }
vol = { shape = [8], random = 6 }
value = { zeros = [8] }
total = { zeros = [1] }
n = 8
---*/
// Payoffs that derive from one class and are chosen by a text of the program, behind shared code; a binomial tree in a
// kernel whose payoff is a template, policies as bases, traits, a pricer that derives from its policies.
#include <memory>

template <class T> struct Market {
    T rate = T(0.03), years = T(1);
    __host__ __device__ T discount(T dt) const { return exp(-rate * dt); }
};
template <int N> struct Steps {
    static constexpr int steps = N;
};
struct Call {
    __host__ __device__ static double pays(double s, double k) { return s > k ? s - k : 0.0; }
};
struct Put {
    __host__ __device__ static double pays(double s, double k) { return s < k ? k - s : 0.0; }
};
template <class Payoff, class T, int N> struct Tree : Market<T>, Steps<N> {
    T strike;
    explicit Tree(T k) : strike(k) {}
    __host__ __device__ T value(T spot, T sigma) const
    {
        const T dt = this->years / N, up = exp(sigma * sqrt(dt)), p = (exp(this->rate * dt) - 1 / up) / (up - 1 / up);
        T v[N + 1];
        for (int i = 0; i <= N; ++i)
            v[i] = Payoff::pays(spot * pow(up, T(2 * i - N)), strike);
        for (int k = N; k > 0; --k)
            for (int i = 0; i < k; ++i)
                v[i] = this->discount(dt) * (p * v[i + 1] + (1 - p) * v[i]);
        return v[0];
    }
};
template <class Model> __global__ void values(double *out, const double *spot, const double *vol, Model model, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] += model.value(2.0 + spot[i], 0.3 + 0.1 * vol[i] * vol[i]);
}
class Contract {
public:
    virtual ~Contract() = default;
    virtual void add(double *out, const double *spot, const double *vol, int n) const = 0;
    virtual double weight() const { return 1.0; }
};
template <class Payoff> class Vanilla : public Contract {
public:
    explicit Vanilla(double strike) : tree_(strike) {}
    void add(double *out, const double *spot, const double *vol, int n) const override
    {
        const Tree<Payoff, double, 5> tree = tree_;
        values<<<(n + 3) / 4, 4>>>(out, spot, vol, tree, n);
    }

protected:
    Tree<Payoff, double, 5> tree_;
};
class Insured : public Vanilla<Put> {
public:
    explicit Insured(double strike) : Vanilla<Put>(strike + 0.25) {}
    double weight() const override { return 0.5 + Vanilla<Put>::weight(); }
};
static Contract *contract(int kind)
{
    if (kind == 0)
        return new Vanilla<Call>(2.1);
    if (kind == 1)
        return new Vanilla<Put>(1.9);
    return new Insured(2.0);
}

void price(double *spot, double *vol, double *value, double *total, int n)
{
    double weights = 0.0;
    for (int kind = 0; kind < 3; ++kind) {
        std::unique_ptr<Contract> own(contract(kind));
        own->add(value, spot, vol, n);
        weights += own->weight();
    }
    double first;
    cudaMemcpy(&first, value, sizeof(double), cudaMemcpyDeviceToHost);
    first *= weights;
    cudaMemcpy(total, &first, sizeof(double), cudaMemcpyHostToDevice);
}
