"""Questions about pictures on the participant's path: no simulator, one answer, nothing lost, nobody the same item twice."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from data.frames import FrameStore
from data.store import Store
from data.task import Gold, Provenance, Question, Task
from sim_bridge.spec import Camera, Pose, Room, Scene
from study import access, assignment, erasure, participants, questions
from study.episode import EpisodeEngine
from study.errors import BadAnswer, EpisodeOver, FrameNotShown, NoTaskLeft, TakenOver, UnknownEpisode, WrongParadigm
from study.export import export
from study.protocol import Protocol
from study.records import EpisodeRecord
from study.studies import Recruitment, create_study
from tests.present import present
from tests.study.conftest import InlinePool

ASKED = Protocol(paradigm="multiview_qa", confidence_required=False)
SUBTASKS = ("matching", "distance", "planning", "step")


@pytest.fixture
def ask(make_task: Callable[..., Task]) -> Callable[..., Any]:
    """Make the task of an item; `of`: the item that it is derived from."""

    def make(item_id: str = "qa-1", subtask: str = "matching", gold: str = "C", of: str | None = None, **changes: Any) -> Any:
        size = {"width": 640, "height": 480}
        views = [{"view": name, "image": f"{n}" * 64, **size} for n, name in enumerate(("left-gripper", "head", "right-gripper"), 1)]
        shown = {"subtask": subtask, "arm": "dual", "reference_view": "head", "views": views, "marks": [], "question": f"About {item_id}?"}
        shown |= {"options": dict(zip("ABCDE", ("one", "two", "three", "four", "five"), strict=True)), "option_images": {}}  # type: ignore[dict-item]
        fields = {
            "category": "spatial",
            "subcategory": subtask,
            "question": Question(text=shown["question"], form="choice", options=tuple("ABCDE")),  # type: ignore[arg-type]
            "gold": Gold(accepted=(gold,), chance=0.2),
            "scene": Scene(camera=Camera(), room=Room()),
            "start": Pose((0.0, 0.0, 0.0)),
            "names": {},
            "actions": (),
            "budget": 1,
            "twin": of,
            "provenance": Provenance(dataset="multiview-qa", row_id=item_id),
            "source": {"item_hash": f"hash of {item_id}", "variant": "flip" if of else "", "project": "p"},
            "shown": shown,
        }
        return make_task(item_id, **(fields | changes))

    return make


@pytest.fixture
def study_of(store: Store) -> Callable[..., Any]:
    """A live study of some tasks."""

    def make(*tasks: Any, protocol: Protocol = ASKED, trials: int | None = None, **fields: Any) -> Any:
        for task in tasks:
            store.put_task(task)
        hashes = tuple(t.content_hash for t in tasks)
        return create_study(store, "S", state="live", tasks=hashes, protocol=protocol, trials=trials or len(tasks), **fields)

    return make


def ready(store: Store, study: Any, participant_id: str | None = None) -> str:
    """A participant who has consented."""
    person = participant_id or participants.add_participant(store, study.study_id)
    for event in ("welcome", "consent"):
        participants.advance(store, person, event)
    return person


@pytest.fixture
def asked(store: Store, engine: EpisodeEngine, study_of: Callable[..., Any], ask: Callable[..., Any]) -> Callable[..., Any]:
    """The opened question of a new participant."""

    def make(task: Any = None, protocol: Protocol = ASKED) -> Any:
        study = study_of(task or ask(), protocol=protocol)
        place = participants.place(store, engine, ready(store, study))
        return questions.open_question(engine, present(place.episode_id), tab="a")

    return make


def walk(store: Store, engine: EpisodeEngine, person: str, answer: str = "A") -> list[str]:
    """Answer everything; item ids in their order."""
    met = []
    while (place := participants.place(store, engine, person)).stage in ("practice", "task"):
        view = questions.open_question(engine, present(place.episode_id))
        row = store.one("SELECT t.task_id FROM episodes JOIN tasks t ON content_hash = task_hash WHERE episode_id = ?", [place.episode_id])
        met.append(present(row)["task_id"])
        engine.answer(view.episode_id, view.epoch, answer)
    return met


def test_a_question_is_answered_without_any_simulator_and_leaves_the_records_of_a_task(
    asked: Callable[..., Any], engine: EpisodeEngine, pool: InlinePool, store: Store
) -> None:
    pool.down = True
    view = asked()
    assert (view.letters, view.state, view.belief, view.seconds_left) == (tuple("ABCDE"), "active", None, None)
    engine.belief(view.episode_id, view.epoch, 1, "B", None)
    final = engine.answer(view.episode_id, view.epoch, "C", 80)
    assert (final.state, final.answer, final.confidence, final.correct) == ("completed", "C", 80, None)
    assert pool.calls == []
    row = store.one("SELECT * FROM episodes e JOIN answers USING (episode_id) JOIN scores USING (episode_id) JOIN slots s USING (slot_id)")
    assert (
        present(row)["paradigm"],
        present(row)["stopped_by"],
        present(row)["correct_strict"],
        present(row)["chance"],
        present(row)["state"],
    ) == (
        *("multiview_qa", "answer", 1, 0.2),
        "completed",
    )
    kinds = [e["kind"] for e in store.query("SELECT kind FROM events WHERE episode_id = ? ORDER BY seq", [view.episode_id])]
    assert kinds == ["episode_created", "opened", "shown", "belief", "answered", "episode_state"]
    told = json.loads(present(store.one("SELECT data FROM events WHERE kind = 'shown'"))["data"])
    assert (told["item"], told["item_hash"]) == ("qa-1", "hash of qa-1")
    assert [(p["place"], p["image"][:2]) for p in told["pictures"]] == [("left-gripper", "11"), ("head", "22"), ("right-gripper", "33")]


def test_what_was_chosen_is_there_after_a_restart_and_on_another_tab(
    asked: Callable[..., Any], engine: EpisodeEngine, restart: Callable[[], tuple[EpisodeEngine, InlinePool]], store: Store
) -> None:
    view = asked()
    engine.belief(view.episode_id, view.epoch, 1, "B", 35)
    other, _ = restart()
    again = questions.open_question(other, view.episode_id, tab="b")
    assert (again.epoch, present(again.belief).answer, present(again.belief).confidence, present(again.belief).n) == (
        view.epoch + 1,
        "B",
        35,
        1,
    )
    for act in (lambda: engine.belief(view.episode_id, view.epoch, 2, "D", None), lambda: engine.answer(view.episode_id, view.epoch, "D")):
        with pytest.raises(TakenOver):
            act()
    assert present(store.one("SELECT count(*) AS n FROM events WHERE kind = 'shown'"))["n"] == 1
    other.answer(view.episode_id, again.epoch, "B", 35)
    over = questions.open_question(engine, view.episode_id)
    assert (over.state, over.stopped_by, over.epoch) == ("completed", "answer", again.epoch)


def test_there_is_one_answer_and_a_repeat_of_it_is_told_the_same(asked: Callable[..., Any], engine: EpisodeEngine, store: Store) -> None:
    view = asked()
    first = engine.answer(view.episode_id, view.epoch, "C", None)
    assert engine.answer(view.episode_id, view.epoch, "C", None) == first
    with pytest.raises(EpisodeOver):
        engine.answer(view.episode_id, view.epoch, "D", None)
    with pytest.raises(EpisodeOver):
        engine.belief(view.episode_id, view.epoch, 5, "D", None)
    assert store.query("SELECT answer, confidence FROM answers") == [{"answer": '"C"', "confidence": None}]


def test_a_letter_means_its_own_option_whatever_the_protocol_says_of_shuffling(
    asked: Callable[..., Any], ask: Callable[..., Any], engine: EpisodeEngine, store: Store
) -> None:
    for n in range(6):
        view = asked(ask(f"qa-{n}"), protocol=ASKED.model_copy(update={"shuffle_options": True}))
        assert view.letters == tuple("ABCDE") and list(view.shown["options"]) == list("ABCDE")
        engine.answer(view.episode_id, view.epoch, "C")
    assert {row["option_order"] for row in store.query("SELECT option_order FROM episodes")} == {
        '{"options":[0,1,2,3,4],"blanks":[],"targets":[]}'
    }
    assert [row["correct_strict"] for row in store.query("SELECT correct_strict FROM scores")] == [1] * 6


@pytest.mark.parametrize("answer", [None, "", "F", "three", ["C"], 3])
def test_what_is_no_letter_is_refused_and_nothing_is_lost(asked: Callable[..., Any], engine: EpisodeEngine, answer: Any) -> None:
    view = asked()
    with pytest.raises(BadAnswer):
        engine.answer(view.episode_id, view.epoch, answer, 50)
    assert engine.answer(view.episode_id, view.epoch, "C").state == "completed"


def test_a_required_confidence_is_asked_for(asked: Callable[..., Any], engine: EpisodeEngine) -> None:
    view = asked(protocol=ASKED.model_copy(update={"confidence_required": True}))
    with pytest.raises(BadAnswer, match="how sure"):
        engine.answer(view.episode_id, view.epoch, "C")
    assert engine.answer(view.episode_id, view.epoch, "C", 0).confidence == 0


def test_questions_and_scenes_do_not_mix(
    store: Store,
    engine: EpisodeEngine,
    ask: Callable[..., Any],
    asked: Callable[..., Any],
    make_task: Callable[..., Task],
    begin: Callable[..., Any],
    study_of: Callable[..., Any],
) -> None:
    with pytest.raises(WrongParadigm, match="has no scene, so the paradigm active has no place"):
        study_of(ask(), protocol=Protocol())
    with pytest.raises(WrongParadigm, match="a task in a scene"):
        study_of(make_task())
    with pytest.raises(WrongParadigm):
        engine.create(ask().content_hash)
    view = asked()
    for act in (
        lambda: engine.open(view.episode_id),
        lambda: engine.prepare(view.episode_id, view.epoch),
        lambda: engine.act(view.episode_id, view.epoch, 1, "turn_left"),
        lambda: engine.stay(view.episode_id, view.epoch, 1, "x"),
    ):
        with pytest.raises(WrongParadigm):
            act()
    with pytest.raises(WrongParadigm):
        questions.open_question(engine, begin().episode_id)
    with pytest.raises(UnknownEpisode):
        questions.open_question(engine, "ep_nothing")


def test_pictures_are_shown_while_the_question_is_asked_and_only_its_own(
    store: Store, engine: EpisodeEngine, study_of: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    study = study_of(ask())
    episode = participants.place(store, engine, ready(store, study)).episode_id
    with pytest.raises(FrameNotShown):
        questions.picture(store, present(episode), "head")
    with pytest.raises(UnknownEpisode):
        questions.view(engine, present(episode))
    view = questions.open_question(engine, present(episode))
    assert questions.picture(store, present(episode), "head")["image"] == "2" * 64
    for place in ("view1", "A", "../head", "2" * 64):
        with pytest.raises(FrameNotShown):
            questions.picture(store, present(episode), place)
    engine.answer(present(episode), view.epoch, "A")
    with pytest.raises(FrameNotShown):
        questions.picture(store, present(episode), "head")


# the time limit


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Let the protocol's clock run ahead of the wall by so many seconds."""

    def shift(seconds: float) -> None:
        from data.store import now

        monkeypatch.setattr("study.clocks.now", lambda: (datetime.fromisoformat(now()) + timedelta(seconds=seconds)).isoformat())

    return shift


