"""Who may be given an item to review meets its answer nowhere else: all pages and all image routes are walked as that person.

A Viewpoint item shows the head image alone; the answer is which gripper images belong to it. Looked for: the bytes of the pictures that the
item keeps back or offers, the ids of their moments in anything that a page sends, and the words that only its author and reviewers know.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest, local_script_runner

from annotation.qa import moments as chosen
from annotation.qa import projects
from annotation.qa.errors import NothingToReview
from annotation.qa.evaluating import evaluation
from annotation.qa.items import Item
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import Scenery
from annotation.qa.work import kept_back, pool
from app import identity, qa_images, rights, services
from app.pages import registry
from app.services import Services, Settings
from data.frames import FrameStore
from data.store import Store
from sim_bridge.pool import Pool
from study import access
from study.studies import create_study
from tests.present import present

WORDS = "the left one has the scratched finger"
WHOLE = re.compile(r"/api/(qa/(image|option|moments?)|staff/question)/")
JUDGES = [(["annotator"], True), (["author", "reviewer"], False), (["researcher", "reviewer"], True)]
"""Roles of somebody who reviews, and whether one link gave them all or each had its own."""


def draw(path: str, grant: object) -> None:
    """The script of a page, as the menu calls it."""
    from app.pages.page import Visit
    from app.pages.registry import PAGES

    next(page for page in PAGES if page.path == path).draw(Visit(grant, False))  # type: ignore[arg-type]


def without_workers(store: Store, settings: Settings) -> Services:
    """The services of a server that plays nothing."""
    needed = {f.name: None for f in fields(Services) if f.default is MISSING and f.default_factory is MISSING}
    there = {"home": store.home, "settings": settings, "store": store, "frames": FrameStore(store.home.frames)}
    return Services(**(needed | there | {"pool": SimpleNamespace(status=list, waiting=0)}))  # type: ignore[arg-type]


@pytest.fixture
def kit(store: Store, robots: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """A project whose moments are kept; a Viewpoint item in review, and another item of the same moment, by another author."""
    study = create_study(store, "S", state="live").study_id
    project = projects.create_project(store, "P", trial_batch=0, study_id=study, reviewers_per_item=2)
    robots.add("dual", tasks=2, episodes=3)
    chosen.sample_moments(store, project.project_id, per_episode=2)
    for moment in chosen.moments(store, project.project_id, state="candidate"):
        chosen.decide(store, moment.moment_id, "keep", "useful", "set-up")
    services.install(without_workers(store, Settings()))
    kit = SimpleNamespace(store=store, study=study, project=project.project_id, moments=chosen.moments(store, project.project_id))
    kit.maker_cookie, maker = access.enter(store, access.create_invite(store, "author", study, label="maker"))
    kit.maker = maker.staff_id
    kit.item = send(kit, begin(kit, kit.moments[0], "viewpoint"), kit.maker)
    pool.comment(store, kit.item.item_id, kit.maker, WORDS)
    kit.cookie = None
    monkeypatch.setattr(identity, "page_cookie", lambda: kit.cookie)
    sent: list[bytes] = []
    parse = local_script_runner.parse_tree_from_messages  # type: ignore[attr-defined]

    def keep(messages: Any) -> Any:
        sent.extend(message.SerializeToString() for message in messages)
        return parse(messages)

    monkeypatch.setattr(local_script_runner, "parse_tree_from_messages", keep)
    kit.sent = sent
    kit.client = TestClient(
        Starlette(routes=[route for page in registry.PAGES for route in page.routes]), headers={"origin": "http://testserver"}
    )
    yield kit
    services.install(None)


def begin(kit: SimpleNamespace, moment: chosen.Moment, subtask: str) -> Item:
    """A sound item of a moment."""
    if subtask == "viewpoint":
        return chosen.begin(kit.store, moment, subtask, seed=1).change(unique_confirmed=True, item_id=f"qa-{subtask}-{moment.moment_id}")
    scenery = Scenery(moment.source, "dual", moment.episode, moment.moment_id, moment.views, ())
    return SUBTASKS[subtask].sample(random.Random(1), scenery).change(item_id=f"qa-{subtask}-{moment.moment_id}")


def send(kit: SimpleNamespace, item: Item, author: str) -> Item:
    """The item, in review."""
    stored = pool.create_item(kit.store, kit.project, item, author)
    pool.submit(kit.store, stored.item.item_id, author, stored.version)
    return pool.get(kit.store, stored.item.item_id).item


def come(kit: SimpleNamespace, roles: list[str], *, one_link: bool) -> str:
    """A person with these roles at a browser; its cookie."""
    cookie, grant = access.enter(kit.store, access.create_invite(kit.store, roles[0], kit.study))
    for role in roles[1:]:
        if one_link:
            access.add_role(kit.store, grant.staff_id or "", role, kit.study)
        else:
            cookie, _ = access.enter(kit.store, access.create_invite(kit.store, role, kit.study), cookie)
    kit.cookie = cookie
    kit.client.cookies.clear()
    kit.client.cookies.set(identity.COOKIE, cookie)
    return cookie


def hidden(kit: SimpleNamespace) -> tuple[set[str], set[str]]:
    """(hashes of the pictures that tell the answer of the kit's item, ids of the moments that have one)."""
    images = {view.image for view in (*kit.item.views, *kit.item.option_images.values())}
    return images, {moment.moment_id for moment in kit.moments if images & {view.image for view in moment.views}}


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def pictures(kit: SimpleNamespace) -> dict[str, str]:
    """Address → hash of the bytes of every picture that this browser gets, of all moments and items, small and whole."""
    items = pool.items(kit.store, kit.project)
    addresses = [f"/api/qa/moment/{moment.moment_id}/{view.view}" for moment in kit.moments for view in moment.views]
    addresses += [f"/api/qa/image/{s.item.item_id}/{view.view}" for s in items for view in s.item.views]
    addresses += [f"/api/qa/option/{s.item.item_id}/{letter}" for s in items for letter in s.item.option_images]
    got = {address + more: kit.client.get(address + more) for address in addresses for more in ("", "?small")}
    assert {reply.status_code for reply in got.values()} <= {200, 403}
    return {address: digest(reply.content) for address, reply in got.items() if reply.status_code == 200}


def telling(kit: SimpleNamespace) -> set[str]:
    """Hashes of the bytes of the pictures that tell the answer, whole and small."""
    home, (images, _) = kit.store.home, hidden(kit)
    return images | {digest(qa_images._small(home, image, "")) for image in images}


def walk(kit: SimpleNamespace) -> str:
    """Everything that the pages of this browser send, every part of them, and the lists that they fetch, as text."""
    kit.sent.clear()
    for grant in access.grants(kit.store, kit.cookie):
        for page in registry.pages_of(grant):
            ways: list[dict[str, str]] = [{}]
            if page.path == "questions":
                ways = [{"part": part, "item": kit.item.item_id} for part in ("Overview", "Items", "People", "Export", "Results")]
            if page.path == "editor":
                ways = [{"item": kit.item.item_id}]
            for way in ways:
                test = AppTest.from_function(draw, kwargs={"path": page.path, "grant": grant}, default_timeout=30)
                for name, value in way.items():
                    test.query_params[name] = value
                test.run()
                assert not test.exception, (page.path, way, test.exception)
                for state in ("kept", "candidate") if page.path == "moments" else ():
                    test.session_state["moments_shown"] = state
                    test.run()
                    assert not test.exception, (page.path, state, test.exception)
    lists = [kit.client.get(f"/api/qa/moments/{kit.project}?subtask={subtask}").content for subtask in SUBTASKS]
    return b"\n".join([*kit.sent, *lists]).decode("utf-8", "replace")


def test_the_routes_that_send_pictures_of_questions_to_staff_are_all_here() -> None:
    """A new one belongs into `pictures`, or into a sentence here that says why it tells nothing."""
    found = {route.path for page in registry.PAGES for route in page.routes if WHOLE.match(route.path)}
    assert found == {
        "/api/qa/moment/{moment}/{view}", "/api/qa/image/{item}/{view}", "/api/qa/option/{item}/{letter}",
        "/api/qa/moments/{project}",  # the list of `walk`
        "/api/qa/moment/{moment}/decide", "/api/qa/moment/{moment}/undo",  # they tell when it was stored, and nothing else
        "/api/staff/question/{episode}/{place}",  # see the test of a reopened item
    }  # fmt: skip


@pytest.mark.parametrize(("roles", "one_link"), JUDGES, ids=lambda value: " and ".join(value) if isinstance(value, list) else "")
def test_who_may_review_an_item_meets_its_answer_on_no_page_and_in_no_picture(
    kit: SimpleNamespace, roles: list[str], one_link: bool
) -> None:
    cookie = come(kit, roles, one_link=one_link)
    images, moments = hidden(kit)
    assert 2 <= len(moments) < len(kit.moments)
    got = pictures(kit)
    assert not [address for address, data in got.items() if data in telling(kit)]
    told = walk(kit)  # the page Review gives them the item
    assert not [moment for moment in moments if moment in told] and not [image for image in images if image in told]
    assert WORDS not in told and "The other gripper" not in told
    others = {moment.moment_id for moment in kit.moments} - moments  # there to work with
    assert any(other in told for other in others) and {address.split("/")[4] for address in got} >= others

    # the review shows what is asked and nothing more, whichever names they have
    (judge,) = [g.staff_id for g in access.grants(kit.store, cookie) if "reviewer" in access.IMPLIED[g.role]]
    review, shown = pool.next_review(kit.store, kit.project, present(judge))
    assert review.item_id == kit.item.item_id and [view["view"] for view in shown["views"]] == ["head"]
    got = pictures(kit)
    mine = {address.partition("?")[0] for address in got if "/moment/" not in address}
    assert mine == {f"/api/qa/image/{review.item_id}/head", *(f"/api/qa/option/{review.item_id}/{letter}" for letter in "ABCDE")}
    assert not [address for address, data in got.items() if "/moment/" in address and data in telling(kit)]

    # once they have answered, nothing is kept back from them
    pool.answer_review(kit.store, review.review_id, present(judge), "A")
    assert {address.split("/")[4] for address in pictures(kit)} >= moments


@pytest.mark.parametrize("roles", [["author"], ["researcher"]])
def test_who_does_not_review_sees_what_there_is(kit: SimpleNamespace, roles: list[str]) -> None:
    """The walk above finds what it looks for."""
    come(kit, roles, one_link=True)
    _, moments = hidden(kit)
    told, got = walk(kit), pictures(kit)
    assert any(moment in told for moment in moments) and telling(kit) <= set(got.values())
    assert WORDS in told


def test_pages_refuse_a_moment_that_is_kept_back_also_by_name(kit: SimpleNamespace) -> None:
    cookie = come(kit, ["annotator"], one_link=True)
    (grant,) = access.grants(kit.store, cookie)
    _, kept = hidden(kit)
    for moment in kit.moments:
        if moment.moment_id in kept:
            with pytest.raises(rights.NotAllowed):  # type: ignore[attr-defined]
                rights.sifted(kit.store, cookie, moment.moment_id)
        else:
            assert rights.sifted(kit.store, cookie, moment.moment_id) == (grant, moment)


def test_equal_pictures_at_two_addresses_have_unequal_tags_and_a_tag_is_its_browsers(kit: SimpleNamespace) -> None:
    come(kit, ["researcher"], one_link=True)
    item = kit.item
    assert item.gold is not None
    side = item.slots["side"]
    same = [f"/api/qa/option/{item.item_id}/{item.gold}", f"/api/qa/image/{item.item_id}/{side}-gripper"]
    same.append(f"/api/qa/moment/{item.moment}/{side}-gripper")
    first = [kit.client.get(address) for address in same]
    assert len({reply.content for reply in first}) == 1 and len({reply.headers["etag"] for reply in first}) == 3
    again = kit.client.get(same[0], headers={"if-none-match": first[0].headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert kit.client.get(same[1], headers={"if-none-match": first[0].headers["etag"]}).status_code == 200
    come(kit, ["researcher"], one_link=True)
    assert kit.client.get(same[0], headers={"if-none-match": first[0].headers["etag"]}).status_code == 200
    assert not {"last-modified", "content-location"} & set(first[0].headers)


def test_who_met_the_moment_in_another_item_is_not_given_the_one_that_keeps_it_back(kit: SimpleNamespace) -> None:
    first, second = "staff-one", "staff-two"
    other = send(kit, begin(kit, kit.moments[0], "planning"), first)
    with pytest.raises(NothingToReview):
        pool.next_review(kit.store, kit.project, first)  # made one of its moment
    assert pool.waiting_for(kit.store, kit.project, second) == 1
    review, _ = pool.next_review(kit.store, kit.project, second)
    assert review.item_id == kit.item.item_id  # what keeps the moment back comes first
    pool.answer_review(kit.store, review.review_id, second, "A")
    pool.decide(kit.store, review.review_id, second, "flag", reasons=["ambiguous"], comment="two look alike")
    assert pool.next_review(kit.store, kit.project, second)[0].item_id == other.item_id  # then the others of its moment
    third = "staff-three"
    assert pool.next_review(kit.store, kit.project, third)[0].item_id == other.item_id  # the first is not in review now
    pool.save(kit.store, kit.item.item_id, kit.item.change(source="other"), pool.get(kit.store, kit.item.item_id).version,
              kit.maker)  # fmt: skip
    pool.submit(kit.store, kit.item.item_id, kit.maker, pool.get(kit.store, kit.item.item_id).version, why="clearer")
    review = pool.next_review(kit.store, kit.project, third)[0]
    pool.answer_review(kit.store, review.review_id, third, "A")
    pool.decide(kit.store, review.review_id, third, "clean", comment="all the same")
    with pytest.raises(NothingToReview):
        pool.next_review(kit.store, kit.project, third)
    assert pool.starved(kit.store, kit.project, [first, second, third]) == [kit.item.item_id]
    assert pool.starved(kit.store, kit.project, [first, second, third, "staff-four", "staff-five"]) == []


def test_two_names_of_one_browser_are_not_each_others_second_person(kit: SimpleNamespace) -> None:
    cookie, maker = access.enter(kit.store, access.create_invite(kit.store, "author", kit.study))
    _, judge = access.enter(kit.store, access.create_invite(kit.store, "reviewer", kit.study), cookie)
    pool.move(kit.store, kit.item.item_id, "discard", "lead", "out of the way")
    mine = send(kit, begin(kit, kit.moments[1], "planning"), maker.staff_id or "")
    for name in (maker.staff_id, judge.staff_id):
        assert pool.waiting_for(kit.store, kit.project, name or "") == 0
        with pytest.raises(NothingToReview):
            pool.next_review(kit.store, kit.project, name or "")
    people = [maker.staff_id or "", judge.staff_id or ""]
    assert pool.starved(kit.store, kit.project, [*people, "somebody"]) == [mine.item_id]
    assert pool.starved(kit.store, kit.project, [*people, "somebody", "else"]) == []
    # nor do both take a place in one round
    other = send(kit, begin(kit, kit.moments[2], "planning"), kit.maker)
    assert pool.next_review(kit.store, kit.project, people[0])[0].item_id == other.item_id
    with pytest.raises(NothingToReview):
        pool.next_review(kit.store, kit.project, people[1])


def test_a_lead_who_reviews_does_not_see_a_reopened_item_in_the_episodes_of_a_study(kit: SimpleNamespace) -> None:
    ended = begin(kit, kit.moments[3], "viewpoint")
    pool.admit(kit.store, kit.project, ended, state="accepted", actor="importer", why="fixture")
    study = evaluation.create_evaluation(kit.store, kit.project, "People")
    from study.episode import EpisodeEngine

    engine = EpisodeEngine(kit.store, None, Pool(workers=0))  # type: ignore[arg-type]
    episode = engine.create(study.tasks[0], study_id=study.study_id, agent_kind="model", agent_name="m", protocol=study.protocol)
    cookie, grant = access.enter(kit.store, access.create_invite(kit.store, "researcher", access.EVERY_STUDY))
    access.add_role(kit.store, grant.staff_id or "", "reviewer", kit.study)
    assert rights.researcher_of(kit.store, cookie, episode) == grant
    pool.move(kit.store, ended.item_id, "reopen", "lead", "a doubt")
    with pytest.raises(rights.NotAllowed, match="kept back"):  # type: ignore[attr-defined]
        rights.researcher_of(kit.store, cookie, episode)
    assert rights.asks_to_judge(kit.store, cookie, [f"{ended.item_id}.flip", "esi-0001"]) == {f"{ended.item_id}.flip"}


def test_states_from_which_a_review_comes_are_those_of_the_table() -> None:
    assert set(kept_back.REVIEW_TO_COME) == {"draft", "in_review", "flagged"} and set(kept_back.JUDGES) == {"annotator", "reviewer"}
