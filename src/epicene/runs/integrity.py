"""Verify that nothing in a run folder is damaged."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from epicene.core.errors import EpiceneError, RunError, pluralise
from epicene.core.files import IMAGES_FOLDER, ImageFolder
from epicene.core.records import Images
from epicene.core.sqlite import LockedError
from epicene.runs.manifest import STORE_FILE, read_manifest
from epicene.runs.store import open_store
from epicene.runs.stored_run import JUDGEMENTS_FILE, read_run, stored_answers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from epicene.runs.manifest import Manifest


class Verification(NamedTuple):
    """What was verified in a run folder, and what is damaged, in sentences."""

    items: int
    answers: int
    images: int
    damage: tuple[str, ...]


def verify_run(folder: Path) -> Verification:
    """Verify the manifest, every row of the store, every image that an answer names, and the
    stored judgements.
    """
    try:
        manifest = read_manifest(folder)
    except RunError as error:
        return Verification(0, 0, 0, (str(error),))
    try:
        with open_store(folder) as store:
            items, answers = store.verify()
            problems = store.problems()
            damaged = store.damaged
        images = dict(_images(folder))
    except LockedError:
        raise
    except EpiceneError as error:
        return Verification(0, 0, 0, (str(error),))
    damage = [f"{STORE_FILE}: {problem}" for problem in problems]
    if damaged:
        damage.append(f"{STORE_FILE}: damaged, by their checksums: {pluralise(damaged, 'row')}")
    counted = sum(each.answered + each.failed for each in manifest.counts)
    for found, expected, noun in (
        (items, manifest.items, "item"),
        (answers, counted, "answer"),
    ):
        if found < expected:
            damage.append(f"{STORE_FILE}: missing: {pluralise(expected - found, noun)}")
    damage += [problem for problem in images.values() if problem]
    damage += _damaged_judgements(folder, manifest)
    return Verification(items, answers, len(images), tuple(damage))


def _damaged_judgements(folder: Path, manifest: Manifest) -> Iterator[str]:
    """What is wrong with the stored judgements; nothing if there are none."""
    path = folder / JUDGEMENTS_FILE
    if manifest.judged is None or not path.exists():
        return
    try:
        if sha256(path.read_bytes()).hexdigest() != manifest.judged.sha256:
            yield f"{JUDGEMENTS_FILE} does not match its checksum"
    except OSError as error:
        yield f"{JUDGEMENTS_FILE} cannot be read: {error.strerror}"


def _images(folder: Path) -> Iterator[tuple[str, str]]:
    """Each image of a run, by its hash, and what is wrong with it, "" if nothing is."""
    files = ImageFolder(folder / IMAGES_FOLDER)
    run = read_run(folder)
    if not any(kind.__name__ == "Draw" for stage in run.suite.stages for kind in stage.verbs):
        return
    for _, given in stored_answers(run):
        if isinstance(given.answer, Images):
            for image in given.answer.images:
                if image.sha256:
                    try:
                        files.read(image.sha256)
                    except EpiceneError as error:
                        yield image.sha256, str(error)
                    else:
                        yield image.sha256, ""
