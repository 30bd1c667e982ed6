// What hetad reads in place of <vector>: memory of the host that grows.
namespace std {

template <class T, class A = void> class vector {
public:
    typedef T value_type;
    typedef size_t size_type;
    typedef T *pointer;
    typedef T *iterator;
    typedef T &reference;
    typedef const T &const_reference;
    typedef const T *const_iterator;

    vector() : first(nullptr), count(0), room(0) {}
    explicit vector(size_t n) : first(nullptr), count(n), room(n)
    {
        if constexpr (__is_arithmetic(T)) {
            first = (T *)calloc(n, sizeof(T));
        } else {
            first = (T *)malloc(n * sizeof(T));
            for (size_t i = 0; i < n; ++i)
                new (first + i) T();
        }
    }
    vector(size_t n, const T &value) : first(nullptr), count(n), room(n)
    {
        first = (T *)malloc(n * sizeof(T));
        for (size_t i = 0; i < n; ++i)
            new (first + i) T(value);
    }
    template <class I, class = __iterator_only<I>> vector(I from, I to) : first(nullptr), count(to - from), room(to - from)
    {
        first = (T *)malloc(count * sizeof(T));
        for (size_t i = 0; i < count; ++i)
            new (first + i) T(from[i]);
    }
    vector(__list_of<T> list) : first(nullptr), count(list.size()), room(list.size())
    {
        first = (T *)malloc(count * sizeof(T));
        for (size_t i = 0; i < count; ++i)
            new (first + i) T(list.begin()[i]);
    }
    template <class F, class... G, class = __all_stored<T, F, G...>> vector(F f, G... g) : first(nullptr), count(0), room(0)
    {
        reserve(1 + sizeof...(G));
        push_back(T(f));
        if constexpr (sizeof...(G) > 0)
            (push_back(T(g)), ...);
    }
    vector(const __entry<value_type> &a) : first(nullptr), count(0), room(0)
    {
        push_back(a);
    }
    vector(const __entry<value_type> &a, const __entry<value_type> &b)
        : vector(a)
    {
        push_back(b);
    }
    vector(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c)
        : vector(a, b)
    {
        push_back(c);
    }
    vector(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c, const __entry<value_type> &d)
        : vector(a, b, c)
    {
        push_back(d);
    }
    vector(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c, const __entry<value_type> &d, const __entry<value_type> &e)
        : vector(a, b, c, d)
    {
        push_back(e);
    }
    vector(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c, const __entry<value_type> &d, const __entry<value_type> &e, const __entry<value_type> &f)
        : vector(a, b, c, d, e)
    {
        push_back(f);
    }
    vector(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c, const __entry<value_type> &d, const __entry<value_type> &e, const __entry<value_type> &f, const __entry<value_type> &g)
        : vector(a, b, c, d, e, f)
    {
        push_back(g);
    }
    vector(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c, const __entry<value_type> &d, const __entry<value_type> &e, const __entry<value_type> &f, const __entry<value_type> &g, const __entry<value_type> &h)
        : vector(a, b, c, d, e, f, g)
    {
        push_back(h);
    }
    template <class V, class = typename V::__on_device> vector(const V &v) : first(nullptr), count(v.size()), room(v.size())
    {
        first = (T *)malloc(count * sizeof(T));
        v.__download(first);
    }
    vector(const vector &other) : first(nullptr), count(other.count), room(other.count)
    {
        first = (T *)malloc(count * sizeof(T));
        for (size_t i = 0; i < count; ++i)
            new (first + i) T(other.first[i]);
    }
    vector(vector &&other) : first(other.first), count(other.count), room(other.room)
    {
        other.first = nullptr;
        other.count = 0;
        other.room = 0;
    }
    ~vector()
    {
        __end_all();
        free(first);
    }
    vector &operator=(const vector &other)
    {
        if (this != &other)
            __assign_range(other.first, other.count);
        return *this;
    }
    vector &operator=(vector &&other)
    {
        if (this != &other) {
            __end_all();
            free(first);
            first = other.first;
            count = other.count;
            room = other.room;
            other.first = nullptr;
            other.count = 0;
            other.room = 0;
        }
        return *this;
    }
    template <class V, class = typename V::__on_device> vector &operator=(const V &v)
    {
        __assign_room(v.size());
        v.__download(first);
        return *this;
    }
    vector &operator=(__list_of<T> list)
    {
        __assign_range(list.begin(), list.size());
        return *this;
    }

    T &operator[](size_t i) { return first[i]; }
    const T &operator[](size_t i) const { return first[i]; }
    T &at(size_t i)
    {
        assert(i < count);
        return first[i];
    }
    const T &at(size_t i) const
    {
        assert(i < count);
        return first[i];
    }
    T &front() { return first[0]; }
    const T &front() const { return first[0]; }
    T &back() { return first[count - 1]; }
    const T &back() const { return first[count - 1]; }
    T *data() { return first; }
    const T *data() const { return first; }
    T *begin() { return first; }
    const T *begin() const { return first; }
    T *end() { return first + count; }
    const T *end() const { return first + count; }
    const T *cbegin() const { return first; }
    const T *cend() const { return first + count; }
    reverse_iterator<T *> rbegin() { return reverse_iterator<T *>(end()); }
    reverse_iterator<T *> rend() { return reverse_iterator<T *>(begin()); }
    reverse_iterator<const T *> rbegin() const { return reverse_iterator<const T *>(end()); }
    reverse_iterator<const T *> rend() const { return reverse_iterator<const T *>(begin()); }
    size_t size() const { return count; }
    size_t capacity() const { return room; }
    bool empty() const { return count == 0; }

    void reserve(size_t n)
    {
        if (n > room)
            __grow(n);
    }
    void shrink_to_fit() {}
    void clear()
    {
        __end_all();
        count = 0;
    }
    void resize(size_t n)
    {
        if (n > room)
            __grow(n > 2 * room ? n : 2 * room);
        for (size_t i = count; i < n; ++i)
            new (first + i) T();
        __end_from(n);
        count = n;
    }
    void resize(size_t n, const T &value)
    {
        T held = value;
        if (n > room)
            __grow(n > 2 * room ? n : 2 * room);
        for (size_t i = count; i < n; ++i)
            new (first + i) T(held);
        __end_from(n);
        count = n;
    }
    void push_back(const T &value) { emplace_back(value); }
    void push_back(T &&value) { emplace_back(move(value)); }
    template <class... Given> T &emplace_back(Given &&...given)
    {
        if (count < room) {
            new (first + count) T(forward<Given>(given)...);
        } else {
            const size_t n = room == 0 ? 1 : 2 * room;
            T *wider = (T *)malloc(n * sizeof(T));
            new (wider + count) T(forward<Given>(given)...);  // which may refer to an element that moves
            __move_to(wider, n);
        }
        ++count;
        return first[count - 1];
    }
    void pop_back()
    {
        __end_from(count - 1);
        --count;
    }
    void assign(size_t n, const T &value)
    {
        T held = value;
        clear();
        reserve(n);
        for (size_t i = 0; i < n; ++i)
            new (first + i) T(held);
        count = n;
    }
    template <class I, class = __iterator_only<I>> void assign(I from, I to) { __assign_range(from, to - from); }
    void assign(initializer_list<T> list) { __assign_range(list.begin(), list.size()); }
    T *insert(const T *at, const T &value)
    {
        size_t place = at - first;
        push_back(value);
        T held = move(first[count - 1]);
        for (size_t i = count - 1; i > place; --i)
            first[i] = move(first[i - 1]);
        first[place] = move(held);
        return first + place;
    }
    T *insert(const T *at, size_t n, const T &value)
    {
        size_t place = at - first, before = count;
        T held = value;
        for (size_t i = 0; i < n; ++i)
            push_back(held);
        return __turn(place, before);
    }
    template <class I, class = __iterator_only<I>> T *insert(const T *at, I from, I to)
    {
        return __insert_range(at - first, from, to - from);
    }
    T *insert(const T *at, initializer_list<T> list) { return __insert_range(at - first, list.begin(), list.size()); }
    T *erase(const T *at) { return erase(at, at + 1); }
    T *erase(const T *from, const T *to)
    {
        size_t place = from - first, gone = to - from;
        for (size_t i = place; i + gone < count; ++i)
            first[i] = move(first[i + gone]);
        __end_from(count - gone);
        count -= gone;
        return first + place;
    }
    void swap(vector &other)
    {
        std::swap(first, other.first);
        std::swap(count, other.count);
        std::swap(room, other.room);
    }

private:
    T *first;
    size_t count, room;

    void __end_from(size_t n)
    {
        if constexpr (!__has_trivial_destructor(T)) {
            for (size_t i = n; i < count; ++i)
                first[i].~T();
        }
    }
    void __end_all() { __end_from(0); }
    void __grow(size_t n) { __move_to((T *)malloc(n * sizeof(T)), n); }
    void __move_to(T *wider, size_t n)
    {
        for (size_t i = 0; i < count; ++i)
            new (wider + i) T(move(first[i]));
        __end_all();
        free(first);
        first = wider;
        room = n;
    }
    void __assign_room(size_t n)
    {
        __end_all();
        if (n > room) {
            free(first);
            first = (T *)malloc(n * sizeof(T));
            room = n;
        }
        count = n;
    }
    template <class I> T *__insert_range(size_t place, I from, size_t n)
    {
        size_t before = count;
        for (size_t i = 0; i < n; ++i)
            push_back(from[i]);
        return __turn(place, before);
    }
    T *__turn(size_t place, size_t before) // elements from `before` on come to `place`
    {
        if (place < before) {
            __reverse(place, before);
            __reverse(before, count);
            __reverse(place, count);
        }
        return first + place;
    }
    void __reverse(size_t i, size_t end)
    {
        for (; i + 1 < end; ++i) {
            --end;
            T held = move(first[i]);
            first[i] = move(first[end]);
            first[end] = move(held);
        }
    }
    template <class I> void __assign_range(I from, size_t n)
    {
        __assign_room(n);
        for (size_t i = 0; i < n; ++i)
            new (first + i) T(from[i]);
    }
};
template <class T> vector(initializer_list<T>) -> vector<T>;

template <class T> void swap(vector<T> &a, vector<T> &b) { a.swap(b); }

}  // namespace std
