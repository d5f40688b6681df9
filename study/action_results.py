"""What came of an action, done or failed, in words: the same for people and models (the texts: `study.wordings.english_results`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from sim_bridge.actions import FREEING_ACTIONS, Action, parse_action
from study.wording import say

AT_ONCE: Mapping[str, str] = {"start_view": "done.only_view", "grid": "done.grid", "words": "done.no_picture"}
"""How a showing opens in which nobody acts (`study.paradigms.paradigm.Opening`) → the key of what is said of it."""
IN_PARTS: Mapping[str, str] = {"start_view": "done.only_view_parts", "grid": "done.grid_parts"}
"""The same of a task in several parts."""
SHOWN: Mapping[str, str] = {"view": "done.view", "frame": "done.frame"}
"""What stands for an action where pictures are shown that exist already → the key of what staff read of it."""

SLIVER_PX = 60
"""What shows less of itself than this many pixels is not noticed (about 8 × 8)."""


def at_once(opens: str, parts: int = 0) -> str:
    """What is said of a showing in which nobody acts.

    Args:
        opens: how it opens.
        parts: of the task; 0: it is not divided.
    """
    return say(IN_PARTS.get(opens, AT_ONCE[opens]) if parts > 1 else AT_ONCE[opens], parts=parts)


def of_picture(number: int, pictures: int, begins: tuple[int, int] | None = None) -> str:
    """What is said of a picture where pictures that exist are shown one after the other.

    Args:
        number: its place, from 1.
        pictures: how many there are.
        begins: the part of the task that begins with it, and how many there are.
    """
    told = say("done.last_picture" if number == pictures else "done.picture", number=number, pictures=pictures)
    return told if begins is None else f"{told} {say('done.part_begins', part=begins[0], parts=begins[1])}"


def share_of(budget: int, share: float) -> int:
    """Observations of a part that has a `share` of the `budget`."""
    return max(1, int(share * budget + 1e-9))


def shared_by_parts(budget: int, shares: Sequence[float]) -> str:
    """How the parts of a task share the observations; empty where it is not divided."""
    each = {share_of(budget, share) for share in shares}
    if len(shares) < 2:
        return ""
    key = "done.shares" if len(each) == 1 and max(each) * len(shares) <= budget else "done.shared"
    return say(key, parts=len(shares), share=max(each), budget=budget)


def put_out_of_sight(sim_action: str, ok: bool, visible: Mapping[str, int]) -> bool:
    """Whether the view does not show what the hand has just put down: people who put a tin into a deep box took it for vanished.

    Args:
        sim_action: the action as the simulator took it.
        ok: whether it succeeded.
        visible: scene handle → visible pixels in the view. A glass in or behind another one counts none, though it is seen: hence the words
            "plain sight". Other things behind glass count.
    """
    if not ok or sim_action.partition("(")[0] not in FREEING_ACTIONS:
        return False
    done = parse_action(sim_action)
    return (done.kind.rests == "always" or done.kind.rests in done.args) and visible.get(done.objects[0], 0) < SLIVER_PX


def in_words(action: str, ok: bool, reason: str, labels: Mapping[str, str], *, unseen: bool = False) -> str:
    """One sentence on what an action did, and a second where it is needed.

    Args:
        action: the stored action text.
        ok: whether it succeeded.
        reason: why not; where it succeeded, how it ended if not as the action says.
        labels: public handle → label.
        unseen: what was put down does not show (`put_out_of_sight`).
    """
    if action == "start":
        return say("done.start")
    if action in SHOWN:
        return say(SHOWN[action])
    if action == "stay":
        return say("done.stay")
    if action.startswith("phase:"):
        return say("done.phase")
    if not ok:
        return say("done.failed", reason=reason.rstrip(".")) if reason.strip(". ") else say("done.impossible")
    parsed = parse_action(action)
    things = [_named(handle, labels) for handle in parsed.objects]
    relations = [word for word, kind in zip(parsed.args, parsed.kind.form, strict=True) if kind == "rel"]
    done = say(_key(parsed), *things, rel=say(f"action.rel_{relations[0]}") if relations else "")
    told = say("done.but", done=done, ended=reason.rstrip(".")) if reason.strip(". ") else done
    return f"{told} {say('done.inside_unseen' if 'inside' in relations else 'done.unseen')}" if unseen else told


def way_in_words(actions: Iterable[str], labels: Mapping[str, str]) -> str:
    """What a row of actions did that all worked, on one line: ``Moved forward (3 times) · Picked up the mug``.

    Args:
        actions: as a simulator takes them.
        labels: handle → label.
    """
    told = groupby(in_words(action, True, "", labels).rstrip(".") for action in actions)
    return " · ".join(words if (times := len(list(same))) == 1 else f"{words} ({times} times)" for words, same in told)


def _key(action: Action) -> str:
    """The key of the sentence when it has worked; where objects that a picker never asks for apart are one, the sentence is another."""
    objects = action.objects
    one = bool(action.kind.same) and all(objects[a] == objects[b] for a, b in action.kind.same)
    return f"action.{action.name}_done_one" if one else f"action.{action.name}_done"


def _named(handle: str, labels: Mapping[str, str]) -> str:
    name = labels.get(handle, handle.replace("_", " "))
    return name if name.startswith(("object ", "the ")) else say("done.the", thing=name)
