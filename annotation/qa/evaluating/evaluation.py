"""People answer items: a study of a project's accepted items (paradigm *multi-view QA*), who may not take part, and the results.

An item becomes a task whose `shown` is its blind document: the participant's path, assignment, crash safety and export are those of every
study. Its gold is the task's gold, which never leaves the server while the study counts.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from statistics import fmean
from typing import Any

from annotation.qa import derive
from annotation.qa.drawn.pictures import ImageFolder
from annotation.qa.errors import QaError
from annotation.qa.evaluating import results
from annotation.qa.items import Item
from annotation.qa.projects import get_project
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.work import pool
from annotation.qa.work.blind import blind
from data.store import Store
from data.task import Gold, Provenance, Question, Task
from sim_bridge.spec import Camera, Pose, Room, Scene
from study import access
from study.errors import NotAllowed
from study.glimpses import most_apart, shown_by
from study.paradigms import multiview_qa
from study.protocol import Protocol
from study.states import LIVE
from study.studies import Study, create_study

DATASET = "multiview-qa"
"""Data set of the tasks made from items."""
OPTIONS = 5
"""Options of an item."""
CHANCE = 1 / OPTIONS
"""Accuracy of guessing."""

WELCOME = """In this study you answer questions about pictures of a robot at work, taken by several cameras at the same moment.

Every question has five options, A to E; one of them is right. You can enlarge every picture."""
REFERENCES = {
    True: "You may look things up while you answer, for instance what a tool is called. Please do not ask other people or an AI system.",
    False: "Please do not look anything up while you answer, and do not ask other people or an AI system.",
}
"""External references allowed or not → what people are told."""
CONSENT = """Your answers, how sure you say you are, and the times are recorded under a pseudonym.

Taking part is voluntary. You can stop at any time, without giving a reason."""
THANKS = """That was the last question. Your answers are saved.

