"""Sequence-to-sequence models: an encoder reads a text, a decoder writes another.

A translation is greedy, or found with as many beams as the model's own generation settings ask
for; a temperature above 0 samples instead. `generate` takes no beams.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from epicene.models.hf.decoding import Draft, as_answer
from epicene.models.hf.memory import TooLargeError, batch_limit, release
from epicene.models.hf.sampling import Choosing
from epicene.models.hf.seq2seq_writing import Task, Writer
from epicene.models.hf.tokens import UnanswerableError
from epicene.models.hf.translating import languages_of
from epicene.records import Failed, Generate, Translate, digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.models import Answered, Batch, Files
    from epicene.models.hf.loading import Loaded
    from epicene.models.hf.translating import Marked
    from epicene.records import Answer, Decoding, Request, Text

_BLANK_LINE = "\n\n"


@dataclass(frozen=True)
class _Plan:
    """What one request asks to be written. Greedy samples are alike: one is written for all."""

    tasks: tuple[Task, ...]
    samples: int
    system: str

    def answer(self, written: Sequence[Text | TooLargeError]) -> Answer:
        temperature = self.tasks[0].draft.choosing.temperature
        return as_answer(written, self.samples, temperature, self.system)


class HfSeq2Seq:
    """A sequence-to-sequence model that transformers can load."""

    verbs = frozenset({"translate", "generate"})

    def __init__(self, loaded: Loaded) -> None:
        self.identity = loaded.identity
        self.batch_limit = batch_limit(loaded)
        if hasattr(loaded.tokenizer, "punc_normalizer"):
            # Marian's rewrites punctuation where another package happens to be installed; what a
            # model reads must not hang on that.
            loaded.tokenizer.punc_normalizer = str
        self._languages = languages_of(loaded.tokenizer, loaded.model.config)
        self._notes: dict[str, Any] = {}
        self._writer = Writer(loaded, self._notes)

    def answer(
        self,
        batches: Iterator[Batch],
        files: Files,  # noqa: ARG002 - a text model has none
    ) -> Iterator[Answered]:
        """Answer batch by batch, in several parts each."""
        for batch in batches:
            yield from self._answer(batch)

    def notes(self) -> Mapping[str, object]:
        """How languages were told, texts decoded and chats read."""
        return dict(self._notes)

    def close(self) -> None:
        """Let go of the weights; identity and notes stay."""
        del self._writer
        release()

    def _answer(self, batch: Batch) -> Iterator[Answered]:
        plans: dict[int, _Plan] = {}
        failed: list[tuple[int, Answer]] = []
        for place, request in batch:
            try:
                plans[place] = self._plan(place, request)
            except UnanswerableError as error:
                failed.append((place, Failed(reason=str(error))))
        if failed:
            yield failed
        written: dict[int, list[Text | TooLargeError]] = defaultdict(list)
        for texts in self._writer.write([task for plan in plans.values() for task in plan.tasks]):
            for draft, text in texts:
                written[draft.place].append(text)
            done = [p for p, some in written.items() if len(some) == len(plans[p].tasks)]
            if done:
                yield [(place, plans[place].answer(written.pop(place))) for place in done]

    def _plan(self, place: int, request: Request) -> _Plan:
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
        return _Plan(tasks, request.samples, system)

    def _translation(self, place: int, request: Translate) -> _Plan:
        if not request.text.strip():
            raise UnanswerableError("there is no text to translate")
        marked = self._languages.mark(request.text, request.language, request.into)
        self._notes["languages"] = self._languages.way
        searched = request.decoding.temperature == 0 and not request.decoding.exact_length
        beams = self._writer.beams if searched else 1
        if searched:
            self._notes["translations"] = f"{beams} beams" if beams > 1 else "greedy"
        tasks = self._tasks(place, request, request.decoding, marked, 1, beams)
        return _Plan(tasks, samples=1, system="")

    def _tasks(
        self,
        place: int,
        request: Request,
        decoding: Decoding,
        marked: Marked,
        samples: int,
        beams: int,
    ) -> tuple[Task, ...]:
        if decoding.max_new_tokens < 1:
            raise UnanswerableError("at least one token must be asked for")
        if decoding.exact_length and decoding.stop:
            raise UnanswerableError("a text of an exact length cannot end at a stop string")
        opening = self._writer.opening if marked.opening is None else marked.opening
        temperature = decoding.temperature
        if temperature is None:
            temperature = self._writer.temperature
        # The opening token takes a place too.
        asked = decoding.max_new_tokens + (opening is not None)
        room = self._writer.room(len(marked.ids), asked, decoding.exact_length)
        key = digest(request)
        return tuple(
            Task(
                Draft(
                    place=place,
                    prompt=marked.ids,
                    room=room,
                    exact=decoding.exact_length,
                    stop=decoding.stop,
                    choosing=Choosing(
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
