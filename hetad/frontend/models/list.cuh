// What hetad reads in place of <list>: elements that stay where they are, and numbers that say which is next.
namespace std {

// A list's elements, in slots; slot 0 is behind the last and before the first one.
template <class T> struct __chain {
    T **slots;
    int *next, *previous;
    int used, room, gone;
    size_t count;

    __chain() : slots(nullptr), next(nullptr), previous(nullptr), used(1), room(8), gone(0), count(0)
    {
        slots = (T **)malloc(room * sizeof(T *));
        next = (int *)malloc(room * sizeof(int));
        previous = (int *)malloc(room * sizeof(int));
        next[0] = 0;
        previous[0] = 0;
    }
    ~__chain()
    {
        free(slots);
        free(next);
        free(previous);
    }
    // A slot before `at`.
    template <class... Given> int insert(int at, Given &&...given) { return take(at, new T(forward<Given>(given)...)); }
    int take(int at, T *made)
    {
        int slot = gone;
        if (slot != 0) {
            gone = next[slot];
        } else {
            if (used == room)
                __grow();
            slot = used;
            ++used;
        }
        slots[slot] = made;
        __join(previous[at], slot);
        __join(slot, at);
        ++count;
        return slot;
    }
    int erase(int at)
    {
        int behind = next[at];
        __join(previous[at], behind);
        delete slots[at];
        next[at] = gone;
        gone = at;
        --count;
        return behind;
    }

private:
    __chain(const __chain &);
    void __join(int a, int b)
    {
        next[a] = b;
        previous[b] = a;
    }
    void __grow()
    {
        int wider = 2 * room;
        T **more_slots = (T **)malloc(wider * sizeof(T *));
        int *more_next = (int *)malloc(wider * sizeof(int)), *more_previous = (int *)malloc(wider * sizeof(int));
        for (int i = 0; i < room; ++i) {
            if (i > 0)
                more_slots[i] = slots[i];
            more_next[i] = next[i];
            more_previous[i] = previous[i];
        }
        free(slots);
        free(next);
        free(previous);
        slots = more_slots;
        next = more_next;
        previous = more_previous;
        room = wider;
    }
};

template <class T> struct __list_iterator {
    typedef T value_type;
    __chain<T> *of;
    int at;
    __list_iterator(__chain<T> *c, int i) : of(c), at(i) {}
    T &operator*() const { return *of->slots[at]; }
    T *operator->() const { return of->slots[at]; }
    __list_iterator &operator++()
    {
        at = of->next[at];
        return *this;
    }
    __list_iterator operator++(int)
    {
        __list_iterator before = *this;
        at = of->next[at];
        return before;
    }
    __list_iterator &operator--()
    {
        at = of->previous[at];
        return *this;
    }
    bool operator==(const __list_iterator &o) const { return at == o.at; }
    bool operator!=(const __list_iterator &o) const { return at != o.at; }
};

template <class T, class A = void> class list {
public:
    typedef T value_type;
    typedef __list_iterator<T> iterator;
    typedef __list_iterator<T> const_iterator;

    list() : of(new __chain<T>()) {}
    explicit list(size_t n) : of(new __chain<T>())
    {
        for (size_t i = 0; i < n; ++i)
            push_back(T());
    }
    list(size_t n, const T &value) : of(new __chain<T>())
    {
        for (size_t i = 0; i < n; ++i)
            push_back(value);
    }
    list(initializer_list<T> given) : of(new __chain<T>())
    {
        for (size_t i = 0; i < given.size(); ++i)
            push_back(given.begin()[i]);
    }
    template <class I, class = __iterator_only<I>> list(I from, I to) : of(new __chain<T>())
    {
        for (; from != to; ++from)
            push_back(*from);
    }
    list(const list &o) : of(new __chain<T>()) { __append(o); }
    list(list &&o) : of(o.of) { o.of = new __chain<T>(); }
    ~list()
    {
        clear();
        delete of;
    }
    list &operator=(const list &o)
    {
        if (this != &o) {
            clear();
            __append(o);
        }
        return *this;
    }
    list &operator=(list &&o)
    {
        swap(o);
        return *this;
    }
    iterator begin() const { return iterator(of, of->next[0]); }
    iterator end() const { return iterator(of, 0); }
    T &front() { return *of->slots[of->next[0]]; }
    const T &front() const { return *of->slots[of->next[0]]; }
    T &back() { return *of->slots[of->previous[0]]; }
    const T &back() const { return *of->slots[of->previous[0]]; }
    size_t size() const { return of->count; }
    bool empty() const { return of->count == 0; }
    void push_back(const T &value) { of->insert(0, value); }
    void push_back(T &&value) { of->insert(0, move(value)); }
    void push_front(const T &value) { of->insert(of->next[0], value); }
    void push_front(T &&value) { of->insert(of->next[0], move(value)); }
    template <class... Given> T &emplace_back(Given &&...given)
    {
        of->insert(0, forward<Given>(given)...);
        return back();
    }
    template <class... Given> T &emplace_front(Given &&...given)
    {
        of->insert(of->next[0], forward<Given>(given)...);
        return front();
    }
    void pop_back() { of->erase(of->previous[0]); }
    void pop_front() { of->erase(of->next[0]); }
    iterator insert(iterator at, const T &value) { return iterator(of, of->insert(at.at, value)); }
    iterator insert(iterator at, T &&value) { return iterator(of, of->insert(at.at, move(value))); }
    iterator erase(iterator at) { return iterator(of, of->erase(at.at)); }
    template <class F> void remove_if(F f)
    {
        for (int i = of->next[0]; i != 0;) {
            if (f(*of->slots[i]))
                i = of->erase(i);
            else
                i = of->next[i];
        }
    }
    void clear()
    {
        while (of->count > 0)
            pop_front();
    }
    void swap(list &o)
    {
        __chain<T> *held = of;
        of = o.of;
        o.of = held;
    }

private:
    __chain<T> *of;

    void __append(const list &o)
    {
        for (int i = o.of->next[0]; i != 0; i = o.of->next[i])
            push_back(*o.of->slots[i]);
    }
};

}  // namespace std
