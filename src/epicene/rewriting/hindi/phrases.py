"""Noun phrases: the modifiers before a noun that agree with it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.hindi import inflection, lexicon
from epicene.rewriting.hindi.conjugation import analyse_verb
from epicene.rewriting.hindi.inflection import (
    cell_gender,
    citation_form,
    ending_cell,
    is_agreeing_adjective,
    is_genitive,
    is_participle,
    is_stative_participle,
)
from epicene.rewriting.hindi.lexicon import function_words, verb_stems

if TYPE_CHECKING:
    from epicene.rewriting.hindi.inflection import Cell
    from epicene.rewriting.hindi.line import Line
    from epicene.rewriting.persons import Gender

_JOINS = frozenset("और एवं तथा या लेकिन मगर पर बल्कि व".split())
_MAX_UNKNOWN_WORDS = 3  # words of no list that may stand between a noun and what agrees with it
# गाँव का अब तक का सबसे बुरा गायक: these have no possessor, so the genitive before is the noun's.
_NOT_POSSESSORS = frozenset("तक अब आज कल यहां वहां समय उम्र साल वर्ष दिन दौर जमाने कद स्वभाव".split())
# A genitive right before them is theirs: स्कूल के ज़माने का दोस्त, आपकी उम्र का.
_OWNED_QUALITIES = frozenset("समय उम्र दौर जमाने कद स्वभाव".split())
_BEFORE_PARTICIPLES = frozenset(
    "में पर से पास सामने पीछे नीचे ऊपर साथ बीच तले सहारे किनारे बाहर अंदर भीतर".split()
)
_MAX_AGENT_WORDS = 5  # from a genitive to an agent: की सबसे ज़्यादा बिक्री करने वाली
_SUPERLATIVES = frozenset("सबसे एकमात्र सर्वाधिक पहला पहले पहली इकलौता इकलौती इकलौते".split())
_HEART_NOUNS = frozenset({"दिल", "हृदय", "मन"})
_COUNTED = frozenset("अन्य दोनों तीनों चारों सभी कई अनेक प्रत्येक केवल".split())
_DEMONSTRATIVES = frozenset("वह वही यह यही वो वे ये".split())


class Phrase(NamedTuple):
    """A noun (or an adjective alone) and the agreeing words before it."""

    first: int
    head: int
    agreeing: tuple[int, ...]


def read_phrase(line: Line, head: int, start: int, gender: Gender | None = None) -> Phrase:
    """The phrase that ends with `head` and begins at `start` or later.

    With a `gender`, only words of that gender agree.
    """
    reader = _PhraseReader(line, head, start, gender)
    reader.run()
    return Phrase(reader.first, head, tuple(sorted(reader.agreeing)))


class _PhraseReader:
    """Reads leftwards from the head while the words may belong to its phrase."""

    def __init__(self, line: Line, head: int, start: int, gender: Gender | None) -> None:
        self.line = line
        self.head = head
        self.start = start
        self.gender = gender
        self.first = head
        self.agreeing: list[int] = []
        self.unknown = 0

    def run(self) -> None:
        at = self.first - 1
        while at >= self.start:
            step = self._step_length(at)
            if step == 0:
                return
            at -= step

    def _step_length(self, at: int) -> int:
        """How many words to move left; 0 where the phrase begins."""
        word = self.line[at]
        agent = self._words_of_agent(at)
        if agent:
            return self._take(at) and self._length_of_clause(at + 1 - agent) + agent - 1
        if word == "पहले" and self.line[at - 1].endswith("से"):
            return 0  # उससे पहले पुरुषों ने
        if is_genitive(word):
            return self._genitive(at)
        if self._is_attributive(at):
            self._take(at)
            return 0  # what precedes is the participle's own
        if is_agreeing_adjective(word) or self._is_participle(at):
            return self._take(at)
        if word in _JOINS or word == ",":
            return self._coordination_step(at)
        if word == "से" and self.line[at - 1] in _HEART_NOUNS:  # आपका दिल से आभारी
            return 2 + (self.line[at - 2] == "तहे")
        words = function_words()
        if word in words.intensifiers or word in words.invariable_adjectives or word == "एक":
            return 1
        counted = word in _COUNTED or word in words.numerals
        if counted or self._is_compound_modifier(at):
            return 1
        if self.line.is_mark(at) or self._ends(word):
            return 0
        if word in _DEMONSTRATIVES:
            before = self.line[at - 1]
            modified = is_genitive(before) or is_agreeing_adjective(before)
            return int(modified or self._is_attributive(at - 1))
        return self._unknown(at)

    def _words_of_agent(self, at: int) -> int:
        """1 for करनेवाली, 2 for करने वाली, 0 for other words."""
        word = self.line[at]
        if word.endswith(("नेवाला", "नेवाले", "नेवाली")):
            return 1
        return 2 * (word.startswith("वाल") and self.line[at - 1].endswith("ने"))

    def _length_of_clause(self, at: int) -> int:
        """The distance to a genitive before an agent: टीम की सबसे तेज़ रन बनाने वाली महिला."""
        for step in range(1, _MAX_AGENT_WORDS + 1):
            word = self.line[at - step]
            if is_genitive(word):
                before = inflection.person_noun(self.line[at - step + 1])
                return step if self.line[at - step + 1] in _SUPERLATIVES and not before else 1
            if self.line.is_mark(at - step) or word in function_words().postpositions:
                return 1
        return 1

    def _is_compound_modifier(self, at: int) -> bool:
        """Whether a thing right before the head is part of a compound: टीम लीडर."""
        thing = inflection.thing_gender(self.line[at])
        if self.line[at + 1].startswith(inflection.TRADER):  # मोहल्ले का दूध वाला
            return True
        if at + 1 != self.first or thing is None or self.line[at] == "बार":
            return False
        reading = inflection.person_noun(self.line[at + 1])
        if reading is None or reading.noun.kind not in {"same", "seldom"}:
            return False
        if not self.line.has_postposition(at + 1):
            return True
        before = (
            ending_cell(self.line.tokens[at - 1].text) if is_genitive(self.line[at - 1]) else None
        )
        return before is not None and not _agrees(before, thing)  # तीन बार के विश्व चैंपियन ने

    def _ends(self, word: str) -> bool:
        words = function_words()
        return bool(
            word in words.postpositions
            or word in words.subordinators
            or word in words.numerals
            or (word in words.determiners and word not in _DEMONSTRATIVES | {"एक"})
            or inflection.thing_gender(word)
            or word == "बार"
        )

    def _genitive(self, at: int) -> int:
        without = self.line[at] == "के" and self.line[at - 2] in {"बिना", "बगैर"}
        if without or not self._take(at):  # बिना सूचना के अनुपस्थित
            return 0
        before = self.line[at - 1]
        owned = before in _OWNED_QUALITIES and is_genitive(self.line[at - 2])
        if self.line[at] in {"का", "के", "की"} and before in _NOT_POSSESSORS and not owned:
            return self._distance_to_genitive(at)
        return 0

    def _distance_to_genitive(self, at: int) -> int:
        """The distance to a genitive before अब तक का, कम उम्र का; 0 if there is none."""
        for step in range(2, 6):
            word = self.line[at - step]
            if is_genitive(word):
                return step
            if word not in function_words().intensifiers | function_words().adverbs:
                return 0
        return 0

    def _unknown(self, at: int) -> int:
        word = self.line[at]
        reading = inflection.person_noun(word)
        verbal = any(form.shape != "stem" for form in analyse_verb(word))
        small = word in function_words().adverbs or word in lexicon.ALL_PRONOUNS
        if (reading and reading.noun.kind != "same") or verbal or small:
            return 0
        self.unknown += 1
        return 1 if self.unknown <= _MAX_UNKNOWN_WORDS else 0

    def _coordination_step(self, at: int) -> int:
        """1 if a coordinator joins two adjectives, otherwise 0: अच्छा और सच्चा दोस्त."""
        before, after = self.line[at - 1], self.line[at + 1]
        fixed = function_words().invariable_adjectives
        return int(
            (is_agreeing_adjective(before) or before in fixed)
            and (is_agreeing_adjective(after) or after in fixed)
        )

    def _is_participle(self, at: int) -> bool:
        """Whether the word is a participle in the phrase: थका हुआ आदमी, काम कर रहा आदमी."""
        word, after = self.line[at], self.line[at + 1]
        if word in {"रहा", "रहे", "रही"}:
            return any(form.shape == "stem" for form in analyse_verb(self.line[at - 1]))
        return is_stative_participle(self.line[at - 1], word) or is_stative_participle(word, after)

    def _is_attributive(self, at: int) -> bool:
        """Whether a perfective says what became of somebody: पास बैठा वह लड़का, थाने से भागा आरोपी."""
        noun = at + 2 if self.line[at + 1] in _DEMONSTRATIVES else at + 1
        if noun != self.head or inflection.person_noun(self.line[noun]) is None:
            return False
        return self.line[at - 1] in _BEFORE_PARTICIPLES and any(
            form.shape == "perfective" and form.stem in verb_stems().intransitive
            for form in analyse_verb(self.line[at])
        )

    def _take(self, at: int) -> int:
        cell = ending_cell(self.line.tokens[at].text)
        if cell is None or (self.gender is not None and cell_gender(cell) != self.gender):
            return 0
        self.agreeing.append(at)
        self.first = at
        return 1


def _agrees(cell: Cell, thing: Gender) -> bool:
    """Whether a genitive can be that of a thing in the direct singular."""
    return cell == ("ms" if thing == "masculine" else "fs")


def is_degree(word: str) -> bool:
    """Whether the word is a degree word that agrees as its adjective does: इतना, कितना, थोड़ा."""
    return citation_form(word) in function_words().agreeing_intensifiers


def can_describe_person(line: Line, head: int) -> bool:
    """Whether a word can head a predicate of a person: no thing, adverb or postposition."""
    word, words = line[head], function_words()
    if word in {"कैसे", "ऐसे", "वैसे"}:  # how someone is; elsewhere adverbs
        return True
    if line.is_mark(head) or word in words.adverbs or word in words.postpositions:
        return False
    if inflection.person_noun(word) or is_agreeing_adjective(word):
        return True
    return not (
        inflection.thing_gender(word)
        or inflection.abstract_noun_gender(word)
        or word in lexicon.ALL_PRONOUNS
    )


def read_predicate_phrase(line: Line, head: int, start: int) -> Phrase | None:
    """The phrase with that head, if it can be predicated of a person."""
    word = line[head]
    if is_genitive(word):
        return read_phrase(line, head + 1, start)._replace(head=head)
    if citation_form(word) == "जैसा":  # पहले जैसा नहीं रहा
        return Phrase(head, head, (head,))
    if not can_describe_person(line, head):
        return None
    found = read_phrase(line, head, start)
    if is_agreeing_adjective(word) or (is_participle(word) and not inflection.person_noun(word)):
        return found._replace(agreeing=(*found.agreeing, head))
    return found


_NAMES_OF_THINGS = frozenset({"मदर", "फादर", "किंग", "क्वीन"})  # मदर डेयरी
# Nouns that make a compound with a role: मठवासी समुदाय, छात्र संघ.
_COMPOUND_HEADS = frozenset(
    "समुदाय समुदायों संघ वर्ग दल मंडल सम्मेलन जीवन कार्य भवन कप लीग परिषद आयोग यूनियन आंदोलन आंदोलनों "
    "मोर्चा मोर्चे संगठन संगठनों महासंघ कल्याण पेंशन हमला हमले हमलों गुट गतिविधि गतिविधियां गतिविधियों".split()
)


def modifies_noun(line: Line, at: int, reading: inflection.NounReading) -> bool:
    """Whether a role only says what kind of thing the next noun is, and names nobody."""
    following = line[at + 1]
    if line[at] in _NAMES_OF_THINGS and inflection.thing_gender(following):
        return True
    if reading.noun.kind == "gendered" or line.is_mark(at + 1):
        return False
    if following in _COMPOUND_HEADS:
        return True
    person = inflection.person_noun(following) is not None
    if line[at] in inflection.people_listed("also_adjectives"):
        return person or inflection.thing_gender(following) is not None
    of_people = line[at] in inflection.people_listed("peoples")  # अंग्रेज़ सेना, अंग्रेज़ महिला
    return of_people and (person or following in inflection.group_nouns())


_LIST_JOINERS = frozenset("और या व एवं तथा अथवा".split()) | {","}
_MAX_LIST_WORDS = 8  # words


# They mark people; में, पर, तक and, after an unknown word, से mark places: दुल्हन मंडप से गई.
_MARKS_OF_PEOPLE = frozenset("ने को का के की द्वारा".split())


_MAX_NAME_TOKENS = 6


def _end_of_name(line: Line, start: int) -> int:
    """The index after a name and its initials: डी. के. माथुर."""
    at = start
    while at < start + _MAX_NAME_TOKENS and not line.is_mark(at):
        if line[at + 1] == "." and len(line[at]) <= 3:
            at += 2
        elif may_be_name(line[at]):
            at += 1
        else:
            break
    return at


def is_oblique(line: Line, at: int) -> bool:
    """Whether a postposition follows a noun for people, a name after it, or its list."""
    if line.has_postposition(at):
        return True
    if line[at] in {"महिला", "पुरुष"} and inflection.person_noun(line[at + 1]):
        return line[at + 1].endswith("ों") or is_oblique(line, at + 1)  # चार महिला खिलाड़ियों को
    if line[at + 1] not in _LIST_JOINERS:
        end = _end_of_name(line, at + 1)
        return end > at + 1 and line[end] in _MARKS_OF_PEOPLE
    for index in range(at + 2, min(at + _MAX_LIST_WORDS, len(line))):
        if inflection.person_noun(line[index]):
            return line.has_postposition(index)
    return False


@lru_cache(maxsize=65536)
def may_be_name(word: str) -> bool:
    """Whether a word of no list may be a name."""
    words = function_words()
    known = (
        word in words.postpositions
        or word in words.adverbs
        or word in words.particles
        or word in words.intensifiers
        or word in words.determiners
        or word in words.numerals
        or word in words.invariable_adjectives
    )
    return word[:1].isalpha() and not (
        known
        or word.endswith("ों")
        or word in inflection.place_nouns()
        or word in inflection.time_nouns()
        or inflection.thing_gender(word)
        or inflection.abstract_noun_gender(word)
        or is_agreeing_adjective(word)
        or analyse_verb(word)
        or word in lexicon.ALL_PRONOUNS
    )


_QUANTITIES = frozenset(
    "कई अनेक बहुत सभी सब ज्यादातर अधिकांश अधिकतर कुछ दोनों तीनों चारों "
    "अधिकतम बाकी हजारों सैकडों लाखों दर्जनों दूसरे अन्य सारे कितने इतने".split()
)


def is_several(
    line: Line, at: int, reading: inflection.NounReading, first: int | None = None
) -> bool:
    """Whether a form that may be singular or plural denotes more than one person.

    `first` is where the noun's phrase begins.
    """
    if is_oblique(line, at) or "direct plural" not in reading.cases:
        return False
    if "direct" not in reading.cases:  # बेटे
        return True
    many = line[at] in function_words().usually_many and line[at - 1].endswith("े")
    if many and "एक" not in {line[at - 2], line[at - 3]} and not may_be_name(line[at + 1]):
        return is_agreeing_adjective(line[at - 1])  # पुराने ग्राहक
    before = at if first is None else first
    counted = _QUANTITIES | function_words().numerals
    if line[before] in {"का", "के", "की"}:  # कक्षा आठ का छात्र
        return line[at - 1] in counted
    return line[before - 1] in counted or line[at - 1] in counted