LIMITED = ASKED.model_copy(update={"time_limit_s": 60.0})


def test_the_last_choice_before_the_limit_is_the_answer(
    asked: Callable[..., Any], engine: EpisodeEngine, later: Callable[..., Any], store: Store
) -> None:
    view = asked(protocol=LIMITED)
    assert 59 < view.seconds_left <= 60
    engine.belief(view.episode_id, view.epoch, 1, "C", 40)
    later(61)  # what was sent in time may still arrive
    engine.belief(view.episode_id, view.epoch, 2, "D", 45)
    later(63)
    with pytest.raises(EpisodeOver):
        engine.belief(view.episode_id, view.epoch, 3, "E", 90)
    with pytest.raises(EpisodeOver):
        engine.answer(view.episode_id, view.epoch, "E", 90)
    assert store.query("SELECT answer, confidence, stopped_by FROM answers") == [
        {"answer": '"D"', "confidence": 45, "stopped_by": "time_limit"}
    ]
    over = questions.open_question(engine, view.episode_id)
    assert (over.state, over.stopped_by, over.seconds_left) == ("completed", "time_limit", None)


def test_without_a_choice_the_limit_ends_in_no_answer_and_the_next_question_comes(
    store: Store, engine: EpisodeEngine, study_of: Callable[..., Any], ask: Callable[..., Any], later: Callable[..., Any]
) -> None:
    study = study_of(ask("qa-1"), ask("qa-2"), protocol=LIMITED)
    person = ready(store, study)
    episode = participants.place(store, engine, person).episode_id
    questions.open_question(engine, present(episode))
    later(100)
    assert questions.open_question(engine, present(episode)).stopped_by == "time_limit"
    assert store.query("SELECT answer, raw FROM answers") == [{"answer": None, "raw": "null"}]
    assert store.query("SELECT answered, correct_strict FROM scores") == [{"answered": 0, "correct_strict": 0}]
    place = participants.place(store, engine, person)
    assert (place.stage, place.done) == ("task", 1) and place.episode_id != episode


