"""How likely each choice is as an answer: the sum of its tokens' log-probabilities."""

from __future__ import annotations

import inspect
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.models.vision.choices import Continuations, after_prompt, as_answers
from epicene.models.vision.views import together

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.models.hf.loading import Loaded
    from epicene.models.vision.views import View


class _Row(NamedTuple):
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

    def __init__(self, loaded: Loaded, start: int | None) -> None:
        self._model, self._device = loaded.model, loaded.device
        self._tokenizer = loaded.processor.tokenizer
        self._start = start
        self._keeps = "logits_to_keep" in inspect.signature(loaded.model.forward).parameters
        self._known: dict[tuple[str, tuple[str, ...]], Continuations] = {}

    def score(self, views: Sequence[View]) -> list[list[float]]:
        """The log-probability of every choice of every view."""
        choices = [self._continuations(view) for view in views]
        scores = [[0.0] * len(each.ids) for each in choices]
        rows = [
            _Row(line, each.dropped, read)
            for line, each in enumerate(choices)
            for read in each.reads
        ]
        for _, group in groupby(sorted(rows, key=_form), key=_form):
            alike = list(group)
            for row, steps in zip(alike, self._predicted(views, alike), strict=True):
                for number, ids in enumerate(choices[row.line].ids):
                    if row.read[: len(ids) - 1] == ids[:-1]:
                        told = zip(steps, ids, strict=False)
                        scores[row.line][number] = sum(float(step[token]) for step, token in told)
        return scores

    def _continuations(self, view: View) -> Continuations:
        """The tokens of a view's choices, worked out once for each prompt."""
        key = view.prompt, view.request.choices
        if key not in self._known:
            self._known[key] = (
                after_prompt(self._tokenizer, *key)
                if self._start is None
                else as_answers(self._tokenizer, view.request.choices)
            )
        return self._known[key]

    def _predicted(self, views: Sequence[View], rows: Sequence[_Row]) -> Any:
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
        out = self._model(**together(read, self._device, self._model.dtype), **settings)
        return out.logits[:, -steps:].float().log_softmax(-1).cpu()


def _form(row: _Row) -> tuple[int, int]:
    return row.form
