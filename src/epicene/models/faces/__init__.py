"""The model kinds `random-face` and `face-classifier`: one draws real faces, one tells them apart.

Both are for trying a whole measurement on real pictures; the extra `faces` brings what runs them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.errors import InputError
from epicene.models import brought_by, takes

if TYPE_CHECKING:
    from pathlib import Path

    from epicene.models import Model, ModelOptions


@brought_by("faces")
@takes("label")
def open_random_face(name: str, options: ModelOptions) -> Model:
    """Open `random-face` or `random-face:SEED`."""
    try:
        seed = int(name or "0")
    except ValueError as error:
        raise InputError(f"The seed in random-face:{name} is not a whole number.") from error
    from epicene.models.faces.drawing import RandomFace

    return RandomFace(_folder("random-face"), seed, options.label)


@brought_by("faces")
@takes("label")
def open_face_classifier(name: str, options: ModelOptions) -> Model:
    """Open `face-classifier`."""
    if name:
        raise InputError(
            f"The model face-classifier takes no name: write face-classifier, not "
            f"face-classifier:{name}."
        )
    from epicene.models.faces.looking import FaceClassifier

    return FaceClassifier(_folder("face-classifier"), options.label)


def _folder(kind: str) -> Path:
    from epicene.models.faces.fetching import fetched

    folder = fetched(kind)
    if folder is None:
        raise InputError(
            f"The model {kind} is not on this machine yet; run `epicene models fetch {kind}`."
        )
    return folder
