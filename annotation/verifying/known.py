"""Tasks whose verdict is known: sound ones of the bundled benchmark, and ones that are made wrong on purpose.

They are the hidden controls of a verification and its exercises. A task that is made wrong belongs to the data set `CHECKS`, which no study
is ever drawn from.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.reviewing.kinds.tasks import KIND_OF
from annotation.verifying import items, verifications
from annotation.verifying.errors import BadVerification
from data import subcategories
from data.generators.registry import benchmark
from data.store import Store
from data.task import CHECKS, Gold, Provenance, Task
from sim_bridge.actions import CAMERA_ACTIONS, inverse_of, parse_action
from sim_bridge.kinematics import moved

STRANGERS: tuple[tuple[str, str], ...] = (("trombone", "trombone"), ("sewing machine", "sewing_machine"), ("accordion", "accordion"))
"""Things that a question can name although they are in no bundled scene: (words, category)."""
ALL_PASS: Mapping[str, str] = {"correctness": "pass", "answerability": "pass", "nontriviality": "pass"}
LEAST, MOST = 8, 60
"""Controls that a verification has at least, and at most, where no number is asked for."""


@dataclass(frozen=True)
class Fault:
    """One way in which a task is made wrong."""

    name: str
    axis: str
    """The axis that it fails; of the others nothing is known."""
    explains: str
    """What is wrong, for whoever has judged it as an exercise."""
    make: Callable[[Task], dict[str, Any] | None]
    """Task → the changed fields; None: this task cannot be made wrong in this way."""


@dataclass(frozen=True)
class Known:
    """A task with its verdict."""

    task: Task
    expected: Mapping[str, str]
    """Axis → ``pass`` or ``fail``."""
    explains: str
    of: str
    """Id of the bundled task that it is, or was made from."""


def _wrong_gold(task: Task) -> dict[str, Any] | None:
    question = task.question
    others = [option for option in question.options if option not in task.gold.accepted]
    if question.form not in ("choice", "yes_no", "count") or not others:
        return None
    return {"gold": Gold(accepted=(others[0],), chance=task.gold.chance, derivation=task.gold.derivation)}


def _stranger(task: Task) -> dict[str, Any] | None:
    question = task.question
    there = {one.category for one in task.scene.objects}
    word = next((word for word, category in STRANGERS if category not in there and word not in question.text), None)
    named = next((name for name in task.names.values() if name in question.text and name not in question.options), None)
    if word is None or named is None:
        return None
    return {"question": question.model_copy(update={"text": question.text.replace(named, word), "ask": None, "languages": {}})}


def _at_the_end(task: Task) -> dict[str, Any] | None:
    moves = [parse_action(action) for action in task.gt_trajectory]
    if (
        not subcategories.find(task.category, task.subcategory).last_view_tells
        or task.scene.phases
        or any(move.name not in CAMERA_ACTIONS for move in moves)
    ):
        return None
    if not moves or not (back := inverse_of(moves[-1].name)):
        return None
    pose = task.start
    for move in moves:
        pose = moved(task.scene.camera, pose, move.name)
    # its way goes one view back and forth again
    return {"start": pose, "gt_trajectory": (back, moves[-1].name), "settled": None}


def _too_few_steps(task: Task) -> dict[str, Any] | None:
    return {"budget": 3} if len(task.gt_trajectory) >= 8 else None


def _no_hands(task: Task) -> dict[str, Any] | None:
    needed = {parse_action(action).name for action in task.gt_trajectory} - set(CAMERA_ACTIONS)
    if not needed:
        return None
    left = tuple(name for name in task.actions if name not in needed)
    return {
        "actions": left,
        "required_features": tuple(name for name in task.required_features if name not in needed),
        "gt_trajectory": tuple(action for action in task.gt_trajectory if parse_action(action).name not in needed),
    }


FAULTS: tuple[Fault, ...] = (
    Fault("wrong_gold", "correctness", "The proposed answer is not what the pictures and the state show.", _wrong_gold),
    Fault("stranger", "correctness", "The question names something that is not in the scene.", _stranger),
    Fault("shown_at_once", "nontriviality", "The first view shows the answer: nobody has to look further.", _at_the_end),
    Fault("too_few_steps", "answerability", "Three views are too few: what decides is seen only after several moves.", _too_few_steps),
    Fault("no_hands", "answerability", "What decides is inside something shut, and nothing may be opened or moved.", _no_hands),
)
"""Every way, in the order in which they are used."""
WHY_SOUND = "This task is sound: its trajectory shows the answer, the state agrees, and the first view does not tell it."


def sound(seed: int) -> Iterator[Known]:
    """Bundled tasks that pass on all axes, in a drawn order in which their subcategories take turns."""
    for task in _turns(seed):
        yield Known(task, ALL_PASS, WHY_SOUND, task.task_id)


def faulty(seed: int) -> Iterator[Known]:
    """Tasks that are made wrong, the ways taking turns; each is made from another bundled task."""
    waiting = {fault.name: list(_turns(seed + n)) for n, fault in enumerate(FAULTS, 1)}
    used: set[str] = set()
    while any(waiting.values()):
        for fault in FAULTS:
            while waiting[fault.name]:
                task = waiting[fault.name].pop(0)
                changed = None if task.task_id in used else fault.make(task)
                if changed is not None:
                    used.add(task.task_id)
                    yield Known(_made(task, fault, changed), {fault.axis: "fail"}, fault.explains, task.task_id)
                    break


def take_in(
    store: Store, verification_id: str, part: str, count: int | None = None, *, good: float = 0.5, seed: int = 1, actor: str
) -> int:  # fmt: skip
    """Take ready controls, or ready exercises, into a verification.

    Args:
        store: the database.
        verification_id: the verification.
        part: ``control`` or ``training``.
        count: how many; None: as many as its settings ask for.
        good: share of sound ones among them.
        seed: decides the draw.
        actor: who takes them in.

    Returns:
        How many came in. Tasks that are verified here themselves, their twins, and what was taken in before are left out.

    Raises:
        UnknownVerification, Closed: as `annotation.verifying.items.add`.
        BadVerification: fewer are left than were asked for; nothing was taken in.
    """
    protocol = verifications.get(store, verification_id).protocol
    if count is None:
        tasks = len(items.items_of(store, verification_id))
        per_person = math.ceil(tasks * protocol.control_share / max(1e-9, 1 - protocol.control_share))
        count = protocol.training if part == "training" else 0 if not protocol.control_share else min(MOST, max(LEAST, per_person))
    met = _met(store, verification_id)
    chosen: list[Known] = []
    for known, wanted in ((sound(seed), round(count * good)), (faulty(seed), count)):
        for one in known:
            if len(chosen) >= wanted:
                break
            if one.of not in met:
                met |= {one.of, *([one.task.twin] if one.task.twin else [])}
                chosen.append(one)
    if len(chosen) < count:
        raise BadVerification(f"Only {len(chosen)} tasks with a known verdict are left for this verification, {count} were asked for.")
    random.Random(seed).shuffle(chosen)
    with store.atomic():
        for one in chosen:
            store.put_task(one.task)
            items.add_known(store, verification_id, part, one.task.content_hash, one.expected, one.explains, actor=actor)
    return len(chosen)


def _met(store: Store, verification_id: str) -> set[str]:
    """Ids of the bundled tasks that stand in a verification already, themselves, as twins, or as what another was made from."""
    found: set[str] = set()
    for part in KIND_OF:
        for item in items.items_of(store, verification_id, part):
            task = store.get_task(item.task_hash)
            found |= {task.task_id, task.twin or "", task.provenance.row_id if task.provenance.dataset == CHECKS else ""}
    return found - {""}


def _turns(seed: int) -> Iterator[Task]:
    by_kind: dict[tuple[str, str], list[Task]] = {one.key: [] for one in subcategories.SUBCATEGORIES if one.known_sound}
    for task in benchmark():
        if (task.category, task.subcategory) in by_kind:
            by_kind[task.category, task.subcategory].append(task)
    draw = random.Random(seed)
    for tasks in by_kind.values():
        draw.shuffle(tasks)
    kinds = list(by_kind.values())
    draw.shuffle(kinds)
    for n in range(max(map(len, kinds))):
        yield from (tasks[n] for tasks in kinds if n < len(tasks))


def _made(task: Task, fault: Fault, changed: Mapping[str, Any]) -> Task:
    digest = hashlib.sha256(f"{task.task_id} {fault.name}".encode()).hexdigest()[:12]
    provenance = Provenance(dataset=CHECKS, row_id=task.task_id, licence=task.provenance.licence, generator=f"known faults 1: {fault.name}")
    own = {"task_id": f"check-{digest}", "provenance": provenance, "twin": None, "tags": {}, "evidence": (), "first_view": None}
    return Task.from_json(task.model_copy(update={**own, **changed}).canonical_json())
