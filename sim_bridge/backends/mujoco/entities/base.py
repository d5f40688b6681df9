"""What an entity is: the physics that one object owns beyond being a rigid body (a lid, water, a cloth, a ramp, a walk).

An entity is made once per object and compiled world and is shared by all sessions of that world, so it keeps no session state: that
lies in ``session.extra(handle)`` as plain values and is part of every snapshot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    import mujoco

    from sim_bridge.backends.mujoco.catalogue.lookup import Match
    from sim_bridge.backends.mujoco.engine.building import Builder, Placed, World
    from sim_bridge.backends.mujoco.engine.session import Session
    from sim_bridge.backends.mujoco.meshes.shapes import Array, Model
    from sim_bridge.spec import Object, Pose, Scene


class Entity:
    """Base of all entities; override what is needed.

    Attributes:
        params: names of `Object.params` that this entity understands.
        follows: `follow` must run after every physics step and every kinematic move (parts that hang on the object).
        steps: `step` must run before every physics step (forces, controls).
        placed: the object as built.
        cavity_body: id of the body that carries the object's cavity where that is not the object itself (a drawer); else −1.
    """

    params: ClassVar[tuple[str, ...]] = ()
    follows: ClassVar[bool] = False
    steps: ClassVar[bool] = False
    cavity_body: int = -1

    def __init__(self, placed: Placed, thing: Object, scene: Scene) -> None:
        self.placed, self.thing, self.scene = placed, thing, scene

    @property
    def handle(self) -> str:
        return self.placed.handle

    # --- choosing and building ---------------------------------------------------------------------------------------

    @classmethod
    def applies(cls, thing: Object, match: Match, model: Model) -> bool:
        """Whether this object gets such an entity."""
        raise NotImplementedError

    @classmethod
    def check(cls, thing: Object, where: str) -> None:
        """Refuse settings that make no sense.

        Raises:
            SceneError: naming ``{where}.params.…``.
        """

    @classmethod
    def shape(cls, thing: Object, model: Model) -> Model:
        """The object's model as this entity wants it, before it is scaled to its size (a ramp of the angle asked for)."""
        return model

    def add(self, builder: Builder, body: mujoco.MjsBody, placed: list[Placed]) -> None:
        """Add geometry beyond the object's own parts and contact shape, which are there already: to `body` or to the world body.

        Bodies that show parts of this object are named in ``self.placed.more_bodies``, so that their pixels count as the object's.
        """

    def bind(self, world: World) -> None:
        """Look up ids in the compiled model."""

    # --- per session -------------------------------------------------------------------------------------------------

    def enter(self, s: Session) -> None:
        """A phase begins: the object is at its pose and ``s.extra`` is empty."""

    def step(self, s: Session) -> None:
        """Before one physics step."""

    def load(self, s: Session) -> None:
        """After a step of physics: pass on what presses on parts that are set by hand."""

    def follow(self, s: Session) -> None:
        """The object may have moved: set the poses of parts that hang on it (``data.xpos``, ``xmat``) and pin what it carries."""

    def moved(self, s: Session, before: Pose, after: Pose) -> None:
        """A deed set the object to another pose: take along what belongs to it (water in a glass)."""

    def vertices(self, s: Session, rest: Array) -> Array:
        """The object's vertices in its own frame now; `rest` are those of the model, closed."""
        return rest

    def advance(self, s: Session) -> None:
        """One action has been done: whatever goes on by itself goes on by one action's worth (a robot's walk)."""

    def busy(self, s: Session) -> bool:
        """Whether waiting shows something of this entity."""
        return False

    def flags(self, s: Session) -> dict[str, bool]:
        """open, filled, … for judges."""
        return {}

    def levels(self, s: Session) -> dict[str, float]:
        """Numbers for judges: ``open`` (share of the travel), ``water_ml``, ``capacity_ml``, …"""
        return {}
