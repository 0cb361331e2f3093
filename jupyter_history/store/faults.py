"""What a database says when it cannot be used, as one line that names the file and what to do (rule 7)."""

from __future__ import annotations

import sqlite3

from ..errors import StoreUnavailable

_SQLITE = {
    sqlite3.SQLITE_FULL: "There is no room left on the disk of {name}. Free some.",
    sqlite3.SQLITE_READONLY: "{name} is read-only. Make the file and its directory writable, or set "
    "JUPYTER_HISTORY_STORE to a path that is.",
    sqlite3.SQLITE_CANTOPEN: "{name} cannot be opened or made. Make its directory writable, or set "
    "JUPYTER_HISTORY_STORE to a path that is.",
    sqlite3.SQLITE_NOTADB: "{name} is not a database, and was left alone. Move it away, or set JUPYTER_HISTORY_STORE "
    "to another path.",
    sqlite3.SQLITE_CORRUPT: "{name} is damaged. Restore it from a backup, or move it away to begin a new one.",
    sqlite3.SQLITE_BUSY: "Another process has been writing to {name} for too long. Run the cell again; if it stays so, "
    "close the other kernel.",
    sqlite3.SQLITE_LOCKED: "Another process has locked {name}. Run the cell again.",
    sqlite3.SQLITE_IOERR: "The disk of {name} gave an error ({error}). See that it is there and works.",
    sqlite3.SQLITE_PERM: "{name} may not be opened by you. Change its permissions, or set JUPYTER_HISTORY_STORE to "
    "another path.",
}

_POSTGRESQL = {
    "25006": "{name} is read-only. Ask who runs the server, or set JUPYTER_HISTORY_STORE to another store.",
    "42501": "{name} does not let you use its tables. Ask who runs the server for the role that may (docs/hub.md).",
    "53100": "There is no room left on the server of {name}. Ask who runs it to free some.",
    "55P03": "Another process has been writing to {name} for too long. Run the cell again; if it stays so, close the "
    "other kernel.",
}
"""By SQLSTATE."""


def not_a_database(name: str) -> StoreUnavailable:
    return StoreUnavailable(_SQLITE[sqlite3.SQLITE_NOTADB].format(name=name))


def unavailable(error: BaseException | None, name: str) -> StoreUnavailable | None:
    """The line for a failure of the database `name`; None for an error that is not about its being usable."""
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        text = _SQLITE.get(code)
        return StoreUnavailable(text.format(name=name, error=error)) if text else None
    if isinstance(error, OSError):
        reason = error.strerror or type(error).__name__
        return StoreUnavailable(
            f"{name} cannot be opened ({reason.lower()}). Make its directory writable, or set JUPYTER_HISTORY_STORE "
            f"to a path that is."
        )
    if (text := _POSTGRESQL.get(getattr(error, "sqlstate", None) or "")) is not None:
        return StoreUnavailable(text.format(name=name))
    if type(error).__name__ in ("OperationalError", "InterfaceError") or _is_operational(error):
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        return StoreUnavailable(
            f"{name} does not answer ({first}). See that the server runs and JUPYTER_HISTORY_STORE is right."
        )
    return None


def newer(name: str, version: int) -> StoreUnavailable:
    return StoreUnavailable(
        f"{name} was written by a newer jupyter_history (schema {version}) and was left alone. Update the package: "
        f"pip install -U jupyter-history"
    )


def _is_operational(error: BaseException | None) -> bool:
    """Drivers have many subclasses of the error that means "the server, not the statement"."""
    return any(base.__name__ == "OperationalError" for base in type(error).__mro__)
