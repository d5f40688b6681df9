"""A real server with the toy simulator, and a real Chromium. Everything started here is ended here."""

from __future__ import annotations

import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pytest

import app
from data.frames import FrameStore
from data.home import Home
from data.importers.esi import read_rows
from data.store import Store
from data.task import Gold, Provenance, Question, Task
from sim_bridge.actions import ACTIONS, CAMERA_ACTIONS
from sim_bridge.spec import Camera, Object, Phase, Pose, Room, Scene
from study import access, participants
from study.protocol import Protocol
from study.studies import Recruitment, Study, create_study
from tests.browser import slowed

ROOT = Path(app.__file__).parent.parent
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium") or "/usr/bin/chromium"
ARGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync"
FIXTURES = Path(__file__).parent / "fixtures"
PATIENCE_MS = 90_000 if slowed.pauses() else 30_000
OURS = re.compile(r"^(blob:)?(http|ws)s?://127\.0\.0\.1|^data:")
"""Addresses a page may ask."""

__all__ = ["CAMERA_ACTIONS", "Phase", "Protocol", "Recruitment", "msgspec"]

IN_PAGE = "[...document.querySelectorAll('*')].find((e) => e.shadowRoot?.querySelector('.vantage')).shadowRoot"
"""The play page's own root, for scripts."""

START_S = 120.0
"""A server that has said nothing by then does not start."""

