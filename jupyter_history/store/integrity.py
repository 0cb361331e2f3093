"""Whether the database is sound inside, as one line a problem."""

from __future__ import annotations

from sqlalchemy import Connection


def problems(connection: Connection) -> list[str]:
    return []
