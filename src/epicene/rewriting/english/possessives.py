""" "her" before a gerund, before the second of two objects, and "his" after "a friend of".

These rules come after those of `cases.py` and correct them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.english.cases import CaseDecision, is_nominal
from epicene.rewriting.english.constructions import constructions

if TYPE_CHECKING:
    from epicene.rewriting.english.frames import Mention
    from epicene.rewriting.english.line import Line


def correct_case(line: Line, mention: Mention) -> CaseDecision | None:
    """The case of a form that may be a possessive, None where these rules do not know it."""
    if "dependent" not in mention.cases or line.begins(mention.first):
        return None
    if (line[mention.first - 1], line[mention.last + 1]) in _SET_PHRASES and (
        not line.is_word(mention.last + 2) or line[mention.last + 2] in line.lexicon.prepositions
    ):
        return CaseDecision("dependent", "a noun follows", "likely")
    if "accusative" not in mention.cases:
        return _independent(line, mention)
    at = mention.last + 1
    if not line.is_word(at):
        return None
    if line[at].endswith("ing") and len(line[at]) > 5:
        return _before_gerund(line, mention.first - 1, at)
    if line[at + 1] == "than" and (line[at] in _MORE or line[at].endswith("er")):
        return CaseDecision("accusative", "object before a comparison", "likely")
    if line[at] in {"last", "next", "first"} and line[mention.first - 1] in _BE:
        return CaseDecision("dependent", "a noun follows", "likely")  # it was her last Monday
    if line[at] in constructions().offices and line[mention.first - 1] in _APPOINTING:
        return CaseDecision("accusative", "object with an office", "likely")
    if (
        line[at] in constructions().characters
        and line[mention.first - 1] in line.lexicon.complement
        and not is_nominal(line, at + 1)
    ):
        return CaseDecision("accusative", "object with a complement", "likely")
    return _before_gift(line, mention)


# Let her have her say; he gave his all.
_SET_PHRASES = frozenset(
    (verb, noun)
    for verbs, noun in (("have has had having", "say"), ("give gives gave given giving", "all"))
    for verb in verbs.split()
)
_BE = frozenset("is was are were be been 's".split())
_MORE = frozenset({"more", "less", "worse", "other", "rather"})
_APPOINTING = frozenset(
    "appoint appointed crown crowned declare declared elect elected name named vote voted".split()
)


# --- gerunds ----------------------------------------------------------------------------------


def _before_gerund(line: Line, before: int, at: int) -> CaseDecision | None:
    lists, governor = constructions(), line[before]
    if governor in lists.attitudes:
        if line[at] in line.lexicon.ing_nouns and _ends_phrase(line, at + 1):
            return CaseDecision("dependent", "an action is liked", "likely")
        if line[at] not in line.lexicon.ing_nouns and line[at + 1] in line.lexicon.prepositions:
            return CaseDecision("accusative", "object with a participle", "likely")
        return None
    if governor not in lists.perceptions or line[at] in lists.participial_adjectives:
        return None
    if line[at + 1] in lists.compound_heads and line[at] in line.lexicon.ing_nouns:
        return CaseDecision("dependent", "a noun follows", "likely")
    if _is_bare_object(line, at + 1):
        return CaseDecision("accusative", "object with a participle", "likely")
    return None


def _ends_phrase(line: Line, at: int) -> bool:
    """Whether nothing that a participle could govern follows: I like her cooking (too)."""
    if not line.is_word(at) or line[at] in line.lexicon.coordinators:
        return True
    return line[at] in _AFTER_LIKING and not is_nominal(line, at + 1)


_AFTER_LIKING = frozenset("so too very more most best better much because since though".split())


def _is_bare_object(line: Line, at: int) -> bool:
    """Whether a noun without an article is the object of the gerund: cooking dinner, apples."""
    word, lists = line[at], constructions()
    if not is_nominal(line, at):
        return False
    if word in lists.compound_heads and line[at - 1] in line.lexicon.ing_nouns:
        return False
    return word in lists.bare_objects or (_is_plural(word) and word not in lists.body_parts)


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


# --- two objects ------------------------------------------------------------------------------


def _before_gift(line: Line, mention: Mention) -> CaseDecision | None:
    lists, lexicon = constructions(), line.lexicon
    before, at = mention.first - 1, mention.last + 1
    governor, gift = line[before], line[at]
    receiver = CaseDecision("accusative", "object that receives something", "likely")
    if gift == "names" and governor in {"call", "called", "calling", "calls"}:
        return receiver
    if gift in lists.done_to and governor in {"do", "does", "did", "done", "doing"}:
        return receiver
    first_rules = governor in lexicon.givers and gift in lexicon.gifts
    known = governor in lists.more_givers and gift in lists.more_gifts
    if not first_rules and not known:
        return receiver._replace(sure="guess") if _is_bare_plural_gift(line, mention) else None
    if _goes_to_another(line, at + 1):
        return CaseDecision("dependent", "given to another", "likely")
    if is_nominal(line, at + 1) or line[at + 1] == "of":
        return None
    if governor in lists.makers and not first_rules and _acts_for_themself(line, mention):
        return None
    return receiver


def _is_bare_plural_gift(line: Line, mention: Mention) -> bool:
    """Whether a plural that is hardly somebody's own ends the phrase: sent her threats."""
    at, lists = mention.last + 1, constructions()
    own = line[at] in lists.body_parts or line[at] in lists.belongings
    if line[mention.first - 1] not in lists.core_givers or own or not _is_plural(line[at]):
        return False
    ends = not line.is_word(at + 1) or line[at + 1] in {"and", "but", "when", "because", "every"}
    return ends and not _acts_for_themself(line, mention)


def _goes_to_another(line: Line, at: int) -> bool:
    """Whether "to" and a person or a thing follow: her money to charity, not: to buy food."""
    after = line[at + 1]
    if line[at] != "to" or not line.is_word(at + 1):
        return False
    return (
        after in line.lexicon.determiners
        or line.is_capital(at + 1)
        or (after not in line.lexicon.verbs and after not in {"be", "do", "have"})
    )


def _acts_for_themself(line: Line, mention: Mention) -> bool:
    """Whether the subject is a pronoun of the same set: she gets up and makes her breakfast."""
    for at in range(mention.first - 2, -1, -1):
        if line.stops(at):
            return False
        if line[at] in _SUBJECTS or line[at] in mention.sets:
            return line[at] in mention.sets
    return False


_SUBJECTS = frozenset("i you he she we they who".split())


# --- a friend of his --------------------------------------------------------------------------


def _independent(line: Line, mention: Mention) -> CaseDecision | None:
    """ "a friend of his called": what follows is the verb, and "his" has no noun."""
    of, lexicon = mention.first - 1, line.lexicon
    if line[of] != "of" or line[of - 1] not in constructions().friends:
        return None
    word = line[line.after_adverbs(mention.last + 1)]
    verb = lexicon.is_s_verb(word) or lexicon.is_past(word) or word in lexicon.modals
    if "independent" in mention.cases and verb:
        return CaseDecision("independent", "a friend of theirs", "likely")
    return None
