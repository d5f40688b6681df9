"""An erased participant is gone from database, log and frames; others keep theirs; a restored backup is erased again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data.frames import FrameStore
from data.home import Home
from data.store import Store, StoreBusy
from data.task import Task
from study import access, erasure, outcomes, participants, payments, released, reports
from study.episode import EpisodeEngine
from study.export import export, zip_export
from study.paying import Pay
from study.replay import replay
from study.returning import Return, Returns
from study.studies import Recruitment, create_study
from tests.present import present
from tests.study.conftest import InlinePool

SECRET = "what nobody else would ever write"
PERSON = {"PROLIFIC_PID": "pid-0a1b2c3d", "STUDY_ID": "abc", "SESSION_ID": "session-9z8y7x"}


@pytest.fixture
def study(store: Store, make_task: Callable[..., Task]) -> Any:
    task = make_task()
    store.put_task(task)
    return create_study(
        store, "S", state="live", tasks=(task.content_hash,), per_task=2, trials=1, recruitment=Recruitment(external_study="abc")
    )


def take_part(store: Store, engine: Any, person: str, *actions: str, words: str = "") -> str:
    """Play the participant's task to its end; returns the episode."""
    for event in ("welcome", "consent"):
        participants.advance(store, person, event)
    view = engine.open(participants.place(store, engine, person).episode_id)
    for seq, action in enumerate(actions, 1):
        engine.act(view.episode_id, view.epoch, seq, action)
    engine.belief(view.episode_id, view.epoch, 1, "near the bowl", 33)
    if words:
        engine.report_problem(view.episode_id, view.epoch, words)
    engine.answer(view.episode_id, view.epoch, "near the lamp", 70)
    return str(view.episode_id)


@pytest.fixture
def people(store: Store, engine: EpisodeEngine, study: Any) -> tuple[str, str, str]:
    """The one who will be erased, another, and the other's episode; both have seen the first view."""
    _, grant = access.enter_recruited(store, PERSON)
    take_part(store, engine, present(grant.participant_id), "turn_left", "move_forward", words=SECRET)
    other = participants.add_participant(store, study.study_id)
    return grant.participant_id, other, take_part(store, engine, other, "turn_right")  # type: ignore[return-value]


def everything(home: Home) -> bytes:
    """Every byte of the database with its log."""
    return b"".join(path.read_bytes() for path in home.root.glob("vantage.db*"))


def files(frames: FrameStore) -> set[str]:
    return {path.stem for path in frames.root.glob("*/*.webp")}


def test_nothing_of_an_erased_person_is_left_but_a_tombstone(store: Store, frames: FrameStore, people: tuple[str, str, str]) -> None:
    person, _, _ = people
    assert SECRET.encode() in everything(store.home) and b"pid-0a1b2c3d" in everything(store.home)
    report = erasure.erase(store, frames, person, reason="asked by mail")
    assert (report.episodes, report.steps, report.frames, report.log_emptied) == (1, 3, 2, True)
    whole = everything(store.home)
    for secret in (SECRET, "pid-0a1b2c3d", "session-9z8y7x"):
        assert secret.encode() not in whole
    assert store.query("SELECT kind, data FROM events WHERE participant_id = ?", [person]) == [
        {"kind": "erased", "data": json.dumps(report.model_dump(include={"episodes", "steps", "events"}), separators=(",", ":"))}
    ]
    assert store.one("SELECT number, state, consented_at FROM participants WHERE participant_id = ?", [person]) == {
        "number": 0,
        "state": "withdrawn",
        "consented_at": None,
    }
    for table in ("recruitment", "grants", "sessions"):
        assert store.query(f"SELECT * FROM {table}") == []
    assert [row["state"] for row in store.query("SELECT state FROM slots ORDER BY created_at, state DESC")].count("free") == 1


def test_others_keep_everything_and_shared_frames_stay(
    store: Store, frames: FrameStore, engine: EpisodeEngine, pool: InlinePool, people: tuple[str, str, str]
) -> None:
    person, _, theirs = people
    tables = ("steps", "beliefs", "answers", "events")
    before = {table: store.query(f"SELECT * FROM {table} WHERE episode_id = ?", [theirs]) for table in tables}
    erasure.erase(store, frames, person)
    assert {table: store.query(f"SELECT * FROM {table} WHERE episode_id = ?", [theirs]) for table in before} == before
    assert files(frames) == {row["pixel_hash"] for row in before["steps"]} == {r["pixel_hash"] for r in store.query("SELECT * FROM frames")}
    assert replay(store, frames, pool, [theirs]).ok
    with pytest.raises(Exception, match="only grow"), store.atomic() as db:
        db.execute("DELETE FROM events")


