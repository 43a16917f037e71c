"""Scoring through a server's echo, against a toy server whose scores are known by heart."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from epicene.core.errors import RunError
from epicene.core.records import Decoding, FirstToken, Message, Score, Scores
from epicene.models.openai.echo_scoring import CONTINUATION_PROBES, ECHO_PROBE
from models.http.local_server import Asked, Reply, Script, Server
from models.model_answers import answers, reason
from models.openai.openai_server import error, model

BOS = "<|begin|>"
MADE = " so"


def toy_tokens(text: str) -> list[str]:
    """Words with the space before them, cut after four letters."""
    return [part for word in re.findall(r"\s?\S+|\s", text) for part in _quarters(word)]


def _quarters(word: str) -> list[str]:
    return [word[i : i + 5] for i in range(0, len(word), 5)]


def toy_logprob(index: int, token: str) -> float:
    """A closed form, so that every score can be checked by hand."""
    return -(index + len(token) / 8)


def echoing(*, bos: bool = False, hidden: bool = False, zero: bool = False, **extra: Any) -> Script:
    """A server that echoes: a beginning token shown or hidden, a first score null or zero."""

    def script(asked: Asked) -> Reply:
        tokens = ([BOS] if bos else []) + toy_tokens(asked.prompt)
        logprobs: list[float | None] = [toy_logprob(i, token) for i, token in enumerate(tokens)]
        if not hidden:
            logprobs[0] = 0.0 if zero else None
        return echo_reply(asked, tokens, logprobs, hidden=hidden, **extra)

    return script


def echo_reply(
    asked: Asked,
    tokens: list[str],
    logprobs: list[float | None],
    *,
    hidden: bool = False,
    made: str = "",
    **fields: Any,
) -> Reply:
    new = [made] if made and asked.body["max_tokens"] else []
    offsets = [-1] * (len(tokens) + len(new))
    listed = {
        "tokens": tokens + new,
        "token_logprobs": logprobs + [-0.5 for _ in new],
        "text_offset": offsets,
    }
    choice = {"index": 0, "text": asked.prompt + "".join(new), "logprobs": listed}
    usage = {"prompt_tokens": len(tokens) + hidden, "completion_tokens": len(new)}
    return Reply({"choices": [choice], "usage": usage} | fields)


def sound(script: Script) -> Script:
    """The server, which also makes a token, with the log-probability that its echo would have."""

    def both(asked: Asked) -> Reply:
        if asked.body.get("echo"):
            return script(asked)
        whole = {**asked.body, "prompt": f"{asked.prompt}{MADE}", "max_tokens": 1}
        listed = script(replace(asked, body=whole)).body["choices"][0]["logprobs"]  # type: ignore[index]
        index = listed["tokens"].index(MADE) if MADE in listed["tokens"] else -1
        return made_reply(MADE, listed["token_logprobs"][index])

    return both


def made_reply(text: str, logprob: float) -> Reply:
    listed = {"tokens": [text], "token_logprobs": [logprob]}
    return Reply({"choices": [{"index": 0, "text": text, "logprobs": listed}]})


def score(script: Script, request: Score) -> Any:
    with Server(sound(script)) as server:
        (answer,) = answers(model(server), request)
    return answer


def pair(policy: FirstToken = "tokenizer-default", **fields: Any) -> Score:
    texts = fields.pop("texts", ("The nurse said he left", "The nurse said she left"))
    return Score(item="i", texts=texts, first_token=policy, language="en", **fields)


# --- scores ----------------------------------------------------------------------------------


def test_scores_without_a_beginning_token() -> None:
    answer = score(echoing(), pair())
    assert isinstance(answer, Scores)
    assert answer.method == "causal (echo)"
    assert answer.conditioned_on == ""
    he, she = answer.texts
    # tokens: "The", " nurs", "e", " said", " he", " left"
    assert he.logprobs == (
        None,
        -(1 + 5 / 8),
        -(2 + 1 / 8),
        -(3 + 5 / 8),
        -(4 + 3 / 8),
        -(5 + 5 / 8),
    )
    assert he.starts == (0, 3, 8, 9, 14, 17)
    assert he.ends == (3, 8, 9, 14, 17, 22)
    assert (he.words, he.characters, he.tokens) == (5, 22, 5)
    assert she.sum - he.sum == pytest.approx(-1 / 8)


def test_scores_after_a_context_are_of_the_text_alone() -> None:
    answer = score(echoing(), pair(context="The nurse said", texts=(" he left", " she left")))
    he, she = answer.texts
    assert he.logprobs == (-(4 + 3 / 8), -(5 + 5 / 8))
    assert (he.starts, he.ends) == ((0, 3), (3, 8))
    assert (she.starts, she.ends) == ((0, 4), (4, 9))
    assert he.words == 2


def test_a_token_astride_the_boundary_is_the_texts() -> None:
    """The context ends inside " nurs"; all of that token counts, from character 0 of the text."""
    answer = score(echoing(), pair(context="The nu", texts=("rse left", "rse sang")))
    left, _ = answer.texts
    assert left.logprobs == (-(1 + 5 / 8), -(2 + 1 / 8), -(3 + 5 / 8))
    assert (left.starts, left.ends) == ((0, 2, 3), (2, 3, 8))


def test_probabilities_under_a_decoding_are_left_unset() -> None:
    decoding = Decoding(temperature=None, top_k=50, top_p=0.95, exact_length=True)
    asked = score(echoing(), pair(context="Kim", decoding=decoding))
    plain = score(echoing(), pair(context="Kim"))
    assert isinstance(asked, Scores)
    assert asked == plain
    assert all(text.drawn is msgspec.UNSET for text in asked.texts)


def test_scores_are_rounded_as_they_are_stored() -> None:
    def script(asked: Asked) -> Reply:
        tokens = toy_tokens(asked.prompt)
        return echo_reply(asked, tokens, [-1.23456789] * len(tokens))

    assert set(score(script, pair("bos")).texts[0].logprobs) == {-1.23457}


def test_scores_of_a_script_whose_characters_are_cut() -> None:
    """Two bytes a token: half of them hold no whole character."""

    def script(asked: Asked) -> Reply:
        data = asked.prompt.encode()
        cut = [data[i : i + 2].decode(errors="replace") for i in range(0, len(data), 2)]
        return echo_reply(asked, cut, [None, *(-float(i) for i in range(1, len(cut)))])

    answer = score(script, pair(context="क", texts=("खग",)))
    # bytes: क 0–2, ख 3–5, ग 6–8; tokens (2,4) (4,6) (6,8) (8,9) hold bytes of the text
    assert answer.texts[0].logprobs == (-1.0, -2.0, -3.0, -4.0)
    assert (answer.texts[0].starts, answer.texts[0].ends) == ((0, 0, 1, 1), (1, 1, 2, 2))


def test_servers_that_must_make_a_token_are_understood() -> None:
    """max_tokens = 0 is refused, so one token more comes back; it is nobody's score."""

    def script(asked: Asked) -> Reply:
        if asked.body["max_tokens"] == 0:
            return error(400, "max_tokens must be at least 1")
        return echoing(made=" and")(asked)

    with Server(sound(script)) as server:
        one, two = answers(model(server, concurrency=1), pair(), pair(name="again"))
    assert isinstance(one, Scores)
    assert one == two == score(echoing(), pair())
    assert [asked.body["max_tokens"] for asked in server.asked] == [0, *[1] * 9]


