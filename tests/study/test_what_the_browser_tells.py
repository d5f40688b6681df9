"""What a browser says (its clocks, how an action was given, what became of the page, the apparatus) is kept with the episode."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, get_args, get_type_hints

import pytest

from app.play_api import EventBody
from data.store import Store
from study import noting
from study.devices import Device, named
from study.episode import EpisodeEngine
from study.page_events import PAGE_EVENTS
from study.steps import step_at
from tests.present import present


def page_events(store: Any, episode_id: str) -> list[dict[str, Any]]:
    rows = store.query("SELECT data FROM events WHERE kind = 'page' AND episode_id = ? ORDER BY seq", [episode_id])
    return [json.loads(row["data"]) for row in rows]


def test_a_press_is_kept_with_what_it_was_given_with_and_how_long_it_waited(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store
) -> None:
    view = begin()
    engine.act(view.episode_id, view.epoch, 1, "turn_left", client_time_ms=900.0, frame_painted_ms=1000.0, queued_ms=250, given_with="key")
    step = step_at(store, view.episode_id, 1)
    assert step is not None and (step.input, step.queued_ms, step.client_time_ms, step.painted_ms) == ("key", 250.0, 900.0, 1000.0)
    event = store.one("SELECT data FROM events WHERE seq = ?", [step.event_seq])
    assert (json.loads(present(event)["data"])["input"], json.loads(present(event)["data"])["queued_ms"]) == ("key", 250.0)
    assert present(step_at(store, view.episode_id, 0)).input == ""


def test_what_a_program_does_is_given_by_an_agent(begin: Callable[..., Any], engine: EpisodeEngine, store: Store) -> None:
    view = begin(agent_kind="script")
    engine.act(view.episode_id, view.epoch, 1, "turn_left", given_with="key")
    engine.stay(view.episode_id, view.epoch, 2, "no action")
    assert [row["input"] for row in store.query("SELECT input FROM steps ORDER BY seq")] == ["", "agent", "agent"]


def test_beliefs_and_the_answer_have_the_browsers_time(begin: Callable[..., Any], engine: EpisodeEngine, store: Store) -> None:
    view = begin()
    engine.belief(view.episode_id, view.epoch, 1, "near the bowl", 20, client_time_ms=5.5)
    engine.belief(view.episode_id, view.epoch, 2, "near the bowl", 30)
    engine.answer(view.episode_id, view.epoch, "near the lamp", 70, client_time_ms=float("inf"))
    assert [row["client_time_ms"] for row in store.query("SELECT client_time_ms FROM beliefs ORDER BY n")] == [5.5, None]
    assert store.one("SELECT client_time_ms FROM answers") == {"client_time_ms": None}


def test_an_event_of_the_page_is_kept_once_and_says_at_which_step(begin: Callable[..., Any], engine: EpisodeEngine, store: Store) -> None:
    view = begin()
    engine.page_event(view.episode_id, view.epoch, 1, "hidden", client_time_ms=10.0)
    engine.act(view.episode_id, view.epoch, 1, "turn_left")
    for _ in range(2):
        engine.page_event(view.episode_id, view.epoch, 2, "visible", client_time_ms=20.0)
    assert [(e["n"], e["what"], e["seq"], e["client_time_ms"]) for e in page_events(store, view.episode_id)] == [
        (1, "hidden", 0, 10.0),
        (2, "visible", 1, 20.0),
    ]


def test_events_of_an_old_page_or_after_the_end_and_beyond_the_most_are_not_kept(
    begin: Callable[..., Any], engine: EpisodeEngine, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(noting, "MAX_PAGE_EVENTS", 2)
    view = begin()
    engine.page_event(view.episode_id, view.epoch - 1, 1, "blur")
    for n in range(1, 5):
        engine.page_event(view.episode_id, view.epoch, n, "blur")
    assert [e["n"] for e in page_events(store, view.episode_id)] == [1, 2]
    other = begin()
    engine.answer(other.episode_id, other.epoch, "near the lamp", 70)
    engine.page_event(other.episode_id, other.epoch, 1, "focus")
    assert page_events(store, other.episode_id) == []


def test_the_page_may_tell_of_just_the_events_that_are_explained() -> None:
    assert set(get_args(get_type_hints(EventBody)["what"])) == set(PAGE_EVENTS)


def test_an_opening_says_with_what_the_page_is_shown(begin: Callable[..., Any], engine: EpisodeEngine, store: Store) -> None:
    view = begin()
    engine.open(view.episode_id, tab="t", device=Device(browser="Firefox 141", viewport_width=1366, colour_scheme="dark"))
    told = store.query("SELECT data FROM events WHERE kind = 'opened' AND episode_id = ? ORDER BY seq", [view.episode_id])
    assert json.loads(told[-1]["data"])["device"] == {"browser": "Firefox 141", "viewport_width": 1366, "colour_scheme": "dark"}
    assert "device" not in json.loads(told[0]["data"])


MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.1 Safari/605.1.15"
CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36"
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1"
ANDROID = "Mozilla/5.0 (Linux; Android 14; {}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 {}Safari/537.36"


@pytest.mark.parametrize(
    ("agent", "touch", "what"),
    [
        (CHROME, False, ("Chrome 141", "Windows", "computer")),
        (f"{CHROME} Edg/141.0.0.0", False, ("Edge 141", "Windows", "computer")),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0", False, ("Firefox 144", "Linux", "computer")),
        (
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/140.0 Safari/537.36",
            None,
            ("Chrome 140", "Linux", "computer"),
        ),
        (MAC, False, ("Safari 18", "macOS", "computer")),
        (MAC, True, ("Safari 18", "iOS", "tablet")),
        (PHONE, True, ("Safari 18", "iOS", "phone")),
        (ANDROID.format("Pixel 9", "Mobile "), True, ("Chrome 141", "Android", "phone")),
        (ANDROID.format("SM-X910", ""), True, ("Chrome 141", "Android", "tablet")),
        ("curl/8", None, ("other", "other", "computer")),
        ("", None, ("", "", "")),
    ],
)
def test_browser_system_and_kind_are_read_from_what_the_browser_calls_itself(agent: str, touch: bool | None, what: tuple[str, ...]) -> None:
    device = named(agent, touch=touch)
    assert (device.browser, device.system, device.kind) == what
