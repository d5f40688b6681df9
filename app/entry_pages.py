"""The pages of the way in, as plain HTML without a script: nobody is let in by a page being looked at, only by its button."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path

from starlette.responses import HTMLResponse, Response

from app.guard import NO_STORE
from app.theme import CONFIG, FONT
from study.access import ROLES_IN_WORDS
from study.arrivals import Arrival
from study.protocol import Protocol
from study.studies import Study

WELCOME = "Welcome. You will look around in rooms, step by step, and answer a question about each."
"""The first page of a study that has no text of its own for it."""
CONSENT = "Your actions, the views you see and your answers are recorded under a pseudonym. You can stop at any time."
"""The consent of a study that has no text of its own for it."""
AGREED = "I have read this, and I want to take part."
TAKE_PART, NO_THANKS = "Take part", "No, thank you"
FORM, CHOICE, AGREES, NEXT = "vantage-form", "vantage-choice", "vantage-agrees", "vantage-next"
"""Our own fields of a form; a platform's parameters may have any other name."""
TICK_FIRST = f"Please tick the box above first, or choose “{NO_THANKS}”."

_NAMES = {"paper": "backgroundColor", "ink": "textColor", "accent": "primaryColor", "link": "linkColor"}
_MORE = {"light": "--line: #767d89; --bad: #b3261e;", "dark": "--line: #8b93a1; --bad: #f2867f;"}


def _colours(theme: str) -> str:
    return " ".join(f"--{name}: {CONFIG[f'theme.{theme}.{option}']};" for name, option in _NAMES.items()) + f" {_MORE[theme]}"


_STYLE = (
    f":root {{ color-scheme: light dark; --font: {FONT}; {_colours('light')} }}\n"
    f"@media (prefers-color-scheme: dark) {{ :root {{ {_colours('dark')} }} }}\n"
    + Path(__file__).with_name("theme").joinpath("plain.css").read_text(encoding="utf-8")
)
_PAGE = (
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    '<meta name="robots" content="noindex, nofollow"><link rel="icon" href="data:,">'
    '<title>{title}</title><style>{style}</style>{head}</head>'
    "<body><main>{body}</main></body></html>"
)


IN_THE_WAY = (
    '<p class="h1" role="heading" aria-level="1">This study cannot be reached properly here</p>'
    '<p class="alert" role="alert">What you do here would not reach it, so '
    "nothing is asked of you, and nothing was kept. Please tell the person who invited you, and show them what follows.</p>"
)
BLOCKED = {
    "write": "Requests arrive here under another host name than the address in the browser, so that every answer would be refused. Start "
    "Vantage with <code>--public-url</code> and that address, or let the web server in front pass its host name on "
    "(nginx: <code>proxy_set_header Host $http_host;</code>).",
    "socket": "The web server in front passes no WebSockets on. nginx: <code>proxy_http_version 1.1; "
    "proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;</code>",
}
"""What may stand in the way, in words for whoever runs the server, by the class that `app.way_in` shows."""
LOOK = "<code>vantage doctor --address</code> with the address in the browser shows each step of the way."


SMALL, ENOUGH = "small", "enough"
"""Classes of what is shown in a window that is smaller than the study asks for, and of what is shown in one that is not."""
LARGER = "Make the window larger, or what it shows smaller (Ctrl and −, on a Mac ⌘ and −)."


def _window(protocol: Protocol) -> str:
    sides = (protocol.window_width, "wide"), (protocol.window_height, "high")
    return " and ".join(f"{pixels} pixels {side}" for pixels, side in sides if pixels)


def needs(protocol: Protocol) -> str:
    """What people take part with best, in words."""
    window = _window(protocol)
    return "A computer with a keyboard works best" + (f", and a window of at least {window}." if window else ".")


