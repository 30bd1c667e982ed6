// What hetad reads in place of std::ios_base: how values are written to a stream, and whether that still works.
namespace std {

typedef long streamsize;

struct ios_base {
    typedef int fmtflags;
    typedef int openmode;
    typedef int iostate;
    typedef int seekdir;
    static constexpr int boolalpha = 1, dec = 2, fixed = 4, hex = 8, internal = 16, left = 32, oct = 64, right = 128;
    static constexpr int scientific = 256, showbase = 512, showpoint = 1024, showpos = 2048, skipws = 4096;
    static constexpr int unitbuf = 8192, uppercase = 16384, adjustfield = 176, basefield = 74, floatfield = 260;
    static constexpr int app = 1, ate = 2, binary = 4, in = 8, out = 16, trunc = 32;
    static constexpr int goodbit = 0, badbit = 1, eofbit = 2, failbit = 4;
    static constexpr int beg = 0, cur = 1, end = 2;

    ios_base() : marks(skipws | dec), digits(6), room(0), state(goodbit), filling(' ') {}
    explicit ios_base(nullptr_t) : marks(skipws | dec), digits(6), room(0), state(badbit), filling(' ') {}
    static bool sync_with_stdio(bool = true) { return true; }
    int flags() const { return marks; }
    int flags(int wanted)
    {
        const int before = marks;
        marks = wanted;
        return before;
    }
    int setf(int set)
    {
        const int before = marks;
        marks |= set;
        return before;
    }
    int setf(int set, int among)
    {
        const int before = marks;
        marks = (marks & ~among) | (set & among);
        return before;
    }
    void unsetf(int set) { marks &= ~set; }
    streamsize precision() const { return digits; }
    streamsize precision(streamsize n)
    {
        const streamsize before = digits;
        digits = (int)n;
        return before;
    }
    streamsize width() const { return room; }
    streamsize width(streamsize n)
    {
        const streamsize before = room;
        room = (int)n;
        return before;
    }
    char fill() const { return filling; }
    char fill(char c)
    {
        const char before = filling;
        filling = c;
        return before;
    }
    ios_base &copyfmt(const ios_base &other)
    {
        marks = other.marks;
        digits = other.digits;
        room = other.room;
        filling = other.filling;
        return *this;
    }
    int rdstate() const { return state; }
    void clear(int wanted = 0) { state = wanted; }
    void setstate(int more) { state |= more; }
    bool good() const { return state == goodbit; }
    bool eof() const { return (state & eofbit) != 0; }
    bool fail() const { return (state & (badbit | failbit)) != 0; }
    bool bad() const { return (state & badbit) != 0; }
    explicit operator bool() const { return !fail(); }
    bool operator!() const { return fail(); }

protected:
    int marks, digits, room, state;
    char filling;
};
typedef ios_base ios;

inline ios_base &__marked(ios_base &s, int set, int among)
{
    s.setf(set, among);
    return s;
}
inline ios_base &fixed(ios_base &s) { return __marked(s, ios::fixed, ios::floatfield); }
inline ios_base &scientific(ios_base &s) { return __marked(s, ios::scientific, ios::floatfield); }
inline ios_base &hexfloat(ios_base &s) { return __marked(s, ios::floatfield, ios::floatfield); }
inline ios_base &defaultfloat(ios_base &s) { return __marked(s, 0, ios::floatfield); }
inline ios_base &dec(ios_base &s) { return __marked(s, ios::dec, ios::basefield); }
inline ios_base &hex(ios_base &s) { return __marked(s, ios::hex, ios::basefield); }
inline ios_base &oct(ios_base &s) { return __marked(s, ios::oct, ios::basefield); }
inline ios_base &left(ios_base &s) { return __marked(s, ios::left, ios::adjustfield); }
inline ios_base &right(ios_base &s) { return __marked(s, ios::right, ios::adjustfield); }
inline ios_base &internal(ios_base &s) { return __marked(s, ios::internal, ios::adjustfield); }
inline ios_base &boolalpha(ios_base &s) { return __marked(s, ios::boolalpha, ios::boolalpha); }
inline ios_base &noboolalpha(ios_base &s) { return __marked(s, 0, ios::boolalpha); }
inline ios_base &showbase(ios_base &s) { return __marked(s, ios::showbase, ios::showbase); }
inline ios_base &noshowbase(ios_base &s) { return __marked(s, 0, ios::showbase); }
inline ios_base &showpoint(ios_base &s) { return __marked(s, ios::showpoint, ios::showpoint); }
inline ios_base &noshowpoint(ios_base &s) { return __marked(s, 0, ios::showpoint); }
inline ios_base &showpos(ios_base &s) { return __marked(s, ios::showpos, ios::showpos); }
inline ios_base &noshowpos(ios_base &s) { return __marked(s, 0, ios::showpos); }
inline ios_base &uppercase(ios_base &s) { return __marked(s, ios::uppercase, ios::uppercase); }
inline ios_base &nouppercase(ios_base &s) { return __marked(s, 0, ios::uppercase); }
inline ios_base &unitbuf(ios_base &s) { return s; }
inline ios_base &nounitbuf(ios_base &s) { return s; }

}  // namespace std
