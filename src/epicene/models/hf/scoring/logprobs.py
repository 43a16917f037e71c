"""Run a model's body, apply its head only where needed, and compute log-probabilities.

The head's matrix is as large as the vocabulary, and most of its output is never read. Where the
head is, and what is done to its output (scaled, soft-capped), differs by family, so no family is
named here: the model's own `forward` runs on a body that returns the states computed before. A
check on a short row shows whether that changes nothing; if it does, the whole output is used.

Work is queued on the device at once and its results are copied back asynchronously; nothing blocks
until a result is read.
"""

from __future__ import annotations

import inspect
import math
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from epicene.core.records import LOGPROB_DECIMALS
from epicene.models.hf.batching import is_out_of_memory, outputs_agree
from epicene.models.hf.fused import kernels_for
from epicene.models.hf.generation import decoding
from epicene.models.hf.scoring.routes import ContinuationRow, RowScores, ScoringRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, MutableMapping, Sequence

    from numpy.typing import NDArray

    from epicene.models.hf.loading import LoadedModel
    from epicene.models.hf.scoring.routes import IntArray, PassResult

# Bytes of float32 logits at a time: of the size of a cache on a CPU, a share of a GPU's memory.
_CPU_LOGIT_BYTES = 1 << 26
_GPU_MEMORY_DIVISOR = 64


@dataclass(frozen=True)
class LazyLogits:
    """The logits of some positions of a pass, computed on demand."""

    count: int
    max_positions: int  # how many positions' logits may be held together
    logits: Callable[[slice], Any]  # (positions, vocabulary)

    def parts(self) -> Iterator[tuple[slice, Any]]:
        """All logits, in parts that bound memory."""
        for start in range(0, self.count, self.max_positions):
            part = slice(start, min(start + self.max_positions, self.count))
            yield part, self.logits(part)


class ModelRunner:
    """Runs inputs through a model's body, and wanted positions through its head."""

    def __init__(self, loaded: LoadedModel, notes: MutableMapping[str, Any]) -> None:
        self.model = loaded.model
        self.device = loaded.device
        self.vocabulary: int = loaded.model.get_output_embeddings().weight.shape[0]
        self.parameters = frozenset(inspect.signature(loaded.model.forward).parameters)
        self._notes = notes
        self._fused = loaded.fused
        self.max_positions = max(1, _logit_bytes(loaded.device) // (4 * self.vocabulary))

    @property
    def has_head(self) -> bool:
        """Whether the head can be run apart from the body."""
        return self._body is not None

    def states(self, inputs: dict[str, Any], where: Any) -> Any:
        """One pass of the body; `where` numbers the wanted positions along the whole batch.

        If the model's head cannot be separated, these are the logits already.
        """
        import torch

        with torch.inference_mode():
            body = self._body
            with self._fused.active:
                if body is None:
                    return _select_positions(self.model(**inputs).logits, where)
                return _select_positions(body(**inputs).last_hidden_state, where)

    def logits(self, states: Any) -> Any:
        """The logits of hidden states."""
        import torch

        if self._body is None:
            return states
        with torch.inference_mode():
            return self._head(self._body, states)

    def lazy_logits(self, states: Any) -> LazyLogits:
        """The logits of the wanted positions of one or more passes."""
        return LazyLogits(len(states), self.max_positions, lambda part: self.logits(states[part]))

    @property
    def _no_cache(self) -> dict[str, bool]:
        return {"use_cache": False} if "use_cache" in self.parameters else {}

    def send(self, values: NDArray[Any]) -> Any:
        """Numbers as a tensor on the device, copied asynchronously."""
        import torch

        return decoding.to_device(torch.as_tensor(values), self.device)

    @cached_property
    def _body(self) -> Any:
        """The part before the head, or None if the two cannot be separated."""
        import torch

        ids = torch.tensor([[0, 1, 2, 1]], device=self.device)
        inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids), **self._no_cache}
        with torch.inference_mode():
            whole = self.model(**inputs).logits[0, 2:]
            for body in (self.model.get_decoder(), self.model.base_model):
                try:
                    states = body(**inputs).last_hidden_state[0, 2:]
                    alone = self._head(body, states)
                except (
                    AttributeError,
                    IndexError,
                    KeyError,
                    RuntimeError,
                    TypeError,
                    ValueError,
                ) as error:
                    if is_out_of_memory(error):
                        raise
                    continue
                if body is not self.model and outputs_agree(self.model, alone, whole):
                    self._notes["head"] = "wanted positions alone"
                    return body
        self._notes["head"] = "all positions"
        return None

    def _head(self, body: Any, states: Any) -> Any:
        import torch

        output = _ReplayedOutput(states[None])
        with _replayed_forward(body, output):
            ids = torch.zeros(1, 1, dtype=torch.long, device=self.device)
            logits = self.model(input_ids=ids, **self._no_cache).logits[0]
        if not output.read:
            raise AttributeError("the model does not run this body")
        return logits


