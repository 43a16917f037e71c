"""Every record that flows turns into JSON and back without loss."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.core.records import (
    REQUESTS,
    Answer,
    Choice,
    Completion,
    Completions,
    Decoding,
    Draw,
    Estimate,
    Failed,
    Fill,
    Generate,
    Identity,
    Image,
    Images,
    Judgement,
    Look,
    Message,
    Request,
    Score,
    Scores,
    Text,
    Texts,
    TextScore,
    Translate,
    answer_keys,
    digest,
    to_json,
    verb,
)

# Text that UTF-8 can hold: no lone surrogates.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
several = st.lists(texts, max_size=3).map(tuple)
numbers = st.floats(allow_nan=False, allow_infinity=False)
counts = st.integers(0, 2**31)
positive = st.integers(1, 2**31)
facets = st.dictionaries(texts, texts, max_size=3)
messages = st.builds(Message, role=st.sampled_from(["system", "user", "assistant"]), content=texts)
prompts = texts | st.lists(messages, min_size=1, max_size=3).map(tuple)
first_tokens = st.sampled_from(["bos", "tokenizer-default", "none"])
decodings = st.builds(
    Decoding,
    max_new_tokens=positive,
    temperature=st.none() | numbers,
    top_k=st.none() | counts,
    top_p=st.none() | numbers,
    exact_length=st.booleans(),
    stop=several,
    seed=counts,
)
asked = {"item": texts, "name": texts, "group": texts, "language": texts}

requests: st.SearchStrategy[Request] = st.one_of(
    st.builds(
        Score,
        **asked,
        texts=several,
        context=prompts,
        first_token=first_tokens,
        masking=st.sampled_from(["original", "within-word", "whole-word"]),
        boundaries=st.sampled_from(["epicene", "tokenizer"]),
        decoding=st.just(msgspec.UNSET) | decodings,
    ),
    st.builds(
        Fill,
        **asked,
        before=texts,
        after=texts,
        max_tokens=counts,
        top=counts,
        choices=several,
        first_token=first_tokens,
    ),
    st.builds(
        Generate,
        **asked,
        prompt=prompts,
        samples=positive,
        decoding=decodings,
        source=texts,
        target=facets,
        choices=several,
    ),
    st.builds(Translate, **asked, text=texts, into=texts, decoding=decodings),
    st.builds(Draw, **asked, prompt=texts, shots=counts, width=counts, height=counts, seed=counts),
    st.builds(Look, **asked, image=texts, question=texts, choices=several),
)

scored = st.lists(st.tuples(st.none() | numbers, counts, counts), max_size=4).flatmap(
    lambda rows: st.builds(
        TextScore,
        logprobs=st.just(tuple(row[0] for row in rows)),
        starts=st.just(tuple(row[1] for row in rows)),
        ends=st.just(tuple(row[2] for row in rows)),
        words=counts,
        characters=counts,
        drawn=st.just(msgspec.UNSET) | st.just(tuple(row[0] for row in rows)),
    )
)
answers: st.SearchStrategy[Answer] = st.one_of(
    st.builds(
        Scores, texts=st.lists(scored, max_size=3).map(tuple), method=texts, conditioned_on=texts
    ),
    st.builds(
        Completions,
        completions=st.lists(
            st.builds(
                Completion,
                text=texts,
                logprob=numbers,
                tokens=counts,
                with_after=st.none() | numbers,
            ),
            max_size=3,
        ).map(tuple),
        method=texts,
    ),
    st.builds(
        Texts,
        texts=st.lists(
            st.builds(
                Text,
                text=texts,
                finish=st.sampled_from(["stop", "length", "refused"]),
                tokens=counts,
                thinking=counts,
            ),
            max_size=3,
        ).map(tuple),
        temperature=st.none() | numbers,
        system=texts,
    ),
    st.builds(
        Images,
        images=st.lists(
            st.builds(
                Image,
                sha256=texts,
                media_type=texts,
                width=counts,
                height=counts,
                seed=st.none() | counts,
                revised_prompt=texts,
                refused=texts,
            ),
            max_size=2,
        ).map(tuple),
    ),
    st.builds(
        Choice,
        choice=st.none() | texts,
        text=texts,
        logprobs=st.lists(numbers, max_size=3).map(tuple),
    ),
    st.builds(Failed, reason=texts),
)


@given(requests)
def test_a_request_survives_json(request: Request) -> None:
    data = to_json(request)
    assert msgspec.json.decode(data, type=Request) == request
    assert to_json(msgspec.json.decode(data, type=Request)) == data


@given(answers)
def test_an_answer_survives_json(answer: Answer) -> None:
    assert msgspec.json.decode(to_json(answer), type=Answer) == answer


@given(
    st.builds(
        Judgement,
        item=texts,
        group=texts,
        language=texts,
        name=texts,
        outcome=st.none() | st.sampled_from(["right", "wrong", "undetected"]),
        label=st.none() | texts,
        value=st.none() | numbers,
        facets=facets,
        evidence=facets,
    )
)
def test_a_judgement_survives_json(judgement: Judgement) -> None:
    assert msgspec.json.decode(to_json(judgement), type=Judgement) == judgement


def test_a_score_without_a_decoding_has_the_key_it_always_had() -> None:
    identity = Identity(kind="k", label="l", key={"a": "b"})
    request = Score(item="1", texts=("a", "b"), name="n")
    # As it was before a Score could have a decoding; stored answers are found by it.
    key = answer_keys(identity)
    assert key(request).hex() == "1d775495d1a232fe01631ee1fae3f855"
    with_decoding = msgspec.structs.replace(request, decoding=Decoding())
    assert key(with_decoding) != key(request)
    score = TextScore(logprobs=(-1.0,), starts=(0,), ends=(1,), words=1, characters=1)
    assert b"drawn" not in to_json(score)


def test_the_six_verbs() -> None:
    names = ["score", "fill", "generate", "translate", "draw", "look"]
    assert [verb(kind) for kind in REQUESTS] == names


def test_records_are_frozen_and_refuse_unknown_fields() -> None:
    request = Score(item="1", texts=("a",))
    with pytest.raises(AttributeError):
        request.texts = ("b",)  # type: ignore[misc]
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        msgspec.json.decode(b'{"verb":"score","item":"1","texts":[],"colour":1}', type=Request)


@given(requests, requests)
def test_a_key_tells_requests_and_models_apart(one: Request, other: Request) -> None:
    model = Identity(kind="hf", label="a", key={"weights": "1"})
    key = answer_keys(model)
    assert (key(one) == key(other)) == (one == other)
    retrained = Identity(kind="hf", label="a", key={"weights": "2"})
    assert key(one) != answer_keys(retrained)(one)


def test_a_label_is_not_in_the_key() -> None:
    here = Identity(kind="hf", label="here", key={"weights": "1"}, about={"path": "x"})
    there = Identity(kind="hf", label="there", key={"weights": "1"}, about={"path": "y"})
    assert here.digest == there.digest


def test_parts_of_a_digest_do_not_run_together() -> None:
    assert digest("ab", "c") != digest("a", "bc")


def test_sums_leave_out_what_was_not_scored() -> None:
    text = TextScore(
        logprobs=(None, -1.5, -2.0), starts=(0, 1, 2), ends=(1, 2, 3), words=1, characters=3
    )
    assert (text.sum, text.tokens) == (-3.5, 2)


def test_an_undefined_estimate_says_why() -> None:
    shown = msgspec.json.decode(to_json(Estimate(value=None, why="nothing was judged")))
    assert shown["value"] is None
    assert shown["why"] == "nothing was judged"
