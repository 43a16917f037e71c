"""Predicates, states and roles that agree with the subject or the object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.hindi import inflection, lexicon
from epicene.rewriting.hindi.conjugation import analyse_verb
from epicene.rewriting.hindi.inflection import (
    cell_gender,
    citation_form,
    ending_cell,
    is_adjective,
    is_agreeing_adjective,
    is_genitive,
    is_participle,
    is_stative_participle,
)
from epicene.rewriting.hindi.lexicon import function_words
from epicene.rewriting.hindi.phrases import Phrase, is_degree, read_phrase, read_predicate_phrase
from epicene.rewriting.hindi.sites import Site, Target
from epicene.rewriting.hindi.subjects import Subject
from epicene.rewriting.hindi.verb_complexes import TIME_WORDS_BEFORE_GENITIVE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.rewriting.hindi.line import Line
    from epicene.rewriting.hindi.subjects import ClauseReading
    from epicene.rewriting.quotations import Interlocutors

_COORDINATORS = frozenset("और या एवं तथा लेकिन मगर बल्कि".split()) | {","}
# They may stand between a predicate and its verb without being said of anyone.
_SKIPPED_BEFORE_VERB = frozenset(
    "महसूस साबित दिखाई नजर घोषित नियुक्त मनोनीत निर्वाचित तैनात सिद्ध "
    "तब अब भले जरूर अवश्य इसलिए शायद".split()
)


# They are said of who does something: घर का इकलौता कमाने वाला हूँ.
_ONLY = frozenset("इकलौता अकेला पहला दूसरा तीसरा".split())


def predicate_sites(line: Line, reading: ClauseReading) -> Iterator[Site]:
    """The sites of a clause's predicates and states, which agree with its subject or actor."""
    clause, verb = reading.clause, reading.clause.verb
    subject, actor = reading.controller, reading.actor
    if subject is not None and subject.who is not None:
        if verb is None:
            yield from _verbless_sites(line, reading, subject)
            if "मत" in line.keys[clause.first : clause.last + 1]:  # तुम अकेले मत जाना
                yield from _state_sites(line, reading, subject)
            return
        said = line[line.before(verb.first)]
        only = citation_form(said) in _ONLY and line[verb.first + 1] in {"वाला", "वाली", "वाले"}
        appointed = verb.valency == "passive" and inflection.person_noun(
            line[_head(line, verb.first, clause.first)]
        )
        speaks = verb.main == "बोल" and verb.person == "first" and inflection.person_noun(said)
        if verb.valency == "copular" or said == "महसूस" or only or appointed or speaks:
            yield from _copula_sites(line, verb.first, clause.first, subject)
            yield from _kin_likeness_sites(line, verb.first, clause.first, subject)
        elif verb.valency == "intransitive":
            yield from _degree_sites(line, verb.first, subject)
            before = line.before(verb.first)
            if line[before] in _COORDINATORS and is_agreeing_adjective(
                line[before - 1]
            ):  # बूढ़ा और थका हुआ हूँ
                yield from _copula_sites(line, before, clause.first, subject)
        yield from _unchanged_sites(line, reading, subject)
        yield from _state_sites(line, reading, subject)
    if verb is not None and actor is not None and actor.who is not None:
        yield from _nonfinite_sites(line, reading, actor)


def phrase_sites(
    line: Line,
    found: Phrase,
    subject: Subject,
    rule: str,
    *,
    oblique: bool = False,
    any_number: bool = False,
) -> Iterator[Site]:
    """A site for each word of a phrase that agrees with the subject.

    `any_number`: agreeing words may be plural though the subject is not known to be.
    """
    if subject.who is None:
        return
    number = (subject.plural, oblique)
    if inflection.person_noun(line[found.head]) and found.head not in found.agreeing:
        target = Target("noun", *number)
        yield Site(found.head, subject.who, target, rule, subject.sure)
        if line[found.head] == "बहन" and line[found.head + 1] == "जी":  # भाई साहब
            yield Site(found.head + 1, subject.who, target, rule, subject.sure)
    for at in found.agreeing:
        if any_number or _number_fits(line, at, subject, oblique):
            target = Target("adjective", *number)
            yield Site(at, subject.who, target, rule, subject.sure)


