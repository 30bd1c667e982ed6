// Files as members: what they are asked, what is written, and read again.
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>
class Writer {
public:
    explicit Writer(const std::string &name, char comma = ',') : out_(name), comma_(comma), rows_(0)
    {
        if (!out_.is_open())
            std::cerr << "cannot open " << name << std::endl;
        out_ << std::setprecision(12);
    }
    ~Writer() { out_ << "# end " << rows_ << "\n"; }
    void header(const std::vector<std::string> &names)
    {
        for (size_t i = 0; i < names.size(); ++i)
            out_ << (i > 0 ? "; " : "") << names[i];
        out_ << '\n';
    }
    void row(double t, double u)
    {
        out_ << t << comma_ << u << '\n';
        ++rows_;
    }
    bool good() const { return out_.good(); }
    long bytes() { return out_.tellp(); }

private:
    std::ofstream out_;
    char comma_;
    int rows_;
};
struct Log {
    std::ofstream file;
    bool open(const char *name)
    {
        file.open(name, std::ios::out | std::ios::app);
        return static_cast<bool>(file);
    }
};
static bool save(const std::string &name, const double *u, int n)
{
    std::ofstream out(name);
    if (!out) {
        std::cerr << "no file " << name << "\n";
        return false;
    }
    for (int i = 0; i < n; ++i)
        out << u[i] << " ";
    out << std::endl;
    return out.good();
}
double f(double a, int n)
{
    double u[3] = {a, a * a, 1 / a}, r = 0;
    {
        Writer w("streams_rows.csv");
        w.header({"t", "u"});
        for (int i = 0; i < n; ++i)
            w.row(i * 0.1, a / (i + 1));
        r += w.bytes() + 100 * w.good();
    }
    Writer bad("/nowhere/at/all.csv");
    bad.row(1, 2);
    r += bad.good() ? 1000 : 2000;
    r += save("streams_u.txt", u, 3) ? 4000 : 0;
    r += save("/nowhere/u.txt", u, 3) ? 8000 : 0;
    std::ifstream in("streams_u.txt");
    double first = 0, second = 0;
    in >> first >> second;
    r += first + second;
    std::ofstream("streams_log.txt") << "start\n";
    Log log;
    r += log.open("streams_log.txt") ? 1 : 2;
    log.file << "more " << a << std::endl;
    log.file.close();
    std::ifstream again("streams_rows.csv");
    std::cout << r << " " << first << '\n';
    return r;
}
