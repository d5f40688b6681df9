"""Image files: originals kept by their SHA-256, and what can serve as a camera image.

An image is refused where the browser, Pillow and a model would not see the same pixels in the same places: more than 8 bits per channel
(each reduces them its own way), several pictures in one file, an EXIF orientation (browsers turn it, most programs do not).
"""

from __future__ import annotations

import hashlib
import io
import struct
import warnings
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image, ImageOps

from data.files import sync_folder, write_whole
from data.home import Home
from data.robot.errors import BadImage, ImageMissing
from data.store import HASH, os_error

Reader = Callable[[str], bytes]
"""SHA-256 of an original file → its bytes; raises `ImageMissing`."""

MAX_PIXELS = 50_000_000
"""Larger images are refused before they are decoded."""
MAX_BYTES = 256 * 1024 * 1024
"""Larger image files are not opened; 50 million pixels of 4 bytes have 200 MB."""
SUFFIX = {"PNG": ".png", "JPEG": ".jpg", "WEBP": ".webp", "BMP": ".bmp", "TIFF": ".tif"}
MODES = ("1", "L", "LA", "P", "RGB", "RGBA")
"""Pixel forms that every browser shows as Pillow does."""
_ORIENTATION = 0x0112
_PNG_EXIF = (b"eXIf", b"zxIf", b"exif", b"EXIF", b"xmp")
"""Where a PNG may hold an orientation, one of these stands in it."""
_UNREADABLE = (OSError, ValueError, SyntaxError, EOFError, IndexError, KeyError, TypeError, OverflowError, struct.error, zlib.error)
"""What Pillow raises on broken files, depending on the format."""

# The limit here is lower than the one that Pillow warns at.
warnings.filterwarnings("ignore", category=Image.DecompressionBombWarning)


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
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ImageMissing(f"{path} cannot be read: {error.strerror}. Restore it from a backup or its source.") from error
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


class _Refused(BadImage):
    """An image that is refused for `fault` (a key of `records.FAULTS`)."""

    def __init__(self, fault: str, message: str) -> None:
        super().__init__(message)
        self.fault = fault


def fault_of(error: BadImage) -> str:
    """The key of `records.FAULTS` that an error of this module stands for."""
    return error.fault if isinstance(error, _Refused) else "unreadable"


def opened(data: bytes, what: str) -> Image.Image:
    """The image, not yet decoded, its pixels in the order in which every program shows them.

    Args:
        data: a whole file.
        what: how a message calls it.

    Raises:
        BadImage: it is none, holds several pictures, has more than `MAX_PIXELS` or 8 bits per channel, or an EXIF orientation.
    """
    image = _opened(data, what)
    if _orientation(image, data, what) != 1:
        raise _Refused("turned", f"{what} is turned by its EXIF orientation: browsers turn it, other programs do not. Save it upright.")
    return image


def _opened(data: bytes, what: str) -> Image.Image:
    if len(data) > MAX_BYTES:
        raise _Refused("too_large", f"{what} has {len(data) / 2**20:.0f} MiB, at most {MAX_BYTES // 2**20} MiB are read.")
    try:
        image = Image.open(io.BytesIO(data))
        several = bool(getattr(image, "is_animated", False)) if image.width * image.height <= MAX_PIXELS else False
    except Image.DecompressionBombError:
        raise _Refused("too_large", f"{what} has far more than the {MAX_PIXELS:,} pixels that are read.") from None
    except _UNREADABLE as error:
        raise BadImage(f"{what} is no image that can be read: {_reason(error)}.") from None
    if image.width * image.height > MAX_PIXELS:
        raise _Refused("too_large", f"{what} has {image.width}×{image.height} pixels, at most {MAX_PIXELS:,} are read.")
    if several:
        raise _Refused("animated", f"{what} is animated or holds several pictures: take one of them.")
    if (bits := _bits(image, data)) > 8:
        raise _Refused("bit_depth", f"{what} has {bits} bits per channel; camera images have 8. Convert it (depth is no camera image).")
    if image.mode not in MODES:
        raise _Refused("unsupported", f"{what} has pixels of the form {image.mode}; grey or RGB are known.")
    return image


def _bits(image: Image.Image, data: bytes) -> int:
    """Bits per channel in the file; Pillow silently reduces 16-bit RGB to 8."""
    if image.format == "PNG" and data[12:16] == b"IHDR":
        return data[24]
    if image.format == "TIFF":
        tags: Mapping[int, Any] = getattr(image, "tag_v2", {})
        return int(max(tags.get(258, (8,))))
    return {"I;16": 16, "I;16B": 16, "I;16L": 16, "I": 32, "F": 32}.get(image.mode, 8)


def _orientation(image: Image.Image, data: bytes, what: str) -> int:
    """The EXIF orientation, 1 to 8."""
    if image.format == "PNG" and not any(word in data for word in _PNG_EXIF):
        return 1  # Pillow would decode it wholly to look behind the pixels
    try:
        found = image.getexif().get(_ORIENTATION, 1)
    except _UNREADABLE as error:
        raise _broken(error, what) from None
    return found if found in range(1, 9) else 1


def _broken(error: BaseException, what: str) -> _Refused:
    fault = "truncated" if "truncated" in str(error).lower() else "unreadable"
    return _Refused(fault, f"{what} cannot be read to its end: {_reason(error)}.")


def _reason(error: BaseException) -> str:
    text = " ".join(str(error).split()).rstrip(".")
    return text.replace("<_io.BytesIO object at ", "<").split(" <0x")[0] or type(error).__name__


@dataclass(frozen=True)
class Picture:
    """A whole, readable image as it is shown."""

    data: bytes
    """The original file's bytes; a PNG of the upright pixels where it was turned by EXIF, or of the same where browsers do not show it."""
    width: int
    height: int
    turned: bool
    """Whether it had an EXIF orientation."""


def picture(data: bytes, what: str) -> Picture:
    """Decode an image wholly; one with an EXIF orientation becomes an upright PNG of the same pixels, a TIFF file a PNG.

    Raises:
        BadImage: as `opened`, but for the orientation; or its data ends early.
    """
    image = _opened(data, what)
    if image.format not in SUFFIX:
        raise _Refused("unsupported", f"{what} is a {image.format} file: PNG, JPEG, WebP, BMP or TIFF are known.")
    orientation = _orientation(image, data, what)
    try:
        image.load()
        if orientation == 1 and image.format != "TIFF":
            return Picture(data, image.width, image.height, False)
        upright = ImageOps.exif_transpose(image)
    except _UNREADABLE as error:
        raise _broken(error, what) from None
    return Picture(png(upright.convert("RGB")), upright.width, upright.height, orientation != 1)


def png(image: Image.Image) -> bytes:
    """The image as PNG, without anything but its pixels."""
    kept = io.BytesIO()
    image.save(kept, "PNG", compress_level=3, exif=b"")
    return kept.getvalue()


def suffix(data: bytes, what: str) -> str:
    """The file name suffix of an image's format.

    Raises:
        BadImage: it is no image of a known format.
    """
    image = opened(data, what)
    if image.format not in SUFFIX:
        raise _Refused("unsupported", f"{what} is a {image.format} file: PNG, JPEG, WebP, BMP or TIFF are known.")
    return SUFFIX[image.format]
