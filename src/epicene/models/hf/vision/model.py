"""Image-text models: look, and score, fill and generate where they can read text alone.

To look, the model writes a few words, greedily; besides, every choice is scored as a continuation
of the question, by the sum of its tokens' log-probabilities. Prompt and choice are tokenised as one
string. Where their letters make one token across the boundary, that token belongs to the choice,
and the prompt ends before it.
"""

from __future__ import annotations

import inspect
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from epicene.core.records import LOGPROB_DECIMALS, Answer, Choice, Failed, Look, digest, verb
from epicene.models import UnanswerableError, images
from epicene.models.hf.batching import (
    NoMemoryError,
    batch_limit,
    free_memory,
    position_limit,
    retry_on_oom,
    run_halving_on_oom,
)
from epicene.models.hf.causal import HfCausal
from epicene.models.hf.checkpoint import first_line
from epicene.models.hf.generation.decoding import (
    DecodedTokens,
    GenerationJob,
    SamplingParams,
    clear_generation_config,
    decode_batch,
    end_token_ids,
)
from epicene.models.hf.non_finite import NonFiniteError, NumberFormat, check_logprobs
from epicene.models.hf.tokenisation import decode_text
from epicene.models.hf.vision.inputs import (
    NO_PLACE_FOR_AN_IMAGE,
    VisionInput,
    batch_tensors,
    make_vision_input,
    prompt_style,
    render_prompt,
)
from epicene.models.output_parsing import match_choice, question_with_choices, strip_thinking

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.models import Batch, ImageStore, NumberedAnswers
    from epicene.models.hf.loading import LoadedModel


class ChoiceTokens(NamedTuple):
    """How many tokens of the prompt are dropped, and the tokens of each choice after that."""

    dropped: int
    ids: tuple[tuple[int, ...], ...]

    @property
    def reads(self) -> list[tuple[int, ...]]:
        """What is read after the prompt so that every choice is scored, in as few rows as do.

        A choice's last token is only predicted; what is the beginning of another row needs none.
        """
        wanted = sorted({choice[:-1] for choice in self.ids}, key=len, reverse=True)
        kept: list[tuple[int, ...]] = []
        for read in wanted:
            if not any(longer[: len(read)] == read for longer in kept):
                kept.append(read)
        return kept


def choices_after_prompt(tokenizer: Any, prompt: str, choices: Sequence[str]) -> ChoiceTokens:
    """The choices as continuations of a prompt, after a space unless the prompt ends a line."""
    alone = _token_ids(tokenizer, prompt)
    space = "" if prompt[-1:].isspace() or alone[-1] in tokenizer.all_special_ids else " "
    whole = [_token_ids(tokenizer, f"{prompt}{space}{choice}") for choice in choices]
    shared = 0
    for tokens in zip(alone, *whole, strict=False):
        if len(set(tokens)) > 1:
            break
        shared += 1
    return ChoiceTokens(len(alone) - shared, _checked_tokens(tuple(t[shared:]) for t in whole))


def choices_as_answers(tokenizer: Any, choices: Sequence[str]) -> ChoiceTokens:
    """The choices as texts of their own, which a decoder generates from its start token."""
    return ChoiceTokens(
        0, _checked_tokens(tuple(_token_ids(tokenizer, choice)) for choice in choices)
    )


def _checked_tokens(ids: Any) -> tuple[tuple[int, ...], ...]:
    found = tuple(ids)
    if not all(found):
        raise UnanswerableError("the tokenizer makes no token from one of the choices")
    return found


def _token_ids(tokenizer: Any, text: str) -> list[int]:
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])


class _ChoiceRow(NamedTuple):
    """Which view, how much of its prompt is dropped, and what is read after it."""

    line: int
    dropped: int
    read: tuple[int, ...]

    @property
    def form(self) -> tuple[int, int]:
        """What rows must share to go together."""
        return self.dropped, len(self.read)


