"""The data card of an export: ``README.md`` with a head that the Hugging Face library reads, so that the folder can be loaded as it is.

``datasets.load_dataset(folder)`` takes the first configuration, ``load_dataset(folder, "steps")`` another one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

CARD = "README.md"


@dataclass(frozen=True)
class Config:
    """One thing that can be loaded."""

    name: str
    paths: tuple[str, ...]
    """Its files in the export; ``*`` and ``**`` stand for names."""
    text: str
    """What its rows are, in a sentence."""
    split: str = "train"
    """The library's name for data that is not divided is ``train``; a benchmark's items are its ``test``."""


def write_card(folder: Path, *, title: str, text: str, name: str, tasks: Sequence[str], configs: Sequence[Config]) -> None:
    """Write the card of an export.

    Args:
        folder: the export.
        title: its heading.
        text: what it holds, in Markdown.
        name: what people call the data (a project's or a study's name); it stands in the head alone, which nothing interprets.
        tasks: task categories of the Hugging Face hub.
        configs: what can be loaded, the default first.
    """
    head = [f"pretty_name: {_scalar(name)}", "task_categories:", *(f"- {_scalar(task)}" for task in tasks), "tags:", '- "vantage"']
    if configs:
        head.append("configs:")
    for number, config in enumerate(configs):
        head.append(f"- config_name: {_scalar(config.name)}")
        head += ["  default: true"] * (number == 0)
        head += ["  data_files:", f"  - split: {_scalar(config.split)}", "    path:", *(f"    - {_scalar(path)}" for path in config.paths)]
    body = [f"# {title}", "", text, ""]
    if configs:
        body += ["| configuration | split | rows |", "|---|---|---|"]
        body += [f"| `{config.name}` | `{config.split}` | {config.text} |" for config in configs]
        body += ["", f'`datasets.load_dataset(FOLDER, "{configs[0].name}", split="{configs[0].split}")` reads the first of them.', ""]
    (folder / CARD).write_text("\n".join(["---", *head, "---", "", *body]), encoding="utf-8")


def _scalar(text: str) -> str:
    """A YAML scalar: JSON's strings are YAML's, but for the characters that YAML holds to be unprintable."""
    quoted = json.dumps(text, ensure_ascii=False)
    return re.sub("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]", lambda found: f"\\u{ord(found[0]):04x}", quoted)
