"""Which browser is this: the cookie and what may be done with it. Every page, route and command asks here, on every call."""

from __future__ import annotations

import hashlib

from starlette.requests import Request
from starlette.responses import Response

from app.services import Services
from study import access
from study.access import Grant

COOKIE = "vantage_session"
"""The browser's cookie; the value is random, the database keeps only its hash."""
COOKIE_MAX_AGE_S = access.COOKIE_DAYS * 24 * 3600


def cookie(request: Request) -> str | None:
    """The cookie a request brought."""
    return request.cookies.get(COOKIE)


def limit_key(value: str | None) -> str:
    """Key of a browser for rate limits: a digest, so that the limiter holds no cookies."""
    return hashlib.blake2b((value or "").encode(), digest_size=12).hexdigest()


def set_cookie(response: Response, value: str, request: Request, services: Services) -> None:
    """Give the browser its cookie: not readable by scripts, not sent from other sites' forms, only over https where that is used."""
    secure = services.settings.secure_cookie or request.url.scheme == "https"
    response.set_cookie(COOKIE, value, max_age=COOKIE_MAX_AGE_S, path="/", httponly=True, samesite="lax", secure=secure)


def check_player(services: Services, value: str | None, episode_id: str) -> Grant:
    """The grant to play this very episode.

    Raises:
        NotAllowed: it is not this browser's.
    """
    return access.player(services.store, value, episode_id)


def check_staff_of(services: Services, value: str | None, episode_id: str) -> Grant:
    """The researcher's grant for the study of this episode.

    Raises:
        NotAllowed: none, or no such episode (the answer is the same).
    """
    row = services.store.one("SELECT study_id FROM episodes WHERE episode_id = ?", [episode_id])
    # An episode outside every study is only for those who may see all studies; "" is no study's id.
    return access.require(services.store, value, "researcher", (row or {}).get("study_id") or "")


def page_cookie() -> str | None:
    """The cookie of the browser that runs the current page."""
    import streamlit as st

    value = st.context.cookies.get(COOKIE)
    return str(value) if value else None
