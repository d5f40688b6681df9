"""Screenshots of a study's pages, for its materials: a server of its own with a copy of the study, and a browser that goes through it.

The copy has few tasks, made-up codes, and people who are made up; of the study itself nothing is written.
"""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from app.commands import screen_visits
from data.home import Home
from data.store import Store
from study import access, participants
from study.briefing import instructions_of
from study.ethics import EthicsRecord
from study.forms import answers
from study.forms.form import Item
from study.returning import Return, Returns
from study.studies import Study, create_study
from study.wording import speaking

SIZE = {"width": 1280, "height": 860}
ARGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync")
LOAD_MS = 60_000
SETTLED_MS = 700
"""A page has drawn itself after so long."""
MOST_PAGES = 40
TOLD = ".st-key-instructions-read"
"""The button below the instructions."""
COPIED = ("paradigms", "language", "welcome", "instructions", "consent", "consent_version", "thanks", "stopping", "debriefing", "contact",
          "checks", "breaks")  # fmt: skip
"""Settings that pages show."""


def lacking() -> str:
    """Why no screenshots can be taken here, in a sentence; empty: they can."""
    if find_spec("playwright") is None:
        return "No screenshots were taken: they need the Python package playwright (`pip install playwright`)."
    if not _chromium():
        return "No screenshots were taken: there is no Chromium here; install it, or name it in the environment variable CHROMIUM."
    return ""


def _chromium() -> str:
    return os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or ""


def take(store: Store, study: Study, folder: Path, backend: str) -> str:
    """Take them.

    Args:
        store: has the study's tasks.
        study: the study.
        folder: for the pictures; it is made.
        backend: the simulator that shows the task.

    Returns:
        What the index says of them.
    """
    from bench.serving import server

    if why := lacking():
        return why
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="vantage-materials-") as root:
        home = Home.from_env(Path(root) / "vantage.db").prepare()
        copy = Store.open(home)
        shown = _copy(store, study, copy)
        settings = {name: getattr(study, name) for name in COPIED if name != "checks"}
        more, lacks = screen_visits.visits(store, study, copy, settings)
        with server(home, backend, quiet=True) as base, import_module("playwright.sync_api").sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=_chromium(), args=list(ARGS))
            _Tour(browser, copy, shown, base, folder).go(more)
            browser.close()
        copy.close()
    taken = sorted(path.name for path in folder.iterdir())
    listed = "\n".join(f"- [{name}](screenshots/{name})" for name in taken)
    missing = "".join(f"\n\n{one}" for one in lacks)
    return f"Screenshots ({SIZE['width']} × {SIZE['height']} pixels; of a copy with made-up codes):\n\n{listed}{missing}"


def _copy(store: Store, study: Study, copy: Store) -> Study:
    """The study with one task; each of its questionnaires comes before it, so that all are met. Time limits are told by its instructions,
    as in the study, and shown on the pages of `screen_visits`."""
    hashes = [task for task in (study.practice_task, *study.tasks[:1]) if task is not None]
    for content_hash in dict.fromkeys(hashes):
        copy.put_task(store.get_task(content_hash))
    with speaking(study.language):
        told = instructions_of(study)
    stepped = tuple(way.name for way in study.ways if way.opens == "start_view")
    made_up = Returns(done=Return(code="COMPLETION-CODE"), stopped=Return(code="STOPPED-CODE"), no_consent=Return(code="DECLINED-CODE"))
    protocol = {"time_limit_s": None, "backends": ()} | ({"paradigm": stepped[0]} if stepped else {})
    fields = {name: getattr(study, name) for name in COPIED} | {
        "paradigms": stepped,
        "protocol": study.protocol.model_copy(update=protocol),
        "tasks": study.tasks[:1] if stepped else (),
        "practice_task": study.practice_task if stepped else None,
        "forms": tuple(form.model_copy(update={"when": "before"}) for form in study.forms),
        "instructions": told,
        "returns": made_up,
        "ethics": EthicsRecord(basis="demonstration"),
        "trials": 1,
        "min_categories": 1,
    }
    return create_study(copy, study.name, state="live", **fields)


