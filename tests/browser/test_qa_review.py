"""A reviewer answers before anything of the author's answer reaches the browser, then judges; all by keyboard, nothing lost."""

from __future__ import annotations

import io
import random
from dataclasses import dataclass
from typing import Any

import pytest
from PIL import Image, ImageDraw

from annotation.qa import projects
from annotation.qa.drawn.pictures import ImageFolder
from annotation.qa.items import LETTERS, VIEWS, Distractor, Item, ViewImage
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import Scenery
from annotation.qa.work import pool
from annotation.reviewing.kinds.robot_questions import VERDICT
from study import access

AUTHOR = "staff_theauthor0000000000"
(AXIS,) = VERDICT.axes


def picture(name: str) -> bytes:
    """A small scene that differs by name."""
    rng = random.Random(name)
    image = Image.new("RGB", (160, 120), "#909890")
    draw = ImageDraw.Draw(image)
    for _ in range(6):
        x, y = rng.uniform(0, 150), rng.uniform(30, 110)
        draw.ellipse((x, y, x + 20, y + 14), fill=rng.choice(["#a0603a", "#46586f", "#c04040", "#40a070"]))
    kept = io.BytesIO()
    image.save(kept, "PNG")
    return kept.getvalue()


@dataclass
class Pool:
    """One project in a study of its own, and how items come into it."""

    server: Any
    study: Any
    project: projects.Project

    def scenery(self, arm: str, name: str) -> Scenery:
        folder = ImageFolder(self.server.home)

        def image(view: str, key: str) -> ViewImage:
            return ViewImage(view=view, image=folder.keep(picture(f"{name} {key}")), width=160, height=120)

        return Scenery(
            "agibot" if arm == "dual" else "bridge",
            arm,  # type: ignore[arg-type]
            f"episode-{name}",
            f"moment-{name}",
            tuple(image(view, view) for view in VIEWS[arm]),
            tuple(image("left-gripper", f"stranger {k}") for k in range(3)),
        )

    def item(self, slug: str, seed: int = 0, arm: str = "dual", **changes: Any) -> Item:
        return SUBTASKS[slug].sample(random.Random(seed), self.scenery(arm, f"{slug}{seed}")).change(**changes)

    def submit(self, item: Item, author: str = AUTHOR) -> Item:
        store = self.server.store
        stored = pool.create_item(store, self.project.project_id, item, author)
        return pool.submit(store, stored.item.item_id, author, stored.version).item

    def reviews(self, item: Item) -> list[pool.Review]:
        return pool.reviews(self.server.store, item.item_id)

    def state(self, item: Item) -> str:
        return pool.get(self.server.store, item.item_id).state


@pytest.fixture
def robot(server: Any, kit: Any) -> Any:
    def make(**settings: Any) -> Pool:
        study = kit.create_study(server.store, "Robot questions", state="live")
        project = projects.create_project(
            server.store, "Tables", study_id=study.study_id, **{"reviewers_per_item": 2, "trial_batch": 0} | settings
        )
        return Pool(server, study, project)

    return make


@pytest.fixture
def reviewing(server: Any, new_tab: Any, kit: Any) -> Any:
    def start(robot: Pool, role: str = "reviewer", **options: Any) -> Any:
        tab = new_tab(**{"width": 1440, "height": 900} | options)
        kit.accept(tab, server.link(robot.study, role))
        return tab

    return start


def question(tab: Any) -> None:
    tab.page.wait_for_selector(".judge .options input")
    # a picture still under way when the review ends would be refused, which the browser reports
    tab.page.wait_for_load_state("networkidle")


def judgement(tab: Any) -> str:
    tab.page.wait_for_selector(".judge .outcome")
    return str(tab.page.locator(".judge .outcome").inner_text())


def contrast(tab: Any, kit: Any) -> list[str]:
    for part in (".judge", ".canvas .port"):
        tab.page.wait_for_selector(part)
    return [
        fault for part in (".judge", ".canvas") for fault in tab.page.evaluate(kit.js("contrast").replace("'.vantage'", f"'{part}'", 1))
    ]


