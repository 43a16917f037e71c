"""From a generation to a contrast set: the same continuation with each person's pronouns."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from epicene.languages.pronouns import CASES, PronounSet
from epicene.languages.rewriting.english import frame, open_route
from epicene.languages.rewriting.english.frame import like
from epicene.records import Score, Texts
from epicene.suites.misgendering.ask import OPEN
from epicene.suites.misgendering.expected import next_words
from epicene.suites.misgendering.instances import Candidate
from epicene.suites.misgendering.pronoun_finding import first_pronoun, second_pronoun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.languages.rewriting.english.paper_rules import PaperRules
    from epicene.records import Request
    from epicene.suites import Answers
    from epicene.suites.misgendering.instances import Forms, Instance
    from epicene.suites.misgendering.protocol import MisgenderingProtocol

CONVERTED = "converted"

# What the authors' rules rewrite into, in the order in which they break ties.
_AUTHORS_SETS = ("they", "he", "she", "xe")

# Pronoun sets as something a cache can hold: name, forms by case, whether verbs are plural.
_Key: TypeAlias = tuple[tuple[str, tuple[str, ...], bool], ...]


def ask_converted(
    item: Instance, answers: Answers, protocol: MisgenderingProtocol
) -> Iterator[Request]:
    """Score each generation of an open context, rewritten with every pronoun set."""
    if item.is_template:
        return
    texts = [text.text for text in answers.only(Texts).texts]
    for number, text in enumerate(texts, start=1):
        found = candidates(item, text, protocol)
        if found:
            yield Score(
                item=item.id,
                name=f"{CONVERTED} {number}",
                group=item.cluster,
                language=item.language,
                texts=tuple(candidate.form for candidate in found),
                first_token=protocol.first_token,
            )
    # The formats are compared on the first generation, so that one is enough.
    gap = first_gap(item, texts[0], protocol) if candidates(item, texts[0], protocol) else None
    if gap is not None:
        yield from next_words(item, OPEN, *gap, protocol)


def first_gap(
    item: Instance, continuation: str, protocol: MisgenderingProtocol
) -> tuple[str, tuple[Candidate, ...]] | None:
    """All that stands before a continuation's first pronoun, and each set's form in its place."""
    found = first_pronoun(continuation, item.sets, protocol.tokeniser)
    if found is None:
        return None
    start, written = found
    sets = _pronoun_sets(_key(item.sets))
    end = second_pronoun(continuation, item.sets, protocol.tokeniser)
    framed = frame(continuation[:end].rstrip(), sets, route=open_route("rules"))
    read = [slot.case for slot in framed.slots if slot.case and slot.start == start]
    # Where it was not read, the first case that has the form; "themselves" is of no set.
    listed = [case for each in sets for case in each.cases(written.lower())]
    case = (*read, *listed, "reflexive")[0]
    return item.before + continuation[:start], tuple(
        Candidate(pronoun=each.name, form=like(written, each.form(case))) for each in sets
    )


def candidates(
    item: Instance, continuation: str, protocol: MisgenderingProtocol
) -> tuple[Candidate, ...]:
    """Context and continuation, up to its second pronoun, with each set; none without a pronoun,
    nor, by the authors' rules, where their four sets are not all asked or the item's own is none
    of them."""
    if protocol.mended:
        made = _minimal_pairs(item, continuation, protocol.tokeniser)
    else:
        made = _as_published(_key(item.sets), continuation)
    if item.pronoun not in made:
        return ()
    return tuple(
        Candidate(pronoun=name, form=(item.before + text).strip()) for name, text in made.items()
    )


def _minimal_pairs(item: Instance, continuation: str, tokeniser: str) -> dict[str, str]:
    """One frame, filled with every set: the candidates differ in nothing else."""
    end = second_pronoun(continuation, item.sets, tokeniser)
    sets = _pronoun_sets(_key(item.sets))
    # Without a tagger, so that what is asked does not hang on what is installed.
    framed = frame(continuation[:end].rstrip(), sets, route=open_route("rules"))
    if not any(slot.case for slot in framed.slots):
        return {}
    return {each.name: framed.fill(each) for each in sets}


def _as_published(key: _Key, continuation: str) -> dict[str, str]:
    if not {name for name, *_ in key}.issuperset(_AUTHORS_SETS):
        return {}
    made = _published_rules(key).candidates(continuation)
    return {} if made is None else {name: made[name] for name in _AUTHORS_SETS}


@cache
def _published_rules(key: _Key) -> PaperRules:
    from epicene.languages.rewriting.english.paper_rules import PaperRules
    from epicene.languages.rewriting.english.pipelines import load

    return PaperRules(load(), {each.name: each for each in _pronoun_sets(key)})


def _key(sets: tuple[Forms, ...]) -> _Key:
    return tuple(
        (each.pronoun, tuple(each.forms[case] for case in CASES), each.plural_verbs)
        for each in sets
    )


@cache
def _pronoun_sets(key: _Key) -> tuple[PronounSet, ...]:
    return tuple(
        PronounSet(
            name=name,
            nominative=nominative,
            accusative=accusative,
            dependent=dependent,
            independent=independent,
            reflexive=reflexive,
            plural_verbs=plural,
        )
        for name, (nominative, accusative, dependent, independent, reflexive), plural in key
    )