class _Tour:
    """Goes through the pages as three people do: one stops, one declines, one finishes."""

    def __init__(self, browser: Any, store: Store, study: Study, base: str, folder: Path) -> None:
        self.browser, self.store, self.study, self.base, self.folder = browser, store, study, base, folder
        self.taken = 0

    def go(self, more: Sequence[screen_visits.Visit]) -> None:
        page = self._arrive()
        self._shot(page, "consent")
        page.locator("input[type=checkbox]").check()
        page.locator("button[value=consent]").click()
        self._way(page)
        for visit in more:
            page = self._as(screen_visits.arrive(self.store, visit))
            page.locator(visit.waits).first.wait_for()
            self._shot(page, visit.name)
            page.context.close()
        page = self._arrive()
        page.locator("button[value=decline]").click()
        page.locator(".st-key-reconsider").wait_for()
        self._shot(page, "declined")
        self._end()

    def _arrive(self) -> Any:
        page = self.browser.new_context(viewport=SIZE).new_page()
        page.set_default_timeout(LOAD_MS)
        page.goto(f"{self.base}/enter?invite={access.create_invite(self.store, 'participant', self.study.study_id)}")
        page.locator("button[value=consent]").wait_for()
        return page

    def _shot(self, page: Any, name: str) -> None:
        page.wait_for_timeout(SETTLED_MS)
        self.taken += 1
        page.screenshot(path=str(self.folder / f"{self.taken:02d}-{name}.png"), full_page=True)

    def _way(self, page: Any) -> None:
        """Questionnaires one after the other, then the first task, and stopping."""
        for _ in range(MOST_PAGES):
            page.locator(f".vantage[data-state=ready], .vantage[data-state=stopped], .st-key-withdraw, {TOLD}").first.wait_for()
            if page.locator(TOLD).count():
                self._shot(page, "instructions")
                page.locator(f"{TOLD} button").click()
                page.locator(TOLD).wait_for(state="detached")
                continue
            if not page.locator(".vantage.form").count():
                break
            self._shot(page, "questionnaire")
            self._answer(page)
        if not page.locator(".vantage[data-state=ready] button.stop").count():
            return  # no task that this simulator can show
        self._shot(page, "practice" if self.study.practice_task else "task")
        page.locator("button.stop").click()
        self._shot(page, "stopping")
        page.locator("dialog[open] button.way").first.click()
        page.locator(".st-key-withdraw").wait_for()
        self._shot(page, "stopped")

    def _answer(self, page: Any) -> None:
        """Send the questionnaire with answers that pass, as its page would."""
        (row,) = self.store.query("SELECT showing_id FROM form_showings WHERE sent_at IS NULL ORDER BY rowid DESC LIMIT 1")
        showing = answers.get_showing(self.store, row["showing_id"])
        form = next(form for form in (*self.study.forms, *self.study.checks.forms) if form.name == showing.form)
        body = {"showing": showing.showing_id, "answers": {item.name: {"answer": _passing(item), "declined": False} for item in form.items}}
        page.evaluate(
            "async (body) => { await fetch('api/form/send', { method: 'POST', body: JSON.stringify(body), "
            "headers: { 'content-type': 'application/json' } }); }",
            body,
        )
        page.reload()

    def _end(self) -> None:
        """The last page of somebody who has finished."""
        cookie, grant = access.enter(self.store, access.create_invite(self.store, "participant", self.study.study_id))
        for event in ("welcome", "consent", "practise", "finish"):
            participants.advance(self.store, grant.participant_id or "", event)
        page = self._as(cookie)
        page.locator(".st-key-withdraw").wait_for()
        self._shot(page, "end")

    def _as(self, cookie: str) -> Any:
        """The page of somebody who has come in already."""
        context = self.browser.new_context(viewport=SIZE)
        context.add_cookies([{"name": "vantage_session", "value": cookie, "url": self.base, "httpOnly": True, "sameSite": "Lax"}])
        page = context.new_page()
        page.set_default_timeout(LOAD_MS)
        page.goto(self.base)
        return page


def _passing(item: Item) -> Any:
    """An answer that the item takes, and that passes where it is judged."""
    return item.of.right(item) if item.judged else item.of.drawn(item, random.Random(1))
