"""Scoring as anyone would write it: one text at a time, or padded batches sorted by length.

Written from the definition, with nothing of Epicene's in it but the rendering of chats: it is
also what the scores of all contenders are held against.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.models.hf.checkpoint import quiet_transformers
from epicene.models.hf.tokenisation import ChatTemplate
from scoring_speed.contenders import Timing, pairs, timed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.core.records import Score
    from scoring_speed.contenders import ModelSetup


class Row(NamedTuple):
    """Tokens that the model reads, and what it should say where: (position, token) each."""

    ids: tuple[int, ...]
    wanted: tuple[tuple[int, int], ...]


class Plain:
    """A model of transformers and its tokenizer."""

    def __init__(self, setup: ModelSetup) -> None:
        import torch

        transformers = quiet_transformers()
        kinds = {
            "causal": transformers.AutoModelForCausalLM,
            "masked": transformers.AutoModelForMaskedLM,
        }
        self.kind = setup.kind
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(setup.folder)
        self._chat = ChatTemplate(self.tokenizer)
        dtype = getattr(torch, setup.dtype)
        self.model = kinds[setup.kind].from_pretrained(setup.folder, dtype=dtype)
        self.model.to(setup.device).eval()

    def rows(self, requests: Sequence[Score]) -> Iterator[list[Row]]:
        """The rows of each text: one for a causal model, one per token for a masked one."""
        for context, text in pairs(requests, self._chat):
            if self.kind == "causal":
                yield [self._causal(context, text)]
            else:
                yield list(self._masked(text))

    def sums(self, rows: Sequence[Row]) -> list[float]:
        """For each row the sum of what is wanted, from one padded pass."""
        import torch

        width = max(len(row.ids) for row in rows)
        ids = torch.full((len(rows), width), self.tokenizer.pad_token_id)
        mask = torch.zeros(len(rows), width, dtype=torch.long)
        for line, row in enumerate(rows):
            ids[line, : len(row.ids)] = torch.tensor(row.ids)
            mask[line, : len(row.ids)] = 1
        where = [(line, *each) for line, row in enumerate(rows) for each in row.wanted]
        device = self.model.device
        lines, positions, tokens = torch.tensor(where, device=device).T
        with torch.inference_mode():
            logits = self.model(input_ids=ids.to(device), attention_mask=mask.to(device)).logits
            logprobs = logits[lines, positions].float().log_softmax(-1)
            picked = logprobs.gather(-1, tokens[:, None])[:, 0]
            sums = torch.zeros(len(rows), device=device).index_add(0, lines, picked)
        found: list[float] = sums.tolist()
        return found

    def _causal(self, context: str, text: str) -> Row:
        whole = self._ids(context + text)
        if context:
            begins = len(self._ids(context))
        else:
            whole, begins = [self.tokenizer.bos_token_id, *whole], 1
        wanted = ((position - 1, whole[position]) for position in range(begins, len(whole)))
        return Row(tuple(whole[:-1]), tuple(wanted))

    def _masked(self, text: str) -> Iterator[Row]:
        """To score a token it is masked, and so are the later tokens of its word."""
        encoded = self.tokenizer(text)
        ids, words = encoded["input_ids"], encoded.word_ids()
        for position, word in enumerate(words):
            if word is None:
                continue
            hidden = {later for later in range(position, len(ids)) if words[later] == word}
            masked = [
                self.tokenizer.mask_token_id if each in hidden else token
                for each, token in enumerate(ids)
            ]
            yield Row(tuple(masked), ((position, ids[position]),))

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids


class OneByOne:
    """Each text alone; of a masked model, all rows of a text together."""

    name = "one by one"

    def __init__(self, plain: Plain) -> None:
        self._plain = plain

    def score(self, requests: Sequence[Score], batch: int) -> Timing:  # noqa: ARG002 - one text
        """A pass for each text."""
        rows = self._plain.rows
        return timed(lambda: [sum(self._plain.sums(some)) for some in rows(requests)])

    def close(self) -> None:
        """Nothing of its own."""


class SortedBatches:
    """Padded batches of rows sorted by length."""

    name = "sorted batches"

    def __init__(self, plain: Plain) -> None:
        self._plain = plain

    def score(self, requests: Sequence[Score], batch: int) -> Timing:
        """Tokenise all, sort, run; as many rows at a time as so many texts have in the mean."""
        return timed(lambda: self._sums(list(self._plain.rows(requests)), batch))

    def close(self) -> None:
        """Nothing of its own."""

    def _sums(self, texts: Sequence[Sequence[Row]], batch: int) -> list[float]:
        rows = [(number, row) for number, some in enumerate(texts) for row in some]
        rows.sort(key=lambda pair: -len(pair[1].ids))
        step = batch * len(rows) // len(texts)
        scores = [0.0] * len(texts)
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            sums = self._plain.sums([row for _, row in part])
            for (number, _), found in zip(part, sums, strict=True):
                scores[number] += found
        return scores
