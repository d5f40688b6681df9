"""What is kept of an image turned by EXIF is what Chromium shows of the original, pixel by pixel."""

from __future__ import annotations

import base64
import io
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from data.robot.images import picture

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
pytestmark = [pytest.mark.browser, pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="no Chromium: install Debian's package chromium")]

SHOWN = """async (address) => {
    const image = new Image(); image.src = address; await image.decode();
    const canvas = document.createElement('canvas'); canvas.width = image.naturalWidth; canvas.height = image.naturalHeight;
    const context = canvas.getContext('2d'); context.drawImage(image, 0, 0);
    return [canvas.width, canvas.height, Array.from(context.getImageData(0, 0, canvas.width, canvas.height).data)];
}"""
"""The pixels of an image as the page shows it."""


def test_every_exif_orientation_is_kept_as_the_browser_turns_it() -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    pixels = np.random.default_rng(3).integers(0, 255, (12, 20, 3), np.uint8)
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()

        def shown(data: bytes, kind: str) -> np.ndarray:
            width, height, values = page.evaluate(SHOWN, f"data:image/{kind};base64,{base64.b64encode(data).decode()}")
            return np.array(values, np.uint8).reshape(height, width, 4)[:, :, :3]

        for orientation in range(1, 9):
            exif = Image.Exif()
            exif[0x0112] = orientation
            for kind, save in (("png", {}), ("jpeg", {"quality": 100, "subsampling": 0})):
                kept = io.BytesIO()
                Image.fromarray(pixels).save(kept, kind, exif=exif, **save)
                found = picture(kept.getvalue(), "The image")
                assert (found.turned, found.data == kept.getvalue()) == (orientation != 1, orientation == 1)
                original, ours = shown(kept.getvalue(), kind), shown(found.data, "png" if found.turned else kind)
                assert (found.height, found.width) == original.shape[:2] == ours.shape[:2]
                # two JPEG decoders may differ by one or two levels, a turned picture by far more
                assert np.abs(original.astype(int) - ours).max() <= (0 if kind == "png" else 4), (kind, orientation)
        browser.close()
