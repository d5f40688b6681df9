"""Which model stands for a category of a source, and how honestly: the catalogue. Imports without MuJoCo and without a renderer.

Grades (measurement 28): ``exact`` a model of that thing; ``alias`` a near-synonym that a naive viewer would call the same;
``labelled`` a package that bears its readable name, as packages do; ``none`` not recognisable here, with the reason.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sim_bridge.backends.mujoco import deciding
from sim_bridge.backends.mujoco.catalogue import pack as packs
from sim_bridge.backends.mujoco.catalogue import vocabulary
from sim_bridge.backends.mujoco.catalogue.rules import PACKED, FromPack
from sim_bridge.backends.mujoco.meshes.contact import contact_shape
from sim_bridge.backends.mujoco.meshes.shapes import Colour, Model
from sim_bridge.backends.mujoco.models.registry import make, settings_of
from sim_bridge.spec import Vec3

GRADES = ("exact", "alias", "labelled", "none")
PROCEDURAL = "procedural"
VERSION = "1"

COLOURS: dict[str, Colour] = {
    "red": (0.80, 0.10, 0.10),
    "green": (0.12, 0.55, 0.20),
    "blue": (0.12, 0.28, 0.75),
    "yellow": (0.95, 0.80, 0.10),
    "orange": (0.93, 0.48, 0.08),
    "purple": (0.45, 0.18, 0.60),
    "pink": (0.93, 0.50, 0.65),
    "brown": (0.42, 0.26, 0.14),
    "black": (0.06, 0.06, 0.06),
    "white": (0.94, 0.94, 0.93),
    "grey": (0.50, 0.50, 0.50),
    "gray": (0.50, 0.50, 0.50),
    "cyan": (0.10, 0.70, 0.75),
    "teal": (0.05, 0.45, 0.45),
    "beige": (0.86, 0.78, 0.64),
}
"""Colour names that an object's ``color`` parameter may use."""


LOOKS = frozenset({"text", "title", "letter", "colour", "color", "clear", "variant"})
"""Settings of makers that change what is seen of a surface, and not its shape."""


class Match:
    """What the catalogue has for one category.

    Attributes:
        category: as asked for.
        grade: one of `GRADES`.
        model_id: model of the asset pack, or None for a procedural one.
        maker: procedural maker, or None for a model of the pack.
        settings: arguments of the maker, sorted by name.
        reason: why nothing fits (grade none), or what the viewer sees instead (alias, labelled).
    """

    def __init__(
        self,
        category: str,
        grade: str,
        model_id: str | None = None,
        maker: str | None = None,
        settings: tuple[tuple[str, Any], ...] = (),
        reason: str = "",
        shape: Callable[[Match], _Shape | None] = lambda _: None,
    ) -> None:
        self.category, self.grade, self.model_id, self.maker, self.settings, self.reason = (
            category,
            grade,
            model_id,
            maker,
            settings,
            reason,
        )
        self._shape_of = shape

    @functools.cached_property
    def _shape(self) -> _Shape | None:
        return self._shape_of(self)

    @property
    def recognisable(self) -> bool:
        """Whether an object of this category can be shown at all."""
        return self.grade != "none"

    @property
    def real_size_m(self) -> Vec3 | None:
        """Natural extents along the model's own axes; None for grade none. The first use of a procedural match builds its model."""
        return self._shape.size_m if self._shape else None

    @property
    def transparent(self) -> bool:
        """Contents show through."""
        return self._shape is not None and self._shape.transparent

    @property
    def glass_possible(self) -> bool:
        """Whether an object's ``glass`` parameter makes it an empty see-through vessel (vases, bottles, jars, pitchers)."""
        return self.maker is not None and "clear" in settings_of(self.maker)

    @property
    def hollow(self) -> bool:
        """Things can be inside."""
        return self._shape is not None and self._shape.hollow

    @property
    def shut(self) -> bool:
        """What is inside is not seen until a lid, door or flaps are opened."""
        return self._shape is not None and self._shape.shut

    @property
    def room(self) -> tuple[float, float] | None:
        """Shares of the outer width and depth that a box's inside has; None: not known, or round."""
        return self._shape.room if self._shape else None

    def __repr__(self) -> str:
        return f"Match({self.category!r}, {self.grade!r}, model_id={self.model_id!r}, maker={self.maker!r}, reason={self.reason!r})"


@dataclass(frozen=True)
class _Shape:
    size_m: Vec3
    transparent: bool
    hollow: bool
    room: tuple[float, float] | None = None
    shut: bool = False


def _given(shape: _Shape, _: Match) -> _Shape:
    return shape