def test_an_erased_person_who_comes_again_is_somebody_new_and_the_place_is_free(
    store: Store, frames: FrameStore, engine: EpisodeEngine, study: Any, people: tuple[str, str, str]
) -> None:
    person, _, _ = people
    erasure.erase(store, frames, person)
    _, grant = access.enter_recruited(store, PERSON)
    assert grant.participant_id != person
    for event in ("welcome", "consent"):
        participants.advance(store, present(grant.participant_id), event)
    assert participants.place(store, engine, present(grant.participant_id)).stage == "task"


def test_erasing_twice_changes_nothing_more(store: Store, frames: FrameStore, people: tuple[str, str, str]) -> None:
    person, _, _ = people
    erasure.erase(store, frames, person)
    events = store.query("SELECT * FROM events")
    assert erasure.erase(store, frames, person).episodes == 0
    assert store.query("SELECT * FROM events") == events
    assert len(erasure.ledger(store)) == 1
    with pytest.raises(erasure.NoSuchParticipant, match="nothing was erased"):
        erasure.erase(store, frames, "p_nobody")
    assert len(erasure.ledger(store)) == 1


def test_a_restored_backup_is_erased_again(store: Store, frames: FrameStore, people: tuple[str, str, str], tmp_path: Path) -> None:
    person, _, _ = people
    store.query("PRAGMA wal_checkpoint(TRUNCATE)")
    backup = shutil.copy(store.home.db, tmp_path / "backup.db")
    pictures = shutil.copytree(frames.root, tmp_path / "pictures")
    erasure.erase(store, frames, person)
    assert erasure.remains(store) == []
    store.close()
    for path in store.home.root.glob("vantage.db*"):
        path.unlink()
    shutil.copy(backup, store.home.db)
    shutil.copytree(pictures, frames.root, dirs_exist_ok=True)
    restored = Store.open(store.home)
    assert erasure.remains(restored) == [person]
    done = erasure.apply_ledger(restored, frames)
    assert [(entry.participant_id, entry.steps, entry.frames) for entry in done] == [(person, 3, 2)]
    assert erasure.remains(restored) == [] and SECRET.encode() not in everything(restored.home)
    restored.close()


