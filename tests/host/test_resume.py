"""Gradients that another process goes on with: whatever moment a process ends at, the same bits come out."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetad
from hetad.cli import main
from tests.host.file_operations import send, watched
from tests.host.resumed import GROW, MARCH, PROGRAMS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", PROGRAMS)
def test_killed_again_and_again(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.host.killed", name, str(tmp_path), "60"],
        capture_output=True, text=True, check=False, cwd=ROOT, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def interrupt(gradient: hetad.Gradient, args: list[Any], seeds: dict[str, Any], at: int) -> None:
    """Calls the gradient, which is `watched`, and stops it by Ctrl-C in front of its file operation `at`."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        pytest.skip("the shell has this process ignore Ctrl-C, as it does for jobs in the background")
    send(signal.SIGINT, at)
    with pytest.raises(KeyboardInterrupt):
        gradient(*args, **seeds)
    send(signal.SIGINT, 0)


def test_ctrl_c_and_the_same_call_again(tmp_path: Path, backend: str) -> None:
    """It goes on from where it was, arguments are as they were, and another call is told what is not the same."""
    _, function, what, args, _, limits = PROGRAMS["march"]()
    march = hetad.loads(MARCH)[function]
    wanted = hetad.gradient(march, **what, backend=backend, **limits)(*args)
    gradient = hetad.gradient(march, **what, backend=backend, **limits, checkpoint_dir=tmp_path, resume=0)
    before = [np.copy(a) for a in args]
    with watched():
        interrupt(gradient, args, {}, 30)
        interrupt(gradient, args, {}, 50)
    (files,) = tmp_path.iterdir()
    for a, b in zip(args, before, strict=True):
        np.testing.assert_array_equal(a, b)
    with pytest.raises(hetad.ArgumentError, match=r"(?s)resume=: c: not what the call .* remove .*hetad-resume"):
        gradient(*args[:2], 0.8, *args[3:])
    with pytest.raises(hetad.ArgumentError, match="x, v: not what the call"):
        gradient(args[1], args[0], *args[2:])
    with pytest.raises(hetad.ArgumentError, match="seeds: not what the call"):
        gradient(*args, seeds={"return": 2.0})
    other = hetad.gradient(march, wrt="x", backend=backend, **limits, checkpoint_dir=tmp_path, resume=0)
    with pytest.raises(hetad.ArgumentError, match="the program, its options or backend is another one"):
        other(*args)
    files.rename(tmp_path / "hetad-resume-0-of-2")
    with pytest.raises(hetad.ArgumentError, match="hetad-resume-0-of-2 is of a call on another number of ranks"):
        gradient(*args)
    (tmp_path / "hetad-resume-0-of-2").rename(files)
    found = gradient(*args)
    for x in what["wrt"]:
        np.testing.assert_allclose(found[x], wanted[x], rtol=1e-12 if backend == "cuda" else 0)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_damaged_is_told(tmp_path: Path) -> None:
    _, function, what, args, _, limits = PROGRAMS["march"]()
    march = hetad.loads(MARCH)[function]
    wanted = hetad.gradient(march, **what, backend="cpu", **limits)(*args)
    gradient = hetad.gradient(march, **what, backend="cpu", **limits, checkpoint_dir=tmp_path, resume=0)
    with watched():
        interrupt(gradient, args, {}, 40)
    for path in tmp_path.glob("*/position-?"):
        path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(hetad.ExecutionError, match=r"hetad-resume/position-\d' is damaged: remove that directory"):
        gradient(*args)
    shutil.rmtree(tmp_path / "hetad-resume")
    for x in what["wrt"]:
        np.testing.assert_array_equal(gradient(*args)[x], wanted[x])


