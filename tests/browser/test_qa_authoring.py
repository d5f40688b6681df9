"""The author's pages: one item of each of the eight subtasks by mouse and keyboard, reviewed, exported and checked."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import urllib.error
import urllib.request
from typing import Any

import pytest
from PIL import Image

from annotation.qa import rules
from annotation.qa.items import LETTERS, VIEW_WORDS, VIEWS
from annotation.qa.parts.marks import WORDS
from annotation.qa.projects import Project
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import NONE_TEXT
from annotation.qa.work import editing, pool
from data.robot.images import ImageFolder
from data.store import Store
from study import access
from study.studies import get_study
from tests.browser.qa_desk import Desk, desks, me, seeded, sound
from tests.present import present


@pytest.fixture
def desk(server: Any, new_tab: Any, kit: Any) -> Any:
    """An author's tab on a new project."""
    return desks(server, new_tab, kit)


def matching(desk: Desk) -> None:
    desk.boxes("head", "1")
    desk.boxes("left-gripper", "2345")
    desk.boxes("right-gripper", "2")
    desk.page.get_by_label("What is in the red box").fill("cup")
    kinds = {
        "Green": "An object close to the right one.",
        "Blue": "Another object of the same kind.",
        "Pink": "Another object of the same kind.",
    }
    desk.judge("Yellow", kinds | {NONE_TEXT: "“None” although one box is right."}, "Green")


def distance(desk: Desk) -> None:
    desk.boxes("head", "12345")
    desk.page.get_by_role("radio", name="longest").check()
    desk.option("E").get_by_role("button", name="Left gripper instead").press("Enter")  # pink: the box lies to the right
    kinds = {
        "A": "Looks nearest (or farthest) in the image and is not.",
        "B": "Between the extremes.",
        "C": "Clearly not.",
        "D": "Clearly not.",
    }
    desk.judge("E", kinds, "A")


def viewpoint(desk: Desk) -> None:
    stored = desk.stored().item
    kinds = {"E": "The same episode at a distant moment, the gripper's pose clearly different."}
    hard = next(letter for letter in "ABCD" if letter not in (stored.gold, *stored.hard))
    desk.judge(stored.gold, kinds, hard)


def consistency(desk: Desk) -> None:
    desk.boxes("head", "12345")
    for number in range(1, 5):
        desk.page.get_by_role("gridcell", name=f"x {number}, y {number}, z 1").click()
    for axis, value in {"x": 5, "y": 2, "z": 3}.items():
        desk.page.get_by_label(f"{axis} of the pink cube").fill(str(value))
    desk.page.get_by_label("Under every reading").press("Space")


def planning(desk: Desk) -> None:
    for letter, moves in {"A": "left forward", "B": "forward left", "C": "left upward", "D": "right forward"}.items():
        desk.option(letter).locator(".steps").focus()
        for move in moves.split():
            desk.option(letter).get_by_role("button", name=move).click()
    desk.option("E").locator(".steps").focus()
    desk.tab.press("ArrowDown", "PageDown", "ArrowLeft", "Backspace")
    kinds = {
        "A": "The right steps in a wrong order.",
        "C": "Leads into something.",
        "D": "A direction turned round.",
        "E": "Ends beside the goal.",
    }
    desk.judge("B", kinds, "A")


def trajectory(desk: Desk) -> None:
    for number, key in enumerate("12345"):
        desk.tool("head", "t", key)
        for x, y in ((60 + 100 * number, 420), (90 + 100 * number, 330), (60 + 110 * number, 230)):
            desk.page.mouse.click(*desk.at("head", x, y))
        desk.page.get_by_role("button", name="Finish the track").click()
    kinds = {
        "B": "Passes beside the object.",
        "C": "Passes beside the object.",
        "D": "Ends at the wrong place.",
        "E": "Another wrong track.",
    }
    desk.judge("A", kinds, "D")


