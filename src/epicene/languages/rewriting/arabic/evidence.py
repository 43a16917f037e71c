"""What a whole stretch says of its writer and of whom it is about."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic.particles import function_parse
from epicene.languages.rewriting.arabic.verb_parsing import verb_parses

if TYPE_CHECKING:
    from epicene.languages.rewriting.arabic.voices import Voice
    from epicene.languages.rewriting.arabic.words import Line, Word
    from epicene.languages.rewriting.people import Gender, Person, Wanted

_WITHOUT_HAMZA = frozenset(
    "انا انت ان انه انها انك اني انني الى اذا او ايضا اين وانا فانا وانت لان لاني".split()
)
_QUESTION = frozenset("؟?")
_PRONOUNS = {1: {"I", "we"}, 2: {"you", "you all", "you two", "vocatives"}}


class Evidence:
    """A stretch as a whole, who speaks in it, and who is asked for."""

    def __init__(self, line: Line, voice: Voice, wanted: Wanted) -> None:
        self._line = line
        self._voice = voice
        self._wanted = wanted

    def wants(self, role: Person) -> Gender | None:
        """The gender wanted for somebody, None if they stay as they are."""
        return self._wanted.get(role)

    def asks_for(self, role: str) -> bool:
        """Whether somebody's gender is wanted."""
        return role in self._wanted

    @cached_property
    def is_question(self) -> bool:
        """Whether a question mark stands anywhere."""
        return any(word.text[:1] in _QUESTION for word in self._line)

    def asks(self, at: int) -> bool:
        """Whether the sentence around a place ends in a question mark."""
        _, end = self._line.sentence(at)
        return self._line[end].text[:1] in _QUESTION

    @cached_property
    def drops_hamza(self) -> bool:
        """Whether the line leaves out the hamza of أنا, أن, إلى and their kin."""
        return any(word.letters in _WITHOUT_HAMZA for word in self._line)

    @cached_property
    def prior(self) -> tuple[int, ...]:
        """Which person a form is taken for that can be several, the likeliest first."""
        first = self._voice.speaker in self._wanted
        second = self._voice.listener in self._wanted
        if first and second:
            said, spoken_to = self._count(1), self._count(2)
            asked = self.is_question and not said
            return (2, 1, 3) if asked or spoken_to > said else (1, 2, 3)
        if first:
            return (1, 3, 2)
        return (2, 1, 3) if second else (3, 1, 2)

    @cached_property
    def says_i(self) -> bool:
        """Whether a word can only be the first person's."""
        return self._count(1) > 0

    def _count(self, person: int) -> int:
        """How many words can only be that person's."""
        return sum(_is_of(word, person) for word in self._line)

    @cached_property
    def third_gender(self) -> Gender | None:
        """The gender that the third person has where it shows."""
        masculine = feminine = 0
        for word in self._line:
            function = None if word.is_mark else function_parse(word.letters)
            if function is not None and function.sort == "he":
                masculine += 2 * (function.base == "هو")
                feminine += 2 * (function.base == "هي")
            elif len(word.letters) > 3:
                masculine += word.letters.endswith("ه")
                feminine += word.letters.endswith("ها")
        if masculine == feminine:
            return None
        return "masculine" if masculine > feminine else "feminine"


def _is_of(word: Word, person: int) -> bool:
    """Whether a word can only be said of that person, the first or the second."""
    if word.is_mark:
        return False
    function = function_parse(word.letters)
    if function is not None and function.suffix is not None:
        return function.suffix.person == person
    if function is not None:
        return function.sort in _PRONOUNS[person]
    exact = [parse for parse in verb_parses(word.letters) if parse.exact]
    if not exact:
        return False
    mine = person == 1 and word.letters.endswith("ني")
    return mine or all(parse.cell.person == person for parse in exact)
