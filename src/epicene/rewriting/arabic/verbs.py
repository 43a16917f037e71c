"""A verb where it stands: which of its readings holds, of which person and mood, and what its
subject is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.arabic import lexicon, nouns
from epicene.rewriting.arabic.analysis import analyse_thing, is_listed_thing
from epicene.rewriting.arabic.lexicon import function_words, verb_list
from epicene.rewriting.arabic.spelling import DAMMA, FATHA, KASRA, SUKUN, final_mark

if TYPE_CHECKING:
    from epicene.rewriting.arabic.analysis import NounParse, VerbParse
    from epicene.rewriting.arabic.conjugation import Cell, Mood
    from epicene.rewriting.arabic.context import Context
    from epicene.rewriting.arabic.disambiguation import PassageAnalysis
    from epicene.rewriting.persons import Gender

_STATEMENT_WORDS = frozenset("هل لماذا لم ما كيف".split())


def choose_mood(reading: PassageAnalysis, at: int, parse: VerbParse) -> Mood:
    """Indicative, subjunctive (cut) or jussive (short)."""
    if parse.prefix.endswith("ل"):
        return "short" if parse.prefix == "فل" else "cut"
    before = reading.function(at - 1)
    if before is None or before.suffix is not None:
        return "full"
    if before.base in {"لم", "الم"}:
        return "short"
    if before.base in function_words()["subjunctive"]:
        asks = before.base == "الا" and reading.line.after_mark(at - 1)  # ألا ترغب؟
        return "full" if asks else "cut"
    if before.base != "لا":
        return "full"
    if _is_complementiser(reading, at - 2):
        return "cut"
    return "short" if _is_prohibition(reading, at, parse) else "full"


def _is_complementiser(reading: PassageAnalysis, at: int) -> bool:
    function = reading.function(at)
    return function is not None and not function.suffix and function.base in {"ان", "كي", "لكي"}


def _is_prohibition(reading: PassageAnalysis, at: int, parse: VerbParse) -> bool:
    """لا تخف, but not أنت لا تخاف, هل لا تخاف, لا تعرف."""
    if parse.cell.person != 2 or parse.verb.perfect in verb_list("stative"):
        return False
    before = reading.function(at - 2)
    if before is not None and (
        before.sort in {"you", "inna", "relatives"} or before.base in _STATEMENT_WORDS
    ):
        return False
    return not reading.evidence.is_question


def next_noun(reading: PassageAnalysis, at: int) -> int:
    """The first noun after a verb, over adverbs and prepositions with a pronoun; -1 if none."""
    for place in range(at + 1, at + 5):
        function = reading.function(place)
        if function is None:
            letters = reading.line.letters(place)
            joined = letters.startswith(("وال", "فال", "بال", "كال", "لل"))
            return place if reading.is_nominal(place) and not joined else -1
        if not (
            function.sort == "adverbs" or (function.sort == "prepositions" and function.suffix)
        ):
            return -1
    return -1


def explicit_subject(walk: Context, at: int, parse: VerbParse) -> int:
    """Where the subject of a verb of the third person stands, -1 if it has none after it."""
    reading = walk.reading
    place = next_noun(reading, at)
    if place < 0:
        return -1
    letters = reading.line.letters(place)
    gender = parse.cell.gender
    if lexicon.is_anybody(letters):
        return place if gender == "masculine" else -1
    member = lexicon.group_member(letters)
    if member is not None:
        return place if lexicon.fixed_gender("members", member[1]) == gender else -1
    if lexicon.fixed_gender("numerals", letters) is not None:
        people = nouns.noun_referent(walk, place).who is not None
        return place if people and lexicon.fixed_gender("numerals", letters) == gender else -1
    known = [one for one in reading.known_nouns(place) if not one.prefix.preposition]
    if known and analyse_thing(letters) is None:
        return place if _is_subject(reading, place, known[0], parse) else -1
    if _noun_gender(reading, place) != gender or nouns.is_nunated(reading, place):
        return -1
    copular = parse.verb.perfect in verb_list("copular")
    if copular and not (nouns.is_definite(reading, place) or _is_nominative(reading, place)):
        return -1
    if parse.verb.perfect in verb_list("intransitive"):
        return place
    return place if _is_resumed_by_pronoun(walk, at, place) else -1


def _noun_gender(reading: PassageAnalysis, at: int) -> Gender | None:
    """كان الظهور الأول: a word of no list with the article is masculine by default."""
    article = reading.line.letters(at).startswith("ال")
    return nouns.noun_gender(reading, at) or ("masculine" if article else None)


def _is_nominative(reading: PassageAnalysis, at: int) -> bool:
    """كان كتاب الطفل: a thing that would end in an alif if it were what is said of somebody."""
    letters = reading.line.letters(at)
    thing = analyse_thing(letters)
    shows = thing is not None and thing.gender == "masculine" and not thing.prefix
    return shows and not letters.endswith(("ة", "اء", "ى", "ا"))


def _is_resumed_by_pronoun(walk: Context, at: int, place: int) -> bool:
    """الذي كتبت عنه الصحف: the pronoun between them means who the clause is about."""
    third = walk.scope.third
    if third is None or place == at + 1 or not nouns.is_definite(walk.reading, place):
        return False
    function = walk.reading.function(place - 1)
    suffix = function.suffix if function is not None else None
    return suffix is not None and suffix.person == 3 and suffix.gender == third.gender


def _is_subject(reading: PassageAnalysis, at: int, noun: NounParse, parse: VerbParse) -> bool:
    """Whether a person after the verb does what it says."""
    form = noun.form
    if form.gender != parse.cell.gender and form.number != "plural":
        return False
    if form.nunated or "nominative" not in form.cases or noun.prefix.letters[:1] in {"و", "ف"}:
        return False
    if noun.definite or nouns.is_bound(reading, at, noun):
        return True
    if parse.verb.perfect in verb_list("copular") | verb_list("role_verbs"):
        return False
    return noun.lemma.person


def choose_person(walk: Context, at: int, parses: tuple[VerbParse, ...]) -> int:
    """The person that the words around allow best."""
    if parses[0].written.startswith("إ"):  # a command with a hamza too many
        parses = tuple(p for p in parses if p.cell.tense == "imperative") or parses
    persons: set[int] = {parse.cell.person for parse in parses if not _is_reflexive(parse)}
    if len(persons) == 1:
        return persons.pop()
    shown = _person_shown_nearby(walk, at, parses)
    if shown in persons:
        return shown
    if 3 in persons and len(persons) > 1 and _has_third_as_object(walk, at, parses):
        persons.discard(3)
    if {1, 3} <= persons and _is_rather_first_person(walk, at, parses):
        return 1
    held = _person_of_clause_subject(walk, parses)
    if held in persons and not (persons == {1, 2} and walk.reading.opens_clause(at)):
        return held
    return next((person for person in walk.reading.evidence.prior if person in persons), 3)


def _is_reflexive(parse: VerbParse) -> bool:
    """I myself, you yourself: not with a suffixed pronoun."""
    suffix = parse.suffix
    return suffix is not None and suffix.person != 3 and suffix.person == parse.cell.person


def _person_shown_nearby(walk: Context, at: int, parses: tuple[VerbParse, ...]) -> int:
    """The person that a word beside the verb or the clause around it shows, 0 if none does."""
    if walk.topic is not None or _has_feminine_subject(walk, at, parses):
        return 3
    told = _perfect_or_imperative(walk, at, parses)
    if told:
        return told
    if _follows_was(walk, at):
        return 1
    in_clause = walk.scope.third is not None and _person_of_clause_subject(walk, parses) == 3
    if in_clause and not _has_third_as_object(walk, at, parses):
        return 3
    statement = walk.reading.evidence.prior[0] != 3 and _is_first_person_statement(walk, at, parses)
    return 1 if statement else 0


def _is_rather_first_person(walk: Context, at: int, parses: tuple[VerbParse, ...]) -> bool:
    """Whether what looks like mine or another's is mine."""
    if _is_masculine_state(walk, at):
        return True
    return walk.reading.evidence.says_i and _is_simple_first(parses)


