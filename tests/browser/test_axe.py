"""axe-core finds nothing to mend on any page or state of any role, in the light and in the dark.

WCAG A and AA hold everywhere. No rule of axe's at all may be broken in our own markup: our HTML pages, shadow roots and ``st.html``.
What is left of Streamlit's own markup stands in `STREAMLITS`, rule by rule.
"""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from PIL import Image

from annotation.qa import projects
from annotation.qa.drawn.pictures import ImageFolder
from annotation.qa.evaluating.evaluation import create_evaluation
from annotation.qa.items import VIEWS, Item, ViewImage
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import Scenery
from annotation.qa.work import pool
from app.pages.setup import SECTIONS
from data.store import dumps, now
from study import access, participants

STREAMLITS: dict[str, str] = {}
"""Rule of axe → why Streamlit breaks it in its own markup. None is one of WCAG's A or AA."""

RULES = {"label-content-name-mismatch": {"enabled": True}, "target-size": {"enabled": True}}
"""Rules of WCAG A and AA that axe leaves out unless they are asked for."""
WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa")
RUN = """async ([rules, only]) => {
  const some = only ? { runOnly: { type: 'rule', values: only } } : {};
  const found = await axe.run(document, { resultTypes: ['violations'], rules, ...some });
  const root = (node) => Array.isArray(node.target[0]);
  const ours = (node) => root(node) || !document.querySelector('.stApp')
    || Boolean(document.querySelector(node.target[0])?.closest('[data-testid=stHtml]'));
  return found.violations.flatMap((rule) => rule.nodes.map((node) => ({
    rule: rule.id, tags: rule.tags, ours: ours(node), where: node.target.flat().join(' > '), html: node.html.slice(0, 160),
    why: [...node.any, ...node.all, ...node.none].map((check) => check.message).join('; '),
  })));
}"""
DARK = """() => {
  const colour = getComputedStyle(document.querySelector('.stApp') ?? document.body).backgroundColor.match(/\\d+/g);
  return colour && colour[0] < 60;
}"""
IDLE = """() => !document.querySelector('[data-testid=stSkeleton], [data-stale=true]')
  && (!document.querySelector('.stApp') || document.querySelector('.stApp[data-test-script-state=notRunning]'))"""


@dataclass
class Checker:
    """Looks over states of pages and keeps what was found."""

    faults: list[str] = field(default_factory=list)
    streamlits: dict[str, str] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)

    def look(self, tab: Any, state: str) -> None:
        """The page as it stands, in the light, and its colours in the dark."""
        page = tab.page
        page.wait_for_function("() => !document.querySelector('[data-test-script-state=running]')")  # what fades goes
        self.seen.append(state)
        if not page.evaluate("() => Boolean(window.axe)"):
            page.evaluate(AXE_SCRIPT)
        self._keep(state, page.evaluate(RUN, [RULES, None]))
        page.emulate_media(color_scheme="dark")
        page.wait_for_function(DARK)
        self._keep(f"{state}, dark", page.evaluate(RUN, [{}, ["color-contrast"]]))
        page.emulate_media(color_scheme="light")
        page.wait_for_function(DARK.replace("< 60", "> 200"))

    def _keep(self, state: str, found: list[dict[str, Any]]) -> None:
        for one in found:
            if one["ours"] or set(one["tags"]) & set(WCAG):
                self.faults.append(f"{state}: {one['rule']}: {one['where']}: {one['html']}: {one['why']}")
            else:
                self.streamlits.setdefault(one["rule"], f"{state}: {one['where']}: {one['html']}")


@pytest.fixture(scope="module")
def axe() -> Iterator[Checker]:
    """One for the file: the last test compares what it kept with the table."""
    return Checker()  # type: ignore[return-value]


