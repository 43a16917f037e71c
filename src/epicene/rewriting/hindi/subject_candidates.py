"""The words of a clause that may be its subject."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.rewriting.hindi import inflection, lexicon
from epicene.rewriting.hindi.conjugation import VerbForm, analyse_verb
from epicene.rewriting.hindi.inflection import (
    citation_form,
    is_adjective,
    is_genitive,
    is_participle,
)
from epicene.rewriting.hindi.lexicon import function_words, verb_stems
from epicene.rewriting.hindi.phrases import is_oblique, modifies_noun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.rewriting.hindi.clauses import Clause
    from epicene.rewriting.hindi.line import Line
    from epicene.rewriting.persons import Gender

# demonstrative: वह, यह right before a thing, of which it may be said.
# group: a body of people, which may act: कंपनी, पुलिस, लोग.
CandidateKind: TypeAlias = Literal[
    "pronoun", "demonstrative", "person", "group", "thing", "unknown"
]


_AFTER_ADVERBIAL = frozenset("बिना बगैर हुए ही समय वक्त".split())


class SubjectCandidate(NamedTuple):
    """A word in the direct case that may head the subject."""

    at: int
    sort: CandidateKind
    gender: Gender | None = None


def subject_candidates(line: Line, clause: Clause) -> list[SubjectCandidate]:
    """The candidates of a clause, from left to right."""
    opening = _adverbial_opening(line, clause)
    return [
        each
        for at in clause.field
        for each in _candidates_at(line, clause, at)
        if at >= opening or each.sort not in {"thing", "group", "unknown"}
    ]


def _adverbial_opening(line: Line, clause: Clause) -> int:
    """Where the clause continues after an adverbial and a comma: पढ़ाई पूरी करने के बाद, राम …"""
    for at in reversed(clause.field):
        if line[at] == "," and line[at - 1] in function_words().postpositions:
            return at + 1
    return clause.first


def _candidates_at(line: Line, clause: Clause, at: int) -> Iterator[SubjectCandidate]:
    word = line[at]
    if line.is_mark(at) or line.has_postposition(at) or word.endswith("ों"):
        return
    if _names_who_speaks(line, at) or line[at + 1].endswith(("वाला", "वाली", "वाले")):
        return
    if word in lexicon.THIRD_PRONOUNS:
        yield from _pronoun_candidates(line, clause, at)
    elif (gender := _indefinite_thing_gender(line, clause, at)) is not None:
        yield SubjectCandidate(at, "thing", gender)
    elif _is_name_of_somebody(line, clause, at):
        yield SubjectCandidate(at, "unknown")
    elif _is_doing(line, at) or _is_product(line, clause, at):
        yield SubjectCandidate(at, "thing", "masculine")
    elif not _cannot_be(line, clause, at):
        yield from _noun_candidates(line, at)


def _is_name_of_somebody(line: Line, clause: Clause, at: int) -> bool:
    """Whether a thing's name opens a clause that says what only people do: ज्योति सो गई."""
    verb = clause.verb
    if verb is None or at != clause.first or line[at] not in inflection.people_listed("things_too"):
        return False
    before = line.before(verb.first)
    if verb.main in verb_stems().human:
        return before != at and line[at + 1] not in {"और", "या"}  # रचना कविता लिखती थी
    return verb.main in verb_stems().personal and verb.main not in {"उठ", "मर", "जाग", "भटक"}


def _is_product(line: Line, clause: Clause, at: int) -> bool:
    """Whether a noun for people means a thing here: नया मॉडल आया, but मॉडल थक गई."""
    verb = clause.verb
    if verb is None or line[at] not in inflection.people_listed("products"):
        return False
    feminine = any(line[index].endswith(("ी", "ीं")) for index in verb.agreeing)
    return not feminine and verb.main not in verb_stems().personal | verb_stems().human


