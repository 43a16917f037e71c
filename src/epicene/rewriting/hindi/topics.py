"""The people of earlier sentences, whom later ones leave out: मैं थक गया था। जल्दी सो गया।

A sentence continues the last person its verb can agree with, if only a person can do or be what
it says. In a text that names only मैं, the sentences before it are the speaker's too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.hindi import inflection, lexicon
from epicene.rewriting.hindi.conjugation import analyse_verb
from epicene.rewriting.hindi.inflection import citation_form, is_agreeing_adjective, is_participle
from epicene.rewriting.hindi.lexicon import function_words
from epicene.rewriting.hindi.phrases import may_be_name
from epicene.rewriting.hindi.subject_candidates import (
    has_own_verb,
    is_function_word,
    subject_candidates,
)
from epicene.rewriting.hindi.subjects import Subject, can_agree, verb_cells

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from epicene.rewriting.hindi.clauses import Clause
    from epicene.rewriting.hindi.line import Line
    from epicene.rewriting.hindi.subjects import ClauseReading
    from epicene.rewriting.hindi.verb_complexes import VerbComplex
    from epicene.rewriting.quotations import Interlocutors

# Without a subject they are said of things: मिल गया, बारह बजे, छूट गया.
VERBS_OF_THINGS = frozenset(
    "बज लग मिल खुल टूट बीत गुजर बच छूट छप बिक दिख चुभ फट बरस उग घट पच छा जम जल बह पक सूख भिंच".split()
)
# याद आया, पता चला: what comes to mind is the subject.
_WHAT_COMES = frozenset("याद समझ पसंद काम हाथ पता मालूम ध्यान ख्याल होश मजा गुस्सा पहचान नींद रास".split())
_WAYS_OF_COMING = frozenset("आ लग चल पड हो".split())
_NOT_NAMES = frozenset("सो ही".split())
# Who was asked or called says or does so next.
_ANSWERING = frozenset(
    "बोल कह बता पूछ मान रो हंस मुस्कुरा मुस्करा चिल्ला चौंक शरमा झल्ला भडक मुकर गिडगिडा बडबडा समझा".split()
)
_SEVERAL = frozenset("सब सभी दोनों तीनों चारों लोग बाकी कोई कौन".split())
_REMEMBERED = 2  # people


class Topics:
    """The people of the sentences read so far, the last one first."""

    def __init__(self, line: Line, clauses: Sequence[Clause], interlocutors: Interlocutors) -> None:
        self.line = line
        self.recent: list[Subject] = []
        self.mentioned: Subject | None = None  # whom the last person spoke to or saw
        if interlocutors.speaker is not None and _names_only_speaker(line, clauses):
            self.recent = [Subject(interlocutors.speaker)]

    def remember(self, reading: ClauseReading) -> None:
        """Put the person of a clause first, and forget all after a clause about several people."""
        verb, subject = reading.clause.verb, reading.actor
        if verb is None and (subject is None or subject.at is None):
            return
        if verb is not None and verb.finite.shape in {"imperative", "subjunctive"}:
            return
        if subject is None or subject.who is None:
            unknown = subject is not None and subject.at is None
            if unknown and verb is not None and verb.plural:
                self.recent = []
            elif not self.recent and verb is not None:
                self._remember_mention(reading)
            return
        if verb is not None and reading.controller != subject and not _acts(self.line, reading):
            return
        if verb is None and subject.who == "others":  # कवि; रंगमंच से जुड़े रहे
            subject = subject._replace(rule=NAMED_ALONE)
        self.mentioned = None
        if subject.who != "others" and _mentions_another(self.line, reading):
            self.mentioned = Subject("others", None, False, "guess", "answers in the next sentence")
        others = [each for each in self.recent if each.who != subject.who]
        self.recent = [subject, *others][:_REMEMBERED]

    def _remember_mention(self, reading: ClauseReading) -> None:
        """Remember whom something befell or whose it was: सोनू को क्या हुआ? किरण का फ़ोन आया."""
        verb = reading.clause.verb
        assert verb is not None
        if verb.valency in {"transitive", "passive"} or verb.obligation:
            return
        persons = lexicon.FIRST_PRONOUNS | lexicon.SECOND_PRONOUNS | lexicon.WE_PRONOUNS
        others = persons | lexicon.FIRST_OBLIQUE_PRONOUNS | lexicon.SECOND_OBLIQUE_PRONOUNS
        said = Subject("others", None, False, "guess", "answers in the next sentence")
        if not _mentions_somebody(self.line, reading.clause):
            return
        if others & set(self.line.keys):
            self.mentioned = said
        else:
            self.recent = [said._replace(rule=NAMED_ALONE)]

    def continued(
        self,
        clause: Clause,
        verb: VerbComplex,
        interlocutors: Interlocutors,
        is_oblique: Callable[[Subject], bool],
    ) -> Subject | None:
        """The person whom the clause continues without naming them, unless as an object."""
        if not said_of_person(self.line, clause, verb):
            return None
        if self.mentioned is not None and verb.main in _ANSWERING:
            answers = self.mentioned._replace(plural=verb.plural)
            return answers if can_agree(self.line, verb, answers, interlocutors) else None
        for each in self.recent:
            if is_oblique(each):  # … मुझ पर चिल्लाने लगा
                continue
            if each.who == "others":
                fits = self._same_number(each, verb)
            else:
                fits = not each.plural or verb.plural or verb.person == "second"
            if fits and can_agree(self.line, verb, each, interlocutors):
                return each._replace(
                    plural=each.plural or verb.plural,
                    at=None,
                    sure="guess",
                    rule="person of the sentence before",
                )
        return None

    def _same_number(self, subject: Subject, verb: VerbComplex) -> bool:
        """Whether the verb has the subject's number; माँ … बैठ गई may become पिता … बैठ गए."""
        if verb.person is None and verb_cells(self.line, verb) == {"fs"}:
            return True
        if subject.rule == NAMED_ALONE:
            return True
        if subject.at is not None and self.line[subject.at] == "ने":  # चाचा ने …। कह रहे थे …
            return True
        return subject.plural == verb.plural or not (verb.agreeing or verb.person)


