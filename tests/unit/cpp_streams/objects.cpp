// Streams in virtual methods, an object that lives as long as the program, timers, macros and std::function.
#include <chrono>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
using namespace std;
struct Shape {
    double v = 1;
    virtual ~Shape() {}
    virtual void print(ostream &os) const = 0;
};
struct Disc : Shape {
    void print(ostream &os) const override { os << "disc " << v << endl; }
};
class Log {
public:
    static Log &get()
    {
        static Log log;
        return log;
    }
    template <class T> Log &operator<<(const T &x)
    {
        *out_ << x;
        return *this;
    }
    void to(ostream &o) { out_ = &o; }

private:
    ostream *out_;
    Log() : out_(nullptr) { to(cout); }
};
struct Timer {
    ostream &os;
    string what;
    chrono::steady_clock::time_point start;
    Timer(ostream &o, string w) : os(o), what(w), start(chrono::steady_clock::now()) {}
    ~Timer()
    {
        const double s = chrono::duration<double>(chrono::steady_clock::now() - start).count();
        os << what << (s >= 0 ? " took" : " began") << endl;
    }
};
#define LOG(os) os << "[" << __LINE__ << "] "
double f(double a, int n)
{
    Disc d;
    d.v = a;
    d.print(cout);
    Log::get() << "x " << a << "\n";
    ostringstream text;
    Log::get().to(text);
    Log::get() << "y " << a;
    {
        Timer t(cerr, "loop");
    }
    LOG(cout) << text.str() << endl;
    function<void(ostream &, double)> say = [](ostream &o, double x) { o << "say " << x << endl; };
    say(cout, a);
    say(text, a);
    Log::get().to(cout);
    return text.str().size() + n;
}