def test_items_are_answered_and_judged_by_keyboard(robot: Any, reviewing: Any, kit: Any) -> None:
    here = robot()
    first, second = here.submit(right_is(here.item("trajectory"), "B")), here.submit(here.item("affordance", 1))
    tab = reviewing(here)
    question(tab)
    tab.page.get_by_text("1 more waiting for you").wait_for()
    assert tab.page.evaluate(kit.js("audit")) == [] and contrast(tab, kit) == []
    assert _focus_is_visible(tab, kit) >= {"A", "Answer"}
    tab.page.locator(".judge").click(position={"x": 1, "y": 1})
    tab.press("Enter")
    tab.page.get_by_text("Choose one of the options first.").wait_for()
    tab.press("3", "b", "Enter")
    assert judgement(tab) == "Your answer B is the author’s."
    (review,) = here.reviews(first)
    assert (review.state, review.answer, review.confidence) == ("answered", "B", None)
    assert tab.page.evaluate(kit.js("audit")) == [] and contrast(tab, kit) == []
    tab.press("Enter")
    tab.page.get_by_text("Say first whether the item is clean").wait_for()
    tab.press("x", "2", "5", "w")
    tab.page.keyboard.type("Two tracks end in the air. r c y x")
    assert contrast(tab, kit) == []
    tab.press("Control+Enter")
    tab.page.get_by_text("The last item is saved: flagged").wait_for()
    (review,) = here.reviews(first)
    assert (review.state, review.reasons, review.comment) == (
        "flagged", ("weak_distractor", "image_problem"), "Two tracks end in the air. r c y x",
    )  # fmt: skip
    assert here.state(first) == "flagged"

    question(tab)
    tab.press("ArrowRight", "ArrowRight", str("ABCDE".index(second.gold) + 1), "Enter")
    judgement(tab)
    tab.press("y", "Enter")
    tab.page.get_by_role("heading", name="Nothing to review now").wait_for()
    (review,) = here.reviews(second)
    assert (review.state, review.answer, review.confidence) == ("clean", second.gold, 55)
    tab.page.get_by_text("You have judged 2 items").wait_for()
    assert tab.page.evaluate(kit.js("audit")) == []


def _focus_is_visible(tab: Any, kit: Any) -> set[str]:
    """What Tab reaches from the last view on; each shows that it has the focus."""
    tab.page.locator(".canvas .port").last.focus()
    seen = set()
    for _ in range(6):
        tab.press("Tab")
        inside, name, visible = tab.page.evaluate(kit.js("focus"))
        if inside:
            assert visible, name
            seen.add("A" if name == "radio" else name)
    return seen


def right_is(item: Item, gold: str) -> Item:
    """The same question with another right option; how each wrong one was made goes with it."""
    kind = next(iter(SUBTASKS[item.subtask].distractors))
    others = [letter for letter in LETTERS if letter != gold]
    return item.change(gold=gold, hard=(others[0],), provenance={letter: Distractor(kind=kind) for letter in others})


def test_the_letter_c_chooses_and_opens_no_dialog_of_the_page_around(robot: Any, reviewing: Any) -> None:
    here = robot()
    item = here.submit(here.item("planning"))
    tab = reviewing(here)
    question(tab)
    tab.press("c")
    tab.page.wait_for_timeout(300)
    assert tab.page.get_by_role("dialog").count() == 0
    tab.page.locator('[data-view="head"] .port').focus()
    tab.press("e", "b", "c", "Enter")
    judgement(tab)
    assert [review.answer for review in here.reviews(item)] == ["C"]


