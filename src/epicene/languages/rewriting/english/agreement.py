"""Which verbs agree with a subject pronoun, found without a tagger.

The verb is before its subject in an inversion and after it otherwise, past adverbs and asides;
verbs joined by "and" or a comma belong to the nearest subject that they can agree with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.rewriting.english import verbs
from epicene.languages.rewriting.english.line import PAUSES
from epicene.languages.rewriting.english.number import PLURAL, SINGULAR, Number

if TYPE_CHECKING:
    from collections.abc import Collection

    from epicene.languages.rewriting import Sureness
    from epicene.languages.rewriting.english.line import Line
    from epicene.languages.rewriting.english.mentions import Mention


class Agreeing(NamedTuple):
    """A verb's token, by which rule it agrees, and how surely."""

    index: int
    rule: str
    sure: Sureness


_SUBJECTS = frozenset("i you he she it we they there".split())
_REPORTING = frozenset(
    "says say asks ask thinks think cries cry replies reply answers answer".split()
)
# Modals and auxiliaries by their looks, infinitives after "does she".
_INFINITIVES = frozenset({"need", "dare", "do", "have"})
_RELATIVES = frozenset({"who", "which"})
_ALSO_PREPOSITIONS = frozenset("as since until till before after once that".split())
_LONGEST_ASIDE = 12
_LONGEST_QUOTATION = 400
_CLOSING = {"(": ")", "[": "]", "—": "—", "–": "–", "--": "--", "-": "-", ",": ",", "“": "”"}


def agreeing_verbs(line: Line, mention: Mention, subjects: Collection[int]) -> list[Agreeing]:
    """The verbs that agree with a mention; `subjects` are the tokens of all subject mentions."""
    number = PLURAL if mention.plural_verbs else SINGULAR
    return _Search(line, number, subjects).of(mention)


