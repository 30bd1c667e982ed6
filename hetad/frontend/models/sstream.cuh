// What hetad reads in place of std::ostringstream and std::istringstream: a text, written and read from its start, which
// carries no derivatives.
namespace std {

class stringstream : public ostream {
public:
    stringstream() : ostream(__LETTERS, nullptr), next(0) {}
    explicit stringstream(int) : ostream(__LETTERS, nullptr), next(0) {}
    explicit stringstream(const string &begin, int mode = 0) : ostream(__LETTERS, nullptr), next(0)
    {
        write(begin.c_str(), (streamsize)begin.size());
        if ((mode & (ate | app)) == 0)
            at = 0;
    }
    stringstream(stringstream &&other) : ostream(__LETTERS, nullptr), next(other.next) { __take(other); }
    stringstream &operator=(stringstream &&other)
    {
        if (this != &other) {
            __take(other);
            next = other.next;
        }
        return *this;
    }
    string str() const
    {
        if (count == 0)
            return string();
        return string(text, count);
    }
    void str(const string &other)
    {
        at = 0;
        count = 0;
        next = 0;
        __reserve(other.size());
        for (size_t i = 0; i < other.size(); ++i)
            __letter(i, other[i]);
        __advance(other.size());
        at = 0;
    }

    stringstream &operator>>(string &word)
    {
        if (!__skip())
            return *this;
        size_t last = next;
        while (last < count && !__is_space(text[last]))
            ++last;
        word = string(text + next, last - next);
        __to(last);
        return *this;
    }
    stringstream &operator>>(char &letter)
    {
        if (__skip()) {
            letter = text[next];
            ++next;
        }
        return *this;
    }
    stringstream &operator>>(int &value)
    {
        long found = value;
        *this >> found;
        value = (int)found;
        return *this;
    }
    stringstream &operator>>(long &value)
    {
        char *behind = nullptr;
        if (__skip()) {
            value = strtol(text + next, &behind, 10);
            __moved(behind);
        }
        return *this;
    }
    stringstream &operator>>(unsigned &value)
    {
        unsigned long found = value;
        *this >> found;
        value = (unsigned)found;
        return *this;
    }
    stringstream &operator>>(unsigned long &value)
    {
        char *behind = nullptr;
        if (__skip()) {
            value = strtoul(text + next, &behind, 10);
            __moved(behind);
        }
        return *this;
    }
    stringstream &operator>>(float &value)
    {
        char *behind = nullptr;
        if (__skip()) {
            value = strtof(text + next, &behind);
            __moved(behind);
        }
        return *this;
    }
    stringstream &operator>>(double &value)
    {
        char *behind = nullptr;
        if (__skip()) {
            value = strtod(text + next, &behind);
            __moved(behind);
        }
        return *this;
    }
    void __line(string &line, char until)
    {
        if (state != goodbit || next >= count) {
            state |= state != goodbit ? failbit : failbit | eofbit;
            return;
        }
        size_t last = next;
        while (last < count && text[last] != until)
            ++last;
        line = string(text + next, last - next);
        __to(last);
        if (last < count)
            ++next;
    }

private:
    size_t next;  // where it is read

    static bool __is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
    // Goes to what is read next; whether there is anything.
    bool __skip()
    {
        if (state == goodbit) {
            while (next < count && __is_space(text[next]))
                ++next;
            if (next >= count)
                state |= eofbit;
        }
        if (state != goodbit)
            state |= failbit;
        return state == goodbit;
    }
    void __to(size_t place)
    {
        next = place;
        if (next >= count)
            state |= eofbit;
    }
    void __moved(const char *behind)
    {
        const size_t to = behind - text;
        if (to == next)
            state |= failbit;
        else
            __to(to);
    }
};
typedef stringstream ostringstream;
typedef stringstream istringstream;

template <class T> stringstream &&operator<<(stringstream &&s, const T &value)
{
    s << value;
    return move(s);
}

inline stringstream &getline(stringstream &from, string &line, char until = '\n')
{
    from.__line(line, until);
    return from;
}

}  // namespace std
