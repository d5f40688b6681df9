"""Which browser is this: its cookie. What it may do is said by `app.rights`."""

from __future__ import annotations

import hashlib

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import Scope

from app.services import Services, Settings
from study import access

COOKIE = "vantage_session"
"""The browser's cookie; the value is random, the database keeps only its hash."""
COOKIE_MAX_AGE_S = access.COOKIE_DAYS * 24 * 3600


def cookie(request: HTTPConnection) -> str | None:
    """The cookie a request brought."""
    return request.cookies.get(COOKIE)


def limit_key(value: str | None) -> str:
    """Key of a browser for rate limits: a digest, so that the limiter holds no cookies."""
    return hashlib.blake2b((value or "").encode(), digest_size=12).hexdigest()


def set_cookie(
    response: Response,
    value: str,
    request: Request,
    services: Services,
    *,
    name: str = COOKIE,
    path: str = "/",
    keep_s: int = COOKIE_MAX_AGE_S,
) -> None:
    """Give the browser a cookie: not readable by scripts, not sent from other sites' forms, only over https where that is used."""
    secure = by_tls(request.scope, services.settings)
    response.set_cookie(name, value, max_age=keep_s, path=path, httponly=True, samesite="lax", secure=secure)


def alive(value: str | None, services: Services) -> None:
    """The person at this browser did something: their access as staff lasts on. Written down once a minute at most."""
    if value and services.alive_limit.allow(limit_key(value)):
        access.touch(services.store, value, services.settings.staff_idle_hours)


def by_tls(scope: Scope, settings: Settings) -> bool:
    """Whether people reach the app by https, as the operator or the request says; cookies are then kept to it."""
    return settings.secure_cookie or scope["scheme"] in ("https", "wss")


def page_cookie() -> str | None:
    """The cookie of the browser that runs the current page."""
    import streamlit as st

    value = st.context.cookies.get(COOKIE)
    return str(value) if value else None
