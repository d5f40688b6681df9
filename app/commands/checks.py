"""What `vantage doctor` says of one thing it looked at."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass

import click


@dataclass(frozen=True)
class Check:
    """One thing looked at."""

    name: str
    ok: bool
    required: bool
    """Whether the whole is wrong when this is."""
    found: str
    advice: str = ""
    """What to do; told when it is not ok."""


def tell(checks: list[Check], as_json: bool) -> None:
    """Print the checks and end the program: status 0 only if everything required is ok."""
    good = all(check.ok for check in checks if check.required)
    if as_json:
        click.echo(json.dumps({"ok": good, "checks": [asdict(check) for check in checks]}))
    else:
        for check in checks:
            mark = "ok     " if check.ok else "MISSING" if check.required else "absent "
            click.echo(f"{mark} {check.name:<11} {check.found}" + ("" if check.ok else f"\n        {check.advice}"))
    sys.exit(0 if good else 1)