def test_before_the_answer_nothing_of_the_author_or_of_other_reviewers_reaches_the_browser(server: Any, robot: Any, reviewing: Any) -> None:
    """Everything that comes is heard: Streamlit's stream, our routes, the addresses asked for, and what the page keeps."""
    here = robot()
    item = here.item("consistency", 3)
    secret = {letter: Distractor(kind=made.kind, note=f"note-{letter}-zebra") for letter, made in item.provenance.items()}
    cubes = tuple(cube.model_copy(update={"label": f"label-{cube.colour}-zebra"}) for cube in item.cubes)
    slots = {name: value if len(value) < 3 else f"{value} slot-zebra" for name, value in item.slots.items()}
    marks = tuple(mark.model_copy(update={"id": f"mark-zebra-{k}"}) for k, mark in enumerate(item.marks))
    item = here.submit(item.change(provenance=secret, cubes=cubes, slots=slots, marks=marks, question=item.question))
    other = "staff_anotherreviewer0000"
    review, _ = pool.next_review(server.store, here.project.project_id, other)
    pool.answer_review(server.store, review.review_id, other, item.gold, 97)
    pool.decide(server.store, review.review_id, other, "clean", comment="comment-zebra")
    pool.comment(server.store, item.item_id, AUTHOR, "remark-zebra", pool.Pin(marks[0].view, 5, 5, marks[0].id))
    pool.comment(server.store, item.item_id, other, "whisper-zebra")

    tab = reviewing(here)
    heard: list[bytes] = []
    tab.page.on("websocket", lambda socket: socket.on("framereceived", lambda f: heard.append(f if isinstance(f, bytes) else f.encode())))
    tab.page.on("request", lambda request: heard.append(request.url.encode()))

    def note(response: Any) -> None:
        if "/api/" in response.url and "image" not in response.headers.get("content-type", ""):
            heard.append(response.body())

    tab.page.on("response", note)
    tab.page.reload()
    question(tab)
    tab.page.wait_for_selector(".canvas[data-ready=yes]")
    tab.press("a", "m", "m")
    tab.page.wait_for_timeout(300)
    before = b"".join(heard) + tab.page.evaluate("JSON.stringify([{...sessionStorage}, {...localStorage}])").encode()
    assert item.question[:40].encode() in before and item.options["A"][:12].encode() in before  # the stream was heard
    for word in (b"zebra", b'"gold"', b'"provenance"', b'"hard"', AUTHOR.encode(), other.encode(), item.content_hash.encode()):
        assert word not in before, word
    for url in (f"/api/qa/marks/{item.item_id}", f"/api/qa/item/{item.item_id}"):
        assert tab.page.context.request.get(server.base + url).status in (403, 404)

    tab.press("Enter")
    judgement(tab)
    tab.page.locator(".cubes").wait_for()
    tab.page.locator(".pane .pin text").wait_for()  # on its mark, which has its own name by now
    tab.page.locator(".qa .muted").filter(has_text="Its author").wait_for()
    after = b"".join(heard)
    for word in (b"note-", b"label-", b'"gold"', b"remark-zebra"):
        assert word in after
    for word in (b"comment-zebra", b"whisper-zebra", AUTHOR.encode(), other.encode()):
        assert word not in after, word


def test_the_traffic_before_the_answer_is_the_same_whichever_option_is_right(server: Any, robot: Any, reviewing: Any) -> None:
    """Twins that differ only in what their author meant: the data of every component are equal, letter by letter."""
    said = []
    for gold in "AE":
        here = robot()
        item = here.submit(right_is(here.item("affordance", 5), gold))
        tab = reviewing(here)
        heard: list[bytes] = []
        tab.page.on("websocket", lambda socket, heard=heard: socket.on("framereceived", lambda frame: heard.append(frame)))
        tab.page.reload()
        question(tab)
        tab.page.wait_for_timeout(300)
        review = here.reviews(item)[0].review_id
        frames = [
            f.replace(item.item_id.encode(), b"item").replace(review.encode(), b"review") for f in heard if item.item_id.encode() in f
        ]
        # how often a rerun sends the same again depends on the machine's load
        said.append({part[part.index(b"{") : part.rindex(b"}")] for part in frames})
    assert said[0] and said[0] == said[1]


