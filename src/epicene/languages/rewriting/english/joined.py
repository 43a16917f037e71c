"""The verbs that share a subject with a verb before them: she sings and, at times, dances.

They belong to the nearest subject that they can agree with, so the way right from the first verb
is walked with an eye on the subjects that come between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.languages.rewriting.english import verbs
from epicene.languages.rewriting.english.line import ASIDES, PAUSES

if TYPE_CHECKING:
    from collections.abc import Collection

    from epicene.languages.rewriting import Sureness
    from epicene.languages.rewriting.english.line import Line
    from epicene.languages.rewriting.english.number import Number

_SUBJECTS = frozenset("i you he she it we they there".split())
# Subordinators that are as often prepositions, and then begin no clause.
_ALSO_PREPOSITIONS = frozenset("as since until till before after once that".split())
_QUOTATIONS = {'"': '"', "“": "”", "(": ")"}
# In tokens.
_LONGEST_ASIDE = 12
_LONGEST_LIST = 60
_LONGEST_QUOTATION = 400

# Whether another subject of the same number came since ours: by a comma and "and" the way leads
# back from "a clause" but not from "a relative".
Other: TypeAlias = Literal["", "a clause", "a relative"]


class Agreeing(NamedTuple):
    """The token of a verb, by which rule it agrees, and how surely."""

    token: int
    rule: str
    sure: Sureness


def verb_like(line: Line, number: Number, index: int) -> bool:
    """Whether a finite verb may stand there, of that number or of none."""
    word, lexicon = line[index], line.lexicon
    return (
        word in number.auxiliaries
        or word in lexicon.modals
        or lexicon.is_past(word)
        or lexicon.is_s_verb(word)
        or (number.is_base and word in lexicon.verbs)
    )


def aside_ends(line: Line, number: Number, index: int) -> int:
    """The verb after an aside that opens at `index` (", of course, knows"); -1 if none follows."""
    closing = ASIDES[line[index]]
    for at in range(index + 1, min(index + _LONGEST_ASIDE, len(line))):
        if line[at] == closing:
            after = line.after_adverbs(at + 1)
            return after if verb_like(line, number, after) else -1
        if line.stops(at) or line[at] == '"':
            break
    return -1


class Walk:
    """The way right from a verb, as far as its subject may hold."""

    def __init__(
        self,
        line: Line,
        number: Number,
        verb: int,
        subjects: Collection[int],
        *,
        subordinate: bool,
    ) -> None:
        lexicon = line.lexicon
        self.line = line
        self.number = number
        self.at = verb + 1
        self.subjects = subjects
        self.subordinate = subordinate
        self.quoted = line.inside_quotes(verb)
        self.other: Other = ""
        self.listed = False  # a comma joined a verb already
        # An infinitive came last, to which a base form would be joined.
        self.bare = line[verb] in lexicon.modals and line[verb + 1] not in lexicon.coordinators

    def verbs(self) -> list[Agreeing]:
        """The verbs on the way that agree with our subject."""
        found: list[Agreeing] = []
        while self.at < len(self.line) and not self._leaves():
            if self._skips_quotation():
                continue
            joined = self._joined()
            if joined is None:
                self._notice()
            else:
                found.append(joined)
                self.at = joined.token
            self.at += 1
        return found

    def _leaves(self) -> bool:
        """Whether the sentence ends here, or the next mention takes over."""
        word = self.line[self.at]
        return (
            self.line.stops(self.at)
            or self.at in self.subjects
            or word in {"”", ")"}
            or (word == '"' and self.quoted)
        )

    def _skips_quotation(self) -> bool:
        """Move past a quotation or brackets, if they open here."""
        if self.line[self.at] not in _QUOTATIONS:
            return False
        mark = _QUOTATIONS[self.line[self.at]]
        closed = self.line.closing(self.at, mark, _LONGEST_QUOTATION)
        self.at = len(self.line) if closed is None else closed + 1
        return True

    # --- a verb that is joined here -----------------------------------------------------------

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
            index = aside_ends(line, self.number, index)
        sure = self._sure(index)
        if sure is None or not (coordinates or self._in_list(index)):
            return None
        if self.other:
            self.listed |= not coordinates
            leads_back = coordinates and line[self.at - 1] == "," and not self.listed
            if self.other == "a relative" or not leads_back:
                return None
            sure = "guess"
        self.other, self.bare = "", False
        self.listed |= not coordinates
        return Agreeing(index, "joined verb", sure)

    def _sure(self, index: int) -> Sureness | None:
        line, word = self.line, self.line[index]
        # "wants to sing and dance": the base form is an infinitive too.
        if self.number.is_base and self.bare and word not in {"are", "were"}:
            return None
        if word in self.number.auxiliaries:
            return None if line[index + 1] in _SUBJECTS else "likely"
        return self.number.joined(line, self.at, index)

    def _in_list(self, index: int) -> bool:
        """Whether a verb after a comma is one of a list: ", is what I meant" is not."""
        if self.listed:
            return True
        lexical = self.line[index] not in self.number.auxiliaries
        # In a clause with "if" or "when" it is the main clause that follows a comma.
        if self.subordinate and (self.number.is_base or not lexical):
            return False
        if lexical and not self.subordinate and not self.number.is_base:
            return True
        for at in range(index + 1, min(index + _LONGEST_LIST, len(self.line))):
            if self.line.stops(at) or self.line[at] in _SUBJECTS:
                return False
            if self.line[at] in {"and", "or", "&"}:
                return verb_like(self.line, self.number, self.line.after_adverbs(at + 1))
        return False

    # --- whose verb comes next ----------------------------------------------------------------

    def _notice(self) -> None:
        """Remember the subjects, clauses and infinitives that stand here."""
        line, word, lexicon = self.line, self.line[self.at], self.line.lexicon
        self.subordinate |= word in lexicon.subordinators and word not in _ALSO_PREPOSITIONS
        if self._relative_subject():
            self.other = "a relative"
        elif self._other_subject():
            self.other = self.other or "a clause"
        if word in lexicon.modals:
            self.bare = True
        elif word == "to":
            self.bare = line[self.at + 1] in lexicon.verbs

    def _relative_subject(self) -> bool:
        word = self.line[self.at]
        if self.number.is_base and word in self.line.lexicon.plural_subjects:
            return word != "you"  # most often an object
        if word == "that":
            return verb_like(self.line, self.number, self.at + 1)
        return word in {"who", "which"}

    def _other_subject(self) -> bool:
        """Whether a subject of our number stands here, or a verb whose subject it must be."""
        line, word, lexicon = self.line, self.line[self.at], self.line.lexicon
        if word in self.number.auxiliaries:
            return True
        if self.number.is_base:
            return False
        if word in lexicon.singular_subjects:
            return verb_like(line, self.number, line.after_adverbs(self.at + 1))
        before = self.at - 1
        if not lexicon.is_s_verb(word) or line.is_capital(self.at):
            return False
        if line[before] in lexicon.determiners:
            return False
        if word in lexicon.surely_verbs and verbs.plural(word) not in lexicon.nouns_first:
            return True
        named = line.is_capital(before) or line[before] in lexicon.singular_subjects
        return named or line[before - 1] in lexicon.determiners
