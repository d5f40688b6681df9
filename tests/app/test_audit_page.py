"""The page Audit as Streamlit runs it: the checks run as a job, and the page tells what they found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from streamlit.testing.v1 import AppTest

from app import identity, services
from app.cli import main
from app.pages.parts import plain_text
from data import jobs
from data.store import Store
from study import access
from study.access import EVERY_STUDY
from tests.annotation.auditing.made import made
from tests.homes import fresh_store


def draw(grant: object) -> None:
    """The script of the page, as the navigation calls it."""
    from app.pages import audit

    audit.page(grant)  # type: ignore[arg-type]


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    store = fresh_store(tmp_path)
    with store.atomic():
        for number in range(20):
            pair = (f"thing {number}", f"other {number}")
            store.put_task(made(number, f"{number}: which is larger?", pair, pair[0]))
    services.install(SimpleNamespace(store=store, home=store.home))  # type: ignore[arg-type]
    cookie, grant = access.enter(store, access.create_invite(store, "researcher", EVERY_STUDY))
    monkeypatch.setattr(identity, "page_cookie", lambda: cookie)

    def run_in_here(store: Store, job_id: str) -> None:
        """The job's own command, in this process."""
        with store.atomic() as db:
            db.execute("UPDATE jobs SET state = 'running' WHERE job_id = ?", [job_id])
        monkeypatch.setenv(jobs.JOB_VARIABLE, job_id)
        command = jobs.argv(store, job_id)
        result = CliRunner().invoke(main, command[command.index("app.cli") + 1 :])
        assert result.exit_code == 0, result.output
        with store.atomic() as db:
            db.execute("UPDATE jobs SET state = 'done' WHERE job_id = ?", [job_id])

    monkeypatch.setattr(jobs, "start", run_in_here)
    yield SimpleNamespace(store=store, open=lambda: AppTest.from_function(draw, kwargs={"grant": grant}, default_timeout=60).run())
    services.install(None)
    store.close()


def test_a_set_is_chosen_audited_and_told_with_examples_fixes_and_the_file(kit: SimpleNamespace) -> None:
    page = kit.open()
    assert not page.exception and "No audit has been run yet." in [caption.value for caption in page.caption]
    page.button(key="audit-run/0").click().run()
    assert not page.exception
    titles = [expander.label for expander in page.expander]
    assert plain_text("Warning: gold position, 20 tasks") in titles
    told = " ".join(html.proto.body for html in page.get("html"))
    assert "is option 1 of 2, as in 20 of 20 questions" in told and "Shuffle the options" in told
    assert "Balance and diversity" in titles and "option places" in told and "Mean of the categories" in told
    (job,) = jobs.recent(kit.store)
    assert job.kind == "audit" and job.result["rows"] == 20
    command = jobs.argv(kit.store, job.job_id)
    lines = [json.loads(line) for line in Path(command[command.index("--out") + 1]).read_text().splitlines()]
    assert {"row_id", "file", "check_id", "evidence"} == set(lines[0])
    assert f"href='api/staff/findings/{job.job_id}'" in told
