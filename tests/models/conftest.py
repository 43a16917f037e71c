"""What the tests of models share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from epicene.models.hf import checkpoint

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session", autouse=True)
def own_hash_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Remember no hash of a test's file in the user's cache folder."""
    folder = tmp_path_factory.mktemp("hashes")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoint, "hash_cache_folder", lambda: folder)
        yield
