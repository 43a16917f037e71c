"""What a noun is where it stands: definite, bound to a possessor, of which gender, whose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic import fixed, guessing
from epicene.languages.rewriting.arabic.findings import Fixed
from epicene.languages.rewriting.arabic.letters import TANWIN_FATH
from epicene.languages.rewriting.arabic.noun_parsing import is_thing, thing_of
from epicene.languages.rewriting.arabic.reading import TIMES
from epicene.languages.rewriting.arabic.scope import Referent

if TYPE_CHECKING:
    from epicene.languages.rewriting.arabic.noun_parsing import NounParse
    from epicene.languages.rewriting.arabic.reading import Reading
    from epicene.languages.rewriting.arabic.state import Walk
    from epicene.languages.rewriting.people import Gender, Person

_ARTICLES = ("ال", "وال", "بال", "كال", "فال", "لل", "ولل", "فلل")
_JOINED_ARTICLES = _ARTICLES[1:]
_SUFFIXES = ("ي", "ه", "ها", "نا", "كم", "هم")


def choose(reading: Reading, at: int, referent: Referent | None) -> NounParse | None:
    """The reading of a noun that fits whom it should agree with, None if there is none."""
    for parse in reading.nouns(at):
        if parse.lemma.feminine in _WOMEN and not _is_idiom(reading, at, parse):
            continue
        form = parse.form
        if referent is not None and (
            form.number != referent.number or referent.gender not in {None, form.gender}
        ):
            continue
        if form.bound and parse.suffix is None and not _noun_follows(reading, at):
            continue
        return parse
    return None


# امرأة loses its alif after the article, and رجل أعمال is سيدة أعمال in the feminine.
_WOMEN = frozenset({"امرأة", "مرأة", "سيدة"})


def _is_idiom(reading: Reading, at: int, parse: NounParse) -> bool:
    """Whether it is the word for a woman that goes here."""
    business = reading.line[at + 1].key in {"اعمال", "الاعمال"}
    ladies = parse.form.gender == "feminine" and parse.form.number == "plural"
    ladies = ladies and parse.suffix is None  # بطولة السيدات, but سيداتي وسادتي
    if parse.lemma.masculine != "رجل":
        return not (business or ladies)
    if parse.lemma.feminine == "سيدة":
        return business or ladies
    return not business and (parse.lemma.feminine == "مرأة") == parse.prefix.article


def _noun_follows(reading: Reading, at: int) -> bool:
    function = reading.function(at + 1)
    if function is not None:
        return function.sort == "demonstratives"
    return reading.is_nominal(at + 1) and not _has_joined_article(reading, at + 1)


def _has_joined_article(reading: Reading, at: int) -> bool:
    return reading.line[at].letters.startswith(_JOINED_ARTICLES)


def is_definite(reading: Reading, at: int) -> bool:
    """Whether a noun has the article or a possessive suffix."""
    letters = reading.line[at].letters
    thing = thing_of(letters)
    if letters.startswith(_ARTICLES):
        return True
    if thing is not None:
        return thing.suffixed
    nouns = reading.nouns(at)
    if nouns and nouns[0].lemma.known:
        return nouns[0].suffix is not None
    return reading.is_preposition(at - 1) and letters.endswith(_SUFFIXES) and len(letters) > 3


def ends_in_pronoun(reading: Reading, at: int) -> bool:
    """Whether a noun of no list looks as if it had a possessive: أدراجي."""
    letters = reading.line[at].letters
    if thing_of(letters) is not None or reading.known_nouns(at):
        return False
    return letters.endswith(_SUFFIXES) and len(letters) > 4


def elative(reading: Reading, at: int) -> Fixed | None:
    """الأول, الكبرى: an elative that has both genders, with its article."""
    letters = reading.line[at].letters
    for prefix in ("ال", "وال", "فال"):
        word = letters[len(prefix) :]
        if letters.startswith(prefix) and fixed.pair("elatives", word):
            with_measure = is_nunated(reading, at + 1) and reading.function(at + 1) is None
            return None if with_measure else Fixed(prefix, "elatives", word)
    return None


def is_nunated(reading: Reading, at: int) -> bool:
    """Whether a noun has the alif of the indefinite accusative, by its looks."""
    word = reading.line[at]
    if TANWIN_FATH in word.text:
        return True
    if not word.letters.endswith("ا"):
        return False
    nunated = any(parse.form.nunated for parse in reading.known_nouns(at))
    thing = thing_of(word.letters)
    return nunated or (thing is not None and thing_of(word.letters[:-1]) is not None)


def is_bound(reading: Reading, at: int, parse: NounParse) -> bool:
    """Whether what follows the noun is its possessor: مدير المدرسة, سائق شاحنة."""
    function = reading.function(at + 1)
    takes_object = parse.lemma.governing and not parse.lemma.person
    if parse.suffix or parse.form.nunated or parse.form.bound is False or takes_object:
        return False
    if function is not None:
        points = function.sort == "demonstratives" and not function.prefix
        return points and not parse.prefix.article and is_definite(reading, at + 2)
    if parse.prefix.article:
        return parse.lemma.adjective and _limits_article(reading, at + 1)
    if not reading.is_nominal(at + 1) or not reading.line[at + 1].letters[:1].isalpha():
        return False
    return _is_possessor(reading, at + 1, parse)


def _limits_article(reading: Reading, at: int) -> bool:
    """القليل الخبرة: a thing to which an adjective with the article is limited."""
    letters = reading.line[at].letters
    return letters.startswith("ال") and thing_of(letters) is not None


def _is_possessor(reading: Reading, at: int, parse: NounParse) -> bool:
    letters = reading.line[at].letters
    nouns = reading.nouns(at)
    if nouns and nouns[0].lemma.known and nouns[0].prefix.letters not in {"", "ال"}:
        return False
    if _has_joined_article(reading, at):
        return False
    thing = thing_of(letters)
    if thing is not None and thing.prefix not in {"", "ال"}:
        return False
    if is_definite(reading, at) or (parse.stem in _KIN and letters in _NAMES):
        return True
    if is_nunated(reading, at) or reading.line[at].key in TIMES:
        return False
    if thing is not None:
        return True
    unknown = not nouns or not nouns[0].lemma.known
    if not parse.lemma.person or (letters[0] in "لب" and unknown):
        return False
    if letters in _PLACES:
        return True
    return not any(_describes(one, parse) for one in nouns)


def _describes(one: NounParse, head: NounParse) -> bool:
    """Whether the one can be an adjective of the head, which stands before it."""
    if one.prefix.letters or (one.form.gender, one.form.number) != (
        head.form.gender,
        head.form.number,
    ):
        return False
    if one.lemma.known:
        return one.lemma.can_describe
    word = one.lemma.masculine
    if guessing.is_nisba(word) or guessing.is_participle(word):
        return True
    return head.lemma.masculine not in _TITLES and guessing.is_adjective_shape(word)


def skip_noun(reading: Reading, at: int) -> int:
    """The place after a possessor, and after its own."""
    function = reading.function(at)
    if function is not None and function.sort == "demonstratives":
        return skip_noun(reading, at + 1)
    end = at + 1
    while not is_definite(reading, end - 1) and possessor_follows(reading, end):
        end += 1
    return end


def possessor_follows(reading: Reading, at: int) -> bool:
    """Whether the word may be the possessor of a thing before it."""
    word = reading.line[at]
    if not reading.is_nominal(at) or not word.letters[:1].isalpha():
        return False
    if is_definite(reading, at):
        return not _has_joined_article(reading, at)
    known = reading.known_nouns(at)
    if known and known[0].lemma.person and not known[0].prefix.letters:
        if not is_bound(reading, at, known[0]):
            return False
        return is_definite(reading, at + 1) or reading.line[at + 1].letters in _NAMES
    described = any(parse.lemma.known or parse.lemma.adjective for parse in reading.nouns(at))
    if described or is_nunated(reading, at):
        return False
    return thing_of(word.letters) is not None or not word.letters.endswith("ة")


def gender_at(reading: Reading, at: int) -> Gender | None:
    """The gender of a noun, by the lists or by its ending."""
    function = reading.function(at)
    if function is not None:
        return gender_at(reading, at + 1) if function.sort == "demonstratives" else None
    letters = reading.line[at].letters
    thing = thing_of(letters)
    if thing is not None:
        return thing.gender
    known = reading.known_nouns(at)
    if known:
        return known[0].form.gender
    if letters.endswith(("ة", "ات", "اء")):
        return "feminine"
    return "masculine" if letters.endswith("ا") else None


# Names that are adjectives too, and after what they are names: أم خالد, ابن سليم.
_NAMES = frozenset("خالد سليم كريم سعيد أمين صالح ماجد فريد وحيد جميل نبيل شريف عادل".split())
# Which are rather places than women: مدير مدرسة.
_PLACES = frozenset("مدرسة مكتبة مؤسسة منظمة محطة مجلة".split())
_KIN = frozenset({"أم", "ابن", "ابنة", "أبو", "أبا"})
# After these a name follows, which may look like an adjective.
_TITLES = frozenset("دكتور سيد أستاذ ملك أمير شيخ والد ضابط مفتش كابتن عم خال صديق زوج".split())
_OURS = frozenset({"كلانا", "كلينا", "أحدنا"})
_YOURS = frozenset({"كلاكما", "كليكما", "أحدكم", "أحدكما"})


def referent_of(walk: Walk, at: int) -> Referent:
    """Whom a noun means that nothing asked for: somebody else, one of us, or a thing."""
    reading = walk.reading
    letters = reading.line[at].letters
    if fixed.is_anybody(letters):
        return Referent(None, "singular", "masculine")
    found = fixed.member(letters)
    if found is not None:
        return _member_referent(walk, found[1])
    numeral = fixed.gender_of("numerals", letters)
    who = _of_a_group(walk, at)
    if numeral is not None and who is not None:
        return Referent(who, "dual", numeral)
    known = reading.known_nouns(at)
    if not known or thing_of(letters) is not None or is_rather_thing(known[0]):
        return Referent(None, "singular", gender_at(reading, at))
    form = known[0].form
    return Referent(who, form.number, form.gender) if who else walk.named(known[0])


def is_rather_thing(parse: NounParse) -> bool:
    """المدرسة, المحكمة: where nothing says that it is somebody, a school rather than a woman."""
    form = parse.form
    if form.gender != "feminine" or form.number != "singular":
        return False
    stem = parse.stem if parse.suffix is None else parse.stem[:-1] + "ة"  # مدرستها
    return parse.lemma.feminine not in _WOMEN and is_thing(stem)  # مرآة, مرأة


def _member_referent(walk: Walk, word: str) -> Referent:
    pair = fixed.pair("members", word)
    gender = fixed.gender_of("members", word)
    person = 1 if pair and pair[0] in _OURS else 2 if pair and pair[0] in _YOURS else 3
    if person == 1 and walk.mixed:
        return Referent(None, "singular", gender)
    return walk.person(person, "singular", gender)


def _of_a_group(walk: Walk, at: int) -> Person | None:
    """واحد منا, رجل مثلي: one of us, one like me."""
    for place in range(at + 1, at + 5):
        function = walk.reading.function(place)
        if function is not None and function.sort == "relatives":
            was = walk.reading.line[place + 1].key in {"كنته", "كنتها"}
            return walk.voice.speaker if was else None
        if function is not None and function.suffix and function.base in {"من", "مثل"}:
            person = function.suffix.person
            number = function.suffix.number if function.base == "من" else "singular"
            return walk.person(person, number).who if person != 3 else None
        if function is not None or walk.reading.line[place].is_mark:
            return None
    return None
