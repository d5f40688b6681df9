"""Temporary files of `make test` lie in memory where they can, and nothing of them stays."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent
TOOL = ROOT / "tools" / "in_memory.sh"
SAY = 'printf %s "${TMPDIR:-}"; [ -z "${TMPDIR:-}" ] || touch "$TMPDIR/left"; exit 3'


def has_room() -> bool:
    """Whether 3 GB are free in /dev/shm, which is in memory and from which programs run, and 6 GB of memory are."""
    mounted = [line.split() for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines()]
    kind, options = next(((line[2], line[3].split(",")) for line in reversed(mounted) if line[1] == "/dev/shm"), ("", []))
    free = next(
        int(line.split()[1]) for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines() if line.startswith("MemAvailable:")
    )
    return kind == "tmpfs" and "noexec" not in options and shutil.disk_usage("/dev/shm").free >= 3 << 30 and free >= 6 << 20


def run(**variables: str) -> tuple[int, str]:
    """The command's status, and where its temporary files lie: empty where they lie as ever."""
    env = {name: value for name, value in os.environ.items() if name != "TMPDIR"} | variables
    done = subprocess.run([TOOL, "sh", "-c", SAY], env=env, stdout=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout


def test_files_in_memory_are_gone_after_the_command_whose_status_is_handed_on() -> None:
    status, place = run()
    assert status == 3
    assert (place != "") == has_room()
    if place:
        assert place.startswith("/dev/shm/vt.") and not Path(place).exists()


def test_a_place_that_is_no_memory_is_not_taken() -> None:
    assert run(MEMORY_PLACE="/proc") == (3, "")
    assert run(MEMORY_PLACE="/no/such/place") == (3, "")


def test_who_says_where_temporary_files_lie_is_heard(tmp_path: Path) -> None:
    assert run(TMPDIR=str(tmp_path)) == (3, str(tmp_path))
    assert (tmp_path / "left").exists()


def test_make_runs_tests_that_way() -> None:
    assert "WITHIN := tools/in_memory.sh timeout" in (ROOT / "Makefile").read_text(encoding="utf-8")
