"""One sample of a log, and the matching of samples with requests."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from epicene.core.errors import InputError
from epicene.core.records import Generate, Score, Scores, Text, Texts, TextScore
from epicene.languages.tokenisation import count_words
from epicene.suites.answers import WHOLE_TEXTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from epicene.core.records import Answer, Prompt, Request

Key: TypeAlias = tuple[object, ...]
_SHOWN = 5  # samples that an error names
_ROUNDING = 1e-4  # of a log-probability above 0
_EXCERPT = 60  # characters


@dataclass(slots=True)
class LoggedSample:
    """A model's input and answer: `logprobs` of `texts`, `written` texts, or the one of `texts`
    that it chose. Only exported tasks name `item` and `request`.
    """

    location: str
    name: str  # for people: doc_id 7
    tool: str
    model: str
    prompt: Prompt
    item: str = ""
    request: str = ""
    texts: tuple[str, ...] = ()
    logprobs: tuple[float, ...] = ()
    written: list[Text] = field(default_factory=list)
    chosen: str | None = None
    is_choice: bool = False
    why_missing: str = ""  # why there is no answer
    used: bool = False

    @property
    def excerpt(self) -> str:
        """The beginning of the model's input."""
        shown = (self.texts or (_plain(self.prompt),))[0]
        shown = " ".join(shown.split())
        return shown if len(shown) <= _EXCERPT else f"{shown[: _EXCERPT - 1]}…"


def _plain(prompt: Prompt) -> str:
    return prompt if isinstance(prompt, str) else prompt[-1].content if prompt else ""


def _prompt_key(prompt: Prompt) -> Key:
    if isinstance(prompt, str):
        return (prompt.strip(),)
    return tuple((turn.role, turn.content.strip()) for turn in prompt)


def _content_key(prompt: Prompt, texts: Sequence[str]) -> Key:
    return (_prompt_key(prompt), tuple(sorted(text.strip() for text in texts)))


class LoggedAnswers:
    """The samples of one or more logs, which answer the requests that they match."""

    def __init__(self, samples: Iterator[LoggedSample]) -> None:
        self.samples: list[LoggedSample] = []
        self._named: dict[tuple[str, str, str], LoggedSample] = {}
        self._by_content: dict[tuple[str, Key], list[LoggedSample]] = defaultdict(list)
        self._same_item: dict[tuple[str, str, Key], LoggedSample] = {}
        self._taken: dict[tuple[str, Key], int] = defaultdict(int)
        self.identical = 0  # whose texts are all the same, which is no choice
        self.spaced = False  # whether texts were scored with a space before them
        for sample in samples:
            self._add(sample)

    def _add(self, sample: LoggedSample) -> None:
        if len(sample.texts) > 1 and len({text.strip() for text in sample.texts}) == 1:
            self.identical += 1
            return
        self.samples.append(sample)
        if not sample.item:
            key = _content_key(sample.prompt, sample.texts)
            self._by_content[sample.model, key].append(sample)
            return
        other = self._named.setdefault((sample.model, sample.item, sample.request), sample)
        if other is not sample:
            raise InputError(
                f"{sample.location} answers the request {sample.request!r} of the item "
                f"{sample.item!r} a second time, after {other.location.rstrip(',')}; use the logs "
                "of one evaluation."
            )
        key = _content_key(sample.prompt, sample.texts)
        self._same_item.setdefault((sample.model, sample.item, key), sample)

    @property
    def models(self) -> list[str]:
        """The models of the samples, in their order."""
        return list(dict.fromkeys(sample.model for sample in self.samples))

    def find(self, model: str, request: Request) -> LoggedSample | None:
        """The sample of a model that matches a request. Requests with the same content (a pair
        that occurs twice in the data) take the samples with that content in turn; a request that
        an item has twice (two ways of masking) takes the same sample.
        """
        texts = request.texts if isinstance(request, Score) else ()
        prompt = prompt_of(request)
        key = _content_key(prompt, texts)
        sample = self._named.get((model, request.item, request.name))
        if sample is not None:
            _check_same(sample, key, request)
        elif (sample := self._same_item.get((model, request.item, key))) is None:
            same = self._by_content.get((model, key))
            if not same:
                return None
            sample = same[min(self._taken[model, key], len(same) - 1)]
            self._taken[model, key] += 1
        sample.used = True
        return sample

    def refuse_unmatched(self, data: str) -> None:
        """Raise if a sample matches no request, or if more samples than requests have the same
        content.
        """
        lost = [sample for sample in self.samples if not sample.used]
        if not lost:
            return
        shown = "; ".join(f"{each.name}: {each.excerpt!r}" for each in lost[:_SHOWN])
        more = f", and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
        which = "None" if len(lost) == len(self.samples) else f"{len(lost)}"
        verb = "matches" if which == "None" else "match no"
        end = " a request of" if which == "None" else " request of"
        raise InputError(
            f"{which} of the {len(self.samples)} samples in {lost[0].location.split(', ')[0]} "
            f"{verb}{end} the data {data} under these settings, or they occur twice "
            f"({shown}{more}); check the suite, --data and --set."
        )

    def answer(
        self, sample: LoggedSample, request: Request, choose: Callable[[str], Answer | None]
    ) -> Answer | None:
        """The answer to a matching request; None if the sample has none."""
        if sample.why_missing:
            return None
        if sample.is_choice:
            return choose(sample.chosen or "")
        if isinstance(request, Generate):
            return Texts(texts=tuple(sample.written)) if sample.written else None
        assert isinstance(request, Score)
        if not sample.logprobs:
            return None
        given = dict(zip((t.strip() for t in sample.texts), sample.logprobs, strict=True))
        self.spaced |= set(sample.texts) != set(request.texts)
        return Scores(
            texts=tuple(
                TextScore(
                    logprobs=(given[text.strip()],),
                    starts=(0,),
                    ends=(len(text),),
                    words=count_words(text, request.language),
                    characters=len(text),
                )
                for text in request.texts
            ),
            method=f"{sample.tool}, {WHOLE_TEXTS}",
        )


def prompt_of(request: Request) -> Prompt:
    """The model's input before it answers."""
    if isinstance(request, Score):
        return request.context
    return request.prompt if isinstance(request, Generate) else ""


def _check_same(sample: LoggedSample, asked: Key, request: Request) -> None:
    """Raise if an exported document is not what the suite asks now."""
    if _content_key(sample.prompt, sample.texts) != asked:
        raise InputError(
            f"{sample.location} answers the request {request.name!r} of the item "
            f"{request.item!r}, but its text differs from that of these data and settings; use "
            "the data, the protocol and the settings (--set) of the export."
        )


def log_probability(value: Any, location: str) -> float:
    """A log-probability; tools write numbers as text, and NaN too."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{location} has {value!r:.40} as a log-probability.") from None
    if not math.isfinite(number) or number > _ROUNDING:
        raise InputError(f"{location} has {number} as a log-probability.")
    return number
