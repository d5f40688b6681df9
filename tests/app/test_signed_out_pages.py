"""What a browser sees whose access has ended: why, and the way back; and what counts as a sign of life of a person."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from app import http, identity, rights, services
from app.guard import RateLimiter
from app.pages.registry import ADDRESSES
from app.services import Services, Settings
from data.store import Store
from study import access
from study.studies import create_study
from tests.homes import fresh_store


def draw() -> None:
    """The script, as the app runs it."""
    from app.pages import navigation

    navigation.main()


def without_workers(store: Store, settings: Settings) -> Services:
    """The services of a server that plays nothing."""
    needed = {f.name: None for f in fields(Services) if f.default is MISSING and f.default_factory is MISSING}
    return Services(**(needed | {"home": store.home, "settings": settings, "store": store}))  # type: ignore[arg-type]


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """A member of staff whose browser ends after three hours, with the signs of life that were written."""
    store = fresh_store(tmp_path)
    running = without_workers(store, Settings(staff_idle_hours=3))
    running.alive_limit = RateLimiter(per_s=1000, burst=1000)
    services.install(running)
    study = create_study(store, "S", state="live").study_id
    token = access.create_invite(store, "reviewer", study)
    kit = SimpleNamespace(store=store, token=token, study=study, services=running)
    kit.cookie, kit.grant = access.enter(store, token)
    monkeypatch.setattr(identity, "page_cookie", lambda: kit.cookie)
    yield kit
    services.install(None)
    store.close()


def until(kit: SimpleNamespace) -> str:
    return str(kit.store.one("SELECT staff_until FROM sessions ORDER BY created_at LIMIT 1")["staff_until"])


def leave(kit: SimpleNamespace) -> None:
    with kit.store.atomic() as db:
        db.execute("UPDATE sessions SET staff_until = '2026-01-01T00:00:00.000Z'")


def test_who_was_away_reads_why_and_how_to_come_back(kit: SimpleNamespace) -> None:
    test = AppTest.from_function(draw).run()
    assert test.title[0].value == "Review" and until(kit) < access._later(4 / 24)  # by the setting, not the default
    leave(kit)
    test.run()
    words = " ".join(block.value for block in test.markdown)
    assert test.title[0].value == "You were signed out" and "more than 3 hours" in words and "sign-in" in words
    kit.cookie, grant = access.enter(kit.store, kit.token, kit.cookie)
    assert grant == kit.grant and AppTest.from_function(draw).run().title[0].value == "Review"


def test_an_open_tab_whose_browser_came_in_anew_asks_to_be_reloaded(kit: SimpleNamespace) -> None:
    test = AppTest.from_function(draw)
    test.query_params["as"] = kit.grant.grant_id
    test.run()
    access.enter(kit.store, access.create_invite(kit.store, "author", kit.study), kit.cookie)
    test.run()
    assert test.title[0].value == "Reload this page"
    assert AppTest.from_function(draw).run().title[0].value == "Vantage"  # a stranger's tab says nothing of it


def test_what_a_person_sends_is_a_sign_of_life_and_what_a_page_fetches_is_none(kit: SimpleNamespace) -> None:
    @http.guarded
    async def answer(_: Request) -> Response:
        return Response("yes")

    client = TestClient(Starlette(routes=[Route("/x", answer, methods=["GET", "POST"])]), cookies={identity.COOKIE: kit.cookie})
    before = until(kit)
    assert client.get("/x").text == "yes" and until(kit) == before
    assert client.post("/x").text == "yes" and until(kit) < before  # three hours from now, not twelve
    leave(kit)
    gone = until(kit)
    assert client.post("/x").text == "yes" and until(kit) == gone  # what has ended stays ended


def test_signs_of_life_are_written_once_a_minute_at_most(kit: SimpleNamespace) -> None:
    kit.services.alive_limit = RateLimiter(per_s=1 / 60, burst=1)
    identity.alive(kit.cookie, kit.services)
    changes = kit.store.db.conn.total_changes
    for _ in range(50):
        identity.alive(kit.cookie, kit.services)
    assert kit.store.db.conn.total_changes == changes


def test_every_address_of_the_app_is_some_page_for_everybody(kit: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Streamlit knows no page of an address, it opens a dialogue of its own about a "main page"."""
    drawn: list[Any] = []
    monkeypatch.setattr(st, "navigation", lambda pages, **options: drawn.append((pages, options)) or SimpleNamespace(run=lambda: None))  # type: ignore[func-returns-value]
    second, more = access.enter(kit.store, access.create_invite(kit.store, "researcher", kit.study), kit.cookie)
    for cookie, grants in ((None, []), (kit.cookie, [kit.grant]), (second, [kit.grant, more])):
        kit.cookie = cookie
        monkeypatch.setattr(rights, "held", lambda *_, grants=grants: grants)
        AppTest.from_function(draw).run()
        (pages, options) = drawn[-1]
        given = [page for group in pages.values() for page in group]
        assert {f"/{page.url_path}" for page in given} == set(ADDRESSES)
        assert options["position"] == ("hidden" if len([page for page in given if page.visibility == "visible"]) == 1 else "top")
    assert len(drawn) == 3
