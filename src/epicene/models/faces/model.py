"""`random-face` draws faces of people who do not exist; `face-classifier` classifies a face.

Both run on the CPU with OpenVINO and give the same numbers on any number of cores. Images with no
face or several are classified as neither.
"""

from __future__ import annotations

import io
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import dlib
import numpy as np
import openvino
from PIL import Image as Pillow

from epicene.core.records import (
    Answer,
    Choice,
    Draw,
    Failed,
    Identity,
    Image,
    Images,
    Look,
    digest,
    verb,
)
from epicene.models import (
    Batch,
    BatchLimit,
    ImageStore,
    NumberedAnswers,
    UnanswerableError,
    check_not_empty,
    images,
    sample_seed,
)
from epicene.models.faces import files_sha256
from epicene.models.threads import usable_cpus

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from concurrent.futures import Future
    from pathlib import Path

    from numpy.typing import NDArray

    from epicene.core.records import Request

    Floats = NDArray[np.float32]


class OpenVinoNetwork:
    """One input, one output, and one thread per call, so that the number of cores does not
    affect results.
    """

    def __init__(self, path: Path, threads: int, rows: int | None = None) -> None:
        core = openvino.Core()
        model = core.read_model(path)
        if rows is not None:
            model.reshape([rows, *list(model.input().partial_shape)[1:]])
        settings = {
            "NUM_STREAMS": threads,
            "INFERENCE_NUM_THREADS": threads,
            "INFERENCE_PRECISION_HINT": "f32",
        }
        self._compiled = core.compile_model(model, "CPU", settings)
        self._own = threading.local()

    def __call__(self, values: Floats) -> Floats:
        """The output; threads may call at the same time."""
        request: Any = getattr(self._own, "request", None)
        if request is None:
            request = self._own.request = self._compiled.create_infer_request()
        request.infer([values])
        return np.array(request.get_output_tensor(0).data)


# Raised when the same seed would give another face.
_RANDOM_FACE_VERSION = "1"
_LATENT_SIZE = 512  # numbers that a face is made of
_TRUNCATION = 0.5
_MEAN_SAMPLES = 4096
_SIDE = 1024  # pixels that the network draws
_JPEG_QUALITY = 90


class RandomFace:
    """Draw as many faces at a time as there are cores."""

    def __init__(self, folder: Path, seed: int, label: str, threads: int | None = None) -> None:
        self._seed = seed
        self.identity = Identity(
            kind="random-face",
            label=label or ("random-face" if seed == 0 else f"random-face:{seed}"),
            key={**files_sha256("random-face"), "seed": str(seed), "version": _RANDOM_FACE_VERSION},
            about={"name": "random-face"},
        )
        self.verbs = frozenset({verb(Draw)})
        self.batch_limit = BatchLimit(requests=1)
        self._drawn = 0
        self._threads = threads or usable_cpus()
        self._styles = OpenVinoNetwork(folder / "MappingNetwork.xml", self._threads)
        self._faces = OpenVinoNetwork(folder / "SynthesisNetwork.xml", self._threads)
        many = OpenVinoNetwork(folder / "MappingNetwork.xml", self._threads, rows=_MEAN_SAMPLES)
        self._mean = many(_normal(0, _MEAN_SAMPLES)).mean(axis=0, keepdims=True)

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        """Answer every request of every batch, in order, reading ahead to keep the cores busy."""
        workers = self._threads
        waiting: deque[tuple[int, Future[Answer]]] = deque()
        pool = ThreadPoolExecutor(workers)
        try:
            for batch in batches:
                for number, request in batch:
                    waiting.append((number, pool.submit(self._one, request, files)))
                while len(waiting) > workers:
                    yield [self._done(*waiting.popleft())]
            while waiting:
                yield [self._done(*waiting.popleft())]
        finally:
            pool.shutdown(cancel_futures=True)

    def notes(self) -> Mapping[str, object]:
        """How many images were drawn."""
        return {"drawn": self._drawn, "prompts": "not read"}

    def close(self) -> None:
        """Free the networks."""
        del self._styles, self._faces

    def _done(self, number: int, future: Future[Answer]) -> tuple[int, Answer]:
        answer = future.result()
        self._drawn += len(answer.images) if isinstance(answer, Images) else 0
        return number, answer

    def _one(self, request: Request, files: ImageStore) -> Answer:
        if not isinstance(request, Draw):
            return Failed(reason=f"random-face does not support the verb {verb(request)}")
        try:
            check_not_empty(request)
            drawn = [self._image(request, index, files) for index in range(request.shots)]
        except UnanswerableError as error:
            return Failed(reason=str(error))
        except MemoryError:
            return Failed(reason="there is not enough memory to draw this image")
        return Images(images=tuple(drawn))

    def _image(self, request: Draw, index: int, files: ImageStore) -> Image:
        seed = sample_seed(request.seed, index)
        face = self._face(seed)
        width, height = min(request.width, _SIDE), min(request.height, _SIDE)
        if (width, height) != face.size:
            face = face.resize((width, height), Pillow.Resampling.LANCZOS)
        data = io.BytesIO()
        face.save(data, "JPEG", quality=_JPEG_QUALITY)
        return Image(
            sha256=files.put(data.getvalue()),
            media_type="image/jpeg",
            width=width,
            height=height,
            seed=seed,
        )

    def _face(self, seed: int) -> Pillow.Image:
        noise = _normal(int.from_bytes(digest(self._seed, seed)[:8]), 1)
        style = self._mean + _TRUNCATION * (self._styles(noise) - self._mean)
        pixels = (self._faces(style)[0] + 1) * 127.5
        if not np.isfinite(pixels).all():
            raise UnanswerableError("the network drew pixels that are not finite")
        grid = np.clip(np.rint(pixels), 0, 255).astype(np.uint8).transpose(1, 2, 0)
        return Pillow.fromarray(grid)