LOOK = Pose((0.0, -2.0, 1.2), (0.70710678, 0.0, 0.0, 0.70710678))
"""Standing in the room, looking along +y."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = None
    if not Path(CHROMIUM).exists():
        missing = f"no Chromium at {CHROMIUM}: install Debian's package chromium, or name it in CHROMIUM"
    try:
        import playwright.sync_api  # noqa: F401
    except ModuleNotFoundError:
        missing = "playwright is not installed"
    here = f"{Path(__file__).parent}{os.sep}"
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.browser)
            if missing:
                item.add_marker(pytest.mark.skip(reason=missing))


def box(number: int, x: float, y: float, size: float, color: str, **params: Any) -> Object:
    """A coloured cube on the floor."""
    pose = Pose((x, y, size / 2))
    return Object(
        handle=f"object_{number}", category="box", pose=pose, size_m=(size, size, size), dynamic=True, params={"color": color, **params}
    )


def room(width: int = 640, height: int = 480, small: float = 0.4, large: float = 0.7, **params: Any) -> Scene:
    """Two boxes of different size; `params` go to the first one."""
    boxes = box(1, -0.8, 0.5, small, "red", **params), box(2, 0.9, 1.2, large, "blue")
    return Scene(camera=Camera(width, height, 75.0), room=Room(), objects=boxes)


QUESTION = ("text", "options", "blanks", "blank_names", "targets", "note", "languages")
"""Fields of a question that may be given to `make_task`."""


def make_task(task_id: str, form: Any = "choice", gold: Any = "the blue one", **fields: Any) -> Task:
    """A task about two boxes; question fields and task fields may be given by name."""
    question: dict[str, Any] = {"text": "Which box is larger: the red one or the blue one?", "options": ("the red one", "the blue one")}
    category, subcategory = fields.pop("kind", ("Metric Comparison", "Dimensional Size"))
    question |= {name: fields.pop(name) for name in QUESTION if name in fields}
    return Task(
        task_id=task_id,
        category=category,
        subcategory=subcategory,
        question=Question(form=form, **question),
        gold=Gold(accepted=(gold,), chance=0.5),
        scene=fields.pop("scene", room()),
        start=LOOK,
        provenance=Provenance(dataset="vantage"),
        **fields,
    )


def released_row() -> Task:
    """A Dimensional Size task in the released row format, through the importer."""
    found = list(read_rows([FIXTURES / "size_row.json"]))
    assert len(found) == 1 and isinstance(found[0], Task), found
    return found[0]


FORMS: tuple[Task, ...] = (
    make_task("form-yes-no", "yes_no", "yes", text="Is the red box smaller?", options=("yes", "no")),
    make_task("form-count", "count", "2", text="How many boxes are there?", options=()),
    make_task("form-number", "number", "0.4", text="How high is the red box, in metres?", options=()),
    make_task(
        "form-sequence",
        "sequence",
        ["plate", "bowl", "cup"],
        text="How should cup, bowl and plate be stacked?",
        kind=("Physical Dynamics", "Stacking & Stability"),
        options=("cup", "bowl", "plate"),
        note="Order from bottom to top.",
        actions=tuple(ACTIONS),
        names={"object_1": "red box"},
    ),
    make_task(
        "form-blanks",
        "blanks",
        ["turn left", "turn back"],
        text="Fill in the way to the door.",
        options=(),
        blanks=(("turn left", "turn right"), ("turn left", "turn back")),
        blank_names=("At the table", "At the wall"),
    ),
    make_task(
        "form-assignment",
        "assignment",
        {"cup": "small box", "pan": "large box"},
        text="Which box does each fit?",
        options=("cup", "pan"),
        targets=("small box", "large box"),
    ),
    make_task(
        "form-pair",
        "pair",
        {"A": "left", "C": "right"},
        text="Where do A and C go?",
        options=(),
        blanks=(("left", "right"), ("left", "right")),
        blank_names=("A", "C"),
    ),
    make_task("form-text", "free_text", "a box", text="What is the blue thing?", options=()),
)


@dataclass
class Server:
    """One running app with its home, and how people get in."""

    home: Home
    process: subprocess.Popen[str]
    base: str
    store: Store
    log: Path
    studies: dict[str, Study] = field(default_factory=dict)

    def link(self, study: Study, role: str = "participant") -> str:
        """A fresh invitation link."""
        return f"{self.base}/enter?invite={access.create_invite(self.store, role, study.study_id, label=role)}"

    def study(self, *tasks: Task, practice: Task | None = None, protocol: Protocol | None = None, name: str = "Study") -> Study:
        """A live study of these tasks, in the store."""
        for task in (*tasks, *([practice] if practice else [])):
            self.store.put_task(task)
        return create_study(
            self.store,
            name,
            state="live",
            tasks=tuple(t.content_hash for t in tasks),
            practice_task=practice.content_hash if practice else None,
            trials=len(tasks),
            protocol=protocol or Protocol(confidence_required=False),
        )

    def episode(self) -> dict[str, Any]:
        """The episode opened last."""
        row = self.store.one("SELECT * FROM episodes ORDER BY started_at DESC, created_at DESC LIMIT 1")
        assert row is not None
        return row

    def steps(self, episode_id: str) -> list[dict[str, Any]]:
        """What is kept of an episode's steps."""
        return self.store.query("SELECT * FROM steps WHERE episode_id = ? ORDER BY seq", [episode_id])


def launch(
    home: Home,
    *,
    port: int = 0,
    workers: int = 1,
    cwd: Path | None = None,
    backend: str = "toy",
    entry: Path | None = None,
    options: Sequence[str] = (),
) -> tuple[subprocess.Popen[str], str]:
    """Start ``vantage serve`` and wait until it says it is ready."""
    command = [sys.executable, "-P", "-m", "app.cli", "serve", "--backend", backend, "--workers", str(workers), "--test-hook"]
    command += ["--db", str(home.db), "--port", str(port), *(["--entry", str(entry)] if entry else []), *options]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, cwd=cwd or home.root)
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], START_S)
    line = process.stdout.readline() if ready else ""
    found = re.search(r"https?://\S+", line)
    if not found:
        process.kill()
        # Its workers hold the pipe until they notice that it is gone: what they wrote by then is enough.
        said = b""
        assert process.stderr is not None
        errors = process.stderr.fileno()
        while select.select([errors], [], [], 1)[0] and (more := os.read(errors, 4096)):
            said += more
        pytest.fail(f"the server did not start: {line}{said.decode(errors='replace')}")
    return process, found[0]


