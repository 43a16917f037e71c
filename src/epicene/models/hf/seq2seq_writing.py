"""Writing the drafts of a sequence-to-sequence model, token by token or with beams."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from epicene.models.hf.decoding import Decoded, Draft, decode, padded
from epicene.models.hf.generating import end_tokens
from epicene.models.hf.memory import TooLargeError, halving
from epicene.models.hf.tokens import UnanswerableError
from epicene.records import Text

if TYPE_CHECKING:
    from collections.abc import Iterator, MutableMapping, Sequence

    from epicene.models.hf.loading import Loaded

# Tokens read and written at once, padding and beams counted: on a CPU, on an accelerator.
_TOKENS = (16_384, 262_144)
# What the model's own settings say must not be written.
_NEVER = ("bad_words_ids", "suppress_tokens", "begin_suppress_tokens")


@dataclass(frozen=True)
class Task:
    """A draft, and what it must share with others to be written in one batch."""

    draft: Draft
    opening: int | None = None  # a token that the text must open with, and that is not shown
    beams: int = 1

    @property
    def shared(self) -> tuple[int, int, int]:
        """Beams weigh texts by their length, so those of a batch have the same room."""
        opening = -1 if self.opening is None else self.opening
        return opening, self.beams, self.draft.room if self.beams > 1 else 0

    @property
    def size(self) -> int:
        """The tokens it may come to hold."""
        return self.draft.size * self.beams


class Writer:
    """Writes texts with one model. Of its own settings nothing shapes a text but what is here."""

    def __init__(self, loaded: Loaded, notes: MutableMapping[str, Any]) -> None:
        from transformers import GenerationConfig

        self._loaded, self._notes = loaded, notes
        self._ends = end_tokens(loaded)
        self._own = own = loaded.model.generation_config
        self.temperature = 1.0 if own.temperature is None else float(own.temperature)
        self.beams: int = own.num_beams or 1
        self.opening: int | None = own.forced_bos_token_id
        config = loaded.model.config
        self._longest: int | None = getattr(config, "max_position_embeddings", None)
        start = own.decoder_start_token_id
        self._settings = {
            "decoder_start_token_id": config.decoder_start_token_id if start is None else start,
            **{name: getattr(own, name) for name in _NEVER},
        }
        # A call takes from here whatever it leaves unset, so here everything is unset.
        loaded.model.generation_config = GenerationConfig()

    def room(self, read: int, asked: int, exact: bool) -> int:
        """How many tokens may be written. What is read must fit whole."""
        if self._longest is None or max(read, asked) <= self._longest:
            return asked
        if read > self._longest or exact:
            raise UnanswerableError(
                f"{max(read, asked)} tokens are more than the {self._longest} the model has "
                f"positions for"
            )
        return self._longest

    def write(self, tasks: Sequence[Task]) -> Iterator[list[tuple[Draft, Text | TooLargeError]]]:
        """Write all texts, a batch at a time."""
        asked = self._loaded.options.batch_size
        tokens = _TOKENS[self._loaded.device.type != "cpu"]
        order = sorted(tasks, key=lambda task: (task.shared, -task.draft.room, -task.size))
        for _, group in groupby(order, key=lambda task: task.shared):
            rest = list(group)
            while rest:
                widest = max(task.size for task in rest)
                count = max(1, tokens // widest) if asked == "auto" else asked
                batch, rest = rest[:count], rest[count:]
                texts = self._batch(batch)
                yield [(task.draft, text) for task, text in zip(batch, texts, strict=True)]

    def _batch(self, tasks: Sequence[Task]) -> list[Text | TooLargeError]:
        def run(part: Sequence[Task]) -> list[Text | TooLargeError]:
            decoded = self._search(part) if part[0].beams > 1 else self._choose(part)
            self._notes["written"] = self._notes.get("written", 0) + len(part)
            return [self._text(task, found) for task, found in zip(part, decoded, strict=True)]

        return halving(run, tasks, self._notes, lambda task: task.size, lambda error: error)

    def _choose(self, tasks: Sequence[Task]) -> list[Decoded]:
        """Token by token, each text by its own settings."""
        return decode(
            self._loaded,
            [task.draft for task in tasks],
            self._ends,
            self._read,
            forced_bos_token_id=tasks[0].opening,
            **self._settings,
        )

    def _search(self, tasks: Sequence[Task]) -> list[Decoded]:
        """With beams, by the library's own search."""
        import torch
        from transformers import GenerationConfig

        settings = GenerationConfig(
            num_beams=tasks[0].beams,
            length_penalty=self._own.length_penalty,
            early_stopping=self._own.early_stopping,
            max_new_tokens=tasks[0].draft.room,
            do_sample=False,
            eos_token_id=sorted(self._ends),
            pad_token_id=self._loaded.tokenizer.pad_token_id,
            forced_bos_token_id=tasks[0].opening,
            **self._settings,
        )
        with torch.inference_mode():
            written = self._loaded.model.generate(
                **padded(self._loaded, [task.draft.prompt for task in tasks]),
                generation_config=settings,
            )
        return [self._ended(row[1:]) for row in written.tolist()]

    def _ended(self, row: Sequence[int]) -> Decoded:
        for place, token in enumerate(row):
            if token in self._ends:
                return Decoded(tuple(row[:place]), "stop")
        return Decoded(tuple(row), "length")

    def _text(self, task: Task, decoded: Decoded) -> Text:
        ids = decoded.ids[1:] if task.opening is not None else decoded.ids
        text = self._read(ids)
        cuts = [text.index(mark) for mark in task.draft.stop if mark in text]
        return Text(
            text=text[: min(cuts)] if cuts else text,
            finish="stop" if cuts else decoded.finish,
            tokens=len(ids),
        )

    def _read(self, ids: Sequence[int]) -> str:
        return str(
            self._loaded.tokenizer.decode(
                list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False
            )
        )
