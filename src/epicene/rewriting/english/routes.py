"""Routes to analyse a text with pronouns: by rules, or by rules corrected with a spaCy parse.

On text with known answers, the rules are right more often than a small pipeline about cases and
about "is" and "has", so a parse is used only where it was found to help: verbs coordinated at a
distance, and objects that are subjects of a bare verb.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

from epicene.rewriting.english.agreement import AgreeingVerb, agreeing_verbs
from epicene.rewriting.english.cases import CaseDecision, decide_case
from epicene.rewriting.english.line import PAUSES
from epicene.rewriting.english.number import PLURAL, SINGULAR, VerbNumber, means_has
from epicene.rewriting.english.outer_verbs import correct_has, correct_verbs
from epicene.rewriting.english.possessives import correct_case

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.rewriting import Confidence
    from epicene.rewriting.english.frames import LineWithMentions, Mention
    from epicene.rewriting.english.line import Line


class PronounAnalysis(Protocol):
    """The analysis of a text with pronouns: cases, agreeing verbs, and 's."""

    def case(self, mention: Mention) -> CaseDecision:
        """The case of the mention."""

    def verbs(self, mention: Mention) -> Sequence[AgreeingVerb]:
        """The verbs that agree with a mention that is a subject."""

    def has(self, clitic: int) -> tuple[bool, Confidence]:
        """Whether the 's at that token is "has" rather than "is", and the confidence."""


class Route(Protocol):
    """A way to analyse texts."""

    name: str

    def read(self, found: Sequence[LineWithMentions]) -> Iterator[PronounAnalysis]:
        """An analysis of each text, in order."""


class FirstAnalysis:
    """An analysis by the first rules, as stored runs of the suites were made."""

    def __init__(self, line: Line, mentions: Sequence[Mention]) -> None:
        self.line = line
        decided = {mention: self._decide(mention) for mention in mentions}
        self.cases = decided
        self.subjects = frozenset(
            mention.first for mention, found in decided.items() if found.case == "nominative"
        )

    def _decide(self, mention: Mention) -> CaseDecision:
        return decide_case(self.line, mention)

    def case(self, mention: Mention) -> CaseDecision:
        return self.cases[mention]

    def verbs(self, mention: Mention) -> list[AgreeingVerb]:
        return agreeing_verbs(self.line, mention, self.subjects)

    def has(self, clitic: int) -> tuple[bool, Confidence]:
        return means_has(self.line, clitic)


class RulesAnalysis(FirstAnalysis):
    """An analysis by the words around, without a tagger."""

    def _decide(self, mention: Mention) -> CaseDecision:
        return correct_case(self.line, mention) or super()._decide(mention)

    def verbs(self, mention: Mention) -> list[AgreeingVerb]:
        found = self._found_verbs(mention)
        return correct_verbs(self.line, mention, found, self.subjects)

    def _found_verbs(self, mention: Mention) -> list[AgreeingVerb]:
        return super().verbs(mention)

    def has(self, clitic: int) -> tuple[bool, Confidence]:
        corrected = correct_has(self.line, clitic)
        return super().has(clitic) if corrected is None else (corrected, "likely")


class FirstRulesRoute:
    """The route of the first rules, which never change: requests of stored runs are made by it."""

    name = "rules"

    def read(self, found: Sequence[LineWithMentions]) -> Iterator[PronounAnalysis]:
        for line, mentions in found:
            yield FirstAnalysis(line, mentions)


class RulesRoute:
    """The route without a tagger."""

    name = "rules"

    def read(self, found: Sequence[LineWithMentions]) -> Iterator[PronounAnalysis]:
        for line, mentions in found:
            yield RulesAnalysis(line, mentions)


_SUBJECT = frozenset({"nsubj", "nsubjpass"})
_FINITE = frozenset({"VBZ", "VBP", "VBD"})
_AUXILIARY = frozenset({"aux", "auxpass"})

