"""The pictures along a task's ground-truth trajectory: rendered once, frozen, the same for everybody.

The first is the start view; then every frame of every action in order, those on its way included. A task in parts goes on to its next part
where the trajectory says so, and begins there with the new part's first view. No picture is taken from inside a wall or a thing
(measurement 7).
"""

from __future__ import annotations

import itertools

from data.store import Store
from data.task import SIM_SEED, Task
from sim_bridge.protocol import StepReply
from study import trajectories
from study.errors import SceneUnplayable
from study.frozen import Rendered
from study.simulators import Client, offerable
from study.trajectories import NoTrajectory


def parts(task: Task) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The trajectory by parts of the task: (name of the part, its actions); the name is empty where the task has one part."""
    end = len(task.gt_trajectory)
    names = [phase.name for phase in task.scene.phases] or [""]
    starts = task.gt_phase_starts or (end,) * (len(names) - 1)
    cuts = itertools.pairwise((0, *starts, end))
    return tuple((name, task.gt_trajectory[a:b]) for name, (a, b) in zip(names, cuts, strict=True))


def render(store: Store, client: Client, session: str, task: Task) -> list[Rendered]:
    """Play a task's ground-truth trajectory in a fresh session and keep every picture.

    Args:
        store: the database; a trajectory that a person recorded stands there.
        client: the simulator.
        session: the session's name; whoever calls gives it back.
        task: the task.

    Raises:
        NoTrajectory: the task has none.
        SceneUnplayable: the trajectory leads into a wall or a thing, or the simulator cannot do what the task needs.
        BridgeError: no simulator can be reached.
    """
    task = trajectories.known(store, task)
    if not task.gt_trajectory:
        raise NoTrajectory(f"{task.task_id} has no ground-truth trajectory: record one first.")
    able = offerable(task, client.hello.capabilities)
    views: list[Rendered] = []
    seq = 0
    for n, (name, actions) in enumerate(parts(task)):
        reply = (
            client.set_phase(session, seq, name)
            if n
            else client.load(session, task.scene, task.start, actions=able, seed=SIM_SEED, seq=seq)
        )
        views += _pictures(task, reply)
        for action in actions:
            seq += 1
            views += _pictures(task, client.act(session, seq, action), action)
        seq += 1
    return views


def _pictures(task: Task, reply: StepReply, action: str = "") -> list[Rendered]:
    """All frames of one reply."""
    seen = reply.observation
    if seen.clipped:
        raise SceneUnplayable(
            f"The ground-truth trajectory of {task.task_id} leads into a wall or a thing ({action or 'at its start'}): record another one."
        )
    *on_the_way, last = seen.frames
    return [
        *(Rendered(frame, seen.camera, seen.phase) for frame in on_the_way),
        Rendered(last, seen.camera, seen.phase, dict(seen.visible)),
    ]
