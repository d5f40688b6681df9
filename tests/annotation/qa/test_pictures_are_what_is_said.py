"""A picture that is proposed or chosen as a wrong option is what is said of it: a distant moment is clearly another, none looks right."""

from __future__ import annotations

import io
from functools import partial
from typing import Any

import pytest
from PIL import Image

from annotation.qa import moments as chosen
from annotation.qa import rules
from annotation.qa.errors import NotReady, QaError
from annotation.qa.items import Distractor, Item, Letter
from annotation.qa.projects import create_project
from annotation.qa.scenes import apart
from annotation.qa.scenes.moment import Moment, get_moment
from annotation.qa.subtasks.viewpoint import others
from annotation.qa.work import editing, pool
from data.robot import episodes
from data.store import Store
from tests.annotation.qa.conftest import Robots
from tests.present import present


@pytest.fixture
def project(store: Store) -> str:
    return create_project(store, "Pictures", trial_batch=0).project_id


def resting(robots: Robots, monkeypatch: pytest.MonkeyPatch, *sides: str) -> None:
    """These grippers stay where they are all the time."""

    def truth(store: Store, episode: Any, index: int) -> Any:
        now, first = Robots.truth(robots, store, episode, index), Robots.truth(robots, store, episode, 0)
        if now is not None and first is not None:
            now.grippers.update({side: first.grippers[side] for side in sides})
        return now

    monkeypatch.setattr(episodes, "truth", truth)


def begun(store: Store, project: str, per_episode: int = 3) -> tuple[Item, Moment, int]:
    """A draft on the first kept moment, its moment, and its version."""
    chosen.sample_moments(store, project, per_episode=per_episode)
    for moment in chosen.moments(store, project, state="candidate"):
        chosen.decide(store, moment.moment_id, "keep", "useful", "ann")
    moment = chosen.moments(store, project, state="kept")[0]
    stored = chosen.start_item(store, project, moment.moment_id, "viewpoint", "ann")
    return stored.item, moment, stored.version


def with_distant(item: Item, other: Moment) -> tuple[Item, Letter]:
    """The item with the asked gripper's picture of another moment as its distant one."""
    image = present(other.view(f"{item.slots['side']}-gripper"))
    letter = next(x for x, origin in sorted(item.provenance.items()) if origin.kind == "other_episode")
    origin = Distractor(kind="distant_moment", note=f"frame {other.frame_index}", moment=other.moment_id)
    return item.change(
        option_images=item.option_images | {letter: image}, provenance=item.provenance | {letter: origin}, unique_confirmed=True
    ), letter  # fmt: skip


def elsewhere(store: Store, moment: Moment) -> Moment:
    """Another kept moment of the same episode."""
    return next(
        m for m in chosen.moments(store, moment.project_id) if m.episode_id == moment.episode_id and m.moment_id != moment.moment_id
    )


