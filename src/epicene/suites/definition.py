"""A suite in one file: `epicene.suite(…)` and a few functions; everything else has a default."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

import msgspec

from epicene.core.errors import InputError, unknown
from epicene.core.records import Estimate, Item, Judgement, Score, Scores
from epicene.suites import (
    FRAME_COLUMNS,
    Answers,
    DataIssue,
    DataLayout,
    Protocol,
    Role,
    ScoredText,
    Stage,
    Suite,
    SuiteCard,
)
from epicene.suites.default_results import (
    OVERALL,
    default_figures,
    default_headlines,
    default_metrics,
    default_statistics,
    default_tables,
    table_names,
)
from epicene.suites.default_studies import STUDY_CARDS, default_studies
from epicene.suites.definition_functions import (
    MEASURE,
    Answered,
    MissingAnswersError,
    UserFunction,
    judgements_of,
    requests_of,
)
from epicene.suites.definition_items import ItemReader, RowItem
from epicene.suites.definition_metrics import UserMetric
from epicene.suites.definition_settings import make_protocols
from epicene.suites.single_answer_judge import NeedsAllAnswersError, SingleAnswerJudge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.core.records import Request
    from epicene.suites import Dataset, DataSource, Results
    from epicene.suites.definition_items import ItemSource
    from epicene.suites.headline_metrics import HeadlineMetric, MetricUnit

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])

_MODEL = "model"  # the role of the model that is measured
_ASK = "ask"  # the name of the first stage
_NO_FACETS = {*FRAME_COLUMNS, MEASURE} - {"language"}


def suite(
    name: str,
    *,
    items: ItemSource,
    languages: str | Sequence[str] = (),
    facets: str | Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
    protocols: Mapping[str, Protocol | Mapping[str, Any]] | None = None,
    item: type[Item] = RowItem,
    columns: Mapping[str, str] | None = None,
    version: str = "1",
    title: str = "",
    about: str = "",
    chance: str = "",
    source: str = "",
    licence: str = "",
    **parts: Any,
) -> SuiteDefinition:
    """Define a suite; decorate functions with its `ask`, `judge` and, optionally, `metric`.

    `items` are rows (a list of dicts, a frame, a dataset), the path of a file (CSV, TSV, JSONL,
    JSON, Parquet; relative to the suite's file), or a function that returns one of these. `facets`
    names the columns by which results are broken down; `settings` are what `--set` can change.
    Increase `version` when `ask` changes. `parts` replaces any other part of a `Suite`.

    >>> import epicene
    >>> rows = [{"before": "The queen saw ", "right": "herself", "wrong": "himself"}]
    >>> reflexives = epicene.suite("my_reflexives", items=rows, languages=["en"])
    >>> @reflexives.ask
    ... def ask(item):
    ...     return epicene.choose(item.before, [item.right, item.wrong], ".")
    >>> @reflexives.judge
    ... def judge(item, answer):
    ...     return answer.best == 0
    >>> epicene.suites(reflexives)["roles"]
    {'model': ['score']}
    """
    caller = sys._getframe(1).f_globals
    return SuiteDefinition(
        name,
        items=items,
        languages=[languages] if isinstance(languages, str) else languages,
        facets=[facets] if isinstance(facets, str) else facets,
        settings=settings or {},
        protocols=protocols or {},
        item=item,
        columns=columns or {},
        version=version,
        card={
            "title": title or name,
            "about": about,
            "chance": chance,
            "source": source,
            "data_licence": licence,
        },
        file=Path(caller["__file__"]).resolve() if caller.get("__file__") else None,
        parts=parts,
    )


def choose(before: str, options: Iterable[str], after: str = "", **fields: Any) -> Score:
    """Score a text with each of the options inserted; `answer.best` is the index of the most likely
    option.

    The parts are joined as they are: include the spaces between words.
    """
    return Score(texts=tuple(f"{before}{option}{after}" for option in options), **fields)


class _StageFunction(msgspec.Struct, frozen=True):
    name: str
    role: str
    function: UserFunction


class SuiteDefinition:
    """A suite defined with `epicene.suite`, and the decorators for its functions."""

    def __init__(
        self,
        name: str,
        *,
        items: ItemSource,
        languages: Sequence[str],
        facets: Sequence[str],
        settings: Mapping[str, Any],
        protocols: Mapping[str, Protocol | Mapping[str, Any]],
        item: type[Item],
        columns: Mapping[str, str],
        version: str,
        card: Mapping[str, Any],
        file: Path | None,
        parts: Mapping[str, Any],
    ) -> None:
        _check_names(name, facets, parts)
        self.name = name
        self.file = file
        self._languages = tuple(languages)
        by_language = ["language"] if len(languages) > 1 else []
        self._facets = tuple(dict.fromkeys([*facets, *by_language]))
        self._protocols = make_protocols(name, settings, protocols)
        self._item = item
        self._version = version
        self._card = dict(card)
        self._parts = dict(parts)
        self._roles = {_MODEL: "the model to measure"}
        self._stages: list[_StageFunction] = []
        self._judge: UserFunction | None = None
        self._metrics: dict[str, UserMetric] = {}
        self._reader = ItemReader(
            self._own(items).about_all if callable(items) else items,
            item,
            folder=file.parent if file else Path(),
            columns=columns,
            languages=self._languages,
            facets=self._facets,
        )

    def __repr__(self) -> str:
        return f"<epicene suite {self.name!r}{f' of {self.file.name}' if self.file else ''}>"

    # --- decorators ------------------------------------------------------------------------

    def ask(self, function: FunctionT) -> FunctionT:
        """What the model is asked about an item: `ask(item)` returns one or more requests."""
        self._stages[:1] = [_StageFunction(_ASK, _MODEL, self._own(function))]
        self._changed()
        return function

    def stage(
        self, name: str, *, role: str = _MODEL, about: str = ""
    ) -> Callable[[FunctionT], FunctionT]:
        """What to ask next, of the same model or another one: `function(item, answer)`.

        The function gets the answers of the earlier stages, in order.
        """

        def decorate(function: FunctionT) -> FunctionT:
            if not self._stages or name == _ASK:
                raise InputError(f"{self.name}: the stage {name} must come after @{self.name}.ask.")
            self._roles.setdefault(role, about or f"answers in the stage {name}")
            stages = {each.name: each for each in self._stages}
            stages[name] = _StageFunction(name, role, self._own(function))
            self._stages = list(stages.values())
            self._changed()
            return function

        return decorate

    def judge(self, function: FunctionT) -> FunctionT:
        """How to score an answer: `judge(item, answer)`, with the answer of every stage.

        It returns whether the answer is right, None if it is neither right nor wrong, a number, a
        label, a `Judgement`, a dict of these by name, or a list.
        """
        self._judge = self._own(function)
        self._changed()
        return function

    @overload
    def metric(self, function: FunctionT) -> FunctionT: ...
    @overload
    def metric(self, *, unit: MetricUnit) -> Callable[[FunctionT], FunctionT]: ...
    def metric(
        self, function: FunctionT | None = None, *, unit: MetricUnit = "number"
    ) -> FunctionT | Callable[[FunctionT], FunctionT]:
        """An additional metric: a function of the frame of judgements.

        A number gets its interval from leaving out groups; an `Estimate` has its own.
        """

        def decorate(function: FunctionT) -> FunctionT:
            made = UserMetric(self._own(function), unit)
            self._metrics[made.name] = made
            self._changed()
            return function

        return decorate if function is None else decorate(function)

    def _own(self, function: Callable[..., Any]) -> UserFunction:
        return UserFunction(function, self.file)

    def _changed(self) -> None:
        self.__dict__.pop("suite", None)

    # --- the suite -------------------------------------------------------------------------

    @cached_property
    def suite(self) -> Suite[Any, Any]:
        """The suite, with defaults for everything that was not defined."""
        if not self._stages or self._judge is None:
            missing = "ask" if not self._stages else "judge"
            raise InputError(
                f"The suite {self.name} needs a function decorated with @{self.name}.{missing}."
            )
        answers: list[str] = []
        for stage in self._stages:
            stage.function.check_parameters("item", *answers)
            answers.append(f"the answer of the stage {stage.name}" if answers else "answer")
        self._judge.check_parameters("item", *answers)
        title = str(self._card["title"])
        defaults: dict[str, Any] = {
            "card": self._default_card(),
            "read": lambda source, _protocol: self._read(source),
            "judge": lambda item, given, protocol: self._judgements(item, given, protocol),
            "metrics": self._all_metrics,
            "tables": partial(default_tables, title, self._facets),
            "figures": partial(default_figures, title, self._facets),
            "headline_metrics": self._headlines,
            "stratum": self._stratum,
            "corpus": self._corpus,
            "scored_texts": self._scored_texts,
            "check": self._check,
            "statistics": partial(default_statistics, self._facets),
            "is_published": self._is_own_data,
            "studies": default_studies(lambda: self.suite, self._facets_of),
        }
        stages = tuple(
            Stage(
                name=stage.name,
                role=stage.role,
                verbs=(),
                ask=partial(self._ask_stage, number),
                needs=tuple(each.name for each in self._stages[:number]),
            )
            for number, stage in enumerate(self._stages)
        )
        return Suite(
            name=self.name,
            version=self._version,
            item=self._item,
            protocols=self._protocols,
            roles=tuple(Role(name=name, about=about) for name, about in self._roles.items()),
            stages=stages,
            file=self.file,
            **{**defaults, **self._parts},
        )

    def _default_card(self) -> SuiteCard:
        own = self.file.name if self.file else "this session"
        card = {
            **self._card,
            "about": self._card["about"] or f"Defined in {own}.",
            "chance": self._card["chance"] or "not stated.",
        }
        return SuiteCard(
            **card,
            languages=self._languages,
            tables=() if "tables" in self._parts else table_names(self._facets),
            figures=() if "figures" in self._parts else (OVERALL,),
            studies={} if "studies" in self._parts else STUDY_CARDS,
            layouts=(
                DataLayout(
                    name="rows",
                    about="CSV, TSV, JSONL, JSON or Parquet with the columns of the suite's items.",
                    columns=dict.fromkeys(self._facets, "a facet of the results"),
                    required=self._facets,
                ),
            ),
        )

    # --- items and requests ----------------------------------------------------------------

    def _read(self, source: DataSource) -> Dataset:
        try:
            return self._reader.read(source)
        except InputError as error:
            raise InputError(f"The suite {self.name}: {error}") from error.__cause__

    def _is_own_data(self, files: Iterable[tuple[str, str]]) -> bool:
        return [name for name, _ in files] == [self._reader.own_data]

    def _stratum(self, item: Item) -> tuple[str, str]:
        """`--limit N` takes N items, spread over the facets."""
        return "", " ".join(str(getattr(item, facet)) for facet in self._facets)

    def _ask_stage(
        self, number: int, item: Item, answers: Answers, protocol: Protocol
    ) -> tuple[Request, ...]:
        stage = self._stages[number]
        earlier = self._answered(item, answers, protocol, number)
        given = [each.given for each in earlier]
        return requests_of(stage.function, stage.function(item, *given, settings=protocol), item)[0]

    def _answered(
        self, item: Item, answers: Answers, protocol: Protocol, stages: int
    ) -> list[Answered]:
        """The requests and answers of the first stages; raises if an answer is missing."""
        found: list[Answered] = []
        for stage in self._stages[:stages]:
            result = stage.function(item, *(each.given for each in found), settings=protocol)
            requests, single = requests_of(stage.function, result, item)
            by_name = {each.name: each.answer for each in answers.where(stage=stage.name)}
            if by_name.keys() != {request.name for request in requests}:
                raise MissingAnswersError(
                    f"The item {item.id!r} has no answer in the stage {stage.name}, so it "
                    "cannot be scored."
                )
            given = [by_name[request.name] for request in requests]
            found.append(Answered(stage.name, requests, given, single=single))
        return found

    def _corpus(self, item: Item) -> Iterator[str]:
        """The texts that are scored, and the prompts."""
        protocol = next(iter(self._protocols.values()))
        for request in self._ask_stage(0, item, Answers(), protocol):
            if isinstance(request, Score):
                context = request.context if isinstance(request.context, str) else ""
                yield from (context + text for text in request.texts)
            elif isinstance(prompt := getattr(request, "prompt", None), str):
                yield prompt

    def _check(self, items: Sequence[Item], protocol: Protocol) -> Iterator[DataIssue]:
        """Check that every item can be asked about and that its choices differ."""
        for item in items:
            try:
                requests = self._ask_stage(0, item, Answers(), protocol)
            except InputError as error:
                yield DataIssue("error", item.id, str(error))
                continue
            for request in requests:
                if isinstance(request, Score) and len(set(request.texts)) < len(request.texts):
                    yield DataIssue("error", item.id, "two of its choices are the same text")

    # --- results ---------------------------------------------------------------------------

    def _judgements(self, item: Item, answers: Answers, protocol: Protocol) -> Iterator[Judgement]:
        assert self._judge is not None
        if answers.failed:
            return
        stages = self._answered(item, answers, protocol, len(self._stages))
        result = self._judge(item, *(each.given for each in stages), settings=protocol)
        yield from judgements_of(self._judge, result, item, stages, self._facets_of(item))

    def _facets_of(self, item: Item) -> dict[str, str]:
        """The facets of an item for which a frame has no standard column."""
        values = {name: getattr(item, name) for name in self._facets if name != "language"}
        return {name: "" if value is None else str(value) for name, value in values.items()}

    def _all_metrics(self, results: Results[Any]) -> dict[str, Estimate]:
        own = {name: metric.estimate(results) for name, metric in self._metrics.items()}
        return {**default_metrics(results), **own}

    def _headlines(self, results: Results[Any]) -> tuple[HeadlineMetric, ...]:
        own = (metric.headline for metric in self._metrics.values())
        return (*default_headlines(results), *own)

    def _scored_texts(
        self, item: Item, answers: Answers, protocol: Protocol
    ) -> Iterator[ScoredText]:
        """Every text that was scored, numbered within its choices."""
        judge = SingleAnswerJudge(self.suite, protocol)
        for number, asked in enumerate(self._answered(item, answers, protocol, len(self._stages))):
            for request, answer in zip(asked.requests, asked.answers, strict=True):
                if not isinstance(request, Score) or not isinstance(answer, Scores):
                    continue
                try:
                    right = judge.right_text(item, self.suite.stages[number], request)
                except NeedsAllAnswersError:
                    right = None
                for index, (text, score) in enumerate(
                    zip(request.texts, answer.texts, strict=True)
                ):
                    is_right = None if right is None else index == right
                    yield ScoredText(request.name, str(index + 1), is_right, text, score)


def _check_names(name: str, facets: Sequence[str], parts: Mapping[str, Any]) -> None:
    """Raise if the suite, a facet or a part has an invalid name."""
    if not name or any(sign in name for sign in ":/\\") or name != name.strip():
        raise InputError(f"A suite cannot be named {name!r}; leave out colons and slashes.")
    if clash := _NO_FACETS & set(facets):
        raise InputError(
            f"The suite {name} cannot have a facet named {min(clash)!r}, because results have "
            "a column with that name; rename the column."
        )
    known = {field for field in Suite.__dataclass_fields__ if field not in _GIVEN}
    for part in parts:
        if part not in known:
            raise unknown("part of a suite", part, known | set(suite.__kwdefaults__ or ()))


_GIVEN = frozenset({"name", "version", "item", "protocols", "roles", "stages", "file"})
