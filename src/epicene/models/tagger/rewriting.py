"""A trained tagger as the rewriter of its language, beside those made of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.errors import InputError
from epicene.languages.rewriting.people import by_person
from epicene.models.tagger.folder import load
from epicene.models.tagger.tagging import Tagger

if TYPE_CHECKING:
    from pathlib import Path

    from epicene.languages.rewriting import Rewriter


def open_rewriter(folder: Path, language: str) -> Rewriter:
    """The rewriter in a folder, for the language it was trained on."""
    trained = load(folder)
    tagger = Tagger(trained)
    if language != tagger.language:
        raise InputError(
            f"The tagger in {folder} was trained on {tagger.language!r}; say --language "
            f"{tagger.language}."
        )
    rewriter = by_person(tagger.changes, version=trained.fingerprint)
    return rewriter._replace(takes=tagger.people)
