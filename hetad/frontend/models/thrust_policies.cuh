// Algorithms of thrust with a policy: pointers are of the device, and what is returned is again a pointer.
namespace thrust {

template <class P> P __back(P result) { return result; }
template <class T> T *__back(device_ptr<T> result) { return result.at; }
template <class A, class B> auto __back(pair<A, B> result)
{
    return pair<decltype(__back(result.first)), decltype(__back(result.second))>(
        __back(result.first), __back(result.second));
}
template <class I> struct __is_pointer : std::false_type {};
template <class T> struct __is_pointer<T *> : std::true_type {};

#define __POLICY(NAME)                                                                                              \
    template <class I, class... Given> auto NAME(__on_device_policy, I from, Given... given)                        \
    {                                                                                                               \
        typedef decltype(thrust::NAME(__there(from), __there(given)...)) Result;                                    \
        if constexpr (std::is_same_v<Result, void>)                                                                 \
            thrust::NAME(__there(from), __there(given)...);                                                         \
        else if constexpr (__is_pointer<I>::value)                                                                  \
            return __back(thrust::NAME(__there(from), __there(given)...));                                          \
        else                                                                                                        \
            return thrust::NAME(from, __there(given)...);                                                           \
    }
__POLICY(fill)
__POLICY(sequence)
__POLICY(copy)
__POLICY(copy_n)
__POLICY(gather)
__POLICY(scatter)
__POLICY(inner_product)
__POLICY(inclusive_scan)
__POLICY(exclusive_scan)
__POLICY(count)
__POLICY(any_of)
__POLICY(all_of)
__POLICY(none_of)
__POLICY(min_element)
__POLICY(max_element)
__POLICY(minmax_element)
__POLICY(lower_bound)
__POLICY(upper_bound)
__POLICY(sort)
__POLICY(stable_sort)
__POLICY(sort_by_key)
__POLICY(stable_sort_by_key)
__POLICY(copy_if)
__POLICY(remove_if)
__POLICY(remove_copy_if)
__POLICY(partition)
__POLICY(stable_partition)
__POLICY(partition_copy)
__POLICY(unique)
__POLICY(unique_copy)
__POLICY(unique_by_key)
__POLICY(unique_by_key_copy)
__POLICY(reduce_by_key)
__POLICY(inclusive_scan_by_key)
__POLICY(exclusive_scan_by_key)
#undef __POLICY

}  // namespace thrust
