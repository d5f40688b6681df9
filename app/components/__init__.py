"""Our browser components: plain ES modules in folders by what they are for, served under an address that holds their content hash.

The address knows no folders: a module is imported by its name, wherever it lies, so each name is there once.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from annotation.qa.drawn import marks_style
from study.analysis import report
from study.wording import say, spoken, words_for

FOLDER = Path(__file__).parent
SUFFIXES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
"""What is served, and as what."""


@cache
def assets() -> dict[str, tuple[bytes, str]]:
    """File name → (bytes, media type) of every shipped asset, and of what is made from a table that the server draws from too."""
    shipped = {path.name: (path.read_bytes(), SUFFIXES[path.suffix]) for path in sorted(FOLDER.rglob("*")) if path.suffix in SUFFIXES}
    made = {"marks_style.js": (marks_style.module().encode(), SUFFIXES[".js"])}
    drawn = {path.name: (path.read_bytes(), SUFFIXES[path.suffix]) for path in Path(report.__file__).parent.glob("drawing.*")}
    return shipped | made | drawn


PLOTLY = "plotly.js"
"""Plotly's own script, from its Python package; served under the same address as the assets, and no part of them."""


@cache
def plotly_script(*, packed: bool) -> bytes:
    """Plotly's script, as it is or packed by gzip (5 MB or 1.5 MB)."""
    from plotly.offline import get_plotlyjs

    script: bytes = get_plotlyjs().encode()
    return gzip.compress(script, mtime=0) if packed else script


@cache
def assets_version() -> str:
    """Hash over all assets: part of their address, so that a browser may keep them for ever."""
    digest = hashlib.sha256(metadata.version("plotly").encode())
    for name, (data, _) in assets().items():
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()[:16]


@dataclass(frozen=True)
class Component:
    """A browser component: an ES module with an entry ``mount``, and its style sheets."""

    name: str
    """Of its module, without ``.js``."""
    sheets: tuple[str, ...]
    """After ``base.css``, one after the other; without ``.css``."""
    words: tuple[str, ...] = ("page",)
    """Groups of a participant's words that its modules say (`study.wordings`): they come with its data as ``words``."""


TAKING_PART = ("page", "answer", "keys", "report", "stop")
PLAY = Component(
    "play", ("confidence", "play", "picker", "pictures", "flow"), (*TAKING_PART, "play", "picker", "view", "pictures", "tutorial")
)
QUESTION = Component("question", ("confidence", "play", "canvas", "question", "flow"), (*TAKING_PART, "question"))
LEAVING = Component("leaving", ("leaving",))
TOP = Component("top", ())
FORM = Component("questionnaire", ("play", "questionnaire", "flow"), ("page", "form", "report", "stop"))
VIEWER = Component("viewer", ("viewer",))
FIGURE = Component("figure", ("drawing", "figure"))
CANVAS = Component("canvas", ("qa", "canvas"))
CUBES = Component("cubes", ("qa", "cubes"))


@cache
def _mount(component: Component) -> Callable[..., Any]:
    """Register a component with Streamlit; what is returned mounts it, with its words beside its data."""
    import streamlit as st

    # Inline code runs from a blob: address, so the module is named by its full address; pages stand directly below the app's own.
    js = f"""
const {{ mount }} = await import(new URL('assets/{assets_version()}/{component.name}.js', document.baseURI).href);
export default mount;
"""
    style = "\n" + "\n".join(assets()[f"{sheet}.css"][0].decode() for sheet in ("base", *component.sheets)) + "\n"
    registered = st.components.v2.component(f"vantage.{component.name}", html="\n<div></div>\n", css=style, js=js)

    def mount(*, data: dict[str, Any], **how: Any) -> Any:
        return registered(data=data | {"words": words_for(*component.words)}, **how)

    return mount


