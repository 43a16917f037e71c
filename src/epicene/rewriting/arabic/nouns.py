"""Nouns in context: whether they are definite, in construct, or counted, their gender and their
referent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.arabic import inflection, lexicon
from epicene.rewriting.arabic.analysis import analyse_thing, is_listed_thing
from epicene.rewriting.arabic.context import Referent
from epicene.rewriting.arabic.disambiguation import TIME_NOUNS
from epicene.rewriting.arabic.sites import FixedTarget
from epicene.rewriting.arabic.spelling import SHADDA, TANWIN_FATH, fold_letters

if TYPE_CHECKING:
    from epicene.rewriting.arabic.analysis import NounParse
    from epicene.rewriting.arabic.conjugation import Number
    from epicene.rewriting.arabic.context import Context
    from epicene.rewriting.arabic.disambiguation import PassageAnalysis
    from epicene.rewriting.arabic.inflection import Case, NounFeatures
    from epicene.rewriting.persons import Gender, Person

_TENS_NUMERALS = frozenset(
    ten + ending
    for ten in ("عشر", "ثلاث", "اربع", "خمس", "ست", "سبع", "ثمان", "تسع")
    for ending in ("ون", "ين")
)
_HUNDREDS = frozenset("مئة مائة مئتا مئتي مائتا مائتي ثلاثمئة خمسمئة ألف الف ألفا ألفي".split())


class CountedPeople(NamedTuple):
    """Numerals that agree with a noun; the noun's index (-1: none), number and case."""

    numerals: list[tuple[int, FixedTarget]]
    end: int
    noun: int = -1
    number: Number = "plural"
    case: Case = "genitive"


def read_numeral(words: PassageAnalysis, at: int) -> CountedPeople | None:
    """A numeral and the noun that it counts, if the word is a numeral that counts people."""
    word = words.line.token(at)
    if not word.is_word:
        return None
    if word.key in _TENS_NUMERALS and _is_person_noun(words, at + 1):
        return CountedPeople([], at + 1, at + 1, "singular", "accusative")
    if word.letters in _HUNDREDS and _is_person_noun(words, at + 1):
        return CountedPeople([], at + 1, at + 1, "singular", "genitive")
    prefix = next(
        (one for one in ("ال", "وال", "و", "ل", "") if _is_numeral(word.letters, one)), None
    )
    if prefix is None:
        return None
    numeral = FixedTarget(prefix, "numerals", word.letters[len(prefix) :])
    after = words.line.letters(at + 1)
    if lexicon.fixed_pair("tens", after):
        ten = FixedTarget("", "tens", after)
        noun = at + 2 if _is_person_noun(words, at + 2) else -1
        return CountedPeople([(at, numeral), (at + 1, ten)], at + 2, noun, "singular", "accusative")
    if _is_two(numeral.word):
        return CountedPeople([(at, numeral)], at + 1)
    if _is_person_noun(words, at + 1):
        return CountedPeople([(at, numeral)], at + 1, at + 1)
    return None


def _is_numeral(letters: str, prefix: str) -> bool:
    return (
        letters.startswith(prefix)
        and letters != "لست"
        and lexicon.fixed_pair("numerals", letters[len(prefix) :]) is not None
    )


def _is_two(word: str) -> bool:
    return word.startswith("اثن") and word.endswith("ن")


def _is_person_noun(words: PassageAnalysis, at: int) -> bool:
    return any(parse.lemma.person for parse in words.known_nouns(at))


_ARTICLES = ("ال", "وال", "بال", "كال", "فال", "لل", "ولل", "فلل")
_JOINED_ARTICLES = _ARTICLES[1:]
_POSSESSIVE_ENDINGS = ("ي", "ه", "ها", "نا", "كم", "هم")


def choose_noun(words: PassageAnalysis, at: int, referent: Referent | None) -> NounParse | None:
    """The reading of a noun that agrees with the referent, None if there is none."""
    for parse in words.nouns(at):
        if parse.lemma.feminine in _WORDS_FOR_WOMEN and not _is_idiom(words, at, parse):
            continue
        if parse.lemma.masculine == "حامل" and parse.lemma.is_invariable == _carries(words, at):
            continue
        form = parse.form
        if referent is not None and (
            form.number != referent.number or referent.gender not in {None, form.gender}
        ):
            continue
        if form.bound and parse.suffix is None and not _noun_follows(words, at):
            continue
        return parse
    return None


