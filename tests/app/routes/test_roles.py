"""Who may do what, as a table: every route and every page, tried by every kind of visitor.

A new route or page needs a row here. A visitor whom a row does not name is refused (401 or 403), and nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from annotation.reviewing.kinds.tasks import AXES
from app.pages.registry import PAGES
from app.routes import routes
from study.access import ROLES
from study.errors import NotAllowed

EVERYBODY = "everybody"
STAFF = {"researcher", "owner", "researcher, all studies", "owner, all studies"}
"""Who runs the study."""
WRITERS = STAFF | {"author", "annotator"}
"""Who sees all of the annotator's item."""
LOOKERS = STAFF | {"author", "annotator", "annotator, no item"}
"""Who sifts moments."""
VERIFIERS = {"annotator", "annotator, no item", "reviewer", "reviewer, no review"}
"""Who verifies tasks."""
ADJUDICATORS = {"annotator", "annotator, no item"}
"""Who judges disputes."""
ITS_OWN = {"participant"}
REFUSED = (401, 403)


@dataclass(frozen=True)
class Row:
    """One route: an address of something of the first study, and who may use it there."""

    method: str
    path: str
    """As the routing table has it."""
    may: set[str] | str
    address: str = ""
    """With names of `World.place` in braces; the path itself where it has none."""
    body: Callable[[Any], Any] | None = None
    gets: int = 399
    """The largest status of those who may."""
    headers: tuple[tuple[str, str], ...] = ()
    raw: bytes | None = None


def _at(name: str, **more: Any) -> Callable[[Any], dict[str, Any]]:
    """The body of a write to an episode of `World.place`, at its newest step."""
    return lambda w: {"episode": w.place[name], "epoch": w.epoch(w.place[name])} | more


def _next(name: str, **more: Any) -> Callable[[Any], dict[str, Any]]:
    return lambda w: _at(name, seq=w.seq(w.place[name]) + 1)(w) | more


def _model(**more: Any) -> Callable[[Any], dict[str, Any]]:
    return lambda w: {"epoch": w.epoch(w.place["model's"])} | more


