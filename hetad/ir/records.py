"""Nodes that are quick to make."""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["node"]

if TYPE_CHECKING:
    from dataclasses import dataclass as node
else:
    from dataclasses import dataclass

    def node(*, frozen, slots):
        """`dataclass`, whose instances nothing may change: the type checker sees to it.  At run time they are open, as
        making a frozen one takes three times as long, and passes make hundreds of thousands."""
        assert frozen
        return dataclass(unsafe_hash=True, slots=slots)
