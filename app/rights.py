"""Who may do what: the one place that decides it. Every page, route and key asks here on every call; what a menu offered is no control.

A browser (its cookie) holds grants: a role in one study or in all (`study.access`). What is unknown and what is somebody else's are
answered alike.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from annotation import adjudicating as adjudications
from annotation.authoring import drafts
from annotation.authoring.drafts import Kept
from annotation.authoring.errors import UnknownDraft
from annotation.qa import moments, projects
from annotation.qa.errors import UnknownItem
from annotation.qa.items import ViewImage
from annotation.qa.moments import Moment
from annotation.qa.moments.finding import Found
from annotation.qa.projects import Project
from annotation.qa.work import kept_back
from annotation.qa.work.pool import Stored, get, history
from annotation.recording import recorder
from annotation.reviewing import votes
from annotation.reviewing.errors import NotYours, UnknownReview
from annotation.reviewing.kinds.robot_questions import KIND
from annotation.reviewing.rows import Review
from annotation.verifying import progress, queue, takeover, verifications
from annotation.verifying.verifications import UnknownVerification, Verification
from data.store import Store
from study import access, agent_keys
from study.access import EVERY_STUDY, STAFF_ROLES, Grant
from study.agent_keys import Agent
from study.errors import NotAllowed
from study.forms.answers import Showing, get_showing
from study.people import Member
from study.wording import say

TO_JUDGE = (
    "You may be asked to review this item, so it is kept back from you until you have answered it. What has to be done with it now is "
    "another's to do."
)
FOREIGN = "This is not yours to open, or your access has ended. Open your invitation link again, or ask for one."
LEADS = ("researcher", "owner")
"""Roles that run a study."""
RECORDERS = (*LEADS, "author")
"""Who may record a ground-truth trajectory; an annotator writes too."""
VERIFIERS = ("reviewer",)
"""Roles that verify tasks; an annotator reviews too."""
ADJUDICATOR = "annotator"
"""Role that adjudicates."""
WRITERS = ("annotator", "author", "reviewer")
"""Roles that make or judge robot questions."""


# what a browser holds


def held(store: Store, cookie: str | None) -> list[Grant]:
    """What this browser may do; empty where nobody is signed in."""
    return access.grants(store, cookie)


def away(store: Store, cookie: str | None) -> bool:
    """Whether this browser had access as staff that has ended because nobody used it."""
    return access.idle(store, cookie)


def counts_as(grant: Grant, *roles: str) -> bool:
    """Whether a grant counts as one of the roles, in its own study."""
    return any(grant.allows(role, None) for role in roles)


def still(store: Store, cookie: str | None, grant: Grant, *roles: str) -> Grant:
    """The grant with which a page was opened, if this browser has it still and it counts as one of the roles.

    Raises:
        NotAllowed: not so.
    """
    for other in held(store, cookie):
        if other.grant_id == grant.grant_id and counts_as(other, *roles):
            return other
    raise NotAllowed(f"This needs the role {' or '.join(roles)}. Open your invitation link again, or ask for one.")


def in_study(store: Store, cookie: str | None, role: str, study_id: str) -> Grant:
    """The browser's grant for a role in a study (``*``: in all).

    Raises:
        NotAllowed: it has none.
    """
    return access.require(store, cookie, role, study_id)


def person(store: Store, cookie: str | None) -> set[str]:
    """The staff ids of whoever sits at this browser: those that it holds, and those that were ever held beside one of them."""
    return {who for grant in held(store, cookie) if grant.staff_id for who in access.same_people(store, grant.staff_id)}


def founds(grant: Grant) -> bool:
    """Whether the bearer of a grant may make another study: who runs all of them."""
    return grant.study_id == EVERY_STUDY and counts_as(grant, "researcher")


# who works here


def appoints(grant: Grant) -> tuple[str, ...]:
    """The roles that the bearer of a grant may give and take, in its own study: an owner all of staff, a researcher those who make and
    judge questions."""
    if counts_as(grant, "owner"):
        return STAFF_ROLES
    return WRITERS if counts_as(grant, "researcher") else ()


def appointer(store: Store, cookie: str | None, role: str, study_id: str) -> Grant:
    """The browser's grant to give and take a role in a study (``*``: in all).

    Raises:
        NotAllowed: it has none.
    """
    for grant in held(store, cookie):
        if role in appoints(grant) and grant.study_id in (study_id, EVERY_STUDY):
            return grant
    raise NotAllowed("This needs an owner of the study, or for people who make and judge questions a researcher of it.")


def head_of(store: Store, cookie: str | None, member: Member) -> Grant:
    """The browser's grant to make a link for a member of staff, name them and sign them out: it may give every role that they have, so that
    nobody comes by a link to more than they could give.

    Raises:
        NotAllowed: it may not.
    """
    found = [appointer(store, cookie, role.role, role.study) for role in member.roles]
    if found:
        return found[0]
    return appointer(store, cookie, "owner", EVERY_STUDY)


# tasks that people make


def drafter(store: Store, cookie: str | None, draft_id: str) -> Kept:
    """A draft of a task, if its author sits at this browser and still writes.

    Raises:
        NotAllowed: not so, or there is no such draft.
    """
    for grant in held(store, cookie):
        if grant.staff_id and counts_as(grant, *RECORDERS):
            try:
                return drafts.get(store, draft_id, grant.staff_id)
            except UnknownDraft:
                continue
    raise NotAllowed(FOREIGN)


# episodes


def player(store: Store, cookie: str | None, episode_id: str) -> Grant:
    """The grant to play this very episode: its participant's, of a recording its recorder's, or its verifier's who stepped in.

    Raises:
        NotAllowed: it is not this browser's.
    """
    if (verifier_of := takeover.whose(store, episode_id)) is not None:
        for grant in held(store, cookie):
            if grant.staff_id == verifier_of and counts_as(grant, *VERIFIERS):
                return grant
        raise NotAllowed(FOREIGN)
    staff = recorder.recorder_of(store, episode_id)
    if staff is None:
        return access.player(store, cookie, episode_id)
    for grant in held(store, cookie):
        if grant.staff_id == staff and counts_as(grant, *RECORDERS):
            return grant
    raise NotAllowed("This recording is not yours, or your access has ended. Open your invitation link again.")


def asked(store: Store, cookie: str | None, showing_id: str) -> Showing:
    """The showing of a questionnaire, if it is put before somebody of this browser.

    Raises:
        NotAllowed: it is not this browser's, or there is none: the answer is the same.
    """
    showing = get_showing(store, showing_id)
    if not any(grant.role == "participant" and grant.participant_id == showing.participant_id for grant in held(store, cookie)):
        raise NotAllowed(say("form.not_yours"))
    return showing


def researcher_of(store: Store, cookie: str | None, episode_id: str) -> Grant:
    """The researcher's grant for the study of this episode.

    Raises:
        NotAllowed: none, or no such episode.
    """
    row = store.one("SELECT study_id FROM episodes WHERE episode_id = ?", [episode_id])
    # An episode outside every study is only for those who may see all studies; "" is no study's id.
    grant = access.require(store, cookie, "researcher", (row or {}).get("study_id") or "")
    shown = store.one("SELECT t.task_id FROM episodes e JOIN tasks t ON t.content_hash = e.task_hash WHERE e.episode_id = ?", [episode_id])
    if shown is not None and asks_to_judge(store, cookie, [shown["task_id"]]):
        raise NotAllowed(TO_JUDGE)
    return grant


def asks_to_judge(store: Store, cookie: str | None, task_ids: Iterable[str]) -> set[str]:
    """Those of the tasks that ask an item which whoever sits at this browser may still be given to review (an accepted one, reopened)."""
    # the id of a derived item is that of its item with the name of the set behind it
    origin = {task_id: {task_id, task_id.rpartition(".")[0]} for task_id in task_ids}
    kept = to_judge(store, cookie, {name for names in origin.values() for name in names})
    return {task_id for task_id, names in origin.items() if names & kept}


def agent(store: Store, key: str | None, episode_id: str | None = None) -> Agent:
    """The model agent behind a key; with `episode_id`, only if the episode is its own.

    Raises:
        NotAllowed: unknown or revoked key, or another's episode.
    """
    return agent_keys.agent(store, key, episode_id)


def exporters(store: Store, cookie: str | None) -> set[str]:
    """Under which staff ids this browser may fetch exports: those that made them."""
    return {grant.staff_id for grant in held(store, cookie) if counts_as(grant, "researcher") and grant.staff_id is not None}


# robot questions


def projects_of(store: Store, grant: Grant, *roles: str) -> list[Project]:
    """The projects in which the grant counts as one of the roles; those without a study are for staff of all studies."""
    return [
        project
        for project in projects.list_projects(store)
        if any(grant.allows(role, project.study_id) for role in roles) and (project.study_id or grant.study_id == EVERY_STUDY)
    ]


def leads(store: Store, grant: Grant, project_id: str) -> bool:
    """Whether a grant that was checked leads this project: it may do with others' items what it may with its own."""
    return grant.allows("researcher", projects.get_project(store, project_id).study_id or EVERY_STUDY)


