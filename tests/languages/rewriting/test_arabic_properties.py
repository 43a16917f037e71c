"""What holds of every Arabic text: it comes back, it stays, its spelling stays its own."""

from __future__ import annotations

import regex
from hypothesis import given
from hypothesis import strategies as st

from epicene.rewriting.persons import GENDERS, PERSONS, Gender, Person, other_gender
from languages.rewriting.arabic_cases import cases, rewritten, turned
from languages.rewriting.person_cases import Case

SPEAKER = cases("speaker")
sentences = st.sampled_from(
    [(person, text) for person in PERSONS for case in cases(person) for text in case[1:]]
)
genders = st.sampled_from(GENDERS)

# A line of sentences by one speaker: what the speaker is in one, they are in all, and they spell
# as they do everywhere.
_SPELLING = {"with vowels", "lengthened letters", "hamzas left out", "nunation left out"}
plain = [
    case
    for case in SPEAKER
    if case.masculine.endswith(".") and "«" not in case.masculine and case.about not in _SPELLING
]
lines = st.lists(st.sampled_from(plain), min_size=1, max_size=4)

# Words that Arabic is made of, in any order.
_WORDS = sorted({word for case in SPEAKER for word in case.masculine.split()})
_MARKS = ["«", "»", '"', "(", ")", "،", ":", "؟", "!", "…"]
salads = st.lists(st.sampled_from([*_WORDS, *_MARKS]), max_size=20).map(" ".join)

# What can be a first person: أكتب, كتبت, كتبنا, كتابي, and أنا, which begins as they do.
_FIRST = regex.compile(r"(?<!\p{L})[وفس]*[أآ]\p{L}|[تاي](?!\p{L})|نحن")


@given(sentences, genders)
def test_a_second_time_changes_nothing(asked: tuple[Person, str], gender: Gender) -> None:
    person, text = asked
    once = turned(text, person, gender)
    assert turned(once, person, gender) == once


@given(lines, genders)
def test_there_and_back(many: list[Case], gender: Gender) -> None:
    """Several sentences in one line come back as they were."""
    text = " ".join(getattr(case, gender) for case in many)
    there = turned(text, "speaker", other_gender(gender))
    assert turned(there, "speaker", gender) == text


@given(salads | st.text(max_size=60), st.sampled_from(PERSONS), genders)
def test_any_text_is_rewritten_within_its_words(text: str, person: Person, gender: Gender) -> None:
    """No text fails; what is not a change stays, and a word becomes one word."""
    done = rewritten(text, person, gender)
    rebuilt, reached = [], 0
    for change in done.changes:
        assert text[change.start : change.end] == change.before
        assert change.after
        assert not any(letter.isspace() for letter in change.after)
        rebuilt += [text[reached : change.start], change.after]
        reached = change.end
    assert "".join([*rebuilt, text[reached:]]) == done.text


@given(st.sampled_from(cases("others") + cases("listener")), genders)
def test_without_a_first_person_nothing_is_the_speakers(case: Case, gender: Gender) -> None:
    text = getattr(case, gender)
    if not _FIRST.search(text):
        assert turned(text, "speaker", other_gender(gender)) == text


# --- spelling -------------------------------------------------------------------------------


def lengthened(text: str) -> str:
    """A tatweel after the second letter of each word that can have one."""
    return regex.sub(r"(?<!\p{L})(\p{L}[بتثجحخسشصضطظعغفقكلمني])(?=\p{L})", "\\1\u0640", text)


def nunated_after(text: str) -> str:
    """متعباً for متعبًا."""
    return text.replace("\u064bا", "ا\u064b")


def without_hamza(text: str) -> str:
    return text.replace("أ", "ا").replace("إ", "ا")


@given(st.sampled_from(SPEAKER), genders)
def test_lengthened_letters_are_read_through(case: Case, gender: Gender) -> None:
    source, wanted = getattr(case, other_gender(gender)), getattr(case, gender)
    answer = turned(lengthened(source), "speaker", gender)
    assert answer.replace("\u0640", "") == wanted.replace("\u0640", "")


@given(st.sampled_from([case for case in SPEAKER if "\u064bا" in case.masculine]))
def test_the_nunation_is_written_where_the_line_writes_it(case: Case) -> None:
    masculine, feminine = nunated_after(case.masculine), nunated_after(case.feminine)
    assert turned(masculine, "speaker", "feminine") == feminine
    if "ا\u064b" in feminine:
        assert turned(feminine, "speaker", "masculine") == masculine


def test_without_nunation_in_the_line_none_is_added() -> None:
    assert turned("كنت مشغولة جدا.", "speaker", "masculine") == "كنت مشغولا جدا."
    assert turned("كنت مشغولة جدًا.", "speaker", "masculine") == "كنت مشغولًا جدًا."
    assert turned("كنت مشغولة.", "speaker", "masculine") == "كنت مشغولًا."


def test_hamzas_that_are_left_out_stay_out() -> None:
    assert turned("انا اسف لاني متاخر.", "speaker", "feminine") == "انا اسفة لاني متاخرة."
    assert turned("انا اسفه.", "speaker", "masculine") == "انا اسف."


def test_vowels_follow() -> None:
    assert turned("أَنَا طَالِبٌ.", "speaker", "feminine") == "أَنَا طَالِبَةٌ."
    assert turned("أَنَا طَالِبَةٌ.", "speaker", "masculine") == "أَنَا طَالِبٌ."
    assert turned("أَنْتَ كَرِيمٌ.", "listener", "feminine") == "أَنْتِ كَرِيمَةٌ."
