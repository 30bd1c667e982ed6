// What hetad reads in place of std::ostream and what is derived of it, where a program does more with a stream than write
// to it: one class, of the console, of a file or of a text.  What is written carries no derivatives.  All of it is written
// at one place, as a host function that is differentiated has the bodies of what it calls.
namespace std {

struct __setprecision {
    int n;
};
struct __setw {
    int n;
};
struct __setfill {
    char c;
};
struct __setmarks {
    int set, among;
};
inline __setprecision setprecision(int n) { return __setprecision{n}; }
inline __setw setw(int n) { return __setw{n}; }
inline __setfill setfill(char c) { return __setfill{c}; }
inline __setmarks setiosflags(int set) { return __setmarks{set, set}; }
inline __setmarks resetiosflags(int set) { return __setmarks{0, set}; }
inline __setmarks setbase(int n)
{
    return __setmarks{n == 16 ? ios::hex : n == 8 ? ios::oct : n == 10 ? ios::dec : 0, ios::basefield};
}

enum __sink { __NOWHERE, __CONSOLE, __FILE, __LETTERS };

class streambuf;
template <class T> struct complex;

class ostream : public __letters {
public:
    explicit ostream(streambuf *buffer);
    explicit ostream(nullptr_t) : __letters(nullptr), sink(__NOWHERE), file(nullptr) {}
    ostream(__sink to, FILE *f) : sink(to), file(f) {}
    ostream(const ostream &) = delete;
    ostream &operator=(const ostream &) = delete;
    ~ostream() { __end(); }

    ostream &operator<<(ostream &(*does)(ostream &)) { return does(*this); }
    ostream &operator<<(ios_base &(*does)(ios_base &))
    {
        does(*this);
        return *this;
    }
    ostream &operator<<(__setprecision p)
    {
        digits = p.n;
        return *this;
    }
    ostream &operator<<(__setw w)
    {
        room = w.n;
        return *this;
    }
    ostream &operator<<(__setfill f)
    {
        filling = f.c;
        return *this;
    }
    ostream &operator<<(__setmarks m)
    {
        setf(m.set, m.among);
        return *this;
    }

    ostream &operator<<(const char *other) { return __put(other, strlen(other), 0); }
    ostream &operator<<(const string &other) { return __put(other.c_str(), other.size(), 0); }
    ostream &operator<<(string_view other) { return __put(other.data(), other.size(), 0); }
    ostream &operator<<(char other) { return __put(&other, 1, 0); }
    ostream &operator<<(signed char other) { return *this << (char)other; }
    ostream &operator<<(unsigned char other) { return *this << (char)other; }
    ostream &operator<<(bool value)
    {
        if ((marks & boolalpha) != 0)
            return *this << (value ? "true" : "false");
        return __whole((long)value, (unsigned long)value);
    }
    ostream &operator<<(short value) { return __whole((long)value, (unsigned long)(unsigned short)value); }
    ostream &operator<<(unsigned short value) { return __natural((unsigned long)value); }
    ostream &operator<<(int value) { return __whole((long)value, (unsigned long)(unsigned)value); }
    ostream &operator<<(unsigned value) { return __natural((unsigned long)value); }
    ostream &operator<<(long value) { return __whole(value, (unsigned long)value); }
    ostream &operator<<(unsigned long value) { return __natural(value); }
    ostream &operator<<(long long value) { return *this << (long)value; }
    ostream &operator<<(unsigned long long value) { return __natural((unsigned long)value); }
    ostream &operator<<(float value) { return *this << (double)value; }
    ostream &operator<<(double value)
    {
        char made[512];
        __form(made, value);
        return __put(made, strlen(made), made[0] == '-' || made[0] == '+' ? 1 : 0);
    }
    template <class T> ostream &operator<<(const complex<T> &value)
    {
        char re[512], im[512], made[1032];
        __form(re, value.real());
        __form(im, value.imag());
        snprintf(made, 1032, "(%s,%s)", re, im);
        return __put(made, strlen(made), 0);
    }
    ostream &operator<<(const void *pointer);

    ostream &put(char c) { return write(&c, 1); }
    ostream &write(const char *letters, streamsize n)
    {
        const int before = room;
        room = 0;
        __put(letters, (size_t)n, 0);
        room = before;
        return *this;
    }
    ostream &flush()
    {
        if (file != nullptr)
            fflush(file);
        return *this;
    }
    streambuf *rdbuf() const;
    streambuf *rdbuf(streambuf *buffer);
    ostream &seekp(streamsize place, int from = 0);
    streamsize tellp()
    {
        if (fail())
            return -1;
        return sink == __LETTERS ? __place() : file != nullptr ? ftell(file) : -1;
    }

protected:
    int sink;
    FILE *file;

