#include <memory>
#include <optional>
#include <variant>
#include <vector>
static double trail = 0;
struct Tracked {
    double v;
    explicit Tracked(double v) : v(v) {}
    Tracked(const Tracked &o) noexcept : v(o.v + 0.125) {}
    Tracked(Tracked &&o) noexcept : v(o.v) { o.v = -1; }
    Tracked &operator=(const Tracked &o)
    {
        v = o.v + 0.25;
        return *this;
    }
    ~Tracked() { trail = 1.5 * trail + v; }
};
using Value = std::variant<std::monostate, int, double, std::vector<double>, Tracked>;
struct Weigh {
    double scale;
    double operator()(std::monostate) const { return 1; }
    double operator()(int i) const { return 10 * i; }
    double operator()(double d) const { return scale * d; }
    double operator()(const std::vector<double> &v) const { return v.size() + v.back(); }
    double operator()(const Tracked &t) const { return 3 * t.v; }
};
std::optional<Tracked> made(double a) { return a > 0 ? std::optional<Tracked>(std::in_place, a) : std::nullopt; }
double of_optionals(double a, int n)
{
    std::optional<int> count;
    if (n > 2)
        count = n;
    std::optional<Tracked> t = made(a), u = t;
    double r = count.value_or(7) + (t ? t->v : 100);
    if (u)
        u->v *= 2;
    t = u;
    u.reset();
    std::optional<std::vector<double>> list(std::vector<double>{1, a, 3}), moved = std::move(list);
    list.emplace(4, a);
    r += (*list)[3] + moved->at(1) + (u == std::nullopt) + (t.has_value() ? (*t).v : 0.5);
    std::optional<double> x = a, y;
    y = x;
    *y += 1;
    r += (x < y) + 2 * (x == a) + 4 * (y != x) + std::make_optional(n).value();
    y = {};
    return r + (y ? 16 : 32);
}
double of_variants(double a, int n)
{
    std::vector<Value> all(5);
    all[0] = n;
    all[1] = a;
    all[2] = Value();
    all[3] = std::vector<double>{a, 2 * a};
    all[4] = Tracked(a);
    all[0] = all[3];
    Value w = all[4];
    w = 3 * a;
    all[4].emplace<Tracked>(5.0);
    double r = 0, scale = 2;
    for (const Value &v : all)
        r = 2 * r + std::visit(Weigh{scale}, v) + v.index();
    if (auto *d = std::get_if<double>(&all[1]))
        *d *= 3;
    std::variant<float, int> either = n;
    auto both = [&](auto p, auto q) { return p * scale + q; };
    std::visit([&](auto &v) { v += 1; }, either);
    return r + std::get<double>(w) + std::get<1>(either) + std::visit(both, either, std::variant<int, double>(a))
        + std::holds_alternative<double>(all[1]) * std::get<2>(all[1]);
}
double of_owners(double a, int n)
{
    int ended = 0;
    double r = 0;
    {
        std::shared_ptr<Tracked> p = std::make_shared<Tracked>(a), q = p, none;
        std::weak_ptr<Tracked> w = q;
        r += p.use_count() + 10 * (none == nullptr) + 20 * w.expired();
        p = std::move(q);
        p->v += 1;
        if (auto l = w.lock())
            r += l->v + l.use_count();
        p.reset();
        r += 40 * w.expired() + (w.lock() ? 80 : 160);
        std::shared_ptr<double> d(new double(a), [&ended](double *x) { delete x; ended += 5; });
        std::vector<std::shared_ptr<double>> many(n, d);
        many.pop_back();
        *many.emplace_back(d) *= 2;
        std::shared_ptr<const double> fixed = std::make_shared<double>(3 * a);
        r += many.size() * *d + d.use_count() + *fixed;
    }
    return r + ended;
}
double f(double a, int n)
{
    trail = 0;
    double r = of_optionals(a, n);
    r += 100 * trail + of_variants(a, n);
    r += 100 * trail + of_owners(a, n);
    return r + trail;
}
