"""What stands behind a link, for one browser: read without changing anything, so that a scanner or a preview that looks uses nothing up.

Coming in is `study.access.enter` and `enter_recruited`, and a person's own doing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from data.store import Store
from study import access, participants
from study.access import EVERY_STUDY, Grant
from study.studies import Study, get_study

INVITE = "invite"
"""The parameter of an invitation link."""


@dataclass(frozen=True)
class Arrival:
    """Somebody came by a link that works."""

    ref: str
    """Names the link in an address: the invitation's id, or the study's. It opens nothing."""
    fields: Mapping[str, str]
    """What of the address lets in."""
    role: str
    study: Study | None
    """None: staff of all studies."""
    label: str
    """What the invitation says of whom it is for."""
    grant: Grant | None
    """What this browser has by the link already: it may go straight on."""
    kiosk: bool
    """For a computer that several people use one after the other: opening the link begins with the next person."""
    leave: tuple[Grant, ...]
    """What this browser can do now and loses when somebody comes in by the link."""
    returning: bool
    """A recruited person who takes part already and has consented; nothing is asked of them."""

    @property
    def asks_consent(self) -> bool:
        """Whether welcome and consent are due."""
        return self.role == "participant" and not self.returning


def arrival(store: Store, params: Mapping[str, str], cookie: str | None = None, *, opened: bool = False) -> Arrival:
    """What a link's address parameters mean for the browser of `cookie`. Nothing is changed or counted.

    Args:
        store: the database.
        params: of the address: ``invite``, or a recruitment platform's.
        cookie: the browser's cookie, if it has one.
        opened: the link was opened just now, so that with one for a shared computer somebody new is there.

    Raises:
        BadToken: the link lets nobody in (any more); says why.
    """
    if INVITE in params:
        token = params[INVITE].strip()
        invite, grant = access.invitation(store, token, cookie, opened=opened)
        study = None if invite.study_id == EVERY_STUDY else get_study(store, invite.study_id)
        kiosk = access.is_kiosk(store, invite)
        leave = _leaving(store, cookie, study, None, kiosk) if invite.role == "participant" and study else ()
        fields = {INVITE: token}
        return Arrival(invite.invite_id, fields, invite.role, study, invite.label, grant, kiosk, leave, returning=False)
    study, whom = access.recruited(store, params)
    names = study.recruitment
    assert names is not None
    kept = {name: params[name] for name in (names.person_param, names.study_param, names.session_param) if name in params}
    known = participants.known_as(store, study.study_id, whom)
    grant = access.held_as(store, cookie, known.participant_id) if known else None
    returning = known is not None and known.state not in participants.UNDECIDED
    leave = _leaving(store, cookie, study, known.participant_id if known else None, study.kiosk and known is None)
    return Arrival(study.study_id, kept, "participant", study, "", grant, study.kiosk, leave, returning)


def _leaving(store: Store, cookie: str | None, study: Study, person: str | None, kiosk: bool) -> tuple[Grant, ...]:
    others = {grant.participant_id for grant in access.participants_here(store, cookie, study.study_id)} - {person}
    return tuple(access.grants(store, cookie)) if kiosk or others else ()


def next_at(store: Store, grant: Grant) -> str | None:
    """Names the link by which the next person may take part at this participant's computer; None where there is none.

    Whoever came from a recruitment platform has no such link; where the study is one for shared computers, the platform's own leads on.
    """
    invite = access.link_of(store, grant)
    if invite is not None:
        return invite.invite_id
    study = get_study(store, grant.study_id)
    by_platform = study.recruitment is not None and store.one(
        "SELECT 1 AS yes FROM recruitment WHERE participant_id = ?", [grant.participant_id]
    )
    return study.study_id if by_platform and study.kiosk and study.state == "live" else None


def is_shared(store: Store, study: Study, grant: Grant) -> bool:
    """Whether this participant's computer is known to be for several people."""
    invite = access.link_of(store, grant)
    return (
        study.kiosk
        or (invite is not None and invite.kiosk)
        or participants.get_participant(store, grant.participant_id or "").shared_computer
    )


def come_in(store: Store, params: Mapping[str, str], cookie: str | None = None, *, next_person: bool = False) -> tuple[str, Grant]:
    """Come in by a link, of either kind; what `access.enter` and `access.enter_recruited` say holds.

    Returns:
        The cookie value to set, and the grant.
    """
    if INVITE in params:
        return access.enter(store, params[INVITE].strip(), cookie, next_person=next_person)
    return access.enter_recruited(store, params, cookie, next_person=next_person)
