// What hetad reads in place of std::istream and std::ifstream: numbers, words and lines of a file.  What is read is a
// constant.
namespace std {

class istream {
public:
    static constexpr int in = 8, binary = 4;

    istream(const istream &) = delete;
    istream &operator=(const istream &) = delete;
    bool good() const { return works && feof(file) == 0; }
    bool fail() const { return !works; }
    bool bad() const { return false; }
    bool eof() const { return file == nullptr || feof(file) != 0; }
    void clear() { works = true; }
    explicit operator bool() const { return works; }
    bool operator!() const { return !works; }

    istream &operator>>(int &value)
    {
        works = works && fscanf(file, "%d", &value) == 1;
        return *this;
    }
    istream &operator>>(unsigned &value)
    {
        works = works && fscanf(file, "%u", &value) == 1;
        return *this;
    }
    istream &operator>>(long &value)
    {
        works = works && fscanf(file, "%ld", &value) == 1;
        return *this;
    }
    istream &operator>>(unsigned long &value)
    {
        works = works && fscanf(file, "%lu", &value) == 1;
        return *this;
    }
    istream &operator>>(long long &value)
    {
        works = works && fscanf(file, "%lld", &value) == 1;
        return *this;
    }
    istream &operator>>(unsigned long long &value)
    {
        works = works && fscanf(file, "%llu", &value) == 1;
        return *this;
    }
    istream &operator>>(float &value)
    {
        works = works && fscanf(file, "%f", &value) == 1;
        return *this;
    }
    istream &operator>>(double &value)
    {
        works = works && fscanf(file, "%lf", &value) == 1;
        return *this;
    }
    istream &operator>>(char &letter)
    {
        const int c = __behind_space();
        if (works)
            letter = (char)c;
        return *this;
    }
    // Words: of std::string, whose model this one does without.
    template <class S, class = decltype(((S *)0)->c_str())> istream &operator>>(S &word)
    {
        int c = __behind_space();
        if (works) {
            word.clear();
            while (c >= 0 && !__is_space(c)) {
                word.push_back((char)c);
                c = fgetc(file);
            }
            if (c >= 0)
                ungetc(c, file);
        }
        return *this;
    }
    int get()
    {
        const int c = works ? fgetc(file) : -1;
        if (c < 0)
            works = false;
        return c;
    }
    istream &get(char &letter)
    {
        const int c = get();
        if (c >= 0)
            letter = (char)c;
        return *this;
    }
    int peek()
    {
        const int c = works ? fgetc(file) : -1;
        if (c >= 0)
            ungetc(c, file);
        return c;
    }
    istream &ignore(long most = 1, int until = -1)
    {
        int c = 0;
        for (long i = 0; works && i < most && c >= 0; ++i) {
            c = fgetc(file);
            if (c == until)
                break;
        }
        return *this;
    }
    template <class S> void __line(S &line, char until)
    {
        int c = works ? fgetc(file) : -1;
        if (works)
            line.clear();
        works = works && c >= 0;
        while (c >= 0 && c != until) {
            line.push_back((char)c);
            c = fgetc(file);
        }
    }

protected:
    FILE *file;
    bool works;

    istream() : file(nullptr), works(false) {}

private:
    static bool __is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
    // The next letter that is no space; a stream where there is none has failed.
    int __behind_space()
    {
        int c = works ? fgetc(file) : -1;
        while (c >= 0 && __is_space(c))
            c = fgetc(file);
        works = works && c >= 0;
        return c;
    }
};

class ifstream : public istream {
public:
    ifstream() {}
    explicit ifstream(const char *name, int = 8) { open(name); }
    template <class S, class = decltype(((S *)0)->c_str())> explicit ifstream(const S &name, int = 8) { open(name.c_str()); }
    ~ifstream() { close(); }
    void open(const char *name, int = 8)
    {
        file = fopen(name, "r");
        works = file != nullptr;
    }
    template <class S, class = decltype(((S *)0)->c_str())> void open(const S &name, int = 8) { open(name.c_str()); }
    void close()
    {
        if (file != nullptr)
            fclose(file);
        file = nullptr;
    }
    bool is_open() const { return file != nullptr; }
};

template <class S> istream &getline(istream &from, S &line, char until = '\n')
{
    from.__line(line, until);
    return from;
}

}  // namespace std
