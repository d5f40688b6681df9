"""Task documents of version 1: how they are read, and how they are written again so that their content hash stays.

Version 1 kept what the proof and the player execute in `tags`, as text, and what is asked in the question's wording alone. `upgraded` fills
the fields of version 2 from both; the document itself stays as it is. Nothing is added here: version 1 is closed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

EXECUTED = ("gt_phase_1_actions", "settled", "vessels", "not_playable", "first_view", "first_view_bound")
"""Tags of version 1 that are fields of version 2."""

FIELDS: dict[str, tuple[str, ...]] = {
    "Task": (
        "schema_version", "task_id", "supersedes", "category", "subcategory", "question", "gold", "scene", "start", "names", "actions",
        "essential", "required_features", "budget", "views", "gt_trajectory", "evidence", "twin", "tags", "provenance", "source", "shown",
    ),
    "Question": ("text", "form", "options", "blanks", "blank_names", "targets", "note"),
    "Gold": ("accepted", "chance", "derivation"),
    "Provenance": ("dataset", "row_id", "file", "licence", "generator", "seed"),
    "Evidence": ("kind", "step", "handle", "other", "name", "low", "high"),
    "View": ("label", "pose"),
    "Scene": (
        "camera", "room", "objects", "phases", "lighting", "source_scene", "source_room", "settle_steps", "house",
    ),
    "Camera": ("width", "height", "hfov_deg"),
    "Room": ("bounds_m", "floor_z_m", "height_m", "kind", "seed", "furnished", "keep_clear_m"),
    "Object": (
        "handle", "category", "pose", "origin", "size_m", "height_m", "scale", "on_floor", "dynamic", "model", "params",
    ),
    "Phase": ("name", "hidden", "moved", "budget_share"),
    "House": ("seed", "rooms", "show_labels", "layout"),
    "HouseLayout": ("rooms", "doors", "windows"),
    "HouseRoom": ("name", "kind", "rects_m"),
    "HouseDoor": ("rooms", "centre_m", "along", "width_m", "leaf", "hinge"),
    "HouseWindow": ("room", "centre_m", "along", "width_m", "kind"),
}  # fmt: skip
"""Every field that version 1 writes, by type."""
LATE = {("Task", "evidence"), ("Task", "shown"), ("Scene", "house")}
"""Fields that came while version 1 was open: written only where they say something."""


def upgraded(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document of version 1 with the fields of version 2 filled from its tags and its wording; the rest as it was.

    Raises:
        ValueError: a tag cannot be read; the message names it.
    """
    tags, question = document.get("tags") or {}, document.get("question")
    more: dict[str, Any] = {}
    if "gt_phase_1_actions" in tags:
        more["gt_phase_starts"] = (_number(tags, "gt_phase_1_actions", int),)
    if "settled" in tags:
        more["settled"] = _settled(tags["settled"])
    if "vessels" in tags:
        more["vessels"] = tuple(tags["vessels"].split())
    if "not_playable" in tags:
        more["defects"] = tuple(tags["not_playable"].split("; "))
    if "first_view_bound" in tags:
        more["first_view"] = _number(tags, "first_view_bound", float)
    elif "first_view" in tags:
        more["first_view"] = tags["first_view"]
    if isinstance(question, Mapping) and (found := asked(document)):
        more["question"] = {**question, "ask": found}
    return {**document, **more}


def _number(tags: Mapping[str, str], name: str, kind: type[int] | type[float]) -> int | float:
    try:
        return kind(tags[name])
    except ValueError:
        raise ValueError(f"tags.{name}: should be a number, got {tags[name]!r}") from None


def _settled(text: str) -> dict[str, tuple[float, ...]]:
    """``object_1:0.120,1.300,0.050 …`` → box centres, metres."""
    try:
        parts = [part.split(":") for part in text.split()]
        return {handle: tuple(float(v) + 0.0 for v in place.split(",")) for handle, place in parts}
    except ValueError:
        raise ValueError(f"tags.settled: should list handles with three numbers each, got {text[:60]!r}") from None


# --- what is asked ----------------------------------------------------------------------------------------------------


def _pattern(text: str) -> re.Pattern[str]:
    """``{t1}`` is a thing, ``{against}`` what things are compared with, ``{r1}`` a room, ``{s1}`` two things, one on either side."""
    text = re.sub(r"\{(r\d)\}", r"(?:the )?(?P<\1>.+?)", text)
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>.+?)", text) + r"$")