def _is_doing(line: Line, at: int) -> bool:
    """Whether an infinitive is a noun, by a genitive before it: बच्चों का रोना थमा."""
    genitive = is_genitive(line[at - 1]) and line[at - 1].endswith("ा")
    return genitive and any(
        form.shape == "infinitive" and form.cell == "ms" for form in analyse_verb(line[at])
    )


def _names_who_speaks(line: Line, at: int) -> bool:
    """Whether a colon makes the word the label of what somebody says: वैद्य: नाड़ी धीमी है."""
    return line[at + 1] == ":" and at == _first_word(line, at)


def _pronoun_candidates(line: Line, clause: Clause, at: int) -> Iterator[SubjectCandidate]:
    noun = _noun_after(line, at)
    if noun is None or noun not in clause.field or _stands_alone(line, clause, noun):
        yield SubjectCandidate(at, "pronoun")
    elif inflection.thing_gender(line[noun]):
        yield SubjectCandidate(at, "demonstrative")


def _noun_candidates(line: Line, at: int) -> Iterator[SubjectCandidate]:
    word = line[at]
    if reading := inflection.person_noun(word):
        if not is_oblique(line, at) and not modifies_noun(line, at, reading):
            yield SubjectCandidate(at, "person", reading.gender)
    elif word in inflection.group_nouns():
        yield SubjectCandidate(at, "group", inflection.thing_gender(word))
    elif gender := inflection.thing_gender(word):
        yield SubjectCandidate(at, "thing", gender)
    elif word[0].isascii():  # Hinglish: meeting शुरू हुई
        yield SubjectCandidate(at, "thing")
    elif not is_adjective(word) and not _is_nonfinite_verb(word):
        gender = inflection.abstract_noun_gender(word) or _gender_by_genitive(line, at)
        if word.endswith(_FEMININE_PLURALS):  # मुट्ठियाँ, सेवाएँ
            gender = "feminine"
        yield SubjectCandidate(at, "thing" if gender else "unknown", gender)


_FEMININE_PLURALS = ("ियां", "ाएं", "ुएं")


def _gender_by_genitive(line: Line, at: int) -> Gender | None:
    """The gender that a genitive right before a noun shows, which is then no name: पैरों की पाज़ेब."""
    before = line[at - 1]
    if not is_genitive(before) or before.endswith("े"):
        return None
    return "feminine" if before.endswith("ी") else "masculine"


def _indefinite_thing_gender(line: Line, clause: Clause, at: int) -> Gender | None:
    """The gender of सब कुछ or क्या right before the verb, and of बस as the bus, not "only"."""
    word, before = line[at], line[at - 1]
    everything = word == "कुछ" and before in {"सब", "बहुत", "जो"}
    last = clause.verb is not None and clause.verb.first == at + 1
    if everything or (word in {"क्या", "कुछ"} and last):
        return "masculine"
    return "feminine" if word == "बस" and before in function_words().subordinators else None


def _cannot_be(line: Line, clause: Clause, at: int) -> bool:
    return (
        is_function_word(line[at])
        or _is_nominal_of_verb(line, clause, at)
        or _modifies(line, clause, at)
        or has_own_verb(line, clause, at)
    )


@lru_cache(maxsize=65536)
def is_function_word(word: str) -> bool:
    """Whether the word is no noun, adjective or verb, or says where or when."""
    words = function_words()
    first, _, second = word.partition("-")
    return (
        first == second  # धीरे-धीरे
        or word in {"सो", "तरह"}
        or (
            word in inflection.place_nouns() | inflection.time_nouns()
            and inflection.thing_gender(word) is None
        )
        or word in lexicon.NOT_THIRD_PERSON_SUBJECTS
        or word in words.postpositions
        or word in words.particles
        or word in words.intensifiers
        or word in words.adverbs
        or word in words.coordinators
        or word in words.interjections
        or word in words.subordinators
        or word in words.determiners
        or word in words.numerals
        or not word[0].isalpha()
    )


