"""Whether data are the starter set, the published data or the user's, and the card that applies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from epicene.suites import Suite, SuiteCard

DataOrigin: TypeAlias = Literal["starter", "published", "own"]


def data_origin(suite: Suite[Any, Any], data: str, files: Iterable[tuple[str, str]]) -> DataOrigin:
    """Where data of that name come from, according to the names and hashes of their files.

    A suite that does not list its published files is assumed to be run on them.
    """
    if _is_starter(data):
        return "starter"
    return "published" if suite.is_published is None or suite.is_published(files) else "own"


def user_data_name(name: str) -> str:
    """The name of data from a user's file or folder of that name, never that of the starter set."""
    return f"own {name}" if _is_starter(name) else name


def _is_starter(data: str) -> bool:
    return data == "starter" or data.startswith("starter (")  # one of its splits


def card_for(suite: Suite[Any, Any], origin: DataOrigin) -> SuiteCard:
    """The card; for the user's own data, without what is true only of the published data."""
    if origin != "own":
        return suite.card
    return msgspec.structs.replace(
        suite.card,
        **{"faults": (), "source": "", "data_licence": "", "published_data": "", **suite.card.own},
    )
