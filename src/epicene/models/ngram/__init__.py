"""The model kind `ngram`: modified Kneser–Ney over words, from a text file or the suite's text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.models import takes

if TYPE_CHECKING:
    from epicene.models import Model, ModelOptions


@takes("label")
def open(name: str, options: ModelOptions) -> Model:  # noqa: A001 - what an entry point is called
    """Open `ngram:FILE`, or `ngram`, which learns from the suite's own text."""
    from epicene.models.ngram.model import FileNgram, SuiteNgram

    return FileNgram(name, options) if name else SuiteNgram(options)
