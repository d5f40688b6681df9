"""Who may do what: invitations, cookies, grants, staff roles. Tokens are kept as SHA-256 only.

One browser (one cookie) may hold several grants, say a participant's and a researcher's; the page picks. Every page and every command
asks `require` (staff), `player` (a participant's own episode) or `agent_keys.agent` (a model's key). An invitation of staff is one person,
whichever browser it is opened in; links of people that are there already are made in `study.people`.

A browser's cookie has a new value with each new right, so that a value that somebody else knew before is worth nothing afterwards. Access
as staff ends when nobody uses the browser for a while (`touch`); that of participants lasts.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from data.rows import columns
from data.store import Store, dumps, new_id, now, written
from study.blanks import is_blank
from study.errors import BadToken, NotAllowed, OtherBrowser
from study.participants import add_participant, known_as
from study.records import GrantRecord, InviteRecord, RoleRecord
from study.studies import Study, get_study

ROLES = ("participant", "annotator", "author", "reviewer", "researcher", "owner")
"""Roles in a study. ``owner`` also has what a researcher has and may invite and revoke; an ``annotator`` writes and reviews questions."""
STAFF_ROLES = tuple(role for role in ROLES if role != "participant")
IMPLIED: Mapping[str, frozenset[str]] = {role: frozenset((role,)) for role in ROLES} | {
    "owner": frozenset(("owner", "researcher")),
    "annotator": frozenset(("annotator", "author", "reviewer")),
}
"""Role → roles it counts as."""
ROLES_IN_WORDS: Mapping[str, str] = {
    "participant": "takes part",
    "annotator": "writes questions and judges those of others",
    "author": "writes questions",
    "reviewer": "judges questions that others wrote",
    "researcher": "sees what people did, lets people in and exports",
    "owner": "does what a researcher does, and invites and dismisses staff",
}
"""Role → what somebody who has it does."""
EVERY_STUDY = "*"
"""A staff role in all studies."""
COOKIE_DAYS = 60
"""A browser's session ends after this many days."""
STAFF_IDLE_HOURS = 12.0
"""Access as staff ends in a browser that nobody has used for so long: a night, not a lunch."""
SHARED = (
    "Several people came in by this link before links were one person's. It still works in the browsers that they used; for this one ask "
    "for a link of your own."
)
USED_UP = "This link has been used up, has expired or was withdrawn. Ask for a new one."
ENDED = "The people who run this study ended your access. Ask them if you think this is a mistake."


@dataclass(frozen=True)
class Grant:
    """What one browser may do in one role."""

    grant_id: str
    role: str
    study_id: str
    participant_id: str | None
    staff_id: str | None

    def allows(self, role: str, study_id: str | None) -> bool:
        """Whether this grant counts as `role` in `study_id` (None: in any)."""
        return role in IMPLIED[self.role] and (study_id is None or self.study_id in (study_id, EVERY_STUDY))


def first_admin_token(store: Store) -> str | None:
    """A one-time token that makes its bearer owner of everything; None once somebody is. An earlier unused one stops working."""
    with store.atomic() as db:
        if store.one("SELECT 1 AS yes FROM roles WHERE role = 'owner' AND study_id = ? AND revoked_at IS NULL", [EVERY_STUDY]):
            return None
        db.execute("UPDATE invites SET revoked_at = ? WHERE label = 'first admin' AND revoked_at IS NULL", [now()])
        return create_invite(store, "owner", EVERY_STUDY, label="first admin", uses=1)


