"""Model agents: the published prompt format read, one reprompt, and the released stop rule.

A model answers every observation with one JSON object (ESI-Bench's released runner)::

    {"action": "turn_left", "answer": "near the bowl", "confidence": 0.4, "reasoning": "…"}

alone, in a fenced block, or inside other text. ``action: "stop"`` or a confidence at the threshold ends the episode with that answer. Text
whose action is none is sent back once with the reason; the second time it costs an observation and the agent stays (measurement 8).
"""

from __future__ import annotations

import json
import math
import re
from typing import Annotated, Any

import msgspec
from pydantic import BaseModel, ConfigDict, Field

from data.foreign import Unreadable, json_value
from data.rows import Json
from data.store import Store
from sim_bridge.actions import CAMERA_ACTIONS, pattern
from study.asked import asked
from study.episode import EpisodeEngine
from study.errors import BadAction, BudgetUsed, OutOfStep
from study.protocol import Protocol
from study.scoring import explain, is_no_answer, normalise, reading_of
from study.simulators import flag
from study.views import EpisodeView, FinalView, HandleView, StepView

STOP_WORDS = ("stop", "answer", "done", "finish")
"""Actions that end the episode with the answer given beside them."""
EXPLORING = (
    "You look around in a scene through a camera to answer a question. Explore freely, gather as much evidence as you need, "
    "and answer only when you are confident."
)
"""What a model is told that acts."""
LOOKING = {
    "start_view": "You see one view of a scene through a camera and answer a question about it.",
    "grid": "You see views of a scene through a camera, all at once and in no order, and answer a question about it.",
    "frames": "You see pictures of a scene, one after the other and in order, and answer a question about it.",
    "words": "You answer a question about a scene that you do not see.",
}
"""What a model is told that cannot act, by how the showing opens (`study.paradigms.paradigm.Opening`)."""
NEXT = "next"
"""What a model says to see the next of pictures that are shown one after the other."""
MAX_OUTPUT = 100_000
"""Longest model output read, in characters."""


class Rules(BaseModel):
    """When a model's loop stops; kept with the episode, and a confidence stop is flagged (measurement 10)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    confidence_threshold: float | None = Field(default=None, ge=0.0, le=1.0)
    """Stop at this confidence; None (the default): the model decides. Released runs used 0.8 or 0.9."""
    min_steps: int = Field(default=1, ge=1)
    """Observations before a confidence may stop the loop."""


class Turn(BaseModel):
    """What a model said at one observation."""

    model_config = ConfigDict(frozen=True)

    action: str
    """As written, trimmed; empty if there was none."""
    answer: Any = None
    confidence: float | None = None
    """0–1; None if missing or unreadable."""
    reasoning: str = ""


class Reply(BaseModel):
    """What the model gets back: the next observation, a reprompt, or the end."""

    model_config = ConfigDict(frozen=True)

    step: StepView | None = None
    """The new observation."""
    reprompt: str | None = None
    """Why the text was no action; answer the same observation again. Nothing was used up."""
    final: FinalView | None = None
    """The episode is over."""
    forced: bool = False
    """The budget is used up: send an answer now."""


def parse_turn(text: str) -> Turn | None:
    """Read a model's output.

    Args:
        text: the raw output: a JSON object alone, in a fenced block, or inside other text.

    Returns:
        The turn, or None if no JSON object with an action or an answer is found.
    """
    text = text[:MAX_OUTPUT]
    fenced = re.findall(r"```(?:[A-Za-z]+)?\s*\n?(.*?)```", text, re.S)
    for part in [*reversed(fenced), text]:
        found = [value for value in _objects(part) if "action" in value or "answer" in value]
        if found:
            return _turn(found[-1])
    return None


def prompt(view: EpisodeView) -> str:
    """The task in words, with what may be done and the form of a reply; the same information a person's page shows."""
    step = view.step
    question = asked(
        view.question, note=view.note, options=view.options, blanks=view.blanks, blank_names=view.blank_names, targets=view.targets,
        told=view.told,
    )  # fmt: skip
    lines = [EXPLORING if view.actions else LOOKING[view.opens], *question]
    if any(view.parts):
        pictures = {part: [seq + 1 for seq, shows in enumerate(view.parts) if shows == part] for part in dict.fromkeys(view.parts)}
        lines += [f"Pictures {of[0]} to {of[-1]} show part {part} of {len(pictures)} of the task." for part, of in pictures.items()]
    if view.actions:
        lines.append("Actions: " + ", ".join(map(pattern, view.actions)) + ', and "stop" to give your final answer.')
        if any("(" in pattern(name) for name in view.actions):
            lines.append("For OBJECT write an object's handle, such as object_1; where words are parted by |, write one of them.")
    elif view.step.paged:
        early = "" if view.early_answer else ", once you have seen all"
        lines.append(f'Action: "{NEXT}" shows the next picture, and "stop" gives your final answer{early}.')
    else:
        lines.append('Action: "stop" gives your final answer.')
    if step.handles:
        lines.append("Objects: " + "; ".join(f"{h.handle} = {h.label}{_place(h)}" for h in step.handles))
    for form, places in step.choices.items():
        lines.append(f"{form}: " + "; ".join(", ".join(place) or "nothing now" for place in places))
    if step.reach:
        lines.append(step.reach)
    if step.phase_next:
        lines.append('"next_part" goes on to the next part of the task.')
    lines.append(status(step))
    lines.append('Reply with one JSON object: {"action": "...", "answer": "...", "confidence": 0.0, "reasoning": "..."}; confidence is the')
    lines[-1] += " probability (0 to 1) that your answer is right."
    return "\n".join(lines)