class _Search:
    """One line searched for the verbs of one number."""

    def __init__(self, line: Line, number: Number, subjects: Collection[int]) -> None:
        self.line = line
        self.number = number
        self.subjects = subjects

    def of(self, mention: Mention) -> list[Agreeing]:
        inverted = self._inverted(mention)
        if inverted is not None:
            return inverted
        index = self._finite(mention.last + 1)
        if index is None:
            return []
        found: list[Agreeing] = []
        if self.line[index] == "who":
            found += self._relative(index)
            index = self._main_after(found[-1].index if found else index)
            if index is None:
                return found
        if self._agrees(index, mention.last):
            found.append(Agreeing(index, "verb of the subject", "certain"))
        return found + self._conjuncts(index, mention.first)

    # --- the subject's own verb ----------------------------------------------------------

    def _agrees(self, index: int, subject: int) -> bool:
        word = self.line[index]
        if word in self.number.auxiliaries:
            return True
        if word in self.number.clitics:
            return index == subject + 1
        if word in self.line.lexicon.modals or not self.line.is_word(index):
            return False
        return self.number.may_be(self.line, index)

    def _inverted(self, mention: Mention) -> list[Agreeing] | None:
        """The auxiliary before its subject, if there is one: "does she", "nor has he"."""
        line, lexicon = self.line, self.line.lexicon
        at = mention.first - 1
        if line[at] in {"n't", "not"}:
            at -= 1
        word = line[at]
        if self._reported(at, mention.last):
            return [Agreeing(at, "inverted verb of saying", "likely")]
        contracted = word in self.number.clitics and line[at - 1] in lexicon.wh_words
        auxiliary = word in self.number.auxiliaries or contracted
        if not auxiliary and word not in lexicon.modals:
            return None
        after = line.after_adverbs(mention.last + 1)
        if line[after] not in _INFINITIVES and self._finite_here(after, asks=self._asks(at)):
            return None
        return [Agreeing(at, "inverted auxiliary", "certain")] if auxiliary else []

    def _reported(self, at: int, subject: int) -> bool:
        return (
            self.line[at] in _REPORTING
            and self.number.may_be(self.line, at)
            and not self.line.is_word(at - 1)
            and not self.line.is_word(subject + 1)
        )

    def _asks(self, auxiliary: int) -> bool:
        """Whether a question begins at the auxiliary, or a question word does just before."""
        line = self.line
        if line.begins(auxiliary) or not line.is_word(auxiliary - 1):
            return True
        before = line.words[max(0, auxiliary - 4) : auxiliary]
        return any(word in line.lexicon.wh_words or word in {"nor", "neither"} for word in before)

    def _finite_here(self, index: int, *, asks: bool) -> bool:
        """Whether the verb after the subject is finite, so that what stands before is not its."""
        word, lexicon = self.line[index], self.line.lexicon
        if word in self.number.auxiliaries or word in lexicon.modals or word in self.number.clitics:
            return True
        if lexicon.is_past(word):
            return not asks and word not in lexicon.participles
        return self.number is SINGULAR and lexicon.is_s_verb(word)

    def _finite(self, index: int) -> int | None:
        """The token where the subject's verb must be, past adverbs and asides."""
        line = self.line
        while True:
            index = line.after_adverbs(index)
            if line[index] not in _CLOSING:
                return index if line.is_word(index) else None
            closed = self._closed(index)
            if closed is None:
                return None
            index = closed

    def _closed(self, index: int) -> int | None:
        """The token after an aside that opens at `index`, if a verb stands there."""
        line, mark = self.line, _CLOSING[self.line[index]]
        for at in range(index + 1, min(index + _LONGEST_ASIDE, len(line))):
            if line[at] == mark:
                after = line.after_adverbs(at + 1)
                return after if self._verb_like(after) else None
            if line.stops(at) or line[at] == '"':
                break
        return None

    def _verb_like(self, index: int) -> bool:
        word, lexicon = self.line[index], self.line.lexicon
        return (
            word in self.number.auxiliaries
            or word in lexicon.modals
            or lexicon.is_past(word)
            or lexicon.is_s_verb(word)
            or (self.number is PLURAL and word in lexicon.verbs)
        )

    def _relative(self, who: int) -> list[Agreeing]:
        """ "he who laughs": the verb of the clause agrees too."""
        index = self._finite(who + 1)
        if index is None or not self._agrees(index, -1):
            return []
        return [Agreeing(index, "verb of a relative clause", "likely")]

    def _main_after(self, index: int) -> int | None:
        for at in range(index + 1, len(self.line)):
            if self.line.stops(at):
                return None
            if self._verb_like(at):
                return at
        return None

    # --- verbs joined to it -------------------------------------------------------------

    def _conjuncts(self, verb: int, subject: int) -> list[Agreeing]:
        """The verbs that share the subject of the verb at that token."""
        return _Walk(self, verb, subordinate=self._subordinate(subject)).found()

    def _subordinate(self, subject: int) -> bool:
        """Whether the subject's clause depends on another, whose verb may follow a comma."""
        before, lexicon = self.line[subject - 1], self.line.lexicon
        return before in lexicon.subordinators or before in lexicon.wh_words or before == "so"


