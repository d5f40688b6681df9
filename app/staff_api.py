"""Routes for staff: frames of any step of an episode of their study, and finished exports. The role is checked on every request."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from app import identity, rights
from app.guard import NO_STORE, HttpError
from app.http import guarded, run
from app.play_api import FRAME_HEADERS
from app.services import Services, current
from study import access, payments
from study.errors import NotAllowed
from study.states import LIVE, MODES


@guarded
async def frame(request: Request) -> Response:
    """GET /api/staff/frame/{episode}/{seq}: the stored frame of a step, for researchers of its study."""
    services, value = current(), identity.cookie(request)
    episode, seq = request.path_params["episode"], request.path_params["seq"]

    def work() -> bytes:
        rights.researcher_of(services.store, value, episode)
        row = services.store.one("SELECT pixel_hash FROM steps WHERE episode_id = ? AND seq = ?", [episode, seq])
        if row is None:
            raise HttpError(404, "not_found", f"This episode has no step {seq}.")
        return services.frames.kept(services.store, row["pixel_hash"])

    return Response(await run(services.reading, work), media_type="image/webp", headers=FRAME_HEADERS)


@guarded
async def archive(request: Request) -> Response:
    """GET /api/staff/export/{job}: the archive of a finished export, for the member of staff who made it."""
    services, value, job_id = current(), identity.cookie(request), request.path_params["job"]

    def work() -> Path:
        row = services.store.one("SELECT * FROM jobs WHERE job_id = ? AND kind IN ('export', 'qa-export', 'report')", [job_id])
        if row is None or row["owner"] not in rights.exporters(services.store, value):
            raise NotAllowed("This export is not yours, or your access has ended.")
        path = export_path(row["argv"])
        if row["state"] != "done" or not path.is_file():
            raise HttpError(404, "not_found", "This export is not ready, or has been removed. Make a new one.")
        return path

    path = await run(services.reading, work)
    return FileResponse(path, media_type="application/zip", filename=f"vantage-export-{job_id[-8:]}.zip", headers=NO_STORE)


@guarded
async def findings(request: Request) -> Response:
    """GET /api/staff/findings/{job}: all findings of an audit as JSON lines, for the member of staff who had it run; what they may still be
    asked to judge is left out."""
    services, value, job_id = current(), identity.cookie(request), request.path_params["job"]

    def work() -> str:
        row = services.store.one("SELECT * FROM jobs WHERE job_id = ? AND kind = 'audit'", [job_id])
        if row is None or row["owner"] not in rights.exporters(services.store, value):
            raise NotAllowed("This audit is not yours, or your access has ended.")
        path = findings_path(json.loads(row["argv"]))
        if row["state"] != "done" or not path.is_file():
            raise HttpError(404, "not_found", "These findings are not ready, or have been removed. Run the audit again.")
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        ids = [json.loads(line)["row_id"] for line in lines]
        kept = rights.asks_to_judge(services.store, value, ids)
        return "".join(line for line, row_id in zip(lines, ids, strict=True) if row_id not in kept)

    told = {"content-disposition": f'attachment; filename="findings-{job_id[-8:]}.jsonl"'}
    text = await run(services.reading, work)
    return Response(text, media_type="application/jsonl; charset=utf-8", headers=NO_STORE | told)


def findings_path(argv: Sequence[str]) -> Path:
    """Where an audit with this command line writes its findings."""
    return Path(argv[argv.index("--out") + 1])


@guarded
async def recruiters_file(request: Request) -> Response:
    """GET /api/staff/payments/{study}: what is open to pay, by the platform's ids, for whoever runs the study."""
    services, value, study_id = current(), identity.cookie(request), request.path_params["study"]
    mode = request.query_params.get("mode", LIVE)

    def work() -> str:
        rights.in_study(services.store, value, "researcher", study_id)
        if mode not in MODES or services.store.one("SELECT 1 AS yes FROM studies WHERE study_id = ?", [study_id]) is None:
            raise HttpError(404, "not_found", "There is no such study here, or no such kind of run.")
        return payments.as_csv(payments.for_recruiter(services.store, study_id, mode))

    text = await run(services.reading, work)
    told = {"content-disposition": f'attachment; filename="payments-{study_id[-8:]}.csv"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=NO_STORE | told)


def export_command(services: Services, study_id: str, forms: Sequence[str] = (), options: Sequence[str] = ()) -> list[str]:
    """The words and options of a new export (`app.pages.job_panel.start` adds the database), into a folder of its own in the home.

    Args:
        services: of this process.
        study_id: only this study, or `access.EVERY_STUDY`.
        forms: names of formats (`study.exports.FORMATS`); empty: those that are written by default.
        options: further ones of the command.
    """
    out = services.home.root / "exports" / secrets.token_hex(8) / "vantage-export"
    command = ["export", "--out", str(out), "--zip"]
    command += [part for name in forms for part in ("--format", name)]
    command += options
    return command if study_id == access.EVERY_STUDY else [*command, "--study", study_id]


def export_path(argv: str) -> Path:
    """Where the archive of an export with this command line (JSON) lies."""
    command = json.loads(argv)
    return Path(command[command.index("--out") + 1] + ".zip")


ROUTES = [
    Route("/api/staff/frame/{episode}/{seq:step}", frame, methods=["GET"]),
    Route("/api/staff/export/{job}", archive, methods=["GET"]),
    Route("/api/staff/findings/{job}", findings, methods=["GET"]),
    Route("/api/staff/payments/{study}", recruiters_file, methods=["GET"]),
]
