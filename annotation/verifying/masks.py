"""Which thing each pixel of a view of the evidence shows: asked of the simulator when somebody wants to see it, and drawn as an overlay.

Nothing is kept: the simulator does the trajectory again up to that view, and the picture it draws there must be the kept one, pixel by
pixel, or its masks would not fit.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from annotation.verifying.errors import NoMasks
from annotation.verifying.evidence import Moment
from annotation.verifying.naming import words_of
from data.task import SIM_SEED, Task
from sim_bridge.client import Client
from sim_bridge.pool import Pool
from study.backends import needs_of
from study.errors import StudyError
from study.ground_truth import parts
from study.simulators import offerable

COLOURS = (
    "#e69f00",
    "#56b4e9",
    "#009e73",
    "#f0e442",
    "#0072b2",
    "#d55e00",
    "#cc79a7",
    "#8b4513",
    "#7fff00",
    "#9400d3",
    "#00ced1",
    "#ff6f91",
)
"""Told apart also without colour vision for the first eight (Okabe and Ito); a thing has the same in every view of a task."""
ALPHA = 115
RECORDED = "These pictures were recorded: there is no simulator that could tell which thing a pixel shows."


class Shown(msgspec.Struct, frozen=True):
    """One thing of an overlay."""

    words: str
    colour: str
    pixels: int


class Overlay(msgspec.Struct, frozen=True):
    """The masks of one view."""

    image: str
    """PNG as a data URL: transparent where the room is seen."""
    things: tuple[Shown, ...]
    """What shows, in the scene's order."""


def overlay(pool: Pool, session: str, task: Task, moments: Sequence[Moment], n: int, *, wait_s: float = 20.0) -> Overlay:
    """The masks of view `n` of a task's evidence.

    Args:
        pool: simulators.
        session: a name for the session; it is given back.
        task: the task, with a trajectory that a person recorded filled in.
        moments: its evidence.
        n: which view, from 0.
        wait_s: how long to wait for a simulator.

    Raises:
        NoMasks: they cannot be made here; the message says why.
        Busy, WorkerLost: no simulator now; ask again later.
    """
    try:
        client = pool.acquire(session, needs=needs_of(task), wait_s=wait_s)
        if "masks" not in client.hello.capabilities:
            raise NoMasks(RECORDED if "recorded" in client.hello.capabilities else "The simulator here does not tell pixels apart.")
        numbers, handles = _asked(client, session, task, moments, n)
    finally:
        pool.release(session)
    return drawn(task, numbers, handles)


def _asked(client: Client, session: str, task: Task, moments: Sequence[Moment], n: int) -> tuple[NDArray[np.uint16], tuple[str, ...]]:
    way, moment = _way(task), moments[n]
    elsewhere = n > len(way)  # a view that the source recorded: the camera stands there, nothing was done
    try:
        offerable(task, client.hello.capabilities)
    except StudyError as error:
        raise NoMasks(f"The simulator here cannot play this task: {str(error).rstrip('.')}.") from None
    reply = client.load(session, task.scene, task.start, seed=SIM_SEED, seq=0, replay=() if elsewhere else way[:n])
    frame = client.views(session, [moment.camera])[0] if elsewhere else reply.observation.frames[-1]
    if frame.pixel_hash != moment.picture.pixel_hash:
        raise NoMasks("The simulator here draws this view otherwise than it was kept, so its masks would not fit.")
    return client.masks(session, moment.camera if elsewhere else None)


def _way(task: Task) -> tuple[str, ...]:
    """What leads from the first view to each next one."""
    found: list[str] = []
    for n, (name, actions) in enumerate(parts(task)):
        found += [f"phase:{name}"] if n else []
        found += actions
    return tuple(found)


def drawn(task: Task, numbers: NDArray[np.uint16], handles: Sequence[str]) -> Overlay:
    """Masks as a transparent picture, each with a full edge, and what they show."""
    places = {thing.handle: n for n, thing in enumerate(task.scene.objects)}
    names: Mapping[str, str] = words_of(task)
    colours = [COLOURS[places.get(handle, n) % len(COLOURS)] for n, handle in enumerate(handles)]
    table = np.array([(0, 0, 0, 0), *((*bytes.fromhex(colour[1:]), ALPHA) for colour in colours)], np.uint8)
    pixels = table[numbers]
    edge = np.zeros(numbers.shape, bool)
    edge[:, 1:] |= numbers[:, 1:] != numbers[:, :-1]
    edge[1:, :] |= numbers[1:, :] != numbers[:-1, :]
    pixels[edge & (numbers > 0), 3] = 255
    file = io.BytesIO()
    Image.fromarray(pixels, "RGBA").save(file, "PNG")
    counts = np.bincount(numbers.ravel(), minlength=len(handles) + 1)
    things = tuple(
        Shown(names.get(handle, handle), colour, int(counts[n])) for n, (handle, colour) in enumerate(zip(handles, colours, strict=True), 1)
    )
    return Overlay(f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}", things)
