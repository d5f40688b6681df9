"""The page of a browser that has no grant yet, and the choice where it has several."""

from __future__ import annotations

import streamlit as st

from app import identity
from app.pages import said
from app.pages.parts import begin, plain_text
from app.services import current
from study import access
from study.access import EVERY_STUDY, Grant
from study.studies import get_study


def welcome() -> None:
    """What Vantage is, and how to come in."""
    begin("Vantage")
    st.title("Vantage", anchor=False)
    st.write("Studies of spatial intelligence: people and models look around in simulated rooms and answer questions about what they see.")
    st.header("Taking part in a study?", anchor=False)
    st.write("Open the link you were given. It brings you to your study; on this device you can then come back at any time.")
    st.header("Working on a study?", anchor=False)
    st.write("Open your invitation link, or [sign in](sign-in) with the token you were given.")
    st.caption("Setting up? `vantage run` prints a link for each role.")


def away() -> None:
    """Somebody of the staff was away too long: what happened, and the way back."""
    begin("Vantage")
    st.title("You were signed out", anchor=False)
    hours = current().settings.staff_idle_hours
    st.write(
        f"Nobody used this browser for more than {hours:g} hours, so it does not show your pages any more. Everything you saved is kept."
    )
    st.write(
        "Open your invitation link again, or [sign in](sign-in) with it: you come back as the same person. If you do not have it any "
        "more, ask the people who run the study for a new link."
    )


def reload() -> None:
    """A tab whose access ended while it was open: here, or because the browser was let in anew in another tab."""
    begin("Vantage")
    st.title("Reload this page", anchor=False)
    st.write("Your access in this tab has ended: you signed out, it was taken back, or you came in by another link in this browser.")
    # the start page, from wherever the app is served
    st.html("<p><a href='.' target='_self'>Reload</a></p>")
    st.caption("Everything that was saved is kept. If this page comes again, open your link once more.")


def not_here() -> None:
    """An address of the app that is a page of other people's."""
    begin("Vantage")
    st.title("This page is not open to you", anchor=False)
    st.write("It belongs to somebody with another role. If it was open to you before, ask the people who run the study.")
    # the start page, from wherever the app is served
    st.html("<p><a href='.' target='_self'>To your page</a></p>")


def pick(grants: list[Grant]) -> None:
    """Several grants in one browser: which one?"""
    begin("Vantage")
    st.title("How do you want to go on?", anchor=False)
    st.write("This browser was let in more than once.")
    for grant in grants:
        name = "all studies" if grant.study_id == EVERY_STUDY else get_study(current().store, grant.study_id).name
        if st.button(plain_text(f"{name}, as {grant.role}"), key=f"pick-{grant.grant_id}", width="stretch"):
            st.session_state["grant"] = grant.grant_id
            st.rerun()


def leave(grant: Grant, *, several: bool) -> None:
    """The end of a page of someone who makes or judges questions: another role, or out."""
    st.divider()
    services = current()
    with st.container(horizontal=True):
        switch = several and st.button("Switch to another role", type="tertiary")
        out = st.button("Sign out", type="tertiary")
    if said.astray():
        return
    if switch:
        st.session_state.pop("grant", None)
        st.query_params.clear()
        st.rerun()
    if out:
        access.sign_out(services.store, identity.page_cookie(), grant.grant_id)
        st.session_state.pop("grant", None)
        st.rerun()
