"""The way in, over HTTP at a real server: whoever only looks uses nothing up, a button lets in, and once."""

from __future__ import annotations

import hashlib
import http.client
import os
import re
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

import app
from annotation.verifying import items
from annotation.verifying.verifications import Protocol
from data.home import Home
from data.store import Store
from data.task import Gold, Provenance, Question, Task
from sim_bridge.spec import Camera, Pose, Room, Scene
from study import access, participants
from study.studies import Recruitment, Study, create_study

ROOT = Path(app.__file__).parent.parent
SCANNERS = (
    {"user-agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"},
    {"user-agent": "WhatsApp/2.23.20.0"},
    {"user-agent": "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5"},
    {"user-agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36"},
    {"sec-purpose": "prefetch"},
    {"sec-purpose": "prefetch;prerender"},
    {"purpose": "prefetch"},
)


class Form(HTMLParser):
    """The fields and buttons of a page's form, and its words."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.fields, self.buttons, self.words, self.scripts = {}, [], "", 0  # type: ignore[var-annotated]
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        of = {name: value or "" for name, value in attrs}
        if tag == "form":
            assert of["method"] == "post"
            assert "action" not in of  # to its own page, wherever the app lies
        elif tag == "input" and of["type"] == "hidden":
            self.fields[of["name"]] = of["value"]
        elif tag == "button":
            self.buttons.append((of.get("name", ""), of.get("value", "")))
        elif tag == "script" or any(name.startswith("on") for name in of):
            self.scripts += 1

    def handle_data(self, data: str) -> None:
        self.words += data


@dataclass
class Reply:
    status: int
    address: str
    text: str
    headers: Mapping[str, str]

    @property
    def form(self) -> Form:
        return Form(self.text)


class Browser:
    """A client with cookies that follows redirects, as a browser does; where an address leads into the app it stops."""

    def __init__(self, base: str) -> None:
        self.base, self.jar = base, CookieJar()

        class Within(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: Any) -> Any:
                into = urlsplit(newurl).path in ("/", "/verify")  # a page of the app
                return None if into else super().redirect_request(req, fp, code, msg, headers, newurl)

        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar), Within)

    def ask(self, path: str, data: Mapping[str, str] | None = None, method: str | None = None, **headers: str) -> Reply:
        body = None if data is None else urlencode(data).encode()
        sent = {"origin": self.base} if data is not None else {}
        request = urllib.request.Request(self.base + path, body, sent | headers, method=method)
        try:
            with self._opener.open(request, timeout=30) as reply:
                return Reply(reply.status, reply.url, reply.read().decode(), reply.headers)
        except urllib.error.HTTPError as error:
            return Reply(error.code, error.headers.get("location") or error.url, error.read().decode(), error.headers)  # type: ignore[arg-type]

    def press(self, page: Reply, choice: str = "consent", agrees: bool = True) -> Reply:
        """Press a button of the page: the consent's, or the only one."""
        fields = dict(page.form.fields)
        if page.form.buttons[0][0]:
            fields |= {"vantage-choice": choice} | ({"vantage-agrees": "yes"} if agrees else {})
        return self.ask(urlsplit(page.address).path, fields)

    @property
    def cookie(self) -> str | None:
        """The session's."""
        return next((cookie.value for cookie in self.jar if cookie.name == "vantage_session"), None)


