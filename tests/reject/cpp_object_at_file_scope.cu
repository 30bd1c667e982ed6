/*---
function = "f"
error = "UnsupportedError"
help = "make the object in a function"
---*/
struct Table {
    double v[4]{};
    constexpr Table()
    {
        for (int i = 0; i < 4; i++)
            v[i] = 0.5 * i;
    }
};
static constexpr Table table{};  // expected-error: a constructor in the value of a variable at file scope
//                     ^

double f(double x)
{
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += table.v[i] * x;
    return sum;
}
