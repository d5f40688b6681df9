"""Blanks that a recruitment platform fills in, where it did not: a link that was copied by hand, previewed, or set up wrongly.

Everybody who comes by such a link would be one and the same participant, so it lets nobody in. What blanks look like: Prolific
``{{%PROLIFIC_PID%}}``; Qualtrics ``${e://Field/PID}``; SurveyMonkey ``[PID_value]``; Sona ``%SURVEY_CODE%``; Amazon MTurk ``${workerId}``
and, in its preview, ``ASSIGNMENT_ID_NOT_AVAILABLE``; CloudResearch Connect and Gorilla ``{{…}}``; LimeSurvey ``{TOKEN:TOKEN}``; Cint and
Lucid ``[%RID%]``; Dynata ``{%…%}``; Testable ``{…}``; SoSci ``%reference%``; Mailchimp ``*|EMAIL|*``; handwritten ``<id>`` and ``__ID__``.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

_BLANK = re.compile(
    r"""
    [{}<>] | \$[({\[]                          # {…}, {{…}}, <…>, ${…}, $(…)
    | \[\[ | \]\] | ^\[.*\]$ | ^\(.*\)$        # [[…]], […], (…)
    | ^%.+%$ | ^\#.+\#$ | ^@.+@$ | ^!.+!$ | ^\*.*\*$ | ^\|.*\|$ | ^__.+__$ | ^--.+--$ | ^~.+~$   # %…%, ##…##, @@…@@, *|…|*, __…__
    | ^\$\w+\$?$ | ^:[A-Za-z_]\w*:?$ | ^%\w$   # $PID, $PID$, :pid, %s
    | ^[?.…_*x-]{2,}$                             # ???, …, xxx
    | _NOT_AVAILABLE$
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_NOTHING = frozenset(("undefined", "null", "nil", "none", "nan", "n/a", "[object object]"))
"""What programs write where they have no value (in letters of one case)."""
_NAMES = frozenset((
    "prolificpid", "participantid", "participant", "participantcode", "workerid", "assignmentid", "hitid", "surveycode",
    "subjectid", "subject", "userid", "user", "respondentid", "respondent", "rid", "pid", "psid", "sid", "id", "yourid", "token",
    "code", "name", "email", "externalid", "externaldatareference", "responseid", "sessionid", "studyid",
))  # fmt: skip
"""Names of such parameters, which are nobody's id (small letters and digits alone)."""


def is_blank(value: str, param: str = "") -> bool:
    """Whether a value of the address is a blank that nobody filled in, and no id.

    Args:
        value: as it stands in the address.
        param: how the parameter is called; its own name is no value of it.
    """
    for seen in (value, unquote(value), unquote(unquote(value))):  # some platforms encode once too often
        text = seen.strip()
        plain = _plain(text)
        if _BLANK.search(text) or text.lower() in _NOTHING or plain in _NAMES or (plain and plain == _plain(param)):
            return True
    return False


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())