@dataclass
class Place:
    base: str
    store: Store

    def study(self, name: str = "Kitchens", **fields: object) -> Study:
        scene = Scene(camera=Camera(64, 48, 75.0), room=Room(), objects=())
        task = Task(
            task_id="t", category="Metric Comparison", subcategory="Dimensional Size", scene=scene, start=Pose((0, -2, 1.2)),
            question=Question(form="yes_no", text="Is it?", options=("yes", "no")), gold=Gold(accepted=("yes",), chance=0.5),
            provenance=Provenance(dataset="vantage"),
        )  # fmt: skip
        self.store.put_task(task)
        return create_study(self.store, name, state="live", tasks=(task.content_hash,), trials=1, **fields)

    def link(self, study_id: str, role: str = "participant", **fields: Any) -> str:
        return f"/enter?invite={access.create_invite(self.store, role, study_id, **fields)}"

    def content(self) -> dict[str, list[dict[str, object]]]:
        """Everything that the way in could change."""
        tables = ("invites", "sessions", "grants", "participants", "recruitment", "staff", "roles", "events", "slots", "episodes")
        return {table: self.store.query(f"SELECT * FROM {table} ORDER BY rowid") for table in tables}

    def people(self, study: Study) -> list[dict[str, object]]:
        return self.store.query("SELECT * FROM participants WHERE study_id = ? ORDER BY number", [study.study_id])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    home = Home.from_env(tmp_path_factory.mktemp("home") / "vantage.db").prepare()
    store = Store.open(home)
    command = [sys.executable, "-P", "-m", "app.cli", "serve", "--backend", "toy", "--workers", "1", "--db", str(home.db), "--port", "0"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=home.root, env=env)
    assert process.stdout is not None
    base = re.findall(r"http://\S+", process.stdout.readline())[0]
    yield Place(base, store)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    store.close()


RECRUITED = "/enter?PROLIFIC_PID={}&STUDY_ID={}&SESSION_ID=s1"


def links(place: Place, name: str) -> dict[str, str]:
    """A link of every kind."""
    study = place.study(name, recruitment=Recruitment(external_study=name))
    of = {role: place.link(study.study_id, role, uses=1, label="Ann") for role in access.ROLES}
    return of | {"recruitment": RECRUITED.format("5f8a", name), "first owner": place.link("*", "owner", uses=1, label="first admin")}


def test_whoever_only_looks_uses_nothing_up(place: Place) -> None:
    every = links(place, "looked-at")
    before = place.content()
    for kind, link in every.items():
        for headers in SCANNERS:
            scanner = Browser(place.base)
            page = scanner.ask(link, **headers)  # type: ignore[arg-type]
            assert (page.status, page.form.scripts, len(page.form.buttons)) == (200, 0, 2 if kind in ("participant", "recruitment") else 1)
            assert scanner.cookie is None, kind
            assert Browser(place.base).ask(link, method="HEAD", **headers).status == 204  # type: ignore[arg-type]
    assert place.content() == before
    for kind, link in every.items():
        person = Browser(place.base)
        reply = person.press(person.ask(link))
        assert (reply.status, reply.address.partition("?")[0]) == (303, "../"), (kind, reply.text)
        role = {"recruitment": "participant", "first owner": "owner"}.get(kind, kind)
        assert [grant.role for grant in access.grants(place.store, person.cookie)] == [role]


def test_the_page_of_a_study_has_what_a_person_decides_by(place: Place) -> None:
    words = {"welcome": "Good day.\n\nYou <b>look</b> around.", "consent": "All is kept for $5 *years*.", "consent_version": "7b"}
    study = place.study("Price $5–$10, *v2* <i>", **words)
    person = Browser(place.base)
    page = person.ask(place.link(study.study_id))
    shown = (study.name, "Good day.", "You <b>look</b> around.", words["consent"], "7b", "A computer with a keyboard", "I have read this")
    for part in shown:
        assert part in page.form.words, part
    assert page.form.buttons == [("vantage-choice", "consent"), ("vantage-choice", "decline")]
    assert page.headers["cache-control"] == "no-store" and page.headers["referrer-policy"] == "same-origin"


def test_the_consents_button_lets_in_and_keeps_the_consent_as_ever(place: Place) -> None:
    study = place.study("consents", consent_version="3", consent="All is kept.")
    text = hashlib.sha256(b"All is kept.").hexdigest()
    person = Browser(place.base)
    link = place.link(study.study_id)
    reply = person.press(person.ask(link))
    (row,) = place.people(study)
    assert (row["state"], row["consent_version"], row["number"]) == ("practised", "3", 0) and row["consented_at"]
    told = place.store.query("SELECT kind, data FROM events WHERE participant_id = ? ORDER BY seq", [row["participant_id"]])
    assert (
        [f"{event['kind']} {event['data']}".split('"grant"')[0] for event in told]
        == [
            'participant_entered {"version":1,"mode":"live"}',
            "granted {",
            'participant_state {"event":"welcome","state":"welcomed"}',
            f'participant_state {{"event":"consent","state":"consented","consent_version":"3","consent_sha256":"{text}"}}',
            'participant_state {"event":"practise","state":"practised"}',  # there is none: the first task is given
            *(f"{event['kind']} {event['data']}".split('"grant"')[0] for event in told[5:]),
        ]
    )
    assert [event["kind"] for event in told[5:]] == ["assigned", "episode_created"]
    before = place.content()
    assert person.ask(link).address == reply.address.removeprefix(".")  # straight on
    assert place.content() == before


