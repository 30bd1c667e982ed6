"""Tests that are files: a CUDA program that begins with a block of TOML.

    /*---
    function = "scale"
    wrt = ["x"]
    of = ["y"]
    [inputs]
    x = { shape = [10], random = 1 }
    y = { zeros = [10] }
    n = 10
    ---*/
    // What this program is a test of.
    __global__ void scale_kernel(...)

The keys are those of a problem file without `source` (see hetad/problem.py).  Also:

    reference = { x = "2 * x * adj_y" }   # in NumPy, over arguments and seeds (adj_NAME), element by element
    others = ["../parts/kernels.cu"]      # the program's other files
    devices = 2                           # how many the program uses: with fewer GPUs it is skipped there
    [[cases]]                             # several: each overrides the keys above, tables key by key
    name = "empty"
    inputs = { n = 0 }
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import hetad
from hetad import problem as problems
from hetad.run import cuda
from tests.oracle import Reference, check_gradient, optimisations
from tests.turns import is_turn_of

_HEADER = re.compile(r"\A/\*---\n(.*?)^---\*/", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """One problem of a program; `name` is what pytest shows."""

    name: str
    problem: problems.Problem
    reference: Mapping[str, str]
    devices: int = 1

    def check(self, backend: str, settings: Sequence[Mapping[str, Any]] | None = None) -> None:
        """`settings`: keyword arguments of `hetad.gradient` to try; by default with optimisation, and if it is the
        program's turn without."""
        if backend == "cuda" and cuda.cupy_module().cuda.runtime.getDeviceCount() < self.devices:
            pytest.skip(f"fewer than {self.devices} GPUs")
        problem = self.problem
        default = optimisations() if is_turn_of(problem.path.stem, 4) else [{"optimize": True}]
        tried = [{**setting, **problem.memory} for setting in settings or default]
        program = hetad.load(problem.source, defines=problem.defines)
        check_gradient(
            problem.source, problem.function, problem.arguments(program[problem.function].parameters),
            problem.wrt, problem.of, backend=backend, launch=problem.launch, defines=problem.defines,
            reference=_evaluator(self.reference) if self.reference else None, settings=tried,
            **_tolerances(problem),
        )  # fmt: skip


def header(path: Path) -> dict[str, Any]:
    """The TOML at the head of a program."""
    found = _HEADER.match(path.read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{path} does not begin with a block /*--- … ---*/")
    # Empty lines keep the line numbers of TOML's errors right.
    return tomllib.loads("\n" + found.group(1))


def cases(path: Path) -> list[Case]:
    """The problems of a program, one or those under `[[cases]]`."""
    common = header(path)
    variants = common.pop("cases", [{}])
    return [_case(path, i, common, variant) for i, variant in enumerate(variants)]


def _case(path: Path, number: int, common: Mapping[str, Any], variant: dict[str, Any]) -> Case:
    label = variant.pop("name", str(number) if number else "")
    table = _merged(common, variant)
    reference = table.pop("reference", {})
    others, devices = table.pop("others", []), table.pop("devices", 1)
    table["source"] = [path.name, *others] if others else path.name
    name = f"{path.stem}-{label}" if label else path.stem
    return Case(name, problems.from_table(table, path), reference, devices)


def _merged(common: Mapping[str, Any], variant: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(common)
    for key, value in variant.items():
        nested = (
            isinstance(value, dict) and isinstance(result.get(key), dict) and key in {"inputs", "launch", "defines"}
        )
        result[key] = {**result[key], **value} if nested else value
    return result


def _tolerances(problem: problems.Problem) -> dict[str, Any]:
    return dict(problem.gradcheck)


def _evaluator(expressions: Mapping[str, str]) -> Reference:
    def evaluate(arguments: dict[str, Any], seeds: dict[str, Any]) -> dict[str, Any]:
        import numpy as np

        names = {"np": np, **arguments, **{f"adj_{name}": seed for name, seed in seeds.items()}}
        return {name: eval(text, names) for name, text in expressions.items()}  # the tests' own text

    return evaluate
