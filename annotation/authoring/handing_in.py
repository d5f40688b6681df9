"""A draft becomes a task: it is played, checked once more, kept for ever, and put before three people."""

from __future__ import annotations

from annotation.authoring import drafts, proving
from annotation.authoring.draft import missing
from annotation.authoring.drafts import Kept
from annotation.authoring.errors import NotReady
from annotation.recording import recorder
from annotation.verifying import items, verifications
from annotation.verifying.verifications import Verification
from data.generators.lab import Lab
from data.store import Store
from data.task import Task
from study import trajectories
from study.episode import EpisodeEngine

WROTE = "wrote"
"""The part of somebody in a task who made it (`task_people`)."""


def open_to(store: Store, study_id: str | None) -> list[Verification]:
    """The open verifications to which somebody can hand in, the newest first: those of their study, or all (None)."""
    return store.rows(
        "SELECT * FROM verifications WHERE state = 'open' AND (? IS NULL OR study_id = ?) ORDER BY created_at DESC, rowid DESC",
        Verification,
        [study_id, study_id],
    )


def begin_recording(engine: EpisodeEngine, kept: Kept) -> str:
    """Play the draft as it stands, to record its way; returns the episode.

    Raises:
        BadDraft: it makes no task yet.
        NotReady: something is missing.
    """
    store = engine.store
    # why one view does not suffice can be said later
    if why := missing(kept.draft, twin=True):
        raise NotReady(" ".join(why))
    task = proving.rehearsed(kept)
    with store.atomic():
        store.put_task(task)
        episode = recorder.begin(engine, task.content_hash, kept.staff_id)
        drafts.records(store, kept.draft_id, kept.staff_id, episode)
    return episode


def keep_way(engine: EpisodeEngine, kept: Kept, says: str) -> None:
    """Take what was recorded as the draft's way; it is played once more and must end at the same picture.

    Raises:
        Unusable: it cannot be; the message says why.
        NotReady: nothing is recorded.
    """
    store = engine.store
    if kept.episode_id is None:
        raise NotReady("Nothing is recorded yet.")
    used = recorder.use(engine, kept.episode_id, kept.staff_id, says)
    with store.atomic():
        drafts.change(store, kept.draft_id, kept.staff_id, path=used.actions, path_starts=used.phase_starts)
        drafts.records(store, kept.draft_id, kept.staff_id, None)


def drop_recording(engine: EpisodeEngine, kept: Kept) -> None:
    """Put the recording that is under way aside."""
    if kept.episode_id is not None:
        recorder.drop(engine, kept.episode_id, kept.staff_id)
        drafts.records(engine.store, kept.draft_id, kept.staff_id, None)


def hand_in(store: Store, lab: Lab, kept: Kept, verification_id: str) -> list[Task]:
    """Make tasks of a draft and its twin, and put them before the people of a verification.

    Args:
        store: the database.
        lab: a simulator, in which both are checked once more.
        kept: the draft.
        verification_id: where they are verified.

    Returns:
        The tasks.

    Raises:
        NotReady: a check finds something; the message says what. Nothing is kept of the tasks, everything of the drafts.
        UnknownVerification, Closed: there is no such verification, or it is over.
        DraftChanged: it was changed while it was checked.
    """
    verifications.get(store, verification_id)
    twin = drafts.twin_of(store, kept)
    pair = [(kept, twin)] if twin is None else [(kept, twin), (twin, kept)]
    made: list[tuple[Kept, Task]] = []
    for one, other in pair:
        proof = proving.prove(lab, one, other)
        beside = [] if one.draft.reason.strip() else [f.text for f in proof.found if not f.stops]
        if wrong := [*proof.stops, *beside]:
            raise NotReady(f"{one.name}: {' '.join(wrong)}")
        made.append((one, proving.settled(lab, proving.finished(one, other))))
    with store.atomic():
        for one, task in made:
            _keep(store, one, task, verification_id)
    return [task for _, task in made]


def _keep(store: Store, kept: Kept, task: Task, verification_id: str) -> None:
    """One task with its author, as a thing that waits for its evidence and then for people."""
    store.put_task(task)
    drafts.handed_in(store, kept, task)
    for part in (WROTE, trajectories.RECORDED):
        trajectories.took_part(store, task.content_hash, kept.staff_id, part)
    told = {"draft": kept.draft_id, "task": task.content_hash, "verification": verification_id}
    store.event("task_authored", told, actor=kept.staff_id)
    items.add(store, verification_id, [task.content_hash], actor=kept.staff_id)
