"""The database behind a store: where it is, how it is opened, and the two kinds of transaction.

SQLite's driver is in autocommit mode and every transaction is begun here, in words: `BEGIN IMMEDIATE` to write (a
deferred one that upgrades fails at once when another writer is in), `BEGIN` to read (so that several SELECTs see one
state). One connection a process, guarded by a lock; a process that was forked leaves its parent's alone.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event, insert, inspect, select
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.pool import StaticPool

from ..errors import BadInput, StoreUnavailable
from . import disks, index, schema, upgrades
from .faults import newer, not_a_database, unavailable

VARIABLE = "JUPYTER_HISTORY_STORE"
HEADER = 100
"""Bytes that every SQLite file begins with, unless it is empty."""
BUSY = 10.0
"""Seconds to wait for another writer."""
_MEMORY = (None, "", ":memory:")
_WRITE: dict[str, Any] = {"immediate": True}
_READ: dict[str, dict[str, Any]] = {
    "sqlite": {"immediate": False},
    "postgresql": {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True},
}
_PRAGMAS = (
    "PRAGMA synchronous=FULL",  # a turn took seconds and money: 4 ms buy that it survives a power cut
    "PRAGMA foreign_keys=ON",
    "PRAGMA cache_size=-65536",
    "PRAGMA journal_size_limit=67108864",
)


def locate(where: str | Path | None) -> URL:
    """The database that `where` means: a path, a URL, ":memory:"; None is $JUPYTER_HISTORY_STORE, else the default."""
    text = str(where) if where is not None else os.environ.get(VARIABLE, "")
    if "://" in text:
        try:
            url = make_url(text)
            url.get_dialect()
        except (ArgumentError, NoSuchModuleError, ImportError) as error:
            scheme = text.split("://")[0]
            raise BadInput(
                f"The store {scheme}://... is no database URL that works here ({_first_line(error)}). "
                f"Give a path, or a URL like postgresql+psycopg://host/name."
            ) from error
        if url.get_backend_name() not in ("sqlite", "postgresql"):
            raise BadInput(f"The store can be SQLite or PostgreSQL, not {url.get_backend_name()}.")
        return url
    if text == ":memory:":
        return URL.create("sqlite")
    if not text:
        import platformdirs

        text = str(Path(platformdirs.user_data_dir("jupyter_history", appauthor=False)) / "history.db")
    return URL.create("sqlite", database=str(Path(text).expanduser().absolute()))


class Database:
    """Connects when first used. Safe to share between threads, and across `os.fork`."""

    def __init__(self, url: URL, mounts: Path = disks.MOUNTS) -> None:
        self.url = url
        self.file = _file(url)
        self.network = disks.network(self.file, mounts) if self.file else None
        self.in_memory = url.get_backend_name() == "sqlite" and url.database in _MEMORY
        self._engine: Engine | None = None
        self._identity: tuple[int, int] | None = None
        self._frozen = False
        self._left: list[Engine] = []  # engines of parent processes: kept, because collecting one would close its files
        self._pid = os.getpid()
        self._lock = threading.RLock()

    @property
    def name(self) -> str:
        """For messages: the file, or the URL without its password."""
        return str(self.file) if self.file else self.url.render_as_string(hide_password=True)

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that may change things. It is committed whole at the end, or not at all."""
        with self._transaction(immediate=True) as connection:
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database and changes nothing."""
        with self._transaction(immediate=False) as connection:
            yield connection

    def connect(self) -> None:
        """Open or make the database now. StoreUnavailable if it cannot be."""
        self._mind_fork()
        with self._lock:
            if self._engine is None:
                with self._told():
                    self._engine = self._open()

    def close(self) -> None:
        """Let go of the database; the next use opens it again. A SQLite file is left whole, with nothing in its log."""
        self._mind_fork()
        with self._lock:
            if self._engine is None or self.in_memory:
                return
            engine, self._engine = self._engine, None
            if engine.dialect.name == "sqlite":
                with suppress(sqlite3.Error, DBAPIError), engine.connect() as connection:
                    driver: Any = connection.connection.driver_connection
                    driver.execute("PRAGMA busy_timeout=250")  # where another kernel is at work, it will do it
                    driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            engine.dispose()

    @contextmanager
    def _transaction(self, *, immediate: bool) -> Iterator[Connection]:
        self._mind_fork()
        with self._lock, self._told():
            if immediate:
                self._mind_loss()
                self._thaw()
            self.connect()
            assert self._engine is not None
            options = _WRITE if immediate else _READ[self._engine.dialect.name]
            with self._engine.connect().execution_options(**options) as connection, connection.begin():
                yield connection

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What the driver says, as one line that names the file and what to do."""
        try:
            yield
        except DBAPIError as error:
            if (failure := unavailable(error.orig, self.name)) is not None:
                raise failure from error
            raise
        except (OSError, sqlite3.Error) as error:
            if (failure := unavailable(error, self.name)) is not None:
                raise failure from error
            raise

    def _mind_fork(self) -> None:
        if self._pid == os.getpid():
            return
        self._pid, self._lock = os.getpid(), threading.RLock()  # the old lock may be held by a thread that is not here
        if self._engine is not None and not self.in_memory:  # one in memory was copied with the process
            self._left.append(self._engine)
            self._engine.dispose(close=False)
            self._engine = None

    def _mind_loss(self) -> None:
        """A file that was deleted while open still takes writes, and loses them: nothing may be claimed saved there."""
        if self.file is None or self._engine is None or self._identity == _identity(self.file):
            return
        if _identity(self.file) is None:
            raise StoreUnavailable(
                f"The history {self.file} was deleted or moved while it was open. "
                f"Put it back, or restart the kernel to begin a new one."
            )
        self._engine.dispose()
        self._engine = None

    def _thaw(self) -> None:
        """What was opened as it lay on a read-only disk is opened anew to be written: the disk may be another now."""
        if self._frozen and self._engine is not None:
            self._engine.dispose()
            self._engine = None

    def _open(self) -> Engine:
        if self.url.get_backend_name() == "sqlite":
            return self._open_file()
        # one connection a kernel: a hub has many kernels, and a server 100 connections
        engine = create_engine(self.url, pool_pre_ping=True, pool_size=1, connect_args=_patience(self.url))
        event.listen(engine, "connect", _prepare_server)
        return _made(engine, self.name)

    def _open_file(self) -> Engine:
        if self.file is not None:
            _make_file(self.file)
            if 0 < self.file.stat().st_size < HEADER:  # SQLite takes so short a file for an empty one
                raise not_a_database(self.name)
        journal = "TRUNCATE" if self.network else "WAL"
        self._frozen = False
        try:
            engine = _made(_sqlite(self.url, journal), self.name)
        except DBAPIError as error:
            if self.file is None or not _readable(error.orig, self.file):
                raise
            engine = _made(_sqlite(_as_it_lies(self.file), journal), self.name)
            self._frozen = True
        if self.file is not None:
            _make_private(self.file)
            self._identity = _identity(self.file)
        return engine


