"""Forward mode and second derivatives: `hetad.jvp`, `hetad.hvp`; beside `hetad.gradient` (`api`)."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import TYPE_CHECKING

from hetad.adjoint.options import Options
from hetad.api import checked_function
from hetad.compiled import checked_backend, limits
from hetad.diagnostics import ArgumentError
from hetad.run.running import Running

if TYPE_CHECKING:
    from hetad.api import Function
    from hetad.run.selection import Selection
    from hetad.tangents import HessianProduct, Tangent


def jvp(
    function: Function, wrt: Selection, of: Selection | None = None, backend: str | None = None, *,
    directions: int = 1, optimize: bool | str | Iterable[str] = True, cpu_threads: int | None = None,
    progress: bool = False, checked: bool | None = None,
) -> Tangent:  # fmt: skip
    """The forward-mode derivative of a host function or a kernel: Jacobian times vector, with the value in one run.

    Args:
        function: from a loaded program.
        wrt: the parameters to move, by name or position, as for `hetad.gradient`.
        of: the outputs, pointers to what the function writes; omitted, it is the return value.
        backend: "cuda" or "cpu"; None takes CUDA where it is usable.
        directions: along how many directions one call goes.
        optimize: as for `hetad.gradient`; of the analyses, "activity" alone has to do with tangents.
        cpu_threads: as for `hetad.gradient`.
        progress: whether calls show on standard error how far they are.
        checked: as for `hetad.gradient`.

    Raises:
        ArgumentError: wrt or of does not fit the function, or there are no directions.
        UnsupportedError: the function uses something that hetad does not differentiate; the message says where.
    """
    from hetad.tangents import Tangent

    checked_function(function)
    checked_directions(directions)
    options = {
        "options": Options.of(optimize, deterministic=False), "rules": function.rules, "directions": int(directions),
    }  # fmt: skip
    choice = function.compiled.choice(wrt, of, options)
    return Tangent(function, choice, checked_backend(backend), Running(cpu_threads, checked), progress)


def checked_directions(directions: int) -> None:
    """Raises ArgumentError if one call cannot go along so many."""
    if directions < 1 or directions != int(directions):
        raise ArgumentError(f"directions={directions!r}: expected a positive integer")


def hvp(
    function: Function, wrt: Selection, of: Selection | None = None, backend: str | None = None, *,
    optimize: bool | str | Iterable[str] = True, deterministic: bool = False, cpu_threads: int | None = None,
    memory_limit: int | str | None = None, host_memory: int | str | None = None,
    checkpoint_dir: str | PathLike[str] | None = None, progress: bool = False, checked: bool | None = None,
) -> HessianProduct:  # fmt: skip
    """The product of a Hessian with a vector: the gradient of the tangent, compiled as one program.

    The Hessian is that of the return value, or of the outputs in `of`, each weighted by its seed and summed.

    Args:
        function: from a loaded program.
        wrt: as for `hetad.gradient`, and so are all that follow.
        of: the outputs; omitted, it is the return value.
        backend: "cuda" or "cpu".
        optimize: which optimisations are on.
        deterministic: every sum in a fixed order.
        cpu_threads: of the CPU.
        memory_limit: how much may be saved at a time.
        host_memory: beside it, on the host.
        checkpoint_dir: where a file holds that.
        progress: whether calls show how far they are.
        checked: as for `hetad.gradient`.

    Raises:
        ArgumentError: wrt or of does not fit the function.
        UnsupportedError: the function, or its tangent, uses something that hetad does not differentiate.
    """
    from hetad.tangents import HessianProduct

    checked_function(function)
    options = {
        "options": Options.of(optimize, deterministic),
        "rules": function.rules,
        "memory_limit": limits(memory_limit, host_memory, checkpoint_dir),
    }
    choice = function.compiled.choice(wrt, of, options)
    return HessianProduct(function, choice, checked_backend(backend), Running(cpu_threads, checked), progress)
