"""Paradigms: the ways in which a task is met. One module each; the tuple below is the one list of them."""

from __future__ import annotations

from data.task import Task
from study.errors import WrongParadigm
from study.paradigms import active, multiview_qa, single_view
from study.paradigms.paradigm import Paradigm

PARADIGMS: tuple[Paradigm, ...] = (
    active.PARADIGM,
    single_view.PARADIGM,
    multiview_qa.PARADIGM,
)
"""Every paradigm."""
DEFAULT = active.PARADIGM.name
"""How a task is met where nothing else is said."""
_BY_NAME = {paradigm.name: paradigm for paradigm in PARADIGMS}


def paradigm(name: str) -> Paradigm:
    """The paradigm of that name.

    Raises:
        WrongParadigm: there is none; the message lists them.
    """
    if name not in _BY_NAME:
        raise WrongParadigm(f"There is no paradigm {name[:40]!r}. Use one of: {', '.join(_BY_NAME)}.")
    return _BY_NAME[name]


def check_fit(task: Task, name: str) -> Paradigm:
    """The paradigm, if the task can be met in it.

    Raises:
        WrongParadigm: it cannot, or there is no such paradigm; the message says why and in which it can.
    """
    wanted = paradigm(name)
    if why := wanted.unfit(task):
        others = " or ".join(other.name for other in PARADIGMS if not other.unfit(task))
        raise WrongParadigm(f"{task.task_id} {why}, so the paradigm must be {others or 'another'}; got {name}.")
    return wanted
