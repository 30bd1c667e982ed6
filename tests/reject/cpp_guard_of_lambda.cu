/*---
function = "scaled"
frontend = "cpp"
error = "UnsupportedError"
---*/
// What a destructor of such an instance does cannot be asked for: the type has no name behind the program.
template <class F> class Guard { // expected-error: 'Guard<lambda>', an instance of a template for what has no name outside of a function
public:
    explicit Guard(F g) : f(g) {}
    ~Guard() { f(); }

private:
    F f;
};

void scaled(double *x, int n)
{
    double sum = 0.0;
    Guard guard([&] { x[0] += sum; });
    for (int i = 0; i < n; i++)
        sum += x[i];
}