def test_a_question_that_was_not_opened_yet_has_all_its_time(
    store: Store, engine: EpisodeEngine, study_of: Callable[..., Any], ask: Callable[..., Any], later: Callable[..., Any]
) -> None:
    episode = participants.place(store, engine, ready(store, study_of(ask(), protocol=LIMITED))).episode_id
    engine.settle(present(store.row("SELECT * FROM episodes WHERE episode_id = ?", EpisodeRecord, [episode])))
    assert present(store.one("SELECT count(*) AS n FROM answers"))["n"] == 0


# who gets what


def test_the_whole_set_is_asked_once_in_an_order_of_each_persons_own(
    store: Store, engine: EpisodeEngine, study_of: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    study = study_of(*(ask(f"qa-{s}-{n}", s) for s in SUBTASKS for n in range(3)))
    orders = [walk(store, engine, ready(store, study)) for _ in range(4)]
    assert all(sorted(order) == sorted(orders[0]) and len(set(order)) == 12 for order in orders)
    assert len({tuple(order) for order in orders}) == 4
    assert len({tuple(item.split("-")[1] for item in order[:4]) for order in orders}) > 1
    for order in orders:  # every block of four holds each subtask once
        assert all(sorted(i.split("-")[1] for i in order[k : k + 4]) == sorted(SUBTASKS) for k in (0, 4, 8))
    recorded = store.query(
        "SELECT t.task_id FROM slots JOIN tasks t ON content_hash = task_hash JOIN participants p USING (participant_id) "
        "WHERE p.number = 2 ORDER BY trial_index"
    )
    assert [row["task_id"] for row in recorded] == orders[2]


def test_the_same_seed_gives_the_same_order(tmp_path: Path, pool: InlinePool, ask: Callable[..., Any]) -> None:
    from data.frames import FrameStore
    from data.home import Home
    from data.store import Store
    from study.episode import EpisodeEngine

    tasks = [ask(f"qa-{s}-{n}", s) for s in SUBTASKS for n in range(3)]

    def order(name: str, seed: int) -> list[str]:
        store = Store.open(Home.from_env(tmp_path / name / "vantage.db"))
        for task in tasks:
            store.put_task(task)
        study = create_study(store, "S", protocol=ASKED, tasks=tuple(t.content_hash for t in tasks), trials=12, seed=seed)
        return walk(store, EpisodeEngine(store, FrameStore(store.home.frames), pool), ready(store, study))

    assert order("a", 5) == order("b", 5) != order("c", 6)


def test_a_sample_is_even_over_subtasks_and_asks_first_what_was_asked_least(
    store: Store, engine: EpisodeEngine, study_of: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    study = study_of(*(ask(f"qa-{s}-{n}", s) for s in SUBTASKS for n in range(4)), trials=8)
    people = [walk(store, engine, ready(store, study)) for _ in range(4)]
    for order in people:
        assert Counter(item.split("-")[1] for item in order) == dict.fromkeys(SUBTASKS, 2)
    assert set(Counter(item for order in people for item in order).values()) == {2}


def test_an_item_and_its_derived_variants_never_meet_the_same_person(
    store: Store, engine: EpisodeEngine, study_of: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    sets = [ask(f"qa-{n}") for n in range(3)] + [ask(f"qa-{n}.{kind}", of=f"qa-{n}") for n in range(3) for kind in ("flip", "single")]
    study = study_of(*sets)
    for _ in range(5):
        met = walk(store, engine, ready(store, study))
        assert sorted(item.partition(".")[0] for item in met) == ["qa-0", "qa-1", "qa-2"]


def test_the_practice_item_is_not_asked_again_and_tells_the_right_answer(
    store: Store, engine: EpisodeEngine, study_of: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    practice = ask("qa-0")
    store.put_task(practice)
    study = study_of(practice, ask("qa-0.flip", of="qa-0"), ask("qa-1"), practice_task=practice.content_hash)
    person = ready(store, study)
    place = participants.place(store, engine, person)
    assert place.stage == "practice"
    view = questions.open_question(engine, present(place.episode_id))
    assert engine.answer(view.episode_id, view.epoch, "A").right_answer == "C"
    participants.advance(store, person, "practise")
    assert walk(store, engine, person) == ["qa-1"]


def test_a_person_who_met_an_item_in_another_study_is_not_asked_it_again(
    store: Store, engine: EpisodeEngine, study_of: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    items = [ask(f"qa-{n}") for n in range(3)]
    first = study_of(*items, trials=2)
    cookie, grant = access.enter(store, access.create_invite(store, "participant", first.study_id))
    met = walk(store, engine, ready(store, first, grant.participant_id))
    second = study_of(*(ask(f"{t.task_id}.flip", of=t.task_id) for t in items))
    _, again = access.enter(store, access.create_invite(store, "participant", second.study_id), cookie)
    left = walk(store, engine, ready(store, second, again.participant_id))
    assert len(met) == 2 and left == [f"{item}.flip" for item in ("qa-0", "qa-1", "qa-2") if item not in met]
    _, stranger = access.enter(store, access.create_invite(store, "participant", second.study_id))
    assert len(walk(store, engine, ready(store, second, stranger.participant_id))) == 3


def test_a_recruited_person_is_known_across_studies_by_the_platforms_id(
    store: Store, engine: EpisodeEngine, study_of: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    who = {"source": "prolific", "external_id": "person-7"}
    first, second = study_of(ask("qa-1")), study_of(ask("qa-1"), ask("qa-2"))
    assert walk(store, engine, ready(store, first, participants.add_participant(store, first.study_id, who))) == ["qa-1"]
    assert walk(store, engine, ready(store, second, participants.add_participant(store, second.study_id, who))) == ["qa-2"]


def test_a_place_left_too_long_is_offered_to_the_next(
    store: Store, engine: EpisodeEngine, study_of: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    study = study_of(ask(), per_task=1, hold_minutes=1)
    person = ready(store, study)
    questions.open_question(engine, present(participants.place(store, engine, person).episode_id))
    with pytest.raises(NoTaskLeft):
        assignment.assign(store, ready(store, study))
    with store.atomic() as db:
        guard = present(store.one("SELECT sql FROM sqlite_master WHERE name = 'events_no_update'"))["sql"]
        db.execute("DROP TRIGGER events_no_update")
        db.execute("UPDATE events SET at = '2020-01-01T00:00:00.000Z'")
        db.execute(guard)
    assert participants.place(store, engine, ready(store, study)).stage == "task"


# what comes out


def test_the_tables_carry_paradigm_item_and_subtask_and_no_recruitment_id(
    store: Store,
    engine: EpisodeEngine,
    frames: FrameStore,
    study_of: Callable[..., Any],
    ask: Callable[..., Any],
    begin: Callable[..., Any],
    tmp_path: Path,
) -> None:
    practice = ask("qa-9")
    store.put_task(practice)
    limits = {"time_limit_s": 60.0, "external_references": False}
    study = study_of(
        *(ask("qa-1", "distance"), ask("qa-2.flip", "matching", of="qa-2")),
        protocol=ASKED.model_copy(update=limits),
        practice_task=practice.content_hash,
        recruitment=Recruitment(),
    )
    who = {"source": "prolific", "external_id": "SECRET-PERSON", "external_session": "SECRET-SESSION"}
    person = ready(store, study, participants.add_participant(store, study.study_id, who))
    view = questions.open_question(engine, present(participants.place(store, engine, person).episode_id))
    engine.belief(view.episode_id, view.epoch, 1, "A", 10)
    engine.answer(view.episode_id, view.epoch, "A", 10)
    participants.advance(store, person, "practise")
    walk(store, engine, person, "C")
    begin()  # a task in a scene beside them
    report = export(store, frames, tmp_path / "out", unfinished=True)
    assert (report.episodes, report.answers, report.beliefs, report.steps, report.results) == (4, 3, 1, 1, 1)
    rows = {row["task_id"]: row for row in pq.read_table(tmp_path / "out/tables/episodes.parquet").to_pylist()}
    row = rows["qa-2.flip"]
    assert {n: row[n] for n in ("paradigm", "item_hash", "category", "subcategory", "variant", "dataset", "observations", "budget")} == {
        **{"paradigm": "multiview_qa", "item_hash": "hash of qa-2.flip", "category": "spatial", "subcategory": "matching"},
        **{"variant": "flip", "dataset": "multiview-qa", "observations": 1, "budget": 1},
    }
    assert (row["time_limit_s"], row["external_references"], row["correct_strict"]) == (60.0, False, True)
    assert rows["qa-9"]["practice"] and rows["qa-9"]["confidence"] == 10 and rows["qa-1"]["confidence"] is None
    scene = rows["toy-001"]
    assert (scene["item_hash"], scene["variant"], scene["time_limit_s"], scene["external_references"]) == ("", "", None, None)
    answers = pq.read_table(tmp_path / "out/tables/answers.parquet").to_pylist()
    assert {(a["answer"], a["gold"], a["form"], a["seq"]) for a in answers} == {
        *(('"A"', '["C"]', "choice", 0), ('"C"', '["C"]', "choice", 0)),
    }
    everything = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert b"SECRET" not in everything


def test_a_person_takes_their_data_back_or_is_erased(
    store: Store, engine: EpisodeEngine, frames: FrameStore, study_of: Callable[..., Any], ask: Callable[..., Any], tmp_path: Path
) -> None:
    study = study_of(ask("qa-1"), ask("qa-2"), per_task=1)
    person = ready(store, study)
    view = questions.open_question(engine, present(participants.place(store, engine, person).episode_id))
    engine.answer(view.episode_id, view.epoch, "A")
    participants.place(store, engine, person)
    participants.withdraw(store, engine, person)
    assert export(store, frames, tmp_path / "out").episodes == 0
    assert sorted(walk(store, engine, ready(store, study))) == ["qa-1", "qa-2"]
    erased = erasure.erase(store, frames, person)
    assert erased.episodes == 2
    assert present(store.one("SELECT count(*) AS n FROM events WHERE episode_id = ?", [view.episode_id]))["n"] == 0


def test_a_scenes_document_says_nothing_of_pictures(make_task: Callable[..., Task], ask: Callable[..., Any]) -> None:
    assert "shown" not in make_task().document()
    task = ask()
    assert type(task).from_json(task.canonical_json()) == task
