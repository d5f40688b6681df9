"""``vantage run``: the demo study, workers and app in one go."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from app.commands.common import say
from app.commands.serve import server_options, start

SAMPLE = Path(sys.prefix) / "share" / "sim_bridge" / "robot-sample"
"""Where set-up renders the sample episodes."""


@click.command("run")
@server_options
def command(**options: Any) -> None:
    """Start the demo: seeds a study, starts workers and app, prints one link per role. Ctrl-C ends all of it."""
    from annotation.qa.trying.demo import advice, seed_qa_demo
    from data.home import Home
    from data.store import Store
    from study.demo import seed_demo

    store = Store.open(Home.from_env(options["db"]))
    links = seed_demo(store)
    project = seed_qa_demo(store, SAMPLE, tell=say)
    if words := advice(store, project.project_id):
        say(words)
    store.close()
    home = store.home

    def ready(base: str) -> None:
        click.echo("Vantage is ready. Open one of these links (each in a browser or private window of its own):")
        for link in links:
            click.echo(f"  {link.role:<12} {base}{link.path}")
        click.echo(f"What is recorded stays in {home.root}. Ctrl-C ends the app.")

    start(ready, **options)
