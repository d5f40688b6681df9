"""What is kept from somebody who may still be given an item to review: the item itself, and every picture that tells its answer elsewhere.

An item whose options are pictures shows its reference view alone; its moment's other views are the answer, and the moments of its wrong
options rule those out. All of them stay away from a reviewer until their review has shown them the answer. The person counts, not the
browser or the role under which they look.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import msgspec

from annotation.qa.items import ViewImage
from annotation.reviewing.claims import named
from annotation.reviewing.kinds.robot_questions import KIND
from data.store import Store, dumps
from study.access import EVERY_STUDY, IMPLIED

REVIEW_TO_COME = tuple(state for state, events in KIND.states.items() if KIND.waiting in (state, *events.values()))
"""States of an item whose next review is only a step of its author's away."""
JUDGES = tuple(role for role, counts_as in IMPLIED.items() if "reviewer" in counts_as)
"""Roles of people who are given items to review."""


class _Image(msgspec.Struct, frozen=True):
    image: str


class _Found(msgspec.Struct, frozen=True):
    item_id: str


def _to_judge(people: Collection[str]) -> str:
    """SQL: conditions on the item ``t`` under which the person with these names (parameters) may still be given it."""
    mine = ", ".join(f":{name}" for name in people)
    roles = ", ".join(f"'{role}'" for role in JUDGES)
    states = ", ".join(f"'{state}'" for state in REVIEW_TO_COME)
    barred = "".join(f" AND NOT EXISTS ({KIND.excluded.format(person=f':{name}')})" for name in people)
    return (
        f"t.state IN ({states}){barred} AND NOT EXISTS (SELECT 1 FROM reviews r WHERE r.kind = '{KIND.name}' AND r.subject = t.item_id "
        f"AND r.reviewer IN ({mine}) AND r.stages > 0) AND EXISTS (SELECT 1 FROM roles o JOIN staff f USING (staff_id) "
        f"WHERE o.staff_id IN ({mine}) AND o.role IN ({roles}) AND o.revoked_at IS NULL AND f.revoked_at IS NULL AND o.study_id IN "
        f"('{EVERY_STUDY}', (SELECT q.study_id FROM qa_projects q WHERE q.project_id = t.project_id)))"
    )


def still_to_judge(store: Store, people: Collection[str], item_ids: Iterable[str]) -> set[str]:
    """Those of the items that a person may still be given to review without having seen their answer.

    Args:
        store: the database.
        people: the staff ids of the person.
        item_ids: which items.
    """
    if not people:
        return set()
    names = named(sorted(people))
    sql = f"SELECT t.item_id FROM json_each(:asked) w CROSS JOIN qa_items t ON t.item_id = w.value WHERE {_to_judge(names)}"
    return {row.item_id for row in store.rows(sql, _Found, {**names, "asked": dumps(sorted(set(item_ids)))})}


def telling(store: Store, people: Collection[str], images: Iterable[str]) -> set[str]:
    """Those of the pictures (SHA-256) that tell a person something of the answer of an item that they may still be given."""
    if not people:
        return set()
    names = named(sorted(people))
    sql = (
        "SELECT DISTINCT p.image FROM json_each(:asked) w CROSS JOIN qa_pictures p ON p.image = w.value AND p.part <> 'shown' "
        f"CROSS JOIN qa_items t ON t.item_id = p.item_id WHERE {_to_judge(names)}"
    )
    return {row.image for row in store.rows(sql, _Image, {**names, "asked": dumps(sorted(set(images)))})}


def moments_kept_back(store: Store, people: Collection[str], moments: Iterable[tuple[str, Iterable[ViewImage]]]) -> set[str]:
    """Ids of those of the moments (id, views) of which a person may see no view: one of them tells something."""
    shown = {moment_id: {view.image for view in views} for moment_id, views in moments}
    told = telling(store, people, (image for images in shown.values() for image in images))
    return {moment_id for moment_id, images in shown.items() if images & told}
