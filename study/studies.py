"""A study: which tasks, for how many people, under which protocol, with which texts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal
from weakref import WeakKeyDictionary

from pydantic import BaseModel, ConfigDict, Field, field_validator

from data.store import Store, new_id, now
from study import slots, trajectories
from study.breaks import Breaks
from study.checks.settings import Checks
from study.dispute_rule import DisputeRule
from study.errors import StudyError, WrongParadigm
from study.ethics import EthicsRecord
from study.exclusions import Exclusions
from study.fits import check_some_fit, fits
from study.forms.form import Form
from study.forms.ready import check_names, read_forms
from study.paradigms import check_fit, paradigm
from study.paradigms.paradigm import Paradigm
from study.paying import Pay
from study.protocol import Protocol, as_kept
from study.returning import Returns
from study.states import MODE_OF
from study.tutorial.plan import choose
from study.tutorial.settings import Tutorial
from study.wording import UnknownLanguage, wording


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
    state: Literal["draft", "pilot", "live", "closed"] = "draft"
    version: int = Field(default=0, ge=0)
    """Which published version this is; 0: none, it is being edited."""
    protocol: Protocol = Protocol()
    paradigms: tuple[str, ...] = ()
    """How its tasks are met: each task in each of these, no person one task in two. Empty: in the protocol's."""
    tasks: tuple[str, ...] = ()
    """Content hashes."""
    per_task: int | None = Field(default=None, ge=1)
    """Places per task and paradigm; None: as many as people come."""
    trials: int = Field(default=6, ge=1)
    """Tasks per participant and session."""
    sessions: int = Field(default=1, ge=1, le=50)
    """Sessions per participant; who has done one comes back for the next by the same link."""
    min_hours_between_sessions: float | None = Field(default=None, gt=0)
    """How long after one session the next can be begun; None: at once."""
    session_minutes: float | None = Field(default=None, gt=0, le=1440)
    """Minutes at tasks that a session may take (`study.clocks`); then the task that is open is timed out and the session is over, with all
    that was answered. Who has done so in their last session has finished. The least number of categories comes first in such a session.
    None: no limit."""
    min_categories: int | None = Field(default=None, ge=1)
    """Least number of categories that everybody who completes has met, where no session's time was up before; None: six (ESI-Bench App. E),
    or as many as there are."""
    planned_people: int | None = Field(default=None, ge=1)
    """How many people are to take part: for the preview of size and power. It turns nobody away."""
    no_probe_percent: int = Field(default=0, ge=0, le=90)
    """So many of a hundred people, drawn, are never asked for their current answer on the way: whether asking changes what people do is
    then measured (measurement 11). Their episodes say so (`belief_bar`)."""
    hold_minutes: int | None = Field(default=120, ge=1)
    """A task in which nothing has happened for so long is timed out when the next person asks for one; None: it is kept for ever. Two hours
    are long enough for a meal, and a study with few places does not wait for people who have gone."""
    practice_task: str | None = None
    """Content hash (for a command: or id) of the practice task; it gives feedback and does not count. It is met in the first paradigm."""
    language: str = "en"
    """Language of all that its participants read (a BCP 47 tag, see `study.wordings`); its own texts and its tasks' questions are in it."""
    welcome: str = ""
    """Text of the first page (plain text; blank lines part paragraphs)."""
    instructions: str = ""
    """Text before the tasks; empty: as the program says it. No hint at what makes tasks hard, no word of the answer (measurement 5)."""
    consent: str = ""
    """Consent text."""
    consent_version: str = "1"
    """Kept beside each consent."""
    thanks: str = ""
    """Text of the last page, below its title “Thank you”."""
    stopping: str = ""
    """What stopping early means for the payment; read where somebody is about to stop."""
    debriefing: str = ""
    """What people read about the study when they have come to an end, above their code; which of them: `Returns.debriefed`."""
    contact: str = ""
    """Whom participants may ask: name, and an address or a number. It stands on every page of theirs."""
    returns: Returns = Returns()
    """Completion codes and return links."""
    pay: Pay = Pay()
    """What people are paid."""
    exclusions: Exclusions = Exclusions()
    """Rules that leave answers out of figures."""
    disputes: DisputeRule = DisputeRule()
    """When answers dispute a gold answer by themselves."""
    kiosk: bool = False
    """Its people come one after the other to the same computer. Each link then begins with a new person, who sees nothing of the one
    before; they are marked as having used a shared computer."""
    qa_project: str | None = None
    """Multi-view QA: the project whose items are asked. Who made, changed or reviewed an item of it may not take part."""
    recruitment: Recruitment | None = None
    ethics: EthicsRecord | None = None
    """Who decided that the study may be done, and what its people were promised; without it no people are let in (measurement 29)."""
    checks: Checks = Checks()
    """Checks of screen and eyes before the tasks."""
    breaks: Breaks = Breaks()
    """Breaks that are offered between tasks."""
    tutorial: Tutorial | None = None
    """Worked examples before the first task, in place of `practice_task`; None: there are none."""
    forms: tuple[Form, ...] = ()
    """Questionnaires: whole ones, or the names of ready ones (`vantage study forms`), which stand for their whole text."""
    seed: int = 0
    """Decides the order of tasks within a category."""

    @field_validator("paradigms")
    @classmethod
    def _each_once(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(names)) < len(names):
            raise ValueError(f"a paradigm stands twice in {', '.join(names)}: name each once")
        return names

    @field_validator("language")
    @classmethod
    def _spoken(cls, language: str) -> str:
        try:
            return wording(language).language
        except UnknownLanguage as error:
            raise ValueError(str(error)) from None

    @field_validator("forms", mode="before")
    @classmethod
    def _ready(cls, forms: object) -> object:
        return read_forms(forms)

    @field_validator("forms")
    @classmethod
    def _own_names(cls, forms: tuple[Form, ...]) -> tuple[Form, ...]:
        return check_names(forms)

    @property
    def every_form(self) -> tuple[Form, ...]:
        """All that is asked beside the tasks, in the order in which it is declared."""
        return (*self.forms, *self.checks.forms)

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
        WrongParadigm: one of the study's paradigms can show none of its tasks.
    """
    study = Study.model_validate({"study_id": new_id("st"), "name": name} | fields)
    with store.atomic():
        check_study(store, study)
        store.insert(
            "studies",
            {"study_id": study.study_id, "name": name, "state": study.state, "document": study.model_dump_json(), "created_at": now()},
        )
        store.event("study_created", study.model_dump(mode="json"), study_id=study.study_id)
        if study.state == "draft":
            lay_out(store, study, MODE_OF[study.state])
        else:
            publish(store, study.study_id)
    return get_study(store, study.study_id)


def check_study(store: Store, study: Study) -> None:
    """Whether each of its paradigms can show some of its tasks. Those that it cannot show get no place in it (`study.fits`).

    Raises:
        WrongParadigm: one can show none or lacks the paradigm of its partners, or the practice task cannot be met; the message says why.
    """
    check_some_fit(fits(store, study.tasks, study.ways, study.language))
    names = [way.name for way in study.ways]
    for way in study.ways:
        if way.partner and way.partner not in names:
            raise WrongParadigm(
                f"The paradigm {way.name} shows what people saw in the paradigm {way.partner}, which this study has not: add it, or leave "
                f"{way.name} out."
            )
    if study.practice_task is not None:
        check_fit(trajectories.known(store, store.get_task(study.practice_task)), study.ways[0].name)
    for example in study.tutorial.examples if study.tutorial else ():
        check_fit(trajectories.known(store, store.get_task(example.task)), example.paradigm)


def being_edited(store: Store, study_id: str) -> Study:
    """The study as it is being edited: the text for the next version, or the published one where nothing has been changed since.

    Raises:
        UnknownStudy: there is none.
    """
    row = store.one("SELECT state, version, coalesce(draft, document) AS document FROM studies WHERE study_id = ?", [study_id])
    if row is None:
        raise UnknownStudy(f"There is no study {study_id[:40]!r} here.")
    return _read(row, row["state"], row["version"])


def revise(store: Store, study_id: str, *, actor: str = "", **fields: object) -> Study:
    """Change what is being edited. The published versions stay as they are, and nobody who takes part notices.

    Args:
        store: the database.
        study_id: the study.
        actor: who changes it.
        **fields: any field of `Study` but its id, state and version.

    Returns:
        The study as it is being edited then.

    Raises:
        UnknownStudy: there is none.
        ValidationError: a field has a value that it cannot have.
    """
    with store.atomic() as db:
        study = being_edited(store, study_id)
        kept = {"study_id": study.study_id, "state": study.state, "version": study.version}
        changed = Study.model_validate(study.model_dump(mode="json") | fields | kept)
        if changed == study:
            return study
        text = changed.model_dump_json()
        if not study.version:
            db.execute("UPDATE studies SET document = ?, name = ?, edited = edited + 1 WHERE study_id = ?", [text, changed.name, study_id])
        else:
            # as it was published there is nothing left to publish
            draft = None if changed == get_study(store, study_id) else text
            db.execute("UPDATE studies SET draft = ?, edited = edited + 1 WHERE study_id = ?", [draft, study_id])
        told = {name: changed.model_dump(mode="json")[name] for name in fields if name != "tasks"}
        store.event("study_edited", {"fields": sorted(fields), "to": told, "tasks": len(changed.tasks)}, actor=actor, study_id=study_id)
    return changed


def publish(store: Store, study_id: str, *, actor: str = "", note: str = "") -> Study:
    """Freeze what is being edited as the next version. Whoever comes from now on takes part in it; whoever has come goes on in theirs.
    Publishing what has not changed is no new version.

    Returns:
        The published study.

    Raises:
        UnknownStudy: there is none.
        WrongParadigm: one of its paradigms can show none of its tasks.
    """
    with store.atomic() as db:
        study = being_edited(store, study_id)
        edited = store.one("SELECT draft IS NOT NULL AS yes FROM studies WHERE study_id = ?", [study_id])
        if study.version and not (edited and edited["yes"]):
            return study
        check_study(store, study)
        if study.tutorial is not None and not study.tutorial.examples:
            chosen = study.tutorial.model_copy(update={"examples": choose(store, study.tasks, study.ways)})
            study = study.model_copy(update={"tutorial": chosen})
        study = study.model_copy(update={"checks": study.checks.decided(map(store.get_task, study.tasks))})
        study = study.model_copy(update={"version": study.version + 1})
        text = study.model_dump_json()
        row = {"study_id": study_id, "version": study.version, "document": text, "sha256": hashlib.sha256(text.encode()).hexdigest()}
        store.insert("study_versions", row | {"actor": actor, "note": note, "published_at": now()})
        db.execute(
            "UPDATE studies SET version = ?, document = ?, name = ?, draft = NULL, edited = edited + 1 WHERE study_id = ?",
            [study.version, text, study.name, study_id],
        )
        told = {"version": study.version, "sha256": row["sha256"], "note": note}
        store.event("study_published", told, actor=actor, study_id=study_id)
        lay_out(store, study, MODE_OF[study.state])
    return study


def lay_out(store: Store, study: Study, mode: str) -> None:
    """Make the places of a kind of run that the study wants and that are not there; close the free ones that it does not want any more.
    A place is a task in a paradigm that can show it: one that cannot exist is not made.

    A study without a number of places makes them as people come.
    """
    if study.per_task is None:
        return
    with store.atomic():
        counted = store.query(
            "SELECT task_hash, paradigm, count(*) AS n FROM slots WHERE study_id = ? AND mode = ? AND practice = 0 "
            "AND state IN ('free', 'held', 'completed') GROUP BY task_hash, paradigm",
            [study.study_id, mode],
        )
        there = {(row["task_hash"], row["paradigm"]): row["n"] for row in counted}
        found = fits(store, study.tasks, study.ways, study.language)
        wanted = {(content_hash, one.paradigm): study.per_task for one in found for content_hash in one.fit}
        missing = [key for key, places in wanted.items() for _ in range(places - there.get(key, 0))]
        slots.add_all(store, study.study_id, missing, mode=mode, version=study.version)
        for (content_hash, way_name), places in there.items():
            for _ in range(places - wanted.get((content_hash, way_name), 0)):
                free = store.one(
                    "SELECT slot_id FROM slots WHERE study_id = ? AND mode = ? AND practice = 0 AND state = 'free' "
                    "AND claimed_by IS NULL AND task_hash = ? AND paradigm = ? LIMIT 1",
                    [study.study_id, mode, content_hash, way_name],
                )
                if free is not None:
                    slots.move(store, free["slot_id"], "close")


def get_study(store: Store, study_id: str, version: int | None = None) -> Study:
    """The study.

    Args:
        store: the database.
        study_id: its id.
        version: as it was published then; None or 0: as it is published now, or being edited where it never was.

    Raises:
        UnknownStudy: there is none, or no such version.
    """
    row = store.one("SELECT state, version, edited FROM studies WHERE study_id = ?", [study_id])
    if row is None:
        raise UnknownStudy(f"There is no study {study_id[:40]!r} here.")
    version = version or row["version"]
    kept = _READ.setdefault(store, {})
    # A published version never changes, and it may list a hundred thousand tasks: it is read once.
    key = (study_id, version, 0 if version else row["edited"])
    if key not in kept:
        sql = "SELECT document FROM study_versions WHERE study_id = ? AND version = ?"
        written = (
            store.one(sql, [study_id, version]) if version else store.one("SELECT document FROM studies WHERE study_id = ?", [study_id])
        )
        if written is None:
            raise UnknownStudy(f"The study {study_id[:40]!r} has no version {version}; the newest is {row['version']}.")
        kept[key] = _read(written, row["state"], version)
    return kept[key].model_copy(update={"state": row["state"]})


def published(store: Store, study_id: str, version: int) -> Study:
    """The settings of a study as `get_study` has them, but not its state now: a version that was published is read once, however often
    it is asked for.

    Raises:
        UnknownStudy: there is none, or no such version.
    """
    known = _READ.get(store, {}).get((study_id, version, 0)) if version else None
    return known or get_study(store, study_id, version)


def _read(written: Mapping[str, Any], state: str, version: int) -> Study:
    document = json.loads(written["document"])
    return Study.model_validate(document | {"protocol": as_kept(document["protocol"]), "state": state, "version": version})


_READ: WeakKeyDictionary[Store, dict[tuple[str, int, int], Study]] = WeakKeyDictionary()
"""Store → (study, version, edits of one that was never published) → the study as it was written; its state is read anew each time."""


def list_studies(store: Store) -> list[Study]:
    """All studies that are not put away, oldest first."""
    rows = store.query("SELECT study_id FROM studies WHERE archived_at IS NULL ORDER BY created_at, study_id")
    return [get_study(store, row["study_id"]) for row in rows]


def set_study_state(store: Store, study_id: str, state: str, *, actor: str = "") -> None:
    """Give a study another state; `study.admission.move_study` asks first whether it may have it."""
    with store.atomic() as db:
        study = get_study(store, study_id)
        db.execute("UPDATE studies SET state = ? WHERE study_id = ?", [state, study_id])
        store.event("study_state", {"state": state}, actor=actor, study_id=study_id)
        if state in ("pilot", "live"):
            if study.version == 0:
                publish(store, study_id, actor=actor)
            lay_out(store, get_study(store, study_id), MODE_OF[state])
