"""Who works on a study: their roles, when they were last there, their links; inviting, naming, signing out and taking back.

Who may do what is asked of `app.rights` for every press of a button: owners give and take every role of theirs, researchers those of people
who make and judge questions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from app import identity, rights
from app.address import invitation_link
from app.pages import qa_parts, said, tables
from app.pages.page import Page
from app.pages.parts import base_address, begin, plain_text, sheet, when
from app.services import Services, current
from study import access, admission, people
from study.access import EVERY_STUDY, ROLES_IN_WORDS, Grant
from study.admission import Invitation
from study.errors import NotAllowed, StudyError
from study.people import Member
from study.studies import list_studies

DAYS = 14
"""A link for somebody new has to be opened within so many days, unless another number is given."""
COPY_IT = "Copy it now: only a fingerprint of it is kept. It is this person's way in, in any browser: send it to nobody else."
SAID = "people"
"""The name of every deed of the page, for the second press of a double click."""
INVITING, WAITING, ONE = "people-inviting", "people-waiting", "people-one"
"""Where it is said what the last press did, or why it did not, and the link that it made: below the buttons of that part, which stay where
they are."""


def page(grant: Grant) -> None:
    """The list, and what can be done about one of them."""
    begin("Vantage: people", layout="wide")
    services = _allowed(grant)
    st.html(qa_parts.STYLE)
    st.title("People", anchor=False)
    names = _studies(services, grant)
    members = people.staff(services.store, grant.study_id)
    _list(members, names)
    waiting = [
        row for row in admission.invitations(services.store, _scope(grant), staff=True) if row.staff_id is None and row.state != "revoked"
    ]
    # Before those who are waiting: each invitation makes their list longer.
    _invite(grant, names)
    _waiting(grant, waiting, names)
    said.show(WAITING)
    here = [member for member in members if member.revoked_at is None]
    if here:
        _one(services, grant, here, names)
    said.show(ONE)
    st.caption("Participants come by links of their own: see the page Episodes. On the command line: `vantage staff`.")


def _allowed(grant: Grant) -> Services:
    services = current()
    rights.still(services.store, identity.page_cookie(), grant, *rights.LEADS)
    return services


def _scope(grant: Grant) -> str | None:
    return None if grant.study_id == EVERY_STUDY else grant.study_id


def _studies(services: Services, grant: Grant) -> dict[str, str]:
    """Study → its name, of those in which this grant counts."""
    found = {study.study_id: study.name for study in list_studies(services.store) if grant.study_id in (EVERY_STUDY, study.study_id)}
    return ({EVERY_STUDY: "all studies"} if grant.study_id == EVERY_STUDY else {}) | found


def _in_words(role: str, study_id: str, names: dict[str, str]) -> str:
    """``annotator in Spring``; a study of others, where this page's reader works on one alone, has no name here."""
    return f"{role} in {names.get(study_id) or ('all studies' if study_id == EVERY_STUDY else 'another study')}"


# what is shown


def _list(members: list[Member], names: dict[str, str]) -> None:
    if not members:
        st.info("Nobody works here yet. Invite somebody below.")
        return
    rows = [
        [
            member.name,
            "; ".join(_in_words(role.role, role.study, names) for role in member.roles) or "no role any more",
            when(member.seen_at) or "never",
            member.browsers or "",
            "yes" if member.links else "none",
            when(member.created_at),
        ]
        for member in members
    ]
    head = ["Name", "Roles", "Last there", "Signed in, browsers", "Link", "Since"]
    st.html(tables.table(head, rows, numbers=[3]))


def _waiting(grant: Grant, waiting: list[Invitation], names: dict[str, str]) -> None:
    if not waiting:
        return
    st.header("Invited, not here yet", anchor=False)
    for row in waiting:
        words, again, away = st.columns([6, 1, 1], vertical_alignment="center")
        state = "expired" if row.state == "expired" else f"until {row.expires_at[:10]}" if row.expires_at else "no end"
        if row.came:
            # several came by it before a link was one person's
            state = "used by several people, closed to others"
        words.html(qa_parts.line(f"{row.label or 'no name'} · {_in_words(row.role, row.study_id, names)} · {state}"))
        mine = row.role in rights.appoints(grant)
        again.button(
            "New link", key=f"again-{row.invite_id}", width="stretch", disabled=not mine, on_click=_renew, args=[grant, row],
            help="Makes another link for the same invitation; the one before no longer works.",
        )  # fmt: skip
        away.button("Withdraw", key=f"away-{row.invite_id}", width="stretch", disabled=not mine, on_click=_withdraw, args=[grant, row])


