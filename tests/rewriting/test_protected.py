"""Protected spans: unseen by the rules, and unchanged."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.rewriting import Change
from epicene.rewriting.protected import Piece, VisibleText


def tags(text: str) -> list[Piece]:
    return [Piece(each.start(), each.end()) for each in re.finditer("<[^<>]*>", text)]


def changed(visible: VisibleText, before: str, after: str) -> str | None:
    """The original with the first `before` that is seen replaced; None if that cannot be done."""
    start = visible.text.index(before)
    change = Change(
        start=start, end=start + len(before), before=before, after=after, rule="", sure="certain"
    )
    for made in visible.restore([change]):
        assert visible.source[made.start : made.end] == made.before
        return visible.source[: made.start] + made.after + visible.source[made.end :]
    return None


@given(st.lists(st.sampled_from(["<b>", "</b>", "<>", "a", "bc", " "]), max_size=12).map("".join))
def test_every_visible_character_knows_where_it_stood(text: str) -> None:
    visible = VisibleText(text, tags(text))
    assert visible.text == re.sub("<[^<>]*>", "", text)
    for at, letter in enumerate(visible.text):
        place = visible.original(at, at + 1)
        assert place is not None
        assert text[slice(*place)] == letter


def test_what_a_piece_parts_has_no_place() -> None:
    visible = VisibleText("un<b>deux</b>", tags("un<b>deux</b>"))
    assert visible.original(0, 2) == (0, 2)
    assert visible.original(2, 6) == (5, 9)
    assert visible.original(0, 6) is None


@pytest.mark.parametrize(
    ("text", "before", "after", "result"),
    [
        ("suis <b>prêt</b>.", "prêt", "prête", "suis <b>prête</b>."),
        ("suis p<b>rêt</b>.", "prêt", "prête", "suis p<b>rête</b>."),
        ("<b>p</b>rête", "prête", "prêt", "<b>p</b>rêt"),
        ("content<b>e</b>", "contente", "content", "content<b></b>"),
        ("l'<b>homme</b>", "l'homme", "la femme", "la <b>femme</b>"),
        ("de <b>la</b> x", "de la", "del", "<b>del</b> x"),
        ("<b>de</b> la x", "de la", "del", "<b>del</b> x"),
        ("c<b>ontent</b>", "content", "ravie", "<b>ravie</b>"),
        ("<b>d</b><i>e</i>", "de", "ravi", None),
    ],
)
def test_a_change_leaves_the_tags_inside_it(
    text: str, before: str, after: str, result: str | None
) -> None:
    assert changed(VisibleText(text, tags(text)), before, after) == result


def test_a_piece_is_replaced_whole_or_not_at_all() -> None:
    text = "pr&ecirc;t &amp;co {name}"
    visible = VisibleText(
        text, [Piece(2, 9, "ê"), Piece(11, 16, "&&"), Piece(19, 25, "Kim", locked=True)]
    )
    assert visible.text == "prêt &&co Kim"
    assert changed(visible, "prêt", "prête") == "pr&ecirc;te &amp;co {name}"
    assert changed(visible, "prêt", "prat") == "prat &amp;co {name}"
    assert changed(visible, "&&co", "+co") == "pr&ecirc;t +co {name}"
    assert changed(visible, "&co", "co") is None
    assert changed(visible, "Kim", "Tim") is None
    assert changed(visible, " Kim", " Tim") is None


def test_new_text_is_encoded_and_a_part_of_a_text_can_be_seen() -> None:
    text = "x = 'prêt';"
    visible = VisibleText(text, start=5, end=9, encode=lambda new: new.replace("'", "''"))
    assert visible.text == "prêt"
    assert changed(visible, "prêt", "l'ami") == "x = 'l''ami';"


def test_pieces_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(ValueError, match="overlaps"):
        VisibleText("abc", [Piece(1, 2), Piece(0, 1)])
