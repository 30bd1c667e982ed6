"""Products of Hessians, of one case of each program: against differences of gradients, and symmetric."""

from __future__ import annotations

import pytest

from hetad.checks import comparison, products
from tests.corpus import Case
from tests.gradient.test_programs import CASES

pytestmark = pytest.mark.usefixtures("kept_derivatives")

# Time loops, shared memory, tapes with trips that the data decide, library calls, pointers in structs, atomics, limits
# of memory, shuffles, managed and constant memory, C++.
SHOWN = (
    "acoustic_wave", "adaptive_steps", "all_pairs", "arguments_by_value", "arrays_of_structs_of_pointers",
    "asynchronous_memory", "atomics_by_pointer", "atomics_in_shared", "attention", "backpropagation",
    "barriers_and_global", "batch_normalisation", "block_reduction", "burgers_upwind", "cahn_hilliard",
    "chain_of_springs", "cholesky", "complex_numbers", "conjugate_gradients", "constant_memory", "control_flow",
    "convergence", "convolutions", "copy_kinds", "cpp_everyday", "cpp_lambdas", "cpp_vectors", "cross_sections",
    "cublas_calls", "cublas_layers", "cublas_memory_limit", "cufft_filter", "cufft_spectral", "data_dependent_trips",
    "device_calls_nested", "device_to_device", "dynamic_shared_everywhere", "euler_flux", "gather_by_index",
    "gaussian_elimination", "gemm", "grid_stride", "host_control_flow", "hot_cells", "hotspot", "in_place",
    "jacobi", "jacobi_to_tolerance", "kalman_filters", "layer_norm", "lbm_d2q9", "leapfrog", "levels_under_a_limit",
    "loops_that_data_end", "lstm", "managed_memory", "math_elementary", "memory_limit", "memory_of_a_step",
    "mixed_precision", "monte_carlo", "multilayer_perceptron", "n_body", "nested_structs", "newton",
    "nonlinear_heat", "offsets", "pitched_memory", "pointer_array", "pointer_swap", "powers", "red_black_sor",
    "runge_kutta_ensemble", "scan", "shared_matmul", "shuffles_in_loop", "softmax_rows", "staging_buffer",
    "streams_and_events", "structs", "structs_of_pointers", "structs_overwritten_on_the_way", "tree_reduction",
    "two_products", "v_cycles", "vector_types", "warp_reductions", "warp_scan",
)  # fmt: skip


def first_cases() -> dict[str, Case]:
    """One case of each program."""
    found: dict[str, Case] = {}
    for case in CASES:
        found.setdefault(case.problem.path.stem + ("/whole" if case.problem.path.parent.name == "whole" else ""), case)
    return found


FIRST = first_cases()
NAMES = {name.removesuffix("/whole"): name for name in FIRST}


def check(case: Case, backend: str) -> None:
    subject, arguments = products.from_problem(case.problem, backend)
    tolerance = case.problem.gradcheck.get("rtol")
    report = comparison.check(subject, arguments, comparison.Accuracy(tolerance, samples=1))
    assert report.passed, str(report)


@pytest.mark.parametrize("name", SHOWN)
def test_product(name: str, backend: str) -> None:
    check(FIRST[NAMES[name]], backend)


@pytest.mark.sweep
@pytest.mark.parametrize("name", [n for n in FIRST if n.removesuffix("/whole") not in SHOWN])
def test_product_of_others(name: str, backend: str) -> None:
    check(FIRST[name], backend)