def _made(engine: Engine, name: str) -> Engine:
    """The engine, with the tables there; closed again if they cannot be."""
    try:
        _make_schema(engine, name)
    except BaseException:
        engine.dispose()
        raise
    return engine


def _sqlite(url: URL, journal: str) -> Engine:
    engine = create_engine(
        url,
        poolclass=StaticPool,
        connect_args={"isolation_level": None, "check_same_thread": False, "timeout": BUSY},
    )
    event.listen(engine, "connect", lambda connection, _record: _prepare(connection, journal))
    event.listen(engine, "begin", _begin)
    return engine


def _readable(error: BaseException | None, file: Path) -> bool:
    """Whether a file that cannot be opened to be written can still be read: whole, with nothing left in its log."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return (
        code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
        and os.access(file, os.R_OK, effective_ids=os.access in os.supports_effective_ids)
        and file.stat().st_size > 0
        and not Path(f"{file}-wal").exists()
    )


def _as_it_lies(file: Path) -> URL:
    """Read a file without making the files beside it that SQLite reads with. Nobody can write it meanwhile."""
    return URL.create("sqlite", database=f"file:{quote(str(file))}", query={"immutable": "1", "uri": "true"})


def _file(url: URL) -> Path | None:
    """The file of a SQLite database; None for one in memory, for a server, and for SQLite's own `file:` URLs."""
    if url.get_backend_name() != "sqlite" or url.database in _MEMORY or str(url.database).startswith("file:"):
        return None
    return Path(str(url.database))


