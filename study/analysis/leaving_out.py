"""Which trials declared rules leave out (`study.exclusions`). Every figure exists with and without them (measurement 17).

The rules of a trial are those of the version of the study in which its person takes part, so a rule that was added later leaves out nobody
who had come before. A rejected answer is left out whatever is declared.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from data.store import Store
from study.exclusions import Exclusions
from study.forms import answers
from study.studies import Study, UnknownStudy, get_study

REJECTED = "rejected"
RULES: Mapping[str, str] = {
    REJECTED: "A researcher did not accept the answer; the log has the reason.",
    "attention_missed": "The person missed too many attention checks.",
    "comprehension_failed": "The person did not pass a comprehension check.",
    "checks_missed": "The person did not pass a check of screen or eyes.",
    "stopped": "The person ended early.",
    "clipped": "The camera was inside a wall or a thing.",
}
"""Rule → what it says, for figures and reports."""
_CLIPPED = "clipped"


class _Person(msgspec.Struct, frozen=True):
    participant_id: str
    study_id: str
    version: int
    state: str


def declared(store: Store, study_id: str | None, version: int) -> Exclusions:
    """The rules of a version of a study; none without a study, or where that version was never published."""
    try:
        return Exclusions() if study_id is None else get_study(store, study_id, version).exclusions
    except UnknownStudy:
        # what models and programs did before the first version was published
        return Exclusions()


def rules_of(rules: Exclusions, of_person: Collection[str], state: str, flags: Collection[str]) -> tuple[str, ...]:
    """The rules that leave an episode out, in the order of `RULES`; empty: none.

    Args:
        rules: those declared.
        of_person: rules that leave out everything of its person (`of_person`).
        state: of the episode.
        flags: of the episode.
    """
    held = set(of_person)
    if state == REJECTED:
        held.add(REJECTED)
    if rules.clipped and _CLIPPED in flags:
        held.add("clipped")
    return tuple(name for name in RULES if name in held)


def of_person(store: Store, participant_id: str | None) -> tuple[str, ...]:
    """The rules that leave out everything of a person; empty: none, or it is no person."""
    if participant_id is None:
        return ()
    person = store.row("SELECT * FROM participants WHERE participant_id = ?", _Person, [participant_id])
    if person is None:
        return ()
    study = get_study(store, person.study_id, person.version)
    return _missed(store, person, study) if study.exclusions.any else ()


def _missed(store: Store, person: _Person, study: Study) -> tuple[str, ...]:
    rules, when = study.exclusions, {form.name: form.when for form in study.every_form}
    sent = [one for one in answers.showings_of(store, person.participant_id) if one.sent_at]
    # of a form that was sent more than once the last counts, but each attention check counts by itself
    last = {one.form: one.passed for one in sent}
    missed = sum(one.passed is False for one in sent if when.get(one.form) == "attention")
    found = {
        "attention_missed": rules.attention_missed is not None and missed >= rules.attention_missed,
        "comprehension_failed": rules.comprehension_failed and _failed(last, when, "comprehension"),
        "checks_missed": rules.checks_missed and _failed(last, when, "check"),
        "stopped": rules.stopped and person.state == "stopped",
    }
    return tuple(name for name, left_out in found.items() if left_out)


def _failed(last: Mapping[str, bool | None], when: Mapping[str, str], moment: str) -> bool:
    return any(passed is False for form, passed in last.items() if when.get(form) == moment)