def test_without_the_tick_nobody_is_let_in(place: Place) -> None:
    study = place.study("unticked")
    person = Browser(place.base)
    page = person.press(person.ask(place.link(study.study_id)), agrees=False)
    assert page.status == 200 and "Please tick the box above first" in page.form.words and place.people(study) == []
    # an address that can be opened again: neither Back nor a reload sends the form once more
    assert urlsplit(page.address).query == "unticked" and person.ask(page.address.removeprefix(place.base)).status == 200
    assert person.press(page).status == 303 and len(place.people(study)) == 1


def test_declining_is_kept_and_can_be_reconsidered(place: Place) -> None:
    study = place.study("declines")
    person = Browser(place.base)
    assert person.press(person.ask(place.link(study.study_id)), "decline").status == 303
    (row,) = place.people(study)
    assert (row["state"], row["consented_at"]) == ("declined", None)
    assert participants.decide(place.store, row["participant_id"], "consent") == "consented"  # type: ignore[arg-type]


def test_a_button_pressed_twice_lets_in_once(place: Place) -> None:
    study = place.study("twice")
    for uses in (None, 1):
        person = Browser(place.base)
        page = person.ask(place.link(study.study_id, uses=uses))
        before = len(place.people(study))
        replies: list[Reply] = []
        presses = [threading.Thread(target=lambda: replies.append(Browser(place.base).press(page))) for _ in range(8)]  # noqa: B023
        for press in presses:
            press.start()
        for press in presses:
            press.join()
        assert {(reply.status, reply.address) for reply in replies} == {(303, replies[0].address)}
        assert len(place.people(study)) == before + 1


def test_a_one_use_link_lets_one_in_and_tells_the_second(place: Place) -> None:
    study = place.study("one use")
    link = place.link(study.study_id, uses=1)
    first, second = Browser(place.base), Browser(place.base)
    pages = first.ask(link), second.ask(link)
    assert first.press(pages[0]).status == 303
    late = second.press(pages[1])
    assert late.status == 403 and "has been used up" in late.form.words
    assert second.ask(link).status == 403 and first.ask(link).status == 303


def test_a_recruited_person_who_comes_back_is_asked_nothing_again(place: Place) -> None:
    place.study("recruits", recruitment=Recruitment(external_study="back"))
    link = RECRUITED.format("person-1", "back")
    first, second = Browser(place.base), Browser(place.base)
    first.press(first.ask(link))
    before = place.content()
    assert first.ask(link).address.startswith("./?as=")
    page = second.ask(link)
    assert page.form.buttons == [("", "")] and "You have been here before" in page.form.words
    assert place.content() == before and access.grants(place.store, first.cookie)
    assert second.press(page).status == 303
    assert access.grants(place.store, first.cookie) == [] and len(access.grants(place.store, second.cookie)) == 1


def test_a_parameter_that_is_missing_or_there_twice_is_said_and_lets_nobody_in(place: Place) -> None:
    place.study("doubled", recruitment=Recruitment(external_study="dbl", person_param="pid"), contact="Ann <&> 030 1234")
    browser, before = Browser(place.base), place.content()
    twice = browser.ask("/enter?pid=a&pid=b&STUDY_ID=dbl")
    assert twice.status == 400 and "The link has pid twice, with different values" in twice.form.words
    for link, words in {"?STUDY_ID=dbl": "lacks your id (pid)", "?pid=a": "belongs to no open study", "": "incomplete"}.items():
        refused = browser.ask("/enter" + link)
        assert refused.status in (400, 403) and words in refused.form.words, link
    assert place.content() == before
    # the same value twice is no doubt, and another site's own parameter is not ours
    page = browser.ask("/enter?pid=a&pid=a&STUDY_ID=dbl&utm=1&utm=2")
    assert page.status == 200 and "You can ask: Ann <&> 030 1234" in page.form.words


