#include <list>
#include <sstream>
#include <string>
#include <utility>
#include <vector>
struct Term {
    double *sum, code;
    Term(double *s, double c) : sum(s), code(c) { note(1); }
    Term(const Term &o) : sum(o.sum), code(o.code + 0.25) { note(2); }
    Term(Term &&o) : sum(o.sum), code(o.code + 0.5) { note(3); }
    Term &operator=(const Term &) = delete;
    ~Term() { note(4); }
    void note(int what) { *sum = *sum * 1.0625 + code * what; }
};
struct Fixed {
    double *sum;
    Fixed(double *s) : sum(s) {}
    Fixed(const Fixed &) = delete;
    Fixed(Fixed &&o) = delete;
    ~Fixed() { *sum = 0.5 * *sum + 1; }
};
double f(double a, int n)
{
    double sum = a;
    {
        std::vector<Term> terms;
        terms.reserve(8);
        for (int i = 0; i < n; ++i)
            terms.emplace_back(&sum, a + i);
        Term last(&sum, 2 * a);
        terms.push_back(last);
        terms.push_back(std::move(last));
        terms.pop_back();
    }
    {
        std::list<Fixed> kept;
        for (int i = 0; i < n; ++i)
            kept.emplace_back(&sum);
        kept.emplace_front(&sum);
        std::list<Term> terms;
        terms.emplace_front(&sum, a);
        terms.push_back(terms.front());
    }
    std::vector<std::pair<double, int>> pairs(1, std::make_pair(a, n));
    for (int i = 0; i < 5; ++i)
        pairs.push_back(pairs[i]);  // an element that moves
    for (int i = 0; i < 5; ++i)
        pairs.emplace_back(pairs[0].first + i, pairs.back().second + 1);
    for (const auto &each : pairs)
        sum = 0.9 * sum + each.first * each.second;
    std::stringstream over("hello");
    over << "J" << n;
    const std::string text = over.str();
    over.str("begin again");
    over << 2.5;
    for (char c : text + over.str())
        sum = 0.5 * sum + c;
    return sum;
}
