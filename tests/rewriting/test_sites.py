"""Candidate sites: which of two is kept, and the change that one becomes."""

from __future__ import annotations

import pytest

from epicene.rewriting.sites import Site, Sites, less_sure
from epicene.rewriting.text import Token

LIKELY = Site(1, "speaker", "adjective", "a rule", "likely")
CERTAIN = Site(1, "others", "noun", "another rule", "certain")
SUFFIX = Site(1, "listener", "suffix", "a pronoun", "guess", part=1)


@pytest.mark.parametrize(
    ("added", "keep_surest", "kept"),
    [
        ([LIKELY, CERTAIN], False, LIKELY),
        ([LIKELY, CERTAIN], True, CERTAIN),
        ([CERTAIN, LIKELY], True, CERTAIN),
        ([CERTAIN, CERTAIN._replace(rule="later")], True, CERTAIN),
    ],
)
def test_one_site_is_kept(added: list[Site[str]], keep_surest: bool, kept: Site[str]) -> None:
    sites = Sites[str](keep_surest=keep_surest)
    for site in added:
        sites.add(site)
    assert list(sites) == [kept]


def test_the_parts_of_a_word_have_their_own() -> None:
    sites = Sites[str]()
    for site in (CERTAIN._replace(at=3), SUFFIX, LIKELY):
        sites.add(site)
    assert [(at, len(parts)) for at, parts in sites.by_word()] == [(1, 2), (3, 1)]
    assert sites.get(1) == LIKELY
    sites.drop(1)
    assert 1 not in sites
    assert list(sites) == [SUFFIX, CERTAIN._replace(at=3)]


def test_a_site_becomes_a_change_that_says_whose_it_is() -> None:
    change = LIKELY.change(Token(3, 7, "prêt", "prêt", is_word=True), "prête")
    assert (change.start, change.end, change.before, change.after) == (3, 7, "prêt", "prête")
    assert (change.whose, change.rule, change.sure) == ("speaker", "a rule", "likely")


def test_the_weaker_of_two() -> None:
    assert less_sure("certain", "guess") == less_sure("guess", "likely") == "guess"
