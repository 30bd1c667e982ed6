// Texts without a name that are printed, iterators from behind, distances; questions to a file that is written.
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <list>
#include <map>
#include <sstream>
#include <string>
#include <vector>
struct Named {
    std::string name;
    std::string full() const { return name + "!"; }
    const std::string &ref() const { return name; }
};
static std::string file(const std::string &prefix, int i)
{
    std::ostringstream os;
    os << prefix << '_' << i;
    return os.str();
}
double f(double a, int n)
{
    Named m{"abc"};
    std::cout << "file " << file("a", 3) << " " << std::setw(n + 3) << std::fixed << a << m.full() << std::endl;
    std::cerr << m.name + ".csv" << std::to_string(n) << m.name << m.ref() << "\n";
    std::ofstream out("/dev/null");
    double r = 0;
    if (!out)
        r += 1;
    if (out.is_open() && out.good() && !out.fail())
        r += 2;
    out << r << std::endl;
    std::map<std::string, double> table;
    table["a"] = a;
    table["b"] = 2;
    r += table.rbegin()->second;
    std::vector<double> v{1, a, 3};
    for (auto it = v.rbegin(); it != v.rend(); ++it)
        r = r * 2 + *it;
    std::list<int> l{4, 5, 6};
    r += std::distance(v.begin(), v.end()) + 10 * std::distance(l.begin(), l.end()) + *std::next(l.begin()) + *std::prev(v.end());
    return r + file(m.name, n).size();
}
