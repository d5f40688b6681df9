"""Links of every Markdown page lead to a file that is there, and to a heading that it has; paths that READMEs name are there."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from study.citations import uncited

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("app", "annotation", "study", "data", "sim_bridge", "bench")
LEFT_OUT = ("build", "dist", "node_modules")
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in ROOT.rglob("*.md")
    if not any(part.startswith(".") or part in LEFT_OUT for part in path.relative_to(ROOT).parts)
)
LINK = re.compile(r"\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)")
NAMED = re.compile(r"`([\w./-]+/[\w./-]*)`")
"""A name between backticks that has a slash, as a path has."""
READMES = [page for page in PAGES if page.endswith("README.md") and not page.startswith("tests/study")]
SAYS_PATHS = [*READMES, *(page for page in PAGES if page == "CONTRIBUTING.md" or page.startswith("docs/explanation/"))]


def prose(page: str) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^ *```.*?^ *```$", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.M | re.S)


@cache
def headings(page: str) -> frozenset[str]:
    """The anchors of a page as GitHub makes them: lower case, no punctuation, dashes for blanks, ``-1`` on the second of a name."""
    found: dict[str, int] = {}
    anchors = set()
    for heading in re.findall(r"^#{1,6} +(.+?) *$", prose(page), flags=re.M):
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        anchors.add(f"{name}-{found[name]}" if name in found else name)
        found[name] = found.get(name, 0) + 1
    return frozenset(anchors)


def leads_nowhere(page: str, link: str) -> bool:
    """Whether a link to something of our own misses it."""
    if re.match(r"[a-z]+:", link):
        return False
    name, _, anchor = link.partition("#")
    target = (ROOT / page).parent / name if name else ROOT / page
    if not target.exists():
        return True
    return bool(anchor) and anchor not in headings(target.resolve().relative_to(ROOT).as_posix())


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_to_a_file_and_a_heading(page: str) -> None:
    assert [link for link in LINK.findall(prose(page)) if leads_nowhere(page, link)] == []


def test_a_link_that_misses_is_found() -> None:
    assert leads_nowhere("README.md", "docs/none.md") and leads_nowhere("README.md", "docs/README.md#none")
    assert leads_nowhere("docs/explanation/measurement.md", "#31-none")
    assert not leads_nowhere("docs/explanation/measurement.md", "#3-the-gold-never-travels")


def is_here(name: str, page: str) -> bool:
    """Whether a name is that of something in the tree: from its root, or from the folder of the page."""
    return any((start / name).exists() or (start / f"{name}.py").exists() for start in (ROOT, (ROOT / page).parent))


def named_paths(page: str) -> list[str]:
    """Paths into our rooms that a page names."""
    rooms = {path.name for path in ROOT.iterdir() if path.is_dir()} | {
        path.name for path in (ROOT / page).parent.iterdir() if path.is_dir()
    }
    return [name for name in NAMED.findall(prose(page)) if name.split("/")[0] in rooms]


@pytest.mark.parametrize("page", SAYS_PATHS)
def test_a_path_that_is_named_is_there(page: str) -> None:
    assert [name for name in named_paths(page) if not is_here(name, page)] == []


@cache
def files() -> frozenset[str]:
    """Names of our modules, without folders."""
    return frozenset(path.name for room in (*ROOMS, "tools", "tests") for path in (ROOT / room).rglob("*") if path.suffix in (".py", ".js"))


@pytest.mark.parametrize("page", SAYS_PATHS)
def test_a_module_that_is_named_is_there(page: str) -> None:
    assert [name for name in re.findall(r"`(\w+\.(?:py|js))`", prose(page)) if name not in files()] == []


def test_rules_of_measurement_are_numbered_without_gaps_and_cited_by_numbers_that_are_there() -> None:
    rules = [int(n) for n in re.findall(r"^### (\d+)\. ", prose("docs/explanation/measurement.md"), flags=re.M)]
    assert rules == list(range(1, len(rules) + 1)) and len(rules) >= 30
    told = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    cited = {int(n) for path in told for n in re.findall(r"\(measurement\s+(\d+)", path.read_text(encoding="utf-8"))}
    assert cited <= set(rules)


def test_what_settings_say_on_pages_and_in_commands_cites_no_rule() -> None:
    assert uncited("As people see it (measurement 17, 24); the same for all (measurement 2).") == "As people see it; the same for all."
    assert re.findall(r"measurement \d", (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")) == []
