"""The kind `face-classifier`: finds faces, and tells whether the one there is is a man's.

It knows that one question. A picture with no face or with several shows neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dlib
import numpy as np

from epicene.models import Answered, Batch, BatchLimit, Files, pictures
from epicene.models.faces.fetching import files_sha256
from epicene.models.faces.network import Network
from epicene.records import Answer, Choice, Failed, Identity, Look, verb

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from epicene.records import Request

# Raised when the same picture would be judged otherwise.
_VERSION = "1"
# Faces below 80 pixels are not found, so a face must be an eighth of the picture's longer side.
_LONGEST_SIDE = 640
# How the network was trained: the cut-out's side, the room around the face, each colour's mean.
_CUTOUT, _ROOM = 32, 0.2
_MEANS = np.array([122.781998, 117.000999, 104.297997], np.float32)
_FEMALE, _MALE, _NEITHER = "female", "male", "neither"


class FaceClassifier:
    """Looks at one picture at a time."""

    def __init__(self, folder: Path, label: str) -> None:
        self.identity = Identity(
            kind="face-classifier",
            label=label or "face-classifier",
            key={**files_sha256("face-classifier"), "version": _VERSION},
            about={"name": "face-classifier"},
        )
        self.verbs = frozenset({verb(Look)})
        self.batch_limit = BatchLimit(requests=8)
        self._find = dlib.get_frontal_face_detector()
        self._landmarks = dlib.shape_predictor(str(folder / "shape_predictor_5_face_landmarks.dat"))
        self._women = Network(folder / "gender-v1.onnx", rows=1)
        self._looked = 0

    def answer(self, batches: Iterator[Batch], files: Files) -> Iterator[Answered]:
        """Answer every request of every batch, in order."""
        for batch in batches:
            yield [(place, self._one(request, files)) for place, request in batch]

    def notes(self) -> Mapping[str, object]:
        """How many pictures were looked at."""
        return {"looked": self._looked, "question": "not read"}

    def close(self) -> None:
        """Let go of the networks."""
        del self._find, self._landmarks, self._women

    def _one(self, request: Request, files: Files) -> Answer:
        if not isinstance(request, Look):
            return Failed(reason=f"face-classifier knows no verb {verb(request)}")
        if not {_FEMALE, _MALE} <= set(request.choices):
            return Failed(reason="face-classifier tells only male and female apart")
        try:
            data, _ = pictures.kept(files, request.image)
        except pictures.PictureError as error:
            return Failed(reason=str(error))
        self._looked += 1
        grid = np.asarray(pictures.unpacked(data, _LONGEST_SIDE))
        label, words = self._seen(grid)
        return Choice(choice=label if label in request.choices else None, text=words)

    def _seen(self, grid: Any) -> tuple[str, str]:
        """What the picture shows, and the same in words."""
        faces = self._find(grid, 0)
        if len(faces) != 1:
            return _NEITHER, f"{len(faces) or 'no'} face{'s' * (len(faces) > 1)}"
        cutout = dlib.get_face_chip(grid, self._landmarks(grid, faces[0]), _CUTOUT, _ROOM)
        values = ((cutout.astype(np.float32) - _MEANS) / 256).transpose(2, 0, 1)[None]
        female, male = map(float, self._women(np.ascontiguousarray(values))[0])
        label = _FEMALE if female >= male else _MALE
        return label, f"{label} ({max(female, male):.3f})"
