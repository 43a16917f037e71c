"""Sequence-to-sequence models: translate and generate.

A translation is greedy, or uses as many beams as the model's own generation settings ask for; a
temperature above 0 samples instead. `generate` never uses beams.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from epicene.core.records import Generate, Text, Translate
from epicene.models import UnanswerableError
from epicene.models.hf.batching import (
    GENERATION_TOKENS,
    batch_limit,
    free_memory,
    run_halving_on_oom,
)
from epicene.models.hf.generation.decoding import (
    DecodedTokens,
    GenerationJob,
    GenerationPlan,
    GrowingText,
    StopStrings,
    answer_by_jobs,
    check_decoding,
    clear_generation_config,
    decode_batch,
    end_token_ids,
    generation_jobs,
    pad_prompts,
    sampling_temperature,
)
from epicene.models.hf.generation.translation_languages import find_language_marking
from epicene.models.hf.non_finite import NumberFormat, non_finite_rows, rerun_alone
from epicene.models.hf.tokenisation import BLANK_LINE, decode_text
from epicene.models.output_parsing import cut_at_stop

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, MutableMapping, Sequence

    from epicene.core.records import Request
    from epicene.models import Batch, ImageStore, NumberedAnswers
    from epicene.models.hf.generation.decoding import RowFailure
    from epicene.models.hf.generation.translation_languages import EncoderInput
    from epicene.models.hf.loading import LoadedModel
    from epicene.models.hf.non_finite import NonFiniteError

# The model's own settings for tokens that must not be generated.
_SUPPRESSION_SETTINGS = ("bad_words_ids", "suppress_tokens", "begin_suppress_tokens")


@dataclass(frozen=True, kw_only=True)
class Seq2SeqJob(GenerationJob):
    """A job with what all jobs of a batch must share."""

    forced_bos: int | None = None  # a token that the text must begin with, and that is not shown
    beams: int = 1

    @property
    def shared(self) -> tuple[int, int, int]:
        """Beams weigh texts by their length, so those of a batch have the same maximum."""
        forced_bos = -1 if self.forced_bos is None else self.forced_bos
        return forced_bos, self.beams, self.max_new_tokens if self.beams > 1 else 0

    @property
    def size(self) -> int:
        """The most tokens of prompt and text together, over all beams."""
        return super().size * self.beams


class Seq2SeqGenerator:
    """Generate texts with one model; its own settings are off except those kept here."""

    def __init__(self, loaded: LoadedModel, notes: MutableMapping[str, Any]) -> None:
        self._loaded, self._notes = loaded, notes
        self._read = partial(decode_text, loaded.tokenizer)
        self._ends = end_token_ids(loaded)
        self.own = own = clear_generation_config(loaded.model)
        self.beams: int = own.num_beams or 1
        config = loaded.model.config
        self._max_length: int | None = getattr(config, "max_position_embeddings", None)
        start = own.decoder_start_token_id
        self._settings = {
            "decoder_start_token_id": config.decoder_start_token_id if start is None else start,
            **{name: getattr(own, name) for name in _SUPPRESSION_SETTINGS},
        }

    def room(self, read: int, asked: int, exact: bool) -> int:
        """How many tokens can be generated. The input must fit whole."""
        if self._max_length is None or max(read, asked) <= self._max_length:
            return asked
        if read > self._max_length or exact:
            raise UnanswerableError(
                f"{max(read, asked)} tokens exceed the {self._max_length} positions of the model"
            )
        return self._max_length

    def generate(
        self, jobs: Sequence[Seq2SeqJob]
    ) -> Iterator[list[tuple[Seq2SeqJob, Text | RowFailure]]]:
        """Run all jobs, a batch at a time."""
        asked = self._loaded.options.batch_size
        tokens = GENERATION_TOKENS[self._loaded.device.type != "cpu"]
        order = sorted(jobs, key=lambda job: (job.shared, -job.max_new_tokens, -job.size))
        for _, group in groupby(order, key=lambda job: job.shared):
            rest = list(group)
            while rest:
                widest = max(job.size for job in rest)
                count = max(1, tokens // widest) if asked == "auto" else asked
                batch, rest = rest[:count], rest[count:]
                yield list(zip(batch, self._batch(batch), strict=True))

    def _batch(self, jobs: Sequence[Seq2SeqJob]) -> list[Text | RowFailure]:
        decode = self._search if jobs[0].beams > 1 else self._choose

        def run(part: Sequence[Seq2SeqJob]) -> list[Text | RowFailure]:
            decoded = rerun_alone(decode, part, decode(part), lambda job: len(job.prompt))
            self._notes["written"] = self._notes.get("written", 0) + len(part)
            return [
                self._text(job, found) if isinstance(found, DecodedTokens) else found
                for job, found in zip(part, decoded, strict=True)
            ]

        return run_halving_on_oom(run, jobs, self._notes, lambda job: job.size, lambda error: error)

    def _choose(self, jobs: Sequence[Seq2SeqJob]) -> list[DecodedTokens | NonFiniteError]:
        """Token by token, each text by its own settings."""
        return decode_batch(
            self._loaded,
            jobs,
            self._ends,
            self._read,
            forced_bos_token_id=jobs[0].forced_bos,
            **self._settings,
        )

    def _search(self, jobs: Sequence[Seq2SeqJob]) -> list[DecodedTokens | NonFiniteError]:
        """With beams, by the library's own search."""
        import torch
        from transformers import GenerationConfig

        settings = GenerationConfig(
            num_beams=jobs[0].beams,
            length_penalty=self.own.length_penalty,
            early_stopping=self.own.early_stopping,
            max_new_tokens=jobs[0].max_new_tokens,
            do_sample=False,
            eos_token_id=sorted(self._ends),
            pad_token_id=self._loaded.tokenizer.pad_token_id,
            forced_bos_token_id=jobs[0].forced_bos,
            **self._settings,
        )
        stops = StopStrings(self._read)
        texts = [GrowingText(job, self._ends, stops) for job in jobs]
        check = _FiniteBeams(texts, NumberFormat.of(self._loaded))
        with torch.inference_mode():
            generated = self._loaded.model.generate(
                **pad_prompts(self._loaded, [job.prompt for job in jobs]),
                generation_config=settings,
                logits_processor=[check],
            )
        return [
            text.error or self._ended(row[1:])
            for text, row in zip(texts, generated.tolist(), strict=True)
        ]

    def _ended(self, row: Sequence[int]) -> DecodedTokens:
        for length, token in enumerate(row):
            if token in self._ends:
                return DecodedTokens(tuple(row[:length]), "stop")
        return DecodedTokens(tuple(row), "length")

    def _text(self, job: Seq2SeqJob, decoded: DecodedTokens) -> Text:
        ids = decoded.ids[1:] if job.forced_bos is not None else decoded.ids
        text = self._read(ids)
        shown = cut_at_stop(text, job.stop)
        finish = decoded.finish if shown == text else "stop"
        return Text(text=shown, finish=finish, tokens=len(ids))


