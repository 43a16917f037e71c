"""Analyse the Hindi verb that a model puts into the gap: its kind, gender, number and aspect.

A word is looked up among the benchmark's verbs, then among all verbs of the Hindi lexicon, and
finally analysed by its ending. Spelling variants count as the same word: both encodings of a nukta
or none, candrabindu or anusvara, गई or गयी.
"""

from __future__ import annotations

import tomllib
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import regex

from epicene.rewriting.hindi import conjugation, lexicon
from epicene.rewriting.hindi.spelling import key
from epicene.suites.alternations.hindi_verbs import (
    AGREEMENT_CELLS,
    ASPECTS,
    clause_final,
    participle,
    stems,
    verbs,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from epicene.rewriting.hindi.conjugation import VerbForm
    from epicene.rewriting.hindi.inflection import Cell
    from epicene.suites.alternations.hindi_verbs import IrregularForms
    from epicene.suites.alternations.items import Pair

INDIRECT = "indirect causative"
DIRECT = "direct causative"
TRANSITIVE = "transitive"
INTRANSITIVE = "intransitive"
NOT_A_VERB = "not a verb"


class VerbAnalysis(NamedTuple):
    """A kind of verb; its participle's gender (m, f), number (sg, pl) and aspect.

    Features that are not marked are empty: a feminine participle has no number before an auxiliary,
    a bare stem has none at all.
    """

    kind: str
    gender: str = ""
    number: str = ""
    aspect: str = ""

    @property
    def is_verb(self) -> bool:
        """Whether the word is a verb."""
        return self.kind != NOT_A_VERB


_NO_VERB = VerbAnalysis(NOT_A_VERB)

# Short words that the lexicon rarely reads as verbs, but that are verbs in a verb's position.
_SHORT_VERBS = frozenset("की दी ली पी लिए कर".split())

_EDGES = regex.compile(r"^[\p{P}\p{S}\s]+|[\p{P}\p{S}\s]+$")


def analyse_verb(word: str) -> VerbAnalysis:
    """The analysis of a word, or of the first verb among several words.

    A vector verb after a stem gives the form: काट दी is a form of काटना.
    """
    parts = [key(_EDGES.sub("", part)) for part in word.split()]
    for part, after in pairwise([*parts, ""]):
        verb = _analyse_word(part)
        if part in _stems() and _is_vector(after):
            # Before such a verb बना is the stem of बनाना, not a participle of बनना.
            return _analyse_word(after)._replace(kind=_stems()[part])
        if verb == VerbAnalysis(verb.kind) and verb.is_verb and _is_vector(after):
            return _analyse_word(after)._replace(kind=verb.kind)
        if verb.is_verb and part not in _homographs():
            return verb
    return _NO_VERB


def agrees_with_pair(reading: VerbAnalysis, pair: Pair) -> bool:
    """Whether a form has the gender and number of the pair's expected verb and auxiliary."""
    expected = analyse_verb(pair.gold)
    number = _NUMBERS.get(key(pair.after), expected.number)
    return (
        reading.is_verb
        and bool(reading.gender)
        and reading.gender == expected.gender
        and ("" in (reading.number, number) or reading.number == number)
    )


_NUMBERS = {"था": "sg", "थी": "sg", "थे": "pl", "थीं": "pl"}


# --- one word --------------------------------------------------------------------------------


@cache
def _analyse_word(word: str) -> VerbAnalysis:
    """The analysis of a normalised word: participles before other forms, known verbs first."""
    if not word or (word in conjugation.RARELY_VERBS and word not in _SHORT_VERBS):
        return _NO_VERB
    if word in _listed_participles():
        return _listed_participles()[word]
    known = [
        (reading, form)
        for form in conjugation.analyse_verb(word)
        if (reading := _lexicon_analysis(form)) is not None
    ]
    for reading, form in known:
        if form.participle:
            return reading
    return known[0][0] if known else _analyse_ending(word)


_CELL_FEATURES: dict[Cell, tuple[str, str]] = {
    "ms": ("m", "sg"), "mp": ("m", "pl"), "fs": ("f", ""), "fp": ("f", "pl"),
}  # fmt: skip
_ASPECTS_OF_LEXICON = {"perfective": "perfective", "imperfective": "habitual"}


def _lexicon_analysis(form: VerbForm) -> VerbAnalysis | None:
    if form.shape == "copula":  # an auxiliary alone does not fill the gap
        return None
    kind = _kind_of_stem(form.stem)
    if not form.participle or form.cell is None:
        return VerbAnalysis(kind)
    return VerbAnalysis(kind, *_CELL_FEATURES[form.cell], _ASPECTS_OF_LEXICON[form.shape])


def _kind_of_stem(stem: str) -> str:
    """The kind of a stem; the lexicon tells only transitive from intransitive."""
    known = _stems()
    if stem in known:
        return known[stem]
    if stem.endswith("वा"):
        return INDIRECT
    return INTRANSITIVE if stem in lexicon.verb_stems().intransitive else TRANSITIVE


# --- the lists ---------------------------------------------------------------------------------


@cache
def _common_verbs() -> Mapping[str, list[str]]:
    text = (Path(__file__).parent / "common_verbs.toml").read_text(encoding="utf-8")
    return {name: words.split() for name, words in tomllib.loads(text).items()}


def _all_stems() -> Iterator[tuple[str, str, IrregularForms]]:
    """The stems of both tables with their kinds; for repeated stems, the first counts."""
    for verb in verbs().values():
        simple = INTRANSITIVE if verb.valency == "intransitive" else TRANSITIVE
        for stem_kind, stem, irregular in stems(verb):
            yield stem, {"base": simple}.get(stem_kind, stem_kind), irregular
    for name, kind in (("transitive", TRANSITIVE), ("direct", DIRECT), ("indirect", INDIRECT)):
        for stem in _common_verbs()[name]:
            yield stem, kind, None


@cache
def _stems() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for stem, kind, _ in _all_stems():
        found.setdefault(key(stem), kind)
    return found


@cache
def _listed_participles() -> Mapping[str, VerbAnalysis]:
    """The participles of those stems."""
    found: dict[str, VerbAnalysis] = {}
    for stem, kind, irregular in _all_stems():
        for text, reading in _participles(stem, kind, irregular):
            found.setdefault(key(text), reading)
    return found


def _participles(
    stem: str, kind: str, irregular: IrregularForms
) -> Iterator[tuple[str, VerbAnalysis]]:
    for aspect in ASPECTS:
        for gender, number in AGREEMENT_CELLS:
            text = participle(aspect, stem, gender, number, irregular)
            shown = "" if gender == "f" else number
            yield text, VerbAnalysis(kind, gender, shown, aspect)
            if clause_final(text, gender, number) != text:
                yield clause_final(text, gender, number), VerbAnalysis(kind, gender, number, aspect)


@cache
def _homographs() -> frozenset[str]:
    return frozenset(map(key, _common_verbs()["homographs"]))


@cache
def _vectors() -> frozenset[str]:
    return frozenset(map(key, _common_verbs()["vectors"]))


def _is_vector(word: str) -> bool:
    return any(
        form.participle and form.stem in _vectors() for form in conjugation.analyse_verb(word)
    )


# --- by the ending -----------------------------------------------------------------------------

_ENDINGS = {
    "या": ("m", "sg", "perfective"),
    "ए": ("m", "pl", "perfective"),
    "ई": ("f", "", "perfective"),
    "ईं": ("f", "pl", "perfective"),
    "ता": ("m", "sg", "habitual"),
    "ते": ("m", "pl", "habitual"),
    "ती": ("f", "", "habitual"),
    "तीं": ("f", "pl", "habitual"),
    "ना": ("", "", ""),
    "ने": ("", "", ""),
    "कर": ("", "", ""),
    "": ("", "", ""),
}
_CAUSATIVE = regex.compile(rf"(?P<root>.+?)(?P<suffix>वा|ला|ा)(?P<ending>{'|'.join(_ENDINGS)})")


def _analyse_ending(word: str) -> VerbAnalysis:
    """The analysis of a causative of a known verb, or of any verb if no noun has that ending."""
    found = _CAUSATIVE.fullmatch(word)
    if found is None:
        return _NO_VERB
    indirect = found["suffix"] == "वा"
    if found["root"] in _roots() or (indirect and found["ending"] in _ONLY_VERBS):
        return VerbAnalysis(INDIRECT if indirect else DIRECT, *_ENDINGS[found["ending"]])
    return _NO_VERB


# कार्रवाई and दवाई are nouns, but nothing other than a causative ends in -वाया or -वाता.
_ONLY_VERBS = frozenset({"या", "ए", "ता", "ते", "ती", "तीं"})

_SHORT_VOWELS = str.maketrans({"ा": None, "ी": "ि", "ू": "ु", "े": "ि", "ो": "ु", "ै": "ि", "ौ": "ु"})


@cache
def _roots() -> frozenset[str]:
    """Known stems, also with the short vowel they have before a causative suffix: टूट, टुट."""
    listed = lexicon.verb_stems()
    known = {*_stems(), *listed.transitive, *listed.intransitive, *listed.labile}
    roots = {*known, *(stem.translate(_SHORT_VOWELS) for stem in known)}
    return frozenset(root for root in roots if len(root) > 1)
