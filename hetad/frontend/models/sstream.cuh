// What hetad reads in place of std::ostringstream: a text that grows, which carries no derivatives.
namespace std {

struct ostringstream : ostream {
    ostringstream() : text() {}
    explicit ostringstream(const string &begin) : text(begin) { text.clear(); }
    ostringstream(const ostringstream &) = delete;
    string str() const { return text; }
    void str(const string &other) { text = other; }
    ostringstream &operator<<(const char *other)
    {
        text += other;
        return *this;
    }
    ostringstream &operator<<(const string &other)
    {
        text += other;
        return *this;
    }
    ostringstream &operator<<(char other)
    {
        text += other;
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

    template <class T> ostringstream &__put(const char *format, T value)
    {
        char digits[32];
        snprintf(digits, 32, format, value);
        text += digits;
        return *this;
    }
};
typedef ostringstream stringstream;

}  // namespace std
