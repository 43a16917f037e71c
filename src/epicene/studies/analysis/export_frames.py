"""Frames for analysis: a row per judgement, per item or per participant, and their codebook.

Unlike the files that `import` reads back, they have columns that say what a row is about (`kind`),
where and how it was shown, and whether it counts (`excluded`). Columns whose names are also the id
of a question are called `trial: NAME`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from epicene.studies.analysis.quality import participant_quality
from epicene.studies.collection.folder import RESPONSES_FILE
from epicene.studies.collection.schema_drift import complete_responses
from epicene.studies.collection.trials import read_participants, read_trials
from epicene.studies.design.answers import choice_ids, comparison_key, matches_expected
from epicene.studies.design.lists import items_by_list, shuffled_choices
from epicene.studies.design.schema import (
    ITEM_PARTS,
    ChoiceQuestion,
    MarksQuestion,
    NoteQuestion,
    TagsQuestion,
    judgements_wanted,
)
from epicene.studies.exchange.response_files import (
    HIDDEN_PREFIX,
    SHOWN_PREFIX,
    context_columns,
    context_headers,
)
from epicene.studies.exchange.sheet_cells import answer_to_cell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars

    from epicene.studies.collection.database import Exclusion
    from epicene.studies.collection.folder import StudyFolder
    from epicene.studies.collection.schema_drift import ValidResponses
    from epicene.studies.collection.trials import ParticipantRecord, Trial
    from epicene.studies.design.schema import Question, Response, Study, StudyItem

ExportUnit: TypeAlias = Literal["judgement", "item", "participant"]

# What the parts of a study are called in the column `kind`
KINDS = {"practice": "practice", "checks": "check", "fillers": "filler", "items": "item"}
FAST_SECONDS = 1.0  # an answer given in less is flagged, unless the study's rule names a time
ORDER_PREFIX, SETTLED_PREFIX, PEOPLE_PREFIX = "order: ", "settled: ", "people: "
_TYPES = {"text": "String", "number": "Float64", "whole number": "Int64", "yes or no": "Boolean"}


class ExportColumn(NamedTuple):
    """A column of an export, as the codebook describes it."""

    name: str
    type: str  # text, number, whole number, yes or no, time
    meaning: str
    values: str = ""


@dataclass
class ExportFrame:
    """The rows of an export with the descriptions of its columns."""

    columns: list[ExportColumn]
    rows: list[dict[str, Any]] = field(default_factory=list)

    def frame(self) -> polars.DataFrame:
        """The rows as a frame with typed columns."""
        import polars as pl

        schema = {each.name: _polars_type(each) for each in self.columns}
        values = {name: [row.get(name) for row in self.rows] for name in schema}
        return pl.DataFrame(values, schema=schema)

    def codebook(self) -> polars.DataFrame:
        """A row per column: name, type, meaning and possible values."""
        import polars as pl

        return pl.DataFrame(
            self.columns, schema=dict.fromkeys(ExportColumn._fields, pl.String), orient="row"
        )


def _polars_type(column: ExportColumn) -> Any:
    import polars as pl

    if column.type == "time":
        return pl.Datetime("us", "UTC")
    return getattr(pl, _TYPES[column.type])


@dataclass(frozen=True)
class _Source:
    """What exports are made from."""

    study: Study
    valid: ValidResponses  # with those of excluded participants
    excluded: Mapping[str, str]  # reasons by participant
    trials: Mapping[tuple[str, str], Trial]
    people: Mapping[str, ParticipantRecord]
    exclusions: Mapping[str, Exclusion]
    hidden: bool

    @cached_property
    def settled(self) -> dict[str, dict[str, str]]:
        """The settled answers as cells, by item."""
        found: dict[str, dict[str, str]] = {}
        for each in self.valid.adjudications.values():
            cells = found.setdefault(each.item, {})
            cells[SETTLED_PREFIX + each.question] = answer_to_cell(each.value)
        return found


def export_frame(
    folder: StudyFolder,
    per: ExportUnit,
    *,
    hidden: bool = False,
    left_out: Mapping[str, str] | None = None,
) -> ExportFrame:
    """The answers to a study for analysis; `left_out` has further people and why they are."""
    exclusions = folder.exclusions()
    path = folder.path / RESPONSES_FILE
    source = _Source(
        study=folder.study,
        valid=folder.valid_responses(with_excluded=True),
        excluded={**(left_out or {}), **{who: each.reason for who, each in exclusions.items()}},
        trials=read_trials(path),
        people=read_participants(path),
        exclusions=exclusions,
        hidden=hidden,
    )
    makers = {"judgement": _per_judgement, "item": _per_item, "participant": _per_participant}
    return makers[per](source)


# --- per judgement ---------------------------------------------------------------------------


def _per_judgement(source: _Source) -> ExportFrame:
    study = source.study
    items = {item.id: (part, item) for part in ITEM_PARTS for item in getattr(study, part)}
    own = trial_names(study)
    whole = {
        (each.participant, each.item) for each in complete_responses(study, source.valid.responses)
    }
    lists = _list_of_items(study)
    made = ExportFrame(list(_judgement_columns(source)))
    for response in source.valid.responses:
        part, item = items[response.item]
        key = response.participant, response.item
        trial = source.trials.get(key)
        row: dict[str, Any] = {
            "participant": response.participant,
            "item": response.item,
            own["kind"]: KINDS[part],
            own["list"]: trial.list if trial else lists.get(response.item, ""),
            own["position"]: trial.position if trial else None,
            own["group"]: item.group,
            own["condition"]: item.condition,
            own["right"]: matches_expected(item, response) if item.expected else None,
            own["revisions"]: trial.revisions if trial else None,
            own["flags"]: "; ".join(
                _flags(study, response, incomplete=part == "items" and key not in whole)
            ),
            own["excluded"]: source.excluded.get(response.participant, ""),
            "at": response.at,
            "seconds": response.seconds,
            "language": response.language,
            **context_columns(study, item, with_hidden=source.hidden),
            **_answer_cells(study, item, response, shown=trial is not None),
            **source.settled.get(item.id, {}),
        }
        made.rows.append(row)
    return made


def trial_names(study: Study) -> dict[str, str]:
    """The names of the columns about a trial, none of which is a question's id."""
    questions = {question.id for question in study.questions}
    names = "kind list position group condition right revisions flags excluded wanted given"
    return {name: f"trial: {name}" if name in questions else name for name in names.split()}