# what can be done


@dataclass(frozen=True)
class Done:
    """What a deed says of itself, and the token of the link that it made."""

    words: str
    token: str = ""


@said.held()
def _do(place: str, grant: Grant, work: Callable[[Services], Done], asked: Callable[[Services], Grant]) -> None:
    """Do something after the server has said that this browser may; what came of it is told in this place by the next run."""
    if said.twice(SAID):
        return
    try:
        services = _allowed(grant)
        asked(services)
        done = work(services)
        said.over(*{INVITING, WAITING, ONE} - {place})
        said.done(place, done.words, link=invitation_link(base_address(), done.token) if done.token else "", of_link=COPY_IT, deed=SAID)
    except (StudyError, ValueError) as error:
        said.refused(place, str(error))
    st.session_state.pop("people_sure", None)


def _appointer(role: str, study_id: str) -> Callable[[Services], Grant]:
    return lambda services: rights.appointer(services.store, identity.page_cookie(), role, study_id)


def _head(staff_id: str) -> Callable[[Services], Grant]:
    return lambda services: rights.head_of(services.store, identity.page_cookie(), people.member(services.store, staff_id))


def _me(grant: Grant) -> str:
    return grant.staff_id or ""


def _invite(grant: Grant, names: dict[str, str]) -> None:
    st.header("Invite somebody", anchor=False)
    form = sheet("people-invite")
    with st.form(form.key, border=False):
        who, what, where, days = st.columns([3, 3, 3, 1])
        name = who.text_input("Name", max_chars=people.MAX_NAME, help="For lists; one link is one person.")
        role = what.selectbox("Role", rights.appoints(grant), format_func=lambda role: f"{role}: {ROLES_IN_WORDS[role]}")
        study_id = where.selectbox("Where", list(names), format_func=names.__getitem__)
        until = days.number_input("Days", 1, 3650, DAYS, help="Days within which the link has to be opened; after that it stays theirs.")
        pressed = st.form_submit_button("Make the link", type="primary")
        said.show(INVITING)
        if pressed:

            def work(services: Services) -> Done:
                called = people.checked_name(name)
                token = access.create_invite(services.store, role, study_id, label=called, days=int(until), actor=_me(grant))
                form.used()
                return Done(f"{called} is invited as {_in_words(role, study_id, names)}.", token)

            _do(INVITING, grant, work, _appointer(role, study_id))
            st.rerun()


def _renew(grant: Grant, row: Invitation) -> None:
    def work(services: Services) -> Done:
        token = people.renew_invitation(services.store, row.invite_id, days=DAYS, actor=_me(grant))
        return Done(f"A new link for {row.label or row.role}; the one before no longer works.", token)

    _do(WAITING, grant, work, _appointer(row.role, row.study_id))


def _withdraw(grant: Grant, row: Invitation) -> None:
    def work(services: Services) -> Done:
        access.revoke_invite(services.store, row.invite_id, actor=_me(grant))
        return Done(f"The invitation of {row.label or row.role} is withdrawn.")

    _do(WAITING, grant, work, _appointer(row.role, row.study_id))


def _one(services: Services, grant: Grant, members: list[Member], names: dict[str, str]) -> None:
    st.header("One person", anchor=False)
    known = {member.staff_id: member for member in members}
    shown = qa_parts.names(services.store, known)
    chosen = st.selectbox("Person", list(known), format_func=shown.__getitem__, index=None, placeholder="Choose somebody", key="people_one")
    if chosen is None:
        return
    member = known[chosen]
    try:
        rights.head_of(services.store, identity.page_cookie(), member)
        head = True
    except NotAllowed:
        head = False
    me = chosen in {held.staff_id for held in rights.held(services.store, identity.page_cookie())}
    if not head:
        st.caption("This person has a role that you cannot give, so you cannot change their link, name or browsers.")
    link, out, _ = st.columns([1, 1, 3])
    link.button(
        "New link", key=f"link-{chosen}", width="stretch", disabled=not head or not member.roles, on_click=_new_link, args=[grant, member],
        help="For a link that was lost: the same person; earlier links no longer work.",
    )  # fmt: skip
    out.button(
        "Sign out everywhere", key=f"out-{chosen}", width="stretch", disabled=not head or not member.browsers,
        on_click=_sign_out, args=[grant, member], help="Ends their access in every browser at once; their link brings them back.",
    )  # fmt: skip
    _roles(grant, member, names, me=me)
    _more(grant, member, names, head=head, me=me)


