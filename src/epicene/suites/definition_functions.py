"""The functions of a suite defined in one file: their arguments and what they return.

An error in one of them is reported in one sentence that names the item and the line; earlier
answers are kept.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from epicene.core.errors import EpiceneError, InputError
from epicene.core.records import (
    REQUESTS,
    Answer,
    Choice,
    Completions,
    Draw,
    Failed,
    Fill,
    Generate,
    Images,
    Item,
    Judgement,
    Look,
    Request,
    Score,
    Scores,
    Texts,
    Translate,
    prompt_texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import polars

    from epicene.suites import Protocol

# The facet of judgements that `judge` returns by name, in a dict.
MEASURE = "measure"
_SETTINGS = "settings"


class MissingAnswersError(InputError, ValueError):
    """Not all requests of an item have an answer; a `ValueError`, as `Answers.only` raises it."""


class UserFunction:
    """A user's function, with the file it is in."""

    def __init__(self, function: Callable[..., Any], file: Path | None) -> None:
        self.function = function
        self._file = file
        self.name = getattr(function, "__name__", "function")
        self._takes_settings = _SETTINGS in inspect.signature(function).parameters

    def check_parameters(self, *names: str) -> None:
        """Raise if the function cannot be called with these arguments, besides `settings`."""
        try:
            inspect.signature(self.function).bind(
                *names, **({_SETTINGS: None} if self._takes_settings else {})
            )
        except TypeError as error:
            raise InputError(
                f"The function {self.place} must take {', '.join(names)}, and may take settings "
                f"({error})."
            ) from None

    @property
    def place(self) -> str:
        """Its name, with that of its file."""
        return f"{self.name} of {self._file.name}" if self._file else self.name

    def __call__(self, item: Item, *answers: Any, settings: Protocol) -> Any:
        """Call the function for an item."""
        more = {_SETTINGS: settings} if self._takes_settings else {}
        try:
            result = self.function(item, *answers, **more)
            return list(result) if isinstance(result, Iterator) else result
        except EpiceneError:
            raise
        except Exception as error:
            raise self._error(f" for the item {item.id!r}", error) from error

    def about_all(self, *frame: polars.DataFrame) -> Any:
        """Call the function with a frame of judgements, or without arguments."""
        try:
            return self.function(*frame)
        except EpiceneError:
            raise
        except Exception as error:
            raise self._error("", error) from error

    def _error(self, about: str, error: Exception) -> InputError:
        message = f"{type(error).__name__}: {error}".rstrip(": ")
        return InputError(
            f"The function {self.place} failed{about} ({self._line(error)}{message}); the "
            "answers so far are kept."
        )

    def _line(self, error: Exception) -> str:
        """The last line of the user's file in the traceback."""
        code = getattr(inspect.unwrap(self.function), "__code__", None)
        line, trace = "", error.__traceback__
        while trace is not None:
            if code is not None and trace.tb_frame.f_code.co_filename == code.co_filename:
                line = f"line {trace.tb_lineno}, "
            trace = trace.tb_next
        return line


# --- ask -----------------------------------------------------------------------------------


def requests_of(
    function: UserFunction, result: Any, item: Item
) -> tuple[tuple[Request, ...], bool]:
    """The requests that a function returned, filled in; and whether it returned just one."""
    single = isinstance(result, REQUESTS)
    several = [result] if single else result
    if not isinstance(several, Iterable) or isinstance(several, str | Mapping):
        raise _wrong_request(function, result, item)
    named = []
    for number, request in enumerate(several, start=1):
        if not isinstance(request, REQUESTS):
            raise _wrong_request(function, request, item)
        named.append(
            msgspec.structs.replace(
                request,
                item=item.id,
                name=request.name or ("" if single else str(number)),
                group=request.group or item.cluster,
                language=request.language or item.language,
                **_completed(request),
            )
        )
    names = [request.name for request in named]
    if len(set(names)) < len(names):
        name = next(name for name in names if names.count(name) > 1)
        raise InputError(
            f"The function {function.place} gives two requests of the item {item.id!r} the "
            f"same name {name!r}."
        )
    return tuple(named), single


# The fields that may hold a list, by kind of request.
_SEQUENCES = {
    kind: tuple(field.name for field in msgspec.structs.fields(kind) if "tuple" in str(field.type))
    for kind in REQUESTS
}


def _completed(request: Request) -> dict[str, Any]:
    """Lists as tuples; and the prompt as the source, for reference models, if there is no other."""
    changed: dict[str, Any] = {
        name: tuple(value)
        for name in _SEQUENCES[type(request)]
        if isinstance(value := getattr(request, name), list)
    }
    if isinstance(request, Generate) and not request.source and not request.choices:
        changed["source"] = asked_text(request)
    return changed


