"""Replies in the OpenAI protocol, for a server on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from epicene.models import ModelOptions
from epicene.models.http.retry import RetryPolicy
from epicene.models.openai.model import OpenAIModel
from models.http.local_server import SHORT_WAITS, Reply, Server

KEY = "sk-test-0123456789abcdef"


def chat(*texts: str | None, **fields: Any) -> Reply:
    """A chat reply with these texts as choices."""
    choices = [
        {"index": i, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        for i, text in enumerate(texts)
    ]
    usage = {"prompt_tokens": 7, "completion_tokens": 3 * len(texts), "total_tokens": 0}
    return Reply({"object": "chat.completion", "choices": choices, "usage": usage, **fields})


def error(status: int, message: str = "no", headers: Mapping[str, str] | None = None) -> Reply:
    """An error reply in the protocol's form."""
    return Reply({"error": {"message": message}}, status, headers or {})


def model(server: Server, retry_policy: RetryPolicy = SHORT_WAITS, **options: Any) -> OpenAIModel:
    """The model `toy` behind the server, impatient."""
    return OpenAIModel("toy", ModelOptions(base_url=server.url, **options), retry_policy)
