"""Hours that people spent on a project, by person and stage, from what they did and when.

Time counts from one thing that somebody did to the next at the same thing; where more than `BREAK_S` lies between, they did something else
in between, and none of it counts. So these are hours of work that left a trace, the least that was spent.

* ``choosing``: from the moment being shown to its decision.
* ``writing``: between the saved changes of one item by one person, from its beginning until it is sent in.
* ``reviewing``: from being given an item to the answer, and from there to the verdict, or to giving it back.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from annotation.qa.moments.counts import PROGRAMS
from annotation.qa.moments.records import BREAK_S
from data.store import Store, dumps

Stage = Literal["choosing", "writing", "reviewing"]
STAGES: tuple[Stage, ...] = ("choosing", "writing", "reviewing")


class Spent(msgspec.Struct, frozen=True):
    """What one person spent at one stage."""

    person: str
    """Staff id."""
    stage: str
    things: int
    """Moments decided, items worked on, or items reviewed."""
    hours: float


_SPENT = """
    WITH told AS MATERIALIZED (
        SELECT e.seq, e.actor, e.kind, e.subject, julianday(e.at) AS day,
            CASE WHEN e.kind = 'qa_item' THEN e.subject ELSE coalesce(e.data ->> '$.review', e.subject) END AS thing,
            CASE WHEN e.kind = 'qa_item' THEN 'writing' ELSE 'reviewing' END AS stage, e.data ->> '$.event' AS event
        FROM events e JOIN qa_items i ON i.item_id = e.subject
        WHERE i.project_id = :project AND e.actor NOT IN (SELECT value FROM json_each(:programs))
        AND e.kind IN ('qa_item', 'qa_review_assigned', 'qa_review_answered', 'qa_review_decided', 'qa_review_taken_back',
            'qa_review_skipped')
    ), gaps AS (
        SELECT actor, stage, thing, kind, event, 86400.0 * (day - lag(day) OVER w) AS seconds FROM told
        WINDOW w AS (PARTITION BY stage, thing, actor ORDER BY seq)
    ), spent AS (
        SELECT actor, stage, thing, sum(seconds) AS seconds FROM gaps WHERE seconds <= :break
        AND (stage = 'reviewing' AND kind <> 'qa_review_assigned' OR stage = 'writing' AND event IN ('edit', 'submit'))
        GROUP BY actor, stage, thing
        UNION ALL
        SELECT e.actor, 'choosing', e.subject, e.data ->> '$.seconds' FROM events e
        WHERE e.kind = 'moment_decided' AND e.data ->> '$.project' = :project AND e.data ->> '$.seconds' <= :break
        AND e.actor NOT IN (SELECT value FROM json_each(:programs))
    )
    SELECT actor AS person, stage, count(DISTINCT thing) AS things, round(sum(seconds) / 3600.0, 4) AS hours FROM spent
    GROUP BY actor, stage ORDER BY actor, stage
"""


def hours(store: Store, project_id: str) -> list[Spent]:
    """Hours by person and stage; people and stages without any are left out."""
    return store.rows(_SPENT, Spent, {"project": project_id, "programs": dumps(list(PROGRAMS)), "break": BREAK_S})
