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

    def run(self, program: str, *words: str | Path) -> None:
        """Run one of PostgreSQL's programs, which refuse to run as root: then as `nobody`."""
        become = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
        command = [*become, self.bin / program, "-D", self.folder / "data", *words]
        done = subprocess.run(
            command, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{program}: {done.stdout}{done.stderr}"

    def start(self) -> None:
        quick = f"-c listen_addresses= -c unix_socket_directories={self.folder} -c fsync=off -c autovacuum=off"
        # pg_ctl hands its output to the server, which would keep our pipe open: it goes to a file
        self.run("pg_ctl", "-w", "-t", "60", "-l", self.folder / "log", "-o", quick, "start")

    def stop(self) -> None:
        self.run("pg_ctl", "-w", "-m", "fast", "stop")

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
    """A new server. Skips the test where there is no PostgreSQL."""
    bin = programs()
    if bin is None:
        pytest.skip(MISSING)
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp") as made:  # a socket's path has at most 107 bytes
        server = Server(Path(made), bin)
        if os.geteuid() == 0:
            shutil.chown(made, "nobody")
        server.run("initdb", "-U", Server.admin, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        server.start()
        try:
            yield server
        finally:
            server.stop()