def _number_fits(line: Line, at: int, subject: Subject, oblique: bool = False) -> bool:
    """Whether the word's number fits; with a singular subject, पहले and अकेले are adverbs."""
    return ending_cell(line.tokens[at].text) != "mp" or subject.plural or oblique


# --- beside a copula ------------------------------------------------------------------------


def _copula_sites(line: Line, at: int, start: int, subject: Subject) -> Iterator[Site]:
    """The sites of the predicate before a copula, or before a pronoun that precedes it."""
    head = _head(line, at, start)
    if head == subject.at:
        head = _head(line, head, start)
    how = line[head] in {"ऐसे", "वैसे", "कैसे"} and line[head + 1] == "ही"
    if how and is_participle(line[at]) and not line.is_mark(at + 1):  # ऐसे ही पड़े रहोगे
        return
    while head >= start:
        found = read_predicate_phrase(line, head, start)
        if found is None:
            return
        yield from phrase_sites(line, found, subject, "said of the subject")
        head = _next_head(line, found, subject)


# Whom someone is to somebody, not whom they resemble: मेरे भाई जैसे हो, हमारे लिए पिता समान हैं.
_KIN = frozenset("भाई बहन बेटा बेटी बेटे पुत्र पुत्री पिता माता मां मित्र सखी दोस्त भैया दीदी".split())


def _kin_likeness_sites(line: Line, at: int, start: int, subject: Subject) -> Iterator[Site]:
    """The sites of a relative before जैसा or समान and a copula."""
    like = _head(line, at, start)
    noun = like - 1
    if line[noun] == "के":
        noun -= 1
    said = line[like] in _LIKENESS_WORDS | {"समान", "तुल्य"} and line[noun] in _KIN
    if not said or like != at - 1:  # नहीं हो: whom they resemble
        return
    found = read_phrase(line, noun, start)
    if any(citation_form(line[each]) == "अपना" for each in found.agreeing):
        return
    oblique = line[like] in _LIKENESS_WORDS
    yield from phrase_sites(line, found, subject, "said of the subject", oblique=oblique)


def _head(line: Line, at: int, start: int) -> int:
    head = line.before(at)
    while head >= start and line[head] in _SKIPPED_BEFORE_VERB:
        head = line.before(head)
    return head


def _next_head(line: Line, found: Phrase, subject: Subject) -> int:
    """The head of a predicate coordinated on the left, -1 if none.

    थका और भूखा, गायक तो अच्छा.
    """
    words = function_words()
    before = found.first - 1
    between = words.intensifiers | words.invariable_adjectives | {"एक", "भले", "बस"}
    while line[before] in between - _COORDINATORS:
        before -= 1
    if inflection.person_noun(line[before]) and is_adjective(line[found.head]):
        named = subject.at is None or subject.at < before
        if citation_form(line[before + 1]) in {"जितना", "जैसा"}:  # बहन जितनी बहादुर
            return -1
        return before if named and not line.has_postposition(before) else -1
    if line[before] in {"से", "में"} and line[before - 2] in _COORDINATORS:
        before -= 2  # ऊपर से कड़ा और अंदर से मुलायम
    if line[before] not in _COORDINATORS:
        return -1
    while line[before] in _COORDINATORS or line[before] in words.negations:
        before -= 1
    return before if before != subject.at else -1


