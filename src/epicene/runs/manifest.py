"""A run's settings, which identify it, and its manifest, which records how each session went."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import msgspec
import regex

from epicene import __version__
from epicene.core.errors import InputError, RunError, pluralise
from epicene.core.files import write_atomically
from epicene.core.records import Failed, Identity, Record, digest, to_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from epicene.runs.store import AnswerStore

_MAX_REASONS = 5  # how many reasons of failed requests are quoted per section
MANIFEST_FORMAT = 2  # another number where an older program could not read a run folder
_WITHOUT_CHECKSUM = 1  # the format before the manifest had a checksum

# The libraries whose version could matter to a number.
_LIBRARIES = (
    "msgspec",
    "numpy",
    "polars",
    "scipy",
    "torch",
    "transformers",
    "tokenizers",
    "openai",
    "httpx",
    "pillow",
    "diffusers",
)


class DataFile(Record, frozen=True, kw_only=True):
    """A file that items were read from."""

    name: str
    sha256: str


class RunSettings(Record, frozen=True, kw_only=True):
    """Everything that determines what is asked, except the models."""

    suite: str
    suite_version: str
    protocol: dict[str, Any]
    data: str
    files: tuple[DataFile, ...]
    columns: dict[str, str] = {}
    languages: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
    limit: int | None = None
    seed: int = 0


class SuiteFile(Record, frozen=True, kw_only=True):
    """The file that defines a suite that is not installed."""

    path: str
    sha256: str


class SectionCount(Record, frozen=True, kw_only=True):
    """How far one model got in one stage."""

    stage: str
    role: str
    model: str
    total: int | None
    answered: int
    failed: int
    reasons: tuple[str, ...] = ()  # of the first failures


class Cost(Record, frozen=True, kw_only=True):
    """The estimated cost of a model before the first request, and its actual cost.

    In US dollars; None if no price is known.
    """

    estimate: float | None
    spent: float | None
    price: str


class Timing(Record, frozen=True, kw_only=True):
    """How long a model took for one verb of a stage in a session, in seconds, without loading.

    Before the first answers, a model may have to warm up, or remote workers may have to start.
    """

    stage: str
    role: str
    model: str
    verb: str
    answered: int
    first: int  # of them came together at first
    planning: float  # until the model got something to do
    starting: float  # from then on until the first answers came
    going_on: float  # after that


class RunSession(Record, frozen=True, kw_only=True):
    """One execution of the command on this folder."""

    started: str
    command: str
    versions: dict[str, str]
    ended: str = ""
    state: str = "running"  # running, complete, incomplete, interrupted, failed
    notes: dict[str, dict[str, Any]] = {}  # by model label: how its answers were reached
    costs: dict[str, Cost] = {}  # by model label, of those whose answers cost money
    timings: tuple[Timing, ...] = ()  # none where it was killed, or an earlier version wrote it


class Manifest(Record, frozen=True, kw_only=True):
    """What was run, on what, by whom, and how it went."""

    format: int
    epicene: str
    settings: RunSettings
    models: dict[str, tuple[Identity, ...]]  # by role
    labels: dict[str, str] = {}
    items: int = 0
    counts: tuple[SectionCount, ...] = ()
    sessions: tuple[RunSession, ...] = ()
    spent: float = 0.0  # US dollars over all sessions, as far as prices are known
    suite_file: SuiteFile | msgspec.UnsetType = msgspec.UNSET
    # What was left out of the data files, in sentences; unset if there is nothing.
    data_notes: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET

    @property
    def state(self) -> str:
        """The state in which the last session left the run."""
        return self.sessions[-1].state if self.sessions else "new"

    @property
    def unpriced(self) -> tuple[str, ...]:
        """The models without a known price, whose cost is not in `spent`."""
        costs = (each for session in self.sessions for each in session.costs.items())
        return tuple(sorted({label for label, cost in costs if cost.spent is None}))


def fixed_models(models: dict[str, tuple[Identity, ...]], many: set[str]) -> dict[str, list[str]]:
    """The models that a run folder is bound to: those of roles that take only one model."""
    return {
        role: [identity.digest.hex() for identity in identities]
        for role, identities in sorted(models.items())
        if role not in many
    }


def run_name(settings: RunSettings, models: dict[str, tuple[Identity, ...]], many: set[str]) -> str:
    """A folder name that two different runs never share."""
    mark = digest(settings, fixed_models(models, many)).hex()[:8]
    first = next(iter(models.values()))[0].label
    parts = (settings.suite, settings.protocol["name"], first)
    return "-".join(regex.sub(r"[^\w.]+", "-", part).strip("-") for part in parts) + f"-{mark}"


def utc_now() -> str:
    """The time, to the second, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def library_versions() -> dict[str, str]:
    """The versions of the libraries that could affect a number."""
    found = {"epicene": __version__}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest atomically, with its checksum."""
    written = msgspec.json.decode(to_json(manifest)) | {"format": MANIFEST_FORMAT}
    written["checksum"] = digest(written).hex()
    write_atomically(folder / "manifest.json", msgspec.json.format(to_json(written), indent=2))


def read_manifest(folder: Path) -> Manifest:
    """Read a run folder's manifest."""
    path = folder / "manifest.json"
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        if runs := sorted(file.parent.name for file in folder.glob("*/manifest.json")):
            raise InputError(
                f"{folder} is not a run folder, but contains {pluralise(len(runs), 'run')}; name "
                f"the run, for example {folder / runs[0]}."
            ) from None
        raise InputError(
            f"{folder} is not a run folder: it has no manifest.json; `epicene run` creates one."
        ) from None
    except NotADirectoryError:
        raise InputError(f"{folder} is a file, not a run folder; name the run's folder.") from None
    except OSError as error:
        raise InputError(f"Could not read {path}: {error.strerror or error}.") from error
    try:
        written = msgspec.json.decode(data, type=dict)
        found = written.get("format")
        if not isinstance(found, int):
            raise RunError(f"{path} is damaged: it does not name a format.")
        if found not in (_WITHOUT_CHECKSUM, MANIFEST_FORMAT):
            raise InputError(
                f"{path} was written by another version of Epicene (format {found}; this version "
                f"reads {MANIFEST_FORMAT}); read it with that version, or use another folder with "
                "--out."
            )
        checksum = written.pop("checksum", "")
        manifest = msgspec.convert(written, Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RunError(f"{path} is damaged: {error}.") from error
    if found == MANIFEST_FORMAT and checksum != digest(written).hex():
        raise RunError(
            f"{path} does not match its checksum: it is damaged or was edited by hand; restore it "
            "from a copy, or start the run in another folder with --out."
        )
    return manifest


def count_sections(store: AnswerStore) -> Iterator[SectionCount]:
    """How far each section got, with the reasons for its first failures."""
    for section in store.sections():
        answered, failed = store.counts(section)
        reasons = dict.fromkeys(
            stored.answer.reason
            for stored in store.failures(section, 100 if failed else 0)
            if isinstance(stored.answer, Failed)
        )
        yield SectionCount(
            stage=section.stage,
            role=section.role,
            model=section.identity.label,
            total=section.total,
            answered=answered,
            failed=failed,
            reasons=tuple(reasons)[:_MAX_REASONS],
        )
