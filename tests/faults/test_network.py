"""A home on a network file system: found out, no shared memory there, no hang, one line in the doctor."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from builders import Writer

from jupyter_history.store import Store
from jupyter_history.store.disks import network

MOUNTINFO = """\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 27 0:40 / /home rw,relatime shared:2 - nfs4 server:/export rw,vers=4.2
31 30 0:41 / /home/local\\040disk rw,relatime - ext4 /dev/vdb rw
32 27 0:42 / /home2 rw - tmpfs tmpfs rw
33 27 0:43 / /mnt/ssh rw - fuse.sshfs me@there:/ rw
"""


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/home/ada/.local/share/jupyter_history/history.db", "nfs4"),
        ("/home/local disk/history.db", None),
        ("/home2/history.db", None),
        ("/mnt/ssh/history.db", "fuse.sshfs"),
        ("/var/history.db", None),
    ],
)
def test_the_mount_that_a_file_is_on_decides(tmp_path: Path, path: str, found: str | None) -> None:
    (tmp_path / "mountinfo").write_text(MOUNTINFO)
    assert network(Path(path), tmp_path / "mountinfo") == found


def test_where_nothing_tells_a_disk_is_local(tmp_path: Path) -> None:
    assert network(tmp_path / "history.db", tmp_path / "no mountinfo here") is None


def test_a_store_on_a_network_uses_no_shared_memory_and_says_so(tmp_path: Path) -> None:
    """Only the detection is simulated."""
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"22 27 0:21 / {tmp_path} rw - cifs //server/home rw\n")
    file = tmp_path / "home" / "history.db"
    began = time.monotonic()
    stores = [Store(file, mounts=mounts) for _ in range(2)]
    writers = [Writer(stores[0], stores[0].create("notes").id, "a")]
    writers.append(Writer(stores[1], writers[0].conversation, "b"))
    for writer in writers * 3:
        writer.ask()
        assert not {path.name for path in file.parent.iterdir()} & {"history.db-wal", "history.db-shm"}
    assert time.monotonic() - began < 10
    with stores[0]._database.read() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "truncate"
        assert connection.exec_driver_sql("PRAGMA mmap_size").scalar() == 0
    assert stores[0].problems() == []
    assert "network file system (cifs)" in stores[0].caution
    assert "\n" not in stores[0].caution
    assert Store(file).caution == ""