def _flags(study: Study, response: Response, *, incomplete: bool) -> Iterator[str]:
    if response.seconds is not None and response.seconds < _least_seconds(study):
        yield "fast"
    if incomplete:
        yield "incomplete"


def _least_seconds(study: Study) -> float:
    rule = study.exclude
    return FAST_SECONDS if rule is None or rule.seconds is None else rule.seconds


def _list_of_items(study: Study) -> dict[str, str]:
    return {item.id: name for name, items in items_by_list(study).items() for item in items}


def _answer_cells(
    study: Study, item: StudyItem, response: Response, *, shown: bool
) -> dict[str, Any]:
    cells: dict[str, Any] = {}
    for question in study.questions:
        answer = response.answers.get(question.id)
        if answer is not None:
            cells[question.id] = answer_to_cell(answer)
        if isinstance(question, TagsQuestion) and answer is not None:
            cells |= {f"{question.id}: {name}": name in answer for name in choice_ids(question)}
        if shown and isinstance(question, ChoiceQuestion) and question.between:
            order = shuffled_choices(study, question, item, response.participant)
            cells[ORDER_PREFIX + question.id] = "; ".join(order)
    return cells


def _judgement_columns(source: _Source) -> Iterator[ExportColumn]:
    study = source.study
    own = trial_names(study)
    yield ExportColumn("participant", "text", "The person who answered.")
    yield ExportColumn("item", "text", "The id of what was judged.")
    yield from _item_columns(own)
    yield ExportColumn(
        own["position"],
        "whole number",
        "The position among everything that the person saw on the pages.",
    )
    yield from _context_columns(source)
    for question in study.questions:
        yield _question_column(question)
        if isinstance(question, TagsQuestion):
            for name in choice_ids(question):
                yield ExportColumn(f"{question.id}: {name}", "yes or no", f"Whether {name} is set.")
    for question in study.questions:
        if isinstance(question, ChoiceQuestion) and question.between:
            yield ExportColumn(
                ORDER_PREFIX + question.id,
                "text",
                "The texts of this question in the order in which the person saw them.",
            )
    yield from _settled_columns(source)
    yield ExportColumn(own["right"], "yes or no", "Whether the answers are the expected ones.")
    yield ExportColumn("at", "time", "When the answer arrived (UTC).")
    yield ExportColumn(
        "seconds", "number", "Time from when the item was first shown until the answer."
    )
    yield ExportColumn(
        own["revisions"],
        "whole number",
        "How often the item was answered, or its answer undone, on the pages.",
    )
    yield ExportColumn("language", "text", "The language of the pages.")
    yield ExportColumn(
        own["flags"],
        "text",
        f"fast: less than {_least_seconds(study):g} s. incomplete: a question that study.toml "
        "asks now is unanswered; the judgement does not count.",
        "fast; incomplete",
    )
    yield _excluded_column(own)