def test_a_verdict_that_lacks_words_is_refused_and_nothing_typed_is_lost(robot: Any, reviewing: Any) -> None:
    here = robot()
    item = here.submit(here.item("step"))
    tab = reviewing(here)
    question(tab)
    wrong = next(letter for letter in "ABDE" if letter != item.gold)
    tab.press(wrong.lower(), "Enter")
    assert judgement(tab) == f"You answered {wrong}; the author’s answer is {item.gold}."
    tab.press("y", "Enter")
    tab.page.get_by_text("You answered differently from the author.").wait_for()
    tab.page.keyboard.type("A slip of mine")
    tab.page.reload()
    judgement(tab)
    assert tab.page.locator(".judge textarea").input_value() == "A slip of mine"
    assert [review.state for review in here.reviews(item)] == ["answered"]
    tab.page.locator(".judge textarea").press("Control+Enter")
    tab.page.get_by_role("heading", name="Nothing to review now").wait_for()
    assert [(review.state, review.comment) for review in here.reviews(item)] == [("clean", "A slip of mine")]


def places(tab: Any) -> dict[str, int]:
    """Where the buttons and fields of the page stand, from its top."""
    found: dict[str, int] = tab.page.evaluate("""() => {
      const root = [...document.querySelectorAll('*')].find((e) => e.shadowRoot?.querySelector('.judge')).shadowRoot, found = {};
      const top = document.querySelector('[data-testid=stMain]').scrollTop;
      for (const e of root.querySelectorAll('button, input, textarea')) {
        if (e.offsetParent) found[`${e.type} ${e.innerText || e.value}`] ??= Math.round(e.getBoundingClientRect().top + top); }
      return found; }""")
    return found


@pytest.mark.parametrize("width", [1366, 900])
def test_what_is_missing_is_said_without_moving_a_button(robot: Any, reviewing: Any, width: int) -> None:
    pool_of = robot()
    pool_of.submit(pool_of.item("distance"))
    tab = reviewing(pool_of, width=width, height=650)
    page = tab.page

    def stays(act: Any, said: str) -> None:
        before = places(tab)
        act()
        page.locator(".judge .problem", has_text=said).wait_for()
        assert len(before) >= 5 and places(tab) == before, said

    question(tab)
    stays(lambda: tab.press("Enter"), "Choose one of the options first.")
    tab.press("z")
    stays(page.get_by_role("button", name="Give it to somebody else").click, "Say in a few words")
    page.get_by_role("button", name="Cancel").click()
    before = places(tab)
    tab.press("a")
    page.locator(".judge .problem:empty").wait_for(state="attached")
    assert places(tab) == before
    page.get_by_role("button", name="Answer").click()
    judgement(tab)
    stays(lambda: tab.press("Enter"), AXIS.ask)
    page.locator(".verdicts button").nth(1).click()
    stays(page.get_by_role("button", name="Save and go on").click, "Tick at least one reason")


def test_an_item_is_given_to_somebody_else_and_a_verdict_taken_back(robot: Any, reviewing: Any, kit: Any) -> None:
    here = robot()
    first, second = here.submit(here.item("affordance", 11)), here.submit(here.item("affordance", 12))
    tab = reviewing(here)
    question(tab)
    tab.press("z")
    tab.page.get_by_role("button", name="Give it to somebody else").press("Enter")
    tab.page.get_by_text("Say in a few words why").wait_for()
    tab.page.get_by_label("Why you cannot judge it").fill("Too dark for me")
    assert tab.page.evaluate(kit.js("audit")) == []
    tab.page.get_by_label("Why you cannot judge it").press("Enter")
    tab.page.get_by_text("The last item goes to somebody else").wait_for()
    assert [(review.state, review.skipped) for review in here.reviews(first)] == [("void", "Too dark for me")]
    question(tab)
    tab.press(second.gold.lower(), "Enter")
    judgement(tab)
    tab.press("y", "Enter")
    tab.page.get_by_role("heading", name="Nothing to review now").wait_for()
    assert [review.state for review in here.reviews(second)] == ["clean"]
    tab.press("u")
    tab.page.get_by_text("Your last verdict is taken back").wait_for()
    judgement(tab)
    tab.press("x", "1", "w")
    tab.page.keyboard.type("Two hold")
    tab.press("Control+Enter")
    tab.page.get_by_role("heading", name="Nothing to review now").wait_for()
    assert [review.state for review in here.reviews(second)] == ["flagged"]
    tab.drawn()
    assert tab.page.get_by_role("button", name="Take the last verdict back").count() == 0, "it has had its effect"


