"""``vantage study`` and ``vantage staff``: any set of tasks becomes a study; people and models are let in, and it can all be taken back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from app.cli import main
from app.commands import settings
from data.generators.registry import bundled
from data.home import Home
from data.store import Store
from study import access, admission, agent_keys
from study.errors import BadToken, NotAllowed
from study.protocol import Protocol
from study.studies import Recruitment, Study, get_study


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with the bundled tasks of two subcategories."""
    home = Home.from_env(tmp_path / "vantage.db")
    store = Store.open(home)
    kept: dict[str, int] = {}
    with store.atomic():
        for task in bundled():
            if kept.setdefault(task.subcategory, 0) < 4 and len(kept) <= 4:
                kept[task.subcategory] += 1
                store.put_task(task)
    store.close()
    return home


def vantage(home: Home, *args: str) -> Result:
    return CliRunner().invoke(main, [*args, "--db", str(home.db)])


def told(home: Home, *args: str) -> dict[str, Any]:
    result = vantage(home, *args, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def store_of(home: Home) -> Store:
    return Store.open(home)


def ids(home: Home) -> list[str]:
    return [task.task_id for task in store_of(home).tasks()]


def made(home: Home, *args: str) -> Study:
    return get_study(store_of(home), told(home, "study", "create", "Spring", *args)["study_id"])


def test_a_study_is_made_of_kinds_of_tasks_of_names_and_of_a_file_each_task_once(home: Home, tmp_path: Path) -> None:
    store = store_of(home)
    first, *_, last = store.tasks()
    listed = tmp_path / "tasks.txt"
    listed.write_text(f"# two of ours\n{last.content_hash}  # by hash\n{first.task_id}\n\n")
    study = made(home, "--subcategory", first.subcategory, "--tasks", str(listed), "--task", last.task_id, "--unplayable-too")
    of_kind = {t.content_hash for t in store.tasks(subcategory=first.subcategory)}
    assert set(study.tasks) == of_kind | {last.content_hash} and len(study.tasks) == len(set(study.tasks))
    assert (study.state, study.trials, study.protocol) == ("draft", min(6, len(study.tasks)), Protocol())


def test_every_setting_has_an_option_and_options_count_more_than_a_file(home: Home, tmp_path: Path) -> None:
    for kind in (Protocol, Recruitment):
        assert {field for _, field, *_ in settings._fields(settings.GROUPS)} | {"paradigm"} >= set(kind.model_fields)  # by --paradigm
    # what is a table is said in the settings file alone
    tables = {name for name, field in Study.model_fields.items() if settings._is_table(field.annotation)}
    assert {field for _, field, *_ in settings._fields(settings.GROUPS)} | set(settings.ELSEWHERE) | tables >= set(Study.model_fields)
    assert tables >= {"protocol", "ethics", "returns"} and not tables & {"trials", "consent", "sessions"}
    file, consent = tmp_path / "study.toml", tmp_path / "consent.txt"
    file.write_text('trials = 2\nthanks = "Code C0DE"\n[protocol]\nbudget = 12\nenlarge = true\n[recruitment]\nexternal_study = "65f"\n')
    consent.write_text("What is recorded.\n")
    task = ids(home)[0]
    study = made(
        home, "--task", task, "--task", ids(home)[1], "--settings", str(file), "--budget", "20", "--no-belief-bar",
        "--paradigm", "active", "--paradigm", "single_view", "--consent", f"@{consent}",
        "--other-browser", "refuse", "--practice-task", ids(home)[2],
    )  # fmt: skip
    assert (study.trials, study.thanks, study.consent) == (2, "Code C0DE", "What is recorded.")
    assert study.paradigms == ("active", "single_view")
    assert study.protocol == Protocol(budget=20, enlarge=True, belief_bar=False)
    assert study.recruitment == Recruitment(external_study="65f", other_browser="refuse")
    assert study.practice_task == store_of(home).find_task(ids(home)[2]).content_hash


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ((), "A study needs tasks"),
        (("--category", "Nonsense"), "No task here has the category 'Nonsense'. There are:"),
        (("--task", "nobody-1"), "No task 'nobody-1'"),
        (("--task", "FIRST", "--budget", "0"), "protocol.budget: it has to be 1 or more, got “0”."),
        (("--task", "FIRST", "--settings", "BAD"), "There is no setting protocol.budgte."),
        (("--task", "FIRST", "--settings", "WORSE"), "cannot be read as TOML"),
        (("--task", "FIRST", "--history", "some"), "--history"),
        (("--task", "FIRST", "--thanks", "@nowhere.txt"), "nowhere.txt cannot be read"),
    ],
)
def test_what_makes_no_study_is_said_and_nothing_is_written(home: Home, tmp_path: Path, args: tuple[str, ...], sentence: str) -> None:
    (tmp_path / "bad.toml").write_text("[protocol]\nbudgte = 3\n")
    (tmp_path / "worse.toml").write_text("trials == 3")
    words = {"FIRST": ids(home)[0], "BAD": str(tmp_path / "bad.toml"), "WORSE": str(tmp_path / "worse.toml")}
    result = vantage(home, "study", "create", "S", *(words.get(arg, arg) for arg in args))
    assert result.exit_code == 2 and sentence in " ".join(result.stderr.split()), result.output
    assert admission.studies(store_of(home)) == []


