"""What the words of a stretch are where they stand: verb or noun, and of which person."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic.letters import (
    DAMMA,
    FATHA,
    KASRA,
    SUKUN,
    TANWIN_FATH,
    folded,
)
from epicene.languages.rewriting.arabic.lexicon import function_words, verb_list
from epicene.languages.rewriting.arabic.parsing import (
    FunctionParse,
    NounParse,
    VerbParse,
    function_parse,
    guessed_verbs,
    noun_parses,
    thing_of,
    verb_parses,
)
from epicene.languages.rewriting.arabic.fixed import is_somebody
from epicene.languages.rewriting.arabic.words import Line, ending_vowel
from epicene.languages.rewriting.people import other

if TYPE_CHECKING:
    from epicene.languages.rewriting.arabic.conjugation import Mood
    from epicene.languages.rewriting.arabic.voices import Voice
    from epicene.languages.rewriting.people import Gender, Wanted

_VERB_PARTICLES = frozenset(
    "قد لقد سوف لم لن كي لكي كلما لما عندما حين بينما إذا لو ريثما حتى".split()
)
# Adverbs that may be adjectives in the accusative.
ADJECTIVAL_ADVERBS = frozenset("جيدا طويلا قريبا بعيدا سريعا مبكرا عاليا جدا".split())
_WITHOUT_HAMZA = frozenset("انا انت ان انه انها انك اني انني الى اذا او ايضا اين وانا فانا وانت لان لاني".split())
_QUESTION = frozenset("؟?")


class Reading:
    """A stretch of words, with what is asked of each of them again and again."""

    def __init__(self, line: Line, voice: Voice, wanted: Wanted) -> None:
        self.line = line
        self.voice = voice
        self.wanted = wanted

    def function(self, at: int) -> FunctionParse | None:
        """The word as a function word."""
        word = self.line[at]
        if word.is_mark:
            return None
        function = function_parse(word.letters)
        if word.letters == "وفي" and not self.line[at + 1].is_mark:  # and in, not loyal
            return FunctionParse("و", "prepositions", "في")
        if function is not None and TANWIN_FATH in word.text and function.sort != "adverbs":
            return None
        if function is None:
            return None
        if function.base == "ام" and self._is_mother(at):
            return None
        if word.letters == "كوني" and self.line.begins(at):  # the imperative
            return None
        return None if self._is_adjective_here(at) else function

    def _is_mother(self, at: int) -> bool:
        """أم where nobody is asked which of two."""
        if self.is_thing(at - 1) or self.is_preposition(at - 1):
            return True
        start, _ = self.line.sentence(at)
        return not self.asks(at) and not any(
            self.line[place].letters.startswith("أ") and self._has_question(place)
            for place in range(start, at)
        )

    def _has_question(self, at: int) -> bool:
        nouns, verbs = noun_parses(self.line[at].letters), verb_parses(self.line[at].letters)
        return any(p.prefix.letters.startswith("أ") for p in nouns if p.lemma.known) or any(
            p.prefix.startswith("أ") for p in verbs[:1]
        )

    def _is_adjective_here(self, at: int) -> bool:
        """كنت طويلًا: what is an adverb elsewhere, said of somebody."""
        if self.line[at].key not in ADJECTIVAL_ADVERBS:
            return False
        before = verb_parses(self.line[at - 1].letters)
        copular = any(folded(p.verb.perfect) in verb_list("copular") for p in before)
        return copular and not any(p.lemma.adjective for p in self.known_nouns(at + 1))

    def key(self, at: int) -> str:
        """The base of a function word, else the folded word."""
        function = self.function(at)
        return function.base if function else self.line[at].key

    def is_preposition(self, at: int) -> bool:
        """Whether a preposition without a pronoun stands there."""
        function = self.function(at)
        return function is not None and function.sort == "prepositions" and not function.suffix

    def is_thing(self, at: int) -> bool:
        """Whether it is a noun that is not a person."""
        return bool(thing_of(self.line[at].letters))

    def nouns(self, at: int) -> tuple[NounParse, ...]:
        """The word as a word for people; nothing if it is a mark, a thing or a function word."""
        word = self.line[at]
        if word.is_mark or self.function(at) or not word.key[:1].isalpha() or self._is_name(at):
            return ()
        parses = noun_parses(word.letters)
        if parses and not parses[0].lemma.known and self.is_thing(at):
            return ()
        return parses

    def known_nouns(self, at: int) -> tuple[NounParse, ...]:
        """The same, from the lists, or with the ending of men in the plural."""
        return tuple(
            p for p in self.nouns(at) if p.lemma.known or (p.lemma.person and p.prefix.article)
        )

    def is_nominal(self, at: int) -> bool:
        """Whether a noun of whatever kind stands there, not a verb or a function word."""
        word = self.line[at]
        return not word.is_mark and self.function(at) is None and not self.verbs(at)

    # --- verbs ---------------------------------------------------------------------------

    def verbs(self, at: int) -> tuple[VerbParse, ...]:
        """The word as a verb, if it is one where it stands."""
        word = self.line[at]
        if word.is_mark or self.function(at) or self._is_name(at):
            return ()
        parses = verb_parses(word.letters)
        if word.letters.endswith("ة") or TANWIN_FATH in word.text:
            return ()
        before = self.function(at - 1)
        if is_somebody(word.letters) or (
            self._asks_for_noun(before)
            and not (before.base == "من" and self._is_verb_alone(parses))
        ):
            return ()
        if before and before.base in _VERB_PARTICLES and parses:
            return parses
        if not parses:
            return guessed_verbs(word.letters) if self._is_verb_place(at) else ()
        if self._is_possessed(at, parses):
            return ()
        if not self._is_noun_too(at):
            return parses
        return parses if self._is_verb_place(at) or self._opens_report(at, parses) else ()

    def _is_possessed(self, at: int, parses: tuple[VerbParse, ...]) -> bool:
        """انخفاض ضغط الدم: after a thing without the article, a noun rather than a verb."""
        bare = parses[0].cell.tense == "perfect" and not parses[0].prefix and not parses[0].suffix
        before = thing_of(self.line[at - 1].letters)
        return bare and before is not None and not before.suffixed and "ال" not in before.prefix

    def _opens_report(self, at: int, parses: tuple[VerbParse, ...]) -> bool:
        """ظهر في, قدم دورًا: a noun by its looks, but a verb where a clause begins."""
        told = [p for p in parses if p.exact and p.cell.tense == "perfect" and not p.suffix]
        if not told or not self.opens_clause(at) or "ال" in told[0].prefix:
            return False
        if any(p.form.number == "singular" and p.lemma.known for p in self.nouns(at)):
            return False
        after = self.nouns(at + 1)
        return not any(p.lemma.adjective and not p.definite and not p.form.nunated for p in after)

    @staticmethod
    def _is_verb_alone(parses: tuple[VerbParse, ...]) -> bool:
        """Whether the first reading says so in its spelling: من سيفعل, من كنت."""
        if not parses or not parses[0].exact:
            return False
        return parses[0].cell.tense == "imperfect" or parses[0].verb.perfect == "كان"

    @staticmethod
    def _asks_for_noun(before: FunctionParse | None) -> bool:
        """Whether a preposition or a demonstrative stands before, with nothing joined to it."""
        if before is None or before.suffix or before.base in {"حتي", "منذ", "مذ"}:
            return False
        return before.sort == "prepositions" or (
            before.sort == "demonstratives" and not before.prefix
        )

    def _is_noun_too(self, at: int) -> bool:
        letters = self.line[at].letters
        verb = verb_parses(letters)[0]
        return self.is_thing(at) or any(
            parse.lemma.known
            and len(parse.prefix.letters) <= len(verb.prefix)
            and (not parse.prefix.preposition or bool(verb.suffix))
            for parse in noun_parses(letters)
        )

    def _is_verb_place(self, at: int) -> bool:
        """Whether what stands before the word asks for a verb."""
        before = self.function(at - 1)
        if before is None:
            return False
        return (
            before.sort in {"relatives", "negations"}
            or before.base in _VERB_PARTICLES
            or (
                before.base in {"ان", "انت", "هل", "لا", "الا"}
                or (
                    before.sort == "inna"
                    and before.suffix is not None
                    and before.suffix.person == 2
                )
            )
        )

    def is_passive(self, at: int) -> bool:
        """Whether the first vowel of a verb is written, and is that of the passive."""
        return DAMMA in self.line[at].text[:4]

    def opens_clause(self, at: int) -> bool:
        """Whether nothing stands before the word in its clause but particles."""
        before = self.function(at - 1)
        if before is None or before.sort not in {"negations", "adverbs"}:
            return self.line.begins(at)
        return before.prefix[:1] in {"و", "ف"} or self.opens_clause(at - 1)

    def mood(self, at: int, parse: VerbParse) -> Mood:
        """The mood that the words before a verb of the imperfect ask for."""
        if parse.prefix.endswith("ل"):
            return "short" if parse.prefix == "فل" else "cut"
        before = self.function(at - 1)
        if before is None or before.suffix is not None:
            return "full"
        if before.base in {"لم", "الم"}:
            return "short"
        if before.base in function_words()["subjunctive"]:
            asks = before.base == "الا" and self.line.begins(at - 1)  # ألا ترغب؟
            return "full" if asks else "cut"
        if before.base == "لا" and self._is_that(at - 2):
            return "cut"
        if before.base == "لا" and self._is_prohibition(at, parse):
            return "short"
        return "full"

    def _is_that(self, at: int) -> bool:
        function = self.function(at)
        return function is not None and not function.suffix and function.base in {"ان", "كي", "لكي"}

    def _is_prohibition(self, at: int, parse: VerbParse) -> bool:
        if parse.cell.person != 2 or folded(parse.verb.perfect) in verb_list("stative"):
            return False
        before = self.function(at - 2)
        if before and (
            before.sort in {"you", "inna", "relatives"}
            or before.base in {"هل", "لماذا", "لم", "ما", "كيف", "الذي", "التي"}
        ):
            return False
        return not self.is_question

    def asks(self, at: int) -> bool:
        """Whether the sentence around a place ends in a question mark."""
        _, end = self.line.sentence(at)
        return self.line[end].text[:1] in _QUESTION

    @cached_property
    def is_question(self) -> bool:
        """Whether a question mark stands anywhere."""
        return any(word.text[:1] in _QUESTION for word in self.line)

    # --- who is meant --------------------------------------------------------------------

    @cached_property
    def first_person(self) -> int:
        """How many words can only be the first person's."""
        return sum(self._is_person(at, 1) for at in range(len(self.line)))

    @cached_property
    def second_person(self) -> int:
        """How many words can only be the second person's."""
        return sum(self._is_person(at, 2) for at in range(len(self.line)))

    def _is_person(self, at: int, person: int) -> bool:
        function = self.function(at)
        if function is not None:
            if function.suffix is not None:
                return function.suffix.person == person
            return function.sort in (
                {"I", "we"} if person == 1 else {"you", "you all", "you two"}
            ) or (person == 2 and function.base == "يا")
        word = self.line[at]
        if word.is_mark:
            return False
        parses = verb_parses(word.letters)
        exact = [parse for parse in parses if parse.exact]
        if not exact:
            return False
        if person == 1 and word.letters.endswith("ني"):
            return True
        return all(parse.cell.person == person for parse in exact)

    @cached_property
    def drops_hamza(self) -> bool:
        """Whether the line leaves out the hamza of أنا, أن, إلى and their kin."""
        return any(word.letters in _WITHOUT_HAMZA for word in self.line)

    def _is_name(self, at: int) -> bool:
        """Whether a word stands alone in brackets, as names do in some texts."""
        return self.line[at - 1].text == "(" and self.line[at + 1].text == ")"

    @cached_property
    def third_gender(self) -> Gender:
        """The gender that the third person has where it shows; else not the one asked for."""
        counts = {"masculine": 0, "feminine": 0}
        for at, word in enumerate(self.line):
            function = self.function(at)
            if function is not None and function.sort == "he":
                counts["masculine" if function.base == "هو" else "feminine"] += 2
            elif not word.is_mark and len(word.letters) > 3:
                counts["masculine"] += word.letters.endswith("ه")
                counts["feminine"] += word.letters.endswith("ها")
        if counts["masculine"] != counts["feminine"]:
            return "masculine" if counts["masculine"] > counts["feminine"] else "feminine"
        return other(self.wanted["others"]) if "others" in self.wanted else "masculine"

    @cached_property
    def prior(self) -> tuple[int, ...]:
        """Which person a form is taken for that can be several, the likeliest first."""
        first, second = self.voice.speaker in self.wanted, self.voice.listener in self.wanted
        if first and second:
            asked = self.is_question and not self.first_person
            return (2, 1, 3) if asked or self.second_person > self.first_person else (1, 2, 3)
        if first:
            return (1, 3, 2)
        if second:
            return (2, 1, 3)
        return (3, 1, 2)

    def by_vowel(self, at: int, parses: tuple[VerbParse, ...]) -> tuple[VerbParse, ...]:
        """The readings that the vowel on a final ت allows."""
        word = self.line[at]
        if not word.letters.endswith("ت"):
            return parses
        persons = {DAMMA: 1, FATHA: 2, KASRA: 2, SUKUN: 3}
        person = persons.get(ending_vowel(word))
        kept = tuple(parse for parse in parses if parse.cell.person == person)
        return kept or parses
