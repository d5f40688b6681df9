"""Coming in: invitation links, recruitment parameters, and the staff sign-in form. Each ends in a cookie and a clean address.

A GET changes nothing: mail scanners, chat previews and browsers that fetch ahead open links too, and some run scripts. A link leads to a
page whose button lets in by POST. Its token does not stay in the address: the link answers with a cookie for the page's own address alone.
"""

from __future__ import annotations

import base64
import binascii
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from annotation.qa.evaluating.evaluation import check_taker
from annotation.qa.projects import list_projects
from app import ahead, entry_pages, identity, rights
from app.entry_pages import AGREES, CHOICE, FORM, NEXT, fields_of, start_of
from app.guard import IN_THE_WAY, NO_STORE, HttpError, check_origin, error_reply, too_fast
from app.http import run
from app.pages.registry import lands
from app.services import Services, current
from app.visitors import visitor
from sim_bridge.errors import Refusal
from study import access, arrivals, participants
from study.access import Grant
from study.arrivals import INVITE, Arrival
from study.errors import NotAllowed
from study.studies import get_study

MAX_PARAMS = 40
MAX_FORM_BYTES = 8192
LINK = "vantage_link"
"""The cookie that carries a link's token to its page; it is sent to that page's address alone."""
UNTICKED = "unticked"
"""In the address of a link's page: its button was pressed before its box was ticked."""
LINK_KEEP_S = 24 * 3600
FORGET = {"clear-site-data": '"storage"'}
"""What the browser kept of the person before (keys, drafts) goes with them. Pages it does not keep at all."""
AGAIN_S = 120.0
"""How long a form that was sent is known again."""


@dataclass(frozen=True)
class In:
    """Who was let in by a form."""

    ref: str
    cookie: str
    grant: Grant


TWICE = (
    "The link has {name} twice, with different values, so it does not say whom it is for. Open the study from the recruitment site again; "
    "if you read this once more, please tell the people who run the study."
)


class Sent:
    """Forms that were sent a short while ago: a button pressed twice, or a request sent again, lets in once."""

    def __init__(self, keep_s: float = AGAIN_S) -> None:
        self._keep_s, self._lock = keep_s, threading.Lock()
        self._known: OrderedDict[str, tuple[float, In]] = OrderedDict()

    def known(self, form: str) -> In | None:
        """What came of this form before; waits for one that is just being dealt with."""
        with self._lock:
            while self._known and next(iter(self._known.values()))[0] < time.monotonic() - self._keep_s:
                self._known.popitem(last=False)
            return self._known[form][1] if form in self._known else None

    def once(self, form: str, let_in: Callable[[], In]) -> In:
        """What came of this form before, or comes of it now. A form without a name is let in each time."""
        if not form:
            return let_in()
        with self._lock:
            if form not in self._known:
                self._known[form] = (time.monotonic(), let_in())
            return self._known[form][1]

    def forget(self, form: str) -> None:
        """A form that counts as new again."""
        with self._lock:
            self._known.pop(form, None)


_sent = Sent()


async def _on(request: Request, grant: Grant) -> Response:
    services = current()
    page = "" if grant.staff_id is None else await run(services.reading, lambda: lands(services.store, grant))
    # The grant's id is no secret: without the cookie it opens nothing. It tells the page which of several grants to show.
    return RedirectResponse(f"{start_of(request.url.path)}{page}?as={grant.grant_id}", 303, headers=NO_STORE)


def _to_page(request: Request, here: Arrival) -> Response:
    """Lead on to the page of a link, with the token in a cookie for it instead of in its address."""
    response = RedirectResponse(f"enter/{here.ref}", 303, headers=NO_STORE)
    _carry(request, response, here.ref, {**here.fields, FORM: secrets.token_urlsafe(16)}, LINK_KEEP_S)
    return response


def _carry(request: Request, response: Response, ref: str, fields: Mapping[str, str], keep_s: int) -> None:
    packed = base64.urlsafe_b64encode(urlencode(fields).encode()).decode().rstrip("=")
    identity.set_cookie(response, packed, request, current(), name=LINK, path=_page_of(ref), keep_s=keep_s)


def _page_of(ref: str) -> str:
    """The path of a link's page within the app, for its cookie (`app.address` puts a sub-path before it)."""
    return "/".join(("", "enter", ref))


def _carried(request: Request) -> dict[str, str]:
    """What the cookie of a link's page carries; empty without one."""
    packed = request.cookies.get(LINK, "")
    try:
        text = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)).decode("utf-8")
        return fields_of(dict(parse_qsl(text, max_num_fields=MAX_PARAMS)))
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return {}