def test_tasks_that_cannot_be_played_are_left_out_of_kinds_and_refused_by_name(home: Home) -> None:
    store = store_of(home)
    task = next(iter(store.tasks()))
    thing = task.scene.objects[0]
    from msgspec.structs import replace

    scene = replace(task.scene, objects=(replace(thing, category="no_such_thing_xyz"), *task.scene.objects[1:]))
    strange = task.model_copy(update={"task_id": "strange-1", "scene": scene, "twin": None})
    store.put_task(strange)
    created = told(home, "study", "create", "S", "--category", task.category)
    assert "strange-1" in created["left_out"]
    refused = vantage(home, "study", "create", "S", "--task", "strange-1")
    assert refused.exit_code == 2 and "strange-1 cannot be played here" in refused.stderr
    assert vantage(home, "study", "create", "T", "--task", "strange-1", "--unplayable-too").exit_code == 0


def test_a_study_is_opened_and_closed_and_a_closed_one_lets_nobody_new_in(home: Home) -> None:
    study = made(home, "--task", ids(home)[0], "--external-study", "abc", "--demonstration").study_id
    store = store_of(home)
    link = told(home, "study", "invite", study)["link"]
    token = link.partition("invite=")[2]
    cookie, grant = access.enter(store, token)  # a draft can be tried out
    person = {"PROLIFIC_PID": "p1", "STUDY_ID": "abc"}
    with pytest.raises(BadToken):
        access.enter_recruited(store, person)
    assert "is live: people come in" in vantage(home, "study", "open", study).output
    access.enter_recruited(store, person)
    assert "is closed: nobody new" in vantage(home, "study", "close", study).output
    for come in (lambda: access.enter(store, token), lambda: access.enter_recruited(store, {"PROLIFIC_PID": "p2", "STUDY_ID": "abc"})):
        with pytest.raises(BadToken):
            come()  # type: ignore[no-untyped-call]
    assert access.enter(store, token, cookie)[1] == grant  # who has begun goes on
    again = vantage(home, "study", "close", study)
    assert again.exit_code == 2 and "close" in again.stderr
    assert vantage(home, "study", "open", study).exit_code == 0 and access.enter(store, token)
    assert [(row["state"], row["participants"]) for row in told(home, "study", "list")] == [("live", 2)], "one came to the draft"  # type: ignore[comparison-overlap, index]
    assert vantage(home, "study", "open", "st_none").exit_code == 2


