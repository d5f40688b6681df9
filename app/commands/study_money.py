"""Commands of ``vantage study`` about people and money: what is due and paid, and the comparison with a recruitment platform's list."""

from __future__ import annotations

import sys
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import click
import msgspec

from app.commands.common import ACTOR, db_option, json_option, print_json, say
from data import jobs
from data.home import Home
from data.plurals import number_of
from data.store import Store
from study import payments, reconciling, released
from study.paying import money
from study.reconcile_kinds import BY_NAME
from study.recruiter_list import COLUMNS, read_list
from study.states import MODES
from study.studies import get_study
from study.time_spent import words
from study.words import person as person_name

study_argument = click.argument("study_id", metavar="STUDY")


@click.command()
@study_argument
@click.option("--csv", "file", type=click.Path(dir_okay=False, path_type=Path), help="Also write a file for the recruiter: open amounts "
              "by the platform's ids. Show it to nobody else.")  # fmt: skip
@click.option("--mode", type=click.Choice(MODES), default="live", show_default=True, help="Which kind of run.")
@db_option
@json_option
def pay(study_id: str, file: Path | None, mode: str, db: Path | None, as_json: bool) -> None:
    """Show what is due, paid and open, and the hourly pay as it was measured.

    What is due by the study's rule and is not in the ledger yet is written first.
    """
    store = Store.open(Home.from_env(db))
    study = get_study(store, study_id)
    payments.settle_all(store, study_id, mode)
    lines = payments.accounts(store, study_id, mode)
    if file is not None:
        rows = payments.for_recruiter(store, study_id, mode)
        _write(file, rows)
        people = [row["participant"] for row in rows]
        released.note(store, file.absolute(), people, study_id=study_id, forms=["payments for the recruiter"], actor=ACTOR)
    if as_json:
        print_json({"study_id": study_id, "pay": study.pay.model_dump(mode="json"), "people": [_told(line) for line in lines]})
        return
    for line in lines:
        click.echo(_line(line))
    if not study.pay.currency:
        say("This study pays nobody: its settings have no pay.currency.")
        return
    due, paid = sum(line.due for line in lines), sum(line.paid for line in lines)
    say(f"{number_of(len(lines), 'person', 'people')}: {money(due, study.pay.currency)} due, {money(paid, study.pay.currency)} paid.")
    if low := sum(line.too_low for line in lines):
        least = f"{study.pay.minimum_per_hour} {study.pay.currency}"
        say(f"{low} of them earn less than {least} an hour as measured: raise it with a correction.")


@click.command("payment")
@click.argument("participant_id", metavar="PARTICIPANT")
@click.argument("kind", type=click.Choice([kind for kind in payments.KINDS if kind != "due"]))
@click.argument("amount", required=False)
@click.option("--why", default="", help="Kept in the ledger; needed for a correction and a bonus. Write no names.")
@click.option("--reference", default="", help="Where it stands elsewhere, such as a transfer's number; the same one is taken once.")
@click.option("--session", type=click.IntRange(1), default=1, show_default=True, help="Which session.")
@db_option
def payment(participant_id: str, kind: Any, amount: str | None, why: str, reference: str, session: int, db: Path | None) -> None:
    """Write into the ledger what was paid (AMOUNT left out: all that is open), a correction of what is due, or a bonus."""
    store = Store.open(Home.from_env(db))
    count = None if amount is None else _hundredths(amount)
    entry = payments.record(store, participant_id, kind, count, actor=ACTOR, why=why, reference=reference, session=session)
    if entry is None:
        click.echo("Nothing was written: it is in the ledger already, or nothing is open.")
        return
    click.echo(f"{participant_id}: {kind} {money(entry.hundredths, entry.currency)}.")


@click.command()
@study_argument
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--column", "columns", multiple=True, metavar="WHAT=NAME",
              help=f"How a column is called in this list; WHAT is one of {', '.join(COLUMNS)} (repeatable).")  # fmt: skip
