"""`hetad doctor` tells which libraries are there, in which versions, and what to do about the others."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from hetad.cli import versions

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def named(requirement: str) -> str:
    return requirement.partition(">=")[0]


def test_all_dependencies_are_told() -> None:
    assert sorted(versions.NEEDED) == sorted(map(named, PROJECT["dependencies"]))
    detail = versions.needed().detail
    assert all(f"{name} {metadata.version(name)}" in detail for name in versions.NEEDED)


def installed(monkeypatch: pytest.MonkeyPatch, **found: str) -> dict[str, versions.Finding]:
    """The findings where these libraries are installed, and no other."""
    monkeypatch.setattr(versions, "_installed", found.get)
    extras = PROJECT["optional-dependencies"]
    asked = [f'{line}; extra == "{extra}"' for extra in ("torch", "jax", "samples", "mpi") for line in extras[extra]]
    monkeypatch.setattr(versions.metadata, "requires", lambda name: asked)
    return {finding.topic: finding for finding in versions.beside()}


def test_what_is_absent_has_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found = installed(monkeypatch)
    assert list(found) == ["PyTorch", "JAX", "SciPy", "MPI", "Matplotlib"]
    assert {finding.status for finding in found.values()} == {"absent"}
    assert found["PyTorch"].remedy == "pip install 'torch>=2.6'"
    assert found["MPI"].remedy == "pip install 'mpi4py>=4'"


def test_what_is_too_old_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    found = installed(monkeypatch, torch="2.13.0+cpu", jax="0.9.2", jaxlib="0.9.2", scipy="1.9")
    assert (found["PyTorch"].status, found["PyTorch"].detail) == ("ok", "torch 2.13.0+cpu")
    assert (found["JAX"].status, found["JAX"].detail) == ("broken", "jax 0.9.2, jaxlib 0.9.2 is too old")
    assert found["SciPy"].status == "broken"  # 1.9 is before 1.12


def test_mpi_is_told_with_its_library() -> None:
    pytest.importorskip("mpi4py")
    found = next(finding for finding in versions.beside() if finding.topic == "MPI")
    assert found.status == "ok", found
    assert found.detail.startswith(f"mpi4py {metadata.version('mpi4py')}, ")
    assert found.detail.endswith("mpicc")


def test_mpi_that_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mpi4py")
    monkeypatch.setattr(versions.sys, "executable", "false")
    found = next(finding for finding in versions.beside() if finding.topic == "MPI")
    assert (found.status, found.remedy) == ("broken", "pip install mpich, or install an MPI library")


def test_mpi_without_its_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mpi4py")
    monkeypatch.setenv("HETAD_MPICC", "no-such-compiler")
    found = next(finding for finding in versions.beside() if finding.topic == "MPI")
    assert found.status == "broken"
    assert "no mpicc" in found.detail
