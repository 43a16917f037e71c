"""The verbs that agree with a subject pronoun, found without a tagger: its own verb, and the verbs
coordinated with it.

The verb precedes its subject in an inversion and follows it otherwise, past adverbs and asides.
Coordinated verbs belong to the nearest subject that they can agree with, so subjects in between are
tracked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.rewriting.english import conjugation
from epicene.rewriting.english.line import ASIDES, PAUSES
from epicene.rewriting.english.number import PLURAL, SINGULAR, VerbNumber

if TYPE_CHECKING:
    from collections.abc import Collection

    from epicene.rewriting import Confidence
    from epicene.rewriting.english.frames import Mention
    from epicene.rewriting.english.line import Line

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
InterveningSubject: TypeAlias = Literal["", "a clause", "a relative"]


class AgreeingVerb(NamedTuple):
    """The token of an agreeing verb, the rule that found it, and its confidence."""

    token: int
    rule: str
    sure: Confidence
    plural: str = ""  # the form beside a plural, where its own does not show it


def may_be_finite(line: Line, number: VerbNumber, index: int) -> bool:
    """Whether the token may be a finite verb of that number, or one without number."""
    word, lexicon = line[index], line.lexicon
    return (
        word in number.auxiliaries
        or word in lexicon.modals
        or lexicon.is_past(word)
        or lexicon.is_s_verb(word)
        or (number.is_base and word in lexicon.verbs)
    )


def verb_after_aside(line: Line, number: VerbNumber, index: int) -> int:
    """The verb after an aside that opens at `index` (", of course, knows"); -1 if none follows."""
    closing = ASIDES[line[index]]
    for at in range(index + 1, min(index + _LONGEST_ASIDE, len(line))):
        if line[at] == closing:
            after = line.after_adverbs(at + 1)
            return after if may_be_finite(line, number, after) else -1
        if line.stops(at) or line[at] == '"':
            break
    return -1


class CoordinationWalk:
    """A walk rightwards from a verb, as far as its subject may extend."""

    def __init__(
        self,
        line: Line,
        number: VerbNumber,
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
        self.other: InterveningSubject = ""
        self.listed = False  # a comma joined a verb already
        # An infinitive came last, to which a base form would be joined.
        self.bare = line[verb] in lexicon.modals and line[verb + 1] not in lexicon.coordinators

    def verbs(self) -> list[AgreeingVerb]:
        """The verbs on the walk that agree with the subject."""
        found: list[AgreeingVerb] = []
        while self.at < len(self.line) and not self._leaves():
            if self._skip_quotation():
                continue
            joined = self._joined()
            if joined is None:
                self._note_subject()
            else:
                found.append(joined)
                self.at = joined.token
            self.at += 1
        return found

    def _leaves(self) -> bool:
        """Whether the sentence ends here, or the next mention becomes the subject."""
        word = self.line[self.at]
        return (
            self.line.stops(self.at)
            or self.at in self.subjects
            or word in {"”", ")"}
            or (word == '"' and self.quoted)
        )

    def _skip_quotation(self) -> bool:
        """Move past a quotation or brackets, if they open here; return whether they do."""
        if self.line[self.at] not in _QUOTATIONS:
            return False
        mark = _QUOTATIONS[self.line[self.at]]
        closed = self.line.closing(self.at, mark, _LONGEST_QUOTATION)
        self.at = len(self.line) if closed is None else closed + 1
        return True

    # --- a verb that is joined here -----------------------------------------------------------

    def _joined(self) -> AgreeingVerb | None:
        """The verb that a coordinator or a comma here coordinates with the subject's verb."""
        line, word = self.line, self.line[self.at]
        coordinates = word in line.lexicon.coordinators
        if not coordinates and word not in PAUSES:
            return None
        if word == "but" and line[self.at - 1] in {"nothing", "anything", "all", "none"}:
            return None
        index = line.after_adverbs(self.at + 1)
        if coordinates and line[index] == ",":
            index = verb_after_aside(line, self.number, index)
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
        return AgreeingVerb(index, "joined verb", sure)

    def _sure(self, index: int) -> Confidence | None:
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
                return may_be_finite(self.line, self.number, self.line.after_adverbs(at + 1))
        return False

    # --- whose verb comes next ----------------------------------------------------------------

    def _note_subject(self) -> None:
        """Note the subject, clause or infinitive that begins here."""
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
            return may_be_finite(self.line, self.number, self.at + 1)
        return word in {"who", "which"}

    def _other_subject(self) -> bool:
        """Whether another subject of the same number is here, or a verb that must have one."""
        line, word, lexicon = self.line, self.line[self.at], self.line.lexicon
        if word in self.number.auxiliaries:
            return True
        if self.number.is_base:
            return False
        if word in lexicon.singular_subjects:
            return may_be_finite(line, self.number, line.after_adverbs(self.at + 1))
        before = self.at - 1
        if not lexicon.is_s_verb(word) or line.is_capital(self.at):
            return False
        if line[before] in lexicon.determiners:
            return False
        if (
            word in lexicon.surely_verbs
            and conjugation.plural_verb(word) not in lexicon.nouns_first
        ):
            return True
        named = line.is_capital(before) or line[before] in lexicon.singular_subjects
        return named or line[before - 1] in lexicon.determiners


_REPORTING = frozenset(
    "says say asks ask thinks think cries cry replies reply answers answer".split()
)
# What asks for a subjunctive, whose form has no number: I suggest that she leave.
_MANDATIVES = frozenset(
    "suggest suggests suggested recommend recommends recommended insist insists insisted demand "
    "demands demanded propose proposes proposed request requests requested require requires "
    "required urge urges urged ask asks asked important essential vital necessary imperative "
    "crucial".split()
)
_WISHES = frozenset({"wish", "wishes", "wished"})
_LONGEST_RELATIVE = 40  # tokens
_IRREALIS_WORDS = frozenset({"would", "could", "might", "'d"})


