"""Paradigms: the ways in which a task is met. One module each; the tuple below is the one list of them."""

from __future__ import annotations

import importlib

from data.task import Task
from study.errors import WrongParadigm
from study.paradigms.paradigm import Paradigm

MODULES: tuple[str, ...] = (
    "active",
    "single_view",
    "multi_view",
    "question_only",
    "metadata_only",
    "gt_passive",
    "yoked",
    "multiview_qa",
)
"""The registry: modules of this package, each with a ``PARADIGM``. The first is how a task is met where nothing else is said."""


def _declared(module: str) -> Paradigm:
    found: Paradigm = importlib.import_module(f"{__name__}.{module}").PARADIGM
    return found


PARADIGMS: tuple[Paradigm, ...] = tuple(_declared(module) for module in MODULES)
"""Every paradigm, in the order of the registry."""
DEFAULT = PARADIGMS[0].name
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
