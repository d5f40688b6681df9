"""Pages are declared: menu, routes and components follow from the registry, and nothing else of the app knows a page's address."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import app
from app.components import Component, assets, authoring, reviewing
from app.pages.registry import PAGES, pages_of
from app.routes import routes
from study.access import ROLES, Grant

ROOT = Path(app.__file__).parent
STUDY = ["episodes", "episode", "setup", "watch", "participants", "payments", "results", "export", "people"]
LEADS = [
    *STUDY, "questions", "make", "editor", "moments", "verification", "disputes", "trajectories", "record", "author", "audit", "log",
]  # fmt: skip
MENUS = {
    "participant": ["study"],
    "annotator": ["make", "editor", "review", "moments", "answers", "trajectories", "record", "author", "verify", "adjudicate"],
    "author": ["make", "editor", "moments", "record", "author"],
    "reviewer": ["review", "verify"],
    "researcher": LEADS,
    "owner": LEADS,
}


@pytest.mark.parametrize("role", ROLES)
def test_each_role_has_its_pages_and_lands_on_the_first(role: str) -> None:
    assert [page.path for page in pages_of(Grant("gr", role, "st_1", None, None))] == MENUS[role]


def test_titles_and_addresses_are_each_pages_own_and_it_can_be_drawn() -> None:
    assert len({page.path for page in PAGES}) == len({page.title for page in PAGES}) == len(PAGES)
    for page in PAGES:
        assert callable(page.draw) and re.fullmatch(r"[a-z-]+", page.path) and page.roles and set(page.roles) <= set(ROLES)


def test_a_researchers_menu_is_grouped_and_a_menu_of_one_group_is_not() -> None:
    groups = {page.path: page.group for page in pages_of(Grant("gr", "researcher", "st_1", None, None))}
    study = [*STUDY, "verification", "disputes", "trajectories", "record", "author", "audit", "log"]
    assert [path for path, group in groups.items() if group == "Study"] == study
    assert {group for path, group in groups.items() if path in ("questions", "make", "editor", "moments")} == {"Robot questions"}
    author = {page.path: page.group for page in pages_of(Grant("gr", "author", "st_1", None, None))}
    assert {path for path, group in author.items() if group != "Robot questions"} == {"record", "author"}
    annotator = {page.path: page.group for page in pages_of(Grant("gr", "annotator", "st_1", None, None))}
    beside = {"answers", "trajectories", "record", "author", "verify", "adjudicate"}
    assert {path for path, group in annotator.items() if group != "Robot questions"} == beside


def test_the_routes_of_every_page_are_served_once_and_no_others_but_those_without_a_page() -> None:
    served = [route for route in routes() if getattr(route, "path", "").startswith("/api/")]
    declared = {id(route) for page in PAGES for route in page.routes}
    for page in PAGES:
        for route in page.routes:
            assert sum(other is route for other in served) == 1, f"{page.title}: {route.path}"
    others = [getattr(route, "path", "") for route in served if id(route) not in declared]
    assert all(path.startswith(("/api/agent/", "/api/way")) or path == "/api/{rest:path}" for path in others), others
    assert getattr(served[-1], "path", "") == "/api/{rest:path}"  # what nobody serves is said last


def test_the_assets_of_every_page_are_served_with_all_that_they_import() -> None:
    for page in PAGES:
        wanted = [f"{component.name}.js" for component in page.components]
        wanted += [f"{sheet}.css" for component in page.components for sheet in ("base", *component.sheets)]
        seen: set[str] = set()
        while wanted:
            name = wanted.pop()
            if name in seen:
                continue
            seen.add(name)
            assert name in assets(), f"{page.title}: {name}"
            wanted += re.findall(r"from '\./([\w.]+)'", assets()[name][0].decode()) if name.endswith(".js") else []
        for component in page.components:
            code = assets()[f"{component.name}.js"][0].decode()
            assert re.search(r"export (const|function) mount\b|export \{[^}]*\bmount\b", code), component.name


def test_every_component_belongs_to_a_page_or_is_part_of_another() -> None:
    used = {component.name for page in PAGES for component in page.components}
    known = {value for module in (app.components, authoring, reviewing) for value in vars(module).values() if isinstance(value, Component)}
    imported = {target for data, _ in assets().values() for target in re.findall(r"from '\./([\w.]+)\.js'", data.decode())}
    assert {component.name for component in known} - used <= imported


def test_no_page_is_found_by_its_address_elsewhere() -> None:
    """In the app a page is named by its declaration: its address and Streamlit's own pages stand nowhere else."""
    own = {ROOT / "pages" / name for name in ("page.py", "navigation.py")}
    for path in sorted(ROOT.rglob("*.py")):
        code = path.read_text(encoding="utf-8")
        assert path in own or "st.Page(" not in code, path
        assert path in own or not re.search(r"switch_page\((?!\w+\.to\(\))", code), path
        assert not re.search(r"url_path\s*==|\.path\s*==\s*[\"']", code), path