def affordance(desk: Desk) -> None:
    for number, (view, key) in enumerate(zip(("head", "head", "left-gripper", "right-gripper", "head"), "12345", strict=True)):
        desk.tool(view, "g", key)
        desk.drag(view, (80 + 100 * number, 220), (130 + 90 * number, 330))
    desk.page.get_by_label("What is to be grasped").fill("cup")
    kinds = dict.fromkeys("ABDE", "The fingers close along the wrong direction.")
    desk.judge("C", kinds, "E")


AUTHORING = {
    "Cross-View Matching": matching,
    "Distance Judgement": distance,
    "Viewpoint Identification": viewpoint,
    "3D Spatial Consistency": consistency,
    "Action Planning": planning,
    "Step Execution": planning,
    "Trajectory Selection": trajectory,
    "Affordance Recognition": affordance,
}


def review_all(tab: Any, store: Store, project: Project, golds: dict[str, str]) -> None:
    """A second person answers and judges, by keys alone, until nothing waits."""
    for _ in golds:
        tab.page.locator(".judge .options input").first.wait_for()
        row = store.one(
            "SELECT r.item_id FROM qa_reviews r JOIN qa_items i USING (item_id) WHERE i.project_id = ? AND r.state = 'assigned'",
            [project.project_id],
        )
        tab.press(golds[present(row)["item_id"]].lower(), "Enter")
        tab.page.locator(".judge .outcome").wait_for()
        tab.press("y", "Enter")
    tab.page.get_by_role("heading", name="Nothing to review now").wait_for()


