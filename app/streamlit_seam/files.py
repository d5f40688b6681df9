"""Files that Streamlit keeps in memory for an uploader."""

from __future__ import annotations


def still_kept(session: str, file_id: str) -> bool:
    """Whether Streamlit still keeps a file: it forgets those of a page that was left, and of an uploader that was cleared."""
    from streamlit import runtime

    return bool(runtime.get_instance().uploaded_file_mgr.get_files(session, [file_id]))