def test_a_trial_item_asks_for_feedback(robot: Any, reviewing: Any) -> None:
    here = robot(trial_batch=1)
    item = here.submit(here.item("affordance", 2))
    tab = reviewing(here)
    question(tab)
    tab.press(item.gold.lower(), "Enter")
    judgement(tab)
    tab.press("y", "Enter")
    tab.page.get_by_text("This is a trial item").wait_for()
    tab.page.keyboard.type("Well drawn")
    tab.press("Control+Enter")
    tab.page.get_by_role("heading", name="Nothing to review now").wait_for()
    assert here.state(item) == "accepted"


def test_a_review_that_ended_meanwhile_is_said_clearly(trouble: None, server: Any, robot: Any, reviewing: Any) -> None:
    here = robot()
    first, second = here.submit(here.item("trajectory", 7)), here.submit(here.item("affordance", 8))
    tab = reviewing(here)
    question(tab)
    pool.move(server.store, first.item_id, "recall", AUTHOR, "a spelling mistake")
    tab.press("a", "Enter")
    tab.page.get_by_text("The item you had open is not in review any more").wait_for()
    question(tab)
    tab.page.get_by_role("heading", name=second.question[:40]).wait_for()
    assert [review.answer for review in here.reviews(first)] == [None]
    # kept too long: given back, and met again as a new review
    with server.store.atomic() as db:
        db.execute("UPDATE reviews SET moved_at = '2020-01-01T00:00:00.000Z' WHERE subject = ? AND state = 'assigned'", [second.item_id])
    tab.press("a", "Enter")
    judgement(tab)
    assert [review.state for review in here.reviews(second)][-1] == "answered"


def test_a_second_tab_of_the_same_person_goes_on_with_the_same_review(
    trouble: None, robot: Any, reviewing: Any, new_tab: Any, server: Any
) -> None:
    here = robot()
    item = here.submit(here.item("affordance", 9))
    tab = reviewing(here)
    question(tab)
    twin = new_tab(like=tab)
    twin.page.goto(server.base)
    question(twin)
    tab.press("a", "Enter")
    judgement(tab)
    twin.press("b", "Enter")
    assert f"You answered A; the author’s answer is {item.gold}." == judgement(twin) or item.gold == "A"
    assert [review.answer for review in here.reviews(item)] == ["A"]


