"""An image-text model of transformers: it looks, and where it can, does as a text model does."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, cast

from epicene.models.hf.causal import HfCausal
from epicene.models.hf.memory import batch_limit, release
from epicene.models.vision.looking import Looker
from epicene.records import Look, verb

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.models import Answered, Batch, Files
    from epicene.models.hf.loading import Loaded


class HfImageText:
    """Looks at pictures; of text it scores, fills and generates as a causal model."""

    def __init__(self, loaded: Loaded) -> None:
        self.identity = loaded.identity
        self.batch_limit = batch_limit(loaded)
        self._notes: dict[str, Any] = {}
        # Both learn from the model's own settings what ends a text, and then those are forgotten.
        self._looker = Looker(loaded, self._notes)
        self._text = HfCausal(loaded) if _reads_text_alone(loaded.model) else None
        _forget_own_settings(loaded.model)
        self.verbs = verbs_of(loaded.model)

    def answer(self, batches: Iterator[Batch], files: Files) -> Iterator[Answered]:
        """Answer batch by batch, in several parts each."""
        for batch in batches:
            if isinstance(batch[0][1], Look):
                looks = cast("Sequence[tuple[int, Look]]", batch)
                yield from self._looker.answer(looks, files)
            elif self._text:
                yield from self._text.answer(iter([batch]), files)

    def notes(self) -> Mapping[str, object]:
        """The way the answers were reached."""
        return {"pictures": dict(self._notes), **(self._text.notes() if self._text else {})}

    def close(self) -> None:
        """Let go of the weights; identity and notes stay."""
        del self._looker
        if self._text:
            self._text.close()
        release()


def verbs_of(model: Any) -> frozenset[str]:
    """What an image-text model can; its weights need not be there."""
    return frozenset({verb(Look)}) | (HfCausal.verbs if _reads_text_alone(model) else frozenset())


def _reads_text_alone(model: Any) -> bool:
    """Whether the model may be shown no picture, and continues what it reads."""
    pixels = inspect.signature(model.forward).parameters.get("pixel_values")
    optional = pixels is None or pixels.default is not inspect.Parameter.empty
    return optional and not model.config.is_encoder_decoder


def _forget_own_settings(model: Any) -> None:
    """A call takes from here whatever it leaves unset, so here everything is unset."""
    from transformers import GenerationConfig

    for part in (model, *model.children()):
        if getattr(part, "generation_config", None) is not None:
            part.generation_config = GenerationConfig()
