"""What is kept of an image turned by EXIF, and of a video turned by its display matrix, is what Chromium shows of the original."""

from __future__ import annotations

import base64
import io
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from data.robot import video
from data.robot.images import picture

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium") or "/usr/bin/chromium"
pytestmark = [pytest.mark.browser, pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="no Chromium: install Debian's package chromium")]


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser.new_page()
        browser.close()


SHOWN = """async (address) => {
    const image = new Image(); image.src = address; await image.decode();
    const canvas = document.createElement('canvas'); canvas.width = image.naturalWidth; canvas.height = image.naturalHeight;
    const context = canvas.getContext('2d'); context.drawImage(image, 0, 0);
    return [canvas.width, canvas.height, Array.from(context.getImageData(0, 0, canvas.width, canvas.height).data)];
}"""
"""The pixels of an image as the page shows it."""


FILM = """async (address) => {
    const film = document.createElement('video'); film.muted = true; film.src = address;
    await new Promise((done, failed) => {
        film.onseeked = done; film.onerror = () => failed(film.error.message); film.currentTime = 0.45;
    });
    const canvas = document.createElement('canvas'); canvas.width = film.videoWidth; canvas.height = film.videoHeight;
    const context = canvas.getContext('2d', {willReadFrequently: true});
    // the picture may come after the event that tells of it; nothing in the film is black
    for (let tries = 0; tries < 200; tries += 1) {
        context.drawImage(film, 0, 0);
        const values = context.getImageData(0, 0, canvas.width, canvas.height).data;
        if (values.some((value, i) => i % 4 < 3 && value > 0)) return [canvas.width, canvas.height, Array.from(values)];
        await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error('the film shows nothing');
}"""
"""The pixels of the fifth frame of ten a second, as the page shows it."""


@pytest.mark.parametrize("matrix", [(0, -1, 1, 0), (-1, 0, 0, -1), (0, 1, -1, 0)], ids=["90", "180", "270"])
def test_a_turned_video_is_shown_as_the_browser_turns_it(page: Any, tmp_path: Path, matrix: tuple[int, ...]) -> None:
    stored = np.full((48, 64, 3), 128, np.uint8)
    stored[:24, :32], stored[:24, 32:], stored[24:, :32] = (250, 250, 250), (30, 30, 30), (90, 90, 90)
    path = tmp_path / "film.mp4"
    av = video.library()
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libsvtav1", rate=10, options={"preset": "12", "crf": "10", "g": "1"})
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        a, b, c, d = (value * 65536 for value in matrix)
        stream.set_display_matrix([a, b, 0, c, d, 0, 0, 0, 1 << 30])
        for k in range(8):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(stored if k == 4 else stored[::-1, ::-1].copy(), format="rgb24")))
        container.mux(stream.encode(None))
    width, height, values = page.evaluate(FILM, f"data:video/mp4;base64,{base64.b64encode(path.read_bytes()).decode()}")
    browser = np.array(values, np.uint8).reshape(height, width, 4)[:, :, :3]
    ours = np.asarray(Image.open(io.BytesIO(video.still(path, 4, "film").data)).convert("RGB"))
    assert browser.shape == ours.shape
    # two decoders turn a little noise into other colours; a quarter of the picture in another place differs by sixty levels
    assert np.median(np.abs(browser.astype(int) - ours)) <= 4 and np.percentile(np.abs(browser.astype(int) - ours), 90) <= 12


def test_every_exif_orientation_is_kept_as_the_browser_turns_it(page: Any) -> None:
    pixels = np.random.default_rng(3).integers(0, 255, (12, 20, 3), np.uint8)

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
