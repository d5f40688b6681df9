"""What a real camera does to a rendered picture: edges are not sharper than its lens."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

BLUR_PX = 0.55
"""Radius that takes the stairs off edges; small print stays legible."""


def soft(rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The picture (H, W, 3) through a lens."""
    return np.asarray(Image.fromarray(rgb).filter(ImageFilter.GaussianBlur(BLUR_PX)))