def _is_nominal_of_verb(line: Line, clause: Clause, at: int) -> bool:
    """Whether the noun and the verb form a conjunct verb: शुरू हुआ."""
    verb = clause.verb
    if verb is None or verb.main not in {"कर", "हो", "दे", "ले", "आ", "रख", "पा", "लग"}:
        return False
    if verb.main == "हो" and inflection.thing_gender(line[at]):  # उनका निधन हो गया
        return False
    return line[at] in function_words().verbal_nominals and line.before(verb.first) == at


def has_own_verb(line: Line, clause: Clause, at: int) -> bool:
    """Whether the noun is an argument of a non-finite verb: नाश्ता किए बिना, भूख लगने पर."""
    if line[at + 1] in {"बनना", "बनने"} and inflection.person_noun(line[at]):
        return True
    if clause.verb is not None and at + 1 >= clause.verb.first:
        return False
    if line[at + 1] in {"करना", "करनी", "देना", "देनी"}:  # रिप्लाई करना भूल गया
        return True
    verb = at + 1  # पढ़ाई पूरी करने के बाद
    while line[verb] in function_words().adverbs:
        verb += 1
    if verb > at + 1 and not any(  # पूरा स्टॉक ख़ुद जाँचकर
        form.stem in verb_stems().transitive for form in analyse_verb(line[verb])
    ):
        return False
    if line[verb] in function_words().verbal_nominals or citation_form(line[verb]) == "पूरा":
        verb += 1
    first, _, second = line[verb].partition("-")
    if first == second and any(  # बात करते-करते
        form.shape == "imperfective" and form.stem in verb_stems().transitive
        for form in analyse_verb(first)
    ):
        return True
    thing = inflection.thing_gender(line[at]) and line[at] not in inflection.group_nouns()
    if thing and inflection.thing_gender(line[verb]) and not line.has_postposition(verb):
        return has_own_verb(line, clause, verb)  # तीन जोड़ी जूते लेकर
    if not thing and _does_so_itself(line, at, verb):
        return False
    adverbial = line[verb + 1] in _AFTER_ADVERBIAL or line[at - 1] in {"बिना", "बगैर"}
    return any(
        form.shape == "conjunctive"
        or (form.cell == "mp" and form.shape == "infinitive")
        or (form.cell == "mp" and form.participle and adverbial)
        or (form.cell == "mp" and _is_manner(form))
        for form in analyse_verb(line[verb])
    )


def _does_so_itself(line: Line, at: int, verb: int) -> bool:
    """Whether who is named does what an intransitive verb after it says: लोग उठकर, सोनू पहुँचते ही."""
    if line[at] in inflection.place_nouns():  # मंदिर जाकर
        return False
    forms = analyse_verb(line[verb])
    known = verb_stems()
    return bool(forms) and all(
        form.stem in known.intransitive and form.stem not in known.transitive for form in forms
    )


def _is_manner(form: VerbForm) -> bool:
    """Whether the participle says how somebody does something: मुँह फुलाए घूमा, सिर झुकाए बैठा."""
    return form.shape == "perfective" and form.stem in verb_stems().transitive


def _is_nonfinite_verb(word: str) -> bool:
    return word in {"आ", "जा"} or any(  # आ पहुँचा
        form.shape in {"infinitive", "conjunctive", "imperfective", "perfective", "agentive"}
        for form in analyse_verb(word)
    )


_ADJECTIVE_ENDINGS = ("ी", "े", "ीन", "िक", "ीय", "ित", "ान", "ूर्ण", "कालीन", "ल")


def _first_word(line: Line, at: int) -> int:
    """The index of the first word of the sentence."""
    start = line.sentence(at)[0]
    labels = [mark for mark in range(start, at) if line[mark] == ":"]
    start = labels[-1] if labels else start
    while line.is_mark(start) and start < at:
        start += 1
    return start


