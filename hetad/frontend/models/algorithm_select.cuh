// Of <algorithm>, what selects, moves to other places, and puts in order.
namespace std {

template <class C> struct back_insert_iterator {
    C *into;
    explicit back_insert_iterator(C &c) : into(&c) {}
    back_insert_iterator &operator*() { return *this; }
    back_insert_iterator &operator++() { return *this; }
    back_insert_iterator &operator=(const typename C::value_type &value)
    {
        into->push_back(value);
        return *this;
    }
};
template <class C> back_insert_iterator<C> back_inserter(C &c) { return back_insert_iterator<C>(c); }

template <class I, class O, class F> O copy_if(I from, I to, O out, F f)
{
    for (; from != to; ++from)
        if (f(*from)) {
            *out = *from;
            ++out;
        }
    return out;
}
template <class I, class F> I remove_if(I from, I to, F f)
{
    I out = from;
    for (; from != to; ++from)
        if (!f(*from)) {
            *out = *from;
            ++out;
        }
    return out;
}
template <class I, class T> I remove(I from, I to, const T &value)
{
    T held = value;
    return std::remove_if(from, to, [held](const auto &other) { return other == held; });
}
template <class I, class F> I find_if(I from, I to, F f)
{
    while (from != to && !f(*from))
        ++from;
    return from;
}
template <class I, class F> bool none_of(I from, I to, F f) { return std::find_if(from, to, f) == to; }
template <class I, class T> long count(I from, I to, const T &value)
{
    long n = 0;
    for (; from != to; ++from)
        if (*from == value)
            ++n;
    return n;
}
template <class I> I unique(I from, I to)
{
    if (from == to)
        return to;
    I last = from;
    for (++from; from != to; ++from)
        if (!(*last == *from)) {
            ++last;
            *last = *from;
        }
    ++last;
    return last;
}
template <class I, class F, class T> void replace_if(I from, I to, F f, const T &value)
{
    T held = value;
    for (; from != to; ++from)
        if (f(*from))
            *from = held;
}
template <class I, class F> I min_element(I from, I to, F before)
{
    I best = from;
    for (; from != to; ++from)
        if (before(*from, *best))
            best = from;
    return best;
}
template <class I, class F> I max_element(I from, I to, F before)
{
    I best = from;
    for (; from != to; ++from)
        if (before(*best, *from))
            best = from;
    return best;
}
// Of equal elements the last one is the largest.
template <class I> pair<I, I> minmax_element(I from, I to)
{
    I least = from, most = from;
    for (; from != to; ++from) {
        if (*from < *least)
            least = from;
        if (!(*from < *most))
            most = from;
    }
    return pair<I, I>(least, most);
}
template <class I> I rotate(I from, I middle, I to)
{
    std::reverse(from, middle);
    std::reverse(middle, to);
    std::reverse(from, to);
    return from + (to - middle);
}
template <class I> void nth_element(I from, I, I to) { std::sort(from, to); }
template <class I, class F> void nth_element(I from, I, I to, F before) { std::sort(from, to, before); }
template <class I> void partial_sort(I from, I, I to) { std::sort(from, to); }
template <class I, class F> void partial_sort(I from, I, I to, F before) { std::sort(from, to, before); }
template <class I> bool is_sorted(I from, I to)
{
    for (long i = 1; i < to - from; ++i)
        if (from[i] < from[i - 1])
            return false;
    return true;
}

}  // namespace std