NAMED_ALONE = "the person mentioned before"  # in no number: सोनू को क्या हुआ?


def _mentions_somebody(line: Line, clause: Clause) -> bool:
    """Whether a person is named in the oblique case: किरण का, सोनू को, उसे."""
    for at in clause.field:
        word, after = line[at], line[at + 1]
        if word in lexicon.THIRD_OBJECT_PRONOUNS or word in {"उसका", "उसकी", "उनका", "उनकी"}:
            return True
        if word in {"उसके", "उनके"} and after == "पास":
            return True
        opens = all(is_function_word(line[before]) for before in range(clause.first, at))
        named = inflection.person_noun(word) or (
            opens and may_be_name(word) and not is_function_word(word)
        )
        if named and not word.endswith("ों") and after in {"का", "की", "को", "से"}:
            return True
    return False


def _mentions_another(line: Line, reading: ClauseReading) -> bool:
    """Whether somebody else is the object: मैंने उसे फ़ोन किया। बोला कि …"""
    said = lexicon.THIRD_OBJECT_PRONOUNS | {"उससे", "उनसे"}
    return any(
        line[at] in said or (inflection.person_noun(line[at]) and line[at + 1] in {"से", "को"})
        for at in reading.clause.field
    )


def _acts(line: Line, reading: ClauseReading) -> bool:
    """Whether the actor takes ने, or feels what an intransitive verb says: मुझे लगा."""
    subject, verb = reading.actor, reading.clause.verb
    assert subject is not None
    assert verb is not None
    if subject.at is not None and line[subject.at] in lexicon.ERGATIVES:
        return True
    return verb.valency not in {"transitive", "passive"} or subject.at is None


def _names_only_speaker(line: Line, clauses: Sequence[Clause]) -> bool:
    """Whether मैं or a verb of the first person is said, and nobody else is named before it."""
    for clause in clauses:
        for at in range(clause.first, clause.last + 1):
            if line[at] in lexicon.FIRST_PRONOUNS:
                return True
            third = lexicon.THIRD_PRONOUNS - {"यह", "ये", "जो", "कौन", "कोई"}
            if line[at] in third | lexicon.SECOND_PRONOUNS | lexicon.WE_PRONOUNS:
                return False
            if inflection.person_noun(line[at]) or line[at] in lexicon.ERGATIVES:
                return False
        if clause.verb is not None and clause.verb.person == "first":
            return True
    return False


def says_of_thing(line: Line, clause: Clause, verb: VerbComplex) -> bool:
    """Whether the clause has a thing for a subject: याद आया, लगा कि, संलग्नक छूट गया."""
    before = line.before(verb.first)
    if _says_what_comes(line, before, verb) or verb.main == "बज":
        return True
    if line[before] in {"वाला", "वाली"} and is_agreeing_adjective(line[before - 1]):
        return True  # पुरानी वाली चली गई
    if verb.main == "लग" and verb.first == verb.last:
        return line[clause.last + 1] == "कि"
    unknown = any(
        each.at == before and each.sort == "unknown" for each in subject_candidates(line, clause)
    )
    if line[verb.first] == "होता" and "अब" in {line[verb.first - 1], line[verb.first - 2]}:
        return True  # अब नहीं होता
    if verb.main == "हो" and verb.first == verb.last:  # आँगन में नीम नहीं था
        return unknown and line[before - 1] in {"में", "पर"}
    return unknown and verb.main in VERBS_OF_THINGS


def only_people_do(line: Line, clause: Clause, verb: VerbComplex) -> bool:
    """Whether only a person does what the verb says: ख़ुद माँगेगा, फ़ोन करेगा, पैदल चल पड़ा."""
    known = lexicon.verb_stems()
    willing = {"पैदल", "खुद", "स्वयं", "चुपचाप"} & {line[at] for at in clause.field}
    return verb.main in known.personal or verb.main in known.human or bool(willing)


