"""One module decides who may do what; everything of the app asks it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import app
from app import rights
from data.store import Store
from study import access
from study.access import EVERY_STUDY, Grant
from study.errors import NotAllowed
from study.studies import create_study
from tests.homes import fresh_store

ROOT = Path(app.__file__).parent
DECIDES = re.compile(
    r"\.allows\(|access\.(grants|require|player)\(|from study\.access import [^\n]*\b(grants|require|player)\b|"
    r"agent_keys\.agent\(|from study\.agent_keys import [^\n]*\bagent\b"
)


def test_no_other_file_of_the_app_decides() -> None:
    found = [
        path.relative_to(ROOT).as_posix()
        for path in sorted(ROOT.rglob("*.py"))
        if DECIDES.search(path.read_text(encoding="utf-8")) and path != ROOT / "rights.py"
    ]
    assert found == []
    assert DECIDES.search((ROOT / "rights.py").read_text(encoding="utf-8"))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return fresh_store(tmp_path)


def come(store: Store, role: str, study_id: str, cookie: str | None = None) -> tuple[str, Grant]:
    return access.enter(store, access.create_invite(store, role, study_id), cookie)


def test_a_page_is_open_only_while_the_browser_has_its_very_grant(store: Store) -> None:
    study = create_study(store, "S").study_id
    cookie, grant = come(store, "owner", study)
    other, _ = come(store, "owner", study)
    assert rights.still(store, cookie, grant, "researcher") == grant
    for who, roles in ((cookie, ("author",)), (other, ("researcher",)), (None, ("researcher",))):
        with pytest.raises(NotAllowed):
            rights.still(store, who, grant, *roles)
    access.sign_out(store, cookie, grant.grant_id)
    with pytest.raises(NotAllowed):
        rights.still(store, cookie, grant, "researcher")


def test_a_role_in_one_study_is_none_in_another_and_staff_of_all_studies_have_it_everywhere(store: Store) -> None:
    one, two = (create_study(store, name).study_id for name in "AB")
    cookie, grant = come(store, "researcher", one)
    everywhere, _ = come(store, "researcher", EVERY_STUDY)
    assert rights.in_study(store, cookie, "researcher", one) == grant
    for study in (two, EVERY_STUDY, ""):
        with pytest.raises(NotAllowed):
            rights.in_study(store, cookie, "researcher", study)
    assert all(rights.in_study(store, everywhere, "researcher", study) for study in (one, two, EVERY_STUDY, ""))


def test_only_who_made_an_export_may_fetch_it_and_only_as_a_researcher(store: Store) -> None:
    study = create_study(store, "S").study_id
    cookie, researcher = come(store, "researcher", study)
    cookie, _ = come(store, "author", study, cookie)
    cookie, _ = come(store, "participant", study, cookie)
    assert rights.exporters(store, cookie) == {researcher.staff_id}
    assert rights.exporters(store, None) == set()


def test_an_unknown_episode_is_refused_like_a_foreign_one(store: Store) -> None:
    study = create_study(store, "S").study_id
    cookie, _ = come(store, "participant", study)
    with pytest.raises(NotAllowed, match="This task is not yours"):
        rights.player(store, cookie, "ep_none")
    with pytest.raises(NotAllowed, match="researcher"):
        rights.researcher_of(store, cookie, "ep_none")
