"""Programs that call NCCL, on several GPUs: all in one process, and one process of MPI for each."""

from __future__ import annotations

import pytest

import hetad
from hetad.run import cuda, nccl
from tests.host.test_devices import TOGETHER
from tests.mpi.launching import needs_mpi, on_ranks
from tests.unit.test_run_cuda_nccl import check_together

pytestmark = pytest.mark.cuda


@pytest.fixture(autouse=True)
def _on_two_gpus() -> None:
    if cuda.cupy_module().cuda.runtime.getDeviceCount() < 2:
        pytest.skip("fewer than 2 GPUs")
    if nccl.find() is None:
        pytest.skip("there is no libnccl.so.2")


@pytest.mark.parametrize("first", [0, 1])
def test_all_gpus_of_a_process(first: int) -> None:
    with cuda.cupy_module().cuda.Device(first):
        check_together(hetad.loads(TOGETHER.replace("#define D 3", "#define D 2"), "together.cu")["f"], 2, "cuda")


def test_on_a_stream_of_the_caller_s() -> None:
    cp = cuda.cupy_module()
    with cp.cuda.Stream(non_blocking=True):
        check_together(hetad.loads(TOGETHER.replace("#define D 3", "#define D 2"), "together.cu")["f"], 2, "cuda")


@needs_mpi
def test_one_process_for_each_gpu() -> None:
    done = on_ranks(2, "-m", "tests.mpi.nccl_on_gpus")
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stdout.count("right") == 2 * 4
