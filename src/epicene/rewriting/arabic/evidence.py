"""What a passage as a whole shows about the persons of its verbs, and about their genders."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from epicene.rewriting.arabic.analysis import (
    analyse_function_word,
    analyse_noun,
    analyse_thing,
    analyse_verb,
)
from epicene.rewriting.arabic.spelling import TANWIN_FATH

if TYPE_CHECKING:
    from epicene.rewriting.arabic.line import Line, Token
    from epicene.rewriting.persons import Gender, Person, TargetGenders
    from epicene.rewriting.quotations import Interlocutors

_WITHOUT_HAMZA = frozenset(
    "انا انت ان انه انها انك اني انني الى اذا او ايضا اين وانا فانا وانت لان لاني".split()
)
_OF_COMPUTERS = frozenset("اتصال شبكة خطأ استجابة إنترنت بيانات طلب خدمة بريد منفذ".split())
_QUESTION = frozenset("؟?")
_PRONOUNS = {1: {"I", "we"}, 2: {"you", "you all", "you two", "vocatives"}}


class PassageEvidence:
    """What a passage as a whole shows about the persons of its verbs, and about their genders."""

    def __init__(self, line: Line, interlocutors: Interlocutors, wanted: TargetGenders) -> None:
        self._line = line
        self._interlocutors = interlocutors
        self._wanted = wanted
        # Whether a gender is wanted for whoever is addressed here.
        self.addresses = interlocutors.listener in wanted

    def wants(self, role: Person) -> Gender | None:
        """The gender wanted for a person, None if they are left as they are."""
        return self._wanted.get(role)

    def asks_for(self, role: str) -> bool:
        """Whether a gender is wanted for a person."""
        return role in self._wanted

    def says_i_beside(self, at: int) -> bool:
        """Whether a word other than this one can only be first person, or is something of mine."""
        return any(
            index != at and (_is_only_of_person(word, 1) or _is_mine(word))
            for index, word in enumerate(self._line.tokens)
        )

    @cached_property
    def is_question(self) -> bool:
        """Whether the passage has a question mark."""
        return any(word.text[:1] in _QUESTION for word in self._line.tokens)

    def asks(self, at: int) -> bool:
        """Whether the sentence around a word ends in a question mark."""
        _, end = self._line.sentence(at)
        return self._line[end][:1] in _QUESTION

    @cached_property
    def drops_hamza(self) -> bool:
        """Whether the line omits the hamza of frequent words such as أنا, أن and إلى."""
        return any(word.letters in _WITHOUT_HAMZA for word in self._line.tokens)

    @cached_property
    def prior(self) -> tuple[int, ...]:
        """The persons that an ambiguous form may have, the likeliest first."""
        first = self._interlocutors.speaker in self._wanted
        second = self._interlocutors.listener in self._wanted
        if first and second:
            firsts, seconds = self._count(1), self._count(2)
            asked = self.is_question and not firsts
            return (2, 1, 3) if asked or seconds > firsts else (1, 2, 3)
        if first:
            return (1, 3, 2)
        return (2, 1, 3) if second else (3, 1, 2)

    @cached_property
    def is_between_us(self) -> bool:
        """Whether the passage speaks to somebody, and of nobody else."""
        return (
            self.third_gender is None
            and self.says_your
            and not any(
                parse.lemma.known and parse.lemma.person
                for word in self._line.tokens
                if word.is_word
                for parse in analyse_noun(word.letters)[:1]
            )
        )

    @cached_property
    def is_technical(self) -> bool:
        """Whether the passage is about computers."""
        return any(word.letters.removeprefix("ال") in _OF_COMPUTERS for word in self._line.tokens)

    @cached_property
    def says_i(self) -> bool:
        """Whether some word can only be first person."""
        return self._count(1) > 0

    @cached_property
    def says_my(self) -> bool:
        """Whether somebody is the speaker's and nothing a woman's: أخي, أصدقائي."""
        return self.third_gender != "feminine" and any(
            parse.lemma.person and parse.suffix is not None and parse.suffix.person == 1
            for word in self._line.tokens
            if word.is_word and word.letters.endswith(("ي", "نا"))
            for parse in analyse_noun(word.letters)[:1]
        )

    @cached_property
    def names_woman(self) -> bool:
        """Whether a woman is named, or something may be hers: الطبيبة, هي, عملها."""
        return any(
            word.letters.endswith(("ها", "هي"))
            or any(
                parse.lemma.known and parse.lemma.person and parse.form.gender == "feminine"
                for parse in analyse_noun(word.letters)[:1]
            )
            for word in self._line.tokens
            if word.is_word
        )

    @cached_property
    def says_your(self) -> bool:
        """Whether some word has the suffix of the second person: بك, حسابك."""
        return any(_is_yours(word) for word in self._line.tokens)

    def _count(self, person: int) -> int:
        """The number of words that can only be of that person."""
        return sum(_is_only_of_person(word, person) for word in self._line.tokens)

    @cached_property
    def third_gender(self) -> Gender | None:
        """The gender that most third-person pronouns of the passage show."""
        masculine = feminine = 0
        for word in self._line.tokens:
            function = analyse_function_word(word.letters) if word.is_word else None
            if function is not None and function.kind == "he":
                masculine += 2 * (function.base == "هو")
                feminine += 2 * (function.base == "هي")
            elif len(word.letters) > 3 and TANWIN_FATH not in word.text:
                masculine += word.letters.endswith("ه")
                feminine += word.letters.endswith("ها")
        if masculine == feminine:
            return None
        return "masculine" if masculine > feminine else "feminine"


def _is_only_of_person(word: Token, person: int) -> bool:
    """Whether all readings of a word are of that person, the first or the second."""
    if not word.is_word:
        return False
    function = analyse_function_word(word.letters)
    if function is not None and function.suffix is not None:
        return function.suffix.person == person
    if function is not None:
        return function.kind in _PRONOUNS[person]
    exact = [parse for parse in analyse_verb(word.letters) if parse.exact]
    if not exact or word.letters == "آسف":  # I regret, or sorry
        return False
    mine = person == 1 and word.letters.endswith("ني")
    return mine or all(parse.cell.person == person for parse in exact)


def _is_mine(word: Token) -> bool:
    """Whether the word is something or somebody of the speaker's: عملي, أخي."""
    if not word.is_word or not word.letters.endswith("ي"):
        return False
    thing = analyse_thing(word.letters)
    return (thing is not None and thing.suffixed) or any(
        parse.lemma.known and parse.suffix is not None for parse in analyse_noun(word.letters)[:1]
    )


def _is_yours(word: Token) -> bool:
    """Whether the word has the suffix of the second person."""
    letters = word.letters
    if not word.is_word or not letters.endswith("ك"):
        return False
    if (function := analyse_function_word(letters)) is not None:
        return function.suffix is not None and function.suffix.person == 2
    if (thing := analyse_thing(letters)) is not None:
        return thing.suffixed
    nouns = [parse for parse in analyse_noun(letters) if parse.lemma.known]
    return bool(nouns) and nouns[0].suffix is not None
