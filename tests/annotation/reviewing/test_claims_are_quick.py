"""Who reviews what next: the order, and that it is read from indexes in one query, however many things there are."""

from __future__ import annotations

import random
import threading
from typing import Any

import pytest

from annotation.reviewing import claims, things
from annotation.reviewing.errors import NothingToReview
from annotation.reviewing.kinds import KINDS
from data.store import Store
from tests.annotation.reviewing.conftest import Bench
from tests.present import present


def test_what_lacks_least_comes_first_and_then_what_was_sent_in_first(bench: Bench) -> None:
    for subject in ("scene_2", "scene_1"):
        bench.propose(subject)
    assert bench.claim("ann").subject == "scene_2"
    # begun: it is finished before another is begun
    assert bench.claim("ben").subject == "scene_2"
    assert bench.claim("cem").subject == "scene_2"
    assert bench.claim("dan").subject == "scene_1"
    for who in ("ann", "ben", "cem"):
        bench.judge(bench.look(bench.claim(who)))
    assert bench.claim("ann").subject == "scene_1"


def test_people_who_ask_at_once_never_get_more_reviews_than_there_are_slots(bench: Bench, store: Store) -> None:
    bench.propose()
    got: list[str] = []
    start = threading.Barrier(8)

    def ask(who: str) -> None:
        start.wait()
        try:
            got.append(bench.claim(who).reviewer)
        except NothingToReview:
            pass
        finally:
            store.close()

    askers = [threading.Thread(target=ask, args=[f"p{k}"]) for k in range(8)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert len(got) == 3
    assert [row["slot"] for row in store.query("SELECT slot FROM reviews ORDER BY slot")] == [1, 2, 3]


def test_a_thing_that_is_taken_while_one_looks_is_not_given_twice(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.propose("scene_2")
    bench.propose("scene_1")
    for who in ("ann", "ben"):
        bench.claim(who)
    search, calls = claims._waiting, []  # type: ignore[var-annotated]

    def slow(*args: Any, **options: Any) -> Any:
        found = search(*args, **options)
        if not calls:
            calls.append(present(found).subject)
            # somebody else is faster
            assert bench.claim("dan").subject == "scene_2"
        return found

    monkeypatch.setattr(claims, "_waiting", slow)
    assert bench.claim("cem").subject == "scene_1"
    assert calls == ["scene_2"]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_next_thing_is_read_from_an_index_in_its_order(store: Store, kind: Any) -> None:
    of = {"kind": kind.name, "scope": "s", "waiting": kind.waiting, "slots": 2, "reviewer": "p", "only": ""}
    sql = f"SELECT t.{kind.things.key} FROM {claims._candidates(kind)} ORDER BY t.live DESC, t.queued LIMIT 1"
    plan = [row["detail"] for row in store.query(f"EXPLAIN QUERY PLAN {sql}", of)]
    assert any(line.startswith("SEARCH t USING COVERING INDEX") and "_queue" in line for line in plan), plan
    assert not [line for line in plan if line.startswith("SCAN") or "TEMP B-TREE" in line], plan
    # whether one may be given is found from the thing itself, never from all that wait
    assert sum("_queue" in line for line in plan) == 1, plan


def test_the_starved_are_those_that_counting_one_by_one_finds(bench: Bench, store: Store) -> None:
    rng = random.Random(5)
    people = [f"p{k}" for k in range(5)]
    for k in range(40):
        subject = f"scene_{k}"
        things.put(store, bench.kind, subject, "study", "proposed", actor="generator")
        things.move(store, bench.kind, subject, "submit", "generator")
    rows = []
    for k in range(40):
        for slot, who in enumerate(rng.sample(people, rng.randint(0, 5)), 1):
            state, stages = rng.choice([("void", 0), ("void", 1), ("judged", 2), ("looked", 1)])
            round_ = rng.choice([0, 1])
            number = slot if state != "void" else None
            rows.append((f"rv_{k}_{slot}", "scene", "study", f"scene_{k}", 1, round_, number, who, state, stages, "", "9", None, None))
    with store.atomic() as db:
        db.conn.executemany(f"INSERT INTO reviews VALUES ({', '.join('?' * 14)})", rows)
        db.execute(
            "UPDATE reviewed SET live = (SELECT count(*) FROM reviews r WHERE r.subject = reviewed.subject AND r.round = reviewed.round "
            "AND r.state <> 'void')"
        )
    expected = []
    for k in range(40):
        thing = things.get(store, bench.kind, f"scene_{k}")
        mine = [row for row in rows if row[3] == f"scene_{k}"]
        known = {row[7] for row in mine if row[9] > 0 or (row[5] == thing.round and row[8] != "void")}
        if len(set(people) - known) < thing.needed - thing.live:
            expected.append(thing.subject)
    assert expected
    assert claims.starved(store, bench.kind, "study", people) == expected
    assert claims.starved(store, bench.kind, "study", [*people, "q1", "q2", "q3"]) == []
