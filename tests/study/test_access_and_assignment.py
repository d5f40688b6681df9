"""Links, cookies, roles; slots: one person one slot, no content twice, balanced counts, state tables."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from data.store import Store
from data.task import Task
from study import access, agent_keys, assignment, participants, seats, slots, states
from study.episode import EpisodeEngine
from study.errors import BadToken, BadTransition, EpisodeOver, NotAllowed, NoTaskLeft, OtherBrowser
from study.stations import instructions
from study.studies import Recruitment, create_study, get_study, set_study_state
from tests.present import present


@pytest.fixture
def study(store: Store, make_task: Callable[..., Task]) -> Any:
    """Six tasks in three categories, three of them a twin pair or a new version; two places each."""
    categories = ["Metric Comparison", "Spatial Relations", "Perceptual Grounding"]
    tasks = [make_task(f"t-{n}", category=categories[n % 3]) for n in range(6)]
    tasks[3] = make_task("t-3", category=categories[0], twin="t-0")
    for task in tasks:
        store.put_task(task)
    return create_study(store, "S", state="live", tasks=tuple(t.content_hash for t in tasks), per_task=2, trials=5)


def test_an_invitation_lets_in_and_the_same_browser_comes_back_as_the_same_person(store: Store, study: Any) -> None:
    token = access.create_invite(store, "participant", study.study_id)
    cookie, grant = access.enter(store, token)
    again, same = access.enter(store, token, cookie)
    assert (again, same) == (cookie, grant)
    _, other = access.enter(store, token)
    assert other.participant_id != grant.participant_id
    assert [g.grant_id for g in access.grants(store, cookie)] == [grant.grant_id]
    assert access.grants(store, "rubbish") == access.grants(store, None) == []


def test_no_token_or_cookie_is_kept_in_the_open(store: Store, study: Any) -> None:
    token = access.create_invite(store, "participant", study.study_id)
    cookie, _ = access.enter(store, token)
    key = agent_keys.create(store, study.study_id, "m")
    store.query("PRAGMA wal_checkpoint(TRUNCATE)")
    content = store.home.db.read_bytes()
    assert not any(secret.encode() in content for secret in (token, cookie, key))


def test_used_up_revoked_expired_and_unknown_links_are_refused(store: Store, study: Any) -> None:
    once = access.create_invite(store, "participant", study.study_id, uses=1)
    cookie, grant = access.enter(store, once)
    assert access.enter(store, once, cookie)[1] == grant
    expired = access.create_invite(store, "participant", study.study_id, days=-1)
    revoked = access.create_invite(store, "participant", study.study_id)
    invite = store.one("SELECT invite_id FROM invites ORDER BY rowid DESC LIMIT 1")
    access.revoke_invite(store, present(invite)["invite_id"])
    for token in (once, expired, revoked, "nonsense", ""):
        with pytest.raises(BadToken):
            access.enter(store, token)


def test_the_first_admin_token_makes_one_owner_once(store: Store) -> None:
    first = access.first_admin_token(store)
    second = access.first_admin_token(store)
    with pytest.raises(BadToken):
        access.enter(store, present(first))
    cookie, _ = access.enter(store, present(second))
    assert access.first_admin_token(store) is None
    assert access.require(store, cookie, "owner").study_id == "*"
    assert access.require(store, cookie, "researcher", "st_any").role == "owner"
    with pytest.raises(NotAllowed):
        access.require(store, cookie, "annotator")


def test_one_browser_holds_several_grants_and_roles_stay_within_their_study(store: Store, study: Any) -> None:
    other = create_study(store, "Other", state="live")
    cookie, _ = access.enter(store, access.create_invite(store, "participant", study.study_id))
    cookie, _ = access.enter(store, access.create_invite(store, "researcher", other.study_id), cookie)
    assert [g.role for g in access.grants(store, cookie)] == ["participant", "researcher"]
    access.require(store, cookie, "researcher", other.study_id)
    for role, where in [("researcher", study.study_id), ("owner", other.study_id), ("participant", other.study_id)]:
        with pytest.raises(NotAllowed):
            access.require(store, cookie, role, where)


def test_an_annotator_writes_and_reviews_and_runs_nothing(store: Store, study: Any) -> None:
    cookie, grant = access.enter(store, access.create_invite(store, "annotator", study.study_id))
    for role in ("annotator", "author", "reviewer"):
        assert access.require(store, cookie, role, study.study_id) == grant
    for role in ("researcher", "owner", "participant"):
        with pytest.raises(NotAllowed):
            access.require(store, cookie, role, study.study_id)
    access.revoke_staff(store, present(grant.staff_id), study_id=study.study_id, role="annotator")
    with pytest.raises(NotAllowed):
        access.require(store, cookie, "author", study.study_id)


@pytest.mark.parametrize(("role", "counts_as"), [("author", "author"), ("reviewer", "reviewer")])
def test_who_only_writes_or_only_reviews_does_not_count_as_an_annotator(store: Store, study: Any, role: str, counts_as: str) -> None:
    cookie, _ = access.enter(store, access.create_invite(store, role, study.study_id))
    access.require(store, cookie, counts_as, study.study_id)
    for other in {"author", "reviewer", "annotator"} - {counts_as}:
        with pytest.raises(NotAllowed):
            access.require(store, cookie, other, study.study_id)


def test_revoked_staff_lose_access_at_once_and_signing_out_ends_a_grant(store: Store, study: Any) -> None:
    cookie, grant = access.enter(store, access.create_invite(store, "researcher", study.study_id))
    access.revoke_staff(store, present(grant.staff_id), study_id=study.study_id, role="researcher")
    with pytest.raises(NotAllowed):
        access.require(store, cookie, "researcher", study.study_id)
    cookie, grant = access.enter(store, access.create_invite(store, "participant", study.study_id))
    access.sign_out(store, cookie)
    assert access.grants(store, cookie) == []


def test_only_the_participant_of_an_episode_plays_it(store: Store, study: Any, engine: EpisodeEngine) -> None:
    token = access.create_invite(store, "participant", study.study_id)
    (mine, my), (theirs, _) = access.enter(store, token), access.enter(store, token)
    for event in ("welcome", "consent"):
        participants.advance(store, present(my.participant_id), event)
    episode = participants.place(store, engine, present(my.participant_id)).episode_id
    assert access.player(store, mine, present(episode)) == my
    researcher, _ = access.enter(store, access.create_invite(store, "researcher", study.study_id))
    for cookie, which in [(theirs, episode), (researcher, episode), (mine, "ep_none"), (None, episode)]:
        with pytest.raises(NotAllowed):
            access.player(store, cookie, which)  # type: ignore[arg-type]


def test_a_model_key_reaches_its_own_episodes_only(store: Store, study: Any, engine: EpisodeEngine) -> None:
    key = agent_keys.create(store, study.study_id, "m1")
    other = agent_keys.create(store, study.study_id, "m2")
    found = agent_keys.agent(store, key)
    episode = engine.create(study.tasks[0], agent_kind="model", agent_name=found.name, study_id=found.study_id)
    assert agent_keys.agent(store, key, episode) == found
    for wrong in (other, "", None, "x"):
        with pytest.raises(NotAllowed):
            agent_keys.agent(store, wrong, episode)
    agent_keys.revoke(store, found.key_id)
    with pytest.raises(NotAllowed):
        agent_keys.agent(store, key)
    with pytest.raises(ValueError, match="taken"):
        agent_keys.create(store, study.study_id, "m2")


def test_recruitment_parameters_find_the_study_and_the_same_person(store: Store, make_task: Callable[..., Task]) -> None:
    task = make_task()
    store.put_task(task)
    create_study(store, "P", state="live", tasks=(task.content_hash,), recruitment=Recruitment(external_study="abc"))
    params = {"PROLIFIC_PID": "person-1", "STUDY_ID": "abc", "SESSION_ID": "s"}
    cookie, grant = access.enter_recruited(store, params)
    assert access.enter_recruited(store, params, cookie) == (cookie, grant)
    assert access.enter_recruited(store, params)[1].participant_id == grant.participant_id
    for wrong in ({"STUDY_ID": "abc"}, {**params, "STUDY_ID": "zzz"}, {}):
        with pytest.raises(BadToken):
            access.enter_recruited(store, wrong)
    tables = [r["name"] for r in store.query("SELECT name FROM sqlite_master WHERE type = 'table'")]
    holding = [t for t in tables if "person-1" in str(store.query(f"SELECT * FROM {t}"))]
    assert holding == ["recruitment"]


@pytest.mark.parametrize("rule", ["take_over", "refuse"])
def test_a_known_person_on_another_browser_takes_over_or_is_refused_as_the_study_says(
    store: Store, make_task: Callable[..., Task], rule: Any
) -> None:
    task = make_task()
    store.put_task(task)
    create_study(store, "P", state="live", tasks=(task.content_hash,), recruitment=Recruitment(external_study="abc", other_browser=rule))
    params = {"PROLIFIC_PID": "person-1", "STUDY_ID": "abc", "SESSION_ID": "s"}
    cookie, grant = access.enter_recruited(store, params)
    assert store.query("SELECT * FROM events WHERE kind = 'other_browser'") == []
    if rule == "refuse":
        with pytest.raises(OtherBrowser, match="another browser"):
            access.enter_recruited(store, params)
        assert access.grants(store, cookie) == [grant]
    else:
        other, new = access.enter_recruited(store, params)
        assert (new.participant_id, access.grants(store, other)) == (grant.participant_id, [new])
        assert access.grants(store, cookie) == []
    told = store.one("SELECT participant_id, data FROM events WHERE kind = 'other_browser'")
    ended = [] if rule == "refuse" else [grant.grant_id]
    assert told == {
        "participant_id": grant.participant_id,
        "data": json.dumps({"taken_over": rule != "refuse", "ended": ended}, separators=(",", ":")),
    }
    if rule == "take_over":
        back, _ = access.enter_recruited(store, params, cookie)  # and back again, by the same link
        assert len(access.grants(store, back)) == 1 and access.grants(store, other) == []
    else:
        access.sign_out(store, cookie)  # whose access has ended there may come in elsewhere
        assert access.enter_recruited(store, params)[1].participant_id == grant.participant_id


def test_the_way_through_a_study(store: Store, make_task: Callable[..., Task], engine: EpisodeEngine) -> None:
    tasks = [make_task(f"t-{n}") for n in range(3)]
    for task in tasks:
        store.put_task(task)
    study = create_study(
        store,
        "S",
        state="live",
        practice_task=tasks[0].content_hash,
        tasks=tuple(t.content_hash for t in tasks[1:]),
        trials=2,
        consent_version="7",
    )
    person = participants.add_participant(store, study.study_id)
    stages = []
    for event in ("welcome", "consent"):
        stages.append(participants.place(store, engine, person).stage)
        participants.advance(store, person, event)
        participants.advance(store, person, event)
    assert participants.place(store, engine, person).stage == "instructions"
    instructions.go_on(store, person)
    while (place := participants.place(store, engine, person)).episode_id:
        stages.append((place.stage, place.done, place.total))  # type: ignore[arg-type]
        assert participants.place(store, engine, person) == place
        view = engine.open(place.episode_id)
        engine.answer(view.episode_id, view.epoch, "near the lamp", 50)
    assert stages == ["welcome", "consent", ("practice", 0, 2), ("task", 0, 2), ("task", 1, 2)]
    assert place.stage == "thanks"
    assert store.one("SELECT consent_version, state FROM participants") == {"consent_version": "7", "state": "finished"}
    rows = store.query("SELECT trial_index, json_extract(protocol, '$.show_feedback') AS feedback FROM episodes ORDER BY trial_index")
    assert [(r["trial_index"], r["feedback"]) for r in rows] == [(0, 1), (1, 0), (2, 0)]


def test_a_task_that_cannot_be_shown_can_be_skipped(store: Store, study: Any, engine: EpisodeEngine) -> None:
    person = participants.add_participant(store, study.study_id)
    for event in ("welcome", "consent"):
        participants.advance(store, person, event)
    first = participants.place(store, engine, person)
    second = participants.skip(store, engine, person)
    assert (second.stage, second.episode_id != first.episode_id) == ("task", True)
    assert store.one("SELECT state FROM slots WHERE trial_index = 1") == {"state": "returned"}


def test_consent_cannot_be_skipped(store: Store, study: Any) -> None:
    person = participants.add_participant(store, study.study_id)
    with pytest.raises(BadTransition):
        participants.advance(store, person, "consent")


def test_a_withdrawal_marks_everything_and_frees_the_places(store: Store, study: Any, engine: EpisodeEngine) -> None:
    person = participants.add_participant(store, study.study_id)
    for event in ("welcome", "consent"):
        participants.advance(store, person, event)
    for _ in range(2):
        view = engine.open(present(participants.place(store, engine, person).episode_id))
        engine.answer(view.episode_id, view.epoch, "near the lamp", 50)
    participants.place(store, engine, person)
    free = present(store.one("SELECT count(*) AS n FROM slots WHERE state = 'free'"))["n"]
    participants.withdraw(store, engine, person)
    assert {r["state"] for r in store.query("SELECT state FROM episodes")} == {"withdrawn"}
    assert present(store.one("SELECT count(*) AS n FROM slots WHERE state = 'free'"))["n"] == free + 3
    assert participants.place(store, engine, person).stage == "withdrawn"


def test_who_stops_leaves_what_they_did_and_frees_the_place_and_the_simulator(store: Store, study: Any, engine: EpisodeEngine) -> None:
    person = ready(store, study)
    view = engine.open(present(participants.place(store, engine, person).episode_id))
    engine.answer(view.episode_id, view.epoch, "near the lamp", 50)
    begun = engine.open(present(participants.place(store, engine, person).episode_id))
    free = "SELECT count(*) AS n FROM slots WHERE state = 'free'"
    before = present(store.one(free))["n"]
    assert participants.stop(store, engine, person) == participants.stop(store, engine, person) == "stopped"
    own = store.query("SELECT episode_id, state FROM episodes WHERE participant_id = ? ORDER BY created_at", [person])
    assert [row["state"] for row in own] == ["completed", "returned"]
    assert present(store.one(free))["n"] == before + 1
    with pytest.raises(EpisodeOver):
        engine.act(begun.episode_id, begun.epoch, 1, "turn_left")
    assert engine.sweep(0.0) == 0, "no simulator is held"
    row = store.one("SELECT state, finished_at FROM participants WHERE participant_id = ?", [person])
    assert present(row)["state"] == "stopped" and present(row)["finished_at"] is not None
    told = store.query("SELECT data FROM events WHERE kind = 'participant_state' AND participant_id = ? ORDER BY seq", [person])
    assert json.loads(told[-1]["data"]) == {"event": "stop", "state": "stopped"}
    assert participants.place(store, engine, person).stage == "stopped"
    with pytest.raises(NoTaskLeft, match="ended your part"):
        assignment.assign(store, person)
    participants.withdraw(store, engine, person)  # still possible
    assert {r["state"] for r in store.query("SELECT state FROM episodes WHERE participant_id = ?", [person])} == {"withdrawn"}


def test_stopping_before_the_consent_is_declining_and_after_the_end_nothing(store: Store, study: Any, engine: EpisodeEngine) -> None:
    early = participants.add_participant(store, study.study_id)
    assert participants.stop(store, engine, early) == "declined"
    done = ready(store, study)
    for event in ("practise", "finish"):
        participants.advance(store, done, event)
    assert participants.stop(store, engine, done) == "finished"


def test_a_place_that_was_given_without_an_episode_is_given_back_too(store: Store, study: Any, engine: EpisodeEngine) -> None:
    person = ready(store, study)
    slot = assignment.assign(store, person)
    participants.stop(store, engine, person)
    assert store.one("SELECT state FROM slots WHERE slot_id = ?", [slot.slot_id]) == {"state": "returned"}


def test_nobody_meets_a_task_its_twin_or_another_version_twice(store: Store, study: Any) -> None:
    person = participants.add_participant(store, study.study_id)
    met = []
    with pytest.raises(NoTaskLeft):
        for _ in range(9):
            slot = assignment.assign(store, person)
            assert assignment.assign(store, person) == slot
            met.append(store.get_task(slot.task_hash).task_id)
            slots.move(store, slot.slot_id, "answer")
    assert len(met) == len(set(met)) == 5
    assert not {"t-0", "t-3"} <= set(met)


def test_a_returned_task_is_not_met_again_but_its_place_is_offered_to_others(store: Store, study: Any) -> None:
    first, second = (participants.add_participant(store, study.study_id) for _ in range(2))
    slot = assignment.assign(store, first)
    slots.move(store, slot.slot_id, "return")
    assert assignment.assign(store, first).task_hash != slot.task_hash
    assert store.one("SELECT state FROM slots WHERE replaces = ?", [slot.slot_id]) == {"state": "free"}
    slots.move(store, slot.slot_id, "withdraw")
    assert store.one("SELECT count(*) AS n FROM slots WHERE replaces = ?", [slot.slot_id]) == {"n": 1}
    assert assignment.assign(store, second)


def test_many_arrivals_at_once_share_the_places_exactly(store: Store, study: Any) -> None:
    study = create_study(store, "One each", state="live", tasks=study.tasks, per_task=2, trials=1)
    people = [participants.add_participant(store, study.study_id) for _ in range(14)]
    given: list[assignment.Slot] = []
    turned_away: list[str] = []

    def arrive(person: str) -> None:
        try:
            given.append(assignment.assign(store, person))
        except NoTaskLeft:
            turned_away.append(person)
        finally:
            store.close()

    threads = [threading.Thread(target=arrive, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(given), len(turned_away)) == (12, 2)
    assert len({slot.slot_id for slot in given}) == 12
    assert set(Counter(slot.task_hash for slot in given).values()) == {2}


@pytest.mark.parametrize("probes", [0, assignment.PROBES], ids=["counted", "drawn"])
def test_whoever_comes_gets_a_task_that_nobody_has_while_there_is_one(
    store: Store, make_task: Callable[..., Task], monkeypatch: pytest.MonkeyPatch, probes: int
) -> None:
    """By drawing as by counting; and each of them as likely as the others."""
    monkeypatch.setattr(assignment, "PROBES", probes)
    tasks = [make_task(f"t-{n:02d}") for n in range(8)]
    for task in tasks:
        store.put_task(task)
    first: Counter[str] = Counter()
    for seed in range(60):
        study = create_study(store, f"S {seed}", state="live", seed=seed, tasks=tuple(t.content_hash for t in tasks), trials=1)
        given = [assignment.assign(store, participants.add_participant(store, study.study_id)).task_hash for _ in tasks]
        assert sorted(given) == sorted(study.tasks)
        first[given[0]] += 1
    # 60 draws of 8: a task that never comes, or comes as often as a third of them, is no fair draw (chance below 1 in 300)
    assert len(first) == len(tasks) and max(first.values()) < 20


def test_an_open_study_never_turns_anybody_away_and_stays_balanced(store: Store, make_task: Callable[..., Task]) -> None:
    tasks = [make_task(f"t-{n}") for n in range(4)]
    for task in tasks:
        store.put_task(task)
    study = create_study(store, "S", state="live", tasks=tuple(t.content_hash for t in tasks), trials=1)
    given = [assignment.assign(store, participants.add_participant(store, study.study_id)).task_hash for _ in range(10)]
    assert sorted(Counter(given).values()) == [2, 2, 3, 3]


@pytest.mark.parametrize("machine", [states.EPISODE, states.SLOT, participants.PARTICIPANT])
def test_state_tables_are_closed_and_reachable(machine: states.Machine) -> None:
    reached = {next(iter(machine))} | {state for events in machine.values() for state in events.values()}
    assert reached == set(machine)


def test_each_end_of_a_slot_says_whether_it_frees_the_place() -> None:
    assert set(states.FREES_SLOT) == set(states.SLOT)
    assert [s for s in states.SLOT if states.FREES_SLOT[s]] == ["returned", "timed_out", "rejected", "withdrawn"]
    assert not states.FREES_SLOT["completed"]
    with pytest.raises(BadTransition, match="impossible in the state 'completed'"):
        states.after(states.SLOT, "completed", "answer")


def ready(store: Store, study: Any) -> str:
    """A participant who may play."""
    person = participants.add_participant(store, study.study_id)
    for event in ("welcome", "consent"):
        participants.advance(store, person, event)
    return person


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Let so many minutes pass, as far as held places are concerned."""

    def pass_time(minutes: float) -> None:
        then = datetime.now(UTC) + timedelta(minutes=minutes)
        monkeypatch.setattr(seats, "now", lambda: then.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z")

    return pass_time


def test_a_place_left_too_long_is_freed_for_the_next_who_asks_and_the_returning_person_is_told(
    store: Store, make_task: Callable[..., Task], engine: EpisodeEngine, later: Callable[..., Any]
) -> None:
    task = make_task()
    store.put_task(task)
    study = create_study(store, "S", state="live", tasks=(task.content_hash,), per_task=1, trials=1, hold_minutes=30)
    first, early, late = (ready(store, study) for _ in range(3))
    left = participants.place(store, engine, first).episode_id
    view = engine.open(present(left))
    engine.act(present(left), view.epoch, 1, "turn_left")
    later(29)
    waits = participants.place(store, engine, early)
    assert waits.stage == "waiting" and "number 1 in the queue" in waits.note
    later(31)
    assert participants.place(store, engine, late).stage == "task"
    assert store.one("SELECT state FROM episodes WHERE episode_id = ?", [left]) == {"state": "timed_out"}
    assert store.one("SELECT actor, data FROM events WHERE kind = 'episode_state' AND episode_id = ?", [left]) == {
        "actor": "hold limit",
        "data": '{"event":"time_out","state":"timed_out"}',
    }
    with pytest.raises(EpisodeOver, match="nothing happened in it for a long time"):
        engine.act(present(left), view.epoch, 2, "turn_left")
    assert len(store.query("SELECT * FROM steps WHERE episode_id = ?", [left])) == 2  # what was done is kept
    back = participants.place(store, engine, first)
    assert back.stage == "thanks"  # nothing else is free for them
    assert back.note.startswith("Nothing happened in the task you had begun for more than 30 minutes, so its place was freed for others.")


def test_a_person_who_comes_back_before_anybody_needs_the_place_goes_on(
    store: Store, study: Any, engine: EpisodeEngine, later: Callable[..., Any]
) -> None:
    person = ready(store, study)
    here = participants.place(store, engine, person)
    later(10_000)
    assert participants.place(store, engine, person) == here
    assert engine.open(present(here.episode_id)).state == "active"


def test_every_sign_of_life_keeps_a_place(store: Store, study: Any, engine: EpisodeEngine, later: Callable[..., Any]) -> None:
    person, other = ready(store, study), ready(store, study)
    view = engine.open(present(participants.place(store, engine, person).episode_id))
    later(119)
    participants.place(store, engine, other)
    assert store.one("SELECT state FROM episodes WHERE episode_id = ?", [view.episode_id]) == {"state": "active"}


def test_a_person_goes_on_with_another_task_and_is_told_until_they_act_in_it(
    store: Store, study: Any, engine: EpisodeEngine, later: Callable[..., Any]
) -> None:
    person, other = ready(store, study), ready(store, study)
    lost = participants.place(store, engine, person)
    engine.open(present(lost.episode_id))
    later(121)
    participants.place(store, engine, other)
    here = participants.place(store, engine, person)
    assert here.episode_id != lost.episode_id
    assert here.note.endswith("What you did in it is kept. Please go on with this one.")
    assert participants.place(store, engine, person).note == here.note
    view = engine.open(present(here.episode_id))
    engine.act(present(here.episode_id), view.epoch, 1, "turn_left")
    assert participants.place(store, engine, person).note == ""


def test_a_task_that_was_made_ready_and_never_seen_is_no_loss_to_be_told_of(
    store: Store, make_task: Callable[..., Task], engine: EpisodeEngine, later: Callable[..., Any]
) -> None:
    task = make_task()
    store.put_task(task)
    study = create_study(store, "S", state="live", tasks=(task.content_hash,), per_task=1, trials=1)
    person, other = ready(store, study), ready(store, study)
    ahead = participants.place(store, engine, person)
    later(121)
    participants.place(store, engine, other)
    assert store.one("SELECT state FROM episodes WHERE episode_id = ?", [ahead.episode_id]) == {"state": "timed_out"}
    assert participants.place(store, engine, person).note.startswith("You were away for more than 120 minutes")


def test_a_study_may_keep_places_for_ever(
    store: Store, make_task: Callable[..., Task], engine: EpisodeEngine, later: Callable[..., Any]
) -> None:
    task = make_task()
    store.put_task(task)
    study = create_study(store, "S", state="live", tasks=(task.content_hash,), per_task=1, trials=1, hold_minutes=None)
    first, second = ready(store, study), ready(store, study)
    here = participants.place(store, engine, first)
    later(10_000_000)
    assert participants.place(store, engine, second).stage == "waiting"
    assert participants.place(store, engine, first) == here


def test_looking_where_one_stands_locks_nothing(
    store: Store, engine: EpisodeEngine, make_task: Callable[..., Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    task = make_task()
    store.put_task(task)
    study = create_study(store, "S", state="live", tasks=(task.content_hash,), practice_task=task.content_hash)
    new = participants.add_participant(store, study.study_id)
    practising = participants.add_participant(store, study.study_id)
    for event in ("welcome", "consent"):
        participants.advance(store, practising, event)
    instructions.go_on(store, practising)
    playing = ready(store, create_study(store, "T", state="live", tasks=(task.content_hash,)))
    before = [participants.place(store, engine, person) for person in (new, practising, playing)]
    assert [place.stage for place in before] == ["welcome", "practice", "task"]
    monkeypatch.setattr(type(store), "atomic", lambda self: pytest.fail("a page that only looks began to write"))
    assert [participants.place(store, engine, person) for person in (new, practising, playing)] == before


def test_tasks_are_chosen_before_the_lock_and_the_choice_is_made_again_where_another_was_faster(
    store: Store, make_task: Callable[..., Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = [make_task(f"toy-{n}") for n in range(2)]
    for task in tasks:
        store.put_task(task)
    study = create_study(store, "S", state="live", tasks=tuple(t.content_hash for t in tasks), per_task=1, trials=1)
    one, two = ready(store, study), ready(store, study)
    draft, rival = seats.draft, []  # type: ignore[var-annotated]

    def overtaken(*args: object) -> object:
        assert not store.db.conn.in_transaction
        found = draft(*args)  # type: ignore[arg-type]
        if not rival:
            rival.append(None)
            rival[0] = assignment.assign(store, two)
        return found

    monkeypatch.setattr(seats, "draft", overtaken)
    mine = assignment.assign(store, one)
    assert mine.task_hash != rival[0].task_hash and mine.participant_id == one
    assert store.query("SELECT count(*) AS n FROM slots") == [{"n": 2}]


def test_a_study_is_read_once_because_a_published_version_never_changes(store: Store, make_task: Callable[..., Task]) -> None:
    task = make_task()
    store.put_task(task)
    study = create_study(store, "S", state="live", tasks=(task.content_hash,))
    assert get_study(store, study.study_id).tasks is get_study(store, study.study_id).tasks
    set_study_state(store, study.study_id, "closed")
    assert get_study(store, study.study_id).state == "closed"
    with pytest.raises(Exception, match="stays as it was written"), store.atomic() as db:
        db.execute("UPDATE studies SET document = ?", [study.model_copy(update={"trials": 9}).model_dump_json()])
