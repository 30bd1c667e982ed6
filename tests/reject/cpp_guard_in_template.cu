/*---
function = "scaled"
frontend = "cpp"
error = "UnsupportedError"
---*/
// A lambda of a template has a type for each instance, and its place tells only one.
template <class F> struct Guard { // expected-error: 'Guard<lambda>', an instance of a template for what has no name outside of a function
    F f;
    explicit Guard(F g) : f(g) {}
    ~Guard() { f(); }
};

template <class T> void add(T *x, int n)
{
    T sum = 0;
    auto store = [&] { x[0] += sum; };
    Guard<decltype(store)> guard(store);
    for (int i = 0; i < n; i++)
        sum += x[i];
}
void scaled(double *x, int n) { add(x, n); }
