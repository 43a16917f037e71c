"""What holds for the spans of any text in any script."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from epicene.languages import tokenisation
from epicene.languages.normalisers import arabic_diacritics
from epicene.languages.tokenisation import Span, graphemes, tokens, words

CODES = ["", "ar", "de", "en", "es", "fr", "hi", "it", "ru", "zh"]

LETTERS = {
    "ar": "ابتثجحخدذرزسشصضطظعغفقكلمنهويىةأإآؤئء",
    "de": "abcdefghijklmnopqrstuvwxyzäöüßÄÖÜ",
    "en": "abcdefghijklmnopqrstuvwxyzABCXYZ",
    "es": "abcdefghijklmnopqrstuvwxyzáéíóúüñ",
    "fr": "abcdefghijklmnopqrstuvwxyzàâçéèêëîïôûùüœ",
    "hi": "अआइईउऊएऐओऔकखगघचछजझटठडढणतथदधनपफबभमयरलवशषसह",
    "it": "abcdefghilmnopqrstuvzàèéìòù",
    "ru": "абвгдежзийклмнопрстуфхцчшщъыьэюяё",
}
MARKS = {"ar": "\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652", "hi": "ािीुूेैोौंँः़्\u200c\u200d"}
PUNCTUATION = [mark + " " for mark in ["", *",.!?;،؛؟।॥…"]] + ["\n", " — ", " « "]

# Everything that has ever upset a segmenter, so that random texts bring it together.
TROUBLE = [
    *"aeLéßжя中々한ंाकषत़्عةىًَّ١3٫.,:;-'’·/(*@_)!?।॥،؛؟…—«»“” \t\n\r",
    *("\u0301", "\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\ufeff", "\u00ad", "\u2060"),
    *("👩", "🚀", "🏽", "🇫", "🇷", "\ufe0f", "\u20e3", "ℹ", "\u00a0", "\u3000", "\u0640", "\u02bc"),
    *("\u0600", "\u06dd", "\u0d4e", "\u0e33", "\uff9e", "\u1100", "\u1161", "\u11a8", "\u115f"),
    *("\ud800", "\x00", "l'", "qu’", "-t-elle", "-là", "c'est-à-dire", "(s)he", "'em", "(e)s"),
    *("https://", "www.a", "a@b.org", "U.S.", "१२", "डॉ॰", "*innen", "tutt*", "amig@s", "/a"),
]
# Each property is tried in ten languages.
FEW = settings(max_examples=50, deadline=None)

texts = st.lists(st.sampled_from(TROUBLE), max_size=14).map("".join) | st.text(max_size=20)


@st.composite
def word(draw: st.DrawFn, language: str) -> str:
    """Some letters of the language, each perhaps with marks; one that no rule would cut."""
    base = st.sampled_from(LETTERS[language])
    marks = st.text(MARKS.get(language, "\u0301\u0308"), max_size=2)
    return "".join(draw(st.lists(st.builds(str.__add__, base, marks), min_size=1, max_size=6)))


@given(texts)
def test_graphemes_cover_the_text(text: str) -> None:
    spans = graphemes(text)
    assert "".join(text[start:end] for start, end, _ in spans) == text
    assert all(start < end and kind == "grapheme" for start, end, kind in spans)


# Clusters whose parts, taken alone, would be a letter, a mark and a sign of different tokens.
@pytest.mark.parametrize("language", CODES)
@FEW
@example(text="ℹ\u200d🚀")
@example(text="\u0d4e!")
@example(text="a'\uff9e a-\u0e33 l'\uff9e")
@example(text=" \u200c\u0301 \u0301")
@example(text="l'\u0301a (s)he\u0301 डॉ॰\u093c")
@given(text=texts)
def test_tokens_are_ordered_apart_and_cut_no_grapheme(language: str, text: str) -> None:
    edges = {0, *(end for _, end, _ in graphemes(text))}
    last = 0
    for start, end, kind in tokens(text, language):
        assert last <= start < end
        assert {start, end} <= edges
        assert kind in ("word", "punctuation")
        assert not (kind == "word" and any(c.isspace() for c in text[start:end]))
        last = end


@pytest.mark.parametrize("language", CODES)
@FEW
@given(text=texts)
def test_words_are_the_tokens_that_are_words(language: str, text: str) -> None:
    expected = [span for span in tokens(text, language) if span.kind == "word"]
    assert words(text, language) == expected
    assert tokenisation.count_words(text, language) == len(expected)


@pytest.mark.parametrize("language", CODES)
@FEW
@given(text=texts)
def test_every_letter_and_digit_is_in_a_token(language: str, text: str) -> None:
    """Only what cannot be seen is left out."""
    inside = {index for start, end, _ in tokens(text, language) for index in range(start, end)}
    for index, character in enumerate(text):
        if unicodedata.category(character)[0] in "LNPS":
            assert index in inside


@pytest.mark.parametrize("language", CODES)
@FEW
@given(first=texts, second=texts)
def test_a_line_does_not_depend_on_its_neighbours(language: str, first: str, second: str) -> None:
    shift = len(first) + 1
    moved = [Span(a + shift, b + shift, kind) for a, b, kind in tokens(second, language)]
    assert tokens(f"{first}\n{second}", language) == tokens(first, language) + moved


@pytest.mark.parametrize("language", sorted(LETTERS))
@FEW
@given(data=st.data())
def test_words_between_punctuation_come_back(language: str, data: st.DataObject) -> None:
    """Against a construction: the text is built from its words, so they are known."""
    expected = data.draw(st.lists(word(language), min_size=1, max_size=8))
    text = expected[0]
    for following in expected[1:]:
        text += data.draw(st.sampled_from(PUNCTUATION)) + following
    assert [text[start:end] for start, end, _ in words(text, language)] == expected


@given(st.lists(word("ar"), max_size=6).map(" ".join))
def test_vocalising_moves_no_word_boundary(vocalised: str) -> None:
    bare = arabic_diacritics(vocalised)
    found = [arabic_diacritics(vocalised[start:end]) for start, end, _ in words(vocalised, "ar")]
    assert found == [bare[start:end] for start, end, _ in words(bare, "ar")]


@pytest.mark.parametrize(
    "clusters",
    [
        ["e\u0301", "a"],
        ["\r\n", "\n"],
        ["क्ष", "त्रि", "य"],  # conjuncts are one
        ["हि", "न्दी"],
        ["क्\u200dष"],
        ["क्\u200c", "ष"],  # but not across a non-joiner
        ["كَ", "تَ", "بَ", "تْ"],
        ["👩🏽\u200d🚀", "🇫🇷", "🇩🇪", "1\ufe0f\u20e3"],
        ["한", "\u1112\u1161\u11ab"],
        ["\u06001", "2"],  # a sign that stands before its number
    ],
)
def test_graphemes_of_known_texts(clusters: list[str]) -> None:
    text = "".join(clusters)
    assert [text[start:end] for start, end, _ in graphemes(text)] == clusters


def seconds(text: str) -> float:
    """The best of three, on this process's own clock."""
    took = []
    for _ in range(3):
        start = time.process_time()
        tokens(text, "fr")
        graphemes(text)
        took.append(time.process_time() - start)
    return min(took)


@pytest.mark.parametrize(
    "unit", ["-je", "aa.", "a-", "l'", "क्", "\u094d", "a@", "www.", "!", "(e)"]
)
def test_time_grows_with_the_text_and_not_with_its_square(unit: str) -> None:
    """Models loop: ten times as much of the same takes about ten times as long, not a hundred."""
    assert seconds("क" + unit * 10_000) < 40 * seconds("क" + unit * 1_000)
