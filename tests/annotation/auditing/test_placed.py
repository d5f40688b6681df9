"""Checks of where the row places its things: a faulty row and a sound one for each."""

from __future__ import annotations

from typing import Any

from tests.annotation.auditing.rows import found, released


def boxes(*at: float, wide: float = 0.2) -> Any:
    """Counted things along x, by their middles."""

    def change(metadata: dict[str, Any]) -> None:
        targets = metadata["question_data"]["render"]["resolved_objects"]["targets"]
        for target, x in zip(targets, at, strict=True):
            target["bbox"] = [[x - wide / 2, 0.0, 0.0], [x + wide / 2, 0.2, 0.1]]

    return change


def test_counted_things_that_stand_in_each_other() -> None:
    assert not found("counted-overlap", released(runner="counting"))
    one, *others = found("counted-overlap", released(runner="counting", change=boxes(0.0, 0.08, 1.0)))
    assert not others and "1 of 3 pairs" in one.evidence and "numbers 1 and 2 share 60% of the smaller box" in one.evidence
    # side by side, and with corners of boxes in each other: nothing is sure
    assert not found("counted-overlap", released(runner="counting", change=boxes(0.0, 0.2, 0.4)))
    assert not found("counted-overlap", released(runner="counting", change=boxes(0.0, 0.12, 0.24)))


def test_a_thing_beside_the_slope() -> None:
    def beside(metadata: dict[str, Any]) -> None:
        metadata["objects"][0].update(aabb_min_init=[0.2, -0.16, 0.0], aabb_max_init=[0.3, -0.06, 0.2])

    def over_the_edge(metadata: dict[str, Any]) -> None:
        metadata["objects"][0].update(aabb_min_init=[0.2, -0.09, 0.0], aabb_max_init=[0.3, -0.01, 0.2])

    assert not found("beside-the-slope", released(runner="slope"))
    assert "0.06 m beside the slope" in found("beside-the-slope", released(runner="slope", change=beside))[0].evidence
    assert not found("beside-the-slope", released(runner="slope", change=over_the_edge))


def test_a_container_that_is_stretched_out_of_its_shape() -> None:
    def scaled(*scale: float) -> Any:
        sides = {"aabb_min": [0.0, 0.0, 0.0], "aabb_max": [0.23, 0.23, 0.226]}
        return lambda metadata: metadata["containers"][1].update(scale=scale, final_pose=sides)

    assert not found("container-stretched", released(runner="storage"))
    (one,) = found("container-stretched", released(runner="storage", change=scaled(2.24, 2.24, 16.94)))
    assert "tupperware is stretched by 2.24 × 2.24 × 16.94, to 0.23 × 0.23 × 0.23 m" in one.evidence
    assert not found("container-stretched", released(runner="storage", change=scaled(0.5, 0.5, 2.4)))


def test_a_mirror_before_the_thing_counts_by_the_width_that_the_row_records() -> None:
    def beside(half_width: float) -> Any:
        def change(metadata: dict[str, Any]) -> None:
            data = metadata["question_data"]
            data["placement"][0] |= {"real_position": [0.6, -1.0, 0.1], "visible_in_mirror": False}
            data["scene_setup"]["mirror"]["half_width_m"] = half_width

        return change

    # seen along a line that passes the mirror's plane 0.40 m from its middle
    (one,) = found("asked-not-in-first-view", released(runner="mirror", answer="No", change=beside(0.48)))
    assert "meets it 0.40 m from its middle" in one.evidence
    assert not found("asked-not-in-first-view", released(runner="mirror", answer="No", change=beside(0.38)))


def test_one_of_several_things_that_no_view_shows() -> None:
    def masks(*seen: bool) -> Any:
        listed = [{"_key": f"exist_ref_obj{i}_{k}", "_indices": [i, k], "value": seen[i - 1] and k == 1} for i in (1, 2) for k in (0, 1)]
        return lambda metadata: metadata.update(exist_ref_obj=listed)

    assert not found("never-in-view", released(runner="size", change=masks(True, True)))
    assert "none of 2 views shows the" in found("never-in-view", released(runner="size", change=masks(True, False)))[0].evidence
