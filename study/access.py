"""Who may do what: invitations, cookies, grants, staff roles, keys of model agents. Tokens are kept as SHA-256 only.

One browser (one cookie) may hold several grants, say a participant's and a researcher's; the page picks. Every page and every command
asks `require` (staff), `player` (a participant's own episode) or `agent` (a model's key).
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from data.rows import columns
from data.store import Store, new_id, now
from study.errors import BadToken, NotAllowed, OtherBrowser
from study.participants import add_participant
from study.records import AgentKeyRecord, GrantRecord, InviteRecord
from study.studies import get_study

ROLES = ("participant", "annotator", "author", "reviewer", "researcher", "owner")
"""Roles in a study. ``owner`` also has what a researcher has and may invite and revoke; an ``annotator`` writes and reviews questions."""
STAFF_ROLES = tuple(role for role in ROLES if role != "participant")
IMPLIED: Mapping[str, frozenset[str]] = {role: frozenset((role,)) for role in ROLES} | {
    "owner": frozenset(("owner", "researcher")),
    "annotator": frozenset(("annotator", "author", "reviewer")),
}
"""Role → roles it counts as."""
EVERY_STUDY = "*"
"""A staff role in all studies."""
COOKIE_DAYS = 60
"""A browser's session ends after this many days."""


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


@dataclass(frozen=True)
class Agent:
    """A model agent's key."""

    key_id: str
    study_id: str
    name: str


def first_admin_token(store: Store) -> str | None:
    """A one-time token that makes its bearer owner of everything; None once somebody is. An earlier unused one stops working."""
    with store.atomic() as db:
        if store.one("SELECT 1 AS yes FROM roles WHERE role = 'owner' AND study_id = ? AND revoked_at IS NULL", [EVERY_STUDY]):
            return None
        db.execute("UPDATE invites SET revoked_at = ? WHERE label = 'first admin' AND revoked_at IS NULL", [now()])
        return create_invite(store, "owner", EVERY_STUDY, label="first admin", uses=1)


def create_invite(
    store: Store, role: str, study_id: str, *, label: str = "", uses: int | None = None, days: int | None = None, actor: str = "setup"
) -> str:
    """A link token for one role in one study.

    Args:
        store: the database.
        role: one of `ROLES`.
        study_id: the study, or ``*`` for staff of all studies.
        label: a note for staff; the name of the invited person.
        uses: how many browsers may use it; None: any number.
        days: valid this long; None: until revoked.
        actor: who invites (staff id).

    Returns:
        The token (shown once: only its hash is kept).

    Raises:
        ValueError: unknown role, or a participant without a study.
        UnknownStudy: no such study.
    """
    if role not in ROLES or (role == "participant" and study_id == EVERY_STUDY):
        raise ValueError(f"role is one of {', '.join(ROLES)}, a participant needs a study; got {role!r} in {study_id!r}")
    if study_id != EVERY_STUDY:
        get_study(store, study_id)
    token, invite_id = secrets.token_urlsafe(24), new_id("in")
    with store.atomic():
        store.insert(
            "invites",
            {"invite_id": invite_id, "token_hash": _hash(token), "role": role, "study_id": study_id, "label": label, "uses_left": uses}
            | {"created_at": now(), "expires_at": _later(days) if days else None, "revoked_at": None},
        )
        store.event("invited", {"invite": invite_id, "role": role, "label": label}, actor=actor, study_id=study_id)
    return token


def is_valid(store: Store, token: str) -> bool:
    """Whether an invitation token still works."""
    invite = store.row("SELECT * FROM invites WHERE token_hash = ?", InviteRecord, [_hash(token)])
    return invite is not None and _usable(invite)


def revoke_invite(store: Store, invite_id: str, *, actor: str = "") -> None:
    """An invitation stops working; grants made with it stay."""
    with store.atomic() as db:
        db.execute("UPDATE invites SET revoked_at = coalesce(revoked_at, ?) WHERE invite_id = ?", [now(), invite_id])
        store.event("invite_revoked", {"invite": invite_id}, actor=actor)


