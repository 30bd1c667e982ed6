// Functions, methods, operators, lambdas and templates that write to a stream which they are given.
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>
struct Stats {
    double mean, spread;
    int count;
    void print(std::ostream &os, const char *title = "stats") const
    {
        os << title << ": " << std::setw(10) << mean << " +- " << std::setw(8) << spread << " (" << count << ")" << std::endl;
    }
};
class Vec {
public:
    Vec(double x, double y) : x_(x), y_(y) {}
    friend std::ostream &operator<<(std::ostream &os, const Vec &v) { return os << '(' << v.x_ << ", " << v.y_ << ')'; }

private:
    double x_, y_;
};
namespace model {
enum Kind { Fixed = 3, Free };
struct Cell {
    Kind kind;
    double value;
};
std::ostream &operator<<(std::ostream &out, const Cell &c);
}
std::ostream &model::operator<<(std::ostream &out, const model::Cell &c)
{
    if (c.kind == model::Fixed)
        out << "fixed ";
    out << c.kind << ':' << c.value;
    return out;
}
template <class T> std::ostream &operator<<(std::ostream &os, const std::vector<T> &v)
{
    os << "[";
    for (size_t i = 0; i < v.size(); ++i)
        os << (i ? ", " : "") << v[i];
    return os << "]";
}
template <class Stream> void rows(Stream &s, const std::vector<double> &v)
{
    for (double x : v)
        s << std::fixed << std::setprecision(2) << x << ';';
    s << std::defaultfloat << std::setprecision(6) << '\n';
}
static void report(std::ostream &os, const Stats &s)
{
    os << "Report\n";
    s.print(os);
    s.print(os, "again");
}
static std::ostream &header(std::ostream &os) { return os << "# " << std::left << std::setw(6) << "t" << std::right << std::setw(6) << "u" << std::endl; }
double f(double a, int n)
{
    Stats s{a, a * a / 3, n};
    report(std::cout, s);
    std::ostringstream text;
    report(text, s);
    header(text) << a;
    std::cout << header << Vec(a, 2) << " " << model::Cell{model::Fixed, a} << ' ' << model::Cell{model::Free, 1e10} << "\n";
    std::vector<double> v{1, a, 1.0 / 3};
    std::vector<Vec> w{Vec(1, a), Vec(a, 3)};
    std::cout << v << w << std::endl;
    rows(std::cout, v);
    rows(text, v);
    auto say = [](std::ostream &os, double x) { os << "x = " << x << std::endl; };
    say(std::cout, a);
    say(text, a);
    auto tell = [&](const std::string &what) { text << what << v; };
    tell("v: ");
    text << w[1];
    std::cerr << text.str();
    std::cout << text.str().size() << '\n';
    return text.str().size() + a;
}