def said_of_person(line: Line, clause: Clause, verb: VerbComplex) -> bool:
    """Whether a clause without a subject can only be about a person."""
    if verb.valency == "passive" or verb.ergative:
        return False
    seen = verb.main == "दिख" and line[line.before(verb.first)] in function_words().personal_states
    if verb.main in VERBS_OF_THINGS and not seen:  # ऑनलाइन नहीं दिखा
        return False
    if any(line[at] in _SEVERAL for at in clause.field):  # सब पूछ रहे थे
        return False
    if line[line.before(verb.first)] in {"वाला", "वाली"}:  # पुरानी वाली चली गई
        return False
    if _is_impersonal(line, verb):
        return False
    before = line.before(verb.first)
    if _says_what_comes(line, before, verb):
        return False
    if verb.valency == "copular":
        return not _names_somebody(line, clause, before) and _is_personal_predicate(
            line, clause, before, verb
        )
    if verb.valency == "transitive":
        return not _names_somebody(line, clause, before)
    own = any(
        each.at == before and line[before] not in inflection.place_nouns()  # मंदिर जाते
        for each in subject_candidates(line, clause)
    )
    return not own and not _names_somebody(line, clause, before + 1)


def _is_impersonal(line: Line, verb: VerbComplex) -> bool:
    """Whether an intransitive verb is passive, so that it agrees with nobody: उससे न हँसा गया."""
    if verb.main == "चल" or len(verb.agreeing) < 2:  # चला गया
        return False
    first, second = (analyse_verb(line[at]) for at in verb.agreeing[:2])
    done = any(form.shape == "perfective" for form in first)
    return done and any(form.stem == "जा" for form in second)


def _names_somebody(line: Line, clause: Clause, end: int) -> bool:
    """Whether a word in no list may be a name: सुरेश नदी में कूद गया, रमा हारकर भी मुस्कुराती रही."""
    for at in range(clause.first, min(end, clause.field.stop)):
        word = line[at]
        if line.is_mark(at) or line.has_postposition(at) or word in _NOT_NAMES:
            continue
        if _is_ones_own(line, at) or line[at + 1] in {"वाला", "वाली", "वाले"}:
            continue
        label = line[at + 1] == ":"  # किरण: … सहता रहा
        if label or inflection.thing_gender(word):
            continue
        participle = at == clause.first and is_participle(word)
        if participle and citation_form(word) not in function_words().depictives:
            return not is_agreeing_adjective(word) and line[at + 1] not in {"हुआ", "हुई", "हुए"}
        if has_own_verb(line, clause, at):  # गठरी बाँधकर
            continue
        if may_be_name(word) and not is_function_word(word):
            return True
    return False


def _is_ones_own(line: Line, at: int) -> bool:
    """Whether अपना precedes, so that the word is no subject: अपना ही पिन कोड भूल गया."""
    before = at - 1
    while line[before] in {"ही", "भी"} or is_agreeing_adjective(line[before]):
        if citation_form(line[before]) == "अपना":
            return True
        before -= 1
    return False


def _says_what_comes(line: Line, before: int, verb: VerbComplex) -> bool:
    if line[before] == "में":  # समझ में आया
        return verb.main == "आ" and line[before - 1] in {"समझ", "ध्यान"}
    return verb.main in _WAYS_OF_COMING and line[before] in _WHAT_COMES


def _names_thing(line: Line, clause: Clause) -> bool:
    """Whether a thing may be the subject; not how long something lasts."""
    return any(
        each.sort in {"thing", "group"} and line[each.at] not in inflection.time_nouns()
        for each in subject_candidates(line, clause)
    )


def _is_personal_predicate(line: Line, clause: Clause, before: int, verb: VerbComplex) -> bool:
    """Whether the copula, or a verb like one, is said of a person: भूखा था, बाहर निकला."""
    words = function_words()
    if before >= clause.first and not line.is_mark(before):
        word = line[before]
        state = citation_form(word)
        if state in words.depictives or word in words.personal_states:
            return True
        if state in words.personal_states:
            return True
        if is_agreeing_adjective(word) and line[before - 1] == "सबसे":
            return line[before - 2] == "में" and state in {"छोटा", "बडा"}  # घर में सबसे छोटा था
        if is_agreeing_adjective(word) or line[before] in words.invariable_adjectives:
            return False
    if verb.main == "रह":
        lives = any(form.shape == "imperfective" for form in analyse_verb(line[verb.first]))
        stays = line[before] in {"में", "पर", "साथ", "पास"} and not _names_thing(line, clause)
        return lives or stays  # दस साल जंगल में रहा
    return verb.main in {"निकल", "ठहर"} or line[before] in {"हुआ", "हुई", "हुए"}