def _place(handle: HandleView) -> str:
    """Where it is in the view, for models: people see its number there."""
    if handle.unseen:
        return " (not seen well yet)"
    if handle.number is not None and handle.box is None:
        return " (not in this view)"
    return "" if handle.box is None else f" at x {handle.box[0]}–{handle.box[2]}, y {handle.box[1]}–{handle.box[3]}"


def status(step: StepView) -> str:
    """The last result and what is left, in words; where nobody acts, what is shown."""
    if step.paged or not step.acts:
        return step.words
    left = "No observation is left: give your final answer now." if step.forced else f"Observations left: {step.observations_left}."
    return f"Observation {step.seq + 1}. {step.words} {left}"


def begin(
    engine: EpisodeEngine,
    task_hash: str,
    name: str,
    *,
    study_id: str | None = None,
    protocol: Protocol | None = None,
    rules: Rules | None = None,
    seed: int | None = None,
    request: str | None = None,
) -> EpisodeView:
    """A new episode of a model agent, opened: there whole, or not at all.

    Args:
        engine: the engine.
        task_hash: content hash of the task.
        name: the model's name (its key's).
        study_id: the study.
        protocol: the study's protocol; None: the defaults.
        rules: the stop rule, kept with the episode; None: the model decides.
        seed: of option order; None: drawn.
        request: the sender's own id for this request, unique among all senders. Sent again with the same wishes (a lost reply) it returns
            the same episode as it stands.

    Returns:
        The view of the first observation.

    Raises:
        OutOfStep: this request began another episode.
        TooMany: the agent has as many episodes going on as it may.
        As `EpisodeEngine.begin`; nothing was written.
    """
    rules, store = rules or Rules(), engine.store
    wishes = {"task": task_hash, "protocol": (protocol or Protocol()).model_dump(mode="json"), "seed": seed} | rules.model_dump()

    def also(episode_id: str) -> None:
        if request is not None:
            if _begun(store, request) is not None:
                raise _BegunMeanwhile
            store.event("agent_began", wishes, subject=request, episode_id=episode_id)
        store.event("model_rules", rules.model_dump(), episode_id=episode_id)
        if rules.confidence_threshold is not None:
            flag(store, episode_id, "confidence_stop")

    known = None if request is None else _begun(store, request)
    if known is None:
        try:
            return engine.begin(task_hash, agent_kind="model", agent_name=name, study_id=study_id, protocol=protocol, seed=seed, also=also)
        except _BegunMeanwhile:
            known = _begun(store, request or "")
    assert known is not None
    if known.asked != wishes:
        raise OutOfStep("This id began an episode with other settings. Give every new episode an id of its own.")
    return engine.view(known.episode_id)


