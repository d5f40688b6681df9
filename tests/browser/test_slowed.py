"""The race finder holds every window open, in order; it is off unless it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from tests.browser import slowed
from tests.browser.slowed import Pauses

PAUSE_MS = 200
NOTES = """() => {
  window.__seen = [];
  window.__note = (word) => { window.__seen.push(word); setTimeout(() => window.__seen.push('rest'), 50); };
  const Given = window.WebSocket;
  window.WebSocket = class extends Given {
    constructor(...given) { super(...given); this.addEventListener('message', () => window.__note('message')); }
  };
}"""
"""Each message is noted, and what a page could do for 50 ms after it."""


@pytest.fixture
def opened(server: Any, browser: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A page that is slowed as the test says."""
    context = browser.new_context()
    slowed.slow(context, request.param)
    context.add_init_script(f"({NOTES})()")
    page = context.new_page()
    page.goto(server.base)
    page.get_by_role("heading").first.wait_for()
    yield page
    context.close()


@pytest.mark.parametrize("opened", [Pauses(stream=PAUSE_MS)], indirect=True)
def test_what_streamlit_sends_is_handed_on_one_by_one(opened: Any) -> None:
    opened.wait_for_selector("[data-test-script-state=notRunning]")
    seen = opened.evaluate("window.__seen")
    assert seen.count("message") > 3 and seen[::2] == ["message"] * len(seen[::2]) and set(seen[1::2]) == {"rest"}, seen


@pytest.mark.parametrize("opened", [Pauses(request=PAUSE_MS), Pauses(reply=PAUSE_MS)], indirect=True)
def test_what_components_ask_and_hear_waits(opened: Any) -> None:
    """A request has not left, or its reply is not known, while 50 ms pass in the page."""
    script = """async () => { window.__seen = []; window.__note('asked'); const reply = await fetch('api/nothing');
      window.__note('heard'); return reply.status; }"""
    assert opened.evaluate(script) in (401, 403, 404)
    assert opened.evaluate("window.__seen").index("rest") < opened.evaluate("window.__seen").index("heard")


def test_the_switch_names_what_is_slowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(slowed.SWITCH, raising=False)
    assert slowed.pauses() is None
    monkeypatch.setenv(slowed.SWITCH, "stream,reply=40")
    assert slowed.pauses() == Pauses(stream=slowed.PAUSE_MS, reply=40)
    monkeypatch.setenv(slowed.SWITCH, "steam")
    with pytest.raises(msgspec.ValidationError, match="steam"):
        slowed.pauses()
