"""What a study still lacks, as sentences: before it is published, before people come in, and what one should only know.

Another concern: a function and a line in `CHECKS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from data.plurals import number_of
from data.store import Store
from study import backends, clocks, frozen
from study.contents import contents
from study.errors import StudyError
from study.ethics import DEMONSTRATION, missing
from study.fits import Fit, fits, nowhere
from study.paradigms import paradigm
from study.rendering import pictures
from study.returning import OUTCOMES
from study.seats import CATEGORIES
from study.studies import Study, get_study, list_studies

Stops = Literal["", "publishing", "people"]
"""What a concern keeps from happening. ``publishing``: the study cannot be published; ``people``: it cannot be piloted or opened; empty:
nothing, one should know it."""


class NotReady(StudyError):
    """A study that cannot be published, piloted or opened yet; the message says what it lacks."""

    code = "not_ready"
    status = 409

    def __init__(self, message: str, lacks: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.lacks = lacks
        """What it lacks, sentence by sentence, for the page that can mend it."""


@dataclass(frozen=True)
class Concern:
    """One thing that a study lacks."""

    about: str
    """The section of the set-up in which it can be mended (`app.pages.setup` names them)."""
    says: str
    """A sentence: what, and what to do."""
    stops: Stops = ""
    command: str = ""
    """A sentence with the command that mends it, for whoever works by commands; empty: there is none of its own."""

    @property
    def in_full(self) -> str:
        """With the command."""
        return f"{self.says} {self.command}".strip()


@dataclass(frozen=True)
class Looked:
    """A study and what was read of it."""

    store: Store
    study: Study
    fits: tuple[Fit, ...]
    categories: tuple[str, ...]
    """Those of the tasks that have a place, sorted."""
    groups: int
    """How many of these tasks one person can meet at most: a task with its twins and versions is one."""


def look(store: Store, study: Study) -> Looked:
    """Read what the checks ask for."""
    found = fits(store, study.tasks, study.ways, study.language)
    placed = {content_hash for one in found for content_hash in one.fit}
    every = contents(store, study)
    categories = sorted({every.category[content_hash] for content_hash in placed})
    return Looked(store, study, found, tuple(categories), len({every.group[content_hash] for content_hash in placed}))


def concerns(store: Store, study: Study) -> tuple[Concern, ...]:
    """Everything that the study lacks, in the order of `CHECKS`."""
    looked = look(store, study)
    return tuple(concern for check in CHECKS for concern in check(looked))


def check_ready(store: Store, study: Study, *stops: Stops) -> None:
    """Refuse a study that lacks what one of `stops` needs.

    Raises:
        NotReady: it does; the message says everything that it lacks.
    """
    found = [concern for concern in concerns(store, study) if concern.stops in stops and concern.stops]
    if found:
        what = "people cannot be let in" if "people" in stops else "it cannot be published"
        told = " ".join(concern.in_full for concern in found)
        raise NotReady(
            f"{study.name.strip() or 'This study'} is not ready, so {what}. {told} The page Set-up and `vantage study edit` change it.",
            tuple(concern.says for concern in found),
        )


def _name(looked: Looked) -> Iterator[Concern]:
    if not looked.study.name.strip():
        yield Concern("name", "It has no name: give it one, which participants read on the first page.", stops="publishing")


def _tasks(looked: Looked) -> Iterator[Concern]:
    # the sets of a study of robot questions are drawn elsewhere
    if not looked.study.tasks and looked.study.qa_project is None:
        yield Concern("tasks", "It has no tasks yet: choose some.", stops="publishing")
    for task in nowhere(looked.fits)[:3]:
        yield Concern("tasks", f"{task.task_id} {task.why}: it has no place in any paradigm of this study, so nobody meets it.")
    if (more := len(nowhere(looked.fits)) - 3) > 0:
        yield Concern("tasks", f"{more} further tasks have no place either: see the paradigms.")


def _partners(looked: Looked) -> Iterator[Concern]:
    own = {way.name for way in looked.study.ways}
    for way in looked.study.ways:
        if way.partner and way.partner not in own:
            yield Concern(
                "paradigms", f"{way.called} shows what somebody saw in {paradigm(way.partner).called}, which is none of its paradigms: "
                f"add it, or leave {way.called} out.", stops="publishing",
            )  # fmt: skip


def _enough(looked: Looked) -> Iterator[Concern]:
    study, there = looked.study, len(looked.categories)
    if not study.tasks:
        return
    if study.min_categories is not None and study.min_categories > there:
        yield Concern(
            "places", f"Everybody is to meet {study.min_categories} categories, and its tasks are of {there}: add tasks, or ask for fewer.",
            stops="publishing",
        )  # fmt: skip
    each = study.trials * study.sessions
    if study.min_categories is not None and study.min_categories > each:
        yield Concern(
            "places", f"Everybody is to meet {study.min_categories} categories in {each} tasks: give more tasks each, or ask for fewer.",
            stops="publishing",
        )  # fmt: skip
    if each > looked.groups:
        yield Concern(
            "places", f"Everybody is to do {each} tasks, and one person can meet {looked.groups} (a task and its twin count once, and "
            "nobody meets a task twice): they are finished after those.",
        )  # fmt: skip


def _session_time(looked: Looked) -> Iterator[Concern]:
    """A session's time that may be up before somebody has met as many categories as whoever completes."""
    study = looked.study
    if study.session_minutes is None:
        return
    least = min(study.min_categories or CATEGORIES, study.trials, looked.groups, len(looked.categories))
    held, limit = clocks.tasks_held(study), study.protocol.time_limit_s
    if least < 2 or held >= least:
        return
    minutes = f"{study.session_minutes:g} minutes at tasks"
    if limit is None:
        sure, mend = f"A session is over after {minutes}, and a task has no time limit of its own", "Limit the time of a task too"
    else:
        sure = f"A session is over after {minutes}, which surely hold {held} tasks of {limit:g} seconds"
        mend = f"Give a session at least {math.ceil(least * max(limit + clocks.GRACE_S, clocks.LEAST_S) / 60)} minutes"
    if (most := math.floor(60 * study.session_minutes / least - clocks.GRACE_S)) + clocks.GRACE_S >= clocks.LEAST_S:
        mend += f", {'to' if limit is None else 'or a task'} at most {most} seconds"
    yield Concern(
        "protocol", f"{sure}: who takes long may then have met fewer than {least} categories, and has finished all the same. {mend}, or "
        "leave sessions without a limit.",
    )  # fmt: skip


