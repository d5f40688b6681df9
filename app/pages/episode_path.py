"""What an episode was like, for who runs the study: its path on a plan of the room, and a table of its steps."""

from __future__ import annotations

from html import escape

import msgspec
import pandas as pd

from data.store import Store
from sim_bridge.spec import Pose, Scene

WIDTH_PX = 420
"""Of the plan."""
MARGIN_M = 0.4
"""Left around what is drawn."""


class Moment(msgspec.Struct, frozen=True):
    """One step as the plan and the table need it."""

    seq: int
    action: str
    ok: bool
    pose_after: str
    client_time_ms: float | None
    painted_ms: float | None

    @property
    def pose(self) -> Pose:
        """Of the camera after the step, in the world frame."""
        return msgspec.json.decode(self.pose_after, type=Pose)


def moments(store: Store, episode_id: str) -> list[Moment]:
    """The steps of an episode, oldest first."""
    sql = "SELECT seq, action, ok, pose_after, client_time_ms, painted_ms FROM steps WHERE episode_id = ? ORDER BY seq"
    return store.rows(sql, Moment, [episode_id])


def looking(pose: Pose) -> tuple[float, float]:
    """Where a camera looks, seen from above: its −z axis in the world's x and y, unit length unless it looks up or down."""
    x, y, z, w = pose.quaternion_xyzw
    return -2 * (x * z + w * y), -2 * (y * z - w * x)


def plan(scene: Scene, steps: list[Moment]) -> str:
    """The room's boxes and the camera's path from above, as SVG: up is +y. A circle is the start, a square the end, each step has its
    number, and a stroke shows where the camera looks. The table of steps says the same in numbers."""
    boxes = [(o.pose.position_m, o.size_m) for o in scene.objects if o.size_m is not None]
    places = [step.pose.position_m for step in steps]
    xs = [p[0] for p in places] + [p[0] + side * s[0] / 2 for p, s in boxes for side in (-1, 1)]
    ys = [p[1] for p in places] + [p[1] + side * s[1] / 2 for p, s in boxes for side in (-1, 1)]
    left, right, low, high = min(xs) - MARGIN_M, max(xs) + MARGIN_M, min(ys) - MARGIN_M, max(ys) + MARGIN_M
    scale = WIDTH_PX / (right - left)

    def at(x: float, y: float) -> tuple[float, float]:
        return round((x - left) * scale, 1), round((high - y) * scale, 1)

    drawn = []
    for place, size in boxes:
        x, y = at(place[0] - size[0] / 2, place[1] + size[1] / 2)
        drawn.append(f'<rect x="{x}" y="{y}" width="{size[0] * scale:.1f}" height="{size[1] * scale:.1f}" fill="#8884" stroke="#888"/>')
    points = [at(place[0], place[1]) for place in places]
    drawn.append(f'<polyline points="{" ".join(f"{x},{y}" for x, y in points)}" fill="none" stroke="#2f6fd6" stroke-width="2"/>')
    told: set[tuple[float, float]] = set()
    for step, (x, y) in zip(steps, points, strict=True):
        dx, dy = looking(step.pose)
        drawn.append(f'<line x1="{x}" y1="{y}" x2="{x + 16 * dx:.1f}" y2="{y - 16 * dy:.1f}" stroke="currentcolor" stroke-width="1.5"/>')
        if (x, y) not in told:
            drawn.append(f'<text x="{x + 5}" y="{y + 13}" font-size="11" fill="currentcolor">{step.seq}</text>')
        told.add((x, y))
    (x0, y0), (x1, y1) = points[0], points[-1]
    drawn.append(f'<circle cx="{x0}" cy="{y0}" r="6" fill="#2f6fd6"/>')
    drawn.append(f'<rect x="{x1 - 5}" y="{y1 - 5}" width="10" height="10" fill="none" stroke="#2f6fd6" stroke-width="2.5"/>')
    height = (high - low) * scale
    words = escape(f"The camera’s path from above, {len(steps) - 1} steps; the table of steps has the positions")
    box = f'viewBox="0 0 {WIDTH_PX} {height:.0f}" width="{WIDTH_PX}" height="{height:.0f}"'
    return f'<svg {box} role="img" aria-label="{words}" style="max-width:100%">{"".join(drawn)}</svg>'


def table(steps: list[Moment], beliefs: dict[int, tuple[str, int | None]]) -> pd.DataFrame:
    """The steps with times and beliefs.

    Args:
        steps: of one episode.
        beliefs: step → the last answer noted there in words, and its confidence (percent).
    """

    def thought(step: Moment) -> float | None:
        if step.client_time_ms is None or step.painted_ms is None or step.client_time_ms < step.painted_ms:
            return None
        return round((step.client_time_ms - step.painted_ms) / 1000, 2)

    said = [beliefs.get(step.seq, ("", None)) for step in steps]
    return pd.DataFrame(
        {
            "Step": [step.seq for step in steps],
            "Action": [step.action for step in steps],
            "Worked": ["yes" if step.ok else "no" for step in steps],
            "View to press, s": pd.array([thought(step) for step in steps], dtype="Float64"),
            "Belief": [answer for answer, _ in said],
            "Confidence": pd.array([sure for _, sure in said], dtype="Int64"),
            "x, m": [round(step.pose.position_m[0], 2) for step in steps],
            "y, m": [round(step.pose.position_m[1], 2) for step in steps],
            "z, m": [round(step.pose.position_m[2], 2) for step in steps],
        }
    )
