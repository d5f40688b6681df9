"""Bodies and addresses of requests: bounded where their types are declared, and no mutation of one ends in a 500 or a half-written row."""

from __future__ import annotations

import json
import logging
import random
import runpy
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from msgspec import inspect

import app
from annotation.qa.projects import get_project
from app import bodies
from app.bodies import BadBody, Body, decode
from app.guard import RateLimiter
from app.routes import routes
from data.store import Unstorable

SEED = 20261129
DRAFTED = {"/api/verify/look", "/api/verify/judge"}
"""Routes whose refusal keeps what was sent, and says so."""
HOW_MANY = 2000
ROWS = runpy.run_path(str(Path(__file__).with_name("test_roles.py")))["ROWS"]
"""The table of who may do what; it has a valid body for every route that takes one."""
FREE = {"answer"}
"""Fields of any form; the question's form decides, behind the route."""


# types


def kinds(of: type[Body] = Body) -> Iterator[type[Body]]:
    for kind in of.__subclasses__():
        yield kind
        yield from kinds(kind)


def unbounded(kind: inspect.Type, where: str) -> Iterator[str]:
    """Numbers, texts and collections of a type that have no bound."""
    if isinstance(kind, inspect.UnionType):
        for one in kind.types:
            yield from unbounded(one, where)
    elif isinstance(kind, inspect.IntType | inspect.FloatType):
        if kind.ge is None or kind.le is None or kind.le > 2**63 - 1:
            yield f"{where}: a number without bounds"
    elif isinstance(kind, inspect.StrType):
        if kind.max_length is None:
            yield f"{where}: a text without end"
    elif isinstance(kind, inspect.ListType | inspect.DictType):
        if kind.max_length is None:
            yield f"{where}: a list or object without end"
        parts = [kind.item_type] if isinstance(kind, inspect.ListType) else [kind.key_type]
        for part in parts:
            if not isinstance(part, inspect.StrType):
                yield from unbounded(part, where)
    elif isinstance(kind, inspect.StructType) and issubclass(kind.cls, Body):
        return  # a body of its own: it is in the list of all
    elif not isinstance(kind, inspect.BoolType | inspect.NoneType | inspect.LiteralType) and where.rpartition(".")[2] not in FREE:
        yield f"{where}: {type(kind).__name__} is not known to be bounded"


def test_every_number_and_text_of_every_body_is_bounded_where_it_is_declared() -> None:
    found = sorted(set(kinds()), key=lambda kind: (kind.__module__, kind.__name__))
    assert len(found) >= 14
    for kind in found:
        told = inspect.type_info(kind)
        assert isinstance(told, inspect.StructType) and told.forbid_unknown_fields, kind
        wrong = [line for field in told.fields for line in unbounded(field.type, f"{kind.__module__}.{kind.__name__}.{field.name}")]
        assert wrong == []


def test_the_walk_finds_what_has_no_bound() -> None:
    class Loose(msgspec.Struct):
        number: int
        text: str | None
        some: list[str]
        anything: Any

    told = inspect.type_info(Loose)
    assert isinstance(told, inspect.StructType)
    assert len([line for field in told.fields for line in unbounded(field.type, field.name)]) == 4


def test_no_route_reads_a_body_by_other_means() -> None:
    """Forms of HTML pages apart, which hold nothing but words."""
    root = Path(app.__file__).parent
    for path in sorted(root.rglob("*.py")):
        code = path.read_text(encoding="utf-8")
        assert path.name == "bodies.py" or "(msgspec.Struct" not in code, f"{path}: a body is a bodies.Body"
        assert path.name == "guard.py" or ".json()" not in code.replace("result.json()", ""), path
        assert path.name in ("guard.py", "entry_routes.py") or ".stream()" not in code, path


# words of refusals