def _normal(seed: int, rows: int) -> Floats:
    """Noise of unit variance from a generator that stays the same in later versions of NumPy."""
    drawn = np.random.Generator(np.random.PCG64(seed)).standard_normal((rows, _LATENT_SIZE))
    return drawn.astype(np.float32)


# Raised when the same picture would be judged otherwise.
_CLASSIFIER_VERSION = "1"
# Faces below 80 pixels are not found, so a face must be an eighth of the picture's longer side.
_MAX_SIDE = 640
# How the network was trained: the cut-out's side, the room around the face, each colour's mean.
_CROP_SIDE, _CROP_PADDING = 32, 0.2
_MEANS = np.array([122.781998, 117.000999, 104.297997], np.float32)
_FEMALE, _MALE, _NEITHER = "female", "male", "neither"


class FaceClassifier:
    """Classify one image at a time."""

    def __init__(self, folder: Path, label: str, threads: int | None = None) -> None:
        self.identity = Identity(
            kind="face-classifier",
            label=label or "face-classifier",
            key={**files_sha256("face-classifier"), "version": _CLASSIFIER_VERSION},
            about={"name": "face-classifier"},
        )
        self.verbs = frozenset({verb(Look)})
        self.batch_limit = BatchLimit(requests=8)
        self._find = dlib.get_frontal_face_detector()
        self._landmarks = dlib.shape_predictor(str(folder / "shape_predictor_5_face_landmarks.dat"))
        self._women = OpenVinoNetwork(folder / "gender-v1.onnx", threads or usable_cpus(), rows=1)
        self._looked = 0

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        """Answer every request of every batch, in order."""
        for batch in batches:
            yield [(number, self._one(request, files)) for number, request in batch]

    def notes(self) -> Mapping[str, object]:
        """How many images were classified."""
        return {"looked": self._looked, "question": "not read"}

    def close(self) -> None:
        """Free the networks."""
        del self._find, self._landmarks, self._women

    def _one(self, request: Request, files: ImageStore) -> Answer:
        if not isinstance(request, Look):
            return Failed(reason=f"face-classifier does not support the verb {verb(request)}")
        if not {_FEMALE, _MALE} <= set(request.choices):
            return Failed(reason="face-classifier can only distinguish male and female")
        try:
            data, _ = images.read_stored_image(files, request.image)
        except images.ImageError as error:
            return Failed(reason=str(error))
        self._looked += 1
        grid = np.asarray(images.to_rgb(data, _MAX_SIDE))
        try:
            label, words = self._seen(grid)
        except UnanswerableError as error:
            return Failed(reason=str(error))
        except MemoryError:
            return Failed(reason="there is not enough memory to look at this image")
        return Choice(choice=label if label in request.choices else None, text=words)

    def _seen(self, grid: Any) -> tuple[str, str]:
        """The label of an image, and the model's words for it."""
        faces = self._find(grid, 0)
        if len(faces) != 1:
            return _NEITHER, f"{len(faces) or 'no'} face{'s' * (len(faces) > 1)}"
        cutout = dlib.get_face_chip(
            grid, self._landmarks(grid, faces[0]), _CROP_SIDE, _CROP_PADDING
        )
        values = ((cutout.astype(np.float32) - _MEANS) / 256).transpose(2, 0, 1)[None]
        female, male = map(float, self._women(np.ascontiguousarray(values))[0])
        if not np.isfinite([female, male]).all():
            raise UnanswerableError("the network's output for this face is not finite")
        label = _FEMALE if female >= male else _MALE
        return label, f"{label} ({max(female, male):.3f})"
