"""What a report says of where its figures come from: study, versions, protocol, seeds, plans and what departed from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from data.plurals import number_of
from data.store import Store
from study.analysis.figures.figure import Choice
from study.analysis.trials import Trials
from study.plans import Plan, plans
from study.states import MODES_IN_WORDS
from study.studies import get_study
from study.versions import differences, versions

NO_PLAN = "No analysis and exclusion plan was locked, so nothing here can be told from what was decided after the data were seen."
TRUTHS = {
    "strict": "as it stands",
    "lenient": "as the released scorer has it",
    "coded": "by its code",
    "settled": "by the gold that settled a dispute, else as it stands",
}
"""By which reading an answer is right → in words (`study.analysis.trials.Truth`)."""


@dataclass(frozen=True)
class Section:
    """Facts under one heading: (what, which), and sentences."""

    title: str
    facts: Sequence[tuple[str, str]] = ()
    sentences: Sequence[str] = ()


def of_trials(trials: Trials, choice: Choice) -> Section:
    """Where the trials come from, and what of them is looked at."""
    left = sum(1 for row in trials.rows if row.excluded)
    rules = sorted({rule for row in trials.rows for rule in row.excluded})
    return Section(
        "What it is of",
        (
            ("Study", f"{trials.title or 'Without a name'} ({trials.study_id})"),
            ("Read from", trials.source),
            ("Read at", trials.read_at),
            ("Kind of run", MODES_IN_WORDS.get(trials.mode, trials.mode)),
            ("Published versions", ", ".join(map(str, trials.versions)) or "none"),
            ("People", f"{trials.people:,} came and did not withdraw; {trials.withdrawn:,} withdrew"),
            ("Trials", f"{len(trials.rows):,} ended; {number_of(trials.unfinished, 'is', 'are')} under way and in no figure"),
            ("Left out by declared rules", f"{left:,}" + (f" ({', '.join(rules)})" if rules else "")),
            ("Paradigms", ", ".join(choice.paradigms) or "all"),
            ("An answer is right", TRUTHS[choice.truth]),
            ("Seed of resampling and permutation", str(choice.seed)),
        ),
    )


def of_study(store: Store, study_id: str) -> list[Section]:
    """Protocol, plans, and deviations from them."""
    study = get_study(store, study_id)
    protocol = [(name.replace("_", " "), str(value)) for name, value in study.protocol.model_dump(mode="json").items()]
    locked = plans(store, study_id)
    told = [
        (f"Plan {plan.n}" + (f", {plan.name}" if plan.name else ""), f"SHA-256 {plan.sha256}, locked {plan.locked_at} while {plan.state}")
        for plan in locked
    ]
    seeds = (("Seed of the order of tasks", str(study.seed)), ("Tasks of each person", str(study.trials)))
    return [
        Section("Plan and deviations", told, deviations(store, study_id, locked)),
        Section("Protocol", [*seeds, *protocol]),
    ]


def deviations(store: Store, study_id: str, locked: Sequence[Plan]) -> list[str]:
    """What can be seen to depart from what was decided beforehand; the plan's own words have to be read beside it."""
    if not locked:
        return [NO_PLAN]
    found = [
        f"Plan {plan.n} was locked while the study was {plan.state}: it was not decided beforehand."
        for plan in locked
        if not plan.beforehand
    ]
    if len(locked) > 1:
        found.append(f"The plan was changed {len(locked) - 1} times: {len(locked)} are locked, and none is dropped.")
    later = [one for one in versions(store, study_id) if one.version > locked[0].version]
    for one in later:
        if one.version > 1:
            changed = differences(get_study(store, study_id, one.version - 1), get_study(store, study_id, one.version))
            told = "; ".join(f"{change.field}: {change.before or 'none'} → {change.after or 'none'}" for change in changed)
            found.append(
                f"Version {one.version} was published at {one.published_at}, after the plan was locked: {told or 'nothing changed'}."
            )
    return found or [
        "None can be seen from what was recorded: the plan was locked before the study went live, and no setting changed since."
    ]
