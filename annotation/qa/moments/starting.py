"""From a kept moment to a draft: views, reference view, slots and question as far as they follow, and gripper images to choose from."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from annotation.qa import clarity, geometry, pool
from annotation.qa.errors import QaError
from annotation.qa.items import LETTERS, Arm, Distractor, Item, Letter, ViewImage
from annotation.qa.moments.records import Moment, get_moment, moments
from annotation.qa.moments.sampling import still_image
from annotation.qa.subtasks import SUBTASKS, named
from annotation.qa.subtasks.base import Scenery, blank
from annotation.qa.subtasks.viewpoint import votes
from data.robot import episodes as robot
from data.robot.episodes import Episode
from data.robot.errors import RobotError
from data.robot.images import ImageFolder, opened
from data.store import Store

MOVED_M = 0.08
"""A gripper that has moved so far shows a clearly different view,"""
TURNED_DEG = 25.0
"""or turned so far;"""
CHANGED = 8.0
"""where poses are unknown, its image must differ by so many grey levels (`clarity.difference`)."""
TRIES = 8
"""Frames of an episode that are looked at for a distant moment."""


def scenery(store: Store, moment_id: str, seed: int = 0) -> Scenery:
    """A moment's images, and gripper images of others (best other episodes of the same task) to take distractors from.

    Raises:
        UnknownItem: no such moment.
    """
    moment = get_moment(store, moment_id)
    strangers = [image for image, _ in _strangers(store, moment, random.Random(seed), 4)] if moment.arm == "dual" else []
    return Scenery(moment.source[:200], _arm(moment), moment.episode[:200], moment.moment_id, moment.views, tuple(strangers))


def start_item(store: Store, project_id: str, moment_id: str, subtask: str, author: str) -> pool.Stored:
    """Begin an item on a kept moment.

    The draft has the moment's views, a reference view, what is known of the slots, the question, and for Viewpoint Identification five
    gripper images to begin with.

    Raises:
        QaError: the moment is not kept, is another project's, or the subtask is not for its arm.
        QuotaFull, Training: as `pool.create_item`.
    """
    moment = get_moment(store, moment_id)
    if moment.project_id != project_id:
        raise QaError("This moment belongs to another project.")
    if moment.state != "kept":
        raise QaError(f"This moment is {moment.state}: keep it first, then questions can be made from it.")
    return pool.create_item(store, project_id, begin(store, moment, subtask), author)


def begin(store: Store, moment: Moment, subtask: str, *, seed: int | None = None, reference: str | None = None) -> Item:
    """The draft that `start_item` would make, not yet in the pool.

    Args:
        store: the database.
        moment: complete.
        subtask: slug.
        seed: decides what is drawn (which side, which images, which extreme); default: by how many items the moment has.
        reference: the reference view; default: ``head`` or ``view1``.
    """
    thing = named(subtask)
    if moment.arm not in thing.arms:
        raise QaError(f"{thing.name} is for {' and '.join(thing.arms)} arm robots; this moment has a {moment.arm} arm.")
    if seed is None:
        row = store.one("SELECT count(*) AS n FROM qa_items WHERE project_id = ? AND subtask = ?", [moment.project_id, thing.slug])
        seed = row["n"] if row else 0
    rng = random.Random(f"{moment.moment_id} {thing.slug} {seed}")
    scene = Scenery(moment.source[:200], _arm(moment), moment.episode[:200], moment.moment_id, moment.views)
    item = blank(scene, thing.slug, reference or ("head" if moment.arm == "dual" else "view1"), _slots(store, moment, thing.slug, rng))
    if thing.slug == "viewpoint":
        item = propose_views(store, item, moment, rng)
    return item.change(question=SUBTASKS[thing.slug].question(item))


def _arm(moment: Moment) -> Arm:
    return "dual" if moment.arm == "dual" else "single"


def _slots(store: Store, moment: Moment, slug: str, rng: random.Random) -> dict[str, str]:
    """What is known: the task in words for the robotic subtasks, a drawn choice where the template has one."""
    if slug in ("planning", "trajectory"):
        return {"task": moment.task} if moment.task.strip() else {}
    if slug == "step":
        words = segment_text(store, moment) or moment.task
        return {"task": words} if words.strip() else {}
    if slug == "distance":
        return {"extreme": rng.choice(("shortest", "longest"))}
    return {"side": rng.choice(("left", "right"))} if slug == "viewpoint" else {}


def segment_text(store: Store, moment: Moment) -> str:
    """What the source says the robot does at a moment, in words; empty where it says nothing."""
    for segment in robot.get_episode(store, moment.episode_id).record.segments:
        if segment.start <= moment.frame_index < segment.end:
            return str(segment.text)
    return ""


# gripper images


@dataclass(frozen=True)
class _Choice:
    image: ViewImage
    origin: Distractor | None
    hard: bool = False


def propose_views(store: Store, item: Item, moment: Moment, rng: random.Random) -> Item:
    """The item with five gripper images: the right one, the other gripper's at the same moment, the same gripper's at a distant moment of
    the episode where its pose is clearly different, and two of other episodes, those of the same task first.

    Both strangers show the other side where there are two, so that neither episode, moment nor side points at the right image. What is not
    found is left out for the author to choose.
    """
    side = item.slots.get("side", "left")
    true, opposite = moment.view(f"{side}-gripper"), moment.view("right-gripper" if side == "left" else "left-gripper")
    if true is None or opposite is None:
        return item
    choices = [_Choice(true, None), _Choice(opposite, Distractor(kind="opposite_gripper"), hard=True)]
    if (distant := _distant(store, moment, true.view, rng)) is not None:
        choices.append(distant)
    for image, other in _strangers(store, moment, rng, 5 - len(choices), view=opposite.view):
        origin = Distractor(kind="other_episode", note=other.task[:200], episode=other.episode, moment=other.moment_id)
        choices.append(_Choice(image, origin))
    unique = {choice.image.image: choice for choice in reversed(choices)}
    choices = [choice for choice in choices if unique[choice.image.image] is choice][:5]
    letters: list[Letter] = list(LETTERS[: len(choices)])
    rng.shuffle(letters)
    placed = dict(zip(letters, choices, strict=True))
    made = item.change(
        option_images={letter: placed[letter].image for letter in sorted(placed)},
        options={letter: f"Image {letter}" for letter in sorted(placed)},
        gold=letters[0],
        hard=tuple(sorted(letter for letter, choice in placed.items() if choice.hard)),
        provenance={letter: choice.origin for letter, choice in placed.items() if choice.origin is not None},
    )
    tally = votes(made)
    if len(tally) == len(LETTERS) and [letter for letter, n in tally.items() if n == max(tally.values())] == [letters[0]]:
        raise QaError("The gripper images found here would give the right one away by majority: choose another moment.")
    return made


def _distant(store: Store, moment: Moment, view: str, rng: random.Random) -> _Choice | None:
    """The same gripper at another time of the episode, its pose (or, unknown, its image) clearly different; None where it never is.
    Other moments of the episode come first, whose images are kept already."""
    episode = robot.get_episode(store, moment.episode_id)
    images = ImageFolder(store.home)
    others = {m.frame_index: m for m in moments(store, moment.project_id, arm="dual") if m.episode_id == moment.episode_id}
    far = [frame for frame in range(episode.frames) if abs(frame - moment.frame_index) >= max(10, episode.frames // 5)]
    kept = [frame for frame in far if frame in others and others[frame].state != "filtered"]
    mine = moment.metrics.get("views", {}).get(view, {}).get("signature")
    for frame in [*rng.sample(kept, len(kept)), *rng.sample(far, min(TRIES, len(far)))]:
        moved = pose_change(store, episode, view, moment.frame_index, frame)
        if moved is False or (moved is None and mine is None):
            continue
        if frame in others and (there := others[frame].view(view)) is not None:
            image, signature = there, others[frame].metrics["views"][view]["signature"]
        else:
            try:
                image, data = still_image(store, images, episode, view, frame)
            except RobotError:
                continue
            signature = clarity.measure(opened(data, image.file)).signature
        if moved is None and clarity.difference(mine, signature) < CHANGED:
            continue
        where = others[frame].moment_id if frame in others else f"{moment.episode}@{frame}"
        return _Choice(image, Distractor(kind="distant_moment", note=f"frame {frame}", moment=where))
    return None


def pose_change(store: Store, episode: Episode, view: str, one: int, other: int) -> bool | None:
    """Whether a gripper's pose differs clearly between two frames; None where poses are unknown."""
    here, there = robot.truth(store, episode, one), robot.truth(store, episode, other)
    name = view.removesuffix("-gripper")
    if here is None or there is None or name not in here.grippers or name not in there.grippers:
        return None
    a, b = here.grippers[name].pose, there.grippers[name].pose
    turn = geometry.rotation(a[3:7]).T @ geometry.rotation(b[3:7])
    degrees = float(np.degrees(np.arccos(np.clip((np.trace(turn) - 1) / 2, -1, 1))))
    return bool(np.linalg.norm(np.subtract(a[:3], b[:3])) >= MOVED_M or degrees >= TURNED_DEG)


def _strangers(
    store: Store, moment: Moment, rng: random.Random, count: int, *, view: str | None = None
) -> list[tuple[ViewImage, Moment]]:  # fmt: skip
    """Gripper images of other episodes, one per moment: same task first, kept moments first; of `view`, or of either gripper."""
    others = [m for m in moments(store, moment.project_id, arm="dual") if m.episode_id != moment.episode_id and m.state != "filtered"]
    rng.shuffle(others)
    task = set(moment.task.casefold().split())

    def rank(other: Moment) -> tuple[float, bool]:
        words = set(other.task.casefold().split())
        return -len(task & words) / max(1, len(task | words)), other.state != "kept"

    found: list[tuple[ViewImage, Moment]] = []
    seen: set[str] = set()
    for other in sorted(others, key=rank):
        image = other.view(view or rng.choice(("left-gripper", "right-gripper")))
        if image is not None and image.image not in seen and other.episode_id not in {m.episode_id for _, m in found}:
            seen.add(image.image)
            found.append((image, other))
        if len(found) == count:
            return found
    return found