def create_invite(
    store: Store,
    role: str,
    study_id: str,
    *,
    label: str = "",
    uses: int | None = None,
    days: int | None = None,
    actor: str = "setup",
    staff_id: str | None = None,
    kiosk: bool = False,
) -> str:
    """A link token for one role in one study. A link of staff is one person's: every browser that opens it is them.

    Args:
        store: the database.
        role: one of `ROLES`.
        study_id: the study, or ``*`` for staff of all studies.
        label: a note for staff; the name of the invited person.
        uses: how many browsers may use it; None: any number. A browser that came in by it before is never counted again.
        days: valid this long; None: until revoked. A link of staff has to be opened once within this time; then it stays theirs.
        actor: who invites (staff id).
        staff_id: the member of staff whose link it is, where they are here already.
        kiosk: of participants: for a computer that several people use one after the other; opening it begins with the next person.

    Returns:
        The token (shown once: only its hash is kept).

    Raises:
        ValueError: unknown role, or a participant without a study.
        UnknownStudy: no such study.
    """
    if role not in ROLES or (role == "participant" and study_id == EVERY_STUDY):
        raise ValueError(f"role is one of {', '.join(ROLES)}, a participant needs a study; got {role!r} in {study_id!r}")
    if kiosk and role != "participant":
        raise ValueError(f"only participants share a computer by a link; got {role!r}")
    if study_id != EVERY_STUDY:
        get_study(store, study_id)
    token, invite_id = secrets.token_urlsafe(24), new_id("in")
    with store.atomic():
        store.insert(
            "invites",
            {"invite_id": invite_id, "token_hash": _hash(token), "role": role, "study_id": study_id, "label": label, "uses_left": uses}
            | {"created_at": now(), "expires_at": _later(days) if days else None, "revoked_at": None, "staff_id": staff_id, "kiosk": kiosk},
        )
        said = {"invite": invite_id, "role": role, "label": label} | ({"kiosk": True} if kiosk else {})
        store.event("invited", said, actor=actor, study_id=study_id)
    return token


def is_valid(store: Store, token: str) -> bool:
    """Whether an invitation token still lets a browser in that was not here before."""
    invite = store.row("SELECT * FROM invites WHERE token_hash = ?", InviteRecord, [_hash(token)])
    if invite is None or not _usable(invite):
        return False
    return invite.role == "participant" or (bool(_roles(store, invite.staff_id)) if invite.staff_id else not _shared(store, invite))


def revoke_invite(store: Store, invite_id: str, *, actor: str = "") -> None:
    """An invitation stops working; grants made with it stay."""
    with store.atomic() as db:
        db.execute("UPDATE invites SET revoked_at = coalesce(revoked_at, ?) WHERE invite_id = ?", [now(), invite_id])
        store.event("invite_revoked", {"invite": invite_id}, actor=actor)


def invitation(store: Store, token: str, cookie: str | None = None, *, opened: bool = False) -> tuple[InviteRecord, Grant | None]:
    """What an invitation stands for, and the grant that this browser has by it already. Nothing is changed or counted.

    Args:
        store: the database.
        token: from the link.
        cookie: the browser's cookie, if it has one.
        opened: the link was opened just now: at a shared computer that means the next person, who has nothing yet.

    Raises:
        BadToken: unknown, used up, expired or revoked; it is for new participants of a closed study; or its person's access was ended.
    """
    invite = store.row("SELECT * FROM invites WHERE token_hash = ?", InviteRecord, [_hash(token)])
    if invite is None:
        raise BadToken("This link is not known here. Check that it is complete, or ask for a new one.")
    if not (opened and is_kiosk(store, invite)) and (known := held(store, token, cookie)):
        return invite, known
    if invite.role != "participant":
        _whose(store, invite, cookie)
    elif not _usable(invite):
        raise BadToken(USED_UP)
    elif get_study(store, invite.study_id).state == "closed":
        raise BadToken("This study is closed: nobody new can take part. Thank you for coming.")
    return invite, None


def is_kiosk(store: Store, invite: InviteRecord) -> bool:
    """Whether a link is for a computer that several people use one after the other."""
    return invite.role == "participant" and (invite.kiosk or get_study(store, invite.study_id).kiosk)


