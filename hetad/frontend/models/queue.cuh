// What hetad reads in place of <deque>, <queue> and <stack>: elements that stay where they are, and a table of their
// addresses with room on both sides.
namespace std {

template <class T> struct __deque_iterator {
    typedef T value_type;
    T **at;
    __deque_iterator() : at(nullptr) {}
    explicit __deque_iterator(T **place) : at(place) {}
    T &operator*() const { return **at; }
    T *operator->() const { return *at; }
    T &operator[](long i) const { return *at[i]; }
    __deque_iterator &operator++()
    {
        ++at;
        return *this;
    }
    __deque_iterator operator++(int)
    {
        __deque_iterator before = *this;
        ++at;
        return before;
    }
    __deque_iterator &operator--()
    {
        --at;
        return *this;
    }
    __deque_iterator operator+(long n) const { return __deque_iterator(at + n); }
    __deque_iterator operator-(long n) const { return __deque_iterator(at - n); }
    __deque_iterator &operator+=(long n)
    {
        at += n;
        return *this;
    }
    long operator-(const __deque_iterator &o) const { return at - o.at; }
    bool operator==(const __deque_iterator &o) const { return at == o.at; }
    bool operator!=(const __deque_iterator &o) const { return at != o.at; }
    bool operator<(const __deque_iterator &o) const { return at < o.at; }
};

template <class T, class A = void> class deque {
public:
    typedef T value_type;
    typedef size_t size_type;
    typedef __deque_iterator<T> iterator;
    typedef T &reference;
    typedef const T &const_reference;
    typedef __deque_iterator<T> const_iterator;

    deque() : held(nullptr), start(0), count(0), room(0) {}
    explicit deque(size_t n) : held(nullptr), start(0), count(0), room(0) { resize(n); }
    deque(size_t n, const T &value) : held(nullptr), start(0), count(0), room(0) { resize(n, value); }
    deque(initializer_list<T> list) : held(nullptr), start(0), count(0), room(0)
    {
        for (size_t i = 0; i < list.size(); ++i)
            push_back(list.begin()[i]);
    }
    template <class I, class = __iterator_only<I>> deque(I from, I to) : held(nullptr), start(0), count(0), room(0)
    {
        for (; from != to; ++from)
            push_back(*from);
    }
    deque(const deque &other) : held(nullptr), start(0), count(0), room(0) { __append(other); }
    deque(deque &&other) : held(other.held), start(other.start), count(other.count), room(other.room)
    {
        other.held = nullptr;
        other.start = 0;
        other.count = 0;
        other.room = 0;
    }
    ~deque()
    {
        clear();
        free(held);
    }
    deque &operator=(const deque &other)
    {
        if (this != &other) {
            clear();
            __append(other);
        }
        return *this;
    }
    deque &operator=(deque &&other)
    {
        swap(other);
        return *this;
    }
    void swap(deque &other)
    {
        std::swap(held, other.held);
        std::swap(start, other.start);
        std::swap(count, other.count);
        std::swap(room, other.room);
    }

    T &operator[](size_t i) { return *held[start + i]; }
    const T &operator[](size_t i) const { return *held[start + i]; }
    T &at(size_t i)
    {
        assert(i < count);
        return *held[start + i];
    }
    T &front() { return *held[start]; }
    const T &front() const { return *held[start]; }
    T &back() { return *held[start + count - 1]; }
    const T &back() const { return *held[start + count - 1]; }
    iterator begin() const { return iterator(held + start); }
    iterator end() const { return iterator(held + start + count); }
    size_t size() const { return count; }
    bool empty() const { return count == 0; }

    void clear()
    {
        for (size_t i = 0; i < count; ++i)
            __end(start + i);
        count = 0;
        start = 0;
    }
    void resize(size_t n)
    {
        while (count > n)
            pop_back();
        while (count < n)
            emplace_back();
    }
    void resize(size_t n, const T &value)
    {
        while (count > n)
            pop_back();
        while (count < n)
            push_back(value);
    }
    void push_back(const T &value) { emplace_back(value); }
    void push_back(T &&value) { emplace_back(move(value)); }
    void push_front(const T &value) { emplace_front(value); }
    void push_front(T &&value) { emplace_front(move(value)); }
    template <class... Given> T &emplace_back(Given &&...given)
    {
        if (start + count == room)
            __move_to(0);
        held[start + count] = new T(forward<Given>(given)...);
        ++count;
        return back();
    }
    template <class... Given> T &emplace_front(Given &&...given)
    {
        if (start == 0)
            __move_to(count + 4);
        --start;
        held[start] = new T(forward<Given>(given)...);
        ++count;
        return front();
    }
    void pop_back()
    {
        __end(start + count - 1);
        --count;
    }
    void pop_front()
    {
        __end(start);
        ++start;
        --count;
    }

private:
    T **held;
    size_t start, count, room;

    void __end(size_t i) { delete held[i]; }
    void __append(const deque &other)
    {
        for (size_t i = 0; i < other.count; ++i)
            push_back(other[i]);
    }
    // Into a table with so many free places before the elements, and as many behind as there are elements.
    void __move_to(size_t before)
    {
        const size_t n = before + 2 * count + 4;
        T **wider = (T **)malloc(n * sizeof(T *));
        for (size_t i = 0; i < count; ++i)
            wider[before + i] = held[start + i];
        free(held);
        held = wider;
        start = before;
        room = n;
    }
};

template <class T, class C = deque<T>> class stack {
public:
    typedef T value_type;
    stack() : held() {}
    explicit stack(const C &given) : held(given) {}
    T &top() { return held.back(); }
    const T &top() const { return held.back(); }
    size_t size() const { return held.size(); }
    bool empty() const { return held.empty(); }
    void push(const T &value) { held.push_back(value); }
    void push(T &&value) { held.push_back(move(value)); }
    template <class... Given> void emplace(Given &&...given) { held.emplace_back(forward<Given>(given)...); }
    void pop() { held.pop_back(); }
    void swap(stack &other) { held.swap(other.held); }

private:
    C held;
};

template <class T, class C = deque<T>> class queue {
public:
    typedef T value_type;
    queue() : held() {}
    explicit queue(const C &given) : held(given) {}
    T &front() { return held.front(); }
    const T &front() const { return held.front(); }
    T &back() { return held.back(); }
    const T &back() const { return held.back(); }
    size_t size() const { return held.size(); }
    bool empty() const { return held.empty(); }
    void push(const T &value) { held.push_back(value); }
    void push(T &&value) { held.push_back(move(value)); }
    template <class... Given> void emplace(Given &&...given) { held.emplace_back(forward<Given>(given)...); }
    void pop() { held.pop_front(); }
    void swap(queue &other) { held.swap(other.held); }

private:
    C held;
};

// A heap, whose first element is the largest; of equal ones, the one that libstdc++ gives.
template <class T, class C = vector<T>, class Less = less<typename C::value_type>> class priority_queue {
public:
    typedef T value_type;
    priority_queue() : held() {}
    template <class I, class = __iterator_only<I>> priority_queue(I from, I to) : held()
    {
        for (; from != to; ++from)
            push(*from);
    }
    const T &top() const { return held.front(); }
    size_t size() const { return held.size(); }
    bool empty() const { return held.empty(); }
    void push(const T &value)
    {
        held.push_back(value);
        __rise(held.size() - 1, value);
    }
    template <class... Given> void emplace(Given &&...given) { push(T(forward<Given>(given)...)); }
    void pop()
    {
        T last = held.back();
        held.pop_back();
        const size_t n = held.size();
        if (n == 0)
            return;
        size_t hole = 0;
        while (2 * hole + 1 < n) {
            size_t child = 2 * hole + 1;
            if (child + 1 < n && !Less()(held[child + 1], held[child]))
                ++child;
            held[hole] = held[child];
            hole = child;
        }
        __rise(hole, last);
    }
    void swap(priority_queue &other) { held.swap(other.held); }

private:
    C held;

    void __rise(size_t hole, const T &value)
    {
        T risen = value;
        while (hole > 0 && Less()(held[(hole - 1) / 2], risen)) {
            held[hole] = held[(hole - 1) / 2];
            hole = (hole - 1) / 2;
        }
        held[hole] = risen;
    }
};

}  // namespace std
