"""How far somebody is in the whole session: forms, worked examples and tasks, each one part."""

from __future__ import annotations

from study.forms import answers
from study.place import Here
from study.tutorial import passing

BEFORE = ("entered", "welcomed", "consented")
"""States in which worked examples may still be to do."""


def parts(here: Here) -> tuple[int, int]:
    """Parts that are done, and all of them.

    Example:
        A study with two forms before the tasks, three worked examples and ten tasks has 15 parts.
    """
    study, person = here.study, here.person.participant_id
    tasks = here.total * study.sessions
    sent = {(one.form, one.occasion) for one in answers.showings_of(here.store, person) if one.sent_at} if study.every_form else set()
    asked = done = 0
    for form in study.every_form:
        occasions = [n for n in range(1, tasks) if n % form.every == 0] if form.moment.repeats else [0]
        asked += len(occasions)
        done += sum((form.name, occasion) in sent for occasion in occasions)
    examples = passing.examples_of(here.store, study)
    passed = len(examples)
    if here.person.state in BEFORE:
        passed = sum(passing.behind(here.store, study, person, example) for example in examples)
    return done + passed + here.done, asked + len(examples) + tasks
