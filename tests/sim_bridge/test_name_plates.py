"""No furniture of lived-in houses hides a room's name; rooms of older houses keep what they had."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.rooms import furnished, house_shell, plates
from sim_bridge.backends.mujoco.rooms.furnishing import Piece
from sim_bridge.houses import plan
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera, House, Scene

OURS = Catalogue(None)


def furnished_room(seed: int, arrangement: str) -> tuple[list[house_shell.Space], list[list[Piece]]]:
    made = plan(seed, 5)
    scene = Scene(Camera(64, 48), made.bounding_room(arrangement=arrangement), house=House(seed=seed, rooms=5, show_labels=True))
    start = looking(*made.centre(made.names[0]), 1.35)
    return house_shell.spaces(scene), furnished.furnish(scene, start, [], OURS)


def standing(x: float, y: float, top_m: float, on_wall: bool = False) -> Any:
    """A piece 0.8 m × 0.8 m."""
    return SimpleNamespace(footprint=(x - 0.4, y - 0.4, x + 0.4, y + 0.4), centre_m=(x, y, top_m / 2), top_m=top_m, on_wall=on_wall)


def test_what_hides_a_name_is_taken_away_with_what_stands_on_it() -> None:
    space = furnished_room(1, "lived_in")[0][0]
    plate = next(part for part in house_shell.signs(space) if part.texture is not None)
    x, y = (float(v) for v in plate.vertices[:, :2].mean(0))
    far = space.middle
    # The plate's lower edge is at 2.19 m; 0.4 m before the wall a reader's line of sight is at 2.02 m.
    tall, low, elsewhere, vase = standing(x, y, 2.1), standing(x, y, 1.9), standing(*far, 2.1), standing(x, y, 2.3, on_wall=True)
    pieces: list[Any] = [tall, low, elsewhere, vase]
    plates.uncover(space, pieces)
    assert pieces == [low, elsewhere]
    pieces = [low, elsewhere]
    plates.uncover(replace(space, label=""), pieces)
    assert pieces == [low, elsewhere]


def test_older_houses_keep_what_stands_before_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    def places(seed: int) -> list[list[tuple[str, tuple[float, float, float]]]]:
        return [[(p.category, p.centre_m) for p in pieces] for pieces in furnished_room(seed, "along_walls")[1]]

    before = places(3)
    monkeypatch.setattr(plates, "uncover", lambda space, pieces: pieces.clear())
    assert places(3) == before
