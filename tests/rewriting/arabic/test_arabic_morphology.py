"""Arabic words alone: verbs in all their forms, nouns in both genders, what is joined to them."""

from __future__ import annotations

import pytest

from epicene.rewriting.arabic.analysis import (
    analyse_function_word,
    analyse_noun,
    analyse_thing,
    analyse_verb,
)
from epicene.rewriting.arabic.conjugation import (
    Cell,
    Mood,
    Verb,
    imperfect_of,
    verb_class,
    verb_forms,
)
from epicene.rewriting.arabic.inflection import (
    Case,
    NounContext,
    feminine_of,
    inflect_noun,
    is_participle,
    masculine_of,
)
from epicene.rewriting.arabic.lexicon import noun_table, read_lists
from epicene.rewriting.arabic.spelling import respell, strip_marks
from epicene.rewriting.persons import Gender


def form(perfect: str, imperfect: str, cell: Cell, *, doubled: bool = False) -> str:
    """One form of a verb; a first form, if the imperfect is given."""
    stem = imperfect or imperfect_of(perfect)
    verb = Verb(perfect, stem, verb_class(perfect, stem, doubled=doubled), bool(imperfect))
    return next(letters for letters, each in verb_forms(verb) if each == cell)


# A verb, with its imperfect if it is a first form; what she, I and women did, what a woman does,
# may do, what a man did not do, and what both are told to do.
@pytest.mark.parametrize(
    ("verb", "she", "i", "women", "you", "cut", "jussive", "command", "command_f"),
    [
        ("كتب/كتب", "كتبت", "كتبت", "كتبن", "تكتبين", "تكتبي", "تكتب", "اكتب", "اكتبي"),
        ("قال/قول", "قالت", "قلت", "قلن", "تقولين", "تقولي", "تقل", "قل", "قولي"),
        ("خاف/خاف", "خافت", "خفت", "خفن", "تخافين", "تخافي", "تخف", "خف", "خافي"),
        ("باع/بيع", "باعت", "بعت", "بعن", "تبيعين", "تبيعي", "تبع", "بع", "بيعي"),
        ("رمى/رمي", "رمت", "رميت", "رمين", "ترمين", "ترمي", "ترم", "ارم", "ارمي"),
        ("نسي/نسى", "نسيت", "نسيت", "نسين", "تنسين", "تنسي", "تنس", "انس", "انسي"),
        ("دعا/دعو", "دعت", "دعوت", "دعون", "تدعين", "تدعي", "تدع", "ادع", "ادعي"),
        ("وقف/قف", "وقفت", "وقفت", "وقفن", "تقفين", "تقفي", "تقف", "قف", "قفي"),
        ("مر/مر", "مرت", "مررت", "مررن", "تمرين", "تمري", "تمر", "مر", "مري"),
        ("أخذ/أخذ", "أخذت", "أخذت", "أخذن", "تأخذين", "تأخذي", "تأخذ", "خذ", "خذي"),
        ("قرأ/قرأ", "قرأت", "قرأت", "قرأن", "تقرئين", "تقرئي", "تقرأ", "اقرأ", "اقرئي"),
        ("أرسل", "أرسلت", "أرسلت", "أرسلن", "ترسلين", "ترسلي", "ترسل", "أرسل", "أرسلي"),
        ("أعطى", "أعطت", "أعطيت", "أعطين", "تعطين", "تعطي", "تعط", "أعط", "أعطي"),
        ("تعلم", "تعلمت", "تعلمت", "تعلمن", "تتعلمين", "تتعلمي", "تتعلم", "تعلم", "تعلمي"),
        ("تلقى", "تلقت", "تلقيت", "تلقين", "تتلقين", "تتلقي", "تتلق", "تلق", "تلقي"),
        ("اختار", "اختارت", "اخترت", "اخترن", "تختارين", "تختاري", "تختر", "اختر", "اختاري"),
        ("اشترى", "اشترت", "اشتريت", "اشترين", "تشترين", "تشتري", "تشتر", "اشتر", "اشتري"),
        (
            "استعاد",
            "استعادت",
            "استعدت",
            "استعدن",
            "تستعيدين",
            "تستعيدي",
            "تستعد",
            "استعد",
            "استعيدي",
        ),
        ("اختبأ", "اختبأت", "اختبأت", "اختبأن", "تختبئين", "تختبئي", "تختبئ", "اختبئ", "اختبئي"),
    ],
)
def test_verbs(
    verb: str,
    she: str,
    i: str,
    women: str,
    you: str,
    cut: str,
    jussive: str,
    command: str,
    command_f: str,
) -> None:
    perfect, _, imperfect = verb.partition("/")

    def of(cell: Cell) -> str:
        return form(perfect, imperfect, cell)

    def second(gender: Gender, mood: Mood) -> Cell:
        return Cell("imperfect", 2, gender, "singular", mood)

    assert of(Cell("perfect", 3, "feminine", "singular")) == she
    assert of(Cell("perfect", 1, None, "singular")) == i
    assert of(Cell("perfect", 3, "feminine", "plural")) == women
    assert of(second("feminine", "full")) == you
    assert of(second("feminine", "cut")) == cut
    assert of(second("masculine", "short")) == jussive
    assert of(Cell("imperative", 2, "masculine", "singular")) == command
    assert of(Cell("imperative", 2, "feminine", "singular")) == command_f


