"""``vantage verify``, as people type it."""

from __future__ import annotations

import json

from click.testing import CliRunner

from annotation.verifying import items, pausing
from app import rights
from app.cli import main
from study.access import Grant
from study.studies import create_study
from tests.annotation.verifying.conftest import Verifying


def run(v: Verifying, *words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["verify", *words, "--db", str(v.store.home.db)])
    return result.exit_code, result.stdout, result.stderr


def test_a_verification_from_making_it_to_closing_it(v: Verifying) -> None:
    tasks = [v.task(n).task_id for n in range(3)]
    code, out, _ = run(v, "start", "Spring", "--task", tasks[0], "--task", tasks[1], "--without-evidence", "--training", "0", "--json")
    made = json.loads(out)
    assert code == 0 and (made["tasks"], made["unsent"]) == (2, 0)
    name = made["verification_id"]
    assert "1 came in, 1 was in it already" in run(v, "add", name, "--task", tasks[1], "--task", tasks[2])[2]
    v.verification = pausing.verifications.get(v.store, name)  # type: ignore[attr-defined]
    v.verify("ann", "correctness")
    v.verify("ben", "answerability")
    v.verify("cat")
    code, out, _ = run(v, "status", name, "--json")
    told = json.loads(out)
    assert (told["states"]["retained"], told["votes"], told["contested"]) == (1, 3, [tasks[0]])
    assert "small-0" in run(v, "status", name)[1]
    assert run(v, "again", name, tasks[0], "--why", "two axes")[0] == 0
    assert json.loads(run(v, "status", name, "--json")[1])["states"] == {"in_verification": 2, "proposed": 1}
    assert "Paused. 0 open" in run(v, "pause", name, "ann", "--why", "away")[2]
    assert run(v, "resume", name, "ann")[0] == 0
    assert run(v, "close", name)[0] == 0
    assert [one["state"] for one in json.loads(run(v, "list", "--json")[1])] == ["closed"]


def test_what_is_missing_is_said_and_refusals_are_sentences(v: Verifying) -> None:
    task = v.task(1).task_id
    code, out, err = run(v, "start", "Spring", "--task", task, "--training", "2")
    name = out.strip()
    assert code == 0 and f"vantage verify prepare {name}" in err
    assert run(v, "training", name)[0] == 0
    code, _, err = run(v, "prepare", name, "--check")
    assert code == 1 and "3 are missing" in err
    for words in (
        ["status", "ver_nothing"],
        ["start", "Empty"],
        ["again", name, "no-such-task", "--why", "x"],
        ["pause", name, "nobody", "--why", "x"],
        ["resume", name, "ann"],
    ):
        code, _, err = run(v, *words)
        assert code == 2 and err.startswith("Error: ") and "Traceback" not in err


def test_chosen_tasks_are_verified_by_the_people_of_a_study(v: Verifying) -> None:
    task, study = v.task(1).task_id, create_study(v.store, "Theirs", tasks=(v.task(2).content_hash,))
    grant = Grant("g1", "reviewer", study.study_id, None, "staff_1")
    code, _, err = run(v, "start", "For all", "--task", task)
    assert code == 0 and "who work in all studies" in err
    assert not rights.verifications_of(v.store, grant)
    code, out, err = run(v, "start", "For theirs", "--task", task, "--people-of", study.study_id)
    assert code == 0 and study.study_id in err
    (found,) = rights.verifications_of(v.store, grant)
    assert found.verification_id == out.strip()
    assert [item.task_hash for item in items.items_of(v.store, out.strip())] == [v.task(1).content_hash]
    code, _, err = run(v, "start", "Nobody's", "--task", task, "--people-of", "no-study")
    assert code == 2 and "no study 'no-study'" in err
