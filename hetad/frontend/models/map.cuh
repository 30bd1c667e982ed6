// What hetad reads in place of <map> and <set>, with and without equal keys: a list in the order of keys, with the numbers of its slots for search.
namespace std {

template <class K, class V> struct __of_pair {
    static const K &key(const pair<const K, V> &element) { return element.first; }
};
template <class K> struct __of_itself {
    static const K &key(const K &element) { return element; }
};

template <class T, class K, class Of, class Less> struct __sorted {
    __chain<T> *of;
    int *order;
    size_t room;

    __sorted() : of(new __chain<T>()), order(nullptr), room(8) { order = (int *)malloc(room * sizeof(int)); }
    __sorted(const __sorted &o) : of(new __chain<T>()), order(nullptr), room(8)
    {
        order = (int *)malloc(room * sizeof(int));
        __append(o);
    }
    __sorted(__sorted &&o) : of(o.of), order(o.order), room(o.room)
    {
        o.of = new __chain<T>();
        o.room = 8;
        o.order = (int *)malloc(o.room * sizeof(int));
    }
    ~__sorted()
    {
        clear();
        free(order);
        delete of;
    }
    __sorted &operator=(const __sorted &o)
    {
        if (this != &o) {
            clear();
            __append(o);
        }
        return *this;
    }
    __sorted &operator=(__sorted &&o)
    {
        swap(o);
        return *this;
    }
    void swap(__sorted &o)
    {
        __chain<T> *held = of;
        int *held_order = order;
        size_t held_room = room;
        of = o.of;
        order = o.order;
        room = o.room;
        o.of = held;
        o.order = held_order;
        o.room = held_room;
    }
    // How many elements have smaller keys; with `behind`, how many have none that is larger.
    size_t rank(const K &key, bool behind = false) const
    {
        size_t low = 0, high = of->count;
        while (low < high) {
            const size_t middle = (low + high) / 2;
            const K &other = Of::key(*of->slots[order[middle]]);
            bool is_before;
            if (behind)
                is_before = !Less()(key, other);
            else
                is_before = Less()(other, key);
            if (is_before)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
    // The slot with a key, of those from a rank on; 0 if there is none.
    int at(size_t rank, const K &key) const
    {
        if (rank >= of->count)
            return 0;
        const int slot = order[rank];
        return Less()(key, Of::key(*of->slots[slot])) ? 0 : slot;
    }
    int find(const K &key) const { return at(rank(key), key); }
    int slot(size_t rank) const { return rank < of->count ? order[rank] : 0; }
    template <class... Given> int put(size_t rank, Given &&...given)
    {
        return take(rank, new T(forward<Given>(given)...));
    }
    int take(size_t rank, T *element)
    {
        const size_t n = of->count;
        const int made = of->take(slot(rank), element);
        if (n == room)
            __grow();
        for (size_t i = n; i > rank; --i)
            order[i] = order[i - 1];
        order[rank] = made;
        return made;
    }
    int erase(int slot)
    {
        const size_t n = of->count;
        size_t from = 0;
        while (order[from] != slot)
            ++from;
        for (size_t i = from + 1; i < n; ++i)
            order[i - 1] = order[i];
        return of->erase(slot);
    }
    void clear()
    {
        while (of->count > 0)
            of->erase(of->previous[0]);
    }

private:
    void __append(const __sorted &o)
    {
        for (int i = o.of->next[0]; i != 0; i = o.of->next[i])
            put(of->count, *o.of->slots[i]);
    }
    void __grow()
    {
        int *more = (int *)malloc(2 * room * sizeof(int));
        for (size_t i = 0; i < room; ++i)
            more[i] = order[i];
        free(order);
        order = more;
        room = 2 * room;
    }
};

template <class K, class V, class Less = less<K>, class A = void> class map {
public:
    typedef K key_type;
    typedef V mapped_type;
    typedef pair<const K, V> value_type;
    typedef __list_iterator<value_type> iterator;
    typedef __list_iterator<value_type> const_iterator;

    map() : in() {}
    map(__list_of<value_type> list) : in()
    {
        for (size_t i = 0; i < list.size(); ++i)
            insert(list.begin()[i]);
    }
    map(const __entry<value_type> &a) : in() { insert(a); }
    map(const __entry<value_type> &a, const __entry<value_type> &b)
        : map(a)
    {
        insert(b);
    }
    map(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c)
        : map(a, b)
    {
        insert(c);
    }
    map(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c, const __entry<value_type> &d)
        : map(a, b, c)
    {
        insert(d);
    }
    map(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c, const __entry<value_type> &d, const __entry<value_type> &e)
        : map(a, b, c, d)
    {
        insert(e);
    }
    map(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c, const __entry<value_type> &d, const __entry<value_type> &e, const __entry<value_type> &f)
        : map(a, b, c, d, e)
    {
        insert(f);
    }
    map(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c, const __entry<value_type> &d, const __entry<value_type> &e, const __entry<value_type> &f, const __entry<value_type> &g)
        : map(a, b, c, d, e, f)
    {
        insert(g);
    }
    map(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c, const __entry<value_type> &d, const __entry<value_type> &e, const __entry<value_type> &f, const __entry<value_type> &g, const __entry<value_type> &h)
        : map(a, b, c, d, e, f, g)
    {
        insert(h);
    }
    map(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c, const __entry<value_type> &d, const __entry<value_type> &e, const __entry<value_type> &f, const __entry<value_type> &g, const __entry<value_type> &h, const __entry<value_type> &i)
        : map(a, b, c, d, e, f, g, h)
    {
        insert(i);
    }
    map(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c, const __entry<value_type> &d, const __entry<value_type> &e, const __entry<value_type> &f, const __entry<value_type> &g, const __entry<value_type> &h, const __entry<value_type> &i, const __entry<value_type> &j)
        : map(a, b, c, d, e, f, g, h, i)
    {
        insert(j);
    }
    map(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c, const __entry<value_type> &d, const __entry<value_type> &e, const __entry<value_type> &f, const __entry<value_type> &g, const __entry<value_type> &h, const __entry<value_type> &i, const __entry<value_type> &j, const __entry<value_type> &k)
        : map(a, b, c, d, e, f, g, h, i, j)
    {
        insert(k);
    }
    map(const __entry<value_type> &a, const __entry<value_type> &b, const __entry<value_type> &c, const __entry<value_type> &d, const __entry<value_type> &e, const __entry<value_type> &f, const __entry<value_type> &g, const __entry<value_type> &h, const __entry<value_type> &i, const __entry<value_type> &j, const __entry<value_type> &k, const __entry<value_type> &l)
        : map(a, b, c, d, e, f, g, h, i, j, k)
    {
        insert(l);
    }
    template <class I, class = __iterator_only<I>> map(I from, I to) : in()
    {
        for (; from != to; ++from)
            insert(*from);
    }
    iterator begin() const { return iterator(in.of, in.of->next[0]); }
    iterator end() const { return iterator(in.of, 0); }
    reverse_iterator<iterator> rbegin() const { return reverse_iterator<iterator>(end()); }
    reverse_iterator<iterator> rend() const { return reverse_iterator<iterator>(begin()); }
    iterator cbegin() const { return begin(); }
    iterator cend() const { return end(); }
    size_t size() const { return in.of->count; }
    bool empty() const { return in.of->count == 0; }
    void clear() { in.clear(); }
    void swap(map &o) { in.swap(o.in); }
    V &operator[](const K &key)
    {
        const size_t rank = in.rank(key);
        int slot = in.at(rank, key);
        if (slot == 0)
            slot = in.put(rank, __in_parts(), key);
        return in.of->slots[slot]->second;
    }
    V &at(const K &key)
    {
        const int slot = in.find(key);
        if (slot == 0)
            throw out_of_range("map::at");
        return in.of->slots[slot]->second;
    }
    const V &at(const K &key) const
    {
        const int slot = in.find(key);
        if (slot == 0)
            throw out_of_range("map::at");
        return in.of->slots[slot]->second;
    }
    iterator find(const K &key) const { return iterator(in.of, in.find(key)); }
    size_t count(const K &key) const { return in.find(key) != 0; }
    bool contains(const K &key) const { return in.find(key) != 0; }
    iterator lower_bound(const K &key) const { return iterator(in.of, in.slot(in.rank(key))); }
    iterator upper_bound(const K &key) const { return iterator(in.of, in.slot(in.rank(key, true))); }
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
        const size_t rank = in.rank(key);
        const int slot = in.at(rank, key);
        if (slot == 0)
            return pair<iterator, bool>(iterator(in.of, in.put(rank, __in_parts(), key, forward<M>(value))), true);
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
    __sorted<value_type, K, __of_pair<K, V>, Less> in;

    // An element that is made of what is given, if none has its key.
    template <class... Given> pair<iterator, bool> __put(const K &key, Given &&...given)
    {
        const size_t rank = in.rank(key);
        const int slot = in.at(rank, key);
        if (slot != 0)
            return pair<iterator, bool>(iterator(in.of, slot), false);
        return pair<iterator, bool>(iterator(in.of, in.put(rank, forward<Given>(given)...)), true);
    }
};

template <class K, class Less = less<K>, class A = void> class set {
public:
    typedef K key_type;
    typedef K value_type;
    typedef __list_iterator<K> iterator;
    typedef __list_iterator<K> const_iterator;

    set() : in() {}
    set(initializer_list<K> list) : in()
    {
        for (size_t i = 0; i < list.size(); ++i)
            insert(list.begin()[i]);
    }
    template <class I, class = __iterator_only<I>> set(I from, I to) : in()
    {
        for (; from != to; ++from)
            insert(*from);
    }
    iterator begin() const { return iterator(in.of, in.of->next[0]); }
    iterator end() const { return iterator(in.of, 0); }
    size_t size() const { return in.of->count; }
    bool empty() const { return in.of->count == 0; }
    void clear() { in.clear(); }
    void swap(set &o) { in.swap(o.in); }
    iterator find(const K &key) const { return iterator(in.of, in.find(key)); }
    size_t count(const K &key) const { return in.find(key) != 0; }
    bool contains(const K &key) const { return in.find(key) != 0; }
    iterator lower_bound(const K &key) const { return iterator(in.of, in.slot(in.rank(key))); }
    iterator upper_bound(const K &key) const { return iterator(in.of, in.slot(in.rank(key, true))); }
    pair<iterator, bool> insert(const K &value)
    {
        const size_t rank = in.rank(value);
        const int slot = in.at(rank, value);
        if (slot != 0)
            return pair<iterator, bool>(iterator(in.of, slot), false);
        return pair<iterator, bool>(iterator(in.of, in.put(rank, value)), true);
    }
    pair<iterator, bool> insert(K &&value)
    {
        const size_t rank = in.rank(value);
        const int slot = in.at(rank, value);
        if (slot != 0)
            return pair<iterator, bool>(iterator(in.of, slot), false);
        return pair<iterator, bool>(iterator(in.of, in.put(rank, move(value))), true);
    }
    template <class I, class = __iterator_only<I>> void insert(I from, I to)
    {
        for (; from != to; ++from)
            insert(*from);
    }
    template <class... Given> pair<iterator, bool> emplace(Given &&...given)
    {
        K *made = new K(forward<Given>(given)...);
        const size_t rank = in.rank(*made);
        const int slot = in.at(rank, *made);
        if (slot == 0)
            return pair<iterator, bool>(iterator(in.of, in.take(rank, made)), true);
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
    __sorted<K, K, __of_itself<K>, Less> in;
};

template <class K, class V, class Less = less<K>, class A = void> class multimap {
public:
    typedef K key_type;
    typedef V mapped_type;
    typedef pair<const K, V> value_type;
    typedef __list_iterator<value_type> iterator;
    typedef __list_iterator<value_type> const_iterator;

    multimap() : in() {}
    multimap(initializer_list<value_type> list) : in()
    {
        for (size_t i = 0; i < list.size(); ++i)
            insert(list.begin()[i]);
    }
    iterator begin() const { return iterator(in.of, in.of->next[0]); }
    iterator end() const { return iterator(in.of, 0); }
    size_t size() const { return in.of->count; }
    bool empty() const { return in.of->count == 0; }
    void clear() { in.clear(); }
    void swap(multimap &o) { in.swap(o.in); }
    iterator find(const K &key) const { return iterator(in.of, in.find(key)); }
    size_t count(const K &key) const { return in.rank(key, true) - in.rank(key); }
    bool contains(const K &key) const { return in.find(key) != 0; }
    iterator lower_bound(const K &key) const { return iterator(in.of, in.slot(in.rank(key))); }
    iterator upper_bound(const K &key) const { return iterator(in.of, in.slot(in.rank(key, true))); }
    pair<iterator, iterator> equal_range(const K &key) const
    {
        return pair<iterator, iterator>(lower_bound(key), upper_bound(key));
    }
    iterator insert(const value_type &value)
    {
        return iterator(in.of, in.put(in.rank(value.first, true), value));
    }
    iterator insert(value_type &&value)
    {
        return iterator(in.of, in.put(in.rank(value.first, true), move(value)));
    }
    template <class P, class = __other_pair<P, value_type>> iterator insert(P &&value)
    {
        return iterator(in.of, in.put(in.rank(value.first, true), forward<P>(value)));
    }
    template <class Key, class... Given> iterator emplace(Key &&key, Given &&...given)
    {
        return iterator(in.of, in.put(in.rank(key, true), __in_parts(), forward<Key>(key), forward<Given>(given)...));
    }
    iterator erase(iterator at) { return iterator(in.of, in.erase(at.at)); }
    size_t erase(const K &key)
    {
        size_t gone = 0;
        for (int slot = in.find(key); slot != 0; slot = in.find(key)) {
            in.erase(slot);
            ++gone;
        }
        return gone;
    }

private:
    __sorted<value_type, K, __of_pair<K, V>, Less> in;
};

template <class K, class Less = less<K>, class A = void> class multiset {
public:
    typedef K key_type;
    typedef K value_type;
    typedef __list_iterator<K> iterator;
    typedef __list_iterator<K> const_iterator;

    multiset() : in() {}
    template <class I, class = __iterator_only<I>> multiset(I from, I to) : in()
    {
        for (; from != to; ++from)
            insert(*from);
    }
    iterator begin() const { return iterator(in.of, in.of->next[0]); }
    iterator end() const { return iterator(in.of, 0); }
    size_t size() const { return in.of->count; }
    bool empty() const { return in.of->count == 0; }
    void clear() { in.clear(); }
    iterator find(const K &key) const { return iterator(in.of, in.find(key)); }
    size_t count(const K &key) const { return in.rank(key, true) - in.rank(key); }
    iterator lower_bound(const K &key) const { return iterator(in.of, in.slot(in.rank(key))); }
    iterator upper_bound(const K &key) const { return iterator(in.of, in.slot(in.rank(key, true))); }
    iterator insert(const K &value) { return iterator(in.of, in.put(in.rank(value, true), value)); }
    iterator erase(iterator at) { return iterator(in.of, in.erase(at.at)); }

private:
    __sorted<K, K, __of_itself<K>, Less> in;
};

}  // namespace std
