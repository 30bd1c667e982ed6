"""Declarations of what is passed over in C++ (`frontend/opaque.py`) and has no model: streams."""

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
struct ios { static const int out, app, trunc, in, binary; };
struct ofstream : ostream, ios {
    ofstream(); template<class... A> ofstream(const A &...); template<class... A> void open(const A &...);
    void close(); bool is_open() const, good() const; operator bool() const; };
typedef ofstream fstream;
struct ostringstream : ostream { ostringstream(); };
typedef ostringstream stringstream;
}
"""
