"""Match the samples of logs with the requests of a suite's items."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.core.errors import InputError
from epicene.core.records import Failed, Generate, Score
from epicene.runs.logs import read_logs
from epicene.runs.logs.samples import LoggedAnswers, LoggedSample
from epicene.suites import AnsweredRequest, Answers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from epicene.core.records import Answer, Request
    from epicene.suites import Dataset, Protocol, Stage, Suite


class LogAnswers(NamedTuple):
    """Items with the answers of each model, and sentences on what differs from a run."""

    answered: list[tuple[Any, Answers]]
    notes: tuple[str, ...]


class _Match(NamedTuple):
    stage: Stage[Any, Any]
    request: Request
    sample: LoggedSample | None


def first_requests(
    suite: Suite[Any, Any], item: Any, protocol: Protocol
) -> list[tuple[Stage[Any, Any], Request]]:
    """The requests of an item in the stages that do not need another stage; those of the
    protocol come first.
    """
    stages = [stage for stage in suite.stages if not stage.needs]
    stages.sort(key=lambda stage: not stage.when(protocol))
    return [
        (stage, request) for stage in stages for request in stage.ask(item, Answers(), protocol)
    ]


def answers_from_logs(
    suite: Suite[Any, Any], files: list[Path], dataset: Dataset, protocol: Protocol
) -> LogAnswers:
    """The answers in logs to the suite's requests; raises if a sample matches no request.

    A request that a log lacks, but has for other items, counts as unanswered; formats that it does
    not have at all are left out.
    """
    logged = LoggedAnswers(read_logs(files))
    matches: list[tuple[Any, str, list[_Match]]] = []
    formats: dict[str, set[str]] = defaultdict(set)
    for item in dataset.items:
        asked = first_requests(suite, item, protocol)
        for model in logged.models:
            found = [
                _Match(stage, request, logged.find(model, request))
                for stage, request in asked
                if isinstance(request, Score | Generate)
            ]
            if any(each.sample for each in found):
                formats[model] |= {_format(each.request) for each in found if each.sample}
                matches.append((item, model, found))
    logged.refuse_unmatched(dataset.name)
    answered = [
        (item, Answers(_answers(suite, protocol, logged, item, model, found, formats[model])))
        for item, model, found in matches
    ]
    answered = [(item, given) for item, given in answered if any(_has_answer(given))]
    return LogAnswers(answered, tuple(_notes(logged, matches)))


def _format(request: Request) -> str:
    return request.name.partition(" ")[0]


def _has_answer(given: Answers) -> Iterator[bool]:
    return (not isinstance(each.answer, Failed) for each in given)


def _answers(
    suite: Suite[Any, Any],
    protocol: Protocol,
    logged: LoggedAnswers,
    item: Any,
    model: str,
    found: Sequence[_Match],
    formats: set[str],
) -> Iterator[AnsweredRequest]:
    for stage, request, sample in found:
        if _format(request) not in formats:
            continue
        answer: Answer | None = None
        if sample is not None:
            _check_comparable(sample, request, protocol)

            def choose(text: str, where: str = sample.location) -> Answer | None:
                return _choice(suite, protocol, item, text, where)

            answer = logged.answer(sample, request, choose)
        why = sample.why_missing if sample is not None else "not in the log"
        yield AnsweredRequest(
            stage.name, stage.role, model, request.name, answer or Failed(reason=why or "no answer")
        )


def _check_comparable(sample: LoggedSample, request: Request, protocol: Protocol) -> None:
    """Raise if a log does not contain what the protocol measures."""
    if not isinstance(request, Score) or sample.is_choice:
        return
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


def _choice(
    suite: Suite[Any, Any], protocol: Protocol, item: Any, text: str, location: str
) -> Answer | None:
    """The answer to a multiple choice, if the suite takes choices."""
    row = suite.read_answer_row
    given = None if row is None else row({"choice": text}, item, protocol)
    if given is None:
        raise InputError(
            f"{location} is a multiple choice, which the suite {suite.name} does not use."
        )
    return given[1]


def _notes(
    logged: LoggedAnswers, matches: Sequence[tuple[Any, str, Sequence[_Match]]]
) -> Iterator[str]:
    if logged.identical:
        yield f"{logged.identical} samples whose texts are all identical are left out."
    if logged.spaced:
        yield (
            "Texts were scored with white space before or after them, which Epicene does not "
            "add, so a run by Epicene can give other results."
        )
    fewer = {
        (len(each.sample.written), each.request.samples)
        for _, _, found in matches
        for each in found
        if each.sample is not None and each.sample.written and isinstance(each.request, Generate)
    }
    for given, wanted in sorted(fewer):
        if given != wanted:
            yield f"Some requests have {given} texts each; the protocol asks for {wanted}."
