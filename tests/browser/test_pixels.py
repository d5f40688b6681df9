"""The pixels on the screen are the pixels that were rendered and stored."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image


@pytest.mark.parametrize(("dpr", "width", "size"), [(1, 1280, (640, 480)), (2, 1280, (640, 480)), (1, 1037, (960, 540))])
def test_every_pixel_on_the_screen_is_the_stored_one(
    server: Any, playing: Any, kit: Any, dpr: int, width: int, size: tuple[int, int]
) -> None:
    tab = playing(kit.make_task("pixels", scene=kit.room(*size)), width=width, device_scale_factor=dpr)
    tab.press("ArrowLeft", "w", "ArrowUp")
    tab.at(3)
    tab.page.wait_for_timeout(200)
    last = server.steps(server.episode()["episode_id"])[-1]
    stored = np.asarray(Image.open(io.BytesIO(kit.frame_bytes(server, last["pixel_hash"]))).convert("RGB"))
    assert stored.shape == (size[1], size[0], 3)
    assert tab.canvas() == stored.tobytes()
    place = tab.page.locator(".view canvas").bounding_box()
    shot = tab.page.screenshot(clip=place, animations="disabled")
    screen = np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"))
    wanted = stored.repeat(dpr, 0).repeat(dpr, 1)
    assert screen.shape == wanted.shape
    # The view's corners are rounded by 3 CSS pixels.
    inner = np.s_[4 * dpr : -4 * dpr, 4 * dpr : -4 * dpr]
    assert int((screen[inner] != wanted[inner]).any(-1).sum()) == 0