class Sample(Body):
    text: bodies.Words = ""
    n: bodies.SequenceNumber = 0
    kind: bodies.Word = ""
    fields: bodies.Fields = {}
    answer: Any = None


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (rb'{"text": "Sch\u00f6n \ud83d"}', "The text in 'text' holds half an emoji or another broken character (character 7)."),
        (rb'{"answer": {"a": ["\udc00"]}}', "The text in 'answer' holds half an emoji or another broken character (character 1)."),
        (rb'{"fields": {"\ud83d": 1}}', "The text in 'fields' holds half an emoji or another broken character (character 1)."),
        (rb'{"text": "a\u0000b"}', "The text in 'text' holds a character that is none (NUL, character 2)."),
        (b'{"n": 1, "n": 2}', "The field 'n' is there twice."),
        (b'{"answer": {"a": 1, "a": 1}}', "The field 'a' is there twice."),
        (b'{"m": 1}', "The field 'm' is not known here."),
        (b'{"n": -1}', "The field 'n' must be at least 0."),
        (b'{"n": 2147483648}', "The field 'n' must be at most 2147483647."),
        (b'{"n": 9223372036854775808}', "A number is too large: whole numbers go up to 9223372036854775807."),
        (b'{"answer": -9223372036854775808}', "A number is too large: whole numbers go up to 9223372036854775807."),
        (b'{"n": ' + b"9" * 10_000 + b"}", "A number is too large: whole numbers go up to 9223372036854775807."),
        (b'{"answer": 1e999}', "A number is too large."),
        (b'{"answer": NaN}', "NaN is no number in JSON."),
        (b'{"answer": [-Infinity]}', "-Infinity is no number in JSON."),
        (b'{"n": "1"}', "The field 'n' has the wrong form: expected `int`, got `str`."),
        (b'{"n": true}', "The field 'n' has the wrong form: expected `int`, got `bool`."),
        (b'{"n": 1.5}', "The field 'n' has the wrong form: expected `int`, got `float`."),
        (b'{"kind": "' + b"k" * 201 + b'"}', "The field 'kind' is too long: at most 200 characters."),
        (b"[]", "The request has the wrong form: expected `object`, got `array`."),
        (b'{"text": "\xff"}', "The request is no UTF-8 text (byte 10)."),
        (b"\xef\xbb\xbf{}", "The request is no JSON: unexpected UTF-8 BOM (decode using utf-8-sig), line 1, column 1."),
        (b'{"text": ', "The request is no JSON: expecting value, line 1, column 10."),
        (b'{"answer": ' + b"[" * 25 + b"]" * 25 + b"}", "The request holds lists or objects more than 24 deep."),
        (b'{"answer": ' + b"[" * 30_000 + b"]" * 30_000 + b"}", "The request holds lists or objects more than 24 deep."),
        (b'{"answer": ' + b'{"a":' * 5_000 + b"1" + b"}" * 5_000 + b"}", "The request holds lists or objects more than 24 deep."),
    ],
    ids=range(26),
)
def test_a_refusal_says_which_field_and_what_is_wrong_with_it(raw: bytes, sentence: str) -> None:
    with pytest.raises(BadBody) as refused:
        decode(raw, Sample)
    assert str(refused.value).startswith(sentence)


def test_what_is_sound_is_read_as_it_is() -> None:
    deep: Any = "👍🏽"
    for _ in range(22):
        deep = [deep]
    sent = {"text": "Größe 🙂", "n": 2**31 - 1, "answer": {"a": deep, "b": 1.5, "c": None, "d": 2**63 - 1}}
    for raw in (json.dumps(sent).encode(), json.dumps(sent, ensure_ascii=False).encode()):
        read = decode(raw, Sample)
        assert {"text": read.text, "n": read.n, "answer": read.answer} == sent


# mutations

HOSTILE: tuple[Callable[[random.Random], Any], ...] = (
    lambda r: r.choice([-1, 0, 1, 2, 101, 2**31 - 1, 2**31, 2**53, 2**63 - 1, 2**63, -(2**63), 2**64, 10**30, 10**400]),
    lambda r: r.choice([0.5, -0.0, 1e308, 5e-324, 1e22, float("nan"), float("inf")]),
    lambda r: r.choice([True, False, None]),
    lambda r: r.choice(["", " ", "x", "A", "E", "Z", "head", "0", "1e5", "null", "é箱", "\u202e", "👍", "\ud83d", "a\udfff", "\0", "a\0b"]),
    lambda r: "k" * r.choice([41, 81, 121, 201, 501, 5001, 20_001, 60_000]),
    lambda r: r.choice(
        ["'; DROP TABLE episodes; --", "../../etc/passwd", "%00", "{{7*7}}", "<script>", "=1+1", "turn_left", "grasp(object_9)"]
    ),
    lambda r: [HOSTILE[r.randrange(4)](r) for _ in range(r.choice([0, 1, 3, 300]))],
    lambda r: {HOSTILE[3](r): HOSTILE[r.randrange(4)](r) for _ in range(r.choice([0, 1, 3, 300]))},
    lambda r: {"rev": 1, "view": "head", "kind": "box", "colour": "red", "points": [[1, 2], [3, 10**30]], "id": "m"},
    lambda r: {"question": HOSTILE[3](r), "options": {"A": HOSTILE[4](r)}, "gold": HOSTILE[3](r)},
)