def agreeing_verbs(line: Line, mention: Mention, subjects: Collection[int]) -> list[AgreeingVerb]:
    """The verbs that agree with a mention; `subjects` are the tokens of all subject mentions."""
    number = PLURAL if mention.plural_verbs else SINGULAR
    inverted = _inverted_verbs(line, number, mention)
    if inverted is not None:
        return inverted
    found: list[AgreeingVerb] = []
    index = finite_verb_of(line, number, mention.last + 1)
    if line[index] == "who":
        found += relative_clause_verb(line, number, index)
        index = main_verb(line, number, found[-1].token if found else index)
    if index < 0 or (number.is_base and _is_subjunctive(line, mention.first, index)):
        return found
    if _agrees(line, number, index, mention.last):
        found.append(AgreeingVerb(index, "verb of the subject", "certain"))
    walk = CoordinationWalk(
        line, number, index, subjects, subordinate=_is_subordinate(line, mention.first)
    )
    return found + walk.verbs()


def _agrees(line: Line, number: VerbNumber, index: int, subject: int) -> bool:
    """Whether the verb shows the subject's number: "sings" does, "will" and "sang" do not."""
    word = line[index]
    if word in number.auxiliaries:
        return True
    if word in number.clitics:
        return index == subject + 1
    return word not in line.lexicon.modals and number.may_be(line, index)


def finite_verb_of(line: Line, number: VerbNumber, index: int) -> int:
    """The token that must be the verb of a subject ending before `index`; -1 if none."""
    while True:
        index = line.after_adverbs(index)
        if line[index] not in ASIDES:
            return index if line.is_word(index) else -1
        index = verb_after_aside(line, number, index)


def relative_clause_verb(line: Line, number: VerbNumber, who: int) -> list[AgreeingVerb]:
    """The agreeing verb of the relative clause after "who": "he who laughs"."""
    index = finite_verb_of(line, number, who + 1)
    if index < 0 or not _agrees(line, number, index, -1):
        return []
    return [AgreeingVerb(index, "verb of a relative clause", "likely")]


def main_verb(line: Line, number: VerbNumber, index: int) -> int:
    """The verb after a relative clause; -1 if there is none."""
    for at in range(index + 1, min(index + _LONGEST_RELATIVE, len(line))):
        if line.stops(at):
            break
        if may_be_finite(line, number, at) and line[at - 1] != "to":
            return at
    return -1


def _is_subordinate(line: Line, subject: int) -> bool:
    """Whether the subject's clause is subordinate, so that a main verb may follow a comma."""
    before, lexicon = line[subject - 1], line.lexicon
    return before in lexicon.subordinators or before in lexicon.wh_words or before == "so"


def _is_subjunctive(line: Line, subject: int, verb: int) -> bool:
    """Whether the verb is a subjunctive, without number: "that they leave", "if they were rich"."""
    before = line[subject - 1]
    if before == "lest" or (before == "that" and line[subject - 2] in _MANDATIVES):
        return True
    if line[verb] != "were" or before not in {"if", "though", *_WISHES}:
        return False
    if before in _WISHES or line[subject - 2] == "as":
        return True
    return not _IRREALIS_WORDS.isdisjoint(line.around(verb, 25))


# --- inversion --------------------------------------------------------------------------------


def _inverted_verbs(line: Line, number: VerbNumber, mention: Mention) -> list[AgreeingVerb] | None:
    """The agreeing verb before its subject ("does she", "nor has he"), if the one there agrees.

    None if the verb is not before its subject.
    """
    lexicon, at = line.lexicon, mention.first - 1
    if line[at] in {"n't", "not"}:
        at -= 1
    if _is_reporting_verb(line, number, at, mention.last):
        return [AgreeingVerb(at, "inverted verb of saying", "likely")]
    contracted = line[at] in number.clitics and line[at - 1] in lexicon.wh_words
    agrees = contracted or line[at] in number.auxiliaries
    if not agrees and line[at] not in lexicon.modals:
        return None
    if _has_own_verb(
        line, number, line.after_adverbs(mention.last + 1), asks=_is_question(line, at)
    ):
        return None
    return [AgreeingVerb(at, "inverted auxiliary", "certain")] if agrees else []


def _is_reporting_verb(line: Line, number: VerbNumber, at: int, subject: int) -> bool:
    """Whether the token is an inverted verb of saying, as in '"No," says she.'"""
    return (
        line[at] in _REPORTING
        and number.may_be(line, at)
        and not line.is_word(at - 1)
        and not line.is_word(subject + 1)
    )


def _is_question(line: Line, auxiliary: int) -> bool:
    """Whether a question begins at the auxiliary, or with a question word just before."""
    if line.begins(auxiliary) or not line.is_word(auxiliary - 1):
        return True
    before = line.keys[max(0, auxiliary - 4) : auxiliary]
    return any(word in line.lexicon.wh_words or word in {"nor", "neither"} for word in before)


def _has_own_verb(line: Line, number: VerbNumber, index: int, *, asks: bool) -> bool:
    """Whether a finite verb follows the subject, so that the one before it has another subject."""
    word, lexicon = line[index], line.lexicon
    if word in {"do", "have"}:  # infinitives after "does she"
        return False
    if word in number.auxiliaries or word in lexicon.modals or word in number.clitics:
        return True
    if lexicon.is_past(word):
        return not asks and word not in lexicon.participles
    return not number.is_base and lexicon.is_s_verb(word)
