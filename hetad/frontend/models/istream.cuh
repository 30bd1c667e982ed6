// What hetad reads in place of std::ifstream: numbers and words of a file.  What is read is a constant.
namespace std {

class ifstream {
public:
    static constexpr int in = 8, binary = 4;

    ifstream() : file(nullptr), works(false) {}
    explicit ifstream(const char *name, int = 8) : file(nullptr), works(false) { open(name); }
    template <class S, class = decltype(((S *)0)->c_str())> explicit ifstream(const S &name, int = 8)
        : file(nullptr), works(false)
    {
        open(name.c_str());
    }
    ~ifstream() { close(); }
    ifstream(const ifstream &) = delete;
    ifstream &operator=(const ifstream &) = delete;
    void open(const char *name, int = 8)
    {
        file = fopen(name, "r");
        works = file != nullptr;
    }
    void close()
    {
        if (file != nullptr)
            fclose(file);
        file = nullptr;
    }
    bool is_open() const { return file != nullptr; }
    bool good() const { return works; }
    bool fail() const { return !works; }
    bool eof() const { return file == nullptr || feof(file) != 0; }
    explicit operator bool() const { return works; }
    bool operator!() const { return !works; }

    ifstream &operator>>(int &value)
    {
        works = works && fscanf(file, "%d", &value) == 1;
        return *this;
    }
    ifstream &operator>>(unsigned &value)
    {
        works = works && fscanf(file, "%u", &value) == 1;
        return *this;
    }
    ifstream &operator>>(long &value)
    {
        works = works && fscanf(file, "%ld", &value) == 1;
        return *this;
    }
    ifstream &operator>>(unsigned long &value)
    {
        works = works && fscanf(file, "%lu", &value) == 1;
        return *this;
    }
    ifstream &operator>>(float &value)
    {
        works = works && fscanf(file, "%f", &value) == 1;
        return *this;
    }
    ifstream &operator>>(double &value)
    {
        works = works && fscanf(file, "%lf", &value) == 1;
        return *this;
    }

private:
    FILE *file;
    bool works;
};

}  // namespace std
