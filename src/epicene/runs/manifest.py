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
from epicene.core.records import Identity, Record, digest, to_json

if TYPE_CHECKING:
    from pathlib import Path

STORE_FILE = "answers.sqlite"
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
    """How far one model got in one stage; `total` is None if its requests were not all planned."""

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


class RunSession(Record, frozen=True, kw_only=True):
    """One execution of the command on this folder."""

    started: str
    versions: dict[str, str]
    ended: str = ""
    state: str = "running"  # running, complete, incomplete, interrupted, failed
    notes: dict[str, dict[str, Any]] = {}  # by model label: how its answers were reached
    costs: dict[str, Cost] = {}  # by model label, of those whose answers cost money


class Coverage(Record, frozen=True, kw_only=True):
    """How much of a run its tables cover."""

    items: int
    judged: int
    requests: int
    answered: int
    failed: int
    not_begun: int = 0  # models' parts in stages without any answer
    damaged: int = 0  # rows of the store that do not match their checksums

    @property
    def whole(self) -> bool:
        """Whether nothing is missing."""
        return self._all_answered and self.judged == self.items

    @property
    def _all_answered(self) -> bool:
        return self.answered == self.requests and not self.not_begun

    def __str__(self) -> str:
        """The coverage in words."""
        in_part = "" if self._all_answered or self.judged < self.items else " (some only in part)"
        return (
            f"{self.judged} of {self.items} items are judged{in_part}, on {self.answered} answers "
            f"to {self.requests} requests ({self.failed} failed"
            + (f", {pluralise(self.not_begun, 'stage')} not started)" if self.not_begun else ")")
            + (
                f"; {pluralise(self.damaged, 'row')} of {STORE_FILE} are damaged and count as "
                "missing; resume the run to send their requests again"
                if self.damaged
                else ""
            )
        )


class Judged(Record, frozen=True, kw_only=True):
    """What `judgements.parquet` was made by, and what it covers."""

    epicene: str
    suite_version: str
    sha256: str
    coverage: Coverage


class Manifest(Record, frozen=True, kw_only=True):
    """What was run, on what, by whom, and how it went."""

    epicene: str
    settings: RunSettings
    models: dict[str, tuple[Identity, ...]]  # by role
    labels: dict[str, str] = {}
    items: int = 0
    counts: tuple[SectionCount, ...] = ()
    sessions: tuple[RunSession, ...] = ()
    spent: float = 0.0  # US dollars over all sessions, as far as prices are known
    suite_file: SuiteFile | None = None
    data_notes: tuple[str, ...] = ()  # what was left out of the data files, in sentences
    judged: Judged | None = None  # None while answers are being added

    @property
    def state(self) -> str:
        """The state in which the last session left the run."""
        return self.sessions[-1].state if self.sessions else "new"


def fixed_models(models: dict[str, tuple[Identity, ...]], many: set[str]) -> dict[str, list[str]]:
    """The models that a run folder is bound to: those of roles that take only one model."""
    return {
        role: [identity.digest.hex() for identity in identities]
        for role, identities in sorted(models.items())
        if role not in many
    }


def run_name(settings: RunSettings, models: dict[str, tuple[Identity, ...]], many: set[str]) -> str:
    """A folder name that two different runs never share; a run with a larger `limit` is the same
    run.
    """
    unlimited = msgspec.structs.replace(settings, limit=None)
    mark = digest(unlimited, fixed_models(models, many)).hex()[:8]
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
    written = msgspec.json.decode(to_json(manifest))
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
        checksum = written.pop("checksum", "")
        manifest = msgspec.convert(written, Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RunError(f"{path} is damaged: {error}.") from error
    if checksum != digest(written).hex():
        raise RunError(
            f"{path} does not match its checksum: it is damaged or was edited by hand; restore it "
            "from a copy, or start the run in another folder with --out."
        )
    return manifest
