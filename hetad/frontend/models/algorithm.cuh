// What hetad reads in place of <numeric> and <algorithm>: loops over iterators.
namespace std {

template <class I, class T> T accumulate(I from, I to, T sum)
{
    for (; from != to; ++from)
        sum = sum + *from;
    return sum;
}
template <class I, class T, class F> T accumulate(I from, I to, T sum, F f)
{
    for (; from != to; ++from)
        sum = f(sum, *from);
    return sum;
}
template <class I> auto reduce(I from, I to) { return accumulate(from, to, typename iterator_traits<I>::value_type()); }
template <class I, class T> T reduce(I from, I to, T sum) { return accumulate(from, to, sum); }
template <class I, class T, class F> T reduce(I from, I to, T sum, F f) { return accumulate(from, to, sum, f); }
template <class I, class J, class T> T inner_product(I from, I to, J with, T sum)
{
    for (; from != to; ++from, ++with)
        sum = sum + *from * *with;
    return sum;
}
template <class I, class J, class T, class F, class G> T inner_product(I from, I to, J with, T sum, F add, G multiply)
{
    for (; from != to; ++from, ++with)
        sum = add(sum, multiply(*from, *with));
    return sum;
}
template <class I, class J, class T> T transform_reduce(I from, I to, J with, T sum)
{
    return inner_product(from, to, with, sum);
}
template <class I, class T, class F, class G> T transform_reduce(I from, I to, T sum, F add, G f)
{
    for (; from != to; ++from)
        sum = add(sum, f(*from));
    return sum;
}
template <class I, class J, class T, class F, class G> T transform_reduce(I from, I to, J with, T sum, F add, G multiply)
{
    return inner_product(from, to, with, sum, add, multiply);
}
template <class I, class T> void iota(I from, I to, T value)
{
    for (; from != to; ++from) {
        *from = value;
        ++value;
    }
}
template <class I, class O> O partial_sum(I from, I to, O out)
{
    if (from == to)
        return out;
    auto sum = *from;
    *out = sum;
    for (++from, ++out; from != to; ++from, ++out) {
        sum = sum + *from;
        *out = sum;
    }
    return out;
}
template <class I, class O, class F> O partial_sum(I from, I to, O out, F f)
{
    if (from == to)
        return out;
    auto sum = *from;
    *out = sum;
    for (++from, ++out; from != to; ++from, ++out) {
        sum = f(sum, *from);
        *out = sum;
    }
    return out;
}
template <class I, class O> O inclusive_scan(I from, I to, O out) { return partial_sum(from, to, out); }
template <class I, class O, class F> O inclusive_scan(I from, I to, O out, F f) { return partial_sum(from, to, out, f); }
template <class I, class O, class F, class T> O inclusive_scan(I from, I to, O out, F f, T sum)
{
    for (; from != to; ++from, ++out) {
        sum = f(sum, *from);
        *out = sum;
    }
    return out;
}
template <class I, class O, class T, class F> O exclusive_scan(I from, I to, O out, T sum, F f)
{
    for (; from != to; ++from, ++out) {
        T next = f(sum, *from);
        *out = sum;
        sum = next;
    }
    return out;
}
template <class I, class O, class T> O exclusive_scan(I from, I to, O out, T sum)
{
    return exclusive_scan(from, to, out, sum, [](const auto &a, const auto &b) { return a + b; });
}
template <class I, class O> O adjacent_difference(I from, I to, O out)
{
    if (from == to)
        return out;
    auto before = *from;
    *out = before;
    for (++from, ++out; from != to; ++from, ++out) {
        auto here = *from;
        *out = here - before;
        before = here;
    }
    return out;
}

template <class I, class O, class F> O transform(I from, I to, O out, F f)
{
    for (; from != to; ++from, ++out)
        *out = f(*from);
    return out;
}
template <class I, class J, class O, class F> O transform(I from, I to, J with, O out, F f)
{
    for (; from != to; ++from, ++with, ++out)
        *out = f(*from, *with);
    return out;
}
template <class I, class F> F for_each(I from, I to, F f)
{
    for (; from != to; ++from)
        f(*from);
    return f;
}
template <class I, class T> void fill(I from, I to, const T &value)
{
    T held = value;
    for (; from != to; ++from)
        *from = held;
}
template <class I, class N, class T> I fill_n(I from, N n, const T &value)
{
    T held = value;
    for (N i = 0; i < n; ++i, ++from)
        *from = held;
    return from;
}
template <class I, class F> void generate(I from, I to, F f)
{
    for (; from != to; ++from)
        *from = f();
}
template <class I, class O> O copy(I from, I to, O out)
{
    for (; from != to; ++from, ++out)
        *out = *from;
    return out;
}
template <class I, class N, class O> O copy_n(I from, N n, O out)
{
    for (N i = 0; i < n; ++i, ++from, ++out)
        *out = *from;
    return out;
}
template <class I> void reverse(I from, I to)
{
    while (from != to && from != --to) {
        auto held = *from;
        *from = *to;
        *to = held;
        ++from;
    }
}
template <class I> I max_element(I from, I to)
{
    I best = from;
    for (; from != to; ++from)
        if (*best < *from)
            best = from;
    return best;
}
template <class I> I min_element(I from, I to)
{
    I best = from;
    for (; from != to; ++from)
        if (*from < *best)
            best = from;
    return best;
}
template <class I, class T> I find(I from, I to, const T &value)
{
    while (from != to && !(*from == value))
        ++from;
    return from;
}
template <class I, class F> long count_if(I from, I to, F f)
{
    long n = 0;
    for (; from != to; ++from)
        if (f(*from))
            ++n;
    return n;
}
template <class I, class F> bool all_of(I from, I to, F f)
{
    for (; from != to; ++from)
        if (!f(*from))
            return false;
    return true;
}
template <class I, class F> bool any_of(I from, I to, F f)
{
    for (; from != to; ++from)
        if (f(*from))
            return true;
    return false;
}
template <class I, class T> I lower_bound(I from, I to, const T &value)
{
    auto n = to - from;
    while (n > 0) {
        auto half = n / 2;
        if (from[half] < value) {
            from = from + (half + 1);
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return from;
}
template <class I, class T> I upper_bound(I from, I to, const T &value)
{
    auto n = to - from;
    while (n > 0) {
        auto half = n / 2;
        if (!(value < from[half])) {
            from = from + (half + 1);
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return from;
}
// By shell's gaps: the order of equal elements is as free as that of the library's.
template <class I, class F> void sort(I from, I to, F before)
{
    long n = to - from;
    for (long gap = n / 2; gap > 0; gap /= 2)
        for (long i = gap; i < n; ++i) {
            auto held = from[i];
            long k = i;
            while (k >= gap && before(held, from[k - gap])) {
                from[k] = from[k - gap];
                k -= gap;
            }
            from[k] = held;
        }
}
template <class I> void sort(I from, I to)
{
    sort(from, to, [](const auto &a, const auto &b) { return a < b; });
}
template <class I, class F> void stable_sort(I from, I to, F before)
{
    long n = to - from;
    for (long i = 1; i < n; ++i) {
        auto held = from[i];
        long k = i;
        while (k >= 1 && before(held, from[k - 1])) {
            from[k] = from[k - 1];
            k -= 1;
        }
        from[k] = held;
    }
}
template <class T> __both constexpr T clamp(const T &value, const T &low, const T &high)
{
    return value < low ? low : high < value ? high : value;
}

}  // namespace std
