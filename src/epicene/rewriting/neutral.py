"""Gender-neutral forms: every word that shows a person's gender is reworded, or none of them.

A language finds the words as it does for another gender, with their masculine and feminine forms;
a style says what stands for them. Where a style has no form for one word of a person, that person
is left as they are in the text, and the words are reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from epicene.rewriting import Change

if TYPE_CHECKING:
    from epicene.rewriting import Confidence
    from epicene.rewriting.persons import FindChanges, Gender, Person

# The style that marks nothing: other words, from a list.
REWORD = "reword"
# The style that names both: of themselves, nobody says *I am a man or a woman*.
PAIR = "pair"
NO_FORM = "no neutral form is known"
# The rule of a noun for people that no rule found to be about anybody.
NOT_FOUND = "may name a person; no rule found whom"
LEFT_OUT = (NO_FORM, NOT_FOUND)
_STYLES = frozenset({REWORD, PAIR, "star", "colon", "median", "e", "schwa"})
# The rule of a word that may agree with a person: not one of that person's words is changed then.
UNCLEAR = "may be said of them"


class GenderedWord(NamedTuple):
    """A word that shows a person's gender, in both its forms; `text` is one of them."""

    start: int
    end: int
    text: str
    masculine: str
    feminine: str
    rule: str
    sure: Confidence


class Replacement(NamedTuple):
    """What stands for characters [start, end) of a text."""

    start: int
    end: int
    after: str


# The words of one person in a text, in order, to what stands for them. Words that no replacement
# covers have no neutral form. A replacement may be equal to the text.
Style: TypeAlias = Callable[[str, Sequence[GenderedWord]], Iterable[Replacement]]


OtherForms: TypeAlias = Callable[[str], Collection[str]]


class NeutralForms(NamedTuple):
    """How a language is rewritten without gender: how words are found, and its styles."""

    find_changes: FindChanges
    styles: Mapping[str, Style]  # the first is the default
    # The other gender's forms of a noun for people, lower case; none for any other word.
    other_forms: OtherForms

    def changes(self, text: str, person: Person, style: str) -> list[Change]:
        """The changes for that person; words that are left have `after` equal to `before`."""
        words = self._words(text, person)
        if style == PAIR:  # what is said of a plural stays as it is
            words = [word for word in words if word.rule != UNCLEAR]
        left_alone = (style == PAIR and person == "speaker") or any(
            word.rule == UNCLEAR for word in words
        )
        made = [] if left_alone else sorted(self.styles[style](text, words))
        found: list[Change] = []
        for start, end, after in made:
            first = next(word for word in words if start <= word.start < end)
            before = text[start:end]
            if before != after:
                found.append(_change(start, before, after, first, person, _rule(style, first)))
        covered = [(start, end) for start, end, _ in made]
        left = (
            word for word in words if not any(start <= word.start < end for start, end in covered)
        )
        found += [_change(word.start, word.text, word.text, word, person, NO_FORM) for word in left]
        return [*found, *(self._not_found(text) if person == "others" else ())]

    def _not_found(self, text: str) -> Iterator[Change]:
        """The nouns for people that no rule finds, unless both their forms are named."""
        words = set(_WORDS.findall(text.lower()))
        named = [
            each
            for each in _NOUNS.finditer(text)
            if (others := self.other_forms(each[0])) and words.isdisjoint(others)
        ]
        found = [
            change
            for gender in ("feminine", "masculine")
            for change in (
                self.find_changes(text, dict.fromkeys(_PERSONS, gender)) if named else ()
            )
        ]
        for each in named:
            (start, end), word = each.span(), each[0]
            if not any(change.start < end and start < change.end for change in found):
                yield Change(
                    start=start,
                    end=end,
                    before=word,
                    after=word,
                    rule=NOT_FOUND,
                    sure="guess",
                    whose="others",
                )

    def _words(self, text: str, person: Person) -> list[GenderedWord]:
        found: dict[int, GenderedWord] = {}
        reached: list[tuple[int, int]] = []
        targets: tuple[Gender, ...] = ("feminine", "masculine")
        for target in targets:
            for each in self.find_changes(text, {person: target}):
                if is_one_of_two_forms(text, each) or _names_beside(text, each, _AND):
                    continue
                if each.before == each.after or any(
                    start < each.end and each.start < end for start, end in reached
                ):
                    continue
                forms = (each.before, each.after)
                masculine, feminine = forms if target == "feminine" else forms[::-1]
                found[each.start] = GenderedWord(
                    each.start, each.end, each.before, masculine, feminine, each.rule, each.sure
                )
                reached.append((each.start, each.end))
        return [found[start] for start in sorted(found)]


