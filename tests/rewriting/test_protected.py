"""Protected spans: unseen by the rules, and unchanged."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.rewriting import TextSpan, find_rewriter, protected
from epicene.rewriting.protected import VisibleText, find_protected, visible_text


def tags(text: str) -> Sequence[TextSpan]:
    return [TextSpan(start=each.start(), end=each.end()) for each in re.finditer("<[^<>]*>", text)]


@given(st.text())
def test_nothing_is_protected_by_default(text: str) -> None:
    assert not find_protected(text)
    assert visible_text(text).text == text


@given(st.lists(st.sampled_from(["<b>", "</b>", "<>", "a", "bc", " "]), max_size=12).map("".join))
def test_every_visible_character_knows_where_it_stood(text: str) -> None:
    visible = VisibleText(text, tags(text))
    assert visible.text == re.sub("<[^<>]*>", "", text)
    for at, letter in enumerate(visible.text):
        place = visible.original(at, at + 1)
        assert place is not None
        assert text[slice(*place)] == letter


def test_what_a_span_parts_has_no_place() -> None:
    visible = VisibleText("un<b>deux</b>", tags("un<b>deux</b>"))
    assert visible.original(0, 2) == (0, 2)
    assert visible.original(2, 6) == (5, 9)
    assert visible.original(0, 6) is None


@pytest.mark.parametrize(
    ("language", "options", "text", "rewritten"),
    [
        ("fr", {"speaker": "f"}, "Je suis <b>prêt</b>.", "Je suis <b>prête</b>."),
        ("fr", {"speaker": "f"}, "Je suis <i x='prêt'>prêt.", "Je suis <i x='prêt'>prête."),
        ("fr", {"speaker": "f"}, "Je suis p<b>rêt</b>.", "Je suis p<b>rêt</b>."),
        ("hi", {"speaker": "f"}, "मैं <b>थका</b> हूँ।", "मैं <b>थकी</b> हूँ।"),
        ("ar", {"speaker": "f"}, "أنا <b>متعب</b>.", "أنا <b>متعبة</b>."),
        (
            "en",
            {"pronouns": "they", "route": "rules"},
            '<p class="her">She <b>likes</b> it.',
            '<p class="her">They <b>like</b> it.',
        ),
    ],
)
def test_every_language_rewrites_around_them(
    monkeypatch: pytest.MonkeyPatch,
    language: str,
    options: dict[str, str],
    text: str,
    rewritten: str,
) -> None:
    monkeypatch.setattr(protected, "find_protected", tags)
    (done,) = find_rewriter(language).open(options)([text])
    assert done.text == rewritten
