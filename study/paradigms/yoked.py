"""Yoked: what another participant saw while exploring, byte for byte and in order, without a word of what they did (measurement 4).

Every picture of every step of theirs is shown, also one that came twice because an action of theirs failed. The partner is somebody of the
same study and kind of run who has completed this task. Practice has no partner: there the ground-truth pictures stand in.
"""

from __future__ import annotations

from study.paradigms.paradigm import Column, Paradigm, not_in_scene

PARADIGM = Paradigm(
    name="yoked",
    meaning="the pictures that another person saw while exploring, one after the other, and no action",
    unfit=not_in_scene,
    opens="frames",
    component="play",
    partner="active",
    stand_in="ground_truth",
    columns=(
        Column(
            name="partner",
            of="episode",
            kind=str,
            meaning="yoked: the episode whose pictures were shown; otherwise empty.",
            after="paradigm",
        ),
        Column(
            name="pace",
            of="protocol",
            kind=str,
            meaning="yoked: own_key (the next picture at a press of one's own) or partner (when the partner went on); otherwise empty.",
            after="partner",
        ),
    ),
)