def _excluded_column(own: Mapping[str, str]) -> ExportColumn:
    meaning = "Why the person's answers do not count; empty if they do."
    return ExportColumn(own["excluded"], "text", meaning)


def _item_columns(own: Mapping[str, str]) -> Iterator[ExportColumn]:
    yield ExportColumn(
        own["kind"], "text", "The part of the study; tables count items.", "; ".join(KINDS.values())
    )
    yield ExportColumn(own["list"], "text", "The list of items; empty without lists.")
    yield ExportColumn(own["group"], "text", "Items of one group are versions of each other.")
    yield ExportColumn(own["condition"], "text", "The condition of the design.")


def _context_columns(source: _Source) -> Iterator[ExportColumn]:
    for name in context_headers(source.study, with_hidden=source.hidden):
        hidden = name.startswith(HIDDEN_PREFIX)
        named = name.removeprefix(HIDDEN_PREFIX if hidden else SHOWN_PREFIX)
        meaning = "which participants did not see" if hidden else "as participants saw it"
        yield ExportColumn(name, "text", f"The field {named} of the item, {meaning}.")


def _question_column(question: Question) -> ExportColumn:
    asked = next(iter(question.ask.values()), "")
    how = ""
    if isinstance(question, TagsQuestion):
        how = " (ids separated by ;)"
    elif isinstance(question, MarksQuestion):
        how = f" (START-END:LABEL, characters of {question.field}, separated by ;)"
    return ExportColumn(question.id, "text", f"{asked}{how}", "; ".join(choice_ids(question)))


def _settled_columns(source: _Source) -> Iterator[ExportColumn]:
    settled = {each.question for each in source.valid.adjudications.values()}
    for question in source.study.questions:
        if question.id in settled:
            name = SETTLED_PREFIX + question.id
            yield ExportColumn(name, "text", "The answer that the owner settled on for the item.")


# --- per item --------------------------------------------------------------------------------


def _per_item(source: _Source) -> ExportFrame:
    study = source.study
    own, lists = trial_names(study), _list_of_items(study)
    counted = [each for each in source.valid.responses if each.participant not in source.excluded]
    whole = {(each.participant, each.item) for each in complete_responses(study, counted)}
    asked = {item.id for item in study.items}
    by_item: dict[str, list[Response]] = {}
    for each in counted:
        if each.item not in asked or (each.participant, each.item) in whole:
            by_item.setdefault(each.item, []).append(each)
    made = ExportFrame(list(_per_item_columns(source)))
    for part in ITEM_PARTS:
        for item in getattr(study, part):
            given = by_item.get(item.id, [])
            row: dict[str, Any] = {
                "item": item.id,
                own["kind"]: KINDS[part],
                own["list"]: lists.get(item.id, ""),
                own["group"]: item.group,
                own["condition"]: item.condition,
                "language": item.language,
                own["wanted"]: judgements_wanted(study, item) if part == "items" else None,
                own["given"]: len(given),
                **context_columns(study, item, with_hidden=source.hidden),
                **source.settled.get(item.id, {}),
            }
            for question in study.questions:
                row |= _votes(question, given)
            made.rows.append(row)
    return made


def _votes(question: Question, given: Sequence[Response]) -> dict[str, Any]:
    answers = [each.answers[question.id] for each in given if question.id in each.answers]
    cells: dict[str, Any] = {PEOPLE_PREFIX + question.id: len(answers)}
    for name in choice_ids(question):
        chosen = (name == each if isinstance(each, str) else name in each for each in answers)
        cells[f"{question.id}: {name}"] = sum(chosen)
    if isinstance(question, NoteQuestion):
        cells[question.id] = " | ".join(map(answer_to_cell, answers))
        return cells
    ranked = Counter(map(comparison_key, answers)).most_common(2)
    if ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1]):
        winner = next(each for each in answers if comparison_key(each) == ranked[0][0])
        cells[question.id] = answer_to_cell(winner)
    return cells


