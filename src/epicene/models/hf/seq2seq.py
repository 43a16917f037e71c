"""Sequence-to-sequence models: translate and generate.

A translation is greedy, or uses as many beams as the model's own generation settings ask for; a
temperature above 0 samples instead. `generate` never uses beams.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from epicene.core.records import Failed, Generate, Text, Translate, digest
from epicene.models.hf.batching import TooLargeError, batch_limit, free_memory, run_halving_on_oom
from epicene.models.hf.causal import end_token_ids
from epicene.models.hf.generation.decoding import (
    DecodedTokens,
    GenerationJob,
    SamplingParams,
    decode_batch,
    pad_prompts,
    texts_answer,
)
from epicene.models.hf.generation.translation_languages import find_language_marking
from epicene.models.hf.tokenisation import UnanswerableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, MutableMapping, Sequence

    from epicene.core.records import Answer, Decoding, Request
    from epicene.models import Batch, ImageStore, NumberedAnswers
    from epicene.models.hf.generation.translation_languages import EncoderInput
    from epicene.models.hf.loading import LoadedModel

# Tokens read and written at once, padding and beams counted: on a CPU, on an accelerator.
_BATCH_TOKENS = (16_384, 262_144)
# What the model's own settings say must not be written.
_SUPPRESSION_SETTINGS = ("bad_words_ids", "suppress_tokens", "begin_suppress_tokens")


@dataclass(frozen=True)
class Seq2SeqJob:
    """A job, and what it must share with others to be written in one batch."""

    job: GenerationJob
    opening: int | None = None  # a token that the text must open with, and that is not shown
    beams: int = 1

    @property
    def shared(self) -> tuple[int, int, int]:
        """Beams weigh texts by their length, so those of a batch have the same room."""
        opening = -1 if self.opening is None else self.opening
        return opening, self.beams, self.job.room if self.beams > 1 else 0

    @property
    def size(self) -> int:
        """The tokens it may come to hold."""
        return self.job.size * self.beams


class Seq2SeqGenerator:
    """Writes texts with one model. Of its own settings nothing shapes a text but what is here."""

    def __init__(self, loaded: LoadedModel, notes: MutableMapping[str, Any]) -> None:
        from transformers import GenerationConfig

        self._loaded, self._notes = loaded, notes
        self._ends = end_token_ids(loaded)
        self._own = own = loaded.model.generation_config
        self.temperature = 1.0 if own.temperature is None else float(own.temperature)
        self.beams: int = own.num_beams or 1
        self.opening: int | None = own.forced_bos_token_id
        config = loaded.model.config
        self._longest: int | None = getattr(config, "max_position_embeddings", None)
        start = own.decoder_start_token_id
        self._settings = {
            "decoder_start_token_id": config.decoder_start_token_id if start is None else start,
            **{name: getattr(own, name) for name in _SUPPRESSION_SETTINGS},
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

    def write(
        self, tasks: Sequence[Seq2SeqJob]
    ) -> Iterator[list[tuple[GenerationJob, Text | TooLargeError]]]:
        """Write all texts, a batch at a time."""
        asked = self._loaded.options.batch_size
        tokens = _BATCH_TOKENS[self._loaded.device.type != "cpu"]
        order = sorted(tasks, key=lambda task: (task.shared, -task.job.room, -task.size))
        for _, group in groupby(order, key=lambda task: task.shared):
            rest = list(group)
            while rest:
                widest = max(task.size for task in rest)
                count = max(1, tokens // widest) if asked == "auto" else asked
                batch, rest = rest[:count], rest[count:]
                texts = self._batch(batch)
                yield [(task.job, text) for task, text in zip(batch, texts, strict=True)]

    def _batch(self, tasks: Sequence[Seq2SeqJob]) -> list[Text | TooLargeError]:
        def run(part: Sequence[Seq2SeqJob]) -> list[Text | TooLargeError]:
            decoded = self._search(part) if part[0].beams > 1 else self._choose(part)
            self._notes["written"] = self._notes.get("written", 0) + len(part)
            return [self._text(task, found) for task, found in zip(part, decoded, strict=True)]

        return run_halving_on_oom(
            run, tasks, self._notes, lambda task: task.size, lambda error: error
        )

    def _choose(self, tasks: Sequence[Seq2SeqJob]) -> list[DecodedTokens]:
        """Token by token, each text by its own settings."""
        return decode_batch(
            self._loaded,
            [task.job for task in tasks],
            self._ends,
            self._read,
            forced_bos_token_id=tasks[0].opening,
            **self._settings,
        )

    def _search(self, tasks: Sequence[Seq2SeqJob]) -> list[DecodedTokens]:
        """With beams, by the library's own search."""
        import torch
        from transformers import GenerationConfig

        settings = GenerationConfig(
            num_beams=tasks[0].beams,
            length_penalty=self._own.length_penalty,
            early_stopping=self._own.early_stopping,
            max_new_tokens=tasks[0].job.room,
            do_sample=False,
            eos_token_id=sorted(self._ends),
            pad_token_id=self._loaded.tokenizer.pad_token_id,
            forced_bos_token_id=tasks[0].opening,
            **self._settings,
        )
        with torch.inference_mode():
            written = self._loaded.model.generate(
                **pad_prompts(self._loaded, [task.job.prompt for task in tasks]),
                generation_config=settings,
            )
        return [self._ended(row[1:]) for row in written.tolist()]

    def _ended(self, row: Sequence[int]) -> DecodedTokens:
        for place, token in enumerate(row):
            if token in self._ends:
                return DecodedTokens(tuple(row[:place]), "stop")
        return DecodedTokens(tuple(row), "length")

    def _text(self, task: Seq2SeqJob, decoded: DecodedTokens) -> Text:
        ids = decoded.ids[1:] if task.opening is not None else decoded.ids
        text = self._read(ids)
        cuts = [text.index(mark) for mark in task.job.stop if mark in text]
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