def enter(store: Store, token: str, cookie: str | None = None, *, next_person: bool = False) -> tuple[str, Grant]:
    """Come in by an invitation.

    A browser that came in by it before gets the same grant again, without using it up. A link of staff is one person's: another browser,
    or the same one after signing out or a long absence, is the same member of staff, with every role that they have.

    Args:
        store: the database.
        token: from the link.
        cookie: the browser's cookie, if it has one.
        next_person: somebody else used this computer before them.

    Returns:
        The cookie value to set, and the grant. The value is a new one wherever the browser can do more than before.

    Raises:
        BadToken: as `invitation` says.
    """
    with store.atomic() as db:
        invite, known = invitation(store, token, cookie, opened=True)
        if known is not None:
            return cookie or "", known
        if invite.role != "participant":
            return _enter_staff(store, invite, cookie)
        if invite.uses_left is not None:
            db.execute("UPDATE invites SET uses_left = uses_left - 1 WHERE invite_id = ?", [invite.invite_id])
        shared = "kiosk link" if is_kiosk(store, invite) else "next person" if next_person else ""
        cookie, shared = _alone(store, cookie, invite.study_id, shared)
        session_id, cookie = _renewed(store, cookie)
        participant_id = add_participant(store, invite.study_id, shared=shared)
        return cookie, _add_grant(
            store, session_id, invite.role, invite.study_id, invite.invite_id, participant_id=participant_id, staff_id=None
        )


def held(store: Store, token: str, cookie: str | None) -> Grant | None:
    """The grant that this browser holds by an invitation: what lets it go straight on. Nothing is written.

    None where it has none that works now: it never came in by it, signed out, was away too long, or the link was revoked.
    """
    allowed = {grant.grant_id for grant in grants(store, cookie)}
    rows = store.rows(
        "SELECT g.* FROM invites i JOIN grants g ON g.invite_id = i.invite_id OR g.staff_id = i.staff_id "
        "WHERE i.token_hash = ? AND i.revoked_at IS NULL ORDER BY g.role <> i.role, g.created_at, g.grant_id",
        GrantRecord,
        [_hash(token)],
    )
    return next((_grant(row) for row in rows if row.grant_id in allowed), None)


def _enter_staff(store: Store, invite: InviteRecord, cookie: str | None) -> tuple[str, Grant]:
    """Come in by a link of staff as the person whose link it is; the first who opens it becomes that person."""
    staff_id = _whose(store, invite, cookie)
    if staff_id is None:
        staff_id = _add_staff(store, invite.label or invite.role, invite.study_id, invite.role)
    if staff_id != _came_before(store, invite, cookie):
        # from now on it is this person's way back, however long that takes
        store.db.execute(
            "UPDATE invites SET staff_id = ?, expires_at = NULL, uses_left = uses_left - 1 WHERE invite_id = ?",
            [staff_id, invite.invite_id],
        )
    session_id, cookie = _renewed(store, cookie)
    _seen(store, session_id, STAFF_IDLE_HOURS)
    for role in _roles(store, staff_id):
        _sign_in(store, session_id, staff_id, role.role, role.study_id, invite.invite_id)
    mine = [grant for grant in grants(store, cookie) if grant.staff_id == staff_id]
    return cookie, min(mine, key=lambda grant: (grant.role, grant.study_id) != (invite.role, invite.study_id))


def _whose(store: Store, invite: InviteRecord, cookie: str | None) -> str | None:
    """Whose link of staff it is; None: whoever opens it first becomes that person. Nothing is changed.

    Raises:
        BadToken: it lets nobody in.
    """
    if invite.revoked_at is not None:
        raise BadToken(USED_UP)
    staff_id = _came_before(store, invite, cookie)
    if staff_id is None:
        if not _usable(invite):
            raise BadToken(USED_UP)
        if invite.staff_id is None and _shared(store, invite):
            raise BadToken(SHARED)
        staff_id = invite.staff_id
    if staff_id is not None and not _roles(store, staff_id):
        raise BadToken(ENDED)
    return staff_id