    void __end()
    {
        if (sink == __FILE && file != nullptr)
            fclose(file);
        __free();
        file = nullptr;
    }
    void __take(ostream &other)
    {
        __end();
        copyfmt(other);
        state = other.state;
        file = other.file;
        other.file = nullptr;
        __take_letters(other);
    }
    void __form(char *made, double value) const
    {
        const int form = marks & floatfield;
        const char letter = form == fixed ? 'f' : form == scientific ? 'e' : form == 0 ? 'g' : 'a';
        const char *sign = (marks & showpos) != 0 ? "+" : "", *point = (marks & showpoint) != 0 ? "#" : "";
        char format[16];
        snprintf(format, 16, "%%%s%s.*%c", sign, point, (marks & uppercase) != 0 ? letter - 32 : letter);
        snprintf(made, 512, format, form != floatfield ? digits : -1, value);
    }
    // `head`: the letters before which nothing is filled in, where it is done inside of a number.
    ostream &__put(const char *letters, size_t n, size_t head)
    {
        if (sink != __LETTERS && file == nullptr)
            state |= badbit;
        if (state != goodbit)
            return *this;
        const size_t more = room > 0 && (size_t)room > n ? (size_t)room - n : 0;
        const int side = marks & adjustfield;
        const size_t first = side == left ? n : side == internal ? head : 0;
        room = 0;
        if (sink == __LETTERS)
            __reserve(n + more);
        for (size_t i = 0; i < n + more; ++i) {
            const char c = i < first ? letters[i] : i < first + more ? filling : letters[i - more];
            if (sink == __LETTERS)
                __letter(i, c);
            else
                fprintf(file, "%c", c);
        }
        if (sink == __LETTERS)
            __advance(n + more);
        return *this;
    }
    ostream &__whole(long value, unsigned long bits)
    {
        if ((marks & (hex | oct)) != 0)
            return __natural(bits);
        char made[32];
        snprintf(made, 32, (marks & showpos) != 0 ? "%+ld" : "%ld", value);
        return __put(made, strlen(made), made[0] == '-' || made[0] == '+' ? 1 : 0);
    }
    ostream &__natural(unsigned long value)
    {
        const bool based = (marks & showbase) != 0 && value != 0;
        const char letter = (marks & oct) != 0 ? 'o' : (marks & hex) == 0 ? 'u' : (marks & uppercase) != 0 ? 'X' : 'x';
        char format[16], made[32];
        snprintf(format, 16, "%%%sl%c", based && letter != 'u' ? "#" : "", letter);
        snprintf(made, 32, format, value);
        return __put(made, strlen(made), based && (marks & hex) != 0 ? 2 : 0);
    }
};

inline ostream &endl(ostream &s) { return s.put('\n').flush(); }
inline ostream &ends(ostream &s) { return s.put('\0'); }
inline ostream &flush(ostream &s) { return s.flush(); }

inline ostream cout(__CONSOLE, stdout), cerr(__CONSOLE, stderr), clog(__CONSOLE, stderr);

class ofstream : public ostream {
public:
    ofstream() : ostream(__FILE, nullptr) {}
    explicit ofstream(const char *name, int mode = ios::out) : ostream(__FILE, nullptr) { open(name, mode); }
    explicit ofstream(const string &name, int mode = ios::out) : ostream(__FILE, nullptr) { open(name.c_str(), mode); }
    ofstream(ofstream &&other) : ostream(__FILE, nullptr) { __take(other); }
    ofstream &operator=(ofstream &&other)
    {
        if (this != &other)
            __take(other);
        return *this;
    }
    void open(const char *name, int mode = ios::out)
    {
        if (file != nullptr) {
            state |= failbit;
            return;
        }
        file = fopen(name, (mode & app) != 0 ? "a" : (mode & in) == 0 ? "w" : (mode & trunc) != 0 ? "w+" : "r+");
        state = file != nullptr ? goodbit : failbit;
    }
    void open(const string &name, int mode = ios::out) { open(name.c_str(), mode); }
    void close()
    {
        if (file == nullptr)
            state |= failbit;
        else
            fclose(file);
        file = nullptr;
    }
    bool is_open() const { return file != nullptr; }
};

class fstream : public ofstream {
public:
    fstream() {}
    explicit fstream(const char *name, int mode = ios::in | ios::out) : ofstream(name, mode) {}
    explicit fstream(const string &name, int mode = ios::in | ios::out) : ofstream(name, mode) {}
    void open(const char *name, int mode = ios::in | ios::out) { ofstream::open(name, mode); }
    void open(const string &name, int mode = ios::in | ios::out) { ofstream::open(name.c_str(), mode); }
};

template <class T> class ostream_iterator {
public:
    ostream_iterator(ostream &s, const char *between = nullptr) : to(&s), behind(between) {}
    ostream_iterator &operator=(const T &value)
    {
        *to << value;
        if (behind != nullptr)
            *to << behind;
        return *this;
    }
    ostream_iterator &operator*() { return *this; }
    ostream_iterator &operator++() { return *this; }
    ostream_iterator &operator++(int) { return *this; }

private:
    ostream *to;
    const char *behind;
};

}  // namespace std
