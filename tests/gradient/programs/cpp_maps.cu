/*---
function = "run"
wrt = ["x", "w"]
of = ["y"]
[inputs]
x = { shape = [16], random_uniform = 1, low = 0.3, high = 1.2 }
y = { zeros = [12] }
w = 0.7
n = 3
---*/
// std::map, set, unordered_map, unordered_set: options by name, tables of constants, groups of numbers, counts.
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>
#include <cmath>
struct Options {
    std::map<std::string, double> values = {{"rate", 0.5}, {"steps", 3}};
    std::set<std::string> flags;
    double get(const std::string &name, double otherwise) const
    {
        auto it = values.find(name);
        return it == values.end() ? otherwise : it->second;
    }
};
static const std::map<std::string, int> ids = {{"cubic", 3}, {"linear", 1}, {"square", 2}};
enum class Kind { smooth, rough };
static std::unordered_map<std::string, Kind> kinds = {{"a", Kind::smooth}, {"b", Kind::rough}};
void run(double *x, double *y, double w, int n)
{
    Options options;
    options.values["shift"] = 0.25;
    options.flags.insert("verbose");
    options.flags.insert("fast");
    options.flags.insert("fast");
    y[0] = x[0] * options.get("rate", 1) + options.get("none", 7) * x[1] + options.get("shift", 1) * w;
    y[1] = x[2] * options.flags.size() + options.values.size() * (options.flags.count("fast") ? w : 1);
    double p = 1;
    for (int i = 0; i < ids.at("cubic"); i++)
        p *= x[3];
    y[2] = p;
    for (const auto &[name, id] : ids)
        y[3] = y[3] * 0.5 + x[id] * name.size();
    std::unordered_map<int, int> seen;
    int last = 0;
    for (int i = 0; i < 60 + n; i++) {
        seen[(i * 7) % 23]++;
        last += seen.size();
    }
    y[4] = x[4] * seen[5] * last + seen.count(100) + w * seen.size();
    for (auto it = seen.begin(); it != seen.end(); ++it)
        y[5] += it->first * it->second * x[5];
    seen.erase(5);
    std::map<int, std::vector<double>> groups;
    for (int i = 0; i < 12; i++)
        groups[i % 4].push_back(x[i] * w);
    for (auto &g : groups)
        for (double v : g.second)
            y[6] += v * v * (g.first + 1);
    std::map<std::pair<int, int>, double> cells;
    for (int i = 0; i < 6; i++)
        cells[{i % 2, i % 3}] += x[i] * x[i + 1];
    for (const auto &c : cells)
        y[7] = y[7] * w + c.second * (c.first.first + 2 * c.first.second);
    std::unordered_set<int> odd = {1, 3, 5};
    for (int i = 0; i < 8; i++)
        if (odd.count(i) && kinds[i % 2 ? "a" : "b"] == Kind::smooth)
            y[8] += x[i];
    auto copy = groups;
    copy.erase(copy.find(2));
    auto made = copy.emplace(9, std::vector<double>(2, w));
    y[9] = copy.size() * made.first->second[1] * made.second + copy.lower_bound(2)->second[0] + copy.upper_bound(3)->first;
    std::map<std::string, double> sums;
    sums["one"] = x[1];
    sums["two"] += w;
    sums.insert({"three", x[2] * w});
    sums.insert(std::make_pair("four", 4.0));
    for (const auto &kv : sums)
        y[10] = y[10] * x[7] + kv.second;
}
