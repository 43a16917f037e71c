"""The kind `random-face`: photographs of people who do not exist, whatever the prompt.

The network makes a face of a style and a style of noise. Styles are drawn towards their mean,
which gives up some variety for faces without flaws.
"""

from __future__ import annotations

import io
import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image as Pillow

from epicene.models import Answered, Batch, BatchLimit, Files
from epicene.models.faces.fetching import files_sha256
from epicene.models.faces.network import Network
from epicene.models.pictures import shot_seed
from epicene.records import Answer, Draw, Failed, Identity, Image, Images, digest, verb

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from concurrent.futures import Future
    from pathlib import Path

    from epicene.models.faces.network import Floats
    from epicene.records import Request

# Raised when the same seed would give another face.
_VERSION = "1"
_NOISE = 512  # numbers that a face is made of
_TOWARDS_MEAN = 0.5
_STYLES_OF_MEAN = 4096
_SIDE = 1024  # pixels that the network draws
_QUALITY = 90


class RandomFace:
    """Draws as many faces at once as there are cores."""

    def __init__(self, folder: Path, seed: int, label: str) -> None:
        self._seed = seed
        self.identity = Identity(
            kind="random-face",
            label=label or ("random-face" if seed == 0 else f"random-face:{seed}"),
            key={**files_sha256("random-face"), "seed": str(seed), "version": _VERSION},
            about={"name": "random-face"},
        )
        self.verbs = frozenset({verb(Draw)})
        self.batch_limit = BatchLimit(requests=1)
        self._drawn = 0
        self._styles = Network(folder / "MappingNetwork.xml")
        self._faces = Network(folder / "SynthesisNetwork.xml")
        many = Network(folder / "MappingNetwork.xml", rows=_STYLES_OF_MEAN)
        self._mean = many(_normal(0, _STYLES_OF_MEAN)).mean(axis=0, keepdims=True)

    def answer(self, batches: Iterator[Batch], files: Files) -> Iterator[Answered]:
        """Answer every request of every batch, in order, reading ahead to keep the cores busy."""
        workers = os.cpu_count() or 1
        waiting: deque[tuple[int, Future[Answer]]] = deque()
        pool = ThreadPoolExecutor(workers)
        try:
            for batch in batches:
                for place, request in batch:
                    waiting.append((place, pool.submit(self._one, request, files)))
                while len(waiting) > workers:
                    yield [self._done(*waiting.popleft())]
            while waiting:
                yield [self._done(*waiting.popleft())]
        finally:
            pool.shutdown(cancel_futures=True)

    def notes(self) -> Mapping[str, object]:
        """How many pictures were made."""
        return {"drawn": self._drawn, "prompts": "not read"}

    def close(self) -> None:
        """Let go of the networks."""
        del self._styles, self._faces

    def _done(self, place: int, coming: Future[Answer]) -> tuple[int, Answer]:
        answer = coming.result()
        self._drawn += len(answer.images) if isinstance(answer, Images) else 0
        return place, answer

    def _one(self, request: Request, files: Files) -> Answer:
        if not isinstance(request, Draw):
            return Failed(reason=f"random-face knows no verb {verb(request)}")
        if min(request.shots, request.width, request.height) < 1:
            return Failed(reason="at least one image of one pixel must be asked for")
        shots = [self._shot(request, shot, files) for shot in range(request.shots)]
        return Images(images=tuple(shots))

    def _shot(self, request: Draw, shot: int, files: Files) -> Image:
        seed = shot_seed(request.seed, shot)
        face = self._face(seed)
        width, height = min(request.width, _SIDE), min(request.height, _SIDE)
        if (width, height) != face.size:
            face = face.resize((width, height), Pillow.Resampling.LANCZOS)
        data = io.BytesIO()
        face.save(data, "JPEG", quality=_QUALITY)
        return Image(
            sha256=files.put(data.getvalue()),
            media_type="image/jpeg",
            width=width,
            height=height,
            seed=seed,
        )

    def _face(self, seed: int) -> Pillow.Image:
        noise = _normal(int.from_bytes(digest(self._seed, seed)[:8]), 1)
        style = self._mean + _TOWARDS_MEAN * (self._styles(noise) - self._mean)
        pixels = (self._faces(style)[0] + 1) * 127.5
        grid = np.clip(np.rint(pixels), 0, 255).astype(np.uint8).transpose(1, 2, 0)
        return Pillow.fromarray(grid)


def _normal(seed: int, rows: int) -> Floats:
    """Noise of unit variance from a generator that stays the same in later versions of NumPy."""
    drawn = np.random.Generator(np.random.PCG64(seed)).standard_normal((rows, _NOISE))
    return drawn.astype(np.float32)