def stop(process: subprocess.Popen[str]) -> None:
    """End a server as Ctrl-C would."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def serve(folder: Path, **options: Any) -> Server:
    """A server with an empty home in `folder`."""
    home = Home.from_env(folder / "vantage.db").prepare()
    store = Store.open(home)
    process, base = launch(home, **options)
    return Server(home, process, base, store, home.log / "app.log")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The server most tests share; each makes its own study and participant."""
    running = serve(tmp_path_factory.mktemp("home"))
    yield running
    stop(running.process)


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server that a test may kill and start again."""
    running = serve(tmp_path)
    yield running
    stop(running.process)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One Chromium per file: playwright keeps an event loop running in this thread, which other tests must not find."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS.split())
        if wanted := slowed.pauses():
            slowed.slow_all(chromium, wanted)
        yield chromium
        chromium.close()


def frame_bytes(server: Server, pixel_hash: str) -> bytes:
    """A stored frame file."""
    return FrameStore(server.home.frames).kept(server.store, pixel_hash)


def children(pid: int) -> list[int]:
    """Worker processes of a server."""
    return [int(child) for path in Path(f"/proc/{pid}/task").glob("*/children") for child in path.read_text().split()]


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@dataclass
class Tab:
    """One page with what went wrong on it."""

    page: Any
    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def ready(self) -> None:
        """Wait until the play page takes actions."""
        self.page.wait_for_selector(".vantage[data-state=ready]")

    def at(self, seq: int) -> None:
        """Wait until step `seq` has been painted."""
        self.page.wait_for_function(f"() => window.__vantage && window.__vantage.last.seq === {seq}")

    def press(self, *keys: str) -> None:
        """Press keys as fast as the page takes them: while three wait, or something that was sent is under way, it takes no more."""
        for key in keys:
            self.heard()
            self.page.keyboard.press(key)

    def heard(self) -> None:
        """Wait until the page takes keys: what was drawn first may speak of what comes next while a part below it still goes on to it."""
        self.page.wait_for_function(
            "() => [...document.querySelectorAll('*')].every((e) => !(e.shadowRoot?.querySelector('.vantage')?.dataset.waiting >= 3)"
            " && !e.shadowRoot?.querySelector('.vantage[data-busy]')) && !document.querySelector('[data-test-script-state=running]')"
        )

    def drawn(self) -> None:
        """Wait until a page of Streamlit's is whole: what is not there by then is not on it, and what was there before is gone."""
        self.page.wait_for_function("() => document.querySelector('[data-test-script-state=notRunning]')")

    def canvas(self) -> bytes:
        """RGB bytes in the canvas."""
        data = self.page.locator(".view canvas").evaluate(
            "c => { const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let s = '';"
            " for (let i = 0; i < d.length; i += 4) s += String.fromCharCode(d[i], d[i + 1], d[i + 2]); return btoa(s); }"
        )
        import base64

        return base64.b64decode(data)


@pytest.fixture
def trouble() -> None:
    """For tests that cause errors on purpose, which the browser's console then shows."""