def test_invitations_and_keys_are_listed_by_id_and_taken_back_without_their_secrets(home: Home) -> None:
    study = made(home, "--task", ids(home)[0]).study_id
    store = store_of(home)
    invited = told(home, "study", "invite", study, "--label", "pilot", "--uses", "2", "--days", "3", "--url", "https://x.example/")
    assert invited["link"].startswith("https://x.example/enter?invite=") and invited["uses_left"] == 2
    token = invited["link"].partition("invite=")[2]
    access.enter(store, token)
    key = vantage(home, "study", "keys", "make", study, "gpt").stdout.strip()
    assert agent_keys.agent(store, key).name == "gpt"
    assert vantage(home, "study", "keys", "make", study, "gpt").exit_code == 2
    shown = told(home, "study", "show", study)
    ((invitation,), (kept,)) = shown["invitations"], shown["keys"]
    assert (invitation["state"], invitation["came"], invitation["label"], kept["name"]) == ("open", 1, "pilot", "gpt")
    everything = vantage(home, "study", "show", study).output + json.dumps(shown) + json.dumps(told(home, "study", "keys", "list", study))
    assert token not in everything and key not in everything
    assert "lets nobody in" in vantage(home, "study", "revoke", invitation["invite_id"]).output
    assert "does not work" in vantage(home, "study", "keys", "revoke", kept["key_id"]).output
    with pytest.raises(BadToken):
        access.enter(store, token)
    with pytest.raises(NotAllowed):
        agent_keys.agent(store, key)
    assert told(home, "study", "show", study)["invitations"][0]["state"] == "revoked"
    assert "No invitation and no key" in vantage(home, "study", "revoke", "in_none").stderr


def test_staff_are_invited_given_roles_and_lose_them_at_once(home: Home) -> None:
    study = made(home, "--task", ids(home)[0]).study_id
    store = store_of(home)
    token = told(home, "staff", "invite", "Ann", "--role", "author", "--study", study)["link"].partition("invite=")[2]
    assert [row["label"] for row in told(home, "staff", "list")["invitations"]] == ["Ann"]
    cookie, grant = access.enter(store, token)
    staff_id = grant.staff_id or ""
    other, again = access.enter(store, token)  # one link is one person, in any browser
    assert other != cookie and again.staff_id == staff_id and len(told(home, "staff", "list")["staff"]) == 1
    assert "Ann is researcher in all studies" in vantage(home, "staff", "add", staff_id, "--role", "researcher").output
    vantage(home, "staff", "add", staff_id, "--role", "researcher")  # twice is once
    assert sorted(g.role for g in access.grants(store, cookie)) == ["author", "researcher"]
    assert access.require(store, cookie, "researcher", study).staff_id == staff_id
    assert "no longer author" in vantage(home, "staff", "revoke", staff_id, "--role", "author").output
    assert [g.role for g in access.grants(store, cookie)] == ["researcher"]
    vantage(home, "staff", "add", staff_id, "--role", "author", "--study", study)
    assert sorted(g.role for g in access.grants(store, cookie)) == ["author", "researcher"]
    assert vantage(home, "staff", "revoke", staff_id).exit_code == 0 and access.grants(store, cookie) == []
    (member,) = told(home, "staff", "list")["staff"]
    assert member["roles"] == [] and member["revoked_at"]
    gone = vantage(home, "staff", "add", staff_id, "--role", "author")
    assert gone.exit_code == 2 and "invite the person again" in gone.stderr
    assert "No member of staff" in vantage(home, "staff", "revoke", "staff_none").stderr


