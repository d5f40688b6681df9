"""In the window of a common laptop the way on is in view: every entry of the menu, and the button under long instructions."""

from __future__ import annotations

from typing import Any

import pytest

from study.access import EVERY_STUDY, create_invite
from study.studies import create_study

WINDOW = {"width": 1366, "height": 650}


def whole(page: Any, part: Any) -> bool:
    """Whether all of it is in the window, and nothing lies over its middle."""
    box = part.bounding_box()
    inside = box["y"] >= 0 and box["y"] + box["height"] <= page.viewport_size["height"]
    return inside and bool(part.evaluate("e => { const b = e.getBoundingClientRect(); const at = document.elementFromPoint("
                                         "b.x + b.width / 2, b.y + b.height / 2); return e === at || e.contains(at); }"))  # fmt: skip


@pytest.mark.parametrize("height", [650, 400])
def test_every_entry_of_the_menu_is_in_the_window(server: Any, new_tab: Any, kit: Any, height: int) -> None:
    tab = new_tab(width=1366, height=height)
    kit.accept(tab, f"{server.base}/enter?invite={create_invite(server.store, 'researcher', EVERY_STUDY, label='r')}")
    tab.page.get_by_test_id("stHeading").first.wait_for()
    tab.page.get_by_test_id("stHeader").get_by_text("Study", exact=True).click()
    menu = tab.page.get_by_test_id("stTopNavPopoverBody")
    menu.wait_for()
    entries = menu.get_by_role("menuitem").all()
    names = [entry.inner_text() for entry in entries]
    assert {"Episodes", "Audit", "Log"} <= set(names)
    assert [name for name, entry in zip(names, entries, strict=True) if not whole(tab.page, entry)] == []


def test_the_button_under_long_instructions_is_in_view(server: Any, new_tab: Any, kit: Any) -> None:
    tab = new_tab(**WINDOW)
    task = kit.make_task("long-instructions")
    server.store.put_task(task)
    words = "\n\n".join(f"{n}. Look around, and take the time that you need for it." for n in range(1, 40))
    study = create_study(
        server.store, "Long", state="live", tasks=(task.content_hash,), trials=1, min_categories=1, instructions=words,
        protocol=kit.Protocol(confidence_required=False),
    )  # fmt: skip
    kit.enter(tab, server.link(study))
    on = tab.page.get_by_role("button", name="Go on")
    on.wait_for()
    assert whole(tab.page, on)
    tab.page.get_by_text("39. Look around").scroll_into_view_if_needed()
    tab.page.get_by_test_id("stMain").evaluate("e => e.scrollTo(0, e.scrollHeight)")
    assert whole(tab.page, on) and whole(tab.page, tab.page.get_by_text("39. Look around")), "the last words are not under it"
    on.click()
    tab.ready()
