"""The benchmark interface: a suite has items, protocols, requests, a judge, metrics and tables.

A suite never sees a model. Every suite folder has the same files: `items.py`, `data.py`,
`protocol.py`, `ask.py`, `judge.py`, `metrics.py`, `tables.py`, `card.toml` and `starter/`; and, if
it needs them, `published.py` (the paper's numbers), `figures.py`, `statistics.py` (tables of the
data), `checks.py`, `external_answers.py`, `construction/` and `studies/`. Its `__init__.py`
combines them into one `Suite`, declared as an entry point in the group `epicene.suites`. A small
suite is one file: `definition.py` builds it from a few functions.
"""

from __future__ import annotations

import math
import sys
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

from epicene.core.callable_package import CallablePackage
from epicene.core.errors import InputError, unknown
from epicene.core.records import (
    Answer,
    ContactSheet,
    Estimate,
    Failed,
    Figure,
    Identity,
    Item,
    Judgement,
    Record,
    Request,
    Table,
    TextScore,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import polars

    from epicene.rewriting.tagging_data import TaggingData
    from epicene.suites.construction import Construction
    from epicene.suites.definition import SuiteDefinition
    from epicene.suites.headline_metrics import FormatPairs, HeadlineMetric, SumScore
    from epicene.suites.paper_material import PaperMaterial
    from epicene.suites.studies import StudyKind

AnswerT = TypeVar("AnswerT")


class Protocol(Record, frozen=True, kw_only=True):
    """How a suite asks and scores. A suite subclasses it with the settings it needs.

    `paper` does what the authors did, including their errors; `epicene` is ours; a suite may add
    others.
    """

    name: str
    about: str
    seed: int = 0
    normalisers: tuple[str, ...] = ()

    @property
    def whose_wording(self) -> str:
        """Whose wording the model was asked in, for table headers; "" in a suite without a choice
        of wording.
        """
        return ""


ItemT = TypeVar("ItemT", bound=Item)
ProtocolT = TypeVar("ProtocolT", bound=Protocol)


class StudyCard(Record, frozen=True, kw_only=True):
    """What one of a suite's human studies asks, and which tables and figures it produces."""

    about: str
    tables: tuple[str, ...]
    figures: tuple[str, ...] = ()


class DataLayout(Record, frozen=True, kw_only=True):
    """A data layout that a suite can read: the file or folder, and descriptions of its columns."""

    name: str
    about: str
    columns: dict[str, str] = {}
    required: tuple[str, ...] = ()  # the columns that a file must have


class SuiteCard(Record, frozen=True, kw_only=True):
    """What to know about a benchmark before trusting its numbers."""

    title: str
    about: str
    languages: tuple[str, ...]
    source: str
    data_licence: str
    chance: str
    tables: tuple[str, ...]
    figures: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    published_data: str = ""  # where a person gets the published files
    studies: dict[str, StudyCard] = {}  # by the names of the suite's studies
    settings: dict[str, str] = {}  # what each setting of a protocol means, in one line
    layouts: tuple[DataLayout, ...] = ()
    own: dict[str, str] = {}  # fields that read differently where the data are the user's own
    question: str = ""  # what is asked of a model, in one short sentence
    # What each metric is, in a few words. In a key `*` stands for a part of the metric's name,
    # which is then put for `*` in the label, by its own label if it has one.
    metrics: dict[str, str] = {}
    numbers: tuple[str, ...] = ()  # the metrics, as keys of `metrics`, that are no shares


class Role(Record, frozen=True, kw_only=True):
    """The role of a model in a run. With `many`, a role takes several models, and more can be added
    later.

    If an `optional` role has no model, the stages that need it are left out.
    """

    name: str
    about: str
    many: bool = False
    optional: bool = False


class AnsweredRequest(NamedTuple):
    """An answer, with the stage, role and model it comes from and the name of its request."""

    stage: str
    role: str
    model: str
    name: str
    answer: Answer


class Answers(tuple[AnsweredRequest, ...]):
    """The answers to one item's requests."""

    def where(self, *, stage: str = "", role: str = "", model: str = "", name: str = "") -> Answers:
        """The answers that match all given arguments."""
        return Answers(
            [
                answered
                for answered in self
                if (not name or answered.name == name)
                and (not stage or answered.stage == stage)
                and (not role or answered.role == role)
                and (not model or answered.model == model)
            ]
        )

    def of(self, kind: type[AnswerT]) -> list[AnswerT]:
        """The answers of one type, in the order of the requests."""
        return [answered.answer for answered in self if isinstance(answered.answer, kind)]

    def only(self, kind: type[AnswerT]) -> AnswerT:
        """The only answer of that type."""
        (answer,) = self.of(kind)
        return answer

    @property
    def failed(self) -> bool:
        """Whether any request failed."""
        return any(isinstance(answered.answer, Failed) for answered in self)


def _always(_protocol: Protocol) -> bool:
    return True


@dataclass(frozen=True)
class Stage(Generic[ItemT, ProtocolT]):
    """One round of requests to the models of one role, built from the item and earlier answers.

    `ask` sees the answers of the stages named in `needs`, and of those that they need, and must be
    a pure function of its arguments. An item is skipped if one of these answers failed; failures in
    other stages do not matter here. A stage that a protocol does not use (`when`) is left out, and
    so is a role that only this stage needs: a model need not support verbs that are never
    requested. Without `verbs`, the verbs are found from the requests for the items of a run.
    """

    name: str
    role: str
    verbs: tuple[type[Request], ...]
    ask: Callable[[ItemT, Answers, ProtocolT], Iterable[Request]]
    needs: tuple[str, ...] = ()
    when: Callable[[ProtocolT], bool] = _always


class DataSource(Record, frozen=True, kw_only=True):
    """Where items come from: the user's file or folder, or the starter set if None."""

    path: Path | None = None
    columns: dict[str, str] = {}  # our field → the file's column


class Dataset(NamedTuple):
    """Items, which can be iterated more than once, and the files they come from."""

    name: str
    files: Sequence[Path]
    items: Iterable[Any]
    sha256: str = ""  # of the items themselves, where they come from no file
    remarks: tuple[str, ...] = ()  # how the files were read and why, in sentences
    notes: tuple[str, ...] = ()  # what was left out of them, in sentences


class RunInfo(Record, frozen=True, kw_only=True):
    """The run that a judgement comes from, for tables that name models."""

    run: str
    model: str
    protocol: str
    identities: dict[str, tuple[Identity, ...]]  # by role


# The columns of a frame of judgements, beside one per facet and per count.
FRAME_COLUMNS = (
    "run", "model", "protocol", "item", "group", "language", "name", "outcome", "label", "value",
)  # fmt: skip


@dataclass(frozen=True)
class Results(Generic[ProtocolT]):
    """All judgements of one or more runs of a suite, one row of `frame` per judgement."""

    frame: polars.DataFrame
    protocol: ProtocolT
    runs: tuple[RunInfo, ...]


class ScoredText(NamedTuple):
    """A text that a model scored, its request, and what it represents: a pronoun, a gender, the
    acceptable sentence; `right` is whether it is the right one, if known."""

    request: str
    candidate: str
    right: bool | None
    text: str
    score: TextScore


class DataIssue(NamedTuple):
    """Something `epicene data check SUITE` found; `place` names the item or the part."""

    severity: Literal["error", "warning"]
    place: str
    message: str


# A block, and a stratum in it; of a stratum of several levels each level alternates.
Stratum: TypeAlias = tuple[str, str | tuple[str, ...]]


def _one_stratum(_item: Item) -> Stratum:
    return ("", "")


def _own_id(item: Item) -> str:
    return item.id


@dataclass(frozen=True)
class Suite(Generic[ItemT, ProtocolT]):
    """A benchmark: its data, protocols, requests, judge, metrics and tables."""

    name: str
    version: str  # to be raised when the same data is asked or read differently
    card: SuiteCard
    item: type[ItemT]
    protocols: Mapping[str, ProtocolT]
    roles: tuple[Role, ...]
    stages: tuple[Stage[ItemT, ProtocolT], ...]
    read: Callable[[DataSource, ProtocolT], Dataset]
    judge: Callable[[ItemT, Answers, ProtocolT], Iterable[Judgement]]
    metrics: Callable[[Results[ProtocolT]], Mapping[str, Estimate]]
    tables: Callable[[Results[ProtocolT]], Iterable[Table]]
    figures: Callable[[Results[ProtocolT]], Iterable[Figure]] = field(default=lambda _results: ())
    # The key figures by which models are compared, or a function of the results that returns them;
    # the share of right outcomes, if none is named.
    headline_metrics: (
        tuple[HeadlineMetric, ...] | Callable[[Results[Any]], tuple[HeadlineMetric, ...]]
    ) = ()
    # The true value of each headline, by its name, where a run's models (by role) are known to have
    # one. By default it is the rate of the model `planted`, for every headline.
    planted: Callable[[Mapping[str, Sequence[Identity]]], Mapping[str, float]] | None = None
    # The names of the tables on agreement between formats.
    format_tables: tuple[str, ...] = ()
    # The two formats that the report sets against each other, instance by instance.
    format_pairs: FormatPairs | None = None
    # `--limit N` takes N items of each block (first part), spread evenly over its strata (second).
    stratum: Callable[[ItemT], Stratum] = _one_stratum
    # The item in every wording that the protocol asks for; by default in one.
    in_wordings: Callable[[ItemT, ProtocolT], Iterable[ItemT]] = field(
        default=lambda item, _protocol: (item,)
    )
    # What its tables say of a run in several wordings.
    wordings_note: str = (
        "Each item was asked in several wordings; each wording of an item counts as one member "
        "of the item's group."
    )
    # What `--limit` draws an item by. Counterparts in several strata share it, so that all strata
    # get the same ones.
    drawn_by: Callable[[ItemT], str] = _own_id
    # The item's natural text, for models that are fitted on the suite's own text.
    corpus: Callable[[ItemT], Iterable[str]] | None = None
    # Whether such models learn from the languages of the run alone, not from the whole data.
    corpus_of_languages: bool = False
    # Reads external answers, in the suite's own layout: each item with its answers.
    read_answers: Callable[[Path, Dataset, ProtocolT], Iterable[tuple[ItemT, Answers]]] | None = (
        None
    )
    # Reads a row of external answers that is in a shorthand of the suite's: the name of the request
    # and its answer; None of a row in the common layout.
    read_answer_row: (
        Callable[[Mapping[str, Any], ItemT, ProtocolT], tuple[str, Answer] | None] | None
    ) = None
    # The part of an item that a request belongs to, by the request's name, if `judge` can do with
    # some parts alone. A part is judged if all its requests are answered, and all those of the
    # stages that its stage needs. Without it stages that build on each other are judged together.
    part_of: Callable[[str], str] | None = None
    # Raises if a package is missing that the protocol needs for these items: no run fails after its
    # answers.
    check_packages: Callable[[ProtocolT, Iterable[ItemT]], None] = field(
        default=lambda _protocol, _items: None
    )
    # Scores of summed counts, such as BLEU, that `compare` pairs and tests.
    sum_scores: tuple[SumScore, ...] = ()
    # The evidence that `tables` needs, by its names: each is a column `evidence NAME` of the frame.
    tabled_evidence: tuple[str, ...] = ()
    # Whether an item already has its outcome (counts), so that `score` needs no answers.
    holds_outcome: Callable[[ItemT], bool] | None = None
    # The default protocol of `epicene score`.
    score_protocol: str = "epicene"
    # Further fields of a judgement that `--items` shows; they override its own.
    item_details: Callable[[Judgement], Mapping[str, Any]] = field(default=lambda _judgement: {})
    # The texts of an item that were scored, for `tables --scores`.
    scored_texts: Callable[[ItemT, Answers, ProtocolT], Iterable[ScoredText]] | None = None
    check: Callable[[Sequence[ItemT], ProtocolT], Iterable[DataIssue]] | None = None
    statistics: Callable[[Sequence[ItemT], ProtocolT], Iterable[Table]] | None = None
    # Whether data files, by name and sha256, are the published ones that the card speaks of.
    is_published: Callable[[Iterable[tuple[str, str]]], bool] | None = None
    # The published files by their paths below the folder that `--data` takes, with their sha256, as
    # far as copies were at hand.
    published_files: Mapping[str, str] = field(default_factory=dict)
    # Settings that changed nothing in these results, and are not said with them.
    unused_settings: Callable[[Results[ProtocolT]], frozenset[str]] = field(
        default=lambda _results: frozenset()
    )
    # Training data for a tagger, from these items.
    tagging_data: Callable[[Iterable[ItemT]], TaggingData] | None = None
    # The images of a run, from its items with their answers.
    contact_sheets: (
        Callable[[Iterable[tuple[ItemT, Answers]], ProtocolT], Iterable[ContactSheet]] | None
    ) = None
    # The steps that build more data of this kind.
    construction: Construction[Any] | None = None
    # The paper's own wording, which users bring.
    paper_material: PaperMaterial | None = None
    # The human studies, by the names on the card.
    studies: Mapping[str, StudyKind[ItemT, ProtocolT]] = field(default_factory=dict)
    # The file that defines the suite, if it is not installed.
    file: Path | None = None

    def __post_init__(self) -> None:
        """Check that stages need only earlier stages, and none whose role may get more models
        later: models added later must not change what is asked.
        """
        earlier: dict[str, Role] = {}
        for stage in self.stages:
            for name in stage.needs:
                if name not in earlier:
                    raise ValueError(
                        f"{self.name}: {stage.name} needs {name}, which is not an earlier stage."
                    )
                if earlier[name].many:
                    raise ValueError(f"{self.name}: {stage.name} needs {name} of many models.")
            earlier[stage.name] = self.role(stage.role)

    def for_protocol(
        self, protocol: ProtocolT, roles: Iterable[str] = ()
    ) -> Suite[ItemT, ProtocolT]:
        """The suite with only the stages that the protocol uses and whose roles have models.

        `roles` names the optional roles that have a model. A stage that needs an omitted stage sees
        what that stage would have seen.
        """
        left_out = {role.name for role in self.roles if role.optional} - set(roles)
        stages = tuple(
            stage for stage in self.stages if stage.when(protocol) and stage.role not in left_out
        )
        if not stages:
            asked = dict.fromkeys(stage.role for stage in self.stages if stage.when(protocol))
            wanted = " or ".join(f"--model {role}=SPEC" for role in asked)
            raise InputError(
                f"With these settings and models, the suite {self.name} sends no requests; "
                + (f"add {wanted}." if wanted else "change the settings.")
            )
        used = {stage.role for stage in stages}
        needs: dict[str, tuple[str, ...]] = {}  # of each stage, the remaining ones that it needs
        stand_ins: dict[str, tuple[str, ...]] = {}  # itself, or what it needs if it is left out
        for stage in self.stages:
            found = dict.fromkeys(each for name in stage.needs for each in stand_ins[name])
            needs[stage.name] = tuple(found)
            stand_ins[stage.name] = (stage.name,) if stage in stages else needs[stage.name]
        return replace(
            self,
            stages=tuple(replace(stage, needs=needs[stage.name]) for stage in stages),
            roles=tuple(role for role in self.roles if role.name in used),
        )

    @property
    def stage_groups(self) -> tuple[tuple[Stage[ItemT, ProtocolT], ...], ...]:
        """The stages in groups: a stage is in the same group as those it needs, and no group needs
        another.
        """
        groups: list[tuple[Stage[ItemT, ProtocolT], ...]] = []
        for stage in self.stages:
            joined = [group for group in groups if any(each.name in stage.needs for each in group)]
            groups = [group for group in groups if group not in joined]
            groups.append((*(each for group in joined for each in group), stage))
        return tuple(groups)

    def dependencies_of(self, stage: Stage[ItemT, ProtocolT]) -> frozenset[str]:
        """The names of all stages whose answers a stage sees."""
        needed = set(stage.needs)
        for each in reversed(self.stages):
            if each.name in needed:
                needed |= set(each.needs)
        return frozenset(needed)

    def role(self, name: str) -> Role:
        """The role of that name."""
        for role in self.roles:
            if role.name == name:
                return role
        known = [role.name for role in self.roles]
        raise unknown("role", name, known, where=f"in the suite {self.name}")

    def study_name(self, name: str) -> str:
        """The name of one of its studies; if none is given, that of the only one."""
        if not self.studies:
            raise InputError(f"The suite {self.name} has no human studies.")
        if not name and len(self.studies) == 1:
            (name,) = self.studies
        if name not in self.studies:
            raise unknown("study", name, self.studies, where=f"in the suite {self.name}")
        return name

    def verbs_of(self, role: str) -> frozenset[type[Request]]:
        """All verbs that a model in that role must support."""
        return frozenset(
            kind for stage in self.stages if stage.role == role for kind in stage.verbs
        )


# A suite, or what it is found by: its name, its file (`PATH.py[:NAME]`), its definition.
SuiteLike: TypeAlias = "str | Suite[Any, Any] | SuiteDefinition"


def find_suite(suite: SuiteLike) -> Suite[Any, Any]:
    """The suite with that name or in that file (`PATH.py[:NAME]`), or that of a definition."""
    from epicene.suites import suite_files

    if isinstance(suite, Suite):
        return suite
    if not isinstance(suite, str):
        return suite_files.defined_suite(suite)
    if suite_files.parse_suite_path(suite):
        return suite_files.load_suite_file(suite)
    return suite_files.named_suite(suite)


def read_card(path: Path) -> SuiteCard:
    """A suite's card."""
    return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), SuiteCard)


