"""Writing many texts at once, rows coming and going.

Each distinct prompt is read once, whatever the number of texts that continue it. A text that is
finished is no longer computed, and those that wait join in its place. Each row chooses by its own
settings and its own noise, so a text is the same whatever it was written beside.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from epicene.models.hf import sampling
from epicene.models.hf.caches import Piece
from epicene.models.hf.decoding import Decoded, Draft, Page
from epicene.models.hf.memory import TooLargeError, out_of_memory, release

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, MutableMapping, Sequence

    from epicene.models.hf.stepping import Rows, Stepper

Written: TypeAlias = tuple[Draft, Decoded | TooLargeError]
Prompt: TypeAlias = tuple[int, ...]

# Rows that are finished are dropped when they are this part of all: a drop copies the cache.
_DROPPED = 1 / 8
# Those that wait join when they make up this part of the rows: a join reads prompts besides.
_JOINED = 1 / 4
# Prompts are read together if the shortest is this part of the longest: the rest is padding.
_SIMILAR = 1 / 2


class Limits(NamedTuple):
    """What may be held at once, and the most that a row may hold."""

    rows: int
    tokens: int  # of all rows, padding and tokens to come counted
    read: int  # of the prompts read in one pass, padding counted
    longest: int | None


@dataclass(frozen=True)
class Means:
    """What texts are written with: the model, what ends a text and how tokens read, how much."""

    stepper: Stepper
    ends: frozenset[int]
    read: Callable[[Sequence[int]], str]
    limits: Limits
    notes: MutableMapping[str, Any]


@dataclass(frozen=True)
class _Read:
    """Prompts that have been read: their rows in the cache, and what comes next of each."""

    rows: dict[Prompt, int]
    cache: Any
    logits: Any


class Continuous:
    """Writes drafts with one model."""

    def __init__(self, means: Means) -> None:
        self._means = means
        self._limits, self._notes = means.limits, means.notes
        self._notes.update(prompts=0, prompt_tokens=0, steps=0, joined=0)

    def can_hold(self, draft: Draft) -> bool:
        """Whether a draft keeps within the longest row; its last token is never read."""
        return self._limits.longest is None or draft.size - 1 <= self._limits.longest

    def write(self, drafts: Sequence[Draft]) -> Iterator[list[Written]]:
        """Write all drafts; each is given as soon as it is finished."""
        waiting = _ordered(drafts)
        desk = _Desk(self._means)
        while waiting or desk.drafts:
            count = self._joining(waiting, desk.drafts)
            done = self._attempt(desk, waiting, count)
            if done is None:
                tried = [*desk.drafts, *waiting[:count]]
                desk = _Desk(self._means)
                release()
                if len(tried) > 1:
                    # What was written of them is written again, the same: nothing is lost but time.
                    self._halve(tried)
                    waiting = _ordered([*tried, *waiting[count:]])
                    continue
                yield [(tried[0], TooLargeError())]
            elif done:
                yield [(page.draft, page.decoded) for page in done]
            del waiting[:count]

    def _attempt(self, desk: _Desk, waiting: Sequence[Draft], count: int) -> list[Page] | None:
        """Let so many join, or go one step on; None where memory ran out."""
        import torch

        try:
            with torch.inference_mode():
                if not count:
                    return desk.step()
                more = count < len(waiting) and waiting[count].prompt == waiting[count - 1].prompt
                return desk.join(waiting[:count], keep=more)
        except (RuntimeError, MemoryError) as error:
            if not out_of_memory(error):
                raise
            return None

    def _halve(self, tried: Sequence[Draft]) -> None:
        """Remember that these were too many."""
        rows = len(tried) // 2
        self._notes["fits"] = rows * max(draft.size for draft in tried)
        self._notes["halvings"] = self._notes.get("halvings", 0) + 1

    def _joining(self, waiting: Sequence[Draft], live: Sequence[Draft]) -> int:
        """How many of those that wait join now: enough to be worth it, or none."""
        count = _whole(waiting, self._fitting(waiting, live))
        worth = count == len(waiting) or count >= _JOINED * (len(live) + count)
        return count if worth else 0

    def _fitting(self, waiting: Sequence[Draft], live: Sequence[Draft]) -> int:
        """How many of those that wait have room beside those that are written; one if none are."""
        tokens = min(self._limits.tokens, self._notes.get("fits", self._limits.tokens))
        widest = max((draft.size for draft in live), default=0)
        for count, draft in enumerate(waiting):
            rows = len(live) + count + 1
            widest = max(widest, draft.size)
            if rows > 1 and (rows > self._limits.rows or rows * widest > tokens):
                return count
        return len(waiting)


class _Desk:
    """The rows that are being written, and those finished ones that are not yet dropped."""

    def __init__(self, means: Means) -> None:
        self._means = means
        self._stepper, self._limits, self._notes = means.stepper, means.limits, means.notes
        self._ends = sorted(means.ends)
        self._pages: list[Page] = []
        self._rows: Rows | None = None
        self._newest: Any = None  # of each row, a token that is chosen and not yet read
        self._kept: _Read | None = None

    @property
    def drafts(self) -> list[Draft]:
        """What is being written."""
        return [page.draft for page in self._pages if not page.finish]

    def step(self) -> list[Page]:
        """One token more of each text; those that it finished."""
        self._drop()
        assert self._rows is not None
        logits = self._stepper.step(self._rows, self._newest)
        self._notes["steps"] += 1
        going = [page for page in self._pages if not page.finish]
        self._newest = self._choose(logits, self._pages)
        return [page for page in going if page.finish]

    def join(self, drafts: Sequence[Draft], keep: bool) -> list[Page]:
        """Begin drafts; those that their first token finished.

        With `keep` more drafts of the last prompt are to come.
        """
        self._notes["joined"] += len(drafts) if self.drafts else 0
        pieces, pages, newest = self._live()
        begun: list[Page] = []
        for read in self._read(list(dict.fromkeys(draft.prompt for draft in drafts))):
            own = [
                Page(draft, self._means.ends, self._means.read)
                for draft in drafts
                if draft.prompt in read.rows
            ]
            rows = [read.rows[page.draft.prompt] for page in own]
            chosen = self._choose(read.logits[rows], own)
            going = [line for line, page in enumerate(own) if not page.finish]
            last = keep and drafts[-1].prompt in read.rows
            self._kept = read if last else None
            if going:
                pieces.append(Piece(read.cache, [rows[line] for line in going], spent=not last))
                pages += [own[line] for line in going]
                newest.append(chosen[going])
            begun += own
        self._arrange(pieces, pages, newest)
        return [page for page in begun if page.finish]

    def _live(self) -> tuple[list[Piece], list[Page], list[Any]]:
        """What of the rows is not finished."""
        going = [line for line, page in enumerate(self._pages) if not page.finish]
        if self._rows is None or not going:
            return [], [], []
        pages = [self._pages[line] for line in going]
        return [Piece(self._rows.cache, going)], pages, [self._newest[going]]

    def _drop(self) -> None:
        """Drop finished rows if they are many, or wider than the model can read."""
        finished = sum(bool(page.finish) for page in self._pages)
        longest = self._limits.longest
        full = longest is not None and self._rows is not None and self._rows.width >= longest
        if finished and (full or finished >= _DROPPED * len(self._pages)):
            self._arrange(*self._live())

    def _arrange(self, pieces: Sequence[Piece], pages: list[Page], newest: Sequence[Any]) -> None:
        """Make these the rows that are written."""
        import torch

        self._rows = None
        self._pages = pages
        if pieces:
            # The newest token of each is not read yet.
            lengths = [len(page.draft.prompt) + len(page.ids) - 1 for page in pages]
            room = max(page.draft.room - len(page.ids) for page in pages)
            self._newest = torch.cat(list(newest))
            self._rows = self._stepper.rows(pieces, lengths, room)

    def _read(self, prompts: Sequence[Prompt]) -> Iterator[_Read]:
        """Read prompts, those of similar length together; the one that was kept is read."""
        kept = self._kept
        if kept is not None:
            yield kept
            prompts = [prompt for prompt in prompts if prompt not in kept.rows]
        rest = sorted(prompts, key=len, reverse=True)
        while rest:
            count = max(1, self._limits.read // len(rest[0]))
            batch = [prompt for prompt in rest[:count] if len(prompt) >= _SIMILAR * len(rest[0])]
            rest = rest[len(batch) :]
            cache, logits = self._stepper.read(batch)
            self._notes["prompts"] += len(batch)
            self._notes["prompt_tokens"] += sum(map(len, batch))
            yield _Read({prompt: row for row, prompt in enumerate(batch)}, cache, logits)

    def _choose(self, logits: Any, pages: Sequence[Page]) -> Any:
        """The next token of each page, which is written on it; it changes the logits."""

        exact = [line for line, page in enumerate(pages) if page.draft.exact]
        sampling.bar(logits, exact, self._ends)
        choosing = [page.draft.choosing for page in pages]
        chosen = sampling.choose(logits, choosing, [len(page.ids) for page in pages])
        for page, token in zip(pages, chosen.tolist(), strict=True):
            page.write(token)
        return chosen


def _ordered(drafts: Sequence[Draft]) -> list[Draft]:
    """Those that continue one prompt together; the longest first, so that memory fails early."""
    groups = [
        list(group)
        for _, group in groupby(
            sorted(drafts, key=lambda draft: draft.prompt), key=lambda draft: draft.prompt
        )
    ]
    for group in groups:
        group.sort(key=lambda draft: (-draft.room, draft.place, draft.choosing.sample))
    groups.sort(key=lambda group: (-group[0].room, -len(group[0].prompt)))
    return [draft for group in groups for draft in group]


def _whole(waiting: Sequence[Draft], count: int) -> int:
    """So many or fewer, such that only the first prompt may have some of its drafts left behind."""
    if not 0 < count < len(waiting):
        return count
    left = waiting[count].prompt
    first = next(place for place, draft in enumerate(waiting) if draft.prompt == left)
    return first if 0 < first < count else count