def _follows_was(walk: Context, at: int) -> bool:
    """كنت أخاف: the verb after mine is mine."""
    before = walk.reading.verbs(at - 1)
    mine = {parse.cell.person for parse in before if parse.verb.perfect == "كان"}
    return bool(mine) and 3 not in mine and walk.scope.subject == walk.person(1)


def _perfect_or_imperative(walk: Context, at: int, parses: tuple[VerbParse, ...]) -> int:
    """توقف: he stopped, or stop; 0 if the form is not both."""
    told = [p for p in parses if p.cell.tense == "perfect" and p.cell.gender == "masculine"]
    tenses = {parse.cell.tense for parse in parses}
    if not told or "imperative" not in tenses or any(p.cell.person == 1 for p in parses):
        return 0
    if explicit_subject(walk, at, told[0]) >= 0:
        return 3
    if "imperfect" in tenses:
        return 0
    return 2 if may_be_imperative(walk, at) else 3


def _is_first_person_statement(walk: Context, at: int, parses: tuple[VerbParse, ...]) -> bool:
    """أعلم, أعتقد: what looks like a command, but is what I do; أسرع at the beginning is one."""
    first = [
        parse for parse in parses if parse.cell.person == 1 and parse.cell.tense == "imperfect"
    ]
    if not first or not any(parse.cell.tense == "imperative" for parse in parses):
        return False
    if any(parse.verb.perfect in verb_list("stative") for parse in first):
        return True
    if walk.scope.follows_command and parses[0].prefix[:1] in {"و", "ف"}:  # تنفس وأغمض عينيك
        return False
    hamza = parses[0].written.startswith("أ")
    return hamza and (any(p.verb.simple for p in first) or not may_be_imperative(walk, at))


