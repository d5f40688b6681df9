"""What a paradigm declares: how a task is met."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from data.task import Question, Task
from study.ordering import Order, as_written, per_showing

Opening = Literal["start_view", "grid", "frames", "words", "pictures"]
"""How a showing opens. ``start_view``: a simulator builds the scene and its start view is the first step (a task with phases: that of the
first phase). ``grid``: a frozen set of views (`Paradigm.frozen`) is shown all at once, each as a step; nothing is simulated. ``frames``:
pictures that exist are shown one after the other, in order, each as a step; nothing is simulated. ``words``: the question alone, and no
picture; no step is kept. ``pictures``: the pictures of a question about pictures are shown all at once; nothing is simulated and no step
is kept."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of the exported episodes; for episodes of other paradigms it is empty."""

    name: str
    """Of the column, and of what it holds."""
    of: Literal["protocol", "source", "episode"]
    """Where its value stands: a setting of the protocol, an entry of `Task.source` (a text), or the episode's own row."""
    kind: Any
    """Type of its values; with None unless it is ``str``."""
    meaning: str
    """Its entry in the data dictionary."""
    after: str = ""
    """The column after which it stands; empty: at the end."""

    @property
    def empty(self) -> str | None:
        """Its value for episodes of other paradigms."""
        return "" if self.kind is str else None


@dataclass(frozen=True, kw_only=True)
class Paradigm:
    """One way of meeting a task. All that the rest of the program knows of a paradigm stands here."""

    name: str
    """As it stands in slots, episodes, protocols and exports; never changed once released."""
    meaning: str
    """A clause for the reference and the data dictionary."""
    unfit: Callable[[Task], str]
    """Why a task cannot be met in this way, as a clause that follows its id; empty: it can."""
    opens: Opening
    """How a showing opens."""
    component: str
    """The page component that shows it (`app.pages.participant` maps it to what draws it)."""
    acts: bool = False
    """Whether actions follow the first view. Without them a budget is not asked for."""
    views: int = 1
    """Pictures of one showing, where nobody acts."""
    frozen: str = ""
    """The frozen set of views (`study.frozen`) that a showing needs; empty: none."""
    stand_in: str = ""
    """With a `partner`: the frozen set that practice shows, where nobody can be one; empty: none."""
    partner: str = ""
    """The paradigm whose completed episodes it shows again to somebody else; empty: none."""
    tells: Callable[[Task], tuple[str, ...]] = lambda task: ()
    """What is told beside the question, in words; in an order drawn for each showing. The same for tasks that differ only in gold."""
    order: Callable[[Question, int, int | None], Order] = per_showing
    """In which order options are shown where the protocol shuffles them; by default as measurement 9 says."""
    timed: bool = False
    """Whether `Protocol.time_limit_s` runs from the first showing on, whoever answers; else it is people's time at the task
    (`study.clocks`)."""
    grouping: Literal["category", "subcategory"] = "category"
    """What is balanced over a person's trials."""
    drawn_blocks: bool = False
    """Whether a person's trials come in blocks that hold each group once, in an order drawn for the person; otherwise the order of groups
    is counterbalanced between people (a Williams design)."""
    released_results: bool = False
    """Whether its episodes have a place in the released runner's result tree."""
    published: Literal["", "single", "multi", "active", "ground_truth"] = ""
    """Its column in the published table of accuracies (`study.analysis.published`); empty: it has none."""
    disputes: bool = False
    """Whether an answer in it may dispute the task's gold: only where people could see what decides (measurement 13)."""
    columns: tuple[Column, ...] = ()
    """Columns of the exported episodes that this paradigm alone fills."""

    @property
    def called(self) -> str:
        """Its name for a reader: ``single view``."""
        return self.name.replace("_", " ")

    @property
    def simulated(self) -> bool:
        """Whether a simulator is needed: then a replay renders the steps again and compares."""
        return self.opens == "start_view"

    @property
    def stepped(self) -> bool:
        """Whether what is shown is kept as steps."""
        return self.opens in ("start_view", "grid", "frames")

    @property
    def paged(self) -> bool:
        """Whether pictures that exist are shown one after the other."""
        return self.opens == "frames"

    def budget(self, task: Task, own: int | None) -> int:
        """Observations of one showing, the first view included.

        Args:
            task: the task.
            own: the protocol's budget; None: the task's.
        """
        return (own or task.budget) if self.acts else self.views

    def drawn_order(self, question: Question, seed: int, person: int | None, *, shuffle: bool) -> Order:
        """In which order this showing lists options, options of blanks and targets.

        Args:
            question: the question.
            seed: the episode's.
            person: the participant's number in the study; None: a model or a script.
            shuffle: `Protocol.shuffle_options`.
        """
        return self.order(question, seed, person) if shuffle else as_written(question)


def not_in_scene(task: Task) -> str:
    """`Paradigm.unfit` of what needs a scene."""
    return "is a question about pictures: it has no scene" if task.shown else ""