def test_a_lost_link_is_renewed_for_the_same_person_and_people_are_named_and_signed_out(home: Home) -> None:
    study = made(home, "--task", ids(home)[0]).study_id
    store = store_of(home)
    link = told(home, "staff", "invite", "Ann", "--role", "author", "--study", study)
    waiting = told(home, "staff", "renew", link["invite_id"], "--url", "https://x.example")
    assert waiting["link"].startswith("https://x.example/enter?invite=") and waiting["label"] == "Ann"
    with pytest.raises(BadToken):
        access.enter(store, link["link"].partition("invite=")[2])
    first = waiting["link"].partition("invite=")[2]
    cookie, grant = access.enter(store, first)
    staff_id = grant.staff_id or ""
    assert "is called Ann Lee" in vantage(home, "staff", "name", staff_id, " Ann Lee ").output
    refused = vantage(home, "staff", "name", staff_id, "two\nlines")
    assert refused.exit_code == 2 and "on one line" in refused.stderr
    second = told(home, "staff", "renew", staff_id)["link"].partition("invite=")[2]
    with pytest.raises(BadToken):
        access.enter(store, first)
    assert access.grants(store, cookie) == [grant]  # lost is not stolen
    other, again = access.enter(store, second)
    assert again.staff_id == staff_id
    (row,) = told(home, "staff", "list")["staff"]
    assert (row["name"], row["browsers"], row["links"]) == ("Ann Lee", 2, 1) and row["seen_at"]
    assert told(home, "staff", "list")["invitations"] == []
    assert "signed out of 2 browsers" in vantage(home, "staff", "sign-out", staff_id).output
    assert access.grants(store, cookie) == access.grants(store, other) == []
    back, _ = access.enter(store, second)
    third = told(home, "staff", "renew", staff_id, "--sign-out")["link"].partition("invite=")[2]
    assert access.grants(store, back) == [] and access.enter(store, third)[1].staff_id == staff_id
    vantage(home, "staff", "revoke", staff_id)
    with pytest.raises(BadToken):
        access.enter(store, third)
    gone = vantage(home, "staff", "renew", staff_id)
    assert gone.exit_code == 2 and "no role any more" in gone.stderr
    for command in (["renew"], ["sign-out"], ["name"]):
        unknown = vantage(home, "staff", *command, "staff_none", *(["X"] if command == ["name"] else []))
        assert unknown.exit_code == 2 and "No member of staff" in unknown.stderr


def test_recruited_people_are_listed_for_who_pays_them(home: Home) -> None:
    made(home, "--task", ids(home)[0], "--external-study", "abc", "--live", "--demonstration")
    access.enter_recruited(store_of(home), {"PROLIFIC_PID": "p1", "STUDY_ID": "abc"})
    (row,) = told(home, "participants", "recruited")
    assert (row["external_id"], row["tasks"], row["finished_at"]) == ("p1", 0, None)  # type: ignore[comparison-overlap, index]


def test_ready_forms_are_listed_printed_and_taken_by_name(tmp_path: Path) -> None:
    db = str(tmp_path / "forms.db")
    runner = CliRunner()
    listed = runner.invoke(main, ["study", "forms", "--db", db])
    assert listed.exit_code == 0 and "spatial_ability" in listed.output
    one = json.loads(runner.invoke(main, ["study", "forms", "attention", "--db", db]).stdout)
    assert one["items"][0]["passes"] == ["blue"]
    missing = runner.invoke(main, ["study", "forms", "nothing", "--db", db])
    assert missing.exit_code == 1 and "no ready form 'nothing'" in missing.output


def test_making_and_changing_a_study_say_where_a_sessions_time_may_end_before_its_categories(home: Home) -> None:
    warns = "A session is over after 2 minutes at tasks"
    args = ("study", "create", "Spring", "--dataset", "vantage", "--min-categories", "2", "--session-minutes", "2")
    done = vantage(home, *args)
    assert done.exit_code == 0 and warns in done.stderr, done.output
    study = done.stdout.strip()
    assert warns in vantage(home, "study", "edit", study, "--name", "Summer").stderr
    assert warns not in vantage(home, "study", "edit", study, "--time-limit-s", "50").stderr
