"""Items from a published tree, ours or another's: every ``QA.json`` below a folder.

A tree of ours carries the whole document: the import makes the same item, in the state it had. From another's tree come question, options,
right answer and images; the rest is for a person to fill in, so such items arrive as drafts.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation.qa.drawn.pictures import opened
from annotation.qa.errors import BadItem, QaError
from annotation.qa.items import LETTERS, VIEW_WORDS, VIEWS, Item
from annotation.qa.subtasks import SUBTASKS, named
from annotation.qa.work import pool
from data.foreign import Unreadable, file_bytes, json_file
from data.names import printed
from data.store import Store

Keep = Callable[[bytes], str]
"""Keeps the bytes of an original; returns its SHA-256."""

MAX_JSON_BYTES = 4_000_000
MAX_IMAGE_BYTES = 100_000_000
ADDRESS = ("http://", "https://")
"""How a picture's path begins that the released scripts leave to the model's provider to fetch; nothing of ours fetches anything."""
_IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff")


@dataclass(frozen=True)
class Refused:
    """A ``QA.json`` that was not taken."""

    file: str
    field: str
    reason: str


@dataclass
class Imported:
    """What an import did."""

    found: int = 0
    imported: int = 0
    duplicates: int = 0
    drafts: int = 0
    """Of the imported, those of another's tree."""
    refused: list[Refused] = field(default_factory=list)


@dataclass(frozen=True)
class Listed:
    """One entry of ``images``: a picture as the released vision script gives it to a model."""

    where: str
    """``images.2``, for messages."""
    path: str
    """Relative to ``QA.json``, or an address."""
    illustration: str
    """What is said before it."""


@dataclass(frozen=True)
class Found:
    """One ``QA.json``, read."""

    path: Path
    content: dict[str, Any]
    item: Item | None
    """The document it carries; None in another's tree."""
    status: str


def read(path: Path) -> Found:
    """Read one ``QA.json`` by the rules of the public evaluation script, and the document where there is one.

    Raises:
        BadItem: it cannot be read, or the document says something else than the question beside it.
    """
    try:
        content = json_file(path, MAX_JSON_BYTES)
    except Unreadable as error:
        raise BadItem(error.reason) from None
    if not isinstance(content, dict):
        raise BadItem(f"An object is needed, got {type(content).__name__}.")
    question, options, correct = content.get("question"), content.get("options"), content.get("correct")
    if not isinstance(question, str) or not question.strip():
        raise BadItem(f"question: a text is needed, got {question!r}.")
    if not isinstance(options, dict) or not all(isinstance(v, str) for v in options.values()) or sorted(options) != list(LETTERS):
        raise BadItem(f"options: five texts under A to E are needed, got {_short(options)}.")
    if correct not in LETTERS:
        raise BadItem(f"correct: one of A to E is needed, got {correct!r}.")
    if "item" not in content:
        return Found(path, content, None, "draft")
    item = Item.read(content["item"])
    for name, said, meant in (
        ("question", question, item.question),
        ("options", options, dict(item.options)),
        ("correct", correct, item.gold),
    ):
        if said != meant:
            raise BadItem(f"{name}: the file says {_short(said)}, the document in it {_short(meant)}. Change both, or remove “item”.")
    for name in ("clean_images", "drawn_images", "option_images"):
        files_of = content.get(name) or {}
        if not isinstance(files_of, dict) or not all(isinstance(file, str) for file in files_of.values()):
            raise BadItem(f"{name}: an object of file names is needed, got {_short(files_of)}.")
    status = content.get("status", "accepted")
    if not isinstance(status, str) or status not in pool.ITEM:
        raise BadItem(f"status: one of {', '.join(pool.ITEM)} is needed, got {status!r}.")
    return Found(path, content, item, str(status))


def listed(content: Mapping[str, Any]) -> list[Listed]:
    """The pictures that ``QA.json`` lists, in order.

    Raises:
        BadItem: it is no list that the released vision script can read; the message names the entry.
    """
    images = content.get("images") or []
    if isinstance(images, dict):
        raise BadItem("images: the vision script reads a list of {path, illustration}; this is an object, as before: export it again.")
    if not isinstance(images, list):
        raise BadItem(f"images: a list of {{path, illustration}} is needed, got {_short(images)}.")
    found = []
    for number, entry in enumerate(images):
        path, words = (entry.get("path"), entry.get("illustration") or "") if isinstance(entry, dict) else (None, "")
        if not isinstance(path, str) or not path:
            raise BadItem(f"images.{number}: an object with a path is needed, got {_short(entry)}.")
        if not isinstance(words, str):
            raise BadItem(f"images.{number}: the illustration is a text, got {_short(words)}.")
        found.append(Listed(f"images.{number}", path, words))
    return found


