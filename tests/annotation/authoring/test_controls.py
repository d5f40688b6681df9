"""Every control of the editor changes what the simulator builds: room, house, light, scale, turn, parts, mirror, robot, stacking."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotation.authoring import drafts
from annotation.authoring.drafts import Kept
from annotation.authoring.errors import BadDraft
from annotation.authoring.stage import Shown, Stage
from data.store import Store, now
from sim_bridge.houses import plan
from sim_bridge.pool import Pool
from tests.homes import fresh_store

BOOK = {"key": "k1", "category": "paperback_book", "y_m": 1.5, "words": "book"}
SMALL = {"width": 160, "height": 120}


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with Pool(backend="mujoco", workers=1) as running:
        yield Stage(running)


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[tuple[Store, Kept]]:
    store = fresh_store(tmp_path)
    store.insert("staff", {"staff_id": "ada", "name": "Ada", "created_at": now()})
    draft = drafts.begin(store, "ada", "Temporal Understanding", "Unobserved Change")
    yield store, drafts.change(store, draft, "ada", things=[BOOK], **SMALL)


def built(stage: Stage, kept: tuple[Store, Kept], part: int = 1, **fields: Any) -> Shown:
    store, draft = kept
    return stage.build(drafts.change(store, draft.draft_id, "ada", **fields), part)


def extent(shown: Shown, key: str = "k1") -> tuple[float, float, float]:
    box = next(thing for thing in shown.things if thing.key == key).box_m
    return box[3] - box[0], box[4] - box[1], box[5] - box[2]


def test_another_room_another_light_and_another_look_are_other_pictures(stage: Stage, kept: tuple[Store, Kept]) -> None:
    first = built(stage, kept)
    assert first.things[0].room == "living_room"
    pictures = {first.frame.data}
    for change in ({"room_kind": "garage"}, {"lighting": "dim"}, {"seed": 7}, {"furnished": False}):
        pictures.add(built(stage, kept, **change).frame.data)
    assert len(pictures) == 5
    assert built(stage, kept).things[0].room == "garage"


def test_a_house_is_picked_and_a_thing_stands_in_one_of_its_rooms(stage: Stage, kept: tuple[Store, Kept]) -> None:
    house = plan(3, 4)
    room = house.rooms[1]
    x0, y0, x1, y1 = room.rects_m[0]
    shown = built(stage, kept, seed=3, house_rooms=4, furnished=False, things=[BOOK | {"x_m": (x0 + x1) / 2, "y_m": (y0 + y1) / 2}])
    assert shown.things[0].room == room.name and shown.faults == ()
    outside = built(stage, kept, things=[BOOK | {"x_m": 40.0}])
    assert "The book is outside the room." in outside.faults


def test_scale_size_and_turn(stage: Stage, kept: tuple[Store, Kept]) -> None:
    plain = extent(built(stage, kept))
    assert extent(built(stage, kept, things=[BOOK | {"scale": 2.0}])) == pytest.approx([2 * side for side in plain], abs=0.005)
    turned = extent(built(stage, kept, things=[BOOK | {"turn_deg": 90.0}]))
    assert turned == pytest.approx((plain[1], plain[0], plain[2]), abs=0.005)
    assert extent(built(stage, kept, things=[BOOK | {"size_m": [0.3, 0.2, 0.1]}])) == pytest.approx((0.3, 0.2, 0.1), abs=0.005)


def test_what_is_away_or_elsewhere_in_a_part(stage: Stage, kept: tuple[Store, Kept]) -> None:
    things = [BOOK | {"absent": [1]}, BOOK | {"key": "k2", "words": "other", "x_m": -0.6, "moved": [0.6, 2.0]}]
    one, two = built(stage, kept, things=things), built(stage, kept, 2, things=things)
    assert [(thing.present, round(thing.box_m[0], 1)) for thing in one.things][1] == (True, -0.7) and not one.things[0].present
    assert two.things[0].present and two.things[1].box_m[0] > 0.4


def test_a_mirror_shows_a_thing_and_a_robot_takes_its_way(stage: Stage, kept: tuple[Store, Kept]) -> None:
    mirror = {"key": "k2", "category": "mirror", "y_m": 2.6}
    robot = {"key": "k3", "category": "robot", "x_m": -0.8, "y_m": 1.5}
    shown = built(stage, kept, things=[BOOK, mirror, robot | {"params": {"path": [[-0.8, 1.5], [-0.8, 2.2]]}}])
    assert [thing.category for thing in shown.things] == ["paperback_book", "mirror", "robot"] and shown.faults == ()
    empty = built(stage, kept, things=[mirror, robot])
    assert empty.frame.data != shown.frame.data
    with pytest.raises(BadDraft, match=r"^the robot \(k3\), further settings: .*'paths'"):
        built(stage, kept, things=[robot | {"params": {"paths": []}}])


def test_what_is_stacked_settles_and_a_change_of_place_takes_it_back(stage: Stage, kept: tuple[Store, Kept]) -> None:
    store, draft = kept
    things = [BOOK, BOOK | {"key": "k2", "words": "other", "x_m": 1.0}]
    draft = drafts.change(store, draft.draft_id, "ada", things=things)
    placed = stage.above(draft, "k2", "k1")
    draft = drafts.change(store, draft.draft_id, "ada", things=[BOOK, placed.model_dump(mode="json")])
    rest = stage.settled(draft)["k2"]
    shown = built(stage, kept, things=[BOOK, placed.model_copy(update={"rest": rest}).model_dump(mode="json")])
    assert "the other is on the book" in shown.relations and shown.faults == ()
    with pytest.raises(BadDraft, match="Choose a thing and another one on which it is to lie"):
        stage.above(draft, "k2", "k2")


def test_a_thing_through_a_thin_wall_runs_into_it_and_a_thing_within_does_not(stage: Stage, kept: tuple[Store, Kept]) -> None:
    box, mug = {"key": "k1", "category": "gift_box", "y_m": 1.5, "words": "box"}, {"key": "k2", "category": "mug", "z_m": 0.006, "y_m": 1.5}
    assert built(stage, kept, things=[box, mug]).faults == ()
    through = built(stage, kept, things=[box, mug | {"y_m": 1.62}])
    assert through.faults == ("The box runs into something.", "The mug (k2) runs into something.")
