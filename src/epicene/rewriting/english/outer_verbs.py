"""Verbs that seem to agree with a pronoun but have another subject, and verbs that the first rules
miss.

These rules come after those of `agreement.py`, and after a parse, and correct them: clefts (it was
she who called), clauses inside another one (my manager, who says she is busy, wants …; the man she
loves works and lives here), comparisons (more than she does), and inversions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.english.agreement import (
    AgreeingVerb,
    CoordinationWalk,
    finite_verb_of,
    main_verb,
    may_be_finite,
    relative_clause_verb,
)
from epicene.rewriting.english.constructions import constructions
from epicene.rewriting.english.line import PAUSES
from epicene.rewriting.english.number import PLURAL, SINGULAR

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from epicene.rewriting.english.frames import Mention
    from epicene.rewriting.english.line import Line
    from epicene.rewriting.english.number import VerbNumber

_BE = frozenset({"is", "was", "'s", "isnt", "wasnt", "are", "were"})
# The pronoun ends the sentence, or a relative clause follows: the winner is she (who ran fastest).
_AFTER_PREDICATE = frozenset({"who", ".", "!", ""})
_QUESTION_WORDS = frozenset("how what when where why here there such so nor neither".split())
_POINTING = frozenset({"it", "this", "that"})
_RELATIVES = frozenset("who whom whose which where".split())
_DASHES = frozenset({"—", "–", "--"})
_LONGEST_SUBJECT = 12  # tokens


def correct_verbs(
    line: Line, mention: Mention, found: Sequence[AgreeingVerb], subjects: Collection[int]
) -> list[AgreeingVerb]:
    """The verbs that agree with a mention, of those found and of those missed."""
    number = PLURAL if mention.plural_verbs else SINGULAR
    if _is_predicate(line, mention):
        return _verbs_of_cleft(line, number, mention, subjects)
    if line[mention.last + 1] == "that" and not found:
        return _verbs_after_that(line, number, mention)
    apart = line[mention.last + 1] in PAUSES and line[mention.last + 2] == "who"
    if not found and apart:  # she, who is shy, sang
        return relative_clause_verb(line, number, mention.last + 2)
    if not found:
        return _fronted_inversion(line, number, mention)
    if line[found[0].token] == "'s" and line[mention.last + 1] in constructions().asked_verbs:
        return [found[0]._replace(rule="'s for does", sure="likely", plural=" do")]
    verb = finite_verb_of(line, number, mention.last + 1)
    if verb < 0 or found[0].token < mention.first:
        return list(found)
    end = _end_of_clause(line, number, mention, verb, subjects)
    kept = [each for each in found if each.token <= end and not _is_of_next(line, each.token)]
    kept += _missed_in_list(line, number, kept)
    if number.is_base and end >= len(line):
        kept += _missed_before_object(line, verb, kept)
    if apart:
        kept += relative_clause_verb(line, number, mention.last + 2)  # she, who is shy, sings
    return kept


def correct_has(line: Line, clitic: int) -> bool | None:
    """Whether 's is "has", where the words after the participle say it: loved by everyone."""
    participle = line.after_adverbs(clitic + 1)
    word, after, lexicon = line[participle], participle + 1, line.lexicon
    if not lexicon.is_participle(word) or word in {"been", "had"}:
        return None
    agent = line[after] == "by" and (
        line.is_capital(after + 1)
        or line[after + 1] in lexicon.determiners | lexicon.pronouns | {"all", "most", "many"}
    )
    if agent and word not in constructions().not_passive:
        return False
    if word == "gone" and (line[after] in _GONE_WHERE or line[after].endswith("ping")):
        return True  # he's gone to the shop, but he's gone
    return None


_GONE_WHERE = frozenset("to home back into out off abroad upstairs downstairs through".split())


# --- it was she who called ----------------------------------------------------------------------


def _is_predicate(line: Line, mention: Mention) -> bool:
    """Whether the pronoun is said of another subject: it was she, the winner is he who …"""
    at = mention.first - 1
    if line[at] in {"n't", "not"}:
        at -= 1
    if line[at] not in _BE:
        return False
    if line[at - 1] in _POINTING:
        return line[at - 1] == "it" or not _is_passive_or_progressive(line, mention.last + 1)
    if (
        line.begins(at)
        or not line.is_word(at - 1)
        or line[mention.last + 1] not in _AFTER_PREDICATE
    ):
        return False
    if line.lexicon.is_closed(line[at - 1]) or line.lexicon.is_adverb(line[at - 1]):
        return False
    return not _QUESTION_WORDS & set(line.keys[max(0, at - 4) : at])


