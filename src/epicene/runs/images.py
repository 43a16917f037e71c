"""A run's images; also those of requests that are not finished, so that none is drawn twice."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from epicene.core.errors import RunError
from epicene.core.files import ImageFolder, write_atomically
from epicene.core.records import Image, to_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from epicene.core.records import Draw, Images, Request


class RunImages(ImageFolder):
    """The images that one model draws for a run, by content."""

    def __init__(self, folder: Path, key_of: Callable[[Request], bytes]) -> None:
        super().__init__(folder)
        self._unfinished = folder / "unfinished"
        self._key_of = key_of

    def drawn(self, request: Draw, index: int) -> Image | None:
        """The image of that index if it was drawn before its request was finished."""
        with suppress(OSError, msgspec.DecodeError):
            found = self._note(self._key_of(request), index).read_bytes()
            image = msgspec.json.decode(found, type=Image)
            return image if self._is_whole(image) else None
        return None

    def keep(self, request: Draw, index: int, image: Image) -> None:
        """Record an image whose request is not finished."""
        write_atomically(self._note(self._key_of(request), index), to_json(image))

    def finish(self, key: bytes, answer: Images) -> None:
        """Forget the records of a request that is answered."""
        for index in range(len(answer.images)):
            self._note(key, index).unlink(missing_ok=True)

    def holds(self, answer: Images) -> bool:
        """Whether all images of an answer are here and undamaged."""
        return all(map(self._is_whole, answer.images))

    def _is_whole(self, image: Image) -> bool:
        try:
            return not image.sha256 or bool(self.read(image.sha256))
        except RunError:
            return False

    def _note(self, key: bytes, index: int) -> Path:
        return self._unfinished / f"{key.hex()}-{index}.json"