# امرأة loses its alif after the article, and رجل أعمال is سيدة أعمال in the feminine.
_WORDS_FOR_WOMEN = frozenset({"امرأة", "مرأة", "سيدة"})


def _is_idiom(words: PassageAnalysis, at: int, parse: NounParse) -> bool:
    """Whether the reading has the word for a woman that is idiomatic here."""
    business = words.line[at + 1] in {"اعمال", "الاعمال"}
    ladies = parse.form.gender == "feminine" and parse.form.number == "plural"
    ladies = ladies and parse.suffix is None  # بطولة السيدات, but سيداتي وسادتي
    if parse.lemma.masculine != "رجل":
        return not (business or ladies)
    if parse.lemma.feminine == "سيدة":
        return business or ladies
    return not business and (parse.lemma.feminine == "مرأة") == parse.prefix.article


def _carries(words: PassageAnalysis, at: int) -> bool:
    """Whether حامل has an object, so that it does not mean pregnant: حامل شهادة, حامل لرسالة."""
    function = words.function(at + 1)
    if function is not None:
        return function.base == "مع" or function.kind == "demonstratives"
    letters = words.line.letters(at + 1)
    thing = analyse_thing(letters)
    known = words.known_nouns(at + 1)
    joined = thing.prefix if thing is not None else known[0].prefix.letters if known else ""
    held = letters.startswith("بيد") or not joined.startswith(("ب", "و", "ف"))
    return words.is_nominal(at + 1) and held


def _noun_follows(words: PassageAnalysis, at: int) -> bool:
    function = words.function(at + 1)
    if function is not None:
        return function.kind == "demonstratives"
    return words.is_nominal(at + 1) and not _has_joined_article(words, at + 1)


def _has_joined_article(words: PassageAnalysis, at: int) -> bool:
    return words.line.letters(at).startswith(_JOINED_ARTICLES)


def is_definite(words: PassageAnalysis, at: int) -> bool:
    """Whether a noun has the article or a possessive suffix."""
    letters = words.line.letters(at)
    thing = analyse_thing(letters)
    if letters.startswith(_ARTICLES):
        return True
    if thing is not None:
        return thing.suffixed
    nouns = words.nouns(at)
    if nouns and nouns[0].lemma.known:
        return nouns[0].suffix is not None
    return (
        words.is_preposition(at - 1) and letters.endswith(_POSSESSIVE_ENDINGS) and len(letters) > 3
    )


def has_preposition(words: PassageAnalysis, at: int) -> bool:
    """Whether a noun has a preposition as its prefix, so that it is no subject: بوقت قصير."""
    letters = words.line.letters(at)
    thing = analyse_thing(letters)
    if thing is not None:
        return not set(thing.prefix).isdisjoint("بك") or thing.prefix.startswith(("ل", "ول", "فل"))
    known = words.known_nouns(at)
    if known:
        return bool(known[0].prefix.preposition)
    return letters.startswith(("بال", "وبال", "لل", "ولل"))


def ends_in_pronoun(words: PassageAnalysis, at: int) -> bool:
    """Whether an unlisted noun looks as if it had a possessive suffix: أدراجي."""
    letters = words.line.letters(at)
    if analyse_thing(letters) is not None or words.known_nouns(at):
        return False
    return letters.endswith(_POSSESSIVE_ENDINGS) and len(letters) > 4


def elative_target(words: PassageAnalysis, at: int) -> FixedTarget | None:
    """The target of an elative with the article that has both genders: الأول, الكبرى."""
    letters = words.line.letters(at)
    for prefix in ("ال", "وال", "فال"):
        word = letters[len(prefix) :]
        if letters.startswith(prefix) and lexicon.fixed_pair("elatives", word):
            with_measure = is_nunated(words, at + 1) and words.function(at + 1) is None
            return None if with_measure else FixedTarget(prefix, "elatives", word)
    return None


def is_nunated(words: PassageAnalysis, at: int) -> bool:
    """Whether a noun is written with the alif of the indefinite accusative."""
    word = words.line.token(at)
    if TANWIN_FATH in word.text:
        return True
    if not word.letters.endswith("ا"):
        return False
    nunated = any(parse.form.nunated for parse in words.known_nouns(at))
    thing = analyse_thing(word.letters)
    plain = thing is not None and not thing.suffixed
    return nunated or (plain and analyse_thing(word.letters[:-1]) is not None)


