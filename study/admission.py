"""What there is to run: studies with their counts, invitations, keys of model agents. Secrets are not kept; people are in `study.people`.

What changes these is in `study.access` and `study.studies`.
"""

from __future__ import annotations

import msgspec

from data.store import Store, now
from study import access, agent_keys
from study.errors import BadTransition, StudyError
from study.readiness import check_ready
from study.states import LIVE, STUDY, after
from study.studies import Study, being_edited, get_study, publish, set_study_state

STATES_IN_WORDS = {
    "draft": "nobody comes in by a recruitment link; invitation links work, to try it out",
    "pilot": "as live, and what is done now counts as the pilot",
    "live": "people come in by invitation and recruitment links",
    "closed": "nobody new comes in; people who have begun can go on",
}
"""State of a study → what it means. The states and their events: `study.states.STUDY`."""


class NotFound(StudyError):
    """Nothing here has this id."""

    code = "unknown_id"


class StudyLine(msgspec.Struct, frozen=True):
    """One study in a list."""

    study_id: str
    name: str
    state: str
    created_at: str
    tasks: int
    participants: int
    """Who came to the study itself; those of a pilot, a preview or a dry run are not counted."""
    finished: int
    """Of them: have done all their tasks."""
    archived_at: str | None
    """Since when it is put away; None: it is not."""


class Invitation(msgspec.Struct, frozen=True):
    """One link, as far as it is kept."""

    invite_id: str
    role: str
    study_id: str
    label: str
    uses_left: int | None
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    came: int
    """Browsers that came in by it."""
    kiosk: bool
    """For a computer that several people use one after the other."""
    staff_id: str | None = None
    """Of staff: whose it is; None: nobody has come by it yet."""

    @property
    def state(self) -> str:
        """Whether it works, or why not."""
        if self.revoked_at is not None:
            return "revoked"
        if self.expires_at is not None and self.expires_at <= now():
            return "expired"
        return "used up" if self.uses_left is not None and self.uses_left < 1 else "open"


class Key(msgspec.Struct, frozen=True):
    """One model agent's key."""

    key_id: str
    study_id: str
    name: str
    created_at: str
    revoked_at: str | None
    episodes: int


def studies(store: Store, *, archived: bool = False) -> list[StudyLine]:
    """Studies, oldest first; those that are put away only where `archived`."""
    return store.rows(
        "SELECT s.study_id, s.name, s.state, s.created_at, s.archived_at, json_array_length(s.document, '$.tasks') AS tasks, "
        "(SELECT count(*) FROM participants p WHERE p.study_id = s.study_id AND p.mode = :live) AS participants, "
        "(SELECT count(*) FROM participants p WHERE p.study_id = s.study_id AND p.mode = :live AND p.state = 'finished') AS finished "
        "FROM studies s WHERE :archived OR s.archived_at IS NULL ORDER BY s.created_at, s.study_id",
        StudyLine,
        {"live": LIVE, "archived": archived},
    )


def invitations(store: Store, study_id: str | None = None, *, staff: bool = False) -> list[Invitation]:
    """Invitations, oldest first.

    Args:
        store: the database.
        study_id: of this study alone (``*``: those for all studies).
        staff: without those of participants.
    """
    return store.rows(
        "SELECT i.invite_id, i.role, i.study_id, i.label, i.uses_left, i.created_at, i.expires_at, i.revoked_at, i.kiosk, i.staff_id, "
        "(SELECT count(*) FROM grants g WHERE g.invite_id = i.invite_id) AS came FROM invites i "
        "WHERE (:study IS NULL OR i.study_id = :study) AND (NOT :staff OR i.role <> 'participant') ORDER BY i.created_at, i.rowid",
        Invitation,
        {"study": study_id, "staff": staff},
    )


