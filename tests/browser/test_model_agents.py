"""A model agent over HTTP: the same engine and pixels as a person, one reprompt, its own episodes only."""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.request
from typing import Any

from study import agent_keys


def call(server: Any, path: str, key: str | None, body: Any = None) -> tuple[int, Any]:
    headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {key}"} if key else {})
    request = urllib.request.Request(server.base + path, json.dumps(body).encode() if body is not None else None, headers)
    try:
        with urllib.request.urlopen(request, timeout=120) as reply:
            data = reply.read()
            return reply.status, json.loads(data) if "json" in reply.headers["content-type"] else data
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def test_an_agent_plays_to_its_answer_with_the_same_pixels_as_a_person(server: Any, playing: Any, kit: Any) -> None:
    task = kit.make_task("agent")
    tab = playing(task)
    tab.press("ArrowLeft", "w")
    tab.at(2)
    human = server.steps(server.episode()["episode_id"])
    study = server.study(task, name="Agents")
    key = agent_keys.create(server.store, study.study_id, "model-1")

    assert call(server, "/api/agent/tasks", key) == (200, {"study": "Agents", "tasks": ["agent"]})
    status, told = call(server, "/api/agent/episodes", key, {"task": "agent", "seed": 3})
    assert status == 201 and "Which box is larger" in told["prompt"]
    where = f"/api/agent/episodes/{told['episode']}"
    epoch = told["epoch"]

    def say(seq: int, output: str) -> Any:
        return call(server, f"{where}/act", key, {"epoch": epoch, "seq": seq, "output": output})[1]

    assert "reprompt" in say(0, "I would like to look around")
    first = say(0, '```json\n{"action": "turn_left", "answer": null, "confidence": 0.1}\n```')
    assert first["step"]["seq"] == 1
    second = call(server, f"{where}/act", key, {"epoch": epoch, "seq": 2, "action": "move_forward"})[1]
    assert second["step"]["left"] == 27
    rows = server.steps(told["episode"])
    assert [row["pixel_hash"] for row in rows] == [row["pixel_hash"] for row in human]
    stored = kit.frame_bytes(server, rows[-1]["pixel_hash"])
    assert base64.b64decode(second["frame"]["data"]) == stored
    assert call(server, f"{where}/frames/2", key) == (200, stored)
    end = say(2, '{"action": "stop", "answer": "the blue one", "confidence": 0.9}')
    assert end["final"]["answer"] == "the blue one" and "feedback" not in end["final"]
    assert call(server, f"{where}/act", key, {"epoch": epoch, "seq": 3, "action": "wait"})[1]["error"] in ("episode_over", "bad_action")


def test_keys_are_checked_and_see_only_their_own_episodes(server: Any, kit: Any) -> None:
    task = kit.make_task("agent-own")
    study = server.study(task, name="Keys")
    mine = agent_keys.create(server.store, study.study_id, "mine")
    other = agent_keys.create(server.store, study.study_id, "other")
    assert call(server, "/api/agent/tasks", None)[0] == 401
    assert call(server, "/api/agent/tasks", "nonsense")[0] == 403
    assert call(server, "/api/agent/episodes", mine, {"task": "agent"})[0] == 404  # another study's task
    assert call(server, "/api/agent/episodes", mine, {"task": 5})[0] == 400
    assert call(server, "/api/agent/episodes", mine, {"task": "agent-own", "min_steps": 0})[0] == 400
    told = call(server, "/api/agent/episodes", mine, {"task": "agent-own"})[1]
    where = f"/api/agent/episodes/{told['episode']}"
    for path, body in ((f"{where}/act", {"epoch": 1, "seq": 1, "action": "wait"}), (f"{where}/open", {}), (f"{where}/frames/0", None)):
        assert call(server, path, other, body)[0] == 403
    assert call(server, f"{where}/act", mine, {"epoch": told["epoch"], "seq": 1})[0] == 400
    assert call(server, "/api/nonsense", mine, {}) == (404, {"error": "not_found", "message": "There is no such address."})


def test_a_beginning_can_be_repeated_and_one_key_has_a_bounded_share(server: Any, kit: Any) -> None:
    task = kit.make_task("agent-share")
    study = server.study(task, name="Shares")
    key = agent_keys.create(server.store, study.study_id, "eager")
    begin = "/api/agent/episodes"
    status, first = call(server, begin, key, {"task": "agent-share", "id": "run-1"})
    again = call(server, begin, key, {"task": "agent-share", "id": "run-1"})
    assert status == 201 and again == (201, first)
    assert call(server, begin, key, {"task": "agent-share", "id": "run-1", "seed": 9})[0] == 409
    assert call(server, begin, key, {"task": "agent-share", "id": ""})[0] == 400
    told = [call(server, begin, key, {"task": "agent-share"}) for _ in range(4)]
    assert [status for status, _ in told] == [201, 201, 201, 429]
    assert told[3][1]["error"] == "too_many" and "4 episodes going on" in told[3][1]["message"]
    kept = server.store.query("SELECT last_seq FROM episodes WHERE agent_name = 'eager'")
    assert [row["last_seq"] for row in kept] == [0, 0, 0, 0], "the refused one left nothing"
    assert call(server, f"{begin}/{first['episode']}/act", key, {"epoch": first["epoch"], "seq": 1, "action": "turn_left"})[0] == 200