_BLANK_LINE = "\n\n"


@dataclass(frozen=True)
class _Seq2SeqPlan:
    """What one request asks to be written. Greedy samples are alike: one is written for all."""

    tasks: tuple[Seq2SeqJob, ...]
    samples: int
    system: str

    def answer(self, written: Sequence[Text | TooLargeError]) -> Answer:
        temperature = self.tasks[0].job.sampling.temperature
        return texts_answer(written, self.samples, temperature, self.system)


class HfSeq2Seq:
    """A sequence-to-sequence model that transformers can load."""

    verbs = frozenset({"translate", "generate"})

    def __init__(self, loaded: LoadedModel) -> None:
        self.identity = loaded.identity
        self.batch_limit = batch_limit(loaded)
        if hasattr(loaded.tokenizer, "punc_normalizer"):
            # Marian's rewrites punctuation where another package happens to be installed; what a
            # model reads must not hang on that.
            loaded.tokenizer.punc_normalizer = str
        self._languages = find_language_marking(loaded.tokenizer, loaded.model.config)
        self._notes: dict[str, Any] = {}
        self._generator = Seq2SeqGenerator(loaded, self._notes)

    def answer(
        self,
        batches: Iterator[Batch],
        files: ImageStore,  # noqa: ARG002 - a text model has none
    ) -> Iterator[NumberedAnswers]:
        """Answer batch by batch, in several parts each."""
        for batch in batches:
            yield from self._answer(batch)

    def notes(self) -> Mapping[str, object]:
        """How languages were told, texts decoded and chats read."""
        return dict(self._notes)

    def close(self) -> None:
        """Let go of the weights; identity and notes stay."""
        del self._generator
        free_memory()

    def _answer(self, batch: Batch) -> Iterator[NumberedAnswers]:
        plans: dict[int, _Seq2SeqPlan] = {}
        failed: list[tuple[int, Answer]] = []
        for place, request in batch:
            try:
                plans[place] = self._plan(place, request)
            except UnanswerableError as error:
                failed.append((place, Failed(reason=str(error))))
        if failed:
            yield failed
        written: dict[int, list[Text | TooLargeError]] = defaultdict(list)
        for texts in self._generator.write(
            [task for plan in plans.values() for task in plan.tasks]
        ):
            for job, text in texts:
                written[job.place].append(text)
            done = [p for p, some in written.items() if len(some) == len(plans[p].tasks)]
            if done:
                yield [(place, plans[place].answer(written.pop(place))) for place in done]

    def _plan(self, place: int, request: Request) -> _Seq2SeqPlan:
        if isinstance(request, Translate):
            return self._translation(place, request)
        assert isinstance(request, Generate)
        if request.samples < 1:
            raise UnanswerableError("at least one sample must be asked for")
        prompt, system = request.prompt, ""
        if not isinstance(prompt, str):
            self._notes["chats"] = "contents joined by blank lines"
            system = "user" if any(message.role == "system" for message in prompt) else ""
            prompt = _BLANK_LINE.join(message.content for message in prompt)
        if not prompt.strip():
            raise UnanswerableError("there is nothing to read: the prompt is empty")
        marked = self._languages.plain(prompt, request.language)
        tasks = self._tasks(place, request, request.decoding, marked, request.samples, beams=1)
        return _Seq2SeqPlan(tasks, request.samples, system)

    def _translation(self, place: int, request: Translate) -> _Seq2SeqPlan:
        if not request.text.strip():
            raise UnanswerableError("there is no text to translate")
        marked = self._languages.mark(request.text, request.language, request.into)
        self._notes["languages"] = self._languages.way
        searched = request.decoding.temperature == 0 and not request.decoding.exact_length
        beams = self._generator.beams if searched else 1
        if searched:
            self._notes["translations"] = f"{beams} beams" if beams > 1 else "greedy"
        tasks = self._tasks(place, request, request.decoding, marked, 1, beams)
        return _Seq2SeqPlan(tasks, samples=1, system="")

    def _tasks(
        self,
        place: int,
        request: Request,
        decoding: Decoding,
        marked: EncoderInput,
        samples: int,
        beams: int,
    ) -> tuple[Seq2SeqJob, ...]:
        if decoding.max_new_tokens < 1:
            raise UnanswerableError("at least one token must be asked for")
        if decoding.exact_length and decoding.stop:
            raise UnanswerableError("a text of an exact length cannot end at a stop string")
        opening = self._generator.opening if marked.opening is None else marked.opening
        temperature = decoding.temperature
        if temperature is None:
            temperature = self._generator.temperature
        # The opening token takes a place too.
        asked = decoding.max_new_tokens + (opening is not None)
        room = self._generator.room(len(marked.ids), asked, decoding.exact_length)
        key = digest(request)
        return tuple(
            Seq2SeqJob(
                GenerationJob(
                    place=place,
                    prompt=marked.ids,
                    room=room,
                    exact=decoding.exact_length,
                    stop=decoding.stop,
                    sampling=SamplingParams(
                        key=key,
                        seed=decoding.seed,
                        sample=sample,
                        temperature=temperature,
                        top_k=decoding.top_k,
                        top_p=decoding.top_p,
                    ),
                ),
                opening,
                beams,
            )
            for sample in range(samples if temperature > 0 else 1)
        )
