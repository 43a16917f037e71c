"""The verb generate, for a causal model.

Only what a request asks shapes its text: the model's own top-k, top-p and repetition penalty
are off; its temperature is taken where the request leaves it open. A plain prompt is opened as
the tokenizer opens any text.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from epicene.models.hf.continuous import Continuous, Limits, Means
from epicene.models.hf.decoding import Decoded, Draft, as_answer, decode
from epicene.models.hf.memory import TooLargeError, halving
from epicene.models.hf.positions import steady_length
from epicene.models.hf.proving import Company, prove, prove_batches
from epicene.models.hf.routes import TOKENS
from epicene.models.hf.sampling import Choosing, Drawing
from epicene.models.hf.stepping import Stepper
from epicene.models.hf.tokens import UnanswerableError
from epicene.models.thinking import without_thinking
from epicene.records import Answer, Failed, Generate, Text, digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.models import Answered
    from epicene.models.hf.chat import Chat
    from epicene.models.hf.continuous import Written
    from epicene.models.hf.loading import Loaded
    from epicene.models.hf.tokens import Encoder
    from epicene.records import Decoding, FirstToken

# Prompt and new tokens held at once, padding counted: on a CPU, on an accelerator.
_TOKENS = (16_384, 262_144)


@dataclass(frozen=True)
class _Plan:
    """What one request asks to be written. Greedy samples are alike: one is written for all."""

    request: Generate
    drafts: tuple[Draft, ...]
    temperature: float
    system: str

    def answer(self, written: Mapping[int, Text | TooLargeError]) -> Answer:
        texts = [written[draft.choosing.sample] for draft in self.drafts]
        return as_answer(texts, self.request.samples, self.temperature, self.system)


class Writer:
    """Writes texts with one model."""

    def __init__(self, loaded: Loaded, encoder: Encoder, chat: Chat, notes: dict[str, Any]) -> None:
        from transformers import GenerationConfig

        self._loaded, self._encoder, self._chat = loaded, encoder, chat
        self._notes = notes
        notes.update(written=0, tokens=0, settings="as asked; the model's own are off")
        own = loaded.model.generation_config
        self._temperature = 1.0 if own.temperature is None else float(own.temperature)
        self._ends = end_tokens(loaded)
        # A call takes from here whatever it leaves unset, so here everything is unset.
        loaded.model.generation_config = GenerationConfig()

    def answer(self, requests: Sequence[tuple[int, Generate]]) -> Iterator[Answered]:
        """Write for all requests together; an answer comes as soon as its last text is done."""
        plans: dict[int, _Plan] = {}
        failed: list[tuple[int, Answer]] = []
        for place, request in requests:
            try:
                plans[place] = self._plan(place, request)
            except UnanswerableError as error:
                failed.append((place, Failed(reason=str(error))))
        if failed:
            yield failed
        written: dict[int, dict[int, Text | TooLargeError]] = defaultdict(dict)
        for batch in self._write([draft for plan in plans.values() for draft in plan.drafts]):
            for draft, found in batch:
                text = found if isinstance(found, TooLargeError) else self._text(draft, found)
                written[draft.place][draft.choosing.sample] = text
            places = dict.fromkeys(draft.place for draft, _ in batch)
            done = [p for p in places if len(written[p]) == len(plans[p].drafts)]
            if done:
                yield [(place, plans[place].answer(written.pop(place))) for place in done]

    def drawing(self, decoding: Decoding) -> Drawing:
        """The law by which a text written in that way draws each token."""
        return Drawing(
            temperature=self._temperature_of(decoding),
            top_k=decoding.top_k,
            top_p=decoding.top_p,
            barred=tuple(sorted(self._ends)) if decoding.exact_length else (),
        )

    def _temperature_of(self, decoding: Decoding) -> float:
        if decoding.temperature is None:
            return self._temperature
        if decoding.temperature < 0:
            raise UnanswerableError("a temperature cannot be negative")
        return float(decoding.temperature)

    def _plan(self, place: int, request: Generate) -> _Plan:
        decoding = request.decoding
        _check(request)
        rendered = self._chat.render(request.prompt)
        policy: FirstToken = "tokenizer-default" if rendered.text else "bos"
        prompt = self._encoder.prompt(rendered.text, policy, templated=rendered.templated)
        room = self._room(len(prompt), decoding.max_new_tokens, decoding.exact_length)
        temperature = self._temperature_of(decoding)
        key = digest(request)
        drafts = tuple(
            Draft(
                place=place,
                prompt=prompt,
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
            )
            for sample in range(request.samples if temperature > 0 else 1)
        )
        return _Plan(request, drafts, temperature, rendered.system)

    def _room(self, prompt: int, asked: int, exact: bool) -> int:
        """How many new tokens fit after the prompt; the last one is never read."""
        longest = self._encoder.longest
        if longest is None or prompt + asked - 1 <= longest:
            return asked
        if exact:
            raise UnanswerableError(
                f"a prompt of {prompt} tokens and exactly {asked} new ones are more than the "
                f"{longest} the model can read"
            )
        return longest - prompt + 1

    def _write(self, drafts: Sequence[Draft]) -> Iterator[list[Written]]:
        """Write all drafts, in whatever order."""
        plain = drafts
        if continuous := self._continuous:
            plain = [draft for draft in drafts if not continuous.can_hold(draft)]
            yield from continuous.write([draft for draft in drafts if continuous.can_hold(draft)])
        for batch in self._batches(plain):
            yield self._write_padded(batch)

    @cached_property
    def _continuous(self) -> Continuous | None:
        """The faster way to write, for a model that is found fit for it."""
        stepper = Stepper(self._loaded)
        proof = prove(self._loaded, stepper)
        if proof.obstacle:
            self._notes.update(path="padded batch", because=proof.obstacle)
            return None
        self._notes["path"] = "continuous batches"
        ends = [limit for limit in (self._encoder.longest, proof.longest) if limit is not None]
        asked = self._loaded.options.batch_size
        accelerated = self._loaded.device.type != "cpu"
        limits = Limits(
            rows=sys.maxsize if asked == "auto" else asked,
            tokens=_TOKENS[accelerated],
            read=TOKENS[accelerated],
            longest=min(ends, default=None),
        )
        means = Means(stepper, self._ends, self._encoder.decode, limits, self._notes)
        return Continuous(means)

    def _batches(self, drafts: Sequence[Draft]) -> Iterator[list[Draft]]:
        """Drafts of similar length together, the longest first so that memory fails early."""
        batch: list[Draft] = []
        prompt = room = 0
        for draft in sorted(drafts, key=self._order):
            alike = len(draft.prompt) == prompt
            prompt, room = max(prompt, len(draft.prompt)), max(room, draft.room)
            if batch and not self._together(len(batch) + 1, prompt, room, alike):
                yield batch
                batch, prompt, room = [], len(draft.prompt), draft.room
            batch.append(draft)
        if batch:
            yield batch

    def _order(self, draft: Draft) -> tuple[int, int]:
        """By room; by prompt first where only prompts of one length may be together."""
        sizes = -draft.room, -len(draft.prompt)
        return sizes if self._company == "padded" else (sizes[1], sizes[0])

    def _together(self, rows: int, prompt: int, room: int, alike: bool) -> bool:
        """Whether so many rows can be a padded batch and every text stay what it is alone.

        `prompt` and `room` are the largest of them; `alike` if the last has a prompt as long.
        """
        asked = self._loaded.options.batch_size
        if asked != "auto" and rows > asked:
            return False
        # Every row is read on until the last is finished, padding and all.
        read = prompt + room - 1
        ends = self._encoder.longest, steady_length(self._loaded.model.config)
        if rows * read > _TOKENS[self._loaded.device.type != "cpu"] or any(
            end is not None and read > end for end in ends
        ):
            return False
        return self._company == "padded" or (alike and self._company != "one by one")

    @cached_property
    def _company(self) -> Company:
        """What a batch may hold: some families look at padding, or mix up their rows."""
        found = prove_batches(self._loaded)
        self._notes["batches"] = found
        return found

    def _write_padded(self, batch: Sequence[Draft]) -> list[Written]:
        def run(part: Sequence[Draft]) -> list[Decoded | TooLargeError]:
            return [*decode(self._loaded, part, self._ends, self._encoder.decode)]

        found = halving(run, batch, self._notes, lambda draft: draft.size, lambda error: error)
        return list(zip(batch, found, strict=True))

    def _text(self, draft: Draft, decoded: Decoded) -> Text:
        self._notes["written"] += 1
        self._notes["tokens"] += len(decoded.ids)
        text = self._encoder.decode(decoded.ids)
        cuts = [text.index(mark) for mark in draft.stop if mark in text]
        shown, thinking = without_thinking(text[: min(cuts)] if cuts else text)
        return Text(text=shown, finish=decoded.finish, tokens=len(decoded.ids), thinking=thinking)


def _check(request: Generate) -> None:
    """Refuse what cannot be meant."""
    decoding = request.decoding
    if request.samples < 1 or decoding.max_new_tokens < 1:
        raise UnanswerableError("at least one sample of at least one token must be asked for")
    if decoding.exact_length and decoding.stop:
        raise UnanswerableError("a text of an exact length cannot end at a stop string")


def end_tokens(loaded: Loaded) -> frozenset[int]:
    """Every token that ends a text: a chat model often has several."""
    ends: set[int] = set()
    for named in (
        loaded.model.generation_config.eos_token_id,
        loaded.model.config.get_text_config().eos_token_id,
        loaded.tokenizer.eos_token_id,
    ):
        ends.update([named] if isinstance(named, int) else named or ())
    return frozenset(ends)
