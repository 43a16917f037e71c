"""Each normaliser does what its name says, and the flag about gender tells the truth."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.core.errors import InputError
from epicene.languages.normalisers import NORMALISERS, normalise

FLAGGED = sorted(name for name, each in NORMALISERS.items() if each.destroys_gender)
UNFLAGGED = sorted(set(NORMALISERS) - set(FLAGGED))

# Two forms that mark different genders and become one string.
LOST = {
    "case": [("StudentInnen", "Studentinnen"), ("Sie", "sie")],
    "alif": [("يقرآن", "يقرأن"), ("يبدآن", "يبدأن")],
    "ya": [("لن تنسى", "لن تنسي"), ("أن ترى", "أن تري")],
    "ta-marbuta": [("ابنة", "ابنه"), ("صديقة", "صديقه")],
    "arabic-diacritics": [("أَنْتَ", "أَنْتِ"), ("كَتَبْتَ", "كَتَبْتِ"), ("لَكَ", "لَكِ")],
    "latin-accents": [("avô", "avó"), ("épousé", "épouse")],
}

# Masculine and feminine (or, last in German, both and feminine), as close as they come.
GENDER_PAIRS = {
    "en": "he|she, his|hers, him|her, actor|actress, he's|she’s",
    "fr": "fatigué|fatiguée, un|une, il|elle, premier|première, le|la, né|née, M.|Mme, "
    "étudiant|étudiant·e, mon ami|mon amie, l'élève assis|l’élève assise, épousé|épouse",
    "ar": "كاتب|كاتبة, ابنه|ابنة, أنتَ|أنتِ, يقرآن|يقرأن, تنسى|تنسي, هو|هي, هـذا|هـذه, ذهب|ذهبت, "
    "أحمر|حمراء, أكبر|كبرى, كتبتُم|كتبتُنّ, ﻛﺎﺗﺐ|ﻛﺎﺗﺒﺔ, لكَ|لكِ",
    "hi": "गया|गयी, लड़का|लड़की, बड़ा|बड़ी, मेरा|मेरी, था|थी, पढ़ता|पढ़ती, करूँगा|करूँगी, थे|थीं, का|की",
    "de": "er|sie, der|die, Lehrer|Lehrerin, sein|ihr, guter|gute, Student|Student*in, "
    "StudentInnen|Studentinnen",
    "es": "él|ella, niño|niña, cansado|cansada, 1.º|1.ª, Dr.|Dra., nosotros|nosotr@s",
    "it": "un amico|un’amica, lui|lei, stanco|stanca, gli studenti|le studentesse, tutti|tutt*",
    "ru": "сам|сама, устал|устала, он|она, мой|моя, умный|умная, его|её",
    "zh": "他|她, 你|妳, 先生|女士",
    "pt": "avô|avó, obrigado|obrigada, um|uma, 1.º|1.ª",
}


def test_every_flag_has_an_example() -> None:
    assert sorted(LOST) == FLAGGED


@pytest.mark.parametrize("name", FLAGGED)
def test_a_flagged_normaliser_loses_gender(name: str) -> None:
    for one, other in LOST[name]:
        assert unicodedata.normalize("NFC", one) != unicodedata.normalize("NFC", other)
        assert normalise(one, [name]) == normalise(other, [name])


@pytest.mark.parametrize("language", sorted(GENDER_PAIRS))
def test_the_others_keep_gender_each_and_all_together(language: str) -> None:
    for pair in GENDER_PAIRS[language].split(", "):
        masculine, feminine = pair.split("|")
        for names in (*([name] for name in UNFLAGGED), UNFLAGGED):
            assert normalise(masculine, names) != normalise(feminine, names), (names, feminine)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("nfc", "ne\u0301e", "née"),
        ("nfkc", "ﻛﺎﺗﺒﺔ ﬁlle Ａ", "كاتبة fille A"),
        ("quotes", "“l’amie” ‘d’une’ „sie“ «il»", "\"l'amie\" 'd'une' \"sie\" «il»"),
        ("case", "ELLE Straße", "elle strasse"),
        ("alif", "أإآٱا ا\u0654ا\u0655ا\u0653 ؤئء", "ااااا ااا ؤئء"),
        ("alif", "أ\u0653 ا\u0654\u0653", "ا ا"),
        ("ya", "كبرى علي", "كبري علي"),
        ("ta-marbuta", "كاتبة ابنه", "كاتبه ابنه"),
        ("tatweel", "كـتـــاب", "كتاب"),
        ("arabic-diacritics", "كَتَبَتِ المُعَلِّمَةُ هٰذا بِئْرًا", "كتبت المعلمة هذا بئرا"),
        (
            "nukta",
            "लड\u093cकी बडी \u095cक \u095eन ज\u093c",
            "लड\u093cकी बडी ड\u093cक फ\u093cन ज\u093c",
        ),
        ("arabic-diacritics", "ا\u0654\u064e ا\u0653 ا\u0655", "ا\u0654 ا\u0653 ا\u0655"),
        ("nukta", "न\u093c \u0929 र\u093c \u0931", "\u0929 \u0929 \u0931 \u0931"),
        ("latin-accents", "élève née ñandú ﬁ ø ß ǻ e\u0301", "eleve nee nandu ﬁ ø ß a e"),
    ],
)
def test_what_a_normaliser_does(name: str, before: str, after: str) -> None:
    assert normalise(before, [name]) == after


TEXT = st.text(
    st.sampled_from("aéÉßẞñøﬁİıe\u0301\u0327’‘“„ªфйё中 ")
    | st.sampled_from("أإآٱاىيةهـكَِّْٰ\u0653\u0654\u0655")
    | st.sampled_from("डढनरजा\u093c\u094d\u0929\u0931\u095c\u095d")
    | st.characters()
)


@pytest.mark.parametrize("name", sorted(NORMALISERS))
@given(text=TEXT)
def test_a_second_time_changes_nothing(name: str, text: str) -> None:
    once = normalise(text, [name])
    assert normalise(once, [name]) == once


@given(TEXT)
def test_nukta_is_canonical_and_touches_no_other_letter(text: str) -> None:
    result = normalise(text, ["nukta"])
    assert unicodedata.normalize("NFC", result) == unicodedata.normalize("NFC", text)
    others = [c for c in text if not "\u0900" <= c <= "\u097f"]
    assert [c for c in result if not "\u0900" <= c <= "\u097f"] == others


def test_nukta_agrees_with_canonical_composition_on_every_devanagari_letter() -> None:
    letters = [c for c in map(chr, range(0x0900, 0x0980)) if unicodedata.category(c) == "Lo"]
    for text in (*letters, *(letter + "\u093c" for letter in letters)):
        assert normalise(text, ["nukta"]) == unicodedata.normalize("NFC", text)


@given(st.text("أإآٱاىيةهـكَِّْतड़лй中 "))
def test_latin_accents_leave_other_scripts_alone(text: str) -> None:
    assert normalise(text, ["latin-accents"]) == text


def test_normalisers_run_in_the_order_named() -> None:
    assert normalise("É", ["case", "latin-accents"]) == "e"
    assert normalise("ٱلْـمَرْأَة", ["tatweel", "alif", "arabic-diacritics", "ta-marbuta"]) == "المراه"
    assert normalise("É", []) == "É"


def test_an_unknown_normaliser_names_the_nearest() -> None:
    with pytest.raises(InputError, match="no normaliser 'ta_marbuta'; did you mean 'ta-marbuta'"):
        normalise("", ["ta_marbuta"])