def choose_protocol(
    suite: Suite[Any, Any], name: str, settings: Mapping[str, Any], seed: int | None
) -> Protocol:
    """The protocol with that name, with the user's settings replacing its own."""
    from epicene.suites.paper_material import mark_own_wording
    from epicene.suites.protocol_settings import adjustable, read_setting

    if name not in suite.protocols:
        raise unknown("protocol", name, suite.protocols, where=f"in the suite {suite.name}")
    chosen: Protocol = suite.protocols[name]
    kinds = adjustable(type(chosen))
    values: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in kinds:
            raise unknown("setting", key, kinds, where=f"in the protocol {name} of {suite.name}")
        values[key] = read_setting(key, value, kinds[key])
    if seed is not None:
        values["seed"] = seed
    mark_own_wording(suite, values, chosen)
    for key, value in values.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise InputError(f"The setting {key} of the protocol {name} cannot be {value}.")
    return msgspec.structs.replace(chosen, **values)


RULE = "rule"  # instead of a model in an optional role


def split_role_settings(
    suite: Suite[Any, Any], settings: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """The settings of the protocol, and those that name the model of an optional role."""
    optional = {role.name for role in suite.roles if role.optional}
    named = {name: str(value) for name, value in settings.items() if name in optional}
    others = {name: value for name, value in settings.items() if name not in optional}
    return others, {name: value for name, value in named.items() if value != RULE}


sys.modules[__name__].__class__ = CallablePackage  # `epicene.suites()` lists them
