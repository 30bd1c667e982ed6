"""Whole programs: the gradient of a host function that launches many kernels, against the program itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from cases import lattice
from common import PROGRAMS

TINY = {
    "heat_256": (32, 6), "heat_2048": (48, 4), "diffusion_256": (32, 30), "diffusion_2048": (48, 30),
    "lbm_100": (6, 4), "cg_512": (24, 8),
}  # fmt: skip
BUDGET = 20  # steps: what a time loop may save under a budget


@dataclass(frozen=True)
class WholeProgram:
    """One program at one size; `values` in the order of the parameters."""

    name: str
    title: str
    source: Path
    function: str
    wrt: tuple[str, ...]
    of: tuple[str, ...]
    values: dict[str, Any]
    tolerance: float = 1e-3  # of the directional derivative
    limit: float = 3.5  # gradient / primal
    least: int | None = None  # of a time loop: the bytes that any reverse sweep has to have of the primal
    budget: int | None = None  # and the bytes for a run under a memory limit

    @property
    def adjoints(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.of, *self.wrt)))


def _heat(name: str, n: int, steps: int) -> WholeProgram:
    """Linear: nothing of the primal is needed."""
    values = _lattices(n) | {"c": float(np.float32(0.2)), "steps": steps}
    title = f"heat, {n}², {steps} steps"
    return WholeProgram(
        name, title, PROGRAMS / "heat.cu", "heat", ("u",), ("u",), values, least=0, budget=_budget(n)
    )  # fmt: skip


def _diffusion(name: str, n: int, steps: int) -> WholeProgram:
    """Nonlinear: what each step reads, of which the first is the argument."""
    values = _lattices(n) | {"c": float(np.float32(0.02)), "steps": steps}
    title = f"nonlinear heat, {n}², {steps} steps"
    return WholeProgram(
        name, title, PROGRAMS / "diffusion.cu", "diffusion", ("u",), ("u",), values,
        least=4 * n * n * (steps - 1), budget=_budget(n),
    )  # fmt: skip


def _lattices(n: int) -> dict[str, Any]:
    u = np.random.default_rng(1).standard_normal((n, n), dtype=np.float32)
    return {"u": u, "work": np.zeros_like(u), "nx": n, "ny": n}


def _budget(n: int) -> int:
    return BUDGET * 4 * n * n


def _lbm(name: str, n: int, steps: int) -> WholeProgram:
    f = lattice(n, n, n + n // 4)
    values = {
        "f": f, "g": np.zeros_like(f), "nx": n, "ny": n, "nz": n + n // 4,
        "omega": float(np.float32(1.2)), "steps": steps,
    }  # fmt: skip
    title = f"LBM D3Q19, {n}×{n}×{n + n // 4}, {steps} steps"
    return WholeProgram(name, title, PROGRAMS / "lbm.cu", "lbm_steps", ("f",), ("f",), values)


def _cg(name: str, n: int, iterations: int) -> WholeProgram:
    rng = np.random.default_rng(1)
    values = {
        "x": np.zeros((n, n), np.float32), "b": rng.standard_normal((n, n), dtype=np.float32),
        "k": rng.random((n, n), dtype=np.float32), "nx": n, "ny": n, "iterations": iterations,
    }  # fmt: skip
    title = f"conjugate gradients, {n}², {iterations} iterations"
    return WholeProgram(name, title, PROGRAMS / "cg.cu", "solve", ("b", "k"), ("x",), values, tolerance=1e-2)


def program(name: str, tiny: bool = False) -> WholeProgram:
    make, full = _PROGRAMS[name]
    return make(name, *(TINY[name] if tiny else full))


_PROGRAMS: dict[str, tuple[Callable[[str, int, int], WholeProgram], tuple[int, int]]] = {
    "heat_256": (_heat, (256, 1000)),
    "heat_2048": (_heat, (2048, 1000)),
    "diffusion_256": (_diffusion, (256, 1000)),
    "diffusion_2048": (_diffusion, (2048, 1000)),
    "lbm_100": (_lbm, (120, 100)),
    "cg_512": (_cg, (512, 40)),
}
PROGRAM_NAMES = tuple(_PROGRAMS)
