"""``vantage tasks check`` catches what somebody changed in a task file afterwards: five ways, one of them an overlap that is seen."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data.generators.checking import check_files
from data.generators.framework import CROSSING
from data.generators.lab import Lab
from data.generators.registry import FOLDER, GENERATORS
from sim_bridge.backends.mujoco.engine import gl

pytestmark = pytest.mark.skipif(not gl.available(), reason="the software renderer libOSMesa is not installed")
EARLIER = Path(__file__).parents[2] / "fixtures" / "tasks_v3"
Document = dict[str, Any]


def told(lab: Lab, folder: Path, name: str, change: Callable[[Document], None]) -> list[str]:
    """What the check says of the first of a pair of twins after a change."""
    for side in "ab":
        document = json.loads((FOLDER / f"{name}{side}.json").read_text(encoding="utf-8"))
        if side == "a":
            change(document)
        (folder / f"{name}{side}.json").write_text(json.dumps(document), encoding="utf-8")
    return [p for e in check_files(sorted(folder.glob("*.json")), lab, GENERATORS) if e.task_id == f"{name}a" for p in e.problems]


def test_a_stem_that_is_drawn_inside_the_thing_above_is_caught(lab: Lab) -> None:
    """A stack of an earlier version that stands only because a stem does not collide."""
    (entry,) = check_files([EARLIER / "own-stack-012.json"], lab, GENERATORS)
    assert len(entry.problems) == 1 and entry.problems[0].startswith(CROSSING) and "cookie_tin" in entry.problems[0]


def test_a_thing_that_is_put_into_another_is_caught(lab: Lab, tmp_path: Path) -> None:
    def sink(d: Document) -> None:
        ramp, screen = (next(o for o in d["scene"]["objects"] if o["category"] == kind) for kind in ("ramp", "packing_box"))
        screen["size_m"] = [0.2, 0.2, 0.2]
        screen["pose"]["position_m"] = ramp["pose"]["position_m"]

    name = next(f.stem[:-1] for f in sorted(FOLDER.glob("own-slope-*a.json")) if json.loads(f.read_text())["tags"]["layout"] == "screened")
    assert any(p.startswith(CROSSING) for p in told(lab, tmp_path, name, sink))


def test_another_covering_is_caught(lab: Lab, tmp_path: Path) -> None:
    """Rubber and ice exchange the answer; the handbook's pair is looked up anew."""

    def cover(d: Document) -> None:
        (ramp,) = (o for o in d["scene"]["objects"] if o["category"] == "ramp")
        ramp["params"]["surface"] = "ice" if d["gold"]["accepted"][0] == "yes" else "rubber"

    name = next(
        f.stem[:-1]
        for f in sorted(FOLDER.glob("own-slope-*a.json"))
        if json.loads(f.read_text())["tags"]["decides"] == "surface" and json.loads(f.read_text())["tags"]["material"] in ("wood", "metal")
    )
    assert any("the simulator does not confirm the gold" in p for p in told(lab, tmp_path, name, cover))


def test_an_order_that_does_not_stand_is_caught(lab: Lab, tmp_path: Path) -> None:
    def accept(d: Document) -> None:
        d["gold"]["accepted"].append(d["gold"]["accepted"][0][::-1])

    assert any("does not stand when it is tried" in p for p in told(lab, tmp_path, "own-stack-001", accept))


def test_a_size_that_was_changed_is_caught(lab: Lab, tmp_path: Path) -> None:
    """The middle one made as large as the largest: another order stands, or none."""

    def grow(d: Document) -> None:
        things = sorted((o for o in d["scene"]["objects"] if o["handle"] in d["names"]), key=lambda o: o["size_m"])
        things[1]["size_m"] = [1.45 * v for v in things[2]["size_m"]]

    assert told(lab, tmp_path, "own-stack-001", grow) != []