class _FiniteBeams:
    """A logits processor that only changes numbers that are not finite.

    The search would treat NaN as the best of all. A text with such a beam fails, and the search
    continues with numbers that do not stop it.
    """

    def __init__(self, texts: Sequence[GrowingText], number_format: NumberFormat) -> None:
        self._texts, self._number_format = texts, number_format
        self._step = 0

    def __call__(self, _: Any, scores: Any) -> Any:
        beams = len(scores) // len(self._texts)
        self._step += 1
        for line, value in non_finite_rows(scores).items():
            self._texts[line // beams].fail(self._step, value, self._number_format)
            scores[line] = 0.0
        return scores


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
            yield from answer_by_jobs(batch, self._plan, self._generator.generate)

    def notes(self) -> Mapping[str, object]:
        """How languages were marked, texts decoded and chats read."""
        return dict(self._notes)

    def close(self) -> None:
        """Free the weights; identity and notes remain available."""
        del self._generator
        free_memory()

    def _plan(self, number: int, request: Request) -> GenerationPlan[Seq2SeqJob]:
        if isinstance(request, Translate):
            return self._translation(number, request)
        assert isinstance(request, Generate)
        prompt, system = request.prompt, ""
        if not isinstance(prompt, str):
            self._notes["chats"] = "contents joined by blank lines"
            system = "user" if any(message.role == "system" for message in prompt) else ""
            prompt = BLANK_LINE.join(message.content for message in prompt)
        if not prompt.strip():
            raise UnanswerableError("there is nothing to read: the prompt is empty")
        encoded = self._languages.for_text(prompt, request.language)
        jobs = self._jobs(number, request, encoded, request.samples, beams=1)
        return GenerationPlan(jobs, request.samples, system)

    def _translation(self, number: int, request: Translate) -> GenerationPlan[Seq2SeqJob]:
        if not request.text.strip():
            raise UnanswerableError("there is no text to translate")
        encoded = self._languages.for_translation(request.text, request.language, request.into)
        self._notes["languages"] = self._languages.description
        searched = request.decoding.temperature == 0 and not request.decoding.exact_length
        beams = self._generator.beams if searched else 1
        if searched:
            self._notes["translations"] = f"{beams} beams" if beams > 1 else "greedy"
        return GenerationPlan(self._jobs(number, request, encoded, 1, beams), samples=1)

    def _jobs(
        self,
        number: int,
        request: Generate | Translate,
        encoded: EncoderInput,
        samples: int,
        beams: int,
    ) -> tuple[Seq2SeqJob, ...]:
        check_decoding(request)
        own, decoding = self._generator.own, request.decoding
        forced_bos = own.forced_bos_token_id if encoded.forced_bos is None else encoded.forced_bos
        # The forced token takes up one position too.
        asked = decoding.max_new_tokens + (forced_bos is not None)
        room = self._generator.room(len(encoded.ids), asked, decoding.exact_length)
        job = partial(Seq2SeqJob, forced_bos=forced_bos, beams=beams)
        temperature = sampling_temperature(decoding, own)
        return generation_jobs(job, number, request, encoded.ids, room, temperature, samples)
