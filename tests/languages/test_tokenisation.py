"""Words and punctuation of each language, in sentences written for these tests."""

from __future__ import annotations

import re
import unicodedata

import pytest

from epicene.languages.tokenisation import Span, count_words, tokens, words


def cut(text: str, language: str = "") -> list[str]:
    return [text[start:end] for start, end, _ in words(text, language)]


def cut_all(text: str, language: str = "") -> list[str]:
    return [text[start:end] for start, end, _ in tokens(text, language)]


# Each sentence with its words, apart by one space.
SENTENCES = [
    # English: apostrophes and hyphens inside a word join it.
    (
        "en",
        "She doesn't know what xe'd say to the children’s non-binary friend.",
        "She doesn't know what xe'd say to the children’s non-binary friend",
    ),
    ("en", "(S)he, s/he or he/she: give 'em a choice!", "(S)he s/he or he she give 'em a choice"),
    # Quoted, em is the pronoun and not a short "them".
    ("en", "Their pronoun is 'em', not ‘er’.", "Their pronoun is em not er"),
    ("en", "She uses 'em/eir' now.", "She uses em eir now"),
    (
        "en",
        "The students' mother-in-law left--she was tired.",
        "The students mother-in-law left she was tired",
    ),
    (
        "en",
        "Dr. Lee of the U.S.A. paid $1,299.50 at 12:30, e.g. by card.",
        "Dr Lee of the U.S.A. paid 1,299.50 at 12:30 e.g. by card",
    ),
    (
        "en",
        "A 20-year-old read pages 10-12 on COVID-19 to his parent(s).",
        "A 20-year-old read pages 10 12 on COVID-19 to his parent(s)",
    ),
    (
        "en",
        "Write to ann.lee@example.org (or see https://example.org/a?b=1).",
        "Write to ann.lee@example.org or see https://example.org/a?b=1",
    ),
    ("en", "He stopped.She went on…", "He stopped She went on"),
    # French: elided words and clitic pronouns stand alone, other joins hold.
    (
        "fr",
        "L'amie de Léa n'est-elle pas fatiguée ?",
        "L' amie de Léa n' est elle pas fatiguée",
    ),
    ("fr", "« A-t-il compris ? » demanda-t-elle.", "A il compris demanda elle"),
    ("fr", "Où va-t-iel, et qu'en dit-on ?", "Où va iel et qu' en dit on"),
    (
        "fr",
        "Aujourd’hui, le prud’homme entr’ouvre la porte jusqu’à l’arrivée d’une cliente.",
        "Aujourd’hui le prud’homme entr’ouvre la porte jusqu’ à l’ arrivée d’ une cliente",
    ),
    (
        "fr",
        "L'arc-en-ciel, c'est-à-dire ce chef-d'œuvre, éblouit peut-être quelqu'un.",
        "L' arc-en-ciel c'est-à-dire ce chef-d'œuvre éblouit peut-être quelqu'un",
    ),
    (
        "fr",
        "Va-t'en ! Donne-le-lui, allez-vous-en, parlez-m'en, vas-y.",
        "Va t' en Donne le lui allez vous en parlez m' en vas y",
    ),
    (
        "fr",
        "Celle-ci vient d'Aix-en-Provence, cette femme-là de Vitry-le-François.",
        "Celle-ci vient d' Aix-en-Provence cette femme là de Vitry-le-François",
    ),
    ("fr", "Elle-même a rendez-vous ; suis-je invité ?", "Elle-même a rendez-vous suis je invité"),
    (
        "fr",
        "Nos ami(e)s, les étudiant·e·s et les lycéen.ne.s, sont arrivé-e-s.",
        "Nos ami(e)s les étudiant·e·s et les lycéen.ne.s sont arrivé-e-s",
    ),
    ("fr", "Le/la directeur/rice lit l'« Odyssée ».", "Le la directeur/rice lit l' Odyssée"),
    ("fr", "QU'EST-CE QUE C'EST ? DIT-ELLE.", "QU' EST CE QUE C' EST DIT ELLE"),
    # Arabic: the orthographic word, with what is written to it and above it.
    ("ar", "كَتَبَتِ المُعَلِّمَةُ الدَّرْسَ.", "كَتَبَتِ المُعَلِّمَةُ الدَّرْسَ"),
    ("ar", "هل أنتِ مستعدّةٌ؟ نعم، أنا مستعدّة؛ هيّا بنا!", "هل أنتِ مستعدّةٌ نعم أنا مستعدّة هيّا بنا"),
    ("ar", "فذهبتْ للمدرسةِ وبيدِها كتابُها.", "فذهبتْ للمدرسةِ وبيدِها كتابُها"),
    ("ar", "بلغ السعر ٣٫٥ دنانير و١٢ درهمًا.", "بلغ السعر ٣٫٥ دنانير و١٢ درهمًا"),
    ("ar", "قالت ـ وهي تبتسم ـ نعم، هذا كـتـابي.", "قالت وهي تبتسم نعم هذا كـتـابي"),
    ("ar", "على كلّ طالب/ة أن يُحضر كتابه/ها.", "على كلّ طالب/ة أن يُحضر كتابه/ها"),
    ("ar", "هل هو/هي طالب(ة)؟", "هل هو هي طالب(ة)"),
    # Hindi: vowel signs, virama, nukta and joiners belong to their word; dandas do not.
    ("hi", "स्त्री ने कहा कि वह थक गयी है।", "स्त्री ने कहा कि वह थक गयी है"),
    ("hi", "सत्यमेव जयते॥", "सत्यमेव जयते"),
    (
        "hi",
        "यह रिक्\u200dशा श्रीमान्\u200cजी का है।",
        "यह रिक्\u200dशा श्रीमान्\u200cजी का है",
    ),
    ("hi", "१२.५ किलो चावल ₹१,२०० में मिला।", "१२.५ किलो चावल १,२०० में मिला"),
    ("hi", "डॉ॰ मीरा ने पति-पत्नी से बात की।", "डॉ॰ मीरा ने पति-पत्नी से बात की"),
    ("hi", "मैं हिन्दी पढ़ता/ती हूँ, और तुम?", "मैं हिन्दी पढ़ता/ती हूँ और तुम"),
    ("hi", "वह कल आया/आयी था/थी।", "वह कल आया आयी था थी"),
    ("hi", "ए.पी.जे. अब्दुल कलाम वैज्ञानिक थे।", "ए.पी.जे. अब्दुल कलाम वैज्ञानिक थे"),
    # German
    (
        "de",
        "Die Student*innen, Kolleg:innen und Lehrer/-innen grüßen jede/n Schüler/in.",
        "Die Student*innen Kolleg:innen und Lehrer/-innen grüßen jede/n Schüler/in",
    ),
    (
        "de",
        "„Wie geht’s?“, fragte er/sie auf/in der U-Bahn, z.B. gestern.",
        "Wie geht’s fragte er sie auf in der U-Bahn z.B. gestern",
    ),
    (
        "de",
        "Der Bürger:innenrat lud alle Kolleg(inn)en ein: die Väter und die Mütter.",
        "Der Bürger:innenrat lud alle Kolleg(inn)en ein die Väter und die Mütter",
    ),
    # Spanish
    (
        "es",
        "¡Bienvenid@s, amig@s! ¿Viene un/a doctor(a) y/o un/a enfermero/a?",
        "Bienvenid@s amig@s Viene un/a doctor(a) y o un/a enfermero/a",
    ),
    ("es", "Él/ella está cansado/a: dámelo.", "Él ella está cansado/a dámelo"),
    # Italian
    (
        "it",
        "Un'amica dell'università c'era: un po' d'acqua, per favore!",
        "Un' amica dell' università c' era un po' d' acqua per favore",
    ),
    (
        "it",
        "L’8 marzo, trent’anni fa, O’Brien incontrò un’attrice.",
        "L’ 8 marzo trent’ anni fa O’Brien incontrò un’ attrice",
    ),
    ("it", "Car* tutt*, amico/a e/o collega!", "Car* tutt* amico/a e o collega"),
    ("it", "Ho visto un *film* ieri.", "Ho visto un film ieri"),
    # Russian
    ("ru", "Я устал(а) из-за какой-то ерунды.", "Я устал(а) из-за какой-то ерунды"),
    ("ru", "Он/она — студент/ка, т.е. учится.", "Он она студент/ка т.е. учится"),
    ("ru", "«Она пришла», — сказал он, стоя в/на лодке.", "Она пришла сказал он стоя в на лодке"),
    # Chinese: each Han character, and what stands between them whole.
    ("zh", "她说：“我用WiFi上网，花了3.5元。”", "她 说 我 用 WiFi 上 网 花 了 3.5 元"),
    ("zh", "2024年，他／她们来了！", "2024 年 他 她 们 来 了"),
]


