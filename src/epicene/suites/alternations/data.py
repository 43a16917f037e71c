"""The user's pairs, the published sample, or the starter set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from epicene.errors import unknown
from epicene.suites import Dataset
from epicene.suites.alternations.sources import PUBLISHED_FILES, files_in, read_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.suites import Source
    from epicene.suites.alternations.pairs import Pair
    from epicene.suites.alternations.protocol import AlternationsProtocol

STARTER = Path(__file__).parent / "starter"


def read(source: Source, protocol: AlternationsProtocol) -> Dataset:
    """A file of pairs or a folder of such files."""
    path = source.path or STARTER
    files = files_in(path)
    # The published Hindi files do not say their language; their names tell.
    hindi = {file.stem for file in files} <= set(PUBLISHED_FILES)
    language = protocol.language or ("hi" if hindi else "")
    pairs = list(read_pairs(path, source.columns, language))
    if protocol.phenomena:
        known = {pair.phenomenon for pair in pairs}
        for name in protocol.phenomena:
            if name not in known:
                raise unknown("phenomenon", name, known)
        pairs = [pair for pair in pairs if pair.phenomenon in protocol.phenomena]
    name = "starter" if source.path is None else path.resolve().name
    return Dataset(name=name, files=files, items=pairs)


def stratum(pair: Pair) -> tuple[str, str]:
    """A part of the data is spread over the phenomena of each language."""
    return (pair.language, pair.phenomenon)


def corpus(pair: Pair) -> Iterator[str]:
    """The acceptable sentence."""
    yield pair.good
