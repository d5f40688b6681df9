"""A home on a disk of another machine is refused with a sentence, at the start and by the doctor, whichever part of it lies there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.cli import main
from data import disks
from data.disks import Mount, mount_of, mounts
from data.home import Home
from data.store import Store, StoreError


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("nfs", "server:/export"), ("nfs4", "10.0.0.1:/"), ("nfs4", "[fd00::1]:/x"), ("cifs", "//server/share"), ("smb3", "//server/share"),
        ("fuse.sshfs", "me@server:/home"), ("fuse.sshfs", "server:"), ("9p", "hostshare"), ("afs", "AFS"), ("ceph", "1.2.3.4:6789:/"),
        ("fuse.glusterfs", "server:/vol"), ("lustre", "mgs@tcp:/fs"), ("fuse.s3fs", "bucket"), ("fuse.rclone", "drive:"),
        ("virtiofs", "share"), ("vboxsf", "share"), ("fuse.grpcfuse", "grpcfuse"), ("davfs", "https://cloud.example/dav"), ("NFS", "a:/b"),
        # A file system by FUSE that nobody has listed, by what it mounts.
        ("fuse.brandnew", "server:/export"), ("fuse.brandnew", "//server/share"), ("fuse", "me@server:"),
    ],
)  # fmt: skip
def test_file_systems_of_other_machines_are_known(kind: str, source: str) -> None:
    assert Mount("/data", kind, source).network


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("ext4", "/dev/sda1"), ("btrfs", "/dev/mapper/root"), ("xfs", "/dev/nvme0n1p2"), ("zfs", "pool/data"), ("tmpfs", "tmpfs"),
        ("overlay", "overlay"), ("fuseblk", "/dev/sdb1"), ("fuse.gocryptfs", "/home/me/cipher"), ("fuse.mergerfs", "a:b"),
        ("f2fs", "/dev/x"),
        ("bcachefs", "/dev/a:/dev/b"), ("fuse.bcachefs", "/dev/a:/dev/b"),
    ],
)  # fmt: skip
def test_disks_of_this_machine_are_not_taken_for_others(kind: str, source: str) -> None:
    assert not Mount("/data", kind, source).network


def table_of(folder: Path, *lines: tuple[str, str, str]) -> Path:
    """A table of mounts: the machine's root, and these (place, kind, source)."""
    rows = [("/", "ext4", "/dev/vda"), *lines]
    text = "".join(
        f"{n} 1 0:{n} / {point} rw,relatime shared:{n} master:1 - {kind} {source} rw\n" for n, (point, kind, source) in enumerate(rows, 20)
    )
    path = folder / "mountinfo"
    path.write_text(text)
    return path


def test_the_nearest_and_latest_mount_counts(tmp_path: Path) -> None:
    table = table_of(
        tmp_path, ("/net", "nfs", "a:/b"), ("/net/local", "ext4", "/dev/vdb"), ("/both", "ext4", "/dev/c"), ("/both", "nfs4", "c:/d"),
        (r"/with\040space\134", "cifs", r"//a/my\040share"),
    )  # fmt: skip
    kinds = {
        path: mount.kind
        for path in ("/net/x", "/net", "/net/local/y", "/network", "/both/z", "/")
        if (mount := mount_of(Path(path), table))
    }
    assert kinds == {"/net/x": "nfs", "/net": "nfs", "/net/local/y": "ext4", "/network": "ext4", "/both/z": "nfs4", "/": "ext4"}
    assert mount_of(Path("/with space\\/x"), table) == Mount("/with space\\", "cifs", "//a/my share")


def test_lines_that_are_no_mounts_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "odd").write_bytes(b"\n1 2 3\n22 27 0:21 / /p\xff rw - proc proc rw\n22 27 0:21 / /proc rw - proc\n")
    assert [mount.kind for mount in mounts(tmp_path / "odd")] == ["proc"]
    assert mounts(tmp_path / "nothing") == [] and mount_of(tmp_path, tmp_path / "nothing") is None


def test_this_machine_tells_of_its_root() -> None:
    assert any(mount.point == "/" for mount in mounts()) or not disks.MOUNTS.exists()


@pytest.mark.parametrize("part", ["home", "db", "link", "frames", "run", "not made yet"])
def test_a_home_is_refused_whichever_part_lies_elsewhere(part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    net, here = tmp_path / "net", tmp_path / "here"
    for folder in (net, here):
        folder.mkdir()
    home = Home.from_env(
        {"home": net / "vantage.db", "db": net / "study.sqlite", "not made yet": net / "a/b/vantage.db"}.get(part, here / "vantage.db")
    )
    if part == "link":
        (here / "vantage.db").symlink_to(net / "elsewhere.db")
    if part in ("frames", "run"):
        (here / part).symlink_to(net)
    monkeypatch.setattr(disks, "MOUNTS", table_of(tmp_path, (str(net), "nfs4", "server:/export")))
    for attempt in (Store.open, Store.reading):
        with pytest.raises(StoreError, match=r"network file system \(nfs4, server:/export at .*VANTAGE_HOME or --db"):
            attempt(home)
    assert sorted(net.iterdir()) == [], "nothing is made there"
    told = CliRunner().invoke(main, ["study", "list", "--db", str(home.db)])
    assert told.exit_code == 2 and "network file system" in told.output
    doctor = json.loads(CliRunner().invoke(main, ["doctor", "--json", "--db", str(home.db)]).stdout)
    (disk,) = (check for check in doctor["checks"] if check["name"] == "disk")
    assert not disk["ok"] and "network file system" in disk["found"] and not doctor["ok"]


def test_a_home_here_is_opened_though_other_machines_disks_are_mounted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disks, "MOUNTS", table_of(tmp_path, (str(tmp_path / "net"), "nfs4", "server:/export")))
    Store.open(Home.from_env(tmp_path / "vantage.db")).close()