def _verbless_sites(line: Line, reading: ClauseReading, subject: Subject) -> Iterator[Site]:
    """The sites of a predicate without a copula: … हूँ, झूठा नहीं; मैं छोटा दुकानदार सही."""
    clause = reading.clause
    end = clause.last + 1
    while line.is_mark(end - 1) or line[end - 1] in {"नहीं", "सही", "भी", "न", "ही"}:
        end -= 1
        if end <= clause.first:
            return
    if any(form.shape == "infinitive" for form in analyse_verb(line[end - 1])):  # आ जाना
        return
    found = read_predicate_phrase(line, end - 1, clause.first)
    if found is None or found.head == subject.at:
        return
    joined = _next_head(line, found, subject)
    first = found.first if joined < clause.first else joined
    if subject.at is None and _names_another(line, clause.first, first):
        return
    yield from phrase_sites(line, found, subject, "said without a verb")
    if joined >= clause.first:
        noun = read_phrase(line, joined, clause.first)
        yield from phrase_sites(line, noun, subject, "said without a verb")


def _names_another(line: Line, start: int, end: int) -> bool:
    """Whether the fragment has a subject of its own: मेरा भाई वकील."""
    words = [word for word in line.keys[start:end] if word != "कोई"]  # कोई नौकर नहीं
    return any(word in lexicon.THIRD_PRONOUNS or inflection.person_noun(word) for word in words)


def _degree_sites(line: Line, at: int, subject: Subject) -> Iterator[Site]:
    """The site of a degree word before the verb, which agrees with the subject: इतना थक गया."""
    before = line.before(at)
    if any(line[each] in function_words().negations for each in range(before + 1, at)):
        return  # इतना नहीं डरा says how far, of nobody
    if is_degree(line[before]) and _number_fits(line, before, subject):
        assert subject.who is not None
        target = Target("adjective", subject.plural)
        yield Site(before, subject.who, target, "degree", subject.sure)


# --- elsewhere in the clause ----------------------------------------------------------------


def _state_sites(line: Line, reading: ClauseReading, subject: Subject) -> Iterator[Site]:
    """The sites of depictives: अकेला गया, थका हुआ लौटा, गाता हुआ चला."""
    assert subject.who is not None
    for at in reading.clause.field:
        pair = is_stative_participle(line[at], line[at + 1])
        known = (
            citation_form(line[at]) in function_words().depictives
            or (line[at] == "अकेले" and subject.plural)
            or _is_approximative(line[at])
            or _is_reduplicated(line, at)
            or _is_agreeing_adverb(line, at)
        )
        if not (pair or known) or not _number_fits(line, at, subject):
            continue
        verb = reading.clause.verb
        made = verb is not None and verb.main == "कर" and at + 1 == verb.first
        if line[at] == "सीधे" or made:  # straight; टीम को खड़ा करूँगा
            continue
        if pair and _is_adverbial(line, at):
            continue
        last = at + 1 if pair else at
        if last + 1 in reading.clause.field and _qualifies_noun(line, last + 1):
            cell = ending_cell(line.tokens[at].text)
            thing = inflection.thing_gender(line[last + 1])
            sits = thing is not None and citation_form(line[at]) in {"बैठा", "लेटा"}
            if not sits and (thing is None or cell is None or thing == cell_gender(cell)):
                continue  # but बैठा किताब पढ़ रहा था
        for each in range(at, last + 1):
            target = Target("adjective", subject.plural)
            yield Site(each, subject.who, target, "state", subject.sure)


def _unchanged_sites(line: Line, reading: ClauseReading, subject: Subject) -> Iterator[Site]:
    """The sites of an adjective or a participle that the verb repeats: देखता का देखता रह गया."""
    assert subject.who is not None
    for at in reading.clause.field:
        known = is_agreeing_adjective(line[at]) or is_participle(line[at])
        if known and is_genitive(line[at + 1]) and line[at + 2] == line[at]:
            for each in range(at, at + 3):
                target = Target("adjective", subject.plural)
                yield Site(each, subject.who, target, "state", subject.sure)


