"""What the simulator shows of a task when its ground-truth trajectory is played: solids that cross or float, views from inside something,
evidence that is not there, twins that the first view tells apart."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from annotation.auditing.check import Audited, Check, Finding, Row
from data.generators.framework import ENOUGH_PIXELS, FIRST_VIEW_DIFFERENCE, holds
from data.generators.lab import Lab, Playing, difference, play
from data.task import Evidence, Task
from sim_bridge.errors import BridgeError
from sim_bridge.lost import once_more
from sim_bridge.protocol import StateReply

SECONDS = 3.0
"""What a task takes before any was played: 1.7 to 4.3 were measured on two cores."""
TOLERANCE = "3 mm"
"""How deep a drawn solid may lie in another's material (`sim_bridge.protocol.State.audit`); a vessel's hollow is none."""
START = "at the start"
OFTEN = 5
"""Tasks between two words of progress."""


@dataclass(frozen=True)
class Drawn:
    """What one playing showed."""

    row: Row
    task: Task
    playing: Playing | None
    """None: the simulator does not play it."""
    refused: str = ""
    """Why not."""

    @property
    def ends(self) -> list[tuple[str, StateReply]]:
        """The states with the flags of an audit: before the first action and after the last."""
        states = self.playing.states() if self.playing else []
        return [(START, states[0]), ("after the ground-truth trajectory", states[-1])] if states else []


def playable(task: Task) -> bool:
    """Whether the simulator draws the task's own scene: of released rows it draws stand-ins, whose sizes say nothing of the source."""
    return task.provenance.dataset == "vantage" and not task.shown


def played(audited: Audited) -> list[Drawn]:
    """Every playable task, played once in an audit; says beforehand about how long it takes."""
    if "played" not in audited.kept:
        lab: Lab = audited.lab
        todo = [(row, task) for row, task in audited.tasks if playable(task)]
        begin, found = time.monotonic(), []
        for n, (row, task) in enumerate(todo):
            if n % OFTEN == 0:
                each = (time.monotonic() - begin) / n if n else SECONDS
                audited.progress(n, len(todo), f"tasks played; about {each * (len(todo) - n) / 60:.0f} min to go")
            try:
                playing = once_more(partial(play, lab, task, pictures=False, audit=True), lab.renew)
                found.append(Drawn(row, task, playing))
            except (BridgeError, ValueError) as error:
                found.append(Drawn(row, task, None, str(error)[:300]))
        audited.kept["played"] = found
    kept: list[Drawn] = audited.kept["played"]
    return kept


def _refused(audited: Audited) -> Iterator[Finding]:
    for drawn in played(audited):
        if drawn.playing is None:
            yield Finding(drawn.row, f"The simulator does not play it: {drawn.refused}")


def _flagged(drawn: Drawn, flag: str) -> Iterator[str]:
    """Things with a flag, in words, for each end at which they have it."""
    for when, state in drawn.ends:
        things = [f"{o.category} ({o.handle})" for o in state.objects if o.present and o.flags.get(flag, False)]
        if things:
            yield f"{when}: {', '.join(things)}"


def _cross(audited: Audited) -> Iterator[Finding]:
    for drawn in played(audited):
        if told := "; ".join(_flagged(drawn, "interpenetrating")):
            yield Finding(drawn.row, f"Drawn solids lie more than {TOLERANCE} in another's material, {told}.")


def _float(audited: Audited) -> Iterator[Finding]:
    for drawn in played(audited):
        # only before the first action: what slides or falls at the end of a trajectory is in the air for good reason
        things = [told for told in _flagged(drawn, "floating") if told.startswith(START)]
        if things:
            yield Finding(drawn.row, f"Nothing holds what can be moved, {things[0]}.")


def _inside(audited: Audited) -> Iterator[Finding]:
    for drawn in played(audited):
        steps = [n for n, step in enumerate(drawn.playing.steps) if step.clipped] if drawn.playing else []
        if steps:
            yield Finding(
                drawn.row, f"The camera is inside a wall or thing, or out of the room, at step {', '.join(map(str, steps))} (0: the start)."
            )


def _unseen(audited: Audited) -> Iterator[Finding]:
    for drawn in played(audited):
        if drawn.playing is None:
            continue
        missing = [f"{e.kind} {e.name} {e.handle} at step {e.step}".replace("  ", " ") for e in drawn.task.evidence if not _holds(e, drawn)]
        if not drawn.task.evidence:
            best = {h: max((s.visible.get(h, 0) for s in drawn.playing.steps), default=0) for h in drawn.task.essential}
            missing = [f"{handle} is seen with {n} pixels at most, of {ENOUGH_PIXELS}" for handle, n in best.items() if n < ENOUGH_PIXELS]
        if missing:
            yield Finding(drawn.row, f"The ground-truth trajectory does not show: {'; '.join(missing)}.")


def _holds(evidence: Evidence, drawn: Drawn) -> bool:
    assert drawn.playing is not None
    try:
        return holds(evidence, drawn.playing)
    except (ValueError, IndexError):
        return False


def _told_apart(audited: Audited) -> Iterator[Finding]:
    found = {drawn.task.task_id: drawn for drawn in played(audited) if drawn.playing is not None}
    for drawn in found.values():
        other = found.get(drawn.task.twin or "")
        if other is None or drawn.playing is None or other.playing is None or isinstance(drawn.task.first_view, str):
            continue
        bound = drawn.task.first_view if drawn.task.first_view is not None else FIRST_VIEW_DIFFERENCE
        apart = difference(drawn.playing.first.frame, other.playing.first.frame)
        if apart > bound:
            yield Finding(
                drawn.row,
                f"Its first view differs from that of its twin {other.task.task_id} by {apart:.2f} of 255 per channel, {bound:g} allowed: "
                "the start may show what decides.",
                (other.task.task_id,),
            )


CHECKS = (
    Check(
        id="solids-cross",
        severity="error",
        about=f"Things that are drawn more than {TOLERANCE} inside another's material (not in its hollow), at the start or after the "
        "ground-truth trajectory: colliding shapes that differ from the drawn ones. Whoever reasons from what is seen is then wrong.",
        fix="Let the drawn surface collide, draw the thing without the part that goes in, or take another thing.",
        look=_cross,
        needs="render",
    ),
    Check(
        id="solids-float",
        severity="error",
        about="Things that can be moved and that nothing holds, by their drawn surfaces, before the first action.",
        fix="Let the scene settle before the start, or set the thing on what carries it.",
        look=_float,
        needs="render",
    ),
    Check(
        id="camera-inside",
        severity="error",
        about="Steps of the ground-truth trajectory whose camera is inside a wall or thing, or out of the room.",
        fix="Record another trajectory; move the start out of it.",
        look=_inside,
        needs="render",
    ),
    Check(
        id="evidence-never-shown",
        severity="error",
        about="Ground-truth trajectories that do not show what the task says they show, when they are played again; where it says nothing, "
        f"an essential thing must be seen with {ENOUGH_PIXELS} pixels once.",
        fix="Record the trajectory again in the scene as it is.",
        look=_unseen,
        needs="render",
    ),
    Check(
        id="start-tells-twins-apart",
        severity="error",
        about="Twins with opposite golds whose first views differ by more than the task allows: the start may already show what decides.",
        fix="Hide what differs from the start view, or start elsewhere.",
        look=_told_apart,
        needs="render",
    ),
    Check(
        id="not-played",
        severity="error",
        about="Own tasks whose ground-truth trajectory the simulator refuses to play.",
        fix="Mend the scene or the trajectory that the evidence names.",
        look=_refused,
        needs="render",
    ),
)