def works_on(store: Store, stored: Stored, grant: Grant) -> bool:
    """Whether a grant lets one see all of an item and change it: a researcher of its study, an author; an annotator, who reviews too, only
    what they wrote or edited themselves, so that nobody sees the right answer of what they may be given to review."""
    where = projects.get_project(store, stored.project_id).study_id or EVERY_STUDY
    if grant.allows("researcher", where):
        return True
    if not grant.allows("author", where):
        return False
    return grant.role == "author" or grant.staff_id in {stored.author, *(v.editor for v in history(store, stored.item.item_id))}


def worker(store: Store, cookie: str | None, item_id: str) -> tuple[Grant, Stored]:
    """The browser's grant to see and change an item, and the item.

    Raises:
        NotAllowed: none, or there is no such item.
    """
    try:
        stored = get(store, item_id)
    except UnknownItem:
        raise NotAllowed(FOREIGN) from None
    for grant in held(store, cookie):
        if works_on(store, stored, grant):
            if to_judge(store, cookie, [item_id]):
                raise NotAllowed(TO_JUDGE)
            return grant, stored
    raise NotAllowed(FOREIGN)


def to_judge(store: Store, cookie: str | None, item_ids: Iterable[str]) -> set[str]:
    """Those of the items that whoever sits at this browser may still be given to review blind, whatever else they may do."""
    return kept_back.still_to_judge(store, person(store, cookie), item_ids)