_COUNT = (("count", _pattern(r'How many objects of category "{category}" are present in this scene\?')),)
_WORDINGS: dict[str, tuple[tuple[str, re.Pattern[str]], ...]] = {
    "mirror": (("seen_in_mirror", _pattern(r"In this image, you can see an? {t1}\. Are you seeing it through the mirror\?")),),
    "nearer": (("nearer", _pattern(r"In the mirror, you can see two reflected objects: {t1} and {t2}\. In the real world.*")),),
    "mirrored": (("reflected", _pattern(r'You are given a view with a mirror and three objects of category "{category}"\. Based on.*')),),
    "connect": (("connected", _pattern(r"Are {r1} and {r2} adjacent, with a direct connection between them\?")),),
    "passage": (("passage", _pattern(r"On the shortest path from {r1} to {r2}, which intermediate room.*")),),
    "region": (
        ("belongs", _pattern(r"Which room does the {t1} belong to among these options: .*")),
        ("closest", _pattern(r"Which room is the {t1} closest to among these options: .*")),
        ("same_room", _pattern(r"Are the {t1} and the {t2} in the same region\?")),
    ),
    "route": (
        (
            "regions",
            _pattern(
                r"You are beginning in {r1}, standing at the point shown in the first view; its doorway is {given}\. "
                r"You want to navigate to {r2}\. At each step.*"
            ),
        ),
        (
            "turns",
            _pattern(
                r"You are beginning in {r1}, standing at the point shown in the first view; its doorway is {given}\. "
                r"You want to navigate to {r3}\. You will perform .* 1\. Go to {r2}\. 2\. .*"
            ),
        ),
    ),
    "hidden": (("behind", _pattern(r"What is the object behind the {against}: an? .+ or an? .+\?")),),
    "looks": (("identity", _pattern(r"Which object is this: an? .+ or an? .+\?")),),
    "glass": (("inside", _pattern(r"Is the {t1} inside the {against}\?")),),
    "size": (
        ("larger", _pattern(r"Which .+ is larger: the one {t1}, or the one {t2}\?")),
        ("smaller", _pattern(r"Which .+ is smaller: the one {t1}, or the one {t2}\?")),
    ),
    "distance": (
        ("closer", _pattern(r"Which object is closer to the {against}: the {t1} or the {t2}\?")),
        ("farther", _pattern(r"Which object is farther from the {against}: the {t1} or the {t2}\?")),
    ),
    "line": (("aligned", _pattern(r"Are the {t1}, {t2} and {t3} in a straight line on the floor\?")),),
    "triangle": (("triangle", _pattern(r"Do the {t1}, {t2} and {t3} form an equilateral triangle, an isosceles triangle or a random.*")),),
    "contact": (("touching", _pattern(r"Are the {t1} and the {t2} touching each other\?")),),
    **dict.fromkeys(("counting", "divided", "stacked", "alike", "boxed", "lighting"), _COUNT),
    "change": (
        ("changed", _pattern(r"Comparing phase 1 and phase 2, did the contents of the {t1} change\?")),
        ("which_changed", _pattern(r"Which box changed from phase 1 to phase 2: the {t1}, the {t2}, or the {t3}\?")),
        ("what_changed", _pattern(r"What happened to the contents of the {t1} from phase 1 to phase 2\?")),
    ),
    "passing": (("passed", _pattern(r"How many '{category}' objects did the {against} pass within 1\.0m during its walk\? .*")),),
    "slope": (("stays", _pattern(r"Do you think the {t1} will stay stable \(not slide\) when placed on the {against}\?")),),
    "stack": (("stack", _pattern(r"How should you stack the {t1}(?:, the {t2})? and the {t3} to maximize stability, from bottom.*")),),
    "fit": (("fits", _pattern(r"Which container does the {t1} best fit inside: the {t2} or the {t3} or the {t4}\?")),),
    "volume": (("larger_volume", _pattern(r"Which container has a larger volume: the {t1} or the {t2}\?")),),
    "cloth": (("under", _pattern(r"What object is under this {against}\?")),),
    "order": (("order", _pattern(r"Which {s1} should go under the {against} as its base, and which {s2} should go on top of the.*")),),
}
"""Generator → (what it asks, the sentence of version 1)."""


def asked(document: Mapping[str, Any]) -> dict[str, Any] | None:
    """What an own task of version 1 asks, from its wording; None where the wording is none that version 1 had."""
    provenance = document.get("provenance")
    if not isinstance(provenance, Mapping) or provenance.get("dataset") != "vantage":
        return None
    text, names = str(document["question"].get("text", "")), document.get("names") or {}
    for what, pattern in _WORDINGS.get(str(provenance.get("generator", "")).partition(" ")[0], ()):
        if found := pattern.match(text):
            return _ask(what, {k: v for k, v in found.groupdict().items() if v}, names)
    return None


def _ask(what: str, words: Mapping[str, str], names: Mapping[str, str]) -> dict[str, Any] | None:
    things = [words[k] for k in sorted(words) if re.fullmatch(r"t\d", k)]
    things += [f"{side} {words[k]}" for k in sorted(words) if re.fullmatch(r"s\d", k) for side in ("left", "right")]
    handles = [_handle(names, thing) for thing in (*things, *([words["against"]] if "against" in words else []))]
    if "" in handles:
        return None
    return {
        "what": what,
        "things": tuple(handles[: len(things)]),
        "against": handles[-1] if "against" in words else "",
        "rooms": tuple(words[k] for k in sorted(words) if re.fullmatch(r"r\d", k)),
        "category": words.get("category", "").replace(" ", "_"),
        "given": words.get("given", ""),
    }


def _handle(names: Mapping[str, str], words: str) -> str:
    """The object of these words, or the only one whose words end in them; empty: none."""
    exact = [h for h, name in names.items() if name == words]
    ending = [h for h, name in names.items() if name.endswith(f" {words}")]
    return next((found[0] for found in (exact, ending) if len(found) == 1), "")