@pytest.mark.parametrize(("language", "text", "expected"), SENTENCES)
def test_words_of_a_sentence(language: str, text: str, expected: str) -> None:
    assert cut(text, language) == expected.split(" ")
    assert count_words(text, language) == len(expected.split(" "))


@pytest.mark.parametrize(("language", "text", "expected"), SENTENCES)
def test_decomposed_text_has_the_same_words(language: str, text: str, expected: str) -> None:
    decomposed = unicodedata.normalize("NFD", text)
    assert cut(decomposed, language) == unicodedata.normalize("NFD", expected).split(" ")


TOKENS = [
    # The euphonic t is no word: it is part of the link.
    (
        "fr",
        "« A-t-elle fini ? » dit-il",
        ["«", "A", "-t-", "elle", "fini", "?", "»", "dit", "-", "il"],
    ),
    ("ar", "أنا، أنتِ؛ هي؟", ["أنا", "،", "أنتِ", "؛", "هي", "؟"]),
    ("hi", "वह आयी। सब गये॥", ["वह", "आयी", "।", "सब", "गये", "॥"]),
    ("es", "¿Qué?", ["¿", "Qué", "?"]),
    ("zh", "她（你）。", ["她", "（", "你", "）", "。"]),
    ("en", "Wait... what?! ((no))", ["Wait", "...", "what", "?", "!", "(", "(", "no", ")", ")"]),
    # Emoji, flags and keycaps are whole, and are no words.
    ("en", "Hi👩🏽‍🚀🇫🇷🇩🇪1️⃣x", ["Hi", "👩🏽‍🚀", "🇫🇷", "🇩🇪", "1️⃣", "x"]),
    ("en", "They said ____ won.", ["They", "said", "____", "won", "."]),
    ("en", "#MeToo @ann 5% €5", ["#", "MeToo", "@", "ann", "5", "%", "€", "5"]),
]


