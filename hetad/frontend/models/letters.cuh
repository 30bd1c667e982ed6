// Where the streams of a program keep texts: in memory of their own.
namespace std {

struct __letters : ios_base {
    __letters(nullptr_t) : ios_base(nullptr), text(nullptr), at(0), count(0), space(0) {}
    __letters() : text(nullptr), at(0), count(0), space(0) {}

protected:
    char *text;
    size_t at, count, space;  // where it is written, how long it is, and what there is room for

    void __free()
    {
        free(text);
        text = nullptr;
    }
    void __take_letters(__letters &other)
    {
        text = other.text;
        at = other.at;
        count = other.count;
        space = other.space;
        other.text = nullptr;
        other.at = 0;
        other.count = 0;
        other.space = 0;
    }
    void __reserve(size_t n)
    {
        if (at + n < space)
            return;
        space = 2 * space + n + 32;
        char *longer = (char *)malloc(space);
        for (size_t i = 0; i < count; ++i)
            longer[i] = text[i];
        free(text);
        text = longer;
    }
    void __letter(size_t i, char c) { text[at + i] = c; }
    void __advance(size_t n)
    {
        at += n;
        count = at > count ? at : count;
        text[count] = '\0';
    }
    streamsize __place() const { return (streamsize)at; }
};

}  // namespace std
