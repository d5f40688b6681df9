"""The simulator, made inside a function as the real one is."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _boxes, _held
from ._noted import noted
from ._tensor import Tensor, tensor_only
from .macros import gm
from .sensors.vision_sensor import VisionSensor
from .utils.python_utils import Serializable


def _launch_simulator(*args: Any, **kwargs: Any) -> Any:
    _held["app"] = _held["app"] or object()

    class Simulator(Serializable):
        def __init__(
            self, gravity: Any = 9.81, physics_dt: Any = None, rendering_dt: Any = None, sim_step_dt: Any = None,
            viewer_width: Any = 1280, viewer_height: Any = 720, device: Any = None,
        ) -> None:  # fmt: skip
            assert rendering_dt == sim_step_dt, "without a window the two must be equal"
            assert gm.RENDER_VIEWER_CAMERA and gm.HEADLESS
            self.dts, self.size = (physics_dt, rendering_dt, sim_step_dt), (viewer_width, viewer_height)
            self._scenes: list[Any] = []
            self._camera = VisionSensor("/viewer_camera", "viewer_camera", image_width=viewer_width, image_height=viewer_height)
            self._camera.sim = self
            self.lights = _Stage([_Light("/World/skylight", 1500.0), _Light("/World/scene_0/ceiling_lamp", 150000.0)])

        def step(self) -> None:
            scene = self._scenes[0]
            solid = [o for o in scene.things if not o.ghost]
            for thing in scene.things:
                thing.ready = True
                if not thing.fixed and not thing.ghost:
                    _boxes.fall(thing, solid, scene.ground)
                thing.boxed = _boxes.bounds(thing)
            water = scene.systems.get("water")
            if water is not None:
                water.drops = _boxes.drip(water.drops, [o for o in scene.things if o.hollow and not o.ghost])
            self.render()

        def render(self) -> None:
            self._camera.draw(self._scenes[0] if self._scenes else None, self.lights.share())

        def batch_remove_objects(self, objs: Any) -> None:
            for obj in list(objs):
                self._scenes[0].things.remove(obj)

        @property
        def viewer_camera(self) -> Any:
            return self._camera

        @property
        def world_prim(self) -> Any:
            return self.lights

        @property
        def floor_plane(self) -> Any:
            return self._scenes[0].ground or None

        @property
        def device(self) -> Any:
            return "cpu"

        def load_state(self, state: Any, serialized: bool = False) -> None:
            values = tensor_only(state)
            scene = self._scenes[0]
            for thing in scene.things:
                values = thing.take_state(values)
            for system in scene.systems.values():
                values = system.take_state(values)
            assert not len(values), f"{len(values)} values are left over"

        def _dump_state(self) -> Any:
            scene = self._scenes[0]
            parts = [thing.state() for thing in scene.things] + [system.state() for system in scene.systems.values()]
            return Tensor(np.concatenate([np.zeros(0), *parts]))

    noted(Simulator)
    _held["sim"] = Simulator(*args, **kwargs)
    return _held["sim"]


class _Light:
    def __init__(self, path: str, intensity: float) -> None:
        self.path, self.own, self.now = path, intensity, intensity

    def GetTypeName(self) -> str:  # noqa: N802
        return "DistantLight"

    def GetPath(self) -> str:  # noqa: N802
        return self.path

    def GetAttribute(self, name: str) -> Any:  # noqa: N802
        return self if name == "inputs:intensity" else None

    def Get(self) -> float:  # noqa: N802
        return self.now

    def Set(self, value: float) -> None:  # noqa: N802
        self.now = value


class _Stage:
    def __init__(self, lights: list[_Light]) -> None:
        self.lights = lights

    def GetStage(self) -> Any:  # noqa: N802
        return self

    def Traverse(self) -> Any:  # noqa: N802
        return iter(self.lights)

    def share(self) -> float:
        found: float = min(1.0, sum(light.now for light in self.lights) / sum(light.own for light in self.lights)) ** 0.3
        return found
