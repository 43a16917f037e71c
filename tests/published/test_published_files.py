"""The public files are recognised by their bytes, and no longer once one of these is another."""

from __future__ import annotations

from pathlib import Path

import pytest

from epicene.core.data_files import sha256_of
from epicene.suites import DataSource, choose_protocol, find_suite
from epicene.suites.data_origin import data_origin

pytestmark = pytest.mark.published(
    "the data of alternations/, apgc/v2.1/, gramvis/ and misgendering/",
    "the repositories on the cards of these suites",
)


@pytest.mark.parametrize(
    ("suite", "path", "settings"),
    [
        ("alternations", "alternations", {}),
        ("apgc", "apgc/v2.1", {"split": "dev"}),
        ("gramvis", "gramvis/ClassifiedData_rows.csv", {}),
        ("misgendering", "misgendering", {}),
    ],
)
def test_public_files_are_known_by_their_bytes(
    published_data: Path, suite: str, path: str, settings: dict[str, str]
) -> None:
    found = find_suite(suite)
    protocol = choose_protocol(found, "epicene", settings, None)
    dataset = found.read(DataSource(path=published_data / path), protocol)
    files = [(file.name, sha256_of(file)) for file in dataset.files]
    assert files
    assert data_origin(found, dataset.name, files) == "published"
    for index in range(len(files)):
        changed = [*files[:index], (files[index][0], "0" * 64), *files[index + 1 :]]
        assert data_origin(found, dataset.name, changed) == "own", files[index][0]