FORM = (("content-type", "application/x-www-form-urlencoded"),)
ROWS = (
    Row("GET", "/assets/{version}/{name}", EVERYBODY, "/assets/{version}/play.js"),
    Row("GET", "/healthz", EVERYBODY),
    Row("GET", "/favicon.ico", EVERYBODY),
    Row("GET", "/enter", EVERYBODY, "/enter?invite={invite}"),
    Row("GET", "/enter/{ref}", EVERYBODY, "/enter/in_x"),
    Row("POST", "/enter/{ref}", EVERYBODY, "/enter/in_x", headers=FORM, raw=b"invite=unknown"),
    Row("GET", "/enter/{ref}/next", EVERYBODY, "/enter/in_x/next"),
    Row("POST", "/enter/{ref}/next", EVERYBODY, "/enter/in_x/next", raw=b"x=1", gets=415),  # sent as a form it would sign everybody out
    Row("GET", "/sign-in", EVERYBODY),
    Row("POST", "/sign-in", EVERYBODY, headers=FORM, raw=b"invite="),
    Row("GET", "/api/way", EVERYBODY),
    Row("POST", "/api/way", EVERYBODY, body=lambda w: {}),
    Row("GET", "/api/way/page.css", EVERYBODY),
    Row("GET", "/api/way/drip", EVERYBODY),
    # where one stands
    Row("POST", "/api/place", ITS_OWN, body=lambda w: {"grant": w.people["participant"].grant.grant_id}),
    # a task
    Row("POST", "/api/open", ITS_OWN, body=lambda w: {"episode": w.place["episode"], "tab": "a"}),
    Row("POST", "/api/act", ITS_OWN, body=_next("episode", action="turn_left")),
    Row("POST", "/api/phase", ITS_OWN, body=_next("parts")),
    Row("POST", "/api/next", ITS_OWN, body=_next("episode"), gets=409),  # there is a camera to move, and no next picture
    Row("GET", "/api/frame/{episode}/{seq:step}", ITS_OWN, "/api/frame/{episode}/0"),
    Row("POST", "/api/belief", ITS_OWN, body=_at("episode", n=1, answer="the lamp", confidence=60)),
    Row("POST", "/api/time", ITS_OWN, body=_at("episode", answer="the lamp", confidence=60)),
    Row("POST", "/api/looks", ITS_OWN, body=_at("episode", looks=[])),
    Row("POST", "/api/event", ITS_OWN, body=_at("episode", n=1, what="hidden", t=1.5)),
    Row("POST", "/api/report", ITS_OWN, body=_at("episode", text="It stutters.")),
    Row("GET", "/api/todo/{episode}", ITS_OWN, "/api/todo/{episode}"),
    Row("POST", "/api/answer", ITS_OWN, body=_at("parts", answer="the lamp", confidence=60)),
    Row("POST", "/api/skip", ITS_OWN, body=lambda w: {"episode": w.place["unopened"]}),
    Row("POST", "/api/again", ITS_OWN, body=lambda w: {"episode": w.place["episode"]}, gets=409),  # it counts, and is no worked example
    Row("POST", "/api/stop", ITS_OWN, body=lambda w: {"episode": w.place["stopper's"]}),
    # a question
    Row("POST", "/api/form/open", ITS_OWN, body=lambda w: {"showing": w.place["asked"]}),
    Row("POST", "/api/form/note", ITS_OWN, body=lambda w: {"showing": w.place["asked"], "item": "free", "answer": "a cup", "t": 1.5}),
    Row("POST", "/api/form/send", ITS_OWN, body=lambda w: {"showing": w.place["asked"], "answers": {"free": {"answer": "a cup"}}}),
    Row("GET", "/api/form/picture/{showing}/{place:step}", ITS_OWN, "/api/form/picture/{asked}/1"),
    Row("POST", "/api/form/report", ITS_OWN, body=lambda w: {"showing": w.place["asked"], "text": "It stutters."}),
    Row("POST", "/api/form/stop", ITS_OWN, body=lambda w: {"showing": w.place["stopper's form"]}),
    Row("POST", "/api/qa/play/open", ITS_OWN, body=lambda w: {"episode": w.place["question"], "tab": "a"}),
    Row("GET", "/api/qa/play/{episode}/{place}", ITS_OWN, "/api/qa/play/{question}/head"),
    # what a researcher sees; a question asked in a study of its own
    Row("GET", "/api/staff/frame/{episode}/{seq:step}", STAFF, "/api/staff/frame/{episode}/0"),
    Row(
        "GET",
        "/api/staff/question/{episode}/{place}",
        {"researcher, all studies", "owner, all studies"},
        "/api/staff/question/{question}/head",
    ),
    Row("GET", "/api/staff/export/{job}", {"researcher"}, "/api/staff/export/{job}"),
    Row("GET", "/api/staff/results/{study}/{table}", STAFF, "/api/staff/results/{study}/accuracy"),
    Row("GET", "/api/staff/findings/{job}", {"researcher"}, "/api/staff/findings/{audit}"),
    Row("GET", "/api/staff/payments/{study}", STAFF, "/api/staff/payments/{study}"),
    # an item
    Row("GET", "/api/qa/item/{item}", WRITERS, "/api/qa/item/{item}"),
    Row("GET", "/api/qa/item/{item}/help", WRITERS, "/api/qa/item/{item}/help"),
    Row("POST", "/api/qa/item/{item}", WRITERS, "/api/qa/item/{item}", lambda w: {"rev": w.rev(w.place["item"]), "fields": {}}),
    Row(
        "POST", "/api/qa/item/{item}/picture", WRITERS, "/api/qa/item/{item}/picture",
        lambda w: {"rev": w.rev(w.place["item"]), "letter": "A", "kind": "other_episode"},
        gets=400,  # no other picture of this kind is known
    ),
    Row("GET", "/api/qa/marks/{item}", WRITERS, "/api/qa/marks/{item}"),
    Row("POST", "/api/qa/marks/{item}", WRITERS, "/api/qa/marks/{item}", lambda w: {"rev": w.rev(w.place["item"]), "marks": []}),
    Row("POST", "/api/qa/item/{item}/send", WRITERS, "/api/qa/item/{item}/send", lambda w: {"rev": w.rev(w.place["item"])}),
    Row("GET", "/api/qa/image/{item}/{view}", WRITERS | {"reviewer"}, "/api/qa/image/{reviewed}/head"),
    Row("GET", "/api/qa/option/{item}/{letter}", WRITERS | {"reviewer"}, "/api/qa/option/{reviewed}/A"),
    Row("GET", "/api/qa/moment/{moment}/{view}", LOOKERS, "/api/qa/moment/{moment}/head?small"),
    Row("GET", "/api/qa/moments/{project}", LOOKERS, "/api/qa/moments/{project}?subtask=matching"),
    Row("GET", "/api/qa/items/{project}", LOOKERS, "/api/qa/items/{project}?whose=mine"),
    Row(
        "POST", "/api/qa/items/{project}", LOOKERS, "/api/qa/items/{project}",
        lambda w: {"items": [w.place["item"]], "what": "restore", "why": "by mistake"},
    ),
    Row(
        "POST", "/api/qa/moments/{project}", LOOKERS, "/api/qa/moments/{project}",
        lambda w: {"item": f"qa_{'0' * 20}", "subtask": "matching", "moment": w.place["moment"]},
        gets=400,  # it is not kept yet
    ),
    Row(
        "POST", "/api/qa/item/{item}/next", WRITERS, "/api/qa/item/{item}/next", lambda w: {"item": f"qa_{'1' * 20}"},
        gets=400,  # no moment is kept
    ),
    Row(
        "POST", "/api/qa/comments/{item}", WRITERS, "/api/qa/comments/{item}",
        lambda w: {"text": "Too dark", "view": "head", "x": 5, "y": 5},
    ),
    # a moment
    Row(
        "POST", "/api/qa/moment/{moment}/decide", LOOKERS, "/api/qa/moment/{moment}/decide",
        lambda w: {"verdict": "drop", "reason": "occluded"},
    ),
    Row("POST", "/api/qa/moment/{moment}/undo", LOOKERS, "/api/qa/moment/{moment}/undo", lambda w: {}),
    # a reviewer
    Row("POST", "/api/qa/review/{review}/answer", {"reviewer"}, "/api/qa/review/{judged}/answer", lambda w: {"answer": "A"}),
    Row(
        "POST", "/api/qa/review/{review}/decide", {"reviewer"}, "/api/qa/review/{judged}/decide",
        lambda w: {"verdict": "clean", "comment": "A slip"},
    ),
    Row("POST", "/api/qa/review/{review}/undo", {"reviewer"}, "/api/qa/review/{judged}/undo", lambda w: {}),
    Row(
        "POST", "/api/qa/review/{review}/skip", {"reviewer"}, "/api/qa/review/{judged}/skip",
        lambda w: {"why": " "},
        gets=400,  # it wants a reason
    ),
    # a task that somebody makes
    Row("GET", "/api/author/{draft}", {"annotator"}, "/api/author/{draft}"),
    Row("POST", "/api/author/{draft}", {"annotator"}, "/api/author/{draft}", lambda w: {"rev": w.draft().rev, "document": w.document()}),
    Row("POST", "/api/author/{draft}/scene", {"annotator"}, "/api/author/{draft}/scene", lambda w: {"part": 1}),
    Row(
        "POST", "/api/author/{draft}/fly", {"annotator"}, "/api/author/{draft}/fly",
        lambda w: {"rev": w.draft().rev, "action": "turn_left"},
    ),
    Row(
        "POST", "/api/author/{draft}/put", {"annotator"}, "/api/author/{draft}/put",
        lambda w: {"rev": w.draft().rev, "key": "k1", "on": "k2"},
        gets=422,  # nothing stands there yet
    ),
    Row("POST", "/api/author/{draft}/settle", {"annotator"}, "/api/author/{draft}/settle", lambda w: {"rev": w.draft().rev}),
    # a verifier
    Row("POST", "/api/verify/next", VERIFIERS, body=lambda w: {"verification": w.place["verification"]}),
    Row("GET", "/api/verify/past/{verification}", VERIFIERS, "/api/verify/past/{verification}"),
    Row("GET", "/api/verify/guide", VERIFIERS | {"annotator, other study", "reviewer, other study"}),
    Row("GET", "/api/verify/picture/{review}/{place}", {"reviewer"}, "/api/verify/picture/{verified}/first-0"),
    Row("GET", "/api/verify/mask/{review}/{seq:step}", {"reviewer"}, "/api/verify/mask/{verified}/0", gets=404),  # nothing is released yet
    Row("POST", "/api/verify/draft", {"reviewer"}, body=lambda w: {"review": w.place["verified"], "draft": {"told": "no"}}),
    Row("POST", "/api/verify/look", {"reviewer"}, body=lambda w: {"review": w.place["verified"], "told": "no"}),
    Row(
        "POST", "/api/verify/judge", {"reviewer"}, gets=409,
        body=lambda w: {"review": w.place["verified"], "votes": {axis: {"vote": "pass"} for axis in AXES}},
    ),
    Row("POST", "/api/verify/undo", {"reviewer"}, body=lambda w: {"review": w.place["verified"]}, gets=409),
    Row("POST", "/api/verify/skip", {"reviewer"}, body=lambda w: {"review": w.place["verified"], "why": "I know it"}, gets=409),
    Row("POST", "/api/verify/stepin", {"reviewer"}, body=lambda w: {"review": w.place["verified"], "n": 0}),
    # an adjudicator
    Row("POST", "/api/adjudicate/next", ADJUDICATORS, body=lambda w: {"study": w.place["study"]}),
    Row("GET", "/api/adjudicate/picture/{review}/{place}", {"annotator"}, "/api/adjudicate/picture/{adjudicated}/view-0"),
    Row("POST", "/api/adjudicate/stepin", {"annotator"}, body=lambda w: {"review": w.place["adjudicated"], "n": 0}),
    Row("POST", "/api/adjudicate/draft", {"annotator"}, body=lambda w: {"review": w.place["adjudicated"], "draft": {"note": "a"}}),
    Row(
        "POST", "/api/adjudicate/judge", {"annotator"},
        body=lambda w: {
            "review": w.place["adjudicated"], "study": w.place["study"],
            "votes": {"answer": {"answer": "the lamp", "confidence": 80}, "finding": {"vote": "sound"}}
        },
    ),
    Row("POST", "/api/adjudicate/undo", {"annotator"}, body=lambda w: {"review": w.place["adjudicated"], "study": w.place["study"]}),
    Row(
        "POST", "/api/adjudicate/skip", {"annotator"},
        body=lambda w: {"review": w.place["adjudicated"], "study": w.place["study"], "why": "I know it"},
    ),
    # a model
    Row("GET", "/api/agent/tasks", {"model", "model, same study", "model, other study"}),
    Row("POST", "/api/agent/episodes", {"model", "model, same study", "model, other study"}, body=lambda w: {"task": w.place["task"]}),
    Row("POST", "/api/agent/episodes/{episode}/open", {"model"}, "/api/agent/episodes/{model's}/open", lambda w: {}),
    Row("GET", "/api/agent/episodes/{episode}/frames/{seq:step}", {"model"}, "/api/agent/episodes/{model's}/frames/0"),
    Row(
        "POST", "/api/agent/episodes/{episode}/act", {"model"}, "/api/agent/episodes/{model's}/act",
        lambda w: _model(seq=w.seq(w.place["model's"]) + 1, action="turn_left")(w),
    ),
    Row(
        "POST", "/api/agent/episodes/{episode}/next", {"model"}, "/api/agent/episodes/{model's}/next",
        lambda w: _model(seq=w.seq(w.place["model's"]) + 1)(w),
        gets=409,
    ),
    Row("POST", "/api/agent/episodes/{episode}/answer", {"model"}, "/api/agent/episodes/{model's}/answer", _model(answer="the lamp")),
    *(Row(method, "/api/{rest:path}", EVERYBODY, "/api/nothing") for method in ("GET", "POST", "PUT", "DELETE", "PATCH")),
)  # fmt: skip


