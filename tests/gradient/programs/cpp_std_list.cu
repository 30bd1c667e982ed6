/*---
function = "model"
wrt = ["x"]
[inputs]
x = { shape = [9], random_uniform = 1, low = 0.3, high = 1.5 }
n = 9
[[cases]]
name = "all"
[[cases]]
name = "one"
inputs = { n = 1 }
---*/
// Lists of the host: references and iterators stay valid while others come and go; erasure depends on the values.
#include <list>
#include <numeric>
#include <vector>

struct Particle {
    double mass, speed;
    double energy() const { return 0.5 * mass * speed * speed; }
};

double model(const double *x, int n)
{
    std::list<double> values;
    for (int i = 0; i < n; ++i) {
        if (i % 2)
            values.push_front(x[i] * x[i]);
        else
            values.push_back(x[i]);
    }
    double &first = values.front();
    auto last = values.end();
    --last;
    for (int i = 0; i < 9; ++i)
        values.push_back(x[i % n] + i);
    first *= 2.0;
    *last += first;
    double sum = 0.0, weight = 1.0;
    for (auto it = values.begin(); it != values.end(); ++it) {
        sum += weight * *it * *it;
        weight += 0.5;
    }
    for (auto it = values.begin(); it != values.end();) {
        if (*it > 0.6 && *it < 5.0)
            it = values.erase(it);
        else
            ++it;
    }
    values.insert(values.begin(), sum);
    std::list<double> others(values);
    for (double &v : others)
        v *= sum;
    std::list<Particle> particles;
    for (int i = 0; i < n; ++i)
        particles.emplace_back(Particle{x[i], others.back()});
    particles.remove_if([](const Particle &p) { return p.mass < 0.8; });
    for (const Particle &p : particles)
        sum += p.energy();
    return std::accumulate(others.begin(), others.end(), 0.0) + sum * values.front() * others.size();
}