@dataclass
class Bench:
    """A study with a project of robot questions, and one tab that is somebody else whenever it is asked to."""

    server: Any
    tab: Any
    study: Any
    project: projects.Project

    def become(self, role: str, study_id: str = "") -> Any:
        """The browser is of somebody new with this role."""
        cookie, grant = access.enter(self.server.store, access.create_invite(self.server.store, role, study_id or self.study.study_id))
        self.tab.page.context.clear_cookies()
        mine = {"name": "vantage_session", "value": cookie, "url": self.server.base, "httpOnly": True, "sameSite": "Lax"}
        self.tab.page.context.add_cookies([mine])
        return grant

    def go(self, address: str, ready: str) -> None:
        """Open a page and wait for what shows that it stands."""
        self.tab.page.goto(f"{self.server.base}/{address}")
        self.tab.page.locator(ready).first.wait_for()
        self.settled()

    def settled(self) -> None:
        """Wait until Streamlit has nothing under way."""
        self.tab.page.wait_for_function(IDLE)

    def item(self, slug: str, seed: int) -> Item:
        """A sound item with small pictures that are here."""

        def image(view: str, key: str) -> ViewImage:
            kept = io.BytesIO()
            Image.new("RGB", (96, 72), f"#{random.Random(key).randrange(1 << 24):06x}").save(kept, "PNG")
            return ViewImage(view=view, image=ImageFolder(self.server.home).keep(kept.getvalue()), width=96, height=72)

        views = tuple(image(view, f"{slug} {seed} {view}") for view in VIEWS["dual"])
        strangers = tuple(image("left-gripper", f"{slug} {seed} {k}") for k in range(3))
        made = SUBTASKS[slug].sample(random.Random(seed), Scenery("agibot", "dual", f"e{seed}", f"m{seed}", views, strangers))
        return made.change(item_id=f"axe-{slug}-{seed}")

    def moments(self) -> None:
        """Two undecided moments."""
        store = self.server.store
        store.insert("robot_sources", {"source_id": "rs_axe", "kind": "plain", "name": "axe", "root": "/none/axe", "created_at": now()})
        row: dict[str, Any] = {"episode_id": "re_axe", "source_id": "rs_axe", "key": "e1", "arm": "dual", "task": "stack the cups"}
        row |= {"frames": 500, "fps": 30.0}
        store.insert("robot_episodes", row | {"document": dumps({"views": {view: {} for view in VIEWS["dual"]}}), "created_at": now()})
        for n in range(2):
            shown = [view.model_dump(mode="json") for view in self.item("viewpoint", 90 + n).views]
            figures = {view: {"sharpness": 240.0, "dark": 0.01, "blown": 0.0, "signature": "00" * 192} for view in VIEWS["dual"]}
            document = {"views": shown, "place": n, "metrics": {"views": figures, "skew_s": 0.0, "nearest": 30.0}}
            row = {"moment_id": f"mo_axe_{n}", "project_id": self.project.project_id, "episode_id": "re_axe", "frame_index": 20 * n}
            store.insert("moments", row | {"timestamp_s": 0.7, "state": "candidate", "document": dumps(document), "created_at": now()})


@pytest.fixture(scope="module")
def made(server: Any, kit: Any) -> tuple[Any, projects.Project]:
    """What all look at, once for the file."""
    study = server.study(kit.make_task("axe"), kit.FORMS[3], name="Looked over")
    return study, projects.create_project(server.store, "Tables", study_id=study.study_id, reviewers_per_item=2, trial_batch=0)


@pytest.fixture
def bench(server: Any, new_tab: Any, made: tuple[Any, projects.Project]) -> Bench:
    return Bench(server, new_tab(width=1440, height=900), *made)


def test_who_has_no_access(bench: Bench, axe: Checker) -> None:
    bench.tab.page.context.clear_cookies()
    bench.go("", "h1")
    axe.look(bench.tab, "landing")
    bench.go("sign-in", "h1")
    axe.look(bench.tab, "sign-in")
    bench.go(bench.server.link(bench.study).partition("/")[2].split("/", 2)[2], "h1")
    axe.look(bench.tab, "consent")
    bench.tab.page.get_by_role("button", name="Take part").click()
    bench.tab.page.locator("#unticked").wait_for()
    axe.look(bench.tab, "consent not given")
    bench.go(bench.server.link(bench.study, "reviewer").partition("/")[2].split("/", 2)[2], "h1")
    axe.look(bench.tab, "invitation")


