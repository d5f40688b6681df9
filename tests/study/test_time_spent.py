"""Where a person's time went: the four parts always add up, and each minute is put where the record says it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.store import Store
from data.task import Task
from study import participants
from study.spans import DELIVERY_MS, KINDS, SILENT_MS, Span, cut
from study.studies import create_study
from study.time_spent import Spent, time_of, words

T0 = 1_800_000_000_000
"""When the person of these tests came in, milliseconds."""
MOMENTS = st.integers(-5_000, 2_000_000)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    end=st.integers(0, 1_500_000),
    spans=st.lists(st.builds(Span, MOMENTS, MOMENTS, st.sampled_from(KINDS)), max_size=12),
    signs=st.lists(MOMENTS, max_size=8),
)
def test_the_parts_add_up_whatever_was_recorded(end: int, spans: list[Span], signs: list[int]) -> None:
    shares = cut(0, end, spans, signs)
    assert sum(shares.values()) == end and all(share >= 0 for share in shares.values())
    # an independent count, second by second where the moments allow it
    for kind in KINDS[:1]:
        covered = {t for span in spans if span.kind == kind for t in range(max(0, span.begin) // 1000, min(end, span.end) // 1000)}
        assert abs(shares[kind] - 1000 * len(covered)) <= 1000 * 2 * len(spans)


def test_waiting_counts_before_away_and_away_before_thinking() -> None:
    spans = [Span(0, 100, "thinking"), Span(50, 80, "away"), Span(70, 90, "waiting")]
    assert cut(0, 120, spans) == {"waiting": 20, "away": 20, "thinking": 60, "shown": 20}


def test_a_long_silence_between_tasks_is_away_and_a_short_one_is_not() -> None:
    assert cut(0, SILENT_MS, []) == {"waiting": 0, "away": 0, "thinking": 0, "shown": SILENT_MS}
    assert cut(0, SILENT_MS + 1, [])["away"] == SILENT_MS + 1
    assert cut(0, SILENT_MS + 1, [], signs=[SILENT_MS // 2])["away"] == 0
    # a picture that is looked at for an hour is thought about for an hour
    assert cut(0, 3_600_000, [Span(0, 3_600_000, "thinking")])["away"] == 0


def iso(ms: int) -> str:
    return datetime.fromtimestamp((T0 + ms) / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


class Told:
    """One person's record, written moment by moment; times in seconds after coming in, the browser's clock `behind` by so many."""

    def __init__(self, store: Store, make_task: Any, behind: float = 0.0) -> None:
        self.store, self.behind = store, behind
        task = make_task()
        store.put_task(task)
        study = create_study(store, "S", state="live", tasks=(task.content_hash,), trials=1)
        self.person = participants.add_participant(store, study.study_id)
        with store.atomic() as db:
            db.execute("UPDATE participants SET created_at = ?", [iso(0)])
            for trigger in ("events_no_delete", "events_no_update"):
                db.execute(f"DROP TRIGGER IF EXISTS {trigger}")
            db.execute("DELETE FROM events WHERE participant_id IS NOT NULL")
            row = {"episode_id": "ep", "task_hash": task.content_hash, "participant_id": self.person, "agent_kind": "human"}
            row |= {"paradigm": "active", "protocol": "{}", "seed": 1, "option_order": "[]", "state": "active", "created_at": iso(0)}
            store.insert("episodes", row)
            frame = {"pixel_hash": "f" * 64, "file_hash": "", "media_type": "", "width": 1, "height": 1, "bytes": 1, "created_at": iso(0)}
            store.insert("frames", frame)

    def clock(self, at: float | None) -> float | None:
        return None if at is None else T0 + 1000 * (at - self.behind)

    def event(self, kind: str, at: float, episode: str | None = "ep", t: float | None = None, **data: Any) -> int:
        data |= {} if t is None else {"client_time_ms": self.clock(t)}
        who = {} if episode else {"participant_id": self.person}
        return self.store.event(kind, data, at=iso(round(1000 * at)), episode_id=episode, **who)

    def step(self, seq: int, at: float, pressed: float | None = None, painted: float | None = None, epoch: int = 1) -> None:
        event_seq = self.event("step", at)
        blank = dict.fromkeys(("action", "sim_action", "reason", "phase"), "") | {"pose_before": "[]", "pose_after": "[]", "clipped": 0}
        row = {"episode_id": "ep", "seq": seq, "epoch": epoch, "event_seq": event_seq, "kind": "action", "ok": 1, "pixel_hash": "f" * 64}
        times = {"client_time_ms": self.clock(pressed), "painted_ms": self.clock(painted), "server_time": iso(round(1000 * at))}
        self.store.insert("steps", row | blank | times)

    def end(self, at: float, event: str = "finish", state: str = "finished") -> Spent:
        self.event("participant_state", at, episode=None, event=event, state=state)
        with self.store.atomic() as db:
            db.execute("UPDATE participants SET state = ?, finished_at = ?", [state, iso(round(1000 * at))])
        spent = time_of(self.store, self.person)
        assert spent.wall_ms == round(1000 * at)
        return spent


def seconds(spent: Spent) -> dict[str, float]:
    return {kind: getattr(spent, f"{kind}_ms") / 1000 for kind in KINDS}


@pytest.mark.parametrize("behind", [0.0, 3600.0, -86_400.0])
def test_one_task_by_hand_also_with_a_wrong_clock(store: Store, make_task: Callable[..., Task], behind: float) -> None:
    told = Told(store, make_task, behind)
    told.event("opened", 20, epoch=1)  # 20 s on the page before
    told.step(0, 25)  # the scene took 5 s
    # the picture was on the screen at 26, the press came at 36, its step was kept at once, its picture was there at 38
    told.step(1, 36, pressed=36, painted=26)
    told.step(2, 48, pressed=48, painted=38)
    told.event("answered", 60, epoch=1, t=60)
    # 6 s for the scene and 2 s for the picture; the last picture is taken to be there when the server had it
    assert seconds(told.end(70)) == {"waiting": 8, "away": 0, "thinking": 32, "shown": 30}


def test_a_hidden_tab_and_another_window_are_away_until_they_come_back_or_act(store: Store, make_task: Callable[..., Task]) -> None:
    told = Told(store, make_task)
    told.event("opened", 0, epoch=1)
    told.step(0, 0)
    told.event("page", 10, epoch=1, t=10, what="hidden")
    told.event("page", 40, epoch=1, t=40, what="visible")
    told.event("page", 50, epoch=1, t=50, what="blur")  # never told that the window came back: the press says so
    told.step(1, 60, pressed=60, painted=0)
    told.event("answered", 100, epoch=1, t=100)
    assert seconds(told.end(100)) == {"waiting": 0, "away": 40, "thinking": 60, "shown": 0}


def test_who_waits_for_us_in_another_tab_waits_for_us(store: Store, make_task: Callable[..., Task]) -> None:
    told = Told(store, make_task)
    told.event("opened", 0, epoch=1)
    told.event("opened", 30, epoch=2)  # no simulator was free: asked again, and again
    told.event("opened", 60, epoch=3)
    told.event("page", 10, epoch=1, t=10, what="hidden")
    told.step(0, 90, epoch=3)
    told.event("answered", 100, epoch=3, t=100)
    assert seconds(told.end(100)) == {"waiting": 90, "away": 0, "thinking": 10, "shown": 0}


def test_a_network_that_was_off_is_not_waiting_for_us(store: Store, make_task: Callable[..., Task]) -> None:
    told = Told(store, make_task)
    told.event("opened", 0, epoch=1)
    told.step(0, 0)
    told.step(1, 10, pressed=10, painted=0)
    told.step(2, 300, pressed=300, painted=290)  # the picture of step 1 came 280 s after it was kept
    told.event("answered", 310, epoch=1, t=310)
    delivery = DELIVERY_MS / 1000
    assert seconds(told.end(310)) == {"waiting": delivery, "away": 280 - delivery, "thinking": 10 + 10 + 10, "shown": 0}


def test_a_night_between_two_sessions_is_away(store: Store, make_task: Callable[..., Task]) -> None:
    told = Told(store, make_task)
    told.event("opened", 10, epoch=1)
    told.step(0, 10)
    told.event("opened", 36_000, epoch=2)  # ten hours later, on another computer
    told.event("answered", 36_060, epoch=2, t=36_060)
    assert seconds(told.end(36_060)) == {"waiting": 0, "away": 35_990, "thinking": 60, "shown": 10}


def test_the_line_for_a_place_is_waiting_for_us_for_as_long_as_one_stays(store: Store, make_task: Callable[..., Task]) -> None:
    told = Told(store, make_task)
    told.event("waiting", 10, episode=None, openings=1)
    told.event("places_reserved", 310, episode=None, session=1)
    told.event("opened", 310, epoch=1)
    told.step(0, 310)
    told.event("answered", 320, epoch=1, t=320)
    # freed by the program, long after they had gone: no sign of life of theirs
    told.event("places_reserved", 9_000, episode=None, why="stale")
    assert seconds(told.end(330)) == {"waiting": 300, "away": 0, "thinking": 10, "shown": 20}


def test_a_break_is_time_away(store: Store, make_task: Callable[..., Task]) -> None:
    told = Told(store, make_task)
    told.event("break_began", 10, episode=None, done=1)
    told.event("break_ended", 100, episode=None, done=1)
    assert seconds(told.end(130)) == {"waiting": 0, "away": 90, "thinking": 0, "shown": 40}


def test_time_after_the_end_and_other_peoples_doings_do_not_count(store: Store, make_task: Callable[..., Task]) -> None:
    told = Told(store, make_task)
    told.event("opened", 10, epoch=1)
    told.step(0, 10)
    told.event("answered", 40, epoch=1, t=40)
    assert told.end(50).paid_ms == 50_000
    store.event("participant_state", {"event": "withdraw", "state": "withdrawn"}, at=iso(900_000), participant_id=told.person)
    with store.atomic() as db:
        db.execute("UPDATE participants SET state = 'withdrawn', finished_at = ?", [iso(900_000)])
    assert time_of(store, told.person).wall_ms == 50_000


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    clocks=st.lists(st.tuples(st.integers(-(10**12), 10**12), st.integers(-(10**12), 10**12)), min_size=1, max_size=6),
    gaps=st.lists(st.integers(0, 10**6), min_size=6, max_size=6),
)
def test_clocks_that_jump_break_nothing(clocks: list[tuple[int, int]], gaps: list[int]) -> None:
    from study.spans import Event, Step, of_opening

    steps, at = [Step(episode_id="e", seq=0, epoch=1, client_time_ms=None, painted_ms=None, server_time=iso(0))], 0
    for seq, ((pressed, painted), gap) in enumerate(zip(clocks, gaps, strict=False), 1):
        at += gap
        steps.append(Step(episode_id="e", seq=seq, epoch=1, client_time_ms=pressed, painted_ms=painted, server_time=iso(at)))
    opened = Event(episode_id="e", kind="opened", at=iso(0), epoch=1)
    spans = of_opening(steps, [opened], T0, T0)
    assert all(T0 <= span.begin <= span.end <= T0 + at for span in spans)
    assert sum(cut(T0, T0 + at, spans).values()) == at


def test_words_and_json(store: Store, make_task: Callable[..., Task]) -> None:
    assert [words(ms) for ms in (4_400, 723_000, 3_720_000)] == ["4 s", "12 min 03 s", "1 h 02 min"]
    assert json.loads(json.dumps(seconds(Told(store, make_task).end(3)))) == {"waiting": 0, "away": 0, "thinking": 0, "shown": 3}
