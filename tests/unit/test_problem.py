"""Problem files: what is read, and what is said about mistakes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hetad import problem as problems
from hetad.diagnostics import ArgumentError, Span
from hetad.ir.nodes import Symbol
from hetad.ir.types import BOOL, DOUBLE, FLOAT, INT, SIZE_T, Field, Pointer, Struct, Type

HEAD = """
source = "program.cu"
function = "f"
wrt = ["x"]
"""
PATH = Path("folder/problem.toml")


def parameter(name: str, type_: Type) -> Symbol:
    return Symbol(name, type_, Span("program.cu", 1, 1), "param")


def argument(text: str, type_: Type, path: Path = PATH) -> object:
    """The argument made for a parameter `x` from the inputs `text`."""
    return problems.parse(f"{HEAD}[inputs]\n{text}", path).arguments([parameter("x", type_)])[0]


def refusal(text: str) -> str:
    with pytest.raises(ArgumentError) as caught:
        problems.parse(text, PATH)
    return str(caught.value)


def argument_refusal(text: str, type_: Type) -> str:
    with pytest.raises(ArgumentError) as caught:
        argument(text, type_)
    return str(caught.value)


def test_everything_a_file_can_say() -> None:
    problem = problems.parse(
        HEAD
        + """
        of = ["y"]
        include_dirs = ["include"]
        defines = { N = 8, REAL = "double" }
        [launch]
        grid = [2, 3]
        block = 64
        shared_mem = 256
        [gradcheck]
        rtol = 1e-4
        samples = 2
        """,
        PATH,
    )
    assert problem.source == Path("folder/program.cu")
    assert (problem.function, problem.wrt, problem.of) == ("f", ("x",), ("y",))
    assert problem.include_dirs == (Path("folder/include"),)
    assert problem.defines == {"N": "8", "REAL": "double"}
    assert problem.launch == {"grid": (2, 3), "block": 64, "shared_mem": 256}
    assert problem.gradcheck == {"rtol": 1e-4, "samples": 2}


def test_of_may_be_absent() -> None:
    assert problems.parse(HEAD, PATH).of is None


@pytest.mark.parametrize(
    ("text", "type_", "expected"),
    [
        ("x = 3", INT, 3),
        ("x = true", BOOL, True),
        ("x = 3", DOUBLE, 3.0),
        ("x = 2.5", FLOAT, 2.5),
    ],
)
def test_scalars(text: str, type_: Type, expected: float) -> None:
    made = argument(text, type_)
    assert made == expected
    assert type(made) is type(expected)


def test_random_values_are_those_of_numpy() -> None:
    expected = np.random.default_rng(7).standard_normal((4, 5)).astype(np.float32)
    made = argument("x = { shape = [4, 5], random = 7 }", Pointer(FLOAT, const=True))
    np.testing.assert_array_equal(made, expected)
    assert isinstance(made, np.ndarray)
    assert made.dtype == np.float32


def test_uniform_values_lie_in_their_range() -> None:
    made = argument("x = { shape = [100], random_uniform = 1, low = 2.0, high = 3.0 }", Pointer(DOUBLE))
    assert isinstance(made, np.ndarray)
    assert made.min() >= 2.0
    assert made.max() < 3.0


def test_random_whole_numbers() -> None:
    made = argument("x = { shape = [100], random = 1, low = 0, high = 5 }", Pointer(INT))
    assert isinstance(made, np.ndarray)
    assert made.dtype == np.int32
    assert set(made) == {0, 1, 2, 3, 4}


def test_literal_values_and_zeros() -> None:
    np.testing.assert_array_equal(
        argument("x = { values = [1, 2, 3, 4], shape = [2, 2] }", Pointer(SIZE_T)),
        np.array([[1, 2], [3, 4]], np.uint64),
    )
    np.testing.assert_array_equal(argument("x = { zeros = [2, 3] }", Pointer(DOUBLE)), np.zeros((2, 3)))


def test_arrays_from_files_are_found_beside_the_problem(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.arange(3.0))
    made = argument('x = { file = "x.npy" }', Pointer(DOUBLE), tmp_path / "problem.toml")
    np.testing.assert_array_equal(made, [0.0, 1.0, 2.0])


def test_structs() -> None:
    particle = Struct("particle", (Field("x", DOUBLE), Field("kind", INT)))
    assert argument("x = { x = 1.5, kind = 2 }", particle) == {"x": 1.5, "kind": 2}
    records = argument("x = { values = [{ x = 1.0, kind = 2 }, { x = 3.0, kind = 4 }] }", Pointer(particle))
    assert isinstance(records, np.ndarray)
    assert records["x"].tolist() == [1.0, 3.0]
    assert records["kind"].tolist() == [2, 4]
    randoms = argument("x = { shape = [3], random = 1 }", Pointer(particle))
    assert isinstance(randoms, np.ndarray)
    assert np.all(randoms["x"] != 0)
    assert not randoms["kind"].any()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("function = 'f'", ["folder/problem.toml", "'source' is missing"]),
        (HEAD + "wrtt = ['x']", ["unknown key 'wrtt'", "did you mean 'wrt'?"]),
        (HEAD + "zzz = 1", ["unknown key 'zzz'", "source, function, wrt"]),
        (HEAD.replace('["x"]', '"x"'), ["wrt must be a list of parameter names"]),
        (HEAD.replace('"f"', "3"), ["function must be a string"]),
        (HEAD + "[launch]\ngird = 1", ["[launch]: unknown key 'gird'", "did you mean 'grid'?"]),
        (HEAD + "[launch]\nblock = 'x'", ["[launch] block must be a whole number"]),
        (HEAD + "[launch]\nblock = [1, 2, 3, 4]", ["up to three"]),
        (HEAD + "inputs = 3", ["inputs must be a table"]),
        (HEAD + "[gradcheck]\nrtol = 'x'", ["rtol must be a number"]),
        ("source = \n", ["not valid TOML", "line 1"]),
    ],
)
def test_mistakes_in_the_file(text: str, parts: list[str]) -> None:
    message = refusal(text)
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    ("text", "type_", "part"),
    [
        ("", INT, "says nothing about x of f"),
        ("x = 1\ny = 2", INT, "unknown key 'y'"),
        ("x = 1.5", INT, "takes a whole number, not 1.5"),
        ("x = true", DOUBLE, "takes a number, not True"),
        ("x = { zeros = [3] }", DOUBLE, "passed by value"),
        ("x = 1", Pointer(DOUBLE), "a pointer and takes one of { shape"),
        ("x = { shape = [3] }", Pointer(DOUBLE), "takes one of"),
        ("x = { random = 3 }", Pointer(DOUBLE), "'shape' is missing"),
        ("x = { shape = [3], random = 3, hihg = 4 }", Pointer(DOUBLE), "did you mean 'high'?"),
        ("x = { shape = [3], random = 3 }", Pointer(INT), "need 'low' and 'high'"),
        ("x = { shape = [3], random_uniform = 3 }", Pointer(INT), "integers"),
        ("x = { shape = [3], random = 3, low = 0 }", Pointer(DOUBLE), "random_uniform"),
        ("x = { values = [1, 2], shape = [3] }", Pointer(DOUBLE), "[inputs] x"),
        ('x = { file = "none.npy" }', Pointer(DOUBLE), "cannot read folder/none.npy"),
        ("x = { zeros = [3] }", Pointer(Pointer(DOUBLE)), "no form for an array of"),
    ],
)
def test_inputs_that_do_not_fit(text: str, type_: Type, part: str) -> None:
    message = argument_refusal(text, type_)
    assert "folder/problem.toml" in message
    assert part in message


def test_a_file_of_another_type_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros(3, np.float32))
    with pytest.raises(ArgumentError, match="holds float32, the parameter takes float64"):
        argument('x = { file = "x.npy" }', Pointer(DOUBLE), tmp_path / "problem.toml")


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="cannot read the problem file"):
        problems.read(tmp_path / "none.toml")


@pytest.mark.parametrize("mode", problems.MODES)
def test_modes(mode: str) -> None:
    assert problems.parse(f'{HEAD}mode = "{mode}"', PATH).mode == mode


def test_a_gradient_is_the_usual_mode() -> None:
    assert problems.parse(HEAD, PATH).mode == "gradient"


@pytest.mark.parametrize("value", ['"forward"', "3", "[]", "{}"])
def test_unknown_modes(value: str) -> None:
    said = refusal(f"{HEAD}mode = {value}")
    assert said.startswith(f"{PATH}: mode must be one of gradient, tangent, hvp, jacobian, hessian, not ")


def test_a_mode_that_is_nearly_one() -> None:
    assert refusal(f'{HEAD}mode = "hesian"').endswith("not 'hesian'; did you mean 'hessian'?  [HET510]")