def _is_adverbial(line: Line, at: int) -> bool:
    """Whether a participle with हुए says how, of whomever: इंतज़ार करते हुए."""
    return any(
        form.shape == "imperfective" and form.cell == "mp" for form in analyse_verb(line[at])
    )


def _is_reduplicated(line: Line, at: int) -> bool:
    """Whether an adjective or a participle is said twice: नया-नया आया, भागा-भागा पहुँचा."""
    first, _, second = line[at].partition("-")
    if first != second or not (is_agreeing_adjective(first) or is_participle(first)):
        return False
    if any(form.shape == "imperfective" and form.cell == "mp" for form in analyse_verb(first)):
        return False  # बात करते-करते
    following = line[at + 1]  # छोटी-छोटी बातों पर
    feminine = inflection.thing_gender(following) == "feminine" or following.endswith("ों")
    return not (feminine and ending_cell(line.tokens[at].text) == "fs")


def _is_agreeing_adverb(line: Line, at: int) -> bool:
    """Whether the word is the genitive of कब का, which agrees as a depictive does."""
    if line[at] not in {"का", "की"}:
        return False
    tired = citation_form(line[at + 1]) in {"थका", "भूखा", "प्यासा", "जागा", "थका-हारा", "थका-मांदा"}
    since = line[at - 1] == "भर" or line[at - 1] in inflection.time_nouns()
    return line[at - 1] in TIME_WORDS_BEFORE_GENITIVE or (tired and since)


def _is_approximative(word: str) -> bool:
    """Whether the word is an adjective with -सा: बावला-सा घूमा."""
    return word.endswith(("-सा", "-सी", "-से")) and is_agreeing_adjective(word)


def _qualifies_noun(line: Line, at: int) -> bool:
    """Whether a noun follows that the word may modify instead."""
    word = line[at]
    if (
        word in function_words().negations
        or line.has_postposition(at)
        or word in inflection.place_nouns()
        or word in inflection.time_nouns()
    ):
        return False
    noun = inflection.person_noun(word) or inflection.thing_gender(word)
    return bool(noun) or word.endswith("ों")  # कतार में खड़े लोगों


def _nonfinite_sites(line: Line, reading: ClauseReading, actor: Subject) -> Iterator[Site]:
    """The sites of predicates of a non-finite copula, which agree with the actor.

    शिक्षक बनना चाहता हूँ, बड़ा होकर, सचिव होते हुए.
    """
    clause, verb = reading.clause, reading.clause.verb
    assert verb is not None
    for at in range(clause.first, verb.last + 1):
        if not _is_copula_not_finite(line, at):
            continue
        head = line.before(at)
        if head < clause.first or not (
            inflection.person_noun(line[head]) or is_agreeing_adjective(line[head])
        ):
            continue
        found = read_predicate_phrase(line, head, clause.first)
        if found is None or _has_own_subject(line, found, clause.first):
            continue
        yield from phrase_sites(line, found, actor._replace(sure="likely"), "role to be")
        if verb.obligation and at == verb.first and inflection.person_noun(line[head]):
            yield from _infinitive_sites(line, at, actor)


def _infinitive_sites(line: Line, at: int, actor: Subject) -> Iterator[Site]:
    """The site of an infinitive that agrees with its predicate noun: अच्छी छात्रा होनी चाहिए.

    होना agrees; बनना need not, but may.
    """
    assert actor.who is not None
    if line[at] in {"होना", "होनी", "बननी"}:
        yield Site(at, actor.who, Target("verb"), "role to be", "likely")


def _is_copula_not_finite(line: Line, at: int) -> bool:
    if line[at] == "होते" and line[at + 1] in {"हुए", "ही"}:
        return True
    return any(
        form.stem in {"बन", "हो", "रह"} and form.shape in {"infinitive", "conjunctive"}
        for form in analyse_verb(line[at])
    )


