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
    returning: bool
    """A recruited person who takes part already and has consented; nothing is asked of them."""

    @property
    def asks_consent(self) -> bool:
        """Whether welcome and consent are due."""
        return self.role == "participant" and not self.returning


def arrival(store: Store, params: Mapping[str, str], cookie: str | None = None) -> Arrival:
    """What a link's address parameters mean for the browser of `cookie`. Nothing is changed or counted.

    Args:
        store: the database.
        params: of the address: ``invite``, or a recruitment platform's.
        cookie: the browser's cookie, if it has one.

    Raises:
        BadToken: the link lets nobody in (any more); says why.
    """
    if INVITE in params:
        token = params[INVITE].strip()
        invite, grant = access.invitation(store, token, cookie)
        study = None if invite.study_id == EVERY_STUDY else get_study(store, invite.study_id)
        return Arrival(invite.invite_id, {INVITE: token}, invite.role, study, invite.label, grant, returning=False)
    study, whom = access.recruited(store, params)
    names = study.recruitment
    assert names is not None
    kept = {name: params[name] for name in (names.person_param, names.study_param, names.session_param) if name in params}
    known = participants.known_as(store, study.study_id, whom)
    grant = access.held_as(store, cookie, known.participant_id) if known else None
    returning = known is not None and known.state not in participants.UNDECIDED
    return Arrival(study.study_id, kept, "participant", study, "", grant, returning)


def come_in(store: Store, params: Mapping[str, str], cookie: str | None = None) -> tuple[str, Grant]:
    """Come in by a link, of either kind; what `access.enter` and `access.enter_recruited` say holds.

    Returns:
        The cookie value to set, and the grant.
    """
    if INVITE in params:
        return access.enter(store, params[INVITE].strip(), cookie)
    return access.enter_recruited(store, params, cookie)
