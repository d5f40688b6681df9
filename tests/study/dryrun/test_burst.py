"""People who come at once: what is judged of them, and that each writer of the database has their turn."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from bench import burst
from data import store as stores
from data.store import Store, StoreBusy
from study.dryrun import log
from tests.homes import fresh_store


def test_a_small_burst_holds_and_seats_everybody() -> None:
    report = burst.run(8, seed=1, tell=lambda _: None, within_s=0.5)
    assert report["ok"], report["checks"]
    assert (report["seated"], report["stages"], report["addresses"]) == (8, {"task": 8}, 1)
    assert set(report["answers"]) <= {"200", "202", "303"}


def test_a_thousand_come_from_a_fifth_as_many_addresses_and_one_is_a_classroom() -> None:
    addresses = burst._addresses(1000)
    assert len(addresses) == 1000 and len(set(addresses)) == 200
    assert addresses.count("198.18.0.1") == 60


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return fresh_store(tmp_path)


def test_who_is_busy_long_lets_the_others_wait_for_their_turn(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "TURN_S", 0.05)
    inside, done, refused = threading.Event(), threading.Event(), []

    def hold() -> None:
        with store.atomic():
            inside.set()
            done.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    inside.wait(10)
    try:
        with store.atomic():
            pass
    except StoreBusy as busy:
        refused.append(busy)
    done.set()
    holder.join()
    assert refused and "other writers" in str(refused[0])
    with store.atomic():
        store.event("after", {})


def test_a_place_that_is_reserved_for_two_is_seen(store: Store) -> None:
    def reserved(who: str, **told: list[str]) -> None:
        with store.atomic():
            store.event("places_reserved", {"added": [], "dropped": []} | told, participant_id=who, study_id="st")

    reserved("a", added=["one", "two"])
    reserved("a", dropped=["one"])
    reserved("b", added=["one"])
    assert log.claimed_at_once(store, "st") == {"one": 1, "two": 1}
    reserved("b", added=["two"])
    assert log.claimed_at_once(store, "st")["two"] == 2
