"""The one list of what a browser or a model agent is told. Every field is named here; nothing else of a view travels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sim_bridge.actions import BY_NAME, KINDS, RELATIONS
from study.views import EpisodeView, FinalView, StepView
from study.wording import say


def action(name: str) -> dict[str, Any]:
    """How this action is written: its name, words and the kinds of its arguments in order."""
    kind = BY_NAME[name]
    return {"name": name, "label": say(f"action.{name}"), "form": list(kind.form)}


def _open(key: str) -> str:
    """Words whose places the page fills itself."""
    return say(key, *(f"{{{number}}}" for number in range(9)), rel="{rel}")


NEXT_PICTURE = "ArrowRight"
"""The key of the next picture, where pictures are shown one after the other."""


def controls(names: Iterable[str], *, paged: bool = False) -> dict[str, Any]:
    """What the page draws to give these actions, and the keys of all actions: a reader's own keys hold for all tasks.

    Args:
        names: the actions of the episode, in order.
        paged: pictures are shown one after the other: then there is nothing but the next picture, and no word of any action.
    """
    if paged:
        return {"actions": [], "relations": [], "keys": [{"name": "next_picture", "label": say("play.next_picture"), "code": NEXT_PICTURE}]}
    kinds = [BY_NAME[name] for name in names]
    return {
        "actions": [
            action(kind.name)
            | {
                "short": say(f"action.{kind.name}_short"),
                "sentence": _open(f"action.{kind.name}_sentence") if kind.sentence() else "",
                "same": [list(pair) for pair in kind.same],
                "asks": [say(f"action.{kind.name}_ask_{index}") for index in range(kind.form.count("obj"))],
                "hand": kind.hand,
                "likely_held": list(kind.likely_held),
                "pad": None if kind.pad is None else [say(f"action.pad_{kind.pad[0].lower()}"), kind.pad[1]],
            }
            for kind in kinds
        ],
        "relations": [{"name": relation, "label": say(f"action.rel_{relation}")} for relation in RELATIONS],
        "keys": [{"name": kind.name, "label": say(f"action.{kind.name}"), "code": kind.key} for kind in KINDS if kind.key],
    }


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
        "part": view.part,
        "parts": view.parts,
        "objects": [
            {
                "handle": handle.handle,
                "name": handle.label,
                "number": handle.number,
                "box": None if handle.box is None else list(handle.box),
                "unseen": handle.unseen,
            }
            for handle in view.handles
        ],
        "choices": {form: [list(place) for place in places] for form, places in view.choices.items()},
        "reach": view.reach,
        "held": None if view.held is None else {"handle": view.held.handle, "name": view.held.label},
        "pictures": view.frames,
        "next_ms": view.next_ms,
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
            "stacked": view.stacked,
            "targets": list(view.targets),
            "note": view.note,
        },
        "actions": [action(name) for name in view.actions],
        "opens": view.opens,
        "told": list(view.told),
        "parts": list(view.parts),
        "by_itself": view.by_itself,
        "early_answer": view.early_answer,
        "budget": view.budget,
        "history": view.history,
        "enlarge": view.enlarge,
        "frames": list(view.shown),
        "belief_bar": view.belief_bar,
        "probe_every": view.probe_every,
        "confidence_required": view.confidence_required,
        "belief": None
        if view.belief is None
        else {"n": view.belief.n, "answer": view.belief.answer, "confidence": view.belief.confidence, "saved_at": view.belief.saved_at},
        "width": view.width,
        "height": view.height,
        "step": step(view.step),
        "saved_at": view.saved_at,
    }


def final(view: FinalView) -> dict[str, Any]:
    """The end. Right or wrong is there only where the protocol shows feedback (training)."""
    told: dict[str, Any] = {"state": view.state, "saved_at": view.saved_at, "observations": view.observations}
    told |= {"answer": view.answer, "confidence": view.confidence}
    if view.correct is not None:
        told["feedback"] = {"correct": view.correct, "right_answer": view.right_answer}
    return told