def is_bound(words: PassageAnalysis, at: int, parse: NounParse) -> bool:
    """Whether the noun is in construct with the word after it: مدير المدرسة, سائق شاحنة."""
    function = words.function(at + 1)
    takes_object = parse.lemma.governing and not parse.lemma.person
    if parse.suffix or parse.form.nunated or parse.form.bound is False or takes_object:
        return False
    if words.possesses(at + 1) or parse.lemma.masculine == "سيدي":
        return False
    if function is not None:
        points = function.kind == "demonstratives" and not function.prefix
        dated = words.line[at + 2] in _TIMES  # متعبة هذه الأيام
        return points and not dated and not parse.prefix.article and is_definite(words, at + 2)
    if parse.prefix.article:
        one = parse.form.number == "singular"
        return one and parse.lemma.adjective and _limits_article(words, at + 1)
    if not words.is_nominal(at + 1) or not words.line.letters(at + 1)[:1].isalpha():
        return False
    return _is_possessor(words, at + 1, parse)


_PERIODS = frozenset("عاما سنة سنوات سنين اعوام يوما ايام شهرا اشهر شهور اسابيع ساعات مرات".split())
_TIMES = frozenset(
    "الصباح المساء الصيف الشتاء الايام الليلة السنة المرة الفترة الاسبوع الشهر اللحظة اليوم "
    "العام".split()
)


def _limits_article(words: PassageAnalysis, at: int) -> bool:
    """Whether the word is the specification of an adjective with the article: القليل الخبرة."""
    letters = words.line.letters(at)
    return letters.startswith("ال") and analyse_thing(letters) is not None


def _is_possessor(words: PassageAnalysis, at: int, parse: NounParse) -> bool:
    letters = words.line.letters(at)
    nouns = words.nouns(at)
    if letters in lexicon.fields_of_work() and any(_is_adjective_of(one, parse) for one in nouns):
        return letters == "نفسي" and parse.lemma.masculine in _ONES_OWN
    if nouns and nouns[0].lemma.known and nouns[0].prefix.letters not in {"", "ال"}:
        return False
    if _has_joined_article(words, at):
        return False
    thing = analyse_thing(letters)
    if thing is not None and thing.prefix not in {"", "ال"}:
        return False
    if words.line[at] in _TIMES and parse.lemma.adjective:  # مسافرًا الأسبوع الماضي
        return False
    if words.line[at + 1] in _PERIODS and words.line[at] not in TIME_NOUNS:
        return False  # ممرضة ثلاثين عامًا
    if is_definite(words, at) or (parse.stem in _KIN and letters in _NAMES):
        return True
    if is_nunated(words, at) or words.line[at] in TIME_NOUNS:
        return False
    if thing is not None:
        return True
    unknown = not nouns or not nouns[0].lemma.known
    if not parse.lemma.person or (letters[0] in "لب" and unknown):
        return False
    if letters in _PLACES:
        return parse.lemma.masculine not in {"عضو", "شريك"}  # a founding member
    return not any(_is_adjective_of(one, parse) for one in nouns)


def _is_adjective_of(one: NounParse, head: NounParse) -> bool:
    """Whether a word can be an attributive adjective of the head before it."""
    if one.prefix.letters or (one.form.gender, one.form.number) != (
        head.form.gender,
        head.form.number,
    ):
        return False
    if one.lemma.known:
        return one.lemma.can_describe
    word = one.lemma.masculine
    if inflection.is_nisba(word) or inflection.is_participle(word):
        return True
    return head.lemma.masculine not in _TITLES_BEFORE_NAMES and inflection.is_adjective_shape(word)


def skip_noun(words: PassageAnalysis, at: int) -> int:
    """The index after a possessor and its own possessors."""
    function = words.function(at)
    if function is not None and function.kind == "demonstratives":
        return skip_noun(words, at + 1)
    end = at + 1
    while not is_definite(words, end - 1) and possessor_follows(words, end):
        end += 1
    return end


def possessor_follows(words: PassageAnalysis, at: int) -> bool:
    """Whether the word may be the possessor of a thing before it."""
    word = words.line.token(at)
    if not words.is_nominal(at) or not word.letters[:1].isalpha():
        return False
    if is_definite(words, at):
        return not _has_joined_article(words, at)
    known = words.known_nouns(at)
    if known and known[0].lemma.person and not known[0].prefix.letters:
        if not is_bound(words, at, known[0]):
            return False
        return is_definite(words, at + 1) or words.line.letters(at + 1) in _NAMES
    described = any(parse.lemma.known or parse.lemma.adjective for parse in words.nouns(at))
    if described or is_nunated(words, at):
        return False
    return analyse_thing(word.letters) is not None or not word.letters.endswith("ة")


