"""The routes of questionnaires: what is asked, every change of an answer, and the whole form. Each names a showing, which is checked
against the cookie's grants. Which answers pass is never told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app import identity, rights
from app.bodies import Body, Id, Milliseconds, Word, Words
from app.guard import HttpError, check_origin, read_body, too_fast
from app.http import guarded, reply, run
from app.play_api import DeviceBody, device_of
from app.services import Services, current
from study import participants, reports
from study.checks.pictures import picture as drawn
from study.forms import answers, sending
from study.forms.answers import Answered, Given, Showing
from study.forms.form import Form, Item
from study.wording import say, speaking


class FormOpenBody(Body):
    showing: Id
    device: DeviceBody | None = None


class ItemBody(Body):
    answer: Any = None
    declined: bool = False


class FormNoteBody(Body, kw_only=True):
    showing: Id
    item: Word
    answer: Any = None
    declined: bool = False
    t: Milliseconds | None = None


class FormSendBody(Body, kw_only=True):
    showing: Id
    answers: Annotated[dict[Word, ItemBody], Meta(max_length=200)]
    t: Milliseconds | None = None


class FormReportBody(Body):
    showing: Id
    text: Words


class FormStopBody(Body):
    showing: Id
    take_back: bool = False


def item_wire(item: Item, showing: Showing, number: int) -> dict[str, Any]:
    """What a browser is told of an item: every field is named here, and none says which answers pass."""
    return {
        "name": item.name,
        "text": item.text,
        "note": item.note,
        "kind": item.kind,
        "options": list(item.options),
        "none": item.none,
        "points": item.points,
        "low": item.low,
        "high": item.high,
        "unit": item.unit,
        "whole": item.whole,
        "lines": item.lines,
        "required": item.required,
        "may_decline": item.may_decline,
        # The address names a place on the page: what the picture shows does not follow from it.
        "picture": f"api/form/picture/{showing.showing_id}/{number}" if item.picture else "",
    }


def form_wire(form: Form, showing: Showing, kept: dict[str, Answered], told: dict[str, str]) -> dict[str, Any]:
    """What a browser is told of a form. An answer that stands there from the time before was not given this time: it is not `kept` yet.

    Args:
        form: the form.
        showing: its showing.
        kept: item → what stands there.
        told: item → what is said to whoever did not pass it the time before.
    """
    return {
        "showing": showing.showing_id,
        "sent": showing.sent_at is not None,
        "title": form.title,
        "text": form.text,
        "items": [item_wire(item, showing, number) for number, item in enumerate(form.items)],
        "answers": {name: {"answer": row.value, "declined": row.declined, "saved_at": row.server_time} for name, row in kept.items()},
        "again": say(form.moment.again) if showing.attempt > 1 else "",
        "explanations": told,
    }


async def _write(request: Request, kind: Any, work: Callable[[Services, Any, Showing, Form], Response]) -> Response:
    check_origin(request)
    services = current()
    body = await read_body(request, kind)
    cookie = identity.cookie(request)
    if not services.other_limit.allow(identity.limit_key(cookie)):
        raise too_fast()

    def checked() -> Response:
        showing = rights.asked(services.store, cookie, body.showing)
        study, form = sending.asked_in(services.store, showing)
        with speaking(study.language):
            return work(services, body, showing, form)

    return await run(services.acting, checked)


@guarded
async def open_form(request: Request) -> Response:
    """POST /api/form/open {showing, device}: what is asked, and what stands there already."""

    def work(services: Services, body: FormOpenBody, showing: Showing, form: Form) -> Response:
        answers.opened(services.store, showing, device_of(request, body.device))
        missed = answers.before(services.store, showing)
        told = {item.name: item.explanation for item in form.items if item.name in missed and item.explanation}
        there = answers.right_before(services.store, showing, form) | answers.latest(services.store, showing.showing_id)
        return reply(form_wire(form, showing, there, told))

    return await _write(request, FormOpenBody, work)


@guarded
async def note(request: Request) -> Response:
    """POST /api/form/note {showing, item, answer, declined, t}: what somebody has chosen so far."""

    def work(services: Services, body: FormNoteBody, showing: Showing, form: Form) -> Response:
        given = Given(value=body.answer, declined=body.declined)
        return reply({"saved_at": sending.note(services.store, showing, form, body.item, given, client_time_ms=body.t)})

    return await _write(request, FormNoteBody, work)


@guarded
async def send(request: Request) -> Response:
    """POST /api/form/send {showing, answers, t}: the whole form. ``faults``: items that still need an answer; then nothing is sent."""

    def work(services: Services, body: FormSendBody, showing: Showing, form: Form) -> Response:
        given = {name: Given(value=one.answer, declined=one.declined) for name, one in body.answers.items()}
        try:
            sent = sending.send(services.store, services.engine, showing.showing_id, given, client_time_ms=body.t)
        except sending.Incomplete as missing:
            return reply({"faults": missing.faults})
        return reply({"saved_at": sent.saved_at, "then": sent.then, "message": sent.message})

    return await _write(request, FormSendBody, work)


@guarded
async def stop(request: Request) -> Response:
    """POST /api/form/stop {showing, take_back}: who is asked ends their part in the study, and leaves what they did or takes it back."""

    def work(services: Services, body: FormStopBody, showing: Showing, form: Form) -> Response:
        person = showing.participant_id
        if body.take_back:
            participants.withdraw(services.store, services.engine, person)
        else:
            participants.stop(services.store, services.engine, person)
        return reply({"state": participants.get_participant(services.store, person).state})

    return await _write(request, FormStopBody, work)


@guarded
async def report(request: Request) -> Response:
    """POST /api/form/report {showing, text}: a problem with this page, in the words of whoever is asked."""

    def work(services: Services, body: FormReportBody, showing: Showing, form: Form) -> Response:
        return reply({"saved_at": reports.report(services.store, showing.participant_id, form.name, body.text)})

    return await _write(request, FormReportBody, work)


@guarded
async def picture(request: Request) -> Response:
    """GET /api/form/picture/{showing}/{place}: the picture of an item, by its place on the page."""
    services, cookie = current(), identity.cookie(request)
    showing_id, place = request.path_params["showing"], request.path_params["place"]

    def work() -> bytes:
        _, form = sending.asked_in(services.store, rights.asked(services.store, cookie, showing_id))
        if place >= len(form.items) or not form.items[place].picture:
            raise HttpError(404, "not_found", "There is no such picture.")
        return drawn(form.items[place].picture)

    headers = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
    return Response(await run(services.reading, work), media_type="image/png", headers=headers)


ROUTES = [
    Route("/api/form/open", open_form, methods=["POST"]),
    Route("/api/form/note", note, methods=["POST"]),
    Route("/api/form/send", send, methods=["POST"]),
    Route("/api/form/picture/{showing}/{place:step}", picture, methods=["GET"]),
    Route("/api/form/report", report, methods=["POST"]),
    Route("/api/form/stop", stop, methods=["POST"]),
]