async def _looked_up(request: Request, params: Mapping[str, str], *, opened: bool = True) -> Arrival | Response:
    """What a link means for this browser, or the page that says why it lets nobody in. Guesses are limited."""
    services, value = current(), identity.cookie(request)
    try:
        return await run(services.reading, lambda: arrivals.arrival(services.store, params, value, opened=opened))
    except Exception as error:
        return _failed(request, error if _allowed(request, services, "guess") else too_fast())


def _allowed(request: Request, services: Services, what: str) -> bool:
    """Whether one more attempt is let through: by grant for whoever holds one, by address for everybody else.

    Guesses count apart from people who come in, so that a stranger's guesses keep nobody out who has a link.
    """
    return services.entry_limit.allow(f"{what} {visitor(request.scope).key}")


def _sorry(request: Request, message: str, status: int = 400) -> Response:
    return entry_pages.sorry(message, status, start_of(request.url.path))


def _failed(request: Request, error: Exception) -> Response:
    if isinstance(error, HttpError) and str(error) == IN_THE_WAY:
        return entry_pages.in_the_way(start_of(request.url.path))
    status = error_reply(error, "entry").status_code
    if not isinstance(error, Refusal) or status >= 500:
        return _sorry(request, "The server could not let you in just now. Try again in a minute.", status)
    return _sorry(request, error.for_people, status)


async def enter(request: Request) -> Response:
    """GET /enter?invite=… or with recruitment parameters: on to the page of the link, or straight on where this browser came in by it."""
    if request.method == "HEAD":
        return Response(status_code=204, headers=NO_STORE)
    if len(request.query_params) > MAX_PARAMS or not request.query_params:
        return _sorry(request, "The link is incomplete. Open it again from where you got it.")
    here = await _looked_up(request, fields_of(request.query_params))
    if isinstance(here, Response):
        return here
    if twice := next((name for name in here.fields if len(set(request.query_params.getlist(name))) > 1), None):
        return _sorry(request, TWICE.format(name=twice))
    return _to_page(request, here) if here.grant is None else await _on(request, here.grant)


async def entry_page(request: Request) -> Response:
    """GET /enter/{ref}: the page of a link, with the button that lets in."""
    if request.method == "HEAD":
        return Response(status_code=204, headers=NO_STORE)
    services, carried = current(), _carried(request)
    if not carried:
        # Back to this page after coming in, or its address without the link.
        value = identity.cookie(request)
        if await run(services.reading, lambda: rights.held(services.store, value)):
            return RedirectResponse(start_of(request.url.path), 303, headers=NO_STORE)
        return _sorry(request, "This page belongs to a link. Open the link again from where you got it; this browser must allow cookies.")
    # The form's name is taken off when it is sent: from then on this is the page of whoever came in.
    here = await _looked_up(request, carried, opened=FORM in carried)
    if isinstance(here, Response):
        return here
    if here.grant is not None:
        return await _on(request, here.grant)
    form = {FORM: secrets.token_urlsafe(16)} | carried
    unticked = UNTICKED in request.query_params
    return entry_pages.arriving(here, form, start_of(request.url.path), await _projects(services, here), unticked=unticked)


async def _projects(services: Services, here: Arrival) -> tuple[str, ...]:
    """Names of the projects in which an invitation of somebody who makes or judges questions lets work."""
    if here.role not in rights.WRITERS or here.study is None:
        return ()
    study_id = here.study.study_id
    return await run(services.reading, lambda: tuple(p.name for p in list_projects(services.store) if p.study_id == study_id))


async def come_in(request: Request) -> Response:
    """POST /enter/{ref}: the button of a link's page. For a participant it is the consent, or the refusal of it."""
    services = current()
    try:
        fields = await _form(request)
    except HttpError as error:
        return _failed(request, error)
    here, form, choice = await _looked_up(request, fields), fields.get(FORM, ""), fields.get(CHOICE, "")
    unticked = choice == "consent" and fields.get(AGREES) != "yes"
    # Looked up before: the same form, sent by a first press, may have used the link up meanwhile.
    before = await run(services.reading, lambda: _known(services, form))
    if before is not None:
        return await _admit(request, before.ref, form, "" if unticked else choice, lambda: before)
    if isinstance(here, Response):
        return here
    if here.ref != request.path_params["ref"]:
        return _sorry(request, "The form is of another link. Open the link again from where you got it.")
    if here.asks_consent and choice not in ("consent", "decline"):
        return _sorry(request, "The form is incomplete. Open the link again from where you got it.")
    if here.asks_consent and unticked:
        # Led on to the page itself, so that neither Back nor a reload asks whether to send a form again.
        return RedirectResponse(f"{here.ref}?{UNTICKED}", 303, headers=NO_STORE)
    reply = await _admit(request, here.ref, form, choice, _let_in(request, here, next_person=NEXT in fields))
    if here.leave:
        reply.headers.update(FORGET)
    return reply


