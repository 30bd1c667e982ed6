// What hetad reads in place of <string>: texts in memory of their own, which carry no derivatives.
namespace std {

// Letters that another one owns.
class string_view {
public:
    typedef const char *const_iterator;
    static constexpr size_t npos = (size_t)-1;

    string_view() : text(nullptr), count(0) {}
    string_view(const char *other) : text(other), count(strlen(other)) {}
    string_view(const char *other, size_t n) : text(other), count(n) {}
    const char *data() const { return text; }
    size_t size() const { return count; }
    size_t length() const { return count; }
    bool empty() const { return count == 0; }
    const char &operator[](size_t i) const { return text[i]; }
    const char &front() const { return text[0]; }
    const char &back() const { return text[count - 1]; }
    const char *begin() const { return text; }
    const char *end() const { return text + count; }
    void remove_prefix(size_t n)
    {
        text += n;
        count -= n;
    }
    void remove_suffix(size_t n) { count -= n; }
    string_view substr(size_t from = 0, size_t n = npos) const
    {
        const size_t left = count - from;
        return string_view(text + from, n < left ? n : left);
    }
    size_t find(char c, size_t from = 0) const
    {
        for (size_t i = from; i < count; ++i)
            if (text[i] == c)
                return i;
        return npos;
    }
    size_t find(string_view part, size_t from = 0) const
    {
        for (size_t i = from; i + part.count <= count; ++i)
            if (strncmp(text + i, part.text, part.count) == 0)
                return i;
        return npos;
    }
    int compare(string_view other) const
    {
        const size_t both = count < other.count ? count : other.count;
        const int order = both > 0 ? strncmp(text, other.text, both) : 0;
        return order != 0 ? order : (count > both) - (other.count > both);
    }

private:
    const char *text;
    size_t count;
};
inline bool operator==(string_view a, string_view b) { return a.size() == b.size() && a.compare(b) == 0; }
inline bool operator!=(string_view a, string_view b) { return !(a == b); }
inline bool operator<(string_view a, string_view b) { return a.compare(b) < 0; }

class string {
public:
    typedef char value_type;
    typedef size_t size_type;
    typedef char *iterator;
    typedef const char *const_iterator;
    static constexpr size_t npos = (size_t)-1;

    string() : text(nullptr), count(0) { __hold("", 0); }
    string(const char *other) : text(nullptr), count(0) { __hold(other, strlen(other)); }
    string(const char *other, size_t n) : text(nullptr), count(0) { __hold(other, n); }
    string(size_t n, char c) : text((char *)malloc(n + 1)), count(n)
    {
        memset(text, c, n);
        text[n] = 0;
    }
    explicit string(string_view other) : text(nullptr), count(0) { __hold(other.data(), other.size()); }
    string(const string &other) : text(nullptr), count(0) { __hold(other.text, other.count); }
    string(string &&other) : text(other.text), count(other.count)
    {
        other.text = nullptr;
        other.count = 0;
    }
    ~string() { free(text); }
    string &operator=(const string &other)
    {
        if (this != &other)
            __replace(other.text, other.count);
        return *this;
    }
    string &operator=(string &&other)
    {
        if (this != &other) {
            free(text);
            text = other.text;
            count = other.count;
            other.text = nullptr;
            other.count = 0;
        }
        return *this;
    }
    string &operator=(const char *other)
    {
        __replace(other, strlen(other));
        return *this;
    }

    operator string_view() const { return string_view(text, count); }
    const char *c_str() const { return text; }
    const char *data() const { return text; }
    size_t size() const { return count; }
    size_t length() const { return count; }
    bool empty() const { return count == 0; }
    void clear() { __replace("", 0); }
    char &operator[](size_t i) { return text[i]; }
    const char &operator[](size_t i) const { return text[i]; }
    char &at(size_t i) { return text[i]; }
    char &front() { return text[0]; }
    char &back() { return text[count - 1]; }
    char *begin() { return text; }
    char *end() { return text + count; }
    const char *begin() const { return text; }
    const char *end() const { return text + count; }