def _per_item_columns(source: _Source) -> Iterator[ExportColumn]:
    yield ExportColumn("item", "text", "The id of what was judged.")
    own = trial_names(source.study)
    yield from _item_columns(own)
    yield ExportColumn("language", "text", "The language of the item.")
    yield from _context_columns(source)
    yield ExportColumn(own["wanted"], "whole number", "How many people should judge it.")
    yield ExportColumn(own["given"], "whole number", "How many judgements count.")
    for question in source.study.questions:
        column = _question_column(question)
        most = "all remarks" if isinstance(question, NoteQuestion) else "what most people said"
        tie = (
            ""
            if isinstance(question, NoteQuestion)
            else ", empty if two answers were equally frequent"
        )
        yield column._replace(meaning=f"{column.meaning}: {most}{tie}.")
        yield ExportColumn(
            PEOPLE_PREFIX + question.id, "whole number", "How many people answered the question."
        )
        for name in choice_ids(question):
            yield ExportColumn(
                f"{question.id}: {name}", "whole number", f"How many people chose {name}."
            )
    yield from _settled_columns(source)


# --- per participant -------------------------------------------------------------------------

_PARTICIPANT_COLUMNS = (
    ExportColumn("participant", "text", "The name, or the id from the platform."),
    ExportColumn(
        "entry", "text", "The kind of link they used, or imported.", "personal; open; imported"
    ),
    ExportColumn("list", "text", "The list of items assigned to them."),
    ExportColumn("language", "text", "The language of the pages."),
    ExportColumn("entered", "time", "When they first opened the link."),
    ExportColumn("consented", "time", "When they agreed to take part."),
    ExportColumn("screened", "text", "The result of the screening.", "passed; refused"),
    ExportColumn("instructed", "time", "When they finished reading the instructions."),
    ExportColumn("finished", "time", "When they had nothing left to do."),
    ExportColumn("last seen", "time", "When they were last active."),
    ExportColumn(
        "minutes", "number", "Time from entering to finishing, or until they were last active."
    ),
    ExportColumn("items", "whole number", "How many items of the study they judged."),
    ExportColumn("checks seen", "whole number", "How many attention checks they answered."),
    ExportColumn(
        "checks right", "whole number", "How many attention checks they answered as expected."
    ),
    ExportColumn("median seconds", "number", "The median time per item."),
    ExportColumn("fast", "whole number", "How many of their answers are flagged as fast."),
    ExportColumn(
        "passed", "yes or no", "Whether they answered enough attention checks as expected."
    ),
    ExportColumn("excluded", "text", "Why their answers do not count; empty if they do."),
    ExportColumn("excluded by", "text", "rule, or the name of the owner who excluded them."),
    ExportColumn("code", "text", "The completion code that their last page shows."),
)


def _per_participant(source: _Source) -> ExportFrame:
    study, people = source.study, source.people
    done = {each.participant: each for each in participant_quality(study, source.valid.responses)}
    items = {item.id for item in study.items}
    fast = Counter(
        each.participant
        for each in source.valid.responses
        if each.item in items and "fast" in _flags(study, each, incomplete=False)
    )
    made = ExportFrame(list(_PARTICIPANT_COLUMNS))
    for name in sorted({*people, *done}):
        person, quality = people.get(name), done.get(name)
        exclusion = source.exclusions.get(name)
        row: dict[str, Any] = {
            "participant": name,
            "entry": person.entry if person else "imported",
            "excluded": source.excluded.get(name, ""),
            "excluded by": exclusion.by if exclusion else "",
            "fast": fast[name],
        }
        if person:
            ended = person.finished or person.seen
            row |= {
                "list": person.list,
                "language": person.language,
                "entered": person.entered,
                "consented": person.consented,
                "screened": person.screened,
                "instructed": person.instructed,
                "finished": person.finished,
                "last seen": person.seen,
                "minutes": None
                if person.entered is None or ended is None
                else round((ended - person.entered).total_seconds() / 60, 1),
                "code": _code(study, person, excluded=exclusion is not None),
            }
        row |= {
            "items": quality.items if quality else 0,
            "checks seen": quality.checks_seen if quality else 0,
            "checks right": quality.checks_right if quality else 0,
            "median seconds": quality.median_seconds if quality else None,
            "passed": quality.passed if quality else None,
        }
        made.rows.append(row)
    return made


def _code(study: Study, person: ParticipantRecord, *, excluded: bool) -> str:
    if person.entry != "open":
        return ""
    if excluded:
        return study.access.excluded_code
    return study.access.completion_code if person.finished else ""
