"""The pictures of the QA studio by address: originals as they are kept, or what a derived set makes of them, and small ones for lists.

Who may see which is checked on every request: authors and researchers of the project everything of an item; a reviewer with an open review
of it what `blind` shows, nothing else. Who may still be given an item to review sees nothing that tells its answer, whatever else they may
do (`annotation.qa.work.kept_back`). To everybody else an unknown picture and a foreign one are the same.
"""

from __future__ import annotations

import hashlib
import io
import secrets
from collections.abc import Callable, Mapping
from functools import lru_cache

from PIL import Image, ImageOps
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from annotation.qa.drawn import pictures
from annotation.qa.drawn.pictures import ImageFolder
from annotation.qa.items import ViewImage
from annotation.qa.work import pool
from annotation.qa.work.blind import blind
from app import identity
from app.http import guarded, run
from app.rights import FOREIGN, moment_view, open_review, worker
from app.services import Services, current
from data.home import Home
from data.store import Store
from study.errors import NotAllowed

MEDIA = {".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp", ".bmp": "image/bmp", ".tif": "image/tiff"}
CACHE = {"cache-control": "private, no-cache", "vary": "cookie", "x-content-type-options": "nosniff"}
"""A browser keeps a picture, and asks each time whether it may still show it: the answer is a 304 without the bytes."""
SECRET = secrets.token_bytes(32)
"""Makes tags that nobody can compute from a picture; another after a restart, when pictures are fetched once more."""
SMALL_PX = 320
"""Longer side of a small picture."""


def _of_item(store: Store, cookie: str | None, item_id: str, name: str, option: bool) -> ViewImage:
    """The picture of a view, or of an option, that this browser may see.

    Raises:
        NotAllowed: it may not, or there is none.
    """
    try:
        item = worker(store, cookie, item_id)[1].item
        found = item.option_images.get(name) if option else item.view(name)  # type: ignore[call-overload]
    except NotAllowed:
        version = open_review(store, cookie, item_id)
        if version is None:
            raise
        shown = blind(pool.at_version(store, item_id, version))
        pictures_shown = shown["option_images"] if option else {view["view"]: view for view in shown["views"]}
        found = ViewImage(**{"view": name, **pictures_shown[name]}) if name in pictures_shown else None
    if found is None:
        raise NotAllowed(FOREIGN)
    return found


@lru_cache(maxsize=512)
def _small(home: Home, sha256: str, transform: str) -> bytes:
    """A small WebP of an original; kept in memory, a few kB each."""
    image = pictures.opened(ImageFolder(home)(sha256), f"The image {sha256[:12]}…")
    if image.format == "JPEG":
        image.draft("RGB", (SMALL_PX, SMALL_PX))  # decodes no more than is needed
    small = ImageOps.exif_transpose(image).convert("RGB")
    small.thumbnail((SMALL_PX, SMALL_PX), Image.Resampling.LANCZOS)
    if transform:
        small = ImageOps.flip(small)
    kept = io.BytesIO()
    small.save(kept, "WEBP", quality=82)
    return kept.getvalue()


async def _send(request: Request, find: Callable[[Services, str | None], ViewImage]) -> Response:
    """The picture, or 304 where the browser has it."""
    services, cookie = current(), identity.cookie(request)
    small = "small" in request.query_params

    def work() -> Response:
        view = find(services, cookie)
        # of this address and this browser alone: equal pictures at two addresses do not tell that they are equal
        named = f"{request.url.path} {cookie} {view.image} {view.transform} {small}"
        tag = '"' + hashlib.blake2b(named.encode(), digest_size=16, key=SECRET).hexdigest() + '"'
        headers = CACHE | {"etag": tag}
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if small:
            return Response(_small(services.home, view.image, view.transform), media_type="image/webp", headers=headers)
        return whole(services.home, view, headers)

    return await run(services.reading, work)


def whole(home: Home, view: ViewImage, headers: Mapping[str, str]) -> Response:
    """A picture at its original size, as it is shown.

    Raises:
        ImageMissing: it is not in the home.
    """
    data, suffix = pictures.shown(view, ImageFolder(home)(view.image))
    return Response(data, media_type=MEDIA[suffix], headers=dict(headers))


@guarded
async def view(request: Request) -> Response:
    """GET /api/qa/image/{item}/{view}: the picture of a view, at its original size."""
    item, name = request.path_params["item"], request.path_params["view"]
    return await _send(request, lambda services, cookie: _of_item(services.store, cookie, item, name, False))


@guarded
async def option(request: Request) -> Response:
    """GET /api/qa/option/{item}/{letter}: the picture that is an option."""
    item, letter = request.path_params["item"], request.path_params["letter"]
    return await _send(request, lambda services, cookie: _of_item(services.store, cookie, item, letter, True))


@guarded
async def moment(request: Request) -> Response:
    """GET /api/qa/moment/{moment}/{view}: the picture of a moment's view; ``?small`` for lists."""
    which, name = request.path_params["moment"], request.path_params["view"]
    return await _send(request, lambda services, cookie: moment_view(services.store, cookie, which, name))


ROUTES = [
    Route("/api/qa/image/{item}/{view}", view, methods=["GET"]),
    Route("/api/qa/option/{item}/{letter}", option, methods=["GET"]),
    Route("/api/qa/moment/{moment}/{view}", moment, methods=["GET"]),
]
