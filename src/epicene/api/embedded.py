"""Fetch embedded models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.api.progress import NoProgress, progress_display
from epicene.api.wording import keyword_errors

if TYPE_CHECKING:
    from pathlib import Path


@keyword_errors
def fetch_model(name: str, *, accept_licence: bool = False, progress: bool = True) -> Path:
    """Download an embedded model, verify and convert it; its folder.

    `epicene.models()` lists them. A model with terms of its own needs `accept_licence=True`: you
    have read and accept them.

    >>> import epicene
    >>> epicene.fetch_model("smollm2")  # doctest: +SKIP
    """
    from epicene.models import embedded, faces

    fetch = faces.fetch if name in faces.catalogue() else embedded.fetch
    show = (progress_display() if progress else NoProgress()).show_message
    return fetch(name, accept_licence=accept_licence, progress=show)