def _has_third_as_object(walk: Context, at: int, parses: tuple[VerbParse, ...]) -> bool:
    """التي تراها: whom the clause is about is the object, so somebody else is the subject."""
    third = walk.scope.third
    if third is None:
        return False
    suffixes = [parses[0].suffix]
    for place in range(at + 1, at + 4):
        function = walk.reading.function(place)
        suffixes.append(function.suffix if function and function.sort == "prepositions" else None)
    return any(
        one and one.person == 3 and (one.gender, one.number) == (third.gender, third.number)
        for one in suffixes
    )


def _person_of_clause_subject(walk: Context, parses: tuple[VerbParse, ...]) -> int:
    """The person of the subject that the clause has already, 0 if that decides nothing."""
    scope = walk.scope
    holder = scope.third or scope.subject
    if holder is None or (holder.who is None and holder.gender is None):
        return 0
    if holder.gender is None:
        persons = {walk.voice.speaker: 1, walk.voice.listener: 2}
        return persons.get(holder.who, 0)
    genders = {parse.cell.gender for parse in parses if parse.cell.person == 3}
    return 3 if holder.gender in genders else 0


def _is_simple_first(parses: tuple[VerbParse, ...]) -> bool:
    """أعلم: I know, where somebody says I, rather than he informed."""
    return any(
        parse.cell.person == 1 and parse.cell.tense == "imperfect" and parse.verb.simple
        for parse in parses
    )


def _is_masculine_state(walk: Context, at: int) -> bool:
    """خرجت مطمئنًا: said by a man, not of a woman."""
    for place in range(at + 1, at + 7):
        if walk.reading.line.is_mark(place) or walk.reading.verbs(place):
            return False
        for parse in walk.reading.known_nouns(place):
            if parse.form.nunated and parse.form.gender == "masculine" and parse.lemma.adjective:
                before = walk.reading.line.letters(place - 1)
                return not before.endswith("ا") or place - 1 == at
    return False


def may_be_imperative(walk: Context, at: int) -> bool:
    """Whether a form that may be a command or a report stands where commands do."""
    reading = walk.reading
    if not reading.evidence.asks_for("listener") and walk.voice.listener != "speaker":
        return False
    holder = walk.scope.third or walk.scope.subject
    if holder is not None and holder.gender is not None:
        return False
    if holder is not None and holder.who == walk.voice.listener and not walk.scope.verbal:
        return False  # أنت … تعود
    before = reading.line.letters(at)[:1]
    return reading.line.after_mark(at) or before in {"و", "ف"}


def _has_feminine_subject(walk: Context, at: int, parses: tuple[VerbParse, ...]) -> bool:
    """Whether a woman follows the verb who can be its subject."""
    place = next_noun(walk.reading, at)
    copular = parses[0].verb.perfect in verb_list("copular")
    if place < 0 or (copular and walk.reading.evidence.prior[0] == 1):  # أصبحت المدربة
        return False
    return any(
        parse.form.gender == "feminine"
        and parse.lemma.person
        and not parse.form.nunated
        and parse.prefix.letters in {"", "ال"}
        and (parse.definite or parses[0].suffix is not None)
        and not is_listed_thing(parse.lemma.feminine)
        for parse in walk.reading.known_nouns(place)
    )


# The vowel of كتبتُ, كتبتَ, كتبتِ, كتبتْ.
_PERSON_OF_VOWEL = {DAMMA: 1, FATHA: 2, KASRA: 2, SUKUN: 3}
_BEFORE_IMPERFECT = frozenset("لم لن سوف ان كي لكي لا".split())


