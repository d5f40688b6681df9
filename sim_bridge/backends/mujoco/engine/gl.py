"""The software renderer: its environment, and a clear sentence where it is missing."""

from __future__ import annotations

import ctypes
import ctypes.util

from sim_bridge.errors import BridgeError

ENVIRONMENT = {
    "MUJOCO_GL": "osmesa",  # the same pixels on every machine; a GPU driver would change them
    "PYOPENGL_PLATFORM": "osmesa",
    "LP_NATIVE_VECTOR_WIDTH": "256",  # 512 crashes Mesa 22.3's llvmpipe
}

MISSING = (
    "The software renderer libOSMesa was not found: install it with `apt-get install libosmesa6`, or without root "
    "`pip install --no-deps lavavu-osmesa` and start with LD_LIBRARY_PATH naming a folder with links libOSMesa.so, .so.6 and .so.8 to the "
    "library in lavavu_osmesa.libs, followed by that folder itself."
)


def available() -> bool:
    """Whether the renderer's library can be loaded in this process."""
    name = ctypes.util.find_library("OSMesa") or "libOSMesa.so.8"
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def check() -> None:
    """Raise one clear sentence where the renderer is missing."""
    if not available():
        raise BridgeError(MISSING)
