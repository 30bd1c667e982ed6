"""The languages hetad emits."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dialect:
    """`cuda` is CUDA C++, else C (gnu11); `headers` says whether the standard headers exist (NVRTC has none),
    `parallel` whether blocks run in parallel on the CPU, `on_gpus` whether kernels run on GPUs."""

    name: str
    cuda: bool
    headers: bool = True
    parallel: bool = False
    on_gpus: bool = False


CUDA = Dialect("cuda", cuda=True)
NVRTC = Dialect("nvrtc", cuda=True, headers=False)
C = Dialect("c", cuda=False)
C_FOR_GPUS = Dialect("c", cuda=False, on_gpus=True)
C_PARALLEL = Dialect("parallel c", cuda=False, parallel=True)