@click.option("--note-paid", is_flag=True, help="Write into the ledger what the platform has approved and is still open here.")
@click.option("--all", "everything", is_flag=True, help="Also what agrees, line by line.")
@db_option
@json_option
def reconcile(
    study_id: str, file: Path, columns: tuple[str, ...], note_paid: bool, everything: bool, db: Path | None, as_json: bool
) -> None:
    """Compare a recruitment platform's list (CSV) with who took part here, and explain every difference.

    Prolific's export is read as it is. Exit status 3: something differs.
    """
    named = dict(_pair(column) for column in columns)
    store = Store.open(Home.from_env(db)) if note_paid else Store.reading(Home.from_env(db))
    found = reconciling.reconcile(store, study_id, file, named)
    written = reconciling.note_paid(store, found, read_list(file, named)[0], actor=ACTOR) if note_paid else 0
    if as_json:
        print_json(
            {"study_id": study_id, "counts": found.counts, "differences": found.differences, "by_invitation": found.by_invitation}
            | {"notes": list(found.notes), "payments_noted": written, "findings": msgspec.to_builtins(list(found.findings))}
        )
    else:
        _tell(found, everything)
        if note_paid:
            say(f"{number_of(written, 'payment was', 'payments were')} written into the ledger.")
    if found.differences:
        sys.exit(jobs.WITH_PROBLEMS)


def _tell(found: reconciling.Reconciled, everything: bool) -> None:
    for kind, count in found.counts.items():
        click.echo(f"{count:>5}  {BY_NAME[kind].words}")
    for finding in found.findings:
        if everything or not BY_NAME[finding.kind].agrees:
            where = "not in the list" if finding.row is None else f"line {finding.row}"
            click.echo(f"\n{where}, {finding.person or 'nobody'} {finding.participant_id}".rstrip())
            click.echo(f"  {finding.sentence}")
            if finding.todo:
                click.echo(f"  → {finding.todo}")
    for note in found.notes:
        say(note)
    if found.by_invitation:
        say(f"{number_of(found.by_invitation, 'person', 'people')} came by an invitation link: platforms do not know them.")
    say(f"{number_of(found.differences, 'difference')}." if found.differences else "Nothing differs.")


def _pair(column: str) -> tuple[str, str]:
    what, sign, name = column.partition("=")
    if not sign or not name.strip():
        raise click.BadParameter(f"write WHAT=NAME, got {column!r}.", param_hint="--column")
    return what.strip(), name


def _hundredths(amount: str) -> int:
    try:
        count = Decimal(amount) * 100
    except InvalidOperation:
        raise click.BadParameter(f"an amount such as 9.50, got {amount!r}.", param_hint="AMOUNT") from None
    if not count.is_finite() or count != int(count) or abs(count) > 10**11:
        raise click.BadParameter(f"an amount with at most two decimals, got {amount!r}.", param_hint="AMOUNT")
    return int(count)


def _line(line: payments.Account) -> str:
    parts = [f"{line.participant_id}  {person_name(line.number)}  {line.state:<12} {number_of(line.tasks, 'task')}"]
    if line.currency:
        parts.append(f"due {money(line.due, line.currency)}, paid {money(line.paid, line.currency)}")
    if line.promised:
        parts.append(f"({money(line.promised, line.currency)} if they ended now)")
    if line.spent is not None:
        parts.append(f"{words(line.spent.paid_ms)}, of it {words(line.spent.waiting_ms)} waiting; {words(line.spent.away_ms)} away")
    if line.per_hour is not None and line.currency:
        parts.append(f"{money(line.per_hour, line.currency)} an hour{', below the minimum' if line.too_low else ''}")
    return "  ".join(parts)


def _told(line: payments.Account) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.to_builtins(line)
    extra = {"open": line.open, "owed": line.owed, "per_hour": line.per_hour, "too_low": line.too_low}
    return told | extra | ({"wall_ms": line.spent.wall_ms, "paid_ms": line.spent.paid_ms} if line.spent else {})


def _write(file: Path, rows: list[dict[str, str]]) -> None:
    file.write_text(payments.as_csv(rows), encoding="utf-8", newline="")
    say(
        f"{file}: {number_of(len(rows), 'person is', 'people are')} to be paid. It holds the platform's ids: show it to nobody but "
        "the recruiter."
    )


COMMANDS = (pay, payment, reconcile)
