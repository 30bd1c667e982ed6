"""Declarations of streams that are written to and passed over (`frontend/opaque.py`), and of what is thrown.

What sets a stream's flags is a function as in C++, so that programs may have others of its name.
"""

from hetad.frontend.flags import FLAGS

_EACH = "struct __{0} {{}}; __{0} {0}(__{0}); ostream &operator<<(ostream &, __{0} (*)(__{0}));"
WRITTEN = f"""
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
    void close(); }};
typedef ofstream fstream;
}}
"""
THROWN = """
namespace std {
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
