"""Every page opens without console errors, says what to do when it is empty, and can be used by keyboard."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from data.frames import FrameStore

EDGES = """const style = (e) => getComputedStyle(root.querySelector(e));
    return style('.bar i').backgroundColor !== style('.bar').backgroundColor && style('.bar').borderTopStyle === 'solid'
        && style('input[type=range]').outlineStyle === 'solid';"""


def test_pages_without_a_grant(server: Any, new_tab: Any, kit: Any) -> None:
    tab = new_tab()
    tab.page.goto(server.base)
    tab.page.get_by_role("heading", name="Vantage").wait_for()
    tab.page.get_by_text("Open the link you were given.").wait_for()
    assert tab.page.evaluate(kit.js("audit")) == []
    tab.page.goto(f"{server.base}/sign-in")
    assert tab.page.get_by_label("Invitation").evaluate("e => e === document.activeElement")
    assert tab.page.evaluate(kit.js("audit")) == []


def test_a_participants_whole_way_with_practice_feedback_and_no_feedback_after(server: Any, new_tab: Any, kit: Any) -> None:
    practice = kit.make_task("practice", "yes_no", "no", text="Is the red box larger?", options=("yes", "no"))
    study = server.study(kit.make_task("first"), practice=practice, name="Whole way")
    tab = new_tab()
    page = tab.page
    page.goto(server.link(study))
    page.get_by_role("heading", name="Whole way").wait_for()
    assert page.evaluate(kit.js("audit")) == []
    page.get_by_role("button", name="Take part").press("Enter")
    page.get_by_text("Please tick the box above first").wait_for()
    page.get_by_label("I have read this").press("Space")
    page.get_by_role("button", name="Take part").press("Enter")
    page.get_by_role("heading", name="Instructions").wait_for()
    assert page.evaluate(kit.js("audit")) == []
    page.get_by_role("button", name="Go on").press("Enter")
    made = "SELECT e.state, e.last_seq FROM episodes e JOIN slots s USING (slot_id) WHERE s.study_id = ? AND NOT s.practice"
    for title, told in (("Practice task", 1), ("Task 1 of 1", 0)):
        tab.ready()
        assert page.get_by_text(title).first.is_visible()
        assert page.evaluate(kit.js("audit")) == []
        assert page.evaluate(kit.js("focus"))[1] == page.locator(".question h1").inner_text()  # the question is read out
        tab.press("f", page.locator(".option").first.locator("kbd").inner_text())
        chosen = page.locator(".option :checked").input_value()
        page.get_by_role("button", name="Give final answer").press("Enter")
        if told:
            page.get_by_text("move the camera at least once before you answer").wait_for()
            tab.press("Escape", "w")
            tab.at(1)
            page.get_by_role("button", name="Give final answer").press("Enter")
        page.get_by_role("button", name="Submit").press("Enter")
        page.get_by_role("heading", name="Your answer is saved.").wait_for()
        if told:  # the next task is made ready meanwhile: it is given, and not begun
            kit.wait_until(lambda: server.store.query(made, [study.study_id]) == [{"state": "created", "last_seq": -1}])
        right = "That is right." if chosen == "no" else f"You answered: {chosen}. The right answer is: no."
        assert page.locator(".done .final").all_inner_texts() == [right] * told
        page.locator(".done button").press("Enter")
    page.get_by_role("heading", name="Thank you").wait_for()
    assert page.evaluate(kit.js("audit")) == []
    page.reload()
    page.get_by_role("heading", name="Thank you").wait_for()


def test_focus_is_visible_and_contrast_is_enough_in_light_and_dark(server: Any, playing: Any, kit: Any) -> None:
    for scheme in ("light", "dark"):
        tab = playing(kit.make_task(f"contrast-{scheme}", note="A note."), color_scheme=scheme, width=1024, height=700)
        tab.press("w")
        tab.at(1)
        assert tab.page.evaluate(kit.js("contrast")) == []
        tab.page.locator(".view").focus()
        seen = set()
        for _ in range(40):
            tab.press("Tab")
            inside, name, visible = tab.page.evaluate(kit.js("focus"))
            if not inside:
                break
            seen.add(name)
            assert visible, name
        assert len(seen) >= 12
        assert tab.page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
        tab.page.emulate_media(forced_colors="active", color_scheme=scheme)
        assert tab.page.evaluate(f"() => {{ const root = {kit.IN_PAGE}; {EDGES} }}"), "what colours alone draw has an edge"
        tab.page.emulate_media(forced_colors="none", color_scheme=scheme)


def test_the_page_does_not_move_while_a_step_is_taken(server: Any, playing: Any, kit: Any) -> None:
    tab = playing(kit.make_task("still", scene=kit.room(fault="slow", fault_s=0.4)))
    places = kit.js("places")
    before = tab.page.evaluate(places)
    tab.press("w")
    tab.page.locator(".busy").wait_for()
    assert tab.page.evaluate(places) == before
    tab.at(1)
    tab.page.wait_for_timeout(100)
    assert tab.page.evaluate(places) == before


def test_a_report_that_is_refused_stays_and_one_sent_by_a_double_click_is_kept_once(server: Any, new_tab: Any, kit: Any) -> None:
    study = kit.create_study(server.store, "Sheets", state="live", consent="I agree.")  # without tasks: it ends at once
    tab = new_tab(width=1366, height=650)
    kit.enter(tab, server.link(study))
    tab.page.get_by_text("Questions, or a problem?").click()
    words, send = tab.page.get_by_label("What is wrong?"), tab.page.get_by_role("button", name="Send")
    words.fill("  ")
    send.click()
    tab.page.get_by_role("alert").wait_for()
    assert words.input_value() == "  "
    words.fill("The picture is black.")
    send.dblclick()
    tab.page.get_by_text("Thank you. It is saved").wait_for()
    tab.drawn()  # the form that was sent is gone
    assert words.input_value() == ""
    assert [row["text"] for row in server.store.query("SELECT text FROM reports")].count("The picture is black.") == 1


def test_a_problem_can_be_reported_and_staff_read_it(server: Any, new_tab: Any, kit: Any, trouble: None) -> None:
    study = server.study(kit.make_task("report"), name="Reports")
    staff = new_tab(width=1400)
    kit.accept(staff, server.link(study, "researcher"))
    staff.page.get_by_text("Nobody has played yet.").wait_for()
    assert staff.page.evaluate(kit.js("audit")) == []

    tab = new_tab()
    kit.enter(tab, server.link(study))
    tab.ready()
    tab.press("w", "d")
    tab.at(2)
    tab.page.get_by_role("button", name="Report a problem").press("Enter")
    tab.page.get_by_label("What is wrong?").fill("The box <b>floats</b> *here*")
    tab.page.get_by_role("button", name="Send").press("Enter")
    tab.page.get_by_text("Thank you. Saved").wait_for()

    kit.choose_page(staff, "Study", "Episode")
    staff.page.locator(".viewer canvas").wait_for()
    staff.page.get_by_text("The box <b>floats</b> *here*").wait_for()
    staff.page.get_by_role("button", name="Next step").press("Enter")
    staff.page.wait_for_function(
        "() => [...document.querySelectorAll('*')].some((e) => e.shadowRoot?.querySelector('.viewer canvas')?.dataset.seq === '1')"
    )
    assert staff.page.evaluate(kit.js("audit")) == []
    # A frame that is gone has a mark in its place, not the picture before; the others are shown.
    which = "SELECT pixel_hash FROM steps JOIN episodes USING (episode_id) WHERE study_id = ? AND seq = 2"
    row = server.store.one(which, [study.study_id])
    FrameStore(server.home.frames).path(row["pixel_hash"]).unlink()
    staff.page.get_by_role("button", name="Next step").press("Enter")
    staff.page.get_by_role("img", name="The frame after step 2 cannot be shown").wait_for()
    staff.page.get_by_text("Step 2: A view is missing or was changed on the server").wait_for()
    assert staff.page.locator(".steps .damaged").count() == 1
    staff.page.get_by_role("button", name="Previous step").press("Enter")
    staff.page.get_by_role("img", name="Frame after step 1").wait_for()
    assert staff.page.locator(".viewer canvas[data-damaged]").count() == 0
    # What is played stops at the last step; the arrows go from step to step, and plan and table are of the same one.
    there = staff.page.locator(".here").get_attribute("cy")
    staff.page.keyboard.press("ArrowLeft")
    staff.page.locator(".viewer canvas[data-seq='0']").wait_for()
    assert staff.page.locator(".steps tr[aria-current=step] td").first.inner_text() == "0"
    assert staff.page.locator(".here").get_attribute("cy") != there
    staff.page.get_by_label("Speed", exact=True).select_option("8")
    staff.page.get_by_role("button", name="Play").press("Enter")
    staff.page.locator(".viewer canvas[data-seq='2']").wait_for()
    staff.page.get_by_role("button", name="Play").wait_for()


def test_an_export_is_made_as_a_job_and_downloaded(server: Any, playing: Any, new_tab: Any, kit: Any) -> None:
    study = server.study(kit.make_task("export"), name="Export")
    tab = new_tab()
    kit.enter(tab, server.link(study))
    tab.ready()
    tab.press("f", "1")
    tab.page.get_by_role("button", name="Give final answer").press("Enter")
    tab.page.get_by_role("button", name="Submit").press("Enter")
    tab.page.get_by_role("heading", name="Your answer is saved.").wait_for()

    staff = new_tab(width=1400)
    kit.accept(staff, server.link(study, "researcher"))
    kit.choose_page(staff, "Study", "Study export")
    staff.page.get_by_text("No export has been made yet.").wait_for()
    staff.page.get_by_role("button", name="Make an export").press("Enter")
    with staff.page.expect_download() as download:
        staff.page.get_by_role("link", name="Download the archive").click()
    names = zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes())).namelist()
    assert any(name.endswith("_answer.json") for name in names)
    assert any(name.endswith("episodes.csv") for name in names)
    stranger = new_tab()
    address = staff.page.get_by_role("link", name="Download the archive").get_attribute("href")
    assert stranger.page.context.request.get(f"{server.base}/{address}").status == 403


def test_a_browser_with_several_grants_chooses(server: Any, new_tab: Any, kit: Any) -> None:
    study = server.study(kit.make_task("several"), name="Several")
    tab = new_tab()
    kit.enter(tab, server.link(study))
    tab.ready()
    kit.accept(tab, server.link(study, "researcher"))
    tab.page.get_by_text("Let people in").wait_for()
    tab.page.goto(server.base)
    tab.page.get_by_role("button", name="Several, as participant").press("Enter")
    tab.ready()


def test_what_came_of_an_invitation_does_not_push_its_form(server: Any, new_tab: Any, kit: Any) -> None:
    study = server.study(kit.make_task("inviting"), name="Inviting")
    tab = new_tab(width=1366, height=650)
    page = tab.page
    kit.accept(tab, server.link(study, "researcher"))
    page.get_by_text("Let people in").wait_for()
    page.goto(f"{server.base}/people")
    button, name = page.get_by_role("button", name="Make the link"), page.get_by_role("textbox", name="Name", exact=True).first
    at = "(e) => Math.round(e.getBoundingClientRect().top + document.querySelector('[data-testid=stMain]').scrollTop)"
    page.get_by_text("Participants come by links of their own").wait_for()
    page.wait_for_selector(".stApp[data-test-script-state=notRunning]")
    page.wait_for_timeout(500)  # the style of the page is there
    before = button.evaluate(at)
    button.press("Enter")
    page.get_by_text("name of 1 to").wait_for()
    assert button.evaluate(at) == before
    for who in ("Ada", "Ben"):
        page.wait_for_timeout(1000)  # sooner it would be the second press of a double click
        name.fill(who)
        button.press("Enter")
        page.get_by_text(f"{who} is invited as").wait_for()
        page.get_by_text(f"{who} · ").wait_for()
        tab.drawn()
        assert button.evaluate(at) == before
    assert page.get_by_text("Copy it now").count() == 1


def test_a_revoked_role_is_gone_at_once(server: Any, new_tab: Any, kit: Any) -> None:
    study = server.study(kit.make_task("revoked"), name="Revoked")
    tab = new_tab()
    kit.accept(tab, server.link(study, "researcher"))
    tab.page.get_by_text("Nobody has played yet.").wait_for()
    own, foreign = "/episodes", "/review"
    for address, heading in ((foreign, "This page is not open to you"), (own, "Revoked")):
        tab.page.goto(f"{server.base}{address}")
        tab.page.get_by_role("heading", name=heading).wait_for()
        tab.drawn()
        assert tab.page.get_by_role("dialog").count() == 0  # Streamlit's own about a "main page"
        assert tab.page.locator("h1 a, h2 a, h3 a").count() == 0
    assert tab.page.evaluate("location.pathname") == "/"
    staff = server.store.one("SELECT staff_id FROM roles WHERE study_id = ?", [study.study_id])
    kit.access.revoke_staff(server.store, staff["staff_id"])
    tab.page.reload()
    tab.page.get_by_role("heading", name="Vantage").wait_for()
    tab.drawn()
    assert tab.page.get_by_text("Make a participant link").count() == 0
