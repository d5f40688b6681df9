"""The station of the worked examples."""

from __future__ import annotations

from study.place import Here, Place
from study.stations import tasks
from study.tutorial import passing
from study.wording import say


def example(here: Here) -> Place | None:
    """The next worked example that somebody has still to pass."""
    if here.study.tutorial is None:
        return None
    person, examples = here.person, passing.examples_of(here.store, here.study)
    for number, one in enumerate(examples, start=1):
        if not passing.behind(here.store, here.study, person.participant_id, one):
            slot = passing.give(here.store, here.study, person.participant_id, person.mode, one)
            again = len(passing.tries(here.store, person.participant_id, one)) > 1
            note = say("tutorial.once_more") if again else ""
            return tasks.shows(here, slot, "practice", note, part=f"{number}/{len(examples)}")
    return None
