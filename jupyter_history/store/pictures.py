"""Painted pages under the hash of what is on them: what was sent once is sent again byte for byte."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, bindparam, select, text

from .schema import page as table

_GET = select(table.c.png).where(table.c.key == bindparam("key"))
_KEEP = text("INSERT INTO page (key, png) VALUES (:key, :png) ON CONFLICT DO NOTHING")


def picture(connection: Connection, key: bytes) -> bytes | None:
    found = connection.execute(_GET, {"key": key}).scalar()
    return None if found is None else bytes(found)


def keep(connection: Connection, pictures: Mapping[bytes, bytes]) -> None:
    connection.execute(_KEEP, [{"key": key, "png": png} for key, png in pictures.items()])