def _logit_bytes(device: Any) -> int:
    """How many bytes of logits are held at a time."""
    import torch

    if device.type != "cuda":
        return _CPU_LOGIT_BYTES
    return int(torch.cuda.get_device_properties(device).total_memory) // _GPU_MEMORY_DIVISOR


class _ReplayedOutput:
    """The output of a body: its last states, by name or as the first of a tuple."""

    def __init__(self, states: Any) -> None:
        self._states = states
        self.read = False

    @property
    def last_hidden_state(self) -> Any:
        self.read = True
        return self._states

    def __getitem__(self, index: int) -> Any:
        if index != 0:
            raise IndexError(index)
        return self.last_hidden_state

    def __getattr__(self, name: str) -> None:
        """None for caches, attentions and whatever else a family passes on."""
        if name.startswith("__"):
            raise AttributeError(name)


@contextmanager
def _replayed_forward(body: Any, output: _ReplayedOutput) -> Iterator[None]:
    """Let a module return this output instead of running."""
    own = body.__dict__.get("forward")
    body.forward = lambda *_, **__: output
    try:
        yield
    finally:
        if own is None:
            del body.forward
        else:
            body.forward = own


def _select_positions(values: Any, where: Any) -> Any:
    return values.flatten(0, 1)[where.to(values.device)]


# Bytes of log-probabilities made at a time, on a CPU (of the size of a cache) and elsewhere.
_SOFTMAX = (1 << 23, 1 << 31)
# Bytes of logits sorted at a time for a distribution, which then take eight times as many: on a
# CPU, on a GPU at most, and as a share of its memory.
_SORTING, _GPU_SORTING, _GPU_SORTING_DIVISOR = 1 << 24, 1 << 29, 256


class TokenQueries:
    """Tokens to look up at positions, in the order in which the head computes the positions."""

    def __init__(
        self,
        runner: ModelRunner,
        logits: LazyLogits,
        positions: IntArray,
        tokens: Sequence[int] | IntArray,
    ) -> None:
        # By position, so that a part of the positions has a contiguous part of the tokens.
        self.order = np.argsort(positions, kind="stable")
        self._logits = logits
        self._positions = positions[self.order]
        asked = np.stack([self._positions, np.array(tokens, np.int64)[self.order]])
        self._lines, self._tokens = runner.send(asked)

    def parts(self) -> Iterator[LogitChunk]:
        """All tokens, as the head computes the logits."""
        for part, logits in self._logits.parts():
            mine = slice(*np.searchsorted(self._positions, (part.start, part.stop)).tolist())
            yield LogitChunk(
                start=part.start,
                logits=logits,
                mine=mine,
                positions=self._positions[mine] - part.start,
                lines=self._lines[mine].to(logits.device) - part.start,
                tokens=self._tokens[mine].to(logits.device),
            )


class LogitChunk(NamedTuple):
    """Some positions: the first, their logits, and the tokens to look up at each."""

    start: int
    logits: Any
    mine: slice  # of the ordered tokens
    positions: IntArray  # the row of `logits` for each token
    lines: Any  # `positions` on the device
    tokens: Any


def in_original_order(order: IntArray, values: Any) -> Any:
    """Values of ordered tokens in the original order of the tokens."""
    found = np.empty(len(order))
    found[order] = values
    return found


def score_tokens(runner: ModelRunner, ran: PassResult[ScoringRow]) -> Callable[[], list[RowScores]]:
    """The log-probability of each scored token, by a softmax in float32."""
    import torch

    rows = ran.rows
    scored = [row.ids[row.first :] for row in rows]
    counts = list(map(len, scored))
    tokens = list(chain.from_iterable(scored))
    reading = TokenQueries(runner, ran.logits, ran.positions, tokens)
    # `collect` holds this alone: the states would fill the device.
    order = reading.order
    distributions = _tokens_by_distribution(rows, counts, order)
    found: list[Any] = []
    drawn: dict[decoding.SamplingDistribution, list[Any]] = {
        distribution: [] for distribution in distributions
    }
    with torch.inference_mode():
        for part in reading.parts():
            found.append(token_logprobs(part))
            for distribution, wanted in distributions.items():
                mine = part.mine
                some = wanted[(wanted >= mine.start) & (wanted < mine.stop)] - mine.start
                drawn[distribution].append(_distribution_logprobs(distribution, part, some))
        fetch = copy_to_host(torch.cat(found))
        fetch_drawn = {
            distribution: copy_to_host(torch.cat(values)) for distribution, values in drawn.items()
        }

    def collect() -> list[RowScores]:
        values = in_original_order(order, fetch())
        finite = np.isfinite(values)
        by_distribution = np.full(len(tokens), np.nan)
        for distribution, wanted in distributions.items():
            found_there = fetch_drawn[distribution]()
            by_distribution[order[wanted]] = found_there
            finite[order[wanted]] &= found_there < np.inf  # a banned token has -inf
        all_finite = bool(finite.all())
        plain, rounded = values.tolist(), values.round(LOGPROB_DECIMALS).tolist()
        sampled = by_distribution.tolist() if distributions else []
        results, start = [], 0
        for row, count in zip(rows, counts, strict=True):
            end = start + count
            results.append(
                RowScores(
                    plain[start:end],
                    rounded[start:end],
                    None if row.distribution is None else sampled[start:end],
                    all_finite or bool(finite[start:end].all()),
                )
            )
            start = end
        return results

    return collect


