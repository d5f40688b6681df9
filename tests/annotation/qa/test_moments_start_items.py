"""Items begin on kept moments: views with their provenance, question and slots as far as they follow, gripper images to choose from."""

from __future__ import annotations

from collections import Counter

import pytest

from annotation.qa import moments as chosen
from annotation.qa import rules
from annotation.qa.errors import QaError
from annotation.qa.items import VIEWS
from annotation.qa.projects import create_project
from annotation.qa.scenes.apart import MOVED_M
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.viewpoint import KINDS, votes
from annotation.qa.work import pool
from data.store import Store
from tests.annotation.qa.conftest import Robots
from tests.present import present


@pytest.fixture
def project(store: Store) -> str:
    return create_project(store, "P", trial_batch=0).project_id


def keep_all(store: Store, project: str) -> list[chosen.Moment]:
    for moment in chosen.moments(store, project, state="candidate"):
        chosen.decide(store, moment.moment_id, "keep", "useful", "ann")
    return chosen.moments(store, project, state="kept")


@pytest.mark.parametrize("arm", ["dual", "single"])
@pytest.mark.parametrize("slug", list(SUBTASKS))
def test_a_draft_has_its_views_and_lacks_only_what_a_person_must_do(
    store: Store, robots: Robots, project: str, arm: str, slug: str
) -> None:
    robots.add(arm, tasks=2, episodes=2)
    chosen.sample_moments(store, project, per_episode=1)
    moment = keep_all(store, project)[0]
    if arm not in SUBTASKS[slug].arms:
        with pytest.raises(QaError, match="single arm"):
            chosen.start_item(store, project, moment.moment_id, slug, "ann")
        return
    stored = chosen.start_item(store, project, moment.moment_id, slug, "ann")
    item = stored.item
    assert (stored.state, stored.author, item.moment, item.episode) == ("draft", "ann", moment.moment_id, moment.episode)
    assert item.views == moment.views and tuple(v.view for v in item.views) == VIEWS[arm]
    assert item.reference_view == ("head" if arm == "dual" else "view1")
    assert item.question == SUBTASKS[slug].question(item)
    fields = {problem.field.split(".")[0] for problem in rules.check(item)}
    assert fields <= {"marks", "options", "gold", "cubes", "slots", "unique_confirmed", "provenance", "hard"}
    assert not fields & {"views", "reference_view", "question"}
    if slug in ("planning", "trajectory"):
        assert item.slots == {"task": moment.task}
    if slug == "step":
        assert item.slots["task"].startswith("move to block"), "the labelled stretch, not the whole task"


def test_only_a_kept_moment_of_the_same_project_serves(store: Store, robots: Robots, project: str) -> None:
    robots.add("single", tasks=1, episodes=1)
    chosen.sample_moments(store, project, per_episode=1)
    (moment,) = chosen.moments(store, project)
    with pytest.raises(QaError, match="candidate: keep it first"):
        chosen.start_item(store, project, moment.moment_id, "distance", "ann")
    keep_all(store, project)
    other = create_project(store, "Q").project_id
    with pytest.raises(QaError, match="another project"):
        chosen.start_item(store, other, moment.moment_id, "distance", "ann")
    chosen.start_item(store, project, moment.moment_id, "distance", "ann")
    found = chosen.funnel(store, project)
    assert (found.used, found.items) == (1, {"draft": 1})


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_gripper_images_are_of_the_three_kinds_and_no_majority_points_at_the_right_one(
    store: Store, robots: Robots, project: str, seed: int, known: bool
) -> None:
    robots.add("dual", tasks=2, episodes=3)
    robots.known = known
    chosen.sample_moments(store, project, per_episode=1, seed=seed)
    moment = keep_all(store, project)[seed % 6]
    item = chosen.begin(store, moment, "viewpoint", seed=seed).change(unique_confirmed=True)
    assert rules.check(item) == []
    assert Counter(d.kind for d in item.provenance.values()) == {"opposite_gripper": 1, "distant_moment": 1, "other_episode": 2}
    assert set(KINDS) == {d.kind for d in item.provenance.values()}
    tally = votes(item)
    assert [letter for letter, n in tally.items() if n == max(tally.values())] != [item.gold]
    distant = next(letter for letter, d in item.provenance.items() if d.kind == "distant_moment")
    image = item.option_images[distant]
    assert image.view == f"{item.slots['side']}-gripper" and abs(image.frame_index - moment.frame_index) >= 10  # type: ignore[operator]
    if known:
        episode = type("E", (), {"key": moment.episode, "frames": 90, "arm": "dual"})
        here, there = (
            robots.truth(store, episode, present(f)).grippers[item.slots["side"]].pose[:3] for f in (moment.frame_index, image.frame_index)
        )
        assert sum((a - b) ** 2 for a, b in zip(here, there, strict=True)) ** 0.5 >= MOVED_M
    others = {d.episode for d in item.provenance.values() if d.kind == "other_episode"}
    assert len(others) == 2 and moment.episode not in others
    same_task = {m.episode for m in chosen.moments(store, project) if m.task == moment.task} - {moment.episode}
    assert others == same_task, "other episodes of the same task come first"


def test_letters_and_sides_vary_between_the_items_of_a_moment(store: Store, robots: Robots, project: str) -> None:
    robots.add("dual", tasks=1, episodes=4)
    chosen.sample_moments(store, project, per_episode=1)
    moment = keep_all(store, project)[0]
    made = [chosen.begin(store, moment, "viewpoint", seed=seed) for seed in range(12)]
    assert len({item.gold for item in made}) >= 3 and {item.slots["side"] for item in made} == {"left", "right"}


def test_too_few_episodes_leave_places_for_the_author_to_fill(store: Store, robots: Robots, project: str) -> None:
    robots.add("dual", tasks=1, episodes=1)
    chosen.sample_moments(store, project, per_episode=1)
    stored = chosen.start_item(store, project, keep_all(store, project)[0].moment_id, "viewpoint", "ann")
    assert len(stored.item.option_images) == 3
    assert any("choose an image" in problem.sentence for problem in rules.check(stored.item))
    assert pool.get(store, stored.item.item_id) == stored


def test_a_scenery_has_gripper_images_of_other_episodes(store: Store, robots: Robots, project: str) -> None:
    robots.add("dual", tasks=1, episodes=5)
    chosen.sample_moments(store, project, per_episode=1)
    moment = chosen.moments(store, project)[0]
    scene = chosen.scenery(store, moment.moment_id, 3)
    assert len(scene.strangers) == 4 and scene.views == moment.views and scene == chosen.scenery(store, moment.moment_id, 3)
    assert not {s.image for s in scene.strangers} & {v.image for v in moment.views}
