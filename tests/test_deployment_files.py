"""The files that the how-to page on deployment prints, read by the programs they are for where those are installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

PAGE = (Path(__file__).parent.parent / "docs" / "how-to" / "deploy.md").read_text(encoding="utf-8")


def blocks(title: str) -> list[str]:
    return re.findall(rf"^```{title}\n(.*?)^```$", PAGE, re.S | re.M)


def test_the_page_prints_each_file_and_says_what_was_not_tried() -> None:
    assert [len(blocks(title)) for title in ("systemd", "caddy", "nginx snippet", "nginx root", "nginx sub-path")] == [1, 2, 1, 1, 1]
    assert "*untested*" in PAGE


@pytest.mark.skipif(shutil.which("caddy") is None, reason="caddy is not installed; the page says that its Caddyfiles are untested")
@pytest.mark.parametrize("number", [0, 1])
def test_caddy_reads_the_caddyfiles(number: int, tmp_path: Path) -> None:
    (tmp_path / "Caddyfile").write_text(blocks("caddy")[number])
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    order = ["caddy", "validate", "--adapter", "caddyfile", "--config", str(tmp_path / "Caddyfile")]
    done = subprocess.run(order, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed; the page says that its unit is untested")
def test_systemd_reads_the_unit(tmp_path: Path) -> None:
    (unit,) = blocks("systemd")
    # Neither the program nor its user is on this machine.
    unit = unit.replace("/opt/vantage/.venv/bin/vantage", "/bin/true").replace("User=vantage\n", "User=root\n")
    (tmp_path / "vantage.service").write_text(unit)
    done = subprocess.run(["systemd-analyze", "verify", str(tmp_path / "vantage.service")], capture_output=True, text=True, check=False)
    assert (done.returncode, [line for line in done.stderr.splitlines() if "vantage.service" in line]) == (0, [])


def test_the_unit_starts_what_the_command_line_knows() -> None:
    from app.commands.serve import command

    (unit,) = blocks("systemd")
    (started,) = re.findall(r"^ExecStart=\S+/vantage serve (.*)$", unit, re.M)
    command.make_context("serve", started.split())
    known = {option.envvar for option in command.params}
    assert set(re.findall(r"^Environment=(VANTAGE_(?!HOME)\w+)=", unit, re.M)) <= known
