from __future__ import annotations

from typing import Any

from .. import _held
from .._noted import noted
from ..scenes.interactive_traversable_scene import InteractiveTraversableScene
from ..scenes.scene_base import Scene
from ..simulator import _launch_simulator

SCENES = {"Scene": Scene, "InteractiveTraversableScene": InteractiveTraversableScene}


@noted
class Environment:
    def __init__(self, configs: Any, in_vec_env: bool = False) -> None:
        env, render = configs["env"], configs["render"]
        dts = tuple(1.0 / env[f"{name}_frequency"] for name in ("physics", "rendering", "action"))
        size = (render["viewer_width"], render["viewer_height"])
        sim = _held["sim"]
        if sim is None:
            sim = _launch_simulator(physics_dt=dts[0], rendering_dt=dts[1], sim_step_dt=dts[2], viewer_width=size[0], viewer_height=size[1])
        assert sim.dts == dts, f"Physics frequency mismatch! Expected {dts}, got {sim.dts}"
        assert sim.size == size, f"Viewer width mismatch! Expected {size}, got {sim.size}"
        assert not sim._scenes, "the stage is not empty"
        arguments = {k: v for k, v in configs["scene"].items() if k != "type"}
        self._scene = SCENES[configs["scene"]["type"]](**arguments)
        sim._scenes.append(self._scene)
        for robot in configs["robots"]:
            self._scene.things.append(_robot(robot))

    @property
    def scene(self) -> Any:
        return self._scene


def _robot(config: dict[str, Any]) -> Any:
    from ..objects.stateful_object import StatefulObject
    from ..prims.xform_prim import put

    robot = StatefulObject(config["name"], (0.5, 0.5, 1.6), True, False, False)
    robot.category, robot.ready = "robot", True
    put(robot, config["position"], config["orientation"], "scene")
    return robot
