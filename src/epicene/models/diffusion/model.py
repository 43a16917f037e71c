"""A local pipeline, as the runs know it: it draws."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from epicene.models import Answered, Batch, BatchLimit, Files
from epicene.models.hf.memory import out_of_memory
from epicene.models.hf.sources import sentence
from epicene.models.pictures import shot_seed
from epicene.records import Answer, Draw, Failed, Identity, Image, Images, Request, verb

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from epicene.models.diffusion.loading import Pipeline

VERBS = frozenset({verb(Draw)})
_TOKENIZERS = ("tokenizer", "tokenizer_2", "tokenizer_3")
_SAFETY = "the pipeline's safety checker blotted the picture out"


class DiffusionModel:
    """Draws one picture at a time, so that none depends on what else was asked for."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._run = pipeline.run
        self._identity = pipeline.identity
        self._takes = pipeline.takes
        self._drawn = 0
        self._refused = 0
        self._cut = 0

    @property
    def identity(self) -> Identity:
        """Who answers; part of every answer's key."""
        return self._identity

    @property
    def verbs(self) -> frozenset[str]:
        """It draws and does nothing else."""
        return VERBS

    @property
    def batch_limit(self) -> BatchLimit:
        """Pictures take seconds: each request is committed when it is done."""
        return BatchLimit(requests=1)

    def answer(self, batches: Iterator[Batch], files: Files) -> Iterator[Answered]:
        """Answer every request of every batch, in order."""
        for batch in batches:
            yield [(place, self._one(request, files)) for place, request in batch]

    def notes(self) -> Mapping[str, object]:
        """How many pictures were made, blotted out, or made from a prompt cut short."""
        return {"drawn": self._drawn, "refused": self._refused, "prompts_cut": self._cut}

    def close(self) -> None:
        """Let go of the weights."""
        del self._run

    def _one(self, request: Request, files: Files) -> Answer:
        if not isinstance(request, Draw):
            return Failed(reason=f"a pipeline knows no verb {verb(request)}")
        if request.shots < 1:
            return Failed(reason="at least one image must be asked for")
        self._cut += self._cuts(request.prompt)
        try:
            return Images(
                images=tuple(self._shot(request, shot, files) for shot in range(request.shots))
            )
        except (ValueError, RuntimeError) as error:
            # A size that the pipeline does not take, or too large a one.
            if out_of_memory(error):
                return Failed(reason=f"{request.width} × {request.height} does not fit in memory")
            return Failed(reason=f"the pipeline drew nothing: {sentence(error)}")

    def _shot(self, request: Draw, shot: int, files: Files) -> Image:
        import torch

        seed = shot_seed(request.seed, shot)
        size = {"width": request.width, "height": request.height}
        made = self._run(
            prompt=request.prompt,
            # On the CPU whatever the device, so that all of them start from the same noise.
            generator=torch.Generator("cpu").manual_seed(seed),
            **{side: pixels for side, pixels in size.items() if side in self._takes},
        )
        (picture,) = made.images
        flags = getattr(made, "nsfw_content_detected", None)
        if flags and flags[0]:
            self._refused += 1
            return Image(seed=seed, refused=_SAFETY)
        self._drawn += 1
        return Image(
            sha256=files.put(_png(picture)),
            media_type="image/png",
            width=picture.width,
            height=picture.height,
            seed=seed,
        )

    def _cuts(self, prompt: str) -> bool:
        """Whether no part of the pipeline reads the prompt to its end."""
        readers = [getattr(self._run, name, None) for name in _TOKENIZERS]
        lengths = [
            len(reader(prompt).input_ids) > reader.model_max_length for reader in readers if reader
        ]
        return bool(lengths) and all(lengths)


def _png(picture: Any) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG")
    return buffer.getvalue()
