"""Viewpoint Identification: which image is the left (right) gripper's view at the moment of the head image? Options are images."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.qa.errors import Problem, QaError
from annotation.qa.items import LETTERS, Distractor, Item, Letter, ViewImage
from annotation.qa.scenes import apart
from annotation.qa.scenes.moment import Moment, get_moment, moments, still_image
from annotation.qa.scenes.sight import Sight
from annotation.qa.scenes.strangers import strangers
from annotation.qa.subtasks.base import MarkRule, OptionImages, Picture, Proposal, Scenery, Slot, Subtask, is_none
from annotation.qa.subtasks.making import begun, blank
from data.robot import episodes as robot
from data.robot.errors import RobotError
from data.robot.images import ImageFolder
from data.store import Store

TRIES = 24
"""Frames of an episode that are looked at for a distant moment: where two in three look like the moment's own, 8 fail once in 25 times, 24
once in 17,000."""
SPARE = 6
"""Pictures of other episodes that are looked at beyond those needed, should some look like the right one."""
KINDS = {
    "opposite_gripper": "The other gripper's view at the same moment.",
    "distant_moment": "The same episode at a distant moment, the gripper's pose clearly different.",
    "other_episode": "Another episode of the same or a related task.",
}


def question(item: Item) -> str:
    side = item.slots.get("side", "") or "left"
    return f"Given this head image, which image is the {side} gripper's view at the same moment?"


def options(item: Item) -> Proposal:
    """Neutral names of the images."""
    texts = {letter: f"Image {letter}" for letter in LETTERS if letter in item.option_images}
    return Proposal(texts, item.gold if item.gold in texts else None, item.hard, dict(item.provenance))


def votes(item: Item) -> Mapping[str, int]:
    """Letter → how many options share its episode, its moment and its side, added up: what one could guess by without the head image."""
    seen: dict[str, tuple[str, str, str]] = {}
    for letter, image in item.option_images.items():
        origin = item.provenance.get(letter)
        episode = origin.episode or item.episode if origin and letter != item.gold else item.episode
        moment = origin.moment or item.moment if origin and letter != item.gold else item.moment
        seen[letter] = (episode, f"{episode}/{moment}", image.view)
    counts = [Counter(values) for values in zip(*seen.values(), strict=True)] if seen else []
    return {letter: sum(count[value] for count, value in zip(counts, values, strict=True)) for letter, values in seen.items()}


def check(item: Item) -> list[Problem]:
    return [*_images(item), *_side(item), *_distractors(item), *_origins(item)]


def _images(item: Item) -> list[Problem]:
    """Five gripper images, each another, under their letters."""
    problems = []
    rejection = item.derived is not None and item.derived.kind == "reject"
    wanted = [letter for letter in LETTERS if not (rejection and is_none(item.options.get(letter, "")))]
    missing = [letter for letter in wanted if letter not in item.option_images]
    if missing:
        problems.append(Problem("option_images", f"Option {', '.join(missing)}: choose an image."))
    if item.reference_view != "head":
        problems.append(Problem("reference_view", f"The reference is the head view, got {item.reference_view}."))
    hashes = Counter(image.image for image in item.option_images.values())
    for image, n in hashes.items():
        if n > 1:
            same = [letter for letter, option in item.option_images.items() if option.image == image]
            problems.append(Problem("option_images", f"Options {', '.join(same)} are the same image: each must differ."))
    for letter, option in item.option_images.items():
        if not option.view.endswith("gripper"):
            problems.append(Problem(f"option_images.{letter}", f"Option {letter} is a {option.view} image: gripper images are needed."))
        if item.options.get(letter, f"Image {letter}") != f"Image {letter}":
            problems.append(Problem(f"options.{letter}", f"Option {letter} is called “Image {letter}”: other words could give it away."))
    return problems


def _side(item: Item) -> list[Problem]:
    """The right option shows the asked gripper of this moment, and the other gripper is among the rest."""
    side = item.slots.get("side")
    if side not in ("left", "right") or item.gold not in item.option_images:
        return []
    problems = []
    true, other = item.view(f"{side}-gripper"), item.view("right-gripper" if side == "left" else "left-gripper")
    chosen = item.option_images[item.gold]
    if true is not None and chosen.image != true.image:
        problems.append(Problem("gold", f"Option {item.gold} is not this moment's {side} gripper image."))
    shown = {letter: image for letter, image in item.option_images.items() if letter != item.gold}
    if other is not None and not any(image.image == other.image for image in shown.values()):
        problems.append(Problem("option_images", "The opposite gripper's image of the same moment must be one of the distractors."))
    if true is not None and any(image.image == true.image for image in shown.values()):
        problems.append(Problem("option_images", "Another option shows the right image too."))
    return problems


def _distractors(item: Item) -> list[Problem]:
    """Every kind of distractor is there, and the right image is not the one that most share their origin with."""
    if item.derived is not None:
        return []
    problems = []
    if item.provenance:
        lacking = [kind for kind in KINDS if not any(d.kind == kind for d in item.provenance.values())]
        if lacking:
            kinds = "; ".join(KINDS[kind].rstrip(".") for kind in lacking)
            problems.append(
                Problem(
                    "provenance",
                    f"Each kind of distractor is needed; missing: {kinds}. Choose this kind in a row whose kind is there "
                    "twice: it gets another picture. Where none is found, keep more moments of this episode, or choose another moment.",
                    len(lacking) if len(item.provenance) == len(LETTERS) - 1 else 0,
                )
            )
    whole = item.gold in item.option_images and len(item.option_images) == 5 and len(item.provenance) == 4
    if whole and _told_by_majority(item):
        words = "The right image can be guessed by majority: its episode, moment and side are shared most often."
        problems.append(Problem("option_images", f"{words} {_against_majority(item)}"))
    return problems


def _told_by_majority(item: Item) -> bool:
    tally = votes(item)
    return [letter for letter, n in tally.items() if n == max(tally.values())] == [item.gold]


def _against_majority(item: Item) -> str:
    """What to do about it: which options are to show the other gripper, by their letters, and how many of them."""
    right, other = item.slots.get("side", ""), "right" if item.slots.get("side") == "left" else "left"
    same = [
        letter
        for letter, image in item.option_images.items()
        if letter in item.provenance and image.view == f"{right}-gripper" and item.provenance[letter].kind != "opposite_gripper"
    ]
    for count in range(1, len(same) + 1):
        enough: set[Letter] = set()
        for some in itertools.combinations(same, count):
            turned = {letter: item.option_images[letter].model_copy(update={"view": f"{other}-gripper"}) for letter in some}
            if not _told_by_majority(item.change(option_images=item.option_images | turned)):
                enough |= set(some)
        if enough:
            letters = " and ".join(sorted(enough))
            return f"Of {letters}, which show the {right} gripper, let {count} show the {other} one: take another picture there."
    return f"Choose distractors that show the {other} gripper, or another episode."


def _origins(item: Item) -> list[Problem]:
    """Each picture is of the kind that is said of it, as far as its episode and moment tell."""
    if item.derived is not None:
        return []
    other = item.view("right-gripper" if item.slots.get("side") == "left" else "left-gripper")
    problems = []
    for letter, image in item.option_images.items():
        origin = item.provenance.get(letter)
        if origin is None or origin.kind not in KINDS:
            continue
        elsewhere = origin.episode not in ("", item.episode)
        fits = {
            "opposite_gripper": other is None or image.image == other.image,
            "distant_moment": not elsewhere,
            "other_episode": elsewhere or not origin.moment,
        }
        if not fits[origin.kind]:
            words = f"Option {letter} shows another picture than it says (“{KINDS[origin.kind]}”): choose the kind again."
            problems.append(Problem(f"provenance.{letter}", words))
    return problems


def sample(rng: random.Random, scenery: Scenery) -> Item:
    side = rng.choice(("left", "right"))
    item = blank(scenery, "viewpoint", "head", {"side": side})
    images = {v.view: v for v in scenery.views}
    true, other = images[f"{side}-gripper"], images["right-gripper" if side == "left" else "left-gripper"]
    # two distractors of the other side, so that no vote points at the right image
    strangers = rng.sample(scenery.strangers, 3)
    shown = [true, other, *(s.model_copy(update={"view": v}) for s, v in zip(strangers, (other.view, other.view, true.view), strict=True))]
    origins = [
        Distractor(kind="opposite_gripper"),
        Distractor(kind="distant_moment", moment=f"{scenery.moment}-distant"),
        Distractor(kind="other_episode", episode=f"{scenery.episode}-other", moment="a"),
        Distractor(kind="other_episode", episode=f"{scenery.episode}-other", moment="b"),
    ]
    letters = list(LETTERS)
    rng.shuffle(letters)
    return item.change(
        option_images={letter: shown[letters.index(letter)] for letter in LETTERS},
        options={letter: f"Image {letter}" for letter in LETTERS},
        gold=letters[0],
        hard=tuple(sorted(letters[1 : rng.randint(2, 3)])),
        provenance=dict(zip(letters[1:], origins, strict=True)),
        unique_confirmed=True,
        question=question(item),
    )


# gripper images


@dataclass(frozen=True)
class _Choice:
    image: ViewImage
    origin: Distractor | None
    hard: bool = False


def propose(store: Store, item: Item, moment: Moment, rng: random.Random) -> Item:
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
    wanted = 5 - len(choices)
    others_seen = strangers(store, moment, rng, wanted + SPARE, view=opposite.view)
    for image, other in [one for one in others_seen if not apart.alike(store, one[0], true)][:wanted]:
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
    if len(made.option_images) == len(LETTERS) and _told_by_majority(made):
        raise QaError("The gripper images found here would give the right one away by majority: choose another moment.")
    return made


def _distant(store: Store, moment: Moment, view: str, rng: random.Random) -> _Choice | None:
    """The same gripper at another time of the episode, its pose (or, unknown, its image) clearly different; None where it never is.
    Other moments of the episode come first, whose images are kept already."""
    episode = robot.get_episode(store, moment.episode_id)
    images = ImageFolder(store.home)
    here = moment.view(view)
    others = {m.frame_index: m for m in moments(store, moment.project_id, arm="dual") if m.episode_id == moment.episode_id}
    far = [frame for frame in range(episode.frames) if abs(frame - moment.frame_index) >= max(10, episode.frames // 5)]
    kept = [frame for frame in far if frame in others and others[frame].state != "filtered"]
    for frame in [*rng.sample(kept, len(kept)), *rng.sample(far, min(TRIES, len(far)))] if here is not None else ():
        # poses first: they are known without reading a picture
        if here is None or apart.pose_change(store, episode, view, moment.frame_index, frame) is False:
            continue
        image = others[frame].view(view) if frame in others else None
        if image is None:
            try:
                image, _ = still_image(store, images, episode, view, frame)
            except RobotError:
                continue
        if not apart.distant(store, episode, (moment.frame_index, here), (frame, image)):
            continue
        where = others[frame].moment_id if frame in others else f"{moment.episode}@{frame}"
        return _Choice(image, Distractor(kind="distant_moment", note=f"frame {frame}", moment=where))
    return None


def other_side(item: Item) -> dict[str, Any]:
    """Viewpoint Identification asks for the other gripper: the image of that side is right now, the one that was right a distractor."""
    true = item.view(f"{item.slots.get('side', '')}-gripper")
    right = next((letter for letter, image in item.option_images.items() if true is not None and image.image == true.image), None)
    if right is None or right == item.gold:
        return {}
    origins: dict[Letter, Distractor] = {letter: origin for letter, origin in item.provenance.items() if letter != right}
    if item.gold is not None:
        origins[item.gold] = Distractor(kind="opposite_gripper")
    return {"gold": right, "provenance": origins}


def others(store: Store, item: Item, kind: str) -> Sequence[Picture]:
    """Gripper images of one kind of distractor, from the item's moment and the project's others: those of the same task first; of the same
    episode only where the gripper is clearly elsewhere, the asked one first, and any frame of it where no kept moment serves. None looks
    like the right one."""
    moment = get_moment(store, item.moment)
    side = item.slots.get("side", "left")
    asked, opposite = f"{side}-gripper", "right-gripper" if side == "left" else "left-gripper"
    true = moment.view(asked)
    if kind == "opposite_gripper":
        image = item.view(opposite)
        return [Picture(image, Distractor(kind=kind))] if image else []
    near = [other for other in moments(store, moment.project_id, arm="dual") if other.moment_id != moment.moment_id]
    of_kind = [o for o in near if o.state in ("kept", "candidate") and (o.episode_id == moment.episode_id) == (kind == "distant_moment")]
    if kind == "distant_moment":
        return _elsewhere(store, item, moment, of_kind, (asked, opposite))
    found = []
    for other in sorted(of_kind, key=lambda o: o.task != moment.task):
        for view in (opposite, asked):
            image = other.view(view)
            if image is not None and not (true is not None and apart.alike(store, image, true)):
                found.append(Picture(image, Distractor(kind=kind, note=other.task[:200], episode=other.episode, moment=other.moment_id)))
    return found


def _elsewhere(store: Store, item: Item, moment: Moment, near: Sequence[Moment], views: Sequence[str]) -> list[Picture]:
    """Pictures of the same episode in which the gripper is clearly elsewhere; last those that a person has to judge."""
    episode = robot.get_episode(store, moment.episode_id)
    found: list[Picture] = []
    unsure: list[Picture] = []
    for view in views:
        here = moment.view(view)
        for other in near if here is not None else ():
            there = other.view(view)
            if here is None or there is None:
                continue
            told = apart.distant(store, episode, (moment.frame_index, here), (other.frame_index, there))
            if told is not False:
                origin = Distractor(kind="distant_moment", note=f"frame {other.frame_index}", moment=other.moment_id)
                (found if told else unsure).append(Picture(there, origin))
    for view in () if found else views:
        if (choice := _distant(store, moment, view, random.Random(item.item_id))) is not None and choice.origin is not None:
            found.append(Picture(choice.image, choice.origin))
    return [*found, *unsure]


def holds(store: Store, item: Item) -> list[Problem]:
    """What the pictures, and the poses at their frames, say against them: a wrong one that looks like the right one, and a distant moment
    at which the gripper is where it is now."""
    right = item.option_images.get(item.gold) if item.gold is not None else None
    if item.derived is not None or right is None:
        return []
    try:
        moment = get_moment(store, item.moment)
    except QaError:
        return []
    problems = []
    for letter, image in item.option_images.items():
        origin = item.provenance.get(letter)
        if letter == item.gold or image.image == right.image:
            continue
        if origin is not None and origin.kind == "distant_moment" and _stays(store, moment, image, origin):
            words = f"Option {letter}: the gripper is hardly elsewhere in this picture. Take another picture, ask for the other gripper, "
            problems.append(Problem(f"option_images.{letter}", f"{words}or choose another moment."))
        elif apart.alike(store, image, right):
            words = f"Option {letter} looks like the right picture: take another picture, or choose another moment."
            problems.append(Problem(f"option_images.{letter}", words))
    return problems


def _stays(store: Store, moment: Moment, image: ViewImage, origin: Distractor) -> bool:
    """Whether a picture of the episode shows a gripper where it is at the moment."""
    here, frame = moment.view(image.view), image.frame_index
    if here is None or frame is None:
        return False
    if origin.moment and "@" not in origin.moment:
        try:
            frame = get_moment(store, origin.moment).frame_index
        except QaError:
            return False
    return apart.distant(store, robot.get_episode(store, moment.episode_id), (moment.frame_index, here), (frame, image)) is False


def make(sight: Sight, rng: random.Random, none: bool) -> Item | None:
    """The gripper images that the data offer."""
    item = begun(sight, SUBTASK, rng)
    return item.change(unique_confirmed=True) if len(item.option_images) == len(LETTERS) else None


SUBTASK = Subtask(
    slug="viewpoint",
    name="Viewpoint Identification",
    asked="which gripper image belongs to the head image",
    domain="spatial",
    arms=("dual",),
    marks=MarkRule(),
    option_kind="images",
    slots=(Slot("side", "Which gripper is asked for", ("left", "right")),),
    distractors=KINDS,
    question=question,
    options=options,
    check=check,
    sample=sample,
    slots_from=lambda store, moment, rng: {"side": rng.choice(("left", "right"))},
    images=OptionImages(propose=propose, others=others, follow=other_side, holds=holds),
    make=make,
    attempts=2,
    needs_poses=False,
    only_reference=True,
    advice="The distractors of the same episode must show the gripper in a clearly different pose.",
)
