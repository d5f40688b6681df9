"""The asset pack: one folder with `manifest.json` and `models.zip`, read lazily. Built by `build_assets`."""

from __future__ import annotations

import io
import json
import os
import sys
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from sim_bridge.backends.mujoco.meshes.shapes import Model, Part, Solid
from sim_bridge.spec import Vec3

if TYPE_CHECKING:
    from sim_bridge.backends.mujoco.catalogue.rules import FromPack

PACK_NAME = "household-2"
FORMAT = 2


def default_folder() -> Path:
    """Where the pack lives: ``$SIM_BRIDGE_ASSETS`` or ``<sys.prefix>/share/sim_bridge/assets``, then the pack's name."""
    root = os.environ.get("SIM_BRIDGE_ASSETS")
    return (Path(root) if root else Path(sys.prefix) / "share" / "sim_bridge" / "assets") / PACK_NAME


@dataclass(frozen=True)
class Entry:
    """One model of the pack as the manifest describes it."""

    model: str
    name: str
    size_m: Vec3
    faces: int
    licence: str
    creator: str
    contact: str
    """Shape that collides: box, hull or pieces (convex pieces in the model's file)."""
    contact_mm: tuple[float, ...]
    """How well it agrees with what is seen from above, where it stands, and from around: 95th percentiles, millimetres."""


class Pack:
    """Models by id, with licence and creator."""

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self.folder = folder
        self.name: str = manifest["name"]
        self.version: str = manifest["version"]
        self.hash: str = manifest["hash"]
        self._entries = {
            e["model"]: Entry(
                e["model"],
                e["name"],
                tuple(e["size_m"]),
                e["faces"],
                e["licence"],
                e["creator"],
                e["contact"],
                tuple(e["contact_mm"]),
            )
            for e in manifest["models"]
        }

    @classmethod
    def find(cls, root: str | None = None) -> Pack | None:
        """The installed pack; None where there is none or its format is another."""
        folder = Path(root) if root else default_folder()
        try:
            manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT or not (folder / "models.zip").is_file():
            return None
        return cls(folder, manifest)

    def entry(self, model: str) -> Entry | None:
        """What the pack says of a model; None: it has no such model."""
        return self._entries.get(model)

    @property
    def entries(self) -> list[Entry]:
        return list(self._entries.values())

    def model(self, model: str, source: FromPack | None = None) -> Model:
        """Read one model; `source` adds what the vocabulary knows of it (facing, see-through parts, collider)."""
        parts = []
        with zipfile.ZipFile(self.folder / "models.zip") as archive:
            with archive.open(f"{model}.npz") as file:
                arrays = dict(np.load(io.BytesIO(file.read()), allow_pickle=False))
            looks = json.loads(bytes(arrays["looks"]).decode())
            for k, look in enumerate(looks):
                texture = None
                if look["texture"]:
                    with archive.open(look["texture"]) as file, Image.open(io.BytesIO(file.read())) as image:
                        texture = np.asarray(image.convert("RGB"))
                uv = arrays[f"u{k}"].astype(float) if texture is not None else None
                alpha = float(look["alpha"])
                parts.append(
                    Part(
                        arrays[f"v{k}"].astype(float),
                        arrays[f"f{k}"].astype(np.int64),
                        rgb=tuple(look["rgb"]),
                        alpha=alpha,
                        uv=uv,
                        texture=texture,
                        specular=float(look["specular"]),
                        shininess=float(look["shininess"]),
                        emission=float(look["emission"]),
                    )
                )
        hulls = [arrays[f"s{k}"].astype(float) for k in range(sum(name.startswith("s") for name in arrays))]
        shape = self._entries[model].contact
        made = Model(tuple(parts), collider="hull" if shape == "pieces" else shape, solids=tuple(Solid(h) for h in hulls))
        if source is None:
            return made
        if source.turn_deg:
            made = made.turned("z", source.turn_deg)
        return replace(made, hollow=source.hollow, solid=source.solid)
