"""What runs on the machines of a Ray cluster: a worker, with one copy of a model."""

from __future__ import annotations

import os
import platform
import tempfile
import time
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from epicene import __version__
from epicene.core.errors import EpiceneError, InputError, RunError
from epicene.core.files import ImageFolder
from epicene.core.records import Failed, Images
from epicene.core.redaction import redact, redact_all
from epicene.models import Learner, open_model

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.core.records import Answer, Draw, Identity, Image
    from epicene.models import Batch, BatchLimit, ModelSpec

# Libraries that compute answers, or write the images that are known by their bytes.
_COMPUTING = ("torch", "transformers", "tokenizers", "diffusers", "numpy", "pillow")


class About(NamedTuple):
    """A worker that has loaded the model."""

    identity: Identity
    verbs: frozenset[str]
    batch_limit: BatchLimit
    machine: str
    versions: dict[str, str]


class Answered(NamedTuple):
    """The answers to a task, the images drawn for them, and how they were reached."""

    answers: list[tuple[int, Answer]]
    images: list[bytes]
    seconds: float
    notes: dict[str, Any]


class WorkerImages(ImageFolder):
    """The images of a task. Those of earlier sessions are with the run."""

    def drawn(self, request: Draw, index: int) -> Image | None:  # noqa: ARG002 - the interface's
        """None is here."""
        return None

    def keep(self, request: Draw, index: int, image: Image) -> None:
        """The run stores it with its answer."""


class Worker:
    """The actor. Its errors name the machine."""

    def open(
        self, epicene: str, spec: ModelSpec, folder: str, texts: list[tuple[str, str]] | None
    ) -> About:
        """Load the model; a learner is taught the texts."""
        with _errors_of_this_machine():
            if epicene != __version__:
                raise InputError(
                    f"Epicene {__version__} is installed there, but {epicene} where the run is; "
                    "install the same version on every machine."
                )
            if Path(folder).is_dir():  # relative paths mean the same where folders are shared
                os.chdir(folder)
            self._model = model = open_model(spec)
            if texts is not None and isinstance(model, Learner):
                model.learn(iter(texts))
            return About(
                identity=model.identity,
                verbs=model.verbs,
                batch_limit=model.batch_limit,
                machine=platform.node(),
                versions=library_versions(),
            )

    def answer(self, batches: Sequence[Batch], images: Sequence[bytes]) -> Answered:
        """Answer whole batches. The images that they look at come with them."""
        began = time.monotonic()
        with _errors_of_this_machine(), tempfile.TemporaryDirectory(prefix="epicene-") as folder:
            files = WorkerImages(Path(folder))
            for data in images:
                files.put(data)
            answers = [
                (number, _without_secrets(answer))
                for answered in self._model.answer(iter(batches), files)
                for number, answer in answered
            ]
            drawn = [
                image for _, each in answers if isinstance(each, Images) for image in each.images
            ]
            return Answered(
                answers=answers,
                images=[
                    files.read(name) for name in sorted({image.sha256 for image in drawn} - {""})
                ],
                seconds=time.monotonic() - began,
                notes=redact_all(msgspec.to_builtins(dict(self._model.notes()))),
            )


def library_versions() -> dict[str, str]:
    """The versions, in this process, of what could change an answer."""
    found = {"python": platform.python_version()}
    for name in _COMPUTING:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


@contextmanager
def _errors_of_this_machine() -> Iterator[None]:
    """Raise errors that can be sent, and that say which machine has the problem."""
    try:
        yield
    except EpiceneError as error:
        kind = InputError if isinstance(error, InputError) else RunError
        raise kind(f"On {platform.node()}: {redact(str(error))}") from None


def _without_secrets(answer: Answer) -> Answer:
    """The answer, without what this machine's environment holds."""
    return Failed(reason=redact(answer.reason)) if isinstance(answer, Failed) else answer
