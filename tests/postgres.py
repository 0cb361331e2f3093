"""A PostgreSQL server for tests: Debian's own, on a Unix socket in a folder of its own, gone afterwards."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

MISSING = (
    "PostgreSQL's server programs are not installed here (Debian and Ubuntu: sudo apt-get install postgresql). "
    "The same contracts ran on SQLite."
)


def programs() -> Path | None:
    """The folder with `initdb` and `postgres`, the newest there is."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if found:
        return max(found, key=lambda path: float(path.parent.name))
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path else None


class Server:
    """A running server; `admin` is its superuser's name."""

    admin = "admin"

    def __init__(self, folder: Path, bin: Path) -> None:
        self.folder, self.bin = folder, bin

    def url(self, database: str, role: str = admin) -> str:
        return f"postgresql+psycopg://{role}@/{database}?host={self.folder}"

    def psql(self, statements: str, database: str = "postgres", role: str = admin) -> str:
        """Run SQL as `psql` does, all or nothing; its output."""
        command = [self.bin / "psql", "-h", self.folder, "-U", role, "-d", database, "-XAtq", "-v", "ON_ERROR_STOP=1"]
        done = subprocess.run(command, input=statements, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


@contextmanager
def running() -> Iterator[Server]:
    """A new server. Skips the test where there is no PostgreSQL. (It refuses to run as root: then `nobody` does.)"""
    bin = programs()
    if bin is None:
        pytest.skip(MISSING)
    become = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp") as made:  # a socket's path has at most 107 bytes
        folder = Path(made)
        if become:
            shutil.chown(folder, "nobody")
        data = folder / "data"

        def run(*words: str | Path) -> None:
            done = subprocess.run(
                [*become, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, f"{words[0]}: {done.stdout}{done.stderr}"

        run(bin / "initdb", "-D", data, "-U", Server.admin, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        quick = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off -c autovacuum=off"
        pg_ctl = bin / "pg_ctl"
        # pg_ctl hands its output to the server, which would keep our pipe open: it goes to a file
        run(pg_ctl, "-D", data, "-w", "-t", "60", "-l", folder / "log", "-o", quick, "start")
        try:
            yield Server(folder, bin)
        finally:
            run(pg_ctl, "-D", data, "-m", "immediate", "stop")
