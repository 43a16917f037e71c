"""List the kinds of model, and fetch an embedded one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.app.arguments import Progress
from epicene.app.progress import progress_display
from epicene.core.errors import EpiceneError

if TYPE_CHECKING:
    import polars


def models() -> polars.DataFrame:
    """List the installed kinds of model, followed by the embedded models.

    Columns: kind, spec (how to name a model), about, embedded; for embedded models also languages,
    chat, licence, must_accept (whether you must accept the licence to fetch it), download_mb,
    disk_mb, fetched and where.

    Examples:
        >>> "hf" in epicene.models()["kind"]
        True
    """
    import polars as pl

    from epicene.core import registry
    from epicene.models import embedded, faces

    fetchable = {each.name: each for each in (*embedded.status(), *faces.status())}
    rows: list[dict[str, Any]] = [
        {"kind": kind, "spec": spec, "about": about, "embedded": False}
        for kind in registry.names("models")
        if kind not in fetchable
        for spec, about in [_describe(kind)]
    ]
    for name, status in fetchable.items():
        facts = msgspec.to_builtins(status)
        del facts["name"]
        about = facts.pop("description")
        rows.append({"kind": name, "spec": name, "about": about, "embedded": True, **facts})
    schema: dict[str, Any] = {
        **dict.fromkeys(("kind", "spec", "about"), pl.String),
        "embedded": pl.Boolean,
        "languages": pl.List(pl.String),
        "chat": pl.Boolean,
        "licence": pl.String,
        "must_accept": pl.Boolean,
        **dict.fromkeys(("download_mb", "disk_mb"), pl.Int64),
        "fetched": pl.Boolean,
        "where": pl.String,
    }
    return pl.DataFrame(rows, schema=schema)


def _describe(kind: str) -> tuple[str, str]:
    """How to name a model of that kind, and what it is, or why it cannot be used."""
    from epicene.models import kind_info

    try:
        info = kind_info(kind)
    except EpiceneError as error:
        return kind, str(error)
    return info.usage or kind, info.about


def fetch_model(name: str, *, accept_licence: bool = False, progress: Progress = True) -> Path:
    """Download, verify and convert an embedded model; return its folder.

    A model that is already on this machine is not downloaded again.

    Args:
        name: The embedded model, e.g. smollm2; `epicene models` lists them.
        accept_licence: Confirm that you have read and accept the model's terms, if it has its own.
        progress: Whether to show progress on standard error.

    Examples:
        >>> epicene.fetch_model("smollm2")  # doctest: +SKIP
    """
    from epicene.models import embedded, faces

    fetch = faces.fetch if name in faces.catalogue() else embedded.fetch
    show = (progress_display(wanted=progress)).show_message
    return fetch(name, accept_licence=accept_licence, progress=show)
