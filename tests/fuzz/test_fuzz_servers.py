"""Whatever a server replies, a request is answered by a record of its type, or fails by itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from epicene.core.errors import EpiceneError
from epicene.core.records import Answer, Failed, Generate, Message, Texts, to_json
from epicene.models import open_model, parse_spec
from epicene.models.http import model as remote
from fuzz.damaged import JSON_VALUES, damaged_bytes, damaged_json
from models.http.local_server import FAST_RETRIES, Reply, Server
from models.model_answers import answers
from models.openai.openai_server import chat

SOUND: Any = chat("Bonjour.").body
REQUESTS = tuple(
    Generate(item=str(number), prompt=(Message(role="user", content=f"Hi {number}"),))
    for number in range(2)
)


class Script:
    """Replies to the first request as it is told, and soundly to all others."""

    def __init__(self) -> None:
        self.reply = Reply(SOUND)

    def __call__(self, asked: Any) -> Reply:
        if asked.method == "POST" and asked.prompt == "Hi 0":
            return self.reply
        return Reply(SOUND) if asked.method == "POST" else Reply({"data": [{"id": "toy"}]})


@pytest.fixture(scope="module")
def script() -> Iterator[Script]:
    script = Script()
    with pytest.MonkeyPatch.context() as patch, Server(script) as server:
        patch.setattr(remote, "RetryPolicy", lambda: FAST_RETRIES)
        patch.setenv("OPENAI_BASE_URL", server.url)
        patch.setenv("OPENAI_API_KEY", "sk-0123456789")
        yield script


def check(script: Script, reply: Reply) -> None:
    script.reply = reply
    with closing(open_model(parse_spec("openai:toy"))) as model:
        try:
            first, second = answers(model, *REQUESTS)
        except EpiceneError as error:  # such as a key that is refused, which ends a run
            said = str(error)
        else:
            said = ""
    if said:
        assert "\n" not in said
        return
    for answer in (first, second):
        assert isinstance(answer, Texts | Failed)
        assert msgspec.json.decode(to_json(answer), type=Answer) == answer
    assert isinstance(second, Texts), "the reply to one request is no concern of another"


@given(JSON_VALUES | damaged_json(SOUND))
@example({"choices": [{"message": {"content": 7}}]})
@example({"choices": [{"message": {"content": "a"}, "finish_reason": 7}] * 2})
@example({**SOUND, "usage": {"prompt_tokens": -1, "completion_tokens": 1e300}})
@example({**SOUND, "usage": {"cost": -1000}})
def test_replies_of_any_values(script: Script, body: Any) -> None:
    check(script, Reply(body))


@given(st.binary(max_size=100) | damaged_bytes(json.dumps(SOUND).encode()))
@example(b"[" * 50_000)
@example(b'{"choices": [{"message": {"content": "\xe1"}}]}')
def test_replies_of_any_bytes(script: Script, body: bytes) -> None:
    check(script, Reply(body))


@given(
    st.sampled_from([400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 529, 599]),
    JSON_VALUES | damaged_json({"error": {"message": "no", "type": "x", "code": "y"}}),
)
def test_errors_of_any_values(script: Script, status: int, body: Any) -> None:
    check(script, Reply(body, status))
