"""English: what came of an action, in particular of one that failed, and what is refused. `study.action_results` says it.

The words of what was done belong to each action (`study.wordings.actions`), and the reason why it failed to the deed that gives it.
"""

from __future__ import annotations

from collections.abc import Mapping

DONE: Mapping[str, str] = {
    "done.only_view": "This is the only view. There is no moving here: answer from what it shows.",
    "done.picture": "Picture {number} of {pictures}.",
    "done.last_picture": "Picture {number} of {pictures}. It is the last one.",
    "done.grid": "These are all views, in no order; the first is the start view.",
    "done.grid_parts": "These are all views. The task has {parts} parts, one after the other in time. Within a part the views are in no "
    "order; its first is the start view.",
    "done.only_view_parts": "This is the only view, from part 1 of {parts}. There is no moving here: answer from what it shows.",
    "done.part_begins": "Part {part} of {parts} begins with it.",
    "done.no_picture": "There is no picture in this task.",
    "done.view": "One of the views that are shown together.",
    "done.frame": "The next picture.",
    "done.start": "This is the first view.",
    "done.stay": "That was no action: you stayed where you were.",
    "done.phase": "The next part has begun; you are back at the start.",
    "done.failed": "That did not work: {reason}.",
    "done.but": "{done} But {ended}.",
    "done.unseen": "It is not in plain sight from here.",
    "done.inside_unseen": "It is in there, not in plain sight: look in from higher up.",
    "done.impossible": "That did not work: not possible here.",
    "done.the": "the {thing}",
    "done.reach": "Your hand reaches {metres} m from the camera: {steps} steps ahead. From high up, things on the floor are farther away.",
    "done.shares": "Each of the {parts} parts has {share} of the {budget} views; what you leave of one is not added to the next.",
    "done.shared": "The {budget} views are for all {parts} parts together.",
}
"""What came of an action."""

REFUSED: Mapping[str, str] = {
    "refused.taken_over": "This task was opened elsewhere (another tab, window or device) and goes on there. Reload here to take it back.",
    "refused.not_shown": "This view is not shown (any more) in this study. Go on from the current one.",
    "refused.no_belief": "This study does not ask for a current answer here; give the final one when you are ready.",
    "refused.not_seen": "The task has not been shown yet: open it, then answer.",
    "refused.look_at_all": "Look at all {all} pictures first: this was number {number}. Nothing was lost.",
    "refused.confidence": "Say how sure you are (0 to 100) before you send your answer. Nothing was lost.",
    "refused.report": "Describe the problem in 1 to {most} characters.",
    "refused.no_part": "This task has no further part: answer when you are ready.",
    "refused.used_up": "All {all} observations are used up: give your answer now.",
    "refused.part_used_up": "The observations of this part are used up: go on to the next part, or give your answer.",
    "refused.no_room": "All simulators are in use. You keep your place; this goes on by itself.",
    "refused.bridge_down": "The simulator cannot be reached. Nothing is lost: this goes on as soon as it is back.",
}
"""What cannot be done, and what to do."""

RESULTS: Mapping[str, str] = {**DONE, **REFUSED}
"""All of it."""