def keys(store: Store, study_id: str) -> list[Key]:
    """Keys of model agents in a study, oldest first.

    Raises:
        UnknownStudy: there is none.
    """
    get_study(store, study_id)
    return store.rows(
        "SELECT k.key_id, k.study_id, k.name, k.created_at, k.revoked_at, (SELECT count(*) FROM episodes e WHERE e.study_id = k.study_id "
        "AND e.agent_kind = 'model' AND e.agent_name = k.name) AS episodes "
        "FROM agent_keys k WHERE k.study_id = ? ORDER BY k.created_at, k.key_id",
        Key,
        [study_id],
    )


def revoke(store: Store, name: str, *, actor: str) -> str:
    """Take back an invitation or a model agent's key, whichever has this id; twice is once.

    Returns:
        What was taken back, and what stays, as a sentence.

    Raises:
        NotFound: neither has this id.
    """
    if store.one("SELECT 1 AS yes FROM invites WHERE invite_id = ?", [name]):
        access.revoke_invite(store, name, actor=actor)
        return f"The invitation {name} lets nobody in any more. Who came in by it before keeps their access."
    if store.one("SELECT 1 AS yes FROM agent_keys WHERE key_id = ?", [name]):
        agent_keys.revoke(store, name, actor=actor)
        return f"The key {name} does not work any more. What its model did is kept."
    raise NotFound(
        f"No invitation and no key has the id {name[:60]!r}. `vantage study show` lists those of a study, `vantage staff list` others."
    )


LETS_IN = ("pilot", "live")
"""States in which people come in, be it for a pilot: both need the ethics record."""


def move_study(store: Store, study_id: str, event: str, *, actor: str) -> str:
    """Pilot, open or close a study.

    Returns:
        Its new state, a key of `STATES_IN_WORDS`.

    Raises:
        UnknownStudy: there is none.
        BadTransition: it is open or closed already, or put away.
        NotReady: people would come in, and it lacks what that needs (its ethics record, say); the message says all of it.
    """
    with store.atomic():
        study = get_study(store, study_id)
        state = after(STUDY, study.state, event)
        if state in LETS_IN:
            if is_archived(store, study_id):
                raise BadTransition("This study is put away: take it back first (`vantage study archive --back`).")
            # one that was never published is published as it stands now
            check_ready(store, study, "publishing", "people")
        set_study_state(store, study_id, state, actor=actor)
    return state


def publish_study(store: Store, study_id: str, *, actor: str, note: str = "") -> Study:
    """Freeze what is being edited as the study's next version, if it is fit for that; where people can come in, also for them.

    Raises:
        UnknownStudy: there is none.
        NotReady: it lacks something; the message says all of it.
        WrongParadigm: one of its paradigms can show none of its tasks.
    """
    with store.atomic():
        study = being_edited(store, study_id)
        check_ready(store, study, "publishing", *(("people",) if study.state in LETS_IN else ()))
        return publish(store, study_id, actor=actor, note=note)


def is_archived(store: Store, study_id: str) -> bool:
    """Whether a study is put away."""
    row = store.one("SELECT archived_at FROM studies WHERE study_id = ?", [study_id])
    return row is not None and row["archived_at"] is not None


def archive(store: Store, study_id: str, *, actor: str, back: bool = False) -> None:
    """Put a study away: no list has it, and nobody new comes in. Everything in it is kept, and `back` undoes it (it is closed then).

    Raises:
        UnknownStudy: there is none.
        BadTransition: people can come in now: it has to be closed first.
    """
    with store.atomic() as db:
        study = get_study(store, study_id)
        if is_archived(store, study_id) is not back:
            return
        if not back and study.state in LETS_IN:
            raise BadTransition(f"This study is {study.state}, so people come in: close it first, then put it away.")
        if not back and study.state == "draft":
            set_study_state(store, study_id, after(STUDY, study.state, "close"), actor=actor)
        db.execute("UPDATE studies SET archived_at = ? WHERE study_id = ?", [None if back else now(), study_id])
        store.event("study_taken_back" if back else "study_archived", {}, actor=actor, study_id=study_id)
