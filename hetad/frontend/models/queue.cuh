// What hetad reads in place of <deque>, <queue> and <stack>: elements side by side, with room on both sides.
namespace std {

template <class T, class A = void> class deque {
public:
    typedef T value_type;
    typedef size_t size_type;
    typedef T *iterator;
    typedef T &reference;
    typedef const T &const_reference;
    typedef const T *const_iterator;

    deque() : memory(nullptr), start(0), count(0), room(0) {}
    explicit deque(size_t n) : memory(nullptr), start(0), count(0), room(0) { resize(n); }
    deque(size_t n, const T &value) : memory(nullptr), start(0), count(0), room(0) { resize(n, value); }
    deque(initializer_list<T> list) : memory(nullptr), start(0), count(0), room(0)
    {
        for (size_t i = 0; i < list.size(); ++i)
            push_back(list.begin()[i]);
    }
    template <class I, class = __iterator_only<I>> deque(I from, I to) : memory(nullptr), start(0), count(0), room(0)
    {
        for (; from != to; ++from)
            push_back(*from);
    }
    deque(const deque &other) : memory(nullptr), start(0), count(0), room(0) { __append(other); }
    deque(deque &&other) : memory(other.memory), start(other.start), count(other.count), room(other.room)
    {
        other.memory = nullptr;
        other.start = 0;
        other.count = 0;
        other.room = 0;
    }
    ~deque()
    {
        __end_all();
        free(memory);
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
        std::swap(memory, other.memory);
        std::swap(start, other.start);
        std::swap(count, other.count);
        std::swap(room, other.room);
    }

    T &operator[](size_t i) { return memory[start + i]; }
    const T &operator[](size_t i) const { return memory[start + i]; }
    T &at(size_t i)
    {
        assert(i < count);
        return memory[start + i];
    }
    T &front() { return memory[start]; }
    const T &front() const { return memory[start]; }
    T &back() { return memory[start + count - 1]; }
    const T &back() const { return memory[start + count - 1]; }
    T *begin() { return memory + start; }
    const T *begin() const { return memory + start; }
    T *end() { return memory + start + count; }
    const T *end() const { return memory + start + count; }
    size_t size() const { return count; }
    bool empty() const { return count == 0; }

    void clear()
    {
        __end_all();
        count = 0;
        start = 0;
    }
    void resize(size_t n)
    {
        while (count > n)
            pop_back();
        while (count < n)
            push_back(T());
    }
    void resize(size_t n, const T &value)
    {
        while (count > n)
            pop_back();
        while (count < n)
            push_back(value);
    }
    void push_back(const T &value) { emplace_back(value); }
    void push_front(const T &value) { emplace_front(value); }
    template <class... Given> T &emplace_back(Given &&...given)
    {
        if (start + count == room) {
            T held(forward<Given>(given)...);  // which may refer to an element that moves
            __move_to(0);
            new (memory + start + count) T(move(held));
        } else {
            new (memory + start + count) T(forward<Given>(given)...);
        }
        ++count;
        return back();
    }
    template <class... Given> T &emplace_front(Given &&...given)
    {
        if (start == 0) {
            T held(forward<Given>(given)...);
            __move_to(count + 4);
            --start;
            new (memory + start) T(move(held));
        } else {
            --start;
            new (memory + start) T(forward<Given>(given)...);
        }
        ++count;
        return front();
    }
    void pop_back()
    {
        __end(count - 1);
        --count;
    }
    void pop_front()
    {
        __end(0);
        ++start;
        --count;
    }

private:
    T *memory;
    size_t start, count, room;

    void __end(size_t i)
    {
        if constexpr (!__has_trivial_destructor(T))
            memory[start + i].~T();
    }
    void __end_all()
    {
        if constexpr (!__has_trivial_destructor(T)) {
            for (size_t i = 0; i < count; ++i)
                memory[start + i].~T();
        }
    }
    void __append(const deque &other)
    {
        for (size_t i = 0; i < other.count; ++i)
            push_back(other[i]);
    }
    // Into memory with so many free places before the elements, and as many behind as there are elements.
    void __move_to(size_t before)
    {
        const size_t n = before + 2 * count + 4;
        T *wider = (T *)malloc(n * sizeof(T));
        for (size_t i = 0; i < count; ++i)
            new (wider + before + i) T(move(memory[start + i]));
        __end_all();
        free(memory);
        memory = wider;
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
