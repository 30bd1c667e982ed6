"""A layer written in CUDA, trained within a network: PyTorch removes the noise of signals.

    pip install hetad[samples,torch]
    python samples/denoiser.py --plot denoiser.png

The layer smooths each row with a Gaussian (gaussian_blur.cu) whose sharpness is a parameter of the network, as are the
weights of the convolutions that follow.  hetad makes an operator of PyTorch of it: `backward()` goes through, and on a
GPU the same tensors are used where they lie.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

import hetad
import hetad.torch

SOURCE = Path(__file__).with_name("gaussian_blur.cu")


class Denoiser(torch.nn.Module):
    """The CUDA layer, and two convolutions for what it gets wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.smooth = hetad.torch.function(
            hetad.load(SOURCE)["smooth"],
            of={"y": "x"},  # y is made for each call, in the shape of x
            given={"rows": lambda x: x.shape[0], "n": lambda x: x.shape[1]},
        )
        self.sharpness = torch.nn.Parameter(torch.tensor(1.0))
        self.rest = torch.nn.Sequential(
            torch.nn.Conv1d(2, 8, 5, padding=2), torch.nn.Tanh(), torch.nn.Conv1d(8, 1, 5, padding=2)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        smoothed = self.smooth(x, self.sharpness)
        return smoothed + self.rest(torch.stack([x, smoothed], 1))[:, 0]


def signals(rows: int, n: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Steps and waves, and the same with noise."""
    place = torch.linspace(0, 1, n)
    frequency, phase, edge = torch.rand(3, rows, 1, generator=generator)
    clean = torch.sin(6 * (1 + 2 * frequency) * place + 6 * phase) + (place > 0.2 + 0.6 * edge)
    return clean, clean + 0.4 * torch.randn(clean.shape, generator=generator)


@dataclass(frozen=True)
class Result:
    """A test signal in three forms; the loss and the sharpness by step; the errors on the test signals."""

    clean: np.ndarray
    noisy: np.ndarray
    found: np.ndarray
    losses: list[float]
    sharpness: list[float]
    errors: tuple[float, float]
    seconds: float


def study(rows: int = 16, n: int = 200, steps: int = 200, device: str = "cpu") -> Result:
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(0)
    clean, noisy = (x.to(device) for x in signals(rows, n, generator))
    model = Denoiser().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    losses, sharpness = [], []
    started = time.perf_counter()
    for _ in range(steps):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(noisy), clean)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        sharpness.append(model.sharpness.item())
    seconds = time.perf_counter() - started
    clean, noisy = signals(16, n, generator)  # new ones
    with torch.no_grad():
        found = model(noisy.to(device)).cpu()
    errors = tuple(float(torch.nn.functional.mse_loss(x, clean)) for x in (noisy, found))
    return Result(clean[0].numpy(), noisy[0].numpy(), found[0].numpy(), losses, sharpness, errors, seconds)


def plot(result: Result, path: Path) -> None:
    """A signal that the network had not seen, and its training."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(14, 3.4), layout="constrained", width_ratios=(2, 1, 1))
    axes[0].plot(result.noisy, ".", color="0.7", label="noisy")
    axes[0].plot(result.clean, color="C0", label="clean")
    axes[0].plot(result.found, color="C3", label="found")
    axes[0].legend()
    axes[1].semilogy(result.losses)
    axes[1].set(xlabel="step", ylabel="loss")
    axes[2].plot(result.sharpness)
    axes[2].set(xlabel="step", ylabel="sharpness of the CUDA layer")
    figure.savefig(path, dpi=70)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200, help="steps of Adam (200)")
    parser.add_argument("--device", default="cpu", help="of PyTorch: cpu or cuda (cpu)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw a signal and the training")
    options = parser.parse_args()
    torch.set_num_threads(1)  # of tensors as small as these, threads get in each other's way
    result = study(steps=options.steps, device=options.device)
    count = len(result.losses)
    print(f"loss {result.losses[0]:.4f} -> {result.losses[-1]:.4f} in {count} steps, {result.seconds:.1f} s")
    print(f"mean square error on new signals {result.errors[0]:.4f} -> {result.errors[1]:.4f}")
    print(f"sharpness 1 -> {result.sharpness[-1]:.3f}")
    if options.plot:
        plot(result, options.plot)
        print(f"drawn in {options.plot}")


if __name__ == "__main__":
    main()