def token_logprobs(part: LogitChunk) -> Any:
    """The log-probability of each token, by a softmax in float32, a few rows at a time."""
    import torch

    logits = part.logits
    if (kernels := kernels_for(logits)) is not None:
        sums = kernels.logsumexp(logits)
        return logits[part.lines, part.tokens].float() - sums[part.lines]
    max_positions = max(1, _SOFTMAX[logits.device.type != "cpu"] // (4 * logits.shape[-1]))
    if len(logits) <= max_positions:
        return logits.log_softmax(-1, dtype=torch.float32)[part.lines, part.tokens]
    found = torch.empty(len(part.tokens), dtype=torch.float32, device=logits.device)
    for start in range(0, len(logits), max_positions):
        few = slice(*np.searchsorted(part.positions, (start, start + max_positions)).tolist())
        spread = logits[start : start + max_positions].log_softmax(-1, dtype=torch.float32)
        found[few] = spread[part.lines[few] - start, part.tokens[few]]
    return found


def _tokens_by_distribution(
    rows: Sequence[ScoringRow], counts: Sequence[int], order: IntArray
) -> dict[decoding.SamplingDistribution, IntArray]:
    """For each distribution under which tokens are also scored, which of the ordered tokens."""
    numbers = defaultdict(list)
    for number, row in enumerate(rows):
        if row.distribution is not None:
            numbers[row.distribution].append(number)
    if not numbers:
        return {}
    owners = np.repeat(np.arange(len(rows)), counts)[order]
    return {
        distribution: np.flatnonzero(np.isin(owners, mine))
        for distribution, mine in numbers.items()
    }


def _distribution_logprobs(
    distribution: decoding.SamplingDistribution, part: LogitChunk, some: IntArray
) -> Any:
    """The log-probabilities of some tokens under a distribution, a few lines at a time."""
    import torch

    logits, lines, tokens = part.logits, part.lines, part.tokens
    chosen = torch.from_numpy(some).to(logits.device)
    max_positions = max(1, _sorting_bytes(logits.device) // (4 * logits.shape[-1]))
    found = [
        decoding.distribution_logprobs(logits[lines[few]], distribution).gather(
            -1, tokens[few][:, None]
        )[:, 0]
        for few in chosen.split(max_positions)
        if len(few)
    ]
    return torch.cat(found) if found else logits.new_zeros(0, dtype=torch.float32)


def _sorting_bytes(device: Any) -> int:
    import torch

    if device.type != "cuda":
        return _SORTING
    memory = int(torch.cuda.get_device_properties(device).total_memory)
    return min(_GPU_SORTING, memory // _GPU_SORTING_DIVISOR)


def top_continuations(
    allowed: Callable[[ContinuationRow], Any],
    runner: ModelRunner,
    ran: PassResult[ContinuationRow],
) -> Callable[[], list[list[tuple[int, float]]]]:
    """The best allowed next tokens of each row, best first; one of NaN where there is no best."""
    import torch

    del runner
    best: dict[int, tuple[list[int], list[float]]] = {}
    with torch.inference_mode():
        for part, logits in ran.logits.parts():
            spread = logits.float().log_softmax(-1)
            mine = np.flatnonzero(
                (ran.positions >= part.start) & (ran.positions < part.stop)
            ).tolist()
            permitted = torch.stack([allowed(ran.rows[number]) for number in mine])
            lines = spread[ran.positions[mine] - part.start]
            # One NaN among the logits makes all of them NaN, and +inf itself.
            broken = lines.isnan().any(-1, keepdim=True)
            lines = lines.masked_fill(~permitted.to(spread.device), -math.inf)
            lines = lines.masked_fill(broken, math.nan)
            top = min(max(ran.rows[number].top for number in mine), lines.shape[-1])
            values, tokens = lines.topk(top)
            best.update(zip(mine, zip(tokens.tolist(), values.tolist(), strict=True), strict=True))
    results = [
        [(token, value) for token, value in zip(*best[number], strict=True) if value != -math.inf][
            : stem.top
        ]
        for number, stem in enumerate(ran.rows)
    ]
    return lambda: results


def copy_to_host(values: Any) -> Callable[[], Any]:
    """Start to copy numbers to the host; the returned function waits for them."""
    if values.device.type != "cuda":
        return lambda: values.double().numpy()
    import torch

    home = torch.empty(values.shape, dtype=values.dtype, pin_memory=True)
    home.copy_(values, non_blocking=True)
    there = torch.cuda.Event()
    there.record(torch.cuda.current_stream(values.device))

    def fetch() -> Any:
        there.synchronize()
        return home.double().numpy()

    return fetch
