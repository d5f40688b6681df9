"""A researcher's page that makes exports: choices, progress, and the archives that were made. It checks the role itself."""

from __future__ import annotations

from html import escape

import streamlit as st

from app import identity, rights, staff_api
from app.pages.page import Page
from app.pages.parts import begin, plain_text
from app.services import Services, current
from app.staff_api import export_command
from data import jobs
from study.access import Grant
from study.exports import FORMATS


def _allowed(grant: Grant) -> Services:
    """The services, after checking the role on the server."""
    services = current()
    rights.in_study(services.store, identity.page_cookie(), "researcher", grant.study_id)
    return services


def export(grant: Grant) -> None:
    """Trajectories and tables as one archive, made by a process of its own."""
    begin("Vantage: export")
    services = _allowed(grant)
    st.title("Export")
    st.write("One archive in the forms that you choose. Recruitment ids and data of people who withdrew stay out.")
    titles = {form.name: form.title for form in FORMATS}
    forms = st.multiselect("Forms", list(titles), default=list(titles), format_func=titles.__getitem__, key="export-forms")
    st.caption("\n".join(f"- {plain_text(form.title)}: {plain_text(form.text)}" for form in FORMATS))
    if st.button("Make an export", type="primary", disabled=not forms):
        _allowed(grant)
        command = export_command(services, grant.study_id, forms)
        jobs.start(services.store, jobs.create(services.store, "export", command, owner=grant.staff_id or ""))
    _exports(grant)
    st.caption("On the command line: `vantage export --out FOLDER`.")


@st.fragment(run_every="2s")
def _exports(grant: Grant) -> None:
    services = _allowed(grant)
    made = [job for job in jobs.recent(services.store, owner=grant.staff_id or "", limit=10) if job.kind == "export"]
    if not made:
        st.info("No export has been made yet.")
    for job in made:
        when = plain_text(job.created_at[:19].replace("T", " "))
        if job.state == "running":
            total = plain_text(str(job.total or "…"))
            st.progress(job.done / job.total if job.total else 0.0, text=f"{when} UTC: {job.done:d} of {total} episodes")
            if st.button("Cancel", key=f"cancel-{job.job_id}"):
                jobs.cancel(services.store, job.job_id, actor=grant.staff_id or "")
                st.rerun(scope="fragment")
        elif job.state == "done":
            st.html(
                f"<p>{when} UTC: <a href='api/staff/export/{job.job_id}' download>Download the archive</a></p>"
                + (f"<p>{escape(job.message)}</p>" if job.message else ""),
            )
        else:
            st.warning(f"{when} UTC: {plain_text(job.state)}. {plain_text(job.message)}")


EXPORT = Page("Export", "export", roles=rights.LEADS, draw=lambda visit: export(visit.grant), routes=tuple(staff_api.ROUTES))
PAGES = (EXPORT,)
