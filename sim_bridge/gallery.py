"""Pictures of what a simulator shows and does: every entity and action before and after, every room type, every house.

python -m sim_bridge gallery --out DIR
python -m sim_bridge gallery --out DIR --only pick-up pour

Writes one picture per scene and action and a plain ``index.html`` with captions. Each action is checked on the way: one that fails where
it should succeed (or the other way round) is reported, and the exit status says so.
"""

from __future__ import annotations

import argparse
import html
import itertools
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import msgspec
import numpy as np
from PIL import Image

from sim_bridge.actions import CAMERA_ACTIONS
from sim_bridge.backend import Backend
from sim_bridge.encoding import decode_frame
from sim_bridge.errors import BadRequest, BridgeError
from sim_bridge.gallery_scenes import Deed, Exhibit, exhibits
from sim_bridge.local import LocalClient
from sim_bridge.protocol import StepReply

STRIP_PX = 1920
"""Greatest width of a picture; strips of several frames are reduced to it."""
GAP_PX = 6
QUALITY = 84
"""WebP quality of the pictures (not of observations, which are lossless)."""


@dataclass
class Shot:
    """One picture of an exhibit."""

    file: str
    caption: str
    frames: int = 1
    """Frames in it, side by side."""
    trouble: str = ""
    """What did not go as expected."""


@dataclass
class Shown:
    """What became of one exhibit."""

    exhibit: Exhibit
    shots: list[Shot] = field(default_factory=list)
    left_out: str = ""
    """Why it is not shown."""

    @property
    def troubles(self) -> list[str]:
        """What did not go as expected, each with the exhibit's name."""
        return [f"{self.exhibit.name}: {shot.trouble}" for shot in self.shots if shot.trouble]


def show(exhibit: Exhibit, client: LocalClient, out: Path) -> Shown:
    """Render one exhibit into `out`."""
    shown = Shown(exhibit)
    missing = [need for need in exhibit.needs if need not in client.hello.capabilities]
    if missing:
        shown.left_out = f"the simulator does not declare {', '.join(missing)}"
        return shown
    session, count = f"gallery-{exhibit.name}", itertools.count(1)

    def keep(pictures: Sequence[np.ndarray], caption: str, trouble: str = "") -> None:
        file = f"{exhibit.name}-{len(shown.shots)}.webp"
        strip(pictures).save(out / file, "WEBP", quality=QUALITY, method=4)
        shown.shots.append(Shot(file, caption, len(pictures), trouble))

    try:
        reply = client.load(session, exhibit.scene, exhibit.start)
        before = decode_frame(reply.observation.frames[-1])
        seen = sorted(h for h in exhibit.hides if reply.observation.visible.get(h, 0) > 0)
        trouble = f"{', '.join(seen)} should not be seen at the start" if seen else ""
        physical = [d for d in exhibit.deeds if d.action not in CAMERA_ACTIONS]
        if not physical or trouble:
            keep([before], "", trouble)
        for deed in exhibit.deeds:
            reply = _do(client, session, next(count), deed)
            frames = [decode_frame(f) for f in reply.observation.frames]
            if deed.action not in CAMERA_ACTIONS:
                keep([before, *frames], *_told(exhibit, deed, reply))
            before = frames[-1]
        for caption, pose in exhibit.views:
            keep([decode_frame(client.views(session, [pose])[0])], caption)
        client.close_session(session)
    except BridgeError as problem:
        shown.shots.append(Shot("", "", 0, f"{type(problem).__name__}: {problem}"))
    return shown


def _do(client: LocalClient, session: str, seq: int, deed: Deed) -> StepReply:
    if deed.action.startswith("phase:"):
        return client.set_phase(session, seq, deed.action.removeprefix("phase:"))
    return client.act(session, seq, deed.action)


