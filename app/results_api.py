"""Routes of the results: the rows of a figure as CSV. The role is checked on every request."""

from __future__ import annotations

from dataclasses import astuple
from typing import get_args

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app import identity, rights
from app.guard import NO_STORE, HttpError
from app.http import guarded, run
from app.pages.parts import kept_for_all
from app.services import Services, current
from study.analysis.figures import FIGURES
from study.analysis.figures.figure import Choice
from study.analysis.results import Result, as_csv, results
from study.analysis.stored import stored
from study.analysis.trials import Trials, Truth
from study.states import LIVE, MODES

TRUTHS: tuple[Truth, ...] = get_args(Truth)
QUIET = ("page", "step", "belief", "looks", "looked_back", "shown", "opened", "resumed", "waiting", "model_turn")
"""Events that end no task and change no answer: the trials that were read stay as they are."""


def trials_of(services: Services, study_id: str, mode: str) -> Trials:
    """The trials of a study, read anew only when something happened that can change them."""
    row = services.store.one(
        f"SELECT seq FROM events WHERE kind NOT IN ({', '.join('?' * len(QUIET))}) ORDER BY seq DESC LIMIT 1", list(QUIET)
    )
    return kept_for_all(f"trials {study_id} {mode}", row and row["seq"], lambda: stored(services.store, study_id, mode=mode))


def made(trials: Trials, choice: Choice, name: str) -> Result:
    """One figure, kept with the trials that it was made of: some take seconds at 15,000 answers."""
    place = f"result {name} {trials.study_id} {trials.mode} {astuple(choice)}"
    return kept_for_all(place, trials.read_at, lambda: results(trials, choice, (name,))[0])


@guarded
async def rows(request: Request) -> Response:
    """GET /api/staff/results/{study}/{table}: the rows of a table of the results as CSV, for whoever runs the study."""
    services, value = current(), identity.cookie(request)
    study_id, name, asked = request.path_params["study"], request.path_params["table"], request.query_params
    mode, truth, seed = asked.get("mode", LIVE), asked.get("truth", "strict"), asked.get("seed", "0")

    def work() -> str:
        rights.in_study(services.store, value, "researcher", study_id)
        reading = next((one for one in TRUTHS if one == truth), None)
        if mode not in MODES or reading is None or not seed.isdecimal() or len(seed) > 9:
            raise HttpError(404, "not_found", "There is no such kind of run or reading: open the page of results again.")
        choice = Choice(tuple(asked.getlist("paradigm")), reading, asked.get("excluded") == "1", int(seed))
        trials = trials_of(services, study_id, mode)
        wanted = [figure.name for figure in FIGURES if asked.get("figure", figure.name) == figure.name]
        for figure in wanted:
            for table in made(trials, choice, figure).tables:
                if table.name == name:
                    return as_csv(table)
        raise HttpError(404, "not_found", "There is no such table of results: open the page of results again.")

    told = {"content-disposition": f'attachment; filename="{name[:40]}.csv"'}
    text = await run(services.reading, work)
    return Response(text.encode("utf-8-sig"), media_type="text/csv; charset=utf-8", headers=NO_STORE | told)


ROUTES = [Route("/api/staff/results/{study}/{table}", rows, methods=["GET"])]
