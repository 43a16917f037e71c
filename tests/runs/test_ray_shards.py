"""Plans cut into shards, and shards taken apart."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from hypothesis import given, settings
from hypothesis import strategies as st

from epicene.core.records import Draw, Generate, Message, Request, Score, verb
from epicene.models import Batch
from epicene.runs.ray import messages
from epicene.runs.ray.scheduler import (
    MAX_KILLS,
    SORT_WINDOW,
    Shard,
    make_shards,
    request_prefix,
    split_shard,
)

texts = st.text("ab ", max_size=4)
kinds = st.sampled_from(["score", "generate", "draw"])


def request(kind: str, text: str) -> Request:
    if kind == "score":
        return Score(item="i", texts=("x",), context=text)
    return Generate(item="i", prompt=text) if kind == "generate" else Draw(item="i", prompt=text)


def numbered(drawn: list[list[tuple[str, str]]]) -> list[Batch]:
    """Batches of one verb each, every request at its own place."""
    places = iter(range(10**6))
    return [[(next(places), request(batch[0][0], text)) for _, text in batch] for batch in drawn]


batches = st.lists(
    st.lists(st.tuples(kinds, texts), min_size=1, max_size=3), max_size=SORT_WINDOW + 9
).map(numbered)


@settings(max_examples=30)
@given(batches, st.integers(1, 9))
def test_shards_hold_every_batch_whole_and_once(plan: list[Batch], size: int) -> None:
    shards = list(make_shards(iter(plan), lambda: size))
    held = list(chain.from_iterable(shard.batches for shard in shards))
    assert sorted(map(repr, held)) == sorted(map(repr, plan))
    for shard in shards:
        (asked,) = {verb(each) for batch in shard.batches for _, each in batch}
        assert len(shard.batches) <= (1 if asked == "draw" else size)


@settings(max_examples=30)
@given(batches)
def test_no_more_than_a_window_is_read_ahead(plan: list[Batch]) -> None:
    read = given_out = 0

    def reading() -> Iterator[Batch]:
        nonlocal read
        for batch in plan:
            read += 1
            yield batch

    for shard in make_shards(reading(), lambda: 1):
        given_out += len(shard.batches)
        assert read - given_out < SORT_WINDOW


def test_those_that_begin_alike_stand_together() -> None:
    plan = numbered([[("score", text)] for text in ("ab x", "b y", "ab z", "b x", "ab a")])
    (shard,) = make_shards(iter(plan), lambda: 5)
    begun = [request_prefix(batch[0][1])[:2] for batch in shard.batches]
    assert begun == ["ab", "ab", "ab", "b ", "b "]


def test_a_chat_begins_with_its_first_message() -> None:
    chat = (Message(role="system", content="Be brief."), Message(role="user", content="Hello"))
    assert request_prefix(Generate(item="i", prompt=chat)) == "Be brief.\nHello"


@settings(max_examples=30)
@given(batches.filter(bool))
def test_halving_ends_at_single_requests(plan: list[Batch]) -> None:
    """Every request is reached, none twice, and batches are cut only when they are alone."""
    waiting, single = [Shard(tuple(plan), MAX_KILLS)], []
    while waiting:
        shard = waiting.pop()
        parts = split_shard(shard)
        if parts is None:
            single.append(shard.batches[0][0][0])
            continue
        assert sum(part.requests for part in parts) == shard.requests
        assert all(part.requests and part.kills == MAX_KILLS - 1 for part in parts)
        if len(shard.batches) > 1:
            assert parts[0].batches + parts[1].batches == shard.batches
        waiting += parts
    assert sorted(single) == sorted(place for batch in plan for place, _ in batch)


@settings(max_examples=30)
@given(batches)
def test_a_shard_crosses_the_wire_unchanged(plan: list[Batch]) -> None:
    load = messages.ShardInput([list(batch) for batch in plan], {"a": b"\x00\xff"})
    assert messages.decode_shard_input(messages.encode(load)) == load
