// Objects that one arm of a condition or the other makes, as arguments and as first values.
#include <string>
#include <vector>
static std::string name(int i) { return i % 2 ? std::string("odd") : std::string("even"); }
static size_t length(const std::string &s) { return s.size() + s[0]; }
double f(double a, int n)
{
    double r = 0;
    for (int i = 0; i < n + 4; ++i) {
        r = r * 1.25 + length(i > 2 ? std::string(i, 'a') : name(i)) * a;
        std::string t = i > 3 ? name(i) + "x" : i > 1 ? std::string() : std::string("zz");
        r += t.size() * a + (i % 3 ? name(i) : std::string("q")).size();
        bool b = i > 2 && length(i > 4 ? name(1) : name(2)) > 3;
        std::vector<double> v = i > 2 ? std::vector<double>(3, a) : std::vector<double>(2, r);
        r += b + v[1] * v.size();
    }
    return r;
}