def test_every_route_has_its_row() -> None:
    """HEAD is answered as GET is."""
    served = {(method, route.path) for route in routes() for method in (route.methods or ()) if method != "HEAD"}  # type: ignore[attr-defined]
    rows = [(row.method, row.path) for row in ROWS]
    assert sorted(served) == sorted(rows), "a row of ROWS for each route, and none besides"


def test_what_a_server_was_started_with_reaches_its_engine(world: Any) -> None:
    assert world.services.engine._simulators.per_agent == world.services.settings.agent_sessions == 40


def test_every_role_has_somebody(world: Any) -> None:
    assert {person.grant.role for person in world.people.values() if person.grant} == set(ROLES)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.method} {row.path}")
def test_a_route_lets_in_whom_its_row_names_and_nobody_else(world: Any, row: Row) -> None:
    people = world.people
    may = set(people) if row.may == EVERYBODY else set(row.may)
    assert may <= set(people)
    places = world.place | {"invite": "unknown"}
    address = (row.address or row.path).format(**places) if "rest" not in row.address else row.address

    def status(name: str) -> int:
        body = row.body(world) if row.body else None
        return int(world.doors.ask(people[name], row.method, address, body, raw=row.raw, headers=dict(row.headers)).status)

    if row.may != EVERYBODY:
        before = world.counts()
        found = {name: status(name) for name in people if name not in may}
        assert {name: code for name, code in found.items() if code not in REFUSED} == {}
        assert world.counts() == before, "a refused request changed something"
    found = {name: status(name) for name in people if name in may}
    assert max(found.values()) < 500, found
    if (row.method, row.path) in (("GET", "/enter"), ("POST", "/enter/{ref}")):
        assert set(found.values()) == {403}, "an invitation that nobody made"
    elif row.path == "/api/{rest:path}":
        assert set(found.values()) == {404}
    else:
        assert not set(found.values()) & set(REFUSED), found
        assert min(found.values()) <= row.gets, found