def _wrong_request(function: UserFunction, result: object, item: Item) -> InputError:
    verbs = ", ".join(kind.__name__ for kind in REQUESTS)
    return InputError(
        f"The function {function.place} returned a {type(result).__name__} for the item "
        f"{item.id!r}; it must return one or more requests ({verbs})."
    )


# --- judge ---------------------------------------------------------------------------------


class Sample(NamedTuple):
    """Which element of a list of judgements one is."""

    number: int
    of: int


class Answered:
    """What one stage asked about an item, and what was answered."""

    def __init__(
        self, stage: str, requests: Sequence[Request], answers: Sequence[Answer], *, single: bool
    ) -> None:
        self.stage = stage
        self.requests = requests
        self.answers = answers
        self.given = answers[0] if single else list(answers)

    def about(self, name: str) -> Answered:
        """The part for the request of that name; everything, if there is none."""
        for request, answer in zip(self.requests, self.answers, strict=True):
            if name and request.name == name:
                return Answered(self.stage, [request], [answer], single=True)
        return self

    def evidence(self, sample: Sample | None, *, first: bool) -> Iterator[tuple[str, str]]:
        """What a person reads next to a judgement; if there are several samples, the one it is
        about."""
        for request, answer in zip(self.requests, self.answers, strict=True):
            which = f" {request.name}" if len(self.requests) > 1 else ""
            if first:
                yield f"asked{which}", asked_text(request)
            text = answer_text(request, answer, sample)
            yield f"{'answer' if first else self.stage}{which}", text


def asked_text(request: Request) -> str:
    """A request as people read it."""
    match request:
        case Score():
            return "\n".join(
                (*(text for text in prompt_texts(request.context) if text), *request.texts)
            )
        case Fill():
            return f"{request.before}___{request.after}"
        case Generate():
            return "\n".join(prompt_texts(request.prompt))
        case Translate():
            return request.text
        case Draw():
            return request.prompt
        case Look():
            return request.question


def answer_text(request: Request, answer: Answer, sample: Sample | None = None) -> str:
    """An answer as people read it."""
    match answer:
        case Texts() if sample is not None and sample.of == len(answer.texts):
            return answer.texts[sample.number].text
        case Texts():
            return "\n".join(text.text for text in answer.texts)
        case Scores() if isinstance(request, Score):
            best = answer.best
            return "" if best is None else request.texts[best]
        case Completions():
            return answer.completions[0].text if answer.completions else ""
        case Images():
            return ", ".join(image.sha256 or image.refused for image in answer.images)
        case Choice():
            return answer.choice or answer.text
        case _:
            return answer.reason if isinstance(answer, Failed) else ""


def judgements_of(
    function: UserFunction,
    result: Any,
    item: Item,
    stages: Sequence[Answered],
    facets: Mapping[str, str],
) -> Iterator[Judgement]:
    """What `judge` returned, as judgements: by name from a dict, numbered from a list."""
    for name, measure, sample, each in _named(result):
        judged = _judgement(each)
        if judged is None:
            raise InputError(
                f"The function {function.place} returned a {type(each).__name__} for the item "
                f"{item.id!r}; it must return true or false, None (undetected), a number, a label, "
                "a Judgement, or a dict or list of these."
            )
        evidence = {
            key: text
            for number, stage in enumerate(stages)
            for key, text in stage.about(measure).evidence(sample, first=number == 0)
        }
        own = {MEASURE: measure} if measure else {}
        yield msgspec.structs.replace(
            judged,
            item=item.id,
            group=judged.group or item.cluster,
            language=judged.language or item.language,
            name=judged.name or name,
            facets={**facets, **own, **judged.facets},
            evidence={**evidence, **judged.evidence},
        )


def _is_list(result: object) -> bool:
    return isinstance(result, Iterable) and not isinstance(result, str | Mapping | msgspec.Struct)


def _named(result: Any) -> Iterator[tuple[str, str, Sample | None, Any]]:
    """Each value with its name, its measure and its index in a list."""
    if isinstance(result, Mapping):
        for key, value in result.items():
            for name, _, sample, each in _named(value):
                yield f"{key} {name}".strip(), str(key), sample, each
    elif _is_list(result):
        values = list(result)
        for number, each in enumerate(values):
            yield str(number + 1), "", Sample(number, len(values)), each
    else:
        yield "", "", None, result


def _judgement(value: Any) -> Judgement | None:
    """The judgement that one value gives; None if it gives none."""
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        value = value.item()
    match value:
        case Judgement():
            return value
        case None:
            return Judgement(outcome="undetected")
        case bool():
            return Judgement(outcome="right" if value else "wrong")
        case int() | float():
            return Judgement(value=value)
        case str():
            return Judgement(label=value)
        case _:
            return None