You can close this window."""


def task_of(item: Item, project_id: str) -> Task:
    """The item as a task. The answer is a letter: letters are the benchmark's own and are never shuffled.

    The document that is shown has no item id: the id of a derived item names its set, and of the rejection set the answer follows.

    Raises:
        QaError: the item has no right option.
    """
    if item.gold is None:
        raise QaError(f"{item.item_id} has no right option: it cannot be asked.")
    shown = {name: value for name, value in blind(item).items() if name != "item_id"}
    return Task(
        task_id=item.item_id,
        category=SUBTASKS[item.subtask].domain,
        subcategory=item.subtask,
        question=Question(text=item.question, form="choice", options=tuple(shown["options"])),
        gold=Gold(accepted=(item.gold,), chance=1 / len(shown["options"]), derivation="item"),
        scene=Scene(camera=Camera(), room=Room(furnished=False)),
        start=Pose((0.0, 0.0, 0.0)),
        actions=(),
        budget=1,
        twin=item.derived.item_id if item.derived else None,
        provenance=Provenance(dataset=DATASET, row_id=item.item_id),
        source={"item_hash": item.content_hash, "variant": item.derived.kind if item.derived else "", "project": project_id}
        | {"glimpses": _glimpses(item)},
        shown=shown,
    )


def _glimpses(item: Item) -> list[str]:
    """Of what the item shows something: its own moment and those of its wrong options; an item of elsewhere, whose moment has no id here,
    its pictures (`study.glimpses`)."""
    if item.moment:
        return sorted({item.moment, *(made.moment for made in item.provenance.values())} - {""})
    return sorted({image.image for image in (*item.views, *item.option_images.values())})


def until_it_is_open(study: Study) -> str:
    """What somebody reads who has made a study that is a draft; empty where people can take part."""
    if study.state != "draft":
        return ""
    return (
        "It is a draft: whoever comes by the link tries it out, and nothing of that counts. Write its ethics record, whom people may ask "
        f"and what they are told afterwards (`vantage study ethics`, `vantage study edit`), then `vantage study open {study.study_id}`."
    )


def create_evaluation(
    store: Store,
    project_id: str,
    name: str,
    *,
    sample: int | None = None,
    per_subtask: bool = False,
    references: bool = True,
    time_limit_s: float | None = None,
    derived: derive.Kind | None = None,
    practice: str | None = None,
    seed: int = 0,
    actor: str = "",
    **fields: Any,
) -> Study:
    """A live study in which people answer a project's accepted items. Nobody meets a moment in two of them (`study.glimpses`).

    Args:
        store: the database.
        project_id: the project.
        name: the study's name, shown to participants.
        sample: items per participant, an equal number (give or take one) of each subtask, those that were asked least first; None: all.
            Fewer, where so many would show a moment twice.
        per_subtask: `sample` is the number of items of each subtask.
        references: whether external references are allowed; the welcome text says which, unless `fields` has another.
        time_limit_s: seconds per item; None: no limit.
        derived: ask this derived set instead of the items.
        practice: id of an accepted item to practise on; its right answer is told, and it is not asked again.
        seed: decides the sample and the order of each person.
        actor: who makes it.
        **fields: other fields of `study.studies.Study`, such as `recruitment` or `consent`.

    Returns:
        The study.

    Raises:
        QaError: there is nothing to ask, or an image is not here.
        UnknownItem: no such project.
    """
    project = get_project(store, project_id)
    items = _askable(store, project_id, derived)
    training = None
    if practice is not None:
        origin = practice.removesuffix(f".{derived}") if derived else practice
        training = next((i for i in items if origin in (i.item_id, i.derived.item_id if i.derived else "")), None)
        if training is None:
            raise QaError(f"There is no accepted item {practice[:80]!r} in {project.name!r} to practise on.")
        items = [item for item in items if item is not training]
    if not items:
        raise QaError(f"The project {project.name!r} has no accepted items {'in this derived set ' if derived else ''}to ask people.")
    _check_images(store, items if training is None else [*items, training])
    tasks = [task_of(item, project_id) for item in items]
    protocol = Protocol(
        paradigm=multiview_qa.PARADIGM.name,
        shuffle_options=False,
        enlarge=True,
        confidence_required=False,
        time_limit_s=time_limit_s,
        external_references=references,
    )
    texts = {"welcome": f"{WELCOME}\n\n{REFERENCES[references]}{_limit_in_words(time_limit_s)}", "consent": CONSENT, "thanks": THANKS}
    with store.atomic():
        for task in tasks:
            store.put_task(task)
        hashes = tuple(task.content_hash for task in tasks)
        if training is not None:
            trial = task_of(training, project_id)
            store.put_task(trial)
            fields["practice_task"] = trial.content_hash
        study = create_study(
            store,
            name,
            **{
                "state": "live",
                "protocol": protocol,
                "tasks": hashes,
                "trials": min(_trials(items, sample, per_subtask), _apart(store, hashes, fields.get("practice_task"))),
                "qa_project": project_id,
                "seed": seed,
                **texts,
                **fields,
            },
        )
        told = {"project": project_id, "study": study.study_id, "items": len(items), "trials": study.trials, "derived": derived or ""}
        store.event("qa_evaluation_created", told, actor=actor, study_id=study.study_id, subject=project_id)
    return study


def invite_people(store: Store, project_id: str, name: str, *, actor: str = "", **settings: Any) -> tuple[Study, str]:
    """A study as `create_evaluation` makes it, and the token of a link for its participants."""
    with store.atomic():
        study = create_evaluation(store, project_id, name, actor=actor, **settings)
        return study, access.create_invite(store, "participant", study.study_id, label="qa study", actor=actor)


def _apart(store: Store, hashes: Sequence[str], practice: str | None) -> int:
    """How many of the tasks one person can be asked without meeting a moment twice, the practice item's included.

    Raises:
        QaError: none.
    """
    met = shown_by(store, [practice]).get(practice, frozenset()) if practice else frozenset()
    shown = shown_by(store, hashes)
    left = [names for names in (shown.get(content_hash, frozenset()) for content_hash in hashes) if not names & met]
    if not left:
        raise QaError("Every item shows a moment of the practice item: choose another one to practise on, or none.")
    return most_apart(left)


def _askable(store: Store, project_id: str, derived: derive.Kind | None) -> list[Item]:
    """The accepted items that count, or what is derived from them."""
    items = [stored.item for stored in pool.items(store, project_id, state="accepted") if not stored.trial]
    return derive.derive(items, derived).items if derived else items


def _trials(items: Sequence[Item], sample: int | None, per_subtask: bool) -> int:
    """Items per participant."""
    if sample is None:
        if per_subtask:
            raise QaError("Say how many items of each subtask: a number of items is needed.")
        return len(items)
    if sample < 1:
        raise QaError(f"A sample has at least one item, got {sample}.")
    counts: dict[str, int] = defaultdict(int)
    for item in items:
        counts[item.subtask] += 1
    return sum(min(sample, count) for count in counts.values()) if per_subtask else min(sample, len(items))


def _check_images(store: Store, items: Sequence[Item]) -> None:
    folder = ImageFolder(store.home)
    wanted = {image.image for item in items for image in (*item.views, *item.option_images.values())}
    missing = sorted(sha256 for sha256 in wanted if folder.path(sha256) is None)
    if missing:
        raise QaError(
            f"{len(missing)} of {len(wanted)} images are not kept on the server: people could not see their questions. "
            "Import the items with their images, then make the study again."
        )


def _limit_in_words(time_limit_s: float | None) -> str:
    if time_limit_s is None:
        return "\n\nThere is no time limit: take the time you need."
    return f"\n\nYou have {time_limit_s:g} seconds for each question; then your last choice counts."


# who may not take part


def annotators(store: Store, project_id: str) -> set[str]:
    """Staff ids of everybody who made, changed, reviewed or commented on an item of the project."""
    rows = store.query(
        "SELECT author AS who FROM qa_items WHERE project_id = :project "
        "UNION SELECT v.editor FROM qa_versions v JOIN qa_items i USING (item_id) WHERE i.project_id = :project "
        "UNION SELECT r.reviewer FROM qa_reviews r JOIN qa_items i USING (item_id) WHERE i.project_id = :project "
        "UNION SELECT c.author FROM qa_comments c JOIN qa_items i USING (item_id) WHERE i.project_id = :project",
        {"project": project_id},
    )
    return {row["who"] for row in rows}


def check_taker(store: Store, study: Study, participant_id: str, cookie: str | None = None) -> None:
    """May this participant answer the project's items? Known are the members of staff who came in with the same browser.

    Raises:
        NotAllowed: they made, changed or reviewed an item of it; that they came is written down once.
    """
    if study.qa_project is None:
        return
    staff = access.staff_beside(store, participant_id, cookie)
    known = staff & annotators(store, study.qa_project) if staff else set()
    if not known:
        return
    with store.atomic():
        before = store.one("SELECT 1 AS yes FROM events WHERE kind = 'qa_annotator_refused' AND participant_id = ?", [participant_id])
        if before is None:
            data = {"project": study.qa_project, "staff": sorted(known)}
            store.event("qa_annotator_refused", data, study_id=study.study_id, participant_id=participant_id, subject=study.qa_project)
    raise NotAllowed(
        "You made, changed or reviewed questions of this benchmark, so you cannot answer them as a participant: you know their "
        "answers. Thank you all the same."
    )


# results


def answers(store: Store, project_id: str) -> list[dict[str, Any]]:
    """People's answers to a project's items in studies that are live, practice aside, as rows that `results.tables` takes.

    Only answered, accepted work counts: nothing of people who withdrew, nothing that was given back, timed out or rejected.

    Returns:
        ``run`` (study id), ``study`` (its name), ``model`` ("people"), ``participant_id``, ``item_id``, ``content_hash``, ``subtask``,
        ``variant``, ``answer`` (None: the time was up without one), ``gold``, ``confidence`` (None: untouched), ``seconds``, ``stale``
        (the item has changed since).
    """
    rows = store.query(
        "SELECT e.episode_id, e.study_id, s.name AS study, e.participant_id, e.task_hash, a.answer, a.confidence, "
        "(julianday(a.server_time) - julianday(e.started_at)) * 86400 AS seconds "
        "FROM episodes e JOIN studies s USING (study_id) JOIN answers a USING (episode_id) LEFT JOIN slots l USING (slot_id) "
        "WHERE e.paradigm = ? AND e.agent_kind = 'human' AND e.mode = ? AND e.state = 'completed' AND coalesce(l.practice, 0) = 0 "
        "AND json_extract(s.document, '$.qa_project') = ? ORDER BY s.created_at, e.created_at",
        [multiview_qa.PARADIGM.name, LIVE, project_id],
    )
    tasks = {row["task_hash"]: store.get_task(row["task_hash"]) for row in rows}
    current = _current(store, project_id, {(task.task_id, task.source["variant"]) for task in tasks.values()})
    found = []
    for row in rows:
        task = tasks[row["task_hash"]]
        item_hash = task.source["item_hash"]
        found.append(
            {"run": row["study_id"], "study": row["study"], "model": "people", "participant_id": row["participant_id"]}
            | {"item_id": task.task_id, "content_hash": item_hash, "subtask": task.subcategory, "variant": task.source["variant"]}
            | {"answer": json.loads(row["answer"]) if row["answer"] else None, "gold": task.gold.accepted[0]}
            | {"confidence": row["confidence"], "seconds": round(row["seconds"], 3), "stale": current.get(task.task_id) != item_hash}
        )
    return found


def human_table(store: Store, project_id: str) -> dict[str, Any]:
    """People beside models: the published table, chance, and what is behind the numbers of the people.

    Returns:
        ``people`` and ``models``: rows of `results.tables` (accuracies as fractions, Wilson's 95 % bounds), ``people`` with ``study``,
        ``participants``, ``items``, ``mean_confidence`` (0–100, of those stated), ``confidence_given`` (answers that state one),
        ``median_seconds`` and ``by_participant`` (accuracy of each over all their items). ``chance``; ``stale`` (answers to items that have
        changed since, which are counted). An interval takes answers as independent; several answers of one person or to one item are not
        quite, so it is a little too narrow.
    """
    rows = answers(store, project_id)
    people = []
    for made in results.tables(rows):
        own = [row for row in rows if (row["run"], row["variant"]) == (made["run"], made["variant"])]
        people.append(made | _behind(own))
    given = store.query("SELECT * FROM qa_results WHERE project_id = ? ORDER BY run, item_id", [project_id])
    current = _current(store, project_id, {(row["item_id"], row["variant"]) for row in given})
    stale = {
        "people": sum(row["stale"] for row in rows),
        "models": sum(current.get(row["item_id"]) != row["content_hash"] for row in given),
    }
    return {"people": people, "models": results.tables(given), "chance": CHANCE, "stale": stale}


def _current(store: Store, project_id: str, asked: Set[tuple[str, str]]) -> dict[str, str]:
    """Content hash that each of these (item id, variant) has now; without those that are not accepted any more."""
    rows = store.query(
        "SELECT i.item_id, v.content_hash FROM qa_items i JOIN qa_versions v USING (item_id, version) "
        "WHERE i.project_id = ? AND i.state = 'accepted' AND i.trial = 0",
        [project_id],
    )
    hashes = {row["item_id"]: str(row["content_hash"]) for row in rows}
    for item_id, variant in asked:
        origin = item_id.removesuffix(f".{variant}")
        if variant and origin in hashes:
            made = derive.derive([pool.get(store, origin).item], variant).items  # type: ignore[arg-type]
            hashes |= {item.item_id: item.content_hash for item in made}
    return hashes


def _behind(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    sure = [row["confidence"] for row in rows if row["confidence"] is not None]
    by: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        by[row["participant_id"]].append(row["answer"] == row["gold"])
    times = sorted(row["seconds"] for row in rows)
    middle = (times[len(times) // 2] + times[(len(times) - 1) // 2]) / 2
    return {
        "study": rows[0]["study"],
        "participants": len(by),
        "items": len({row["item_id"] for row in rows}),
        "mean_confidence": round(fmean(sure), 1) if sure else None,
        "confidence_given": len(sure),
        "median_seconds": round(middle, 1),
        "by_participant": {who: {"n": len(right), "accuracy": round(fmean(right), 4)} for who, right in sorted(by.items())},
    }
