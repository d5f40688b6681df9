"""``vantage bench loop``: from the press of a key to the first paint of the new frame, in a real Chromium, one person, one fixed scene.

painted   key press (``event.timeStamp``) → first animation frame after the new pixels were drawn, per action
bare      simulate + render + hash + encode of the same action in the worker, in the same run
overhead  painted − bare: everything that this program, HTTP, the disk (frame fsync, database commit) and the browser add
peer      painted through a plain page of buttons and `st.image` at its only lossless setting, same server, worker, engine and commit

Browser, app and worker share this machine. The headless browser's frame clock is not a monitor's: a 60 Hz screen adds up to 16 ms.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import click

from bench.serving import ROOT, server
from bench.walk import KEYS, walk
from data.home import Home
from data.store import Store
from data.task import Gold, Provenance, Question, Task
from sim_bridge.actions import KINDS
from sim_bridge.spec import Camera, Object, Pose, Room, Scene
from study import access, participants
from study.protocol import Protocol
from study.studies import create_study

SCENE = "bench-living-room-1"
"""Name of the scene: a furnished living room with a mirror and six things on the floor, 640×480."""
HOOK = ("--test-hook",)
"""With it the page says what it has painted."""
WARM_UP = 10
"""Actions before the count starts."""
BROWSER = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync"
)
BROWSER += " --disable-background-timer-throttling --disable-renderer-backgrounding --disable-backgrounding-occluded-windows"
PLAY_KEYS = {kind.name: kind.key.removeprefix("Key").lower() if kind.key.startswith("Key") else kind.key for kind in KINDS if kind.key}
"""Action → key of the play page."""
BARE = ("simulate", "render", "hash", "encode")
"""Parts of the worker's time that any way of showing the frame must pay."""
REST_MS = (30, 47)
"""The next key is pressed so long after the last paint (milliseconds, evenly spread)."""

# Notes the press, and the first animation frame after the image with a new address has been decoded.
_PEER_HOOK = """
(() => {
  const bench = (window.__bench = { pressed: 0, src: null, wake: null, done: null });
  const look = () => {
    const image = document.querySelector('[data-testid=stImage] img');
    if (!image || !image.src || image.src === bench.src) return;
    const src = (bench.src = image.src);
    image.decode().then(() => requestAnimationFrame(() => {
      if (src !== bench.src) return;
      const wake = bench.wake;
      bench.wake = null;
      if (wake) wake(performance.now() - bench.pressed);
    })).catch(() => { bench.src = null; setTimeout(look, 0); });
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['src'] });
  window.addEventListener('keydown', (event) => { bench.pressed = event.timeStamp; }, true);
  bench.arm = () => { bench.done = new Promise((wake) => { bench.wake = wake; setTimeout(() => wake(null), 10000); }); };
  look();
})()
"""


def scene() -> Scene:
    """The scene named `SCENE`."""
    things = [("mirror", 0.0, 2.2), ("mug", -0.5, 0.9), ("bowl", 0.5, 0.9), ("plate", 0.0, 1.3), ("book", -0.9, 1.5), ("pillow", 0.9, 1.5)]
    objects = tuple(
        Object(handle=f"object_{n}", category=category, pose=Pose((x, y, 0.0)), origin="base", on_floor=True)
        for n, (category, x, y) in enumerate(things, 1)
    )
    return Scene(camera=Camera(640, 480, 75.0), room=Room(kind="living_room", seed=1), objects=objects)


def bench_task() -> Task:
    """A task in that scene, with a budget that no bench uses up."""
    return Task(
        task_id=SCENE,
        category="Metric Comparison",
        subcategory="Dimensional Size",
        question=Question(text="Which is larger: the mug or the bowl?", form="choice", options=("the mug", "the bowl")),
        gold=Gold(accepted=("the bowl",), chance=0.5),
        scene=scene(),
        start=Pose((0.0, -1.2, 1.0), (0.6427876, 0.0, 0.0, 0.7660444)),
        budget=1000,
        provenance=Provenance(dataset="vantage"),
    )