def _has_own_subject(line: Line, found: Phrase, start: int) -> bool:
    """Whether another noun in the direct case precedes, as the subject: काम पूरा होने पर."""
    before = found.first - 1
    if before < start or is_genitive(line[found.first]) or line[before] in inflection.time_nouns():
        return False
    return bool(inflection.thing_gender(line[before]) or inflection.person_noun(line[before]))


_LIKENESS_WORDS = frozenset({"जैसा", "जैसे", "जैसी", "सरीखा", "सरीखे", "सरीखी"})
_FIRST_PERSON_BEFORE_LIKE = frozenset({"मुझ", "मेरे"})
_SECOND_PERSON_BEFORE_LIKE = frozenset({"तुझ", "तुम", "आप", "तेरे", "तुम्हारे", "आपके"})
_MAX_PHRASE_WORDS = 8  # of an apposition, and of a phrase after मुझ जैसा


def role_sites(line: Line, reading: ClauseReading, interlocutors: Interlocutors) -> Iterator[Site]:
    """The sites of a clause other than those of its verb and predicate."""
    yield from _as_sites(line, reading, interlocutors)
    yield from _object_predicate_sites(line, reading, interlocutors)
    yield from _apposition_sites(line, reading)
    yield from _likeness_sites(line, reading, interlocutors)


# --- शिक्षक के रूप में ------------------------------------------------------------------------


def _as_sites(line: Line, reading: ClauseReading, interlocutors: Interlocutors) -> Iterator[Site]:
    """The sites of role phrases (के रूप में), which agree with the object, otherwise the actor."""
    clause = reading.clause
    for at in range(clause.first, clause.last + 1):
        agent = is_agreeing_adjective(line[at]) and line[at - 1].endswith("ने")  # काम करने वाला
        if not (inflection.person_noun(line[at]) or agent) or not _marks_role(line, at + 1):
            continue
        who = _object_person(line, reading, interlocutors) or reading.actor
        if who is not None and who.who is not None:
            found = read_phrase(line, at, clause.first)
            if agent:
                found = found._replace(agreeing=(*found.agreeing, at))
            yield from phrase_sites(line, found, who, "in the role of", oblique=True)


def _marks_role(line: Line, at: int) -> bool:
    if line[at] == "होने":
        at += 1
    if line[at] == "की" and line[at + 1] == "तरह":  # with एक one of the kind, no simile
        return any(line[before] == "एक" for before in range(at - 4, at))
    return line[at] in {"के", "की", "का"} and line[at + 1] in function_words().role_markers


def _object_person(
    line: Line, reading: ClauseReading, interlocutors: Interlocutors
) -> Subject | None:
    """The person that is the object of the clause."""
    for at in range(reading.clause.first, reading.clause.last + 1):
        word = line[at]
        if word in lexicon.FIRST_OBJECT_PRONOUNS or (
            word in lexicon.FIRST_POSSESSIVES and line[at + 1] in {"परिचय", "जिक्र", "नाम"}
        ):
            return Subject(interlocutors.speaker, at)
        if word in lexicon.SECOND_OBJECT_PRONOUNS:
            return Subject(interlocutors.listener, at)
        if word in lexicon.THIRD_OBJECT_PRONOUNS or (
            inflection.person_noun(word) and line[at + 1] == "को"
        ):
            return Subject("others", at)
        itself = word in {"खुद", "स्वयं", "आप"} and line[at + 1] == "को"
        if itself and reading.actor is not None:
            return reading.actor._replace(at=at)
    return None


# --- मुझे शिक्षक कहा ---------------------------------------------------------------------------


