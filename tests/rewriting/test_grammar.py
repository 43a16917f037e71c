"""A language of its own in a few lines: what it says, and what it gets from the shared core."""

from __future__ import annotations

from collections.abc import Iterator

from epicene.rewriting import Change, quotations
from epicene.rewriting.explain import explain
from epicene.rewriting.grammar import Grammar
from epicene.rewriting.persons import TargetGenders, person_rewriter
from epicene.rewriting.quotations import UNQUOTED, Interlocutors, Introduction, Passage
from epicene.rewriting.sites import Site, Sites
from epicene.rewriting.text import Line, Token, match_case, tokenise

# Russian, as far as "я устал" goes: the past tense agrees with its pronoun.
_PERSONS = {"я": "speaker", "ты": "listener"}


class Russian(Line[Token]):
    """A line of Russian."""

    sentence_ends = frozenset({".", "!", "?"})


def read_line(text: str) -> Russian:
    return Russian(text, tokenise(text, "ru", str.lower))


def attribute(introduction: Introduction[Russian]) -> Interlocutors:
    she = "она" in introduction.before
    return Interlocutors("others", "speaker") if she else UNQUOTED


def split_quotations(line: Russian) -> list[Passage[Russian]]:
    return quotations.split_quotations(
        line, closes={"«": "»"}, is_speech=lambda part: len(part) > 1, attribute=attribute
    )


def find_sites(passage: Passage[Russian], _wanted: TargetGenders) -> Sites[str]:
    sites = Sites[str]()
    for at, word in enumerate(passage.line):
        who = getattr(passage.interlocutors, _PERSONS.get(passage.line[at - 1], "-"), None)
        if who and word.endswith(("л", "ла")):
            sites.add(Site(at, who, word.removesuffix("а"), "past tense", "certain"))
    return sites


def make_changes(line: Russian, sites: Sites[str], wanted: TargetGenders) -> Iterator[Change]:
    for site in sites:
        if site.who in wanted:
            form = site.target + ("а" if wanted[site.who] == "feminine" else "")
            token = line.tokens[site.at]
            yield site.change(token, match_case(token.text, form))


grammar = Grammar(read_line, split_quotations, find_sites, make_changes)
rewriter = person_rewriter(grammar.find_changes, version="1")


def test_it_is_rewritten_and_explained() -> None:
    lines = ["Я устал, ты спала. Я УСТАЛ.", "Она сказала: «Ты устал, я устал»."]
    done = list(rewriter.open({"speaker": "f", "listener": "m"})(lines))
    assert [each.text for each in done] == [
        "Я устала, ты спал. Я УСТАЛА.",
        "Она сказала: «Ты устала, я устал».",
    ]
    assert list(explain(done[1])) == ["устал → устала: speaker: past tense (certain)"]
