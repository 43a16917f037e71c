"""What is left to do: requests, tokens, images, cost, and time as measured in earlier runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias

from epicene.core.errors import EpiceneError
from epicene.core.records import (
    Draw,
    Failed,
    Fill,
    Generate,
    Look,
    Prompt,
    Request,
    Score,
    Translate,
    digest,
    prompt_texts,
    verb,
)
from epicene.models.pricing import as_paid
from epicene.runs.dummy_answers import BYTES_PER_TOKEN, dummy_answer
from epicene.runs.manifest import fixed_models, read_manifest
from epicene.runs.plan import WINDOW_SIZE, select_items
from epicene.runs.request_ids import make_request_id
from epicene.suites import AnsweredRequest, Answers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.core.records import Answer, Identity, Item
    from epicene.models import Model
    from epicene.runs.config import RunConfig
    from epicene.runs.manifest import Manifest, RunSettings, Timing
    from epicene.runs.store import AnswerStore, Section
    from epicene.suites import Dataset, Stage

StageVerb: TypeAlias = tuple[str, str]  # a stage and a verb


@dataclass
class Workload:
    """The requests that are left to send, and how many are answered.

    `later` of them depend on answers that do not exist yet, and are an approximate maximum. `cost`
    is the expected maximum cost of all of them, None if a price is unknown.
    """

    answered: int = 0
    requests: Counter[str] = field(default_factory=Counter)  # by verb
    parts: Counter[StageVerb] = field(default_factory=Counter)  # the same by stage and verb
    later: int = 0
    bytes_read: int = 0
    tokens_written: int = 0
    images: int = 0
    cost: float | None = 0.0
    partial: bool = False  # not all items were counted: there is more than this
    # Requests of sections that are not in the store and hang on no answers, by stage and model.
    new: Counter[tuple[str, bytes]] = field(default_factory=Counter)

    @property
    def left(self) -> int:
        """The number of requests to send."""
        return self.requests.total()

    @property
    def tokens_read(self) -> int:
        """The approximate number of tokens of the requests, because models differ in what a
        token is.
        """
        return -(-self.bytes_read // BYTES_PER_TOKEN)

    def __add__(self, other: Workload) -> Workload:
        """The sum of both."""
        known = self.cost is not None and other.cost is not None
        return Workload(
            answered=self.answered + other.answered,
            requests=self.requests + other.requests,
            parts=self.parts + other.parts,
            later=self.later + other.later,
            bytes_read=self.bytes_read + other.bytes_read,
            tokens_written=self.tokens_written + other.tokens_written,
            images=self.images + other.images,
            cost=(self.cost or 0.0) + (other.cost or 0.0) if known else None,
            partial=self.partial or other.partial,
            new=self.new + other.new,
        )

    def add(
        self,
        request: Request,
        cost_of: Callable[[Request], float | None] | None,
        *,
        stage: str,
        later: bool,
    ) -> None:
        """Add one request of a stage."""
        self.requests[verb(request)] += 1
        self.parts[stage, verb(request)] += 1
        self.later += later
        self.bytes_read += _bytes_read(request)
        self.tokens_written += _tokens_written(request)
        self.images += request.shots if isinstance(request, Draw) else 0
        if cost_of is not None:
            each = cost_of(request)
            self.cost = None if self.cost is None or each is None else self.cost + each


def _bytes_read(request: Request) -> int:
    match request:
        case Score():
            return len(request.texts) * _length(request.context) + sum(map(_length, request.texts))
        case Fill():
            around = _length(request.before) + _length(request.after)
            return around * max(1, len(request.choices)) + sum(map(_length, request.choices))
        case Generate():
            return _length(request.prompt) * request.samples
        case Translate():
            return _length(request.text)
        case Draw():
            return _length(request.prompt) * request.shots
        case Look():
            return _length(request.question) + sum(map(_length, request.choices))


def _tokens_written(request: Request) -> int:
    """The maximum number of tokens that texts may have."""
    match request:
        case Generate():
            return request.samples * request.decoding.max_new_tokens
        case Translate():
            return request.decoding.max_new_tokens
        case _:
            return 0


def _length(prompt: Prompt) -> int:
    return sum(len(text.encode()) for text in prompt_texts(prompt))


def count_workload(
    config: RunConfig,
    dataset: Dataset,
    models: Mapping[str, Sequence[Model]],
    store: AnswerStore | None,
    seconds: float | None = None,
) -> Workload:
    """The workload of a run, minus what its store already has, if there is one.

    If counting takes longer than `seconds`, the remaining items are left out.
    """
    counting = _WorkloadCounter(config, models, store)
    since = monotonic()
    for first, items in _windows(select_items(config, dataset)):
        if first and seconds is not None and monotonic() - since > seconds:
            counting.workload.partial = True
            break
        counting.window(first, items)
    return counting.workload


def _windows(items: Iterable[Item]) -> Iterator[tuple[int, list[Item]]]:
    stream, first = iter(items), 0
    while window := list(islice(stream, WINDOW_SIZE)):
        yield first, window
        first += len(window)


class _WorkloadCounter:
    def __init__(
        self, config: RunConfig, models: Mapping[str, Sequence[Model]], store: AnswerStore | None
    ) -> None:
        self.workload = Workload()
        self._suite, self._protocol = config.suite, config.protocol
        self._models, self._store = models, store
        self._needed = {
            stage.name: self._suite.dependencies_of(stage) for stage in self._suite.stages
        }
        self._sections = {
            (section.stage, section.role, section.identity.digest): section
            for section in (store.sections() if store else ())
        }

    def window(self, first: int, items: Sequence[Item]) -> None:
        """Count what all stages ask about some items, numbered from `first`."""
        given: dict[int, list[AnsweredRequest]] = defaultdict(list)
        for stage in self._suite.stages:
            needed = self._needed[stage.name]
            asked = [
                list(
                    stage.ask(
                        item,
                        Answers(each for each in given[n] if each.stage in needed),
                        self._protocol,
                    )
                )
                for n, item in enumerate(items)
            ]
            for model in self._models[stage.role]:
                self._section(stage, model, first, asked, given)

    def _section(
        self,
        stage: Stage[Any, Any],
        model: Model,
        first: int,
        asked: Sequence[Sequence[Request]],
        given: Mapping[int, list[AnsweredRequest]],
    ) -> None:
        """Count one model's part in a stage, and pass its answers to the stages that need them."""
        section = self._sections.get((stage.name, stage.role, model.identity.digest))
        is_needed = any(stage.name in needed for needed in self._needed.values())
        stored = self._stored(section, first, first + len(asked), read=is_needed)
        charging = as_paid(model)
        if section is None and not self._needed[stage.name]:
            self.workload.new[stage.name, model.identity.digest] += sum(map(len, asked))
        for n, requests in enumerate(asked):
            for index, request in enumerate(requests):
                request_id = make_request_id(section.id, first + n, index) if section else -1
                answer = stored.get(request_id)
                if request_id in stored:
                    self.workload.answered += 1
                else:
                    cost_of = charging.cost_of if charging else None
                    later = bool(self._needed[stage.name])
                    self.workload.add(request, cost_of, stage=stage.name, later=later)
                if is_needed:
                    given[n].append(
                        AnsweredRequest(
                            stage.name,
                            stage.role,
                            model.identity.label,
                            request.name,
                            answer or dummy_answer(request),
                        )
                    )

    def _stored(
        self, section: Section | None, first: int, end: int, *, read: bool
    ) -> dict[int, Answer | None]:
        """The answered requests, by id; the answers themselves only if they will be read."""
        if self._store is None or section is None:
            return {}
        if not read:
            known = self._store.known(section, first, end)
            return {request_id: None for request_id in known.keys if known.answered(request_id)}
        return {
            request_id: answer
            for request_id, _, answer in self._store.answers(section, first, end)
            if not isinstance(answer, Failed)
        }


