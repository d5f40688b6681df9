"""What every route of ours refuses, and in which words."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import msgspec
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.guard import RateLimiter, check_origin, read_body
from app.headers import SecurityHeaders, content_security_policy
from app.http import guarded
from data.frames import FrameDamaged
from data.store import StorageFull, StoreBusy, StoreError, TaskNotFound
from sim_bridge import errors as bridge
from study import errors as study


class Reply:
    """What an application answered."""

    def __init__(self, messages: list[dict[str, Any]]) -> None:
        start = messages[0]
        self.status_code: int = start["status"]
        self.headers = {name.decode(): value.decode() for name, value in start["headers"]}
        self.text = b"".join(message.get("body", b"") for message in messages[1:]).decode()

    def json(self) -> Any:
        return json.loads(self.text)


def request(app: Any, method: str = "GET", *, content: bytes = b"", headers: dict[str, str] | None = None) -> Reply:
    """One request to an ASGI application, without a server."""
    sent: list[dict[str, Any]] = []
    scope = {"type": "http", "method": method, "path": "/x", "raw_path": b"/x", "query_string": b"", "scheme": "http", "root_path": ""}
    scope |= {"headers": [(k.encode(), v.encode()) for k, v in {"host": "app.example", **(headers or {})}.items()], "http_version": "1.1"}

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    return Reply(sent)


class Body(msgspec.Struct):
    episode: str
    seq: int


@guarded
async def echo(request: Request) -> Response:
    check_origin(request)
    body = await read_body(request, Body, limit=200)  # type: ignore[type-var]
    return JSONResponse({"seq": body.seq})


def raising(error: Exception) -> Reply:
    @guarded
    async def handler(_: Request) -> Response:
        raise error

    return request(Starlette(routes=[Route("/x", handler)]))


HERE = {"origin": "http://app.example", "content-type": "application/json"}


def post(content: bytes, headers: dict[str, str]) -> Reply:
    return request(Starlette(routes=[Route("/x", echo, methods=["POST"])]), "POST", content=content, headers=headers)


def test_a_request_from_our_own_page_is_answered() -> None:
    assert post(b'{"episode":"e","seq":3}', HERE).json() == {"seq": 3}


@pytest.mark.parametrize(
    ("headers", "content", "status", "code"),
    [
        ({"origin": "http://evil.example"}, b'{"episode":"e","seq":1}', 403, "bad_origin"),
        ({"origin": "null"}, b'{"episode":"e","seq":1}', 403, "bad_origin"),
        ({}, b'{"episode":"e","seq":1}', 403, "bad_origin"),
        (HERE, b"not json", 400, "bad_request"),
        (HERE, b'{"episode":"e","seq":"1"}', 400, "bad_request"),
        (HERE, b'{"episode":"e"}', 400, "bad_request"),
        (HERE, b'{"episode":"\xff","seq":1}', 400, "bad_request"),
        (HERE, b'{"episode":"' + b"e" * 300 + b'","seq":1}', 413, "too_large"),
    ],
)
def test_bad_requests_get_a_code_and_a_sentence(headers: dict[str, str], content: bytes, status: int, code: str) -> None:
    reply = post(content, {"content-type": "application/json", **headers})
    assert (reply.status_code, reply.json()["error"]) == (status, code)
    assert reply.json()["message"].endswith(".")
    assert reply.headers["cache-control"] == "no-store"


def test_a_form_post_is_refused_as_another_site_could_send_it() -> None:
    assert post(b"{}", {**HERE, "content-type": "text/plain"}).status_code == 415


def test_the_message_names_the_field() -> None:
    assert "seq" in post(b'{"episode":"e","seq":"one"}', HERE).json()["message"]


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (study.TakenOver("Another tab."), 409, "taken_over"),
        (study.BudgetUsed("Used."), 422, "budget_used"),
        (study.NoRoom("Full.", place=3), 503, "no_room"),
        (study.BadToken("No."), 403, "bad_token"),
        (bridge.WorkerLost("Gone."), 503, "worker_lost"),
        (StorageFull("Full."), 507, "storage_full"),
        (StoreError("Broken."), 500, "store_error"),
        (StoreBusy("Busy."), 503, "store_busy"),
        (TaskNotFound("None."), 404, "not_found"),
        (FrameDamaged("Gone."), 500, "frame_damaged"),
        (study.ExportRefused("No."), 400, "export_refused"),
    ],
)
def test_expected_errors_keep_their_status_and_the_words_for_people(error: bridge.Refusal, status: int, code: str) -> None:
    reply = raising(error)
    assert (reply.status_code, reply.json()["error"], reply.json()["message"]) == (status, code, error.public or str(error))
    assert reply.json().get("place") == getattr(error, "place", None)


def test_an_unexpected_error_says_nothing_of_its_cause() -> None:
    reply = raising(RuntimeError("secret path /etc/gold"))
    assert (reply.status_code, reply.json()["error"]) == (500, "internal")
    assert "gold" not in reply.text and "Traceback" not in reply.text


def test_a_burst_is_allowed_and_then_refused_per_key() -> None:
    limiter = RateLimiter(per_s=0.0, burst=3)
    assert [limiter.allow("a") for _ in range(4)] == [True, True, True, False]
    assert limiter.allow("b")


def test_the_limiter_forgets_old_keys() -> None:
    limiter = RateLimiter(per_s=0.0, burst=1, keep=2)
    assert [limiter.allow(key) for key in ("a", "b", "c", "a")] == [True, True, True, True]


def test_every_response_carries_the_security_headers() -> None:
    async def page(_: Request) -> Response:
        return Response("hi", headers={"x-frame-options": "SAMEORIGIN"})

    headers = request(SecurityHeaders(Starlette(routes=[Route("/x", page)]))).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-frame-options"] == "SAMEORIGIN"
    assert "strict-transport-security" not in headers


@pytest.mark.parametrize(("kind", "kept"), [("text/html; charset=utf-8", "no-store"), ("text/javascript", "public, max-age=9")])
def test_a_browser_keeps_no_page_for_the_back_button(kind: str, kept: str) -> None:
    async def page(_: Request) -> Response:
        return Response("hi", headers={"cache-control": "public, max-age=9"}, media_type=kind)

    assert request(SecurityHeaders(Starlette(routes=[Route("/x", page)]))).headers["cache-control"] == kept


def test_no_foreign_address_is_allowed_and_inline_scripts_only_by_hash() -> None:
    policy = content_security_policy()
    script = next(part for part in policy.split("; ") if part.startswith("script-src"))
    assert "http" not in policy and "*" not in policy
    assert "'unsafe-inline'" not in script and "'unsafe-eval'" not in script and "'sha256-" in script
