"""The page People as Streamlit runs it: who may see, invite, name, sign out and take back whom; what is taken back is gone at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app import identity, rights, services
from app.pages import said
from app.services import Settings
from study import access, people
from study.access import EVERY_STUDY, STAFF_ROLES
from study.errors import BadToken, NotAllowed
from study.studies import create_study
from tests.homes import fresh_store
from tests.present import present

HOSTILE = "Ann *Lee* $x$ <b>:smile:"


def draw(grant: object) -> None:
    """The script of the page, as the menu calls it."""
    from app.pages import people as page

    page.page(grant)  # type: ignore[arg-type]


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """Two studies; in the first an owner, a researcher and an annotator, in the second an author; and an owner of everything."""
    store = fresh_store(tmp_path)
    one, two = (create_study(store, name, state="live").study_id for name in ("One", "Two"))
    services.install(SimpleNamespace(store=store, settings=Settings()))  # type: ignore[arg-type]
    kit = SimpleNamespace(store=store, one=one, two=two, who="owner", people={})
    for name, role, study in (
        ("owner", "owner", one), ("lead", "researcher", one), (HOSTILE, "annotator", one), ("far", "author", two),
        ("all", "owner", EVERY_STUDY),
    ):  # fmt: skip
        token = access.create_invite(store, role, study, label=name)
        kit.people[name] = SimpleNamespace(token=token, **dict(zip(("cookie", "grant"), access.enter(store, token), strict=True)))
    monkeypatch.setattr(identity, "page_cookie", lambda: kit.people[kit.who].cookie)
    monkeypatch.setattr(said, "BREATH_S", 0.0)  # a program presses faster than people
    yield kit
    services.install(None)
    store.close()


def opened(kit: SimpleNamespace, who: str, about: str = "") -> AppTest:
    kit.who = who
    test = AppTest.from_function(draw, kwargs={"grant": kit.people[who].grant}, default_timeout=30).run()
    if about:
        test.selectbox(key="people_one").select(kit.people[about].grant.staff_id).run()
    assert not test.exception, test.exception
    return test


def press(test: AppTest, label: str) -> AppTest:
    next(button for button in test.button if button.label == label).click()
    test.run()
    assert not test.exception, test.exception
    return test


def shown(test: AppTest) -> str:
    return " ".join(str(element.proto) for element in test.get("html"))


def test_a_study_shows_its_people_and_everything_shows_all(kit: SimpleNamespace) -> None:
    words = shown(opened(kit, "owner"))
    assert "Ann *Lee* $x$ &lt;b&gt;:smile:" in words and "annotator in One" in words and "far" not in words
    assert "owner in all studies" in words and "Two" not in words
    words = shown(opened(kit, "all"))
    assert "far" in words and "author in Two" in words
    for who in (HOSTILE, "far"):
        kit.who = who
        refused = AppTest.from_function(draw, kwargs={"grant": kit.people[who].grant}, default_timeout=30).run()
        assert refused.exception and "needs the role researcher or owner" in refused.exception[0].message


@pytest.mark.parametrize(("who", "roles"), [("owner", STAFF_ROLES), ("lead", rights.WRITERS), ("all", STAFF_ROLES)])
def test_an_invitation_names_a_person_and_its_link_is_shown_once(kit: SimpleNamespace, who: str, roles: Any) -> None:
    test = opened(kit, who)
    assert len(test.selectbox[0].options) == len(roles)
    test.text_input[0].input("Ben")
    test.selectbox[0].select(roles[0])
    press(test, "Make the link")
    token = test.code[0].value.partition("invite=")[2]
    cookie, grant = access.enter(kit.store, token)
    assert (people.member(kit.store, present(grant.staff_id)).name, grant.role) == ("Ben", roles[0]) and cookie
    assert not opened(kit, who).code
    test = opened(kit, who)
    test.text_input[0].input("  ")
    press(test, "Make the link")
    assert "name of 1 to" in test.error[0].value and not test.code


def test_a_waiting_invitation_is_renewed_and_withdrawn(kit: SimpleNamespace) -> None:
    first = access.create_invite(kit.store, "author", kit.one, label="Cem", days=3)
    test = opened(kit, "lead")
    press(test, "New link")
    second = test.code[0].value.partition("invite=")[2]
    with pytest.raises(BadToken):
        access.enter(kit.store, first)
    press(test, "Make the link")
    test.selectbox(key="people_one").select_index(0).run()
    assert "name of 1 to" in test.error[0].value and test.code[0].value.endswith(second), "a refusal and a choice leave the link"
    press(test, "Withdraw")
    with pytest.raises(BadToken):
        access.enter(kit.store, second)
    assert not test.code and not test.error and "is withdrawn" in test.run().success[0].value
    assert "Invited, not here yet" not in [header.value for header in test.header]


def test_a_link_stands_where_it_was_made_until_another_deed_may_have_ended_it(kit: SimpleNamespace) -> None:
    test = opened(kit, "owner")
    test.text_input[0].input("Cem")
    press(test, "Make the link")
    assert len(test.code) == 1
    press(test, "New link")
    assert len(test.code) == 1, "the first one no longer works"
    assert access.enter(kit.store, test.code[0].value.partition("invite=")[2])


def test_a_role_is_taken_back_after_a_second_press_and_at_once(kit: SimpleNamespace) -> None:
    person = kit.people[HOSTILE]
    test = opened(kit, "lead", HOSTILE)
    press(test, "Take back: annotator in One")
    assert "\\*Lee\\*" in test.warning[0].value and access.grants(kit.store, person.cookie)
    press(test, "No, keep it")
    assert access.grants(kit.store, person.cookie)
    press(press(test, "Take back: annotator in One"), "Yes, take it back")
    assert access.grants(kit.store, person.cookie) == []
    assert "is no longer annotator in One" in test.success[0].value


def test_a_link_is_renewed_and_everything_taken_by_who_could_give_it(kit: SimpleNamespace) -> None:
    person = kit.people[HOSTILE]
    test = press(opened(kit, "owner", HOSTILE), "New link")
    token = test.code[0].value.partition("invite=")[2]
    assert access.enter(kit.store, token)[1].staff_id == person.grant.staff_id
    with pytest.raises(BadToken):
        access.enter(kit.store, person.token)
    press(opened(kit, "owner", HOSTILE), "Sign out everywhere")
    assert access.grants(kit.store, person.cookie) == []
    test = opened(kit, "owner", HOSTILE)
    press(press(test, "Take everything back"), "Yes, take it back")
    assert people.member(kit.store, person.grant.staff_id).revoked_at
    with pytest.raises(BadToken):
        access.enter(kit.store, token)


def test_nobody_comes_to_more_than_they_could_give(kit: SimpleNamespace) -> None:
    """A link of somebody is what they may do: who makes it could use it."""
    test = opened(kit, "lead", "owner")
    assert all(button.disabled for button in test.button if button.label in ("New link", "Sign out everywhere", "Change the name"))
    assert "Take everything back" not in [button.label for button in test.button]
    may = {
        who: {
            name for name, person in kit.people.items()
            if not _refused(lambda w=who, p=person: rights.head_of(
                kit.store, kit.people[w].cookie, people.member(kit.store, p.grant.staff_id)))
        }
        for who in kit.people
    }  # fmt: skip
    assert may == {"owner": {"owner", "lead", HOSTILE}, "lead": {HOSTILE}, HOSTILE: set(), "far": set(), "all": set(kit.people)}
    access.add_role(kit.store, kit.people[HOSTILE].grant.staff_id, "author", kit.two)  # works for others too
    member = people.member(kit.store, kit.people[HOSTILE].grant.staff_id)
    assert _refused(lambda: rights.head_of(kit.store, kit.people["owner"].cookie, member))
    assert not _refused(lambda: rights.appointer(kit.store, kit.people["owner"].cookie, "annotator", kit.one))
    for role, study in (("researcher", kit.one), ("owner", kit.one), ("author", kit.two), ("author", EVERY_STUDY)):
        assert _refused(lambda role=role, study=study: rights.appointer(kit.store, kit.people["lead"].cookie, role, study))


def _refused(work: Any) -> bool:
    try:
        work()
    except NotAllowed:
        return True
    return False


def test_a_press_after_the_right_is_gone_does_nothing(kit: SimpleNamespace) -> None:
    test = opened(kit, "lead", HOSTILE)
    access.revoke_staff(kit.store, kit.people["lead"].grant.staff_id)
    next(button for button in test.button if button.label == "New link").click()
    test.run()
    assert kit.store.one("SELECT count(*) AS n FROM invites WHERE revoked_at IS NULL AND staff_id = ?",
                         [kit.people[HOSTILE].grant.staff_id]) == {"n": 1}  # fmt: skip
    assert access.enter(kit.store, kit.people[HOSTILE].token, kit.people[HOSTILE].cookie)[1] == kit.people[HOSTILE].grant