def choose_verb_readings(walk: Context, at: int, parses: tuple[VerbParse, ...]) -> list[VerbParse]:
    """The readings that the words around allow best, the best first; all of one cell."""
    reading = walk.reading
    parses = _by_vowel(walk, at, parses)
    parses = tuple(p for p in parses if p.exact or _may_lack_hamza(walk, p)) or parses
    if any(parse.suffix is None for parse in parses):  # وجدنا: we found, not he found us
        parses = tuple(p for p in parses if p.suffix is None or p.suffix.letters != "نا")
    parses = _by_mood(walk, at, parses)
    parses = _by_prefix(walk, at, parses)
    parses = _by_particle(walk, at, parses)
    person = choose_person(walk, at, parses)
    fitting = [parse for parse in parses if parse.cell.person == person] or list(parses)
    if person == 3:
        fitting = _by_gender(walk, fitting)
    mood = choose_mood(reading, at, fitting[0])
    asked = [p for p in fitting if p.cell.tense != "imperfect" or p.cell.mood == mood]
    commanded = may_be_imperative(walk, at)
    ranked = sorted(asked or fitting, key=lambda parse: _reading_rank(parse, commanded=commanded))
    best = ranked[0]
    return [best, *(p for p in asked if p.cell == best.cell and p != best)]


def _may_lack_hamza(walk: Context, parse: VerbParse) -> bool:
    """اعرف for أعرف: the first person, where the line leaves hamzas out, or knows or thinks."""
    if parse.cell.person != 1 or not parse.written.startswith("ا"):
        return False
    stative = parse.verb.perfect in verb_list("stative")
    return walk.reading.evidence.drops_hamza or stative


def _by_vowel(walk: Context, at: int, parses: tuple[VerbParse, ...]) -> tuple[VerbParse, ...]:
    """The readings that the vowel on a final ت allows."""
    word = walk.reading.line.token(at)
    if not word.letters.endswith("ت"):
        return parses
    person = _PERSON_OF_VOWEL.get(final_mark(word.text))
    return tuple(parse for parse in parses if parse.cell.person == person) or parses


def _by_gender(walk: Context, parses: list[VerbParse]) -> list[VerbParse]:
    """تلقى: he received or she meets, as the third person is in the rest of the clause."""
    if len({parse.cell.gender for parse in parses}) == 1:
        return parses
    holder = walk.scope.third or walk.scope.subject
    gender = holder.gender if holder is not None else None
    gender = gender or walk.reading.evidence.third_gender
    if gender is None:
        return sorted(parses, key=lambda parse: parse.cell.tense != "perfect")
    return [parse for parse in parses if parse.cell.gender == gender] or parses


def _reading_rank(parse: VerbParse, *, commanded: bool) -> tuple[bool, bool, bool]:
    """A command where commands stand; one person before several women; لم تعد of عاد, not عد."""
    verb, cell = parse.verb, parse.cell
    shortened = cell.mood == "short" and verb.simple and verb.shape == "hollow"
    return (
        commanded and cell.tense != "imperative",
        cell.number == "plural",
        cell.mood == "short" and not shortened,
    )


def _by_mood(walk: Context, at: int, parses: tuple[VerbParse, ...]) -> tuple[VerbParse, ...]:
    """A shortened form with an object only where the jussive is asked for: لم ترني, أن تكوني."""
    if len({parse.suffix for parse in parses}) == 1:
        return parses
    plain = tuple(parse for parse in parses if parse.suffix is None)
    if plain and choose_mood(walk.reading, at, parses[0]) == "short":
        rare = all(parse.verb.shape == "doubled" and parse.verb.simple for parse in plain)
        return tuple(p for p in parses if p.suffix is not None) if rare else plain
    return tuple(p for p in parses if p.suffix is None or p.cell.mood != "short") or parses


def _by_prefix(walk: Context, at: int, parses: tuple[VerbParse, ...]) -> tuple[VerbParse, ...]:
    """أستطيع is no question: the أ of one opens a clause, and the sentence ends in its mark."""
    plain = tuple(parse for parse in parses if not parse.prefix.startswith("أ"))
    if not plain or len(plain) == len(parses):
        return parses
    asked = tuple(parse for parse in parses if parse.prefix == "أ")
    asks = (
        walk.reading.evidence.asks(at)
        and walk.reading.opens_clause(at)
        and walk.reading.evidence.prior[0] == 2
    )
    return asked if asked and asks else plain


def _by_particle(walk: Context, at: int, parses: tuple[VerbParse, ...]) -> tuple[VerbParse, ...]:
    before = walk.reading.key(at - 1)
    tense = {"لقد": "perfect"}.get(before, "imperfect" if before in _BEFORE_IMPERFECT else "")
    return tuple(parse for parse in parses if parse.cell.tense == tense) or parses


def cell_in_context(
    walk: Context, at: int, parse: VerbParse, parses: tuple[VerbParse, ...]
) -> Cell:
    """What the form says here, in the mood that the words before it ask for."""
    cell = parse.cell
    if cell.tense != "imperfect":
        return cell
    mood = choose_mood(walk.reading, at, parse)
    moods = {
        one.cell.mood
        for one in parses
        if one.verb == parse.verb and one.cell._replace(mood="full") == cell._replace(mood="full")
    }
    return cell._replace(mood=mood) if mood in moods else cell
