"""Triage by an OpenAI-compatible endpoint, against a stand-in on this machine: strict replies, sentences for failures, no key anywhere."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from typing import Any

import pytest
from PIL import Image
from pydantic import ValidationError

from annotation.qa.triage import Endpoint, TriageFailed, TriageSettings, read_reply
from tests.model_stand_in import StandIn, completion

KEY = "a-very-secret-key"


def png(level: int = 90) -> bytes:
    kept = io.BytesIO()
    Image.new("RGB", (8, 6), (level, 20, 30)).save(kept, "PNG")
    return kept.getvalue()


STILLS = {"left-gripper": png(1), "head": png(2), "right-gripper": png(3)}


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    server = StandIn()
    yield server
    server.close()


def endpoint(stand_in: StandIn, key: str = KEY, **settings: Any) -> Endpoint:
    return Endpoint(TriageSettings(url=stand_in.url, model="looker", **settings), {"VANTAGE_TRIAGE_KEY": key})


def test_the_stills_are_sent_as_data_urls_with_the_key_and_the_slugs_come_back(stand_in: StandIn) -> None:
    stand_in.body = completion('{"subtasks": ["step", "matching"]}')
    opinion = endpoint(stand_in)(STILLS, "dual", "pour the water")
    assert (opinion.subtasks, opinion.model) == (("matching", "step"), "looker")
    path, headers, body = stand_in.asked[0]
    assert path == "/v1/chat/completions" and headers["authorization"] == f"Bearer {KEY}" and body["model"] == "looker"
    parts = body["messages"][0]["content"]
    sent = [base64.b64decode(p["image_url"]["url"].removeprefix("data:image/png;base64,")) for p in parts if p["type"] == "image_url"]
    assert sent == list(STILLS.values())
    assert "pour the water" in parts[0]["text"] and "Do not write questions" in parts[0]["text"]


def test_without_a_key_none_is_sent(stand_in: StandIn) -> None:
    endpoint(stand_in, key="")(STILLS, "dual", "")
    assert "authorization" not in stand_in.asked[0][1]


def test_a_single_arm_is_never_thought_to_serve_viewpoint(stand_in: StandIn) -> None:
    stand_in.body = completion('{"subtasks": ["viewpoint", "distance"]}')
    assert endpoint(stand_in)({"view1": png()}, "single", "").subtasks == ("distance",)
    assert "viewpoint" not in stand_in.asked[0][2]["messages"][0]["content"][0]["text"]


def test_a_fenced_reply_is_read() -> None:
    assert read_reply('```json\n{"subtasks": ["distance"]}\n```', "dual") == ("distance",)


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (b"<html>", "no chat completion"),
        (b'{"choices": []}', "no chat completion"),
        (completion(None), "no text"),
        (completion("I think distance would be good."), "JSON alone"),
        (completion('Sure! {"subtasks": ["distance"]}'), "JSON alone"),
        (completion('["distance"]'), "nothing else"),
        (completion('{"subtasks": ["distance"], "question": "Which is nearest?"}'), "nothing else"),
        (completion('{"subtasks": "distance"}'), "nothing else"),
        (completion('{"subtasks": ["cooking"]}'), "do not exist: cooking"),
        (completion('{"subtasks": [3]}'), "do not exist: 3"),
        (completion("[" * 100_000), "JSON alone"),
    ],
)
def test_any_other_reply_is_refused_in_a_sentence(stand_in: StandIn, reply: bytes, sentence: str) -> None:
    stand_in.body = reply
    with pytest.raises(TriageFailed, match=sentence):
        endpoint(stand_in)(STILLS, "dual", "")


@pytest.mark.parametrize(("status", "sentence"), [(401, "another key"), (404, "not there"), (429, "too often"), (500, "its own log")])
def test_a_refusal_of_the_server_is_a_sentence_without_the_key(stand_in: StandIn, status: int, sentence: str) -> None:
    stand_in.status, stand_in.body = status, f'{{"error": "{KEY}"}}'.encode()
    with pytest.raises(TriageFailed, match=sentence) as failure:
        endpoint(stand_in)(STILLS, "dual", "")
    assert str(status) in str(failure.value) and KEY not in str(failure.value)


def test_a_redirect_is_not_followed_and_the_key_goes_nowhere_else(stand_in: StandIn) -> None:
    other = StandIn()
    try:
        stand_in.status, stand_in.headers = 302, {"location": f"{other.url}/chat/completions"}
        with pytest.raises(TriageFailed, match="name the final address"):
            endpoint(stand_in)(STILLS, "dual", "")
        assert other.asked == []
    finally:
        other.close()


def test_a_server_that_does_not_answer_in_time_is_a_sentence(stand_in: StandIn) -> None:
    stand_in.slow = True
    with pytest.raises(TriageFailed, match=r"gave no answer .*0\.2 s"):
        endpoint(stand_in, timeout_s=0.2)(STILLS, "dual", "")


def test_a_server_that_is_not_there_is_a_sentence() -> None:
    gone = StandIn()
    gone.close()
    with pytest.raises(TriageFailed, match="is it running"):
        endpoint(gone)(STILLS, "dual", "")


def test_an_endless_reply_is_cut_off(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotation.endpoint.MAX_REPLY_BYTES", 1000)
    stand_in.body = b" " * 5000
    with pytest.raises(TriageFailed, match="more than 1,000 bytes"):
        endpoint(stand_in)(STILLS, "dual", "")


def test_a_key_never_travels_unencrypted_to_another_machine() -> None:
    away = Endpoint(TriageSettings(url="http://models.example.org/v1", model="looker"), {"VANTAGE_TRIAGE_KEY": KEY})
    with pytest.raises(TriageFailed, match="https"):
        away(STILLS, "dual", "")


def test_what_is_no_picture_is_not_sent(stand_in: StandIn) -> None:
    with pytest.raises(TriageFailed, match="neither PNG, JPEG nor WebP"):
        endpoint(stand_in)({"head": b"GIF89a"}, "dual", "")
    assert stand_in.asked == []


@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://", "https://user:pass@host/v1", "https://host/v1?key=3", "host/v1"])
def test_an_address_is_http_without_secrets(url: str) -> None:
    with pytest.raises(ValidationError):
        TriageSettings(url=url, model="m")


def test_settings_hold_the_name_of_the_variable_never_a_key(stand_in: StandIn) -> None:
    kept = endpoint(stand_in)
    assert KEY not in kept.settings.model_dump_json() and KEY not in repr(kept)
    with pytest.raises(ValidationError):
        TriageSettings.model_validate({"url": stand_in.url, "model": "m", "key": KEY})