def _told(exhibit: Exhibit, deed: Deed, reply: StepReply) -> tuple[str, str]:
    """Caption of an action's picture, and what went otherwise than expected."""

    def named(text: str) -> str:
        for handle, words in sorted(exhibit.names.items(), key=lambda item: -len(item[0])):
            text = text.replace(handle, words)
        return text

    caption = named(deed.action) + ("" if reply.ok else f": did not work, {named(reply.reason)}")
    trouble = ""
    if deed.fails and reply.ok:
        trouble = f"{deed.action} succeeded, it should fail with {deed.fails!r}"
    elif deed.fails and deed.fails not in reply.reason:
        trouble = f"{deed.action} failed with {reply.reason!r}, it should say {deed.fails!r}"
    elif not deed.fails and not reply.ok:
        trouble = f"{deed.action} failed: {reply.reason}"
    return caption, trouble


def strip(pictures: Sequence[np.ndarray], widest: int = STRIP_PX) -> Image.Image:
    """Pictures of one size side by side on white, reduced to at most `widest` pixels."""
    height, width, _ = pictures[0].shape
    sheet = np.full((height, len(pictures) * (width + GAP_PX) - GAP_PX, 3), 255, np.uint8)
    for i, picture in enumerate(pictures):
        sheet[:, i * (width + GAP_PX) : i * (width + GAP_PX) + width] = picture
    image = Image.fromarray(sheet)
    if image.width > widest:
        image = image.resize((widest, round(image.height * widest / image.width)), Image.Resampling.LANCZOS)
    return image


def write_gallery(
    out: Path,
    backend: Backend,
    *,
    only: Iterable[str] | None = None,
    width: int | None = None,
    on_shown: Callable[[Shown], None] | None = None,
) -> list[Shown]:
    """Render exhibits and write ``index.html``.

    Args:
        out: folder, made if it is missing.
        backend: the simulator.
        only: names or groups of exhibits; None: all.
        width: width of the frames in pixels instead of the scenes' own; the proportions stay.
        on_shown: called after each exhibit.

    Returns:
        What became of each exhibit.

    Raises:
        BadRequest: `only` names what is not there.
    """
    chosen = choose(only)
    out.mkdir(parents=True, exist_ok=True)
    client = LocalClient(backend)
    results = []
    for exhibit in chosen:
        results.append(show(sized(exhibit, width), client, out))
        if on_shown is not None:
            on_shown(results[-1])
    client.close()
    (out / "index.html").write_text(page(results, client.hello.fingerprint), encoding="utf-8")
    return results


def choose(only: Iterable[str] | None) -> tuple[Exhibit, ...]:
    """The exhibits of these names or groups (in any letter case), all for None.

    Raises:
        BadRequest: one of them is neither.
    """
    known = exhibits()
    if only is None:
        return known
    wanted = {name.lower() for name in only}
    wrong = sorted(wanted - {e.name for e in known} - {e.group.lower() for e in known})
    if wrong:
        raise BadRequest(f"gallery: there is nothing called {', '.join(map(repr, wrong))}; --list prints the names")
    return tuple(e for e in known if e.name in wanted or e.group.lower() in wanted)


def sized(exhibit: Exhibit, width: int | None) -> Exhibit:
    """The exhibit with a camera of this width in pixels."""
    if width is None:
        return exhibit
    camera = exhibit.scene.camera
    height = max(1, round(camera.height * width / camera.width))
    changed = msgspec.structs.replace(exhibit.scene, camera=msgspec.structs.replace(camera, width=width, height=height))
    return replace(exhibit, scene=changed)


STYLE = """
body { font: 16px/1.45 system-ui, sans-serif; color: #222; background: #fff; margin: 2rem auto; max-width: 1320px; padding: 0 1rem; }
section { margin-bottom: 2.5rem; } h2 { border-bottom: 1px solid #ccc; } h3 { margin-bottom: .2rem; } p { margin: .2rem 0 .6rem; }
figure { display: inline-block; margin: 0 1rem 1rem 0; max-width: 100%; vertical-align: top; }
img { max-width: 100%; height: auto; display: block; }
figcaption { color: #555; font-size: 14px; } .trouble { color: #a00; font-weight: 600; }
"""