def enter(store: Store, token: str, cookie: str | None = None) -> tuple[str, Grant]:
    """Come in by an invitation.

    A browser that came in by it before gets the same grant again, without using it up.

    Args:
        store: the database.
        token: from the link.
        cookie: the browser's cookie, if it has one.

    Returns:
        The cookie value to set, and the grant.

    Raises:
        BadToken: unknown, used up, expired or revoked; or it is for new participants of a closed study.
    """
    with store.atomic() as db:
        invite = store.row("SELECT * FROM invites WHERE token_hash = ?", InviteRecord, [_hash(token)])
        if invite is None:
            raise BadToken("This link is not known here. Check that it is complete, or ask for a new one.")
        session_id, cookie = _session(store, cookie)
        known = store.row(
            "SELECT * FROM grants WHERE session_id = ? AND invite_id = ? AND revoked_at IS NULL",
            GrantRecord,
            [session_id, invite.invite_id],
        )
        if known is not None and invite.revoked_at is None:
            return cookie, _grant(known)
        if not _usable(invite):
            raise BadToken("This link has been used up, has expired or was withdrawn. Ask for a new one.")
        if invite.role == "participant" and get_study(store, invite.study_id).state == "closed":
            raise BadToken("This study is closed: nobody new can take part. Thank you for coming.")
        if invite.uses_left is not None:
            db.execute("UPDATE invites SET uses_left = uses_left - 1 WHERE invite_id = ?", [invite.invite_id])
        if invite.role == "participant":
            person = {"participant_id": add_participant(store, invite.study_id), "staff_id": None}
        else:
            staff_id = _add_staff(store, invite.label or invite.role, invite.study_id, invite.role)
            person = {"participant_id": None, "staff_id": staff_id}
        return cookie, _add_grant(store, session_id, invite.role, invite.study_id, invite.invite_id, **person)


def enter_recruited(store: Store, params: Mapping[str, str], cookie: str | None = None) -> tuple[str, Grant]:
    """Come in from a recruitment platform, by its address parameters (``PROLIFIC_PID``, ``STUDY_ID``, ``SESSION_ID`` by default).

    The same person in the same study is the same participant. On another browser than before they go on and the earlier browser's access
    ends, or they are refused, as the study says (`Recruitment.other_browser`); each is an event.

    Raises:
        BadToken: the parameters name no live study here, or no person.
        OtherBrowser: they came in on another browser, and the study binds them to it.
    """
    for row in store.query("SELECT study_id FROM studies WHERE state = 'live'"):
        study = get_study(store, row["study_id"])
        names = study.recruitment
        if names is None or not names.external_study or params.get(names.study_param) != names.external_study:
            continue
        person = params.get(names.person_param, "").strip()
        if not person or len(person) > 200:
            raise BadToken(f"The address lacks your id ({names.person_param}). Open the study from the recruitment site again.")
        with store.atomic():
            participant_id = add_participant(
                store,
                study.study_id,
                {"source": names.source, "external_id": person, "external_study": names.external_study}
                | {"external_session": params.get(names.session_param, "")},
            )
            session_id, cookie = _session(store, cookie)
            elsewhere = _live_grants(store, participant_id)
            known = [grant for grant in elsewhere if grant.session_id == session_id]
            if known:
                return cookie, _grant(known[0])
            refused = bool(elsewhere) and names.other_browser == "refuse"
            if elsewhere:
                _end_elsewhere(store, study.study_id, participant_id, [] if refused else elsewhere)
            if not refused:
                grant = _add_grant(store, session_id, "participant", study.study_id, None, participant_id=participant_id, staff_id=None)
                return cookie, grant
        raise OtherBrowser("You began this study in another browser. Please go on there: your place is kept.")
    raise BadToken("This address belongs to no open study here. The study may be over, or the link incomplete.")


def grants(store: Store, cookie: str | None) -> list[Grant]:
    """What this browser may do; empty without a valid cookie. Roles of revoked staff are left out."""
    if not cookie:
        return []
    rows = store.rows(
        "SELECT g.* FROM grants g JOIN sessions s USING (session_id) LEFT JOIN staff f USING (staff_id) "
        "WHERE s.cookie_hash = ? AND s.revoked_at IS NULL AND s.expires_at > ? AND g.revoked_at IS NULL AND f.revoked_at IS NULL "
        "AND (g.staff_id IS NULL OR EXISTS (SELECT 1 FROM roles r WHERE r.staff_id = g.staff_id AND r.study_id = g.study_id "
        "AND r.role = g.role AND r.revoked_at IS NULL)) ORDER BY g.created_at, g.grant_id",
        GrantRecord,
        [_hash(cookie), now()],
    )
    return [_grant(row) for row in rows]


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


def sign_out(store: Store, cookie: str | None, grant_id: str | None = None) -> None:
    """End one grant of this browser, or all."""
    with store.atomic() as db:
        for grant in grants(store, cookie):
            if grant_id in (None, grant.grant_id):
                db.execute("UPDATE grants SET revoked_at = ? WHERE grant_id = ?", [now(), grant.grant_id])
                store.event(
                    "signed_out", {"grant": grant.grant_id}, actor=grant.staff_id or grant.participant_id or "", study_id=grant.study_id
                )


