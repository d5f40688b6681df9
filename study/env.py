"""The same engine as a Gymnasium environment. Needs the extra ``gym``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from data.frames import decode
from data.store import TaskNotFound
from data.task import Task
from sim_bridge.actions import CAMERA_ACTIONS, pattern
from study.agents import NEXT
from study.episode import EpisodeEngine
from study.errors import BadAction, BudgetUsed
from study.frozen import views_of
from study.paradigms import paradigm
from study.protocol import Protocol
from study.views import EpisodeView, StepView

MOST_PICTURES = 1000
"""More than any sequence of pictures has that are shown one after the other."""
TEXT_LENGTH = 400
"""Longest action text."""
CHARACTERS = "".join(chr(c) for c in range(32, 127))
"""Characters of action texts and answers."""


class EpisodeEnv(gym.Env[dict[str, Any], Any]):
    """One task, one episode per `reset`, kept in the database like a participant's.

    Observation space: ``Dict``
        * ``rgb``: ndarray, shape (H, W, 3), uint8: the observation, the same pixels a browser shows.
        * ``step``: ndarray, shape (1,), int64: step number, 0 = the first view.
        * ``left``: ndarray, shape (1,), int64: observations left.
        * ``ok``: 0 or 1: whether the last action succeeded.
        * ``views``: ndarray, shape (N, H, W, 3), uint8: only where the paradigm shows all pictures at once; ``rgb`` is the first of them.
          In a paradigm without pictures ``rgb`` is black.

    Action space: with ``actions="camera"`` (default) ``Discrete``: the task's camera actions in the order of `camera_actions`, and as the
    last index "answer" with the answer set by `answer_with`; with ``actions="text"`` ``Text``: any canonical action, or
    ``answer: <text>`` (for several parts: JSON), or ``next_part``. Where pictures are shown one after the other the one action is ``next``.

    Reward: 0 until the answer; at the answer 1.0 if right (released reading), else 0.0. The episode is terminated by the answer, and
    truncated when an action comes after the last observation (give the answer instead).

    Text that is no action costs an observation without moving (a script gets no reprompt). `info` holds words, never the gold:
    ``question``, ``note``, ``form``, ``options``, ``blanks`` and ``blank_names`` (words to choose from, part by part), ``targets`` (of an
    assignment), ``actions``, ``written`` (action → how its text is written), ``refused`` (why a text was no action, after one),
    ``handles`` (handle → name), ``boxes`` (handle → x0, y0, x1, y1 in pixels of ``rgb``, half-open, of what carries its number in a
    browser), ``choices`` (action → the handles for each of its objects), ``reach``, ``words``, ``phase``, ``phase_next``, ``forced``,
    ``told`` (what is told beside the question), ``parts`` (which part of the task each of ``views`` shows, from 1; 0: it has none).

    Args:
        engine: the engine, with its store, frames and simulators.
        task: a task, a task id or a content hash.
        actions: ``camera`` or ``text``.
        protocol: settings; None: the defaults.
        name: kept as the agent's name.
        render_mode: ``rgb_array`` or None.

    Example:
        >>> env = EpisodeEnv(engine, "own-size-001")
        >>> observation, info = env.reset(seed=3)
        >>> observation, reward, terminated, truncated, info = env.step(0)
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 1}

    def __init__(
        self,
        engine: EpisodeEngine,
        task: Task | str,
        *,
        actions: str = "camera",
        protocol: Protocol | None = None,
        name: str = "gym",
        render_mode: str | None = None,
    ) -> None:
        if actions not in ("camera", "text"):
            raise ValueError(f"actions is 'camera' or 'text', got {actions!r}")
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode is 'rgb_array' or None, got {render_mode!r}")
        self.engine, self.name, self.render_mode = engine, name, render_mode
        self.protocol = protocol or Protocol()
        self.task = _find(engine, task)
        way = paradigm(self.protocol.paradigm)
        self.camera_actions = tuple(a for a in CAMERA_ACTIONS if a in self.task.actions) if way.acts else (NEXT,) if way.paged else ()
        """Names of the discrete actions, in order; one more index means "answer"."""
        camera = self.task.scene.camera
        budget = MOST_PICTURES if way.paged else self.protocol.budget or self.task.budget
        self._shape = shape = (camera.height, camera.width, 3)
        held: dict[str, spaces.Space[Any]] = {
            "rgb": spaces.Box(0, 255, shape, np.uint8),
            "step": spaces.Box(0, budget, (1,), np.int64),
            "left": spaces.Box(0, budget, (1,), np.int64),
            "ok": spaces.Discrete(2),
        }
        if way.opens == "grid":
            views = len(views_of(engine.store, self.task.content_hash, way.frozen))
            held["views"] = spaces.Box(0, 255, (views or way.views, *shape), np.uint8)
        self.observation_space = spaces.Dict(held)
        self.action_space: spaces.Space[Any] = (
            spaces.Discrete(len(self.camera_actions) + 1)
            if actions == "camera"
            else spaces.Text(TEXT_LENGTH, min_length=1, charset=CHARACTERS)
        )
        self._answer: tuple[Any, int | None] = (None, None)
        self._view: EpisodeView | None = None
        self._step: StepView | None = None
        self._rgb: np.ndarray | None = None
        self._views: np.ndarray | None = None
        self._over = True

    @property
    def episode_id(self) -> str | None:
        """The current episode in the database."""
        return self._view.episode_id if self._view else None

    def answer_with(self, answer: Any, confidence: int | None = None) -> None:
        """What the discrete action "answer" will say, and how sure (0–100)."""
        self._answer = (answer, confidence)

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a new episode; an unfinished one is given back. `seed` decides the order of options; the scene is always the same."""
        super().reset(seed=seed)
        self._give_back()
        drawn = int(self.np_random.integers(2**31))
        episode = self.engine.create(self.task.content_hash, agent_kind="gym", agent_name=self.name, protocol=self.protocol, seed=drawn)
        self._view = self.engine.open(episode, tab="gym")
        self._answer, self._over = (None, None), False
        self._views = None
        if not self._view.shown:
            self._step, self._rgb = self._view.step, np.zeros(self._shape, np.uint8)
        elif self._view.opens == "grid":
            self._views = np.stack([decode(self.engine.frame(episode, seq)) for seq in self._view.shown])
            self._step, self._rgb = self._view.step, self._views[0]
        else:
            self._see(self._view.step, self.engine.frame(episode, 0))
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Execute one action, or answer."""
        if self._view is None or self._step is None or self._over:
            raise gym.error.ResetNeeded("The episode is over or has not begun: call reset.")
        episode, epoch, seq = self._view.episode_id, self._view.epoch, self._step.seq + 1
        text = self._text(action)
        if self._step.paged and not (self._step.forced or self.protocol.early_answer) and (text is None or text.startswith("answer:")):
            return self._observation(), 0.0, False, False, self._info() | {"refused": "The answer comes after the last picture."}
        if text is None:
            return self._finish(*self._answer)
        if text.startswith("answer:"):
            return self._finish(text.removeprefix("answer:").strip(), None)
        try:
            if self._step.paged:
                step = self.engine.next_picture(episode, epoch, seq)
            elif text == "next_part":
                step = self.engine.next_phase(episode, epoch, seq)
            else:
                step = self.engine.act(episode, epoch, seq, text)
        except BudgetUsed:
            if not self._step.forced:
                return self._observation(), 0.0, False, False, self._info() | {"refused": "The observations of this part are used up."}
            self._over = True
            self.engine.end(episode, "return", actor="gym")
            return self._observation(), 0.0, False, True, self._info()
        except BadAction as error:
            step = self.engine.stay(episode, epoch, seq, str(error)[:300])
            self._see(step, step.image or b"")
            return self._observation(), 0.0, False, False, self._info() | {"refused": str(error)}
        self._see(step, step.image or b"")
        return self._observation(), 0.0, False, False, self._info()

    def render(self) -> np.ndarray | None:
        """The current observation, shape (H, W, 3), uint8."""
        return None if self.render_mode is None or self._rgb is None else self._rgb.copy()

    def close(self) -> None:
        """Give an unfinished episode back."""
        self._give_back()

    def _finish(self, answer: Any, confidence: int | None) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        assert self._view is not None
        final = self.engine.answer(self._view.episode_id, self._view.epoch, answer, confidence)
        self._over = True
        score = self.engine.store.one("SELECT correct_lenient FROM scores WHERE episode_id = ?", [self._view.episode_id])
        reward = float(score["correct_lenient"]) if score else 0.0
        return self._observation(), reward, True, False, self._info() | {"answer": final.answer}

    def _text(self, action: Any) -> str | None:
        """The action's text; None: answer."""
        if isinstance(self.action_space, spaces.Discrete):
            index = int(action)
            if not 0 <= index <= len(self.camera_actions):
                raise ValueError(f"action is 0 to {len(self.camera_actions)}, got {action!r}")
            return None if index == len(self.camera_actions) else self.camera_actions[index]
        return str(action).strip()

    def _see(self, step: StepView, image: bytes) -> None:
        self._step, self._rgb = step, decode(image)

    def _observation(self) -> dict[str, Any]:
        assert self._step is not None
        assert self._rgb is not None
        return {
            "rgb": self._rgb.copy(),
            "step": np.array([self._step.seq], np.int64),
            "left": np.array([self._step.observations_left], np.int64),
            "ok": np.int64(self._step.ok),
            **({} if self._views is None else {"views": self._views.copy()}),
        }

    def _info(self) -> dict[str, Any]:
        assert self._view is not None
        assert self._step is not None
        view, step = self._view, self._step
        return {
            "question": view.question,
            "form": view.form,
            "note": view.note,
            "options": list(view.options),
            "blanks": [list(words) for words in view.blanks],
            "blank_names": list(view.blank_names),
            "targets": list(view.targets),
            "actions": list(view.actions),
            "written": {name: pattern(name) for name in view.actions},
            "handles": {h.handle: h.label for h in step.handles},
            "boxes": {h.handle: h.box for h in step.handles if h.box is not None},
            "choices": dict(step.choices),
            "reach": step.reach,
            "words": step.words,
            "phase": step.phase,
            "phase_next": step.phase_next,
            "forced": step.forced,
            "told": list(view.told),
            "parts": list(view.parts),
        }

    def _give_back(self) -> None:
        if self._view is not None and not self._over:
            self.engine.end(self._view.episode_id, "return", actor="gym")
        self._over = True


def _find(engine: EpisodeEngine, task: Task | str) -> Task:
    if isinstance(task, Task):
        engine.store.put_task(task)
        return task
    try:
        return engine.store.find_task(task)
    except TaskNotFound:
        return engine.store.get_task(task)