def _is_passive_or_progressive(line: Line, index: int) -> bool:
    word = line[line.after_adverbs(index)]
    return word.endswith("ing") or line.lexicon.is_participle(word)


def _verbs_of_cleft(
    line: Line, number: VerbNumber, mention: Mention, subjects: Collection[int]
) -> list[AgreeingVerb]:
    """The verbs after "who" or "that" in a cleft: it is she who decides and pays."""
    who = mention.last + 1
    if line[who] not in {"who", "that"}:
        return []
    found = relative_clause_verb(line, number, who)
    if found:
        walk = CoordinationWalk(line, number, found[0].token, subjects, subordinate=True)
        found += walk.verbs()
    return found


def _verbs_after_that(line: Line, number: VerbNumber, mention: Mention) -> list[AgreeingVerb]:
    """The verbs of "he that is without sin", where a verb follows at once."""
    found = relative_clause_verb(line, number, mention.last + 1)
    main = main_verb(line, number, found[-1].token) if found else -1
    if main >= 0 and (line[main] in number.auxiliaries or number.may_be(line, main)):
        found.append(AgreeingVerb(main, "verb of the subject", "likely"))
    return found


# --- only then was she told ---------------------------------------------------------------------


def _fronted_inversion(line: Line, number: VerbNumber, mention: Mention) -> list[AgreeingVerb]:
    at = mention.first - 1
    if line[at] not in number.auxiliaries:
        return []
    before = line.keys[max(0, at - 4) : at]
    opens = any(line.begins(index) for index in range(max(0, at - 4), at))
    if opens and constructions().fronted & set(before) and not line.lexicon.pronouns & set(before):
        return [AgreeingVerb(at, "inverted auxiliary", "likely")]
    return []


def _is_of_next(line: Line, verb: int) -> bool:
    """Whether the verb's subject follows it: and neither has his wife."""
    after = line[verb + 1]
    named = after in line.lexicon.determiners or after in line.lexicon.pronouns
    return line[verb - 1] in {"neither", "nor", "so"} and (named or line.is_capital(verb + 1))


# --- where the pronoun's clause ends ------------------------------------------------------------


def _end_of_clause(
    line: Line, number: VerbNumber, mention: Mention, verb: int, subjects: Collection[int]
) -> int:
    """The last token that may be in the pronoun's clause, the length of the line if all may."""
    opening = line[mention.first - 1]
    aside = opening in PAUSES and line[verb + 1] in PAUSES
    if aside and line[verb] in constructions().parentheticals:
        return verb  # the house, she says, needs a roof
    compared = opening in {"than", "as"} and _is_elliptic(line, number, verb)
    if compared and not any(at < mention.first for at in subjects):
        return verb  # Tom knows more than she does and works harder
    closed = _end_of_inserted_clause(line, number, mention)
    if closed is not None:
        return closed
    outer = _verb_after_relative(line, number, mention, verb)
    return len(line) if outer is None else outer - 1


def _is_elliptic(line: Line, number: VerbNumber, verb: int) -> bool:
    auxiliary = line[verb] in number.auxiliaries or line[verb] in line.lexicon.modals
    return auxiliary and (line[verb + 1] in line.lexicon.coordinators or line[verb + 1] in PAUSES)


def _end_of_inserted_clause(line: Line, number: VerbNumber, mention: Mention) -> int | None:
    """The mark that closes a clause between a subject and its verb.

    My manager, who says she is busy, needs a desk; my son, when he is tired, sulks.
    """
    opener = _opener_before(line, mention.first)
    if opener is None:
        described = line[mention.last + 1] in _BE and line[mention.last + 2] in {"a", "an", "the"}
        mark = mention.first - 1 if described else -1  # my cousin, she's a pilot, flies
    else:
        mark = opener - 1 if line[opener - 1] in PAUSES else opener - 2
    if line[mark] not in PAUSES or not _is_bare_subject(line, number, mark):
        return None
    for at in range(mention.last + 1, len(line)):
        if line.stops(at):
            return None
        if line[at] in ({","} if line[mark] == "," else _DASHES):
            after = line.after_adverbs(at + 1)
            return at if may_be_finite(line, number, after) else None
    return None