MILD: tuple[Any, ...] = (
    0,
    1,
    2,
    7,
    100,
    0.5,
    True,
    None,
    "",
    "A",
    "E",
    "the lamp",
    "head",
    "turn_left",
    "question",
    ["the lamp"],
    {"A": "x"},
)
"""Values of the right kind at the wrong place; they come further than hostile ones."""
ALSO = (
    "answer",
    "fields",
    "marks",
    "kind",
    "why",
    "confidence",
    "seed",
    "id",
    "unknown",
    "draw",
    "make",
    "paradigm",
    "output",
    "reasoning",
    "t",
)


def nested(r: random.Random) -> bytes:
    depth = r.choice([5, 23, 30, 900, 2_000, 20_000])
    return r.choice([b"[" * depth + b"]" * depth, b'{"a":' * depth + b"1" + b"}" * depth, b"[" * depth])


def mutated(r: random.Random, body: dict[str, Any]) -> bytes:
    """The body with one to three faults."""
    body = json.loads(json.dumps(body))
    how = r.randrange(12)
    name = r.choice(list(body) or ["rev"])
    if how < 3:
        body[r.choice([*body, *ALSO])] = r.choice(MILD)
    elif how < 6:
        for _ in range(r.choice([1, 1, 1, 2, 3])):
            body[r.choice(list(body) or ["rev"])] = HOSTILE[r.randrange(len(HOSTILE))](r)
    elif how == 6:
        body[r.choice(ALSO)] = HOSTILE[r.randrange(len(HOSTILE))](r)
    elif how == 7:
        body.pop(name, None)
    raw = json.dumps(body).encode()
    if how == 8:
        return json.dumps(body | {name: "@@"}).encode().replace(b'"@@"', nested(r))
    if how == 9:
        return raw[:-1] + b"," + json.dumps(name).encode() + b":" + json.dumps(HOSTILE[r.randrange(4)](r)).encode() + b"}"
    if how == 10:
        at = r.randrange(len(raw))
        return raw[:at] + r.choice([b"", r.randbytes(1), r.randbytes(3), b"\xed\xa0\xbd", b"\\ud83d", b"\\u0000"]) + raw[at + 1 :]
    if how == 11:
        return r.choice(
            [b"", b"null", b"[]", b"0", b'"x"', raw[:-1], raw * 2, b"\xef\xbb\xbf" + raw, raw.decode().encode("utf-16"), nested(r)]
        )
    return raw