def is_neutral(change: Change) -> bool:
    """Whether a change removes a gender rather than replacing it."""
    return change.rule.partition(": ")[0] in _STYLES


def _rule(style: str, word: GenderedWord) -> str:
    """The style and the rule, which in French begins with the person and a gender."""
    return f"{style}: {word.rule.rpartition(': ')[2]}"


def _change(
    start: int, before: str, after: str, word: GenderedWord, person: Person, rule: str
) -> Change:
    return Change(
        start=start,
        end=start + len(before),
        before=before,
        after=after,
        rule=rule,
        sure=word.sure,
        whose=person,
    )


def word_by_word(join: Callable[[str, str], str | None]) -> Style:
    """The style that writes both forms of each word as one: `join(masculine, feminine)`."""

    def style(text: str, words: Sequence[GenderedWord]) -> list[Replacement]:
        del text
        joined = [join(word.masculine, word.feminine) for word in words]
        return [
            Replacement(word.start, word.end, form)
            for word, form in zip(words, joined, strict=True)
            if form is not None and None not in joined
        ]

    return style


_WORD_BEFORE_SLASH = re.compile(r"([^\W\d_]+['’]?) ?/ ?$")
_WORD_AFTER_SLASH = re.compile(r" ?/ ?([^\W\d_]+)")


def is_one_of_two_forms(text: str, change: Change) -> bool:
    """Whether the word is joined to its other form by a slash, which shows both genders already.

    *prêt/prête*, *der/die*, *uno studente/una studentessa*; not *amico/assistente*.
    """
    if "/" not in text:
        return False
    if _names_beside(text, change, _SLASH):
        return True
    window = text[max(0, change.start - 40) : change.start]
    before = _WORD_BEFORE_SLASH.search(window)
    after = _WORD_AFTER_SLASH.match(text, change.end)
    word = change.before.lower()
    for beside in (match[1].lower() for match in (before, after) if match):
        alike = (one == other for one, other in zip(word, beside, strict=False))
        shared = len(list(takewhile(bool, alike)))
        if beside == change.after.lower() or shared >= max(3, min(len(word), len(beside)) // 2):
            return True
    return False


_NOUNS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*(?![\w*:·•@/(])")
_PERSONS: tuple[Person, ...] = ("speaker", "listener", "others")
_SLASH = frozenset("/")
_AND = _SLASH | frozenset("und oder bzw sowie et ou y e o u ed".split())
_SUBJECTS = frozenset("ich du je tu yo tú io".split())
_WORDS = re.compile(r"[^\W\d_]+|/")


def _names_beside(text: str, change: Change, joiners: frozenset[str]) -> bool:
    """Whether the other form is named beside it: *Schülerinnen und Schüler*, *il ou elle*."""
    after = re.split(r"[.!?]", text[change.end : change.end + 80].lower())[0]
    before = re.split(r"[.!?]", text[max(0, change.start - 80) : change.start].lower())[-1]
    other = change.after.lower()
    for step, beside in ((1, _WORDS.findall(after)), (-1, _WORDS.findall(before)[::-1])):
        joiner = next((at for at, word in enumerate(beside[:3]) if word in joiners), None)
        if joiner is None or not _SUBJECTS.isdisjoint(beside[:joiner]):  # y yo soy el malo
            continue
        near = " ".join(beside[joiner + 1 : joiner + 4][::step])
        if f" {other.strip()} " in f" {near} ":  # al niño o a la niña
            return True
    return False
