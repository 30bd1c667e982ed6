// What hetad reads in place of <unordered_map> and <unordered_set>: a list in the order in which elements came, which is
// one of those that there may be, and the numbers of its slots by the hashes of their keys.
namespace std {

template <class T> struct hash {
    size_t operator()(const T &value) const { return (size_t)value; }
};
template <> struct hash<std::string> {
    size_t operator()(const string &text) const
    {
        size_t mixed = 14695981039346656037ull;  // Fowler, Noll and Vo, variant 1a
        for (size_t i = 0; i < text.size(); ++i)
            mixed = (mixed ^ (unsigned char)text[i]) * 1099511628211ull;
        return mixed;
    }
};
template <class K, class V> struct __of_entry {
    static const K &key(const pair<const K, V> &element) { return element.first; }
};
template <class K> struct __of_element {
    static const K &key(const K &element) { return element; }
};

template <class T, class K, class Of, class Hash, class Equal> struct __hashed {
    __chain<T> *of;
    int *first, *link;  // the first slot of each bucket, and the next one of each slot
    size_t buckets, room;

    __hashed() : of(new __chain<T>()), first(nullptr), link(nullptr), buckets(0), room(0) { __begin(16); }
    __hashed(const __hashed &o) : of(new __chain<T>()), first(nullptr), link(nullptr), buckets(0), room(0)
    {
        __begin(16);
        __append(o);
    }
    __hashed(__hashed &&o) : of(o.of), first(o.first), link(o.link), buckets(o.buckets), room(o.room)
    {
        o.of = new __chain<T>();
        o.__begin(16);
    }
    ~__hashed()
    {
        clear();
        free(first);
        free(link);
        delete of;
    }
    __hashed &operator=(const __hashed &o)
    {
        if (this != &o) {
            clear();
            __append(o);
        }
        return *this;
    }
    __hashed &operator=(__hashed &&o)
    {
        swap(o);
        return *this;
    }
    void swap(__hashed &o)
    {
        __chain<T> *held = of;
        int *held_first = first, *held_link = link;
        size_t held_buckets = buckets, held_room = room;
        of = o.of;
        first = o.first;
        link = o.link;
        buckets = o.buckets;
        room = o.room;
        o.of = held;
        o.first = held_first;
        o.link = held_link;
        o.buckets = held_buckets;
        o.room = held_room;
    }
    int find(const K &key) const
    {
        int slot = first[Hash()(key) % buckets];
        while (slot != 0 && !Equal()(Of::key(*of->slots[slot]), key))
            slot = link[slot];
        return slot;
    }
    template <class... Given> int put(Given &&...given) { return take(new T(forward<Given>(given)...)); }
    int take(T *element)
    {
        const int made = of->take(0, element);
        if (of->count > buckets || (size_t)of->room > room)
            __again(of->count > buckets ? 2 * buckets : buckets);
        else
            __into(made);
        return made;
    }
    int erase(int slot)
    {
        const size_t bucket = Hash()(Of::key(*of->slots[slot])) % buckets;
        if (first[bucket] == slot) {
            first[bucket] = link[slot];
        } else {
            int before = first[bucket];
            while (link[before] != slot)
                before = link[before];
            link[before] = link[slot];
        }
        return of->erase(slot);
    }
    void clear()
    {
        while (of->count > 0)
            of->erase(of->previous[0]);
        for (size_t i = 0; i < buckets; ++i)
            first[i] = 0;
    }
    void __begin(size_t n)
    {
        buckets = n;
        room = of->room;
        first = (int *)calloc(buckets, sizeof(int));
        link = (int *)calloc(room, sizeof(int));
    }

private:
    void __into(int slot)
    {
        const size_t bucket = Hash()(Of::key(*of->slots[slot])) % buckets;
        link[slot] = first[bucket];
        first[bucket] = slot;
    }
    void __again(size_t n)
    {
        free(first);
        free(link);
        __begin(n);
        for (int i = of->next[0]; i != 0; i = of->next[i])
            __into(i);
    }
    void __append(const __hashed &o)
    {
        for (int i = o.of->next[0]; i != 0; i = o.of->next[i])
            put(*o.of->slots[i]);
    }
};

template <class K, class V, class Hash = hash<K>, class Equal = equal_to<K>, class A = void> class unordered_map {
public:
    typedef K key_type;
    typedef V mapped_type;
    typedef pair<const K, V> value_type;
    typedef __list_iterator<value_type> iterator;
    typedef __list_iterator<value_type> const_iterator;

    unordered_map() : in() {}
    unordered_map(__list_of<value_type> list) : in()
    {
        for (size_t i = 0; i < list.size(); ++i)
            insert(list.begin()[i]);
    }
    unordered_map(const __entry<value_type> &a) : in() { insert(a); }
    unordered_map(const __entry<value_type> &a, const __entry<value_type> &b)
        : unordered_map(a)
    {
        insert(b);
    }
    unordered_map(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c)
        : unordered_map(a, b)
    {
        insert(c);
    }
    unordered_map(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c, const __entry<value_type> &d)
        : unordered_map(a, b, c)
    {
        insert(d);
    }
    unordered_map(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c, const __entry<value_type> &d, const __entry<value_type> &e)
        : unordered_map(a, b, c, d)
    {
        insert(e);
    }
    unordered_map(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c, const __entry<value_type> &d, const __entry<value_type> &e, const __entry<value_type> &f)
        : unordered_map(a, b, c, d, e)
    {
        insert(f);
    }
    unordered_map(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c, const __entry<value_type> &d, const __entry<value_type> &e, const __entry<value_type> &f, const __entry<value_type> &g)
        : unordered_map(a, b, c, d, e, f)
    {
        insert(g);
    }
    unordered_map(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c, const __entry<value_type> &d, const __entry<value_type> &e, const __entry<value_type> &f, const __entry<value_type> &g, const __entry<value_type> &h)
        : unordered_map(a, b, c, d, e, f, g)
    {
        insert(h);
    }
    unordered_map(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c, const __entry<value_type> &d, const __entry<value_type> &e, const __entry<value_type> &f, const __entry<value_type> &g, const __entry<value_type> &h, const __entry<value_type> &i)
        : unordered_map(a, b, c, d, e, f, g, h)
    {
        insert(i);
    }
    unordered_map(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c, const __entry<value_type> &d, const __entry<value_type> &e, const __entry<value_type> &f, const __entry<value_type> &g, const __entry<value_type> &h, const __entry<value_type> &i, const __entry<value_type> &j)
        : unordered_map(a, b, c, d, e, f, g, h, i)
    {
        insert(j);
    }
    unordered_map(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c, const __entry<value_type> &d, const __entry<value_type> &e, const __entry<value_type> &f, const __entry<value_type> &g, const __entry<value_type> &h, const __entry<value_type> &i, const __entry<value_type> &j, const __entry<value_type> &k)
        : unordered_map(a, b, c, d, e, f, g, h, i, j)
    {
        insert(k);
    }
    unordered_map(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c, const __entry<value_type> &d, const __entry<value_type> &e, const __entry<value_type> &f, const __entry<value_type> &g, const __entry<value_type> &h, const __entry<value_type> &i, const __entry<value_type> &j, const __entry<value_type> &k, const __entry<value_type> &l)
        : unordered_map(a, b, c, d, e, f, g, h, i, j, k)
    {
        insert(l);
    }
    template <class I, class = __iterator_only<I>> unordered_map(I from, I to) : in()
    {
        for (; from != to; ++from)
            insert(*from);
    }
    iterator begin() const { return iterator(in.of, in.of->next[0]); }
    iterator end() const { return iterator(in.of, 0); }
    iterator cbegin() const { return begin(); }
    iterator cend() const { return end(); }
    size_t size() const { return in.of->count; }
    bool empty() const { return in.of->count == 0; }
    void clear() { in.clear(); }
    void swap(unordered_map &o) { in.swap(o.in); }
    V &operator[](const K &key)
    {
        int slot = in.find(key);
        if (slot == 0)
            slot = in.put(__in_parts(), key);
        return in.of->slots[slot]->second;
    }
    V &at(const K &key)
    {
        const int slot = in.find(key);
        if (slot == 0)
            throw out_of_range("unordered_map::at");
        return in.of->slots[slot]->second;
    }
    const V &at(const K &key) const
    {
        const int slot = in.find(key);
        if (slot == 0)
            throw out_of_range("unordered_map::at");
        return in.of->slots[slot]->second;
    }
    iterator find(const K &key) const { return iterator(in.of, in.find(key)); }
    size_t count(const K &key) const { return in.find(key) != 0; }
    bool contains(const K &key) const { return in.find(key) != 0; }
    void reserve(size_t) {}
    pair<iterator, bool> insert(const value_type &value) { return __put(value.first, value); }
    pair<iterator, bool> insert(value_type &&value) { return __put(value.first, move(value)); }
    template <class P, class = __other_pair<P, value_type>> pair<iterator, bool> insert(P &&value)
    {
        return __put(value.first, forward<P>(value));
    }
    template <class I, class = __iterator_only<I>> void insert(I from, I to)
    {
        for (; from != to; ++from)
            insert(*from);
    }
    template <class Key, class... Given> pair<iterator, bool> emplace(Key &&key, Given &&...given)
    {
        return __put(key, __in_parts(), forward<Key>(key), forward<Given>(given)...);
    }
    template <class... Given> pair<iterator, bool> try_emplace(const K &key, Given &&...given)
    {
        return __put(key, __in_parts(), key, forward<Given>(given)...);
    }
    template <class M> pair<iterator, bool> insert_or_assign(const K &key, M &&value)
    {
        const int slot = in.find(key);
        if (slot == 0)
            return pair<iterator, bool>(iterator(in.of, in.put(__in_parts(), key, forward<M>(value))), true);
        in.of->slots[slot]->second = forward<M>(value);
        return pair<iterator, bool>(iterator(in.of, slot), false);
    }
    iterator erase(iterator at) { return iterator(in.of, in.erase(at.at)); }
    size_t erase(const K &key)
    {
        const int slot = in.find(key);
        if (slot == 0)
            return 0;
        in.erase(slot);
        return 1;
    }

private:
    __hashed<value_type, K, __of_entry<K, V>, Hash, Equal> in;

    // An element that is made of what is given, if none has its key.
    template <class... Given> pair<iterator, bool> __put(const K &key, Given &&...given)
    {
        const int slot = in.find(key);
        if (slot != 0)
            return pair<iterator, bool>(iterator(in.of, slot), false);
        return pair<iterator, bool>(iterator(in.of, in.put(forward<Given>(given)...)), true);
    }
};

template <class K, class Hash = hash<K>, class Equal = equal_to<K>, class A = void> class unordered_set {
public:
    typedef K key_type;
    typedef K value_type;
    typedef __list_iterator<K> iterator;
    typedef __list_iterator<K> const_iterator;

    unordered_set() : in() {}
    unordered_set(initializer_list<K> list) : in()
    {
        for (size_t i = 0; i < list.size(); ++i)
            insert(list.begin()[i]);
    }
    template <class I, class = __iterator_only<I>> unordered_set(I from, I to) : in()
    {
        for (; from != to; ++from)
            insert(*from);
    }
    iterator begin() const { return iterator(in.of, in.of->next[0]); }
    iterator end() const { return iterator(in.of, 0); }
    size_t size() const { return in.of->count; }
    bool empty() const { return in.of->count == 0; }
    void clear() { in.clear(); }
    void swap(unordered_set &o) { in.swap(o.in); }
    iterator find(const K &key) const { return iterator(in.of, in.find(key)); }
    size_t count(const K &key) const { return in.find(key) != 0; }
    bool contains(const K &key) const { return in.find(key) != 0; }
    void reserve(size_t) {}
    pair<iterator, bool> insert(const K &value)
    {
        const int slot = in.find(value);
        if (slot != 0)
            return pair<iterator, bool>(iterator(in.of, slot), false);
        return pair<iterator, bool>(iterator(in.of, in.put(value)), true);
    }
    pair<iterator, bool> insert(K &&value)
    {
        const int slot = in.find(value);
        if (slot != 0)
            return pair<iterator, bool>(iterator(in.of, slot), false);
        return pair<iterator, bool>(iterator(in.of, in.put(move(value))), true);
    }
    template <class I, class = __iterator_only<I>> void insert(I from, I to)
    {
        for (; from != to; ++from)
            insert(*from);
    }
    template <class... Given> pair<iterator, bool> emplace(Given &&...given)
    {
        K *made = new K(forward<Given>(given)...);
        const int slot = in.find(*made);
        if (slot == 0)
            return pair<iterator, bool>(iterator(in.of, in.take(made)), true);
        delete made;
        return pair<iterator, bool>(iterator(in.of, slot), false);
    }
    iterator erase(iterator at) { return iterator(in.of, in.erase(at.at)); }
    size_t erase(const K &key)
    {
        const int slot = in.find(key);
        if (slot == 0)
            return 0;
        in.erase(slot);
        return 1;
    }

private:
    __hashed<K, K, __of_element<K>, Hash, Equal> in;
};

}  // namespace std
