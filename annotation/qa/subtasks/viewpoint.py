"""Viewpoint Identification: which image is the left (right) gripper's view at the moment of the head image? Options are images."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping

from annotation.qa.subtasks.base import (
    LETTERS,
    NONE_ABOVE,
    Distractor,
    Item,
    MarkRule,
    Problem,
    Proposal,
    Scenery,
    Slot,
    Subtask,
    blank,
    is_none,
)

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
    side = item.slots.get("side")
    if side in ("left", "right") and item.gold in item.option_images:
        true, other = item.view(f"{side}-gripper"), item.view("right-gripper" if side == "left" else "left-gripper")
        chosen = item.option_images[item.gold]
        if true is not None and chosen.image != true.image:
            problems.append(Problem("gold", f"Option {item.gold} is not this moment's {side} gripper image."))
        shown = {letter: image for letter, image in item.option_images.items() if letter != item.gold}
        if other is not None and not any(image.image == other.image for image in shown.values()):
            problems.append(Problem("option_images", "The opposite gripper's image of the same moment must be one of the distractors."))
        if true is not None and any(image.image == true.image for image in shown.values()):
            problems.append(Problem("option_images", "Another option shows the right image too."))
    if item.derived is None and item.provenance:
        lacking = [kind for kind in KINDS if not any(d.kind == kind for d in item.provenance.values())]
        if lacking:
            problems.append(Problem("provenance", "Each kind of distractor is needed; missing: " + ", ".join(KINDS[k] for k in lacking)))
    if item.derived is None and item.gold in item.option_images and len(item.option_images) == 5 and len(item.provenance) == 4:
        tally = votes(item)
        best = max(tally.values())
        if [letter for letter, n in tally.items() if n == best] == [item.gold]:
            problems.append(
                Problem(
                    "option_images",
                    "The right image can be guessed by majority: its episode, moment and side are shared most often. Choose a distractor "
                    "of the other side or of another episode.",
                )
            )
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
    only_reference=True,
    advice="The distractors of the same episode must show the gripper in a clearly different pose.",
)

__all__ = ["NONE_ABOVE", "SUBTASK", "check", "options", "question", "sample", "votes"]