class ChoiceScorer:
    """Scores the choices of views of one shape; `start` is the token a decoder starts from."""

    def __init__(self, loaded: LoadedModel, start: int | None) -> None:
        self._model, self._device = loaded.model, loaded.device
        self._tokenizer = loaded.processor.tokenizer
        self._start = start
        self._number_format = NumberFormat.of(loaded)
        self._keeps = "logits_to_keep" in inspect.signature(loaded.model.forward).parameters
        self._known: dict[tuple[str, tuple[str, ...]], ChoiceTokens] = {}

    def score(self, views: Sequence[VisionInput]) -> list[list[list[float]]]:
        """The log-probabilities of the tokens of every choice of every view."""
        choices = [self._continuations(view) for view in views]
        scores: list[list[list[float]]] = [[[]] * len(each.ids) for each in choices]
        rows = [
            _ChoiceRow(line, each.dropped, read)
            for line, each in enumerate(choices)
            for read in each.reads
        ]
        form = attrgetter("form")
        for _, group in groupby(sorted(rows, key=form), key=form):
            alike = list(group)
            for row, steps in zip(alike, self._predicted(views, alike), strict=True):
                for number, ids in enumerate(choices[row.line].ids):
                    if row.read[: len(ids) - 1] == ids[:-1]:
                        pairs = zip(steps, ids, strict=False)
                        scores[row.line][number] = [float(step[token]) for step, token in pairs]
        return scores

    def check(self, view: VisionInput, scores: Sequence[Sequence[float]]) -> None:
        """Raise `NonFiniteError` if a choice's log-probability is not finite."""
        ids = self._continuations(view).ids
        for choice, own, logprobs in zip(view.request.choices, ids, scores, strict=True):

            def token(index: int, own: Sequence[int] = own) -> str:
                return str(self._tokenizer.decode([own[index]]))

            check_logprobs(logprobs, token, choice, self._number_format)

    def _continuations(self, view: VisionInput) -> ChoiceTokens:
        """The tokens of a view's choices, worked out once for each prompt."""
        key = view.prompt, view.request.choices
        if key not in self._known:
            self._known[key] = (
                choices_after_prompt(self._tokenizer, *key)
                if self._start is None
                else choices_as_answers(self._tokenizer, view.request.choices)
            )
        return self._known[key]

    def _predicted(self, views: Sequence[VisionInput], rows: Sequence[_ChoiceRow]) -> Any:
        """Log-probabilities of the token after each prompt, and after each token read then."""
        import torch

        steps = len(rows[0].read) + 1
        settings: dict[str, Any] = {}
        read = [views[row.line] for row in rows]
        if self._start is not None:
            begun = [(self._start, *row.read) for row in rows]
            settings["decoder_input_ids"] = torch.tensor(begun, device=self._device)
        else:
            read = [
                view.followed_by(row.read, row.dropped)
                for view, row in zip(read, rows, strict=True)
            ]
            if self._keeps:
                settings["logits_to_keep"] = steps
        out = self._model(**batch_tensors(read, self._device, self._model.dtype), **settings)
        return out.logits[:, -steps:].float().log_softmax(-1).cpu()


# An image's longer side in pixels; the processors of most families make it smaller still.
LONGEST_SIDE = 1024
# One word is expected; the rest is for a sentence around it.
MAX_ANSWER_TOKENS = 32
# Images in one pass: on a CPU, on an accelerator.
_BATCH_ROWS = (4, 16)
_GREEDY = SamplingParams(key=b"", seed=0, sample=0, temperature=0.0)


class Looker:
    """Answers look with one model."""

    def __init__(self, loaded: LoadedModel, notes: dict[str, Any]) -> None:
        self._loaded, self._model, self._processor = loaded, loaded.model, loaded.processor
        self._family = str(loaded.model.config.model_type)
        self._ends = end_token_ids(loaded)
        self._start = _decoder_start(loaded.model)
        self._scorer = ChoiceScorer(loaded, self._start)
        self._read = partial(decode_text, loaded.processor.tokenizer)
        asked = loaded.options.batch_size
        self._rows = _BATCH_ROWS[loaded.device.type != "cpu"] if asked == "auto" else asked
        self._max_length = position_limit(loaded.model)
        self._notes = notes
        notes["asked"] = prompt_style(self._processor, self._family)
        notes["longest side"] = LONGEST_SIDE

    def answer(
        self, requests: Sequence[tuple[int, Look]], files: ImageStore
    ) -> Iterator[NumberedAnswers]:
        """Answer a few requests at a time, those of one shape together."""
        for first in range(0, len(requests), self._rows):
            views: list[VisionInput] = []
            failed: list[tuple[int, Answer]] = []
            for number, request in requests[first : first + self._rows]:
                try:
                    views.append(self._view(number, request, files))
                except (UnanswerableError, images.ImageError, NoMemoryError) as error:
                    failed.append((number, Failed(reason=str(error))))
            if failed:
                yield failed
            shape = attrgetter("shape")
            for _, group in groupby(sorted(views, key=shape), key=shape):
                alike = list(group)
                answers = run_halving_on_oom(
                    self._look, alike, self._notes, misfit=lambda error: Failed(reason=str(error))
                )
                yield [(each.number, answer) for each, answer in zip(alike, answers, strict=True)]

    def _view(self, number: int, request: Look, files: ImageStore) -> VisionInput:
        if not request.choices:
            raise UnanswerableError("there are no choices to choose from")
        data, _ = images.read_stored_image(files, request.image)
        question = question_with_choices(request.question, request.choices)
        prompt = render_prompt(self._processor, self._family, question)
        made = retry_on_oom(
            lambda: make_vision_input(
                self._processor, images.to_rgb(data, LONGEST_SIDE), prompt, number, request
            )
        )
        self._check(made)
        return made

    def _check(self, made: VisionInput) -> None:
        """Raise for an input without an image, or longer than the model can read."""
        config, ids = self._model.config, made.ids
        marks = (getattr(config, name, None) for name in ("image_token_id", "image_token_index"))
        mark = next((mark for mark in marks if mark is not None), None)
        if mark is not None and mark not in ids:
            raise UnanswerableError(NO_PLACE_FOR_AN_IMAGE)
        if self._max_length is not None and len(ids) + MAX_ANSWER_TOKENS > self._max_length:
            raise UnanswerableError(
                f"image and question are {len(ids)} tokens, and with an answer of "
                f"{MAX_ANSWER_TOKENS} they exceed the {self._max_length} tokens that the model "
                "can read"
            )

    def _look(self, views: Sequence[VisionInput]) -> list[Answer]:
        """The answers to views of one shape."""
        import torch

        try:
            with torch.inference_mode():
                texts, scores = self._generate(views), self._scorer.score(views)
        except ValueError as error:
            # Processor and weights of two releases may count an image's tokens differently.
            return [
                Failed(reason=f"the model could not process the image: {first_line(error)}")
            ] * len(views)
        self._notes["looked"] = self._notes.get("looked", 0) + len(views)
        return [self._choice(*each) for each in zip(views, texts, scores, strict=True)]

    def _choice(
        self, view: VisionInput, text: str | NonFiniteError, scores: Sequence[Sequence[float]]
    ) -> Answer:
        try:
            self._scorer.check(view, scores)
        except NonFiniteError as error:
            return Failed(reason=str(error))
        if isinstance(text, NonFiniteError):
            return Failed(reason=str(text))
        return Choice(
            choice=match_choice(text, view.request.choices),
            text=text,
            logprobs=tuple(round(sum(tokens), LOGPROB_DECIMALS) for tokens in scores),
        )

    def _generate(self, views: Sequence[VisionInput]) -> list[str | NonFiniteError]:
        jobs = [
            GenerationJob(
                number=each.number,
                prompt=each.ids,
                max_new_tokens=MAX_ANSWER_TOKENS,
                exact=False,
                stop=(),
                sampling=_sampling(each.request),
            )
            for each in views
        ]
        settings = {} if self._start is None else {"decoder_start_token_id": self._start}
        inputs = batch_tensors(views, self._loaded.device, self._model.dtype)
        decoded = decode_batch(self._loaded, jobs, self._ends, self._read, inputs, **settings)
        return [
            strip_thinking(self._read(found.ids))[0].strip()
            if isinstance(found, DecodedTokens)
            else found
            for found in decoded
        ]


