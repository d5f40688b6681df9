"""The welcome that a study has where it writes none of its own, and the instructions where there is something to try out before the tasks:
complete, short, and without a hint at what makes tasks hard (measurement 5)."""

from __future__ import annotations

from collections.abc import Callable

from study.studies import Study
from study.wording import say


def welcome_of(study: Study) -> str:
    """What is read first, before the consent: the study's own words, or ours with how many tasks there are, and how long a session takes at
    most where that is known; blank lines part paragraphs. What nobody told the program (pay, how long it usually takes) is for the study's
    own words."""
    if study.welcome.strip():
        return study.welcome
    told = say("consent.welcome")
    if any(way.opens in MET for way in study.ways):
        tasks = min(study.trials, len(study.tasks)) * study.sessions
        told += f" {say('consent.one_task') if tasks == 1 else say('consent.tasks', n=tasks)}"
        if study.practice_task is not None:
            told += f" {say('instructions.practice')}"
    if study.session_minutes is not None:
        told += f"\n\n{say('instructions.time_session', time=_long(60 * study.session_minutes))}"
    return told


def instructions_of(study: Study) -> str:
    """What is read before the examples and the tasks: the study's own words, or ours by what its people will meet; blank lines part
    paragraphs. Time limits are told in either. Empty: nothing is read (the study has neither worked examples nor a practice task)."""
    limits = "\n\n".join(limits_of(study))
    if study.instructions.strip() or (study.tutorial is None and study.practice_task is None):
        return "\n\n".join(filter(None, (study.instructions.strip(), limits)))
    ways = [way for way in study.ways if way.opens in MET]
    met = [(some, only) for some, only, meets in KINDS if any(meets(way.opens, way.acts) for way in ways)]
    if not met:
        return limits
    tasks = min(study.trials, len(study.tasks)) * study.sessions
    # worked examples teach it
    hands = [say("instructions.hands")] if study.tutorial is None and any(way.acts for way in ways) else []
    if hands and study.protocol.object_rule.numbered:
        hands = [f"{hands[0]} {say('instructions.numbers')}"]
    told = [
        say("instructions.tasks", n=tasks),
        *(say(only if len(met) == 1 else some) for some, only in met),
        *hands,
        say("instructions.evidence_in_time" if limits else "instructions.evidence"),
        say("instructions.sure") if study.protocol.confidence_required else say("instructions.sure_if"),
        *([say("instructions.noted")] if study.protocol.belief_bar else []),
        *filter(None, [limits]),
        say("instructions.coming_back"),
        say("instructions.practice" if study.tutorial is None else "instructions.examples"),
    ]
    return "\n\n".join(told)


def limits_of(study: Study) -> list[str]:
    """What people are told of time limits before the tasks, whoever wrote the instructions; empty: there are none."""
    told = []
    if study.protocol.time_limit_s is not None and any(way.opens in MET for way in study.ways):
        told.append(say("instructions.time_task", time=_long(study.protocol.time_limit_s)))
    if study.session_minutes is not None:
        told.append(say("instructions.time_session", time=_long(60 * study.session_minutes)))
    return [*told, say("instructions.time_stops")] if told else []


def _long(seconds: float) -> str:
    """A length of time in words: in minutes where it is that many whole ones."""
    if seconds < 60 or seconds % 60:
        return say("instructions.seconds", n=f"{seconds:g}")
    return say("instructions.minute") if seconds == 60 else say("instructions.minutes", n=f"{seconds / 60:g}")


KINDS: tuple[tuple[str, str, Callable[[str, bool], bool]], ...] = (
    ("instructions.acting", "instructions.only_acting", lambda opens, acts: acts),
    ("instructions.looking", "instructions.only_looking", lambda opens, acts: not acts and opens != "words"),
    ("instructions.words", "instructions.only_words", lambda opens, acts: opens == "words"),
)
"""Ways of meeting a task as somebody meets them: the words where there are others too, those where there are not → whether an opening, with
actions or without, is one."""
MET = ("start_view", "grid", "frames", "words")
"""Openings of tasks in rooms; questions about pictures say on their own page how they are answered."""
