// What hetad reads in place of std::ostringstream: a text, written from its start, which carries no derivatives.
namespace std {

struct ostringstream : ostream {
    ostringstream() : text(), at(0) {}
    explicit ostringstream(const string &begin) : text(begin), at(0) {}
    ostringstream(const ostringstream &) = delete;
    string str() const { return text; }
    void str(const string &other)
    {
        text = other;
        at = 0;
    }
    ostringstream &operator<<(const char *other)
    {
        __append(other);
        return *this;
    }
    ostringstream &operator<<(const string &other)
    {
        __append(other.c_str());
        return *this;
    }
    ostringstream &operator<<(char other)
    {
        __put(other);
        return *this;
    }
    ostringstream &operator<<(bool value) { return __put("%d", (int)value); }
    ostringstream &operator<<(int value) { return __put("%d", value); }
    ostringstream &operator<<(unsigned value) { return __put("%u", value); }
    ostringstream &operator<<(long value) { return __put("%ld", value); }
    ostringstream &operator<<(unsigned long value) { return __put("%lu", value); }
    ostringstream &operator<<(float value) { return __put("%g", (double)value); }
    ostringstream &operator<<(double value) { return __put("%g", value); }

private:
    string text;
    size_t at;

    void __put(char c)
    {
        if (at < text.size())
            text[at] = c;
        else
            text += c;
        ++at;
    }
    void __append(const char *other)
    {
        for (; *other != 0; ++other)
            __put(*other);
    }

    template <class T> ostringstream &__put(const char *format, T value)
    {
        char digits[32];
        snprintf(digits, 32, format, value);
        __append(digits);
        return *this;
    }
};
typedef ostringstream stringstream;

}  // namespace std
