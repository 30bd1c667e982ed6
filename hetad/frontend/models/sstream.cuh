// What hetad reads in place of std::ostringstream and std::istringstream: a text, written and read from its start, which
// carries no derivatives.
namespace std {

inline __setprecision setprecision(int n) { return __setprecision{n}; }
inline __setw setw(int n) { return __setw{n}; }
inline __setfill setfill(char c) { return __setfill{c}; }

struct stringstream : ostream {
    stringstream() : text(), at(0), next(0), digits(6), room(0), filling(' '), letter('g'), base(10), flags(0), works(true) {}
    explicit stringstream(const string &begin, int mode = 0)
        : text(begin), at((mode & (ios::ate | ios::app)) != 0 ? begin.size() : 0), next(0), digits(6), room(0), filling(' '),
          letter('g'), base(10), flags(0), works(true)
    {
    }
    stringstream(const stringstream &) = delete;
    string str() const { return text; }
    void str(const string &other)
    {
        text = other;
        at = 0;
        next = 0;
    }
    void clear() { works = true; }
    bool good() const { return works && next < text.size(); }
    bool fail() const { return !works; }
    bool eof() const { return next >= text.size(); }
    explicit operator bool() const { return works; }
    bool operator!() const { return !works; }

    int precision() const { return digits; }
    int precision(int n)
    {
        const int before = digits;
        digits = n;
        return before;
    }
    int width() const { return room; }
    int width(int n)
    {
        const int before = room;
        room = n;
        return before;
    }
    char fill() const { return filling; }
    char fill(char c)
    {
        const char before = filling;
        filling = c;
        return before;
    }
    void setf(int set, int = 0)
    {
        if ((set & ios::fixed) != 0)
            letter = 'f';
        if ((set & ios::scientific) != 0)
            letter = 'e';
        if ((set & ios::left) != 0)
            flags |= LEFT;
        if ((set & ios::right) != 0)
            flags &= ~LEFT;
    }
    stringstream &operator<<(__setprecision p)
    {
        digits = p.n;
        return *this;
    }
    stringstream &operator<<(__setw w)
    {
        room = w.n;
        return *this;
    }
    stringstream &operator<<(__setfill f)
    {
        filling = f.c;
        return *this;
    }
    stringstream &operator<<(__endl (*)(__endl)) { return __letter('\n'); }
    stringstream &operator<<(__ends (*)(__ends)) { return __letter('\0'); }
    stringstream &operator<<(__flush (*)(__flush)) { return *this; }
    stringstream &operator<<(__fixed (*)(__fixed)) { return __letters('f'); }
    stringstream &operator<<(__scientific (*)(__scientific)) { return __letters('e'); }
    stringstream &operator<<(__defaultfloat (*)(__defaultfloat)) { return __letters('g'); }
    stringstream &operator<<(__dec (*)(__dec)) { return __to(10); }
    stringstream &operator<<(__hex (*)(__hex)) { return __to(16); }
    stringstream &operator<<(__oct (*)(__oct)) { return __to(8); }
    stringstream &operator<<(__left (*)(__left)) { return __flag(LEFT, true); }
    stringstream &operator<<(__right (*)(__right)) { return __flag(LEFT, false); }
    stringstream &operator<<(__boolalpha (*)(__boolalpha)) { return __flag(WORDS, true); }
    stringstream &operator<<(__noboolalpha (*)(__noboolalpha)) { return __flag(WORDS, false); }
    stringstream &operator<<(__showpoint (*)(__showpoint)) { return __flag(POINT, true); }
    stringstream &operator<<(__noshowpoint (*)(__noshowpoint)) { return __flag(POINT, false); }
    stringstream &operator<<(__showpos (*)(__showpos)) { return __flag(SIGN, true); }
    stringstream &operator<<(__noshowpos (*)(__noshowpos)) { return __flag(SIGN, false); }
    stringstream &operator<<(__uppercase (*)(__uppercase)) { return __flag(CAPITALS, true); }
    stringstream &operator<<(__nouppercase (*)(__nouppercase)) { return __flag(CAPITALS, false); }

    stringstream &operator<<(const char *other)
    {
        __append(other, strlen(other));
        return *this;
    }
    stringstream &operator<<(const string &other)
    {
        __append(other.c_str(), other.size());
        return *this;
    }
    stringstream &operator<<(string_view other)
    {
        __append(other.data(), other.size());
        return *this;
    }
    stringstream &operator<<(char other)
    {
        __append(&other, 1);
        return *this;
    }
    stringstream &operator<<(bool value)
    {
        if ((flags & WORDS) != 0)
            return *this << (value ? "true" : "false");
        return __integer((long)value);
    }
    stringstream &operator<<(int value) { return base == 10 ? __integer((long)value) : __natural((unsigned)value); }
    stringstream &operator<<(unsigned value) { return __natural((unsigned long)value); }
    stringstream &operator<<(long value) { return base == 10 ? __integer(value) : __natural((unsigned long)value); }
    stringstream &operator<<(unsigned long value) { return __natural(value); }
    stringstream &operator<<(long long value) { return *this << (long)value; }
    stringstream &operator<<(unsigned long long value) { return __natural((unsigned long)value); }
    stringstream &operator<<(float value) { return *this << (double)value; }
    stringstream &operator<<(double value)
    {
        char format[8], made[512];
        int n = __start(format);
        if ((flags & POINT) != 0) {
            format[n] = '#';
            ++n;
        }
        format[n] = '.';
        format[n + 1] = '*';
        format[n + 2] = (flags & CAPITALS) != 0 ? (char)(letter + ('A' - 'a')) : letter;
        format[n + 3] = '\0';
        snprintf(made, 512, format, letter == 'g' && digits == 0 ? 1 : digits, value);
        return *this << (const char *)made;
    }

