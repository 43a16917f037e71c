"""Which verbs agree with a subject pronoun, found without a tagger.

The verb is before its subject in an inversion and after it otherwise, past adverbs and asides;
`joined` finds the verbs that share the subject with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.english.joined import Agreeing, Walk, aside_ends, verb_like
from epicene.languages.rewriting.english.line import ASIDES
from epicene.languages.rewriting.english.number import PLURAL, SINGULAR, Number

if TYPE_CHECKING:
    from collections.abc import Collection

    from epicene.languages.rewriting.english.line import Line
    from epicene.languages.rewriting.english.mentions import Mention

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
_IRREAL = frozenset({"would", "could", "might", "'d"})


def agreeing_verbs(line: Line, mention: Mention, subjects: Collection[int]) -> list[Agreeing]:
    """The verbs that agree with a mention; `subjects` are the tokens of all subject mentions."""
    number = PLURAL if mention.plural_verbs else SINGULAR
    inverted = _inverted(line, number, mention)
    if inverted is not None:
        return inverted
    found: list[Agreeing] = []
    index = _finite(line, number, mention.last + 1)
    if line[index] == "who":
        found += _relative(line, number, index)
        index = _main_verb(line, number, found[-1].token if found else index)
    if index < 0 or (number.is_base and _subjunctive(line, mention.first, index)):
        return found
    if _agrees(line, number, index, mention.last):
        found.append(Agreeing(index, "verb of the subject", "certain"))
    walk = Walk(line, number, index, subjects, subordinate=_subordinate(line, mention.first))
    return found + walk.verbs()


def _agrees(line: Line, number: Number, index: int, subject: int) -> bool:
    """Whether the verb there shows the subject's number: "sings" does, "will" and "sang" do not."""
    word = line[index]
    if word in number.auxiliaries:
        return True
    if word in number.clitics:
        return index == subject + 1
    return word not in line.lexicon.modals and number.may_be(line, index)


def _finite(line: Line, number: Number, index: int) -> int:
    """The token where the verb must be of a subject that ends before `index`; -1 if nowhere."""
    while True:
        index = line.after_adverbs(index)
        if line[index] not in ASIDES:
            return index if line.is_word(index) else -1
        index = aside_ends(line, number, index)


def _relative(line: Line, number: Number, who: int) -> list[Agreeing]:
    """ "he who laughs": the verb of the clause agrees too."""
    index = _finite(line, number, who + 1)
    if index < 0 or not _agrees(line, number, index, -1):
        return []
    return [Agreeing(index, "verb of a relative clause", "likely")]


def _main_verb(line: Line, number: Number, index: int) -> int:
    """The verb after a relative clause; -1 if there is none."""
    for at in range(index + 1, min(index + _LONGEST_RELATIVE, len(line))):
        if line.stops(at):
            break
        if verb_like(line, number, at) and line[at - 1] != "to":
            return at
    return -1


def _subordinate(line: Line, subject: int) -> bool:
    """Whether the subject's clause depends on another, whose verb may follow a comma."""
    before, lexicon = line[subject - 1], line.lexicon
    return before in lexicon.subordinators or before in lexicon.wh_words or before == "so"


def _subjunctive(line: Line, subject: int, verb: int) -> bool:
    """Whether the mood has no number: "that they leave", "if they were rich"."""
    before = line[subject - 1]
    if before == "lest" or (before == "that" and line[subject - 2] in _MANDATIVES):
        return True
    if line[verb] != "were" or before not in {"if", "though", *_WISHES}:
        return False
    if before in _WISHES or line[subject - 2] == "as":
        return True
    return not _IRREAL.isdisjoint(line.around(verb, 25))


# --- inversion --------------------------------------------------------------------------------


def _inverted(line: Line, number: Number, mention: Mention) -> list[Agreeing] | None:
    """The verb before its subject ("does she", "nor has he"), or that none there agrees.

    None if the verb is not before its subject.
    """
    lexicon, at = line.lexicon, mention.first - 1
    if line[at] in {"n't", "not"}:
        at -= 1
    if _reports(line, number, at, mention.last):
        return [Agreeing(at, "inverted verb of saying", "likely")]
    contracted = line[at] in number.clitics and line[at - 1] in lexicon.wh_words
    agrees = contracted or line[at] in number.auxiliaries
    if not agrees and line[at] not in lexicon.modals:
        return None
    if _has_own_verb(line, number, line.after_adverbs(mention.last + 1), asks=_asks(line, at)):
        return None
    return [Agreeing(at, "inverted auxiliary", "certain")] if agrees else []


def _reports(line: Line, number: Number, at: int, subject: int) -> bool:
    """Whether it is the verb of '"No," says she.'"""
    return (
        line[at] in _REPORTING
        and number.may_be(line, at)
        and not line.is_word(at - 1)
        and not line.is_word(subject + 1)
    )


def _asks(line: Line, auxiliary: int) -> bool:
    """Whether a question begins at the auxiliary, or with a question word just before."""
    if line.begins(auxiliary) or not line.is_word(auxiliary - 1):
        return True
    before = line.words[max(0, auxiliary - 4) : auxiliary]
    return any(word in line.lexicon.wh_words or word in {"nor", "neither"} for word in before)


def _has_own_verb(line: Line, number: Number, index: int, *, asks: bool) -> bool:
    """Whether a finite verb follows the subject, so that what stands before it is another's."""
    word, lexicon = line[index], line.lexicon
    if word in {"do", "have"}:  # infinitives after "does she"
        return False
    if word in number.auxiliaries or word in lexicon.modals or word in number.clitics:
        return True
    if lexicon.is_past(word):
        return not asks and word not in lexicon.participles
    return not number.is_base and lexicon.is_s_verb(word)
