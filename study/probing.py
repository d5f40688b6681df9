"""Who is asked for their current answer on the way: everybody, or all but a drawn arm, so that the effect of asking can be measured."""

from __future__ import annotations

import random

from study.protocol import Protocol
from study.studies import Study

BLOCK = 20
"""People among whom the share of the arm is exact, so that both arms grow together; they are drawn within it."""


def without_probes(study: Study, number: int) -> bool:
    """Whether the person with this number in the study belongs to the arm without probes."""
    block, place = divmod(number, BLOCK)
    order = random.Random(f"probes/{study.study_id}/{study.seed}/{block}").sample(range(BLOCK), BLOCK)
    return order[place] < round(BLOCK * study.no_probe_percent / 100)


def protocol_of(study: Study, number: int) -> Protocol:
    """The study's protocol, as it is for this person."""
    return study.protocol.model_copy(update={"belief_bar": False}) if without_probes(study, number) else study.protocol
