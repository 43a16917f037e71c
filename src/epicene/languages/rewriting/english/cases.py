"""Which case an ambiguous form stands for, told by the words around it.

"her" is accusative (I saw her) or dependent (her book), "his" dependent or independent (it is
his); sets of other forms fall together in the same ways.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.rewriting.english.possession import owns

if TYPE_CHECKING:
    from epicene.languages.pronouns import Case
    from epicene.languages.rewriting import Sureness
    from epicene.languages.rewriting.english.line import Line
    from epicene.languages.rewriting.english.mentions import Mention


class Decision(NamedTuple):
    """A case, by which rule, and how surely."""

    case: Case
    rule: str
    sure: Sureness


def decide(line: Line, mention: Mention) -> Decision:
    """The case of a mention."""
    cases = mention.cases
    if len(cases) == 1:
        return Decision(cases[0], "the form has one case", "certain")
    if "/" in (line[mention.first - 1], line[mention.last + 1]):
        return _in_a_list(line, mention)
    if "nominative" in cases:
        if _is_subject(line, mention):
            return Decision("nominative", "a verb follows", "likely")
        cases = tuple(case for case in cases if case != "nominative")
    if "dependent" in cases:
        own, rule, sure = owns(line, mention, object_form="accusative" in cases)
        if own:
            return Decision("dependent", rule, sure)
        cases = tuple(case for case in cases if case != "dependent")
        return Decision(cases[0], rule, sure)
    return Decision(cases[0], "no verb follows", "likely")


def _in_a_list(line: Line, mention: Mention) -> Decision:
    """ "she/her", "he/him/his": the cases in the order in which people name them."""
    if "accusative" in mention.cases:
        return Decision("accusative", "second of a list of forms", "likely")
    last = line[mention.last + 1] != "/"
    case: Case = "independent" if last and "independent" in mention.cases else mention.cases[0]
    return Decision(case, "last of a list of forms", "guess")


def _is_subject(line: Line, mention: Mention) -> bool:
    """Whether a finite verb follows or an auxiliary stands before."""
    lexicon, after = line.lexicon, line.after_adverbs(mention.last + 1)
    word = line[after]
    finite = (
        word in {"is", "was", "has", "does", "'s", "'d", "'ll"}
        or word in lexicon.modals
        or lexicon.is_past(word)
        or lexicon.is_s_verb(word)
    )
    return finite or line[mention.first - 1] in {"is", "was", "has", "does", "did", "n't"}
