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
    int put(const T &value)
    {
        const int made = of->insert(0, value);
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
    unordered_map(initializer_list<value_type> list) : in()
    {
        for (size_t i = 0; i < list.size(); ++i)
            insert(list.begin()[i]);
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
            slot = in.put(value_type(key, V()));
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
    pair<iterator, bool> insert(const value_type &value)
    {
        const int slot = in.find(value.first);
        if (slot != 0)
            return pair<iterator, bool>(iterator(in.of, slot), false);
        return pair<iterator, bool>(iterator(in.of, in.put(value)), true);
    }
    template <class Key, class... Given> pair<iterator, bool> emplace(const Key &key, Given &&...given)
    {
        return insert(value_type(key, V(forward<Given>(given)...)));
    }
    template <class... Given> pair<iterator, bool> try_emplace(const K &key, Given &&...given)
    {
        return insert(value_type(key, V(forward<Given>(given)...)));
    }
    pair<iterator, bool> insert_or_assign(const K &key, const V &value)
    {
        pair<iterator, bool> made = insert(value_type(key, value));
        if (!made.second)
            made.first->second = value;
        return made;
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
    template <class I, class = __iterator_only<I>> void insert(I from, I to)
    {
        for (; from != to; ++from)
            insert(*from);
    }
    template <class... Given> pair<iterator, bool> emplace(Given &&...given) { return insert(K(forward<Given>(given)...)); }
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
