"""How faithful a released row is here: what is as its source records it, what comes near, what is not there."""

from __future__ import annotations

from dataclasses import dataclass

from data.subcategories import BY_KEY
from data.task import Task
from sim_bridge.kinematics import rotation_matrix
from sim_bridge.spec import Object

SHIFTED = "approximate places"
"""Tag of a task some of whose places its source does not record."""
SUBSTITUTED = "substituted"
"""Tag that names what the source shows in the place of what it asks about."""

WIDER_M = 0.01
"""A thing whose recorded box is wider by no more lies along it."""

RELEASED = "esi-bench importer"
"""What made the tasks of released rows."""


def needs_trying(task: Task) -> str:
    """The rule by which a task's answer is tried; empty: none."""
    kind = BY_KEY.get((task.category, task.subcategory))
    return kind.tried if kind is not None else ""


def selected_on_answer(task: Task) -> bool:
    """Whether a task, where it is offered at all, is offered because doing it here gives its recorded answer."""
    return task.provenance.generator.startswith(RELEASED) and bool(needs_trying(task))


def shifted(task: Task) -> bool:
    """Whether the source of a task does not record some of its places."""
    return SHIFTED in task.tags


def substituted(task: Task) -> str:
    """What the source shows in the place of what it asks about; empty: nothing."""
    return task.tags.get(SUBSTITUTED, "")


@dataclass(frozen=True)
class Fidelity:
    """Of one task with object models that are not its source's."""

    places: str
    """``exact``: where things stand and how they are turned is recorded; ``approximate``: of some it is not."""
    sizes: str
    """``exact``: every thing is scaled to its recorded box; ``approximate``: some have the size that such a thing usually has, or lie
    askew in their recorded box."""
    looks: str
    """``approximate``: the models are ours."""
    furniture: str
    """Of the source's scene: ``absent``, or ``in part`` where the row records the pieces that matter."""
    light: str = ""
    """``approximate`` where it changes as the row says, by an amount that the row does not say; empty: it does not change."""
    substituted: str = ""
    """What the source shows in the place of what it asks about; here stands what it asks about."""

    @property
    def words(self) -> str:
        """One line."""
        told = [f"places {self.places}", f"sizes {self.sizes}", f"looks {self.looks}", f"scene furniture {self.furniture}"]
        told += [f"change of light {self.light}"] if self.light else []
        told += [f"the source shows {self.substituted} instead"] if self.substituted else []
        return ", ".join(told)

    @property
    def sentence(self) -> str:
        """For whoever judges the task."""
        return f"Built here after a released row: {self.words}."


def lies_askew(thing: Object) -> bool:
    """Whether a thing is turned so that the recorded box around it is wider than it is, by more than a centimetre: its own size is read
    from that box as well as may be."""
    if thing.size_m is None:
        return False
    sides = [[abs(r) * side for r, side in zip(row, thing.size_m, strict=True)] for row in rotation_matrix(thing.pose.quaternion_xyzw)]
    return any(sum(row) - max(row) > WIDER_M for row in sides)


def fidelity(task: Task) -> Fidelity | None:
    """How faithful a task is; None for one whose scene was made here."""
    if task.scene.source_scene is None or task.shown or not task.scene.objects:
        return None
    essential = [thing for thing in task.scene.objects if thing.handle in task.essential]
    sized = all(thing.size_m is not None and not lies_askew(thing) for thing in essential)
    pieces = any(thing.handle not in task.essential for thing in task.scene.objects)
    return Fidelity(
        places="approximate" if shifted(task) else "exact",
        sizes="exact" if sized else "approximate",
        looks="approximate",
        furniture="in part" if pieces else "absent",
        light="approximate" if any(phase.lighting for phase in task.scene.phases) else "",
        substituted=substituted(task),
    )
