"""The verb look, for a local image-text model.

The model writes a few words, each token the likeliest; beside that every choice is scored as what
might have been written after the question, by the sum of its tokens' log-probabilities.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from epicene.models import pictures
from epicene.models.choosing import chosen, question_with_choices
from epicene.models.hf.decoding import Draft, decode
from epicene.models.hf.generating import end_tokens
from epicene.models.hf.memory import halving
from epicene.models.hf.positions import position_limit
from epicene.models.hf.sampling import Choosing
from epicene.models.hf.sources import sentence
from epicene.models.hf.tokens import UnanswerableError
from epicene.models.thinking import without_thinking
from epicene.models.vision.prompts import rendered, way
from epicene.models.vision.scoring import ChoiceScorer
from epicene.models.vision.views import View, together, view
from epicene.records import DECIMALS, Answer, Choice, Failed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.models import Answered, Files
    from epicene.models.hf.loading import Loaded
    from epicene.records import Look

# A picture's longer side in pixels; the processors of most families make it smaller still.
LONGEST_SIDE = 1024
# A word is asked for; the rest is room for a sentence around it.
ROOM = 32
# Pictures that go through the model at once: on a CPU, on an accelerator.
_ROWS = (4, 16)
_LIKELIEST = Choosing(key=b"", seed=0, sample=0, temperature=0.0)


class Looker:
    """Looks with one model."""

    def __init__(self, loaded: Loaded, notes: dict[str, Any]) -> None:
        self._loaded, self._model, self._processor = loaded, loaded.model, loaded.processor
        self._family = str(loaded.model.config.model_type)
        self._ends = end_tokens(loaded)
        self._start = _decoder_start(loaded.model)
        self._scorer = ChoiceScorer(loaded, self._start)
        asked = loaded.options.batch_size
        self._rows = _ROWS[loaded.device.type != "cpu"] if asked == "auto" else asked
        self._longest = position_limit(loaded.model)
        self._notes = notes
        notes["asked"] = way(self._processor, self._family)
        notes["longest side"] = LONGEST_SIDE

    def answer(self, requests: Sequence[tuple[int, Look]], files: Files) -> Iterator[Answered]:
        """Answer a few requests at a time, those of one shape together."""
        for first in range(0, len(requests), self._rows):
            views: list[View] = []
            failed: list[tuple[int, Answer]] = []
            for place, request in requests[first : first + self._rows]:
                try:
                    views.append(self._view(place, request, files))
                except (UnanswerableError, pictures.PictureError) as error:
                    failed.append((place, Failed(reason=str(error))))
            if failed:
                yield failed
            for _, group in groupby(sorted(views, key=_shape), key=_shape):
                alike = list(group)
                answers = halving(
                    self._look, alike, self._notes, misfit=lambda error: Failed(reason=str(error))
                )
                yield [(each.place, answer) for each, answer in zip(alike, answers, strict=True)]

    def _view(self, place: int, request: Look, files: Files) -> View:
        if not request.choices:
            raise UnanswerableError("there are no choices to choose from")
        data, _ = pictures.kept(files, request.image)
        question = question_with_choices(request.question, request.choices)
        prompt = rendered(self._processor, self._family, question)
        made = view(self._processor, pictures.unpacked(data, LONGEST_SIDE), prompt, place, request)
        self._check(made)
        return made

    def _check(self, made: View) -> None:
        """Refuse what shows the model no picture, or more than it can read."""
        config, ids = self._model.config, made.ids
        marks = (getattr(config, name, None) for name in ("image_token_id", "image_token_index"))
        mark = next((mark for mark in marks if mark is not None), None)
        if mark is not None and mark not in ids:
            raise UnanswerableError("the model's prompt has no place for a picture")
        if self._longest is not None and len(ids) + ROOM > self._longest:
            raise UnanswerableError(
                f"picture and question are {len(ids)} tokens, and with an answer of {ROOM} more "
                f"than the {self._longest} the model can read"
            )

    def _look(self, views: Sequence[View]) -> list[Answer]:
        """The answers to views of one shape."""
        import torch

        try:
            with torch.inference_mode():
                texts, scores = self._written(views), self._scorer.score(views)
        except ValueError as error:
            # Processor and weights of two releases may count a picture's tokens differently.
            return [Failed(reason=f"the model cannot look: {sentence(error)}")] * len(views)
        self._notes["looked"] = self._notes.get("looked", 0) + len(views)
        return [
            Choice(
                choice=chosen(text, each.request.choices),
                text=text,
                logprobs=tuple(round(score, DECIMALS) for score in found),
            )
            for each, text, found in zip(views, texts, scores, strict=True)
        ]

    def _written(self, views: Sequence[View]) -> list[str]:
        drafts = [
            Draft(
                place=each.place,
                prompt=each.ids,
                room=ROOM,
                exact=False,
                stop=(),
                choosing=_LIKELIEST,
            )
            for each in views
        ]
        settings = {} if self._start is None else {"decoder_start_token_id": self._start}
        inputs = together(views, self._loaded.device, self._model.dtype)
        decoded = decode(self._loaded, drafts, self._ends, self._read, inputs, **settings)
        return [without_thinking(self._read(found.ids))[0].strip() for found in decoded]

    def _read(self, ids: Sequence[int]) -> str:
        return str(
            self._processor.tokenizer.decode(
                list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False
            )
        )


def _shape(each: View) -> tuple[tuple[str, tuple[int, ...]], ...]:
    return each.shape


def _decoder_start(model: Any) -> int | None:
    """The token a decoder starts from; None where the answer continues the question."""
    if not model.config.is_encoder_decoder:
        return None
    places = (model.generation_config, model.config, model.config.get_text_config())
    found = (getattr(place, "decoder_start_token_id", None) for place in places)
    return next((token for token in found if token is not None), 0)