    stringstream &operator>>(string &word)
    {
        __skip();
        size_t end = next;
        while (end < text.size() && !__is_space(text[end]))
            ++end;
        works = works && end > next;
        if (works)
            word = text.substr(next, end - next);
        next = end;
        return *this;
    }
    stringstream &operator>>(char &letter_)
    {
        __skip();
        works = works && next < text.size();
        if (works) {
            letter_ = text[next];
            ++next;
        }
        return *this;
    }
    stringstream &operator>>(int &value)
    {
        __skip();
        char *end = nullptr;
        const long found = strtol(text.c_str() + next, &end, 10);
        if (__moved(end))
            value = (int)found;
        return *this;
    }
    stringstream &operator>>(long &value)
    {
        __skip();
        char *end = nullptr;
        const long found = strtol(text.c_str() + next, &end, 10);
        if (__moved(end))
            value = found;
        return *this;
    }
    stringstream &operator>>(unsigned &value)
    {
        __skip();
        char *end = nullptr;
        const unsigned long found = strtoul(text.c_str() + next, &end, 10);
        if (__moved(end))
            value = (unsigned)found;
        return *this;
    }
    stringstream &operator>>(unsigned long &value)
    {
        __skip();
        char *end = nullptr;
        const unsigned long found = strtoul(text.c_str() + next, &end, 10);
        if (__moved(end))
            value = found;
        return *this;
    }
    stringstream &operator>>(float &value)
    {
        __skip();
        char *end = nullptr;
        const float found = strtof(text.c_str() + next, &end);
        if (__moved(end))
            value = found;
        return *this;
    }
    stringstream &operator>>(double &value)
    {
        __skip();
        char *end = nullptr;
        const double found = strtod(text.c_str() + next, &end);
        if (__moved(end))
            value = found;
        return *this;
    }
    void __line(string &line, char until)
    {
        works = works && next < text.size();
        if (!works)
            return;
        const size_t end = text.find(until, next);
        line = text.substr(next, end == string::npos ? end : end - next);
        next = end == string::npos ? text.size() : end + 1;
    }

private:
    static constexpr int LEFT = 1, WORDS = 2, POINT = 4, SIGN = 8, CAPITALS = 16;
    string text;
    size_t at, next;  // where it is written, and read
    int digits, room;
    char filling, letter;
    int base, flags;
    bool works;

    stringstream &__letters(char c)
    {
        letter = c;
        return *this;
    }
    stringstream &__to(int b)
    {
        base = b;
        return *this;
    }
    stringstream &__flag(int flag, bool on)
    {
        flags = on ? flags | flag : flags & ~flag;
        return *this;
    }
    stringstream &__letter(char c)
    {
        __put(c);
        return *this;
    }
    int __start(char *format) const
    {
        format[0] = '%';
        format[1] = '+';
        return (flags & SIGN) != 0 ? 2 : 1;
    }
    stringstream &__integer(long value)
    {
        char format[8], made[32];
        const int n = __start(format);
        format[n] = 'l';
        format[n + 1] = 'd';
        format[n + 2] = '\0';
        snprintf(made, 32, format, value);
        return *this << (const char *)made;
    }
    stringstream &__natural(unsigned long value)
    {
        char made[32];
        const bool capitals = (flags & CAPITALS) != 0;
        snprintf(made, 32, base == 10 ? "%lu" : base == 8 ? "%lo" : capitals ? "%lX" : "%lx", value);
        return *this << (const char *)made;
    }
    void __put(char c)
    {
        if (at < text.size())
            text[at] = c;
        else
            text += c;
        ++at;
    }
    void __append(const char *other, size_t n)
    {
        const size_t more = (size_t)room > n ? room - n : 0;
        room = 0;
        if ((flags & LEFT) == 0)
            __pad(more);
        for (size_t i = 0; i < n; ++i)
            __put(other[i]);
        if ((flags & LEFT) != 0)
            __pad(more);
    }
    void __pad(size_t n)
    {
        for (size_t i = 0; i < n; ++i)
            __put(filling);
    }
    static bool __is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
    void __skip()
    {
        while (next < text.size() && __is_space(text[next]))
            ++next;
    }
    bool __moved(const char *end)
    {
        const size_t to = end - text.c_str();
        works = works && to > next;
        if (works)
            next = to;
        return works;
    }
};
typedef stringstream ostringstream;
typedef stringstream istringstream;

inline stringstream &getline(stringstream &from, string &line, char until = '\n')
{
    from.__line(line, until);
    return from;
}

}  // namespace std
