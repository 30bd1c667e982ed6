"""Which volatilities do option prices imply?  Newton's method for all options at once, and their Greeks.

    pip install hetad[samples]
    python samples/implied_volatility.py --plot volatility.png

A market quotes prices; traders want the volatility at which the Black-Scholes formula (black_scholes.cu) gives them.
Each option is an equation in one unknown, and Newton's method needs its Vega: the derivative of all prices, each with
respect to its own volatility, is one gradient with seeds of one.  The adjoints of the other inputs, the other Greeks,
come from the same sweep.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import hetad

SOURCE = Path(__file__).with_name("black_scholes.cu")
INPUTS = ("spot", "strike", "years", "rate", "volatility")
SPOT, RATE = 100.0, 0.03


class Options:
    """Calls with strikes and times to expiry, at one spot price and rate."""

    def __init__(self, strike: np.ndarray, years: np.ndarray, backend: str | None = None) -> None:
        self.n, self.backend = strike.size, backend
        self.fixed = [np.full(self.n, SPOT, np.float32), strike, years, np.full(self.n, RATE, np.float32)]
        self.price = hetad.load(SOURCE)["black_scholes"]
        self.gradient = hetad.gradient(self.price, wrt=INPUTS, of="call", backend=backend)

    def prices(self, volatility: np.ndarray) -> np.ndarray:
        call, put = np.zeros(self.n, np.float32), np.zeros(self.n, np.float32)
        self.price(call, put, *self.fixed, volatility, self.n, backend=self.backend)
        return call

    def greeks(self, volatility: np.ndarray) -> dict[str, np.ndarray]:
        """The derivatives of each call's price with respect to its own inputs."""
        call, put, one = (np.full(self.n, v, np.float32) for v in (0, 0, 1))
        return dict(self.gradient(call, put, *self.fixed, volatility, self.n, seeds={"call": one}).items())

    def implied(self, quoted: np.ndarray, iterations: int) -> tuple[np.ndarray, list[float]]:
        """The volatilities, and the largest error of a price before each iteration."""
        volatility, errors = np.full(self.n, 0.4, np.float32), []
        for _ in range(iterations):
            error = self.prices(volatility) - quoted
            errors.append(float(np.abs(error).max()))
            vega = np.maximum(self.greeks(volatility)["volatility"], 1e-3)
            volatility = np.clip(volatility - error / vega, 0.02, 1.5).astype(np.float32)
        return volatility, errors


def smile(strike: np.ndarray, years: np.ndarray) -> np.ndarray:
    """The market's volatilities: higher away from the money, most so for options that expire soon."""
    moneyness = np.log(strike / SPOT) / np.sqrt(years)
    return (0.22 - 0.06 * moneyness + 0.12 * moneyness**2 + 0.02 * years).astype(np.float32)


@dataclass(frozen=True)
class Result:
    """On a lattice of expiries and strikes."""

    strike: np.ndarray
    years: np.ndarray
    truth: np.ndarray
    found: np.ndarray
    greeks: dict[str, np.ndarray]
    errors: list[float]
    seconds: float


def study(strikes: int = 80, expiries: int = 40, iterations: int = 7, backend: str | None = None) -> Result:
    """Quotes the prices of a smile, and finds the smile in them."""
    years, strike = np.meshgrid(np.linspace(0.25, 2, expiries), np.linspace(80, 125, strikes), indexing="ij")
    options = Options(strike.astype(np.float32).ravel(), years.astype(np.float32).ravel(), backend)
    truth = smile(strike, years)
    quoted = options.prices(truth.ravel())
    started = time.perf_counter()
    found, errors = options.implied(quoted, iterations)
    seconds = time.perf_counter() - started
    greeks = {name: value.reshape(truth.shape) for name, value in options.greeks(found).items()}
    return Result(strike, years, truth, found.reshape(truth.shape), greeks, errors, seconds)


def plot(result: Result, path: Path) -> None:
    """The smile, three Greeks, and how the errors fell."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 5, figsize=(19, 3.6), layout="constrained")
    shown = {"implied volatility": result.found, "Delta": result.greeks["spot"], "Vega": result.greeks["volatility"],
             "Rho": result.greeks["rate"]}  # fmt: skip
    for axis, (title, values) in zip(axes, shown.items(), strict=False):
        image = axis.contourf(result.strike, result.years, values, 12)
        axis.set(title=title, xlabel="strike", ylabel="years")
        figure.colorbar(image, ax=axis)
    axes[4].semilogy(result.errors, "o-")
    axes[4].set(xlabel="Newton's iteration", ylabel="largest error of a price")
    figure.savefig(path, dpi=70)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strikes", type=int, default=80, help="strikes (80)")
    parser.add_argument("--expiries", type=int, default=40, help="times to expiry (40)")
    parser.add_argument("--backend", choices=("cpu", "cuda"), help="where to run (the GPU if there is one)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw smile and Greeks")
    options = parser.parse_args()
    result = study(options.strikes, options.expiries, backend=options.backend)
    print(f"{result.truth.size} options, {len(result.errors)} iterations, {result.seconds:.2f} s")
    print(f"largest error of a price {result.errors[0]:.3g} -> {result.errors[-1]:.3g}")
    print(f"largest error of a volatility {np.abs(result.found - result.truth).max():.1e}")
    if options.plot:
        plot(result, options.plot)
        print(f"drawn in {options.plot}")


if __name__ == "__main__":
    main()
