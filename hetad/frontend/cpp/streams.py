"""Declarations of what is passed over in C++ (`frontend/opaque.py`) and has no model: streams, and what is thrown."""

TEXT = """
namespace std {
struct ostream {
    template<class... A> long precision(A...) const, width(A...) const, setf(A...) const; ostream &flush(); };
template<class T> ostream &operator<<(ostream &, const T &);
ostream &operator<<(ostream &, ostream &(*)(ostream &));
ostream &endl(ostream &), &flush(ostream &), &fixed(ostream &), &scientific(ostream &), &left(ostream &);
ostream &right(ostream &), &hex(ostream &), &dec(ostream &), &boolalpha(ostream &), &defaultfloat(ostream &);
ostream &showpoint(ostream &);
struct __hetad_manipulator {};
__hetad_manipulator setprecision(int), setw(int), setfill(char);
extern ostream cout, cerr, clog;
struct ios { static const int out, app, trunc, in, binary, fixed, scientific, left, right, floatfield; };
typedef ios ios_base;
struct ofstream : ostream, ios {
    ofstream(); template<class... A> ofstream(const A &...); template<class... A> void open(const A &...);
    void close(); bool is_open() const, good() const; operator bool() const; };
typedef ofstream fstream;
struct exception { const char *what() const noexcept; };
struct logic_error : exception {
    explicit logic_error(const char *); template<class T> explicit logic_error(const T &); };
struct runtime_error : exception {
    explicit runtime_error(const char *); template<class T> explicit runtime_error(const T &); };
struct invalid_argument : logic_error { using logic_error::logic_error; };
struct domain_error : logic_error { using logic_error::logic_error; };
struct length_error : logic_error { using logic_error::logic_error; };
struct out_of_range : logic_error { using logic_error::logic_error; };
struct range_error : runtime_error { using runtime_error::runtime_error; };
struct overflow_error : runtime_error { using runtime_error::runtime_error; };
struct underflow_error : runtime_error { using runtime_error::runtime_error; };
struct bad_alloc : exception {};
}
"""
