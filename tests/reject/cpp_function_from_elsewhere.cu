/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
help = "choose by 'if' or 'switch'"
---*/
// A function that the program has not, as none of this type is anywhere kept.
struct Step {
    double (*of)(double);
};

double f(const Step *steps, double x)
{
    return steps[1].of(x);  // expected-error: a call of a function that only the run tells
    //     ^
}
