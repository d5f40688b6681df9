"""An invitation's link is shown once and cannot be had again: it is still to be read after a double click, and for its person alone."""

from __future__ import annotations

from typing import Any


def test_the_link_of_an_invitation_outlasts_a_double_click_and_nothing_is_done_twice(server: Any, new_tab: Any, kit: Any) -> None:
    study, tab = _people(server, new_tab, kit, "said")
    page = tab.page
    link, idle = page.get_by_test_id("stCode"), "() => !document.querySelector('[data-testid=stStatusWidget]')"
    for pause in (0, 150, 300):
        page.get_by_label("Name", exact=True).first.fill(f"Ada {pause}")
        page.get_by_role("button", name="Make the link").dblclick(delay=0) if not pause else _twice(page, "Make the link", pause)
        page.get_by_text(f"Ada {pause} is invited").wait_for()
        page.wait_for_timeout(700)
        page.wait_for_function(idle)
        assert link.count() == 1 and page.get_by_text(f"Ada {pause} is invited").is_visible(), pause
    waiting = server.store.query("SELECT label, revoked_at FROM invites WHERE study_id = ? AND label LIKE 'Ada%'", [study.study_id])
    assert [row["label"] for row in waiting if row["revoked_at"] is None] == ["Ada 0", "Ada 150", "Ada 300"]
    _twice(page, "New link", 200)
    page.get_by_text("A new link for Ada").wait_for()
    page.wait_for_timeout(700)
    page.wait_for_function(idle)
    assert len(server.store.query("SELECT 1 FROM invites WHERE study_id = ? AND revoked_at IS NOT NULL", [study.study_id])) == 1
    shown = link.inner_text()
    page.get_by_role("button", name="Make the link").click()
    page.get_by_text("Give a name of").wait_for()
    assert link.inner_text() == shown, "what is refused takes no link away"
    kit.choose_page(tab, "Study", "Episodes")
    page.get_by_role("button", name="Make a participant link").wait_for()
    kit.choose_page(tab, "Study", "People")
    page.get_by_role("button", name="Make the link").wait_for()
    page.wait_for_function(idle)
    assert link.count() == 0, "whoever comes back to the page does not find it"


def test_a_second_press_while_the_first_is_being_done_takes_nothing_of_it_away(server: Any, new_tab: Any, kit: Any) -> None:
    study, tab = _people(server, new_tab, kit, "said-slowly")
    page = tab.page
    page.get_by_label("Name", exact=True).first.fill("Eve")
    with server.store.atomic() as db:  # nobody else can write meanwhile
        db.execute("UPDATE studies SET name = name WHERE study_id = ?", [study.study_id])
        _twice(page, "Make the link", 300)
        page.wait_for_timeout(300)
    page.get_by_text("Eve is invited").wait_for()
    tab.drawn()
    page.get_by_test_id("stCode").wait_for()  # its script comes when the first one is to be shown
    assert page.get_by_text("Eve is invited").is_visible() and page.get_by_test_id("stCode").count() == 1
    made = server.store.query("SELECT label FROM invites WHERE study_id = ? AND label = 'Eve'", [study.study_id])
    assert len(made) == 1


def _people(server: Any, new_tab: Any, kit: Any, name: str) -> tuple[Any, Any]:
    """A new study, and the page People as its owner sees it."""
    study = server.study(kit.make_task(name), name=name)
    tab = new_tab(width=1440, height=900)
    kit.accept(tab, server.link(study, "owner"))
    tab.page.goto(f"{server.base}/people")
    tab.page.get_by_text("Participants come by links of their own").wait_for()
    tab.drawn()
    return study, tab


def _twice(page: Any, label: str, pause: int) -> None:
    """Two clicks in the same place, so many milliseconds apart."""
    box = page.get_by_role("button", name=label).first.bounding_box()
    at = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.click(*at)
    page.wait_for_timeout(pause)
    page.mouse.click(*at)
