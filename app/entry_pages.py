"""The pages of the way in, as plain HTML without a script: nobody is let in by a page being looked at, only by its button."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path

from starlette.responses import HTMLResponse, Response

from app.guard import NO_STORE
from app.theme import CONFIG, FONT, font
from study.access import ROLES_IN_WORDS
from study.arrivals import Arrival
from study.briefing import welcome_of
from study.protocol import Protocol
from study.studies import Study
from study.wording import say, speaking, spoken

FORM, CHOICE, AGREES, NEXT = "vantage-form", "vantage-choice", "vantage-agrees", "vantage-next"
"""Our own fields of a form; a platform's parameters may have any other name."""

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
    '<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<meta name="robots" content="noindex, nofollow"><link rel="icon" href="data:,">'
    "<title>{title}</title>{font}<style>{style}</style>{head}</head>"
    "<body><main>{body}</main></body></html>"
)


def _in_the_way() -> str:
    return (
        f'<p class="h1" role="heading" aria-level="1">{escape(say("entry.in_the_way"))}</p>'
        f'<p class="alert" role="alert">{escape(say("entry.in_the_way_told"))}</p>'
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


def _window(protocol: Protocol) -> str:
    width, height = protocol.window_width, protocol.window_height
    if width and height:
        return say("entry.pixels_both", width=width, height=height)
    return say("entry.pixels_wide", n=width) if width else say("entry.pixels_high", n=height)


def needs(protocol: Protocol) -> str:
    """What people take part with best, in words."""
    if not (protocol.window_width or protocol.window_height):
        return say("entry.computer")
    return say("entry.computer_and_window", window=_window(protocol))


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
    words = say("entry.window_refused" if refused else "entry.window_small", window=_window(protocol))
    sheet = f".{SMALL} {{ display: none; }} @media {', '.join(low)} {{ .{SMALL} {{ display: block; }} " + (
        f".{ENOUGH}, .st-key-{ENOUGH} {{ display: none; }} }}" if refused else "}"
    )
    return f'<p class="alert {SMALL}" role="alert">{escape(words)}</p>', f"<style>{sheet}</style>"


def _way() -> str:
    blocked = "".join(f'<p class="{name}">For whoever runs this server: {words} {LOOK}</p>' for name, words in BLOCKED.items())
    return f'<section class="way">{_in_the_way()}{blocked}</section>'


def in_the_way(start: str) -> Response:
    """Instead of the answer to a form that arrived as another site's would; `start` is the address of the start page."""
    return page("Vantage", f"{_in_the_way()}<p>For whoever runs this server: {BLOCKED['write']} {LOOK}</p>", 403, start=start, titled=False)


def page(title: str, body: str, status: int = 200, *, start: str, form: bool = False, titled: bool = True) -> Response:
    """A page of ours.

    Args:
        title: plain text.
        body: HTML.
        status: of the reply.
        start: address of the start page.
        form: whether the page has a form; it is shown when nothing would stand in the form's way.
        titled: whether the title is the page's heading.
    """
    head = "" if not form else f'<link rel="stylesheet" href="{start}api/way/page.css">'
    body = (f'<h1 dir="auto">{escape(title)}</h1>' if titled else "") + body + (_way() if form else "")
    whole = _PAGE.format(
        language=spoken(), title=escape(title), font=font.early(start) + font.face(start), style=_STYLE, head=head, body=body
    )
    return HTMLResponse(whole, status, headers=NO_STORE)


def start_of(path: str) -> str:
    """The address of the start page, relative to a page of ours at `path`: the app may lie at a sub-path."""
    return "../" * (path.count("/") - 1) or "./"


def sorry(message: str, status: int, start: str) -> Response:
    """A link or a form that let nobody in; `start` is the address of the start page."""
    to_start = f'<p><a href="{start}">{escape(say("entry.to_start"))}</a></p>'
    return page(say("entry.link_broken"), f"<p>{escape(message)}</p>{to_start}", status, start=start)


def arriving(here: Arrival, form: Mapping[str, str], start: str, projects: tuple[str, ...] = (), *, unticked: bool = False) -> Response:
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
    if here.role == "participant" and here.study is not None:
        with speaking(here.study.language):
            body = _consent(here, here.study, hidden, unticked) if here.asks_consent else _back(hidden)
            return page(here.study.name, body, start=start, form=True)
    return page("You are invited", _staff(here, projects, hidden), start=start, form=True)


def _consent(here: Arrival, study: Study, hidden: str, unticked: bool) -> str:
    small, sheet = small_window(study.protocol)
    take_part, no_thanks = escape(say("consent.take_part")), escape(say("consent.no_thanks"))
    # Below the buttons, which stay where they were pressed.
    alert = f'<p class="alert {ENOUGH}" role="alert" id="unticked">{escape(say("consent.tick_first"))}</p>' if unticked else ""
    wrong = ' aria-invalid="true" aria-describedby="unticked" autofocus' if unticked else ""
    return (
        f'{sheet}{paragraphs(welcome_of(study))}<p class="muted">{escape(needs(study.protocol))}</p>{small}'
        f"<h2>{escape(say('consent.title'))}</h2>"
        f"{paragraphs(study.consent or say('consent.text'))}"
        f'<p class="muted">{escape(say("consent.version", version=study.consent_version))}</p>'
        + (f'<p class="muted">{escape(say("consent.ask", contact=study.contact.strip()))}</p>' if study.contact.strip() else "")
        + _leaving(here)
        + _form(
            f'<div class="{ENOUGH}"><label class="tick"><input type="checkbox" name="{AGREES}" value="yes"{wrong}>'
            f"<span>{escape(say('consent.agree'))}</span></label></div>"
            f'<div class="buttons"><button class="main {ENOUGH}" name="{CHOICE}" value="consent">{take_part}</button>'
            f'<button name="{CHOICE}" value="decline">{no_thanks}</button></div>{alert}',
            hidden,
        )
    )


def _leaving(here: Arrival) -> str:
    """Who loses what by somebody taking part in this browser."""
    told = []
    others = [grant for grant in here.leave if grant.role == "participant"]
    if others and here.kiosk:
        told.append(escape(say("entry.shared_before")))
    elif others:
        link = f"<a href='../'>{escape(say('entry.other_go_on'))}</a>"
        told.append(escape(say("entry.other_before", link="LINK")).replace("LINK", link))
    if roles := sorted({grant.role for grant in here.leave} - {"participant"}):
        told.append(escape(say("entry.signed_out", roles=" + ".join(roles))))
    return "".join(f'<p class="alert">{words}</p>' for words in told)


def next_person(start: str) -> Response:
    """The page on which a shared computer goes to the next person; `start` is the address of the start page."""
    told, button = escape(say("entry.next_person_told")), escape(say("entry.next_person"))
    return page(say("entry.next_person"), f"<p>{told}</p>" + _form(f'<button class="main">{button}</button>'), start=start, form=True)


def _back(hidden: str) -> str:
    told, button = escape(say("entry.back_told")), escape(say("entry.go_on"))
    return f"<p>{told}</p>" + _form(f'<button class="main">{button}</button>', hidden)


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
        form=True,
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
