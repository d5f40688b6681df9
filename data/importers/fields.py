"""Reading untrusted JSON: every getter returns a checked value or says which field is wrong and why."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from data.importers.geometry import Box
from sim_bridge.spec import Pose, Quat, Vec3

MAX_COORDINATE_M = 1e7
"""Positions beyond this are no positions (released rows hold objects that fell 190 km below the floor: kept, but not playable)."""


class FieldError(Exception):
    """A field of the source that cannot be used: which one, and why."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field, self.reason = field, reason


def shown(value: Any) -> str:
    """A value for a message: short, printable."""
    text = repr(value) if not isinstance(value, (dict, list)) else f"{type(value).__name__} of {len(value)}"
    return text if len(text) <= 60 else text[:57] + "…"


def mapping(value: Any, field: str) -> dict[str, Any]:
    """An object of JSON."""
    if not isinstance(value, dict):
        raise FieldError(field, f"must be an object, got {shown(value)}.")
    return value


def listing(value: Any, field: str) -> list[Any]:
    """A list of JSON."""
    if not isinstance(value, list):
        raise FieldError(field, f"must be a list, got {shown(value)}.")
    return value


def text(value: Any, field: str, *, longest: int = 4000) -> str:
    """A text that is not blank and has no control characters."""
    if not isinstance(value, str) or not value.strip():
        raise FieldError(field, f"must be a text, got {shown(value)}." if not isinstance(value, str) else "is empty.")
    if len(value) > longest:
        raise FieldError(field, f"is longer than {longest} characters.")
    if bad := re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", value):
        raise FieldError(field, f"holds the control character {bad[0]!r}.")
    return value


def name(value: Any, field: str) -> str:
    """A plain name that could be a file or folder name: no path, no ``..``."""
    plain = text(value, field, longest=200)
    if plain in (".", "..") or re.search(r"[/\\:]", plain):
        raise FieldError(field, f"must be a plain name without folders, got {shown(plain)}.")
    return plain


def number(value: Any, field: str) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise FieldError(field, f"must be a number, got {shown(value)}.")
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise FieldError(field, "must be a finite number.")
    return result


def flag(value: Any) -> bool:
    """A recorded true/false; anything else counts as false (absent key = false in the source)."""
    return value is True


def numbers(value: Any, count: int, field: str) -> tuple[float, ...]:
    """So many finite numbers."""
    if not isinstance(value, (list, tuple)) or len(value) != count:
        raise FieldError(field, f"must be {count} numbers, got {shown(value)}.")
    return tuple([v if type(v) is float and v - v == 0.0 else number(v, field) for v in value])  # v − v is NaN for infinity


def vec3(value: Any, field: str) -> Vec3:
    """A place or direction within any scene, metres."""
    x, y, z = numbers(value, 3, field)
    if max(abs(x), abs(y), abs(z)) > MAX_COORDINATE_M:
        raise FieldError(field, f"lies outside any scene: {shown(value)}.")
    return (x + 0.0, y + 0.0, z + 0.0)


def quat(value: Any, field: str) -> Quat:
    """A unit quaternion (x, y, z, w), normalised."""
    q = numbers(value, 4, field)
    norm = math.sqrt(sum(c * c for c in q))
    if not 0.99 < norm < 1.01:
        raise FieldError(field, f"must be a unit quaternion (x, y, z, w), got one of length {norm:.4g}.")
    x, y, z, w = (c / norm + 0.0 for c in q)
    return (x, y, z, w)


def pose(value: Any, field: str) -> Pose:
    """A recorded pose: ``position`` (or ``eye``) and ``quaternion_xyzw``."""
    record = mapping(value, field)
    key = "position" if "position" in record or "eye" not in record else "eye"
    return Pose(
        position_m=vec3(record.get(key), f"{field}.{key}"),
        quaternion_xyzw=quat(record.get("quaternion_xyzw"), f"{field}.quaternion_xyzw"),
    )


def box(value: Any, field: str) -> Box:
    """A recorded box in any of its three spellings: ``[[min], [max]]``, ``{min, max}``, ``{aabb_min, aabb_max}``."""
    if isinstance(value, dict):
        prefix = "aabb_" if "aabb_min" in value else ""
        low, high = vec3(value.get(f"{prefix}min"), f"{field}.{prefix}min"), vec3(value.get(f"{prefix}max"), f"{field}.{prefix}max")
    else:
        pair = listing(value, field)
        if len(pair) != 2:
            raise FieldError(field, f"must be [[min], [max]], got {shown(value)}.")
        low, high = vec3(pair[0], f"{field}[0]"), vec3(pair[1], f"{field}[1]")
    if any(h < lo for lo, h in zip(low, high, strict=True)):
        raise FieldError(field, "has a least corner beyond its greatest corner.")
    return (low, high)


def keyed(value: Any, field: str) -> dict[str, Any]:
    """The object behind a ``_key`` list; a plain object is returned as it is (absent: empty).

    ``{"_key": k, "value": v}`` gives k → v, ``{"_key": k, ...fields}`` gives k → fields. Order is kept, but is not semantic.
    """
    if value is None:
        return {}
    if isinstance(value, dict):
        return value
    out: dict[str, Any] = {}
    for i, item in enumerate(listing(value, field)):
        record = mapping(item, f"{field}[{i}]")
        key = record.get("_key")
        if not isinstance(key, str):
            raise FieldError(f"{field}[{i}]._key", f"must be a text, got {shown(key)}.")
        if key in out:
            raise FieldError(f"{field}[{i}]._key", f"occurs twice: {shown(key)}.")
        rest = {k: v for k, v in record.items() if k not in ("_key", "_indices")}
        out[key] = rest["value"] if set(rest) == {"value"} else rest
    return out


def indexed(value: Any, field: str) -> dict[tuple[int, ...], Any]:
    """Like `keyed`, by the numbers in the original keys: ``exist_obj1_0`` → (1, 0), from ``_indices`` where given."""
    given: dict[str, tuple[int, ...]] = {}
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict) and isinstance(item.get("_indices"), list) and isinstance(item.get("_key"), str):
                given[item["_key"]] = tuple(i for i in item["_indices"] if isinstance(i, int))
    return {given.get(key) or tuple(int(n) for n in re.findall(r"\d{1,9}", key)): v for key, v in keyed(value, field).items()}


def ordinal(key: str) -> tuple[int, ...]:
    """Numeric order of a key such as ``10.png`` (text order would put it before ``2.png``)."""
    return tuple(int(n) for n in re.findall(r"\d{1,18}", key))


def leaves(value: Any, field: str) -> Iterator[tuple[str, Any]]:
    """Every scalar with its path."""
    stack = [(field, value)]
    while stack:
        path, v = stack.pop()
        if isinstance(v, dict):
            stack.extend((f"{path}.{k}", c) for k, c in v.items())
        elif isinstance(v, list):
            stack.extend((f"{path}[{i}]", c) for i, c in enumerate(v))
        else:
            yield path, v
