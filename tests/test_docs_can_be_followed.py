"""What a how-to page tells people to run, runs, and does what the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from data.generators.registry import bundled
from data.home import Home
from data.store import Store
from study import access

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def blocks(page: str) -> list[str]:
    """The Python blocks of a page."""
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.S)


def run(code: str, home: Path) -> str:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "VANTAGE_HOME": str(home)}
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_study_with_recruitment_is_made_as_the_page_says(tmp_path: Path) -> None:
    make, who = blocks("how-to/recruit-participants.md")
    store = Store.open(Home.from_env(tmp_path / "vantage.db"))
    for task in bundled():
        store.put_task(task)
    printed = run(make, tmp_path)
    token = re.search(r"invitation: /enter\?invite=(\S+)", printed)
    assert token is not None and access.enter(store, token[1])[1].role == "participant"
    access.enter_recruited(store, {"PROLIFIC_PID": "5f00aa", "STUDY_ID": "65f0c1", "SESSION_ID": "s1"})
    assert run(who, tmp_path).split("\t")[:2] == ["5f00aa", "entered"]


@pytest.mark.parametrize("page", sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")))
def test_a_link_to_a_file_leads_somewhere(page: str) -> None:
    here = DOCS / page
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", here.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (here.parent / link).exists()]
    assert missing == []


def test_every_page_can_be_reached_from_the_first_one() -> None:
    readme = (DOCS / "README.md").read_text(encoding="utf-8")
    pages = [path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md") if path.name != "README.md"]
    assert [page for page in pages if f"]({page})" not in readme] == []
