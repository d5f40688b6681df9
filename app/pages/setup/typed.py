"""What is typed in a section and not saved yet. It stays until it is saved or taken back, whichever section is looked at meanwhile.

Streamlit forgets what stands in a field that a run does not draw; so what differs from what is kept is noted beside it.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

_NOTED = "setup_typed"
_NOTHING = object()


def _noted() -> dict[tuple[str, str], dict[str, Any]]:
    """(study, section) → key of a field → what stands in it."""
    found: dict[tuple[str, str], dict[str, Any]] = st.session_state.setdefault(_NOTED, {})
    return found


def field(study_id: str, section: str, name: str, kept: Any, **more: Any) -> dict[str, Any]:
    """What a field's element is given in place of its value.

    Args:
        study_id: the study.
        section: of the set-up.
        name: of the field, in its section.
        kept: what stands in the study, as the element has it.
        more: handed on.
    """
    key = f"setup/{study_id}/{section}/{name}"
    wanted = _noted().get((study_id, section), {}).get(key, kept)
    if st.session_state.get(key, _NOTHING) != wanted:
        st.session_state[key] = wanted
    return {"key": key, "on_change": _note, "args": (study_id, section, key, kept), **more}


def _note(study_id: str, section: str, key: str, kept: Any) -> None:
    noted = _noted().setdefault((study_id, section), {})
    value = st.session_state[key]
    if value == kept:
        noted.pop(key, None)
    else:
        noted[key] = value


def unsaved(study_id: str) -> set[str]:
    """Sections in which something is typed that is not saved."""
    return {section for (study, section), noted in _noted().items() if study == study_id and noted}


def forget(study_id: str, section: str) -> None:
    """It is saved, or taken back: the fields show what is kept again."""
    _noted().pop((study_id, section), None)
