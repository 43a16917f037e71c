"""Models written in Python: one function per verb, which answers a list of inputs at a time.

The first argument of a function is a list, and it returns a list of the same length:

    score      texts → a log-probability each, or its tokens with theirs
    fill       (text before the gap, text after it) pairs → completions with log-probabilities
    generate   prompts (texts, or lists of messages) → a text each, or a list of `samples` texts
    translate  texts → a text each
    draw       prompts → a Pillow image each, or the bytes of one
    look       Pillow images → one of the choices each, or any other words

All other arguments are passed by name, and only those that the function takes: `SETTINGS`.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import msgspec

from epicene.core.errors import InputError
from epicene.core.records import (
    REQUESTS,
    Draw,
    Failed,
    Fill,
    Generate,
    Identity,
    Look,
    Request,
    Score,
    Translate,
    to_json,
    verb,
)
from epicene.models import (
    BatchLimit,
    ModelOptions,
    UnanswerableError,
    check_not_empty,
    sample_seed,
)
from epicene.models import images as pictures
from epicene.models.function_results import ReturnedError, as_list, read_results

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from epicene.core.records import Answer
    from epicene.models import Batch, ImageStore, NumberedAnswers

    Function: TypeAlias = Callable[..., Any]

VERBS = tuple(verb(each) for each in REQUESTS)
_DECODING = ("temperature", "max_new_tokens", "top_k", "top_p", "stop", "seed", "exact_length")
# What a function is passed by name, if it takes it. `requests` are the records themselves.
SETTINGS: dict[str, tuple[str, ...]] = {
    "score": ("context", "language", "requests"),
    "fill": ("choices", "top", "max_tokens", "language", "requests"),
    "generate": ("samples", *_DECODING, "language", "requests"),
    "translate": ("source", "target", *_DECODING, "requests"),
    "draw": ("shots", "width", "height", "seed", "language", "requests"),
    "look": ("question", "choices", "language", "requests"),
}
_REPEATED = {"generate": "samples", "draw": "shots"}


class FunctionModel:
    """A model made of one Python function per verb."""

    def __init__(
        self,
        functions: Mapping[str, Function],
        *,
        label: str,
        version: str = "",
        options: ModelOptions | None = None,
    ) -> None:
        if not functions:
            raise InputError(f"The model {label} needs a function for a verb: {', '.join(VERBS)}.")
        self._functions = dict(functions)
        self._taken = {name: settings_taken(name, each) for name, each in functions.items()}
        self._calls: Counter[str] = Counter()
        self._batch_size = (options or ModelOptions()).batch_size
        self.identity = Identity(
            kind="python",
            label=label,
            key={
                "label": label,
                "version": version or code_digest([functions[name] for name in sorted(functions)]),
            },
        )
        self.last_error: Exception | None = None  # of a function, for whoever wants the traceback

    @property
    def verbs(self) -> frozenset[str]:
        """The verbs that there are functions for."""
        return frozenset(self._functions)

    @property
    def batch_limit(self) -> BatchLimit:
        """The default limits, or as many requests at a time as the user says."""
        return BatchLimit() if self._batch_size == "auto" else BatchLimit(requests=self._batch_size)

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        """Call the functions; requests that could not be answered together are retried one by
        one.
        """
        for batch in batches:
            groups: dict[bytes, list[tuple[int, Request]]] = {}
            for number, request in batch:
                groups.setdefault(to_json(self._settings(request)), []).append((number, request))
            for group in groups.values():
                answers = self._answers([request for _, request in group], files)
                yield [(number, answer) for (number, _), answer in zip(group, answers, strict=True)]

    def notes(self) -> Mapping[str, object]:
        """How often each function was called, with which settings, and without which."""
        return {
            name: {
                "calls": calls,
                "passed": [each for each in SETTINGS[name] if each in self._taken[name]],
                "not taken": [
                    each
                    for each in SETTINGS[name]
                    if each not in self._taken[name] and each != "requests"
                ],
            }
            for name, calls in sorted(self._calls.items())
        }

    def close(self) -> None:
        """There is nothing to free."""

    def _settings(self, request: Request) -> dict[str, Any]:
        """What requests that are answered in one call have in common."""
        offered = _offered(request)
        taken = self._taken[verb(request)]
        repeated = _REPEATED.get(verb(request))
        return {name: value for name, value in offered.items() if name in taken or name == repeated}

    def _answers(self, requests: Sequence[Request], files: ImageStore) -> list[Answer]:
        try:
            return self._answers_together(requests, files)
        except Exception as error:
            # A user's function may raise anything.
            self.last_error = error
            if len(requests) > 1:
                return [answer for each in requests for answer in self._answers([each], files)]
            (request,) = requests
            return [Failed(reason=_for_item(request, _reason(verb(request), error)))]

    def _answers_together(self, requests: Sequence[Request], files: ImageStore) -> list[Answer]:
        asked = verb(requests[0])
        taken = self._taken[asked]
        inputs: dict[int, list[Any]] = {}
        answers: dict[int, Answer] = {}
        for number, request in enumerate(requests):
            try:
                check_not_empty(request)
                inputs[number] = _inputs(request, taken, files)
            except (UnanswerableError, pictures.ImageError) as error:
                answers[number] = Failed(reason=_for_item(request, str(error)))
        owners = [requests[number] for number, some in inputs.items() for _ in some]
        flat = [each for some in inputs.values() for each in some]
        results = iter(self._results(asked, owners, flat) if flat else ())
        for number, some in inputs.items():
            try:
                mine = list(islice(results, len(some)))
                answers[number] = read_results(requests[number], mine, taken, files)
            except (UnanswerableError, pictures.ImageError) as error:
                answers[number] = Failed(reason=_for_item(requests[number], _reason(asked, error)))
        return [answers[number] for number in range(len(requests))]

    def _results(self, asked: str, requests: Sequence[Request], inputs: list[Any]) -> list[Any]:
        """One result per input; a list of results if several samples are requested."""
        shared = self._settings(requests[0])
        taken = self._taken[asked]
        repeated = _REPEATED.get(asked, "")
        count = shared.get(repeated, 1)
        if "requests" in taken:
            shared["requests"] = list(requests)

        def call(index: int) -> list[Any]:
            arguments = {name: value for name, value in shared.items() if name in taken}
            if "seed" in arguments:
                arguments["seed"] = _seed(asked, shared["seed"], index)
            self._calls[asked] += 1
            # Copies: a function may change its list.
            results = as_list(self._functions[asked](list(inputs), **arguments))
            if len(results) != len(inputs):
                raise ReturnedError(f"{len(results)} results instead of {len(inputs)}")
            return results

        first = call(0)
        if (
            count == 1
            or repeated in taken
            or any(isinstance(result, (list, tuple)) for result in first)
        ):
            return first
        return [list(each) for each in zip(first, *map(call, range(1, count)), strict=True)]


class PythonModel(FunctionModel):
    """A kind of model as a class: define one method per verb that it supports.

    The methods are as in the table above, after `self`. An entry point in the group
    `epicene.models` that names the class makes it a kind of model.

    >>> class Shouting(epicene.PythonModel):
    ...     version = "1"
    ...
    ...     def generate(self, prompts, max_new_tokens):
    ...         return [prompt.upper()[:max_new_tokens] for prompt in prompts]
    >>> epicene.open_model(Shouting()).generate("hello", max_new_tokens=4)["text"].item()
    'HELL'

    `name` is what follows `KIND:` in a spec. Raise `version` when answers change; without one, a
    hash of the code of the class is used.
    """

    version: ClassVar[str] = ""

    def __init__(self, name: str = "", options: ModelOptions | None = None) -> None:
        self.name = name
        self.options = options or ModelOptions()
        kind = type(self).__name__
        label = self.options.label or (f"{kind}-{name}" if name else kind)
        functions = {each: getattr(self, each) for each in VERBS if hasattr(self, each)}
        super().__init__(functions, label=label, options=self.options)
        self.identity = Identity(
            kind=kind,
            label=label,
            key={"name": name, "version": self.version or code_digest(_methods(type(self)))},
        )


def _methods(kind: type) -> list[Function]:
    """The functions of a class and of its bases below `PythonModel`, in a fixed order."""
    classes = kind.__mro__[: kind.__mro__.index(PythonModel)]
    return [
        each
        for part in classes
        for _, each in sorted(vars(part).items())
        if inspect.isroutine(each)
    ]


# --- what a function is given ----------------------------------------------------------------


def settings_taken(asked: str, function: Function) -> frozenset[str]:
    """The settings that a function is passed; raises if it needs something else."""
    if not callable(function):
        raise InputError(f"{asked} must be a function, not {type(function).__name__}.")
    try:
        _, *others = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        if "unpack" in str(error):
            raise InputError(
                f"The function {asked} must take an argument: it is called with a list."
            ) from None
        return frozenset()  # of C: nothing is known of it
    offered = SETTINGS[asked]
    taken = set()
    for parameter in others:
        by_name = parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        if parameter.kind is parameter.VAR_KEYWORD:
            taken |= set(offered) - {"requests"}
        elif by_name and parameter.name in offered:
            taken.add(parameter.name)
        elif (
            parameter.default is parameter.empty and parameter.kind is not parameter.VAR_POSITIONAL
        ):
            raise InputError(
                f"The function {asked} requires the argument {parameter.name!r}, which is not "
                "available; after the list it can take these arguments, by name: "
                f"{', '.join(offered)}."
            )
    return frozenset(taken)


def _offered(request: Request) -> dict[str, Any]:
    """The settings of a request, under the argument names that functions use."""
    offered: dict[str, Any] = {"language": request.language}
    match request:
        case Score():
            offered["context"] = _prompt(request.context)
        case Fill():
            offered |= {
                "choices": list(request.choices),
                "top": request.top,
                "max_tokens": request.max_tokens,
            }
        case Generate():
            offered |= {"samples": request.samples, **_decoding(request)}
        case Translate():
            offered |= {"source": request.language, "target": request.into, **_decoding(request)}
        case Draw():
            offered |= {
                name: getattr(request, name) for name in ("shots", "width", "height", "seed")
            }
        case Look():
            offered |= {"question": request.question, "choices": list(request.choices)}
    return offered


def _decoding(request: Generate | Translate) -> dict[str, Any]:
    values = {name: getattr(request.decoding, name) for name in _DECODING}
    return {**values, "stop": list(request.decoding.stop)}


def _prompt(prompt: Any) -> Any:
    return prompt if isinstance(prompt, str) else msgspec.to_builtins(list(prompt))


def _inputs(request: Request, taken: Collection[str], files: ImageStore) -> list[Any]:
    """The input for a request in the list that is passed to a function."""
    match request:
        case Score():
            if "context" in taken:
                return list(request.texts)
            if not isinstance(request.context, str):
                raise UnanswerableError(
                    "the context is a chat, so the function score needs an argument `context`"
                )
            return [request.context + text for text in request.texts]
        case Fill():
            return [(request.before, request.after)]
        case Generate():
            return [_prompt(request.prompt)]
        case Translate():
            return [request.text]
        case Draw():
            return [request.prompt]
        case Look():
            data, facts = pictures.read_stored_image(files, request.image)
            return [pictures.to_rgb(data, max(facts.width, facts.height))]


def _seed(asked: str, seed: int, index: int) -> int:
    """The seed of one sample, if each sample is a separate call."""
    return sample_seed(seed, index) if index or asked == "draw" else seed


def _reason(asked: str, error: Exception) -> str:
    """Why there is no answer: what the function returned or raised."""
    if isinstance(error, ReturnedError):
        return f"the function {asked} returned {error}"
    if isinstance(error, (UnanswerableError, pictures.ImageError)):
        return str(error)
    lines = str(error).strip().splitlines()
    what = f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
    return f"the function {asked} raised {what}"


def _for_item(request: Request, reason: str) -> str:
    """The reason, with the item that it is about."""
    return f"{reason.rstrip('.')} (item {request.item})" if request.item else reason


# --- which code it is --------------------------------------------------------------------------


def code_digest(functions: Sequence[Function]) -> str:
    """A hash of the functions' own code, its defaults, and the texts and numbers it encloses.

    Functions that they call, and other values outside of them, are not covered.
    """
    state = hashlib.sha256()
    for function in functions:
        state.update(repr(_code(function)).encode())
    return f"code:{state.hexdigest()[:32]}"


def _code(thing: Any) -> Any:
    """What a function consists of, in terms that are the same in every process."""
    if hasattr(thing, "__wrapped__"):
        around = _code(thing.__code__) if inspect.isfunction(thing) else type(thing).__qualname__
        return "wrapped", around, _code(thing.__wrapped__)
    if isinstance(thing, functools.partial):
        return "partial", _code(thing.func), _code(thing.args), _code(thing.keywords)
    if inspect.ismethod(thing) or isinstance(thing, (staticmethod, classmethod)):
        return _code(thing.__func__)
    if inspect.isfunction(thing):
        values = inspect.getclosurevars(thing).nonlocals.values()
        plain = [each for each in values if isinstance(each, (str, bytes, int, float, type(None)))]
        return _code(thing.__code__), _code(thing.__defaults__), _code(thing.__kwdefaults__), plain
    if inspect.iscode(thing):
        parts = thing.co_consts, thing.co_names, thing.co_varnames, thing.co_freevars
        return thing.co_code, *map(_code, parts)
    if isinstance(thing, (str, bytes, int, float, complex, type(None), type(Ellipsis))):
        return thing
    if isinstance(thing, (tuple, list)):
        return [_code(each) for each in thing]
    if isinstance(thing, dict):
        return sorted((name, repr(_code(each))) for name, each in thing.items())
    if isinstance(thing, frozenset):
        return sorted(repr(_code(each)) for each in thing)
    if inspect.isroutine(thing) or isinstance(thing, type):
        return thing.__qualname__
    return type(thing).__qualname__, _code(type(thing).__call__) if callable(thing) else ""
