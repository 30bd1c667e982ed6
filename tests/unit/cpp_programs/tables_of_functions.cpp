// Functions and lambdas by name and by number: pointers in lists, std::function in maps.
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>
typedef double (*Fn)(double);
struct Case {
    std::string name;
    Fn fn;
    double weight;
};
static double square(double x) { return x * x; }
static const Fn rules[] = {[](double x) { return x + 1; }, square, [](double x) { return -x; }};
static double pointers(double a, int n)
{
    std::map<std::string, Fn> table = {{"square", square}, {"half", [](double x) { return x / 2; }}};
    table["cube"] = [](double x) { return x * x * x; };
    std::vector<Case> cases = {{"add", [](double x) { return x + 3; }, 2.0}, {"square", &square, 3.0}};
    std::vector<std::pair<std::string, Fn>> more{{"third", [](double x) { return x / 3; }}};
    Fn few[2] = {square, [](double x) { return 2 * x; }};
    double s = 0;
    for (const auto &entry : table)
        s = s * 2 + entry.second(a);
    for (const Case &c : cases)
        s += c.weight * c.fn(a) * c.name.size();
    for (const auto &[name, fn] : more)
        s += fn(a) * name.size();
    for (int i = 0; i < 3; ++i)
        s = s * 1.5 + rules[i](a) + few[i % 2](n);
    auto found = table.find(n > 2 ? "half" : "none");
    return found != table.end() ? s + found->second(a) : s;
}
static double objects(double a, int n)
{
    double c = a * 2;
    std::map<std::string, std::function<double(double)>> ops = {
        {"square", square},
        {"scaled", [c](double x) { return c * x; }},
        {"sine", [](double x) { return std::sin(x); }},
    };
    std::unordered_map<int, std::function<double(double)>> numbered{{7, [&](double x) { return x - c; }}};
    std::vector<std::pair<int, std::function<double(double)>>> order = {{1, square}, {2, [&c](double x) { return x / c; }}};
    double s = 0;
    for (const auto &[name, op] : ops)
        s = s * 2 + op(a) * name.size();
    for (auto &entry : order)
        s += entry.first * entry.second(n);
    ops["late"] = [s](double x) { return s + x; };
    return ops.at("late")(1) + numbered.at(7)(a);
}
double f(double a, int n) { return pointers(a, n) + objects(a, n); }
