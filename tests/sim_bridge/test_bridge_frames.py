"""Frames: what is rendered is what arrives, bit for bit, under a hash of its pixels."""

import hashlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sim_bridge.encoding import decode_frame, encode_frame, pixel_hash, to_png

shapes = st.tuples(st.integers(1, 20), st.integers(1, 20), st.just(3))


@settings(max_examples=40, deadline=None)
@given(hnp.arrays(np.uint8, shapes))
def test_encoding_is_lossless_whatever_the_pixels(rgb: Any) -> None:
    frame = encode_frame(rgb)
    assert np.array_equal(decode_frame(frame), rgb)
    assert np.array_equal(decode_frame(to_png(frame)), rgb)
    assert (frame.height, frame.width) == rgb.shape[:2]


def test_the_hash_is_over_shape_and_raw_bytes() -> None:
    rgb = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    assert encode_frame(rgb).pixel_hash == hashlib.sha256(b"2,4,3" + bytes(range(24))).hexdigest()
    assert pixel_hash(rgb) != pixel_hash(rgb.reshape(4, 2, 3))


def test_a_view_into_a_larger_array_is_encoded_as_it_looks() -> None:
    rgb = np.random.default_rng(0).integers(0, 256, (8, 8, 3), dtype=np.uint8)
    flipped = rgb[::-1]
    assert np.array_equal(decode_frame(encode_frame(flipped)), flipped)
    assert encode_frame(flipped).pixel_hash == pixel_hash(np.ascontiguousarray(flipped))


@pytest.mark.parametrize(
    "bad", [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 4), np.uint8), np.zeros((4, 4, 3)), np.zeros((0, 4, 3), np.uint8), None]
)
def test_anything_but_rgb_bytes_is_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"shape \(H, W, 3\) and type uint8, got"):
        encode_frame(bad)