class _BegunMeanwhile(Exception):
    """The same request, sent twice at once, has begun its episode."""


class _Begun(msgspec.Struct, frozen=True):
    """What a request of an agent began."""

    episode_id: str
    asked: Annotated[dict[str, Any], Json]


def _begun(store: Store, request: str) -> _Begun | None:
    return store.row("SELECT episode_id, data AS asked FROM events WHERE subject = ? AND kind = 'agent_began'", _Begun, [request])


def respond(engine: EpisodeEngine, episode_id: str, epoch: int, seq: int, output: str, *, finish_reason: str | None = None) -> Reply:
    """Take a model's output on observation `seq`.

    Its answer and confidence are kept as a belief, its words as they are. Sending the same output for the same observation again (a lost
    reply) returns the same result and acts once.

    Args:
        engine: the engine.
        episode_id: the episode.
        epoch: from `begin` (or a later `EpisodeEngine.open`).
        seq: the observation the output is about (`StepView.seq`).
        output: the raw text.
        finish_reason: the provider's word, kept for the export.

    Returns:
        The next observation, a reprompt, or the end.

    Raises:
        As `EpisodeEngine.act`.
    """
    store = engine.store
    view = engine.view(episode_id, epoch)
    if seq > view.step.seq or seq < 0:
        raise OutOfStep(f"The current observation is step {view.step.seq}, got {seq!r}.")
    output = _clean(output) if isinstance(output, str) else ""
    turn = parse_turn(output)
    rules = _rules(store, episode_id)
    known = _heard(store, episode_id, epoch, seq)
    repeated = any(entry["raw_output"] == output for entry in known)
    if not repeated and view.state == "active" and seq == view.step.seq:
        store.event("model_turn", _told(turn, output, epoch, seq, finish_reason), episode_id=episode_id)
        known = _heard(store, episode_id, epoch, seq)
        if turn is not None and (turn.answer is not None or turn.confidence is not None):
            engine.belief(episode_id, epoch, seq * 100 + len(known), turn.answer, _percent(turn.confidence))
    ended = _stops(turn, rules, view, seq)
    if ended is not None and turn is not None:
        refused = _unfit(engine, view, turn.answer) if ended != "max_steps" else None
        if refused is None or len(known) > 1:
            final = engine.answer(episode_id, epoch, turn.answer, _percent(turn.confidence), reasoning=turn.reasoning, stopped_by=ended)
            return Reply(final=final)
        return Reply(reprompt=refused, forced=view.step.forced)
    if view.step.forced and seq == view.step.seq:
        if len(known) > 1:
            return Reply(final=engine.answer(episode_id, epoch, None, None, stopped_by=_at_the_end(view)))
        return Reply(reprompt="No observation is left. Reply with one JSON object that holds your final answer.", forced=True)
    problem = 'This is no JSON object with an "action". Reply with one JSON object.'
    if turn is not None:
        try:
            step = _act(engine, episode_id, epoch, seq + 1, turn.action)
            return Reply(step=step, forced=step.forced)
        except BudgetUsed:
            raise
        except BadAction as error:
            problem = str(error)
    if len(known) < 2:
        return Reply(reprompt=problem, forced=view.step.forced)
    if view.step.paged:
        # no observation can be lost to such text: the pictures simply go on
        step = engine.next_picture(episode_id, epoch, seq + 1)
    else:
        step = engine.stay(episode_id, epoch, seq + 1, problem[:300])
    return Reply(step=step, forced=step.forced)


def _act(engine: EpisodeEngine, episode_id: str, epoch: int, seq: int, action: str) -> StepView:
    name = action.strip().lower() if action.strip().lower() in (*CAMERA_ACTIONS, "next_part") else action.strip()
    if name == "next_part":
        return engine.next_phase(episode_id, epoch, seq)
    if name.lower() == NEXT and engine.view(episode_id).step.paged:
        return engine.next_picture(episode_id, epoch, seq)
    return engine.act(episode_id, epoch, seq, name)