def _object_predicate_sites(
    line: Line, reading: ClauseReading, interlocutors: Interlocutors
) -> Iterator[Site]:
    """The sites of object complements, after verbs of calling, thinking, making and leaving."""
    clause, verb = reading.clause, reading.clause.verb
    if verb is None:
        return
    someone = _object_person(line, reading, interlocutors)
    if someone is None or someone.who is None:
        return
    for at in range(clause.first, verb.first + 1):
        if not _takes_object_predicate(line, at, finite=at == verb.first, main=verb.main):
            continue
        head = line.before(at)
        while line[head] in {"घोषित", "नियुक्त", "साबित", "महसूस"}:
            head = line.before(head)
        if citation_form(line[head]) in {"ऐसा", "वैसा"}:  # मुझे ऐसा नहीं कहना चाहिए
            continue
        if head <= (someone.at or 0) or not (
            inflection.person_noun(line[head]) or is_agreeing_adjective(line[head])
        ):
            continue
        found = read_predicate_phrase(line, head, (someone.at or 0) + 1)
        if found is not None and not line.has_postposition(head):
            yield from phrase_sites(line, found, someone, "said of the object")


def _takes_object_predicate(line: Line, at: int, *, finite: bool, main: str) -> bool:
    callers = function_words().object_complement_verbs
    if finite:
        return main in callers or line[line.before(at)] in callers
    return any(
        form.stem in callers and form.shape in {"conjunctive", "infinitive"}
        for form in analyse_verb(line[at])
    )


# --- मैं, एक शिक्षक, … ------------------------------------------------------------------------


def _apposition_sites(line: Line, reading: ClauseReading) -> Iterator[Site]:
    """The sites of an apposition between commas after the pronoun."""
    subject = reading.controller
    if subject is None or subject.at is None or line[subject.at + 1] != ",":
        return
    start = subject.at + 2
    while start < reading.clause.last:
        end = start
        while line.is_word(end) and end - start < _MAX_PHRASE_WORDS:
            end += 1
        if line[end] != "," and not (line.is_mark(end) and start == subject.at + 2):
            return
        if end > start and inflection.person_noun(line[end - 1]):
            found = read_phrase(line, end - 1, start)
            yield from phrase_sites(line, found, subject, "beside the pronoun")
        if line[subject.at] not in lexicon.FIRST_PRONOUNS | lexicon.SECOND_PRONOUNS:
            return
        start = end + 1


# --- मुझ जैसा शिक्षक ---------------------------------------------------------------------------


def _likeness_sites(
    line: Line, reading: ClauseReading, interlocutors: Interlocutors
) -> Iterator[Site]:
    """The sites of a phrase after मुझ जैसा, which agrees with the person named there."""
    for at in range(reading.clause.first, reading.clause.last):
        if line[at + 1] not in _LIKENESS_WORDS:
            continue
        who = (
            interlocutors.speaker
            if line[at] in _FIRST_PERSON_BEFORE_LIKE
            else interlocutors.listener
        )
        head = _head_after(line, at + 2)
        if (
            line[at] not in _FIRST_PERSON_BEFORE_LIKE | _SECOND_PERSON_BEFORE_LIKE
            or head is None
            or who is None
        ):
            continue
        found = Phrase(at + 1, head, _agreeing_words(line, at + 1, head))
        someone, oblique = Subject(who, at), line.has_postposition(head) or line[at + 1] == "जैसे"
        yield from phrase_sites(line, found, someone, "one like them", oblique=oblique)


def _head_after(line: Line, start: int) -> int | None:
    """The head noun of a phrase of likeness, None if it denotes no person."""
    for at in range(start, min(start + _MAX_PHRASE_WORDS, len(line))):
        word = line[at]
        if line.is_mark(at) or inflection.thing_gender(word) or is_genitive(word):
            return None
        if line.has_postposition(at) or line[at + 1] in function_words().postpositions:
            return at
        if inflection.person_noun(word) and not inflection.person_noun(line[at + 1]):
            return at
    return None


def _agreeing_words(line: Line, first: int, head: int) -> tuple[int, ...]:
    return tuple(
        at
        for at in range(first, head)
        if line[at] in _LIKENESS_WORDS
        or is_agreeing_adjective(line[at])
        or is_stative_participle(line[at], line[at + 1])
        or is_stative_participle(line[at - 1], line[at])
    )
