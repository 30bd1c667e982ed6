"""Passes and pipelines: what is run, in which order, for whom, and what watchers see of it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import hetad
from hetad import pipeline
from hetad.adjoint.options import ALL, OPTIMISATIONS
from hetad.cli import main
from hetad.diagnostics import Span
from hetad.host.derivation import Request
from hetad.ir import nodes as ir
from hetad.ir.forms import Form
from hetad.ir.types import INT, VOID
from hetad.ir.verify import InvalidIR
from hetad.passes.manager import Pass, PipelineError, Watcher, function_pass, program_pass, run, watched
from hetad.passes.task import Task, entry_pass
from hetad.passes.watching import Snapshots, Times, Verifying
from hetad.rules.signatures import signature

SAMPLES = Path(__file__).parents[2] / "samples"
HERE = Span("f.cu", 1, 1)
N = ir.Symbol("n", INT, HERE)


def task(*names: str) -> Task:
    functions = {name: ir.Function(name, "host", (), VOID, (), HERE) for name in names}
    return Task(functions, entry=names[0])


def declaring(function: ir.Function) -> ir.Function:
    """With one more variable."""
    variable = ir.Symbol(f"n{len(function.body)}", INT, HERE)
    return replace(function, body=(ir.Declare(variable, None, span=HERE), *function.body))


def differentiated(*watchers: Watcher, **options: Any) -> None:
    unit = hetad.load(SAMPLES / "collide.cu").unit
    request = Request(function="iter", wrt=("src", "dst"), of=("src", "dst"), options=replace(ALL, **options))
    with watched(*watchers):
        pipeline.differentiate(unit, request)


def test_passes_run_in_order_for_those_who_want_them() -> None:
    first = function_pass("first", declaring)
    second = entry_pass("second")(declaring)
    never = second.only(lambda program: False)
    done = run((first, second, never), task("f", "g"))
    assert [len(f.body) for f in done.functions.values()] == [2, 1]
    assert done.entry == "f"


def test_a_pass_that_does_nothing_returns_the_same_program() -> None:
    there = task("f")
    assert run((function_pass("nothing", lambda f: f), entry_pass("nothing")(lambda f: f)), there) is there


def test_passes_build_on_forms() -> None:
    making = function_pass("making", declaring).leaving(Form.STRUCTURED)
    needing = function_pass("needing", declaring).needing(Form.STRUCTURED)
    breaking = function_pass("breaking", declaring).breaking(Form.STRUCTURED)
    assert run((making, needing), task("f")).forms == {Form.STRUCTURED}
    assert run((making, breaking), task("f")).forms == frozenset()
    with pytest.raises(PipelineError, match="needing is for programs that are STRUCTURED"):
        run((making, breaking, needing), task("f"))


def test_the_verifier_names_the_pass() -> None:
    @entry_pass("spoil")
    def spoil(function: ir.Function) -> ir.Function:
        return replace(function, body=(ir.Assign(ir.Var(N, span=HERE), ir.Const(1, INT, span=HERE), span=HERE),))

    with watched(Verifying(signature)), pytest.raises(InvalidIR, match=r"after spoil: f, f.cu:1:1: .*in_scope"):
        run((spoil,), task("f"))


def test_the_verifier_asks_for_the_forms_of_all_functions() -> None:
    """Also of those that the pass which promises a form has not touched."""
    jump = replace(task("f"), functions={"f": ir.Function("f", "host", (), VOID, (ir.Block((), span=HERE),), HERE)})
    promise = program_pass("promise")(lambda program: program).leaving(Form.STRUCTURED)
    with watched(Verifying(signature)), pytest.raises(InvalidIR, match="after promise"):
        run((promise,), jump)


def test_every_pass_has_a_name_of_its_own_and_says_what_it_does() -> None:
    passes = pipeline.every_pass()
    assert len({p.name for p in passes}) == len(passes)
    for p in passes:
        assert re.fullmatch(r"[a-z-]+", p.name)
        assert p.summary.endswith((".", ":", ";")) or p.summary, p.name


def test_every_pass_of_a_differentiation_is_in_the_table_of_contents() -> None:
    times = Times()
    differentiated(times)
    listed = [p.name for p in pipeline.every_pass()]
    assert set(times.rows) <= set(listed)
    top = [name for name in times.rows if name in {p.name for p in pipeline.DIFFERENTIATE}]
    assert sorted(top, key=listed.index) == sorted(top, key=list(times.rows).index)


def test_options_choose_passes() -> None:
    """An optimisation that is off takes its passes out; the others stay."""
    every = Times()
    differentiated(every)
    gone: dict[str, set[str]] = {}
    for name in ("gather", "warps", "outline", "needed", "activity"):
        assert name in OPTIMISATIONS
        times = Times()
        differentiated(times, **{name: False})
        gone[name] = set(every.rows) - set(times.rows)
    assert gone["gather"] >= {"gather", "gather-pairs"}
    assert gone["warps"] == {"warp-sums"}
    assert gone["outline"] == {"outline"}
    assert gone["needed"] == {"prune-saves"}
    assert gone["activity"] == set()  # asked within a pass


def test_snapshots_of_kernels_and_of_the_host() -> None:
    normal, reversed_kernel = Snapshots("structured-control"), Snapshots("reverse-kernel")
    differentiated(normal, reversed_kernel)
    assert "host void iter(" in normal.text()
    assert "kernel void collide_pullback(" in reversed_kernel.text()
    assert "host void iter(" not in reversed_kernel.text()


ARGUMENTS = ["grad", str(SAMPLES / "collide.cu"), "iter", "--wrt", "src,dst", "--of", "src,dst"]


def test_the_command_line_lists_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ARGUMENTS, "--emit", "passes"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [p.name for p in pipeline.every_pass()]


def test_the_command_line_prints_programs_between_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ARGUMENTS, "--emit", "after:inline"]) == 0
    text = capsys.readouterr().out
    assert "collide<<<1, 100>>>" in text.split("host void iter(")[1]


def test_the_command_line_prints_programs_on_their_way_to_the_cpu(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["grad", str(SAMPLES / "stencil_halo.cu"), "evolve", "--wrt", "u", "--of", "u", "--emit"]
    for name, has in (("barriers-in-kernels", False), ("barrier-intervals", True)):
        assert main([*asked, f"after:{name}"]) == 0
        assert ("kernel void hetad_accumulate_double(" in capsys.readouterr().out) is has
    names = [p.name for p in pipeline.every_pass()]
    assert names[-len(pipeline.CPU) :] == [p.name for p in pipeline.CPU]


def test_the_command_line_knows_near_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ARGUMENTS, "--emit", "after:inlin"]) == 2
    assert "did you mean after:inline" in capsys.readouterr().err


def test_the_command_line_times_and_verifies(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ARGUMENTS, "--time-passes", "--verify-each"]) == 0
    rows = [line.split() for line in capsys.readouterr().err.splitlines()]
    assert rows[0] == ["pass", "runs", "ms", "statements"]
    found = {row[0]: int(row[1]) for row in rows[1:]}
    assert found["reverse"] == 1
    assert found["reverse-kernel"] >= 1


def test_a_program_that_is_refused_later_is_printed_so_far(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "f.cu"
    source.write_text(
        "__global__ void k(float *y, const float *x)\n"
        "{ y[threadIdx.x] = __int_as_float(__float_as_int(x[threadIdx.x]) ^ 1); }\n"
        "void f(float *y, const float *x) { k<<<1, 8>>>(y, x); }\n"
    )
    arguments = ["grad", str(source), "f", "--wrt", "x", "--of", "y"]
    assert main(arguments) == 1
    capsys.readouterr()
    assert main([*arguments, "--emit", "after:inline"]) == 0
    assert "kernel void k(" in capsys.readouterr().out


def test_watchers_are_those_of_the_context() -> None:
    seen: list[str] = []

    def watch(step: Pass[Any], before: ir.Program, after: ir.Program, seconds: float) -> None:
        assert seconds >= 0
        assert before is not after
        seen.append(step.name)

    step = function_pass("step", declaring)
    with watched(watch):
        run((step,), task("f"))
    run((step,), task("f"))
    assert seen == ["step"]