def _sampling(request: Look) -> SamplingParams:
    """Greedy, unless the request has a temperature: then each has its own noise."""
    if not request.temperature:
        return _GREEDY
    return SamplingParams(key=digest(request), seed=0, sample=0, temperature=request.temperature)


def _decoder_start(model: Any) -> int | None:
    """The token a decoder starts from; None where the answer continues the question."""
    if not model.config.is_encoder_decoder:
        return None
    configs = (model.generation_config, model.config, model.config.get_text_config())
    found = (getattr(config, "decoder_start_token_id", None) for config in configs)
    return next((token for token in found if token is not None), 0)


class HfImageText:
    """An image-text model; without images it answers as a causal model."""

    def __init__(self, loaded: LoadedModel) -> None:
        self.identity = loaded.identity
        self.batch_limit = batch_limit(loaded)
        self._notes: dict[str, Any] = {}
        # Both read the end tokens from the model's own settings, which are then cleared.
        self._looker = Looker(loaded, self._notes)
        self._text = HfCausal(loaded) if _reads_text_alone(loaded.model) else None
        clear_generation_config(loaded.model)
        self.verbs = image_text_verbs(loaded.model)

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        """Answer batch by batch, in several parts each."""
        for batch in batches:
            if isinstance(batch[0][1], Look):
                looks = cast("Sequence[tuple[int, Look]]", batch)
                yield from self._looker.answer(looks, files)
            elif self._text:
                yield from self._text.answer(iter([batch]), files)

    def forget_prefixes(self) -> None:
        """Drop the cached shared prefixes: the model's weights may have changed."""
        if self._text:
            self._text.forget_prefixes()

    def notes(self) -> Mapping[str, object]:
        """How the answers were computed, for the manifest."""
        return {"pictures": dict(self._notes), **(self._text.notes() if self._text else {})}

    def close(self) -> None:
        """Free the weights; identity and notes remain available."""
        del self._looker
        if self._text:
            self._text.close()
        free_memory()


def image_text_verbs(model: Any) -> frozenset[str]:
    """The verbs of an image-text model; its weights are not needed."""
    return frozenset({verb(Look)}) | (HfCausal.verbs if _reads_text_alone(model) else frozenset())


def _reads_text_alone(model: Any) -> bool:
    """Whether the model accepts text without an image, and continues it."""
    pixels = inspect.signature(model.forward).parameters.get("pixel_values")
    optional = pixels is None or pixels.default is not inspect.Parameter.empty
    return optional and not model.config.is_encoder_decoder
