"""Every HTTP route of ours beside Streamlit's: entry, assets, health, and the APIs."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from app import agent_api, entry_routes, way_in
from app.components import PLOTLY, SUFFIXES, assets, assets_version, plotly_script
from app.guard import NO_STORE
from app.http import guarded, reply, run
from app.pages.registry import PAGES
from app.services import current

FOREVER = "public, max-age=31536000, immutable"


async def asset(request: Request) -> Response:
    """GET /assets/{hash}/{name}: our ES modules and styles, and Plotly's script; the address changes with their content."""
    name, current_one = request.path_params["name"], request.path_params["version"] == assets_version()
    if name == PLOTLY and current_one:
        packed = "gzip" in request.headers.get("accept-encoding", "")
        told = {"cache-control": FOREVER, "vary": "accept-encoding"} | ({"content-encoding": "gzip"} if packed else {})
        return Response(await run(current().reading, lambda: plotly_script(packed=packed)), media_type=SUFFIXES[".js"], headers=told)
    found = assets().get(name)
    if found is None or not current_one:
        return Response("Not found", 404, headers=NO_STORE)
    return Response(found[0], media_type=found[1], headers={"cache-control": FOREVER})


async def icon(_: Request) -> Response:
    """GET /favicon.ico, which browsers ask for by themselves."""
    return RedirectResponse("favicon.png", 308, headers={"cache-control": FOREVER})


@guarded
async def healthz(_: Request) -> Response:
    """GET /healthz: 200 while the database answers, can be written and a worker is there, else 503; counts and words only."""
    services = current()

    def look() -> tuple[bool, dict[str, object]]:
        services.store.one("SELECT 1 AS one")
        workers = services.pool.status()
        ready = sum(worker.state == "ready" for worker in workers)
        trouble = services.probe.trouble()
        return ready > 0 and not trouble, {"database": "ok", "writing": trouble or "ok", "workers": len(workers), "ready": ready}

    good, told = await run(services.reading, look)
    return reply({"ok": good, **told}, 200 if good else 503)


@guarded
async def no_such_address(_: Request) -> Response:
    """Anything else under /api: JSON, never Streamlit's page."""
    return reply({"error": "not_found", "message": "There is no such address."}, 404)


def routes() -> list[BaseRoute]:
    """All routes, in order: our own, those of model agents, and what each page declares (pages share some)."""
    return [
        Route("/assets/{version}/{name}", asset, methods=["GET"]),
        Route("/favicon.ico", icon, methods=["GET"]),
        Route("/healthz", healthz, methods=["GET"]),
        *entry_routes.ROUTES,
        *way_in.ROUTES,
        *agent_api.ROUTES,
        *{id(route): route for page in PAGES for route in page.routes}.values(),
        Route("/api/{rest:path}", no_such_address, methods=["GET", "POST", "PUT", "DELETE", "PATCH"]),
    ]
