// How often elements of containers are made, copied, moved and ended.
#include <deque>
#include <list>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
static int made, ended, copied, moved;
struct S {
    double v;
    S() : v(0) { ++made; }
    S(double x) : v(x) { ++made; }
    S(const S &o) : v(o.v) { ++copied; }
    S(S &&o) noexcept : v(o.v) { ++moved; }
    S &operator=(const S &o)
    {
        v = o.v;
        return *this;
    }
    bool operator<(const S &o) const { return v < o.v; }
    ~S() { ++ended; }
};
static double count()
{
    const double all = made + 100. * ended + 1e4 * copied + 1e6 * moved;
    made = ended = copied = moved = 0;
    return all;
}
static double deques(double a, int n)
{
    {
        std::deque<S> d;
        for (int i = 0; i < 40 + n; ++i) {
            d.emplace_back(a * i);
            d.push_front(S(i));
            if (i % 3 == 0)
                d.pop_back();
        }
        std::deque<S> e(d), g(3);
        g.resize(5);
    }
    return count();
}
static double maps(double a)
{
    {
        std::map<int, S> m;
        m.emplace(3, a);
        m.emplace(3, a + 1);
        m.try_emplace(4, a);
        m.try_emplace(4, a);
        m[7].v = a;
        m[8] = S(a);
        m.insert({9, S(a)});
        m.insert(std::make_pair(10, S(a)));
        m.insert(std::pair<const int, S>(10, S(a)));
        m.insert_or_assign(10, S(a));
        std::multimap<int, S> more;
        more.emplace(1, a);
        more.insert({1, S(2)});
    }
    return count();
}
static double others(double a)
{
    {
        std::unordered_map<std::string, S> m;
        m.emplace("x", a);
        m.try_emplace("y", a);
        m["z"] = S(a);
        m.insert({"q", S(1)});
        std::set<S> s;
        s.insert(S(2));
        s.emplace(2.0);
        s.emplace(3.0);
        std::list<S> l;
        l.push_back(S(2));
        l.push_front(S(1));
        l.emplace_back(a);
    }
    return count();
}
double f(double a, int n) { return deques(a, n) + 1.5 * maps(a) + 2.25 * others(a); }
