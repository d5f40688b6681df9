"""Which modules decide what a session shows and how its things move, and one hash over them: the part of the fingerprint that is code.

The fingerprint says whether a frame or a snapshot of one program may be compared with another's. So it must change with every constant
and every formula of the engine, and with nothing else: not with a comment, a docstring, or a tool that makes pages about objects.
`DECIDING` therefore lists the modules by name, and what is hashed of them is their syntax tree without docstrings.

The same source gives the same hash on Python 3.10 to 3.13, although ``ast.dump`` and ``ast.unparse`` print differently there: `canonical`
writes node types and non-empty fields itself (fields that later versions add are empty in code that earlier ones can read), leaves out
positions, and joins the text pieces of f-strings, whose number differs between versions.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import itertools
from collections.abc import Mapping
from pathlib import Path

from sim_bridge.actions import MODULES

ROOT = Path(__file__).resolve().parents[2]
"""The folder of `sim_bridge`."""

DECIDING = (
    "actions.steps",
    "friction",
    "kinematics",
    "rotations",
    "spec",
    "houses",
    "houses.derive",
    "houses.navigation",
    "houses.outline",
    "houses.plan",
    "houses.read",
    "backends.mujoco.backend",
    "backends.mujoco.catalogue.lookup",
    "backends.mujoco.catalogue.masses",
    "backends.mujoco.catalogue.pack",
    "backends.mujoco.catalogue.physical",
    "backends.mujoco.catalogue.rules",
    "backends.mujoco.catalogue.things",
    "backends.mujoco.catalogue.vocabulary",
    "backends.mujoco.deeds",
    "backends.mujoco.deeds.cloth",
    "backends.mujoco.deeds.doors",
    "backends.mujoco.deeds.falls",
    "backends.mujoco.deeds.hands",
    "backends.mujoco.deeds.slope",
    "backends.mujoco.deeds.stage",
    "backends.mujoco.deeds.water",
    "backends.mujoco.engine.building",
    "backends.mujoco.engine.containment",
    "backends.mujoco.engine.decals",
    "backends.mujoco.engine.geometry",
    "backends.mujoco.engine.judging",
    "backends.mujoco.engine.liquid",
    "backends.mujoco.engine.outlines",
    "backends.mujoco.engine.render",
    "backends.mujoco.engine.rubbing",
    "backends.mujoco.engine.session",
    "backends.mujoco.engine.sight",
    "backends.mujoco.engine.world",
    "backends.mujoco.entities",
    "backends.mujoco.entities.base",
    "backends.mujoco.entities.cloth",
    "backends.mujoco.entities.lamp",
    "backends.mujoco.entities.openable",
    "backends.mujoco.entities.ramp",
    "backends.mujoco.entities.robot",
    "backends.mujoco.entities.vessel",
    "backends.mujoco.meshes.cloth",
    "backends.mujoco.meshes.contact",
    "backends.mujoco.meshes.coverings",
    "backends.mujoco.meshes.decompose",
    "backends.mujoco.meshes.pieces",
    "backends.mujoco.meshes.shapes",
    "backends.mujoco.meshes.surfaces",
    "backends.mujoco.meshes.textures",
    "backends.mujoco.models.bakery",
    "backends.mujoco.models.baskets",
    "backends.mujoco.models.bathroom",
    "backends.mujoco.models.cabinets",
    "backends.mujoco.models.clothes",
    "backends.mujoco.models.cloths_and_ramps",
    "backends.mujoco.models.cookware",
    "backends.mujoco.models.devices",
    "backends.mujoco.models.fitted",
    "backends.mujoco.models.fruit",
    "backends.mujoco.models.hand_tools",
    "backends.mujoco.models.house",
    "backends.mujoco.models.instruments",
    "backends.mujoco.models.kitchen_tools",
    "backends.mujoco.models.laboratory",
    "backends.mujoco.models.lamps",
    "backends.mujoco.models.making",
    "backends.mujoco.models.meals",
    "backends.mujoco.models.openable",
    "backends.mujoco.models.ornaments",
    "backends.mujoco.models.packages",
    "backends.mujoco.models.pieces_of_things",
    "backends.mujoco.models.plants",
    "backends.mujoco.models.playthings",
    "backends.mujoco.models.registry",
    "backends.mujoco.models.robot",
    "backends.mujoco.models.stationery",
    "backends.mujoco.models.sweets",
    "backends.mujoco.models.turned",
    "backends.mujoco.models.vegetables",
    "backends.mujoco.models.vessels",
    "backends.mujoco.rooms.clutter",
    "backends.mujoco.rooms.clutter_things",
    "backends.mujoco.rooms.furnished",
    "backends.mujoco.rooms.furnishing",
    "backends.mujoco.rooms.house_shell",
    "backends.mujoco.rooms.house_view",
    "backends.mujoco.rooms.kinds",
    "backends.mujoco.rooms.lights",
    "backends.mujoco.rooms.lived_in",
    "backends.mujoco.rooms.plates",
)
"""Modules of `sim_bridge` that decide pixels, physics, or what is said of them (`judging`: what counts as inside, on, clipped)."""

NOT_DECIDING: Mapping[str, str] = {
    "": "the package's front door",
    "_start": "starts the process",
    "actions": "names and forms: what an action does is its deed",
    **{f"actions.{name}": "declares actions: arguments, words, keys" for name in ("kind", *MODULES)},
    "backend": "the contract, without behaviour",
    "backends.mujoco.deeds.able": "what kinds of things a hand can open, fill, take: words for people and models",
    "backends": "an empty package",
    "backends.mujoco": "makes the backend",
    **{f"backends.mujoco.{folder}": "only says what is in it" for folder in ("catalogue", "engine", "meshes", "models", "rooms")},
    "backends.mujoco.deciding": "this list; what it lists is hashed",
    "backends.mujoco.engine.gl": "chooses the OpenGL library, which the fingerprint names",
    "backends.mujoco.engine.memory": "gives memory back to the system",
    "backends.mujoco.engine.overlaps": "refuses scenes and changes none",
    "backends.changes": "says what was changed; the change itself is elsewhere",
    "encoding": "lossless: a frame's identity is the hash of its pixels",
    "errors": "sentences",
    "host": "passes messages on",
    "priority": "how the system schedules the process",
    "protocol": "the form of messages",
    "timing": "measures",
    "validation": "refuses scenes and changes none",
    "worker": "passes messages on",
}
"""Other modules that a process with a running session loads, and why a change of them changes no frame."""


@functools.lru_cache(maxsize=1)
def source_hash() -> str:
    """SHA-256 hex of what the deciding modules do."""
    return hash_of({name: source_path(name).read_text(encoding="utf-8") for name in DECIDING})


def source_path(name: str) -> Path:
    """The file of a module of `sim_bridge`, named without ``sim_bridge.``."""
    stem = ROOT.joinpath(*name.split(".")) if name else ROOT
    return stem / "__init__.py" if stem.is_dir() else stem.with_suffix(".py")


def hash_of(sources: Mapping[str, str]) -> str:
    """SHA-256 hex over the canonical form of sources by module name; the order of the names does not matter."""
    digest = hashlib.sha256()
    for name in sorted(sources):
        digest.update(f"\n{name}\n".encode())
        digest.update(canonical(sources[name]).encode())
    return digest.hexdigest()


def canonical(source: str) -> str:
    """What a module does, as text: its syntax tree without positions, comments, docstrings and strings that stand alone below constants."""
    out: list[str] = []
    _write(ast.parse(source), out)
    return "".join(out)


_LEFT_OUT = frozenset({"ctx", "kind", "type_comment", "type_ignores"})
"""Fields that say nothing beside the rest."""


def _write(node: ast.AST, out: list[str]) -> None:
    out.append(f"({type(node).__name__}")
    if isinstance(node, ast.Constant):
        out.append(f" {node.value!a}")  # `!a`: which characters `repr` shows as they are depends on the version's Unicode tables
        out.append(")")
        return
    for name, value in ast.iter_fields(node):
        if value is None or value == [] or name in _LEFT_OUT:
            continue
        out.append(f" {name}=")
        if isinstance(value, list):
            items = _joined(value) if isinstance(node, ast.JoinedStr) else [item for item in value if not _says_only(item)]
            out.append("[")
            for item in items:
                _write(item, out) if isinstance(item, ast.AST) else out.append(f" {item!a}")
            out.append("]")
        elif isinstance(value, ast.AST):
            _write(value, out)
        else:
            out.append(ascii(value))
    out.append(")")


def _says_only(node: object) -> bool:
    """A string that stands alone: a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _joined(pieces: list[ast.expr]) -> list[ast.expr]:
    """Pieces of an f-string with neighbouring texts as one and empty ones left out."""
    joined: list[ast.expr] = []
    for text, group in itertools.groupby(pieces, lambda piece: isinstance(piece, ast.Constant)):
        if text:
            whole = "".join(str(piece.value) for piece in group if isinstance(piece, ast.Constant))
            joined += [ast.Constant(whole)] if whole else []
        else:
            joined += group
    return joined
