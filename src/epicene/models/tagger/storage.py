"""Save and load a trained tagger: a folder with `tagger.json`, `weights-1.npz` … and, if it was
trained with a list of frequencies, `frequencies.json.gz`.
"""

from __future__ import annotations

import gzip
import hashlib
import zipfile
import zlib
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np
import regex

from epicene.core.data_files import read_text
from epicene.core.errors import InputError, RunError
from epicene.core.files import write_atomically
from epicene.core.records import Record, to_json
from epicene.models.tagger.encoding import EditScript, Inventory, Vocabulary
from epicene.models.tagger.network import NetworkShape, expected_shapes
from epicene.models.tagger.related import feature_count

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from epicene.models.tagger.network import Weights

# Raised when a folder written before would no longer be read in the same way.
FORMAT = "epicene tagger 1"
_CONFIG_FILE = "tagger.json"
_FREQUENCIES_FILE = "frequencies.json.gz"
# The files of a tagger that was not finished: all but the one that is written last.
_UNFINISHED_FILE = regex.compile(
    r"weights-\d+\.npz|frequencies\.json\.gz|\.tagger\.json\.epicene-[a-z0-9_]{8}"
)


class TaggerConfig(Record, frozen=True, kw_only=True):
    """All of a tagger but its weights and its list of frequencies.

    `sure` is the least probability with which a word is changed into another form, `beside` that
    next to a changed word which shows the same person: a phrase is changed as a whole.
    Forms that the normalisers of `spelling` make equal are one form in two spellings.
    `related` has the scripts of the forms that are looked up in the list of frequencies.
    """

    language: str
    normalisers: tuple[str, ...]
    inventory: Inventory
    vocabulary: Vocabulary
    shape: NetworkShape
    sure: float = 0.6
    beside: float = 0.6
    spelling: tuple[str, ...] = ()
    related: tuple[EditScript, ...] = ()


class TrainedTagger(NamedTuple):
    """A tagger, whole."""

    plan: TaggerConfig
    members: tuple[Weights, ...]
    frequencies: Mapping[str, float] = MappingProxyType({})

    @property
    def fingerprint(self) -> str:
        """Differs where an answer could."""
        return hashlib.sha256(to_json(_tagger_file(self))).hexdigest()


class _TaggerFile(Record, frozen=True, kw_only=True):
    """What `tagger.json` holds: the plan, and the hashes of the networks' weights and of the list
    of frequencies.
    """

    format: str
    members: tuple[str, ...]
    plan: TaggerConfig
    frequencies: str = ""


def _tagger_file(trained: TrainedTagger) -> _TaggerFile:
    hashes = tuple(_hash(weights) for weights in trained.members)
    frequencies = trained.frequencies
    return _TaggerFile(
        format=FORMAT,
        members=hashes,
        plan=trained.plan,
        frequencies=hashlib.sha256(to_json(frequencies)).hexdigest() if frequencies else "",
    )


def _hash(weights: Weights) -> str:
    """Of the numbers; the archive they are in holds the time of writing too."""
    state = hashlib.sha256()
    for name in sorted(weights):
        values = np.ascontiguousarray(weights[name], "<f4")
        state.update(f"{name} {values.shape}\n".encode())
        state.update(values.tobytes())
    return state.hexdigest()


def check_empty(folder: Path) -> None:
    """Raise if the folder of a new tagger is not empty; an unfinished tagger does not count."""
    if folder.exists() and (not folder.is_dir() or not _is_unfinished(folder)):
        raise InputError(f"{folder} already exists and is not empty; name another folder.")


def _is_unfinished(folder: Path) -> bool:
    """Whether a folder holds nothing but weights without the file that is written last."""
    return all(_UNFINISHED_FILE.fullmatch(entry.name) for entry in folder.iterdir())


def save(trained: TrainedTagger, folder: Path) -> None:
    """Write a tagger into a new or empty folder."""
    check_empty(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for entry in folder.iterdir():
            entry.unlink()
        for number, weights in enumerate(trained.members, start=1):
            arrays: dict[str, Any] = dict(weights)
            np.savez(_weights_path(folder, number), **arrays)
        if trained.frequencies:
            packed = gzip.compress(to_json(trained.frequencies), mtime=0)
            (folder / _FREQUENCIES_FILE).write_bytes(packed)
        # Last, so that a folder which was not finished is not taken for a tagger.
        write_atomically(folder / _CONFIG_FILE, to_json(_tagger_file(trained)))
    except OSError as error:
        raise RunError(f"Could not write {folder}: {error.strerror or error}.") from error


def load(folder: Path) -> TrainedTagger:
    """Read a tagger; raises if the folder contains none."""
    if not (folder / _CONFIG_FILE).is_file():
        raise InputError(
            f"{folder} contains no trained tagger (no {_CONFIG_FILE}); `epicene train` writes one."
        )
    written = _read_config(folder / _CONFIG_FILE)
    plan = written.plan
    shapes = expected_shapes(
        plan.shape,
        plan.vocabulary.sizes,
        len(plan.inventory.outcomes),
        feature_count(len(plan.related)),
    )
    members = []
    for number, expected in enumerate(written.members, start=1):
        path = _weights_path(folder, number)
        weights = _read_weights(path)
        if shapes != {name: values.shape for name, values in weights.items()}:
            raise InputError(
                f"{path} contains a network whose shape differs from the one in {_CONFIG_FILE}."
            )
        if _hash(weights) != expected:
            raise InputError(
                f"{path} does not contain the weights that {_CONFIG_FILE} names; train the tagger "
                "again."
            )
        if not all(np.isfinite(values).all() for values in weights.values()):
            raise InputError(
                f"{path} contains weights that are not finite; train the tagger again."
            )
        members.append(weights)
    frequencies = {}
    if written.frequencies:
        frequencies = _read_frequencies(folder / _FREQUENCIES_FILE, written.frequencies)
    return TrainedTagger(plan, tuple(members), frequencies)


def _weights_path(folder: Path, number: int) -> Path:
    return folder / f"weights-{number}.npz"


def _read_config(path: Path) -> _TaggerFile:
    try:
        written = msgspec.json.decode(read_text(path), type=_TaggerFile)
    except msgspec.DecodeError as error:
        raise InputError(f"{path} does not describe a trained tagger: {error}.") from error
    if written.format != FORMAT or not written.members:
        raise InputError(
            f"{path} has the format {written.format!r}, but this version reads {FORMAT!r}; train "
            "the tagger again."
        )
    return written


def _read_weights(path: Path) -> Weights:
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name].astype(np.float32) for name in archive.files}
    except FileNotFoundError:
        raise InputError(f"There is no file {path}; the tagger's folder is incomplete.") from None
    except (OSError, ValueError, AttributeError, zipfile.BadZipFile) as error:
        raise InputError(f"{path} contains no weights: {error}.") from error


def _read_frequencies(path: Path, expected: str) -> dict[str, float]:
    try:
        content = gzip.decompress(path.read_bytes())
        if hashlib.sha256(content).hexdigest() != expected:
            raise InputError(
                f"{path} does not contain the frequencies that {_CONFIG_FILE} names; train the "
                "tagger again."
            )
        return msgspec.json.decode(content, type=dict[str, float])
    except FileNotFoundError:
        raise InputError(f"There is no file {path}; the tagger's folder is incomplete.") from None
    except (OSError, EOFError, zlib.error, msgspec.DecodeError) as error:
        raise InputError(f"{path} contains no frequencies: {error}.") from error
