"""The noun after a verb: its subject, or its object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic import fixed, nouns
from epicene.languages.rewriting.arabic.lexicon import verb_list
from epicene.languages.rewriting.arabic.noun_parsing import thing_of

if TYPE_CHECKING:
    from epicene.languages.rewriting.arabic.noun_parsing import NounParse
    from epicene.languages.rewriting.arabic.reading import Reading
    from epicene.languages.rewriting.arabic.state import Walk
    from epicene.languages.rewriting.arabic.verb_parsing import VerbParse
    from epicene.languages.rewriting.people import Gender


def next_noun(reading: Reading, at: int) -> int:
    """The first noun after a verb, over adverbs and prepositions with a pronoun; -1 if none."""
    for place in range(at + 1, at + 5):
        function = reading.function(place)
        if function is None:
            letters = reading.line[place].letters
            joined = letters.startswith(("وال", "فال", "بال", "كال", "لل"))
            return place if reading.is_nominal(place) and not joined else -1
        if not (
            function.sort == "adverbs" or (function.sort == "prepositions" and function.suffix)
        ):
            return -1
    return -1


def explicit_subject(walk: Walk, at: int, parse: VerbParse) -> int:
    """Where the subject of a verb of the third person stands, -1 if it has none after it."""
    reading = walk.reading
    place = next_noun(reading, at)
    if place < 0:
        return -1
    letters = reading.line[place].letters
    gender = parse.cell.gender
    if fixed.is_anybody(letters):
        return place if gender == "masculine" else -1
    member = fixed.member(letters)
    if member is not None:
        return place if fixed.gender_of("members", member[1]) == gender else -1
    if fixed.gender_of("numerals", letters) is not None:
        people = nouns.referent_of(walk, place).who is not None
        return place if people and fixed.gender_of("numerals", letters) == gender else -1
    known = [one for one in reading.known_nouns(place) if not one.prefix.preposition]
    if known and thing_of(letters) is None:
        return place if _is_subject(reading, place, known[0], parse) else -1
    if _gender(reading, place) != gender or nouns.is_nunated(reading, place):
        return -1
    copular = parse.verb.perfect in verb_list("copular")
    if copular and not (nouns.is_definite(reading, place) or _is_nominative(reading, place)):
        return -1
    if parse.verb.perfect in verb_list("intransitive"):
        return place
    return place if _is_resumed(walk, at, place) else -1


def _gender(reading: Reading, at: int) -> Gender | None:
    """كان الظهور الأول: a word of no list with the article is masculine by default."""
    article = reading.line[at].letters.startswith("ال")
    return nouns.gender_at(reading, at) or ("masculine" if article else None)


def _is_nominative(reading: Reading, at: int) -> bool:
    """كان كتاب الطفل: a thing that would end in an alif if it were what is said of somebody."""
    letters = reading.line[at].letters
    thing = thing_of(letters)
    shows = thing is not None and thing.gender == "masculine" and not thing.prefix
    return shows and not letters.endswith(("ة", "اء", "ى", "ا"))


def _is_resumed(walk: Walk, at: int, place: int) -> bool:
    """الذي كتبت عنه الصحف: the pronoun between them means who the clause is about."""
    third = walk.scope.third
    if third is None or place == at + 1 or not nouns.is_definite(walk.reading, place):
        return False
    function = walk.reading.function(place - 1)
    suffix = function.suffix if function is not None else None
    return suffix is not None and suffix.person == 3 and suffix.gender == third.gender


def _is_subject(reading: Reading, at: int, noun: NounParse, parse: VerbParse) -> bool:
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