def test_bad_link(bench: Bench, axe: Checker, trouble: None) -> None:
    bench.tab.page.context.clear_cookies()
    bench.go("enter?invite=nothing", "h1")
    axe.look(bench.tab, "bad link")


def test_participant(bench: Bench, axe: Checker, kit: Any) -> None:
    store, page = bench.server.store, bench.tab.page
    grant = bench.become("participant")
    bench.go("", "h1")
    axe.look(bench.tab, "welcome")
    participants.advance(store, grant.participant_id, "welcome")
    bench.go("", "[data-testid=stCheckbox]")
    axe.look(bench.tab, "consent in the app")
    participants.advance(store, grant.participant_id, "consent")
    for number in range(2):
        page.goto(bench.server.base)
        bench.tab.ready()
        ordering = page.locator(".tray .item").count()
        bench.tab.press("w")
        bench.tab.at(1)
        axe.look(bench.tab, "task with ordering and object actions" if ordering else "task")
        if number == 0:
            for name in ("Keys", "Report a problem", "Stop"):
                page.get_by_role("button", name=name).click()
                page.locator("dialog[open]").wait_for()
                axe.look(bench.tab, name)
                page.keyboard.press("Escape")
        for _ in range(ordering):
            page.locator(".tray .item").first.press("Enter")
        if not ordering:
            bench.tab.press("1")
        page.get_by_role("button", name="Give final answer").press("Enter")
        page.get_by_role("button", name="Submit").wait_for()
        if number == 0:
            axe.look(bench.tab, "confirm")
        page.get_by_role("button", name="Submit").press("Enter")
        page.get_by_role("heading", name="Your answer is saved.").wait_for()
        if number == 0:
            axe.look(bench.tab, "saved")
    bench.go("", "[data-testid=stExpander]")
    axe.look(bench.tab, "thanks")


def test_other_ends_of_taking_part(bench: Bench, axe: Checker) -> None:
    for ways, state in ((("welcome", "decline"), "declined"), (("welcome", "consent"), "withdrawn")):
        grant = bench.become("participant")
        for event in ways:
            participants.advance(bench.server.store, grant.participant_id, event)
        if state == "withdrawn":
            participants.withdraw(bench.server.store, None, grant.participant_id)  # type: ignore[arg-type]
        bench.go("", "h1")
        axe.look(bench.tab, state)


def test_question_about_pictures(bench: Bench, axe: Checker) -> None:
    store, page = bench.server.store, bench.tab.page
    project = projects.create_project(store, "Asked", trial_batch=0)
    for seed, slug in enumerate(("matching", "viewpoint")):
        pool.admit(store, project.project_id, bench.item(slug, 40 + seed), state="accepted", actor="fixture", why="fixture")
    asked = create_evaluation(store, project.project_id, "Questions")
    grant = bench.become("participant", asked.study_id)
    for event in ("welcome", "consent"):
        participants.advance(store, grant.participant_id, event)
    page.goto(bench.server.base)
    bench.tab.ready()
    axe.look(bench.tab, "question")
    bench.tab.press("b", "ArrowRight", "Enter")
    page.get_by_text("Question 2 of 2").first.wait_for()
    bench.tab.ready()
    axe.look(bench.tab, "question with pictures to choose from")
    bench.become("researcher", asked.study_id)
    bench.go("episode", ".canvas .port")
    axe.look(bench.tab, "episode of a question")