def test_a_made_token_without_text_is_not_counted() -> None:
    """The end token comes back as a token of no text."""

    def script(asked: Asked) -> Reply:
        if asked.body["max_tokens"] == 0:
            return error(400, "no")
        tokens = toy_tokens(asked.prompt)
        reply = echo_reply(asked, tokens, [None, *[-1.0] * (len(tokens) - 1)]).body
        assert isinstance(reply, dict)
        reply["choices"][0]["logprobs"]["tokens"].append("")
        reply["choices"][0]["logprobs"]["token_logprobs"].append(-9.0)
        reply["usage"]["completion_tokens"] = 1
        return Reply(reply)

    assert score(script, pair()).texts[0].sum == -5.0


def test_a_server_that_makes_text_where_none_was_asked_for_is_asked_for_one_token() -> None:
    def script(asked: Asked) -> Reply:
        body = dict(asked.body)
        body["max_tokens"] = 1
        object.__setattr__(asked, "body", body | {"asked": asked.body["max_tokens"]})
        return echoing(made=" and")(asked)

    with Server(sound(script)) as server:
        (answer,) = answers(model(server), pair())
    assert isinstance(answer, Scores)
    echoes = [asked.body for asked in server.asked if asked.body.get("echo")]
    assert [body["asked"] for body in echoes] == [0, 1, 1, 1, 1, 1]


# --- the first token -------------------------------------------------------------------------


def test_a_shown_beginning_token_is_named_and_not_counted() -> None:
    answer = score(echoing(bos=True), pair("bos"))
    assert answer.conditioned_on == BOS
    assert answer.texts[0].logprobs[0] == -(1 + 3 / 8)
    assert answer.texts[0].starts == (0, 3, 8, 9, 14, 17)
    assert score(echoing(bos=True), pair("tokenizer-default")) == answer


