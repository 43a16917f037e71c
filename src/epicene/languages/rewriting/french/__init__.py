"""French: a text rewritten for the gender of its speaker, its listener, or others.

`rewrite` gives a text and its changes. Words that agree with a person are found by rules over our
own lists; nothing needs to be installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.french.dictionary import aids
from epicene.languages.rewriting.people import apply, by_person

if TYPE_CHECKING:
    from collections.abc import Iterable

    from epicene.languages.rewriting import Change, Rewriting
    from epicene.languages.rewriting.people import Wanted


def rewrite(text: str, wanted: Wanted) -> Rewriting:
    """The text with the words that agree with each person in the gender that is wanted."""
    return apply(text, find_changes(text, wanted))


def find_changes(text: str, wanted: Wanted) -> Iterable[Change]:
    """What `rewrite` changes."""
    from epicene.languages.rewriting.french.addresses import read_addresses
    from epicene.languages.rewriting.french.asides import read_asides
    from epicene.languages.rewriting.french.infinitives import read_subject_infinitives
    from epicene.languages.rewriting.french.others import read_others
    from epicene.languages.rewriting.french.reading import read_clauses
    from epicene.languages.rewriting.french.render import Renderer
    from epicene.languages.rewriting.french.scene import open_scene
    from epicene.languages.rewriting.french.stressed import read_stressed
    from epicene.languages.rewriting.french.verbless import read_verbless

    scene = open_scene(text)
    read_addresses(scene)
    read_stressed(scene)
    clauses = read_clauses(scene)
    read_subject_infinitives(scene, clauses)
    read_asides(scene, clauses)
    read_verbless(scene, clauses)
    read_others(scene)
    return Renderer(scene.line, scene.sites, wanted).changes()


rewriter = by_person(find_changes, version="1", aids=aids)
