"""Quotations of an Arabic line, and who is speaker and listener in each.

In قالت لي: «أنت ماهر» the listener is the speaker of the sentence around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting import quotations
from epicene.rewriting.arabic.analysis import (
    analyse_function_word,
    analyse_noun,
    analyse_thing,
    analyse_verb,
)
from epicene.rewriting.arabic.lexicon import verb_list
from epicene.rewriting.quotations import UNQUOTED, Interlocutors, Passage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.rewriting.arabic.line import Line, Token
    from epicene.rewriting.persons import Person

_CLOSES = {"«": "»", "“": "”", "„": "“", "‹": "›", '"': '"', "”": "”"}


_PERSONS: dict[int, Person] = {1: "speaker", 2: "listener", 3: "others"}


def split_quotations(line: Line) -> list[Passage[Line]]:
    """The line without its quoted speech, then each quoted speech."""
    return quotations.split_quotations(
        line,
        closes=_CLOSES,
        is_speech=lambda part: len(part) > 1,  # more than a name or a title
        attribute=lambda introduction: _interlocutors(introduction.before.tokens),
        closing_opens=True,
    )


def _interlocutors(frame: Sequence[Token]) -> Interlocutors:
    """The interlocutors of a quotation after that introduction."""
    said = _person_who_says(frame)
    if said is None:
        return UNQUOTED
    if said == 1:
        return Interlocutors("speaker", _addressee(frame) or "others")
    if said == 2:
        return Interlocutors("listener", _addressee(frame) or "others")
    return Interlocutors("others", _addressee(frame))


def _person_who_says(frame: Sequence[Token]) -> int | None:
    """The person of the last verb of saying, None if there is none."""
    speech = verb_list("speech")
    found = None
    for at, word in enumerate(frame):
        cells = [
            parse.cell
            for parse in analyse_verb(word.letters)
            if parse.verb.perfect in speech
            and parse.cell.tense != "imperative"
            and not (_ends_in_me(word) and parse.cell.person == 1)
        ]
        if not cells or analyse_function_word(word.letters):
            continue
        persons = {cell.person for cell in cells}
        if any(cell.person == 1 and cell.tense == "imperfect" for cell in cells):
            found = 1
        elif 3 in persons and (1 not in persons or _has_subject(frame, at)):
            found = 3
        else:
            found = min(persons)
    return found


def _ends_in_me(word: Token) -> bool:
    return word.letters.endswith("ني")


def _has_subject(frame: Sequence[Token], at: int) -> bool:
    """Whether a noun for a woman follows right after the verb."""
    following = frame[at + 1].letters if at + 1 < len(frame) else ""
    return any(
        parse.form.gender == "feminine" and parse.lemma.person and not parse.prefix.preposition
        for parse in analyse_noun(following)
    )


def _addressee(frame: Sequence[Token]) -> Person | None:
    first: Person | None = None
    for word in frame:
        for person in _persons_addressed(word):
            first = first or _PERSONS[person]
    if first is None and any(_is_somebody_of_mine(word) for word in frame):
        return "speaker"
    return first


def _is_somebody_of_mine(word: Token) -> bool:
    """Whether a noun has a first-person possessive, so that its referent addresses me: صاحت أمي."""
    return any(
        parse.lemma.known and parse.suffix is not None and parse.suffix.letters == "ي"
        for parse in analyse_noun(word.letters)
    )


def _persons_addressed(word: Token) -> Iterator[int]:
    """The persons of the pronouns suffixed to a word; 3 for a noun after ل."""
    function = analyse_function_word(word.letters)
    if function is not None:
        if function.suffix is not None and function.suffix.person == 1:
            yield 1
        elif (
            function.suffix is not None
            and function.kind == "prepositions"
            and function.base in {"ل", "الي"}
        ):
            yield function.suffix.person
        elif word.letters in {"إلي", "علي"}:
            yield 1
        return
    if word.letters.endswith("ني"):
        yield 1
        return
    thing = analyse_thing(word.letters)
    if thing is not None:
        if thing.suffixed and word.letters.endswith("ي"):
            yield 1
        return
    if any(p.prefix.preposition == "ل" and p.lemma.known for p in analyse_noun(word.letters)):
        yield 3
        return
    parses = [parse for parse in analyse_verb(word.letters) if parse.suffix]
    if parses and parses[0].suffix is not None:
        yield parses[0].suffix.person
