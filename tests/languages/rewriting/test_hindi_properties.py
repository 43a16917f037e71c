"""What holds of every Hindi text: it comes back, it stays, its spelling stays its own."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from epicene.rewriting.persons import GENDERS, PERSONS, Gender, Person, other_gender
from languages.rewriting.hindi_cases import cases, rewritten, turned

SPEAKER = cases("speaker")
sentences = st.sampled_from(
    [(person, text) for person in PERSONS for case in cases(person) for text in case[1:]]
)
genders = st.sampled_from(GENDERS)

# A line of sentences by one speaker: what the speaker is in one, they are in all.
lines = st.lists(st.sampled_from(SPEAKER), min_size=1, max_size=4)

# Words that Hindi is made of, in any order.
_WORDS = sorted({word for case in SPEAKER for word in case.masculine.split()})
salads = st.lists(st.sampled_from([*_WORDS, "“", "”", '"', "(", "|", "।"]), max_size=25).map(
    " ".join
)


@given(sentences, genders)
def test_a_second_time_changes_nothing(asked: tuple[Person, str], gender: Gender) -> None:
    person, text = asked
    once = turned(text, person, gender)
    assert turned(once, person, gender) == once


@given(lines, genders)
def test_there_and_back(many: list[object], gender: Gender) -> None:
    """Several sentences in one line come back as they were."""
    forms = [getattr(each, gender) for each in many]
    text = " ".join(form if form[-1] in '।?!"”' else form + "।" for form in forms)
    there = turned(text, "speaker", other_gender(gender))
    assert turned(there, "speaker", gender) == text


@given(salads | st.text(max_size=80), st.sampled_from(PERSONS), genders)
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
def test_without_a_first_person_nothing_is_the_speakers(case: object, gender: Gender) -> None:
    text = getattr(case, gender)
    first = ("मैं", "मुझ", "मेर", "हूँ", "ूँगा", "ऊँगा", "हम")
    if not any(sign in text for sign in first):
        assert turned(text, "speaker", other_gender(gender)) == text


# --- spelling -------------------------------------------------------------------------------

_COMPOSED = {
    unicodedata.normalize("NFD", letter): letter for letter in map(chr, range(0x958, 0x960))
}


def composed(text: str) -> str:
    """Each letter with a dot below as one character."""
    for letters, letter in _COMPOSED.items():
        text = text.replace(letters, letter)
    return text


def decomposed(text: str) -> str:
    """Each letter with a dot below as two."""
    return unicodedata.normalize("NFD", text)


def without_candrabindu(text: str) -> str:
    return text.replace("ँ", "ं")


def without_dots_below(text: str) -> str:
    return decomposed(text).replace("\u093c", "")


@given(st.sampled_from(SPEAKER), genders)
def test_every_spelling_is_kept(case: object, gender: Gender) -> None:
    source, wanted = getattr(case, other_gender(gender)), getattr(case, gender)
    for spell in (composed, decomposed, without_candrabindu, without_dots_below):
        assert turned(spell(source), "speaker", gender) == spell(wanted)


def test_the_glide_is_written_as_the_line_writes_it() -> None:
    assert turned("मैं गया।", "speaker", "feminine") == "मैं गई।"
    assert turned("मैं नयी किताब लेने गया।", "speaker", "feminine") == "मैं नयी किताब लेने गयी।"
    assert turned("मैं नई किताब लेने गया।", "speaker", "feminine") == "मैं नई किताब लेने गई।"
    assert turned("आप कब गये थे?", "listener", "feminine") == "आप कब गयी थीं?"
    assert turned("आप कब गए थे?", "listener", "feminine") == "आप कब गई थीं?"
    assert turned("आप कब गयी थीं?", "listener", "masculine") == "आप कब गये थे?"


def test_a_joiner_inside_a_word_stays() -> None:
    text = "मैं रोज़ पढ़\u200dता हूँ।"
    assert turned(text, "speaker", "feminine") == "मैं रोज़ पढ़\u200dती हूँ।"
