#include <memory>
#include <utility>
#include <vector>

struct Log {
    double value;
};

struct Mark {
    Log *log;
    double code;
    Mark(Log *l, double c) : log(l), code(c) { note(1); }
    Mark(const Mark &o) : log(o.log), code(o.code + 0.25) { note(2); }
    Mark(Mark &&o) : log(o.log), code(o.code + 0.5)
    {
        o.code = -1;
        note(3);
    }
    Mark &operator=(const Mark &o)
    {
        code = o.code * 1.5;
        note(4);
        return *this;
    }
    ~Mark() { note(6); }
    void note(int what) { log->value = log->value * 1.0625 + code * what; }
};

struct Plain {
    Mark mark;
    int n;
};

struct Nested {
    Plain first;
    Mark second[2];
    double last = 5.0;
};

struct Holder {
    const Mark &seen;
    Mark own;
    Holder(const Mark &m) : seen(m), own(m) {}
    Mark get() const { return own; }
    const Mark &look() const { return own; }
};

static Mark chosen(Log *l, double a, bool c)
{
    Mark x(l, 2), y(l, 3);
    if (a > 100)
        return x;
    return c ? Mark(l, a) : y;
}
static Plain wrapped(const Mark &m, int n) { return {m, n}; }
static double twice(Mark m)
{
    m.code *= 2;
    return m.code;
}

double f(double a, int n)
{
    Log log = {a};
    {
        Mark x(&log, 3), y(&log, 5);
        Plain p = {x, 2}, q{Mark(&log, 7), 4}, r = wrapped(y, n);
        Mark pair[2] = {x, std::move(y)};
        Nested nested = {{x, 3}, {pair[0], r.mark}};
        Nested again = nested;
        again.first = p;
        nested = again;
        Plain moved = std::move(q);
        log.value += moved.mark.code + again.second[1].code + nested.last;
        Mark either = n > 2 ? x : r.mark;
        Mark third = n > 2 ? Mark(&log, 11) : std::move(x);
        log.value += either.code * third.code + twice(either) + twice(std::move(third)) + twice(Mark(&log, 13));
        auto keep = [kept = std::move(p), &r](double v) { return kept.mark.code * v + r.n; };
        auto copy = keep;
        log.value += keep(2.0) + copy(0.5);
        Holder h(x), other(h.look());
        log.value += h.get().code + other.seen.code;
        Mark c = chosen(&log, a, n > 1);
        for (Mark m : std::vector<Mark>(2, c))
            log.value += m.code;
        for (const Mark &m : std::vector<Mark>(3, c))
            log.value -= m.code * 0.5;
    }
    auto owned = std::make_unique<Mark>(&log, 19.0);
    std::unique_ptr<Mark> next;
    for (int i = 0; i < 2; ++i) {
        next = std::move(owned);
        owned = std::make_unique<Mark>(*next);
        if (i == n)
            next.reset();
    }
    std::vector<std::unique_ptr<Mark>> all;
    all.push_back(std::move(owned));
    all.push_back(std::make_unique<Mark>(&log, 23.0));
    all[0].swap(all[1]);
    all.erase(all.begin());
    std::pair<Mark, double> both(*all[0], 2.0);
    return log.value + both.first.code;
}
