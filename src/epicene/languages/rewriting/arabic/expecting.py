"""Whether a noun or an adjective is what the clause waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic import guessing, phrases
from epicene.languages.rewriting.arabic.parsing import thing_of

if TYPE_CHECKING:
    from epicene.languages.rewriting.arabic.parsing import NounParse
    from epicene.languages.rewriting.arabic.scope import Referent
    from epicene.languages.rewriting.arabic.state import Walk


def acceptable(walk: Walk, at: int) -> NounParse | None:
    """The reading of a word as what is expected, None if it is not."""
    scope = walk.scope
    if scope.expects is None or scope.target is None or thing_of(walk.reading.line[at].letters):
        return None
    parse = phrases.choose(walk, at, scope.target)
    if parse is None or not _preposition_fits(walk, parse):
        return None
    if parse.definite:
        return parse if _definite_fits(walk, at, parse) else None
    if scope.expects == "predicate":
        return parse if _predicate_fits(walk, at, parse) else None
    if not _is_accusative(walk, at, parse):
        return None
    lemma = parse.lemma
    if not lemma.known:
        return parse if guessing.is_participle(lemma.masculine) else None
    return parse if lemma.adjective or scope.expects == "role" else None


def _preposition_fits(walk: Walk, parse: NounParse) -> bool:
    preposition = parse.prefix.preposition
    if not preposition:
        return True
    if preposition == "ك":
        return parse.lemma.known
    return preposition == "ب" and walk.scope.rule == "predicate of ليس" and parse.lemma.known


def _definite_fits(walk: Walk, at: int, parse: NounParse) -> bool:
    """أنا المحاسب, أنا صاحبه: somebody who is known, not somebody else."""
    scope = walk.scope
    if parse.prefix.preposition == "ك":
        return True
    if scope.expects != "predicate" or scope.found and not walk.reading.line.begins(at):
        return False
    if scope.target is not None and scope.target.who == "others" and scope.verbal:
        return False
    return parse.lemma.known or (parse.prefix.article and parse.lemma.adjective)


def _predicate_fits(walk: Walk, at: int, parse: NounParse) -> bool:
    scope = walk.scope
    if parse.lemma.known:
        return True
    if scope.found or not parse.lemma.adjective and not _is_next(walk, at):
        return False
    return guessing.is_participle(parse.lemma.masculine) or _is_next(walk, at)


def _is_next(walk: Walk, at: int) -> bool:
    """Whether only function words stand between the subject and the word."""
    function = walk.reading.function(at - 1)
    return function is not None or bool(walk.reading.verbs(at - 1))


def _is_accusative(walk: Walk, at: int, parse: NounParse) -> bool:
    form = parse.form
    if "accusative" not in form.cases:
        return False
    if form.nunated or form.gender == "feminine" or form.number != "singular":
        return True
    if parse.lemma.ending in {"diptote", "maqsura"} or parse.prefix.preposition == "ك":
        return True
    if parse.lemma.is_invariable:
        return True
    return phrases.is_bound(walk, at, parse) or walk.scope.case == "genitive"


def inverted(walk: Walk, at: int) -> Referent | None:
    """أمتأخر أنا؟: the person right after the word that is said of them."""
    after = walk.reading.function(at + 1)
    if after is None or after.prefix or after.sort not in {"I", "we", "you"}:
        return None
    parses = walk.reading.known_nouns(at)
    if not parses or parses[0].definite:
        return None
    if not (parses[0].prefix.letters == "أ" or walk.reading.line.begins(at) or walk.reading.function(at - 1)):
        return None
    return walk.person(2 if after.sort == "you" else 1, parses[0].form.number)