def test_a_study_that_binds_to_one_browser_refuses_the_second_and_keeps_that_it_came(place: Place) -> None:
    place.study("bound", recruitment=Recruitment(external_study="bound", other_browser="refuse"))
    link = RECRUITED.format("person-2", "bound")
    first, second = Browser(place.base), Browser(place.base)
    first.press(first.ask(link))
    refused = second.press(second.ask(link))
    assert refused.status == 403 and "in another browser" in refused.form.words and access.grants(place.store, first.cookie)
    kept = place.store.query("SELECT data FROM events WHERE kind = 'other_browser' ORDER BY seq")[-1]
    assert kept["data"].startswith('{"taken_over":false')


def test_staff_read_whose_invitation_it_is_and_what_it_is_for(place: Place) -> None:
    study = place.study("Cups <&>")
    for role in access.STAFF_ROLES:
        person = Browser(place.base)
        page = person.ask(place.link(study.study_id, role, label="Ann <O'Neill>"))
        for part in ("Ann <O'Neill>", role, "Cups <&>", access.ROLES_IN_WORDS[role]):
            assert part in page.form.words
        assert person.press(page).status == 303
    assert "in all studies" in Browser(place.base).ask(place.link("*", "owner")).form.words


def test_the_link_of_a_verifier_leads_to_the_page_where_tasks_wait_for_them(place: Place) -> None:
    study = place.study("Vases")
    ann, link = Browser(place.base), place.link(study.study_id, "annotator", label="Ann")

    def first(person: Browser, role: str) -> str:
        return page(person.press(person.ask(place.link(study.study_id, role, label=role))))

    def page(reply: Reply) -> str:
        return urlsplit(reply.address).path.lstrip("./")

    assert page(ann.press(ann.ask(link))) == ""
    settings = Protocol(training=0)
    found = items.start(place.store, "V", list(study.tasks), study_id=study.study_id, protocol=settings, evidence=False, actor="lead")
    assert page(ann.ask(link)) == "verify"
    assert [first(Browser(place.base), role) for role in ("reviewer", "author", "researcher")] == ["verify", "", ""]
    items.close(place.store, found.verification_id, actor="lead")
    assert page(ann.ask(link)) == ""


@pytest.mark.parametrize("role", access.ROLES)
def test_a_cookie_that_was_planted_before_is_worth_nothing_after_the_button(place: Place, role: str) -> None:
    study, other = place.study("planted"), place.study("gained")
    person = Browser(place.base)
    person.press(person.ask(place.link(study.study_id)))
    planted = person.cookie
    assert len(access.grants(place.store, planted)) == 1
    page = person.ask(place.link(other.study_id, role))
    assert person.cookie == planted  # looking changes nothing
    person.press(page)
    assert person.cookie != planted and access.grants(place.store, planted) == []
    assert sorted(grant.role for grant in access.grants(place.store, person.cookie)) == sorted(["participant", role])


def test_the_token_stands_in_no_address_and_in_no_script_after_the_link(place: Place) -> None:
    study = place.study("tokens")
    for link in (place.link(study.study_id), place.link(study.study_id, "reviewer")):
        token, person = link.partition("=")[2], Browser(place.base)
        page = person.ask(link)
        assert token not in page.address and page.text.count(token) == 1 and page.form.fields["invite"] == token
        assert page.text.index("<form") < page.text.index(token)
        (carried,) = [cookie for cookie in person.jar if cookie.name == "vantage_link"]
        assert carried.path == urlsplit(page.address).path and carried.has_nonstandard_attr("HttpOnly")
        assert token not in person.press(page).address
        # A participant's link stays for the next person at this computer, at its page alone; nobody's link as staff stays.
        assert sorted(cookie.name for cookie in person.jar) == [*["vantage_link"] * ("reviewer" not in page.form.words), "vantage_session"]
        assert person.ask(urlsplit(page.address).path).status == 303  # Back: straight on


