"""What a study owes and has paid, person by person, with the hourly pay as it was measured. It checks the role itself. Nobody is named here
but by their number; the platform's ids stand in the recruiter's file alone."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from functools import partial
from html import escape

import pandas as pd
import streamlit as st

from app import identity, rights, staff_api
from app.pages import researcher_reconciling, tables
from app.pages.page import Page
from app.pages.parts import begin, kind_of_run, list_key, plain_text, sheet, told_apart, when
from app.services import Services, current
from data.plurals import number_of
from study import payments, released
from study.access import EVERY_STUDY, Grant
from study.outcome_of import TRYING
from study.paying import PART_IN_WORDS, money
from study.payments import Account, BadPayment, Kind
from study.returning import IN_WORDS
from study.studies import Study, get_study, list_studies
from study.words import person as person_name

KINDS: dict[Kind, str] = {"paid": "A payment", "correction": "A correction of what is due", "bonus": "A bonus"}
HOUR = 3_600_000
COLUMNS = {
    "Minutes": st.column_config.NumberColumn(format="%.1f", help="Worked for us: all but the time away. Waiting for us is paid time."),
    "Thinking": st.column_config.NumberColumn(format="%.1f", help="Minutes with a picture on the screen and the next action theirs."),
    "Waiting": st.column_config.NumberColumn(format="%.1f", help="Minutes in which they waited for us."),
    "Away": st.column_config.NumberColumn(format="%.1f", help="Minutes with the tab hidden, in another window, or gone; not paid time."),
    "An hour": st.column_config.TextColumn(help="What is due for an hour as measured."),
}


def page(grant: Grant) -> None:
    """The ledger."""
    begin("Vantage: payments", layout="wide")
    services = _allowed(grant, grant.study_id)
    st.title("Payments", anchor=False)
    study = _study(services, grant)
    if study is None:
        st.info("There is no study yet.")
        return
    _ledger(services, grant, study)
    if study.recruitment is not None:
        _compare(services, grant, study)


def _compare(services: Services, grant: Grant, study: Study) -> None:
    """An uploader for the platform's list, and what came of it."""
    st.header("Compare with the platform’s list", anchor=False)
    st.write("Prolific’s export is read as it is; so is any table (CSV) with a column for the person. The file is compared and not kept.")
    left, right = st.columns([2, 1])
    file = left.file_uploader("The platform’s list", type=["csv", "tsv", "txt"], key=f"reconcile-{study.study_id}")
    column = right.text_input("Column of the person’s id", placeholder="where it is called otherwise", max_chars=120).strip()
    if file is not None:
        researcher_reconciling.compared(services, grant, study, file.name, file.getvalue(), column)


def _ledger(services: Services, grant: Grant, study: Study) -> None:
    """What is due and paid, or why there is nothing."""
    if not study.pay.currency:
        st.info("This study pays nobody. Give it a currency and an amount on the page Set-up, section “Pay”.")
        return
    _rule(study)
    mode = kind_of_run(services.store, study.study_id)
    if mode in TRYING:
        st.info("People who try a study out, and simulated people, are not paid.")
        return
    lines = payments.accounts(services.store, study.study_id, mode)
    if not lines:
        st.info("Nobody has come yet.")
        return
    _sums(study, lines)
    _table(lines)
    chosen = next((line for line in lines if line.participant_id == st.session_state.get("payee")), None)
    if chosen is not None:
        _one(services, grant, study, chosen)
    _recruiter(services, grant, study, mode)


def _allowed(grant: Grant, study_id: str) -> Services:
    services = current()
    rights.in_study(services.store, identity.page_cookie(), "researcher", study_id)
    return services


def _study(services: Services, grant: Grant) -> Study | None:
    if grant.study_id != EVERY_STUDY:
        return get_study(services.store, grant.study_id)
    studies = [study for study in list_studies(services.store) if study.pay.currency] or list_studies(services.store)
    if len(studies) < 2:
        return studies[0] if studies else None
    names = told_apart(studies)
    chosen = st.selectbox("Study", list(names), format_func=names.__getitem__)
    return next(study for study in studies if study.study_id == chosen)


def _rule(study: Study) -> None:
    """What is paid, in a sentence."""
    pay = study.pay
    base = f"{pay.per_session} {pay.currency} a session" if pay.per_session is not None else f"{pay.per_hour} {pay.currency} an hour"
    part = (
        f"People who end early are paid {PART_IN_WORDS[pay.stopped]}; people who were stopped by a fault of ours, "
        f"{PART_IN_WORDS[pay.technical]}; people who are screened out or find no place, {PART_IN_WORDS[pay.screened_out]}."
    )
    st.html(f"<p>{escape(base)}. {escape(part)}</p>")


def _sums(study: Study, lines: list[Account]) -> None:
    currency = study.pay.currency
    due, paid = sum(line.due for line in lines), sum(line.paid for line in lines)
    hours = sum(line.spent.paid_ms for line in lines if line.spent and line.outcome and line.due)
    earned = sum(line.due for line in lines if line.spent and line.outcome)
    shown = [("Due", money(due, currency)), ("Paid", money(paid, currency)), ("Open", money(due - paid, currency))]
    shown.append(("An hour, as measured", money(round(earned * HOUR / hours), currency) if hours else "–"))
    for column, (label, value) in zip(st.columns(len(shown)), shown, strict=True):
        column.metric(plain_text(label), plain_text(value))
    if low := [person_name(line.number) for line in lines if line.too_low]:
        least = money(round((study.pay.minimum_per_hour or Decimal(0)) * 100), currency)
        st.warning(
            plain_text(f"Below {least} an hour as measured: {', '.join(low[:12])}{' …' if len(low) > 12 else ''}. A correction raises it.")
        )
    if unwritten := sum(bool(line.outcome and line.promised) for line in lines):
        st.info(plain_text(f"{unwritten} came to their end and left before their last page: what they are due is not in the ledger yet."))


