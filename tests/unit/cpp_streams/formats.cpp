// How numbers are written: flags by members, by functions and by what is streamed, kept and set back.
#include <iomanip>
#include <iostream>
#include <iterator>
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>
struct Saved {
    std::ostream &os;
    std::ios::fmtflags flags;
    std::streamsize precision;
    explicit Saved(std::ostream &s) : os(s), flags(s.flags()), precision(s.precision()) {}
    ~Saved()
    {
        os.flags(flags);
        os.precision(precision);
    }
};
static std::ostream &scientifically(std::ostream &os)
{
    os.setf(std::ios::scientific, std::ios::floatfield);
    os.precision(3);
    return os;
}
static void numbers(std::ostream &os, double a, int n)
{
    os << a << ' ' << -a << ' ' << 1e-20 * a << ' ' << n << ' ' << -n << ' ' << 3u << ' ' << 4ul << ' ' << (short)-2 << ' ' << true << '\n';
    os << std::setw(12) << a << '|' << std::setw(12) << std::left << a << '|' << std::setw(12) << std::internal << -a << '|' << std::right << std::endl;
    os << std::setw(8) << n << std::setw(8) << 'c' << std::setw(8) << "abc" << std::setw(8) << std::string("de") << std::setw(2) << "longer" << '\n';
}
static void flags(std::ostream &os, double a, int n)
{
    Saved saved(os);
    os << std::hex << std::showbase << 255 << ' ' << -1 << ' ' << std::setw(8) << std::internal << std::setfill('0') << 255 << std::setfill(' ') << ' ' << 0 << std::oct << ' ' << 8 << std::dec << '\n';
    os << std::uppercase << std::hex << 48879 << std::nouppercase << std::noshowbase << ' ' << 48879 << std::dec << '\n';
    os << std::showpos << n << ' ' << a << std::noshowpos << ' ' << std::showpoint << 2.0 << std::noshowpoint << ' ' << 2.0 << '\n';
    os << std::boolalpha << (n > 2) << std::noboolalpha << (n > 2) << ' ' << std::fixed << a << std::scientific << a << std::uppercase << a << std::endl;
    os << std::setprecision(0) << a << std::fixed << ' ' << a << std::defaultfloat << ' ' << a << std::endl;
}
double f(double a, int n)
{
    numbers(std::cout, a, n);
    flags(std::cout, a, n);
    numbers(std::cout, a, n);
    std::ostringstream text;
    flags(text, a, n);
    numbers(text, a, n);
    text << scientifically << a << std::flush << std::resetiosflags(std::ios::floatfield) << a << std::setiosflags(std::ios::fixed) << a << std::setbase(16) << 17;
    text.unsetf(std::ios::basefield);
    const long before = text.precision(8);
    const char old = text.fill('*');
    text.width(20);
    text << a << before << old << text.width() << std::ends;
    std::cout << text.str() << text.str().size() << std::endl;
    std::vector<int> v{1, 2, n};
    std::copy(v.begin(), v.end(), std::ostream_iterator<int>(std::cout, ", "));
    std::cout << '\n';
    std::ostream_iterator<double> it(text, " ");
    *it++ = a;
    *it = 2 * a;
    std::endl(text);
    std::cout.write("abcdef", 3).put('!').put('\n');
    std::ios state(nullptr);
    state.copyfmt(std::cout);
    std::cout << std::setprecision(2) << std::scientific << a;
    std::cout.copyfmt(state);
    std::cout << ' ' << a << std::endl;
    return text.str().size() + text.tellp() + a;
}
