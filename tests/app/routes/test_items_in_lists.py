"""Lists of items over the network: whose they show, and what is done with several of which some cannot be done."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.qa.work import pool
from tests.app.routes.conftest import build_item


@pytest.fixture(scope="module")
def three(world: Any) -> list[str]:
    """The annotator's own draft, one of theirs in review, another author's draft."""
    store, project = world.store, world.place["project"]
    who = {name: world.people[name].grant.staff_id for name in ("annotator", "author")}
    made = [pool.create_item(store, project, build_item(store.home, "distance", 50 + n), who[name]).item.item_id
            for n, name in enumerate(("annotator", "annotator", "author"))]  # fmt: skip
    pool.submit(store, made[1], who["annotator"], 1)
    return made


def _listed(world: Any, name: str, query: str) -> Any:
    return world.doors.ask(world.people[name], "GET", f"/api/qa/items/{world.place['project']}?{query}")


def _do(world: Any, name: str, items: list[str], what: str, **more: str) -> Any:
    body = {"items": items, "what": what, "why": "by mistake"} | more
    return world.doors.ask(world.people[name], "POST", f"/api/qa/items/{world.place['project']}", body)


def test_authors_see_their_own_items_and_a_lead_all(world: Any, three: list[str]) -> None:
    mine = _listed(world, "annotator", "whose=mine&sort=number&words=distance").json()
    assert {item["id"] for item in mine["items"]} >= set(three[:2]) and three[2] not in {item["id"] for item in mine["items"]}
    assert _listed(world, "annotator", "").status == _listed(world, "author", "whose=all").status == 403
    everything = {item["id"]: item for item in _listed(world, "researcher", "state=todo&words=distance").json()["items"]}
    assert three[2] in everything and three[1] not in everything
    picture = everything[three[2]]["picture"]
    assert world.doors.ask(world.people["researcher"], "GET", f"/{picture['url']}").headers["content-type"] == "image/webp"
    assert _listed(world, "researcher", "offset=-1").status == _listed(world, "researcher", "limit=25").status == 400
    assert _listed(world, "researcher", "sort=unknown&state=unknown&subtask=unknown").status == 200


def test_what_one_may_still_judge_shows_no_picture_and_no_verdicts(world: Any, three: list[str]) -> None:
    """A lead who reviews too."""
    lead = world.people["researcher"].grant
    from study import access

    access.add_role(world.store, lead.staff_id, "reviewer", lead.study_id)
    line = next(i for i in _listed(world, "researcher", "state=in_review").json()["items"] if i["id"] == three[1])
    access.revoke_staff(world.store, lead.staff_id, role="reviewer", study_id=lead.study_id)
    assert (line["kept"], line["picture"], line["clean"], line["flags"]) == (True, None, None, None)


def test_several_at_once_each_by_itself_with_what_was_not_done_and_why(world: Any, three: list[str]) -> None:
    before = [pool.get(world.store, item).state for item in three]
    assert before == ["draft", "in_review", "draft"]
    reply = _do(world, "annotator", [*three, three[0], "qa-nowhere"], "discard").json()
    assert reply["done"] == three[:2]
    assert [(refused["id"], bool(refused["why"])) for refused in reply["refused"]] == [(three[2], True), ("qa-nowhere", True)]
    assert [pool.get(world.store, item).state for item in three] == ["discarded", "discarded", "draft"]
    assert _do(world, "researcher", three, "reopen").json()["done"] == []
    assert _do(world, "researcher", three[:2], "restore").json() == {"done": three[:2], "refused": []}
    assert _do(world, "annotator", three, "balance").status == 400
    assert _do(world, "annotator", three, "discard", why=" ").status == 422


def test_a_lead_gives_items_to_another_author_and_an_author_does_not(world: Any, three: list[str]) -> None:
    to = world.people["author"].grant.staff_id
    assert _do(world, "author", three[:1], "assign", to=to).status == 403
    assert _do(world, "researcher", three[:1], "assign", to=world.people["reviewer"].grant.staff_id).status == 422
    reply = _do(world, "researcher", [three[0], three[2]], "assign", to=to).json()
    assert reply["done"] == [three[0]] and reply["refused"][0]["why"].startswith("It is this person’s already".replace("’", "'"))
    assert pool.get(world.store, three[0]).author == to
