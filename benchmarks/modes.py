"""What each kind of derivative costs: gradients, tangents and Hessian products beside the primal, and beside JAX.

    python benchmarks/modes.py [--backend cuda|cpu] [--only heat,lbm] [--without-jax] [--tiny] [--write]

The same mathematics is written with JAX's arrays below, and compiled as a whole (`jax.jit`); its products are those of
`jax.jvp` of `jax.grad`.  Times are wall clock with the device idle before and after, the median of several calls.
`error`: the tangent by <w, J v> = <Jᵀ w, v>, the product against JAX's.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import common
import numpy as np
from common import KERNELS, PROGRAMS

common.use_checkout()

DIRECTIONS = 4
LIMITS = {"tangent": 2.5, "product": 5.0}  # of the primal, of the gradient
Values = dict[str, Any]


@dataclass(frozen=True)
class Item:
    """One program: `values` in the order of the parameters; `of` is written in place or by itself."""

    name: str
    source: Path
    function: str
    wrt: tuple[str, ...]
    of: tuple[str, ...]
    values: Values
    jax: Callable[[Values], Callable[..., Any]]  # what gives f(*wrt) -> the outputs
    launch: Values


def _normal(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(1).standard_normal(shape, dtype=np.float32)


def heat(n: int, steps: int) -> Item:
    u = _normal(n, n)
    values = {"u": u, "work": np.zeros_like(u), "nx": n, "ny": n, "c": float(np.float32(0.2)), "steps": steps}
    return Item(f"heat, {n}², {steps} steps", PROGRAMS / "heat.cu", "heat", ("u", "c"), ("u",), values, jax_heat, {})


def diffusion(n: int, steps: int) -> Item:
    u = _normal(n, n)
    values = {"u": u, "work": np.zeros_like(u), "nx": n, "ny": n, "c": float(np.float32(0.02)), "steps": steps}
    title = f"nonlinear heat, {n}², {steps} steps"
    return Item(title, PROGRAMS / "diffusion.cu", "diffusion", ("u",), ("u",), values, jax_diffusion, {})


def lbm(n: int, steps: int) -> Item:
    from cases import lattice

    f = lattice(n, n, n)
    values = {
        "f": f, "g": np.zeros_like(f), "nx": n, "ny": n, "nz": n, "omega": float(np.float32(1.2)), "steps": steps,
    }  # fmt: skip
    title = f"LBM D3Q19, {n}³, {steps} steps"
    return Item(title, PROGRAMS / "lbm.cu", "lbm_steps", ("f",), ("f",), values, jax_lbm, {})


def nbody(n: int) -> Item:
    places = dict(zip("xyz", _normal(3, n), strict=True))
    accelerations = {f"a{axis}": np.zeros(n, np.float32) for axis in "xyz"}
    masses = np.random.default_rng(2).random(n, dtype=np.float32) / n
    values = {**accelerations, **places, "m": masses, "n": n, "softening": float(np.float32(0.01))}
    return Item(
        f"n-body, {n}", KERNELS / "nbody.cu", "nbody", ("x", "y", "z", "m"), ("ax", "ay", "az"), values, jax_nbody,
        {"grid": -(-n // 256), "block": 256},
    )  # fmt: skip


SIZES: dict[str, tuple[Callable[..., Item], dict[str, tuple[tuple[int, ...], ...]]]] = {
    "heat": (heat, {"cuda": ((256, 1000), (2048, 200)), "cpu": ((256, 100),), "tiny": ((24, 4),)}),
    "diffusion": (diffusion, {"cuda": ((256, 1000), (2048, 200)), "cpu": ((256, 100),), "tiny": ((24, 4),)}),
    "lbm": (lbm, {"cuda": ((96, 40),), "cpu": ((24, 20),), "tiny": ((6, 2),)}),
    "nbody": (nbody, {"cuda": ((16384,),), "cpu": ((2048,),), "tiny": ((300,),)}),
}


# --- the same in JAX -----------------------------------------------------------------------------


def _loop(step: Callable[[Any], Any], start: Any, steps: int) -> Any:
    """`scan`, which can be differentiated in both modes."""
    import jax

    return jax.lax.scan(lambda u, _: (step(u), None), start, None, length=steps)[0]


def _inside(u: Any, change: Any) -> Any:
    return u.at[1:-1, 1:-1].add(change)


def jax_heat(v: Values) -> Callable[..., Any]:
    def step(u: Any, c: Any) -> Any:
        around = u[1:-1, :-2] + u[1:-1, 2:] + u[:-2, 1:-1] + u[2:, 1:-1]
        return _inside(u, c * (around - 4 * u[1:-1, 1:-1]))

    return lambda u, c: (_loop(lambda x: step(x, c), u, v["steps"]),)


def jax_diffusion(v: Values) -> Callable[..., Any]:
    def flux(here: Any, there: Any) -> Any:
        mean = 0.5 * (here + there)
        return (1 + mean * mean) * (there - here)

    def step(u: Any) -> Any:
        here = u[1:-1, 1:-1]
        around = (u[1:-1, :-2], u[1:-1, 2:], u[:-2, 1:-1], u[2:, 1:-1])
        return _inside(u, np.float32(v["c"]) * sum(flux(here, there) for there in around))

    return lambda u: (_loop(step, u, v["steps"]),)


def jax_lbm(v: Values) -> Callable[..., Any]:
    import jax.numpy as jnp

    ex = (0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0)
    ey = (0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1)
    ez = (0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1)
    weights = [1 / 3, *[1 / 18] * 6, *[1 / 36] * 12]
    omega = np.float32(v["omega"])

    def step(f: Any) -> Any:
        g = [jnp.roll(f[q], (ez[q], ey[q], ex[q]), (0, 1, 2)) for q in range(19)]
        rho = sum(g)
        ux, uy, uz = (sum(e[q] * g[q] for q in range(19) if e[q]) / rho for e in (ex, ey, ez))
        speed = 1.5 * (ux * ux + uy * uy + uz * uz)

        def collided(q: int) -> Any:
            eu = ex[q] * ux + ey[q] * uy + ez[q] * uz
            return g[q] - omega * (g[q] - weights[q] * rho * (1 + 3 * eu + 4.5 * eu * eu - speed))

        return jnp.stack([collided(q) for q in range(19)])

    return lambda f: (_loop(step, f, v["steps"]),)


def jax_nbody(v: Values) -> Callable[..., Any]:
    import jax.numpy as jnp
    from jax import lax

    def forces(x: Any, y: Any, z: Any, m: Any) -> Any:
        dx, dy, dz = (p[None, :] - p[:, None] for p in (x, y, z))
        inverse = lax.rsqrt(dx * dx + dy * dy + dz * dz + np.float32(v["softening"]))
        pull = m[None, :] * inverse * inverse * inverse
        return tuple(jnp.sum(pull * d, 1) for d in (dx, dy, dz))

    return forces


class Jax:
    """The same derivatives of the same function: each a call without arguments."""

    def __init__(self, item: Item, vectors: Values, seeds: Values, backend: str) -> None:
        import jax

        device = jax.devices("gpu" if backend == "cuda" else "cpu")[0]
        f = item.jax(item.values)

        def on_device(values: Values, names: tuple[str, ...]) -> tuple[Any, ...]:
            return tuple(jax.device_put(np.asarray(values[n], np.float32), device) for n in names)

        at, along, weights = (
            on_device(d, n) for d, n in ((item.values, item.wrt), (vectors, item.wrt), (seeds, item.of))
        )

        def gradient(at: Any, weights: Any) -> Any:
            return jax.vjp(f, *at)[1](weights)

        calls = {
            "primal": (jax.jit(lambda a: f(*a)), (at,)),
            "gradient": (jax.jit(gradient), (at, weights)),
            "tangent": (jax.jit(lambda a, v: jax.jvp(f, a, v)), (at, along)),
            "product": (
                jax.jit(lambda a, v, w: jax.jvp(lambda x: gradient(x, w), (a,), (v,))[1]), (at, along, weights),
            ),
        }  # fmt: skip
        self.calls = {name: self._call(*both) for name, both in calls.items()}

    @staticmethod
    def _call(function: Callable[..., Any], args: tuple[Any, ...]) -> Callable[[], Any]:
        import jax

        return lambda: jax.block_until_ready(function(*args))


# --- hetad's -------------------------------------------------------------------------------------


class Hetad:
    """Calls on buffers that lie where they are used; `reset` sets those that a call writes."""

    def __init__(self, item: Item, vectors: Values, seeds: Values, backend: str) -> None:
        import hetad

        self.item, self.backend = item, backend
        self.xp: Any = np
        if backend == "cuda":
            import cupy

            self.xp = cupy
        self.start = {n: self._array(v) for n, v in item.values.items() if isinstance(v, np.ndarray)}
        self.arguments = {n: self.start[n].copy() if n in self.start else v for n, v in item.values.items()}
        self.vectors = {n: self._array(v) for n, v in vectors.items()}
        self.seeds = {n: self._array(v) for n, v in seeds.items()}
        self.buffers: dict[str, Values] = {}
        function = hetad.load(item.source)[item.function]
        options: Values = {"wrt": item.wrt, "of": item.of, "backend": backend}
        self.gradient = hetad.gradient(function, **options)
        self.tangent = hetad.jvp(function, **options)
        self.tangents = hetad.jvp(function, **options, directions=DIRECTIONS)
        self.product = hetad.hvp(function, **options)
        self.calls: dict[str, Callable[[], Any]] = {
            "primal": lambda: function(*self.arguments.values(), backend=backend, **item.launch),
            "gradient": self._executed("gradient", self.gradient, [f"adj_{n}" for n in self._both(item.of, item.wrt)]),
            "tangent": self._executed("tangent", self.tangent, [f"dot_{n}" for n in self._both(item.wrt, item.of)]),
            "tangents": self._executed("tangents", self.tangents, [f"dot_{n}" for n in self._both(item.wrt, item.of)]),
            "product": self._executed("product", self.product, self.product.execute_names[len(item.values) :]),
        }

    def _array(self, value: Any) -> Any:
        return self.xp.asarray(value) if isinstance(value, np.ndarray) else value

    @staticmethod
    def _both(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*first, *second)))

    def _executed(self, kind: str, derivative: Any, names: Any) -> Callable[[], Any]:
        buffers = self.buffers[kind] = {n: self._buffer(n, DIRECTIONS if kind == "tangents" else 0) for n in names}
        return lambda: derivative.execute(*self.arguments.values(), *buffers.values(), **self.item.launch)

    def _buffer(self, name: str, count: int) -> Any:
        """As `reset` fills it, which then has no effect on scalars."""
        primal = name.removeprefix("adj_").removeprefix("dot_")
        like = self.item.values[primal]
        if not isinstance(like, np.ndarray):
            if name.startswith("dot_"):
                return self.vectors[primal] if not count else [self.vectors[primal]] * count
            return np.zeros(1, np.float32)
        return self.xp.zeros((count, *like.shape) if count else like.shape, np.float32)

    def reset(self, kind: str) -> None:
        for n, value in self.start.items():
            self.arguments[n][...] = value
        for name, buffer in self.buffers.get(kind, {}).items():
            primal = name.removeprefix("adj_").removeprefix("dot_")
            if not hasattr(buffer, "shape"):
                continue
            if name.startswith("dot_"):
                buffer[...] = self.vectors.get(primal, 0)
            elif primal in self.seeds and name in ("adj_dot_" + primal, "adj_" + primal) and self._seeded(kind, name):
                buffer[...] = self.seeds[primal]
            else:
                buffer[...] = 0

    @staticmethod
    def _seeded(kind: str, name: str) -> bool:
        """The seeds are of the outputs, for a product of their tangents."""
        return (kind == "product") == name.startswith("adj_dot_")

    def found(self, kind: str) -> Values:
        self.reset(kind)
        self.calls[kind]()
        self.wait()
        return {n: np.array(b.get() if hasattr(b, "get") else b) for n, b in self.buffers[kind].items()}

    def wait(self) -> None:
        if self.backend == "cuda":
            self.xp.cuda.runtime.deviceSynchronize()

    def release(self) -> None:
        self.start, self.arguments, self.buffers = {}, {}, {}
        if self.backend == "cuda":
            self.xp.get_default_memory_pool().free_all_blocks()


# --- measuring -----------------------------------------------------------------------------------


def milliseconds(call: Callable[[], Any], reset: Callable[[], None], repeats: int = 7, limit: float = 5.0) -> float:
    times: list[float] = []
    begin = time.perf_counter()
    while len(times) < repeats + 1 and (len(times) < 3 or time.perf_counter() - begin < limit):
        reset()
        t = time.perf_counter()
        call()
        times.append((time.perf_counter() - t) * 1e3)
    return statistics.median(times[1:])


def measure(item: Item, backend: str, with_jax: bool) -> tuple[list[str], list[str]]:
    """A row of the table, and what went wrong."""
    rng = np.random.default_rng(3)
    vectors = {n: _like(item.values[n], rng) for n in item.wrt}
    seeds = {n: _like(item.values[n], rng) for n in item.of}
    hetad = Hetad(item, vectors, seeds, backend)
    ours: dict[str, float] = {}
    problems: list[str] = []

    def waited(kind: str) -> None:
        hetad.calls[kind]()
        hetad.wait()

    def reset(kind: str) -> None:
        hetad.reset(kind)
        hetad.wait()

    for kind in hetad.calls:
        ours[kind] = milliseconds(lambda kind=kind: waited(kind), lambda kind=kind: reset(kind))
    tangent, gradient, product = (hetad.found(kind) for kind in ("tangent", "gradient", "product"))
    left = sum(float(np.vdot(seeds[n].astype(float), tangent[f"dot_{n}"])) for n in item.of)
    right = sum(float(np.sum(np.multiply(vectors[n], gradient[f"adj_{n}"], dtype=float))) for n in item.wrt)
    error = abs(left - right) / max(abs(left), abs(right))
    hetad.release()
    theirs: dict[str, float] = {}
    wrong = float("nan")
    if with_jax:
        jax = Jax(item, vectors, seeds, backend)
        for kind, call in jax.calls.items():
            try:
                theirs[kind] = milliseconds(call, lambda: None)
                if kind == "product":
                    wrong = _distance(item, product, dict(zip(item.wrt, call(), strict=True)))
            except Exception as problem:  # noqa: BLE001 - it goes into the notes
                problems.append(f"- {item.name}, JAX's {kind}: {common.first_line(problem)}")
    return row(item.name, ours, theirs, error, wrong), problems


def _like(value: Any, rng: np.random.Generator) -> Any:
    if isinstance(value, np.ndarray):
        return rng.standard_normal(value.shape, dtype=np.float32)
    return float(np.float32(rng.standard_normal()))


def _distance(item: Item, ours: Values, theirs: Values) -> float:
    def both(n: str) -> tuple[Any, Any]:
        return np.ravel(ours[f"adj_{n}"]).astype(float), np.ravel(np.asarray(theirs[n])).astype(float)

    pairs = [both(n) for n in item.wrt]
    return max(float(np.abs(a - b).max() / np.abs(b).max()) for a, b in pairs)


HEADER = [
    "program", "primal", "gradient", "tangent", f"{DIRECTIONS} tangents", "product", "tangent / primal",
    "each of four", "product / gradient", "JAX: primal", "gradient", "tangent", "product", "tangent / primal",
    "product / gradient", "error of tangent", "of product",
]  # fmt: skip


def row(name: str, ours: dict[str, float], theirs: dict[str, float], error: float, wrong: float) -> list[str]:
    def ms(found: dict[str, float], kind: str) -> str:
        return f"{found[kind]:.3g}" if kind in found else "–"

    def ratio(found: dict[str, float], a: str, b: str, share: int = 1) -> str:
        return f"{found[a] / found[b] / share:.2f}" if a in found and b in found else "–"

    return [
        name, *(ms(ours, k) for k in ("primal", "gradient", "tangent", "tangents", "product")),
        ratio(ours, "tangent", "primal"), ratio(ours, "tangents", "primal", DIRECTIONS),
        ratio(ours, "product", "gradient"), *(ms(theirs, k) for k in ("primal", "gradient", "tangent", "product")),
        ratio(theirs, "tangent", "primal"), ratio(theirs, "product", "gradient"), f"{error:.0e}", f"{wrong:.0e}",
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--backend", choices=("cuda", "cpu"), default="cpu")
    parser.add_argument("--only", default=",".join(SIZES), metavar="NAME,...")
    parser.add_argument("--without-jax", action="store_true")
    parser.add_argument("--tiny", action="store_true", help="small sizes: whether everything works")
    parser.add_argument("--write", action="store_true", help="replace the section of RESULTS.md")
    options = parser.parse_args()
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    rows, notes = [], []
    for name in options.only.split(","):
        make, sizes = SIZES[name]
        for size in sizes["tiny" if options.tiny else options.backend]:
            found, problems = measure(make(*size), options.backend, not options.without_jax)
            rows.append(found)
            notes += problems
            print(found, *problems, flush=True)
    goals = f"Goals: tangent ≤ {LIMITS['tangent']} × primal, product ≤ {LIMITS['product']} × gradient. Times in ms."
    body = "\n\n".join(part for part in (common.table(HEADER, rows), goals, "\n".join(notes)) if part)
    where = common.processor()
    if options.backend == "cuda":
        import cupy

        where = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    stamp = common.stamp(f"{where}, {common.load()}")
    print(f"\n{stamp}\n{body}")
    if options.write:
        on = "a GPU" if options.backend == "cuda" else "the CPU"
        common.write_section(f"Kinds of derivatives on {on}", f"{stamp}\n{body}")


if __name__ == "__main__":
    main()
