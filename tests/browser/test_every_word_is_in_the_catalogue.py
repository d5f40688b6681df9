"""A participant's whole way in the pseudo-language: every word of it is in brackets, so that every word comes from the catalogue.

What a study brings (its texts and names) stands in brackets here too, and its tasks carry their question in the pseudo-language, so that
nothing of a page is left out; what is kept of an answer are the task's own words.
"""

from __future__ import annotations

import json
from typing import Any

from data.task import Said
from sim_bridge.actions import ACTIONS
from study.forms.form import Form, Item
from study.studies import Study, create_study

PSEUDO = "qps-ploc"


def _task(kit: Any, name: str, form: str, gold: Any) -> Any:
    said = Said(text=f"⟦Question {name}⟧", options=("⟦one⟧", "⟦two⟧"), names={"red box": "⟦red box⟧"})
    return kit.make_task(
        f"pseudo-{name}", form, gold, text=f"Question {name}", options=("one", "two"), languages={PSEUDO: said},
        actions=tuple(ACTIONS), names={"object_1": "red box"},
    )  # fmt: skip


def _study(server: Any, kit: Any, *tasks: Any, practice: Any, **fields: Any) -> Study:
    for task in (*tasks, practice):
        server.store.put_task(task)
    texts = dict.fromkeys(("consent", "welcome", "thanks", "stopping"), "⟦Words of the study⟧")
    return create_study(
        server.store,
        "⟦Rooms⟧",
        state="live",
        language=PSEUDO,
        tasks=tuple(task.content_hash for task in tasks),
        practice_task=practice.content_hash,
        trials=len(tasks),
        protocol=kit.Protocol(confidence_required=True, history="all", window_width=900),
        consent_version="⟦1⟧",
        **(texts | fields),
    )


class Reader:
    """Goes through pages and looks at each for words outside brackets."""

    def __init__(self, tab: Any, script: str) -> None:
        self.page, self.script, self.looked = tab.page, script, 0

    def look(self, where: str) -> None:
        """Nothing is to be read here that is not in brackets."""
        found = self.page.evaluate(self.script)
        assert found == [], f"{where}: {found}"
        self.looked += 1

    def dialog(self, opened_by: Any, where: str) -> None:
        """Look at a dialogue, and close it."""
        opened_by.click()
        self.page.locator("dialog[open]").wait_for()
        self.look(where)
        self.page.keyboard.press("Escape")
        self.page.locator("dialog[open]").wait_for(state="detached")

    def give(self, where: str) -> None:
        """Give what is chosen, confirm, and go on; the page is looked at on the way."""
        page = self.page
        page.locator("form.answer button[type=submit]").click()
        page.locator("dialog[open]").wait_for()
        self.look(f"{where}: asked once more")
        page.locator("dialog[open] button.primary").click()
        page.locator("section.done").wait_for()
        self.look(f"{where}: saved")
        page.locator("section.done button.primary").click()

    def choose(self) -> None:
        """The first option, or all of them in their order."""
        if not self.page.locator("form.answer .sequence").count():
            self.page.locator("form.answer .option input").first.check()
        for item in self.page.locator(".tray button.item").all():
            item.page.locator(".tray button.item").first.click()

    def answer(self, where: str) -> None:
        """Choose, say how sure, and give; what is missing on the way is said in brackets too."""
        page = self.page
        page.locator("form.answer button[type=submit]").click()
        self.look(f"{where}: no answer yet")
        self.choose()
        page.locator("form.answer button[type=submit]").click()
        self.look(f"{where}: no confidence yet")
        page.locator(".confidence input[type=range]").focus()
        page.keyboard.press("ArrowRight")
        self.give(where)


