"""``vantage qa import`` and ``vantage qa sources`` on each kind of source: the sound part in, the rest named, JSON on standard output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.cli import main
from data.robot.sources import SOURCES
from tests.data.robot.conftest import Make


def vantage(home: Path, *arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["qa", *map(str, arguments)], env={"VANTAGE_HOME": str(home)})


def sound(kind: str, root: Path, make: type[Make]) -> Path:
    if kind == "agibot":
        make.agibot(root, frames=12)
    elif kind == "bridge":
        make.bridge(root)
    elif kind == "lerobot":
        make.lerobot_3(root, (4, 5))
    else:
        for view in ("left-gripper", "head", "right-gripper"):
            make.image(root / f"m/{view}.png", 1)
    return root


@pytest.mark.parametrize("kind", SOURCES)
def test_a_sound_source_of_each_kind(make: type[Make], tmp_path: Path, kind: str) -> None:
    root = sound(kind, tmp_path / "s", make)
    done = vantage(tmp_path / "home", "import", root, "--name", "Mine", "--licence", "CC BY 4.0", "--json")
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert (report["kind"], report["problems"], report["counts"]) == (kind, [], {}) and report["added"] == report["episodes"] > 0
    (listed,) = json.loads(vantage(tmp_path / "home", "sources", "--json").stdout)
    assert (listed["kind"], listed["name"], listed["licence"], listed["incomplete"]) == (kind, "Mine", "CC BY 4.0", 0)
    assert listed["source_id"] == report["source_id"] and listed["root"] == str(root)
    again = json.loads(vantage(tmp_path / "home", "import", root, "--kind", kind, "--json").stdout)
    assert (again["source_id"], again["unchanged"], again["added"]) == (report["source_id"], report["episodes"], 0)
    assert "Mine" in vantage(tmp_path / "home", "sources").stdout


def test_what_is_wrong_is_named_with_status_1_and_the_rest_imported(make: type[Make], tmp_path: Path) -> None:
    make.bridge(tmp_path / "b")
    make.bridge(tmp_path / "b", "traj1", cameras=3)
    done = vantage(tmp_path / "home", "import", tmp_path / "b", "--json")
    report = json.loads(done.stdout)
    assert done.exit_code == 1 and (report["episodes"], report["counts"]) == (2, {"missing_view": 1})
    assert report["problems"][0] | {"where": ""} == {
        "where": "", "fault": "missing_view", "did": "imported without them; no moments are sampled from it",
        "what": "Views are missing: view4; there: view1 (images0), view2 (images1), view3 (images2).",
    }  # fmt: skip
    assert "Views are missing: view4" in done.stderr and "2 imported (2 new, 0 changed), 1 faults" in done.stderr


def test_bad_calls_are_sentences_without_a_traceback(make: type[Make], tmp_path: Path) -> None:
    (tmp_path / "set.zip").write_bytes(b"PK\x03\x04")
    (tmp_path / "p/a").mkdir(parents=True)
    (tmp_path / "p/a/head.png").write_bytes(b"no image")
    for arguments, status, sentence in (
        (("import", tmp_path / "absent"), 2, "is not there."),
        (("import", tmp_path / "set.zip", "--json"), 2, "is an archive: unpack it, then name the folder."),
        (("import", tmp_path / "p", "--kind", "rlds"), 2, "'rlds' is not one of"),
        (("import", tmp_path / "p", "--view", "head"), 2, "write VIEW=CAMERA"),
        (("import", tmp_path / "p", "--view", "roof=head"), 2, "got 'roof' for 'head'"),
        (("import", tmp_path / "p"), 1, "has no sound episode (2 faults); nothing was imported."),
    ):
        done = vantage(tmp_path / "home", *arguments)
        assert done.exit_code == status and sentence in done.stderr, done.output
        assert "Traceback" not in done.output
    assert json.loads(vantage(tmp_path / "home", "sources", "--json").stdout) == []
    report = json.loads(vantage(tmp_path / "home", "import", tmp_path / "p", "--json").stdout)
    assert report["source_id"] is None and report["counts"] == {"missing_view": 1, "unreadable": 1}


def test_the_choices_of_the_command_are_the_kinds_there_are() -> None:
    from data.robot.kinds import KINDS

    assert tuple(SOURCES) == KINDS
