"""The person whom fragments of an interface leave out: its user.

Where something is asked of them, or said after a request, the user is the listener (पासवर्ड भूल
गए?); what a button says is the speaker's (समझ गया).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.hindi.inflection import is_agreeing_adjective
from epicene.rewriting.hindi.lexicon import function_words
from epicene.rewriting.hindi.subjects import Subject, can_agree, verb_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.rewriting.hindi.clauses import Clause
    from epicene.rewriting.hindi.line import Line
    from epicene.rewriting.hindi.verb_complexes import VerbComplex
    from epicene.rewriting.quotations import Interlocutors

# Only somebody understands and forgets; हो गया and मिल गया may be said of anything.
_MENTAL_VERBS = frozenset("समझ भूल थक ऊब".split())
# What they are asked of is mostly a thing: कितने बजे हैं? मिल गए?
_VERBS_OF_THINGS = frozenset("बज लग मिल खुल टूट बीत गुजर बच छूट छप बिक दिख".split())
_OTHER_SUBJECTS = frozenset("कौन कौन-कौन कितने कितनी दोनों तीनों चारों सब सभी लोग बाकी".split())
_QUESTION_MARKS = frozenset({"?", "??"})


def user_left_out(
    line: Line, clauses: Sequence[Clause], clause: Clause, interlocutors: Interlocutors
) -> Subject | None:
    """The subject of a clause that names none, if it can be the user."""
    verb = clause.verb
    if verb is None or verb.main in _VERBS_OF_THINGS:
        return None
    if any(line[at] in _OTHER_SUBJECTS for at in clause.field):
        return None
    if _is_plural(line, clause, verb):
        asked = not clause.opener and line[clause.last + 1] in _QUESTION_MARKS
        if not asked and not _follows_request(clauses, clause):
            return None
        subject = Subject(interlocutors.listener, None, True, "guess", "asked of the user")
    elif verb.main in _MENTAL_VERBS and verb.person is None and _ends_line(line, clause):
        subject = Subject(interlocutors.speaker, None, False, "guess", "answered by the user")
    else:
        return None
    return subject if can_agree(line, verb, subject, interlocutors) else None


def _is_plural(line: Line, clause: Clause, verb: VerbComplex) -> bool:
    """Whether the verb, or an adjective beside the copula, agrees with a plural: यहाँ नए हैं?"""
    cells = verb_cells(line, verb)
    if verb.person == "plural":
        beside = line.before(verb.first)
        said = beside >= clause.first and is_agreeing_adjective(line[beside])
        return bool(cells) or (verb.valency == "copular" and said)
    return bool(cells & {"mp", "fp"})


def _follows_request(clauses: Sequence[Clause], clause: Clause) -> bool:
    """Whether a request precedes in the same sentence: खाता बनाएँ और ख़रीदारी कर पाएँगे."""
    if clause.opener not in function_words().coordinators | {""}:
        return False
    return any(
        each.verb is not None
        and each.sentence == clause.sentence
        and each.first < clause.first
        and _is_request(each.verb)
        for each in clauses
    )


def _is_request(verb: VerbComplex) -> bool:
    if verb.finite.shape == "subjunctive":
        return verb.finite.person == "plural"
    return verb.finite.shape == "imperative"


def _ends_line(line: Line, clause: Clause) -> bool:
    return all(line.is_mark(at) for at in range(clause.last + 1, len(line)))