def maker(store: Store, cookie: str | None, project_id: str) -> Grant:
    """The browser's grant to make items in a project.

    Raises:
        NotAllowed: none, or there is no such project.
    """
    for grant in held(store, cookie):
        if project_id in {project.project_id for project in projects_of(store, grant, "author", "researcher")}:
            return grant
    raise NotAllowed(FOREIGN)


def lead(store: Store, cookie: str | None, project_id: str) -> Grant:
    """The browser's grant to lead a project.

    Raises:
        NotAllowed: none, or there is no such project.
    """
    for grant in held(store, cookie):
        if project_id in {project.project_id for project in projects_of(store, grant, "researcher")}:
            return grant
    raise NotAllowed(FOREIGN)


def makers_here(store: Store, cookie: str | None, project_id: str) -> set[str]:
    """The staff ids under which this browser makes items in a project; never empty.

    Raises:
        NotAllowed: none, or there is no such project.
    """
    maker(store, cookie, project_id)
    project = projects.get_project(store, project_id)
    mine = [grant for grant in held(store, cookie) if project in projects_of(store, grant, "author", "researcher")]
    return {grant.staff_id or "" for grant in mine}


def authors_of(store: Store, project: Project) -> list[str]:
    """Staff ids of those who may make items in a project."""
    roles = sorted(role for role, counts in access.IMPLIED.items() if {"author", "researcher"} & set(counts) and role in STAFF_ROLES)
    return access.holders(store, roles, project.study_id)


def kept_moments(store: Store, cookie: str | None, found: Iterable[Moment | Found]) -> set[str]:
    """Ids of the moments whose pictures tell whoever sits at this browser the answer of an item that they may still be given to review."""
    return kept_back.moments_kept_back(store, person(store, cookie), ((moment.moment_id, moment.views) for moment in found))


def open_review(store: Store, cookie: str | None, item_id: str) -> int | None:
    """The version of an item that this browser's reviewer has under review now; None where there is no such review."""
    for grant in held(store, cookie):
        found = votes.open_version(store, KIND, item_id, grant.staff_id or "")
        if found is not None:
            version, project_id = found
            if grant.allows("reviewer", projects.get_project(store, project_id).study_id or EVERY_STUDY):
                return version
    return None


def reviewing(store: Store, cookie: str | None, review_id: str) -> Review:
    """A review of a robot question, if somebody of this browser has it and reviews there still.

    Raises:
        NotAllowed: not so, or there is none: the answer is the same.
    """
    for grant in held(store, cookie):
        try:
            review = votes.own(store, KIND, review_id, grant.staff_id or "")
        except (NotYours, UnknownReview):
            continue
        if grant.allows("reviewer", projects.get_project(store, review.scope).study_id or EVERY_STUDY):
            return review
    raise NotAllowed(FOREIGN)


def sifts(store: Store, cookie: str | None, moment_id: str) -> tuple[Grant, Moment]:
    """The browser's grant to sift the moments of a project, and one of them.

    Raises:
        NotAllowed: none, or there is no such moment.
    """
    try:
        moment = moments.get_moment(store, moment_id)
    except UnknownItem:
        raise NotAllowed(FOREIGN) from None
    return maker(store, cookie, moment.project_id), moment


