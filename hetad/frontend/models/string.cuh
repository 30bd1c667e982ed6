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
    template <class I, class = __iterator_only<I>> string(I from, I to) : text(nullptr), count(0)
    {
        __hold("", 0);
        for (; from != to; ++from)
            push_back(*from);
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
    string &append(size_t n, char c)
    {
        for (size_t i = 0; i < n; ++i)
            push_back(c);
        return *this;
    }
    string &append(const char *other) { return append(other, strlen(other)); }
    string &append(const string &other) { return append(other.text, other.count); }
    void push_back(char c) { append(&c, 1); }
    string &operator+=(const string &other) { return append(other.text, other.count); }
    string &operator+=(const char *other) { return append(other, strlen(other)); }
    string &operator+=(char c) { return append(&c, 1); }
    string &assign(const char *other)
    {
        __replace(other, strlen(other));
        return *this;
    }
    string &assign(const string &other) { return *this = other; }
    string &insert(size_t at, const string &other) { return replace(at, 0, other); }
    string &replace(size_t from, size_t n, const string &other)
    {
        const size_t left = count - from;
        const size_t behind = from + (n < left ? n : left);
        char *made = (char *)malloc(from + other.count + (count - behind) + 1);
        strncpy(made, text, from);
        strncpy(made + from, other.text, other.count);
        strncpy(made + from + other.count, text + behind, count - behind);
        count = from + other.count + (count - behind);
        made[count] = 0;
        free(text);
        text = made;
        return *this;
    }
    string &erase(size_t from = 0, size_t n = npos) { return replace(from, n, ""); }
    void pop_back()
    {
        --count;
        text[count] = 0;
    }
    void resize(size_t n, char c = '\0')
    {
        while (count < n)
            push_back(c);
        count = n;
        text[n] = 0;
    }
    void reserve(size_t) {}
    void swap(string &other)
    {
        std::swap(text, other.text);
        std::swap(count, other.count);
    }

    int compare(const string &other) const { return __compare(other.text, other.count); }
    int compare(const char *other) const { return __compare(other, strlen(other)); }
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
    size_t rfind(const string &part, size_t from = npos) const
    {
        if (part.count > count)
            return npos;
        size_t i = from < count - part.count ? from : count - part.count;
        while (strncmp(text + i, part.text, part.count) != 0) {
            if (i == 0)
                return npos;
            --i;
        }
        return i;
    }
    size_t rfind(char c, size_t from = npos) const { return __last(from, &c, 1, true); }
    size_t find_first_of(const string &letters, size_t from = 0) const { return __first(from, letters.text, letters.count, true); }
    size_t find_first_of(char c, size_t from = 0) const { return __first(from, &c, 1, true); }
    size_t find_first_not_of(const string &letters, size_t from = 0) const { return __first(from, letters.text, letters.count, false); }
    size_t find_first_not_of(char c, size_t from = 0) const { return __first(from, &c, 1, false); }
    size_t find_last_of(const string &letters, size_t from = npos) const { return __last(from, letters.text, letters.count, true); }
    size_t find_last_of(char c, size_t from = npos) const { return __last(from, &c, 1, true); }
    size_t find_last_not_of(const string &letters, size_t from = npos) const { return __last(from, letters.text, letters.count, false); }
    size_t find_last_not_of(char c, size_t from = npos) const { return __last(from, &c, 1, false); }
    string substr(size_t from = 0, size_t n = npos) const
    {
        const size_t left = count - from;
        return string(text + from, n < left ? n : left);
    }

private:
    char *text;
    size_t count;

    int __compare(const char *other, size_t n) const
    {
        const int order = strncmp(text, other, count < n ? count : n);
        return order != 0 ? order : (int)(count - n);
    }
    static bool __among(char c, const char *letters, size_t n)
    {
        for (size_t i = 0; i < n; ++i)
            if (letters[i] == c)
                return true;
        return false;
    }
    // The first, or the last place from `from` on whose letter is among some, or is not.
    size_t __first(size_t from, const char *letters, size_t n, bool is_among) const
    {
        for (size_t i = from; i < count; ++i)
            if (__among(text[i], letters, n) == is_among)
                return i;
        return npos;
    }
    size_t __last(size_t from, const char *letters, size_t n, bool is_among) const
    {
        for (size_t i = from < count ? from + 1 : count; i > 0; --i)
            if (__among(text[i - 1], letters, n) == is_among)
                return i - 1;
        return npos;
    }
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
inline string operator+(char a, const string &b)
{
    string sum(1, a);
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

inline bool operator!=(const char *a, const string &b) { return strcmp(a, b.c_str()) != 0; }
inline bool operator>(const string &a, const string &b) { return b < a; }
inline bool operator<=(const string &a, const string &b) { return !(b < a); }
inline bool operator>=(const string &a, const string &b) { return !(a < b); }
inline void swap(string &a, string &b) { a.swap(b); }

inline int stoi(const string &s) { return (int)strtol(s.c_str(), nullptr, 10); }
inline long stol(const string &s) { return strtol(s.c_str(), nullptr, 10); }
inline unsigned long stoul(const string &s) { return strtoul(s.c_str(), nullptr, 10); }
inline long long stoll(const string &s) { return strtol(s.c_str(), nullptr, 10); }
inline unsigned long long stoull(const string &s) { return strtoul(s.c_str(), nullptr, 10); }
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
inline string to_string(long long value) { return to_string((long)value); }
inline string to_string(unsigned long long value) { return to_string((unsigned long)value); }
inline string to_string(double value)
{
    char digits[400];
    snprintf(digits, 400, "%f", value);
    return string(digits);
}

inline string to_string(float value) { return to_string((double)value); }

}  // namespace std
