"""Commands of ``vantage study`` that say beforehand how large a study is, and what it can tell apart."""

from __future__ import annotations

import click

COMMANDS: tuple[click.Command, ...] = ()
"""The commands of this module."""
