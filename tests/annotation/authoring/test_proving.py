"""What authors make is held against the generators' own checks, in the real simulator."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotation.authoring import drafts, handing_in, proving
from annotation.authoring.drafts import Kept
from annotation.authoring.errors import BadDraft, NotReady
from annotation.authoring.stage import Stage
from annotation.reviewing import things
from annotation.reviewing.kinds import tasks
from data.generators.lab import Lab
from data.store import Store, now
from sim_bridge.pool import Pool
from tests.homes import fresh_store

BOX = {"key": "k1", "category": "gift_box", "x_m": -0.05, "y_m": 0.56, "size_m": [0.2, 0.2, 0.2], "words": "gift box"}
MUG = {"key": "k2", "category": "mug", "x_m": 0.05, "y_m": 0.8, "essential": True}
ROUND = ["move_left"] * 2 + ["move_forward"] * 5 + ["turn_right"] * 9 + ["move_up", "turn_down"]
HIDDEN: dict[str, Any] = {
    "things": [BOX, MUG], "asks": "behind", "against": "k1", "options": ["mug", "can"], "gold": "mug", "path": ROUND, "hfov_deg": 60,
    "question": "What is behind the gift box: a mug or a can?", "argument": "The box hides its handle.", "eye": {"z_m": 0.06},
    "width": 320, "height": 240,
}  # fmt: skip
LOOK = ["move_up"] * 3 + ["move_forward"] * 2 + ["turn_down"] * 3
CARTON = {"key": "k1", "category": "carton", "y_m": 1.3, "size_m": [0.42, 0.34, 0.24], "words": "box", "vessel": True}
CHANGED: dict[str, Any] = {
    "things": [CARTON, {"key": "k2", "category": "mug", "y_m": 1.3, "z_m": 0.005, "essential": True},
               {"key": "k3", "category": "lemon", "y_m": 1.3, "z_m": 0.005, "absent": [1, 2]}],
    "asks": "what_changed", "about": ["k1"], "options": ["replace", "remove", "add", "no change"], "gold": "no change",
    "question": "What happened in the box between part 1 and part 2?", "path": LOOK + LOOK, "path_starts": [8],
    "eye": {"y_m": 0.5, "z_m": 0.12, "pitch_deg": -20},
    "width": 320, "height": 240,
}  # fmt: skip


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(backend="mujoco", workers=1) as running:
        yield running


@pytest.fixture(scope="module")
def lab(pool: Pool) -> Lab:
    return Lab(pool.acquire("lab", wait_s=60.0))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = fresh_store(tmp_path)
    made.insert("staff", {"staff_id": "ada", "name": "Ada", "created_at": now()})
    made.insert("verifications", {"verification_id": "ve_1", "name": "V", "document": "{}", "state": "open", "created_at": now()})
    return made


def hidden(store: Store, **more: Any) -> Kept:
    return drafts.change(store, drafts.begin(store, "ada", "Perceptual Grounding", "Partial Occlusion"), "ada", **(HIDDEN | more))


def changed(store: Store, **more: Any) -> Kept:
    return drafts.change(store, drafts.begin(store, "ada", "Temporal Understanding", "Unobserved Change"), "ada", **(CHANGED | more))


def test_a_sound_draft_passes_and_a_gold_against_the_state_does_not(store: Store, lab: Lab) -> None:
    kept = hidden(store)
    assert proving.prove(lab, kept, None) == proving.Proof((), "mug", 19)
    wrong = drafts.change(store, kept.draft_id, "ada", gold="can")
    assert proving.prove(lab, wrong, None).stops == ("The right answer contradicts the state: the simulator finds 'mug', you say 'can'.",)
    with pytest.raises(NotReady, match="contradicts the state"):
        handing_in.hand_in(store, lab, wrong, "ve_1")
    assert drafts.get(store, kept.draft_id, "ada") == wrong, "the draft is kept"
    assert store.task_hashes() == [] and store.query("SELECT * FROM verification_items") == []


def test_things_that_run_into_each_other_are_named(store: Store, lab: Lab, pool: Pool) -> None:
    kept = hidden(store, things=[BOX, MUG | {"x_m": -0.05, "y_m": 0.65}])
    stage = Stage(pool)
    assert stage.build(kept).faults == ("The gift box runs into something.", "The mug (k2) runs into something.")
    assert "The gift box runs into something." in proving.prove(lab, kept, None).stops
    stage.close(kept)


def test_a_condition_that_does_not_hold_is_told_and_its_author_may_say_why(store: Store, lab: Lab) -> None:
    kept = hidden(store, things=[BOX | {"size_m": [0.12, 0.15, 0.15]}, MUG])
    [told] = proving.prove(lab, kept, None).found
    assert told == proving.Found("A condition of this subcategory does not hold: the occluder is too small.", stops=False)
    with pytest.raises(NotReady, match="the occluder is too small"):
        handing_in.hand_in(store, lab, kept, "ve_1")
    handing_in.hand_in(store, lab, drafts.change(store, kept.draft_id, "ada", reason="One tells it by its colour."), "ve_1")


def test_a_model_that_nobody_has_is_said_by_its_name(store: Store, pool: Pool) -> None:
    stage = Stage(pool)
    with pytest.raises(BadDraft, match=r"the thing: no recognisable model of 'no_such_thing'"):
        stage.build(hidden(store, things=[BOX, MUG | {"category": "no_such_thing", "words": "thing"}]))


def test_what_is_put_on_another_thing_settles_there(store: Store, pool: Pool) -> None:
    stage = Stage(pool)
    ball = {"key": "k2", "category": "lunch_box", "x_m": 1.0, "y_m": 1.0, "essential": True}
    kept = hidden(store, things=[BOX, ball])
    placed = stage.above(kept, "k2", "k1")
    assert placed.loose and placed.z_m == pytest.approx(0.22) and (placed.x_m, placed.y_m) == pytest.approx((-0.05, 0.56))
    kept = drafts.change(store, kept.draft_id, "ada", things=[BOX, placed.model_dump(mode="json")])
    rest = stage.settled(kept)["k2"]
    assert rest.position_m[2] > 0.2
    kept = drafts.change(store, kept.draft_id, "ada", things=[BOX, placed.model_copy(update={"rest": rest}).model_dump(mode="json")])
    shown = stage.build(kept)
    assert "the lunch box (k2) is on the gift box" in shown.relations and shown.faults == ()
    stage.close(kept)


def test_twins_are_compared_and_both_come_before_people(store: Store, lab: Lab) -> None:
    one = changed(store)
    two = drafts.get(store, drafts.copy(store, one.draft_id, "ada", twin=True), "ada")
    same = proving.prove(lab, one, two)
    assert same.derived == "no change" and same.stops == ("Twins have opposite answers, and these have the same.",)
    carton, mug, lemon = CHANGED["things"]
    two = drafts.change(store, two.draft_id, "ada", gold="replace", things=[carton, mug | {"absent": [2]}, lemon | {"absent": [1]}])
    assert proving.prove(lab, one, two).found == () and proving.prove(lab, two, one).derived == "replace"
    made = handing_in.hand_in(store, lab, one, "ve_1")
    assert {task.twin for task in made} == {task.task_id for task in made} and len(made) == 2
    assert store.task_counts("dataset") == {"human-authored": 2}
    for row in store.query("SELECT subject, task_hash FROM verification_items"):
        assert things.get(store, tasks.KIND, row["subject"]).state == "proposed"
        parts = store.query("SELECT part FROM task_people WHERE task_hash = ? AND staff_id = 'ada' ORDER BY part", [row["task_hash"]])
        assert [part["part"] for part in parts] == ["recorded", "wrote"]
    assert {kept.state for kept in drafts.mine(store, "ada")} == {"handed_in"}


def test_a_draft_that_no_generator_judges_is_told_what_its_first_view_shows_already(store: Store, lab: Lab) -> None:
    open_to_see = hidden(store, asks="", against="", things=[BOX, MUG | {"x_m": 0.3}])
    proof = proving.prove(lab, open_to_see, None)
    assert not proof.derived and len(proof.early) == 1 and proof.early[0].startswith("the mug (k2) (")
    behind = proving.prove(lab, hidden(store, asks="", against="", things=[BOX, MUG | {"x_m": -0.05}]), None)
    assert not behind.derived and not behind.early
