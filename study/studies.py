"""A study: which tasks, for how many people, under which protocol, with which texts."""

from __future__ import annotations

import json
from typing import Literal
from weakref import WeakKeyDictionary

from pydantic import BaseModel, ConfigDict, Field, field_validator

from data.store import Store, new_id, now
from study import slots
from study.errors import StudyError, WrongParadigm
from study.paradigms import check_fit, paradigm
from study.paradigms.paradigm import Paradigm
from study.protocol import Protocol, as_kept


class UnknownStudy(StudyError):
    """There is no such study."""

    code = "unknown_study"


class Recruitment(BaseModel):
    """How a recruitment platform's address parameters are called (Prolific's by default)."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    source: str = "prolific"
    """The recruitment platform's name."""
    person_param: str = "PROLIFIC_PID"
    """How the address parameter with the person's id is called."""
    study_param: str = "STUDY_ID"
    """How the one with the platform's id of the study is called."""
    session_param: str = "SESSION_ID"
    """How the one with the id of the visit is called."""
    external_study: str = ""
    """The platform's own id of this study: visitors with this value in `study_param` belong here."""
    other_browser: Literal["take_over", "refuse"] = "take_over"
    """What happens when a known person comes in on another browser. The platform has signed them in, so by default they go on there and the
    earlier browser's access ends; or they are sent back to the earlier browser while its access lasts. Either is recorded."""


class Study(BaseModel):
    """One study. Tasks are content hashes; a changed task is another task."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    study_id: str
    name: str
    state: Literal["draft", "live", "closed"] = "draft"
    protocol: Protocol = Protocol()
    paradigms: tuple[str, ...] = ()
    """How its tasks are met: each task in each of these, no person one task in two. Empty: in the protocol's."""
    tasks: tuple[str, ...] = ()
    """Content hashes."""
    per_task: int | None = Field(default=None, ge=1)
    """Places per task and paradigm; None: as many as people come."""
    trials: int = Field(default=6, ge=1)
    """Tasks per participant."""
    hold_minutes: int | None = Field(default=120, ge=1)
    """A task in which nothing has happened for so long is timed out when the next person asks for one; None: it is kept for ever. Two hours
    are long enough for a meal, and a study with few places does not wait for people who have gone."""
    practice_task: str | None = None
    """Content hash (for a command: or id) of the practice task; it gives feedback and does not count. It is met in the first paradigm."""
    welcome: str = ""
    """Text of the first page (plain text; blank lines part paragraphs)."""
    consent: str = ""
    """Consent text."""
    consent_version: str = "1"
    """Kept beside each consent."""
    thanks: str = ""
    """Text of the last page, below its title “Thank you”."""
    stopping: str = ""
    """What stopping early means for the payment; read where somebody is about to stop."""
    kiosk: bool = False
    """Its people come one after the other to the same computer. Each link then begins with a new person, who sees nothing of the one
    before; they are marked as having used a shared computer."""
    qa_project: str | None = None
    """Multi-view QA: the project whose items are asked. Who made, changed or reviewed an item of it may not take part."""
    recruitment: Recruitment | None = None
    seed: int = 0
    """Decides the order of tasks within a category."""

    @field_validator("paradigms")
    @classmethod
    def _each_once(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(names)) < len(names):
            raise ValueError(f"a paradigm stands twice in {', '.join(names)}: name each once")
        return names

    @property
    def ways(self) -> tuple[Paradigm, ...]:
        """The paradigms of this study."""
        return tuple(paradigm(name) for name in self.paradigms or (self.protocol.paradigm,))


def protocol_in(study: Study, name: str | None = None) -> Protocol:
    """A study's protocol in one of its paradigms; None: the first.

    Raises:
        WrongParadigm: the study has no such paradigm.
    """
    own = [way.name for way in study.ways]
    if name is not None and name not in own:
        raise WrongParadigm(f"This study has no paradigm {name[:40]!r}. Use one of: {', '.join(own)}.")
    return study.protocol.model_copy(update={"paradigm": name or own[0]})


def create_study(store: Store, name: str, **fields: object) -> Study:
    """A new study with its slots (for `per_task` places; open-ended studies make slots as people come).

    Args:
        store: the database.
        name: shown to staff and participants.
        **fields: any field of `Study`.

    Returns:
        The study.

    Raises:
        WrongParadigm: a task cannot be met in one of the study's paradigms.
    """
    study = Study.model_validate({"study_id": new_id("st"), "name": name} | fields)
    with store.atomic():
        for way in study.ways:
            for content_hash in study.tasks:
                check_fit(store.get_task(content_hash), way.name)
        if study.practice_task is not None:
            check_fit(store.get_task(study.practice_task), study.ways[0].name)
        store.insert(
            "studies",
            {"study_id": study.study_id, "name": name, "state": study.state, "document": study.model_dump_json(), "created_at": now()},
        )
        store.event("study_created", study.model_dump(mode="json"), study_id=study.study_id)
        for content_hash in study.tasks:
            for way in study.ways:
                for _ in range(study.per_task or 0):
                    slots.add(store, study.study_id, content_hash, way.name)
    return study


def get_study(store: Store, study_id: str) -> Study:
    """The study.

    Raises:
        UnknownStudy: there is none.
    """
    row = store.one("SELECT state FROM studies WHERE study_id = ?", [study_id])
    if row is None:
        raise UnknownStudy(f"There is no study {study_id[:40]!r} here.")
    kept = _READ.setdefault(store, {})
    if study_id not in kept:
        # A document never changes (the database refuses it), and it may list a hundred thousand tasks: it is read once.
        written = store.one("SELECT document FROM studies WHERE study_id = ?", [study_id])
        assert written is not None
        document = json.loads(written["document"])
        kept[study_id] = Study.model_validate(document | {"protocol": as_kept(document["protocol"])})
    return kept[study_id].model_copy(update={"state": row["state"]})


_READ: WeakKeyDictionary[Store, dict[str, Study]] = WeakKeyDictionary()
"""Store → id → the study as it was written; its state is read anew each time."""


def list_studies(store: Store) -> list[Study]:
    """All studies, oldest first."""
    return [get_study(store, row["study_id"]) for row in store.query("SELECT study_id FROM studies ORDER BY created_at, study_id")]


def set_study_state(store: Store, study_id: str, state: str, *, actor: str = "") -> None:
    """Give a study another state; `study.admission.move_study` asks first whether it may have it."""
    with store.atomic() as db:
        get_study(store, study_id)
        db.execute("UPDATE studies SET state = ? WHERE study_id = ?", [state, study_id])
        store.event("study_state", {"state": state}, actor=actor, study_id=study_id)