def test_an_erasure_that_was_interrupted_is_finished(
    store: Store, frames: FrameStore, people: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    person, _, _ = people
    with monkeypatch.context() as patch:
        patch.setattr(erasure, "_delete", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            erasure.erase(store, frames, person)
    assert erasure.remains(store) == [person]
    assert present(store.one("SELECT count(*) AS n FROM steps"))["n"] == 5  # nothing half-erased
    assert [entry.participant_id for entry in erasure.apply_ledger(store, frames)] == [person]


def test_a_step_whose_frame_is_erased_under_its_hands_is_sent_again(
    store: Store,
    frames: FrameStore,
    engine: EpisodeEngine,
    begin: Callable[..., Any],
    people: tuple[str, str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view = begin()
    put = FrameStore.put

    def put_and_lose(self: FrameStore, frame: Any) -> Any:
        ref = put(self, frame)
        self.path(frame.pixel_hash).unlink()
        monkeypatch.setattr(FrameStore, "put", put)
        return ref

    monkeypatch.setattr(FrameStore, "put", put_and_lose)
    with pytest.raises(StoreBusy, match="Send the same step again"):
        engine.act(view.episode_id, view.epoch, 1, "turn_left")
    assert engine.act(view.episode_id, view.epoch, 1, "turn_left").seq == 1
    assert replay(store, frames, engine._simulators.pool, [view.episode_id]).ok


@pytest.fixture
def player(store: Store, engine: EpisodeEngine, make_task: Callable[..., Task]) -> str:
    """A participant who has played three tasks."""
    tasks = [make_task(f"toy-{n}", category=category) for n, category in enumerate(("Metric Comparison", "Enumerative Perception"), 1)]
    tasks.append(make_task("toy-3"))
    for task in tasks:
        store.put_task(task)
    study = create_study(store, "Three", state="live", tasks=tuple(task.content_hash for task in tasks), trials=3)
    person = participants.add_participant(store, study.study_id)
    for event in ("welcome", "consent"):
        participants.advance(store, person, event)
    while (place := participants.place(store, engine, person)).stage == "task":
        view = engine.open(present(place.episode_id))
        engine.act(view.episode_id, view.epoch, 1, "turn_left")
        engine.answer(view.episode_id, view.epoch, "near the lamp", 70)
    return person


def test_an_erasure_that_was_interrupted_between_episodes_shows_nobody_half_a_person(
    store: Store, frames: FrameStore, player: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    erase_episode, calls = erasure._erase_episode, []

    def once(*args: Any) -> list[str]:
        calls.append(args)
        if len(calls) == 2:
            raise StoreBusy("the power is gone")
        return erase_episode(*args)

    with monkeypatch.context() as patch:
        patch.setattr(erasure, "_erase_episode", once)
        with pytest.raises(StoreBusy):
            erasure.erase(store, frames, player)
    left = store.query(
        "SELECT e.state, e.last_seq + 1 AS kept, count(s.seq) AS n FROM episodes e JOIN steps s USING (episode_id) GROUP BY 1, 2"
    )
    assert left == [{"state": "withdrawn", "kept": 2, "n": 4}]
    assert participants.get_participant(store, player).state == "withdrawn"
    assert store.query("SELECT * FROM recruitment") == store.query("SELECT * FROM grants") == []
    assert erasure.remains(store) == [player]
    assert [entry.episodes for entry in erasure.apply_ledger(store, frames)] == [2]
    assert erasure.remains(store) == [] and files(frames) == set()
    kinds = store.query("SELECT kind FROM events WHERE participant_id = ?", [player])
    assert [row["kind"] for row in kinds] == ["erased"]


def test_others_play_on_between_the_transactions_of_an_erasure(
    store: Store, frames: FrameStore, engine: EpisodeEngine, begin: Callable[..., Any], player: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, done = begin(), []  # type: ignore[var-annotated]

    def play_on(seconds: float) -> None:
        assert seconds > 0 and not store.db.conn.in_transaction
        done.append(engine.act(view.episode_id, view.epoch, len(done) + 1, "turn_right").seq)

    monkeypatch.setattr(erasure.time, "sleep", play_on)  # type: ignore[attr-defined]
    report = erasure.erase(store, frames, player)
    assert report.episodes == 3 and len(done) > report.episodes
    assert store.one("SELECT last_seq FROM episodes WHERE episode_id = ?", [view.episode_id]) == {"last_seq": len(done)}


def test_a_frame_that_somebody_else_saw_on_the_way_stays(store: Store, frames: FrameStore, begin: Callable[..., Any], player: str) -> None:
    theirs = {row["pixel_hash"] for row in store.query("SELECT pixel_hash FROM steps")}
    view = begin(tab="b")
    row = store.one("SELECT * FROM steps WHERE episode_id = ?", [view.episode_id])
    on_the_way = min(theirs - {present(row)["pixel_hash"]})
    with store.atomic() as db:
        seq = store.event("step", {}, episode_id=view.episode_id)
        store.insert("steps", row | {"seq": 1, "event_seq": seq, "more_frames": json.dumps([on_the_way, on_the_way])})  # type: ignore[operator]
        db.execute("UPDATE episodes SET last_seq = 1 WHERE episode_id = ?", [view.episode_id])
    assert store.query("SELECT pixel_hash, seq FROM step_frames") == [{"pixel_hash": on_the_way, "seq": 1}]
    erasure.erase(store, frames, player)
    assert (
        files(frames) == {on_the_way, present(row)["pixel_hash"]} == {r["pixel_hash"] for r in store.query("SELECT pixel_hash FROM frames")}
    )
    with store.atomic() as db:
        db.execute("DELETE FROM steps WHERE seq = 1")
    assert store.query("SELECT * FROM step_frames") == []


COVERED = {
    # deleted with the person
    "recruitment", "grants", "episodes", "events", "outcomes", "reports", "form_showings", "seats", "waiting",
    # what is left of them: who they were in number, their closed places, that they were paid, and where their data had been written to
    "participants", "slots", "payments", "released_people",
}  # fmt: skip
"""Tables that name a participant, each looked after by an erasure."""


def test_every_table_that_names_a_participant_is_looked_after(store: Store) -> None:
    named = store.query(
        "SELECT DISTINCT m.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name IN "
        "('participant_id', 'claimed_by')"
    )
    assert {row["name"] for row in named} == COVERED


PAID = Recruitment(external_study="paid")


@pytest.fixture
def paid(store: Store, engine: EpisodeEngine, make_task: Callable[..., Task]) -> str:
    """Somebody who was recruited, paid, reported a problem and came to their end."""
    task = make_task("toy-paid")
    store.put_task(task)
    pay = Pay(currency="EUR", per_session="9.00", minimum_per_hour="12.00")  # type: ignore[arg-type]
    returns = Returns(done=Return(code="DONE1"), personal=True)
    create_study(store, "P", state="live", tasks=(task.content_hash,), trials=1, recruitment=PAID, pay=pay, returns=returns)
    _, grant = access.enter_recruited(store, PERSON | {"STUDY_ID": "paid"})
    person = str(grant.participant_id)
    take_part(store, engine, person, "turn_left")
    participants.place(store, engine, person)
    return person


def test_of_money_the_amount_stays_and_the_platforms_id_goes(store: Store, frames: FrameStore, paid: str) -> None:
    code = outcomes.conclude(store, paid).code
    reports.report(store, paid, "thanks", SECRET)
    payments.record(store, paid, "paid", None, actor="ann", reference="session-9z8y7x", why="Ann Bee asked")
    erasure.erase(store, frames, paid)
    whole = everything(store.home)
    for secret in (SECRET, "pid-0a1b2c3d", "session-9z8y7x", "Ann Bee", code):
        assert secret.encode() not in whole, secret
    kept = store.query("SELECT kind, hundredths, reference, why FROM payments ORDER BY kind")
    assert [(row["kind"], row["hundredths"]) for row in kept] == [("due", 900), ("paid", 900)]
    assert {(row["reference"], row["why"]) for row in kept} == {("", "")}
    assert erasure.remains(store) == []
    with pytest.raises(Exception, match="only grow"), store.atomic() as db:
        db.execute("UPDATE payments SET hundredths = 0")


def test_who_is_erased_before_anybody_looked_is_still_due_what_they_did(store: Store, frames: FrameStore, paid: str) -> None:
    erasure.erase(store, frames, paid)
    assert [(e.kind, e.hundredths) for e in payments.entries(store, paid)] == [("due", 900)]
    person = participants.get_participant(store, paid)
    assert payments.settle(store, paid) == [] and payments.account(store, person).open == 900


def test_what_was_already_released_is_listed_with_the_erasure(
    store: Store, frames: FrameStore, paid: str, people: tuple[str, str, str], tmp_path: Path
) -> None:
    other, *_ = people
    study = participants.get_participant(store, paid).study_id
    export(store, frames, tmp_path / "with", study_id=study, images="none", actor="ann")
    export(store, frames, tmp_path / "without", participants=[other], images="none")
    zip_export(tmp_path / "with")
    (release,) = released.holding(store, paid)
    assert (release.people, release.actor, release.study_id) == (1, "ann", study)
    shutil.rmtree(tmp_path / "with")
    report = erasure.erase(store, frames, paid)
    assert report.released == [str(tmp_path / "with")]
    assert erasure.exports_made(store, [paid]) == [tmp_path / "with.zip"]  # the folder is gone, its archive is not
    assert erasure.exports_made(store, [other]) == [tmp_path / "without"]
    assert erasure.ledger(store)[-1]["released"] == [str(tmp_path / "with")]
    # what is written from now on holds nothing of theirs
    export(store, frames, tmp_path / "after", study_id=study, images="none")
    assert len(released.holding(store, paid)) == 1
    assert not [path for path in (tmp_path / "after").rglob("*") if path.is_file() and paid.encode() in path.read_bytes()]


def test_an_export_from_a_database_that_cannot_be_written_is_made_all_the_same(
    store: Store, frames: FrameStore, paid: str, tmp_path: Path
) -> None:
    assert released.note(Store(store.home, reading=True), tmp_path, [paid], study_id=None, forms=["x"]) is None
    assert released.holding(store, paid) == []