def test_a_hidden_beginning_token_shows_by_the_first_score() -> None:
    answer = score(echoing(hidden=True), pair("bos"))
    assert answer.conditioned_on == "(not shown)"
    assert answer.texts[0].logprobs[0] == -(3 / 8)


@pytest.mark.parametrize("context", ["", "The nurse said"])
def test_the_policy_bos_wants_a_first_score(context: str) -> None:
    texts = (" he left", " she left")
    answer = score(echoing(), pair("bos", context=context, texts=texts))
    assert "first-token policy bos cannot be applied; use tokenizer-default" in reason(answer)


def test_the_policy_none_wants_nothing_before_the_text() -> None:
    assert score(echoing(), pair("none")).texts[0].logprobs[0] is None
    assert f"the server puts {BOS} before a text" in reason(score(echoing(bos=True), pair("none")))
    assert "the server puts a token before" in reason(score(echoing(hidden=True), pair("none")))


def test_a_first_score_of_zero_is_none() -> None:
    """A token with nothing before it cannot be certain: some servers write 0 for null."""
    answer = score(echoing(zero=True), pair())
    assert answer.texts[0].logprobs[0] is None
    assert "bos cannot be applied" in reason(score(echoing(zero=True), pair("bos")))


def test_texts_that_differ_only_in_an_unscored_token_are_refused() -> None:
    answer = score(echoing(), pair(texts=("He left", "Anne left")))
    assert "'He left' and 'Anne left' differ only in a token that has no score" in reason(answer)
    assert isinstance(score(echoing(bos=True), pair(texts=("He left", "Anne left"))), Scores)
    assert isinstance(score(echoing(), pair(texts=("He left", "He left"))), Scores)


def test_a_text_of_which_nothing_is_scored_is_refused() -> None:
    assert "no token of the text 'He' has a score" in reason(score(echoing(), pair(texts=("He",))))


@pytest.mark.parametrize("stand_in", [-9999.0, -3.4028234663852886e38, 0.25])
def test_a_number_that_stands_for_no_probability_is_no_score(stand_in: float) -> None:
    """vLLM and llama.cpp write such numbers for -inf, which JSON does not have."""

    def script(asked: Asked) -> Reply:
        tokens = toy_tokens(asked.prompt)
        logprobs = [stand_in if " zoe" in token else -1.0 for token in tokens]
        return echo_reply(asked, tokens, [None, *logprobs[1:]])

    answer = score(script, pair(context="The", texts=(" nurse left", " nurse and zoe left")))
    assert f"(' zoe') of 'The nurse and zoe left' the log-probability {stand_in:g}" in reason(
        answer
    )


@pytest.mark.parametrize("number", [float("nan"), float("-inf")])
def test_a_number_that_json_does_not_have_fails_the_request(number: float) -> None:
    """Also among the likeliest tokens, which are not read."""

    def script(asked: Asked) -> Reply:
        tokens = toy_tokens(asked.prompt)
        reply = echo_reply(asked, tokens, [None, *[-1.0] * (len(tokens) - 1)])
        if " zoe" in asked.prompt:
            assert isinstance(reply.body, dict)
            reply.body["choices"][0]["logprobs"]["top_logprobs"] = [{"a": number}]
        return reply

    answer = score(script, pair(context="The", texts=(" nurse left", " nurse and zoe left")))
    assert "the reply could not be read" in reason(answer)


# --- the proof -------------------------------------------------------------------------------


