"""``vantage assets``: the object models of the embedded simulator."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import click


@click.group("assets")
def command() -> None:
    """Build or show the object models."""


SHARED = 0o022
"""The pack holds nothing of anybody: whoever uses this installation reads it."""


@command.command("build")
@click.option("--deb", type=click.Path(exists=True, path_type=Path), help="A downloaded sweethome3d-furniture .deb, or its folder.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Folder of the pack; default: where the simulator looks.")
@click.option("--force", is_flag=True, help="Build even if the pack is complete.")
def build(deb: Path | None, out: Path | None, force: bool) -> None:
    """Fetch Debian's sweethome3d-furniture and convert it, with its attribution."""
    arguments = [*(["--deb", str(deb)] if deb else []), *(["--out", str(out)] if out else []), *(["--force"] if force else [])]
    build_assets = [sys.executable, "-P", "-m", "sim_bridge.backends.mujoco.tools.build_assets", *arguments]
    sys.exit(subprocess.run(build_assets, check=False, umask=SHARED).returncode)


@command.command("show")
@click.option("--json", "as_json", is_flag=True, help="Print JSON alone on standard output.")
def show(as_json: bool) -> None:
    """Say which pack is in use, and where its attribution is."""
    from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
    from sim_bridge.backends.mujoco.catalogue.pack import default_folder

    catalogue, folder = Catalogue.load(), default_folder()
    facts = {
        "name": catalogue.name,
        "version": catalogue.version,
        "hash": catalogue.hash,
        "pack_present": catalogue.pack_present,
        "folder": str(folder),
        "attribution": str(folder / "ATTRIBUTION.md") if catalogue.pack_present else None,
    }
    if as_json:
        click.echo(json.dumps(facts))
    elif catalogue.pack_present:
        click.echo(f"{catalogue.name} {catalogue.version} in {folder}; who made the models: {facts['attribution']}")
    else:
        click.echo(f"No pack in {folder}: the built-in procedural objects serve. 'vantage assets build' makes it.")