def test_no_picture_of_a_gripper_that_rests_is_offered_as_a_distant_moment(
    store: Store, robots: Robots, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    robots.add("dual", tasks=1, episodes=4)
    resting(robots, monkeypatch, "left", "right")
    item, _, rev = begun(store, project)
    assert not [origin for origin in item.provenance.values() if origin.kind == "distant_moment"]
    assert others(store, item, "distant_moment") == []
    letter = next(iter(item.provenance))
    with pytest.raises(QaError, match="the other gripper or another moment"):
        editing.replace_picture(store, item.item_id, rev, "ann", letter, "distant_moment")
    assert pool.get(store, item.item_id).item == item


def test_the_gripper_that_moves_is_offered_in_its_place(
    store: Store, robots: Robots, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    robots.add("dual", tasks=1, episodes=4)
    resting(robots, monkeypatch, "left")
    item, _, _ = begun(store, project)
    asked = item.change(slots={"side": "left"})
    assert {picture.image.view for picture in others(store, asked, "distant_moment")} == {"right-gripper"}
    assert others(store, item.change(slots={"side": "right"}), "distant_moment")[0].image.view == "right-gripper", "the asked one first"


def test_any_frame_of_the_episode_serves_where_no_kept_moment_does(store: Store, robots: Robots, project: str) -> None:
    robots.add("dual", tasks=1, episodes=4)
    item, moment, _ = begun(store, project, per_episode=1)
    found = others(store, item, "distant_moment")
    assert found and all("@" in picture.origin.moment for picture in found)
    assert found == others(store, item, "distant_moment"), "the same each time it is asked for"
    assert abs(present(found[0].image.frame_index) - moment.frame_index) >= 10


def test_a_draft_that_has_such_a_picture_is_not_ready(store: Store, robots: Robots, project: str, monkeypatch: pytest.MonkeyPatch) -> None:
    robots.add("dual", tasks=1, episodes=4)
    item, moment, rev = begun(store, project)
    made, letter = with_distant(item, elsewhere(store, moment))
    saved = pool.save(store, item.item_id, made, rev, "ann")
    assert not [p for p in rules.check_here(store, made) if p.field == f"option_images.{letter}"], "it moves: nothing against it"
    resting(robots, monkeypatch, "left", "right")
    assert "hardly elsewhere" in next(p.sentence for p in rules.check_here(store, made) if p.field == f"option_images.{letter}")
    with pytest.raises(NotReady):
        pool.submit(store, item.item_id, "ann", saved.rev)


def test_where_poses_are_unknown_a_picture_that_differs_a_little_is_for_a_person_to_judge(
    store: Store, robots: Robots, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not proposed, but an author may choose it."""
    robots.add("dual", tasks=1, episodes=4)
    robots.known = False
    monkeypatch.setattr(apart, "CHANGED", 255.0)
    item, _, _ = begun(store, project)
    assert "distant_moment" not in {origin.kind for origin in item.provenance.values()}
    offered = others(store, item, "distant_moment")
    assert offered and all(picture.origin.moment.startswith("mo") for picture in offered)


@pytest.mark.parametrize("known", [True, False])
def test_a_picture_that_looks_like_the_right_one_is_neither_offered_nor_accepted(
    store: Store, robots: Robots, project: str, known: bool
) -> None:
    """Whatever the poses say, and from whichever episode it comes."""
    robots.add("dual", tasks=1, episodes=4)
    robots.known = known
    one, *rest = [row["key"] for row in store.query("SELECT key FROM robot_episodes ORDER BY key")]
    base = Robots._draw(robots, episodes_of(store, one), "left-gripper", 0)
    for key in (one, *rest):
        for view in ("left-gripper", "right-gripper"):
            for frame in range(90):
                robots.spoilt[key, view, frame] = partial(marked, base, frame, key)
    item, moment, _ = begun(store, project)
    assert others(store, item, "distant_moment") == [] and others(store, item, "other_episode") == []
    true = present(get_moment(store, item.moment).view(f"{item.slots['side']}-gripper"))
    other = next(m for m in chosen.moments(store, project) if m.episode_id != moment.episode_id)
    stranger = present(other.view("left-gripper"))
    assert stranger.image != true.image
    origin = Distractor(kind="other_episode", episode=other.episode, moment=other.moment_id)
    made = item.change(gold="A", option_images={"A": true, "B": stranger}, provenance={"B": origin})
    assert "Option B looks like the right picture: take another picture, or choose another moment." in [
        p.sentence for p in rules.check_here(store, made)
    ]  # fmt: skip


def episodes_of(store: Store, key: str) -> Any:
    return type("E", (), {"key": key, "frames": 90, "arm": "dual"})


def marked(data: bytes, number: int, key: str, _: Image.Image) -> Image.Image:
    """The same picture with one pixel that says which frame it is."""
    image = Image.open(io.BytesIO(data)).convert("RGB")
    image.putpixel((5, 5), (number, sum(key.encode()) % 256, 7))
    return image