def test_two_links_side_by_side_keep_their_own_page(place: Place) -> None:
    one, other = place.study("side one"), place.study("side other")
    person = Browser(place.base)
    pages = [person.ask(place.link(study.study_id)) for study in (one, other)]
    again = person.ask(urlsplit(pages[0].address).path)
    assert "side one" in again.form.words and person.press(again).status == 303 and person.press(pages[1]).status == 303
    assert [grant.study_id for grant in access.grants(place.store, person.cookie)] == [one.study_id, other.study_id]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null", "sec-fetch-site": "cross-site"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": ""}, 403),
        ({"content-type": "application/json"}, 415),
        ({"content-type": "text/plain"}, 415),
    ],
)
def test_a_form_that_another_site_sends_lets_nobody_in(place: Place, headers: dict[str, str], status: int) -> None:
    study = place.study("forged")
    for link, path in ((place.link(study.study_id), "/enter/{}"), (place.link(study.study_id, "owner"), "/sign-in")):
        before = place.content()
        path = path.format(place.store.query("SELECT invite_id FROM invites ORDER BY rowid")[-1]["invite_id"])
        fields = {"invite": link.partition("=")[2], "vantage-choice": "consent", "vantage-agrees": "yes"}
        reply = Browser(place.base).ask(path, fields, **headers)
        assert (reply.status, place.content() == before) == (status, True)


def test_a_forms_size_and_shape_are_bounded(place: Place) -> None:
    for fields, status in (
        ({"invite": "x" * 20_000}, 413),
        ({f"f{n}": "1" for n in range(80)}, 400),
        ({}, 403),
        ({"invite": "\0"}, 403),
        ({"invite": "nonsense"}, 403),
    ):
        assert Browser(place.base).ask("/enter/x", fields).status == status


def test_sign_in_lets_staff_in_and_shows_a_participant_the_consent(place: Place) -> None:
    study = place.study("pasted")
    staff = Browser(place.base)
    form = staff.ask("/sign-in").form
    assert form.buttons == [("", "")]
    whole = place.base + place.link(study.study_id, "researcher")
    assert staff.ask("/sign-in", {"invite": f" {whole}&x=1 "}).status == 303 and len(access.grants(place.store, staff.cookie)) == 1
    person = Browser(place.base)
    page = person.ask("/sign-in", {"invite": place.link(study.study_id).partition("=")[2]})
    assert page.status == 200 and "I have read this" in page.form.words and place.people(study) == []
    assert person.press(page).status == 303 and place.people(study)[0]["state"] == "practised"


# a computer that several people use one after the other


def shared(place: Place, study: Study) -> list[tuple[bool, list[str]]]:
    """Of each person: marked as having used a shared computer, and how that is known."""
    told = []
    for row in place.people(study):
        sql = "SELECT data ->> '$.by' AS by FROM events WHERE kind = 'shared_computer' AND participant_id = ?"
        told.append((bool(row["shared_computer"]), [event["by"] for event in place.store.query(sql, [row["participant_id"]])]))
    return told


@pytest.mark.parametrize("whole_study", [True, False])
def test_a_kiosk_link_begins_with_a_new_person_who_is_never_joined_with_the_one_before(place: Place, whole_study: bool) -> None:
    study = place.study("kiosk", kiosk=whole_study)
    link = place.link(study.study_id, kiosk=not whole_study)
    browser = Browser(place.base)
    cookies = []
    for number in range(3):
        page = browser.ask(link)
        assert "I have read this" in page.form.words and ("done here as soon as" in page.form.words) == (number > 0)
        assert browser.ask(urlsplit(page.address).path).text == page.text  # reloaded: the same page, the same form
        browser.press(page)
        cookies.append(browser.cookie)
        assert browser.ask(urlsplit(page.address).path).status == 303  # Back: straight on, not the next person's
    assert shared(place, study) == [(True, ["kiosk link"])] * 3
    held = [access.grants(place.store, cookie) for cookie in cookies]
    assert [len(grants) for grants in held] == [0, 0, 1]
    assert place.store.one("SELECT count(DISTINCT session_id) AS n FROM grants WHERE study_id = ?", [study.study_id]) == {"n": 3}


