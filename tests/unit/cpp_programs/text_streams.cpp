// What manipulators do to a text, and what is read of one again.
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>
static double sum(const std::string &s)
{
    double total = s.size();
    for (char c : s)
        total = total * 1.0625 + c;
    return total;
}
static std::string name(const std::string &base, int step)
{
    std::ostringstream os;
    os << base << '_' << std::setw(5) << std::setfill('0') << step << ".dat";
    return os.str();
}
static double formats(double a, int n)
{
    std::stringstream os;
    os << std::fixed << std::setprecision(3) << a << " " << n << std::endl;
    os << std::scientific << std::setprecision(6) << a << std::setw(8) << std::left << "ab" << std::right << '|';
    os << std::setw(6) << 12 << std::hex << 255 << std::uppercase << 255u << std::oct << 8 << std::dec << std::boolalpha;
    os << true << std::noboolalpha << false << std::defaultfloat << a << " " << 1.0f / 3 << std::showpos << n << 2.5;
    os << std::noshowpos << std::showpoint << 2.0 << std::noshowpoint << " " << 1e8 << 10L << 7u << size_t(5) << 3ll;
    os.width(12);
    os.fill('*');
    os << a;
    os.setf(std::ios::fixed, std::ios::floatfield);
    os.precision(2);
    os << a << std::flush << std::setw(4) << 'c' << std::setw(3) << std::string("longer");
    return sum(os.str());
}
static double read(double a)
{
    std::istringstream in("12 3.5 word\n -7 nothing");
    int i = 0;
    double x = 0;
    std::string word;
    in >> i >> x >> word;
    double total = i + x * a + sum(word);
    in >> i;
    total += i;
    if (!(in >> x))
        total += 1000;
    std::stringstream table("a,bc,,d");
    std::vector<std::string> parts;
    while (std::getline(table, word, ','))
        parts.push_back(word);
    for (const auto &part : parts)
        total = total * 2 + part.size();
    std::stringstream both;
    both << 1.25 << " " << 4;
    double y;
    int k;
    if (both >> y >> k)
        total += y * k * a;
    return total;
}
double f(double a, int n) { return formats(a, n) + sum(name("rho", n)) * a + read(a); }