def _opener_before(line: Line, at: int) -> int | None:
    """The nearest relative or subordinator to the left that follows a mark, in the same clause."""
    openers = _RELATIVES | line.lexicon.subordinators
    for index in range(at - 1, max(-1, at - _LONGEST_SUBJECT), -1):
        if line[index] in openers and not (line.is_word(index - 1) and line.is_word(index - 2)):
            return index
        if not line.is_word(index):
            return None
    return None


def _is_bare_subject(line: Line, number: VerbNumber, end: int) -> bool:
    """Whether the sentence has only a subject before `end`, and no verb yet."""
    start = end
    while start > 0 and not line.stops(start - 1):
        start -= 1
    if end - start > _LONGEST_SUBJECT:
        return False
    return not any(
        line[at] in number.auxiliaries
        or line[at] in line.lexicon.modals
        or line.lexicon.is_past(line[at])
        or line[at] in line.lexicon.surely_verbs
        for at in range(start, end)
    )


def _verb_after_relative(line: Line, number: VerbNumber, mention: Mention, verb: int) -> int | None:
    """The verb of the noun that the pronoun's clause is said of: the man she loves works here."""
    lexicon, head = line.lexicon, mention.first - 1
    whole = line[head] == "where" and line[verb] not in constructions().dwelling
    if line[head] in {"that", "whom", "which", "where"}:
        head -= 1
    if not _is_head(line, head):
        return None
    after = line.after_adverbs(verb + 1)
    if line[after] in lexicon.prepositions or line[after] in lexicon.particles:
        after += 1  # the man she lives with works here
    word = line[after]
    if word in number.auxiliaries and not number.is_base:
        return after
    if not lexicon.is_s_verb(word) or line.is_capital(after):
        return None
    whole |= line[head] in constructions().adjunct_heads
    if whole and word not in lexicon.surely_verbs:
        return None  # the shop where she sells books and teaches
    return after


def _is_head(line: Line, at: int) -> bool:
    """Whether the token is a noun with its determiner: the man, every old book."""
    lexicon = line.lexicon
    if not line.is_word(at) or lexicon.is_closed(line[at]) or lexicon.is_adverb(line[at]):
        return False
    return any(line[before] in lexicon.determiners for before in range(at - 3, at))


# --- works here, lives nearby, and walks home -----------------------------------------------------


def _missed_in_list(
    line: Line, number: VerbNumber, found: Sequence[AgreeingVerb]
) -> list[AgreeingVerb]:
    """The verbs after a comma between two that were found."""
    if len(found) < 2:
        return []
    tokens = sorted(each.token for each in found)
    if not _is_list(line, tokens[0], tokens[-1]):
        return []
    return [
        AgreeingVerb(at, "joined verb", "likely")
        for at in range(tokens[0] + 1, tokens[-1])
        if at not in tokens
        and line[at - 1] == ","
        and _is_verb_of(line, number, at, after_verb=at - 2 in tokens)
    ]


def _is_verb_of(line: Line, number: VerbNumber, at: int, *, after_verb: bool) -> bool:
    word, lexicon = line[at], line.lexicon
    if number.is_base:
        return word in lexicon.verbs and (after_verb or word not in lexicon.nouns_first)
    return lexicon.is_s_verb(word)


def _is_list(line: Line, first: int, last: int) -> bool:
    """Whether nobody else acts between the two verbs."""
    others = line.lexicon.pronouns | line.lexicon.wh_words | line.lexicon.subordinators
    return line[last - 1] in line.lexicon.coordinators and not others & set(line.keys[first:last])


def _missed_before_object(
    line: Line, verb: int, found: Sequence[AgreeingVerb]
) -> list[AgreeingVerb]:
    """The base form after "and" that has a plural as its object: they run and lift weights."""
    lexicon, known = line.lexicon, {each.token for each in found}
    for at in range(verb + 1, len(line)):
        infinitive = line[at] == "to" and line[at + 1] in lexicon.verbs
        if line.stops(at) or infinitive or line[at] in lexicon.modals | lexicon.plural_subjects:
            break
        word, after = line[at + 1], line[at + 2]
        if line[at] not in {"and", "or"} or at + 1 in known or word not in lexicon.verbs:
            continue
        counted = after.endswith("s") and not after.endswith(("ss", "us", "is"))
        if counted and after not in constructions().compound_heads and line.is_word(at + 2):
            return [AgreeingVerb(at + 1, "joined verb", "guess")]
    return []
