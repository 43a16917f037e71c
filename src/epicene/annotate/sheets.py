"""Sheets for people who label in a spreadsheet: the items dealt out, and what to do with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.annotate.results import judgements_wanted
from epicene.errors import InputError
from epicene.runs.files import write_whole
from epicene.studies import Choose, Mark, Study, Tag
from epicene.studies.response_files import empty_sheet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from epicene.studies import Option, Question, StudyItem, Words

INSTRUCTIONS = "instructions.md"
# So that spreadsheets read UTF-8.
_MARK = b"\xef\xbb\xbf"


def write_sheets(study: Study, people: Sequence[str], out: Path) -> list[Path]:
    """A sheet for each person, and the instructions; where they are."""
    if study.lists != "none":
        raise InputError(
            f"In the study {study.name} a person sees one of several versions of an item; sheets "
            "cannot keep to that."
        )
    for person in people:
        if not person or "/" in person or person.startswith("."):
            raise InputError(f"{person!r} cannot be the name of a person's sheet.")
    hands = deal(study, people)
    paths = {person: out / f"{person}.csv" for person in hands}
    for path in paths.values():
        if path.exists():
            raise InputError(f"{path} is there already, and may be filled in; name another folder.")
    for person, items in hands.items():
        write_whole(paths[person], _MARK + empty_sheet(study, items, person).encode())
    write_whole(out / INSTRUCTIONS, instructions(study).encode())
    return [*paths.values(), out / INSTRUCTIONS]


def deal(study: Study, people: Sequence[str]) -> dict[str, list[StudyItem]]:
    """Each item to as many people as are to judge it, always those who have fewest so far."""
    hands: dict[str, list[StudyItem]] = {person: [] for person in people}
    if len(hands) < len(people):
        raise InputError("One person was named twice.")
    for item in study.items:
        wanted = judgements_wanted(study, item)
        if wanted > len(hands):
            raise InputError(
                f"The item {item.id} is for {wanted} people, and only {len(hands)} are named."
            )
        for person in sorted(hands, key=lambda person: len(hands[person]))[:wanted]:
            hands[person].append(item)
    return hands


def instructions(study: Study) -> str:
    """What a person must know to fill in a sheet; the study's own words in all its languages."""
    parts = [part for code in study.title for part in _in_language(study, code)]
    return "\n\n".join(parts) + "\n"


def _in_language(study: Study, code: str) -> Iterator[str]:
    yield f"# {study.title[code]}"
    if study.instructions:
        yield study.instructions[code].strip()
    for question in study.questions:
        yield f"## {question.id}"
        yield question.ask[code]
        if question.hint:
            yield question.hint[code]
        yield _how(question, code)


def _how(question: Question, code: str) -> str:
    """How an answer is written into its cell."""
    if isinstance(question, Choose):
        named = _options(question.options, code) or "\n".join(
            f"- `{name}`" for name in question.between
        )
        return f"One of\n\n{named}"
    if isinstance(question, Tag):
        return f"Any of these, with `;` between them:\n\n{_options(question.options, code)}"
    if isinstance(question, Mark):
        words = f"Words of `{question.field}`, with `;` between them"
        if not question.labels:
            return f"{words}."
        return f"{words}, each with `:` and one of\n\n{_options(question.labels, code)}"
    return "A text."


def _options(options: Sequence[Option], code: str) -> str:
    return "\n".join(f"- `{option.id}`{_explained(option.label, code)}" for option in options)


def _explained(label: Words, code: str) -> str:
    return f": {label[code]}" if label else ""
