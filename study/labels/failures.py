"""Failure modes: a code book that one can edit, and which codes a failed trajectory has (ESI-Bench, §4.2, §4.4, App. I, L, N, P)."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from data.store import Store, now
from study.labels.shown import NotLabelled, trajectories


class Code(msgspec.Struct, frozen=True):
    """A row of `failure_codes`."""

    code: str
    label: str
    about: str
    source: str
    """Where it comes from: a section of the paper; empty: somebody's own."""
    retired_at: str | None = None
    """From when on it is offered no more; what was coded with it stays."""


PAPER: tuple[Code, ...] = (
    Code("action_blindness", "Action blindness", "The right views would have sufficed; the chosen actions never brought them.", "§1, §4.2"),
    Code("perceptual_ceiling", "Perceptual ceiling", "Wrong although the right view was seen (shapes, mirrors).", "§4.2"),
    Code("failure_cascade", "Failure cascade", "A bad action gives a bad view, which leads to a worse action, beyond repair.", "§4.2"),
    Code("premature_commitment", "Premature commitment", "Stops after few steps although the evidence is ambiguous.", "§4.4"),
    Code("overconfidence", "Overconfidence", "High confidence, whatever the evidence.", "§4.4"),
    Code("spatial_hallucination", "Spatial hallucination", "States something that contradicts the scene.", "§4.4"),
    Code("directional_bias", "Directional bias", "Repeats one direction; the views are redundant.", "§4.4"),
    Code("confirmation_seeking", "Confirmation seeking", "Moves only to confirm the first guess.", "§4.4"),
    Code("anchoring", "Anchoring", "Keeps the first answer against views that speak against it.", "§4.4"),
    Code("mirror_hallucination", "Mirror hallucination", "Sees things in the mirror that are not there.", "§4.2"),
    Code("mirror_correspondence", "Mirror correspondence error", "Matches what is mirrored with the wrong real thing.", "Fig. 8"),
    Code("merged_perception", "Merged perception", "Dense things fuse over several views, and are counted as fewer.", "Fig. 8"),
    Code("invalid_action", "Invalid action", "Output that is no action, twice: the step is lost.", "App. N"),
    Code("failed_execution", "Failed execution", "An action that fails physically: out of reach, a wrong container.", "App. N"),
    Code("object_duplication", "Object duplication", "One object is rebuilt as several: counted too high.", "Table 9"),
    Code("object_hallucination", "Object hallucination", "Objects that are not there.", "Table 9"),
    Code("relation_corruption", "Spatial-relation corruption", "Wrong depth distorts position, contact or nearness.", "Table 9"),
    Code("random_views", "Random view selection", "The view that would tell is missed among given ones.", "Table 12"),
    Code("image_overload", "Image overload", "Useful views are diluted by many others.", "Table 12"),
    Code("no_action_grounding", "No action grounding", "Views are not tied to own moves.", "Table 12"),
    Code("conflicting_evidence", "Conflicting evidence", "Partial views contradict each other.", "Table 12"),
    Code("over_exploration", "Over-exploration", "Repeats, contradictions and drift: late commitment.", "App. P"),
)  # fmt: skip
"""The papers' modes, in our words: what a code book starts with."""


class FailureLabel(msgspec.Struct, frozen=True):
    """A row of `failure_labels`."""

    episode_id: str
    coder: str
    code: str
    note: str
    at: str


def book(store: Store, *, retired: bool = False) -> list[Code]:
    """The code book; the papers' codes where nobody has changed anything yet.

    Args:
        store: the database.
        retired: with those that are offered no more.
    """
    kept = {code.code: code for code in store.rows("SELECT * FROM failure_codes ORDER BY rowid", Code)}
    every = {code.code: code for code in PAPER} | kept
    return [code for code in every.values() if retired or code.retired_at is None]


def write(store: Store, code: str, label: str, about: str, *, actor: str) -> Code:
    """Write a code, new or changed.

    Raises:
        NotLabelled: its name is none, or words are missing.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]{1,39}", code):
        raise NotLabelled(f"A code's name has 2 to 40 small letters, digits and _ and begins with a letter; got {code[:60]!r}.")
    if not label.strip() or not about.strip():
        raise NotLabelled("A code needs a label and a sentence that says when it is given.")
    before = {each.code: each for each in book(store, retired=True)}.get(code)
    made = Code(code, label.strip()[:120], about.strip()[:1000], before.source if before else "")
    _keep(store, made, actor, "failure_code_written")
    return made


def retire(store: Store, code: str, *, actor: str) -> None:
    """Offer a code no more; what was coded with it stays.

    Raises:
        NotLabelled: there is none.
    """
    _keep(store, msgspec.structs.replace(_code(store, code), retired_at=now()), actor, "failure_code_retired")


def put(store: Store, study_id: str, episode_id: str, coder: str, codes: Sequence[str], note: str = "") -> None:
    """Say which failure modes a failed trajectory shows; what the same coder said before is replaced, and stays in the events.

    Raises:
        NotLabelled: it did not fail or is not of this study, or a code is not offered.
    """
    if not trajectories(store, study_id, outcome="wrong", only=episode_id):
        raise NotLabelled("Failure modes are coded of trajectories that ended with a wrong answer or none: this is none of them.")
    offered = {each.code for each in book(store)}
    if unknown := [code for code in codes if code not in offered]:
        raise NotLabelled(f"The code book has no {', '.join(unknown)}: write it first, or choose another.")
    with store.atomic() as db:
        at = now()
        db.execute("DELETE FROM failure_labels WHERE episode_id = ? AND coder = ?", [episode_id, coder])
        for code in dict.fromkeys(codes):
            _keep_in_table(store, code)
            row = FailureLabel(episode_id, coder, code, note.strip()[:2000], at)
            store.insert("failure_labels", msgspec.structs.asdict(row))
        told = {"codes": list(dict.fromkeys(codes)), "note": note.strip()[:2000]}
        store.event("failure_labelled", told, at=at, actor=coder, study_id=study_id, episode_id=episode_id)


def of_coder(store: Store, episode_id: str, coder: str) -> list[FailureLabel]:
    """What a coder said of a trajectory."""
    return store.rows("SELECT * FROM failure_labels WHERE episode_id = ? AND coder = ? ORDER BY code", FailureLabel, [episode_id, coder])


def _code(store: Store, code: str) -> Code:
    for found in book(store, retired=True):
        if found.code == code:
            return found
    raise NotLabelled(f"The code book has no {code[:60]!r}.")


def _keep_in_table(store: Store, code: str) -> None:
    """A paper's code that is used for the first time gets its row."""
    if store.one("SELECT 1 AS yes FROM failure_codes WHERE code = ?", [code]) is None:
        store.insert("failure_codes", msgspec.structs.asdict(_code(store, code)))


def _keep(store: Store, code: Code, actor: str, event: str) -> None:
    with store.atomic() as db:
        _ = db.execute(
            "INSERT INTO failure_codes (code, label, about, source, retired_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (code) DO UPDATE SET "
            "label = excluded.label, about = excluded.about, retired_at = excluded.retired_at",
            list(msgspec.structs.astuple(code)),
        )
        store.event(event, msgspec.structs.asdict(code), actor=actor)