def _stops(turn: Turn | None, rules: Rules, view: EpisodeView, seq: int) -> str | None:
    """Why the loop ends at this observation, in the released words; None: it goes on."""
    if turn is None:
        return None
    if turn.action.strip().lower() in STOP_WORDS or (not turn.action and turn.answer is not None):
        return _at_the_end(view) if view.step.forced and seq == view.step.seq else "model_stop"
    threshold = rules.confidence_threshold
    conclusive = not is_no_answer(turn.answer, view.options)
    if threshold is not None and turn.confidence is not None and turn.confidence >= threshold and seq + 1 >= rules.min_steps and conclusive:
        return "confidence_threshold"
    return _at_the_end(view) if view.step.forced and seq == view.step.seq and turn.answer is not None else None


def _at_the_end(view: EpisodeView) -> str:
    """Why a model stops that may not go on; where there is nothing to go on to, it stopped by itself."""
    return "max_steps" if view.actions else "model_stop"


def _unfit(engine: EpisodeEngine, view: EpisodeView, answer: Any) -> str | None:
    """Why an answer has no readable form; None if it has one, or says that there is none."""
    question, words = engine.question(view.episode_id), reading_of(engine.task_of(view.episode_id)).same_words
    if is_no_answer(answer, question.options) or normalise(question.form, question, answer, view.options or None, words) is not None:
        return None
    return f"Your answer has not the form of this question. {explain(question)}"


def _heard(store: Store, episode_id: str, epoch: int, seq: int) -> list[dict[str, Any]]:
    rows = store.query("SELECT data FROM events WHERE episode_id = ? AND kind = 'model_turn' ORDER BY seq", [episode_id])
    turns = [json.loads(row["data"]) for row in rows]
    return [turn for turn in turns if turn["seq"] == seq and turn["epoch"] == epoch]


def _rules(store: Store, episode_id: str) -> Rules:
    row = store.one("SELECT data FROM events WHERE episode_id = ? AND kind = 'model_rules' ORDER BY seq DESC LIMIT 1", [episode_id])
    return Rules.model_validate_json(row["data"]) if row else Rules()


def _told(turn: Turn | None, output: str, epoch: int, seq: int, finish_reason: str | None) -> dict[str, Any]:
    said = turn.model_dump(mode="json") if turn is not None else {"action": "", "answer": None, "confidence": None, "reasoning": ""}
    return said | {"epoch": epoch, "seq": seq, "raw_output": output, "finish_reason": finish_reason}


def _objects(text: str) -> list[dict[str, Any]]:
    """JSON objects that stand in a text, outermost ones, in order."""
    found, decoder, position = [], json.JSONDecoder(), 0
    while (position := text.find("{", position)) >= 0:
        try:
            value, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            position += 1
            continue
        if isinstance(value, dict):
            found.append(value)
        position = end
    return found


def _turn(value: dict[str, Any]) -> Turn:
    action = value.get("action")
    reasoning = value.get("reasoning", "")
    return Turn(
        action=_clean(action).strip()[:400] if isinstance(action, str) else "",
        answer=_plain(value.get("answer")),
        confidence=_confidence(value.get("confidence")),
        reasoning=_clean(reasoning)[:20_000] if isinstance(reasoning, str) else "",
    )


def _plain(answer: Any) -> Any:
    """An answer that can be kept: NaN, infinities and overlong values count as none."""
    try:
        text = json.dumps(answer, allow_nan=False, ensure_ascii=False)
        return json_value(_clean(text)) if len(text) < 4000 else None
    except (ValueError, RecursionError, Unreadable):
        return None


def _clean(text: str) -> str:
    """`text` without halves of surrogate pairs, which cannot be written."""
    return text[:MAX_OUTPUT].encode("utf-8", "replace").decode()


def _confidence(value: Any) -> float | None:
    """0–1; "70%" and 70 are read as 0.7."""
    percent = isinstance(value, str) and value.strip().endswith("%")
    if isinstance(value, str):
        try:
            value = float(value.strip().rstrip("%"))
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    value = value / 100 if percent or 1 < value <= 100 else value
    return float(value) if 0 <= value <= 1 else None


def _percent(confidence: float | None) -> int | None:
    return None if confidence is None else round(confidence * 100)
