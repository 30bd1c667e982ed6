/*---
function = "f"
frontend = "cpp"
error = "SyntaxProblem"
---*/
// Clang makes nothing of the method, and says why where it stands.
template <class T> struct Wave {
    T rate;
    T at(T x) const { return rate * x.value(); }  // expected-error @38: member reference base type 'double' is not a structure
};

double f(double x)
{
    Wave<double> wave{2.0};
    return wave.at(x);
}
