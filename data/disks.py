"""Which disk a path lies on, and whether it is one of another machine: SQLite must not be used there.

SQLite's write-ahead log shares memory between processes of one machine. On a network file system two machines can open the same database,
each with a log of its own, and damage it without an error; many such systems also promise locks that they do not keep
(sqlite.org/wal.html, "All processes using a database must be on the same host computer"; sqlite.org/howtocorrupt.html, section 2.1).
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from data.home import Home

MOUNTS = Path("/proc/self/mountinfo")
"""The mounts this process sees; proc(5) describes its lines. Not on every system: without it nothing is known of a disk."""
NETWORK = frozenset({
    # network and cluster file systems
    "nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "ncpfs", "afs", "auristorfs", "coda", "davfs", "ceph", "glusterfs", "lustre",
    "gpfs", "beegfs", "fhgfs", "panfs", "pvfs2", "orangefs", "ocfs2", "gfs", "gfs2", "mfs", "moosefs", "lizardfs", "quobyte",
    "wekafs", "acfs",
    # a host's folders in its virtual machines and containers
    "9p", "virtiofs", "vboxsf", "vmhgfs", "vmhgfs-fuse", "prl_fs", "drvfs", "grpcfuse", "osxfs",
    # by FUSE, from elsewhere
    "sshfs", "curlftpfs", "s3fs", "gcsfuse", "goofys", "rclone", "juicefs", "seaweedfs", "blobfuse", "blobfuse2", "cvmfs2", "fuse_dfs",
    "gvfsd-fuse", "kio-fuse", "onedriver", "google-drive-ocamlfuse", "alluxio-fuse", "dfuse",
})  # fmt: skip
"""File systems that other machines may use at the same time, a virtual machine's host included; of ``fuse.NAME`` the name counts."""
REMOTE = re.compile(r"//|\\\\|[^/\s:]+@[^/\s:]+:|[A-Za-z0-9._-]+:/(?!dev/)|\[[0-9A-Fa-f:]+\]:")
"""What the source of a mount looks like when it is another machine's: ``host:/path``, ``//host/share``, ``user@host:``."""


@dataclass(frozen=True)
class Mount:
    """One line of the table of mounts."""

    point: str
    """Folder where it is mounted."""
    kind: str
    """Type of the file system, such as ``ext4`` or ``fuse.sshfs``."""
    source: str
    """What is mounted, such as ``/dev/sda1`` or ``server:/export``."""

    @property
    def network(self) -> bool:
        """Whether other machines may write there."""
        kind = self.kind.lower()
        fuse = kind in ("fuse", "fuseblk") or kind.startswith("fuse.")
        return kind.removeprefix("fuse.") in NETWORK or (fuse and REMOTE.match(self.source) is not None)


def mounts(table: Path = MOUNTS) -> list[Mount]:
    """The mounts of this machine, in the order they were made; none where the system does not tell."""
    try:
        lines = table.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        fields, _, rest = line.partition(" - ")
        left, right = fields.split(" "), rest.split(" ")
        if len(left) > 4 and len(right) > 1:
            found.append(Mount(_plain(left[4]), right[0], _plain(right[1])))
    return found


def _plain(field: str) -> str:
    """A field of the table with its octal escapes (space, tab, newline, backslash) resolved."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), field)


def mount_of(path: Path, table: Path | None = None) -> Mount | None:
    """The mount on which `path` lies or would be made; symbolic links are followed."""
    # `resolve` looks at every folder on the way, so that what is mounted on demand is in the table afterwards.
    real = path.resolve()
    best: Mount | None = None
    for mount in mounts(table or MOUNTS):
        inside = mount.point == "/" or real == Path(mount.point) or str(real).startswith(mount.point.rstrip("/") + os.sep)
        # Of two mounts at one place the later one hides the earlier.
        if inside and (best is None or len(mount.point) >= len(best.point)):
            best = mount
    return best


def shared(home: Home) -> str | None:
    """A sentence when a part of the home lies on a disk of another machine, None when all is well."""
    for what, path in (
        ("The database", home.db),
        ("The frames folder", home.frames),
        ("The home", home.root),
        ("The run folder", home.run),
    ):
        mount = mount_of(path)
        if mount is not None and mount.network:
            return (
                f"{what} {path} lies on a network file system ({mount.kind}, {mount.source} at {mount.point}), where two "
                "machines can damage the database without an error. Name a folder on a disk of this machine, by VANTAGE_HOME or --db."
            )
    return None
