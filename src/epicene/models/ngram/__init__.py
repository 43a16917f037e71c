"""The model kind `ngram`: word 5-grams with modified Kneser–Ney smoothing.

It is trained on a text file or on the suite's own text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.models import model_kind

if TYPE_CHECKING:
    from epicene.models import Model, ModelOptions


@model_kind(
    about="a 5-gram model trained on the suite's text or on a file",
    usage="ngram[:FILE]",
    options=("label",),
)
def open(name: str, options: ModelOptions) -> Model:  # noqa: A001 - what an entry point is called
    """Open `ngram:FILE`, or `ngram`, which is trained on the suite's own text."""
    from epicene.models.ngram.model import FileNgram, SuiteNgram

    return FileNgram(name, options) if name else SuiteNgram(options)
