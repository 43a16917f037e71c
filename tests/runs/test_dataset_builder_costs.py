"""What building data costs: said beforehand, bounded over all its steps, and resumable."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from epicene.core.errors import InputError
from epicene.core.records import Decoding, Generate, Texts
from epicene.models import ModelOptions, parse_spec
from epicene.models.openai.generation import PROBE
from epicene.models.pricing import CostLimitError
from epicene.runs.dataset_builder import BuildConfig, build_dataset
from epicene.suites import Dataset, Suite, find_suite
from epicene.suites.construction import (
    AskModels,
    BuildSettings,
    Construction,
    ModelReply,
    StepOutputs,
    StepRow,
)
from models.http.local_server import Asked, Server
from models.http.local_server import Reply as HttpReply
from models.openai.openai_server import error
from runs.conftest import Silent

WORDS = ("ant", "bee", "cat", "dog")
PRICE = "1000000/1000000"  # a dollar a token
USED = 4  # tokens of each reply
BOUND = 3 + 2 + 5  # the bytes of a word, what stands before a text, and what may be written


def asks(step: str) -> Any:
    def ask(_made: StepOutputs, _settings: BuildSettings) -> Iterator[Generate]:
        for word in WORDS:
            decoding = Decoding(max_new_tokens=5)
            yield Generate(item=f"{step}-{word}", prompt=word, decoding=decoding)

    return ask


def read(
    _made: StepOutputs, _settings: BuildSettings, replies: Iterable[ModelReply]
) -> Iterator[StepRow]:
    for reply in replies:
        assert isinstance(reply.answer, Texts)
        yield {"word": reply.request.item, "text": reply.answer.only}


def export(made: StepOutputs, _settings: BuildSettings, folder: Path) -> list[Path]:
    path = folder / "data.jsonl"
    path.write_text(json.dumps([*made["first"], *made["second"]]) + "\n", encoding="utf-8")
    return [path]


@pytest.fixture
def suite(tmp_path: Path) -> Suite[Any, Any]:
    steps = tuple(
        AskModels(
            name=name, about="a text", role="writer", verbs=(Generate,), ask=asks(name), read=read
        )
        for name in ("first", "second")
    )
    return replace(
        find_suite("misgendering"),
        construction=Construction(about="", settings=BuildSettings, steps=steps, export=export),
        read=lambda _source, _protocol: Dataset(name="x", files=(), items=[]),
        check=None,
    )


class Listener(Silent):
    """Remembers what people are told."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def show_message(self, sentence: str) -> None:
        self.heard.append(sentence)


def script(asked: Asked) -> HttpReply:
    if asked.prompt == PROBE:
        return error(400, "no tests")  # which costs nothing
    usage = {"prompt_tokens": 2, "completion_tokens": 2}
    return HttpReply({"choices": [{"index": 0, "text": "x"}], "usage": usage})


def asked_of(server: Server) -> int:
    """How many requests it got, probes aside."""
    return sum(asked.prompt != PROBE for asked in server.asked)


def build(
    suite: Suite[Any, Any],
    folder: Path,
    server: Server,
    max_cost: float | None,
    price: str = PRICE,
) -> tuple[list[str], list[str]]:
    """What was told on the way, and the steps."""
    options = ModelOptions(price=price, base_url=server.url, concurrency=1)
    spec = parse_spec("openai:toy", options)
    listener = Listener()
    config = BuildConfig(suite, folder, {}, {"writer": [spec]}, max_cost)
    return listener.heard, list(build_dataset(config, listener))


def test_the_limit_is_for_all_steps_and_sessions(suite: Suite[Any, Any], tmp_path: Path) -> None:
    folder = tmp_path / "built"
    with Server(script) as server:
        # The first step takes 16; of the second only one request fits beside what is spent.
        with pytest.raises(CostLimitError, match=r"\$20\.00 has been spent"):
            build(suite, folder, server, 4 * USED + BOUND)
        assert asked_of(server) == 5
        with pytest.raises(CostLimitError):
            build(suite, folder, server, 4 * USED + BOUND)
        assert asked_of(server) == 5
        heard, steps = build(suite, folder, server, 100)
        assert asked_of(server) == 8, "nothing is asked twice"
    assert heard[0] == "toy will cost at most $30.00."
    assert heard[1] == "toy cost $12.00 (estimate: at most $30.00)."
    assert steps[0].endswith("4 rows, done before.")


def test_the_cost_is_announced_before_the_first_call(
    suite: Suite[Any, Any], tmp_path: Path
) -> None:
    with Server(script) as server:
        heard, _ = build(suite, tmp_path / "built", server, None)
    assert heard[0] == f"toy will cost at most ${4 * BOUND}.00."


def test_a_limit_without_a_price_is_refused_unasked(suite: Suite[Any, Any], tmp_path: Path) -> None:
    with Server(script) as server:
        with pytest.raises(InputError, match="--max-cost needs the price of toy"):
            build(suite, tmp_path / "built", server, 1.0, price="")
        assert not server.asked
