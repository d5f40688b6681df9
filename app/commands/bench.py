"""``vantage bench``: measurements; one module per benchmark in `bench`."""

from __future__ import annotations

import importlib

import click

BENCHES = {
    "loop": "Key press to first paint of the new frame, in a real browser.",
    "frames": "Milliseconds per action by kind of scene, for one session and for eight.",
    "explore": "How often blind explorers reach the evidence of tasks in houses within the budget.",
    "memory": "Memory of one worker over hundreds of short episodes.",
    "rows": "How near the scenes of playable released rows come to what the rows record.",
    "store": "A large study: commits, pages, export, erasing a person; says which aim is missed.",
    "lists": "Pages of authors and leads with thousands of kept moments and items; says which takes longer than a second.",
    "assignment": "What giving somebody a task costs in a large study, and how even the numbers of people are.",
    "coverage": "How often the printed intervals hold the truth, by drawn studies.",
    "load": "Many people play at once on real workers: what they wait, and that nothing is lost.",
    "handshake": "Do a stranger's WebSocket handshakes hold up everybody else?",
    "crash": "Kill the app or a worker at random moments and count what was lost.",
}


class _Benches(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(BENCHES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in BENCHES:
            return None
        command: click.Command = importlib.import_module(f"bench.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(BENCHES.items()))


@click.group("bench", cls=_Benches)
def command() -> None:
    """Measure. Each prints its figures and what they include; none is a test."""