def _shared(store: Store, invite: InviteRecord) -> bool:
    """Whether several people came in by a link before links were one person's (then it names none of them)."""
    return store.one("SELECT 1 AS yes FROM grants WHERE invite_id = ?", [invite.invite_id]) is not None


def _came_before(store: Store, invite: InviteRecord, cookie: str | None) -> str | None:
    """As whom this browser came in by a link of staff before; also where it signed out since, or its session has ended."""
    row = store.one(
        "SELECT g.staff_id FROM grants g JOIN sessions s USING (session_id) WHERE s.cookie_hash = ? AND g.invite_id = ? "
        "ORDER BY g.created_at DESC, g.rowid DESC LIMIT 1",
        [_hash(cookie or ""), invite.invite_id],
    )
    return str(row["staff_id"]) if row else None


def _roles(store: Store, staff_id: str) -> list[RoleRecord]:
    """The roles that somebody has now; none where everything was taken from them."""
    return store.rows(
        "SELECT r.* FROM roles r JOIN staff f USING (staff_id) WHERE r.staff_id = ? AND r.revoked_at IS NULL AND f.revoked_at IS NULL "
        "ORDER BY r.granted_at, r.rowid",
        RoleRecord,
        [staff_id],
    )


def _sign_in(store: Store, session_id: str, staff_id: str, role: str, study_id: str, invite_id: str | None) -> None:
    """Give a browser a grant for a role of a member of staff, where it has none."""
    there = store.one(
        "SELECT 1 AS yes FROM grants WHERE session_id = ? AND staff_id = ? AND role = ? AND study_id = ? AND revoked_at IS NULL",
        [session_id, staff_id, role, study_id],
    )
    if there is None:
        _add_grant(store, session_id, role, study_id, invite_id, participant_id=None, staff_id=staff_id)


def recruited(store: Store, params: Mapping[str, str]) -> tuple[Study, dict[str, str]]:
    """The live study that a recruitment platform's address means, and whom, as `add_participant` takes it. Nothing is changed.

    Raises:
        BadToken: the parameters name no live study here, or no person; or the platform left a blank unfilled (`study.blanks`).
    """
    for row in store.query("SELECT study_id FROM studies WHERE state IN ('live', 'pilot')"):
        study = get_study(store, row["study_id"])
        names = study.recruitment
        if names is None or not names.external_study or names.study_param not in params:
            continue
        if is_blank(params[names.study_param]) and params[names.study_param] != names.external_study:
            raise BadToken(_unfilled(names.study_param, params))
        if params[names.study_param] != names.external_study:
            continue
        person, visit = params.get(names.person_param, "").strip(), params.get(names.session_param, "").strip()
        if not person or len(person) > 200:
            raise BadToken(f"The address lacks your id ({names.person_param}). Open the study from the recruitment site again.")
        if is_blank(person, names.person_param):
            raise BadToken(_unfilled(names.person_param, params))
        whom = {"source": names.source, "external_id": person, "external_study": names.external_study}
        return study, whom | {"external_session": "" if is_blank(visit, names.session_param) else visit}
    raise BadToken("This address belongs to no open study here. The study may be over, or the link incomplete.")


def _unfilled(param: str, params: Mapping[str, str]) -> str:
    return (
        f"The recruitment site did not fill in {param}: the address has “{params[param].strip()[:60]}” there. Open the study from the "
        "recruitment site again; if you read this once more, please tell the people who run the study."
    )