def colour_of(value: Any) -> Colour | None:
    """A colour name or three numbers 0..1; None if it is neither."""
    if isinstance(value, str):
        return COLOURS.get(value.strip().lower())
    if isinstance(value, (list, tuple)) and len(value) == 3 and all(isinstance(v, (int, float)) and 0 <= v <= 1 for v in value):
        return float(value[0]), float(value[1]), float(value[2])
    return None


class Catalogue:
    """Lookup of categories; immutable once loaded."""

    def __init__(self, pack: packs.Pack | None) -> None:
        self._pack = pack
        self._matches: dict[str, Match] = {}
        self._models: dict[tuple[Any, ...], Model] = {}

    @classmethod
    def load(cls, root: str | None = None) -> Catalogue:
        """The catalogue with the installed asset pack, or with procedural objects alone where none is installed."""
        return cls(packs.Pack.find(root))

    @property
    def pack(self) -> packs.Pack | None:
        return self._pack

    @property
    def pack_present(self) -> bool:
        return self._pack is not None

    @property
    def name(self) -> str:
        return self._pack.name if self._pack else PROCEDURAL

    @property
    def version(self) -> str:
        return f"{self._pack.version}+{VERSION}" if self._pack else VERSION

    @functools.cached_property
    def hash(self) -> str:
        """SHA-256 hex over everything that decides what a scene looks like and how it moves: pack content and `deciding.DECIDING`."""
        digest = hashlib.sha256()
        digest.update((self._pack.hash if self._pack else PROCEDURAL).encode())
        digest.update(deciding.source_hash().encode())
        return digest.hexdigest()

    def lookup(self, category: str) -> Match:
        """The match of a category in the source's vocabulary; never raises for an unknown one."""
        if category not in self._matches:
            self._matches[category] = self._resolve(category)
        return self._matches[category]

    def _resolve(self, category: str) -> Match:
        rule = vocabulary.rule(category)
        if rule.grade == "none":
            return Match(category, "none", reason=rule.reason)
        for source in rule.sources:
            if isinstance(source, FromPack):
                entry = self._pack.entry(source.model) if self._pack else None
                if entry is None:
                    continue
                shape = _Shape(entry.size_m, source.transparent, source.hollow)
                return Match(category, rule.grade, model_id=source.model, reason=rule.reason, shape=functools.partial(_given, shape))
            return Match(category, rule.grade, maker=source.maker, settings=source.settings, reason=rule.reason, shape=self._made_shape)
        return Match(
            category,
            "none",
            reason="needs the object model pack, which is not installed "
            "(`python -m sim_bridge.backends.mujoco.tools.build_assets` builds it)",
        )

    def _made_shape(self, match: Match) -> _Shape:
        model = make(match.maker or "", **dict(match.settings))
        x, y, z = (float(v) for v in model.size)
        inside = model.cavity.half if model.cavity is not None and any(model.cavity.half) else None
        room = None if inside is None else (2 * float(inside[0]) / x, 2 * float(inside[1]) / y)
        shut = model.cavity is not None and bool(model.cavity.door) and not model.transparent
        return _Shape((x, y, z), model.transparent, model.hollow, room, shut)

    def model(self, match: Match, *, label: str | None = None, variant: int | None = None, glass: bool = False) -> Model:
        """The triangles of a match at its natural size; `label` replaces the words on a package, `glass` asks for a see-through vessel."""
        key = (match.model_id, match.maker, match.settings, label, variant, glass)
        if key not in self._models:
            if match.model_id is not None and self._pack is not None:
                rule = vocabulary.rule(match.category)
                source = next(s for s in rule.sources if isinstance(s, FromPack) and s.model == match.model_id)
                self._models[key] = self._pack.model(match.model_id, source)
            else:
                settings = dict(match.settings)
                if label is not None and "text" in settings:
                    settings["text"] = label
                if variant is not None and "variant" in settings:
                    settings["variant"] = variant
                if glass:
                    settings["clear"] = True
                made = make(match.maker or "", **settings)
                self._models[key] = replace(made, solids=made.solids or contact_shape(made))
        return self._models[key]

    def kind_of(self, category: str) -> str:
        """What a viewer would take the category for: equal for two categories that look the same."""
        match = self.lookup(category)
        return match.model_id or f"{match.maker}:{json.dumps(match.settings, default=str)}" if match.grade != "none" else category

    def form_of(self, category: str) -> str:
        """What a viewer could tell of the category under a cloth: equal for two of one shape, whatever they bear or what colour they are.
        Empty where it has no shape of its own here: there is no model, or it is shown as the package in which it is sold."""
        match = self.lookup(category)
        if match.grade == "none" or match.reason == PACKED:
            return ""
        shape = {name: value for name, value in match.settings if name not in LOOKS}
        return match.model_id or f"{match.maker}:{json.dumps(shape, default=str, sort_keys=True)}"
