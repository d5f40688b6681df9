"""A recruitment platform's list beside who took part, on the page of payments: read from an upload, kept nowhere. People are named by their
number; the platform's ids stand in the list alone."""

from __future__ import annotations

import streamlit as st

from app import identity, rights
from app.pages import said, tables
from app.pages.parts import plain_text
from app.services import Services
from data.plurals import number_of
from study import reconciling
from study.access import Grant
from study.reconcile_kinds import BY_NAME
from study.recruiter_list import BadList, Claim, read_rows
from study.studies import Study

SHOWN = 200
"""Differences that are listed at most."""
WRITTEN = "payments-written"
"""Where the page says how many payments were written."""


def compared(services: Services, grant: Grant, study: Study, name: str, data: bytes, column: str = "") -> None:
    """What came of a list.

    Args:
        services: of the app.
        grant: who looks.
        study: with which it is compared.
        name: of the file, for messages.
        data: the file.
        column: how the column of the person's id is called; empty: as usual.
    """
    rights.in_study(services.store, identity.page_cookie(), "researcher", study.study_id)
    try:
        claims, notes = read_rows(data, name, {"person": column} if column else {})
    except BadList as error:
        st.error(plain_text(str(error)))
        return
    found = reconciling.reconcile_claims(services.store, study.study_id, claims, notes)
    _tell(found)
    _pay(services, grant, study, found, claims)


def _tell(found: reconciling.Reconciled) -> None:
    """Counts, and each difference with what to do."""
    told = f"{found.differences:,} differences." if found.differences else "Nothing differs."
    (st.warning if found.differences else st.success)(plain_text(told))
    rows = [[BY_NAME[kind].words.capitalize(), count] for kind, count in found.counts.items()]
    st.html(tables.table(["What", "How many"], rows, numbers=[1]))
    differing = [finding for finding in found.findings if not BY_NAME[finding.kind].agrees]
    if differing:
        lines = [["" if one.row is None else one.row, one.who, one.sentence, one.todo] for one in differing[:SHOWN]]
        st.html(tables.table(["Line", "Who", "What differs", "What to do"], lines, numbers=[0]))
        if len(differing) > SHOWN:
            st.caption(plain_text(f"{len(differing) - SHOWN:,} further ones: `vantage study reconcile` lists all."))
    for note in found.notes:
        st.caption(plain_text(note))
    if found.by_invitation:
        st.caption(
            plain_text(f"{number_of(found.by_invitation, 'person', 'people')} came by an invitation link: no platform knows of that.")
        )


def _pay(services: Services, grant: Grant, study: Study, found: reconciling.Reconciled, claims: list[Claim]) -> None:
    """What the platform has paid, into the ledger."""
    if not study.pay.currency or not any(claim.status == "paid" for claim in claims):
        return
    pressed = st.button("Write what the platform has paid into the ledger", help="Each submission once, however often the list is given.")
    if pressed and not said.twice(WRITTEN):
        rights.in_study(services.store, identity.page_cookie(), "researcher", study.study_id)
        written = reconciling.note_paid(services.store, found, claims, actor=grant.staff_id or "")
        words = f"{number_of(written, 'payment was', 'payments were')} written."
        said.done(WRITTEN, words, about=study.study_id, deed=WRITTEN)
    said.show(WRITTEN, study.study_id)
