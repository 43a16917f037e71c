"""Whether a run is known to be complete, so that repeating its command need not plan it again.

Planning builds every request again and compares it with what was answered. Where the same code did
so before, for the same settings and the same stored rows, it would find the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene.core.errors import RunError
from epicene.core.files import IMAGES_FOLDER
from epicene.runs.judgement_cache import COMPLETE_FILE, CacheWriter, cache_key, read_cache
from epicene.runs.store import AnswerStore, open_store

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from epicene.core.records import Identity
    from epicene.runs.manifest import Manifest
    from epicene.suites import Suite

_ENOUGH_ANSWERS = 2000  # a run with fewer is planned each time


def answers_of_complete(
    folder: Path,
    suite: Suite[Any, Any],
    manifest: Manifest,
    asked: Mapping[str, Sequence[Identity]],
) -> int | None:
    """How many answers a run has that is known to be complete for these models; None if it may not
    be, or is damaged. Runs with images are not: their files have to be verified.
    """
    known = {role: {each.digest for each in models} for role, models in manifest.models.items()}
    if any(each.digest not in known.get(role, ()) for role in asked for each in asked[role]):
        return None
    if not (folder / COMPLETE_FILE).is_file() or (folder / IMAGES_FOLDER).exists():
        return None
    try:
        with open_store(folder) as store:
            store.begin_snapshot()
            key = cache_key(suite, manifest, store)
            if key is None or read_cache(folder, key, COMPLETE_FILE) is None:
                return None
            return count_answers(store)
    except RunError:  # the run says what is wrong, and repairs what it can
        return None


def mark_complete(
    folder: Path, suite: Suite[Any, Any], manifest: Manifest, store: AnswerStore
) -> None:
    """Keep that all requests of a run were planned and have an answer."""
    if count_answers(store) < _ENOUGH_ANSWERS or (folder / IMAGES_FOLDER).exists():
        return
    with CacheWriter(folder, cache_key(suite, manifest, store), COMPLETE_FILE) as cache:
        cache.put(b"")
        cache.save(b"")


def count_answers(store: AnswerStore) -> int:
    """How many requests are answered, in all sections."""
    return sum(store.counts(section)[0] for section in store.sections())
