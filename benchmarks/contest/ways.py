"""The contenders: Epicene as a run uses it, the plain ways to do it, and the peers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from epicene.models import ModelOptions, open_model, parse_spec
from epicene.models.hf.chat import Chat
from epicene.records import Score, Scores
from epicene.runs.execute import cut
from epicene.runs.plan import WINDOW, Planned

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contest.texts import Kind, Pair
    from epicene.models import Batch, Files

RUNNER = Path(__file__).resolve().parents[1] / "peers" / "runner.py"


class Took(NamedTuple):
    """Seconds for all texts, tokenising included, and the sum of log-probabilities of each."""

    seconds: float
    scores: list[float]


class Contender(Protocol):
    """Somebody who scores; `batch` texts at a time, if that means anything to them."""

    name: str

    def score(self, requests: Sequence[Score], batch: int) -> Took:
        """Score every text."""

    def close(self) -> None:
        """Let go of memory."""


class Place(NamedTuple):
    """Where a model lies and runs."""

    folder: Path
    kind: Kind
    device: str
    dtype: str


class Epicene:
    """The program itself, from requests to answers, in the batches of a run."""

    name = "epicene"

    def __init__(self, place: Place) -> None:
        options = ModelOptions(device=place.device, dtype=cast("Any", place.dtype))
        self._model = open_model(parse_spec(f"hf:{place.folder}", options))

    def score(self, requests: Sequence[Score], batch: int) -> Took:  # noqa: ARG002 - its own
        """Plan, cut and answer."""
        started = time.perf_counter()
        found: dict[int, Scores] = {}
        nothing = cast("Files", None)
        for answered in self._model.answer(self._batches(requests), nothing):
            for number, answer in answered:
                assert isinstance(answer, Scores), answer
                found[number] = answer
        seconds = time.perf_counter() - started
        texts = [text for number in range(len(requests)) for text in found[number].texts]
        return Took(seconds, [text.sum for text in texts])

    def notes(self) -> dict[str, object]:
        """How it was done."""
        return dict(self._model.notes())

    def close(self) -> None:
        """Let go of the model."""
        self._model.close()

    def _batches(self, requests: Sequence[Score]) -> Iterator[Batch]:
        planned = [Planned(number, b"", request) for number, request in enumerate(requests)]
        for start in range(0, len(planned), WINDOW):
            for batch in cut(planned[start : start + WINDOW], self._model.batch_limit):
                yield [(each.place, each.request) for each in batch]


class Peer:
    """Another program in a process of its own, which takes its own time."""

    def __init__(
        self, name: str, place: Place, tokenizer: Any, python: str, packages: Path | None
    ) -> None:
        self.name = name
        self._chat = Chat(tokenizer)
        command = [python, str(RUNNER), name, place.kind, str(place.folder)]
        command += [place.device, place.dtype, *([str(packages)] if packages else [])]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"},
        )

    def score(self, requests: Sequence[Score], batch: int) -> Took:
        """Have it score every text; that a chat's text is made for it is to its advantage."""
        self.wait()
        task = {"pairs": pairs(requests, self._chat), "batch": batch}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(task) + "\n")
        self._process.stdin.flush()
        return Took(**self._answer())

    def wait(self) -> None:
        """Until it is loaded."""
        if not self._ready:
            assert self._answer() == "ready"
            self._ready = True

    _ready = False

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"{self.name} ended; what it said last stands above.")
        return json.loads(line)


def pairs(requests: Sequence[Score], chat: Chat) -> list[Pair]:
    """Every text with its context as the model reads it."""
    return [
        (context, text)
        for request in requests
        for context in [chat.render(request.context).text]
        for text in request.texts
    ]
