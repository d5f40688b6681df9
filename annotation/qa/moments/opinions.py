"""A model's opinion on moments, kept beside them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from annotation.qa.errors import QaError
from annotation.qa.moments.records import write
from annotation.qa.projects import get_project
from annotation.qa.scenes.moment import moments
from annotation.qa.triage import Endpoint, Triage, TriageFailed
from data.robot.errors import ImageMissing
from data.robot.images import ImageFolder
from data.store import Store, now

GIVE_UP = 5
"""So many failures one after another end the triage."""


@dataclass
class Triaged:
    """What a triage did."""

    asked: int = 0
    answered: int = 0
    failures: list[str] = field(default_factory=list)
    """``moment: sentence`` each; those moments stay untriaged."""
    stopped: bool = False
    """Given up after `GIVE_UP` failures one after another."""


def triage_moments(
    store: Store,
    project_id: str,
    judge: Triage | None = None,
    *,
    limit: int = 100,
    actor: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> Triaged:
    """Ask a model about candidates and kept moments that have no opinion yet.

    Args:
        store: the database.
        project_id: the project.
        judge: who is asked; None: the project's endpoint.
        limit: at most so many moments.
        actor: who asked for it.
        progress: called with (asked, to ask).

    Raises:
        QaError: triage is off in this project.
    """
    project = get_project(store, project_id)
    if judge is None:
        if project.triage is None:
            raise QaError(f"Triage is off in {project.name!r}: name an endpoint first (vantage qa triage --url … --model …).")
        judge = Endpoint(project.triage)
    images, report, in_a_row = ImageFolder(store.home), Triaged(), 0
    waiting = [m for m in moments(store, project_id) if m.state in ("candidate", "kept") and not m.triage][:limit]
    for moment in waiting:
        report.asked += 1
        data: dict[str, object] = {"moment": moment.moment_id, "project": project_id}
        try:
            opinion = judge({view.view: images(view.image) for view in moment.views}, moment.arm, moment.task)
        except (TriageFailed, ImageMissing) as error:
            report.failures.append(f"{moment.moment_id}: {error}")
            in_a_row += 1
            store.event(
                "moment_triage_failed", data | {"why": str(error)}, actor=actor, study_id=project.study_id, subject=moment.moment_id
            )
        else:
            in_a_row, at = 0, now()
            kept = {"subtasks": list(opinion.subtasks), "model": opinion.model, "at": at}
            with store.atomic():
                write(store, moment.moment_id, document={"triage": kept})
                store.event("moment_triaged", data | kept, at=at, actor=actor, study_id=project.study_id, subject=moment.moment_id)
            report.answered += 1
        if progress is not None:
            progress(report.asked, len(waiting))
        if in_a_row >= GIVE_UP:
            report.stopped = True
            break
    return report
