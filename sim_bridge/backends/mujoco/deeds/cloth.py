"""Taking a cloth away: it is pulled up by its highest place and is gone."""

from __future__ import annotations

from sim_bridge.actions import Action
from sim_bridge.backends.mujoco.deeds.stage import Failed, Stage
from sim_bridge.backends.mujoco.engine.session import parked, put_pose, show
from sim_bridge.backends.mujoco.entities.cloth import Cloth, out_of_sight

STAGE_S = 0.25
"""Time that passes between two pictures of the lifting."""


def remove_cloth(stage: Stage, action: Action) -> None:
    """Lift a cloth, named by itself or by what it covers, and take it out of the scene."""
    (handle,) = action.objects
    named = stage.object(handle)
    s = stage.s
    cloths = [e for p in s.world.objects if not s.absent(p.handle) for e in p.entities if isinstance(e, Cloth)]
    cloth = next((e for e in cloths if e.placed is named), None) or next((e for e in cloths if handle in e.covered), None)
    if cloth is None:
        raise Failed(f"there is no cloth over {handle}")
    stage.need_in_reach(cloth.handle)
    put_pose(s, cloth.placed, parked(s.world.objects.index(cloth.placed)))
    for k, mocap in enumerate(cloth.stages):
        s.data.mocap_pos[mocap] = cloth.anchor
        stage.run(STAGE_S)
        stage.take_picture()
        s.data.mocap_pos[mocap] = out_of_sight(k)
    s.extra(cloth.handle)["gone"] = True
    show(s)


DEEDS = {"remove_cloth": remove_cloth}