def enter_recruited(store: Store, params: Mapping[str, str], cookie: str | None = None, *, next_person: bool = False) -> tuple[str, Grant]:
    """Come in from a recruitment platform, by its address parameters (``PROLIFIC_PID``, ``STUDY_ID``, ``SESSION_ID`` by default).

    The same person in the same study is the same participant. On another browser than before they go on and the earlier browser's access
    ends, or they are refused, as the study says (`Recruitment.other_browser`); each is an event.

    Raises:
        BadToken: as `recruited` says.
        OtherBrowser: they came in on another browser, and the study binds them to it.
    """
    study, whom = recruited(store, params)
    with store.atomic():
        known = known_as(store, study.study_id, whom)
        here = {grant.participant_id for grant in participants_here(store, cookie, study.study_id)}
        shared = "kiosk link" if study.kiosk else "next person" if next_person else ""
        if known is None or here - {known.participant_id}:
            cookie, shared = _alone(store, cookie, study.study_id, shared)
        participant_id = add_participant(store, study.study_id, whom, shared=shared)
        if cookie and (mine := held_as(store, cookie, participant_id)):
            return cookie, mine
        elsewhere = _live_grants(store, participant_id)
        refused = bool(elsewhere) and study.recruitment is not None and study.recruitment.other_browser == "refuse"
        if elsewhere:
            _end_elsewhere(store, study.study_id, participant_id, [] if refused else elsewhere)
        if not refused:
            session_id, cookie = _renewed(store, cookie)
            grant = _add_grant(store, session_id, "participant", study.study_id, None, participant_id=participant_id, staff_id=None)
            return cookie, grant
    raise OtherBrowser("You began this study in another browser. Please go on there: your place is kept.")


def held_as(store: Store, cookie: str | None, participant_id: str) -> Grant | None:
    """This browser's grant as this very participant."""
    return next((grant for grant in grants(store, cookie) if grant.participant_id == participant_id), None)


def participants_here(store: Store, cookie: str | None, study_id: str) -> list[Grant]:
    """Who takes part in a study in this browser."""
    return [grant for grant in grants(store, cookie) if grant.role == "participant" and grant.study_id == study_id]


def _alone(store: Store, cookie: str | None, study_id: str, shared: str) -> tuple[str | None, str]:
    """Before somebody new takes part: in a shared browser, and where another takes part in the study in it, everybody else leaves it.

    Returns:
        The cookie to go on from (None: a new session), and how it is known that the computer is shared.
    """
    shared = shared or ("another person" if participants_here(store, cookie, study_id) else "")
    if not shared:
        return cookie, ""
    leave_browser(store, cookie)
    return None, shared


def leave_browser(store: Store, cookie: str | None) -> None:
    """Everybody leaves this browser: nothing that it could do works any more, in whatever tab it stands open."""
    with store.atomic() as db:
        session = store.one("SELECT session_id FROM sessions WHERE cookie_hash = ? AND revoked_at IS NULL", [_hash(cookie or "")])
        if session is None:
            return
        for grant in grants(store, cookie):
            who = grant.staff_id or grant.participant_id or ""
            store.event("signed_out", {"grant": grant.grant_id, "next_person": True}, actor=who, study_id=grant.study_id)
        for table in ("grants", "sessions"):
            db.execute(f"UPDATE {table} SET revoked_at = ? WHERE session_id = ? AND revoked_at IS NULL", [now(), session["session_id"]])


def link_of(store: Store, grant: Grant) -> InviteRecord | None:
    """The invitation that somebody came in by, while it lets more people in; None also for whoever came from a recruitment platform."""
    invite = store.row("SELECT i.* FROM grants g JOIN invites i USING (invite_id) WHERE g.grant_id = ?", InviteRecord, [grant.grant_id])
    if invite is None or not _usable(invite) or get_study(store, invite.study_id).state == "closed":
        return None
    return invite


def grants(store: Store, cookie: str | None) -> list[Grant]:
    """What this browser may do; empty without a valid cookie. Roles of revoked staff are left out, and of staff who were away too long."""
    return _held(store, cookie, idle=False)


def idle(store: Store, cookie: str | None) -> bool:
    """Whether access as staff has ended in this browser because nobody used it; their link brings them back."""
    return bool(_held(store, cookie, idle=True))