def play(
    episode: str,
    *,
    title: str,
    next_label: str,
    key: str,
    following: str = "",
    pause: str = "",
    stop: dict[str, Any] | None = None,
    practice: str = "",
    example: bool = False,
    progress: dict[str, Any] | None = None,
    staff: bool = False,
    test: bool = False,
) -> Any:
    """The play page of one episode.

    Args:
        episode: its id.
        title: where the person is, such as "Task 3 of 8".
        next_label: words on the button after the answer.
        key: the component's identity.
        following: where the person will be then, such as "Task 4 of 8"; empty: at the end.
        pause: a sentence beside that button.
        stop: what is said to whoever is about to stop: the study's words about the ``payment``, and after how many minutes
            (``hold_minutes``) a task that was left is given to somebody else.
        practice: what is told beside the question where the task is for practice; it then asks for a move before the answer.
        progress: how far the whole session is: ``{done, all, words}``.
        example: it is a worked example, whose list of things to do stands beside the picture (``/api/todo``).
        staff: whoever plays is no participant, and there is nothing to stop.
        test: expose timings to tests.

    Returns:
        The component's result; `.done` is the episode's id in the run after its answer was saved and the person went on.
    """
    data: dict[str, Any] = {"episode": episode, "title": title, "next": next_label, "following": following, "pause": pause}
    data |= {"stop": stop or {}, "practice": practice, "example": example, "progress": progress, "staff": staff, "test": test}
    return _mount(PLAY)(key=key, data=data, on_done_change=lambda: None)


def question(episode: str, *, title: str, next_label: str, key: str, stop: dict[str, Any] | None = None) -> Any:
    """The page of one question about pictures; it asks the server what to show (``/api/qa/play/open``).

    Args:
        episode: its id.
        title: where the person is, such as "Question 3 of 24".
        next_label: words on the button after the answer.
        key: the component's identity.
        stop: as of `play`.

    Returns:
        The component's result; `.done` is the episode's id in the run after its answer was saved.
    """
    data = {"episode": episode, "title": title, "next": next_label, "stop": stop or {}}
    return _mount(QUESTION)(key=key, data=data, on_done_change=lambda: None)


def top(part: str, *, key: str) -> Any:
    """Nothing to be seen: the page begins at its top whenever `part` is another, and says in the language that is spoken now that the
    connection is lost."""
    return _mount(TOP)(key=key, data={"part": part, "lost": say("page.lost"), "language": spoken()})


def leaving(link: str, *, label: str, soon: str, stay: str, after_s: int, key: str) -> Any:
    """The way back of somebody who has come to their end.

    Args:
        link: where to, https.
        label: words on the button.
        soon: what is said while the page is about to go there by itself.
        stay: words on the button that keeps it from going.
        after_s: after how many seconds it goes there by itself; 0: never.
        key: the component's identity.
    """
    data = {"link": link, "label": label, "soon": soon, "stay": stay, "after_s": after_s}
    return _mount(LEAVING)(key=key, data=data)


def questionnaire(
    showing: str, *, title: str, next_label: str, key: str, stop: dict[str, Any] | None = None, progress: dict[str, Any] | None = None
) -> Any:
    """The page of one questionnaire; it asks the server what to show (``/api/form/open``), keeps every change there, and sends it.

    Args:
        showing: its id.
        title: where the person is.
        next_label: words on the button that sends it.
        key: the component's identity.
        stop: as of `play`.
        progress: as of `play`.

    Returns:
        The component's result; `.done` is the showing's id in the run after it was sent.
    """
    data = {"showing": showing, "title": title, "next": next_label, "stop": stop or {}, "progress": progress}
    return _mount(FORM)(key=key, data=data, on_done_change=lambda: None)