def noun_gender(words: PassageAnalysis, at: int) -> Gender | None:
    """The gender of a noun, by the lists or by its ending."""
    function = words.function(at)
    if function is not None:
        return noun_gender(words, at + 1) if function.kind == "demonstratives" else None
    letters = words.line.letters(at)
    if (named := words.name_gender(at)) is not None:
        return named
    thing = analyse_thing(letters)
    if thing is not None:
        return thing.gender
    known = words.known_nouns(at)
    if known:
        return known[0].form.gender
    if letters.endswith(("ة", "ات", "اء")):
        return "feminine"
    return "masculine" if letters.endswith("ا") else None


# Names that are adjectives too, and after what they are names: أم خالد, ابن سليم.
_NAMES = frozenset("خالد سليم كريم سعيد أمين صالح ماجد فريد وحيد جميل نبيل شريف عادل".split())
# Which are rather places than women: مدير مدرسة.
_PLACES = frozenset("مدرسة مكتبة مؤسسة منظمة محطة مجلة مدينة".split())
_KIN = frozenset({"أم", "ابن", "ابنة", "أبو", "أبا"})
# After these a name follows, which may look like an adjective.
_TITLES_BEFORE_NAMES = frozenset(
    "دكتور سيد أستاذ ملك أمير شيخ والد ضابط مفتش كابتن عم خال صديق زوج".split()
)
# One's own master: سيد نفسي, but طبيب نفسي.
_ONES_OWN = frozenset("سيد رئيس مدير ملك عدو صديق صاحب حبيب".split())
_ORDINALS = frozenset("واحد ثاني ثالث رابع خامس سادس سابع ثامن تاسع عاشر حادي".split())
# A server, a host, a proxy.
_MACHINES = frozenset({"خادم", "مضيف", "وكيل"})
_OURS = frozenset({"كلانا", "كلينا", "أحدنا"})
_YOURS = frozenset({"كلاكما", "كليكما", "أحدكم", "أحدكما"})


def is_one_of_many(words: PassageAnalysis, at: int) -> bool:
    """Whether أحد is followed by the people of whom it is one: أحد الخبراء."""
    if words.line.letters(at) not in {"أحد", "إحدى"}:
        return False
    known = words.known_nouns(at + 1)
    return bool(known) and known[0].lemma.person and known[0].form.number == "plural"


def noun_referent(context: Context, at: int) -> Referent:
    """The referent of a noun that fills no expectation: a third person, one of us, or a thing."""
    words = context.words
    letters = words.line.letters(at)
    function = words.function(at)
    if function is not None and function.kind == "demonstratives":
        return noun_referent(context, at + 1)
    if lexicon.is_anybody(letters) and not is_one_of_many(words, at):
        return Referent(None, "singular", "masculine")
    if (gender := _gender_of_name(words, at)) is not None:
        context.names.add(gender)
        return Referent(None, "singular", gender)
    found = lexicon.group_member(letters)
    if found is not None:
        return _member_referent(context, found[1])
    counted = read_numeral(words, at)
    if counted is not None and counted.noun > at:
        return noun_referent(context, counted.noun)
    numeral = lexicon.fixed_gender("numerals", letters)
    who = _member_of_group(context, at)
    if numeral is not None and who is not None:
        return Referent(who, "dual", numeral)
    known = words.known_nouns(at)
    if not known or analyse_thing(letters) is not None or is_rather_school(words, at, known[0]):
        return Referent(None, "singular", noun_gender(words, at))
    form = known[0].form
    if _is_no_person(words, at, known[0]):
        return Referent(None, form.number, form.gender)
    if has_own_gender(known[0]):
        return Referent(None, form.number, own_gender(known[0]))
    if who is None and _is_adjective_of_thing(words, at, known[0]):
        return Referent(None, form.number, form.gender)
    return Referent(who, form.number, form.gender) if who else context.introduce_referent(known[0])


def _is_no_person(words: PassageAnalysis, at: int, parse: NounParse) -> bool:
    """Whether a word for people means an animal, a machine, a thing or an hour here."""
    form, lemma = parse.form, parse.lemma
    if lemma.masculine in lexicon.animals():
        return True
    if lemma.masculine in _MACHINES and words.evidence.is_technical:
        return True
    if is_device(words, at, parse) or _is_feeling(words, at, parse):
        return True
    hour = lemma.masculine in _ORDINALS and _is_hour(words, at, form)
    if words.line.letters(at) == "مصر" or hour:
        return True
    colour = lemma.ending == "diptote" and form.gender == "feminine"  # جدرانه بيضاء
    return (colour or words.is_label) and not (lemma.person or parse.definite)  # نشط الآن


