"""Analyse strings: whose gender each shows, in which words, and what is wrong there.

A string is rewritten twice, for women and for men. Words that change in the feminine version are
masculine now, and vice versa. Words that show both genders are found first and read as feminine, so
that the rewriter says whose they are.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import partial
from itertools import groupby, islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from epicene.localisation.audit.agreement import find_disagreements
from epicene.localisation.audit.findings import (
    Finding,
    OtherForm,
    Problem,
    ProblemKind,
    ShownGender,
    ShownWord,
    UndecidedWord,
    Whose,
    WordGender,
)
from epicene.localisation.audit.spellings import Spelling, find_spellings
from epicene.localisation.audit.undecided import find_undecided
from epicene.localisation.audit.visible import find_in_visible, known_syntax
from epicene.rewriting import Change, Rewriting, find_rewriter
from epicene.rewriting.confidence import add_probabilities
from epicene.rewriting.persons import GENDERS, PERSONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.localisation.people import People, PeopleRules
    from epicene.localisation.strings import LocalisedString
    from epicene.rewriting import Rewrite
    from epicene.rewriting.persons import Gender

_CHUNK = 256  # strings that are read at a time
_GENDER_CODES: dict[str, Gender] = {"m": "masculine", "f": "feminine"}
_WHOSE: dict[str, Whose] = {person: person for person in PERSONS}


# Problems whose span is the first word of the person who has them.
_OF_ONE_PERSON = frozenset({"mixed", "partly-inclusive"})


class StringAnalysis(NamedTuple):
    """What a string shows; it shows nothing if every part is empty."""

    people: dict[Whose, ShownGender] = {}
    words: Sequence[ShownWord] = ()
    problems: Sequence[Problem] = ()
    forms: Sequence[OtherForm] = ()
    neutral: str = ""


class Analyser:
    """Analyse the strings of one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        rewriter = find_rewriter(language)
        # Pronouns, for a language that is rewritten by them; both rewritings must find the same
        # words whether or not a parser is installed.
        self._by_pronouns = "pronouns" in rewriter.takes
        if self._by_pronouns:
            wanted = [
                {"pronouns": name, "from": "he,she", "route": "rules"}
                for name in ("she", "he", "they")
            ]
        else:
            wanted = [dict.fromkeys(PERSONS, gender) for gender in ("feminine", "masculine")]
        self._rewriter, self._wanted = rewriter, wanted
        self._opened: dict[str, list[Rewrite]] = {}
        self._rewrite_neutral: Rewrite | None = None

    def _rewrites(self, syntax: str) -> list[Rewrite]:
        """The rewritings of strings with that syntax."""
        if syntax not in self._opened:
            self._opened[syntax] = [
                self._rewriter.open({**options, "syntax": syntax}) for options in self._wanted
            ]
        return self._opened[syntax]

    def analyse(
        self, strings: Iterable[LocalisedString], path: Path, people: PeopleRules
    ) -> Iterator[Finding | None]:
        """What each string of a file shows, in order; None for a string that shows nothing.

        `people` says who is the user, and whose gender is settled.
        """
        for hint, group in groupby(strings, key=lambda string: string.syntax):
            syntax = known_syntax(hint)
            while chunk := list(islice(group, _CHUNK)):
                for string, found in zip(chunk, self._analyse_all(chunk, syntax), strict=True):
                    known = people.of_string(string, path)
                    yield self._finding(string, _with_people(found, known), path, known)

    def _analyse_all(
        self, strings: Sequence[LocalisedString], syntax: str
    ) -> Iterator[StringAnalysis]:
        read = [_Substituted(each.text, self._spellings(each.text, syntax)) for each in strings]
        texts = [each.text for each in read]
        rate = partial(add_probabilities, self.language)
        rewritten = zip(
            *(map(rate, rewrite(texts)) for rewrite in self._rewrites(syntax)), strict=True
        )
        for string, substituted, rewritings in zip(strings, read, rewritten, strict=True):
            if self._by_pronouns:
                yield _analyse_pronouns(rewritings)
                continue
            found = _analyse_persons(string.text, substituted, rewritings)
            problems = find_in_visible(
                string.text, syntax, partial(find_disagreements, language=self.language)
            )
            yield found._replace(problems=[*found.problems, *problems])

    def _spellings(self, text: str, syntax: str) -> list[Spelling]:
        """The spellings for both genders outside placeholders, mark-up and addresses."""
        found = find_in_visible(text, syntax, partial(find_spellings, language=self.language))
        return [each for each in found if text[each.start : each.end] == each.text]

    def _finding(
        self, string: LocalisedString, found: StringAnalysis, path: Path, people: People
    ) -> Finding | None:
        undecided: Sequence[UndecidedWord] = ()
        if not found.words:
            undecided = find_in_visible(
                string.text,
                known_syntax(string.syntax),
                partial(find_undecided, language=self.language),
            )
        if not (found.words or found.problems or undecided):
            return None
        return Finding(
            file=str(path),
            key=string.key,
            line=string.line,
            language=self.language,
            text=string.text,
            people=found.people,
            user=tuple(each for each in PERSONS if getattr(people, each) == "user"),
            words=tuple(found.words),
            problems=tuple(found.problems),
            undecided=tuple(undecided),
            forms=tuple(found.forms),
            neutral=self._neutral(string, found, undecided),
        )

    def _neutral(
        self, string: LocalisedString, found: StringAnalysis, undecided: Sequence[UndecidedWord]
    ) -> str:
        """The string without gender, "" if no such form is known of all its words."""
        neutral = found.neutral
        if (found.words or undecided) and not neutral and "style" in self._rewriter.takes:
            if self._rewrite_neutral is None:
                self._rewrite_neutral = self._rewriter.open(dict.fromkeys(PERSONS, "n"))
            (rewriting,) = self._rewrite_neutral([string.text])
            neutral = rewriting.text if not rewriting.left_out else ""
        return neutral if neutral != string.text else ""


