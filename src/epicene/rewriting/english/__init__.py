"""English: rewrite a text with other pronouns and agreeing verbs.

`rewrite` and `neutralise` return a text and its changes; `read_frame` returns the slots that depend
on the pronouns, which any set can fill: candidates made from one frame do not differ in anything
else, and filling in the original set gives the text back.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from epicene.core.errors import InputError, unknown
from epicene.languages.pronouns import (
    PronounSet,
    find_pronoun_set,
    known_pronoun_sets,
    shipped_pronoun_sets,
)
from epicene.rewriting import Rewriter, Rewriting
from epicene.rewriting.english.antecedents import singular_mentions
from epicene.rewriting.english.frames import MentionFinder, read_frames
from epicene.rewriting.english.routes import Route, RulesRoute
from epicene.rewriting.protected import read_syntax

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from epicene.rewriting import Rewrite
    from epicene.rewriting.english.frames import Frame

RouteName: TypeAlias = Literal["auto", "spacy", "rules"]
ROUTES: tuple[RouteName, ...] = ("auto", "spacy", "rules")


def open_route(name: str = "auto") -> Route:
    """The route of that name: `spacy` uses a pipeline, `rules` none, `auto` one if installed."""
    if name not in ROUTES:
        raise unknown("route", name, ROUTES)
    from epicene.rewriting.english import pipelines

    if name == "rules" or (name == "auto" and not pipelines.installed()):
        return RulesRoute()
    from epicene.rewriting.english.routes import ParseRoute

    return ParseRoute(pipelines.load())


def rewrite(
    text: str,
    to: PronounSet,
    *,
    sources: Iterable[PronounSet] | None = None,
    route: Route | None = None,
) -> Rewriting:
    """The text with the person's pronouns replaced by those of `to`.

    Without `sources`, these are rewritten: the forms of every shipped set that have no other use in
    English and, in a text that has none of them, singular they.
    """
    return next(rewritings([text], to, sources=sources, route=route))


def neutralise(
    text: str, *, sources: Iterable[PronounSet] | None = None, route: Route | None = None
) -> Rewriting:
    """The text with they, them, their, theirs, themself."""
    return rewrite(text, find_pronoun_set("they"), sources=sources, route=route)


def rewritings(
    texts: Iterable[str],
    to: PronounSet,
    *,
    sources: Iterable[PronounSet] | None = None,
    route: Route | None = None,
) -> Iterator[Rewriting]:
    """The rewriting of each text, in order; a pipeline reads them in batches."""
    finders = _finders(to, sources, shipped_pronoun_sets())
    for each in read_frames(texts, finders, route or open_route()):
        yield each.rewriting(to)


def read_frame(
    text: str, sources: Iterable[PronounSet], *, route: Route | None = None, syntax: str = ""
) -> Frame:
    """The text with a slot for each word that depends on one of those sets."""
    finders = [_finder(tuple(sources))]
    return next(read_frames([text], finders, route or open_route(), syntax=syntax))


@lru_cache(maxsize=64)
def _finder(sources: tuple[PronounSet, ...]) -> MentionFinder:
    return MentionFinder(sources, _without_homographs(shipped_pronoun_sets()))


def _finders(
    to: PronounSet, sources: Iterable[PronounSet] | None, sets: Mapping[str, PronounSet]
) -> Sequence[MentionFinder]:
    joined = [*_without_homographs(sets), to]
    if sources is not None:
        return [MentionFinder(sources, joined)]
    others = [each for each in _without_homographs(sets) if each.name != to.name]
    singular = MentionFinder([each for each in others if not each.plural_verbs], joined)
    plural = MentionFinder(
        [each for each in others if each.plural_verbs], joined, keep=singular_mentions
    )
    # "They" beside "she" is most often someone else; alone it may be the person, if nobody else
    # is named. Rewritten to another plural set, and to they itself, it stays.
    return [singular] if to.plural_verbs else [singular, plural]


def _without_homographs(sets: Mapping[str, PronounSet]) -> list[PronounSet]:
    return [each for each in sets.values() if not each.homographs]


# --- for the command ------------------------------------------------------------------------


def _open_rewriter(options: Mapping[str, str]) -> Rewrite:
    sets = known_pronoun_sets(Path(options["sets"]) if "sets" in options else None)
    if "pronouns" not in options:
        raise InputError(f"Rewriting English needs a pronoun set: --pronouns {'|'.join(sets)}.")
    to = find_pronoun_set(options["pronouns"], sets)
    named = [find_pronoun_set(name, sets) for name in options.get("from", "").split(",") if name]
    finders = _finders(to, named or None, sets)
    route = open_route(options.get("route", "auto"))
    syntax = read_syntax(options)

    def rewrite_all(texts: Iterable[str]) -> Iterator[Rewriting]:
        frames = read_frames(texts, finders, route, syntax=syntax)
        return (each.rewriting(to) for each in frames)

    return rewrite_all


# Raised with every change of the rules that can change an answer.
VERSION = "3"

rewriter = Rewriter(
    takes=("pronouns", "from", "sets", "route"), open=_open_rewriter, version=VERSION
)
