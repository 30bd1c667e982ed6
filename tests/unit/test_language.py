"""The tables of docs/language.md are what the corpus shows: each row that says refused has a program that is refused,
and each name in a row that says accepted is used in a program of the tests, or known as a function."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest

import hetad
from hetad.rules import callees

ROOT = Path(__file__).parents[2]
_CELL = r"((?:[^|\\\n]|\\.)*)"
_ROW = re.compile(rf"^\| {_CELL} \| {_CELL} \| {_CELL} ?\|$", re.MULTILINE)
_NAME = re.compile(r"\b[A-Za-z]\w{2,}|\b__\w{2,}")
# How a row that says refused begins: the programs of tests/reject that show it, or a text that is refused.
REFUSED: dict[str, str | tuple[str, ...]] = {
    "recursion": ("recursion", "cpp_recursion_of_lambda"),
    "an object with a destructor": (
        "cpp_destructor_for_kernel", "cpp_destructor_made_sometimes",
        "cpp_destructor_in_case", "cpp_destructor_beside_goto", "cpp_delete_of_many_objects",
    ),
    "a `std::function`": ("cpp_std_function", "cpp_std_function_of_objects", "cpp_std_function_in_list"),
    "values that the program computes": ("cpp_device_object_at_file_scope", "cpp_object_at_file_scope"),
    "`dynamic_cast`": ("cpp_dynamic_cast",),
    "functions declared": "double law(double v); void f(double *y, const double *x) { y[0] = law(x[0]); }",
    "variable arguments": ("cpp_variable_arguments",),
    "a kernel that launches": "__global__ void k(int *x) { x[0] = 1; } __global__ void f(int *x) { k<<<1, 1>>>(x); }",
    "other `goto`s": ("goto", "label_in_loop"),
    "a `case` inside": "void f(double *y, int n) { switch (n) { y[0] = 1; case 1: y[0] = 2; } }",
    "statement expressions": ("cpp_statement_expression",),
    "`asm`": ("inline_ptx",),
    "integers written over": ("atomic_max", "punned_value"),
    "arrays in device code": ("length_from_argument",),
    "pointers that a kernel stores": ("pointers_in_device_memory", "tables_of_tables_of_tables"),
    "other `static` locals": "__global__ void f(float *x) { static float s; s += x[0]; x[0] = s; }",
    "pointers at file scope": ("pointer_set_before",),
    "other `volatile`": ("volatile_data",),
    "unions with arrays": ("union_of_arrays", "union_address"),
    "bit-fields in unions": ("cpp_bit_field_in_union", "cpp_bit_fields_without_names", "cpp_bit_field_in_two_integers"),
    "alignment of members": "struct S { int a; __align__(16) double b; }; void f(struct S *s) { s->a = 1; }",
    "`half * float`": ("half_mixed", "half_saturated", "half_atomic", "half_in_dynamic_memory"),
    "`long double`": ("long_double",),
    "`cuComplex.h`": ("cpp_container", "thrust"),
    "threads that race": ("race_of_blocks", "race_in_shared_rows"),
    "the result of a floating": ("atomic_result",),
    "`atomicExch`": ("atomic_max", "atomic_cas_loop"),
    "shuffles without": ("warp_match",),
    "`coalesced_threads`": ("cooperative_coalesced", "cooperative_size", "cooperative_grid_sync"),
    "textures, surfaces": ("texture", "texture_reference", "clock_in_kernel"),
    "on several devices": ("devices_and_variables", "devices_and_cublas"),
    "`qsort`": ("sort_with_callback",),
    "`cudaHostGetDevicePointer`": ("managed_of_a_stream",),
    "`cudaMalloc3D`": ("volumes",),
    "the rest of MPI": ("mpi_one_sided", "mpi_unknown"),
    "the rest of cuBLAS": ("unsupported_library_call", "fourier_library", "random_quasi"),
}  # fmt: skip


@functools.cache
def rows() -> list[tuple[str, str]]:
    """What is meant, and whether it is accepted."""
    text = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    return [(row[0], row[1]) for row in _ROW.findall(text) if row[1].startswith(("accepted", "refused"))]


@functools.cache
def words() -> frozenset[str]:
    """Of all programs of the tests, and of the functions that hetad knows."""
    folders = ("samples", "tests/gradient", "tests/mpi", "tests/golden", "tests/unit")
    files = [p for f in folders for p in (ROOT / f).rglob("*") if p.suffix in (".cu", ".cuh", ".h", ".py")]
    text = "\n".join(p.read_text(encoding="utf-8") for p in files if p != Path(__file__))
    return frozenset(re.findall(r"\w+", text)) | frozenset(callees.table())


def test_the_tables_are_found() -> None:
    assert len(rows()) > 80


def test_each_row_that_says_refused_has_a_program() -> None:
    refused = [what for what, said in rows() if said.startswith("refused")]
    for what in refused:
        assert sum(what.startswith(start) for start in REFUSED) == 1, f"no program is refused that shows: {what}"
    for start in REFUSED:
        assert any(what.startswith(start) for what in refused), f"no row begins with: {start}"


@pytest.mark.parametrize("start", REFUSED)
def test_what_is_called_refused_is_refused(start: str) -> None:
    """The programs of tests/reject are refused by `tests/reject/test_reject.py`."""
    shown = REFUSED[start]
    if isinstance(shown, tuple):
        assert all((ROOT / "tests" / "reject" / f"{program}.cu").exists() for program in shown)
        return
    with pytest.raises(hetad.HetadError):
        hetad.loads(shown)["f"]


@pytest.mark.parametrize(
    "what", [what for what, said in rows() if said.startswith("accepted")], ids=lambda what: what[:40]
)
def test_each_name_that_is_called_accepted_is_in_the_corpus(what: str) -> None:
    """`curandSetStream` may stand as `SetStream`, behind a name that begins as it does."""
    names = [name for code in re.findall(r"`([^`]+)`", what) for name in _NAME.findall(code)]
    missing = [n for n in names if n not in words()]
    assert not [n for n in missing if not (n[0].isupper() and any(n in word for word in words()))]