def _with_people(found: StringAnalysis, people: People) -> StringAnalysis:
    """What is left to report when the gender of some people is given.

    For a person to leave unchanged (`keep`), nothing is reported; for a man or a woman (`m`, `f`),
    only words of the other gender, which are wrong.
    """
    settled: dict[Whose, str] = {each: getattr(people, each) for each in PERSONS}
    wanted = {each: _GENDER_CODES[code] for each, code in settled.items() if code in _GENDER_CODES}
    if not wanted and "keep" not in settled.values():
        return found
    words = [
        word
        for word in found.words
        if settled.get(word.whose) != "keep" and wanted.get(word.whose) != word.gender
    ]
    wrong = [word for word in words if word.whose in wanted and word.gender != "both"]
    left = {word.whose for word in words}
    kept = {(word.start, word.end) for word in found.words if settled.get(word.whose) == "keep"}
    return StringAnalysis(
        people={whose: shown for whose, shown in found.people.items() if whose in left},
        words=words,
        problems=[
            *(
                each
                for each in found.problems
                if each.kind not in _OF_ONE_PERSON or (each.start, each.end) not in kept
            ),
            *(
                Problem(start=word.start, end=word.end, kind="wrong-gender", text=word.text)
                for word in wrong
            ),
        ],
        forms=[
            form
            for form in found.forms
            if form.whose in left and wanted.get(form.whose, form.gender) == form.gender
        ],
        neutral=found.neutral,
    )


class _Place(NamedTuple):
    """Where a spelling is in the substituted text."""

    start: int
    end: int
    spelling: Spelling


class _Substituted:
    """A text in which each spelling for both genders is replaced by its feminine form.

    A spelling whose feminine form is unknown is left unchanged.
    """

    def __init__(self, text: str, spellings: Sequence[Spelling]) -> None:
        self.spellings = spellings
        self._places: list[_Place] = []
        parts: list[str] = []
        reached = length = 0
        for each in spellings:
            new = each.feminine or each.text
            parts += [text[reached : each.start], new]
            start = length + each.start - reached
            length = start + len(new)
            self._places.append(_Place(start, length, each))
            reached = each.end
        self.text = "".join([*parts, text[reached:]])

    def spelling_at(self, change: Change) -> Spelling | None:
        """The spelling that a change falls on."""
        last = self._last_before(change.end - 1)
        return last.spelling if last is not None and last.end > change.start else None

    def original(self, change: Change) -> tuple[int, int]:
        """Where a change outside the spellings is in the original text."""
        last = self._last_before(change.start)
        shift = 0 if last is None else last.spelling.end - last.end
        return change.start + shift, change.end + shift

    def _last_before(self, at: int) -> _Place | None:
        """The last spelling that begins at that character or before it."""
        index = bisect_right(self._places, at, key=lambda place: place.start)
        return self._places[index - 1] if index else None