def spread(values: list[float]) -> dict[str, float]:
    """p50 and p95, milliseconds."""
    ordered = sorted(values)
    return {"p50": round(ordered[len(ordered) // 2], 1), "p95": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))], 1)}


def bare_ms(store: Store, episode_id: str) -> dict[int, float]:
    """Step → the worker's own time for it."""
    rows = store.query("SELECT seq, timing_ms FROM steps WHERE episode_id = ? AND seq > 0", [episode_id])
    return {row["seq"]: sum(json.loads(row["timing_ms"]).get(part, 0.0) for part in BARE) for row in rows}


def play(browser: Any, base: str, cookie: str, actions: list[str]) -> list[dict[str, Any]]:
    """Press the walk on the play page; what the page noted per step."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.add_cookies([{"name": "vantage_session", "value": cookie, "url": base, "httpOnly": True, "sameSite": "Lax"}])
    page = context.new_page()
    page.goto(base)
    page.wait_for_selector(".vantage[data-state=ready]", timeout=60_000)
    page.wait_for_timeout(500)
    for number, action in enumerate(actions, 1):
        page.keyboard.press(PLAY_KEYS[action])
        page.wait_for_function(f"() => window.__vantage.last.seq === {number}", timeout=30_000, polling=20)
        page.wait_for_timeout(REST_MS[0] + (number * 7) % (REST_MS[1] - REST_MS[0]))
    steps: list[dict[str, Any]] = page.evaluate("() => window.__vantage.steps.filter((step) => !step.open)")
    context.close()
    return steps


def play_peer(browser: Any, base: str, episode_id: str, actions: list[str]) -> list[float | None]:
    """Press the same walk on the plain page; milliseconds to paint per step, None where no new image came."""
    letters = {action: key for key, action in KEYS.items()}
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(f"{base}/?episode={episode_id}")
    page.wait_for_selector("[data-testid=stImage] img", timeout=60_000)
    page.evaluate(_PEER_HOOK)
    page.wait_for_timeout(800)
    page.mouse.click(1200, 880)
    painted: list[float | None] = []
    for number, action in enumerate(actions, 1):
        page.evaluate("() => window.__bench.arm()")
        page.keyboard.press(letters[action])
        painted.append(page.evaluate("() => window.__bench.done"))
        page.wait_for_timeout(REST_MS[0] + (number * 7) % (REST_MS[1] - REST_MS[0]))
    context.close()
    return painted


def run_loop(count: int, backend: str, folder: Path, chromium: str, shot: Path | None = None) -> dict[str, Any]:
    """Measure.

    Args:
        count: actions counted, after `WARM_UP` others.
        backend: simulator backend.
        folder: an empty folder for the data.
        chromium: the browser's program.
        shot: write a picture of the first frame here.

    Returns:
        The figures, as `vantage bench loop --json` prints them.
    """
    from playwright.sync_api import sync_playwright

    home = Home.from_env(folder / "vantage.db").prepare()
    store = Store.open(home)
    task = bench_task()
    store.put_task(task)
    protocol = Protocol(budget=min(1000, count + WARM_UP + 1), belief_bar=True)
    study = create_study(store, "Bench", state="live", tasks=(task.content_hash,), trials=1, protocol=protocol)
    cookie, grant = access.enter(store, access.create_invite(store, "participant", study.study_id))
    for event in ("welcome", "consent"):
        participants.advance(store, grant.participant_id or "", event)
    actions = walk(count + WARM_UP)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=BROWSER.split())
        with server(home, backend, options=HOOK) as base:
            steps = play(browser, base, cookie, actions)
        row = store.one("SELECT episode_id, backend, fingerprint FROM episodes")
        assert row is not None
        bare = bare_ms(store, row["episode_id"])
        peer_id = _peer_episode(store, home, task, protocol)
        with server(home, backend, options=(*HOOK, "--entry", str(ROOT / "bench" / "peer_page.py"))) as base:
            peer = play_peer(browser, base, peer_id, actions)
        browser.close()
    peer_bare = bare_ms(store, peer_id)
    if shot is not None:
        first = store.one("SELECT pixel_hash FROM steps WHERE episode_id = ? AND seq = 0", [row["episode_id"]])
        _write_shot(store, (first or {})["pixel_hash"], shot)
    counted = [step for step in steps if step["seq"] > WARM_UP]
    painted = [step["painted"] - step["key"] for step in counted]
    own = [bare[step["seq"]] for step in counted]
    peer_painted = [value for value in peer[WARM_UP:] if value is not None]
    result = {
        "scene": SCENE,
        "backend": row["backend"],
        "actions": len(counted),
        "painted_ms": spread(painted),
        "bare_ms": spread(own),
        "overhead_ms": spread([p - b for p, b in zip(painted, own, strict=True)]),
        "ratio": round(spread(painted)["p50"] / spread(own)["p50"], 2),
        "peer_actions": len(peer_painted),
        "peer_lost": len(peer[WARM_UP:]) - len(peer_painted),
        "peer_painted_ms": spread(peer_painted),
        "peer_bare_ms": spread([value for seq, value in peer_bare.items() if seq > WARM_UP]),
        "load_average": round(os.getloadavg()[0], 2),
    }
    result["faster_than_peer"] = round(spread(peer_painted)["p50"] / spread(painted)["p50"], 2)
    parts = ("send", "head", "body", "drawn", "painted")
    result["parts_ms"] = {
        f"{before}→{after}": spread([step[after] - step[before] for step in counted])
        for before, after in zip(("key", *parts), parts, strict=False)
    }
    return result


def _peer_episode(store: Store, home: Home, task: Task, protocol: Protocol) -> str:
    from data.frames import FrameStore
    from study.episode import EpisodeEngine

    class _NoPool:
        """Creating an episode needs no simulator."""

    return EpisodeEngine(store, FrameStore(home.frames), _NoPool()).create(  # type: ignore[arg-type]
        task.content_hash, agent_kind="script", agent_name="peer page", protocol=protocol, seed=1
    )


def _write_shot(store: Store, pixel_hash: str, shot: Path) -> None:
    import io

    from PIL import Image

    from data.frames import FrameStore

    Image.open(io.BytesIO(FrameStore(store.home.frames).kept(store, pixel_hash))).save(shot)


@click.command("loop")
@click.option("--actions", type=click.IntRange(20, 900), default=220, show_default=True, help="Actions counted.")
@click.option("--backend", default="mujoco", show_default=True, help="Simulator backend.")
@click.option("--chromium", envvar="CHROMIUM", help="The browser's program; default: found on the path.")
@click.option("--shot", type=click.Path(dir_okay=False, path_type=Path), help="Also write the scene's first frame to this file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON alone on standard output.")
def command(actions: int, backend: str, chromium: str | None, shot: Path | None, as_json: bool) -> None:
    """Key press to first paint, bare worker time, and a plain Streamlit page, on one fixed 640×480 scene."""
    program = chromium or shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        raise click.UsageError("No Chromium found: install the package chromium, or name it with --chromium.")
    try:
        import playwright.sync_api  # noqa: F401
    except ModuleNotFoundError:
        raise click.UsageError("This needs playwright: install the development extras (pip install 'vantage-studies[dev]').") from None
    with tempfile.TemporaryDirectory(prefix="vantage-bench-") as folder:
        result = run_loop(actions, backend, Path(folder), program, shot)
    if as_json:
        click.echo(json.dumps(result, ensure_ascii=False))
        return
    click.echo(f"{result['scene']} ({result['backend']}), {result['actions']} actions, load average {result['load_average']}")
    for name in ("painted_ms", "bare_ms", "overhead_ms", "peer_painted_ms", "peer_bare_ms"):
        click.echo(f"  {name:<16} p50 {result[name]['p50']:>7.1f}   p95 {result[name]['p95']:>7.1f}")
    click.echo(f"  painted / bare {result['ratio']}, faster than the plain page {result['faster_than_peer']} times")