def _held(store: Store, cookie: str | None, *, idle: bool) -> list[Grant]:
    """The grants of a browser that work, or those of staff that would if it had not been left alone for so long."""
    if not cookie:
        return []
    here = "g.staff_id IS NULL OR coalesce(s.staff_until, '') > :now"
    rows = store.rows(
        "SELECT g.* FROM grants g JOIN sessions s USING (session_id) LEFT JOIN staff f USING (staff_id) "
        "WHERE s.cookie_hash = :cookie AND s.revoked_at IS NULL AND s.expires_at > :now AND g.revoked_at IS NULL AND f.revoked_at IS NULL "
        "AND (g.staff_id IS NULL OR EXISTS (SELECT 1 FROM roles r WHERE r.staff_id = g.staff_id AND r.study_id = g.study_id "
        f"AND r.role = g.role AND r.revoked_at IS NULL)) AND {'NOT ' if idle else ''}({here}) ORDER BY g.created_at, g.rowid",
        GrantRecord,
        {"cookie": _hash(cookie), "now": now()},
    )
    return [_grant(row) for row in rows]


def touch(store: Store, cookie: str | None, idle_hours: float = STAFF_IDLE_HOURS) -> None:
    """A sign of life of the person at a browser: their access as staff lasts for so long from now on. One that has ended stays ended."""
    if cookie and any(grant.staff_id for grant in grants(store, cookie)):
        row = store.one("SELECT session_id FROM sessions WHERE cookie_hash = ?", [_hash(cookie)])
        if row is not None:
            _seen(store, row["session_id"], idle_hours)


def require(store: Store, cookie: str | None, role: str, study_id: str | None = None) -> Grant:
    """The browser's grant for `role` in `study_id` (None: in any study).

    Raises:
        NotAllowed: it has none.
    """
    for grant in grants(store, cookie):
        if grant.allows(role, study_id):
            return grant
    raise NotAllowed(f"This needs the role {role}{' in this study' if study_id else ''}. Open your invitation link again, or ask for one.")


def player(store: Store, cookie: str | None, episode_id: str) -> Grant:
    """The browser's grant for playing this very episode.

    Raises:
        NotAllowed: the episode is not this participant's (or does not exist: the answer is the same).
    """
    row = store.one("SELECT participant_id FROM episodes WHERE episode_id = ?", [str(episode_id)])
    person = row["participant_id"] if row else None
    for grant in grants(store, cookie):
        if person is not None and grant.role == "participant" and grant.participant_id == person:
            return grant
    raise NotAllowed("This task is not yours, or your access has ended. Open your link again.")


def staff_beside(store: Store, participant_id: str, cookie: str | None = None) -> set[str]:
    """Staff ids that ever came in with a browser of this participant (or with the browser of `cookie`), revoked grants included."""
    rows = store.query(
        "SELECT DISTINCT g.staff_id FROM grants g JOIN sessions s USING (session_id) WHERE g.staff_id IS NOT NULL AND "
        "(s.cookie_hash = ? OR g.session_id IN (SELECT session_id FROM grants WHERE participant_id = ?))",
        [_hash(cookie or ""), participant_id],
    )
    return {row["staff_id"] for row in rows}


def same_people(store: Store, staff_id: str) -> list[str]:
    """The staff ids that are taken for one person with this one, itself included: one browser held them together at some time.

    Two links that were opened side by side are two names, and still one who sees what the other has seen.
    """
    rows = store.query(
        "SELECT DISTINCT o.staff_id FROM grants g JOIN grants o USING (session_id) WHERE g.staff_id = ? AND o.staff_id IS NOT NULL",
        [staff_id],
    )
    return sorted({staff_id} | {row["staff_id"] for row in rows})


