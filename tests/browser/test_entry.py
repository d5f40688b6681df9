"""Every form that the product serves, sent by a real browser; and the pages of the way in as people see them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from study.wording import say


def buttons_in_source(kit: Any) -> set[str]:
    """The words of all buttons in forms of our own pages."""
    places = [
        (path, "\n".join(lines[n : n + 4]))
        for path in (kit.ROOT / "app").rglob("*.*") if path.suffix in (".py", ".js", ".html")
        for lines in [path.read_text("utf-8").splitlines()]
        for n, line in enumerate(lines) if re.search(r"<form|(h|createElement)\(['\"]form", line)
    ]  # fmt: skip
    # Forms of a component are sent by its script, as the lines say that make them, never by the browser.
    pages = [path for path, made in places if path.suffix != ".js" or "preventDefault()" not in made]
    assert [path.name for path in pages] == ["entry_pages.py"], "there are forms elsewhere: send them here too"
    text = pages[0].read_text(encoding="utf-8")
    # words of participants come from the catalogue: name of the variable → what it can be
    said: dict[str, set[str]] = {}
    for names, values in re.findall(r"^ +([\w, ]+) = ((?:escape\(say\([^)]*\)\)(?:, )?)+)$", text, re.M):
        for name, key in zip(names.split(", "), re.findall(r'say\("([^"]+)"\)', values), strict=True):
            said.setdefault(name, set()).add(say(key))
    found = re.findall(r"<button[^>]*>([^<]+)</button>", text)
    assert all(word.strip("{}") in said for word in found if word.startswith("{")), "a button whose words are found nowhere"
    return {word for one in found for word in (said[one.strip("{}")] if one.startswith("{") else {one})}


def test_every_form_of_the_product_is_sent_by_a_browser(trouble: None, server: Any, new_tab: Any, kit: Any) -> None:
    task = kit.make_task("forms")
    study = server.study(task, name="Forms")
    recruitment = kit.Recruitment(external_study="forms")
    kit.create_study(server.store, "Recruited", state="live", tasks=(task.content_hash,), trials=1, recruitment=recruitment)
    person = {"PROLIFIC_PID": "again", "STUDY_ID": "forms"}
    _, known = kit.access.enter_recruited(server.store, person)
    kit.participants.decide(server.store, known.participant_id, "consent")
    token = kit.access.create_invite(server.store, "author", study.study_id)
    # button → address, what is done before it, what is there after it
    forms = {
        "Take part": (server.link(study), lambda page: page.get_by_label("I have read this").press("Space"), ".vantage[data-state=ready]"),
        "No, thank you": (server.link(study), None, "text=You did not take part"),
        "Go on": (f"{server.base}/enter?PROLIFIC_PID=again&STUDY_ID=forms", None, ".vantage[data-state=ready]"),
        "Accept the invitation": (server.link(study, "researcher"), None, "text=Let people in"),
        "Sign in": (f"{server.base}/sign-in", lambda page: page.get_by_label("Invitation").fill(f"x?invite={token}"), "text=Sign out"),
        "Next person": (server.link(study), lambda page: page.goto(f"{page.url}/next"), "text=I have read this"),
    }
    assert set(forms) == buttons_in_source(kit)
    for name, (address, prepare, after) in forms.items():
        tab = new_tab()
        sent: list[Any] = []
        tab.page.on("request", lambda request, sent=sent: sent.append(request) if request.method == "POST" else None)
        tab.page.goto(address)
        if prepare:
            prepare(tab.page)
        tab.page.get_by_role("button", name=name).press("Enter")
        tab.page.wait_for_selector(after)
        assert sent[0].all_headers()["origin"] == server.base, name
        assert "invite" not in tab.page.url and tab.errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_of_the_way_in_can_be_read_and_used(server: Any, new_tab: Any, kit: Any, scheme: str) -> None:
    study = server.study(kit.make_task("looks"), name="Looks")
    contrast = re.sub(r"const shadow = .*", "const shadow = document;", kit.js("contrast")).replace(".vantage *", "main *")
    contrast = contrast.replace(".stApp", "body")
    tab = new_tab(width=390, height=844, color_scheme=scheme)
    page = tab.page
    for address, unticked in ((server.link(study), True), (server.link(study, "author"), False), (f"{server.base}/sign-in", False)):
        page.goto(address)
        if unticked:
            page.get_by_role("button", name="Take part").click()
            page.locator("#unticked").wait_for()
        assert page.evaluate(contrast) == [] and page.evaluate(kit.js("audit")) == []
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        page.locator("h1").click()
        for _ in range(page.locator("main :is(a, button, input:not([type=hidden]))").count()):
            tab.press("Tab")
            outline = page.evaluate("() => { const s = getComputedStyle(document.activeElement); return s.outlineStyle + s.outlineWidth; }")
            assert outline == "solid3px"


def drawn_with(page: Any, *selectors: str) -> set[str]:
    """Names of the fonts with which the browser draws the text in these places."""
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    nodes = [session.send("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"] for selector in selectors]
    return {font["familyName"] for node in nodes for font in session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]}


def test_the_pages_before_streamlit_have_the_font_of_the_others(trouble: None, server: Any, new_tab: Any, kit: Any) -> None:
    study = server.study(kit.make_task("fonts"), name="Fonts")
    page = new_tab().page
    page.goto(f"{server.base}/sign-in")  # brings the font; on a busy machine too late for this page
    page.evaluate("document.fonts.ready")
    invitations = [server.link(study), server.link(study, "author")]
    for address in (*invitations, *(f"{server.base}/{path}" for path in ("sign-in", "enter/x/next", "enter?invite=wrong", "enter", "a/b"))):
        page.goto(address)
        assert drawn_with(page, "h1", "p", "main button, main a") == {"SourceSans3VF"}, address
    page.route("**/static/js/*", lambda route: route.abort())
    page.goto(server.base)
    assert drawn_with(page, "#root p") == {"SourceSans3VF"}


def test_a_font_that_comes_late_moves_nothing(server: Any, new_tab: Any, kit: Any) -> None:
    page = new_tab(width=1200, height=700).page  # of a browser that has no font yet
    held: list[Any] = []
    page.route("**/*.woff2", lambda route: held.append(route))
    page.goto(server.link(server.study(kit.make_task("late-font"), name="Late font")), wait_until="domcontentloaded")
    button = page.get_by_role("button", name="Take part")
    while not held:
        page.wait_for_timeout(50)
    page.wait_for_timeout(300)
    before, font = button.bounding_box(), drawn_with(page, "h1", "p")
    assert len(held) == 1 and "SourceSans3VF" not in font
    with page.expect_event("requestfinished", lambda request: request.url.endswith(".woff2")):
        held[0].continue_()
    page.evaluate("document.fonts.ready")
    page.wait_for_timeout(300)
    assert button.bounding_box() == before and drawn_with(page, "h1", "p") == font


@pytest.mark.parametrize("paragraphs", [0, 14])
def test_what_is_missing_before_the_consent_moves_no_button(server: Any, new_tab: Any, kit: Any, paragraphs: int) -> None:
    task = kit.make_task("unticked")
    server.store.put_task(task)
    consent = "\n\n".join(["We keep what you do here, and nothing else that could tell who you are, for ten years."] * paragraphs)
    fields = {"tasks": (task.content_hash,), "trials": 1, "consent": consent}
    page = new_tab(width=1366, height=650).page
    page.goto(server.link(kit.create_study(server.store, "Unticked", state="live", **fields)))
    button = page.get_by_role("button", name="Take part")
    at = "(e) => e.getBoundingClientRect().top + scrollY"
    before = button.evaluate(at)
    button.press("Enter")
    page.locator("#unticked").wait_for()
    told = page.locator("#unticked").bounding_box()
    assert button.evaluate(at) == before
    assert page.get_by_role("checkbox").evaluate("(e) => e === document.activeElement")
    assert 0 < told["y"] < 650 - told["height"], "in sight"


@pytest.mark.parametrize("what", ["told", "refused", "any"])
def test_a_window_that_is_too_small_is_met_before_the_consent_in_words(server: Any, new_tab: Any, kit: Any, what: str) -> None:
    fields = {"window_width": 0, "window_height": 0} if what == "any" else {"small_window": what}
    study = server.study(kit.make_task("windows"), name="Windows", protocol=kit.Protocol(**fields))
    page = new_tab(width=390, height=844).page
    page.goto(server.link(study))
    words, take_part = page.get_by_text("this one is smaller"), page.get_by_role("button", name="Take part")
    for width, height, small in ((390, 844, True), (1024, 599, True), (1024, 600, False), (1023, 800, True), (683, 325, True)):
        page.set_viewport_size({"width": width, "height": height})
        assert words.is_visible() == (small and what != "any"), (width, height)
        open_to_them = what != "refused" or not small
        assert take_part.is_visible() == page.get_by_label("I have read this").is_visible() == open_to_them, (width, height)
        assert page.get_by_role("button", name="No, thank you").is_visible()
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert ("1024 pixels wide and 600 pixels high" in page.locator("main").inner_text()) == (what != "any")


def finish(tab: Any) -> None:
    """Answer the only task, and go on to the last page."""
    tab.ready()
    tab.press("f", "1")
    tab.page.get_by_role("button", name="Give final answer").press("Enter")
    tab.page.get_by_role("button", name="Submit").press("Enter")
    tab.page.locator(".done button").press("Enter")
    tab.page.get_by_text("Your code is C0DE-77.").wait_for()


def test_a_shared_computer_goes_to_the_next_person(trouble: None, server: Any, new_tab: Any, kit: Any) -> None:
    task = kit.make_task("shared")
    server.store.put_task(task)
    fields = {"tasks": (task.content_hash,), "trials": 1, "thanks": "Your code is C0DE-77."}
    fields["protocol"] = kit.Protocol(confidence_required=False)
    study = kit.create_study(server.store, "Shared", state="live", **fields)
    tab = new_tab()
    page = tab.page
    token = kit.access.create_invite(server.store, "participant", study.study_id, kiosk=True)
    kit.enter(tab, f"{server.base}/enter?invite={token}")
    finish(tab)
    old = new_tab(like=tab)  # a tab of the first person that stays open
    old.page.goto(server.base)
    old.page.get_by_text("Your code is C0DE-77.").wait_for()

    page.get_by_role("link", name="Next person").press("Enter")
    page.get_by_role("heading", name="Next person").wait_for()
    assert page.evaluate(kit.js("audit")) == []
    page.get_by_role("button", name="Next person").press("Enter")
    page.get_by_role("heading", name="Shared").wait_for()
    for _ in range(6):  # the person before is not behind the Back button
        page.go_back()
        page.wait_for_timeout(300)
        assert page.get_by_text("C0DE-77").count() == 0 and page.get_by_text("Take my data back").count() == 0
        if page.url.startswith("about:"):
            break
    old.page.get_by_role("button", name="Take my data back…").click()
    old.page.get_by_role("heading", name="Vantage").wait_for()
    old.drawn()
    assert old.page.get_by_text("C0DE-77").count() == 0

    kit.enter(tab, f"{server.base}/enter?invite={token}")
    tab.ready()
    for _ in range(2):
        page.go_back()
    page.goto(server.base)
    tab.ready()
    people = server.store.query("SELECT state, shared_computer FROM participants WHERE study_id = ? ORDER BY number", [study.study_id])
    assert people == [{"state": "finished", "shared_computer": 1}, {"state": "practised", "shared_computer": 1}]
