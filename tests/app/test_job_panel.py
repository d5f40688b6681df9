"""One panel shows every job: how far it is, why there is nothing, or what came of it."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import app
from app.pages import job_panel
from app.pages.parts import plain_text
from data import jobs
from data.store import Store
from tests.homes import fresh_store
from tests.sources import nodes


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return fresh_store(tmp_path)


def drawn(db: str, job_id: str) -> None:
    from pathlib import Path

    import streamlit as st

    from app.pages import job_panel
    from data import jobs
    from data.home import Home
    from data.store import Store

    store = Store.open(Home.from_env(Path(db)))
    job = jobs.get(store, job_id)

    @st.fragment
    def panel() -> None:
        far = f"{job.done:d} of {job.total:d} things"
        job_panel.show(store, jobs.get(store, job_id), title="An *archive*", far=far, actor="me", done=lambda: st.text("Here it is."))

    panel()


def shown(store: Store, job_id: str) -> AppTest:
    test = AppTest.from_function(drawn, kwargs={"db": str(store.home.db), "job_id": job_id}, default_timeout=30).run()
    assert not test.exception
    return test


def with_state(store: Store, state: str, **columns: object) -> str:
    job_id = jobs.create(store, "export", jobs.command("export"), owner="me")
    with store.atomic() as db:
        db.table("jobs").update(job_id, {"state": state, **columns})
    return job_id


def test_a_job_is_found_however_many_of_other_kinds_and_of_others_came_after_it(store: Store) -> None:
    mine = with_state(store, "done")
    for n in range(job_panel.LATELY + 1):
        jobs.create(store, "audit" if n % 2 else "export", jobs.command("audit"), owner="me" if n % 2 else "you")
    assert [job.job_id for job in job_panel.of_kind(store, "export", owner="me")] == [mine]
    assert len(job_panel.of_kind(store, "audit")) == job_panel.LATELY // 2
    assert [job.job_id for job in job_panel.of_kind(store, "export", owner="me", of="--version")] == []


def test_a_job_of_a_study_is_found_however_many_of_other_studies_came_after_it(store: Store) -> None:
    mine = jobs.create(store, "export", jobs.command("export", "--study", "study_1"), owner="me")
    for n in range(job_panel.LATELY + 1):
        jobs.create(store, "export", jobs.command("export", "--study", f"study_1{n}"), owner="me")
    assert [job.job_id for job in job_panel.of_kind(store, "export", of="study_1")] == [mine]
    assert job_panel.of_kind(store, "export", of="study") == []


@pytest.mark.parametrize("state", ["queued", "running"])
def test_a_job_that_goes_on_can_be_cancelled(store: Store, state: str) -> None:
    job_id = with_state(store, state, done=3, total=12)
    test = shown(store, job_id)
    assert [button.label for button in test.button] == ["Cancel"]
    [bar] = test.get("progress")
    assert bar.proto.value == 25
    assert bar.proto.text == plain_text("An *archive*: 3 of 12 things")
    test.button[0].click().run()
    assert not test.exception
    assert jobs.get(store, job_id).state == "cancelled"
    assert not test.button
    assert test.warning[0].value == plain_text("An *archive*: It was cancelled.")


def test_more_done_than_was_expected_is_all(store: Store) -> None:
    test = shown(store, with_state(store, "running", done=5, total=4))
    assert test.get("progress")[0].proto.value == 100


def test_what_came_of_a_job_is_drawn_when_it_is_done(store: Store) -> None:
    test = shown(store, with_state(store, "done"))
    assert [line.value for line in test.text] == ["Here it is."]
    assert not test.warning and not test.button


def test_why_there_is_nothing_is_said(store: Store) -> None:
    test = shown(store, with_state(store, "failed", message="The disk is full."))
    assert test.warning[0].value == plain_text("An *archive*: It failed. The disk is full.")
    assert not test.text


def test_a_page_finds_its_own_jobs(store: Store) -> None:
    mine = with_state(store, "done")
    other = jobs.create(store, "export", jobs.command("export", "--study", "study_2"), owner="other")
    jobs.create(store, "audit", jobs.command("audit"), owner="me")
    assert [job.job_id for job in job_panel.of_kind(store, "export", owner="me")] == [mine]
    assert [job.job_id for job in job_panel.of_kind(store, "export", of="study_2")] == [other]
    assert [job.job_id for job in job_panel.of_kind(store, "export")] == [other, mine]


def test_a_command_gets_the_database_and_this_python(store: Store) -> None:
    job_id = job_panel.start(store, "export", ["--version"], owner="me")
    assert jobs.argv(store, job_id) == [sys.executable, "-P", "-m", "app.cli", "--version", "--db", str(store.home.db)]


def test_no_page_draws_jobs_by_itself() -> None:
    found = []
    pages = Path(app.__file__).parent / "pages"
    for path in sorted(pages.rglob("*.py")):
        for node in nodes(path):
            typed = isinstance(node, ast.Constant) and node.value in ("queued", "app.cli")
            by_jobs = (
                ("create", "start", "recent", "cancel") if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "jobs" else ()
            )
            if typed or (isinstance(node, ast.Attribute) and node.attr in by_jobs):
                found.append(path.relative_to(pages).as_posix())
    assert set(found) == {"job_panel.py"}