def vantage(*arguments: str) -> str:
    """A command of ours; its standard output."""
    run = subprocess.run([sys.executable, "-P", "-m", "app.cli", *arguments], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_one_item_of_each_subtask_is_made_reviewed_exported_and_sound(
    desk: Any, server: Any, new_tab: Any, kit: Any, tmp_path: Any
) -> None:
    author = desk()
    golds = {}
    for name, make in AUTHORING.items():
        author.begin(name)
        make(author)
        stored = author.send()
        assert not rules.check(stored.item) and stored.author
        golds[stored.item.item_id] = stored.item.gold
        author.home()
    reviewer = new_tab(width=1440, height=900)
    kit.accept(reviewer, server.link(get_study(server.store, author.project.study_id), "reviewer"))
    review_all(reviewer, server.store, author.project, golds)
    assert [s.state for s in pool.items(server.store, author.project.project_id)] == ["accepted"] * 8

    out = tmp_path / "benchmark"
    vantage("qa", "export", "--out", str(out), "--project", author.project.project_id, "--db", str(server.home.db))
    report = json.loads(vantage("qa", "check", str(out), "--json"))
    assert (report["ok"], report["items"]) == (True, 8)
    assert {path.parent.name for path in out.glob("*/QA*")} and len(list(out.rglob("QA.json"))) == 8


def flagged(store: Store, project: Project, stored: Any, comment: str) -> None:
    """The item goes to review, and somebody sends it back."""
    item_id = stored.item.item_id
    pool.submit(store, item_id, stored.author, pool.get(store, item_id).version, why="as it stands")
    review, _ = pool.next_review(store, project.project_id, "critic")
    pool.answer_review(store, review.review_id, "critic", "A")
    pool.decide(store, review.review_id, "critic", "flag", reasons=["ambiguous"], comment=comment)


def test_an_item_by_other_keyboards_undone_in_one_and_the_next_begun(desk: Any) -> None:
    """Russian keys, a Japanese composition; what is next is chosen by itself; undo undoes what followed; Ctrl+Enter goes on."""
    author = desk().begin("Cross-View Matching")
    page, devtools = author.page, author.page.context.new_cdp_session(author.page)

    def hit(key: str, code: str, number: int = 0) -> None:
        for kind in ("rawKeyDown", "keyUp"):
            press = {"type": kind, "key": key, "code": code, "windowsVirtualKeyCode": number or ord(code[-1])}
            devtools.send("Input.dispatchKeyEvent", press)

    assert page.locator(".foot .left").inner_text() == "13 things left to do"
    # As large as the window: each of the views on a quarter, none under the bar; F gives one of them all of it.
    boxes = [box.bounding_box() for box in page.locator(".staged .port").all()]
    bar = page.locator(".author > .foot").bounding_box()["y"]
    assert max(box["y"] + box["height"] for box in boxes) <= bar and len(boxes) == 3
    percents = [int(text.removesuffix(" %")) for text in page.locator(".staged .percent").all_inner_texts()]
    assert min(percents) >= 80, percents
    page.locator('[data-view="head"] .port').focus()
    hit("а", "KeyF")
    page.locator(".filled").wait_for()
    large = page.locator('[data-view="head"] .port').bounding_box()
    assert large["y"] <= 76 and bar - 4 <= large["y"] + large["height"] <= bar and page.locator(".staged .port:visible").count() == 1
    hit("а", "KeyF")

    hit("и", "KeyB")
    author.drag("head", (60, 200), (140, 290))
    page.get_by_text("Next: yellow in right-gripper.").wait_for()
    for number in range(4):
        author.drag("right-gripper", (40 + 115 * number, 200), (120 + 115 * number, 290))
    page.get_by_text("Next: yellow in left-gripper.").wait_for()
    hit("ч", "KeyX", 229)  # a key of an input method does nothing
    hit("ч", "KeyX")
    page.get_by_text("Yellow is not visible in left-gripper. Next: green in left-gripper.").wait_for()
    assert page.locator(".cell.absent").count() == 1 and page.locator(".cell.drawn").count() == 5

    page.get_by_label("What is in the red box").focus()
    devtools.send("Input.imeSetComposition", {"text": "りんご", "selectionStart": 3, "selectionEnd": 3})
    hit("Enter", "Enter", 229)
    devtools.send("Input.insertText", {"text": "林檎"})
    page.get_by_label("Option A is right").check()
    known = page.locator(":has(option:checked[value=none])")
    page.get_by_label("How option E was made").and_(known).wait_for()
    page.get_by_label("How option B was made").focus()
    author.tab.press("1")
    following = page.get_by_label("How option C was made")
    assert following.evaluate("e => e === e.getRootNode().activeElement"), "on to the next that says nothing"
    author.tab.press("2", "Shift+Tab")
    page.get_by_role("button", name="Same for the one left").last.press("Enter")
    author.option("B").get_by_label("Comes close").check()
    page.get_by_label("Under every reading").press("Space")
    page.get_by_text("All rules are kept").wait_for()
    page.locator(".author[data-kept=saved]").wait_for()
    done = author.stored().item
    assert done.slots == {"item": "林檎"} and [(there.view, there.colour) for there in done.absent] == [("left-gripper", "yellow")]
    assert {x: origin.kind for x, origin in done.provenance.items()} == {
        "B": "same_category", "C": "close_by", "D": "close_by", "E": "none",
    }  # fmt: skip

    author.boxes("right-gripper", "6", 330)  # one too many
    author.option("E").get_by_text("Purple").wait_for()
    author.tab.press("Control+z")
    page.get_by_text("All rules are kept").wait_for()
    page.locator(".author[data-kept=saved]").wait_for()
    assert author.stored().item == done, "the mark, and all that followed from it"
    author.tab.press("Control+y")
    author.option("E").get_by_text("Purple").wait_for()
    author.tab.press("Control+z")
    page.get_by_text("All rules are kept").wait_for()

    first, other = author.item, sound(author.store, author.project, "affordance", me(author.store)).item.item_id
    author.tab.press("Control+Enter")
    page.get_by_role("heading", name="Cross-View Matching 2").wait_for()
    author.opened()
    assert pool.get(author.store, first).state == "in_review" and author.stored().state == "draft" and author.item not in (first, other)
    second = author.item
    page.locator('[data-view="head"] .port').focus()
    # By subtask and number, what was sent too.
    steps = ((",", first, "Cross-View Matching 1"), (",", other, "Affordance Recognition 1"), (".", first, "Cross-View Matching 1"))
    for key, item, title in (*steps, (".", second, "Cross-View Matching 2")):
        author.tab.press(key)
        page.get_by_role("heading", name=title).wait_for()
        author.opened()
        assert author.item == item


def test_a_flagged_item_is_mended_beside_the_reviewers_words_and_nobodys_change_is_lost(desk: Any, trouble: None) -> None:
    author = desk(width=1024, height=700)
    page, store = author.page, author.store
    stored = sound(store, author.project, "affordance", me(store))
    flagged(store, author.project, stored, "Two <b>lines</b> would hold.")
    page.reload()
    page.get_by_text("Two <b>lines</b> would hold.").wait_for()
    page.get_by_role("button", name="Revise").press("Enter")
    author.opened()
    page.get_by_text("Reviewer 1 sends it back: More than one option can be right. “Two <b>lines</b> would hold.”").wait_for()

    # What is pinned to a mark goes where the mark goes, and says so when it is gone.
    mark = stored.item.marks[0]
    pool.comment(store, stored.item.item_id, "critic", "This <i>one</i>", pool.Pin(mark.view, 5, 5, mark.id))
    page.reload()
    author.opened()
    page.locator(".pinned").get_by_text("This <i>one</i>").wait_for()
    assert page.locator(".pinned small").inner_text() == f"A reviewer · {mark.colour} {WORDS[mark.kind]}, {mark.view}"
    tip = page.locator(f'[data-view="{mark.view}"] .pin path')
    before = tip.get_attribute("d")
    author.tool(mark.view, "v", "n")
    while page.locator('.markrow[aria-pressed="true"]').get_attribute("data-id") != mark.id:
        author.tab.press("n")
    author.tab.press("Shift+ArrowUp")
    page.locator(f'[data-view="{mark.view}"] .pin path:not([d="{before}"])').wait_for()
    author.tab.press("Delete")
    page.locator(".pinned small").get_by_text("its mark is deleted").wait_for()
    tip.wait_for(state="detached")
    author.tab.press("Control+z", "Control+z")
    tip.wait_for()

    # Somebody else changes the same field meanwhile, and another one, which is no clash.
    slot, before = page.get_by_label("What is to be grasped"), author.stored()
    store_slots = {"slots": {"item": "blue cup"}, "hard": [before.item.hard[0]]}
    editing.save_fields(store, author.item, before.version, "somebody", store_slots)
    other = next(view for view in VIEWS["dual"] if view != before.item.reference_view)
    words = VIEW_WORDS[other]
    page.get_by_role("radio", name=words[:1].upper() + words[1:]).check()
    page.locator(".author[data-kept=saved]").wait_for()
    assert (author.stored().item.slots, author.stored().item.reference_view) == ({"item": "blue cup"}, other)
    assert not author.stored().item.unique_confirmed, "the question has other words now"
    assert slot.input_value() == "blue cup" and page.get_by_role("textbox", name="Question", exact=True).input_value().startswith(
        "To grasp the blue cup"
    )
    version = author.stored().version
    page.get_by_role("textbox", name="Question", exact=True).fill("Which line holds the blue cup?")
    editing.save_fields(store, author.item, version, "somebody", {"question": "Which line for the blue cup?"})
    clash = page.get_by_role("alert").filter(has_text="This item was changed elsewhere in the meantime")
    clash.wait_for()
    assert "Yours: Which line holds the blue cup?" in clash.inner_text() and "Theirs: Which line for the blue cup?" in clash.inner_text()
    page.reload()  # nothing of it is lost
    clash.wait_for()
    clash.get_by_role("button", name="Keep mine").press("Enter")
    page.locator(".author[data-kept=saved]").wait_for()
    assert author.stored().item.question == "Which line holds the blue cup?"
    assert [v.editor == "somebody" for v in pool.history(store, author.item)[-3:]] == [False, True, False]

    # The network is away: what is typed waits here, and is saved when it is back.
    page.context.set_offline(True)
    slot.fill("red cup")
    page.get_by_text("Not saved yet").wait_for()
    page.context.set_offline(False)
    page.get_by_text("The question does not say “red cup”").first.wait_for()
    assert page.get_by_role("button", name="Send to review").is_disabled()
    page.get_by_role("button", name="Write it anew from the template").press("Enter")
    page.get_by_text("Confirm that no reading makes another option right.").wait_for()
    page.get_by_role("button", name="1 thing left to do").press("Enter")
    author.tab.press("Space")  # the focus is on what is left
    page.get_by_text("All rules are kept").wait_for()
    page.get_by_label("What you changed").fill("one line moved")
    page.get_by_role("button", name="Send to review").press("Enter")
    page.get_by_text("It is in review.").wait_for()
    assert (author.stored().state, author.stored().round) == ("in_review", 2)


def test_an_item_is_taken_back_discarded_and_brought_back_each_with_a_reason(desk: Any) -> None:
    author = desk()
    page, store = author.page, author.store
    stored = sound(store, author.project, "planning", me(store))
    pool.submit(store, stored.item.item_id, stored.author, stored.version)
    page.reload()
    page.get_by_text("1 in review.").wait_for()
    page.get_by_role("button", name="Open", exact=True).press("Enter")
    page.locator(".author[data-kept=saved]").wait_for()
    assert page.get_by_label("Text of option A").is_disabled()
    for tab, button, state in (
        ("Take back or discard", "Take it back", "flagged"),
        ("Discard", "Discard it", "discarded"),
        ("Bring back", "Bring it back", "flagged"),
    ):
        page.get_by_role("tab", name=tab, exact=True).press("Enter")
        page.get_by_role("button", name=button).press("Enter")
        page.get_by_text("Give a reason: the others will want to know.").wait_for()
        page.get_by_role("textbox", name="Reason").fill("second thoughts")
        page.get_by_role("button", name=button).press("Enter")
        page.get_by_role("tab", name=tab, exact=True).wait_for(state="detached")
        assert author.stored().state == state
    page.get_by_label("Say something about this item").fill("Better *so*?")
    page.get_by_role("button", name="Add the comment").press("Enter")
    page.get_by_text("Better *so*?").wait_for()
    page.get_by_label("Text of option A").fill("Move the gripper left, upward, then release.")
    page.get_by_label("Text of option A").press("Tab")
    page.locator(".author[data-kept=saved]").wait_for()
    page.get_by_role("tab", name="Versions").press("Enter")
    page.get_by_role("button", name="Read the versions").press("Enter")
    page.get_by_role("cell", name="Move the gripper left, upward, then release.").wait_for()


def test_pages_have_names_visible_focus_contrast_and_no_overflow(desk: Any, kit: Any) -> None:
    for scheme, subtasks in {"light": ("viewpoint",), "dark": ("distance",)}.items():
        author = desk(name=f"Looks {scheme}", width=1024, height=700, color_scheme=scheme)
        page = author.page
        for slug in subtasks:
            author.begin(SUBTASKS[slug].name)
            contrast = kit.js("contrast").replace("'.vantage'", "'.author'", 1)
            assert page.evaluate(contrast) == [] and page.evaluate(kit.js("audit")) == []
            assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
            author.home()
        assert page.evaluate(kit.js("contrast").replace("'.vantage'", "'.starter'", 1)) == []
        assert page.evaluate(kit.js("audit")) == []
    author.begin("Action Planning")
    page.get_by_role("radio", name="Head view").focus()
    seen = []
    for _ in range(40):
        author.tab.press("Tab")
        inside, name, visible = page.evaluate(kit.js("focus").replace("e.closest('.option')", "e"))
        if not inside:
            break
        seen.append(name)
        assert visible, name
    assert "Option A is right" in seen and any(name.startswith("Directions of option A") for name in seen)


def test_who_has_nothing_to_do_is_told_what_to_do(desk: Any, server: Any, new_tab: Any, kit: Any) -> None:
    empty = new_tab()
    kit.accept(empty, server.link(server.study(kit.make_task("no-project")), "author"))
    empty.page.get_by_text("There is no project of robot questions in this study yet.").wait_for()
    full = desk(name="Full", quotas=[{"subtask": "matching", "target": 1}])
    sound(full.store, full.project, "matching", me(full.store))
    full.page.reload()
    full.page.locator(".moment").first.click()
    full.page.get_by_text("There are enough items of this subtask").wait_for()
    assert full.page.get_by_role("button", name="Begin Cross-View Matching").is_disabled()
    waiting = desk(name="Waiting", trial_batch=1)
    stored = sound(waiting.store, waiting.project, "trajectory", me(waiting.store))
    pool.submit(waiting.store, stored.item.item_id, stored.author, stored.version)
    waiting.page.reload()
    waiting.page.get_by_text("Your trial batch is under way: 0 of 1 items are accepted.").wait_for()
    waiting.page.locator(".moment").first.click()
    assert waiting.page.get_by_role("button", name="Begin Cross-View Matching").is_disabled()


def test_pictures_and_items_are_shown_to_whom_they_may_be_shown(server: Any, kit: Any) -> None:
    study = server.study(kit.make_task("secrets"))
    store = server.store
    project = seeded(store, study.study_id, name="Secrets", reviewers_per_item=1, trial_batch=0)

    def come_in(role: str) -> tuple[str, str]:
        cookie, grant = access.enter(store, access.create_invite(store, role, study.study_id))
        return cookie, grant.staff_id or ""

    def get(path: str, cookie: str | None, **headers: str) -> tuple[int, bytes, Any]:
        request = urllib.request.Request(server.base + path, headers=headers | ({"cookie": f"vantage_session={cookie}"} if cookie else {}))
        try:
            with urllib.request.urlopen(request) as reply:
                return reply.status, reply.read(), reply.headers
        except urllib.error.HTTPError as error:
            return error.code, error.read(), error.headers

    (author, staff), (reviewer, critic), (other, _), (player, _) = (
        come_in(r) for r in ("annotator", "reviewer", "annotator", "participant")
    )
    stored = sound(store, project, "viewpoint", staff)
    item_id = stored.item.item_id
    pool.submit(store, item_id, staff, stored.version)
    secret = [
        f"/api/qa/image/{item_id}/left-gripper",
        f"/api/qa/item/{item_id}",
        f"/api/qa/item/{item_id}/help",
        f"/api/qa/marks/{item_id}",
    ]
    shown = [f"/api/qa/image/{item_id}/head", *(f"/api/qa/option/{item_id}/{letter}" for letter in LETTERS)]
    for who in (reviewer, other, player, None):
        assert [get(path, who)[0] for path in secret + shown] == [403] * 10
        unknown = get("/api/qa/image/qa_nothing/head", who)
        assert unknown[:2] == get(shown[0], who)[:2], "an unknown item is told from a foreign one"
    assert pool.next_review(store, project.project_id, critic)[0].item_id == item_id
    assert [get(path, reviewer)[0] for path in secret + shown] == [403] * 4 + [200] * 6
    assert [get(path, author)[0] for path in secret + shown] == [200] * 10
    assert get(f"/api/qa/image/{item_id}/view9", reviewer)[:2] == unknown[:2]

    status, data, headers = get(shown[0], author)
    assert (status, data, headers["content-type"]) == (200, ImageFolder(store.home)(stored.item.view("head").image), "image/png")
    assert headers["cache-control"] == "private, no-cache"
    assert get(shown[0], author, **{"if-none-match": headers["etag"]})[0] == 304
    assert get(shown[0], other, **{"if-none-match": headers["etag"]})[0] == 403
    moment = f"/api/qa/moment/{stored.item.moment}/head"
    whole, small = get(moment, author), get(f"{moment}?small", author)
    assert whole[1] == data and small[2]["content-type"] == "image/webp" and Image.open(io.BytesIO(small[1])).size == (320, 240)
    assert get(moment, reviewer)[0] == get("/api/qa/moment/mo_nothing/head", author)[0] == 403
