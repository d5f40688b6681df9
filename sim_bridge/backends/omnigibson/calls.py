"""Every call that the adapter makes into OmniGibson, as facts: module, class, name, parameters, and the releases that have it.

A test reads the source of the releases that are at hand (`releases.RELEASES`) and asserts each of these; another asserts that the whole
list is used when the worker is driven. `engine` and `world` make the calls; nothing else in the bridge does.
"""

from __future__ import annotations

from dataclasses import dataclass

LATER = ("3.7.2", "3.8.0")
"""Releases of BEHAVIOR-1K, which are not on the package index."""


@dataclass(frozen=True)
class Call:
    """One thing that the adapter uses."""

    module: str
    """File inside the package, without ``.py``."""
    owner: str
    """Class; empty: a function or value of the module."""
    name: str
    parameters: tuple[str, ...] = ()
    """Parameters that are passed, by name or in this order."""
    kind: str = "function"
    """function, property, setter, value (an attribute that is assigned), class (its ``__init__``)."""
    only: tuple[str, ...] = ()
    """Releases that have it; empty: all of `releases.RELEASES`, as far as is known."""

    @property
    def text(self) -> str:
        """As it is printed: ``simulator.Simulator.step``."""
        return ".".join(part for part in (self.module.replace("/", "."), self.owner, self.name) if part)


def _calls(module: str, owner: str, *entries: tuple[str, ...] | str, kind: str = "function", only: tuple[str, ...] = ()) -> list[Call]:
    listed = [(e,) if isinstance(e, str) else e for e in entries]
    return [Call(module, owner, name, tuple(parameters), kind, only) for name, *parameters in listed]


