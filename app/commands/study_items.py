"""``vantage study items``: which tasks of a study are suspicious by its answers, and back with them to verification."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from app.commands.common import ACTOR, db_option, json_option, print_json, say
from data.home import Home
from data.plurals import number_of
from data.store import Store


@click.command("items")
@click.argument("study_id", metavar="STUDY")
@click.option("--send", is_flag=True, help="Send the flagged tasks back to verification.")
@click.option("--with-excluded", is_flag=True, help="Count answers too that declared rules leave out.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the resampling.")
@db_option
@json_option
def command(study_id: str, send: bool, with_excluded: bool, seed: int, db: Path | None, as_json: bool) -> None:
    """Show how difficult each task of a study is, whether it tells people apart, and which tasks are flagged.

    A task is flagged where those who are better elsewhere are worse at it, where fewer are right than by chance, or where several are wrong
    and sure of it. With --send flagged tasks are verified once more, by people who have not seen them; nothing is dropped and no score
    changes.
    """
    from annotation.verifying.sending_back import send_back
    from study.analysis.choice import Choice
    from study.analysis.items import flagged, items_of, reasons
    from study.analysis.stored import stored

    store = Store.open(Home.from_env(db))
    found = items_of(stored(store, study_id).rows, Choice(with_excluded=with_excluded, seed=seed))
    bad = flagged(found)
    sent = send_back(store, study_id, reasons(bad), actor=ACTOR) if send and bad else None
    if as_json:
        told = None
        if sent is not None:
            into_id = sent.verification.verification_id if sent.verification else None
            told = {"again": sent.again, "added": sent.added, "under_way": sent.under_way, "verification": into_id}
        print_json({"items": [asdict(one) for one in found], "sent": told})
        return
    for one in found:
        of, apart = one.item.difficulty, one.item.discrimination
        says = apart.reason if apart.value is None else f"r {apart.value:+.2f}"
        flags = f"; flagged: {', '.join(flag.replace('_', ' ') for flag in one.item.flags)}" if one.item.flags else ""
        click.echo(f"{one.task_id} ({one.paradigm.replace('_', ' ')}): {of.value or 0:.0%} of {of.n} right; {says}{flags}.")
    if not found:
        say("There is no scored answer in this study yet, so nothing can be said of its tasks.")
    elif not bad:
        say("No task is flagged.")
    elif sent is None:
        say(f"{len(bad)} flagged. Send them back to verification with --send.")
    else:
        into = f" in the verification {sent.verification.name!r} ({sent.verification.verification_id})" if sent.verification else ""
        say(
            f"Sent back: {number_of(sent.again, 'begins', 'begin')} a further round, {number_of(sent.added, 'is', 'are')} new{into}, "
            f"{number_of(sent.under_way, 'is', 'are')} being verified already. "
            "New ones wait for their evidence (vantage verify prepare)."
        )
