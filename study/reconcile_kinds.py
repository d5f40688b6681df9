"""The classes into which a comparison with a platform's list puts each row and each person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A class of findings."""

    name: str
    words: str
    """Its name for people."""
    agrees: bool
    """Nothing differs."""
    says: str
    """The sentence, with places: {who}, {said}, {code}, {given}, {outcome}, {tasks}, {other}, {erased}."""
    todo: str = ""


KINDS: tuple[Kind, ...] = (
    Kind("agrees", "agree", True, "{who} {outcome} here and brought that outcome's code; the platform says {said}."),
    Kind("to_approve", "to approve", True, "{who} finished here and brought the right code; the platform says {said}.", "Approve it."),
    Kind("left", "left, on both sides", True, "{who} left before the end here ({tasks} tasks done); the platform says {said}."),
    Kind("ended_otherwise", "ended without finishing, on both sides", True, "{who} {outcome} here; the platform says {said}."),
    Kind("under_way", "under way, on both sides", True, "{who} is on their way here, and the platform says {said}."),
    Kind("never_came", "never came", True, "The platform says {said}, and this person never came here."),
    Kind(
        "nocode_finished",
        "finished here, no code there",
        False,
        "{who} finished here and was given the code {given}, and brought none; the platform says {said}.",
        "Approve it: everything is saved here. They closed the window before going back.",
    ),
    Kind(
        "wrong_code",
        "a code that is none of ours",
        False,
        "{who} {outcome} here and brought the code {code}, which this study never gave.",
        "Go by what is here: pay what the ledger says is due, and ask the person where the code is from.",
    ),
    Kind(
        "other_outcomes_code",
        "the code of another outcome, or of somebody else",
        False,
        "{who} {outcome} here and was given {given}, but brought {code}, the code of {other}.",
        "Go by what is here: pay what the ledger says is due. The code was passed on or guessed.",
    ),
    Kind(
        "returned_finished",
        "finished here, returned there",
        False,
        "{who} finished here, and gave the submission back there; the platform pays nothing by itself.",
        "Pay by hand what the ledger says is due (a bonus does it), or ask them to submit again.",
    ),
    Kind(
        "timed_out_finished",
        "finished here, timed out there",
        False,
        "{who} finished here after the platform's time was over; it pays nothing by itself.",
        "Pay by hand what the ledger says is due. Give the study more time on the platform.",
    ),
    Kind(
        "rejected_finished",
        "finished here, rejected there",
        False,
        "{who} finished here, and was rejected there.",
        "Take the rejection back: everything is saved here. To leave somebody's data out is another decision than not to pay.",
    ),
    Kind(
        "screened_there",
        "finished here, screened out there",
        False,
        "{who} finished here; the platform says {said}.",
        "Pay by hand the rest of what the ledger says is due.",
    ),
    Kind(
        "not_returned_yet",
        "finished here, still open there",
        False,
        "{who} finished here and has not gone back; the platform says {said}.",
        "Wait until its time is over, or send them their way back: it stands on their last page, by the same link.",
    ),
    Kind(
        "approved_not_finished",
        "approved there, not finished here",
        False,
        "{who} {outcome} here ({tasks} tasks done), and is approved there.",
        "Nothing can be taken back. Note the payment in the ledger, and look whether approval is automatic on the platform.",
    ),
    Kind(
        "nocode_not_finished",
        "not finished here, no code there",
        False,
        "{who} {outcome} here ({tasks} tasks done) and brought no code; the platform says {said}.",
        "Ask them to return it, and pay by hand what the ledger says is due for what they did.",
    ),
    Kind(
        "rejected_worked",
        "rejected there, paid by our rule",
        False,
        "{who} {outcome} here ({tasks} tasks done), and is rejected there.",
        "Pay by hand what the ledger says is due, if anything.",
    ),
    Kind(
        "trying_out",
        "somebody of staff who tried it out",
        False,
        "{who} tried the study out (not a participant), and stands in the list with {said}.",
        "Return it there, or pay it outside the study: it counts nowhere here.",
    ),
    Kind(
        "second_submission",
        "a second submission of the same person",
        False,
        "{who} has another submission in this list ({other}); the study takes each person once. The platform says {said} of this one.",
        "Return or reject this one; what they did here belongs to the other. If both were paid, note it as a bonus.",
    ),
    Kind(
        "row_twice",
        "the same row twice",
        False,
        "This submission stands in the list before ({other}).",
        "Leave it out: export the list again, or look whether two lists were joined.",
    ),
    Kind("no_person", "a row without a person", False, "The row names nobody (submission {code}).", "Look it up on the platform."),
    Kind(
        "unknown",
        "unknown here",
        False,
        "The platform says {said} of somebody who never came here{erased}.",
        "Look whether the row is of another study. If not, they submitted without taking part, or came by a link without their id.",
    ),
    Kind(
        "not_in_list",
        "finished here, not in the list",
        False,
        "{who} finished here, and is not in the list.",
        "Export the list again, with every status. If they are missing still, they came by another study's link: pay by hand what the "
        "ledger says is due.",
    ),
    Kind(
        "left_not_in_list",
        "not finished here, not in the list",
        False,
        "{who} {outcome} here ({tasks} tasks done), and is not in the list.",
        "Export the list with every status; whoever returned early may be left out of it.",
    ),
)
"""The registry, agreements first."""
BY_NAME: Mapping[str, Kind] = {kind.name: kind for kind in KINDS}
