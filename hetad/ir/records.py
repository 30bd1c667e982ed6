"""Nodes that are quick to make."""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["node"]

if TYPE_CHECKING:
    from dataclasses import dataclass as node
else:
    from dataclasses import dataclass, fields

    def node(*, frozen, slots):
        """`dataclass`, whose instances nothing may change: the type checker sees to it.  At run time they are open, as
        making a frozen one takes three times as long, and passes make hundreds of thousands.  Each process makes the
        classes anew: they share how they are shown, and have documentation, which else is worked out."""
        assert frozen

        def made(cls):
            cls.__repr__ = _shown
            cls.__doc__ = cls.__doc__ or cls.__name__
            return dataclass(unsafe_hash=True, slots=slots, repr=False)(cls)

        return made

    def _shown(self):
        return f"{type(self).__name__}({', '.join(f'{f.name}={getattr(self, f.name)!r}' for f in fields(self))})"