def test_a_doubled_radical_is_parted_before_a_consonant() -> None:
    assert form("استمر", "", Cell("perfect", 1, None, "singular"), doubled=True) == "استمررت"
    assert form("أحب", "", Cell("imperfect", 3, "feminine", "plural"), doubled=True) == "يحببن"


@pytest.mark.parametrize(
    ("masculine", "feminine"),
    [
        ("طبيب", "طبيبة"),
        ("بريء", "بريئة"),
        ("قارئ", "قارئة"),
        ("معافى", "معافاة"),
        ("مصري", "مصرية"),
        ("عداء", "عداءة"),
    ],
)
def test_the_feminine_in_ta_marbuta(masculine: str, feminine: str) -> None:
    assert feminine_of(masculine) == feminine
    assert masculine_of(feminine)[0] == masculine


def lemma_of(word: str) -> str:
    """The masculine singular and the feminine that a word belongs to."""
    lemma = analyse_noun(word)[0].lemma
    return f"{lemma.masculine}/{lemma.feminine}"


@pytest.mark.parametrize(
    ("word", "lemma"),
    [
        ("والطبيبة", "طبيب/طبيبة"),
        ("سمراء", "أسمر/سمراء"),
        ("عطشى", "عطشان/عطشى"),
        ("أخت", "أخ/أخت"),
        ("زملائي", "زميل/زميلة"),
        ("صديقتها", "صديق/صديقة"),
        ("قاض", "قاضي/قاضية"),
        ("محامون", "محامي/محامية"),
        ("للمعلمات", "معلم/معلمة"),
        ("وحيد", "وحيد/وحيدة"),
    ],
)
def test_words_for_people_are_found_in_every_form(word: str, lemma: str) -> None:
    assert lemma_of(word) == lemma


@pytest.mark.parametrize(
    ("word", "case", "bound", "masculine"),
    [
        ("قاضية", "nominative", False, "قاض"),
        ("قاضية", "accusative", False, "قاضيا"),
        ("قاضية", "accusative", True, "قاضي"),
        ("متعبة", "accusative", False, "متعبا"),
        ("متعبة", "genitive", False, "متعب"),
        ("شقراء", "accusative", False, "أشقر"),
        ("طالبات", "accusative", False, "طلابا"),
        ("فقيرات", "accusative", False, "فقراء"),
        ("مهندسات", "nominative", False, "مهندسون"),
        ("مهندسات", "genitive", True, "مهندسي"),
        ("بنت", "accusative", False, "ولدا"),
    ],
)
def test_the_masculine_takes_its_case(word: str, case: Case, bound: bool, masculine: str) -> None:
    parse = analyse_noun(word)[0]
    place = NounContext(case, definite=False, bound=bound)
    assert inflect_noun(parse.lemma, "masculine", parse.form.number, place) == masculine


def test_what_is_joined_to_a_verb() -> None:
    parse = analyse_verb("وسأخبرهم")[0]
    assert (parse.prefix, parse.stem) == ("وس", "أخبر")
    assert parse.suffix is not None
    assert parse.suffix.letters == "هم"
    assert analyse_verb("رآه")[0].stem == "رأى"
    assert analyse_verb("كتبوه")[0].stem == "كتبوا"


@pytest.mark.parametrize(
    ("word", "kind", "base"),
    [
        ("وأنا", "I", "انا"),
        ("لكنني", "inna", "لكن"),
        ("منا", "prepositions", "من"),
        ("بصفتي", "role_markers", "بصفة"),
        ("فهو", "he", "هو"),
    ],
)
def test_function_words(word: str, kind: str, base: str) -> None:
    parse = analyse_function_word(word)
    assert parse is not None
    assert (parse.kind, parse.base) == (kind, base)


@pytest.mark.parametrize("word", ["فلكي", "كان", "والد", "لاعب"])
def test_what_only_looks_like_a_function_word(word: str) -> None:
    assert analyse_function_word(word) is None


def test_a_book_is_no_writers() -> None:
    thing = analyse_thing("كتابكم")
    assert thing is not None
    assert thing.suffixed
    assert analyse_thing("كاتب") is None


@pytest.mark.parametrize("word", ["متوهج", "منكسر", "مستوحش", "مذعور", "مهرول"])
def test_participles_by_their_looks(word: str) -> None:
    assert is_participle(word)


@pytest.mark.parametrize("word", ["مفتاح", "مصابيح", "مطر", "كتاب"])
def test_what_is_no_participle(word: str) -> None:
    assert not is_participle(word)


def test_marks_stay_where_their_letters_do() -> None:
    assert strip_marks("مُتْعَبـــٌ") == "متعب"
    assert respell("يَكْتُبُ", "تكتب") == "تَكْتُبُ"


def test_the_lists_say_nothing_twice_in_two_ways() -> None:
    """No colour is listed as an adjective that takes ة."""
    lists = read_lists("adjectives")
    colours = frozenset(entry.partition("/")[0] for entry in lists["colours"])
    assert not colours & frozenset(word.partition(":")[0] for word in lists["regular"])
    assert noun_table().get("متعبة")[0].form.gender == "feminine"