    string &append(const char *other, size_t n)
    {
        char *longer = (char *)malloc(count + n + 1);
        strncpy(longer, text, count);
        strncpy(longer + count, other, n);
        longer[count + n] = 0;
        free(text);
        text = longer;
        count += n;
        return *this;
    }
    string &append(const string &other) { return append(other.text, other.count); }
    void push_back(char c) { append(&c, 1); }
    string &operator+=(const string &other) { return append(other.text, other.count); }
    string &operator+=(const char *other) { return append(other, strlen(other)); }
    string &operator+=(char c) { return append(&c, 1); }

    int compare(const string &other) const { return strcmp(text, other.text); }
    int compare(const char *other) const { return strcmp(text, other); }
    size_t find(const char *part, size_t from = 0) const
    {
        const size_t n = strlen(part);
        for (size_t i = from; i + n <= count; ++i)
            if (strncmp(text + i, part, n) == 0)
                return i;
        return npos;
    }
    size_t find(const string &part, size_t from = 0) const { return find(part.text, from); }
    size_t find(char c, size_t from = 0) const
    {
        for (size_t i = from; i < count; ++i)
            if (text[i] == c)
                return i;
        return npos;
    }
    string substr(size_t from = 0, size_t n = npos) const
    {
        const size_t left = count - from;
        return string(text + from, n < left ? n : left);
    }

private:
    char *text;
    size_t count;

    void __hold(const char *other, size_t n)
    {
        text = (char *)malloc(n + 1);
        strncpy(text, other, n);
        text[n] = 0;
        count = n;
    }
    void __replace(const char *other, size_t n)
    {
        char *before = text;
        __hold(other, n);
        free(before);
    }
};

inline string operator+(const string &a, const string &b)
{
    string sum(a);
    sum += b;
    return sum;
}
inline string operator+(const string &a, const char *b)
{
    string sum(a);
    sum += b;
    return sum;
}
inline string operator+(const char *a, const string &b)
{
    string sum(a);
    sum += b;
    return sum;
}
inline string operator+(const string &a, char b)
{
    string sum(a);
    sum += b;
    return sum;
}
inline bool operator==(const string &a, const string &b) { return strcmp(a.c_str(), b.c_str()) == 0; }
inline bool operator==(const string &a, const char *b) { return strcmp(a.c_str(), b) == 0; }
inline bool operator==(const char *a, const string &b) { return strcmp(a, b.c_str()) == 0; }
inline bool operator!=(const string &a, const string &b) { return strcmp(a.c_str(), b.c_str()) != 0; }
inline bool operator!=(const string &a, const char *b) { return strcmp(a.c_str(), b) != 0; }
inline bool operator<(const string &a, const string &b) { return strcmp(a.c_str(), b.c_str()) < 0; }

inline int stoi(const string &s) { return (int)strtol(s.c_str(), nullptr, 10); }
inline long stol(const string &s) { return strtol(s.c_str(), nullptr, 10); }
inline unsigned long stoul(const string &s) { return strtoul(s.c_str(), nullptr, 10); }
inline float stof(const string &s) { return strtof(s.c_str(), nullptr); }
inline double stod(const string &s) { return strtod(s.c_str(), nullptr); }
inline string to_string(int value)
{
    char digits[32];
    snprintf(digits, 32, "%d", value);
    return string(digits);
}
inline string to_string(long value)
{
    char digits[32];
    snprintf(digits, 32, "%ld", value);
    return string(digits);
}
inline string to_string(unsigned value)
{
    char digits[32];
    snprintf(digits, 32, "%u", value);
    return string(digits);
}
inline string to_string(unsigned long value)
{
    char digits[32];
    snprintf(digits, 32, "%lu", value);
    return string(digits);
}
inline string to_string(double value)
{
    char digits[400];
    snprintf(digits, 400, "%f", value);
    return string(digits);
}

}  // namespace std