def _gender_of_name(words: PassageAnalysis, at: int) -> Gender | None:
    """The gender of a first name here, or after a word for its bearer: محمود, الشيخ محمود."""
    gender = words.name_gender(at)
    after = words.name_gender(at + 1)
    title = any(p.form.gender == after and p.lemma.person for p in words.known_nouns(at))
    return gender or (after if title else None)


def _is_adjective_of_thing(words: PassageAnalysis, at: int, parse: NounParse) -> bool:
    """Whether an adjective alone means a thing: من جديد, العربية, ببالغ الحزن."""
    if parse.lemma.person or parse.form.number != "singular":
        return False
    if not parse.definite:
        return words.is_preposition(at - 1) or parse.prefix.preposition == "ب"
    return parse.form.gender == "feminine" and parse.lemma.masculine.endswith("ي")


def _is_hour(words: PassageAnalysis, at: int, form: NounFeatures) -> bool:
    """Whether an ordinal says the time or an age: في السادسة."""
    return form.gender == "feminine" and (words.is_preposition(at - 1) or words.is_thing(at - 1))


def is_device(words: PassageAnalysis, at: int, parse: NounParse) -> bool:
    """Whether a machine or a sight is called as a person is: مشغل الموسيقى, معلم تاريخي."""
    after = fold_letters(words.line.letters(at + 1).removeprefix("ال"))
    called = fold_letters(parse.lemma.masculine) + "/"
    devices = lexicon.things().devices
    return parse.suffix is None and (called + after in devices or called + after[:-1] in devices)


def _is_feeling(words: PassageAnalysis, at: int, parse: NounParse) -> bool:
    """Whether an adjective is rather the name of a thing: لا داعي للقلق, مطلع الشهر."""
    named = parse.prefix.article or is_bound(words, at, parse)
    return named and not parse.lemma.person and is_listed_thing(parse.stem)


def has_own_gender(parse: NounParse) -> bool:
    """Whether a word for people has one gender whoever is meant: شخص is masculine."""
    return parse.lemma.is_invariable and not parse.lemma.adjective


def own_gender(parse: NounParse) -> Gender:
    """The gender of such a word: ضحية is feminine."""
    return "feminine" if parse.lemma.masculine.endswith("ة") else parse.form.gender


def is_rather_thing(parse: NounParse) -> bool:
    """Whether a noun without human context means a thing rather than a woman: المدرسة, المحكمة."""
    form = parse.form
    if form.gender != "feminine" or form.number != "singular":
        return False
    stem = parse.stem if parse.suffix is None else parse.stem[:-1] + "ة"  # مدرستها
    return parse.lemma.feminine not in _WORDS_FOR_WOMEN and is_listed_thing(stem)  # مرآة, مرأة


def is_rather_school(words: PassageAnalysis, at: int, parse: NounParse) -> bool:
    """Whether a noun is rather a thing, as no doubled letter shows a woman: مدرسة, مدرّسة."""
    return is_rather_thing(parse) and SHADDA not in words.line.token(at).text


def _member_referent(context: Context, word: str) -> Referent:
    pair = lexicon.fixed_pair("members", word)
    gender = lexicon.fixed_gender("members", word)
    person = 1 if pair and pair[0] in _OURS else 2 if pair and pair[0] in _YOURS else 3
    if person == 1 and context.mixed:
        return Referent(None, "singular", gender)
    return context.person(person, "singular", gender)


def _member_of_group(context: Context, at: int) -> Person | None:
    """The person that a noun belongs to as a member of a group: واحد منا, رجل مثلي."""
    for index in range(at + 1, at + 5):
        function = context.words.function(index)
        if function is not None and function.kind == "relatives":
            was = context.words.line[index + 1] in {"كنته", "كنتها"}
            return context.interlocutors.speaker if was else None
        if function is not None and function.suffix and function.base in {"من", "مثل"}:
            person = function.suffix.person
            number = function.suffix.number if function.base == "من" else "singular"
            return context.person(person, number).who if person != 3 else None
        if function is not None or context.words.line.is_mark(index):
            return None
    return None
