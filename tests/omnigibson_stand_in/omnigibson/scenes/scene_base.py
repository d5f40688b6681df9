from __future__ import annotations

from typing import Any

from .._noted import noted
from ..macros import gm
from ..systems.micro_particle_system import MicroPhysicalParticleSystem


@noted
class Scene:
    ground = True

    def __init__(
        self, scene_file: Any = None, use_floor_plane: bool = True, floor_plane_visible: bool = True, floor_plane_color: Any = None,
        use_skybox: bool = True,
    ) -> None:  # fmt: skip
        self.things: list[Any] = []
        self.systems: dict[str, Any] = {}

    @property
    def objects(self) -> list[Any]:
        return list(self.things)

    @property
    def object_registry(self) -> Any:
        return lambda key, value, default=None: next((t for t in self.things if getattr(t, key) == value), default)

    @property
    def available_systems(self) -> dict[str, Any]:
        return {"water": None}

    def add_object(self, obj: Any, register: bool = True, _batched_call: bool = False) -> None:
        assert all(t._name != obj._name for t in self.things), f"there is a {obj._name} already"
        self.things.append(obj)

    def get_system(self, system_name: str, force_init: bool = True) -> Any:
        if system_name not in self.systems:
            assert gm.USE_GPU_DYNAMICS, "water needs GPU dynamics"
            self.systems[system_name] = MicroPhysicalParticleSystem(system_name)
        return self.systems[system_name]

    def is_system_active(self, system_name: str) -> bool:
        return system_name in self.systems

    def clear_system(self, system_name: str) -> None:
        del self.systems[system_name]