def sign_out(store: Store, cookie: str | None, grant_id: str | None = None) -> None:
    """End one grant of this browser, or all. With the last one its session ends: who comes next at this computer begins another."""
    with store.atomic() as db:
        for grant in grants(store, cookie):
            if grant_id in (None, grant.grant_id):
                db.execute("UPDATE grants SET revoked_at = ? WHERE grant_id = ?", [now(), grant.grant_id])
                store.event(
                    "signed_out", {"grant": grant.grant_id}, actor=grant.staff_id or grant.participant_id or "", study_id=grant.study_id
                )
        db.execute(
            "UPDATE sessions SET revoked_at = ? WHERE cookie_hash = ? AND revoked_at IS NULL "
            "AND NOT EXISTS (SELECT 1 FROM grants g WHERE g.session_id = sessions.session_id AND g.revoked_at IS NULL)",
            [now(), _hash(cookie or "")],
        )


def revoke_staff(store: Store, staff_id: str, *, study_id: str | None = None, role: str | None = None, actor: str = "") -> None:
    """Take roles from a member of staff (in one study, one role, or everything, their links too); it works at once, in every browser."""
    with store.atomic() as db:
        db.execute(
            "UPDATE roles SET revoked_at = ? WHERE staff_id = ? AND revoked_at IS NULL "
            "AND (? IS NULL OR study_id = ?) AND (? IS NULL OR role = ?)",
            [now(), staff_id, study_id, study_id, role, role],
        )
        if study_id is None and role is None:
            db.execute("UPDATE staff SET revoked_at = coalesce(revoked_at, ?) WHERE staff_id = ?", [now(), staff_id])
            db.execute("UPDATE invites SET revoked_at = ? WHERE staff_id = ? AND revoked_at IS NULL", [now(), staff_id])
        store.event("staff_revoked", {"staff": staff_id, "role": role}, actor=actor, study_id=study_id)


def add_role(store: Store, staff_id: str, role: str, study_id: str, *, actor: str = "") -> None:
    """Give a member of staff another role; it works at once in every browser in which they have one.

    Raises:
        ValueError: no role of staff.
        NotAllowed: everything was taken from this person, or there is nobody with this id.
        UnknownStudy: no such study.
    """
    if role not in STAFF_ROLES:
        raise ValueError(f"role is one of {', '.join(STAFF_ROLES)}; got {role!r}")
    if study_id != EVERY_STUDY:
        get_study(store, study_id)
    with store.atomic() as db:
        if store.one("SELECT 1 AS yes FROM staff WHERE staff_id = ? AND revoked_at IS NULL", [staff_id]) is None:
            raise NotAllowed(f"{staff_id} is no member of staff now: invite the person again.")
        db.execute(
            "INSERT INTO roles (staff_id, study_id, role, granted_at) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (staff_id, study_id, role) DO UPDATE SET revoked_at = NULL, granted_at = excluded.granted_at "
            "WHERE revoked_at IS NOT NULL",
            [staff_id, study_id, role, now()],
        )
        for browser in store.query(
            "SELECT DISTINCT g.session_id FROM grants g JOIN sessions s USING (session_id) WHERE g.staff_id = ? AND g.revoked_at IS NULL "
            "AND s.revoked_at IS NULL",
            [staff_id],
        ):
            _sign_in(store, browser["session_id"], staff_id, role, study_id, None)
        store.event("role_added", {"staff": staff_id, "role": role}, actor=actor, study_id=study_id)


def holders(store: Store, roles: Sequence[str], study_id: str | None) -> list[str]:
    """Staff ids of those who hold one of the roles in a study or in every study; with no study, in every study."""
    rows = store.query(
        "SELECT DISTINCT r.staff_id FROM roles r JOIN staff s USING (staff_id) WHERE r.role IN (SELECT value FROM json_each(?)) "
        "AND r.study_id IN (?, ?) AND r.revoked_at IS NULL AND s.revoked_at IS NULL ORDER BY r.staff_id",
        [dumps(list(roles)), study_id or EVERY_STUDY, EVERY_STUDY],
    )
    return [row["staff_id"] for row in rows]


