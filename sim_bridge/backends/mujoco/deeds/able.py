"""What a hand can do with the things of a scene, by their kinds: nothing that follows from their state, such as a lock or the contents."""

from __future__ import annotations

from sim_bridge.backends.mujoco.deeds.stage import REACH_M
from sim_bridge.backends.mujoco.engine import containment
from sim_bridge.backends.mujoco.engine.building import Placed, World
from sim_bridge.backends.mujoco.entities.cloth import Cloth
from sim_bridge.backends.mujoco.entities.openable import Openable
from sim_bridge.backends.mujoco.entities.ramp import Ramp
from sim_bridge.backends.mujoco.entities.vessel import vessel_of
from sim_bridge.spec import Ability, Hands


def hands(world: World) -> Hands:
    """The reach, and what each object's kind lets a hand do."""
    return Hands(REACH_M, {p.handle: _abilities(p) for p in world.objects})


def _abilities(p: Placed) -> tuple[Ability, ...]:
    """Furniture carries things; what a hand can take carries them too, but is not made for it unless it has an inside."""

    def owns(kind: type) -> bool:
        return any(isinstance(e, kind) for e in p.entities)

    inside = containment.cavity_of(p) is not None
    can: dict[Ability, bool] = {
        "take": p.physical.graspable,
        "open": owns(Openable),
        "hold": inside,
        "carry": inside or not (p.physical.graspable or owns(Ramp) or owns(Cloth)),
        "water": vessel_of(p) is not None,
        "cloth": owns(Cloth),
    }
    return tuple(ability for ability, able in can.items() if able)