# pages

BY_PAGE: dict[str, set[str]] = {
    "study": {"participant"},
    "episodes": {"researcher", "owner"},
    "episode": {"researcher", "owner"},
    "setup": {"researcher", "owner"},
    "record": {"annotator", "author", "researcher", "owner"},
    "author": {"annotator", "author", "researcher", "owner"},
    "watch": {"researcher", "owner"},
    "participants": {"researcher", "owner"},
    "payments": {"researcher", "owner"},
    "results": {"researcher", "owner"},
    "export": {"researcher", "owner"},
    "people": {"researcher", "owner"},
    "questions": {"researcher", "owner"},
    "make": {"annotator", "author", "researcher", "owner"},
    "editor": {"annotator", "author", "researcher", "owner"},
    "review": {"annotator", "reviewer"},
    "moments": {"annotator", "author", "researcher", "owner"},
    "answers": {"annotator"},
    "adjudicate": {"annotator"},
    "disputes": {"researcher", "owner"},
    "verify": {"annotator", "reviewer"},
    "verification": {"researcher", "owner"},
    "trajectories": {"annotator", "researcher", "owner"},
    "audit": {"researcher", "owner"},
    "log": {"researcher", "owner"},
}
"""Page → roles that may open it."""
OUT = {"participant, ended", "participant, expired", "researcher, revoked", "researcher, signed out"}
"""Their access has ended."""
HIDDEN = {
    "editor": {"annotator, no item", *(f"{role}, other study" for role in ("annotator", "author", "researcher", "owner"))},
    "episode": {"researcher, other study", "owner, other study"},
}
"""Page → who may open it, but not the thing that the address names."""


