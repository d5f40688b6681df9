"""``vantage verify simulate``: a verification with made-up people."""

from __future__ import annotations

import sys

import click

from app.commands.common import json_option, print_json, say
from data.plurals import number_of


@click.command("simulate")
@click.option("--annotators", type=click.IntRange(3, 200), default=12, show_default=True, help="How many people judge.")
@click.option("--tasks", type=click.IntRange(1, 10_000), default=300, show_default=True, help="How many tasks they judge.")
@click.option("--seed", type=int, default=1, show_default=True, help="Decides what is true and what they say.")
@click.option("--seeds", type=click.IntRange(1, 200), default=1, show_default=True, help="Number of whole runs, from this seed on.")
@json_option
def simulate(annotators: int, tasks: int, seed: int, seeds: int, as_json: bool) -> None:
    """Verify made-up tasks with made-up people: does each get its three votes, and can one tell who judges well?

    All people ask at the same moment, some walk away and are too late, and hidden controls stand among the tasks. It goes through the real
    queue in a database of its own, which is deleted; no simulator is needed. Accuracies are estimated from the votes, by 20 draws of votes
    over the assignment that came about, or with --seeds from the votes of so many runs.

    Exit status 1: something that must hold does not; it is named.
    """
    from annotation.verifying import simulate as made_up

    if seeds > 1:
        found = made_up.simulate_many(seeds, annotators=annotators, tasks=tasks, seed=seed, tell=say)
        runs = found["runs"]
    else:
        found = made_up.simulate(annotators=annotators, tasks=tasks, seed=seed, tell=say)
        runs = [found]
    if as_json:
        print_json(found)
    else:
        for run in runs:
            click.echo(
                f"seed {run['seed']}: {run['tasks_with_three_votes']} of {run['tasks']} tasks have their three votes; "
                f"{number_of(run['leases_expired'], 'was', 'were')} left lying and given to others, "
                f"{number_of(run['late_votes_refused'], 'late vote was', 'late votes were')} refused"
            )
        for axis, of in found["recovery"].items():
            click.echo(f"accuracy on {axis}: bias {of['bias']:+.3f}, mean absolute error {of['mean_absolute_error']:.3f}")
        click.echo(f"(by {found['recovery_of']})")
        for text in found["problems"]:
            click.echo(f"Wrong: {text}")
    sys.exit(0 if found["ok"] else 1)
