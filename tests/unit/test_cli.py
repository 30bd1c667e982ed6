"""The command line: results, exit status, and what is said about mistakes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetad
from hetad.cli import main
from hetad.cli.check import examine

SAMPLES = Path(__file__).parents[2] / "samples"
AXPY = str(SAMPLES / "axpy.cu")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command: (exit status, stdout, stderr)."""

    def call(*arguments: object) -> tuple[int, str, str]:
        try:
            status = main([str(a) for a in arguments])
        except SystemExit as exit_:  # argparse
            status = int(exit_.code or 0)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


@pytest.fixture
def source(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "program.cu"
        path.write_text(text, encoding="utf-8")
        return path

    return write


# --- usage ----------------------------------------------------------------------------------------


def test_version(run: Run) -> None:
    assert run("--version") == (0, f"hetad {hetad.__version__}\n", "")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("frobnicate",),
        ("grad",),
        ("grad", AXPY, "axpy", "--wrt", ","),
        ("check", AXPY, "-D", "1x"),
    ],
)
def test_wrong_usage(run: Run, arguments: tuple[str, ...]) -> None:
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert "usage:" in err


def test_module_can_be_run() -> None:
    done = subprocess.run([sys.executable, "-m", "hetad", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"hetad {hetad.__version__}\n"


# --- grad -----------------------------------------------------------------------------------------


def test_grad_prints_the_derivative(run: Run) -> None:
    status, out, err = run("grad", AXPY, "axpy", "--wrt", "a,x", "--of", "y")
    assert (status, err) == (0, "")
    assert "axpy_grad(" in out
    assert out == hetad.gradient(hetad.load(AXPY)["axpy"], wrt=("a", "x"), of="y").source


def test_grad_writes_a_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "out.cu"
    path.write_text("old")
    assert run("grad", AXPY, "axpy", "--wrt", "x", "--of", "y", "-o", path) == (0, "", "")
    assert "axpy_grad(" in path.read_text()
    assert list(tmp_path.iterdir()) == [path]


def test_grad_never_overwrites_the_program(run: Run, source: Callable[[str], Path]) -> None:
    text = Path(AXPY).read_text()
    path = source(text)
    status, _, err = run("grad", path, "axpy", "--wrt", "x", "--of", "y", "-o", path)
    assert status == 2
    assert "is the program itself" in err
    assert path.read_text() == text


def test_a_failed_grad_leaves_the_output_alone(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "out.cu"
    path.write_text("old")
    assert run("grad", AXPY, "axpy", "--wrt", "n", "--of", "y", "-o", path)[0] == 2
    assert path.read_text() == "old"


@pytest.mark.parametrize("stage", ["ir", "normalized", "activity", "needed", "access", "cuda"])
def test_every_stage_can_be_printed(run: Run, stage: str) -> None:
    status, out, err = run("grad", AXPY, "axpy", "--wrt", "a,x", "--of", "y", "--emit", stage)
    assert (status, err) == (0, "")
    assert out.strip()


def test_macros_are_defined(run: Run, source: Callable[[str], Path]) -> None:
    path = source("#ifdef WITH\nvoid f(double *x, double a) { x[0] = VALUE * a; }\n#endif\n")
    status, out, err = run("grad", path, "f", "--wrt", "a", "--of", "x", "-D", "WITH", "-D", "VALUE=42.0")
    assert (status, err) == (0, "")
    assert "42.0" in out
    assert run("grad", path, "f", "--wrt", "a", "--of", "x")[0] == 2


# --- mistakes -------------------------------------------------------------------------------------


def test_no_such_file(run: Run) -> None:
    status, out, err = run("grad", "none.cu", "f", "--wrt", "x")
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert "none.cu" in err
    assert "Traceback" not in err


def test_unknown_function(run: Run) -> None:
    status, _, err = run("grad", AXPY, "apxy", "--wrt", "x", "--of", "y")
    assert status == 2
    assert "no function 'apxy'" in err
    assert "did you mean axpy" in err


@pytest.mark.parametrize("words", [("grad", "--emit", "activity"), ("grad", "--emit", "after:inline"), ("explain",)])
def test_every_command_checks_the_parameters(run: Run, words: tuple[str, ...]) -> None:
    command, *more = words
    status, out, err = run(command, AXPY, "axpy", "--wrt", "z", "--of", "y", *more)
    assert (status, out) == (2, "")
    assert "wrt: there is no parameter 'z'" in err


@pytest.mark.parametrize(("wrt", "part"), [("z", "no parameter 'z'"), ("n", "'n' holds no floating values")])
def test_unsuitable_parameter(run: Run, wrt: str, part: str) -> None:
    status, _, err = run("grad", AXPY, "axpy", "--wrt", wrt, "--of", "y")
    assert status == 2
    assert part in err
    assert "void axpy(int n, double a, const double *x, double *y)" in err, "the signature is shown"


def test_syntax_error(run: Run, source: Callable[[str], Path]) -> None:
    path = source("void f(double *x)\n{\n\tx[0] = 2.0 * ;\n}\n")
    status, out, err = run("grad", path, "f", "--wrt", "x", "--of", "x")
    assert (status, out) == (1, "")
    first, excerpt, caret, *_ = err.splitlines()
    assert first.startswith(f"{path}:3:15: error: ")
    assert excerpt.split() == ["3", "|", "x[0]", "=", "2.0", "*", ";"]
    assert caret.index("^") == excerpt.index(";"), "the caret stands under the place, tabs or not"


def test_errors_as_json(run: Run, source: Callable[[str], Path]) -> None:
    path = source("void f(double *x)\n{\n    x[0] = 2.0 * ;\n}\n")
    status, out, _ = run("check", path, "f", "--json")
    assert status == 1
    (function,) = json.loads(out)["functions"]
    (error,) = function["errors"]
    assert (error["line"], error["column"]) == (3, 18)
    status, out, _ = run("check", "none.cu", "--json")
    assert status == 2
    assert "none.cu" in json.loads(out)["error"]["message"]


def test_debug_shows_the_traceback() -> None:
    with pytest.raises(hetad.HetadError):
        main(["grad", "none.cu", "f", "--wrt", "x", "--debug"])


# --- gradcheck and run ----------------------------------------------------------------------------


def test_gradcheck_passes(run: Run) -> None:
    status, out, err = run("gradcheck", SAMPLES / "axpy.toml", "--backend", "cpu")
    assert (status, err) == (0, "")
    assert "passed: 12 checks" in out


def test_gradcheck_as_json(run: Run) -> None:
    status, out, _ = run("gradcheck", SAMPLES / "axpy.toml", "--backend", "cpu", "--json", "--samples", 1)
    result = json.loads(out)
    assert (status, result["passed"]) == (0, True)
    assert [row["check"] for row in result["reports"][0]["rows"]] == [
        "arguments unchanged", "a", "x", "y", "dot product", "linear in the seeds",
    ]  # fmt: skip


def test_gradcheck_fails_where_the_program_has_no_derivative(run: Run, problem: Callable[..., Path]) -> None:
    path = problem("void f(double *y, const double *x) { y[0] = log(x[0]); }", x="{ values = [-1.0] }")
    status, out, _ = run("gradcheck", path, "--backend", "cpu")
    assert status == 1
    assert "FAILED" in out
    assert "not finite" in out


@pytest.fixture
def problem(tmp_path: Path) -> Callable[..., Path]:
    def write(program: str, x: str, y: str = "{ zeros = [1] }", extra: str = "") -> Path:
        (tmp_path / "program.cu").write_text(program)
        path = tmp_path / "problem.toml"
        head = 'source = "program.cu"\nfunction = "f"\nwrt = ["x"]\nof = ["y"]\n'
        path.write_text(f"{head}{extra}[inputs]\nx = {x}\ny = {y}\n")
        return path

    return write


def test_gradcheck_without_a_gpu(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hetad.run.cuda.unusable_reason", lambda: "none here")
    status, out, err = run("gradcheck", SAMPLES / "axpy.toml", "--backend", "cuda")
    assert (status, out) == (1, "")
    assert "none here" in err
    assert "backend='cpu' needs no GPU" in err


def test_problem_that_does_not_fit(run: Run, problem: Callable[..., Path]) -> None:
    path = problem("void f(double *y, const double *x) { y[0] = x[0]; }", x="3.0")
    status, _, err = run("gradcheck", path)
    assert status == 2
    assert "[inputs] x: the parameter is a pointer" in err


def test_run_shows_outputs_and_gradients(run: Run, tmp_path: Path) -> None:
    saved = tmp_path / "result.npz"
    status, out, err = run("run", SAMPLES / "square.toml", "--backend", "cpu", "--save", saved)
    assert (status, err) == (0, "")
    assert "gradient of x_in" in out
    with np.load(saved) as arrays:
        assert arrays["x_out"].tolist() == [9.0]
        assert arrays["grad_x_in"].tolist() == [6.0]


def test_run_as_json(run: Run) -> None:
    status, out, _ = run("run", SAMPLES / "square_kernel.toml", "--backend", "cpu", "--json")
    result: dict[str, Any] = json.loads(out)
    assert status == 0
    assert result["outputs"] == {"x_out": [9.0]}
    assert result["gradient"] == {"x_in": [6.0]}


BENT = """
__global__ void bend(double *y, const double *x, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] * x[n - 1 - i];
}
void f(double *y, const double *x, double a, int n) { bend<<<1, 32>>>(y, x, a, n); }
"""
UNBOUNDED = """
__global__ void relax(double *y, const double *x, int n)
{
    int i = threadIdx.x, tries = 0;
    if (i >= n) return;
    double step = 0.3;
    y[i] = x[i];
    while (tries < 10 && y[i] > 0.1) {
        y[i] = y[i] - step * y[i] * y[i];
        if (y[i] > 0.5) tries++;
        else step = 0.5 * step + 0.1;
    }
}
void f(double *y, const double *x, int n) { relax<<<1, 32>>>(y, x, n); }
"""
MODES = ("gradient", "tangent", "hvp", "jacobian", "hessian")


@pytest.fixture
def bent(tmp_path: Path) -> Callable[..., Path]:
    """A problem file about y = a x[i] x[n - 1 - i] at x = (1, 2, 5), a = 3."""

    def write(mode: str) -> Path:
        (tmp_path / "bent.cu").write_text(BENT)
        path = tmp_path / "bent.toml"
        head = 'source = "bent.cu"\nfunction = "f"\nwrt = ["x", "a"]\nof = ["y"]\n'
        inputs = "[inputs]\nx = { values = [1, 2, 5] }\ny = { zeros = [3] }\na = 3.0\nn = 3\n"
        path.write_text(f'{head}mode = "{mode}"\n{inputs}')
        return path

    return write


def test_run_in_each_mode(run: Run, bent: Callable[..., Path], tmp_path: Path) -> None:
    expected = {
        "gradient": {"gradient": {"x": [30.0, 12.0, 6.0], "a": 14.0}},
        "tangent": {"tangent": {"y": [23.0, 16.0, 23.0]}},
        "hvp": {"gradient": {"x": [30.0, 12.0, 6.0], "a": 14.0}, "hvp": {"x": [16.0, 10.0, 8.0], "a": 16.0}},
        "jacobian": {"jacobian": {"y": {"x": [[15, 0, 3], [0, 12, 0], [15, 0, 3]], "a": [5, 4, 5]}}},
        "hessian": {"hessian": {
            "x": {"x": [[0, 0, 6], [0, 6, 0], [6, 0, 0]], "a": [10, 4, 2]}, "a": {"x": [10, 4, 2], "a": 0.0}}},
    }  # fmt: skip
    for mode, found in expected.items():
        status, out, err = run("run", bent(mode), "--backend", "cpu", "--json")
        assert (status, err) == (0, "")
        result = json.loads(out)
        assert {k: result[k] for k in result if k not in ("function", "backend", "outputs")} == found
        assert result["outputs"] == {"y": [15.0, 12.0, 15.0]}
        assert run("run", bent("gradient"), "--mode", mode, "--backend", "cpu", "--json") == (status, out, err)
    saved = tmp_path / "out.npz"
    status, out, _ = run("run", bent("hessian"), "--backend", "cpu", "--save", saved)
    assert (status, "Hessian of x by a" in out) == (0, True)
    with np.load(saved) as arrays:
        assert arrays["hessian_x_a"].tolist() == [10, 4, 2]


@pytest.mark.parametrize("mode", MODES)
def test_gradcheck_in_each_mode(run: Run, bent: Callable[..., Path], mode: str, tmp_path: Path) -> None:
    plot = tmp_path / "taylor.svg"
    status, out, err = run("gradcheck", bent(mode), "--backend", "cpu", "--plot", plot)
    assert (status, err) == (0, ""), out
    named = {"gradient": "f on cpu", "hvp": "product of the Hessian of f", "jacobian": "Jacobian", "hessian": "Hessian"}
    assert named.get(mode, "tangent of f") in out
    assert plot.exists()


@pytest.mark.parametrize("mode", MODES)
def test_a_wrong_derivative_of_each_mode_is_found(
    run: Run, bent: Callable[..., Path], mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bent(mode)
    text = path.with_suffix(".cu").read_text().replace("x[n - 1 - i];", "floor(1e9 * x[n - 1 - i]) / 1e9;")
    path.with_suffix(".cu").write_text(text)  # which looks smooth, and has the slope 0
    status, out, _ = run("gradcheck", path, "--backend", "cpu", "--rtol", 1e-3)
    assert (status, "FAILED" in out) == (1, True)


@pytest.mark.parametrize("mode", MODES)
def test_grad_of_a_problem_file(run: Run, bent: Callable[..., Path], mode: str) -> None:
    path = bent(mode)
    source = path.with_suffix(".cu")
    status, out, err = run("grad", path)
    assert (status, err) == (0, "")
    assert run("grad", source, "f", "--wrt", "x,a", "--of", "y", "--mode", mode) == (0, out, "")
    assert run("grad", path, "--mode", "tangent")[1] == run("grad", bent("tangent"))[1]


@pytest.mark.parametrize(
    ("command", "mode", "words", "said"),
    [
        ("run", "tangent", ("--memory-limit", "1MB"), "a tangent saves nothing"),
        ("gradcheck", "gradient", ("--mode", "hessian", "--graph"), "--graph is for gradients"),
        ("grad", "hessian", ("--batch",), "--batch is for gradients: leave it out, or --mode hessian"),
        ("grad", "hessian", ("--wrt", "x"), "says function, wrt and of"),
        ("run", "forward", (), "mode must be one of gradient, tangent, hvp, jacobian, hessian, not 'forward'"),
    ],
)
def test_what_modes_refuse(
    run: Run, bent: Callable[..., Path], command: str, mode: str, words: tuple[str, ...], said: str
) -> None:
    status, out, err = run(command, bent(mode), *words)
    assert (status, out) == (2, "")
    assert said in err


@pytest.mark.parametrize("words", [(), ("axpy",), ("--wrt", "x")])
def test_grad_needs_a_function_and_its_inputs(run: Run, words: tuple[str, ...]) -> None:
    status, _, err = run("grad", AXPY, *words)
    assert (status, "name the function and --wrt, or give a problem file" in err) == (2, True)


def test_check_of_a_tangent(run: Run, tmp_path: Path) -> None:
    """A loop whose trips only its own values tell has a tangent, whatever a gradient makes of it."""
    (tmp_path / "p.cu").write_text(UNBOUNDED)
    path = tmp_path / "p.toml"
    head = 'source = "p.cu"\nfunction = "f"\nwrt = ["x"]\nof = ["y"]\n'
    inputs = "[inputs]\nx = { values = [1, 2, 5] }\ny = { zeros = [3] }\nn = 3\n"
    found = {}
    for mode in ("gradient", "tangent", "jacobian"):
        path.write_text(f'{head}mode = "{mode}"\n{inputs}')
        found[mode] = run("check", path)[0]
    assert found == {"gradient": 1, "tangent": 0, "jacobian": 0}
    assert run("run", path, "--backend", "cpu")[0] == 0


def test_graphs_are_checked_on_every_backend(run: Run, problem: Callable[..., Path]) -> None:
    plain = run("run", SAMPLES / "square_kernel.toml", "--backend", "cpu", "--json")
    assert run("run", SAMPLES / "square_kernel.toml", "--backend", "cpu", "--json", "--graph") == plain
    text = """
    __global__ void halve(double *x) { x[0] *= 0.5; }
    void f(double *y, const double *x)
    {
        double h = 2;
        cudaMemcpy(y, x, sizeof(double), cudaMemcpyDeviceToDevice);
        while (h > 1) {
            halve<<<1, 1>>>(y);
            cudaMemcpy(&h, y, sizeof(double), cudaMemcpyDeviceToHost);
        }
    }
    """
    path = problem(text, x="{ values = [7.0] }")
    for command in ("run", "gradcheck"):
        assert run(command, path, "--backend", "cpu")[0] == 0
        status, _, err = run(command, path, "--backend", "cpu", "--graph")
        assert status == 1
        assert ":7:16: error: graph=True" in err


# --- check and graph ------------------------------------------------------------------------------

MIXED = """\
__device__ double good(double x) { return x * x; }
__global__ void kernel(double *x) { x[threadIdx.x] = good(x[threadIdx.x]); }
void launches(double *x) { kernel<<<1, 8>>>(x); }
void bad(double *x)
{
again:
    x[0] *= 0.5;
    if (x[0] > 1.0)
        goto again;
}
"""


def test_check_shows_what_is_refused_and_where(run: Run, source: Callable[[str], Path]) -> None:
    path = source(MIXED)
    status, out, err = run("check", path)
    assert (status, err) == (1, "")
    rows = {cells[1].strip(): cells[4].strip() for line in out.splitlines() if len(cells := line.split("│")) > 4}
    assert rows == {"good": "supported", "kernel": "supported", "launches": "supported", "bad": "refused"}
    assert f"{path}:" in out
    assert "^" in out


def test_check_of_one_function(run: Run, source: Callable[[str], Path]) -> None:
    path = source(MIXED)
    assert run("check", path, "launches")[0] == 0
    assert run("check", path, "bad")[0] == 1
    assert run("check", path, "bda")[0] == 2


PROBLEMS = """\
#include "absent.h"
__global__ void first(float *y, const float *x)
{
    int *table = nobody_declares_this;
    float v = x[table[0]];
    y[0] = v + unknown_too(v);
}
__global__ void second(float *y, const float *x)
{
    int i = threadIdx.x;
    atomicMax(&y[i], x[i]);
    float old = atomicAdd(&y[0], x[i]);
    y[1] = nextafterf(x[i], old);
}
void host(float *y, float *x, volatile float *z)
{
    second<<<1, 4>>>(y, x);
    z[0] = z[1];
}
"""


def test_check_reports_all_problems(run: Run, source: Callable[[str], Path]) -> None:
    path = source(PROBLEMS)
    status, out, _ = run("check", path, "--json")
    assert status == 1
    found = {f["name"]: [(e["line"], e["column"]) for e in f["errors"]] for f in json.loads(out)["functions"]}
    assert found["first"] == [(4, 18), (6, 16)], "nothing that follows from the lost declarations"
    assert found["second"] == [(11, 5), (12, 17), (13, 12)]
    assert found["host"] == [(11, 5), (12, 17), (13, 12), (18, 5), (18, 12)]
    errors = [e for f in json.loads(out)["functions"] for e in f["errors"]]
    assert all(e["source_line"] == PROBLEMS.splitlines()[e["line"] - 1] for e in errors)
    for error in errors:
        unknown = error["kind"] == "UnknownNameError"
        assert (error["code"] == "HET101") is unknown
        assert ("absent.h" in error["help"]) is unknown, "a header explains an unknown name, and nothing else"
    status, out, _ = run("check", path)
    assert status == 1
    assert re.findall(r"program\.cu:(\d+):\d+: error", out) == ["4", "6", "11", "12", "13", "18", "18"]


def test_check_of_some_parameters(run: Run, source: Callable[[str], Path]) -> None:
    path = source("void f(double *y, const double *x, volatile double *z) { y[0] = x[0] * x[1] * z[0]; }\n")
    assert run("check", path, "f")[0] == 1
    assert run("check", path, "f", "--wrt", "x")[0] == 0
    assert run("check", path, "f", "--wrt", "x,z", "--of", "y")[0] == 1
    status, _, err = run("check", path, "f", "--wrt", "w")
    assert (status, "no parameter 'w'" in err) == (2, True)
    assert run("check", path, "--wrt", "x")[0] == 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"axpy"', '"axpi"', "no function 'axpi'"), ('["a", "x", "y"]', '["n"]', "'n' holds no floating values"),
        ('["a", "x", "y"]', '["z"]', "no parameter 'z'"), ('of = ["y"]', 'of = ["z"]', "no parameter 'z'"),
        ('of = ["y"]', "", "of is omitted"),
    ],
)  # fmt: skip
def test_check_of_a_problem_about_something_else(run: Run, tmp_path: Path, old: str, new: str, said: str) -> None:
    problem = tmp_path / "axpy.toml"
    (tmp_path / "axpy.cu").write_text((SAMPLES / "axpy.cu").read_text())
    text = (SAMPLES / "axpy.toml").read_text()
    problem.write_text(text)
    assert run("check", problem)[0] == 0
    problem.write_text(text.replace(old, new))
    for command in ("check", "run"):
        status, _, err = run(command, problem)
        assert (status, said in err) == (2, True), err


def test_check_of_a_problem_of_a_whole_program(run: Run, tmp_path: Path) -> None:
    (tmp_path / "program.cu").write_text(
        "void f(double *y, volatile double z) { y[0] = z; }\n"
        "int main(int argc, char **argv) { double y[1], dt = 0.5; f(y, dt); double loss = 2 * dt; return 0; }\n"
    )
    problem = tmp_path / "problem.toml"
    text = 'source = "program.cu"\nfunction = "main"\nobjective = "loss"\nwrt = ["dt"]\n[inputs]\ndt = 0.5\n'
    problem.write_text(text)
    assert run("check", problem)[0] == 0
    for old, new, said in (('"loss"', '"lost"', "no variable 'lost'"), ('["dt"]', '["dq"]', "no parameter 'dq'")):
        problem.write_text(text.replace(old, new))
        status, _, err = run("check", problem)
        assert (status, said in err) == (2, True), err


def test_check_after_check_finds_the_same(source: Callable[[str], Path]) -> None:
    """What was lowered with pieces missing is not kept."""
    unit = hetad.load(source(PROBLEMS)).unit
    first, second = ([str(e) for e in examine(unit, "first").errors] for _ in range(2))
    assert first == second
    with pytest.raises(hetad.HetadError, match="nobody_declares_this"):
        unit.reach("first")


def test_check_of_the_samples(run: Run) -> None:
    for path in sorted(SAMPLES.glob("*.cu")):
        status, out, _ = run("check", path)
        assert status == 0, out


def test_graph_formats(run: Run, source: Callable[[str], Path], tmp_path: Path) -> None:
    path = source(MIXED)
    status, out, err = run("graph", path)
    assert (status, err) == (0, "")
    assert "f_launches ==>|launch| f_kernel" in out
    assert "f_kernel --> f_good" in out
    assert '"launches" -> "kernel" [style=bold' in run("graph", path, "--format", "dot")[1]
    picture = tmp_path / "graph.svg"
    assert run("graph", path, "launches", "-o", picture) == (0, "", "")
    texts = [e.text for e in ET.fromstring(picture.read_text()).iter("{http://www.w3.org/2000/svg}text")]
    assert "kernel" in texts
    assert "bad" not in texts, "only what the function reaches"


# --- explain and doctor ---------------------------------------------------------------------------


def test_explain(run: Run) -> None:
    status, out, err = run("explain", AXPY, "axpy", "--wrt", "a,x", "--of", "y")
    assert (status, err) == (0, "")
    assert "active" in out


HISTORY = """
__global__ void step(double *u, int t, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        u[t * n + i] = u[(t - 1) * n + i] * u[(t - 1) * n + i];
}

int main(int argc, char **argv)
{
    int n = 20, steps = atoi(argv[1]);
    double start = 1.01, *u, h[20], loss = 0;
    cudaMalloc(&u, steps * n * sizeof(double));
    for (int i = 0; i < n; i++)
        h[i] = start * (1 + 0.001 * i);
    cudaMemcpy(u, h, sizeof(h), cudaMemcpyHostToDevice);
    for (int k = 0; k < 2; k++)
        for (int t = 1; t < steps; t++)
            step<<<1, 32>>>(u, t, n);
    cudaMemcpy(h, u + (steps - 1) * n, sizeof(h), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        loss += h[i];
    cudaFree(u);
    return 0;
}
"""


@pytest.fixture
def history(source: Callable[[str], Path], tmp_path: Path) -> Path:
    problem = tmp_path / "history.toml"
    problem.write_text(
        f'source = "{source(HISTORY).name}"\nfunction = "main"\nobjective = "loss"\nargv = [6]\n'
        'wrt = ["start"]\n[inputs]\nstart = 1.02\n'
    )
    return problem


def test_explain_says_how_many_bytes_are_saved(run: Run, history: Path) -> None:
    status, out, err = run("explain", history)
    assert (status, err) == (0, "")
    assert "u: snapshot of the part written (8 * n bytes, each time round the loops in lines 17 and 18)" in out
    measured = out.split("in bytes\n")[1].splitlines()
    sizes = [int(line.split()[0].replace(",", "")) for line in measured if ":" in line or "in all" in line]
    assert sum(sizes[:-1]) == sizes[-1]
    (rows,) = [int(line.split()[0].replace(",", "")) for line in measured if "u: snapshot" in line]
    assert 10 * 20 * 8 < rows < 10 * (20 * 8 + 64)  # each beside a record of where it belongs


def test_explain_needs_a_function(run: Run) -> None:
    status, _, err = run("explain", AXPY)
    assert status != 0
    assert "name the function and --wrt" in err


def test_a_whole_program_from_a_problem_file(run: Run, history: Path) -> None:
    assert run("gradcheck", history, "--backend", "cpu")[0] == 0
    assert run("run", history, "--backend", "cpu")[0] == 0
    status, _, err = run("gradcheck", history, "--backend", "cpu", "--memory-limit", "100")
    assert status != 0
    assert "the memory limit of 100 bytes is too small" in err
    assert run("gradcheck", history, "--backend", "cpu", "--memory-limit", "8kB")[0] == 0


def test_a_whole_program_as_cuda(run: Run, history: Path) -> None:
    path = history.with_name("program.cu")
    status, out, err = run("grad", path, "main", "--wrt", "start", "--objective", "loss", "--argv", "6")
    assert (status, err) == (0, "")
    assert "main_grad(" in out
    status, out, err = run("explain", path, "main", "--wrt", "start", "--objective", "loss", "--argv", "6")
    assert status == 0
    assert "snapshot" in out
    status, _, err = run("grad", path, "main", "--wrt", "start", "--argv", "6")
    assert status != 0
    assert "name the objective" in err


def test_doctor(run: Run) -> None:
    status, out, _ = run("doctor")
    assert status == 0
    assert "C compiler" in out


def test_doctor_tells_of_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    from hetad.cli import doctor
    from hetad.run import cuda, nccl

    monkeypatch.setattr(cuda, "library_description", lambda name: "/lib/libcublas.so.13" if name == "cublas" else None)
    monkeypatch.setattr(nccl, "find", lambda: None)
    blas, fft, messages = doctor._libraries()
    assert (blas.topic, blas.status, blas.detail, blas.remedy) == ("cuBLAS", "ok", "/lib/libcublas.so.13", "")
    assert (fft.topic, fft.status) == ("cuFFT", "ok")  # the backend can be used without it
    assert "kernels of hetad's own" in fft.detail
    assert "pip install nvidia-cufft" in fft.remedy
    assert (messages.topic, messages.status, messages.remedy) == ("NCCL", "ok", nccl.HOW_TO_GET_IT)


def test_doctor_says_how_to_get_a_compiler(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HETAD_CC", "no-such-compiler")
    monkeypatch.setattr("hetad.run.cuda.unusable_reason", lambda: "none here")
    status, out, _ = run("doctor", "--json")
    result = json.loads(out)
    (finding,) = result["findings"]["CPU backend"]
    assert finding["status"] == "absent"
    assert "no-such-compiler" in finding["detail"] + finding["remedy"]
    assert status == (0 if result["usable"]["CUDA backend"] else 1)


# --- optimisations --------------------------------------------------------------------------------


def test_an_optimisation_alone(run: Run) -> None:
    grad = ("grad", AXPY, "axpy", "--wrt", "a,x", "--of", "y")
    assert "atomicAdd(adj_x" not in run(*grad)[1]
    for chosen, atomics in (("none", True), ("sums", True), ("axes,exclusive", False), ("all", False)):
        status, text, _ = run(*grad, "--optimize", chosen)
        assert status == 0
        assert bool(re.search(r"atomicAdd\(\s*&?adj_x", text)) == atomics, chosen


def test_an_optimisation_that_there_is_not(run: Run) -> None:
    status, _, problem = run("grad", AXPY, "axpy", "--wrt", "x", "--of", "y", "--optimize", "gather,xyz")
    assert status != 0
    assert "there are activity, needed," in problem


# --- on a terminal of 80 columns ---------------------------------------------------------------------


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> list[str]:
    """The lines that a command prints there."""
    import io

    from rich.console import Console

    from hetad.cli import console

    stream = io.StringIO()
    terminal = Console(file=stream, force_terminal=True, width=80, highlight=False, color_system=None)
    monkeypatch.setattr(console, "out", lambda: terminal)
    main([str(a) for a in arguments])
    return stream.getvalue().splitlines()


@pytest.mark.parametrize("arguments", [
    ("gradcheck", SAMPLES / "collide.toml", "--backend", "cpu", "--no-racecheck"),
    ("explain", SAMPLES / "collide.cu", "iter", "--wrt", "src,dst", "--of", "src,dst"),
    ("explain", SAMPLES / "collide.toml"),
    ("doctor",),
    ("run", SAMPLES / "collide.toml", "--backend", "cpu"),
])  # fmt: skip
def test_80_columns_are_enough(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: tuple[object, ...]) -> None:
    lines = on_a_terminal(monkeypatch, *arguments)
    long = [line for line in lines if len(line) > 80 and " " in line.strip()]
    assert not long
    assert not [line for line in lines if line.endswith("…")]


def test_words_are_not_broken_and_lines_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ("explain", SAMPLES / "lbm_d2q9.cu", "flow", "--wrt", "f,omega", "--of", "f")
    lines = on_a_terminal(monkeypatch, *arguments)
    text = " ".join(" ".join(lines).split())
    assert "kept without a copy, where all of it is overwritten (8 * (9 * nx * ny) bytes" in text
    told = [line for line in lines if re.match(r"\S+:\d+:\d+: ", line)]
    assert len(told) == len(set(told))


def test_what_stands_in_brackets_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    from hetad.cli import doctor

    finding = doctor.Finding("CuPy", "absent", "not [yet] installed", "pip install it[cuda13]")
    monkeypatch.setattr(doctor, "examine", lambda: {g: [finding] for g in ("hetad", "CPU backend", "CUDA backend")})
    text = "\n".join(on_a_terminal(monkeypatch, "doctor"))
    assert "not [yet] installed" in text
    assert "pip install it[cuda13]" in text


def test_templates_are_listed(run: Run, source: Callable[[str], Path]) -> None:
    path = source("template <typename T> __global__ void twice(T *x) { x[threadIdx.x] *= 2; }")
    status, out, _ = run("check", path)
    assert status == 0
    assert "twice<…>" in out
    assert run("check", path, "twice<float>")[0] == 0
    assert json.loads(run("check", path, "--json")[1])["templates"] == ["twice"]
    status, _, err = run("check", path, "twice")
    assert status == 2
    assert "name an instance of it, as 'twice<float>'" in err


def test_times_are_told(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from hetad.run import kept, timing

    monkeypatch.setattr(kept, "is_enabled", lambda: True)
    monkeypatch.setattr("hetad.kept_unit.is_enabled", lambda: True)
    monkeypatch.setenv("HETAD_CACHE_DIR", str(tmp_path / "cache"))
    for again in (False, True):
        timing.steps.clear()
        status, _, err = run("run", SAMPLES / "axpy.toml", "--backend", "cpu", "--time")
        assert status == 0
        told = re.findall(r"^ +[\d.]+ ms  (.*)$", err, re.MULTILINE)
        assert ("axpy derivative (kept)" in told) is again
        assert ("the C compiler" in told) is not again
        assert told[-1] == "in all, after the start of Python"
