/*---
function = "energy"
wrt = ["params", "r"]
[inputs]
params = { shape = [6], random_uniform = 1, low = 0.5, high = 1.5 }
r = { shape = [14], random_uniform = 2, low = 0.8, high = 2.0 }
n = 14
---*/
// Parameters of pairs in a map by the names of kinds, bindings of what maps hold, and texts that are parts of others.
#include <map>
#include <unordered_map>
#include <string>
#include <string_view>
#include <vector>
#include <tuple>
#include <cmath>
#include <algorithm>
#include <iostream>
using Key = std::pair<int, int>;
struct Pair {
    double epsilon, sigma;
};
static int type_of(std::string_view name)
{
    if (name == "Ar")
        return 0;
    if (name.substr(0, 1) == "K")
        return 1;
    return name.size() > 2 ? 3 : 2;
}
double energy(const double *params, const double *r, int n)
{
    const std::vector<std::string> names{"Ar", "Kr", "Xe"};
    std::map<Key, Pair> table;
    for (std::size_t a = 0; a < names.size(); ++a)
        for (std::size_t b = a; b < names.size(); ++b) {
            const int i = type_of(names[a]), j = type_of(names[b]);
            table[{i, j}] =
                Pair{std::sqrt(params[2 * i] * params[2 * j]), 0.5 * (params[2 * i + 1] + params[2 * j + 1])};
        }
    std::unordered_map<int, double> memo;
    std::vector<std::tuple<double, int, int>> work;
    for (int k = 0; k < n; ++k)
        work.emplace_back(r[k], k % 3, (k * k) % 3);
    std::sort(work.begin(), work.end());
    double e = 0;
    for (auto &[distance, a, b] : work) {
        const auto [lo, hi] = std::minmax(a, b);
        const auto it = table.find({lo, hi});
        if (it == table.end())
            continue;
        const auto &[eps, sigma] = it->second;
        const double s6 = std::pow(sigma / distance, 6);
        const double v = 4 * eps * (s6 * s6 - s6);
        if (auto [pos, fresh] = memo.try_emplace(3 * lo + hi, v); !fresh)
            pos->second += v;
        e += v;
    }
    for (const auto &[key, value] : memo) {
        std::cout << key << '=' << value << ';';
        e += value * value;
    }
    return e;
}