def test_no_mutated_body_ends_in_a_500_or_leaves_anything_half_written(
    world: Any, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each POST route in turn, by somebody who may use it."""
    posts = [row for row in ROWS if row.method == "POST" and row.path != "/api/{rest:path}"]
    served = {route.path for route in routes() if "POST" in (route.methods or ())}  # type: ignore[attr-defined]
    assert {row.path for row in posts} == served - {"/api/{rest:path}"}, "every POST route has a row with a valid body"
    # A sign of life is written down whatever is sent, and what goes on after a reply would be taken for a write of the next request.
    monkeypatch.setattr(world.services, "alive_limit", RateLimiter(per_s=0, burst=0))
    monkeypatch.setattr(world.services.engine, "prepare", lambda *_: None)
    home = str(world.services.home.root).encode()
    r, counted, by_route = random.Random(SEED), Counter[int](), Counter[str]()
    caplog.set_level(logging.INFO)
    for n in range(HOW_MANY):
        row = posts[n % len(posts)]
        who = world.people[min(row.may) if not isinstance(row.may, str) else "participant"]
        raw = bytes(r.choice(row.raw + b"=&%;\xff+") for _ in range(r.randrange(60))) if row.body is None else mutated(r, row.body(world))
        address = (row.address or row.path).format(**world.place)
        before = world.writes()
        reply = world.doors.ask(who, "POST", address, raw=raw, headers=dict(row.headers))
        counted[reply.status] += 1
        assert reply.status < 500, (row.path, raw[:300], reply.body)
        assert b"Traceback" not in reply.body and b"sqlite" not in reply.body.lower() and home not in reply.body
        if reply.status < 400:
            world.renew()
        else:
            by_route[row.path] += 1
            # a verifier whose review has ended is told that what they chose is kept: as a draft, which is no vote
            kept = row.path in DRAFTED and b"is kept as a draft" in reply.body
            assert world.writes() == before or kept, (row.path, raw[:300], reply.body)
    faults = [record for record in caplog.records if record.exc_info]
    assert faults == [], faults[0].getMessage()
    assert world.store.query("PRAGMA integrity_check") == [{"integrity_check": "ok"}]
    assert world.store.query("PRAGMA foreign_key_check") == []
    with capsys.disabled():
        print(f"\n{HOW_MANY} mutated bodies over {len(posts)} routes: {dict(sorted(counted.items()))}")
    assert set(by_route) >= {row.path for row in posts if row.body is not None}, "a route that refuses nothing is not tried"


# addresses

ODD = ("0" * 40, "9" * 9, "9" * 19, "9" * 5000, "-1", "1.5", "1e9", "٣", "x", "x\0y", "%", "é箱", "👍", "a" * 9000, "..", "' OR 1=1 --")
QUERIES = ("?index=9999999999999999999", "?index=-5", "?index=1e9", "?small=%00&small", "?strip&strip", "?" + "a=1&" * 5000)
NAMED = [row for row in ROWS if "{" in row.path and "rest" not in row.path]


@pytest.mark.parametrize("row", NAMED, ids=lambda row: f"{row.method} {row.path}")
def test_no_address_ends_in_a_500(world: Any, row: Any) -> None:
    """Numbers and names in an address, and what stands behind it."""
    who = world.people[min(row.may) if not isinstance(row.may, str) else "participant"]
    world.renew()
    body = row.body(world) if row.body else None
    good = (row.address or row.path).format(**world.place).split("?")[0]
    parts = good.split("/")
    for place, named in enumerate(row.path.split("/")):
        for value in ODD if named.startswith("{") else ():
            reply = world.doors.ask(who, row.method, "/".join([*parts[:place], value, *parts[place + 1 :]]), body)
            assert reply.status < 500, (named, value[:80], reply.body)
    for query in QUERIES:
        reply = world.doors.ask(who, row.method, good + query, body)
        assert reply.status < 500, (query[:80], reply.body)


def test_a_number_that_no_step_can_have_is_no_address(world: Any) -> None:
    for number in ("9223372036854775808", "9" * 5000):
        for name, address in (("participant", "/api/frame/{episode}/"), ("researcher", "/api/staff/frame/{episode}/")):
            reply = world.doors.ask(world.people[name], "GET", address.format(**world.place) + number)
            assert (reply.status, reply.json()["error"]) == (404, "not_found")


# the last line: the store


@pytest.mark.parametrize(
    "value",
    [2**63, -(2**63) - 1, 10**400, "half \ud83d", "\udfff"],
)
def test_what_no_database_can_hold_is_refused_for_two_readers_and_nothing_of_the_write_stays(world: Any, value: Any) -> None:
    """Also by doors without a body: what a component of a page sends is free JSON."""
    before = world.counts()
    with pytest.raises(Unstorable) as refused, world.store.atomic() as db:
        world.store.event("mentioned", {"first": 1})
        db.execute("INSERT INTO staff (staff_id, name, created_at) VALUES (?, ?, '')", ["staff_1", value])
    assert str(world.services.home.db) in str(refused.value) and str(world.services.home.db) not in refused.value.for_people
    with pytest.raises(Unstorable):
        world.store.one("SELECT ? AS what", [value])
    assert world.counts() == before


@pytest.mark.parametrize("kind", ["", "k" * 41, "\u202e", "other"])
def test_a_kind_of_picture_that_the_subtask_does_not_have_is_refused(world: Any, kind: str) -> None:
    world.renew()
    item = world.place["item"]
    sent = {"rev": world.rev(item), "letter": "A", "kind": kind}
    reply = world.doors.ask(world.people["author"], "POST", f"/api/qa/item/{item}/picture", sent)
    assert reply.status == 400 and "There is no kind" in reply.json()["message"]


def test_half_a_character_from_a_component_of_a_page_ends_no_page(world: Any, run_page: Callable[..., Any]) -> None:
    import streamlit as st

    from app.pages import qa_moments, qa_review

    found: list[Any] = []

    def told() -> None:
        grant, store = world.people["annotator"].grant, world.store
        st.session_state[qa_moments.KEY] = SimpleNamespace(moved={"did": "undo", "moment": "mo \ud83d"})
        qa_moments._moved()
        found.append(qa_moments._back(store, get_project(store, world.place["project"])))
        for did in ("decide", "skip", "undo"):
            st.session_state[qa_review.KEY] = SimpleNamespace(moved={"did": did, "review": "rv \ud83d"})
            qa_review._moved()
            found.append(qa_review._told(store, grant) or qa_review._way_back(store, grant)["undo"])

    page = run_page("annotator", told)
    assert page.error is None and found == [None, "", "", ""]