def test_each_role_has_its_pages_and_no_others(trouble: None, server: Any, robot: Any, reviewing: Any) -> None:
    here = robot()
    links = {
        "reviewer": {"Review", "Verify tasks"},
        "annotator": {
            *("Make questions", "Editor", "Review", "Moments"),
            *("Verify tasks", "Answers in words", "Trajectories", "Record a trajectory", "Make a task", "Adjudicate"),
        },
        "author": {"Make questions", "Editor", "Moments", "Record a trajectory", "Make a task"},
        "researcher": {
            *("Episodes", "Episode", "Participants", "Payments", "Study export", "People", "Set-up", "Trajectories", "Record a trajectory"),
            *("Verification", "Audit", "Make a task", "Watch", "Results", "Disputed golds", "Log"),
            *("Questions", "Moments", "Make questions", "Editor"),
        },
    }
    foreign = {"reviewer": ("questions",), "author": ("review",)}
    for role, names in links.items():
        tab = reviewing(here, role)
        tab.page.wait_for_selector("[data-testid=stMain] [data-testid=stHeading], [data-testid=stMain] .vantage, [data-testid=stMain] .qa")
        tab.drawn()
        tab.page.evaluate(
            "() => document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))"
        )
        groups, opened = tab.page.get_by_test_id("stTopNavSection"), tab.page.get_by_test_id("stTopNavPopoverBody")
        shown, k = set(), 0
        while k < groups.count():  # pages of several groups lie in menus; one for what has no room may go when widths are known
            groups.nth(k).click()
            opened.wait_for()
            shown |= {line.strip() for line in opened.inner_text().splitlines() if line.strip()}
            tab.press("Escape")
            opened.wait_for(state="detached")
            k += 1
        shown |= {link.inner_text().strip() for link in tab.page.locator("[data-testid=stTopNavLink]").all()}
        assert shown - {"Editor"} == names - {"Editor"}, role
        for path in foreign.get(role, ()):
            tab.page.goto(f"{server.base}/{path}")
            tab.page.get_by_text("This page is not open to you").wait_for()


def test_a_role_that_is_taken_away_ends_the_review_at_once(trouble: None, server: Any, robot: Any, reviewing: Any, kit: Any) -> None:
    here = robot()
    item = here.submit(here.item("affordance", 4))
    tab = reviewing(here)
    question(tab)
    row = server.store.one("SELECT staff_id FROM roles WHERE study_id = ? AND role = 'reviewer'", [here.study.study_id])
    access.revoke_staff(server.store, row["staff_id"])
    tab.press("a", "Enter")
    tab.page.get_by_role("heading", name="Reload this page").wait_for()
    assert [review.answer for review in here.reviews(item)] == [None]


def test_without_a_project_the_page_says_so(server: Any, new_tab: Any, kit: Any) -> None:
    study = kit.create_study(server.store, "Empty", state="live")
    tab = new_tab()
    kit.accept(tab, server.link(study, "reviewer"))
    tab.page.get_by_text("There is no project of robot questions here yet.").wait_for()
    assert tab.page.evaluate(kit.js("audit")) == []


@pytest.mark.parametrize("slug", ["trajectory", "affordance"])
@pytest.mark.parametrize("arm", ["dual", "single"])
def test_each_stage_begins_with_its_beginning_in_view(robot: Any, reviewing: Any, slug: str, arm: str) -> None:
    here = robot()
    items = [here.submit(right_is(here.item(slug, seed, arm), "A")) for seed in (21, 22)]
    tab = reviewing(here, width=1366, height=650)
    found = {}
    for n, _ in enumerate(items):
        question(tab)
        tab.page.wait_for_timeout(300)  # whatever moves it does so by now
        found[f"question {n}"] = in_view(tab, ".question, .judge .option:first-of-type")
        tab.page.get_by_test_id("stMain").evaluate("e => e.scrollTo(0, e.scrollHeight)")
        tab.press("a", "Enter")
        judgement(tab)
        tab.page.wait_for_timeout(300)  # whatever moves it does so by now
        found[f"verdict {n}"] = in_view(tab, ".judge .outcome, .judge .verdicts")
        tab.page.get_by_test_id("stMain").evaluate("e => e.scrollTo(0, e.scrollHeight)")
        tab.press("y", "Enter")
    assert {stage: out for stage, out in found.items() if out} == {}


def in_view(tab: Any, parts: str) -> list[str]:
    """Which of these parts lie outside the window, at least in part."""
    places = [(part, part.bounding_box()) for part in tab.page.locator(parts).all()]
    return [f"{part.inner_text()[:30]} {box['y']:.0f}" for part, box in places if box["y"] < 50 or box["y"] + box["height"] > 650]
