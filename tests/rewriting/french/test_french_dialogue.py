"""Dialogue: a hyphen before a line is a dash, and joins nothing to the word before it."""

from __future__ import annotations

import pytest

from epicene.rewriting import find_rewriter

# As written for two men, and for two women.
TURNS = [
    ("- Vous êtes perdu ?", "- Vous êtes perdue ?"),
    ("-Tu seras surpris.", "-Tu seras surprise."),
    ("- J'étais pressé.", "- J'étais pressée."),
    ("-Je suis rentré tard.", "-Je suis rentrée tard."),
    ("- Es-tu content ?\n- Je suis ravi !", "- Es-tu contente ?\n- Je suis ravie !"),
    ("Alors ? - Tu es reçu !", "Alors ? - Tu es reçue !"),
    ("Luc - Je suis enrhumé.", "Luc - Je suis enrhumée."),
    ("« - Tu es guéri ! »", "« - Tu es guérie ! »"),
    ("\u2010 Tu es guéri !", "\u2010 Tu es guérie !"),
    ("<i>- Tu es guéri !</i>", "<i>- Tu es guérie !</i>"),
    ("  - Vous êtes élu.", "  - Vous êtes élue."),
]
# A hyphen that does join them, whatever the blanks.
JOINED = [
    ("Suis-je guéri ?", "Suis-je guérie ?"),
    ("Es -tu guéri ?", "Es -tu guérie ?"),
    ("Es - tu guéri ?", "Es - tu guérie ?"),
    ("- Êtes-vous guéri ?", "- Êtes-vous guérie ?"),
    ("- Vous êtes-vous perdu ?", "- Vous êtes-vous perdue ?"),
]


@pytest.mark.parametrize(("masculine", "feminine"), TURNS + JOINED)
def test_both_ways(masculine: str, feminine: str) -> None:
    for text, gender, expected in [(masculine, "f", feminine), (feminine, "m", masculine)]:
        (found,) = find_rewriter("fr").open({"speaker": gender, "listener": gender})([text])
        assert found.text == expected
