"""A causal language model of transformers: score, fill, generate."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, cast

from epicene.models.hf.ahead import ahead
from epicene.models.hf.chat import Chat
from epicene.models.hf.filling import Filler
from epicene.models.hf.forward import Forward
from epicene.models.hf.generating import Writer
from epicene.models.hf.memory import batch_limit, release
from epicene.models.hf.positions import position_limit
from epicene.models.hf.scoring import plan_all, solve
from epicene.models.hf.tokens import Encoder
from epicene.records import Fill, Generate, Score, verb

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.models import Answered, Batch, Files
    from epicene.models.hf.loading import Loaded


class HfCausal:
    """Answers by next-token probabilities."""

    verbs = frozenset({"score", "fill", "generate"})

    def __init__(self, loaded: Loaded) -> None:
        self.identity = loaded.identity
        self.batch_limit = batch_limit(loaded)
        embeddings = loaded.model.get_input_embeddings().weight.shape[0]
        self._encoder = Encoder(
            loaded.tokenizer,
            vocabulary=embeddings,
            longest=position_limit(loaded.model),
        )
        self._chat = Chat(loaded.tokenizer)
        self._passes: dict[str, object] = {}
        self._texts: dict[str, object] = {}
        self._forward = Forward(loaded, self._passes)
        self._filler = Filler(self._encoder, self._forward)
        self._writer = Writer(loaded, self._encoder, self._chat, self._texts)

    def answer(
        self,
        batches: Iterator[Batch],
        files: Files,  # noqa: ARG002 - a text model has none
    ) -> Iterator[Answered]:
        """Answer batch by batch, in several parts each.

        Where the device works by itself, the next batch is planned and handed to it before the
        answers of this one are waited for.
        """
        return (
            ahead(self._begin, batches)
            if self._forward.runs_ahead
            else chain.from_iterable(map(self._begin, batches))
        )

    def notes(self) -> Mapping[str, object]:
        """The way the answers were reached."""
        return {
            "passes": dict(self._passes),
            "texts": dict(self._texts),
            "chat": self._chat.facts if self._chat.used else {},
        }

    def close(self) -> None:
        """Let go of the weights; identity and notes stay."""
        del self._forward, self._filler, self._writer
        release()

    def _begin(self, batch: Batch) -> Iterator[Answered]:
        asked = verb(batch[0][1])
        if asked == "score":
            return self._score(cast("Sequence[tuple[int, Score]]", batch))
        if asked == "fill":
            return self._filler.answer(cast("Sequence[tuple[int, Fill]]", batch))
        return self._writer.answer(cast("Sequence[tuple[int, Generate]]", batch))

    def _score(self, requests: Sequence[tuple[int, Score]]) -> Iterator[Answered]:
        jobs, failed = plan_all(requests, self._encoder, self._chat, self._writer.drawing)
        return chain([failed] if failed else [], solve(jobs, self._forward))
