"""Declarations of what is passed over in C++ (`frontend/opaque.py`) and has no model: streams, and what is thrown.

What sets a stream's flags is a function as in C++, so that programs may have others of its name, and each has a type of
its own, which tells it apart in models (`models/sstream.cuh`).
"""

from hetad.frontend.flags import FLAGS

# What asks a file that is written whether it works, and the answer: nothing is written that could fail.
ANSWERS = {"is_open": 1, "good": 1, "fail": 0, "bad": 0, "operator bool": 1, "operator!": 0}
_EACH = "struct __{0} {{}}; __{0} {0}(__{0}); ostream &operator<<(ostream &, __{0} (*)(__{0}));"
TEXT = f"""
namespace std {{
struct __setprecision {{ int n; }}; struct __setw {{ int n; }}; struct __setfill {{ char c; }};
__setprecision setprecision(int); __setw setw(int); __setfill setfill(char);
struct ios {{
    static constexpr int app = 1, in = 8, out = 16, trunc = 32, binary = 4, ate = 2;
    static constexpr int fixed = 4, scientific = 256, left = 32, right = 128, floatfield = 260, adjustfield = 176; }};
typedef ios ios_base;
struct ostream : ios {{
    template<class... A> long precision(A...) const, width(A...) const, setf(A...) const; ostream &flush(); }};
template<class T> ostream &operator<<(ostream &, const T &);
{" ".join(_EACH.format(name) for name in FLAGS)}
extern ostream cout, cerr, clog;
struct ofstream : ostream {{
    ofstream(); template<class... A> ofstream(const A &...); template<class... A> void open(const A &...);
    void close(); bool is_open() const, good() const, fail() const, bad() const;
    explicit operator bool() const; bool operator!() const; }};
typedef ofstream fstream;
struct exception {{ const char *what() const noexcept; }};
struct logic_error : exception {{
    explicit logic_error(const char *); template<class T> explicit logic_error(const T &); }};
struct runtime_error : exception {{
    explicit runtime_error(const char *); template<class T> explicit runtime_error(const T &); }};
struct invalid_argument : logic_error {{ using logic_error::logic_error; }};
struct domain_error : logic_error {{ using logic_error::logic_error; }};
struct length_error : logic_error {{ using logic_error::logic_error; }};
struct out_of_range : logic_error {{ using logic_error::logic_error; }};
struct range_error : runtime_error {{ using runtime_error::runtime_error; }};
struct overflow_error : runtime_error {{ using runtime_error::runtime_error; }};
struct underflow_error : runtime_error {{ using runtime_error::runtime_error; }};
struct bad_alloc : exception {{}};
}}
"""