def _prepare(connection: sqlite3.Connection, journal: str) -> None:
    """SQLite's settings, which belong to a connection and cannot be set in a transaction."""
    version, application, changes = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("user_version", "application_id", "schema_version")
    )
    if changes == 0 or (application == schema.APPLICATION and version <= schema.VERSION):
        connection.execute(
            f"PRAGMA journal_mode={journal}"
        )  # WAL is written to the file: not to a stranger's, nor to a newer one
    for pragma in _PRAGMAS:
        connection.execute(pragma)


def _patience(url: URL) -> dict[str, Any]:
    """A server that does not answer is told of, not waited for (unless the URL says how long)."""
    return {} if "connect_timeout" in url.query else {"connect_timeout": int(BUSY)}


def _prepare_server(connection: Any, _record: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = '{int(BUSY)}s'")
    connection.commit()


def _begin(connection: Connection) -> None:
    immediate = connection.get_execution_options().get("immediate", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def _make_schema(engine: Engine, name: str) -> None:
    """Make the tables in a new database, upgrade an older one; refuse one that is newer, or another program's."""
    with engine.begin() as connection:
        if _version(connection, name) == schema.VERSION:
            return
    with engine.execution_options(immediate=True).begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({schema.APPLICATION})")
        version = _version(connection, name)
        if version == schema.VERSION:  # another process was faster
            return
        if version:
            upgrades.upgrade(connection, version, name)
        else:
            _make_tables(connection)
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql(f"PRAGMA application_id={schema.APPLICATION}")
            connection.exec_driver_sql(f"PRAGMA user_version={schema.VERSION}")


def _make_tables(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        from . import owners

        owners.tables().create_all(connection, checkfirst=False)
    else:
        schema.metadata.create_all(connection, checkfirst=False)
    index.make(connection)
    connection.execute(insert(schema.store).values(version=schema.VERSION))


def _version(connection: Connection, name: str) -> int:
    """The schema's version in this database, 0 if it is empty."""
    if connection.dialect.name == "sqlite":
        version = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
        application = int(connection.exec_driver_sql("PRAGMA application_id").scalar_one())
        empty = connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar_one() == 0
        if application != schema.APPLICATION and not empty:
            raise StoreUnavailable(
                f"{name} is another program's database, and was left alone. Set {VARIABLE} to another path."
            )
    else:
        there = inspect(connection).has_table(schema.store.name)
        version = connection.execute(select(schema.store.c.version)).scalar_one() if there else 0
    if version > schema.VERSION:
        raise newer(name, version)
    return version


def _make_file(file: Path) -> None:
    """A new file 0600, its directory 0700 if it is made here. SQLite gives its -wal and -shm the file's own mode.

    (No umask: it belongs to the whole process, other threads included.)
    """
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _make_private(file: Path) -> None:
    """Our files 0600 where they were not, as far as they are ours to change."""
    for path in (file, Path(f"{file}-wal"), Path(f"{file}-shm")):
        with suppress(OSError):
            if stat.S_IMODE(path.stat().st_mode) & 0o077:
                path.chmod(0o600)


def _identity(file: Path) -> tuple[int, int] | None:
    """What tells a file from another of the same name; None if there is none."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
