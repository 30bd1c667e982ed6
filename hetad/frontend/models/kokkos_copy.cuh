// Parts of views of Kokkos, and copies between them.
namespace Kokkos {

// --- parts of views ------------------------------------------------------------------------------

enum __all_of { ALL };
template <class A> struct __part { static constexpr bool is_index = true; };
template <> struct __part<__all_of> { static constexpr bool is_index = false; };
template <class A, class B> struct __part<std::pair<A, B>> { static constexpr bool is_index = false; };
template <class A> __both long __first(const A &i) { return (long)i; }
__both inline long __first(const __all_of &) { return 0; }
template <class A, class B> __both long __first(const std::pair<A, B> &p) { return (long)p.first; }
template <class A> __both long __count(const A &, long) { return 1; }
__both inline long __count(const __all_of &, long n) { return n; }
template <class A, class B> __both long __count(const std::pair<A, B> &p, long) { return (long)p.second - (long)p.first; }

// Whether what is left is packed as the view is: whole axes where elements are next to each other, then at most one
// range, then indices.
template <class... A> struct __packed_left {
    static constexpr bool indices = true, value = true;
};
template <class H, class... T> struct __packed_left<H, T...> {
    static constexpr bool indices = __part<H>::is_index && __packed_left<T...>::indices;
    static constexpr bool value = std::is_same<H, __all_of>::value ? __packed_left<T...>::value : __packed_left<T...>::indices;
};
template <class... A> struct __packed_right {
    static constexpr bool whole = true, value = true;
};
template <class H, class... T> struct __packed_right<H, T...> {
    static constexpr bool whole = std::is_same<H, __all_of>::value && __packed_right<T...>::whole;
    static constexpr bool value = __part<H>::is_index ? __packed_right<T...>::value : __packed_right<T...>::whole;
};

template <class V, class... A> struct __sub {
    static constexpr int rank = (0 + ... + (__part<A>::is_index ? 0 : 1));
    static constexpr bool left = std::is_same<typename V::array_layout, LayoutLeft>::value && __packed_left<A...>::value;
    static constexpr bool right = std::is_same<typename V::array_layout, LayoutRight>::value && __packed_right<A...>::value;
    typedef std::conditional_t<left, LayoutLeft, std::conditional_t<right, LayoutRight, LayoutStride>> layout;
    typedef View<typename __pointers<typename V::value_type, rank>::type, layout, typename V::memory_space> type;
};

template <class D, class... P, class A>
__both typename __sub<View<D, P...>, A>::type subview(const View<D, P...> &v, A a)
{
    typedef typename __sub<View<D, P...>, A>::type S;
    const long n[] = {__count(a, v.extent(0))}, s[] = {v.stride(0)};
    return S(v.at + v.shape.offset(__first(a)), S::__shape_type::of(n, s), v.held);
}
template <class D, class... P, class A, class B>
__both typename __sub<View<D, P...>, A, B>::type subview(const View<D, P...> &v, A a, B b)
{
    typedef typename __sub<View<D, P...>, A, B>::type S;
    constexpr int kb = !__part<A>::is_index;
    long n[3], s[3];
    n[kb] = __count(b, v.extent(1));
    s[kb] = v.stride(1);
    if constexpr (kb > 0) {
        n[0] = __count(a, v.extent(0));
        s[0] = v.stride(0);
    }
    return S(v.at + v.shape.offset(__first(a), __first(b)), S::__shape_type::of(n, s), v.held);
}
template <class D, class... P, class A, class B, class C>
__both typename __sub<View<D, P...>, A, B, C>::type subview(const View<D, P...> &v, A a, B b, C c)
{
    typedef typename __sub<View<D, P...>, A, B, C>::type S;
    constexpr int kb = !__part<A>::is_index, kc = kb + !__part<B>::is_index;
    long n[4], s[4];
    n[kc] = __count(c, v.extent(2));
    s[kc] = v.stride(2);
    if constexpr (kc > kb) {
        n[kb] = __count(b, v.extent(1));
        s[kb] = v.stride(1);
    }
    if constexpr (kb > 0) {
        n[0] = __count(a, v.extent(0));
        s[0] = v.stride(0);
    }
    return S(v.at + v.shape.offset(__first(a), __first(b), __first(c)), S::__shape_type::of(n, s), v.held);
}

// --- copies --------------------------------------------------------------------------------------

template <class V, class T> __global__ void fill_kernel(V v, T value, long n0, long n1, long n2)
{
    long t = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (t < n0) {
        if constexpr (V::rank == 0)
            v() = value;
        else if constexpr (V::rank == 1)
            v(t) = value;
        else
            for (long j = 0; j < n1; ++j) {
                if constexpr (V::rank == 2)
                    v(t, j) = value;
                else
                    for (long k = 0; k < n2; ++k)
                        v(t, j, k) = value;
            }
    }
}
template <class V, class W> __global__ void copy_kernel(V to, W from, long n0, long n1, long n2)
{
    long t = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (t < n0) {
        if constexpr (V::rank == 1)
            to(t) = from(t);
        else
            for (long j = 0; j < n1; ++j) {
                if constexpr (V::rank == 2)
                    to(t, j) = from(t, j);
                else
                    for (long k = 0; k < n2; ++k)
                        to(t, j, k) = from(t, j, k);
            }
    }
}

template <class D, class... P, class E, class... Q> void deep_copy(const View<D, P...> &to, const View<E, Q...> &from)
{
    typedef View<D, P...> V;
    typedef View<E, Q...> W;
    constexpr bool here = V::__where == __of_host, there = W::__where == __of_host;
    constexpr bool strided = std::is_same<typename V::array_layout, LayoutStride>::value ||
                             std::is_same<typename W::array_layout, LayoutStride>::value;
    constexpr bool alike =
        !strided && (V::rank < 2 || std::is_same<typename V::array_layout, typename W::array_layout>::value);
    static_assert(alike || (here == there && V::rank < 4), "a copy between host and device of views of several layouts");
    long bytes = to.span() * (long)sizeof(typename V::value_type);
    if constexpr (!alike && here) {
        for (long i = 0; i < to.extent(0); ++i) {
            if constexpr (V::rank == 1)
                to(i) = from(i);
            else
                for (long j = 0; j < to.extent(1); ++j) {
                    if constexpr (V::rank == 2)
                        to(i, j) = from(i, j);
                    else
                        for (long k = 0; k < to.extent(2); ++k)
                            to(i, j, k) = from(i, j, k);
                }
        }
    } else if constexpr (!alike) {
        if (to.size() > 0)
            copy_kernel<<<__blocks(to.extent(0), 256), 256>>>(to, from, to.extent(0), to.extent(1), to.extent(2));
    } else if constexpr (here && there) {
        memcpy(to.at, from.at, bytes);
    } else if constexpr (here) {
        cudaMemcpy(to.at, from.at, bytes, cudaMemcpyDeviceToHost);
    } else if constexpr (there) {
        cudaMemcpy(to.at, from.at, bytes, cudaMemcpyHostToDevice);
    } else {
        cudaMemcpy(to.at, from.at, bytes, cudaMemcpyDeviceToDevice);
    }
}
template <class D, class... P> void deep_copy(const View<D, P...> &to, const typename View<D, P...>::value_type &value)
{
    typedef View<D, P...> V;
    static_assert(V::rank < 4, "a view of four axes is filled by a kernel");
    typename V::value_type held = value;
    if constexpr (V::__where != __of_host) {
        if (to.size() > 0)
            fill_kernel<<<__blocks(to.extent(0), 256), 256>>>(to, held, to.extent(0), to.extent(1), to.extent(2));
    } else {
        for (long i = 0; i < to.extent(0); ++i) {
            if constexpr (V::rank == 0)
                to() = held;
            else if constexpr (V::rank == 1)
                to(i) = held;
            else
                for (long j = 0; j < to.extent(1); ++j) {
                    if constexpr (V::rank == 2)
                        to(i, j) = held;
                    else
                        for (long k = 0; k < to.extent(2); ++k)
                            to(i, j, k) = held;
                }
        }
    }
}
// A number of the host out of a view without axes.
template <class E, class... Q> void deep_copy(typename View<E, Q...>::non_const_value_type &to, const View<E, Q...> &from)
{
    static_assert(View<E, Q...>::rank == 0, "a view without axes");
    if constexpr (View<E, Q...>::__where == __of_host)
        to = from();
    else
        cudaMemcpy(&to, from.at, sizeof(typename View<E, Q...>::value_type), cudaMemcpyDeviceToHost);
}
template <class A, class B> void deep_copy(const Cuda &, const A &to, const B &from) { Kokkos::deep_copy(to, from); }

template <class M, class V> M __mirror(const V &v)
{
    const long n[] = {v.extent(0), v.extent(1), v.extent(2), v.extent(3)};
    M made("mirror", M::__shape_type::of(n, n));
    return made;
}
template <class D, class... P> auto create_mirror(const View<D, P...> &v)
{
    return __mirror<typename View<D, P...>::HostMirror>(v);
}
template <class D, class... P> auto create_mirror_view(const View<D, P...> &v)
{
    if constexpr (View<D, P...>::__where != __of_device)
        return v;
    else
        return __mirror<typename View<D, P...>::HostMirror>(v);
}
template <class S, class D, class... P>
auto create_mirror_view_and_copy(const S &, const View<D, P...> &v, const char * = "")
{
    typedef View<D, P...> V;
    typedef View<typename __pointers<typename V::non_const_value_type, V::rank>::type, typename V::array_layout,
                 typename S::memory_space>
        M;
    if constexpr (V::__where == __of_both || V::__where == __space<S>::value) {
        return v;
    } else {
        M mirror = __mirror<M>(v);
        Kokkos::deep_copy(mirror, v);
        return mirror;
    }
}
template <class D, class... P, class... N> void realloc(View<D, P...> &v, N... n) { v = View<D, P...>("again", n...); }
template <class D, class... P> void resize(View<D, P...> &v, long n)
{
    View<D, P...> wider("wider", n);
    long kept = n < v.extent(0) ? n : v.extent(0);
    Kokkos::deep_copy(subview(wider, std::pair<long, long>(0, kept)), subview(v, std::pair<long, long>(0, kept)));
    v = wider;
}

}  // namespace Kokkos
