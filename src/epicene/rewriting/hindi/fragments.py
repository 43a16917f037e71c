"""The person whom a text without any subject leaves out.

Where something is asked of them, or said after a request, it is the listener (पासवर्ड भूल गए? सो
गया क्या?); what is stated, in a chat or by a button, is the speaker's (समझ गया, थककर सो गया).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.hindi import inflection
from epicene.rewriting.hindi.conjugation import analyse_verb
from epicene.rewriting.hindi.inflection import is_agreeing_adjective
from epicene.rewriting.hindi.lexicon import function_words, verb_stems
from epicene.rewriting.hindi.subjects import Subject, can_agree, verb_cells
from epicene.rewriting.hindi.topics import VERBS_OF_THINGS, said_of_person

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.rewriting.hindi.clauses import Clause
    from epicene.rewriting.hindi.line import Line
    from epicene.rewriting.hindi.verb_complexes import VerbComplex
    from epicene.rewriting.quotations import Interlocutors

# Things come and go too, so only what is under way or completed is a person's: आ गया, निकल रहा था.
_MOTION_VERBS = frozenset("आ पहुंच निकल लौट".split())
_OTHER_SUBJECTS = frozenset("कौन कौन-कौन कितने कितनी दोनों तीनों चारों सब सभी लोग बाकी".split())
_JOURNEYS = _MOTION_VERBS | {"जा", "चल"}
_OUTINGS = frozenset(
    "छुट्टी सैर यात्रा टूर पिकनिक शादी पार्टी मेले इंटरव्यू परीक्षा डॉक्टर जिम ऑफिस दफ्तर "
    "घूमने मायके ससुराल पैदल".split()
)
# Without a subject, somebody else is as likely to have said so.
_TELLING = frozenset("कह बोल बता पूछ कर मान चाह समझा सुना".split())
_QUESTION_MARKS = frozenset({"?", "??"})


def person_left_out(
    line: Line, clauses: Sequence[Clause], clause: Clause, interlocutors: Interlocutors
) -> Subject | None:
    """The subject of a clause in a text that names none, if it can be speaker or listener."""
    verb = clause.verb
    if verb is None or verb.main in VERBS_OF_THINGS:
        return None
    if any(line[at] in _OTHER_SUBJECTS and line[at + 1] != "बजे" for at in clause.field):
        return None
    asked = not clause.opener and line[_end_mark(line, clause)] in _QUESTION_MARKS
    if _is_plural(line, clause, verb):
        if not asked and not _follows_request(clauses, clause):
            return None
        subject = Subject(interlocutors.listener, None, True, "guess", "asked of the user")
    elif (
        asked
        and said_of_person(line, clause, verb)
        and _only_people_do(line, clause, verb, stated=False)
    ):
        subject = Subject(interlocutors.listener, None, False, "guess", "asked of the user")
    elif not asked and verb.person is None and _is_personal(line, clause, verb):
        subject = Subject(interlocutors.speaker, None, False, "guess", "answered by the user")
    elif (
        verb.person == "third"
        and _speaks_to_one(line)
        and said_of_person(line, clause, verb)
        and (verb.finite.shape == "future" or verb.valency == "copular")
    ):
        subject = Subject(interlocutors.listener, None, False, "guess", "said to तू")
    else:
        return None
    return subject if can_agree(line, verb, subject, interlocutors) else None


_TO_ONE = frozenset("तू तुझे तुझको तुझसे तेरा तेरे तेरी तूने".split())


def _speaks_to_one(line: Line) -> bool:
    """Whether the text says तू to somebody, or commands as one does: रुक जा!"""
    if _TO_ONE & set(line.keys):
        return True
    return any(
        line[at] == "जा" and line.is_mark(at + 1) and analyse_verb(line[at - 1])
        for at in range(1, len(line))
    )


def _end_mark(line: Line, clause: Clause) -> int:
    """The index of the mark after the clause, and after क्या or a name: सो गया क्या?"""
    at = clause.last + 1
    while line.is_word(at) and at <= clause.last + 3:
        at += 1
    return at


def _is_personal(line: Line, clause: Clause, verb: VerbComplex) -> bool:
    """Whether a statement without a subject is a person's: सो गया, भूखा था."""
    if not said_of_person(line, clause, verb):
        return False
    if verb.valency == "copular" and verb.main == "हो":
        return line.before(verb.first) >= clause.first
    return _only_people_do(line, clause, verb, stated=True)


def _is_persons_journey(line: Line, clause: Clause, verb: VerbComplex) -> bool:
    """Whether a person goes there, or does something on the way: ट्रेकिंग पर गया, जूते पहनकर चला."""
    known = verb_stems()
    arrives = verb.main in {"लौट", "पहुंच"} and line[clause.last + 1] == "तो"
    if arrives and line[line.before(verb.first)] in inflection.place_nouns():
        return True  # घर लौटा तो देखा कि …
    for at in clause.field:
        if line[at] in _OUTINGS or (line[at].endswith("िंग") and line[at + 1] in {"पर", "में"}):
            return True
        for form in analyse_verb(line[at]):
            does = form.stem in known.transitive
            if form.shape == "conjunctive" and does and form.stem not in {"भर", "ले", "कर"}:
                return True
            if form.shape == "infinitive" and form.cell == "mp" and at + 1 == verb.first and does:
                return True  # दवा लेने गया
    return False


def _could(line: Line, verb: VerbComplex) -> bool:
    """Whether the verb says that somebody could or could not do it."""
    return any(
        line[at] in {"पाया", "पाई", "सका", "सकी", "पाता", "पाती", "सकता", "सकती"}
        for at in verb.agreeing
    )


def _only_people_do(line: Line, clause: Clause, verb: VerbComplex, *, stated: bool) -> bool:
    """Whether only people do it: सो गया, भाग क्यों रहा है; हो गया may be said of anything."""
    if verb.ergative:
        return False
    if verb.main in verb_stems().personal:
        return True
    if stated and verb.main in verb_stems().human and verb.main not in _TELLING:
        return True
    if stated and verb.main in _JOURNEYS and _is_persons_journey(line, clause, verb):
        return True
    if stated and verb.main in _JOURNEYS and _could(line, verb):  # ऑफ़िस नहीं जा पाया
        return True
    under_way = any(line[at] in {"रहा", "रही"} for at in verb.agreeing)
    if not stated:
        return under_way and verb.main in _MOTION_VERBS | {"जा"}
    completed = any(line[at] in {"गया", "गई", "चुका", "चुकी"} for at in verb.agreeing)
    return (under_way or completed) and verb.main in _MOTION_VERBS


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