def test_the_next_person_begins_anew_and_the_one_before_is_out_of_reach(place: Place) -> None:
    study = place.study("hand over")
    browser = Browser(place.base)
    page = browser.ask(place.link(study.study_id))
    path = urlsplit(page.address).path
    browser.press(page, "decline")
    first = browser.cookie
    asked = browser.ask(f"{path}/next")
    assert asked.form.buttons == [("", "")] and access.grants(place.store, first)  # looking changes nothing
    after = browser.press(asked)
    assert after.status == 200 and "I have read this" in after.form.words
    assert browser.cookie is None and access.grants(place.store, first) == []
    assert len(place.people(study)) == 1  # nobody has come yet
    assert browser.press(after).status == 303 and shared(place, study) == [(False, []), (True, ["next person"])]
    assert access.staff_beside(place.store, place.people(study)[1]["participant_id"]) == set()  # type: ignore[arg-type]


def test_another_person_of_the_same_study_in_the_same_browser_is_told_apart(place: Place) -> None:
    study = place.study("lab links", recruitment=Recruitment(external_study="lab"))
    for links_of_people in (
        [place.link(study.study_id, uses=1), place.link(study.study_id, uses=1)],
        [RECRUITED.format("lab-1", "lab"), RECRUITED.format("lab-2", "lab")],
    ):
        browser, before = Browser(place.base), len(place.people(study))
        browser.press(browser.ask(links_of_people[0]))
        first = browser.cookie
        page = browser.ask(links_of_people[1])
        assert "If that was you, go on there" in page.form.words
        assert access.grants(place.store, first)
        browser.press(page)
        assert access.grants(place.store, first) == [] and len(access.grants(place.store, browser.cookie)) == 1
        assert shared(place, study)[before:] == [(False, []), (True, ["another person"])]
    # the first comes back by the platform's link, as themselves
    back = browser.press(browser.ask(RECRUITED.format("lab-1", "lab")))
    assert back.status == 303 and len(place.people(study)) == 4


def test_a_shared_computer_signs_staff_out_and_says_so_before(place: Place) -> None:
    study = place.study("staff at the kiosk")
    browser = Browser(place.base)
    browser.press(browser.ask(place.link(study.study_id, "researcher")))
    staff = browser.cookie
    page = browser.ask(place.link(study.study_id, kiosk=True))
    assert "signed in as researcher" in page.form.words and access.grants(place.store, staff)
    browser.press(page)
    assert access.grants(place.store, staff) == [] and [g.role for g in access.grants(place.store, browser.cookie)] == ["participant"]


def test_another_site_sends_nobody_away(place: Place) -> None:
    study = place.study("sent away")
    browser = Browser(place.base)
    page = browser.ask(place.link(study.study_id))
    browser.press(page)
    reply = browser.ask(f"{urlsplit(page.address).path}/next", {}, origin="http://evil.example")
    assert reply.status == 403 and access.grants(place.store, browser.cookie)


def test_a_form_sent_again_after_the_next_person_came_brings_nobody_back(place: Place) -> None:
    study = place.study("old form")
    browser = Browser(place.base)
    page = browser.ask(place.link(study.study_id))
    browser.press(page)
    first = browser.cookie
    browser.press(browser.ask(f"{urlsplit(page.address).path}/next"))
    reply = browser.press(page)  # a tab that was left open
    assert reply.status == 303 and access.grants(place.store, first) == [] and len(place.people(study)) == 2
    (now,) = access.grants(place.store, browser.cookie)
    assert now.participant_id == place.people(study)[1]["participant_id"]


def test_a_refusal_and_a_hasty_second_press_without_the_tick_are_no_consent(place: Place) -> None:
    study = place.study("hasty")
    browser = Browser(place.base)
    page = browser.ask(place.link(study.study_id))
    browser.press(page, "decline")
    browser.press(page, "consent", agrees=False)
    assert [row["state"] for row in place.people(study)] == ["declined"]
    browser.press(page, "consent")
    assert [row["state"] for row in place.people(study)] == ["practised"]


# last, since it uses up what one address may try


def test_guesses_are_limited_and_a_class_behind_one_address_is_not(place: Place) -> None:
    study = place.study("class")
    link = place.link(study.study_id)
    for _ in range(60):
        person = Browser(place.base)
        assert person.press(person.ask(link)).status == 303
    assert len(place.people(study)) == 60
    connection = http.client.HTTPConnection(urlsplit(place.base).netloc)
    statuses = []
    for _ in range(400):
        connection.request("GET", "/enter?invite=guess")
        reply = connection.getresponse()
        reply.read()
        statuses.append(reply.status)
    assert set(statuses) == {403, 429}