def small_window(protocol: Protocol) -> tuple[str, str]:
    """The words for a window that is smaller than the study asks for, as HTML, and the style sheet that shows them in such a window alone.

    The sheet measures the window: it needs no script, and follows while the window is made larger. Where the study refuses a small window,
    the sheet also hides what has the class `ENOUGH` there.
    """
    least = ("width", protocol.window_width), ("height", protocol.window_height)
    low = [f"(max-{side}: {pixels - 0.02:.2f}px)" for side, pixels in least if pixels]
    if not low:
        return "", ""
    refused = protocol.small_window == "refused"
    words = f"This study needs a window of at least {_window(protocol)}; this one is smaller. {LARGER} " + (
        "Then you can take part here. On a phone it is not possible."
        if refused
        else "You can take part as it is; the pictures are then shown smaller."
    )
    sheet = f".{SMALL} {{ display: none; }} @media {', '.join(low)} {{ .{SMALL} {{ display: block; }} " + (
        f".{ENOUGH}, .st-key-{ENOUGH} {{ display: none; }} }}" if refused else "}"
    )
    return f'<p class="alert {SMALL}" role="alert">{escape(words)}</p>', f"<style>{sheet}</style>"


def _way() -> str:
    blocked = "".join(f'<p class="{name}">For whoever runs this server: {words} {LOOK}</p>' for name, words in BLOCKED.items())
    return f'<section class="way">{IN_THE_WAY}{blocked}</section>'


def in_the_way() -> Response:
    """Instead of the answer to a form that arrived as another site's would."""
    return page("Vantage", f"{IN_THE_WAY}<p>For whoever runs this server: {BLOCKED['write']} {LOOK}</p>", 403, titled=False)


def page(title: str, body: str, status: int = 200, *, start: str | None = None, titled: bool = True) -> Response:
    """A page of ours.

    Args:
        title: plain text.
        body: HTML.
        status: of the reply.
        start: address of the start page, where the page has a form; it is shown when nothing would stand in the form's way.
        titled: whether the title is the page's heading.
    """
    head = "" if start is None else f'<link rel="stylesheet" href="{start}api/way/page.css">'
    body = (f'<h1 dir="auto">{escape(title)}</h1>' if titled else "") + body + ("" if start is None else _way())
    whole = _PAGE.format(title=escape(title), style=_STYLE, head=head, body=body)
    return HTMLResponse(whole, status, headers=NO_STORE)


def start_of(path: str) -> str:
    """The address of the start page, relative to a page of ours at `path`: the app may lie at a sub-path."""
    return "../" * (path.count("/") - 1) or "./"


def sorry(message: str, status: int, start: str) -> Response:
    """A link or a form that let nobody in; `start` is the address of the start page."""
    return page("This link does not work", f'<p>{escape(message)}</p><p><a href="{start}">To the start page</a></p>', status)