# A pipeline knows no neopronouns; it is shown a pronoun of the same cases instead.
_STAND_INS = {
    ("nominative",): "she",
    ("accusative",): "him",
    ("dependent",): "their",
    ("independent",): "hers",
    ("reflexive",): "herself",
    ("accusative", "dependent"): "her",
    ("dependent", "independent"): "his",
}
_BATCH_SIZE = 64
_MAX_TOKENS = 5000  # tokens; a parse of more takes gigabytes
_KNOWN_PRONOUNS = frozenset(
    "he him his himself she her hers herself they them their theirs".split()
)


class ParseAnalysis(RulesAnalysis):
    """An analysis by rules, corrected by a parse of the same tokens."""

    def __init__(self, line: Line, mentions: Sequence[Mention], doc: Any) -> None:
        self.doc = doc
        super().__init__(line, mentions)

    def case(self, mention: Mention) -> CaseDecision:
        by_rules = super().case(mention)
        ambiguous = by_rules.sure == "likely" and "accusative" in mention.cases
        if self.line.begins(mention.first) or correct_case(self.line, mention):
            return by_rules
        if (
            ambiguous
            and by_rules.case == "dependent"
            and _is_subject_of_nonfinite(self.doc[mention.last])
        ):
            return CaseDecision("accusative", "the parse has a subject of a bare verb", "guess")
        return by_rules

    def _found_verbs(self, mention: Mention) -> list[AgreeingVerb]:
        by_rules = super()._found_verbs(mention)
        subject = self.doc[mention.last]
        if subject.dep_ not in _SUBJECT:
            return by_rules
        number = PLURAL if mention.plural_verbs else SINGULAR
        found = {each.token: each for each in by_rules}
        for verb in _coordinated_verbs(subject.head):
            index = _finite_word(verb).i
            if index not in found and self._may_join(index, number):
                found[index] = AgreeingVerb(index, "joined verb", "likely")
        return list(found.values())

    def _may_join(self, index: int, number: VerbNumber) -> bool:
        """Whether a verb coordinated by the parse shows our number and follows nothing nominal."""
        line = self.line
        if self.doc[index].tag_ not in _FINITE:
            return False
        if line[index] not in number.auxiliaries and not number.may_be(line, index):
            return False
        before = index - 1
        while line.lexicon.is_adverb(line[before]):
            before -= 1
        return line[before] in PAUSES or line[before] in line.lexicon.coordinators


def _is_subject_of_nonfinite(token: Any) -> bool:
    """Whether the parse has the token as the subject of an infinitive or a participle."""
    head = token.head
    return bool(token.dep_ == "nsubj" and head.tag_ in {"VB", "VBG"} and head.i > token.i)


def _coordinated_verbs(verb: Any) -> Iterator[Any]:
    """The verbs coordinated with a verb, each without a subject of its own."""
    for child in verb.conjuncts:
        if child.i > verb.i and not any(each.dep_ in _SUBJECT for each in child.children):
            yield child


def _finite_word(verb: Any) -> Any:
    """The finite word of a verb: its first auxiliary, or itself."""
    return next((child for child in verb.children if child.dep_ in _AUXILIARY), verb)


class ParseRoute:
    """The route with a pipeline."""

    name = "spacy"

    def __init__(self, nlp: Any) -> None:
        self.nlp = nlp

    def read(self, found: Sequence[LineWithMentions]) -> Iterator[PronounAnalysis]:
        short = (each for each in found if len(each.line) <= _MAX_TOKENS)
        docs = self.nlp.pipe(map(self._doc, short), batch_size=_BATCH_SIZE)
        for line, mentions in found:
            if len(line) > _MAX_TOKENS:
                yield RulesAnalysis(line, mentions)
            else:
                yield ParseAnalysis(line, mentions, next(docs))

    def _doc(self, found: LineWithMentions) -> Any:
        """The pipeline's document, made of the line's own tokens so that the indices agree."""
        from spacy.tokens import Doc

        tokens = found.line.tokens
        words = [token.text for token in tokens]
        for mention in found.mentions:
            if tokens[mention.last].key not in _KNOWN_PRONOUNS:
                words[mention.last] = _STAND_INS.get(mention.cases, "she")
        spaces = [after.start > token.end for token, after in pairwise(tokens)]
        return Doc(self.nlp.vocab, words=words, spaces=[*spaces, False])
