"""hetad: automatic differentiation of whole CUDA C programs.

import hetad

program = hetad.load("axpy.cu")
g = hetad.gradient(program["axpy"], wrt=("a", "x"), of="y")
r = g(n, a, x, y, seeds={"y": dy})      # r["a"], r["x"]
print(g.source)                         # the derivative as CUDA C
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import_module("hetad.run.forking")  # a fork from now on, in any thread, waits while parts of hetad are imported

if TYPE_CHECKING:
    from hetad.api import Function, Program, gradient, load, loads, pullback
    from hetad.checks.interface import dot_product_test, gradcheck, taylor_test
    from hetad.diagnostics import (
        ArgumentError,
        BackendError,
        ExecutionError,
        HetadError,
        MemoryAccessError,
        NonFiniteError,
        RaceError,
        SourceError,
        Span,
        SyntaxProblem,
        UnknownNameError,
        UnsupportedError,
    )  # fmt: skip
    from hetad.draw.call_graph import CallGraph, call_graph
    from hetad.gradients import Gradient
    from hetad.jacobians import Hessian, Jacobian, hessian, jacobian
    from hetad.modes import hvp, jvp
    from hetad.results import Result
    from hetad.run.report import Report
    from hetad.tangents import HessianProduct, Tangent

__version__ = "0.1.0"

__all__ = [
    "ArgumentError", "BackendError", "CallGraph", "ExecutionError", "Function", "Gradient", "Hessian",
    "HessianProduct", "HetadError", "Jacobian", "MemoryAccessError", "NonFiniteError", "Program", "RaceError",
    "Report", "Result", "SourceError", "Span", "SyntaxProblem", "Tangent", "UnknownNameError", "UnsupportedError",
    "call_graph", "dot_product_test", "gradcheck", "gradient", "hessian", "hvp", "jacobian", "jvp", "load", "loads",
    "pullback", "taylor_test",
]  # fmt: skip

_HOME = {
    "Report": "run.report",
    "Gradient": "gradients",
    "Result": "results",
    **dict.fromkeys(("HessianProduct", "Tangent"), "tangents"),
    **dict.fromkeys(("Function", "Program", "gradient", "load", "loads", "pullback"), "api"),
    **dict.fromkeys(("hvp", "jvp"), "modes"),
    **dict.fromkeys(("dot_product_test", "gradcheck", "taylor_test"), "checks.interface"),
    **dict.fromkeys(("CallGraph", "call_graph"), "draw.call_graph"),
    **dict.fromkeys(("Hessian", "Jacobian", "hessian", "jacobian"), "jacobians"),
}  # fmt: skip

_ADAPTERS = ("jax", "scipy", "torch")  # modules that need what `import hetad` does not


def __getattr__(name: str) -> Any:
    """The interface is loaded when it is first used, so that `import hetad` costs next to nothing."""
    if name in _ADAPTERS:
        return import_module(f"hetad.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'hetad' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"hetad.{_HOME.get(name, 'diagnostics')}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