def arriving(
    here: Arrival, form: Mapping[str, str], start: str, projects: tuple[str, ...] = (), *, unticked: bool = False
) -> Response:
    """The page behind a link: for a participant welcome and consent, for somebody who comes back one button, for staff what they accept.

    Args:
        here: what the link means.
        form: our own fields: what names this showing, so that a button pressed twice lets in once; whether the next person is there.
        start: address of the start page.
        projects: names of the projects in which the staff will work.
        unticked: they wanted to take part without having agreed.
    """
    fields = {**here.fields, **{name: form[name] for name in (FORM, NEXT) if name in form}}
    hidden = "".join(f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">' for name, value in fields.items())
    if here.asks_consent and here.study is not None:
        return page(here.study.name, _consent(here, here.study, hidden, unticked), start=start)
    if here.role == "participant" and here.study is not None:
        return page(here.study.name, _back(hidden), start=start)
    return page("You are invited", _staff(here, projects, hidden), start=start)


def _consent(here: Arrival, study: Study, hidden: str, unticked: bool) -> str:
    small, sheet = small_window(study.protocol)
    alert = f'<p class="alert" role="alert" id="unticked">{escape(TICK_FIRST)}</p>' if unticked else ""
    wrong = ' aria-invalid="true" aria-describedby="unticked" autofocus' if unticked else ""
    return (
        f'{sheet}{paragraphs(study.welcome or WELCOME)}<p class="muted">{escape(needs(study.protocol))}</p>{small}'
        f"<h2>Taking part</h2>{paragraphs(study.consent or CONSENT)}"
        f'<p class="muted">Version of this text: {escape(study.consent_version)}</p>'
        + _leaving(here)
        + _form(
            f'<div class="{ENOUGH}"><label class="tick"><input type="checkbox" name="{AGREES}" value="yes"{wrong}>'
            f"<span>{escape(AGREED)}</span></label>{alert}</div>"
            f'<div class="buttons"><button class="main {ENOUGH}" name="{CHOICE}" value="consent">{TAKE_PART}</button>'
            f'<button name="{CHOICE}" value="decline">{NO_THANKS}</button></div>',
            hidden,
        )
    )


def _leaving(here: Arrival) -> str:
    """Who loses what by somebody taking part in this browser."""
    told = []
    others = [grant for grant in here.leave if grant.role == "participant"]
    if others and here.kiosk:
        told.append("Whoever took part at this computer before you is done here as soon as you choose below.")
    elif others:
        told.append("Somebody took part in this browser before. If that was you, <a href='../'>go on there</a>; if not, choose below.")
    if roles := sorted({grant.role for grant in here.leave} - {"participant"}):
        told.append(f"This browser is signed in as {' and '.join(roles)}: whoever takes part signs it out.")
    return "".join(f'<p class="alert">{words}</p>' for words in told)


def next_person(start: str) -> Response:
    """The page on which a shared computer goes to the next person; `start` is the address of the start page."""
    return page(
        "Next person",
        "<p>The place at this computer goes to the next person. Everything that the person before did is saved; from this computer nobody "
        "can see it, go on with it or take it back any more.</p>" + _form('<button class="main">Next person</button>'),
        start=start,
    )


def _back(hidden: str) -> str:
    told = "You have been here before. You go on where you were; where this study is open in another browser, it ends there."
    return f"<p>{told}</p>" + _form('<button class="main">Go on</button>', hidden)


def _staff(here: Arrival, projects: tuple[str, ...], hidden: str) -> str:
    whom = f"This invitation is for <b dir='auto'>{escape(here.label)}</b>." if here.label else "This invitation is for you."
    where = "in all studies" if here.study is None else f"in the study <b dir='auto'>{escape(here.study.name)}</b>"
    for number, name in enumerate(projects):
        where += f"{', ' if number else ', project '}<b dir='auto'>{escape(name)}</b>"
    may = f"Who accepts it is <b>{here.role}</b> {where}: {ROLES_IN_WORDS[here.role]}."
    return f"<p>{whom}</p><p>{may}</p>" + _form('<button class="main">Accept the invitation</button>', hidden)


def signing_in(start: str) -> Response:
    """The form for an invitation that is pasted; `start` is the address of the start page."""
    return page(
        "Sign in",
        "<p>Paste the invitation you were given, or the first-admin token that was printed when Vantage was set up.</p>"
        + _form(
            '<label for="invite">Invitation</label><input class="line" id="invite" name="invite" type="password" autocomplete="off" '
            'required autofocus><button class="main">Sign in</button>',
        ),
        start=start,
    )


def _form(inner: str, hidden: str = "") -> str:
    """A form that is sent to the address of its own page."""
    return f'<form method="post">{hidden}{inner}</form>'


def paragraphs(text: str) -> str:
    """Words written by a researcher as HTML: blank lines part paragraphs, no markup is interpreted."""
    parts = [part.strip() for part in text.split("\n\n")]
    return "".join(f'<p dir="auto">{escape(part)}</p>' for part in parts if part)


def fields_of(query: Mapping[str, str]) -> dict[str, str]:
    """Address or form fields, none longer than is kept."""
    return {name: value[:500] for name, value in query.items()}
