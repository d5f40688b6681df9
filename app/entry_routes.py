"""Coming in: invitation links, recruitment parameters, and the staff sign-in form. Each ends in a cookie and a clean address."""

from __future__ import annotations

from html import escape
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from app import identity
from app.guard import NO_STORE, HttpError, check_origin, error_reply
from app.http import run
from app.services import current
from sim_bridge.errors import Refusal
from study import access
from study.access import Grant

MAX_PARAMS = 40
MAX_FORM_BYTES = 4096

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Vantage: {title}</title>
<style>
:root {{ color-scheme: light dark; --ink: #1a1f29; --paper: #fff; --accent: #1f5fbf; --line: #767d89; }}
@media (prefers-color-scheme: dark) {{ :root {{ --ink: #e8ebf0; --paper: #14171c; --accent: #2f6fd6; --line: #8b93a1; }} }}
body {{ margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }}
main {{ max-width: 30rem; margin: 16vh auto 0; padding: 0 1.5rem; }}
h1 {{ font-size: 1.6rem; letter-spacing: -.01em; }}
label {{ display: block; font-weight: 600; margin-bottom: .3rem; }}
input, button {{ font: inherit; border-radius: 8px; }}
input {{ width: 100%; box-sizing: border-box; padding: .5rem .7rem; border: 1px solid var(--line); background: none; color: inherit; }}
button {{ margin-top: 1rem; font-weight: 600; padding: .5rem 1.2rem; border: 0; background: var(--accent); color: #fff; cursor: pointer; }}
:focus-visible {{ outline: 3px solid var(--accent); outline-offset: 2px; }}
a {{ color: inherit; }}
</style></head><body><main><h1>{title}</h1>{body}</main></body></html>"""


def _page(title: str, body: str, status: int = 200) -> Response:
    return HTMLResponse(_PAGE.format(title=escape(title), body=body), status, headers=NO_STORE)


def _sorry(message: str, status: int) -> Response:
    back = '<p><a href="./">To the start page</a></p>'
    return _page("This link does not work", f"<p>{escape(message)}</p>{back}", status)


def _came_in(request: Request, value: str, grant: Grant) -> Response:
    # The grant's id is no secret: without the cookie it opens nothing. It tells the page which of several grants to show.
    response = RedirectResponse(f"./?as={grant.grant_id}", 303, headers=NO_STORE)
    identity.set_cookie(response, value, request, current())
    return response


async def _admit(request: Request, params: dict[str, str]) -> Response:
    services = current()
    client = request.client.host if request.client else ""
    if not services.entry_limit.allow(client):
        return _sorry("Too many attempts in a short time. Wait a minute, then try again.", 429)
    value = identity.cookie(request)

    def work() -> tuple[str, Grant]:
        if "invite" in params:
            return access.enter(services.store, params["invite"].strip(), value)
        return access.enter_recruited(services.store, params, value)

    try:
        new_value, grant = await run(services.reading, work)
    except Exception as error:
        failed = error_reply(error, "entry")
        if not isinstance(error, Refusal) or failed.status_code >= 500:
            return _sorry("The server could not let you in just now. Try again in a minute.", failed.status_code)
        return _sorry(error.for_people, failed.status_code)
    return _came_in(request, new_value, grant)


async def enter(request: Request) -> Response:
    """GET /enter?invite=… or with recruitment parameters: cookie, then a clean address. HEAD (link previews) uses nothing up."""
    if request.method == "HEAD":
        return Response(status_code=204, headers=NO_STORE)
    if len(request.query_params) > MAX_PARAMS or not request.query_params:
        return _sorry("The link is incomplete. Open it again from where you got it.", 400)
    return await _admit(request, {name: value[:500] for name, value in request.query_params.items()})


async def sign_in(request: Request) -> Response:
    """GET /sign-in: a form for an invitation token; POST: come in by it, so that the token stands in no address."""
    if request.method == "POST":
        try:
            check_origin(request)
            raw = bytearray()
            async for chunk in request.stream():
                raw += chunk
                if len(raw) > MAX_FORM_BYTES:
                    raise HttpError(413, "too_large", "The form is too large.")
            fields = parse_qs(bytes(raw).decode("utf-8", "replace"))
        except HttpError as error:
            return _sorry(str(error), error.status)
        token = (fields.get("invite") or [""])[0].strip()
        # People paste the whole link as often as the token.
        token = token.rpartition("invite=")[2].split("&")[0]
        if token:
            return await _admit(request, {"invite": token})
    form = (
        "<p>Paste the invitation you were given, or the first-admin token that was printed when Vantage was set up.</p>"
        '<form method="post" action="sign-in"><label for="invite">Invitation</label>'
        '<input id="invite" name="invite" type="password" autocomplete="off" required autofocus>'
        '<button type="submit">Sign in</button></form>'
    )
    return _page("Sign in", form)


ROUTES = [
    Route("/enter", enter, methods=["GET"]),
    Route("/sign-in", sign_in, methods=["GET", "POST"]),
]