class _Edit(NamedTuple):
    """The masculine and feminine forms of a word; "" if unknown."""

    start: int
    end: int
    masculine: str
    feminine: str


def _analyse_persons(
    text: str, read: _Substituted, rewritings: Sequence[Rewriting]
) -> StringAnalysis:
    feminine, masculine = rewritings
    words: list[ShownWord] = []
    edits: dict[Whose, list[_Edit]] = {}
    owners: dict[int, Change] = {}
    for change, gender in _changes(feminine, masculine):
        spelling = read.spelling_at(change)
        if spelling is not None:
            if spelling.feminine:
                owners.setdefault(spelling.start, change)
            continue
        start, end = read.original(change)
        word = _single_word(change, gender, start, end)
        words.append(word)
        pair = (word.text, word.other) if gender == "masculine" else (word.other, word.text)
        edits.setdefault(word.whose, []).append(_Edit(start, end, *pair))
    for each in read.spellings:
        owner = owners.get(each.start)
        word = _spelt_word(each, owner)
        words.append(word)
        # Kund*innen: only the rewriter knows the plural of Kunde.
        known = owner.after if owner is not None and owner.before == each.feminine else ""
        edits.setdefault(word.whose, []).append(
            _Edit(each.start, each.end, each.masculine or known, each.feminine)
        )
    words = _with_doubles(sorted(words, key=lambda word: (word.start, word.end)), edits)
    needless = all(word.gender == "both" for word in words) and all(
        each.feminine and each.feminine == each.masculine for each in read.spellings
    )
    if not words:
        return StringAnalysis()
    people = _people(words)
    return StringAnalysis(
        people=people,
        words=words,
        problems=list(_find_problems(words, read.spellings)),
        forms=[] if needless else list(_other_forms(text, people, edits)),
        neutral=read.text if needless else "",
    )


def _with_doubles(words: Sequence[ShownWord], edits: dict[Whose, list[_Edit]]) -> list[ShownWord]:
    """The words; those that name a person in both genders show both: Liebe Kundin, lieber Kunde.

    These have no other form: it would be a repetition.
    """
    found = list(words)
    for whose in ("speaker", "listener"):
        own = [word for word in found if word.whose == whose]
        would_be = sorted(word.other.lower() for word in own if word.gender == "masculine")
        there = sorted(word.text.lower() for word in own if word.gender == "feminine")
        if there and would_be == there:
            del edits[whose]
            found = [
                msgspec.structs.replace(word, gender="both", other="", spelling="both words")
                if word.whose == whose
                else word
                for word in found
            ]
    return found


def _changes(feminine: Rewriting, masculine: Rewriting) -> Iterator[tuple[Change, Gender]]:
    """Each change with the gender that the word has now."""
    for change in feminine.changes:
        yield change, "masculine"
    for change in masculine.changes:
        yield change, "feminine"


def _other_forms(
    text: str, people: Mapping[Whose, ShownGender], edits: Mapping[Whose, Sequence[_Edit]]
) -> Iterator[OtherForm]:
    """The text with each person in the gender that it does not show, or in both."""
    for whose, shown in people.items():
        if whose == "unknown" or whose not in edits:
            continue
        own = sorted(edits[whose])
        for gender in GENDERS:
            after = [edit.masculine if gender == "masculine" else edit.feminine for edit in own]
            # Two rewritings may have changed the same words differently.
            apart = all(one.end <= other.start for one, other in pairwise(own))
            if shown != gender and all(after) and apart:
                yield OtherForm(whose=whose, gender=gender, text=_edited(text, own, after))


