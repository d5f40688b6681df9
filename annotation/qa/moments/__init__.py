"""Moments: frames of robot episodes from which items are made. Sampled evenly, filtered by rules, kept or dropped by people."""

from __future__ import annotations

from annotation.qa.moments.counts import Effort, Funnel, as_json, funnel
from annotation.qa.moments.opinions import triage_moments
from annotation.qa.moments.records import (
    DROP_REASONS,
    KEEP_REASONS,
    ahead,
    decide,
    hold_to,
    next_moment,
    note_shown,
    rejudge,
    undo,
)
from annotation.qa.moments.sampling import GAP, frames_for, sample_moments
from annotation.qa.moments.starting import begin, scenery, start_item
from annotation.qa.scenes.moment import Moment, get_moment, moments

__all__ = [
    "DROP_REASONS", "GAP", "KEEP_REASONS", "Effort", "Funnel", "Moment",
    "ahead", "as_json", "begin", "decide", "frames_for", "funnel", "get_moment", "hold_to", "moments", "next_moment", "note_shown",
    "rejudge", "sample_moments", "scenery", "start_item", "triage_moments", "undo",
]  # fmt: skip