# The least number of measured seconds, without the start, from which a time is extrapolated.
_MIN_SECONDS = 2.0
# If fewer of the answers came after the first commit, the time of the start counts too.
_MIN_LATER_SHARE = 0.25
# The least share of an estimate that must come from times without the start.
_MIN_STEADY_SHARE = 0.5


@dataclass
class _VerbTimes:
    """The time that one verb of one stage took in earlier runs, in seconds."""

    answered: int = 0
    seen: float = 0.0  # planning, and after the first commit
    steady: float = 0.0  # estimate for all answers at that rate
    doubtful: float = 0.0  # measurements with too few answers after the first commit

    def add(self, timing: Timing) -> None:
        """Add a measurement."""
        later = timing.answered - timing.first
        self.answered += timing.answered
        if later < _MIN_LATER_SHARE * timing.answered:
            self.doubtful += timing.planning + timing.starting + timing.going_on
        else:
            self.seen += timing.planning + timing.going_on
            self.steady += timing.planning + timing.going_on * timing.answered / later


class MeasuredTimes:
    """Seconds per request, by suite, protocol, settings, models, stage and verb."""

    def __init__(self, runs: Path) -> None:
        """Read the manifests of all runs in a folder."""
        self._measured: dict[bytes, dict[StageVerb, _VerbTimes]] = {}
        for path in sorted(runs.glob("*/manifest.json")):
            try:
                manifest = read_manifest(path.parent)
            except EpiceneError:  # of another version, or damaged; reported when the run is used
                continue
            self._learn(manifest)

    def seconds(
        self,
        settings: RunSettings,
        models: dict[str, tuple[Identity, ...]],
        requests: Mapping[StageVerb, int],
    ) -> float | None:
        """The estimated seconds for these requests once the models are loaded.

        None if nothing was measured, or too little.
        """
        if not requests:
            return 0.0
        known = self._measured.get(_comparable_runs_key(settings, models), {})
        if (
            sum(each.seen for each in known.values()) < _MIN_SECONDS
            or requests.keys() - known.keys()
        ):
            return None
        whole = sure = 0.0
        for part, count in requests.items():
            measured = known[part]
            each = count / measured.answered
            sure += each * measured.steady
            whole += each * (measured.steady + measured.doubtful)
        return whole if sure >= _MIN_STEADY_SHARE * whole else None

    def _learn(self, manifest: Manifest) -> None:
        parts = self._measured.setdefault(
            _comparable_runs_key(manifest.settings, manifest.models), defaultdict(_VerbTimes)
        )
        for session in manifest.sessions:
            for timing in session.timings:
                parts[timing.stage, timing.verb].add(timing)


def _comparable_runs_key(settings: RunSettings, models: dict[str, tuple[Identity, ...]]) -> bytes:
    return digest(settings.suite, settings.protocol, fixed_models(models, set()))
