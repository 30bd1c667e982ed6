"""Declarations of what is passed over in C++ (`frontend/opaque.py`): streams, clocks, random engines."""

TEXT = """
namespace std {
struct ostream {};
template<class T> ostream &operator<<(ostream &, const T &);
ostream &operator<<(ostream &, ostream &(*)(ostream &));
ostream &endl(ostream &), &flush(ostream &), &fixed(ostream &), &scientific(ostream &), &left(ostream &);
ostream &right(ostream &), &hex(ostream &), &dec(ostream &), &boolalpha(ostream &), &defaultfloat(ostream &);
ostream &showpoint(ostream &);
struct __hetad_manipulator {};
__hetad_manipulator setprecision(int), setw(int), setfill(char);
extern ostream cout, cerr, clog;
struct milli; struct micro; struct nano;
namespace chrono {
template<class R, class P = int> struct duration {
    duration(); template<class O> duration(const O &); R count() const; };
typedef duration<long> nanoseconds;
typedef duration<long, micro> microseconds;
typedef duration<long, milli> milliseconds;
typedef duration<long, long> seconds;
template<class To, class From> To duration_cast(const From &);
template<class C, class D = int> struct time_point {};
template<class C, class D> nanoseconds operator-(time_point<C, D>, time_point<C, D>);
template<int N> struct __hetad_clock { typedef chrono::time_point<__hetad_clock> time_point; static time_point now(); };
typedef __hetad_clock<0> steady_clock;
typedef __hetad_clock<1> system_clock;
typedef __hetad_clock<2> high_resolution_clock;
}
struct mt19937 { mt19937(unsigned = 0); unsigned operator()(); };
struct mt19937_64 : mt19937 { mt19937_64(unsigned long = 0); };
struct minstd_rand : mt19937 { minstd_rand(unsigned = 0); };
struct default_random_engine : mt19937 { default_random_engine(unsigned = 0); };
struct random_device { unsigned operator()(); };
template<class T = double> struct uniform_real_distribution {
    uniform_real_distribution(T = 0, T = 1); template<class G> T operator()(G &); };
template<class T = double> struct normal_distribution {
    normal_distribution(T = 0, T = 1); template<class G> T operator()(G &); };
template<class T = int> struct uniform_int_distribution {
    uniform_int_distribution(T = 0, T = 9); template<class G> T operator()(G &); };
}
"""