def test_from_the_link_to_the_end_every_word_comes_from_the_catalogue(server: Any, new_tab: Any, kit: Any) -> None:
    two = ("⟦one⟧", "⟦two⟧")
    form = Form(
        name="before_it",
        when="before",
        title="⟦Before⟧",
        items=(
            Item(name="which", text="⟦Which?⟧", kind="choice", options=two, may_decline=True),
            Item(name="how", text="⟦How old?⟧", kind="number", least=18, unit="⟦years⟧"),
            Item(name="free", text="⟦What?⟧", kind="text", required=False),
        ),
    )
    tasks = _task(kit, "first", "choice", "one"), _task(kit, "stack", "sequence", ["two", "one"])
    study = _study(server, kit, *tasks, practice=_task(kit, "practice", "choice", "one"), forms=(form,))
    tab = new_tab()
    page, read = tab.page, Reader(tab, kit.js("unbracketed"))
    page.goto(server.link(study))
    read.look("welcome and consent")
    page.locator("button[value=consent]").click()
    page.locator("#unticked").wait_for()
    read.look("the consent is not ticked")
    page.locator("input[type=checkbox]").check()
    page.locator("button[value=consent]").click()
    page.locator(".vantage.form[data-state=ready]").wait_for()
    read.look("a form")
    page.locator(".vantage.form button[type=submit]").click()
    page.locator(".problem:not(:empty)").first.wait_for()
    read.look("a form with answers missing")
    page.locator(".vantage.form input[type=radio]").first.check()
    page.locator(".vantage.form input[inputmode]").first.fill("44")
    page.locator(".vantage.form button[type=submit]").click()
    page.locator(".st-key-instructions-read button").wait_for()
    read.look("instructions")
    page.locator(".st-key-instructions-read button").click()
    tab.ready()
    read.look("practice")
    page.locator("form.answer .option input").first.check()
    page.locator(".confidence input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    page.locator("form.answer button[type=submit]").click()
    read.look("practice: a move is asked for")
    page.locator(".pad [data-action=turn_left]").click()
    tab.at(1)
    read.look("practice: after a step")
    read.give("practice")
    page.locator(".vantage[data-state=ready] .pad").wait_for()
    tab.ready()
    read.look("a task")
    links = page.locator("header.question button.link")
    for number in range(links.count()):
        read.dialog(links.nth(number), f"a dialogue of the page's head: {number}")
    page.locator(".objects > .sentence > button").click()
    read.look("an action without its object")
    for action in range(page.locator(".objects .sentence > select option").count()):
        page.locator(".objects .sentence > select").first.select_option(str(action))
        read.look(f"action with objects: {action}")
    for number in (1, 2):
        tab.ready()
        read.answer(f"task {number}")
    page.get_by_text("⟦Words of the study⟧").wait_for()
    read.look("the end")
    rows = server.store.query("SELECT raw FROM answers JOIN episodes USING (episode_id) WHERE study_id = ?", [study.study_id])
    kept = [json.loads(row["raw"]) for row in rows]
    assert len(kept) == 3 and all(set([one] if isinstance(one, str) else one) <= {"one", "two"} for one in kept), kept
    page.locator(".st-key-withdraw button").click()
    page.locator(".st-key-really button").wait_for()
    read.look("taking the data back")
    page.locator(".st-key-really button").click()
    page.locator(".st-key-really").wait_for(state="detached")
    read.look("withdrawn")
    assert read.looked > 30


def test_stopping_and_an_end_before_the_beginning_are_said_from_the_catalogue(server: Any, new_tab: Any, kit: Any) -> None:
    first, practice = _task(kit, "stopped", "choice", "one"), _task(kit, "before-stopping", "choice", "one")
    study = _study(server, kit, first, practice=practice, stopping="", thanks="")
    tab = new_tab()
    page, read = tab.page, Reader(tab, kit.js("unbracketed"))
    page.goto(server.link(study))
    page.locator("button[value=decline]").click()
    page.locator(".st-key-reconsider button").wait_for()
    read.look("declined")
    page.locator(".st-key-reconsider button").click()
    page.locator(".st-key-agree input").check(force=True)
    page.locator(".st-key-take-part button").click()
    page.locator(".st-key-instructions-read button").click()
    tab.ready()
    page.locator("button.stop").click()
    page.locator("dialog[open] button.way").first.wait_for()
    read.look("stopping")
    page.locator("dialog[open] button.way").nth(1).click()
    read.look("stopping, with the data taken back: asked again")
    page.locator("dialog[open] button[data-stay]").click()
    page.locator("button.stop").click()
    page.locator("dialog[open] button.way").first.click()
    page.locator(".st-key-withdraw button").wait_for()
    read.look("stopped")


def test_the_reader_finds_words_outside_brackets(new_tab: Any, kit: Any) -> None:
    page = new_tab().page
    page.set_content(
        "<p>⟦Words⟧ and more</p><button aria-label='Close'>⟦x⟧</button><p hidden>hidden</p>"
        "<input placeholder='open ⟦x⟧'><p>12:30 ⟦a ⟦b⟧⟧</p>"
    )
    assert [where for where, _ in page.evaluate(kit.js("unbracketed"))] == ["p", "button aria-label", "input placeholder"]