def clean_files(content: Mapping[str, Any]) -> dict[str, Any]:
    """View → name of the picture without marks, of an export of ours, earlier ones too."""
    for name in ("clean_images", "images"):
        if isinstance(content.get(name), dict):
            return dict(content[name])
    return {}


def picture_file(found: Found, picture: Listed, root: Path) -> Path:
    """The file of a listed picture, which lies below the tree's root.

    Raises:
        BadItem: it is an address, leads elsewhere, or nothing is there.
    """
    if picture.path.startswith(ADDRESS):
        raise BadItem(f"{picture.where}: {_short(picture.path)} is an address, and nothing is fetched: save the picture beside QA.json.")
    try:
        file = (found.path.parent / picture.path).resolve()
        there = file.is_relative_to(root.resolve()) and file.is_file()
    except (OSError, ValueError, RuntimeError):  # no name that a file can have, or links in a circle
        there = False
    if not there:
        raise BadItem(f"{picture.where}: the file {_short(picture.path)} is missing from this folder.")
    return file


def files(root: Path) -> Iterator[Path]:
    """Every ``QA.json`` below a folder, in order; links that lead out of it are left alone."""
    home = root.resolve()
    for path in sorted(root.rglob("QA.json")):
        if path.is_file() and path.resolve().is_relative_to(home):
            yield path


def beside(path: Path, name: Any) -> Path:
    """A file that a ``QA.json`` names, which must lie beside it.

    Raises:
        BadItem: the name leads elsewhere, or nothing is there.
    """
    if not isinstance(name, str) or not name or Path(name).name != name or name in (".", ".."):
        raise BadItem(f"A file name beside QA.json is needed, got {name!r}.")
    file = path.parent / name
    try:
        there = file.is_file() and file.resolve().is_relative_to(path.parent.resolve())
    except (OSError, ValueError, RuntimeError):  # no name that a file can have, or links in a circle
        there = False
    if not there:
        raise BadItem(f"The file {_short(name)} is missing.")
    return file


def picture_bytes(file: Path) -> bytes:
    """The bytes of a picture of a tree.

    Raises:
        BadItem: it is too large, or cannot be read.
    """
    try:
        return file_bytes(file, MAX_IMAGE_BYTES)
    except Unreadable as error:
        raise BadItem(f"{printed(file.name)}: {error.reason}") from None


def import_tree(store: Store, project_id: str, root: Path, keep: Keep | None, *, actor: str) -> Imported:
    """Take in every item below a folder.

    Args:
        store: the database.
        project_id: the project that gets them.
        root: the folder.
        keep: keeps originals; None: the images are left out (they must be here already to be shown).
        actor: who imports.

    Returns:
        Counts, and what was refused and why; the sound ones are in.
    """
    report = Imported()
    for path in files(root):
        report.found += 1
        try:
            found = read(path)
            item = found.item or foreign(found, root, keep)
            if item.derived is not None:
                raise BadItem(f"item: it belongs to a {item.derived.kind} set, which is made from its items: import those.")
            known = store.one("SELECT version FROM qa_items WHERE item_id = ?", [item.item_id])
            if known and pool.get(store, item.item_id).item == item:
                report.duplicates += 1
                continue
            if keep is not None and found.item is not None:
                _keep_images(found, item, keep)
            relative = path.relative_to(root).as_posix()
            place = re.fullmatch(r"QA(\d{1,6})", path.parent.name)
            number = int(place[1]) if place else None
            pool.admit(store, project_id, item, state=found.status, actor=actor, why=f"imported from {relative}", number=number)
            report.imported += 1
            report.drafts += found.item is None
        except QaError as error:
            field_name, _, rest = str(error).partition(": ")
            simple = bool(re.fullmatch(r"[\w.]+", field_name)) and bool(rest)
            report.refused.append(Refused(path.relative_to(root).as_posix(), field_name if simple else "", rest if simple else str(error)))
    return report


def _keep_images(found: Found, item: Item, keep: Keep) -> None:
    """Keep the originals beside a document, each checked against the document's hash."""
    views = {view.view: view for view in item.views}
    named_files = [(views.get(view), name, f"clean_images.{view}") for view, name in clean_files(found.content).items()]
    options = dict(found.content.get("option_images") or {})
    named_files += [(item.option_images.get(letter), name, f"option_images.{letter}") for letter, name in options.items()]
    for image, name, where in named_files:
        if image is None:
            raise BadItem(f"{where}: the document has no such image.")
        data = picture_bytes(beside(found.path, name))
        if hashlib.sha256(data).hexdigest() != image.image:
            raise BadItem(f"{where}: the file {name} is not the image that was exported; its SHA-256 differs.")
        keep(data)


