"""Clear, dark, blown, blurred, unsynchronised, twice the same: figures of images and what the thresholds say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageFilter

from annotation.qa.scenes import clarity
from annotation.qa.scenes.clarity import Thresholds


def scene(seed: int = 0, size: tuple[int, int] = (640, 480)) -> Image.Image:
    """A picture with edges and middle tones."""
    blocks = np.random.default_rng(seed).integers(60, 200, (24, 32, 3), dtype=np.uint8)
    return Image.fromarray(blocks).resize(size, Image.Resampling.NEAREST)


def figures(**views: Image.Image) -> dict[str, Any]:
    return {"views": {name: vars(clarity.measure(image)) for name, image in views.items()}, "skew_s": None, "nearest": None}


def test_a_clear_picture_passes() -> None:
    assert clarity.judge(figures(head=scene()), Thresholds()) == clarity.CLEAR


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda image: image.filter(ImageFilter.GaussianBlur(14)), "blurred"),
        (lambda image: image.point(lambda v: v // 16), "dark"),
        (lambda image: image.point(lambda v: min(255, v * 6)), "blown"),
    ],
)
def test_one_spoilt_view_is_named(spoil: Callable[..., Any], reason: str) -> None:
    verdict = clarity.judge(figures(head=scene(1), **{"left-gripper": spoil(scene(2))}), Thresholds())
    assert verdict.reason == reason and "left-gripper" in verdict.sentence


def test_sharpness_falls_with_blur_and_does_not_depend_on_resolution() -> None:
    values = [clarity.measure(scene().filter(ImageFilter.GaussianBlur(r))).sharpness for r in (0, 2, 4, 8, 16)]
    assert values == sorted(values, reverse=True)
    small, large = (clarity.measure(scene(size=size)).sharpness for size in ((320, 240), (1280, 960)))
    assert large == pytest.approx(small, rel=0.2)


def test_views_of_different_times_are_unsynchronised_and_unknown_times_are_not() -> None:
    assert clarity.skew_s([1.0, None, 1.2]) == pytest.approx(0.2) and clarity.skew_s([1.0, None]) is None
    known = figures(head=scene()) | {"skew_s": 0.2}
    assert clarity.judge(known, Thresholds()).reason == "unsynchronised"
    assert clarity.judge(known, Thresholds(skew_s=0.5)) == clarity.CLEAR


def test_a_moment_is_a_duplicate_only_where_every_view_is_alike() -> None:
    one, other = (clarity.measure(scene(seed)).signature for seed in (1, 2))
    assert clarity.likeness({"head": one, "left": one}, {"head": one, "left": one}) == 0
    assert clarity.likeness({"head": one, "left": one}, {"head": one, "left": other}) > 5
    assert clarity.likeness({"head": one}, {"left": one}) == float("inf")
    assert clarity.judge(figures(head=scene()) | {"nearest": 0.3}, Thresholds()).reason == "near_duplicate"


def test_an_image_of_a_few_pixels_has_figures_too() -> None:
    assert clarity.measure(Image.new("RGB", (2, 2))).sharpness == 0


@pytest.mark.parametrize("size", [(640, 480), (1280, 720), (20, 9)])
def test_the_signature_alone_is_the_measured_one(size: tuple[int, int]) -> None:
    assert clarity.signature(scene(size=size)) == clarity.measure(scene(size=size)).signature
