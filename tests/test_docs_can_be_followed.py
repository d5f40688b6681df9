"""What a how-to page tells people to run, runs, and does what the page says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from click.testing import CliRunner

from app.cli import main
from data.generators.registry import bundled
from data.home import Home
from data.store import Store
from study import access, participants
from study.studies import Recruitment, get_study
from tests.present import present

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


PAGE = "how-to/recruit-participants.md"


def commands(page: str) -> list[list[str]]:
    """The ``vantage`` commands in a page's blocks, as arguments."""
    found = re.findall(r"^(?:\.venv/bin/)?vantage (.*)$", "\n".join(blocks(page, "")), re.M)
    return [shlex.split(line) for line in found]


def blocks(page: str, language: str) -> list[str]:
    """The blocks of a page in one language."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", (DOCS / page).read_text(encoding="utf-8"), re.S | re.M)
    return [text for name, text in found if name == language]


def vantage(home: Home, *args: str) -> str:
    result = CliRunner().invoke(main, [*args, "--db", str(home.db)])
    assert result.exit_code == 0, result.output
    return result.stdout.strip()


def test_a_study_with_recruitment_is_made_as_the_page_says(tmp_path: Path) -> None:
    create, invite, kiosk, pay, paid, bonus, reconcile, recruited = commands(PAGE)
    settings, ethics, returns, money = blocks(PAGE, "toml")
    (tmp_path / "study.toml").write_text(settings)
    (tmp_path / "ethics.toml").write_text(ethics)
    home = Home.from_env(tmp_path / "vantage.db")
    store = Store.open(home)
    for task in bundled():
        if task.subcategory == "Dimensional Size":
            store.put_task(task)
    study = vantage(home, *create)
    one = next(iter(store.tasks())).task_id
    by_file = vantage(home, *create[:2], "Size, by file", "--task", one, "--settings", str(tmp_path / "study.toml"))
    for made in (study, by_file):
        found = get_study(store, made)
        assert (found.trials, found.per_task, found.recruitment) == (2, 20, Recruitment(external_study="65f0c1"))
    vantage(home, "study", "edit", study, "--settings", str(tmp_path / "ethics.toml"), "--consent", "What is recorded.")
    for name, text in (("returns", returns), ("pay", money)):
        (tmp_path / f"{name}.toml").write_text(text)
        vantage(home, "study", "edit", study, "--settings", str(tmp_path / f"{name}.toml"))
    vantage(home, "study", "open", study)
    link = vantage(home, *(study if word == "STUDY" else word for word in invite))
    assert link.startswith("https://study.example.org/enter?invite=")
    assert access.enter(store, link.partition("invite=")[2])[1].role == "participant"
    link = vantage(home, *(study if word == "STUDY" else word for word in kiosk))
    cookie, first = access.enter(store, link.partition("invite=")[2])
    assert access.enter(store, link.partition("invite=")[2], cookie)[1] != first and access.grants(store, cookie) == []
    access.enter_recruited(store, {"PROLIFIC_PID": "5f00aa", "STUDY_ID": "65f0c1", "SESSION_ID": "s1"})
    assert vantage(home, *(study if word == "STUDY" else word for word in recruited)).split()[0] == "5f00aa"
    person = str(present(store.one("SELECT participant_id FROM recruitment"))["participant_id"])
    for event in ("welcome", "consent", "practise", "finish"):
        participants.advance(store, person, event)
    (tmp_path / "prolific_export.csv").write_text("Participant id,Status,Completion code\n5f00aa,AWAITING REVIEW,C1A2B3\n")
    names = {"STUDY": study, "PARTICIPANT": person, "to-pay.csv": str(tmp_path / "pay.csv")}
    names["prolific_export.csv"] = str(tmp_path / "prolific_export.csv")
    said = [vantage(home, *(names.get(word, word) for word in words)) for words in (pay, paid, bonus)]
    assert "due 6.00 GBP" in said[0] and "paid 6.00 GBP" in said[1] and "bonus 1.50 GBP" in said[2]
    assert "5f00aa" in (tmp_path / "pay.csv").read_text()
    assert "1  to approve" in vantage(home, *(names.get(word, word) for word in reconcile))


def test_every_page_can_be_reached_from_the_first_one() -> None:
    readme = (DOCS / "README.md").read_text(encoding="utf-8")
    pages = [path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md") if path.name != "README.md"]
    assert [page for page in pages if f"]({page})" not in readme] == []