def foreign(found: Found, root: Path, keep: Keep | None) -> Item:
    """An unfinished item from another's folder: the subtask by the folder's name, views by the images' names.

    Raises:
        BadItem: no folder names a subtask, or there is no image.
    """
    parts = found.path.relative_to(root.resolve() if found.path.is_absolute() and not root.is_absolute() else root).parts[:-1]
    subtask = next((s for part in (*reversed(parts), root.name) if (s := _subtask(part))), None)
    if subtask is None:
        raise BadItem(f"No folder on the way names a subtask; got {'/'.join(parts) or root.name!r}.")
    views: list[dict[str, Any]] = []
    options: dict[str, dict[str, Any]] = {}
    for file, words in _foreign_pictures(found, root):
        data = picture_bytes(file)
        image = opened(data, file.name)
        sha256 = keep(data) if keep else hashlib.sha256(data).hexdigest()
        entry = {"image": sha256, "width": image.width, "height": image.height, "file": file.name}
        if SUBTASKS[subtask].option_kind == "images" and (letter := _option(words) or _option(file.stem)):
            options.setdefault(letter, entry | {"view": _gripper(found.content["question"])})
            continue
        named_view = _view(words) if _view(words) in VIEW_WORDS else _view(file.stem)
        if named_view not in {view["view"] for view in views}:
            views.append(entry | {"view": named_view})
    if not views:
        raise BadItem("No image lies beside it: an item needs its views.")
    present = {view["view"] for view in views}
    arm = "single" if present & set(VIEWS["single"]) else "dual"
    digest = hashlib.sha256(json.dumps([found.content["question"], found.content["options"], sorted(v["image"] for v in views)]).encode())
    return Item.read(
        {
            "item_id": f"qa_{digest.hexdigest()[:20]}",
            "subtask": subtask,
            "arm": arm,
            "source": str(found.content.get("source") or "imported")[:200],
            "views": views,
            "reference_view": next((v for v in ("head", "view1") if v in present), views[0]["view"]),
            "question": found.content["question"],
            "options": found.content["options"],
            "gold": found.content["correct"],
            "option_images": options,
        }
    )


def _named_pictures(content: Mapping[str, Any]) -> list[Listed]:
    """The pictures that another's file names: as `listed`, or view → file, or files alone; the scripts read the first form only."""
    images = content.get("images")
    if isinstance(images, dict) and all(isinstance(file, str) for file in images.values()):
        return [Listed(f"images.{words}", file, str(words)) for words, file in images.items()]
    if isinstance(images, list) and images and all(isinstance(file, str) for file in images):
        return [Listed(f"images.{number}", file, "") for number, file in enumerate(images)]
    return listed(content)


def _foreign_pictures(found: Found, root: Path) -> Iterator[tuple[Path, str]]:
    """The pictures that the file lists, with what it says of each; those that lie beside it where it lists none."""
    pictures = _named_pictures(found.content)
    for picture in pictures:
        yield picture_file(found, picture, root), picture.illustration
    if not pictures:
        for file in sorted(found.path.parent.iterdir()):
            if file.suffix.lower() in _IMAGE_SUFFIXES and file.is_file() and not file.is_symlink():
                yield file, ""


def _option(words: str) -> str | None:
    """The letter of the option that a name or an illustration speaks of: ``Option A``, ``option_a``, ``Image A``."""
    found = re.fullmatch(r"\W*(?:(?:option|image|choice|candidate)[\W_]*)?([A-E])\W*", words, re.IGNORECASE)
    return found[1].upper() if found else None


def _gripper(question: str) -> str:
    """The gripper whose picture a question about viewpoints asks for."""
    return "right-gripper" if re.search(r"\bright\b", question.lower()) else "left-gripper"


def _subtask(folder: str) -> str | None:
    try:
        return named(folder).slug
    except BadItem:
        return None


def _view(stem: str) -> str:
    """The view that a file name speaks of, or the name itself."""
    words = re.sub(r"[^a-z0-9]+", " ", stem.lower()).strip()
    for view, patterns in {
        "left-gripper": (r"left",),
        "right-gripper": (r"right",),
        "head": (r"\bhead\b", r"\btop\b"),
        **{f"view{k}": (rf"\b(?:view|image|images|cam|camera)? ?{k}\b",) for k in range(1, 5)},
    }.items():
        if any(re.search(pattern, words) for pattern in patterns):
            return view
    return stem


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
