"""Requests: templates by probability and generation, open contexts by generation and conversion.

For templates, the probability of each pronoun as the next word is also requested. In the second
stage, each generation of an open context is rewritten with every pronoun set and scored.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from epicene.core.errors import InputError
from epicene.core.records import Generate, Score, Scores, Texts
from epicene.core.requirements import require
from epicene.languages.pronouns import PronounSet
from epicene.rewriting.english import read_frame
from epicene.rewriting.english.frames import match_case
from epicene.rewriting.english.pipelines import GET_ONE, load
from epicene.rewriting.english.routes import FirstRulesRoute
from epicene.suites.answers import normalised_likelihood
from epicene.suites.misgendering.continuations import first_pronoun, second_pronoun
from epicene.suites.misgendering.expected_disagreement import after_filled_template, ask_next_word
from epicene.suites.misgendering.items import Candidate
from epicene.suites.misgendering.protocol import GENERATION, PROBABILITY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.core.records import Request
    from epicene.rewriting.english.frames import Frame
    from epicene.rewriting.english.paper_rules import Choose, PaperRules
    from epicene.suites import Answers
    from epicene.suites.misgendering.items import Instance
    from epicene.suites.misgendering.protocol import MisgenderingProtocol

PRE, POST, OPEN = "pre", "post", "open"


def part_of(name: str) -> str:
    """The format that a request of that name belongs to."""
    return GENERATION if name in (PRE, POST, OPEN) else PROBABILITY


def ask_formats(
    item: Instance, _answers: Answers, protocol: MisgenderingProtocol
) -> Iterator[Request]:
    """The minimal contrast set of a template, and continuations of each of its contexts."""
    if item.is_template and PROBABILITY in protocol.formats:
        texts = tuple(item.filled(candidate) for candidate in item.candidates)
        yield Score(
            item=item.id,
            name=PROBABILITY,
            group=item.cluster,
            language=item.language,
            expected=item.expected(item.candidates, texts),
            texts=texts,
            first_token=protocol.first_token,
        )
    # Where a second person is named, the first pronoun of a continuation may be either's.
    if item.distractors or GENERATION not in protocol.formats:
        return
    for setting, context in contexts(item, protocol):
        yield _continuation_request(item, setting, context, protocol)
    if item.is_template and protocol.both_formats:
        yield from ask_next_word(item, PRE, item.before, item.candidates, protocol)
        yield from ask_next_word(item, POST, *after_filled_template(item, protocol), protocol)


def contexts(item: Instance, protocol: MisgenderingProtocol) -> Iterator[tuple[str, str]]:
    """The texts to continue: a template cut before its gap, and filled; or an open context."""
    if not item.is_template:
        yield OPEN, item.before
        return
    # Most tokenizers put the space with the next word: a final space would exclude such words.
    yield PRE, item.before.rstrip() if protocol.mended else item.before
    yield POST, item.filled(item.gold)


def _continuation_request(
    item: Instance, setting: str, context: str, protocol: MisgenderingProtocol
) -> Generate:
    choices = tuple(next(iter(each.forms.values())) for each in item.sets)
    return Generate(
        item=item.id,
        name=setting,
        group=item.cluster,
        language=item.language,
        expected=item.expected(item.sets, choices),
        prompt=context,
        samples=protocol.samples,
        decoding=protocol.decoding,
        source=context,
        target={"pronoun": item.pronoun},
        choices=choices,
    )


CONTRACTION = "contraction"
CONVERTED = "converted"

# The sets that the authors' rules rewrite into, in the order in which they break ties.
_AUTHORS_SETS = ("they", "he", "she", "xe")


def check_packages(protocol: MisgenderingProtocol, items: Iterable[Instance]) -> None:
    """The protocol `paper` finds pronouns with spaCy, and converts with one of its pipelines.

    Only continuations of open contexts are converted, and only between the authors' sets.
    """
    if protocol.tokeniser == "spacy" and GENERATION in protocol.formats:
        require("spacy", "The protocol paper", "english", "run --set formats=probability")
    if protocol.mended or not protocol.both_formats:
        return
    try:
        _pipeline("or run --set formats=generation, which converts nothing")
    except InputError:
        if any(not item.is_template and _has_authors_sets(item) for item in items):
            raise


def _pipeline(way_out: str) -> Any:
    try:
        return load()
    except InputError as error:
        raise InputError(
            "The protocol paper converts continuations of open contexts with a spaCy pipeline "
            "that tags and parses English, but none could be loaded; install one with "
            f"`{GET_ONE}`, {way_out}."
        ) from error


def _has_authors_sets(item: Instance) -> bool:
    return {each.pronoun for each in item.sets}.issuperset(_AUTHORS_SETS)


def ask_contractions(
    item: Instance, answers: Answers, _protocol: MisgenderingProtocol
) -> Iterator[Request]:
    """Score both readings of he's or she's in the continuations that are converted by the authors'
    rules: the one that is more likely per token is used."""
    if item.is_template or not _has_authors_sets(item):
        return
    rules = _published_rules(_pronoun_sets(item))
    for number, text in enumerate(answers.only(Texts).texts, start=1):
        readings = rules.readings(text.text)
        if readings:
            yield Score(
                item=item.id,
                name=f"{CONTRACTION} {number}",
                group=item.cluster,
                language=item.language,
                texts=readings,
                first_token="none",
            )


def ask_converted(
    item: Instance, answers: Answers, protocol: MisgenderingProtocol
) -> Iterator[Request]:
    """Score each generation of an open context, rewritten with every pronoun set."""
    if item.is_template:
        return
    texts = [text.text for text in answers.only(Texts).texts]
    for number, text in enumerate(texts, start=1):
        found = converted_candidates(item, text, protocol, read_by(answers, number))
        if found:
            rewritten = tuple(candidate.form for candidate in found)
            yield Score(
                item=item.id,
                name=f"{CONVERTED} {number}",
                group=item.cluster,
                language=item.language,
                expected=item.expected(found, rewritten),
                texts=rewritten,
                first_token=protocol.first_token,
            )
    # The formats are compared on the first generation only.
    if converted_candidates(item, texts[0], protocol):
        gap = first_gap(item, texts[0], protocol)
        if gap is not None:
            yield from ask_next_word(item, OPEN, *gap, protocol)


def first_gap(
    item: Instance, continuation: str, protocol: MisgenderingProtocol
) -> tuple[str, tuple[Candidate, ...]] | None:
    """The text before a continuation's first pronoun, and each set's form at its position."""
    found = first_pronoun(continuation, item.sets, protocol.tokeniser)
    if found is None:
        return None
    start, written = found
    sets = _pronoun_sets(item)
    end = second_pronoun(continuation, item.sets, protocol.tokeniser)
    framed = _read_frame(continuation[:end], sets)
    read = [slot.case for slot in framed.slots if slot.case and slot.start == start]
    # If the rewriter found no case, the first case with that form; "themselves" is in no set.
    listed = [case for each in sets for case in each.cases(written.lower())]
    case = (*read, *listed, "reflexive")[0]
    return item.before + continuation[:start], tuple(
        Candidate(pronoun=each.name, form=match_case(written, each.form(case))) for each in sets
    )


def converted_candidates(
    item: Instance,
    continuation: str,
    protocol: MisgenderingProtocol,
    choose: Choose | None = None,
) -> tuple[Candidate, ...]:
    """Context and continuation, up to its second pronoun, rewritten with each set.

    There are none if there is no pronoun or, by the authors' rules, if not all of their four sets
    are asked or the item's own set is not one of them. `choose` reads contractions for these rules.
    """
    if protocol.mended:
        rewritten = _minimal_pairs(item, continuation, protocol.tokeniser)
    elif _has_authors_sets(item):
        rewritten = _as_published(_pronoun_sets(item), continuation, choose)
    else:
        return ()
    if item.pronoun not in rewritten:
        return ()
    return tuple(
        Candidate(pronoun=name, form=(item.before + text).strip())
        for name, text in rewritten.items()
    )


def _minimal_pairs(item: Instance, continuation: str, tokeniser: str) -> dict[str, str]:
    """One frame, filled with every set: the candidates do not differ in anything else."""
    end = second_pronoun(continuation, item.sets, tokeniser)
    sets = _pronoun_sets(item)
    framed = _read_frame(continuation[:end], sets)
    if not any(slot.case for slot in framed.slots):
        return {}
    return {each.name: framed.fill(each) for each in sets}


def _read_frame(text: str, sets: Sequence[PronounSet]) -> Frame:
    """The frame of a continuation, by rules that never change and depend on no installed tagger.

    Markup is treated as text, as in the requests of earlier runs.
    """
    return read_frame(text.rstrip(), sets, route=FirstRulesRoute(), syntax="plain")


def read_by(answers: Answers, number: int) -> Choose | None:
    """The choice between the readings of a contraction that a model made; None if none was asked.

    A continuation has one at most, since it is cut before its second pronoun.
    """
    scores = answers.where(name=f"{CONTRACTION} {number}").of(Scores)
    if not scores:
        return None
    has, is_ = (normalised_likelihood(text, "per token") for text in scores[0].texts)
    return _read_has if has > is_ else _read_is


def _read_has(have: str, _are: str) -> str:
    return have


def _read_is(_have: str, are: str) -> str:
    return are


@lru_cache(maxsize=1 << 14)  # each is planned, planned again and judged, at two parses a time
def _as_published(
    sets: tuple[PronounSet, ...], continuation: str, choose: Choose | None
) -> dict[str, str]:
    rules = _published_rules(sets)
    if choose is not None:
        rules = type(rules)(rules.nlp, rules.sets, choose)
    rewritten = rules.candidates(continuation)
    return {} if rewritten is None else {name: rewritten[name] for name in _AUTHORS_SETS}


@cache
def _published_rules(sets: tuple[PronounSet, ...]) -> PaperRules:
    from epicene.rewriting.english.paper_rules import PaperRules

    nlp = _pipeline("then repeat the command: the stored answers are kept")
    return PaperRules(nlp, {each.name: each for each in sets})


def _pronoun_sets(item: Instance) -> tuple[PronounSet, ...]:
    return tuple(
        PronounSet(
            name=each.pronoun,
            nominative=each.forms["nominative"],
            accusative=each.forms["accusative"],
            dependent=each.forms["dependent"],
            independent=each.forms["independent"],
            reflexive=each.forms["reflexive"],
            plural_verbs=each.plural_verbs,
        )
        for each in item.sets
    )
