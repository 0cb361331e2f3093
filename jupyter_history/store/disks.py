"""Which kind of disk a file is on: on a network's, SQLite must not use the shared memory that its WAL needs."""

from __future__ import annotations

import re
from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")
_NETWORK = re.compile(
    r"(fuse\.)?(nfs\d*|cifs|smb\w*|9p|sshfs|lustre|gpfs|beegfs\w*|ceph(-fuse)?|glusterfs|afs|orangefs|pvfs2|ocfs2|gfs2|"
    r"ncpfs|davfs2?|s3fs|gcsfuse|blobfuse2?|rclone|juicefs|cvmfs\w*|virtiofs|moosefs|mfs)"
)
_OCTAL = re.compile(r"\\([0-7]{3})")


def network(file: Path, mounts: Path = MOUNTS) -> str | None:
    """The type of the network file system that `file` is (or would be) on, None on a local disk or where nothing tells.

    `mounts` is in the form of Linux's /proc/self/mountinfo.
    """
    try:
        lines = mounts.read_text(errors="surrogateescape").splitlines()
    except OSError:
        return None
    where = file.parent.resolve()
    best, found = -1, ""
    for line in lines:
        left, _, right = line.partition(" - ")
        point = Path(_OCTAL.sub(lambda octal: chr(int(octal[1], 8)), left.split()[4]))
        if where.is_relative_to(point) and len(point.parts) >= best:  # a later mount lies over an earlier one
            best, found = len(point.parts), right.split()[0]
    return found if _NETWORK.fullmatch(found) else None
