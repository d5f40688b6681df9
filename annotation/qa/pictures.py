"""Image files of items: originals by their SHA-256, what a derived set does to them, and drawn copies."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Sequence
from pathlib import Path

from PIL import Image, ImageOps

from annotation.qa import marks
from annotation.qa.errors import QaError
from annotation.qa.items import Mark, ViewImage
from data.files import sync_folder, write_whole
from data.home import Home
from data.store import HASH, os_error

Reader = Callable[[str], bytes]
"""SHA-256 of an original file → its bytes; raises `ImageMissing`."""

MAX_PIXELS = 50_000_000
"""Larger images are refused before they are decoded."""
SUFFIX = {"PNG": ".png", "JPEG": ".jpg", "WEBP": ".webp", "BMP": ".bmp", "TIFF": ".tif"}


class ImageMissing(QaError):
    """An image is not there, or is not what its name says."""

    code = "image_missing"


class ImageFolder:
    """Originals in ``<home>/images/<first two digits>/<sha256>``, with or without a suffix."""

    def __init__(self, home: Home) -> None:
        self.root = home.root / "images"

    def path(self, sha256: str) -> Path | None:
        """Where an original lies, or None."""
        if not HASH.match(sha256):
            return None
        for folder in (self.root / sha256[:2], self.root):
            for path in (folder / sha256, *sorted(folder.glob(f"{sha256}.*"))):
                if path.is_file():
                    return path
        return None

    def __call__(self, sha256: str) -> bytes:
        """The bytes of an original.

        Raises:
            ImageMissing: it is not here, or has changed.
        """
        path = self.path(sha256)
        if path is None:
            raise ImageMissing(f"The image {sha256[:12]}… is not in {self.root}. Import its source again, or export without images.")
        data = path.read_bytes()
        if hashlib.sha256(data).hexdigest() != sha256:
            raise ImageMissing(f"{path} is not the file it was: its SHA-256 differs. Restore it from a backup or its source.")
        return data

    def keep(self, data: bytes) -> str:
        """Keep an original; returns its SHA-256. It is whole on disk when this returns."""
        sha256 = hashlib.sha256(data).hexdigest()
        if self.path(sha256) is not None:
            return sha256
        target = self.root / sha256[:2] / sha256
        try:
            write_whole(target, data)
            sync_folder(target.parent)
        except OSError as error:
            raise os_error(error, f"keep an image in {self.root}") from error
        return sha256


def opened(data: bytes, what: str) -> Image.Image:
    """The image, not yet decoded.

    Raises:
        QaError: it is none, animated, or larger than `MAX_PIXELS`.
    """
    try:
        image = Image.open(io.BytesIO(data))
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise QaError(f"{what} is no image that can be read: {error}.") from None
    if image.width * image.height > MAX_PIXELS:
        raise QaError(f"{what} has {image.width}×{image.height} pixels, at most {MAX_PIXELS:,} are read.")
    if getattr(image, "n_frames", 1) > 1:
        raise QaError(f"{what} is animated: take one frame of it.")
    return image


def suffix(data: bytes, what: str) -> str:
    """The file name suffix of an image's format."""
    image = opened(data, what)
    if image.format not in SUFFIX:
        raise QaError(f"{what} is a {image.format} file: PNG, JPEG, WebP, BMP or TIFF are known.")
    return SUFFIX[image.format]


def shown(view: ViewImage, data: bytes) -> tuple[bytes, str]:
    """An image as it is shown, and its suffix: the original's own bytes, or the PNG of what a derived set makes of it."""
    what = f"The image {view.image[:12]}… ({view.view})"
    if not view.transform:
        return data, suffix(data, what)
    return encoded(ImageOps.flip(opened(data, what).convert("RGB"))), ".png"


def drawn(view: ViewImage, data: bytes, drawings: Sequence[Mark]) -> bytes:
    """The PNG of a shown image with marks on it."""
    return encoded(marks.draw(opened(data, f"The image {view.image[:12]}… ({view.view})"), drawings))


def encoded(image: Image.Image) -> bytes:
    """The image as PNG."""
    kept = io.BytesIO()
    image.save(kept, "PNG", compress_level=3)
    return kept.getvalue()