def test_every_page_has_its_row() -> None:
    assert {page.path for page in PAGES} == set(BY_PAGE)


@pytest.mark.parametrize("path", sorted(BY_PAGE))
def test_a_page_is_drawn_for_whom_its_row_names_and_tells_nobody_else_of_the_study(
    world: Any, open_page: Callable[..., Any], path: str
) -> None:
    """The page itself refuses, whatever the menu offered. That it was shown a moment is noted of who may."""
    wrong = []
    for name, person in world.people.items():
        if person.grant is None:
            continue
        before = world.counts()
        page = open_page(path, name, f"item={world.place['item']}&episode={world.place['episode']}")
        role_may = person.grant.role in BY_PAGE[path] and name not in OUT
        may = role_may and name not in HIDDEN.get(path, ())
        if may != (page.error is None and not page.refusals):
            wrong.append(f"{name}: {page.error!r} {page.refusals}")
        if not role_may and not isinstance(page.error, NotAllowed) and not page.refusals:
            wrong.append(f"{name}: not refused by the page itself")
        if not role_may and world.counts() != before:
            wrong.append(f"{name}: was refused and changed something")
        if world.secret in page.told and (not may or name.endswith("other study")):
            wrong.append(f"{name}: reads of a study that is not theirs")
    assert wrong == []


@pytest.mark.parametrize("path", sorted(BY_PAGE))
@pytest.mark.parametrize("name", ["nobody", "unknown cookie", "participant, other study", "researcher, other study"])
def test_a_page_opens_with_no_other_browsers_grant(world: Any, open_page: Callable[..., Any], path: str, name: str) -> None:
    """A tab that was drawn for somebody else shows nothing once the cookie is another one."""
    role = next(role for role in sorted(BY_PAGE[path]) if world.people[role].grant)
    page = open_page(path, role, cookie=world.people[name].cookie)
    assert isinstance(page.error, NotAllowed) or page.refusals
    assert world.secret not in page.told