def _ethics(looked: Looked) -> Iterator[Concern]:
    study = looked.study
    research = study.ethics is None or study.ethics.basis != DEMONSTRATION
    if lacking := missing(study.ethics):
        yield Concern("ethics", f"Its ethics record does not say {_listed(lacking)}.", stops="people")
    if not research:
        yield Concern("ethics", "Its ethics record says that it is a demonstration: what people do in it may not be used for research.")
    stops: Stops = "people" if research else ""
    if not study.consent.strip():
        yield Concern("texts", "It has no consent text: say what is recorded, by whom and for how long.", stops=stops)
    if research and not study.contact.strip():
        yield Concern("texts", "It does not say whom its people may ask: give a name and an address.", stops=stops)
    if research and not study.debriefing.strip():
        yield Concern("texts", "It has no debriefing: say what people are told afterwards.", stops=stops)


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])}, and {words[-1]}"


def _pictures(looked: Looked) -> Iterator[Concern]:
    for part in pictures(looked.store, looked.study):
        if part.missing:
            yield Concern(
                "pictures",
                f"{paradigm(part.paradigm).called} shows pictures of which {len(part.missing)} of {len(part.missing) + part.ready} sets "
                "are still to be rendered.",
                stops="people",
                command=f"`vantage study frames {looked.study.study_id}` renders them.",
            )


def _simulators(looked: Looked) -> Iterator[Concern]:
    """What is named for sources of which there is nothing, and pictures that another simulator rendered."""
    store, named = looked.store, backends.table(looked.study.protocol.backends)
    if not named:
        return
    sources = backends.sources(store, looked.study.tasks)
    for source in sorted(named.keys() - {*sources.values()}):
        yield Concern("simulators", f"A simulator is named for {source}, and the study has no tasks of it to simulate.")
    wanted = {task: named[source] for task, source in sources.items() if source in named}
    shown = {way.frozen for way in looked.study.ways if way.frozen}
    others = [one for one in frozen.firsts(store, wanted) if one.name in shown and one.backend not in ("", wanted[one.task_hash])]
    for by in sorted({one.backend for one in others}):
        of = {one.task_hash for one in others if one.backend == by}
        names = ", ".join(sorted({wanted[task] for task in of}))
        yield Concern(
            "simulators", f"Pictures of {number_of(len(of), 'task')} were rendered by {by} and stay as they are, and the study names "
            f"{names} for them: name {by}, or leave out the paradigms that show them.", stops="people",
        )  # fmt: skip


def _consent_version(looked: Looked) -> Iterator[Concern]:
    store, study = looked.store, looked.study
    if not study.consent.strip():
        return
    if not study.consent_version.strip():
        yield Concern(
            "texts", "The consent text has no version: give it one, which is kept with each person’s consent.", stops="publishing"
        )
        return
    for number in range(study.version, 0, -1):
        before = get_study(store, study.study_id, number)
        if before.consent_version == study.consent_version and before.consent.strip() and before.consent != study.consent:
            yield Concern(
                "texts",
                f"The consent text is another than in version {number} of the study, and its own version is still "
                f"“{study.consent_version}”: give it another, since it is kept with each person’s consent.",
                stops="publishing",
            )
            return


def _recruitment(looked: Looked) -> Iterator[Concern]:
    study, own = looked.study, looked.study.recruitment
    if own is not None and not own.external_study.strip():
        yield Concern(
            "returns", f"People are to come from {own.source or 'a platform'}, and its id of this study is not filled in: nobody would "
            "come in by its address.", stops="people",
        )  # fmt: skip
    others = [other for other in list_studies(looked.store) if other.study_id != study.study_id and other.state != "closed"]
    ours = (own.study_param, own.external_study) if own and own.external_study else None
    for state in ("live", "pilot", "draft"):
        # another study's name is nothing for whoever works in this one alone
        if any((r := other.recruitment) and (r.study_param, r.external_study) == ours for other in others if other.state == state):
            open_now = state != "draft"
            then = "whoever comes from the platform would go there" if open_now else "both cannot be open at a time"
            yield Concern(
                "returns", f"Another study here ({state}) has the same id of the platform: {then}. Give each study the id that the "
                "platform gave it, or close the other.", stops="people" if open_now else "",
            )  # fmt: skip
            break
    codes = {code for outcome in OUTCOMES if (code := study.returns.of(outcome.name).code)}
    theirs = {other.returns.of(outcome.name).code for other in others for outcome in OUTCOMES}
    if both := sorted(codes & theirs):
        yield Concern(
            "returns", f"Another study here has the code {', '.join(both)} too: who brings it could have done either. Give this study "
            "codes of its own.",
        )  # fmt: skip


CHECKS: tuple[Callable[[Looked], Iterator[Concern]], ...] = (
    _name, _tasks, _partners, _enough, _session_time, _simulators, _pictures, _ethics, _consent_version, _recruitment,
)  # fmt: skip
"""The registry: what is asked of a study."""
