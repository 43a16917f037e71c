"""Match the samples of other tools' logs with the requests of a suite's items.

Samples of tasks that Epicene exported are matched by item and content, all others by the texts
given to the model alone.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from epicene.core.data_files import sha256_of
from epicene.core.errors import InputError
from epicene.core.records import Failed, Generate, Identity, Score, Scores, Texts, TextScore
from epicene.languages.tokenisation import count_words
from epicene.models import UnanswerableError
from epicene.models.simple_model import SimpleModel
from epicene.results.external_answers import LoggedAnswers, first_requests
from epicene.suites import AnsweredRequest, Answers
from epicene.suites.answers import WHOLE_TEXTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.core.records import Answer, Prompt, Request, Text
    from epicene.suites import Dataset, Protocol, Stage, Suite

Key: TypeAlias = tuple[object, ...]
_EXCERPT = 60  # characters of a sample in an error
_ROUNDING = 1e-4  # of a log-probability above 0


@dataclass(slots=True, eq=False)
class LoggedSample:
    """A model's input and answer: `logprobs` of `texts`, or `written` texts. Only tasks that
    Epicene exported name the `item` and the `request`.
    """

    location: str
    model: str
    prompt: Prompt
    item: str = ""
    request: str = ""
    texts: tuple[str, ...] = ()
    logprobs: tuple[float, ...] = ()
    written: tuple[Text, ...] = ()
    why_missing: str = ""  # why there is no answer
    used: bool = False

    @property
    def excerpt(self) -> str:
        """The beginning of what the model was given."""
        prompt = self.prompt if isinstance(self.prompt, str) else self.prompt[-1].content
        shown = " ".join((self.texts or (prompt,))[0].split())
        return shown if len(shown) <= _EXCERPT else f"{shown[: _EXCERPT - 1]}…"


def _content(prompt: Prompt, texts: Iterable[str]) -> Key:
    """What a model is given, by which samples and requests are matched."""
    turns = [("", prompt)] if isinstance(prompt, str) else [(t.role, t.content) for t in prompt]
    given = [(role, content.strip()) for role, content in turns]
    return (*given, *sorted(text.strip() for text in texts))


class _Samples:
    """The samples of logs, which are handed out to the requests that they answer."""

    def __init__(self, samples: Iterable[LoggedSample]) -> None:
        self.samples: list[LoggedSample] = []
        self.no_choice = 0  # samples whose texts are all the same
        self._waiting: dict[Key, list[LoggedSample]] = defaultdict(list)
        for sample in samples:
            if len(sample.texts) > 1 and len({text.strip() for text in sample.texts}) == 1:
                self.no_choice += 1
                continue
            self.samples.append(sample)
            key = _content(sample.prompt, sample.texts)
            self._waiting[sample.model, sample.item, *key].append(sample)

    def find(self, model: str, item: str, request: Score | Generate) -> LoggedSample | None:
        """The sample that answers a request. Requests with the same content (a pair that occurs
        twice, two ways of masking) take the samples in turn, and the last one again.
        """
        if isinstance(request, Score):
            key = _content(request.context, request.texts)
        else:
            key = _content(request.prompt, ())
        same = self._waiting.get((model, item, *key)) or self._waiting.get((model, "", *key), [])
        fitting = [sample for sample in same if sample.request in ("", request.name)]
        if not fitting and isinstance(request, Score):
            fitting = same  # the same choice under another name
        if not fitting:
            return None
        sample = fitting[0]
        sample.used = True
        if len(fitting) > 1:
            same.remove(sample)
        return sample

    def refuse_unmatched(self, data: str) -> None:
        """Raise if a sample answers no request: no sample is skipped silently."""
        lost = [sample for sample in self.samples if not sample.used]
        if lost:
            raise InputError(
                f"{lost[0].location} is one of {len(lost)} samples (of {len(self.samples)}) that "
                f"match no request of the data {data} under these settings, or occur twice: "
                f"{lost[0].excerpt!r}; check the suite, --data, --protocol and --set, and use the "
                "logs of one evaluation."
            )


_Match: TypeAlias = "tuple[Stage[Any, Any], Score | Generate, LoggedSample | None]"


def answers_from_logs(
    suite: Suite[Any, Any],
    samples: Iterable[LoggedSample],
    dataset: Dataset,
    protocol: Protocol,
) -> LoggedAnswers:
    """The answers in logs to the suite's requests; raises if a sample matches no request.

    A request that a log lacks, but has for other items, counts as unanswered; formats that it does
    not have at all are left out.
    """
    logged = _Samples(samples)
    models = list(dict.fromkeys(sample.model for sample in logged.samples))
    matches: list[tuple[Any, str, list[_Match]]] = []
    formats: dict[str, set[str]] = defaultdict(set)
    for item in dataset.items:
        asked = first_requests(suite, item, protocol)
        for model in models:
            found = [
                (stage, request, logged.find(model, item.id, request))
                for stage, request in asked
                if isinstance(request, Score | Generate)
            ]
            formats[model] |= {_format(request) for _, request, sample in found if sample}
            if any(sample for _, _, sample in found):
                matches.append((item, model, found))
    logged.refuse_unmatched(dataset.name)
    answered = [
        (
            item,
            Answers(
                AnsweredRequest(
                    stage.name, stage.role, model, request.name, _answer(sample, request, protocol)
                )
                for stage, request, sample in found
                if _format(request) in formats[model]
            ),
        )
        for item, model, found in matches
    ]
    return LoggedAnswers(
        [each for each in answered if not all(isinstance(a.answer, Failed) for a in each[1])],
        tuple(_notes(logged, matches)),
    )


def _format(request: Request) -> str:
    return request.name.partition(" ")[0]


def _answer(sample: LoggedSample | None, request: Score | Generate, protocol: Protocol) -> Answer:
    """The answer to a request that a sample matches."""
    if sample is None or sample.why_missing:
        return Failed(reason=sample.why_missing if sample else "not in the log")
    if isinstance(request, Generate):
        return Texts(texts=sample.written) if sample.written else Failed(reason="no answer")
    if getattr(protocol, "measure", "sum") == "per token":
        raise InputError(
            f"{sample.location} has one log-likelihood per text but not the number of tokens, "
            "which the measure `per token` needs (--set measure=sum)."
        )
    if not request.context and request.first_token != "bos":
        raise InputError(
            f"{sample.location} has texts scored after a beginning-of-sequence token, but the "
            f"protocol {protocol.name} scores them without one (--set first_token=bos)."
        )
    found = dict(zip((text.strip() for text in sample.texts), sample.logprobs, strict=True))
    for logprob in found.values():
        if not math.isfinite(logprob) or logprob > _ROUNDING:
            raise InputError(f"{sample.location} has {logprob} as a log-probability.")
    return Scores(
        texts=tuple(
            TextScore(
                logprobs=(found[text.strip()],),
                starts=(0,),
                ends=(len(text),),
                words=count_words(text, request.language),
                characters=len(text),
            )
            for text in request.texts
        ),
        method=f"lm-eval, {WHOLE_TEXTS}",
    )


def _notes(logged: _Samples, matches: Sequence[tuple[Any, str, Sequence[_Match]]]) -> Iterator[str]:
    if logged.no_choice:
        yield f"{logged.no_choice} samples whose texts are all identical are left out."
    if any(
        sample is not None and isinstance(request, Score) and {*sample.texts} != {*request.texts}
        for _, _, found in matches
        for _, request, sample in found
    ):
        yield (
            "Texts were scored with white space before or after them, which Epicene does not "
            "add, so a run by Epicene can give other results."
        )


def log_model(
    answered: Mapping[str, Sequence[tuple[Any, Answers]]], files: Sequence[Path]
) -> SimpleModel:
    """A model that gives the matched answers of the logs, so that they can be stored as a run; all
    other requests fail.
    """
    if len(answered) != 1:
        raise InputError(
            f"The logs are from {len(answered)} models ({', '.join(answered)}), but a run has "
            "one; pass the logs of each model separately."
        )
    ((label, items),) = answered.items()
    known = {(item.id, each.name): each.answer for item, given in items for each in given}

    def answer(request: Request) -> Answer:
        found = known.get((request.item, request.name), Failed(reason="not in the log"))
        if isinstance(found, Failed):
            raise UnanswerableError(found.reason)
        return found

    key = {file.name: sha256_of(file) for file in files}
    identity = Identity(kind="log", label=label, key=key, about={"name": label})
    return SimpleModel(identity, dict.fromkeys(("score", "generate"), answer))