def ignoring(asked: Asked) -> Reply:
    """What llama.cpp does: 200, one new token, no word of the echo."""
    new = [{"token": " a", "logprob": -0.5}]
    choice = {"text": " a", "logprobs": {"content": new}, "finish_reason": "length"}
    return Reply({"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 1}})


def text_alone(asked: Asked) -> Reply:
    return Reply({"choices": [{"text": asked.prompt, "logprobs": None}]})


def null_scores(asked: Asked) -> Reply:
    tokens = toy_tokens(asked.prompt)
    return echo_reply(asked, tokens, [None] * len(tokens))


def positive_scores(asked: Asked) -> Reply:
    tokens = toy_tokens(asked.prompt)
    return echo_reply(asked, tokens, [0.5] * len(tokens))


def new_token_alone(asked: Asked) -> Reply:
    return echo_reply(asked, ["x"], [-1.0])


def short_lists(asked: Asked) -> Reply:
    return echo_reply(asked, toy_tokens(asked.prompt), [-1.0])


def other_count(asked: Asked) -> Reply:
    tokens = toy_tokens(asked.prompt)
    return echo_reply(
        asked, tokens, [None, *[-1.0] * (len(tokens) - 1)], usage={"prompt_tokens": 500}
    )


def cut_prompt(asked: Asked) -> Reply:
    """A server that silently keeps the last 20 characters of what it is sent."""
    tokens = toy_tokens(asked.prompt[-20:])
    reply = echo_reply(asked, tokens, [None, *[-1.0] * (len(tokens) - 1)]).body
    assert isinstance(reply, dict)
    reply["choices"][0]["text"] = asked.prompt[-20:]
    return Reply(reply)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (ignoring, "the text was not returned"),
        (cut_prompt, "the text was not returned"),
        (text_alone, "without its tokens and their log-probabilities"),
        (short_lists, "without its tokens and their log-probabilities"),
        (null_scores, "tokens of the text were returned without log-probabilities"),
        (positive_scores, "the log-probability 0.5, which is above 0"),
        (new_token_alone, "do not spell the text"),
        (other_count, "tokens were returned for a text of 500"),
        (lambda _: error(404, "Not Found"), "HTTP 404: Not Found"),
        (lambda _: error(500, "echo not supported"), "HTTP 500: echo not supported"),
    ],
)
def test_a_server_without_an_echo_ends_the_run(script: Script, words: str) -> None:
    with Server(script) as server:
        served = model(server)
        with pytest.raises(RunError, match="The server cannot score toy") as caught:
            answers(served, *(pair(name=str(n)) for n in range(20)))
    assert words in str(caught.value)
    assert "kind hf" in str(caught.value)
    # Nothing was asked but the probe.
    assert {asked.prompt for asked in server.asked} == {ECHO_PROBE}


def misplacing(asked: Asked) -> Reply:
    """What llama-cpp-python does: each token has the score it would have a place later."""
    tokens = toy_tokens(asked.prompt)
    if not asked.body.get("echo"):
        return made_reply(MADE, toy_logprob(len(tokens), MADE))
    later = [toy_logprob(i + 1, token) for i, token in enumerate(tokens)]
    return echo_reply(asked, tokens, [None, *later[1:]])


def test_scores_that_stand_in_the_wrong_place_end_the_run() -> None:
    with Server(misplacing) as server, pytest.raises(RunError) as caught:
        answers(model(server), pair())
    # Nine words, three of them of two tokens; the made one is the next, of three characters.
    text = CONTINUATION_PROBES[0]
    assert f"{MADE!r} after {text!r} has -12.38 when it is generated but -13.38 in an echo" in str(
        caught.value
    )
    assert {asked.prompt for asked in server.asked} == {ECHO_PROBE, text, text + MADE}


@pytest.mark.parametrize("made", ["", "uple"])
def test_a_made_token_that_cannot_be_found_again_proves_nothing(made: str) -> None:
    """None was made; or it is the end of a word that the echo has as one token."""

    def script(asked: Asked) -> Reply:
        if not asked.body.get("echo"):
            return made_reply(made, -0.01)
        words = re.findall(r"\s?\S+", asked.prompt)
        return echo_reply(asked, words, [None, *[-3.0] * (len(words) - 1)])

    with Server(script) as server:
        (answer,) = answers(model(server), pair())
    assert isinstance(answer, Scores)


def test_the_echo_is_proved_once() -> None:
    with Server(sound(echoing())) as server:
        served = model(server)
        for _ in range(2):
            answers(served, *(pair(name=str(n)) for n in range(10)))
    assert sum(asked.prompt == ECHO_PROBE for asked in server.asked) == 1
    assert server.asked[0].prompt == ECHO_PROBE
    assert server.asked[0].body["echo"] is True


def test_an_echo_that_fails_later_fails_that_request() -> None:
    script = lambda a: ignoring(a) if "she" in a.prompt and a.prompt != ECHO_PROBE else echoing()(a)  # noqa: E731
    bad, good = pair(), pair(texts=("A man left",))
    with Server(sound(script)) as server:
        failed, fine = answers(model(server), bad, good)
    assert reason(failed) == "the text was not returned"
    assert isinstance(fine, Scores)


# --- what cannot be scored -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (pair(context=(Message(role="user", content="Hi"),)), "a chat cannot be scored"),
        (pair(texts=()), "there is no text to score"),
        (pair(texts=("He left", "")), "an empty text has no tokens"),
    ],
)
def test_what_cannot_be_scored_fails_unasked(request_: Score, words: str) -> None:
    with Server(echoing()) as server:
        (answer,) = answers(model(server), request_)
    assert words in reason(answer)
    assert not server.asked