def _table(lines: list[Account]) -> None:
    table = pd.DataFrame(
        {
            "Who": [person_name(line.number) for line in lines],
            "Outcome": [IN_WORDS.get(line.outcome, "on their way") for line in lines],
            "Tasks": [line.tasks for line in lines],
            "Due": [money(line.due, line.currency) for line in lines],
            "Not written": [money(line.promised, line.currency) if line.promised else "" for line in lines],
            "Paid": [money(line.paid, line.currency) for line in lines],
            "Stands": [line.owed for line in lines],
            "Data": ["rejected" if line.rejected else "" for line in lines],
            "An hour": ["" if line.per_hour is None else money(line.per_hour, line.currency) for line in lines],
            "Minutes": [None if line.spent is None else line.spent.paid_ms / 60_000 for line in lines],
            "Thinking": [None if line.spent is None else line.spent.thinking_ms / 60_000 for line in lines],
            "Waiting": [None if line.spent is None else line.spent.waiting_ms / 60_000 for line in lines],
            "Away": [None if line.spent is None else line.spent.away_ms / 60_000 for line in lines],
        }
    )
    st.caption("Select a row to see that person’s entries and add one.")
    key = f"payments-{list_key(line.participant_id for line in lines)}"
    picked = partial(_select, key, [line.participant_id for line in lines])
    tables.grid(table, hide_index=True, on_select=picked, selection_mode="single-row", key=key, column_config=COLUMNS, placeholder="")


def _select(key: str, people: list[str]) -> None:
    picked = st.session_state[key].selection.rows
    st.session_state["payee"] = people[picked[0]] if picked and picked[0] < len(people) else None


def _one(services: Services, grant: Grant, study: Study, line: Account) -> None:
    """Somebody's entries, and a form for another one."""
    st.header(plain_text(person_name(line.number)), anchor=False)
    if line.rejected:
        st.html(f"<p>Their data were rejected ({escape(line.rejected)}). What is due to them stays due.</p>")
    for entry in payments.entries(services.store, line.participant_id):
        what = f"{when(entry.at)} · {entry.kind}, session {entry.session} · {money(entry.hundredths, entry.currency)}"
        st.html(f"<p style='margin:0'>{escape(what)}{escape(f' · {entry.why}' if entry.why else '')}</p>")
    form = sheet(f"payment-{line.participant_id}")
    with st.form(form.key, border=False):
        left, middle, right = st.columns([1, 1, 2])
        kind = left.selectbox("What", list(KINDS), format_func=KINDS.__getitem__)
        amount = middle.text_input("Amount", placeholder="all that is open", max_chars=12)
        why = right.text_input("Why", max_chars=300, help="Needed for a correction and a bonus. Write no names.")
        if not st.form_submit_button("Write it into the ledger", type="primary"):
            return
    _allowed(grant, study.study_id)
    try:
        count = None if not amount.strip() else _hundredths(amount)
        written = payments.record(services.store, line.participant_id, kind, count, actor=grant.staff_id or "", why=why.strip())
    except BadPayment as refusal:
        st.error(plain_text(str(refusal)))
        return
    form.used()
    if written is None:
        st.info("Nothing is open, so nothing was written.")
        return
    st.rerun()


def _hundredths(amount: str) -> int:
    try:
        count = Decimal(amount.strip().replace(",", ".")) * 100
    except InvalidOperation:
        raise BadPayment(f"Write an amount such as 9.50, got {amount[:20]!r}.") from None
    if not count.is_finite() or count != int(count) or abs(count) > 10**11:
        raise BadPayment(f"Write an amount with at most two decimals, got {amount[:20]!r}.")
    return int(count)


def _recruiter(services: Services, grant: Grant, study: Study, mode: str) -> None:
    """The file by which people are paid."""
    st.header("For the recruiter", anchor=False)
    st.write("A file with what is open to pay, by the recruitment platform’s ids. Show it to nobody but whoever pays.")
    if st.button("Bring the ledger up to date and make the file"):
        _allowed(grant, study.study_id)
        payments.settle_all(services.store, study.study_id, mode)
        people = [row["participant"] for row in payments.for_recruiter(services.store, study.study_id, mode)]
        released.note(
            services.store, services.home.root / "downloads" / f"payments-{study.study_id}.csv", people, study_id=study.study_id,
            forms=["payments for the recruiter, downloaded"], actor=grant.staff_id or "",
        )  # fmt: skip
        st.session_state["recruiters"] = (study.study_id, mode, len(people))
        st.rerun()
    made = st.session_state.get("recruiters")
    if made is not None and made[:2] == (study.study_id, mode):
        link = f"api/staff/payments/{escape(study.study_id)}?mode={escape(mode)}"
        st.html(f"<p><a href='{link}' download>Download the file</a> · {number_of(made[2], 'person is', 'people are')} to be paid</p>")


PAYMENTS = Page(
    "Payments",
    "payments",
    roles=rights.LEADS,
    draw=lambda visit: page(visit.grant),
    group="Study",
    routes=tuple(staff_api.ROUTES),
    uploads=True,
)
PAGES = (PAYMENTS,)