def _known(services: Services, form: str) -> In | None:
    """Who was let in by this form a moment ago, while their access lasts: the next person may be there already."""
    before = _sent.known(form)
    if before is None or before.grant in rights.held(services.store, before.cookie):
        return before
    _sent.forget(form)
    return None


def _let_in(request: Request, here: Arrival, *, next_person: bool = False) -> Callable[[], In]:
    value = identity.cookie(request)
    return lambda: In(here.ref, *arrivals.come_in(current().store, here.fields, value, next_person=next_person))


async def _admit(request: Request, ref: str, form: str, choice: str, let_in: Callable[[], In]) -> Response:
    """Let in, keep the choice, and lead on to a clean address with the session's cookie."""
    services = current()
    if not _allowed(request, services, "entry"):
        return _failed(request, too_fast())

    def work() -> In:
        done = _sent.once(form, let_in)
        if choice and done.grant.participant_id is not None:
            # One transaction: with a flush of the disk for each part of it a thousand people would wait for one another.
            with services.store.atomic():
                due = _decide(services, done, choice)
            ahead.load(services, due)
        return done

    try:
        done = await run(services.reading, work)
    except Exception as error:
        return _failed(request, error)
    response = await _on(request, done.grant)
    identity.set_cookie(response, done.cookie, request, services)
    carried = _carried(request)
    if done.grant.participant_id is not None and INVITE in carried:
        # Stays without the form's name, for the next person at this computer.
        _carry(request, response, ref, {INVITE: carried[INVITE]}, identity.COOKIE_MAX_AGE_S)
    else:
        response.delete_cookie(LINK, path=_page_of(ref))
    return response


def _decide(services: Services, done: In, choice: str) -> str | None:
    """Keep what a participant chose, and give them the place that is due then; returns the episode that they begin with, where there is
    one. Of somebody who may not take part nothing is kept: their page tells them why."""
    person = done.grant.participant_id or ""
    try:
        check_taker(services.store, get_study(services.store, done.grant.study_id), person, done.cookie)
    except NotAllowed:
        return None
    if participants.decide(services.store, person, "consent" if choice == "consent" else "decline") != "consented":
        return None
    return participants.place(services.store, services.engine, person).episode_id


async def next_person(request: Request) -> Response:
    """GET /enter/{ref}/next: the page with the button; POST: everybody leaves this browser, and the link's page is the next person's."""
    if request.method != "POST":
        return entry_pages.next_person(start_of(request.url.path))
    services, value, carried = current(), identity.cookie(request), _carried(request)
    try:
        await _form(request)
        await run(services.reading, lambda: access.leave_browser(services.store, value))
    except Exception as error:
        return _failed(request, error)
    response = RedirectResponse(f"../{request.path_params['ref']}", 303, headers=NO_STORE | FORGET)
    response.delete_cookie(identity.COOKIE, path="/")
    if INVITE in carried:
        fields = {INVITE: carried[INVITE], NEXT: "1"}
        _carry(request, response, request.path_params["ref"], fields, identity.COOKIE_MAX_AGE_S)
    return response


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form that one of our own pages sent.

    Raises:
        HttpError: it came from elsewhere, is too large or no form.
    """
    check_origin(request)
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/x-www-form-urlencoded":
        raise HttpError(415, "bad_request", "This is no form of ours. Open the link again from where you got it.")
    raw = bytearray()
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > MAX_FORM_BYTES:
            raise HttpError(413, "too_large", "The form is too large.")
    try:
        return fields_of(dict(parse_qsl(bytes(raw).decode("utf-8", "replace"), max_num_fields=MAX_PARAMS)))
    except ValueError:
        raise HttpError(400, "bad_request", "The form has too many fields.") from None


async def sign_in(request: Request) -> Response:
    """GET /sign-in: a form for an invitation token; POST: come in by it, so that the token stands in no address."""
    if request.method != "POST":
        return entry_pages.signing_in(start_of(request.url.path))
    try:
        fields = await _form(request)
    except HttpError as error:
        return _failed(request, error)
    # People paste the whole link as often as the token.
    token = fields.get(INVITE, "").strip().rpartition("invite=")[2].split("&")[0]
    if not token:
        return entry_pages.signing_in(start_of(request.url.path))
    here = await _looked_up(request, {INVITE: token})
    if isinstance(here, Response):
        return here
    if here.asks_consent and here.grant is None:
        return _to_page(request, here)  # the link of a study leads to its welcome and consent, pasted or not
    return await _admit(request, here.ref, "", "", _let_in(request, here))


ROUTES = [
    Route("/enter", enter, methods=["GET"]),
    Route("/enter/{ref}", entry_page, methods=["GET"]),
    Route("/enter/{ref}", come_in, methods=["POST"]),
    Route("/enter/{ref}/next", next_person, methods=["GET", "POST"]),
    Route("/sign-in", sign_in, methods=["GET", "POST"]),
]
