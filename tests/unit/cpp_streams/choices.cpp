// Streams that a condition chooses, pointers and references to them, members, and objects that own them.
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
class Logger {
public:
    explicit Logger(std::ostream &os, bool on = true) : os_(os), on_(on), lines_(0) {}
    void log(const std::string &what, double value)
    {
        ++lines_;
        if (on_)
            os_ << "[" << std::setw(3) << std::setfill('0') << lines_ << std::setfill(' ') << "] " << what << " = " << value << std::endl;
    }
    template <class T> Logger &operator<<(const T &value)
    {
        if (on_)
            os_ << value;
        return *this;
    }
    int lines() const { return lines_; }

private:
    std::ostream &os_;
    bool on_;
    int lines_;
};
struct Solver {
    std::ostream *log_ = nullptr;
    double step(double u)
    {
        u = 0.5 * (u + 2 / u);
        if (log_)
            *log_ << "step " << u << '\n';
        return u;
    }
    void set(std::ostream *log) { log_ = log; }
};
double f(double a, int n)
{
    const bool verbose = n > 2;
    std::ostream &out = verbose ? std::cout : std::cerr;
    out << "chosen " << a << std::endl;
    std::ostream *where = &std::cout;
    if (n == 1)
        where = &std::cerr;
    *where << std::setprecision(3) << a / 3 << "\n";
    (*where).precision(6);
    where->width(9);
    *where << 1 << std::endl;
    std::ostringstream text;
    Logger one(std::cout), two(text), three(std::clog, false);
    one.log("a", a);
    two.log("b", a);
    two.log("c", a + 1);
    three.log("never", 0);
    two << "total " << two.lines() << 'x' << a;
    Solver solver;
    double u = solver.step(1.5);
    solver.set(&text);
    u = solver.step(u);
    solver.set(verbose ? &std::cout : nullptr);
    u = solver.step(u);
    std::unique_ptr<std::ostream> owned(new std::ostringstream);
    *owned << "lost" << std::endl;
    std::unique_ptr<std::ostream> file = std::make_unique<std::ofstream>("streams_owned.txt");
    *file << "kept " << u << std::endl;
    std::ostream nothing(nullptr);
    nothing << "never";
    double r = nothing ? 1 : 2;
    auto &same = std::cout;
    same << text.str() << '\n';
    return u + r + text.str().size();
}
