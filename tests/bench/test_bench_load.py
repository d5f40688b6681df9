"""The load bench plays whole tasks over HTTP, and sees what is lost, refused and grown."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bench import load
from data.frames import FrameStore
from data.home import Home
from data.store import Store

SKETCH = "study.dryrun.sketch:create"


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Home]:
    folder = tmp_path_factory.mktemp("load")
    found = load.run_scene(
        "small", people=3, rate=8.0, minutes=0.15, backend=SKETCH, workers=1, watch=False, folder=folder, tell=lambda _: None
    )
    return found, Home.from_env(folder / "small" / "vantage.db")


def test_people_play_over_http_and_nothing_is_lost(ran: tuple[dict[str, Any], Home]) -> None:
    found, home = ran
    assert (found["lost"], found["refused"], found["errors"], found["lock_errors"], found["told"]) == (0, 0, 0, 0, [])
    assert found["acknowledged"]["actions"] > 20 and found["acknowledged"]["p50"] <= found["acknowledged"]["p99"]
    with closing(Store.open(home)) as store:
        steps = store.query("SELECT count(*) AS n FROM steps WHERE seq > 0")[0]["n"]
    # a press that was on its way when the time was up may be there too
    assert found["acknowledged"]["actions"] <= steps <= found["acknowledged"]["actions"] + 3
    assert found["memory_mb"]["start"] > 10 and 0 < found["utilisation"] <= 1.0 and found["bare_fps"] > 1


def test_what_is_not_there_is_seen(ran: tuple[dict[str, Any], Home], tmp_path: Path) -> None:
    _, home = ran
    with closing(Store.open(home)) as store:
        row = store.query("SELECT episode_id, seq, pixel_hash FROM steps ORDER BY episode_id, seq LIMIT 1")[0]
        player = load.Player("", "", 0, steps=[(row["episode_id"], row["seq"]), (row["episode_id"], 999)], answers=["ep_nobody"])
        assert load._lost(store, home, [player]) == [f"step 999 of {row['episode_id']}", "answer of ep_nobody"]
        path = FrameStore(home.frames, reading=True).path(row["pixel_hash"])
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        try:
            assert any("frame of step" in line for line in load._lost(store, home, [player]))
        finally:
            path.write_bytes(whole)


@pytest.mark.parametrize(
    ("change", "ok"),
    [
        ({}, True),
        ({"lost": ["step 3"]}, False),
        ({"refusals": ["answered 429"]}, False),
        ({"grown": 1.11}, False),
        ({"log": "database is locked"}, False),
    ],
)
def test_what_makes_it_fail(change: dict[str, Any], ok: bool) -> None:
    refusals = change.get("refusals", [])
    player = load.Player("", "", 0, acted_ms=[5.0, 7.0], statuses=[200, 429] if refusals else [200], refusals=refusals)
    memory = {"start": 100.0, "after_first": 200.0, "end": 200.0 * change.get("grown", 1.0)}
    measured = {"memory": memory, "stuck": 0, "spent": 60.0, "used": 0.5}
    found = load._figures("small", [player], measured, change.get("lost", []), change.get("log", ""), [], 30.0, 1.0)
    assert found["ok"] is ok
