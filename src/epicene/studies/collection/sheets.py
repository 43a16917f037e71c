"""Assign items to participants' sheets, and write sheets or projects for other annotation tools.

A sheet has a participant's items in their own order, with fillers and attention checks among them;
practice items are in the instructions, with their feedback.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.core.errors import InputError, pluralise
from epicene.core.files import write_atomically
from epicene.studies.collection.schema_drift import complete_responses, valid_responses
from epicene.studies.design.lists import items_by_list, presentation_order
from epicene.studies.design.schema import (
    ChoiceQuestion,
    MarksQuestion,
    Study,
    TagsQuestion,
    judgements_wanted,
    visible_fields,
    visible_values,
)
from epicene.studies.exchange.label_studio_project import project_files
from epicene.studies.exchange.pcibex import experiment_files
from epicene.studies.exchange.response_files import (
    ADJUDICATED_BY,
    SAID_PREFIX,
    SHOWN_PREFIX,
    context_columns,
    empty_sheet,
    to_csv,
)
from epicene.studies.exchange.sheet_cells import answer_to_cell
from epicene.studies.exchange.table_files import UTF8_BOM

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.studies.collection.adjudication import Disagreement
    from epicene.studies.design.schema import LocalisedText, Option, Question, Response, StudyItem

    ItemsByParticipant = dict[str, list[StudyItem]]


class PriorResponses(NamedTuple):
    """The items that participants have seen, and how many judged each.

    Nobody gets an item again, even if the study asks more about it by now.
    """

    seen: frozenset[tuple[str, str]] = frozenset()  # participant and item
    judged: Mapping[str, int] = {}

    def lacking(self, study: Study, item: StudyItem) -> int:
        """How many more participants are to judge an item."""
        return max(0, judgements_wanted(study, item) - self.judged.get(item.id, 0))

    def left(self, study: Study, participant: str, items: Sequence[StudyItem]) -> list[StudyItem]:
        """The items that still lack judgements and are new to a participant."""
        return [
            item
            for item in items
            if (participant, item.id) not in self.seen and self.lacking(study, item)
        ]


def prior_responses(
    study: Study, responses: Sequence[Response], excluded: Collection[str] = ()
) -> PriorResponses:
    """The work done in earlier responses; those of excluded participants count as seen only."""
    counted = [each for each in responses if each.participant not in excluded]
    whole = complete_responses(study, valid_responses(study, counted, {}).responses)
    return PriorResponses(
        seen=frozenset((each.participant, each.item) for each in responses),
        judged=Counter(each.item for each in whole),
    )


def assign_sheets(
    study: Study, participants: Sequence[str], prior: PriorResponses | None = None
) -> ItemsByParticipant:
    """Assign each item to as many participants as it still needs, or a list to each participant."""
    if len(set(participants)) < len(participants):
        raise InputError("The same person is named twice; name each person once.")
    prior = prior or PriorResponses()
    if study.lists == "none":
        return _assign_items(study, participants, prior)
    return _assign_lists(study, participants, prior)


def _assign_items(
    study: Study, participants: Sequence[str], prior: PriorResponses
) -> ItemsByParticipant:
    """Give each item to those who have fewest so far."""
    assigned: ItemsByParticipant = {participant: [] for participant in participants}
    for item in study.items:
        lacking = prior.lacking(study, item)
        able = [participant for participant in assigned if (participant, item.id) not in prior.seen]
        if lacking > len(able):
            raise InputError(
                f"The item {item.id} lacks {pluralise(lacking, 'judgement')}, but the named "
                f"people can give only {len(able)}; name more people."
            )
        for participant in sorted(able, key=lambda participant: len(assigned[participant]))[
            :lacking
        ]:
            assigned[participant].append(item)
    return assigned


def _assign_lists(
    study: Study, participants: Sequence[str], prior: PriorResponses
) -> ItemsByParticipant:
    """Participants who began a list continue it; the others take the list that lacks most.

    Participants beyond those needed get lists in turn, too.
    """
    lists = items_by_list(study)
    longest = max(map(len, lists.values()))
    if study.per_person is not None and longest > study.per_person:
        raise InputError(
            f"A list of the study {study.name} has {longest} items, but per_person allows at most "
            f"{study.per_person}; change per_person in study.toml, or sample fewer items."
        )
    lacking = {
        name: max((prior.lacking(study, item) for item in items), default=0)
        for name, items in lists.items()
    }
    taken = _started_lists(lists, participants, prior)
    for participant, name in taken.items():
        lacking[name] -= bool(prior.left(study, participant, lists[name]))
    wanted, others = sum(max(0, each) for each in lacking.values()), len(participants) - len(taken)
    if wanted > others:
        raise InputError(
            f"The {len(lists)} lists of the study {study.name} need more people: {wanted} "
            f"needed, {others} named; name more people, or reduce judgements in study.toml."
        )
    for participant in participants:
        if participant not in taken:
            taken[participant] = max(lacking, key=lambda each: lacking[each])
            lacking[taken[participant]] -= 1
    return {
        participant: prior.left(study, participant, lists[taken[participant]])
        for participant in participants
    }


def _started_lists(
    lists: Mapping[str, Sequence[StudyItem]], participants: Sequence[str], prior: PriorResponses
) -> dict[str, str]:
    """The list of each participant who has seen an item of it."""
    list_of = {item.id: name for name, items in lists.items() for item in items}
    return {
        participant: list_of[item]
        for participant, item in sorted(prior.seen)
        if participant in participants and item in list_of
    }


TargetProgram: TypeAlias = Literal["pcibex", "label-studio"]

INSTRUCTIONS_FILE = "instructions.md"


def write_sheets(
    study: Study,
    participants: Sequence[str],
    out: Path,
    responses: Sequence[Response] = (),
    excluded: Collection[str] = (),
) -> list[Path]:
    """Write a sheet for each participant with something left to do, and the instructions.

    Items that a participant has already answered are omitted. Returns the paths.
    """
    for participant in participants:
        if not participant or "/" in participant or participant.startswith("."):
            raise InputError(f"{participant!r} cannot be used as the name of a sheet.")
    prior = prior_responses(study, responses, excluded)
    assigned = {
        participant: items
        for participant, items in assign_sheets(study, participants, prior).items()
        if items
    }
    if not assigned:
        raise InputError(f"The study {study.name} has no items left for the people named.")
    sheets = {}
    for participant, items in assigned.items():
        rows = [
            item
            for item in presentation_order(study, items, participant)
            if (participant, item.id) not in prior.seen
        ]
        sheet = empty_sheet(study, rows, participant)
        sheets[out / f"{participant}.csv"] = UTF8_BOM + sheet.encode()
    _write_new(sheets)
    write_atomically(out / INSTRUCTIONS_FILE, sheet_instructions(study).encode())
    return [*sheets, out / INSTRUCTIONS_FILE]


def write_project(
    study: Study, out: Path, program: Literal["pcibex", "label-studio"]
) -> list[Path]:
    """Write the study as a project for another program, and return the paths of its files."""
    files = experiment_files(study) if program == "pcibex" else project_files(study)
    contents = {out / name: text.encode() for name, text in files.items()}
    _write_new(contents)
    return list(contents)


def _write_new(contents: Mapping[Path, bytes]) -> None:
    """Write files that are not there yet; those that an interrupted command wrote are the same."""
    for path, data in contents.items():
        if path.exists() and not (path.is_file() and path.read_bytes() == data):
            raise InputError(
                f"{path} already exists and may be in use; choose another folder with --out."
            )
    for path, data in contents.items():
        write_atomically(path, data)


def adjudication_sheet(study: Study, found: Sequence[Disagreement], by: str) -> str:
    """A row per item with disagreements, with each participant's answer, for the adjudicator."""
    asked = [each.id for each in study.questions if any(each.id == one.question for one in found)]
    rows: dict[str, dict[str, str]] = {}
    for one in found:
        row = rows.setdefault(
            one.item.id,
            {ADJUDICATED_BY: by, "item": one.item.id, **context_columns(study, one.item)},
        )
        row[f"{SAID_PREFIX}{one.question}"] = " | ".join(
            f"{participant}: {answer_to_cell(answer)}"
            for participant, answer in one.answers.items()
        )
    heads = [ADJUDICATED_BY, "item", *(f"{SHOWN_PREFIX}{name}" for name in visible_fields(study))]
    for name in asked:
        heads += [f"{SAID_PREFIX}{name}", name]
    return to_csv(heads, rows.values())