def _edited(text: str, edits: Sequence[_Edit], after: Sequence[str]) -> str:
    parts: list[str] = []
    reached = 0
    for edit, new in zip(edits, after, strict=True):
        parts += [text[reached : edit.start], new]
        reached = edit.end
    return "".join([*parts, text[reached:]])


def _single_word(change: Change, gender: Gender, start: int, end: int) -> ShownWord:
    return ShownWord(
        start=start,
        end=end,
        text=change.before,
        whose=_WHOSE.get(change.whose, "unknown"),
        gender=gender,
        other=change.after,
        sure=change.sure,
        rule=change.rule,
        probability=change.probability,
    )


def _spelt_word(spelling: Spelling, change: Change | None) -> ShownWord:
    return ShownWord(
        start=spelling.start,
        end=spelling.end,
        text=spelling.text,
        whose=_WHOSE.get(change.whose, "unknown") if change else "unknown",
        gender="both",
        sure="certain",
        rule=change.rule if change else "written for both genders",
        spelling=spelling.style,
    )


def _analyse_pronouns(rewritings: Sequence[Rewriting]) -> StringAnalysis:
    """What pronouns show; here a person is never the speaker or the listener."""
    feminine, masculine, neutral = rewritings
    words = [
        ShownWord(
            start=change.start,
            end=change.end,
            text=change.before,
            whose="others",
            gender=gender,
            other=change.after if gender != "both" else "",
            sure=change.sure,
            rule=change.rule,
            probability=change.probability,
            spelling="both words" if gender == "both" else "",
        )
        for rewriting, sets in ((feminine, {"masculine", "both"}), (masculine, {"feminine"}))
        for change in rewriting.changes
        if (gender := _pronoun_gender(change.whose)) in sets
    ]
    if not words:
        return StringAnalysis()
    words.sort(key=lambda word: (word.start, word.end))
    people = _people(words)
    return StringAnalysis(
        people=people,
        words=words,
        forms=[
            OtherForm(whose="others", gender=gender, text=rewriting.text)
            for gender, rewriting in zip(GENDERS, (masculine, feminine), strict=True)
            if people["others"] != gender
        ],
        neutral=neutral.text,
    )


def _pronoun_gender(sets: str) -> WordGender:
    """The gender of the pronoun sets he, she, or he and she together."""
    return "masculine" if sets == "he" else "feminine" if sets == "she" else "both"


def _people(words: Iterable[ShownWord]) -> dict[Whose, ShownGender]:
    """The gender that is shown for each person."""
    found: dict[Whose, ShownGender] = {}
    for word in words:
        known = found.get(word.whose)
        if known is None or known == "both":
            found[word.whose] = word.gender
        elif known not in {word.gender, "mixed"} and word.gender != "both":
            found[word.whose] = "mixed"
    return found


def _find_problems(words: Sequence[ShownWord], spellings: Sequence[Spelling]) -> Iterator[Problem]:
    """The problems of the words of one string, at most one of each kind and person."""
    for whose in ("speaker", "listener"):
        own = [word for word in words if word.whose == whose]
        genders = {word.gender for word in own}
        single = [word for word in own if word.gender != "both"]
        if {"masculine", "feminine"} <= genders:
            yield _problem("mixed", single)
        if "both" in genders and single:
            yield _problem("partly-inclusive", single)
    for spelling in spellings:
        if spelling.wrong:
            yield Problem(
                start=spelling.start, end=spelling.end, kind="needless-ending", text=spelling.text
            )
    styles: dict[str, Spelling] = {}
    for spelling in spellings:
        if spelling.style not in {"both words", "new word"}:
            styles.setdefault(spelling.style, spelling)
    if len(styles) > 1:
        second = list(styles.values())[1]
        yield Problem(
            start=second.start, end=second.end, kind="several-spellings", text=second.text
        )


def _problem(kind: ProblemKind, words: Sequence[ShownWord]) -> Problem:
    return Problem(start=words[0].start, end=words[0].end, kind=kind, text=words[0].text)
