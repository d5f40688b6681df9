"""``vantage bench rows``: how near the scenes of playable released rows come to what the rows record.

For each row, its scene is loaded once: middles and boxes of things against the recorded ones (`bench.row_facts`), the start camera against
the task's, and what the row calls visible from its own cameras, by pixels, at the field of view with which the release was generated. What
is not recorded is not compared. A thing that is elsewhere or larger than recorded is held against what its task says of itself
(`data.fidelity`): either that is one of the approximations that the task states, or it is unexplained.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import click
import msgspec

from app.commands.common import db_option, json_option, print_json, say, time_left
from bench.row_facts import Fact, facts, seen
from data.abilities import EMBEDDED, abilities_of
from data.fidelity import fidelity, lies_askew, shifted, substituted
from data.generators.lab import Lab, laboratory
from data.home import Home
from data.importers.fields import FieldError
from data.playable import judge
from data.store import Store
from data.subcategories import BY_KEY
from data.task import SIM_SEED, Task
from sim_bridge.errors import BridgeError
from sim_bridge.lost import once_more
from sim_bridge.spec import Camera, Object, ObjectState, Pose, Vec3

NEAR_M = 0.01
"""Recorded and built are the same within this."""
CAMERA = 1e-6
"""Start cameras are the same within this, metres and parts of a quaternion."""
GENERATED_DEG = {"counting": 100.0, "unobserved_changes": 100.0, "mirror": 100.0, "deformable": 70.0}
"""Runner → horizontal field of view of the release's generator where it was not the runner's 63.3°."""
WIDTH, HEIGHT = 960, 540
VIEWS = 3
"""Recorded views of a row that are looked at: evenly over those from which it calls something visible."""


@dataclass
class Compared:
    """One sort of comparison over all rows."""

    within: int = 0
    stated: Counter[str] = field(default_factory=Counter)
    """Approximation that the task states → how many differ by it."""
    unexplained: Counter[str] = field(default_factory=Counter)
    listed: list[str] = field(default_factory=list)
    """Task, thing and reason of each that is not within."""

    def note(self, task: Task, good: bool, thing: str, why: str, *, stated: bool = False, off_m: float | None = None) -> None:
        """One comparison; `off_m`: how far it is from the recorded, where that is a length."""
        self.within += good
        if not good:
            (self.stated if stated else self.unexplained)[why] += 1
            by = "" if off_m is None else f", {100 * off_m:.1f} cm"
            self.listed.append(f"{task.task_id} {thing}: {why}{by}{'' if stated else ' (unexplained)'}")

    def as_json(self) -> dict[str, Any]:
        """``compared``, ``within``, ``share``, ``stated`` and ``unexplained`` (why → how many), ``listed``."""
        compared = self.within + self.stated.total() + self.unexplained.total()
        return {
            "compared": compared,
            "within": self.within,
            "share": round(self.within / compared, 4) if compared else None,
            "stated": dict(self.stated.most_common()),
            "unexplained": dict(self.unexplained.most_common()),
            "listed": self.listed,
        }


@click.command("rows")
@click.option("--every", type=click.IntRange(1), default=1, show_default=True, help="Only every so many of the playable rows, by id.")
@click.option("--first", type=click.IntRange(1), default=1, show_default=True, help="Of the playable rows, the one to begin with.")
@db_option
@json_option
def command(every: int, first: int, db: Path | None, as_json: bool) -> None:
    """How near the scenes of playable released rows come to what the rows record."""
    store, able = Store.reading(Home.from_env(db)), abilities_of(EMBEDDED)
    judged = judge(store, able.catalogue, able.capabilities)
    runners = {kind.key for kind in BY_KEY.values() if kind.runner}
    tasks = [t for t in store.tasks() if t.source and (t.category, t.subcategory) in runners and judged(t).playable][first - 1 :: every]
    with laboratory() as lab:
        found = measure(lab, tasks)
    if as_json:
        print_json(found)
        return
    for name in ("places", "boxes", "start_cameras", "visible"):
        click.echo(f"{found[name]['within']:>5} of {found[name]['compared']:<5} {name.replace('_', ' ')}")
        for kind, words in (("stated", "as the task says"), ("unexplained", "unexplained")):
            for why, count in found[name][kind].items():
                click.echo(f"{'':>15}{count} × {why} ({words})")
    for task_id, why in found["failed"].items():
        click.echo(f"{task_id} was refused: {why}")


def measure(lab: Lab, tasks: list[Task]) -> dict[str, Any]:
    """Load every task's scene and compare.

    Args:
        lab: a simulator.
        tasks: of released rows.

    Returns:
        ``rows``; for ``places`` (middles; of things without a recorded box, and those that stand in, along the floor alone), ``boxes``,
        ``start_cameras`` (as the worker shows them) and ``visible`` what `Compared.as_json` says; ``failed``: tasks whose scene was
        refused, and why.
    """
    told = {name: Compared() for name in ("places", "boxes", "start_cameras", "visible")}
    failed: dict[str, str] = {}
    begun = monotonic()
    for n, task in enumerate(tasks, start=1):
        try:
            shown = once_more(partial(_shown, lab, f"row{n}", task), lab.renew)
            _one(task, shown, told)
        except (BridgeError, FieldError) as error:
            failed[task.task_id] = str(error)[:200]
        if n % 25 == 0 and n < len(tasks):
            say(f"{n} of {len(tasks)} rows{time_left(monotonic() - begun, n, len(tasks) - n)}")
    return {"rows": len(tasks), **{name: compared.as_json() for name, compared in told.items()}, "failed": failed}


@dataclass(frozen=True)
class _Shown:
    """What a simulator shows of a row."""

    start: Pose
    states: tuple[ObjectState, ...]
    looked: list[tuple[Pose, str, Vec3 | None]]
    counts: tuple[dict[str, int], ...]
    """handle → pixels, for each of `looked`."""


def _shown(lab: Lab, session: str, task: Task) -> _Shown:
    client = lab.calls
    hfov = GENERATED_DEG.get(task.source["runner_task"], task.scene.camera.hfov_deg)
    scene = msgspec.structs.replace(task.scene, camera=Camera(width=WIDTH, height=HEIGHT, hfov_deg=hfov))
    first = client.load(session, scene, task.start, actions=task.actions, seed=SIM_SEED, deadline_s=300.0)
    try:
        looked = _looked(seen(task))
        counts = client.visible(session, [camera for camera, _, _ in looked])
        return _Shown(first.observation.camera, client.state(session).objects, looked, counts)
    finally:
        client.close_session(session)


def _one(task: Task, shown: _Shown, told: dict[str, Compared]) -> None:
    told["start_cameras"].note(task, _same_camera(shown.start, task.start), "camera", "elsewhere")
    compare(task, shown.states, told["places"], told["boxes"])
    for (camera, category, place), count in zip(shown.looked, shown.counts, strict=True):
        meant = _nearest(shown.states, category, place)
        if meant is not None:
            why, stated = _hidden(task, camera, meant, shown.states)
            told["visible"].note(task, count.get(meant.handle, 0) > 0, meant.category, why, stated=stated)


def _same_camera(shown: Pose, meant: Pose) -> bool:
    away = max(abs(a - b) for a, b in zip(shown.position_m, meant.position_m, strict=True))
    pairs = list(zip(shown.quaternion_xyzw, meant.quaternion_xyzw, strict=True))  # one rotation has two quaternions
    return max(away, min(max(abs(a - sign * b) for a, b in pairs) for sign in (1, -1))) <= CAMERA


def compare(task: Task, states: tuple[ObjectState, ...], places: Compared, boxes: Compared) -> None:
    """Hold what is there against what the row records, each recorded thing against the nearest of its kind."""
    things = {o.handle: o for o in task.scene.objects}
    by_category: dict[str, list[ObjectState]] = defaultdict(list)
    for state in states:
        by_category[state.category].append(state)
    for fact in facts(task):
        near = by_category[fact.category]
        if not near:
            places.note(task, False, fact.category, "not there")
            continue
        state = min(near, key=lambda s: math.dist(_middle(s)[:2], fact.middle[:2]))
        near.remove(state)
        if fact.box is None or fact.stands_in:
            off = math.dist(state.pose.position_m[:2], fact.middle[:2])
            why = "only its root is recorded" if fact.box is None else "another kind stood there"
            places.note(task, off <= NEAR_M, fact.category, why, off_m=off)
            continue
        why, stated = _approximation(task, things[state.handle], state, fact)
        off = math.dist(_middle(state), fact.middle)
        places.note(task, off <= NEAR_M, fact.category, why, stated=stated, off_m=off)
        ends = zip((*state.aabb_min_m, *state.aabb_max_m), (*fact.box[0], *fact.box[1]), strict=True)
        most = max(abs(a - b) for a, b in ends)
        boxes.note(task, most <= NEAR_M, fact.category, why, stated=stated, off_m=most)


def _approximation(task: Task, thing: Object, state: ObjectState, fact: Fact) -> tuple[str, bool]:
    """What makes a thing differ from what is recorded of it, and whether its task states that."""
    how, middle = fidelity(task), _middle(state)
    across, up = math.dist(middle[:2], fact.middle[:2]), abs(middle[2] - fact.middle[2])
    if up > NEAR_M >= across and (thing.on_floor or shifted(task)):
        return "set on our floor" if thing.on_floor else "set on what carries it", shifted(task)
    if thing.size_m is None:
        return "of the usual size", how is not None and how.sizes == "approximate"
    if lies_askew(thing):
        return "turned, so that the recorded box is wider than the thing", how is not None and how.sizes == "approximate"
    return "otherwise", False


def _middle(state: ObjectState) -> Vec3:
    low, high = state.aabb_min_m, state.aabb_max_m
    return ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2)


def _nearest(states: tuple[ObjectState, ...], category: str, place: Vec3 | None) -> ObjectState | None:
    """The thing that is meant."""
    near = [s for s in states if not category or s.category == category]
    if not near or (place is None and len(near) > 1):
        return None
    return min(near, key=lambda s: math.dist(_middle(s)[:2], place[:2]) if place else 0.0)


def _hidden(task: Task, camera: Pose, thing: ObjectState, states: tuple[ObjectState, ...]) -> tuple[str, bool]:
    """What hides a thing from a camera, and whether its task states that: another kind than the source shows may be larger."""
    before = [s for s in states if s.handle != thing.handle and _crosses(camera.position_m, _middle(thing), s.aabb_min_m, s.aabb_max_m)]
    if any(s.category == thing.category for s in before) and substituted(task):
        return "behind another of its kind, which is larger than what the source shows", True
    return ("behind another thing of the row, whose shape is ours" if before else "behind what furnishes the room"), False


def _crosses(start: Vec3, end: Vec3, low: Vec3, high: Vec3) -> bool:
    """Whether a straight piece passes through a box."""
    enters, leaves = 0.0, 1.0
    for a, b, least, greatest in zip(start, end, low, high, strict=True):
        if abs(b - a) < 1e-9:
            if not least <= a <= greatest:
                return False
            continue
        first, last = sorted(((least - a) / (b - a), (greatest - a) / (b - a)))
        enters, leaves = max(enters, first), min(leaves, last)
    return enters <= leaves


def _looked(views: list[tuple[Pose, str, Vec3 | None]]) -> list[tuple[Pose, str, Vec3 | None]]:
    step = max(1, len(views) // VIEWS)
    return views[::step][:VIEWS]