@pytest.mark.parametrize(("language", "text", "expected"), TOKENS)
def test_tokens_are_words_and_punctuation_in_order(
    language: str, text: str, expected: list[str]
) -> None:
    assert cut_all(text, language) == expected


def test_spans_say_what_they_are() -> None:
    assert tokens("l'une, là", "fr") == [
        Span(0, 2, "word"),
        Span(2, 5, "word"),
        Span(5, 6, "punctuation"),
        Span(7, 9, "word"),
    ]
    assert {span.kind for span in tokens("😀 🇫🇷 1️⃣ ؟ । ... ـ", "en")} == {"punctuation"}


CONTROLS = "\ufeff\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.mark.parametrize("control", list(CONTROLS))
def test_bidirectional_controls_and_byte_order_mark_belong_to_no_word(control: str) -> None:
    text = f"{control}هي{control} {control}she{control}."
    assert cut_all(text, "ar") == ["هي", "she", "."]


def test_soft_hyphen_and_word_joiner_stay_inside_a_word() -> None:
    assert cut("Arbei\u00adterin a\u2060b", "de") == ["Arbei\u00adterin", "a\u2060b"]
    assert cut("zero\u200bwidth space") == ["zero", "width", "space"]


@pytest.mark.parametrize("word", ["हिन्दी", "स्त्री", "गयी", "كَتَبَتْ", "مُعَلِّمَةٌ"])
def test_others_cut_inside_words_where_we_do_not(word: str) -> None:
    """Python's pattern and the pre-tokenizer of byte-level models break at marks."""
    tokenizers = pytest.importorskip("tokenizers")
    byte_level = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    assert re.findall(r"\w+", word) != [word]
    assert len(byte_level.pre_tokenize_str(word)) > 1
    for language in ("", "hi", "ar"):
        assert cut(word, language) == [word]


def test_language_codes_with_a_region_and_unknown_ones() -> None:
    assert cut("l'amie", "fr-CA") == cut("l'amie", "fr_FR") == ["l'", "amie"]
    assert cut("l'amie a-t-elle", "") == cut("l'amie a-t-elle", "tlh") == ["l'amie", "a-t-elle"]


def test_nothing_to_cut() -> None:
    assert words("") == tokens("", "fr") == []
    assert tokens(" \t\r\n\u00a0\u3000\u200c\ufeff", "ar") == []
    assert count_words("… — !", "en") == 0