def viewer(
    episode: str,
    steps: list[dict[str, Any]],
    *,
    plan: dict[str, Any],
    final: dict[str, Any] | None,
    width: int,
    height: int,
    key: str,
) -> Any:
    """A staff member's view of an episode: pictures one at a time or played, the plan, beliefs and times, and the table of steps.

    Args:
        episode: its id.
        steps: oldest first, ``{seq, text, ok, note, thought, waited, belief, sure}`` each: seconds from view to press and from press to
            the next view, the last answer noted there in words and its confidence (percent); the last four may be None.
        plan: what `app.pages.episode_path.plan` gives.
        final: ``{answer, sure}`` of the final answer; None while there is none.
        width: of a picture, pixels.
        height: of a picture, pixels.
        key: the component's identity.
    """
    data = {"episode": episode, "steps": steps, "plan": plan, "final": final, "width": width, "height": height}
    return _mount(VIEWER)(key=key, data=data)


def figure(name: str, *, title: str, plot: dict[str, Any], key: str) -> Any:
    """One figure of the results, with its pictures to save.

    Args:
        name: of the files.
        title: above a saved picture.
        plot: ``{data, layout}`` for Plotly's script.
        key: the component's identity.
    """
    data = {"name": name, "title": title, "plot": plot, "script": f"assets/{assets_version()}/{PLOTLY}"}
    return _mount(FIGURE)(key=key, data=data)


def canvas(
    item: str,
    *,
    views: list[dict[str, Any]],
    marks: list[dict[str, Any]],
    kinds: Sequence[str],
    colours: Sequence[str],
    readonly: bool = False,
    help: dict[str, Any] | None = None,
    key: str,
) -> Any:
    """The drawing component: views of one moment side by side, with marks on them.

    It reads and saves the marks itself (``/api/qa/marks/{item}``), so a rerun, a reload or other images never lose one.

    Args:
        item: the item's id.
        views: ``{name, url, width, height}`` each; sizes in pixels of the original image, which `url` must show unchanged.
        marks: the marks as the page knows them (see annotation/qa); shown until the newest have come. All there is when `readonly`.
        kinds: what may be drawn here, of ``box``, ``track``, ``grasp``.
        colours: which colours may be used.
        readonly: only to look at.
        help: what geometry suggests, drawn dashed and never saved: ``pairs`` (``{from, to, matrix}``: nine numbers of a fundamental
            matrix, row by row, that maps a point of view `from` to its epipolar line in view `to`), ``boxes`` (``{view, points, label}``)
            and ``lines`` (``{view, points, label}``). Coordinates as those of marks.
        key: the component's identity.

    Returns:
        The component's result; `.rev` is the revision saved last. It arrives in a run of its own after a pause in the drawing; such a run
        can cut off one that a button began, so buttons beside the component do their work in ``on_click``.
    """
    data = {
        "item": item,
        "views": views,
        "marks": marks,
        "kinds": list(kinds),
        "colours": list(colours),
        "readonly": readonly,
        "help": help,
    }
    return _mount(CANVAS)(key=key, data=data, on_rev_change=lambda: None)


def cubes(
    item: str,
    *,
    cubes: list[dict[str, Any]],
    colours: Sequence[str],
    image: dict[str, Any] | None = None,
    readonly: bool = False,
    key: str,
) -> Any:
    """The cube tool: one labelled unit cube per colour in a 5 × 5 × 5 grid (x right, y forward, z up; cells 1 to 5).

    Args:
        item: the item's id.
        cubes: ``{colour, label, cell: [x, y, z]}`` each, as the page has them kept.
        colours: which colours there are cubes of.
        image: the reference view with the grid drawn on it: ``{url, width, height}`` and, where there is calibration, ``matrix``: the
            twelve numbers, row by row, of the projection of grid points (0 to 5 along each axis) to image pixels. Without it the author
            lays the grid over the image by its near left low corner and the ends of its three edges, which `corners` may give as kept.
        readonly: only to look at.
        key: the component's identity.

    Returns:
        The component's result; `.cubes` is the list after every change, None before the first; `.corners` the same for the laid grid (four
        points in image pixels). The page keeps both.
    """
    data = {"item": item, "cubes": cubes, "colours": list(colours), "image": image, "readonly": readonly}
    return _mount(CUBES)(key=key, data=data, on_cubes_change=lambda: None, on_corners_change=lambda: None)