def js(name: str) -> str:
    """A script of the fixtures folder."""
    return (FIXTURES / f"{name}.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def contexts(browser: Any) -> Iterator[dict[Any, Any]]:
    """Browser contexts that tests take one after the other: Streamlit's files stay in their cache, cookies do not stay."""
    kept: dict[Any, Any] = {}
    yield kept
    for context in kept.values():
        context.close()


@pytest.fixture
def new_tab(browser: Any, contexts: dict[Any, Any], request: pytest.FixtureRequest) -> Iterator[Callable[..., Tab]]:
    """Make tabs: of a person of their own, or (``like=tab``) of another tab's. Console errors fail the test at its end."""
    tabs: list[Tab] = []
    people: list[Any] = []

    def make(like: Tab | None = None, *, width: int = 1280, height: int = 800, **options: Any) -> Tab:
        if like is None:
            key = (width, height, *sorted(options.items()), len(people))
            if key not in contexts:
                contexts[key] = browser.new_context(viewport={"width": width, "height": height}, **options)
            context = contexts[key]
            context.clear_cookies()
            people.append(context)
        else:
            context = like.page.context
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        tab = Tab(page)
        page.on("console", lambda m: tab.errors.append(f"{m.text} {m.location['url']}") if m.type == "error" else None)
        page.on("pageerror", lambda e: tab.errors.append(str(e)))
        page.on("request", lambda r: None if OURS.match(r.url) else tab.foreign.append(r.url))
        tabs.append(tab)
        return tab

    yield make
    if shots := os.environ.get("VANTAGE_TEST_SHOTS"):
        for number, tab in enumerate(tabs):
            tab.page.screenshot(path=f"{shots}/{request.node.name[:60]}-{number}.png")
    failed = [error for tab in tabs for error in tab.errors if not _expected(error)]
    foreign = [url for tab in tabs for url in tab.foreign]
    open_tabs = [tab.page for tab in tabs if not tab.page.is_closed()]
    hidden = [f"{page.url}: {found}" for page in open_tabs for found in page.evaluate(js("shown_though_hidden"))]
    for tab in tabs:
        tab.page.unroute_all(behavior="ignoreErrors")
        tab.page.context.set_offline(False)
        tab.page.close()
    if "trouble" not in request.fixturenames:
        assert failed == []
    assert foreign == []
    assert hidden == [], "hidden, and shown all the same"


def _expected(error: str) -> bool:
    """What the browser reports as an error and is none: Streamlit looks for its server below a deep address first; and a page that keeps
    the fields of an item hears with 409 that its marks have made a newer version meanwhile, from which it then goes on. On a busy machine
    Chromium also gives up on a file over TLS whose connections the proxy closed while they lay idle."""
    ours = r"409 \(Conflict\) http://[^/]+/api/qa/item/qa_\w+$"
    return bool(re.search(rf"/\w+/_stcore/(health|host-config)|ERR_TOO_MANY_RETRIES https:|{ours}", error))


@pytest.fixture
def playing(server: Server, new_tab: Callable[..., Tab]) -> Callable[..., Tab]:
    """A tab in which a new participant, who has consented, plays the only task of a new study."""

    def start(task: Task, *, protocol: Protocol | None = None, on: Server | None = None, **options: Any) -> Tab:
        where = on or server
        tab = new_tab(**options)
        study = where.study(task, protocol=protocol)
        cookie, grant = access.enter(where.store, access.create_invite(where.store, "participant", study.study_id))
        for event in ("welcome", "consent"):
            participants.advance(where.store, grant.participant_id or "", event)
        tab.page.context.add_cookies([{"name": "vantage_session", "value": cookie, "url": where.base, "httpOnly": True, "sameSite": "Lax"}])
        tab.page.goto(where.base)
        tab.ready()
        return tab

    return start


def enter(tab: Tab, link: str) -> None:
    """Through welcome and consent to the first task, by keyboard."""
    page = tab.page
    page.goto(link)
    page.get_by_label("I have read this").press("Space")
    page.get_by_role("button", name="Take part").press("Enter")


def accept(tab: Tab, link: str) -> None:
    """Come in by the link of a member of staff, by keyboard, and wait for the page that it leads to."""
    tab.page.goto(link)
    with tab.page.expect_navigation():  # whoever reloads while one page gives way to the next is refused by the browser
        tab.page.get_by_role("button", name="Accept the invitation").press("Enter")


def choose_page(tab: Tab, group: str, name: str) -> None:
    """By the menu, which has its pages in groups."""
    tab.page.get_by_test_id("stHeader").get_by_text(group, exact=True).click()
    tab.page.get_by_test_id("stTopNavPopoverBody").get_by_text(name, exact=True).click()


def wait_until(condition: Callable[[], bool], seconds: float = 10.0) -> None:
    """Wait for something outside the browser."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


@pytest.fixture(scope="session")
def studio_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose only page holds the drawing component or the cube tool (fixtures/studio)."""
    running = serve(tmp_path_factory.mktemp("studio"), entry=FIXTURES / "studio" / "studio_page.py")
    yield running
    stop(running.process)


@pytest.fixture(scope="session")
def kit() -> Any:
    """This module's helpers, for tests."""
    return sys.modules[__name__]
