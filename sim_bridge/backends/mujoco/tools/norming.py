"""The stimulus set of "name this object": one picture of every look on a plain ground, and a key of accepted names kept apart.

``python -m sim_bridge norming --out DIR --key FILE`` writes ``DIR/items.json`` and ``DIR/<item>.webp`` (names that tell nothing) for the
people who name, and ``FILE`` for those who count. Both are small JSON:

* items: ``{"format": 1, "seed": 0, "catalogue": …, "items": [{"item": "3fa0…", "picture": "3fa0….webp"}, …]}`` in the order of showing;
* key: ``{"format": 1, "seed": 0, "catalogue": …, "items": {"3fa0…": {"category": "mug", "grade": "exact", "accepted": ["mug", "cup", …],
  "broader": ["drinkware"]}}}``; `accepted` says what the thing is, `broader` what kind of thing it is.

Packages that bear a name other than their shape's are left out: naming them is reading.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from sim_bridge.backends.mujoco.catalogue import vocabulary
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.catalogue.names import BROADER, SYNONYMS
from sim_bridge.errors import BridgeError

FORMAT = 1
PICTURE = 480
QUALITY = 88
ALWAYS_PLURAL = ("glasses", "goggles", "jeans", "scissors")
_ARTICLES = re.compile(r"^(a|an|the|some|my|one|two|piece of|pair of|a piece of|a pair of)\s+")


def plain(words: str) -> str:
    """An answer in the form in which answers are compared: lower case, no article, no punctuation, singular."""
    text = re.sub(r"[^a-z0-9 ]+", " ", words.lower().replace("_", " ").replace("'s", ""))
    text = " ".join(text.split())
    while _ARTICLES.match(text):
        text = _ARTICLES.sub("", text)
    return " ".join(_singular(word) for word in text.split())


def _singular(word: str) -> str:
    if (
        len(word) <= 3
        or word.endswith(("ss", "us", "is"))
        or word in ("glasses", "scissors", "keys", "jeans", "headphones", "pills", "goggles")
    ):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    if word.endswith("oes"):
        return word[:-2]
    return word.removesuffix("s")


def judged(answer: str, item: dict[str, Any]) -> str:
    """``accepted``, ``broader`` or ``other`` for an answer to an item of the key."""
    given = plain(answer)
    return next((kind for kind in ("accepted", "broader") if given in {plain(name) for name in item[kind]}), "other")


def names_of(categories: Iterable[str]) -> tuple[list[str], list[str]]:
    """Accepted and broader names of a look that stands for some categories."""
    accepted: list[str] = []
    broader: list[str] = []
    for category in categories:
        rule = vocabulary.rule(category)
        accepted += [vocabulary.words(category), *SYNONYMS.get(category, ())]
        if rule.grade == "alias":
            accepted.append(plain(rule.reason.removeprefix("shown as ")))
        broader += BROADER.get(category, ())
        head = vocabulary.words(category).split()[-1]
        broader += [head] if head != vocabulary.words(category) else []
    accepted = list(dict.fromkeys(accepted))
    return accepted, [name for name in dict.fromkeys(broader) if name not in accepted]


def stimuli(catalogue: Catalogue, used: Iterable[str] = ()) -> dict[str, list[str]]:
    """Look → the categories that it stands for, without packages whose name is printed on them.

    Args:
        catalogue: the object models.
        used: categories that tasks use: only their looks, and of each those categories first; empty: every look of the vocabulary.
    """
    found: dict[str, list[str]] = {}
    asked = set(used)
    for category in dict.fromkeys((*sorted(asked), *vocabulary.known())):
        if asked and category not in asked and catalogue.kind_of(category) not in found:
            continue
        if catalogue.lookup(category).grade in ("exact", "alias"):
            found.setdefault(catalogue.kind_of(category), []).append(category)
    return found


def write(
    out: Path, key: Path, *, seed: int = 0, used: Iterable[str] = (), sample: int | None = None, say: Callable[[str], None] = print
) -> None:
    """Write the pictures with ``items.json`` into `out`, and the accepted names into the file `key`, which must lie elsewhere.

    Args:
        out, key: a folder and a file.
        seed: decides the order, the file names and what is drawn.
        used: see `stimuli`.
        sample: so many looks, drawn; None: all.
        say: told what was written.

    Raises:
        BridgeError: the key would lie among the pictures, or there is no renderer.
    """
    from sim_bridge.backends.mujoco.engine import gl
    from sim_bridge.backends.mujoco.tools.contact_sheet import picture

    if out.resolve() in key.resolve().parents:
        raise BridgeError(f"--key: expected a file outside {out}, where those who name the objects look, got {key}")
    gl.check()
    catalogue = Catalogue.load()
    entries: dict[str, dict[str, Any]] = {}
    asked = set(used)
    order = list(stimuli(catalogue, asked).values())
    random.Random(seed).shuffle(order)
    out.mkdir(parents=True, exist_ok=True)
    key.parent.mkdir(parents=True, exist_ok=True)
    items = []
    for categories in order[:sample]:
        choice = [c for c in categories if c in asked] or categories
        first = min(choice, key=lambda c: (catalogue.lookup(c).grade != "exact", categories.index(c)))
        item = hashlib.sha256(f"{seed}|{first}".encode()).hexdigest()[:16]
        match = catalogue.lookup(first)
        picture(catalogue.model(match), PICTURE, mirror=first == "mirror").save(out / f"{item}.webp", "WEBP", quality=QUALITY)
        accepted, broader = names_of([first, *(c for c in categories if c != first)])
        entries[item] = {"category": first, "grade": match.grade, "accepted": accepted, "broader": broader}
        items.append({"item": item, "picture": f"{item}.webp"})
    head = {"format": FORMAT, "seed": seed, "catalogue": catalogue.hash}
    (out / "items.json").write_text(json.dumps({**head, "items": items}, indent=1) + "\n", encoding="utf-8")
    key.write_text(json.dumps({**head, "items": entries}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    say(f"{len(items)} pictures and items.json in {out}; accepted names in {key}")