def page(results: Sequence[Shown], fingerprint: dict[str, str]) -> str:
    """The index, plain HTML without scripts or anything from elsewhere."""
    body = []
    for group, members in itertools.groupby(results, key=lambda r: r.exhibit.group):
        body.append(f"<section><h2>{html.escape(group)}</h2>")
        for shown in members:
            body.append(f'<article id="{shown.exhibit.name}"><h3>{html.escape(shown.exhibit.title)}</h3>')
            body.append(f"<p>{html.escape(shown.exhibit.text)}</p>")
            if shown.left_out:
                body.append(f"<p>Not shown: {html.escape(shown.left_out)}.</p>")
            body += [_figure(shown, shot) for shot in shown.shots]
            body.append("</article>")
        body.append("</section>")
    made = html.escape(", ".join(f"{key} {value}" for key, value in sorted(fingerprint.items())))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Gallery of the simulator</title>'
        f"<style>{STYLE}</style></head>\n<body><h1>Gallery of the simulator</h1>\n<p>Strips read from left to right: the view before, "
        f"pictures on the way, the view after.</p>\n{chr(10).join(body)}\n<footer><p>{made}</p></footer></body></html>\n"
    )


def _figure(shown: Shown, shot: Shot) -> str:
    trouble = f'<span class="trouble"> {html.escape(shot.trouble)}</span>' if shot.trouble else ""
    alt = html.escape(f"{shown.exhibit.title}: {shot.caption}" if shot.caption else shown.exhibit.title)
    image = f'<img src="{shot.file}" alt="{alt}" loading="lazy">' if shot.file else ""
    return f"<figure>{image}<figcaption>{html.escape(shot.caption)}{trouble}</figcaption></figure>"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Options of ``python -m sim_bridge gallery``."""
    parser.add_argument("--out", type=Path, help="folder for the pictures and index.html")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="names of exhibits, or of groups (Hands, Rooms, …)")
    parser.add_argument("--width", type=int, help="width of the frames in pixels (default: 640)")
    parser.add_argument("--backend", default="mujoco", help="toy, mujoco, or module:callable (default: %(default)s)")
    parser.add_argument("--list", action="store_true", help="print the names and stop")
    parser.add_argument("--json", action="store_true", help="print what was written as JSON alone")
    parser.set_defaults(run=run_gallery)


def run_gallery(chosen: argparse.Namespace) -> int:
    """The command: 0 only if every action did what it should."""
    if chosen.list:
        for exhibit in exhibits():
            print(f"{exhibit.group:12} {exhibit.name:24} {exhibit.title}")
        return 0
    if chosen.out is None:
        raise BadRequest("gallery: say where the pictures go: --out DIR")
    if chosen.width is not None and not 64 <= chosen.width <= 1920:
        raise BadRequest(f"gallery: --width is 64 to 1920 pixels, got {chosen.width}")
    from sim_bridge.host import create_backend

    def tell(shown: Shown) -> None:
        state = shown.left_out or "; ".join(shown.troubles) or f"{len(shown.shots)} pictures"
        print(f"{shown.exhibit.name}: {state}", file=sys.stderr)

    results = write_gallery(chosen.out, create_backend(chosen.backend), only=chosen.only, width=chosen.width, on_shown=tell)
    troubles = [trouble for shown in results for trouble in shown.troubles]
    left_out = {shown.exhibit.name: shown.left_out for shown in results if shown.left_out}
    if chosen.json:
        pictures = [asdict(shot) | {"exhibit": shown.exhibit.name} for shown in results for shot in shown.shots]
        print(json.dumps({"ok": not troubles, "pictures": pictures, "troubles": troubles, "left_out": left_out}, indent=2))
    else:
        print(f"{sum(len(shown.shots) for shown in results)} pictures of {len(results) - len(left_out)} scenes in {chosen.out}/index.html")
        for trouble in troubles:
            print(f"not as it should be: {trouble}")
    return 1 if troubles else 0
