"""The contenders: Epicene as a run uses it, and its peers. Plain baselines are in `plain`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from epicene.core.records import Score, Scores
from epicene.models import ModelOptions, open_model, parse_spec
from epicene.models.hf.tokenisation import ChatTemplate
from epicene.runs.execute import make_batches
from epicene.runs.plan import WINDOW_SIZE, PlannedRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from epicene.models import Batch, ImageStore
    from scoring_speed.texts import Kind, Pair

RUNNER = Path(__file__).resolve().parents[1] / "peers" / "runner.py"
# Which peers know which kind of model.
PEERS: dict[Kind, tuple[str, ...]] = {"causal": ("minicons", "lm-eval"), "masked": ("minicons",)}


class Timing(NamedTuple):
    """Time for all texts, tokenising included, and the sum of log-probabilities of each."""

    seconds: float
    processor: float  # seconds of all cores together
    scores: list[float]


class Contender(Protocol):
    """An implementation that scores texts, in batches of the given size if it has any."""

    name: str

    def score(self, requests: Sequence[Score], batch: int) -> Timing:
        """Score every text."""

    def close(self) -> None:
        """Free memory."""


class ModelSetup(NamedTuple):
    """A model's folder and kind, its device and dtype."""

    folder: Path
    kind: Kind
    device: str
    dtype: str


def timed(work: Callable[[], list[float]]) -> Timing:
    """Run and time it."""
    started, worked = time.perf_counter(), time.process_time()
    scores = work()
    return Timing(time.perf_counter() - started, time.process_time() - worked, scores)


class Epicene:
    """The program itself, from requests to answers, in the batches of a run."""

    name = "epicene"

    def __init__(self, setup: ModelSetup) -> None:
        options = ModelOptions(device=setup.device, dtype=cast("Any", setup.dtype))
        self._model = open_model(parse_spec(f"hf:{setup.folder}", options))

    def score(self, requests: Sequence[Score], batch: int) -> Timing:  # noqa: ARG002 - its own
        """Plan, cut and answer."""
        return timed(lambda: list(self._sums(requests)))

    def notes(self) -> dict[str, object]:
        """How it was done."""
        return dict(self._model.notes())

    def close(self) -> None:
        """Free the model."""
        self._model.close()

    def _sums(self, requests: Sequence[Score]) -> Iterator[float]:
        found: dict[int, Scores] = {}
        no_files = cast("ImageStore", None)
        for answered in self._model.answer(self._batches(requests), no_files):
            for number, answer in answered:
                assert isinstance(answer, Scores), answer
                found[number] = answer
        for number in range(len(requests)):
            yield from (text.sum for text in found[number].texts)

    def _batches(self, requests: Sequence[Score]) -> Iterator[Batch]:
        planned = [PlannedRequest(number, b"", request) for number, request in enumerate(requests)]
        for start in range(0, len(planned), WINDOW_SIZE):
            for batch in make_batches(
                planned[start : start + WINDOW_SIZE], self._model.batch_limit
            ):
                yield [(each.number, each.request) for each in batch]


class Peer:
    """Another program in a process of its own, which takes its own time."""

    def __init__(self, name: str, setup: ModelSetup, tokenizer: Any, python: str) -> None:
        self.name = name
        self._chat = ChatTemplate(tokenizer)
        self.version = ""
        self._process = subprocess.Popen(
            [python, RUNNER, name, setup.kind, setup.folder, setup.device, setup.dtype],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "HF_HUB_OFFLINE": "1"},
        )

    def score(self, requests: Sequence[Score], batch: int) -> Timing:
        """Have it score every text; that chats are rendered for it is to its advantage."""
        self.wait()
        assert self._process.stdin is not None
        task = {"pairs": pairs(requests, self._chat), "batch": batch}
        self._process.stdin.write(json.dumps(task) + "\n")
        self._process.stdin.flush()
        return Timing(**self._answer())

    def wait(self) -> None:
        """Until it is loaded."""
        if not self.version:
            self.version = self._answer()["loaded"]

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"{self.name} ended early; its last words are above.")
        return json.loads(line)


def pairs(requests: Sequence[Score], chat: ChatTemplate) -> list[Pair]:
    """Every text with its context as the model reads it."""
    return [
        (context, text)
        for request in requests
        for context in [chat.render(request.context).text]
        for text in request.texts
    ]
