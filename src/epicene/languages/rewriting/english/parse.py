"""The route with a spaCy pipeline: a parse says whose verb it is, the rules check what it says.

A small pipeline errs in ways that rules do not (an all-capitals line, a noun taken for a verb)
and the other way round, so each question goes to the one that is better at it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from epicene.languages.rewriting.english.cases import Decision
from epicene.languages.rewriting.english.joined import Agreeing
from epicene.languages.rewriting.english.line import PAUSES
from epicene.languages.rewriting.english.number import PLURAL, SINGULAR, Number
from epicene.languages.rewriting.english.reading import Reading, RulesReading

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.languages.rewriting.english.framing import Found
    from epicene.languages.rewriting.english.line import Line
    from epicene.languages.rewriting.english.mentions import Mention

_SUBJECT = frozenset({"nsubj", "nsubjpass"})
_OBJECT = frozenset({"dobj", "pobj", "dative"})
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
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
_BATCH = 64
_LONGEST = 5000  # tokens; a parse of more takes gigabytes
_KNOWN = frozenset("he him his himself she her hers herself they them their theirs".split())


class ParseReading(RulesReading):
    """A reading by rules, corrected by a parse of the same tokens."""

    def __init__(self, line: Line, mentions: Sequence[Mention], doc: Any) -> None:
        self.doc = doc
        super().__init__(line, mentions)

    def case(self, mention: Mention) -> Decision:
        by_rules = super().case(mention)
        if by_rules.sure != "likely" or by_rules.case != "dependent":
            return by_rules
        token = self.doc[mention.last]
        if token.is_upper or "accusative" not in mention.cases:
            return by_rules
        if token.tag_ == "PRP" and _is_object(token):
            return Decision("accusative", "the parse has an object", "guess")
        return by_rules

    def verbs(self, mention: Mention) -> list[Agreeing]:
        by_rules = super().verbs(mention)
        subject = self.doc[mention.last]
        if subject.dep_ not in _SUBJECT:
            return by_rules
        number = PLURAL if mention.plural_verbs else SINGULAR
        found = {each.token: each for each in by_rules if not self._denies(each)}
        for verb in _joined(subject.head):
            index = _finite(verb).i
            if index not in found and self._may_join(index, number):
                found[index] = Agreeing(index, "joined verb", "likely")
        return list(found.values())

    def _denies(self, verb: Agreeing) -> bool:
        """Whether the parse is right to see no agreement: a noun, or "put" in the past."""
        tag = self.doc[verb.token].tag_
        if self.line[verb.token] in self.line.lexicon.unchanging:
            return bool(tag == "VBD")
        return verb.sure == "guess" and tag in _NOUNS

    def _may_join(self, index: int, number: Number) -> bool:
        """Whether a verb that the parse joins shows our number and nothing nominal precedes it."""
        line = self.line
        if self.doc[index].tag_ not in _FINITE:
            return False
        if line[index] not in number.auxiliaries and not number.may_be(line, index):
            return False
        before = index - 1
        while line.lexicon.is_adverb(line[before]):
            before -= 1
        return line[before] in PAUSES or line[before] in line.lexicon.coordinators


def _is_object(token: Any) -> bool:
    """Whether the parse has it as an object, or as the subject of an infinitive or participle."""
    if token.dep_ in _OBJECT:
        return True
    return token.dep_ == "nsubj" and token.head.tag_ in {"VB", "VBG"} and token.head.i > token.i


def _joined(verb: Any) -> Iterator[Any]:
    """The verbs joined to a verb, each without a subject of its own."""
    for child in verb.conjuncts:
        if child.i > verb.i and not any(each.dep_ in _SUBJECT for each in child.children):
            yield child


def _finite(verb: Any) -> Any:
    """The finite word of a verb: its first auxiliary, or itself."""
    return next((child for child in verb.children if child.dep_ in _AUXILIARY), verb)


class ParseRoute:
    """The route with a pipeline."""

    name = "spacy"

    def __init__(self, nlp: Any) -> None:
        self.nlp = nlp

    def read(self, found: Sequence[Found]) -> Iterator[Reading]:
        short = (each for each in found if len(each.line) <= _LONGEST)
        docs = self.nlp.pipe(map(self._doc, short), batch_size=_BATCH)
        for line, mentions in found:
            if len(line) > _LONGEST:
                yield RulesReading(line, mentions)
            else:
                yield ParseReading(line, mentions, next(docs))

    def _doc(self, found: Found) -> Any:
        """The line's own tokens, so that the pipeline's and ours are the same."""
        from spacy.tokens import Doc

        tokens = found.line.tokens
        words = [token.text for token in tokens]
        for mention in found.mentions:
            if tokens[mention.last].lower not in _KNOWN:
                words[mention.last] = _STAND_INS.get(mention.cases, "she")
        spaces = [after.start > token.end for token, after in pairwise(tokens)]
        return Doc(self.nlp.vocab, words=words, spaces=[*spaces, False])
