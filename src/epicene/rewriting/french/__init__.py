"""French: rewrite a text for another gender of its speaker, its listener or others.

`rewrite` gives a text and its changes. Words that agree with a person are found by rules over our
own lists; nothing needs to be installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.french.dictionary import DELA
from epicene.rewriting.persons import apply_changes, person_rewriter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from epicene.rewriting import Change, Rewriting
    from epicene.rewriting.persons import TargetGenders


def rewrite(text: str, wanted: TargetGenders) -> Rewriting:
    """The text with the words that agree with each person in the gender that is wanted."""
    return apply_changes(text, find_changes(text, wanted))


def find_changes(text: str, wanted: TargetGenders) -> Iterable[Change]:
    """What `rewrite` changes."""
    from epicene.rewriting.french.asides import read_asides, read_tonic_pronouns, read_verbless
    from epicene.rewriting.french.clauses import read_clauses, read_subject_infinitives
    from epicene.rewriting.french.context import read_context
    from epicene.rewriting.french.person_nouns import read_third_persons, read_vocatives
    from epicene.rewriting.french.sites import Renderer

    scene = read_context(text)
    read_vocatives(scene)
    read_tonic_pronouns(scene)
    clauses = read_clauses(scene)
    read_subject_infinitives(scene, clauses)
    read_asides(scene, clauses)
    read_verbless(scene, clauses)
    read_third_persons(scene)
    return Renderer(scene.line, scene.sites, wanted).changes()


rewriter = person_rewriter(find_changes, version="1", aids=DELA.version)
