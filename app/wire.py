"""The one list of what a browser or a model agent is told. Every field is named here; nothing else of a view travels."""

from __future__ import annotations

from typing import Any

from sim_bridge.actions import ARGUMENTS
from study.views import EpisodeView, FinalView, StepView

ACTION_LABELS = {
    "pick_up": "Pick up",
    "put": "Put",
    "put_on_floor": "Put on the floor",
    "put_back": "Put back",
    "fill": "Fill",
    "pour": "Pour",
    "open": "Open",
    "close": "Close",
    "remove_cloth": "Remove the cloth",
    "place_on_slope": "Place on the slope",
}
"""Words on the buttons of object actions; camera actions have theirs in the page."""


def action(name: str) -> dict[str, Any]:
    """How a picker builds this action: its name, words and the kinds of its arguments in order."""
    return {"name": name, "label": ACTION_LABELS.get(name, name.replace("_", " ")), "form": list(ARGUMENTS[name])}


def step(view: StepView) -> dict[str, Any]:
    """An acknowledged step."""
    return {
        "seq": view.seq,
        "action": view.action,
        "ok": view.ok,
        "words": view.words,
        "left": view.observations_left,
        "forced": view.forced,
        "phase": view.phase,
        "phase_used": view.phase_used,
        "phase_next": view.phase_next,
        "objects": [{"handle": handle.handle, "name": handle.label} for handle in view.handles],
        "held": None if view.held is None else {"handle": view.held.handle, "name": view.held.label},
        "pictures": view.frames,
        "saved_at": view.saved_at,
    }


def episode(view: EpisodeView) -> dict[str, Any]:
    """What the play page or a model needs to begin or go on."""
    return {
        "episode": view.episode_id,
        "epoch": view.epoch,
        "state": view.state,
        "over": view.state != "active",
        "question": {
            "text": view.question,
            "form": view.form,
            "options": list(view.options),
            "blanks": [list(blank) for blank in view.blanks],
            "blank_names": list(view.blank_names),
            "targets": list(view.targets),
            "note": view.note,
        },
        "actions": [action(name) for name in view.actions],
        "budget": view.budget,
        "history": view.history,
        "enlarge": view.enlarge,
        "frames": list(view.shown),
        "belief_bar": view.belief_bar,
        "confidence_required": view.confidence_required,
        "belief": None
        if view.belief is None
        else {"n": view.belief.n, "answer": view.belief.answer, "confidence": view.belief.confidence, "saved_at": view.belief.saved_at},
        "width": view.width,
        "height": view.height,
        "step": step(view.step),
    }


def final(view: FinalView) -> dict[str, Any]:
    """The end. Right or wrong is there only where the protocol shows feedback (training)."""
    told: dict[str, Any] = {"state": view.state, "saved_at": view.saved_at, "observations": view.observations}
    told |= {"answer": view.answer, "confidence": view.confidence}
    if view.correct is not None:
        told["feedback"] = {"correct": view.correct, "right_answer": view.right_answer}
    return told