def _new_link(grant: Grant, member: Member) -> None:
    def work(services: Services) -> Done:
        token = people.new_link(services.store, member.staff_id, actor=_me(grant))
        return Done(f"A new link for {member.name}; earlier ones no longer work.", token)

    _do(ONE, grant, work, _head(member.staff_id))


def _sign_out(grant: Grant, member: Member) -> None:
    def work(services: Services) -> Done:
        ended = people.sign_out_everywhere(services.store, member.staff_id, actor=_me(grant))
        return Done(f"{member.name} is signed out of {ended} browser{'s' if ended != 1 else ''}.")

    _do(ONE, grant, work, _head(member.staff_id))


def _roles(grant: Grant, member: Member, names: dict[str, str], *, me: bool) -> None:
    """Taking a role back: asked twice, since what somebody has open is gone at once."""
    for role in member.roles:
        if role.role not in rights.appoints(grant) or grant.study_id not in (role.study, EVERY_STUDY):
            continue
        this, told = (member.staff_id, role.role, role.study), _in_words(role.role, role.study, names)
        if me:
            st.caption(f"{plain_text(told).capitalize()}: your own; another can take it from you.")
        elif st.session_state.get("people_sure") != this:
            st.button(f"Take back: {plain_text(told)}", key=f"take-{'-'.join(this)}", on_click=_ask, args=[this])
        else:
            _sure(
                f"{member.name} will not be {told} any more, at once and in every browser. What they did is kept.",
                lambda role=role: _take(grant, member, role.role, role.study, names),  # type: ignore[misc]
            )


def _more(grant: Grant, member: Member, names: dict[str, str], *, head: bool, me: bool) -> None:
    with st.expander("Another role, another name"):
        with st.form(f"people-role-{member.staff_id}", border=False):
            left, right, _ = st.columns([2, 2, 1])
            role = left.selectbox("Role", rights.appoints(grant), format_func=lambda role: f"{role}: {ROLES_IN_WORDS[role]}")
            study_id = right.selectbox("Where", list(names), format_func=names.__getitem__)
            if st.form_submit_button("Give the role"):

                def give(services: Services) -> Done:
                    access.add_role(services.store, member.staff_id, role, study_id, actor=_me(grant))
                    return Done(f"{member.name} is {_in_words(role, study_id, names)} now.")

                _do(ONE, grant, give, _appointer(role, study_id))
                st.rerun()
        with st.form(f"people-name-{member.staff_id}", border=False):
            name = st.text_input("Name", member.name, max_chars=people.MAX_NAME)
            if st.form_submit_button("Change the name", disabled=not head):

                def call(services: Services) -> Done:
                    people.rename(services.store, member.staff_id, name, actor=_me(grant))
                    return Done(f"{member.name} is called {people.checked_name(name)} now.")

                _do(ONE, grant, call, _head(member.staff_id))
                st.rerun()
    if head and not me:
        everything = (member.staff_id, "", "")
        if st.session_state.get("people_sure") != everything:
            st.button("Take everything back", key=f"all-{member.staff_id}", on_click=_ask, args=[everything])
        else:
            _sure(
                f"{member.name} loses every role and their link, at once and in every browser, and cannot be given a role again: they "
                "would have to be invited as somebody new. What they did is kept.",
                lambda: _take_all(grant, member),
            )


def _ask(this: tuple[str, str, str]) -> None:
    st.session_state["people_sure"] = this


def _sure(sentence: str, work: Callable[[], None]) -> None:
    """What it means, and the two ways on."""
    st.warning(plain_text(sentence))
    yes, no, _ = st.columns([1, 1, 4])
    yes.button("Yes, take it back", key="people-yes", type="primary", width="stretch", on_click=work)
    no.button("No, keep it", key="people-no", width="stretch", on_click=lambda: st.session_state.pop("people_sure", None))


def _take(grant: Grant, member: Member, role: str, study_id: str, names: dict[str, str]) -> None:
    def work(services: Services) -> Done:
        access.revoke_staff(services.store, member.staff_id, role=role, study_id=study_id, actor=_me(grant))
        return Done(f"{member.name} is no longer {_in_words(role, study_id, names)}.")

    _do(ONE, grant, work, _appointer(role, study_id))


def _take_all(grant: Grant, member: Member) -> None:
    def work(services: Services) -> Done:
        access.revoke_staff(services.store, member.staff_id, actor=_me(grant))
        return Done(f"Everything is taken from {member.name}.")

    _do(ONE, grant, work, _head(member.staff_id))


PAGES = (Page("People", "people", roles=rights.LEADS, draw=lambda visit: page(visit.grant), group="Study"),)
