"""Build the asset pack from Debian's `sweethome3d-furniture`: ``python -m sim_bridge.backends.mujoco.tools.build_assets``.

The package holds OBJ models under CC0 and CC-BY 3.0 with real sizes. This fetches it (or takes a given .deb or unpacked folder),
converts a hand-picked list to a small zip, and writes the manifest and the attribution its licences ask for. Needed at build time only:
`fast-simplification` and `scipy`. The same input gives the same content hash; an existing complete pack is left alone.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from sim_bridge.backends.mujoco.catalogue.pack import FORMAT, PACK_NAME, default_folder
from sim_bridge.backends.mujoco.catalogue.selection import BLANK, LONGEST_M, SELECTION
from sim_bridge.backends.mujoco.meshes.decompose import decompose
from sim_bridge.backends.mujoco.meshes.shapes import Model, Part, Solid
from sim_bridge.backends.mujoco.tools import obj_import
from sim_bridge.backends.mujoco.tools.agreement import Agreement, measure
from sim_bridge.errors import BridgeError

PACKAGE = "sweethome3d-furniture"
PACK_VERSION = "2"
TEXTURE_EDGE = 192
MAX_FACES = 3000
CONTACT_SHARE, CONTACT_MIN_M, CONTACT_MAX_M = 0.008, 0.002, 0.006
"""How deep the outside of a model may lie inside its contact shape: a share of its longest edge, within limits."""
POOR_MM, ATTEMPTS = 20.0, 2
"""Convex pieces that agree no better than this are made again from other samples."""
FEW = 8
"""So few models are converted in this process."""
GOOD_MM = 3.0
"""A box or one hull serves as contact shape where it agrees with what is seen as well as this (95th percentile)."""

LICENCES = {
    "BlendSwap-CC-0": ("CC0-1.0", "https://creativecommons.org/publicdomain/zero/1.0/"),
    "BlendSwap-CC-BY": ("CC-BY-3.0", "https://creativecommons.org/licenses/by/3.0/"),
    "KatorLegaz": ("CC-BY-3.0-US", "https://creativecommons.org/licenses/by/3.0/us/"),
    "Scopia": ("CC-BY-3.0", "https://creativecommons.org/licenses/by/3.0/"),
}
"""Library → licence, as its LICENSE.TXT states."""


class AssetError(BridgeError):
    """The pack cannot be built; the message says what to do."""

    code = "asset_error"


def fetch_package(folder: Path, say: Callable[[str], None]) -> Path:
    """Download the Debian package into `folder`."""
    if shutil.which("apt-get") is None:
        raise AssetError(f"apt-get is not available: fetch the Debian package {PACKAGE} by hand and pass it with --deb PATH")
    say(f"fetching {PACKAGE} (120 MB)")
    run = subprocess.run(["apt-get", "download", PACKAGE], cwd=folder, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        subprocess.run(["apt-get", "update"], capture_output=True, check=False)
        run = subprocess.run(["apt-get", "download", PACKAGE], cwd=folder, capture_output=True, text=True, check=False)
    found = sorted(folder.glob(f"{PACKAGE}_*.deb"))
    if run.returncode != 0 or not found:
        detail = (run.stderr.strip().splitlines() or ["no message"])[-1]
        raise AssetError(f"apt-get download {PACKAGE} failed ({detail}): connect to a network once, or pass the package with --deb PATH")
    return found[0]


def _ar_member(path: Path, prefix: str) -> bytes:
    """A member of an ar archive whose name starts with `prefix`."""
    data = path.read_bytes()
    if data[:8] != b"!<arch>\n":
        raise AssetError(f"{path}: not a Debian package")
    at = 8
    while at + 60 <= len(data):
        name, size = data[at : at + 16].decode().strip(), int(data[at + 48 : at + 58])
        if name.startswith(prefix):
            return data[at + 60 : at + 60 + size]
        at += 60 + size + size % 2
    raise AssetError(f"{path}: a Debian package without {prefix}")


def unpack(deb: Path, folder: Path, say: Callable[[str], None]) -> Path:
    """Unpack a .deb with dpkg-deb, or with Python alone where that is missing."""
    say(f"unpacking {deb.name}")
    if shutil.which("dpkg-deb"):
        run = subprocess.run(["dpkg-deb", "-x", str(deb), str(folder)], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise AssetError(f"{deb}: dpkg-deb could not unpack it ({run.stderr.strip()})")
    else:
        with tarfile.open(fileobj=io.BytesIO(_ar_member(deb, "data.tar"))) as archive:
            archive.extractall(folder, filter="data")
    return folder


def _libraries(root: Path, folder: Path) -> dict[str, Path]:
    """Unzip the libraries found under `root`; library name → folder."""
    found = {}
    for name in LICENCES:
        if (root / name / "PluginFurnitureCatalog.properties").is_file():
            found[name] = root / name
            continue
        archives = sorted(root.rglob(f"{name}.sh3f"))
        if not archives:
            raise AssetError(f"{root}: no {name}.sh3f inside; expected the unpacked Debian package {PACKAGE}")
        with zipfile.ZipFile(archives[0]) as archive:
            archive.extractall(folder / name)
        found[name] = folder / name
    return found


def _convert(slug: str, item: obj_import.Item, faces: int) -> tuple[bytes, dict[str, bytes], dict[str, Any]]:
    """A model as npz bytes, its texture files, and its facts."""
    longest = LONGEST_M.get(slug)
    if longest is not None:
        share = longest / max(item.size_m)
        item = replace(item, size_m=(item.size_m[0] * share, item.size_m[1] * share, item.size_m[2] * share))
    pieces = obj_import.read_obj(item, TEXTURE_EDGE)
    total = sum(len(p.faces) for p in pieces)
    small = [obj_import.decimate(p, max(24, int(faces * len(p.faces) / total))) for p in pieces]
    small = obj_import.combine_plain(small)
    arrays: dict[str, np.ndarray] = {}
    looks, files = [], {}
    for k, p in enumerate(small):
        arrays[f"v{k}"] = p.vertices.astype(np.float32 if max(item.size_m) > 1.5 else np.float16 if max(item.size_m) < 0.1 else np.float32)
        arrays[f"f{k}"] = p.faces.astype(np.uint16 if len(p.vertices) < 65536 else np.uint32)
        texture = ""
        rgb = p.rgb
        if p.image is not None and p.uv is not None:
            palette = p.image.height == obj_import.PALETTE_EDGE
            texture = f"{slug}_{k}.{'png' if palette else 'jpg'}"
            out = io.BytesIO()
            if palette:
                p.image.save(out, "PNG")
            else:
                _painted_over(p.image, BLANK.get(slug, ()) or BLANK.get(f"{slug}_{k}", ())).save(out, "JPEG", quality=87)
            files[texture] = out.getvalue()
            arrays[f"u{k}"] = p.uv.astype(np.float32)
            rgb = (1.0, 1.0, 1.0)
        shine = float(np.clip(p.shine, 0, 1))
        looks.append(
            {
                "rgb": [round(float(np.clip(c, 0, 1)), 4) for c in rgb],
                "alpha": 1.0 if p.alpha > 0.95 else round(max(p.alpha, 0.18), 3),
                "texture": texture,
                "specular": round(0.1 + 0.4 * shine, 3),
                "shininess": round(0.3 + 0.4 * shine, 3),
                "emission": 0.0,
            }
        )
    shape, hulls, agreement = _contact(small)
    for k, corners in enumerate(hulls):
        arrays[f"s{k}"] = corners.astype(np.float32)
    arrays["looks"] = np.frombuffer(json.dumps(looks).encode(), np.uint8)
    out = io.BytesIO()
    np.savez(out, **arrays)  # type: ignore[arg-type]
    points = np.concatenate([p.vertices for p in small])
    size = [round(float(v), 5) for v in np.ptp(points, axis=0)]
    facts = {"size_m": size, "faces": int(sum(len(p.faces) for p in small)), "source_faces": int(total), "contact": shape}
    return out.getvalue(), files, {**facts, "contact_mm": agreement}


def _painted_over(image: Image.Image, boxes: Sequence[tuple[float, float, float, float]]) -> Image.Image:
    """The image with some boxes filled by what is to their left and right."""
    pixels = np.asarray(image.convert("RGB"), float).copy()
    high, wide = pixels.shape[:2]
    for left, top, right, bottom in boxes:
        x0, x1 = round(left * wide), max(round(right * wide), round(left * wide) + 1)
        rows = slice(round(top * high), round(bottom * high))
        a = pixels[rows, x0 - 1] if x0 > 0 else pixels[rows, min(x1, wide - 1)]
        b = pixels[rows, x1] if x1 < wide else a
        share = np.linspace(0, 1, x1 - x0)[None, :, None]
        pixels[rows, x0:x1] = a[:, None] * (1 - share) + b[:, None] * share
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


def _contact(parts: list[obj_import.Piece]) -> tuple[str, list[np.ndarray], list[float]]:
    """The contact shape that lies least: box, hull or convex pieces; with the pieces, and how well it agrees (top, under, around; mm)."""
    offsets = np.cumsum([0] + [len(p.vertices) for p in parts[:-1]])
    vertices = np.concatenate([p.vertices for p in parts]).astype(float)
    faces = np.concatenate([p.faces + n for p, n in zip(parts, offsets, strict=True)]).astype(np.int64)
    one = Model((Part(vertices, faces),))
    tried: list[tuple[float, str, list[np.ndarray], Agreement]] = []
    for shape in ("box", "hull"):
        agreement = measure(replace(one, collider=shape))
        if agreement.worst_mm <= GOOD_MM:
            return shape, [], agreement.rounded
        tried.append((agreement.worst_mm, shape, [], agreement))
    tolerance = min(max(CONTACT_SHARE * float(one.size.max()), CONTACT_MIN_M), CONTACT_MAX_M)
    for seed in range(ATTEMPTS):
        hulls = decompose(vertices, faces, tolerance, seed=seed)
        agreement = measure(replace(one, solids=tuple(Solid(h) for h in hulls)))
        tried.append((agreement.worst_mm * 0.999, "pieces", hulls, agreement))
        if agreement.worst_mm <= POOR_MM:
            break
    _, shape, hulls, agreement = min(tried, key=lambda t: t[0])
    return shape, hulls, agreement.rounded


def build(deb: Path | None = None, out: Path | None = None, *, force: bool = False, say: Callable[[str], None] = print) -> Path:
    """Build the pack into `out` (default: where the catalogue looks); returns the folder.

    Raises:
        AssetError: nothing could be fetched or converted; an older pack stays as it was.
    """
    target = out or default_folder()
    wanted = hashlib.sha256(json.dumps([PACK_VERSION, TEXTURE_EDGE, FORMAT, SELECTION, LONGEST_M, BLANK]).encode()).hexdigest()[:16]
    manifest_file = target / "manifest.json"
    if not force and manifest_file.is_file():
        try:
            present = json.loads(manifest_file.read_text(encoding="utf-8"))
        except ValueError:
            present = {}
        if present.get("recipe") == wanted and (target / "models.zip").is_file():
            say(f"asset pack {present['name']} is complete ({len(present['models'])} models) in {target}")
            return target
    try:
        import fast_simplification  # noqa: F401 - only to fail early
        import scipy  # noqa: F401
    except ImportError as error:
        raise AssetError(f"building the pack needs {error.name}: install it with `pip install fast-simplification scipy`") from None
    started = time.monotonic()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".building-", dir=target.parent) as temporary:
        work = Path(temporary)
        if deb is not None and deb.is_dir():
            root = deb
        else:
            source = deb or fetch_package(work, say)
            if not source.is_file():
                raise AssetError(f"--deb: no such file or folder: {source}")
            root = unpack(source, work / "deb", say)
        folders = _libraries(root, work / "libraries")
        say(f"converting {len(SELECTION)} models")
        staged = work / PACK_NAME
        staged.mkdir()
        models, digest = _write_models(staged, folders, say)
        manifest = {
            "format": FORMAT,
            "name": PACK_NAME,
            "version": PACK_VERSION,
            "hash": digest,
            "recipe": wanted,
            "source": f"Debian package {PACKAGE}",
            "models": models,
        }
        (staged / "manifest.json").write_text(json.dumps(manifest, indent=1, sort_keys=True), encoding="utf-8")
        (staged / "ATTRIBUTION.md").write_text(attribution(models), encoding="utf-8")
        for name, folder in folders.items():
            licence = folder / "LICENSE.TXT"
            if licence.is_file():
                shutil.copyfile(licence, staged / f"LICENSE-{name}.txt")
        if target.exists():
            old = work / "old"
            target.replace(old)
        staged.replace(target)
    size = sum(f.stat().st_size for f in target.iterdir()) / 1e6
    say(f"asset pack {PACK_NAME}: {len(models)} models, {size:.1f} MB, {time.monotonic() - started:.0f} s, in {target}")
    return target


def _write_models(staged: Path, folders: dict[str, Path], say: Callable[[str], None]) -> tuple[list[dict[str, Any]], str]:
    catalogues = {name: obj_import.read_catalogue(folder) for name, folder in folders.items()}
    models, digest = [], hashlib.sha256()
    with zipfile.ZipFile(staged / "models.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        wanted = []
        for slug, (library, number, faces) in sorted(SELECTION.items()):
            item = catalogues[library].get(number)
            if item is None or not item.path.is_file():
                say(f"skipped {slug}: {library} has no model {number}")
            else:
                wanted.append((slug, item, faces or MAX_FACES))
        for (slug, item, _), (data, files, facts) in zip(wanted, _converted(wanted), strict=True):
            for name, content in ((f"{slug}.npz", data), *sorted(files.items())):
                # A fixed date keeps the archive the same for the same input.
                archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
                digest.update(name.encode() + hashlib.sha256(content).digest())
            licence, url = LICENCES[item.library]
            models.append(
                {
                    "model": slug,
                    "name": item.name,
                    "library": item.library,
                    "number": item.number,
                    "licence": licence,
                    "licence_url": url,
                    "creator": item.creator,
                    **facts,
                }
            )
    if not models:
        raise AssetError("none of the selected models was found in the package")
    return models, digest.hexdigest()


def _attempt(wanted: tuple[str, obj_import.Item, int]) -> tuple[bytes, dict[str, bytes], dict[str, Any]]:
    slug, item, faces = wanted
    try:
        return _convert(slug, item, faces)
    except (ValueError, IndexError, KeyError, OSError) as error:
        raise AssetError(f"{item.path.name}: the model {slug} could not be read ({error}); is the package complete?") from error


def _converted(wanted: list[tuple[str, obj_import.Item, int]]) -> Iterator[tuple[bytes, dict[str, bytes], dict[str, Any]]]:
    """Converted models in the order asked for, on every core where there are many."""
    if len(wanted) < FEW:
        yield from map(_attempt, wanted)
        return
    with ProcessPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        yield from pool.map(_attempt, wanted, chunksize=2)


def attribution(models: list[dict[str, Any]]) -> str:
    """Who made what, under which licence: ships with the pack."""
    lines = [
        "# Attribution of the object models",
        "",
        "The models in this pack come from the Sweet Home 3D model libraries (Debian package `sweethome3d-furniture`). They were",
        "converted: fewer triangles, smaller textures, metres with z up, some sizes corrected. The creators do not endorse this use.",
        "",
    ]
    for library, (licence, url) in LICENCES.items():
        mine = [m for m in models if m["library"] == library]
        if not mine:
            continue
        lines += [f"## {library}: {licence}", "", f"Licence: <{url}>", ""]
        if library == "Scopia":
            lines += ["Attribution asked for: Emmanuel Puybaret / eTeks and Scopia.", ""]
        lines += ["| model | name | creator |", "|---|---|---|"]
        lines += [f"| {m['model']} | {m['name']} | {m['creator'] or library} |" for m in mine]
        lines.append("")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """The command line of the module; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m sim_bridge.backends.mujoco.tools.build_assets", description="Build the object model pack."
    )
    parser.add_argument("--deb", type=Path, help="a downloaded sweethome3d-furniture .deb, or the folder it was unpacked to")
    parser.add_argument("--out", type=Path, help="folder of the pack (default: where the catalogue looks)")
    parser.add_argument("--force", action="store_true", help="build even if the pack is complete")
    options = parser.parse_args(arguments)
    try:
        build(options.deb, options.out, force=options.force)
    except AssetError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
