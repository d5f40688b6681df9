"""Members of staff who are here already: who they are, where they are signed in, their link, their name, and taking it all back.

A person's link is what they come back with, in any browser: there is one at a time. Coming in and roles themselves: `study.access`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import msgspec

from data.names import printed
from data.rows import Json
from data.store import Store, dumps, now
from study import access
from study.access import EVERY_STUDY
from study.admission import NotFound
from study.errors import NotAllowed, StudyError
from study.studies import get_study

MAX_NAME = 80
"""Longest name, characters."""


class BadName(StudyError):
    """A person has a name of one line."""

    code = "bad_name"


class Role(msgspec.Struct, frozen=True):
    """What a member of staff is in a study (``*``: in all)."""

    role: str
    study: str


class Member(msgspec.Struct, frozen=True):
    """One member of staff."""

    staff_id: str
    name: str
    created_at: str
    revoked_at: str | None
    roles: Annotated[list[Role], Json]
    """Those that last."""
    seen_at: str | None
    """When this person last did something; before schema 5 that was not kept, and the last coming in stands for it."""
    browsers: int
    """Browsers in which they are signed in now."""
    links: int
    """Links by which they can come in: one, or none after it was revoked."""


_LIVE = "g.revoked_at IS NULL AND s.revoked_at IS NULL AND s.expires_at > :now AND s.staff_until > :now"


def staff(store: Store, study_id: str | None = None) -> list[Member]:
    """Members of staff, oldest first; with `study_id` those who have a role there, in all studies included.

    Raises:
        UnknownStudy: there is no such study.
    """
    members = store.rows(
        "SELECT f.staff_id, f.name, f.created_at, f.revoked_at, (SELECT json_group_array(json_object('role', r.role, 'study', r.study_id)) "
        "FROM roles r WHERE r.staff_id = f.staff_id AND r.revoked_at IS NULL) AS roles, "
        "(SELECT max(coalesce(s.seen_at, g.created_at)) FROM grants g JOIN sessions s USING (session_id) WHERE g.staff_id = f.staff_id) "
        "AS seen_at, (SELECT count(DISTINCT g.session_id) FROM grants g JOIN sessions s USING (session_id) WHERE g.staff_id = f.staff_id "
        f"AND f.revoked_at IS NULL AND {_LIVE}) AS browsers, (SELECT count(*) FROM invites i WHERE i.staff_id = f.staff_id "
        "AND i.revoked_at IS NULL AND (i.expires_at IS NULL OR i.expires_at > :now) AND (i.uses_left IS NULL OR i.uses_left > 0)) AS links "
        "FROM staff f ORDER BY f.created_at, f.rowid",
        Member,
        {"now": now()},
    )
    if study_id in (None, EVERY_STUDY):
        return members
    get_study(store, str(study_id))
    return [member for member in members if any(role.study in (study_id, EVERY_STUDY) for role in member.roles)]


def member(store: Store, staff_id: str) -> Member:
    """One member of staff.

    Raises:
        NotFound: nobody has this id.
    """
    for found in staff(store):
        if found.staff_id == staff_id:
            return found
    raise NotFound(f"No member of staff has the id {staff_id[:60]!r}. `vantage staff list` shows who there is.")


def staff_names(store: Store, staff_ids: Iterable[str]) -> dict[str, str]:
    """Staff id → name, of those who there are."""
    rows = store.query("SELECT staff_id, name FROM staff WHERE staff_id IN (SELECT value FROM json_each(?))", [dumps(sorted(staff_ids))])
    return {row["staff_id"]: row["name"] for row in rows}


def checked_name(name: str) -> str:
    """A person's name as it is kept.

    Raises:
        BadName: empty, too long, or of several lines.
    """
    name = name.strip()
    if not name or len(name) > MAX_NAME or printed(name) != name:
        raise BadName(f"Give a name of 1 to {MAX_NAME} characters on one line.")
    return name


def rename(store: Store, staff_id: str, name: str, *, actor: str = "") -> None:
    """Give a member of staff another name; what they did stays under their id.

    Raises:
        NotFound: nobody has this id.
        BadName: it is no name.
    """
    name = checked_name(name)
    with store.atomic() as db:
        before = member(store, staff_id).name
        db.execute("UPDATE staff SET name = ? WHERE staff_id = ?", [name, staff_id])
        db.execute("UPDATE invites SET label = ? WHERE staff_id = ? AND revoked_at IS NULL", [name, staff_id])
        store.event("staff_renamed", {"staff": staff_id, "from": before, "to": name}, actor=actor)


def new_link(store: Store, staff_id: str, *, actor: str = "") -> str:
    """Another link for a person who is here already; the links that they had work no more. Where they are signed in they stay.

    Returns:
        The token (shown once).

    Raises:
        NotFound: nobody has this id.
        NotAllowed: everything was taken from them.
    """
    with store.atomic() as db:
        found = member(store, staff_id)
        if found.revoked_at is not None or not found.roles:
            raise NotAllowed(f"{found.name} has no role any more: a link would open nothing. Give a role first, or invite them again.")
        db.execute("UPDATE invites SET revoked_at = ? WHERE staff_id = ? AND revoked_at IS NULL", [now(), staff_id])
        first = found.roles[0]
        return access.create_invite(store, first.role, first.study, label=found.name, actor=actor, staff_id=staff_id)


def renew_invitation(store: Store, invite_id: str, *, days: int | None = None, actor: str = "") -> str:
    """Another link for somebody who was invited; the one before works no more. Who has come by it already gets theirs (`new_link`).

    Returns:
        The token (shown once).

    Raises:
        NotFound: there is no invitation of staff with this id.
    """
    with store.atomic():
        row = store.one("SELECT role, study_id, label, staff_id FROM invites WHERE invite_id = ? AND role <> 'participant'", [invite_id])
        if row is None:
            raise NotFound(f"No invitation of staff has the id {invite_id[:60]!r}. `vantage staff list` shows those that are open.")
        if row["staff_id"] is not None:
            return new_link(store, row["staff_id"], actor=actor)
        access.revoke_invite(store, invite_id, actor=actor)
        return access.create_invite(store, row["role"], row["study_id"], label=row["label"], days=days, actor=actor)


def sign_out_everywhere(store: Store, staff_id: str, *, actor: str = "") -> int:
    """End a person's access in every browser, at once; their link brings them back. What else a browser may do stays.

    Returns:
        In how many browsers they were signed in.

    Raises:
        NotFound: nobody has this id.
    """
    with store.atomic() as db:
        browsers = member(store, staff_id).browsers
        db.execute("UPDATE grants SET revoked_at = ? WHERE staff_id = ? AND revoked_at IS NULL", [now(), staff_id])
        store.event("staff_signed_out", {"staff": staff_id, "browsers": browsers}, actor=actor)
    return browsers