def revoke_staff(store: Store, staff_id: str, *, study_id: str | None = None, role: str | None = None, actor: str = "") -> None:
    """Take roles from a member of staff (in one study, one role, or everything); it works at once, in every browser."""
    with store.atomic() as db:
        db.execute(
            "UPDATE roles SET revoked_at = ? WHERE staff_id = ? AND revoked_at IS NULL "
            "AND (? IS NULL OR study_id = ?) AND (? IS NULL OR role = ?)",
            [now(), staff_id, study_id, study_id, role, role],
        )
        if study_id is None and role is None:
            db.execute("UPDATE staff SET revoked_at = coalesce(revoked_at, ?) WHERE staff_id = ?", [now(), staff_id])
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
        browsers = store.query(
            "SELECT DISTINCT g.session_id FROM grants g JOIN sessions s USING (session_id) WHERE g.staff_id = ? AND g.revoked_at IS NULL "
            "AND s.revoked_at IS NULL AND NOT EXISTS (SELECT 1 FROM grants o WHERE o.session_id = g.session_id AND o.staff_id = g.staff_id "
            "AND o.role = ? AND o.study_id = ? AND o.revoked_at IS NULL)",
            [staff_id, role, study_id],
        )
        for browser in browsers:
            _add_grant(store, browser["session_id"], role, study_id, None, participant_id=None, staff_id=staff_id)
        store.event("role_added", {"staff": staff_id, "role": role}, actor=actor, study_id=study_id)


def create_agent_key(store: Store, study_id: str, name: str, *, actor: str = "") -> str:
    """A bearer key for a model agent in a study; names are unique among its live keys.

    Returns:
        The key (shown once).

    Raises:
        ValueError: the name is taken or empty.
    """
    get_study(store, study_id)
    key, key_id = secrets.token_urlsafe(32), new_id("ak")
    with store.atomic():
        taken = store.one("SELECT 1 AS yes FROM agent_keys WHERE study_id = ? AND name = ? AND revoked_at IS NULL", [study_id, name])
        if taken or not name.strip():
            raise ValueError(f"name: give another name, {name!r} is {'taken' if taken else 'empty'}")
        store.insert(
            "agent_keys",
            {"key_id": key_id, "token_hash": _hash(key), "study_id": study_id, "name": name, "created_at": now(), "revoked_at": None},
        )
        store.event("agent_key", {"key": key_id, "name": name}, actor=actor, study_id=study_id)
    return key


def revoke_agent_key(store: Store, key_id: str, *, actor: str = "") -> None:
    """A key stops working at once."""
    with store.atomic() as db:
        db.execute("UPDATE agent_keys SET revoked_at = coalesce(revoked_at, ?) WHERE key_id = ?", [now(), key_id])
        store.event("agent_key_revoked", {"key": key_id}, actor=actor)


def agent(store: Store, key: str | None, episode_id: str | None = None) -> Agent:
    """The agent behind a bearer key; with `episode_id`, only if the episode is its own.

    Raises:
        NotAllowed: unknown or revoked key, or another's episode.
    """
    kept = store.row("SELECT * FROM agent_keys WHERE token_hash = ? AND revoked_at IS NULL", AgentKeyRecord, [_hash(key or "")])
    if kept is None:
        raise NotAllowed("This needs a valid key: send it as 'Authorization: Bearer …'.")
    found = Agent(kept.key_id, kept.study_id, kept.name)
    if episode_id is not None:
        episode = store.one("SELECT study_id, agent_kind, agent_name FROM episodes WHERE episode_id = ?", [str(episode_id)])
        if episode is None or (episode["study_id"], episode["agent_kind"], episode["agent_name"]) != (found.study_id, "model", found.name):
            raise NotAllowed("This episode does not belong to this key.")
    return found


def _session(store: Store, cookie: str | None) -> tuple[str, str]:
    """The browser's session, a new one where its cookie is missing or no longer good."""
    if cookie:
        row = store.one(
            "SELECT session_id FROM sessions WHERE cookie_hash = ? AND revoked_at IS NULL AND expires_at > ?", [_hash(cookie), now()]
        )
        if row is not None:
            return str(row["session_id"]), cookie
    cookie, session_id = secrets.token_urlsafe(32), new_id("se")
    with store.atomic():
        store.insert(
            "sessions",
            {
                "session_id": session_id,
                "cookie_hash": _hash(cookie),
                "created_at": now(),
                "expires_at": _later(COOKIE_DAYS),
                "revoked_at": None,
            },
        )
    return session_id, cookie


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


def _later(days: int) -> str:
    return (datetime.now(UTC) + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
