/*---
function = "f"
error = "UnsupportedError"
---*/
struct Stepper {
    double &grid;
    Stepper(double &of) : grid(of) {}
};
struct Solver {
    double grid;
    Stepper stepper;
    Solver(double x) : grid(x), stepper(grid) {}  // expected-error: keeps the address of its object
    //                                  ^
};

double f(double x)
{
    Solver s(x);
    s.grid = 3.0;
    return s.stepper.grid;
}