CALLS: tuple[Call, ...] = (
    # the application
    *_calls("__init__", "", "__version__", "sim", "app", kind="value"),
    *_calls("__init__", "", ("clear", "physics_dt", "rendering_dt", "sim_step_dt", "viewer_width", "viewer_height"), "shutdown"),
    *_calls("macros", "gm", "HEADLESS", "RENDER_VIEWER_CAMERA", "USE_GPU_DYNAMICS", "ENABLE_HQ_RENDERING", "ENABLE_FLATCACHE",
            "ENABLE_OBJECT_STATES", "ENABLE_TRANSITION_RULES", kind="value"),
    *_calls("envs/env_base", "Environment", ("__init__", "configs"), kind="class"),
    *_calls("envs/env_base", "Environment", "scene", kind="property"),
    # time, pictures, state
    *_calls("simulator", "Simulator", "step", "render", ("batch_remove_objects", "objs")),
    *_calls("simulator", "Simulator", "viewer_camera", "world_prim", kind="property"),
    *_calls("simulator", "Simulator", ("load_state", "state", "serialized")),
    *_calls("utils/python_utils", "Serializable", ("dump_state", "serialized")),
    *_calls("sensors/vision_sensor", "VisionSensor", ("add_modality", "modality")),
    *_calls("sensors/vision_sensor", "VisionSensor", "horizontal_aperture", kind="property"),
    *_calls("sensors/vision_sensor", "VisionSensor", "focal_length", kind="setter"),
    *_calls("sensors/sensor_base", "BaseSensor", "get_obs"),
    *_calls("prims/xform_prim", "XFormPrim", ("set_position_orientation", "position", "orientation"), "get_position_orientation"),
    # the scene and its maps
    *_calls("scenes/scene_base", "Scene", "objects", "object_registry", "available_systems", kind="property"),
    *_calls("scenes/scene_base", "Scene", ("add_object", "obj"), ("get_system", "system_name"), ("is_system_active", "system_name"),
            ("clear_system", "system_name")),
    *_calls("scenes/traversable_scene", "TraversableScene", "trav_map", kind="property"),
    *_calls("scenes/traversable_scene", "TraversableScene",
            ("get_shortest_path", "floor", "source_world", "target_world", "entire_path", "robot")),
    *_calls("scenes/interactive_traversable_scene", "InteractiveTraversableScene", "seg_map", kind="property"),
    *_calls("maps/map_base", "BaseMap", ("world_to_map", "xy")),
    *_calls("maps/traversable_map", "TraversableMap", "floor_map", kind="value"),
    *_calls("maps/map_base", "BaseMap", "map_resolution", kind="value"),
    *_calls("maps/segmentation_map", "SegmentationMap", ("get_room_instance_by_point", "xy")),
    *_calls("maps/segmentation_map", "SegmentationMap", "room_ins_name_to_ins_id", kind="value"),
    # objects
    *_calls("objects/dataset_object", "DatasetObject",
            ("__init__", "name", "category", "model", "scale", "fixed_base", "prim_type", "load_config", "abilities",
             "bounding_box"), kind="class"),
    *_calls("objects/dataset_object", "DatasetObject", ("get_usd_path", "category", "model")),
    *_calls("objects/dataset_object", "DatasetObject", "model", kind="property"),
    *_calls("objects/primitive_object", "PrimitiveObject",
            ("__init__", "name", "primitive_type", "category", "scale", "fixed_base", "rgba"), kind="class"),
    *_calls("objects/stateful_object", "StatefulObject", "states", kind="property"),
    *_calls("prims/entity_prim", "EntityPrim", ("set_position_orientation", "position", "orientation"), "get_position_orientation",
            "keep_still", ("set_linear_velocity", "velocity")),
    *_calls("prims/entity_prim", "EntityPrim", "aabb", "aabb_center", "root_link", kind="property"),
    *_calls("prims/entity_prim", "EntityPrim", "visual_only", kind="setter"),
    *_calls("prims/prim_base", "BasePrim", "name", kind="property"),
    *_calls("prims/prim_base", "BasePrim", "visible", kind="setter"),
    *_calls("object_states/object_state_base", "BaseObjectState", "get_value", "set_value"),
    *_calls("object_states/inside", "Inside", ("_get_value", "other")),
    *_calls("object_states/on_top", "OnTop", ("_get_value", "other")),
    *_calls("object_states/touching", "Touching", ("_get_value", "other")),
    *_calls("object_states/open_state", "Open", "_get_value", ("_set_value", "new_value", "fully")),
    *_calls("object_states/filled", "Filled", ("_get_value", "system"), ("_set_value", "system", "new_value")),
    *_calls("object_states/contains", "Contains", ("_get_value", "system")),
    *_calls("object_states/contains", "ContainedParticles", ("_get_value", "system")),
    *_calls("object_states/contains", "ContainedParticles", "volume", kind="property"),
    *_calls("utils/object_state_utils", "", ("sample_kinematics", "predicate", "objA", "objB", "max_trials")),
    *_calls("utils/object_state_utils", "", ("sample_kinematics", "use_last_ditch_effort", "use_trav_map"), only=LATER),
    *_calls("utils/constants", "PrimType", "CLOTH", "RIGID", kind="value"),
    *_calls("utils/asset_utils", "", ("get_all_object_category_models", "category"), "get_available_og_scenes"),
    *_calls("utils/bddl_utils", "", "OBJECT_TAXONOMY", kind="value"),
    # water and cloth
    *_calls("systems/system_base", "BaseSystem", "remove_all_particles", "get_particles_position_orientation",
            ("set_particles_position_orientation", "positions", "orientations")),
    *_calls("systems/system_base", "BaseSystem", "n_particles", kind="property"),
    *_calls("systems/micro_particle_system", "MicroPhysicalParticleSystem", ("generate_particles", "positions")),
    *_calls("systems/micro_particle_system", "MicroParticleSystem", "particle_radius", kind="property"),
    *_calls("prims/cloth_prim", "ClothPrim", "compute_particle_positions", ("set_particle_positions", "positions")),
    *_calls("prims/cloth_prim", "ClothPrim", "get_available_configurations", "reset_points_to_configuration", only=LATER),
)  # fmt: skip