class _Walk:
    """The way right from a verb, as far as its subject may hold.

    `other` says that another subject of the same number came since: "soft" where a comma and
    "and" lead back to ours, "hard" where they do not.
    """

    def __init__(self, search: _Search, verb: int, *, subordinate: bool) -> None:
        self.search = search
        self.line = search.line
        self.number = search.number
        self.at = verb + 1
        self.quoted = search.line.inside_quotes(verb)
        self.other = ""
        self.listed = False
        self.subordinate = subordinate
        self.bare = search.line[verb] in search.line.lexicon.modals

    def found(self) -> list[Agreeing]:
        found: list[Agreeing] = []
        while self.at < len(self.line) and not self._leaves():
            if self._skips_quotation():
                continue
            joined = self._joined()
            if joined is not None:
                found.append(joined)
                self.at = joined.index
            else:
                self._notice()
            self.at += 1
        return found

    def _leaves(self) -> bool:
        word = self.line[self.at]
        return (
            self.line.stops(self.at)
            or self.at in self.search.subjects
            or word in {"”", ")"}
            or (word == '"' and self.quoted)
        )

    def _skips_quotation(self) -> bool:
        """Move past a quotation or an aside in brackets."""
        closing = {'"': '"', "“": "”", "(": ")"}.get(self.line[self.at])
        if closing is None:
            return False
        closed = self.line.closing(self.at, closing, _LONGEST_QUOTATION)
        self.at = len(self.line) if closed is None else closed + 1
        return True

    def _joined(self) -> Agreeing | None:
        """The verb that a coordinator or a comma here joins to ours."""
        line, word = self.line, self.line[self.at]
        coordinates = word in line.lexicon.coordinators
        if not coordinates and word not in PAUSES:
            return None
        if word == "but" and line[self.at - 1] in {"nothing", "anything", "all", "none"}:
            return None
        index = line.after_adverbs(self.at + 1)
        if coordinates and line[index] == ",":
            index = self.search._closed(index) or index
        sure = self._sure(index, coordinates=coordinates)
        if sure is None or not (coordinates or self._in_list(index)):
            return None
        if self.other:
            self.listed |= not coordinates
            back = coordinates and line[self.at - 1] == "," and not self.listed
            if self.other == "hard" or not back:
                return None
            sure = "guess"
        self.other, self.bare = "", False
        self.listed |= not coordinates
        return Agreeing(index, "joined verb", sure)

    def _sure(self, index: int, *, coordinates: bool) -> Sureness | None:
        line = self.line
        if line[index] in self.number.auxiliaries:
            if line[index + 1] in _SUBJECTS or (self.bare and self.number is PLURAL):
                return None
            return "likely"
        if self.bare and self.number is PLURAL:
            return None
        return self.number.conjunct(line, self.at, index)

    def _in_list(self, index: int) -> bool:
        """Whether a verb after a comma is one of a list: ", is what I meant" is not."""
        if self.listed:
            return True
        auxiliary = self.line[index] in self.number.auxiliaries
        if auxiliary == self.subordinate:
            return not auxiliary
        for at in range(index + 1, len(self.line)):
            if self.line.stops(at) or self.line[at] in _SUBJECTS:
                return False
            if self.line[at] in {"and", "or", "&"}:
                return self.search._verb_like(self.line.after_adverbs(at + 1))
        return False

    def _notice(self) -> None:
        """Remember what changes whose verb comes next."""
        line, word = self.line, self.line[self.at]
        lexicon = line.lexicon
        self.subordinate |= word in lexicon.subordinators and word not in _ALSO_PREPOSITIONS
        if word in _RELATIVES or (word == "that" and self.search._verb_like(self.at + 1)):
            self.other = "hard"
        elif word in lexicon.plural_subjects:
            if self.number is PLURAL and word != "you":
                self.other = "hard"
        elif word in lexicon.singular_subjects:
            if self.number is SINGULAR and self.search._verb_like(line.after_adverbs(self.at + 1)):
                self.other = self.other or "soft"
        elif self._others_verb():
            self.other = self.other or "soft"
        if self.number is PLURAL and (word == "to" or word in lexicon.modals):
            self.bare = line[self.at + 1] in lexicon.verbs or word != "to"

    def _others_verb(self) -> bool:
        """Whether a verb of our number stands here whose subject is the noun before it."""
        line, word, before = self.line, self.line[self.at], self.at - 1
        lexicon = line.lexicon
        if word in self.number.auxiliaries:
            return True
        if self.number is PLURAL:
            return False
        if not lexicon.is_s_verb(word) or line[before] in lexicon.determiners:
            return False
        if word in lexicon.surely_verbs and verbs.plural(word) not in lexicon.nouns_first:
            return True
        named = line.is_capital(before) or line[before] in lexicon.singular_subjects
        return named or line[before - 1] in lexicon.determiners
