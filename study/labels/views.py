"""Views: what each observation adds, and whether a belief changes (ESI-Bench, App. K; measurement 21).

A view is judged against the observation before it. ``redundant``: it adds nothing. ``confirmatory``: it speaks for what was thought.
``contrastive``: it tells rival answers apart, or speaks against what was thought. Two coders at least judge a trajectory; what programs
estimate is never merged with it.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from data.store import Store, now
from study.labels.shown import NotLabelled, known
from study.steps import steps_of

LABELS: Mapping[str, str] = {
    "redundant": "It adds nothing to the view before it.",
    "confirmatory": "It speaks for what was thought.",
    "contrastive": "It tells rival answers apart, or speaks against what was thought.",
}
"""Label of a view → when it is given."""
BELIEFS: Mapping[str, str] = {"": "Not judged", "kept": "The belief stays", "changed": "The belief changes"}
"""What becomes of the belief at a view → in words."""
CODERS = 2
"""So many people judge a trajectory before a rate is told of it."""


class ViewLabel(msgspec.Struct, frozen=True):
    """A row of `view_labels`."""

    episode_id: str
    coder: str
    seq: int
    label: str
    belief: str
    at: str


def of_coder(store: Store, episode_id: str, coder: str) -> dict[int, ViewLabel]:
    """What a coder said: step → label."""
    rows = store.rows("SELECT * FROM view_labels WHERE episode_id = ? AND coder = ? ORDER BY seq", ViewLabel, [episode_id, coder])
    return {row.seq: row for row in rows}


def put(store: Store, study_id: str, episode_id: str, coder: str, seq: int, label: str, belief: str = "") -> None:
    """Label a view; what the same coder said before is replaced, and stays in the events.

    Raises:
        NotLabelled: there is no such label or view; the first view has none before it.
    """
    known(store, study_id, episode_id)
    if label not in LABELS or belief not in BELIEFS:
        raise NotLabelled(f"A view is {', '.join(LABELS)}, and its belief kept or changed; got {label!r} and {belief!r}.")
    if seq not in {step.seq for step in steps_of(store, episode_id) if step.seq}:
        raise NotLabelled("The first view has none before it, so it has no label: choose a later one.")
    with store.atomic() as db:
        db.execute(
            "INSERT INTO view_labels (episode_id, coder, seq, label, belief, at) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (episode_id, coder, seq) DO UPDATE SET label = excluded.label, belief = excluded.belief, at = excluded.at",
            [episode_id, coder, seq, label, belief, now()],
        )
        told = {"step": seq, "label": label, "belief": belief}
        store.event("view_labelled", told, actor=coder, study_id=study_id, episode_id=episode_id)


def next_of(store: Store, study_id: str, coder: str, episodes: list[str]) -> str | None:
    """The first of these trajectories of which this coder has not labelled every view; None: all are done."""
    rows = store.query(
        "SELECT e.episode_id, e.last_seq, (SELECT count(*) FROM view_labels v WHERE v.episode_id = e.episode_id AND v.coder = ?) AS done "
        "FROM episodes e WHERE e.study_id = ? AND e.episode_id IN (SELECT value FROM json_each(?))",
        [coder, study_id, msgspec.json.encode(episodes).decode()],
    )
    left = {row["episode_id"] for row in rows if row["done"] < row["last_seq"]}
    return next((episode for episode in episodes if episode in left), None)