def _modifies(line: Line, clause: Clause, at: int) -> bool:
    """Whether the word may be an adjective right before a noun: मध्यकालीन चित्र, डॉक्टर साहब."""
    reading, following = inflection.person_noun(line[at]), line[at + 1]
    if reading is None and _does_something_to(line, clause, at):
        return False
    if inflection.thing_gender(line[at]) or (reading and reading.noun.kind != "same"):
        return False
    if not reading and line[at - 1] == "," and line.has_postposition(at + 1):
        return line[at].endswith(_ADJECTIVE_ENDINGS)  # …, शर्मा संगीत के क्षेत्र में …
    place = following in inflection.place_nouns() and not line.has_postposition(at + 1)
    thing = inflection.thing_gender(following) and not place  # राजू बाज़ार गया
    opens = at == _first_word(line, at) or (
        line[at - 1] in function_words().coordinators and at - 1 == clause.first
    )
    compound = following not in inflection.group_nouns() and opens_oblique_compound(line, at + 1)
    oblique = line.has_postposition(at + 1) or compound
    if thing and not reading and oblique and opens:  # सुरेश नदी में …, संगीता पुस्तक मेले में …
        return line[at].endswith(_ADJECTIVE_ENDINGS)
    several = following.endswith("ों")  # विधायक समर्थकों के साथ …
    person = inflection.person_noun(following) and not (reading and several)
    return bool(person or (thing and not reading))


_CLEAR_ADJECTIVE_ENDINGS = ("िक", "ीय", "ित", "ूर्ण", "कालीन", "ात्मक", "दार", "मंद", "शील")


def _does_something_to(line: Line, clause: Clause, at: int) -> bool:
    """Whether a sentence opens with somebody who does something to a thing: सोनू किताब पढ़ता है."""
    word, verb = line[at], clause.verb
    if verb is None or at != _first_word(line, at) or word.endswith(_CLEAR_ADJECTIVE_ENDINGS):
        return False
    beside = line[at + 1]
    thing = inflection.thing_gender(beside) and beside not in inflection.group_nouns()
    if not thing or line.has_postposition(at + 1):
        return False
    return verb.valency == "transitive" or has_own_verb(line, clause, at + 1)


# Who goes there may be left to a bare noun: वह घर गया.
_MOTION_VERBS = frozenset("जा आ पहुंच लौट चल भाग निकल ले".split())


def _stands_alone(line: Line, clause: Clause, noun: int) -> bool:
    """Whether the pronoun does not determine the noun: वह डॉक्टर है, वह घर गया, वह काम करके सोया."""
    verb = clause.verb
    if verb is None:
        return False
    if line[noun] in inflection.place_nouns() and verb.main in _MOTION_VERBS:
        return True
    if has_own_verb(line, clause, noun):
        return True
    if verb.valency != "copular" or inflection.thing_gender(line[noun]):
        return False
    return line.before(verb.first) == noun


def _noun_after(line: Line, at: int) -> int | None:
    """The noun in the direct case that वह, यह … may determine."""
    after = at + 1
    while line.is_word(after) and (
        is_adjective(line[after])
        or line[after] in {"भी", "और", "ही", "एक"} | function_words().numerals
        or (is_participle(line[after]) and inflection.thing_gender(line[after + 1]))
    ):
        after += 1
    if line[after] in inflection.time_nouns() and "े" in {line[after][-1:], line[after - 1][-1:]}:
        return None  # वह अगले महीने आएगा
    if line[after] in inflection.time_nouns() and line[after + 1] == "भर":
        return None  # वह रात भर रोया
    if inflection.person_noun(line[after]):
        return None if is_oblique(line, after) else after
    if not inflection.thing_gender(line[after]) or line.has_postposition(after):
        return None
    return None if opens_oblique_compound(line, after) else after


def opens_oblique_compound(line: Line, at: int) -> bool:
    """Whether the thing is a part of a compound in the oblique, which वह cannot determine.

    वह शो बिजनेस में, वे फिटनेस टीमों के.
    """
    after = at + 1
    if line.is_mark(after) or is_function_word(line[after]) or analyse_verb(line[after]):
        return False
    return line[after].endswith("ों") or line.has_postposition(after)