def sheet_instructions(study: Study) -> str:
    """Instructions for filling in a sheet, in all languages of the study."""
    parts = [part for code in study.title for part in _in_language(study, code)]
    return "\n\n".join(parts) + "\n"


def _in_language(study: Study, code: str) -> Iterator[str]:
    yield f"# {study.title[code]}"
    for words in (study.consent, study.instructions):
        if words:
            yield words[code].strip()
    for question in study.questions:
        yield f"## {question.id}"
        yield question.ask[code]
        if question.hint:
            yield question.hint[code]
        yield _how_to_answer(question, code)
    yield from _practice(study, code)


def _practice(study: Study, code: str) -> Iterator[str]:
    """The practice items with their feedback."""
    for number, item in enumerate(study.practice, 1):
        cells = (f"- {name}: {text}" for name, text in visible_values(study, item).items())
        yield f"## {number}"
        yield "\n".join(cells)
        if item.feedback:
            yield item.feedback[code]


def _how_to_answer(question: Question, code: str) -> str:
    """How to write an answer into its cell."""
    if isinstance(question, ChoiceQuestion):
        named = _option_lines(question.options, code) or "\n".join(
            f"- `{name}`" for name in question.between
        )
        return f"One of\n\n{named}"
    if isinstance(question, TagsQuestion):
        return f"Any of these, separated by `;`:\n\n{_option_lines(question.options, code)}"
    if isinstance(question, MarksQuestion):
        words = f"Words of `{question.field}`, separated by `;`"
        if not question.labels:
            return f"{words}."
        return f"{words}, each followed by `:` and one of\n\n{_option_lines(question.labels, code)}"
    return "A text."


def _option_lines(options: Sequence[Option], code: str) -> str:
    return "\n".join(f"- `{option.id}`{_label_suffix(option.label, code)}" for option in options)


def _label_suffix(label: LocalisedText, code: str) -> str:
    return f": {label[code]}" if label else ""