def test_in_use(tmp_path: Path) -> None:
    import fcntl

    _, function, what, args, _, limits = PROGRAMS["march"]()
    march = hetad.loads(MARCH)[function]
    gradient = hetad.gradient(march, **what, backend="cpu", **limits, checkpoint_dir=tmp_path, resume=True)
    (tmp_path / "hetad-resume").mkdir()
    with (tmp_path / "hetad-resume" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(hetad.ArgumentError, match="a call that runs uses"):
            gradient(*args)
    gradient(*args)
    assert list(tmp_path.iterdir()) == []


def test_options(tmp_path: Path) -> None:
    march = hetad.loads(MARCH)["march"]
    with pytest.raises(hetad.ArgumentError, match="resume= is for calls with memory_limit= and checkpoint_dir="):
        hetad.gradient(march, wrt="x", memory_limit="1MB", resume=True)
    with pytest.raises(hetad.ArgumentError, match="resume=-1: expected True, or how many seconds"):
        hetad.gradient(march, wrt="x", memory_limit="1MB", checkpoint_dir=tmp_path, resume=-1)
    with pytest.raises(hetad.ArgumentError, match="leave out graph= and batch="):
        hetad.gradient(march, wrt="x", memory_limit="1MB", checkpoint_dir=tmp_path, resume=True, batch=2)


KERNEL = """
__global__ void step(double *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) u[i] = u[i] * u[i];
}
__global__ void count(double *u, int *cells, int n)
{
    int i = threadIdx.x;
    if (i < n) u[atomicAdd(cells, 1)] *= 2;
}
"""
LOOP = "for (int t = 0; t < steps; ++t) step<<<1, 32>>>(u, n);"


@pytest.mark.parametrize(
    ("body", "line", "message"),
    [
        ("step<<<1, 32>>>(u, n);", 12, "with a time loop .* and there is none"),
        (f"if (n > 3) {{\n{LOOP}\n}}", 14, "with a time loop .* and there is none"),
        ("for (int t = 0; t < steps; ++t) { step<<<1, 32>>>(u, n); cudaMalloc(&cells, 8); cudaFree(cells); }", 13,
         "in this one every step is recorded: memory is allocated or freed in it"),
        (f"count<<<1, 32>>>(u, cells, n);\n{LOOP}", 13, "what 'count' does depends on the order of its threads"),
        (f"if (rand() % 2) step<<<1, 32>>>(u, n);\n{LOOP}", 12, "it cannot be run again: more than output depends on"),
        (f"void *m = malloc(16);\nint *q = (int *)m;\nq[3] = 0;\ndouble **p = (double **)m;\np[0] = u;\n{LOOP}", 13,
         "nothing tells where in the memory of 'm_memory' pointers lie"),
        (f"struct Any {{ void *m; }} any;\nany.m = malloc(16);\ndouble **p = (double **)any.m;\np[0] = u;\n{LOOP}", 15,
         "nothing tells where in the memory of 'm_memory' pointers lie"),
    ],
)  # fmt: skip
def test_what_is_refused(body: str, line: int, message: str, tmp_path: Path) -> None:
    program = hetad.loads(f"{KERNEL}void f(double *u, int *cells, int n, int steps) {{\n{body}\n}}\n", "loop.cu")
    with pytest.raises(hetad.UnsupportedError, match=message) as refused:
        hetad.gradient(program["f"], wrt="u", of="u", memory_limit="1MB", checkpoint_dir=tmp_path, resume=True)
    assert refused.value.span.line == line
    assert "resume=" in str(refused.value)


def test_emitted_text_does_not_resume(tmp_path: Path) -> None:
    """The .cu runs from beginning to end: the directory is told by Python alone."""
    gradient = hetad.gradient(
        hetad.loads(GROW)["grow"], wrt="u", of="u", memory_limit="1MB", checkpoint_dir=tmp_path, resume=True
    )
    assert "hetad_resumes();" in gradient.source
    assert str(tmp_path) not in gradient.source


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "march.cu").write_text(MARCH)
    (tmp_path / "scratch").mkdir()
    problem = tmp_path / "march.toml"
    vector = "{ shape = [50], random_uniform = 1, low = 0.5, high = 1.0 }"
    problem.write_text(
        'source = "march.cu"\nfunction = "march"\nwrt = ["x"]\nmemory_limit = "1MB"\n'
        f"[inputs]\nx = {vector}\nv = {vector}\nc = 0.5\nn = 50\nsteps = 6\n"
    )
    command = ["run", str(problem), "--backend", "cpu", "--resume"]
    assert main([*command, "--checkpoint-dir", str(tmp_path / "scratch")]) == 0
    assert list((tmp_path / "scratch").iterdir()) == []
    assert main(command) != 0
    assert "resume= is for calls with memory_limit= and checkpoint_dir=" in capsys.readouterr().err
    assert main([*command, "--mode", "hvp"]) != 0
    assert "--resume is for gradients" in capsys.readouterr().err
