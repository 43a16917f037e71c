"""A completions endpoint that continues texts and, if told to, echoes them with scores."""

from __future__ import annotations

import re
from collections.abc import Collection

from models.http.local_server import Asked, Reply, Script
from models.openai.openai_server import error

BOS = "<s>"
CONTINUATION = " and then she left with him"


def completions(*, echo: bool = True, bos: bool = True, rejects: Collection[str] = ()) -> Script:
    """A server with an echo or without, with a beginning token or without, that rejects some
    settings by name.
    """

    def script(asked: Asked) -> Reply:
        for setting in rejects:
            if setting in asked.body:
                return error(400, f"Unrecognized request argument supplied: {setting}")
        if not asked.path.endswith("/completions") or "messages" in asked.body:
            return error(404, "Not Found")
        if asked.body.get("echo") and echo:
            return _scored(asked.prompt, bos=bos)
        if asked.body.get("logprobs"):
            return _scored(asked.prompt + " so", bos=bos, only=1)
        text = CONTINUATION[: 4 * asked.body["max_tokens"]]
        count = asked.body.get("n", 1)
        choices = [{"index": n, "text": text, "finish_reason": "length"} for n in range(count)]
        return Reply({"choices": choices})

    return script


def _scored(text: str, *, bos: bool, only: int = 0) -> Reply:
    """The text with its tokens, words with the space before them; or the last of them alone."""
    tokens = ([BOS] if bos else []) + re.findall(r"\s?\S+|\s", text)
    scores: list[float | None] = [None]
    scores += [-(n + len(token) / 8) for n, token in enumerate(tokens[1:], start=1)]
    if only:
        text, tokens, scores = tokens[-1], tokens[-1:], scores[-1:]
    listed = {"tokens": tokens, "token_logprobs": scores}
    return Reply({"choices": [{"index": 0, "text": text, "logprobs": listed}]})