def sifted(store: Store, cookie: str | None, moment_id: str) -> tuple[Grant, Moment]:
    """The same, for a moment that tells this person no answer.

    Raises:
        NotAllowed: none, there is no such moment, or it does.
    """
    grant, moment = sifts(store, cookie, moment_id)
    if kept_moments(store, cookie, [moment]):
        raise NotAllowed(FOREIGN)
    return grant, moment


def moment_view(store: Store, cookie: str | None, moment_id: str, name: str) -> ViewImage:
    """The picture of a moment's view, for authors and researchers of its project who are told no answer by it.

    Raises:
        NotAllowed: it is not this browser's to see, or there is none.
    """
    row = store.one(
        "SELECT m.document, p.study_id FROM moments m LEFT JOIN qa_projects p USING (project_id) WHERE m.moment_id = ?", [moment_id]
    )
    if row is not None:
        study = row["study_id"] or EVERY_STUDY
        allowed = any(g.allows("author", study) or g.allows("researcher", study) for g in held(store, cookie))
        views = [ViewImage.model_validate(view) for view in json.loads(row["document"]).get("views", ())]
        view = next((view for view in views if view.view == name), None)
        if allowed and view is not None and not kept_back.moments_kept_back(store, person(store, cookie), [(moment_id, views)]):
            return view
    raise NotAllowed(FOREIGN)


# tasks under verification


def led_verifications(store: Store, grant: Grant) -> list[Verification]:
    """The verifications that a grant leads, the newest first; those without a study are for staff of all studies."""
    return [one for one in progress.listed(store) if any(grant.allows(role, one.study_id or EVERY_STUDY) for role in LEADS)]


def verifications_of(store: Store, grant: Grant) -> list[Verification]:
    """The verifications in which the grant counts as a verifier, the newest first; those without a study are for staff of all studies."""
    return [found for found in verifications.all_of(store) if _verifies(grant, found)]


def verifier(store: Store, cookie: str | None, verification_id: str) -> str:
    """The staff id under which this browser verifies here.

    Raises:
        NotAllowed: it does not, or there is no such verification.
    """
    try:
        found = verifications.get(store, verification_id)
    except UnknownVerification:
        raise NotAllowed(FOREIGN) from None
    for grant in held(store, cookie):
        if grant.staff_id and _verifies(grant, found):
            return grant.staff_id
    raise NotAllowed(FOREIGN)


def verifying(store: Store, cookie: str | None, review_id: str) -> Review:
    """A review of a task under verification, if somebody of this browser has it and verifies there still.

    Raises:
        NotAllowed: not so, or there is none: the answer is the same.
    """
    mine = {grant.staff_id: grant for grant in held(store, cookie) if grant.staff_id}
    for who, grant in mine.items():
        try:
            review = queue.review_of(store, review_id, who)
        except (NotYours, UnknownReview):
            continue
        if _verifies(grant, verifications.get(store, review.scope)):
            return review
    raise NotAllowed(FOREIGN)


def adjudicator(store: Store, cookie: str | None, study_id: str) -> tuple[str, bool]:
    """The staff id under which this browser adjudicates in a study (empty: in none), and whether it works in all studies.

    Raises:
        NotAllowed: it does not adjudicate there.
    """
    for grant in held(store, cookie):
        if grant.staff_id and grant.allows(ADJUDICATOR, study_id or EVERY_STUDY):
            return grant.staff_id, grant.study_id == EVERY_STUDY
    raise NotAllowed(FOREIGN)


def adjudicating(store: Store, cookie: str | None, review_id: str) -> Review:
    """An adjudication, if somebody of this browser has it and adjudicates there still.

    Raises:
        NotAllowed: not so, or there is none: the answer is the same.
    """
    mine = {grant.staff_id: grant for grant in held(store, cookie) if grant.staff_id and counts_as(grant, ADJUDICATOR)}
    for who, grant in mine.items():
        try:
            review = adjudications.review_of(store, review_id, who)
        except (NotYours, UnknownReview):
            continue
        if grant.allows(ADJUDICATOR, adjudications.study_of(store, review) or EVERY_STUDY):
            return review
    raise NotAllowed(FOREIGN)


def verifies(store: Store, cookie: str | None) -> None:
    """Whether this browser verifies anywhere.

    Raises:
        NotAllowed: it does not.
    """
    if not any(counts_as(grant, *VERIFIERS) for grant in held(store, cookie)):
        raise NotAllowed(FOREIGN)


def _verifies(grant: Grant, verification: Verification) -> bool:
    return any(grant.allows(role, verification.study_id or EVERY_STUDY) for role in VERIFIERS)
