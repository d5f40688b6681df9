"""One link of staff is one person, whichever browser; a browser's cookie changes with each right; idle access as staff ends."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils.utils import sqlite3

from data.home import Home
from data.store import Store
from study import access, demo
from study.errors import BadToken, NotAllowed
from study.studies import Recruitment, create_study
from tests.present import present

FIXTURES = Path(__file__).parent / "fixtures"
STAFF = [role for role in access.ROLES if role != "participant"]


@pytest.fixture
def study(store: Store) -> str:
    return create_study(store, "S", state="live").study_id


def ago(hours: float) -> str:
    return (datetime.now(UTC) - timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def staff_of(store: Store) -> list[str]:
    return [row["staff_id"] for row in store.query("SELECT staff_id FROM staff")]


@pytest.mark.parametrize("role", STAFF)
def test_every_browser_that_opens_a_link_of_staff_is_the_same_person(store: Store, study: str, role: Any) -> None:
    token = access.create_invite(store, role, study, label="Ann")
    first, grant = access.enter(store, token)
    second, other = access.enter(store, token)
    access.sign_out(store, first)
    again, back = access.enter(store, token, first)
    assert len({first, second, again}) == 3
    assert {grant.staff_id, other.staff_id, back.staff_id} == set(staff_of(store)) and (other.role, back.role) == (role, role)
    assert access.grants(store, first) == [] and access.grants(store, again) == [back] and access.grants(store, second) == [other]


@pytest.mark.parametrize("link", demo.ROLES)
def test_a_printed_link_of_the_demo_is_one_person(store: Store, link: Any) -> None:
    path = next(each.path for each in demo.seed_demo(store) if each.role == link)
    people = {access.enter(store, path.partition("invite=")[2])[1] for _ in range(3)}
    assert len({grant.staff_id or grant.participant_id for grant in people}) == (3 if link == "participant" else 1)


def test_a_second_browser_has_every_role_of_its_person(store: Store, study: str) -> None:
    token = access.create_invite(store, "author", study)
    _, grant = access.enter(store, token)
    access.add_role(store, present(grant.staff_id), "reviewer", study)
    second, shown = access.enter(store, token)
    assert {g.role for g in access.grants(store, second)} == {"author", "reviewer"} and shown.role == "author"
    access.revoke_staff(store, present(grant.staff_id), role="author")
    third, shown = access.enter(store, token)
    assert [g.role for g in access.grants(store, third)] == ["reviewer"] and shown.role == "reviewer"


def test_who_lost_their_roles_does_not_get_them_back_by_their_link(store: Store, study: str) -> None:
    token = access.create_invite(store, "author", study)
    cookie, grant = access.enter(store, token)
    access.revoke_staff(store, present(grant.staff_id), role="author")
    for browser in (cookie, None):
        with pytest.raises(BadToken, match="ended your access"):
            access.enter(store, token, browser)
    access.revoke_staff(store, present(grant.staff_id))
    for browser in (cookie, None):
        with pytest.raises(BadToken):
            access.enter(store, token, browser)
    assert staff_of(store) == [grant.staff_id]


def test_a_link_is_opened_in_time_and_then_stays_its_persons_until_it_is_revoked(store: Store, study: str) -> None:
    token, late = access.create_invite(store, "author", study, days=1), access.create_invite(store, "author", study, days=-1)
    _, grant = access.enter(store, token)
    with store.atomic() as db:
        db.execute("UPDATE invites SET expires_at = ? WHERE expires_at IS NOT NULL", [ago(1)])
    assert access.enter(store, token)[1].staff_id == grant.staff_id
    with pytest.raises(BadToken):
        access.enter(store, late)
    invite = store.one("SELECT invite_id FROM invites WHERE staff_id = ?", [grant.staff_id])
    access.revoke_invite(store, present(invite)["invite_id"])
    with pytest.raises(BadToken):
        access.enter(store, token)


def test_a_link_for_one_browser_takes_the_same_browser_back(store: Store) -> None:
    token = access.first_admin_token(store)
    cookie, grant = access.enter(store, present(token))
    with pytest.raises(BadToken):
        access.enter(store, present(token))
    access.sign_out(store, cookie)
    again, back = access.enter(store, present(token), cookie)
    assert back.staff_id == grant.staff_id and access.require(store, again, "owner")


def test_two_links_in_one_browser_are_two_names_and_one_person_who_sees(store: Store, study: str) -> None:
    cookie, writer = access.enter(store, access.create_invite(store, "author", study))
    cookie, judge = access.enter(store, access.create_invite(store, "reviewer", study), cookie)
    _, other = access.enter(store, access.create_invite(store, "reviewer", study))
    assert {g.role for g in access.grants(store, cookie)} == {"author", "reviewer"}
    both = sorted([writer.staff_id, judge.staff_id])  # type: ignore[type-var]
    assert access.same_people(store, present(writer.staff_id)) == access.same_people(store, present(judge.staff_id)) == both
    assert access.same_people(store, present(other.staff_id)) == [other.staff_id]
    access.sign_out(store, cookie)  # somebody else comes to the same computer
    _, third = access.enter(store, access.create_invite(store, "reviewer", study), cookie)
    assert access.same_people(store, present(third.staff_id)) == [third.staff_id]


@pytest.mark.parametrize("second", [*STAFF, "participant", "recruited"])
def test_a_cookie_known_before_is_worth_nothing_after_a_new_right(store: Store, study: str, second: Any) -> None:
    planted, first = access.enter(store, access.create_invite(store, "participant", study))
    if second == "recruited":
        create_study(store, "R", state="live", recruitment=Recruitment(external_study="abc"))
        mine, new = access.enter_recruited(store, {"PROLIFIC_PID": "p", "STUDY_ID": "abc"}, planted)
    else:
        mine, new = access.enter(store, access.create_invite(store, second, study), planted)
    assert mine != planted and access.grants(store, planted) == []
    # nothing is lost: the same session under another value; only two people of one study are never in one browser
    assert set(access.grants(store, mine)) == ({new} if second == "participant" else {first, new})
    assert store.one("SELECT count(*) AS n FROM sessions WHERE revoked_at IS NULL") == {"n": 1}
    assert access.enter(store, access.create_invite(store, "participant", study), "made up")[0] != "made up"


def test_staff_who_are_away_too_long_come_back_by_their_link_as_the_same_person(store: Store, study: str) -> None:
    token = access.create_invite(store, "author", study)
    cookie, player = access.enter(store, access.create_invite(store, "participant", study))
    cookie, grant = access.enter(store, token, cookie)
    assert not access.idle(store, cookie)
    for hours, lasts in ((access.STAFF_IDLE_HOURS + 1, True), (1, False)):
        access.touch(store, cookie, hours)
        with store.atomic() as db:  # a time has gone by
            db.execute("UPDATE sessions SET staff_until = strftime('%Y-%m-%dT%H:%M:%fZ', staff_until, '-12 hours')")
        assert (grant in access.grants(store, cookie), access.idle(store, cookie)) == (lasts, not lasts)
    with pytest.raises(NotAllowed):
        access.require(store, cookie, "author", study)
    access.touch(store, cookie)  # too late
    assert access.grants(store, cookie) == [player] and access.held(store, token, cookie) is None
    again, back = access.enter(store, token, cookie)
    assert back == grant and again != cookie and set(access.grants(store, again)) == {player, grant}
    assert access.held(store, token, again) == grant and access.enter(store, token, again) == (again, grant)


def test_links_of_before_keep_their_people_and_make_no_others(tmp_path: Path) -> None:
    home = Home.from_env(tmp_path / "vantage.db")
    db = sqlite3.connect(str(home.db))
    db.executescript((FIXTURES / "schema_0004.sql").read_text())
    (study,) = db.execute("SELECT study_id FROM studies").fetchone()
    at, later = "2026-11-28T09:00:00.000Z", "2036-11-28T09:00:00.000Z"
    for link, people in (("one", ["ann"]), ("many", ["ben", "cem"]), ("unused", [])):
        db.execute("INSERT INTO invites VALUES (?, ?, 'author', ?, ?, NULL, ?, NULL, NULL)", [link, access._hash(link), study, link, at])
        for who in people:
            db.execute("INSERT INTO staff VALUES (?, ?, ?, NULL)", [who, link, at])
            db.execute("INSERT INTO roles VALUES (?, ?, 'author', ?, NULL)", [who, study, at])
            db.execute("INSERT INTO sessions VALUES (?, ?, ?, ?, NULL)", [f"se_{who}", access._hash(who), at, later])
            grant = [f"gr_{who}", f"se_{who}", study, who, link, at]
            db.execute("INSERT INTO grants VALUES (?, ?, 'author', ?, NULL, ?, ?, ?, NULL)", grant)
    db.commit()
    db.close()
    store = Store.open(home)
    for who, link in (("ann", "one"), ("ben", "many"), ("cem", "many")):
        assert [grant.staff_id for grant in access.grants(store, who)] == [who]
        assert access.enter(store, link, who)[1].staff_id == who  # in the browser of before, straight on
        access.sign_out(store, who)
        assert access.enter(store, link, who)[1].staff_id == who
    assert access.enter(store, "one")[1].staff_id == "ann"
    with pytest.raises(BadToken, match="Several people came in by this link"):
        access.enter(store, "many")
    assert [access.is_valid(store, link) for link in ("one", "many", "unused")] == [True, False, True]
    assert sorted(staff_of(store)) == ["ann", "ben", "cem"]
