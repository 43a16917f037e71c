"""Paragraphs and lists of a study's longer texts."""

from __future__ import annotations

from epicene.studies.design.schema import text_blocks


def test_prose_has_paragraphs_and_lists() -> None:
    text = "\nOne line\nand the next.\n\n- first\n  goes on\n- second\n\nLast.\n"
    assert text_blocks(text) == [
        ("p", ["One line and the next."]),
        ("li", ["first goes on", "second"]),
        ("p", ["Last."]),
    ]
