"""Lookups of cross-sections at the size of XSBench's and RSBench's small problems, on one GPU.

    python benchmarks/lookups.py [--lookups N] [--only xsbench] [--versions all,hot,runs,none] [--write]

The programs are samples/xsbench.cu and samples/rsbench.cu; their data are made here as the originals make theirs:
random tables and poles of 68 nuclides, twelve materials of up to 34.  A version is hetad with all optimisations,
without the one named, or with none.  Times are of the whole call, all arrays on the device; per million lookups, which
is what W. Moses et al., Reverse-mode automatic differentiation and optimization of GPU kernels via Enzyme, SC 2021,
compare.  Error: the largest difference to the gradient without optimisations at fewer lookups, relative to the largest
cell; the concentrations' also against central differences.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import common
import cupy as cp
import numpy as np

common.use_checkout()

import gpu  # noqa: E402

import hetad  # noqa: E402
from hetad.adjoint.options import OPTIMISATIONS  # noqa: E402

NUCLIDES, MOST = 68, 34
SIZES = np.array([34, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9], np.int32)  # nuclides of each material
FEW = 1 << 16  # lookups to compare with the gradient without optimisations
Values = dict[str, Any]


class Records:
    """Device memory of an array of structs, for which CuPy has no dtype."""

    def __init__(self, host: np.ndarray[Any, Any]) -> None:
        self.dtype, self.shape, self.size = host.dtype, host.shape, host.size
        self.ndim, self.nbytes = host.ndim, host.nbytes
        self.numbers = cp.asarray(host.view(np.float64))
        self.data, self.flags, self.device = self.numbers.data, self.numbers.flags, self.numbers.device

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return self.numbers.__cuda_array_interface__  # type: ignore[no-any-return]

    def get(self) -> np.ndarray[Any, Any]:
        return self.numbers.get().view(self.dtype)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Lookup:
    """A program; `data(lookups)` gives its arguments in order."""

    data: Callable[[int], Values]
    wrt: tuple[str, ...]
    limit: float  # gradient / primal
    enzyme: float  # the ratio that was published


def materials(rng: np.random.Generator) -> Values:
    mats = np.zeros((len(SIZES), MOST), np.int32)
    for m, size in enumerate(SIZES):
        mats[m, :size] = np.arange(size) if m == 0 else rng.permutation(NUCLIDES)[:size]
    return {"concs": rng.random(mats.size), "mats": mats.ravel(), "num_nucs": SIZES}


def xsbench(lookups: int, points: int = 11303) -> Values:
    rng = np.random.default_rng(1)
    names = ("energy", "total_xs", "elastic_xs", "absorption_xs", "fission_xs", "nu_fission_xs")
    grid = np.zeros((NUCLIDES, points), np.dtype([(n, "f8") for n in names]))
    for n in names:
        grid[n] = rng.random(grid.shape)
    grid["energy"].sort(axis=1)
    united = np.sort(grid["energy"].ravel())
    index = np.empty((united.size, NUCLIDES), np.int32)
    for k in range(NUCLIDES):
        index[:, k] = np.clip(np.searchsorted(grid["energy"][k], united, side="right") - 1, 0, points - 1)
    known = materials(rng)
    return {
        "macro_xs": np.zeros(5 * lookups), "verification": np.zeros(lookups, np.int32), "nuclide_grid": grid.ravel(),
        "egrid": united, "index_grid": index.ravel(), **known, "lookups": lookups, "n_isotopes": NUCLIDES,
        "n_gridpoints": points, "max_num_nucs": MOST,
    }  # fmt: skip


def rsbench(lookups: int, poles: int = 1000, windows: int = 100) -> Values:
    rng = np.random.default_rng(1)
    number = np.dtype([("re", "f8"), ("im", "f8")], align=True)
    parts = ("energy", "total", "absorption", "fission")
    pole = np.zeros((NUCLIDES, poles), np.dtype([*((n, number) for n in parts), ("momentum", "i4")], align=True))
    for n in parts:
        for part in ("re", "im"):
            pole[n][part] = rng.random(pole.shape) * (152.5 if n == "energy" else 1.0)
    pole["momentum"] = rng.integers(0, 4, pole.shape)
    kinds = [("total", "f8"), ("absorption", "f8"), ("fission", "f8"), ("start", "i4"), ("end", "i4")]
    window = np.zeros((NUCLIDES, windows), np.dtype(kinds, align=True))
    for n in ("total", "absorption", "fission"):
        window[n] = rng.random(window.shape)
    window["start"] = np.arange(windows) * (poles // windows)
    window["end"] = window["start"] + poles // windows
    known = materials(rng)
    return {
        "macro_xs": np.zeros(4 * lookups), "verification": np.zeros(lookups, np.int32), "poles": pole.ravel(),
        "windows": window.ravel(), "radii": rng.random(4 * NUCLIDES), "concs": known["concs"],
        "n_windows": np.full(NUCLIDES, windows, np.int32), "mats": known["mats"], "num_nucs": known["num_nucs"],
        "lookups": lookups, "max_num_nucs": MOST, "max_num_windows": windows, "max_num_poles": poles,
    }  # fmt: skip


PROGRAMS = {
    "xsbench": Lookup(xsbench, ("nuclide_grid", "egrid", "concs"), 2.5, 3.2),
    "rsbench": Lookup(rsbench, ("poles", "windows", "radii", "concs"), 3.0, 4.2),
}


def on_device(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    return Records(value) if value.dtype.names else cp.asarray(value)


def optimisations(version: str) -> bool | tuple[str, ...]:
    """All, none, or all but the one named."""
    return version == "all" if version in ("all", "none") else tuple(o for o in OPTIMISATIONS if o != version)


@cache
def differentiated(name: str, version: str) -> tuple[Any, Any]:
    """The program, and its gradient."""
    function = hetad.load(common.SAMPLES / f"{name}.cu")["simulate"]
    chosen = optimisations(version)
    return function, hetad.gradient(function, wrt=PROGRAMS[name].wrt, of="macro_xs", backend="cuda", optimize=chosen)


class Gradient:
    """A version of the gradient, with its arguments and adjoints on the device."""

    def __init__(self, name: str, version: str, values: Values) -> None:
        item = PROGRAMS[name]
        self.function, gradient = differentiated(name, version)
        self.values = {n: on_device(v) for n, v in values.items()}
        self.seeds = cp.asarray(np.random.default_rng(2).random(values["macro_xs"].size))
        zeros = {n: np.zeros(values[n].shape, values[n].dtype) for n in item.wrt}
        self.adjoints = {"macro_xs": self.seeds.copy(), **{n: on_device(v) for n, v in zeros.items()}}
        self.call = partial(gradient.execute, *self.values.values(), *self.adjoints.values())

    def reset(self) -> None:
        cp.copyto(self.adjoints["macro_xs"], self.seeds)

    def found(self) -> dict[str, np.ndarray[Any, Any]]:
        """The gradient of one call, floating cells only."""
        for a in self.adjoints.values():
            (a.numbers if isinstance(a, Records) else a).fill(0)
        self.reset()
        self.call()
        return {n: floating(a.get()) for n, a in self.adjoints.items() if n != "macro_xs"}

    def primal(self) -> None:
        self.function(*self.values.values(), backend="cuda")


def floating(a: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if a.dtype.names is None:
        return a if a.dtype.kind == "f" else np.zeros(0)
    return np.concatenate([floating(a[n]).ravel() for n in a.dtype.names])


def error(name: str, version: str, few: Values, right: dict[str, np.ndarray[Any, Any]]) -> float:
    got = Gradient(name, version, few).found()
    return max(float(np.abs(got[n] - right[n]).max() / max(np.abs(right[n]).max(), 1e-300)) for n in got)


def difference(name: str, few: Values, right: dict[str, np.ndarray[Any, Any]]) -> float:
    """Of the gradient of the concentrations, from a central difference along a random direction."""
    made = Gradient(name, "all", few)
    direction = cp.asarray(np.random.default_rng(3).random(few["concs"].size))
    ends = []
    for step in (1e-3, -2e-3):
        made.values["concs"] += step * direction
        made.primal()
        ends.append(float(made.values["macro_xs"] @ made.seeds))
    expected = (ends[0] - ends[1]) / 2e-3
    return abs(float(right["concs"] @ direction.get()) / expected - 1)


def measure(name: str, versions: list[str], lookups: int) -> list[list[str]]:
    item = PROGRAMS[name]
    values, few = item.data(lookups), item.data(FEW)
    right = Gradient(name, "none", few).found()
    first = Gradient(name, "all", values)
    primal, _ = gpu.wall_ms(first.primal, lambda: None, limit=3.0)
    rows = []
    for version in versions:
        made = first if version == "all" else Gradient(name, version, values)
        ms, _ = gpu.wall_ms(made.call, made.reset, limit=3.0)
        label = {"all": "all", "none": "none"}.get(version, f"without {version}")
        limit, enzyme = (f"{item.limit}", f"{item.enzyme}") if version == "all" else ("–", "–")
        worst = error(name, version, few, right)
        if version == "all":
            worst = max(worst, difference(name, few, right))
        per = 1e6 / lookups
        rows.append(
            [name, label, f"{primal * per:.3f}", f"{ms * per:.3f}", f"{ms / primal:.2f}", limit, enzyme, f"{worst:.0e}"]
        )
        print(" | ".join(rows[-1]), flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--lookups", type=int, default=1 << 22)
    parser.add_argument("--only", choices=sorted(PROGRAMS))
    parser.add_argument("--versions", default="all,hot,runs,none")
    parser.add_argument("--write", action="store_true", help="replace the section of RESULTS.md")
    options = parser.parse_args()
    chosen = [options.only] if options.only else list(PROGRAMS)
    rows = [row for name in chosen for row in measure(name, options.versions.split(","), options.lookups)]
    header = ["program", "optimisations", "primal ms/M", "gradient ms/M", "ratio", "must be ≤", "Enzyme", "error"]
    table = common.table(header, rows)
    print(table)
    if options.write:
        machine = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
        text = (
            f"{common.stamp(f'{machine}, {options.lookups} lookups')}\n{table}\n\nMilliseconds for a million lookups."
        )
        common.write_section("Lookups of cross-sections on a GPU", text)


if __name__ == "__main__":
    main()