def _renewed(store: Store, cookie: str | None) -> tuple[str, str]:
    """The browser's session under a new cookie value, which the old one opens no more; a new session where it has none that lasts."""
    value = secrets.token_urlsafe(32)
    row = store.one(
        "SELECT session_id FROM sessions WHERE cookie_hash = ? AND revoked_at IS NULL AND expires_at > ?", [_hash(cookie or ""), now()]
    )
    with store.atomic() as db:
        if row is not None:
            db.execute("UPDATE sessions SET cookie_hash = ? WHERE session_id = ?", [_hash(value), row["session_id"]])
            return str(row["session_id"]), value
        session_id, at = new_id("se"), now()
        store.insert(
            "sessions",
            {"session_id": session_id, "cookie_hash": _hash(value), "created_at": at, "expires_at": _later(COOKIE_DAYS)}
            | {"revoked_at": None, "seen_at": at, "staff_until": None},
        )
    return session_id, value


def _seen(store: Store, session_id: str, idle_hours: float) -> None:
    """The person was there just now."""
    until = _later(idle_hours / 24)
    with store.atomic() as db:
        db.execute("UPDATE sessions SET seen_at = ?, staff_until = ? WHERE session_id = ?", [now(), until, session_id])


def _live_grants(store: Store, participant_id: str) -> list[GrantRecord]:
    """Grants of a participant in browsers whose access lasts."""
    return store.rows(
        "SELECT g.* FROM grants g JOIN sessions s USING (session_id) "
        "WHERE g.participant_id = ? AND g.revoked_at IS NULL AND s.revoked_at IS NULL AND s.expires_at > ? ORDER BY g.created_at",
        GrantRecord,
        [participant_id, now()],
    )


def _end_elsewhere(store: Store, study_id: str, participant_id: str, ended: Sequence[GrantRecord]) -> None:
    """A known person came on another browser: end these grants of theirs (none: they were refused), and keep that it happened."""
    with store.atomic() as db:
        for grant in ended:
            db.execute("UPDATE grants SET revoked_at = ? WHERE grant_id = ?", [now(), grant.grant_id])
        data = {"taken_over": bool(ended), "ended": [grant.grant_id for grant in ended]}
        store.event("other_browser", data, study_id=study_id, participant_id=participant_id)


def _add_staff(store: Store, name: str, study_id: str, role: str) -> str:
    staff_id, at = new_id("staff"), now()
    with store.atomic():
        store.insert("staff", {"staff_id": staff_id, "name": name, "created_at": at, "revoked_at": None})
        store.insert("roles", {"staff_id": staff_id, "study_id": study_id, "role": role, "granted_at": at, "revoked_at": None})
        store.event("staff_added", {"staff": staff_id, "role": role}, at=at, actor=staff_id, study_id=study_id)
    return staff_id


def _add_grant(
    store: Store, session_id: str, role: str, study_id: str, invite_id: str | None, *, participant_id: str | None, staff_id: str | None
) -> Grant:
    grant = GrantRecord(
        grant_id=new_id("gr"),
        session_id=session_id,
        role=role,
        study_id=study_id,
        participant_id=participant_id,
        staff_id=staff_id,
        invite_id=invite_id,
        created_at=now(),
        revoked_at=None,
    )
    with store.atomic():
        store.insert("grants", columns(grant))
        store.event("granted", {"grant": grant.grant_id, "role": role}, study_id=study_id, participant_id=participant_id)
    return _grant(grant)


def _grant(kept: GrantRecord) -> Grant:
    return Grant(kept.grant_id, kept.role, kept.study_id, kept.participant_id, kept.staff_id)


def _usable(invite: InviteRecord) -> bool:
    expired = invite.expires_at is not None and invite.expires_at <= now()
    return invite.revoked_at is None and not expired and (invite.uses_left is None or invite.uses_left > 0)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _later(days: float) -> str:
    return written(datetime.fromisoformat(now()) + timedelta(days=days))