def test_researcher(bench: Bench, axe: Checker, kit: Any) -> None:
    page = bench.tab.page
    bench.become("researcher")
    bench.go("", "[data-testid=stMetric]")
    axe.look(bench.tab, "episodes")
    page.locator("summary", has_text="Let a model agent in").click()
    page.get_by_label("Name of the model").wait_for()
    axe.look(bench.tab, "a model is let in")
    bench.go("episode", ".viewer canvas")
    axe.look(bench.tab, "episode")
    bench.go("participants", "[data-testid=stDataFrame]")
    axe.look(bench.tab, "participants")
    bench.go("export", "h1")
    axe.look(bench.tab, "export")
    bench.become("owner")
    bench.go("people", "h1")
    axe.look(bench.tab, "people")


def test_set_up(bench: Bench, axe: Checker) -> None:
    page = bench.tab.page
    bench.become("researcher")
    bench.go("setup", "h1")
    for section in SECTIONS:
        page.locator("label:has(input[type=radio])").filter(has_text=section.title).first.click()
        page.get_by_role("heading", name=section.title, exact=True).wait_for()
        axe.look(bench.tab, f"set-up, {section.title}")


def test_lead(bench: Bench, axe: Checker) -> None:
    store, project = bench.server.store, bench.project.project_id
    for seed, slug in enumerate(SUBTASKS):
        pool.admit(store, project, bench.item(slug, seed), state="accepted", actor="fixture", why="fixture")
    bench.become("researcher")
    for part in ("Overview", "Items", "People", "Balance", "Export", "Results", "New project"):
        bench.go(f"questions?part={part}", "[data-testid=stMain] button[data-selected=true]")
        axe.look(bench.tab, f"questions, {part}")
    bench.go("questions?part=Items&item=axe-matching-" + str(list(SUBTASKS).index("matching")), ".canvas .port")
    axe.look(bench.tab, "questions, one item")


@pytest.mark.parametrize("slug", SUBTASKS)
def test_editor(bench: Bench, axe: Checker, slug: str) -> None:
    grant = bench.become("annotator")
    seed = 60 + list(SUBTASKS).index(slug)
    item = pool.create_item(bench.server.store, bench.project.project_id, bench.item(slug, seed), grant.staff_id, keep_id=True)
    bench.go(f"editor?item={item.item.item_id}", ".author[data-kept=saved]")
    bench.tab.page.locator(".canvas[data-ready=yes]").wait_for()
    axe.look(bench.tab, f"editor, {slug}")


def test_those_who_make_questions(bench: Bench, axe: Checker) -> None:
    bench.moments()
    bench.become("annotator")
    bench.go("", "h1")
    axe.look(bench.tab, "make questions")
    bench.go("editor", "h1")
    axe.look(bench.tab, "editor, nothing open")
    bench.go("moments", ".sifter .picture img")
    axe.look(bench.tab, "moments")


def test_reviewer(bench: Bench, axe: Checker) -> None:
    page, store = bench.tab.page, bench.server.store
    bench.become("reviewer")
    bench.go("", "h1")
    axe.look(bench.tab, "nothing to review")
    waiting = pool.create_item(store, bench.project.project_id, bench.item("trajectory", 80), "somebody", keep_id=True)
    pool.submit(store, waiting.item.item_id, "somebody", waiting.version)
    bench.go("", ".judge .options input")
    page.wait_for_load_state("networkidle")
    axe.look(bench.tab, "reviewer answers")
    bench.tab.press("b", "Enter")
    page.locator(".judge .outcome").wait_for()
    axe.look(bench.tab, "reviewer judges")


def test_several_roles(bench: Bench, axe: Checker, kit: Any) -> None:
    bench.become("researcher")
    kit.accept(bench.tab, bench.server.link(bench.study, "reviewer"))
    bench.tab.page.get_by_role("heading").first.wait_for()
    bench.go("", "h1")
    axe.look(bench.tab, "several roles")


def test_nothing_was_found(axe: Checker) -> None:
    assert axe.faults == [], "\n".join(axe.faults)
    assert set(axe.streamlits) == set(STREAMLITS), axe.streamlits
