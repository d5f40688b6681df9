"""``vantage study coding``: how far answers in words are coded."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from annotation import coding
from app.commands.common import db_option, json_option, print_json, say
from data.home import Home
from data.plurals import number_of
from data.store import Store


@click.command("coding")
@click.argument("study_id", metavar="STUDY")
@db_option
@json_option
def command(study_id: str, db: Path | None, as_json: bool) -> None:
    """Show how far a study's answers in words are coded, and how much the coders agree.

    An answer that the program cannot read as it stands is coded by two people, and by a third where they differ. They find it on the page
    "Answers in words".
    """
    found = coding.progress(Store.open(Home.from_env(db)), study_id)
    if as_json:
        print_json(msgspec.to_builtins(found))
        return
    click.echo(
        f"{number_of(found.answers, 'answer')}, {found.exact} read as they stand; {found.texts} different texts, {found.coded} coded."
    )
    agreed, alpha = found.agreement.equal_pairs, found.agreement.alpha
    if agreed is not None:
        told = "not defined (all codes are equal)" if alpha is None else f"{alpha:.3f}"
        click.echo(f"Coders: {agreed:.1%} of pairs equal over {found.agreement.units} texts; Krippendorff's alpha {told}.")
    if found.coded < found.texts:
        say("Invite annotators to the study (`vantage staff invite`): they code on the page “Answers in words”.")
