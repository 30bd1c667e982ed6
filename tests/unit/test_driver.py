"""`main()` as the driver: inputs and the objective named by variables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import hetad
from hetad.diagnostics import ArgumentError, UnsupportedError

SIMULATION = r"""
#include <stdio.h>
#include <stdlib.h>

#define N 17
static double velocity[N];
static int steps = 4;
double misfit;

__global__ void advance(double *v, const double *u, const double *c, double dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = u[i] + dt * c[i] * (u[(i + 1) % n] - u[i]) * u[i];
}

static double norm(const double *u, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += u[i] * u[i];
    return 0.5 * sum;
}

int main(int argc, char **argv)
{
    double dt = argc > 1 ? atof(argv[1]) : 0.1;
    double observed[N], u[N], *d_u, *d_v, *d_c;
    if (argc > 2)
        steps = atoi(argv[2]);
    if (steps < 0) {
        fprintf(stderr, "usage: %s dt steps\n", argv[0]);
        return 1;
    }
    for (int i = 0; i < N; i++) {
        observed[i] = 0.01 * i;
        u[i] = 1.0 + 0.1 * (i % 5);
    }
    cudaMalloc(&d_u, sizeof(u));
    cudaMalloc(&d_v, sizeof(u));
    cudaMalloc(&d_c, sizeof(u));
    cudaMemcpy(d_c, velocity, sizeof(velocity), cudaMemcpyHostToDevice);
    cudaMemcpy(d_u, u, sizeof(u), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        advance<<<(N + 7) / 8, 8>>>(d_v, d_u, d_c, dt, N);
        double *swapped = d_u;
        d_u = d_v;
        d_v = swapped;
    }
    cudaMemcpy(u, d_u, sizeof(u), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        u[i] -= observed[i];
    misfit = norm(u, N);
    double loss = misfit * dt;
    if (loss < 0) {
        printf("%f\n", loss);
        return 2;
    }
    cudaFree(d_u);
    cudaFree(d_v);
    cudaFree(d_c);
    return 0;
}
"""


def simulation(dt: float, c: np.ndarray, steps: int) -> tuple[float, float]:
    """The misfit and the loss, in NumPy."""
    u = 1.0 + 0.1 * (np.arange(17) % 5)
    for _ in range(steps):
        u = u + dt * c * (np.roll(u, -1) - u) * u
    misfit = 0.5 * float(np.sum((u - 0.01 * np.arange(17)) ** 2))
    return misfit, misfit * dt


@pytest.fixture
def program() -> hetad.Program:
    return hetad.loads(SIMULATION, name="simulation.cu")


C = np.random.default_rng(5).random(17)


@pytest.mark.parametrize(("output", "which"), [("loss", 1), ("misfit", 0), ("norm", 0)])
def test_a_program_as_a_function(program: hetad.Program, output: str, which: int) -> None:
    run = program.driver(inputs=("dt", "velocity"), output=output, argv=[9.0, 6])
    assert [p.name for p in run.parameters] == ["dt", "velocity"]
    assert run(0.2, C, backend="cpu") == pytest.approx(simulation(0.2, C, 6)[which], rel=1e-12)
    value, gradient = hetad.gradient(run, wrt=("dt", "velocity"), backend="cpu").value_and_grad(0.2, C)
    assert value == pytest.approx(simulation(0.2, C, 6)[which], rel=1e-12)
    h = 1e-6
    slope = (simulation(0.2 + h, C, 6)[which] - simulation(0.2 - h, C, 6)[which]) / (2 * h)
    assert gradient["dt"] == pytest.approx(slope, rel=1e-6)
    way = np.random.default_rng(6).random(17)
    slope = (simulation(0.2, C + h * way, 6)[which] - simulation(0.2, C - h * way, 6)[which]) / (2 * h)
    assert gradient["velocity"] @ way == pytest.approx(slope, rel=1e-6)


def test_the_command_line(program: hetad.Program) -> None:
    run = program.driver(inputs="velocity", output="loss", argv=("0.3", "2"))
    assert run(C, backend="cpu") == pytest.approx(simulation(0.3, C, 2)[1], rel=1e-12)
    run = program.driver(inputs="velocity", output="loss")
    assert run(C, backend="cpu") == pytest.approx(simulation(0.1, C, 4)[1], rel=1e-12)


def test_a_program_that_stops_before_has_no_objective(program: hetad.Program) -> None:
    assert np.isnan(program.driver(inputs="velocity", output="loss", argv=(0.1, -1))(C, backend="cpu"))


def test_an_integer_input(program: hetad.Program) -> None:
    run = program.driver(inputs=("steps", "velocity"), output="loss")
    assert run(3, C, backend="cpu") == pytest.approx(simulation(0.1, C, 3)[1], rel=1e-12)
    assert run(1, C, backend="cpu") == pytest.approx(simulation(0.1, C, 1)[1], rel=1e-12)


@pytest.mark.parametrize(
    ("inputs", "output", "message"),
    [
        (("dtt",), "loss", "no variable 'dtt'"),
        (("i",), "loss", "several variables 'i'"),
        (("d_u",), "loss", "no number"),
        (("dt",), "t", "no floating number"),
        (("dt",), "advance", "no host function"),
    ],
)
def test_names_that_mean_nothing(program: hetad.Program, inputs: tuple[str, ...], output: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        program.driver(inputs=inputs, output=output)


def test_a_value_that_cannot_be_replaced() -> None:
    program = hetad.loads("int main() { double a; a = 2; double b = a * a; a = b; return b > 0; }", name="late.cu")
    with pytest.raises(UnsupportedError, match="no value where it is declared"):
        program.driver(inputs="a", output="b")


OPTIONS = r"""
#include <stdlib.h>
#include <string.h>

double width = 1.0;

int main(int argc, char **argv)
{
    double loss = 0.0, dt = 0.1;
    for (int i = 1; i < argc; i++) {
        char *name = argv[i];
        if (strcmp(name, "--dt") == 0)
            dt = atof(argv[++i]);
        else
            loss += strlen(argv[i]) * width * width * dt;
    }
    return 0;
}
"""


def test_an_input_that_is_set_behind_its_declaration() -> None:
    source = """
        int main(int argc, char **argv) {
            double rate, twice, x = 0.3;
            if (argc > 1) { rate = atof(argv[1]); } else return 1;
            twice = 1.0; twice += x;
            x = x * rate * rate + twice;
            return 0;
        }"""
    program = hetad.loads(source)
    main = program.driver(inputs=("rate",), output="x", argv=("9.0",))
    value, r = hetad.gradient(main, wrt="rate", backend="cpu").value_and_grad(0.7)
    assert value == pytest.approx(0.3 * 0.49 + 1.3) and r["rate"] == pytest.approx(2 * 0.3 * 0.7)
    with pytest.raises(UnsupportedError, match=r"'twice' has no value where it is declared, and is not set in one"):
        hetad.gradient(program.driver(inputs=("twice",), output="x", argv=("9",)), wrt="twice")


def test_options_are_read_in_a_loop() -> None:
    run = hetad.loads(OPTIONS).driver(inputs="width", output="loss", argv=("abc", "--dt", 0.25, "de"))
    value, r = hetad.gradient(run, wrt="width", backend="cpu").value_and_grad(2.0)
    assert value == pytest.approx(4 * (3 * 0.1 + 2 * 0.25))
    assert r["width"] == pytest.approx(4 * (3 * 0.1 + 2 * 0.25))


PASSED_ON = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double width = 1.0;

static int number(int argc, char **argv, const char *name, int otherwise)
{
    for (int i = 1; i + 1 < argc; i++)
        if (!strcmp(argv[i], name))
            return atoi(argv[i + 1]);
    return otherwise;
}

int main(int argc, char *argv[])
{
    int steps = number(argc, argv, "--steps", 2), skipped = number(argc, argv, "--skip", 1);
    double loss = 0.0, words = 0.0;
    while (--argc > skipped) {
        char *word = *++argv;
        words += strlen(word);
    }
    for (int k = 0; k < steps; k++)
        loss += width * width * words;
    return 0;
}
"""


def test_the_command_line_is_passed_on() -> None:
    run = hetad.loads(PASSED_ON).driver(inputs="width", output="loss", argv=("--steps", 3, "abcd"))
    for _ in range(2):
        value, r = hetad.gradient(run, wrt="width", backend="cpu").value_and_grad(2.0)
        assert value == run(2.0, backend="cpu") == pytest.approx(4 * 3 * 8)
        assert r["width"] == pytest.approx(4 * 3 * 8)


OPTION_LETTERS = r"""
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

double width = 1.0;

int main(int argc, char **argv)
{
    int option, steps = 1;
    double loss = 0.0, scale = 2.0;
    while ((option = getopt(argc, argv, "s:qd:")) != -1) {
        switch (option) {
        case 's':
            steps = atoi(optarg);
            break;
        case 'd':
            scale = atof(optarg) * width;
            break;
        case 'q':
            scale *= width;
            break;
        default:
            fprintf(stderr, "%s: what is -%c?\n", argv[0], optopt);
            return 1;
        }
    }
    for (int k = 0; k < steps; k++)
        loss += scale * width * atoi(argv[optind]);
    return 0;
}
"""


def test_letters_of_options() -> None:
    run = hetad.loads(OPTION_LETTERS).driver(inputs="width", output="loss", argv=("-s", 3, "-q", "-d0.5", "7"))
    gradient = hetad.gradient(run, wrt="width", backend="cpu")
    assert "#include <unistd.h>" in gradient.source
    for _ in range(3):  # each call reads the command line from its start
        value, r = gradient.value_and_grad(2.0)
        assert value == run(2.0, backend="cpu") == pytest.approx(3 * 0.5 * 2.0 * 2.0 * 7)
        assert r["width"] == pytest.approx(3 * 0.5 * 2 * 2.0 * 7)


LONG_OPTIONS = r"""
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

double width = 1.0;
static struct option known[] = {
    {"steps", required_argument, NULL, 's'}, {"twice", no_argument, 0, 't'}, {0, 0, 0, 0}
};

int main(int argc, char **argv)
{
    int letter, number = 0, steps = 1;
    double loss = 0.0, scale = 2.0, sums[2];
    bzero(sums, sizeof(sums));
    while ((letter = getopt_long(argc, argv, "s:t", known, &number)) != -1) {
        if (letter == 's')
            steps = atoi(optarg);
        else if (letter == 't')
            scale *= width;
        else
            return 1;
    }
    for (int k = 0; k < steps; k++)
        sums[k % 2] += scale * width;
    loss = sums[0] + 3.0 * sums[1];
    return 0;
}
"""


def test_long_options() -> None:
    run = hetad.loads(LONG_OPTIONS).driver(inputs="width", output="loss", argv=("--steps", 3, "--twice"))
    gradient = hetad.gradient(run, wrt="width", backend="cpu")
    assert "#include <getopt.h>" in gradient.source
    for _ in range(2):
        value, r = gradient.value_and_grad(1.5)
        assert value == run(1.5, backend="cpu") == pytest.approx(2 * 1.5**2 * 5)
        assert r["width"] == pytest.approx(4 * 1.5 * 5)


def test_a_flag_that_an_option_sets_is_refused() -> None:
    text = LONG_OPTIONS.replace('"twice", no_argument, 0', '"twice", no_argument, &given').replace(
        "static struct option", "static int given;\nstatic struct option"
    )
    with pytest.raises(UnsupportedError, match="flag that getopt_long sets"):
        hetad.loads(text).driver(inputs="width", output="loss", argv=())


READS_A_FILE = r"""
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

__global__ void weigh(double *y, const double *x, const float *w, double k, int n)
{
    int i = threadIdx.x;
    if (i < n)
        y[i] = k * k * x[i] * w[i];
}

static double total(const std::string &name, double k)
{
    std::ifstream file(name);
    int n = 0;
    if (!file) {
        std::cerr << "no file " << name << std::endl;
        return -1.0;
    }
    file >> n;
    std::vector<double> x(n), y(n);
    std::vector<float> w(n);
    for (int i = 0; i < n; ++i)
        file >> x[i] >> w[i];
    if (!file.good())
        return -2.0;
    double *d_x, *d_y;
    float *d_w;
    cudaMalloc(&d_x, n * sizeof(double));
    cudaMalloc(&d_y, n * sizeof(double));
    cudaMalloc(&d_w, n * sizeof(float));
    cudaMemcpy(d_x, x.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_w, w.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    weigh<<<1, 32>>>(d_y, d_x, d_w, k, n);
    cudaMemcpy(y.data(), d_y, n * sizeof(double), cudaMemcpyDeviceToHost);
    double sum = 0.0;
    for (double v : y)
        sum += v;
    cudaFree(d_x);
    cudaFree(d_y);
    cudaFree(d_w);
    return sum;
}

int main(int argc, char **argv)
{
    double k = 0.5, loss = 0.0;
    std::string name = argc > 1 ? argv[1] : "none";
    loss = total(name, k);
    return loss < 0;
}
"""


def test_numbers_of_a_file(tmp_path: Path) -> None:
    data = tmp_path / "data.txt"
    data.write_text("3\n0.5 1.5\n-2 0.25\n7 1\n")
    run = hetad.loads(READS_A_FILE).driver(inputs="k", output="loss", argv=(data,))
    gradient = hetad.gradient(run, wrt="k", backend="cpu")
    for _ in range(2):
        value, r = gradient.value_and_grad(0.7)
        assert value == run(0.7, backend="cpu") == pytest.approx(0.49 * 7.25)
        assert r["k"] == pytest.approx(1.4 * 7.25)
    data.write_text("3\n0.5 1.5\n-2\n")
    assert gradient.value_and_grad(0.7)[0] == -2
    data.unlink()
    assert gradient.value_and_grad(0.7)[0] == -1


def test_a_program_starts_with_the_same_random_numbers() -> None:
    source = """
        #include <stdlib.h>
        int main() {
            double k = 0.5, sum = 0.0;
            for (int i = 0; i < 5; i++)
                sum += k * k * (rand() % 100);
            return sum > 0;
        }"""
    run = hetad.loads(source).driver(inputs="k", output="sum")
    gradient = hetad.gradient(run, wrt="k", backend="cpu")
    first = run(2.0, backend="cpu")
    for _ in range(2):
        value, r = gradient.value_and_grad(2.0)
        assert value == run(2.0, backend="cpu") == first > 0
        assert r["k"] == pytest.approx(first)


STATE = r"""
static unsigned seed = 7;
static int table[3] = {1, 2, 3};
static double sums[4];
static struct { int calls; double *kept; } state;
__device__ double total;
__device__ int weights[2] = {3, 4};
__global__ void add(double v)
{
    total += v * weights[0];
    weights[0]++;
}
static double random_number()
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) / 65536.0;
}
int main()
{
    double scale = 2.0, held = 0.0;
    static int count = 0;
    count++;
    table[1]++;
    sums[2] += scale;
    state.calls += count;
    if (!state.kept)
        state.kept = (double *)calloc(1, sizeof(double));
    *state.kept += scale;
    add<<<1, 1>>>(scale);
    cudaMemcpyFromSymbol(&held, total, sizeof held);
    double loss = scale * random_number() + table[1] + sums[2] * state.calls + *state.kept + held;
    return loss > 0;
}
"""


def test_a_program_starts_afresh() -> None:
    """Each call is a run of the program: variables at file scope have their first values."""
    main = hetad.loads(STATE).driver(inputs=("scale",), output="loss")
    first = main(2.0, backend="cpu")
    assert first == main(2.0, backend="cpu")
    value, gradient = hetad.gradient(main, wrt="scale", backend="cpu").value_and_grad(2.0)
    assert value == first
    assert gradient["scale"] == pytest.approx((main(2.5, backend="cpu") - first) / 0.5)


ENDS = r"""
#include <stdlib.h>
__global__ void square(double *x) { x[threadIdx.x] *= x[threadIdx.x]; }

int main(int argc, char **argv)
{
    double scale = 1.0, sum = 0.0, x[3], *d;
    if (argc < 2)
        exit(EXIT_FAILURE);
    for (int i = 0; i < 3; i++)
        x[i] = scale * (i + 1);
    cudaMalloc(&d, sizeof(x));
    cudaMemcpy(d, x, sizeof(x), cudaMemcpyHostToDevice);
    square<<<1, 3>>>(d);
    cudaMemcpy(x, d, sizeof(x), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 3; i++)
        sum += x[i];
    cudaFree(d);
    exit(sum > 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}
"""


def test_exit_ends_main_as_return_does(backend: str) -> None:
    run = hetad.loads(ENDS).driver(inputs=("scale",), output="sum", argv=("go",))
    found = hetad.gradient(run, wrt=("scale",), backend=backend)(1.5)
    np.testing.assert_allclose(found["scale"], 2 * 1.5 * 14)


def test_exit_with_a_failure_is_an_error(backend: str) -> None:
    run = hetad.loads(ENDS).driver(inputs=("scale",), output="sum")
    with pytest.raises(hetad.ExecutionError, match=r"exit\(1\)"):
        hetad.gradient(run, wrt=("scale",), backend=backend)(1.5)


def test_an_objective_may_be_called_as_what_the_front_end_keeps_results_in(backend: str) -> None:
    text = """
    struct Point { double x; __host__ __device__ Point() { x = 1.0; } };
    __global__ void scale(Point *p, double by) { p[threadIdx.x].x *= by; }
    int main()
    {
        double by = 2.0;
        Point *points = new Point[3], *d;
        cudaMalloc(&d, 3 * sizeof(Point));
        cudaMemcpy(d, points, 3 * sizeof(Point), cudaMemcpyHostToDevice);
        scale<<<1, 3>>>(d, by);
        cudaMemcpy(points, d, 3 * sizeof(Point), cudaMemcpyDeviceToHost);
        double result = points[0].x * points[1].x;
        cudaFree(d);
        delete[] points;
        return 0;
    }
    """
    run = hetad.loads(text).driver(inputs=("by",), output="result")
    assert hetad.gradient(run, wrt=("by",), backend=backend)(1.5)["by"] == pytest.approx(3.0)
