"""Image files of items: originals by their SHA-256, what a derived set does to them, and drawn copies."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image, ImageOps

from annotation.qa.drawn.drawing import draw
from annotation.qa.errors import PictureBroken, QaError
from annotation.qa.items import Mark, ViewImage
from data.robot import images
from data.robot.errors import BadImage, ImageMissing
from data.robot.images import MAX_PIXELS, SUFFIX, ImageFolder, Reader, png

__all__ = ["MAX_PIXELS", "SUFFIX", "ImageFolder", "ImageMissing", "Reader", "drawn", "encoded", "opened", "shown", "suffix"]

encoded = png
"""The image as PNG."""


def opened(data: bytes, what: str) -> Image.Image:
    """As `data.robot.images.opened`.

    Raises:
        QaError: it cannot serve.
    """
    try:
        return images.opened(data, what)
    except BadImage as error:
        raise QaError(str(error)) from None


def suffix(data: bytes, what: str) -> str:
    """As `data.robot.images.suffix`.

    Raises:
        QaError: it cannot serve.
    """
    try:
        return images.suffix(data, what)
    except BadImage as error:
        raise QaError(str(error)) from None


def _original(view: ViewImage, data: bytes) -> Image.Image:
    """A kept original, opened; it was sound when it was taken in.

    Raises:
        PictureBroken: it no longer is.
    """
    try:
        return images.opened(data, f"The image {view.image[:12]}… ({view.view})")
    except BadImage as error:
        raise PictureBroken(str(error)) from None


def shown(view: ViewImage, data: bytes) -> tuple[bytes, str]:
    """An image as it is shown, and its suffix: the original's own bytes, or the PNG of what a derived set makes of it."""
    image = _original(view, data)
    if view.transform:
        return encoded(ImageOps.flip(image.convert("RGB"))), ".png"
    return data, SUFFIX.get(image.format or "", "") or suffix(data, view.view)


def drawn(view: ViewImage, data: bytes, drawings: Sequence[Mark]) -> bytes:
    """The PNG of a shown image with marks on it, as people and models meet it; `data` as `shown` gives them."""
    return encoded(draw(_original(view, data), drawings))
