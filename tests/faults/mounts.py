"""A small disk for a test to fill up or make read-only: a tmpfs, where one may be mounted (root on Linux)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


class Disk:
    def __init__(self, path: Path) -> None:
        self.path = path

    def remount(self, options: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{options}", self.path], check=True, capture_output=True)

    def fill(self) -> None:
        """Leave no byte free."""
        with (self.path / "filler").open("ab", buffering=0) as filler:
            for size in (1 << 16, 1 << 12):
                try:
                    while True:
                        filler.write(b"\0" * size)
                except OSError:
                    pass

    def empty(self) -> None:
        (self.path / "filler").unlink()


@contextmanager
def mounted(path: Path, size: str = "4m") -> Iterator[Disk]:
    """Skips the test where nothing may be mounted; a fault injected into SQLite stands for it everywhere."""
    path.mkdir()
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        pytest.skip("only root on Linux may mount a small disk; the injected SQLITE_FULL ran")
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", path], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        pytest.skip(f"no disk may be mounted here ({done.stderr.strip()}); the injected SQLITE_FULL ran")
    try:
        yield Disk(path)
    finally:
        subprocess.run(["umount", "-l", path], check=True)
