"""The README's table of what is supported is what the corpus shows: each thing that it calls refused is refused by a
program of tests/reject, and each name that it calls differentiated is used in a program of the corpus."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Which program of tests/reject shows it.  What becomes supported loses its program, and has to leave the README.
REFUSED = {
    "`goto` backwards": "goto",
    "recursion": "recursion",
    "functions that only the run tells": "cpp_function_from_elsewhere",
    "textures": "texture",
    "memory of three dimensions": "volumes",
    "managed memory of one stream": "managed_of_a_stream",
    "other routines of libraries": "fourier_library",
    "one-sided communication": "mpi_one_sided",
    "`MPI_Pack`": "mpi_packed",
    "`__device__` variables that are written there": "devices_and_variables",
    "cuBLAS there": "devices_and_cublas",
    "`atomicMax`/`Min`/`CAS` on active data": "atomic_max",
    "messages between blocks": "last_block",
    "shuffles among other lanes in each iteration": "shuffle_in_divergent_loop",
    "barriers of the whole grid": "cooperative_grid_sync",
    "inline PTX": "inline_ptx",
    "unions of arrays": "union_of_arrays",
    "`long double`": "long_double",
    "active `volatile` data": "volatile_data",
    "pointers in device memory that the host does not put there": "pointers_in_device_memory",
    "functions without a derivative, such as `nextafter`": "nextafter",
    "other containers": "cpp_container",
}


def rows() -> dict[str, tuple[str, str]]:
    """By subject: what is differentiated, and what is refused."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text[text.index("## What is supported") : text.index("## Read on")]
    found = re.findall(r"^\| (\w[\w+ ]*) \| (.*) \| (.*) \|$", section, re.MULTILINE)
    return {subject: (differentiated, refused) for subject, differentiated, refused in found}


@functools.cache
def corpus() -> str:
    files = [path for folder in ("tests/gradient", "tests/mpi", "samples") for path in (ROOT / folder).rglob("*.cu")]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def test_there_is_a_table() -> None:
    assert set(rows()) == {"host code", "memory", "MPI", "several devices", "kernels", "types", "mathematics", "C++"}


def test_all_that_is_called_refused_is_refused() -> None:
    listed = ", ".join(refused for _, refused in rows().values())
    for thing, program in REFUSED.items():
        assert thing in listed, thing
        assert (ROOT / "tests" / "reject" / f"{program}.cu").exists(), f"{thing}: no such program is refused any more"
        listed = listed.replace(thing, "", 1)
    assert not re.sub(r"[,\s]", "", listed), "without a program of tests/reject that shows it"


@pytest.mark.parametrize("subject", ["host code", "memory", "types"])
def test_all_names_that_are_called_differentiated_are_in_the_corpus(subject: str) -> None:
    names = re.findall(r"`([^`]+)`", rows()[subject][0])
    assert len(names) > 3
    assert not [name for name in names if name not in corpus()]


def test_images_are_shown_wherever_the_readme_is() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    images = re.findall(r"!\[[^\]]*\]\(([^)]*)\)", text)
    assert images
    assert all(image.startswith("https://") for image in images)
