"""The session tree in a database: SQLite by default, PostgreSQL by URL. Usable without IPython.

`Store` is imported lazily: the records can be had without SQLAlchemy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..transcript import Overlay
from .records import Basis, Batch, Bundle, Committed, Conversation, Found, Head, Listed, Notebook, Topology, Visit

if TYPE_CHECKING:
    from .store import Store

__all__ = [
    "Basis",
    "Batch",
    "Bundle",
    "Committed",
    "Conversation",
    "Found",
    "Head",
    "Listed",
    "Notebook",
    "Overlay",
    "Store",
    "Topology",
    "Visit",
]


def __getattr__(name: str) -> Any:
    if name == "Store":
        from .store import Store

        return Store
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
