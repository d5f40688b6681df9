"""``vantage verify export``: what came out of a verification."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from app.commands.common import db_option, json_option, print_json, say
from data.home import Home
from data.plurals import number_of
from data.store import Store


@click.command("export")
@click.argument("verification_id", metavar="VERIFICATION")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="A new folder.")
@db_option
@json_option
def export(verification_id: str, out: Path, db: Path | None, as_json: bool) -> None:
    """Write what came out: the retained set, rejections with their reasons, all votes, agreement and audit findings.

    The file findings has what audits found in these tasks, and the file audit every check of each audit
    with its status. Each is a Parquet, a CSV and a JSON lines file; what is undone has its row and says so. report.json has the counts
    beside those of the database. Exit status 1: they differ.
    """
    from annotation.verifying import exporting

    report = exporting.export(Store.open(Home.from_env(db)), verification_id, out)
    if as_json:
        print_json(report)
    for text in report["problems"]:
        say(f"Wrong: {text}")
    if report["not_audited"]:
        say(
            f"{number_of(report['not_audited'], 'task was', 'tasks were')} never audited: vantage audit --study or --dataset looks at them."
        )
    say(f"{out}: {', '.join(f'{n} {name}' for name, n in report['rows'].items())}.")
    sys.exit(0 if report["ok"] else 1)
