"""Drafts: saved by the revision a change grew from, never lost, and a task only when they are whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.authoring import drafts, proving
from annotation.authoring.draft import Eye, Placed, compose, handles, missing
from annotation.authoring.errors import BadDraft, DraftChanged, UnknownDraft
from annotation.authoring.stage import flown, in_words
from data.store import Store, now
from sim_bridge.kinematics import apply_camera_action
from tests.homes import fresh_store

CHANGE = ("Temporal Understanding", "Unobserved Change")
HIDDEN = ("Perceptual Grounding", "Partial Occlusion")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = fresh_store(tmp_path)
    for name in ("ada", "bo"):
        made.insert("staff", {"staff_id": name, "name": name, "created_at": now()})
    return made


def hidden(store: Store, **more: object) -> str:
    """A whole draft of a mug behind a gift box, without a way."""
    draft = drafts.begin(store, "ada", *HIDDEN)
    things = [
        Placed(key="k1", category="gift_box", x_m=-0.05, y_m=0.56, size_m=(0.2, 0.2, 0.2), words="gift box"),
        Placed(key="k2", category="mug", x_m=0.05, y_m=0.8, essential=True),
    ]
    fields = {
        "things": [thing.model_dump(mode="json") for thing in things], "asks": "behind", "against": "k1", "options": ["mug", "can"],
        "gold": "mug", "question": "What is behind the gift box: a mug or a can?", "argument": "The box hides its handle.",
    }  # fmt: skip
    drafts.change(store, draft, "ada", **(fields | more))
    return draft


def test_a_draft_begins_as_its_subcategory_needs(store: Store) -> None:
    kept = drafts.get(store, drafts.begin(store, "ada", *CHANGE), "ada")
    assert (kept.draft.parts, kept.draft.form, kept.rev, kept.state) == (2, "choice", 1, "open")
    assert kept.name == "Unobserved Change"
    with pytest.raises(BadDraft, match="no subcategory 'Nothing'"):
        drafts.save(store, kept.draft_id, "ada", 1, kept.draft.model_dump() | {"category": HIDDEN[0], "subcategory": "Nothing"})


def test_a_save_names_the_revision_it_grew_from_and_a_repeat_is_kept_once(store: Store) -> None:
    draft = hidden(store)
    kept = drafts.get(store, draft, "ada")
    changed = kept.draft.model_dump(mode="json") | {"gold": "can"}
    saved = drafts.save(store, draft, "ada", kept.rev, changed)
    assert saved.rev == kept.rev + 1 and saved.draft.gold == "can"
    assert drafts.save(store, draft, "ada", kept.rev, changed).rev == saved.rev
    with pytest.raises(DraftChanged):
        drafts.save(store, draft, "ada", kept.rev, changed | {"gold": "mug"})
    assert drafts.get(store, draft, "ada").draft.gold == "can"


def test_nobody_meets_a_draft_of_another(store: Store) -> None:
    draft = hidden(store)
    with pytest.raises(UnknownDraft):
        drafts.get(store, draft, "bo")
    assert drafts.mine(store, "bo") == [] and [kept.draft_id for kept in drafts.mine(store, "ada")] == [draft]
    drafts.drop(store, draft, "ada")
    assert drafts.mine(store, "ada") == [] and drafts.get(store, draft, "ada").state == "dropped"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"things": [{"key": "k1", "category": "mug", "scale": 0}]}, "^scale of the mug: should be greater than or equal to 0.05. The"),
        ({"things": [{"key": "k1", "category": "mug"}] * 2}, "same key"),
        ({"bounds_m": [0, 0, 0.5, 3]}, "at least 1 m"),
        ({"actions": ["teleport"]}, "'teleport' is no action"),
        ({"house_rooms": 2}, "3 to 9 rooms"),
        ({"eye": {"x_m": float("nan")}}, "^x of eye: should be a finite number"),
        ({"nothing": 1}, "nothing"),
    ],
)
def test_what_is_no_draft_is_refused_by_its_field_and_the_draft_stays(store: Store, change: dict[str, object], said: str) -> None:
    draft = hidden(store)
    before = drafts.get(store, draft, "ada")
    with pytest.raises(BadDraft, match=said):
        drafts.save(store, draft, "ada", before.rev, before.draft.model_dump(mode="json") | change)
    assert drafts.get(store, draft, "ada") == before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"things": []}, "Place at least one thing"),
        ({"question": " "}, "Write the question"),
        ({"gold": ""}, "Say which answer"),
        ({"gold": "jug"}, "'jug' is not among"),
        ({"options": ["mug", "mug"]}, "at least two options"),
        ({"options": ["mug", "can", "can"]}, "there twice"),
        ({"against": "k9"}, "no longer there"),
        ({"argument": ""}, "one view does not suffice"),
        ({"form": "count", "options": [], "gold": "few"}, "whole number"),
        ({"form": "sequence", "gold": "mug"}, "every option once"),
    ],
)
def test_what_is_missing_is_said_in_sentences(store: Store, change: dict[str, object], said: str) -> None:
    draft = drafts.get(store, hidden(store), "ada").draft
    assert missing(draft, twin=False) == []
    found = missing(draft.model_validate(draft.model_dump() | change), twin=False)
    assert any(said in sentence for sentence in found), found


def test_handles_tell_nothing_and_twins_share_them(store: Store) -> None:
    first = hidden(store)
    twin, copied = drafts.copy(store, first, "ada", twin=True), drafts.copy(store, first, "ada")
    one, two, other = (drafts.get(store, draft, "ada") for draft in (first, twin, copied))
    assert handles(one.draft, one.family) == handles(two.draft, two.family)
    assert drafts.twin_of(store, one) == two and drafts.twin_of(store, two) == one and drafts.twin_of(store, other) is None
    assert one.family != other.family
    with pytest.raises(BadDraft, match="has a twin already"):
        drafts.copy(store, first, "ada", twin=True)
    orders = {tuple(handles(one.draft, f"family {n}").items()) for n in range(20)}
    assert len(orders) == 2, "either thing can be object 1"


def test_a_whole_draft_is_a_task_of_its_own_data_set(store: Store) -> None:
    kept = drafts.get(store, hidden(store), "ada")
    task = compose(kept.draft, kept.task_id, kept.family)
    named = handles(kept.draft, kept.family)
    assert task.provenance.dataset == "human-authored" and task.first_view == "The box hides its handle."
    assert task.names == {named["k1"]: "gift box"} and task.essential == (named["k2"],)
    assert task.question.ask is not None and task.question.ask.against == named["k1"]
    assert proving.worded(kept.draft) == kept.draft.question


def test_what_an_author_plays_while_they_make_it_is_in_no_list_of_tasks(store: Store) -> None:
    kept = drafts.get(store, hidden(store), "ada")
    store.put_task(proving.rehearsed(kept))
    assert store.task_hashes() == [] and store.task_counts("category") == {}
    assert len(store.task_hashes("rehearsal")) == 1
    store.put_task(compose(kept.draft, kept.task_id, kept.family))
    assert store.task_counts("dataset") == {"human-authored": 1}


def test_two_parts_hide_and_move_things(store: Store) -> None:
    draft = drafts.begin(store, "ada", *CHANGE)
    things = [
        {"key": "k1", "category": "carton"}, {"key": "k2", "category": "mug", "absent": [1]},
        {"key": "k3", "category": "apple", "moved": [0.5, 2.0], "turn_deg": 90},
    ]  # fmt: skip
    words = {"options": ["add", "remove"], "gold": "add", "question": "What happened?", "argument": "Two visits."}
    kept = drafts.change(store, draft, "ada", things=things, **words)
    task = compose(kept.draft, kept.task_id, kept.family)
    named = handles(kept.draft, kept.family)
    first, second = task.scene.phases
    assert first.hidden == (named["k2"],) and second.hidden == () and first.moved == {}
    assert second.moved[named["k3"]].position_m == (0.5, 2.0, 0.0)
    assert task.required_features == ("phases", "open_containers")


def test_the_start_view_flies_as_a_participants_camera_does() -> None:
    eye = Eye(x_m=0.3, y_m=-0.2, z_m=0.5, yaw_deg=20, pitch_deg=-10)
    pose = eye.pose
    for action in ("move_forward", "turn_left", "turn_down", "move_up", "move_left", "turn_right"):
        pose, eye = apply_camera_action(pose, action), flown(eye, action)
        assert eye.pose == pose, action
    with pytest.raises(BadDraft, match="'jump' moves no camera"):
        flown(eye, "jump")


def test_a_simulators_sentence_names_things_as_their_author_does(store: Store) -> None:
    kept = drafts.get(store, hidden(store), "ada")
    box = int(handles(kept.draft, kept.family)["k1"][-1]) - 1
    said = in_words(f"scene.objects[{box}].category: object_1 and object_9", kept.draft, kept.family)
    assert said.startswith("the gift box: the ") and said.endswith("object_9")
