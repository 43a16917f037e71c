"""What is sent for a generate or translate request, and how replies are read."""

from __future__ import annotations

from typing import Any

import pytest

from epicene.core.errors import RunError
from epicene.core.records import (
    Decoding,
    Failed,
    Fill,
    Generate,
    Message,
    Request,
    Text,
    Texts,
    Translate,
    digest,
)
from epicene.models import sample_seed
from epicene.models.openai.generation import fold_system
from models.http.local_server import Asked, Reply, Script, Server, first_then
from models.model_answers import answers
from models.openai.openai_server import chat, error, model

SYSTEM = Message(role="system", content="Be brief.")
USER = Message(role="user", content="Hello")


def ask(script: Script, request: Request) -> tuple[Any, list[Asked]]:
    """The answer to one request, and what the server was asked."""
    with Server(script) as server:
        (answer,) = answers(model(server), request)
    return answer, server.asked


def texts(script: Script, request: Request) -> tuple[Text, ...]:
    answer, _ = ask(script, request)
    assert isinstance(answer, Texts), answer
    return answer.texts


def reply_to(message: dict[str, Any], finish: str = "stop") -> Script:
    return lambda _: Reply({"choices": [{"message": message, "finish_reason": finish}]})


def question(**fields: Any) -> Generate:
    return Generate(item="i", prompt=(USER,), **fields)


# --- what is sent ----------------------------------------------------------------------------


def test_a_chat_goes_to_the_chat_endpoint_with_its_decoding() -> None:
    decoding = Decoding(max_new_tokens=9, temperature=0.7, top_p=0.9, stop=("\n", "END"), seed=4)
    request = Generate(item="i", prompt=(SYSTEM, USER), decoding=decoding)
    answer, (asked,) = ask(lambda _: chat("Hi"), request)
    assert asked.path == "/v1/chat/completions"
    assert asked.body == {
        "model": "toy",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hello"},
        ],
        "max_tokens": 9,
        "temperature": 0.7,
        "top_p": 0.9,
        "stop": ["\n", "END"],
        "seed": sample_seed(digest(request), 4, 0),
    }
    assert answer == Texts(texts=(Text(text="Hi", tokens=3),), temperature=0.7, system="own")


def test_a_plain_prompt_goes_to_the_completions_endpoint() -> None:
    script = lambda _: Reply({"choices": [{"text": " and so on", "finish_reason": "length"}]})  # noqa: E731
    answer, (asked,) = ask(script, Generate(item="i", prompt="Once"))
    assert asked.path == "/v1/completions"
    assert asked.body["prompt"] == "Once"
    assert asked.body["max_tokens"] == 256
    assert answer.texts == (Text(text=" and so on", finish="length"),)


def test_settings_not_asked_for_are_not_sent() -> None:
    answer, (asked,) = ask(lambda _: chat("x"), question(decoding=Decoding(temperature=None)))
    assert set(asked.body) == {"model", "messages", "max_tokens", "seed"}
    assert answer.temperature is None


def test_settings_beyond_the_protocol_are_sent_when_asked_for() -> None:
    decoding = Decoding(max_new_tokens=5, top_k=3, exact_length=True)
    _, (asked,) = ask(lambda _: chat("x"), question(decoding=decoding))
    assert asked.body["top_k"] == 3
    assert asked.body["ignore_eos"] is True
    assert asked.body["min_tokens"] == 5


def test_texts_shorter_than_the_exact_length_are_counted() -> None:
    with Server(lambda _: chat("x")) as server:
        served = model(server)
        (answer,) = answers(served, question(decoding=Decoding(exact_length=True)))
    assert isinstance(answer, Texts)
    assert answer.texts[0].finish == "stop"
    assert served.notes()["shorter_than_asked"] == 1


def test_a_translation_is_asked_for_in_plain_words() -> None:
    request = Translate(item="i", text="She sings.", language="en", into="fr")
    answer, (asked,) = ask(lambda _: chat("Elle chante."), request)
    assert asked.body["messages"] == [
        {
            "role": "user",
            "content": "Translate the following text from English into French. "
            "Reply with the translation only.\n\nShe sings.",
        }
    ]
    assert answer.only == "Elle chante."


def test_a_language_without_a_name_goes_by_its_code() -> None:
    request = Translate(item="i", text="x", into="tlh")
    _, (asked,) = ask(lambda _: chat("x"), request)
    assert asked.prompt.startswith("Translate the following text into tlh. Reply")


# --- what servers mind -----------------------------------------------------------------------


def test_the_other_name_of_the_length_limit_is_learnt_once() -> None:
    def script(asked: Asked) -> Reply:
        if "max_tokens" in asked.body:
            return error(
                400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            )
        return chat("ok")

    with Server(script) as server:
        given = answers(model(server, concurrency=1), *[question(name=str(n)) for n in range(4)])
    assert all(isinstance(answer, Texts) for answer in given)
    assert len(server.asked) == 5
    assert server.asked[-1].body["max_completion_tokens"] == 256


def test_a_server_that_knows_no_seed_is_asked_without() -> None:
    script = lambda a: error(422, "Unknown name: seed") if "seed" in a.body else chat("ok")  # noqa: E731
    with Server(script) as server:
        served = model(server, concurrency=1)
        given = answers(served, question(), question(name="2"))
    assert all(isinstance(answer, Texts) for answer in given)
    assert len(server.asked) == 3
    assert served.notes()["seed"] == "not taken by the server"


def test_a_server_without_system_turns_gets_them_in_the_user_turn() -> None:
    def script(asked: Asked) -> Reply:
        if asked.body["messages"][0]["role"] == "system":
            return error(400, "System role not supported")
        return chat("ok")

    with Server(script) as server:
        served = model(server)
        for _ in range(2):
            (answer,) = answers(served, Generate(item="i", prompt=(SYSTEM, USER)))
            assert isinstance(answer, Texts)
            assert answer.system == "user"
    assert len(server.asked) == 3  # it was remembered
    assert server.asked[-1].body["messages"] == [{"role": "user", "content": "Be brief.\n\nHello"}]


def test_a_system_turn_is_folded_for_good_only_where_that_helped() -> None:
    """Another trouble that mentions the system turn must not change later requests."""

    def script(asked: Asked) -> Reply:
        if asked.prompt.endswith("bad"):
            return error(400, "After the system message, roles must alternate")
        return chat("ok")

    bad = Generate(item="b", prompt=(SYSTEM, Message(role="user", content="bad")))
    with Server(script) as server:
        served = model(server)
        (failed,) = answers(served, bad)
        (fine,) = answers(served, Generate(item="i", prompt=(SYSTEM, USER)))
    assert isinstance(failed, Failed)
    assert isinstance(fine, Texts)
    assert fine.system == "own"


def test_folding_keeps_the_other_turns() -> None:
    assistant = Message(role="assistant", content="Yes?")
    folded = fold_system((SYSTEM, assistant, USER))
    assert folded == (assistant, Message(role="user", content="Be brief.\n\nHello"))
    assert fold_system((SYSTEM,)) == (Message(role="user", content="Be brief."),)


@pytest.mark.parametrize(
    ("decoding", "setting"),
    [
        (Decoding(temperature=0.0), "temperature"),
        (Decoding(top_k=3), "top_k"),
        (Decoding(exact_length=True), "ignore_eos"),
        (Decoding(stop=("a",) * 9), "stop"),
        (Decoding(max_new_tokens=10**6), "max_tokens"),
    ],
)
def test_a_setting_the_server_rejects_is_named(decoding: Decoding, setting: str) -> None:
    answer, asked = ask(
        lambda _: error(400, f"Unsupported value for '{setting}'."), question(decoding=decoding)
    )
    assert isinstance(answer, Failed)
    assert f"the server does not accept {setting} =" in answer.reason
    assert len(asked) == 1


def test_a_rejection_may_name_its_parameter_apart() -> None:
    body = {"error": {"message": "Out of range.", "param": "temperature"}}
    answer, _ = ask(lambda _: Reply(body, 400), question())
    assert "temperature = 0.0 (HTTP 400: Out of range.)" in answer.reason


def test_a_server_without_completions_says_so() -> None:
    answer, _ = ask(lambda _: error(404, "Not Found"), Generate(item="i", prompt="Once"))
    assert "no completions endpoint for this model (HTTP 404: Not Found)" in answer.reason
    answer, _ = ask(lambda _: error(404, "Not Found"), question())
    assert "no chat endpoint" in answer.reason


def test_an_unknown_model_is_not_taken_for_a_missing_endpoint() -> None:
    """It fares no better with any other request."""
    with pytest.raises(RunError, match=r"has no model toy \(HTTP 404: .* does not exist\)"):
        ask(
            lambda _: error(404, "The model `toy` does not exist"),
            Generate(item="i", prompt="Once"),
        )


def test_a_model_that_has_answered_is_not_unknown_later() -> None:
    script = first_then(chat("yes"), rest=lambda _: error(404, "The model `toy` does not exist"))
    with Server(script) as server:
        served = model(server, concurrency=1)
        assert isinstance(answers(served, question())[0], Texts)
        assert answers(served, question()) == [
            Failed(reason="HTTP 404: The model `toy` does not exist")
        ]


def test_an_empty_prompt_and_a_strange_verb_fail_unasked() -> None:
    answer, asked = ask(lambda _: chat("x"), Generate(item="i", prompt=""))
    assert answer == Failed(reason="the prompt is empty")
    answer, _ = ask(lambda _: chat("x"), question(samples=0))
    assert answer == Failed(
        reason="the request must ask for at least one sample of at least one token"
    )
    answer, more = ask(lambda _: chat("x"), Fill(item="i", before="a cat"))
    assert answer == Failed(reason="a server does not support the verb fill")
    assert not asked
    assert not more


# --- samples ---------------------------------------------------------------------------------


def numbered(asked: Asked) -> Reply:
    """As many choices as asked for, each telling its request's seed."""
    return chat(*(f"{asked.body['seed']}.{i}" for i in range(asked.body.get("n", 1))))


def test_samples_are_asked_for_together() -> None:
    request = question(samples=4, decoding=Decoding(temperature=1.0))
    answer, (asked,) = ask(numbered, request)
    assert asked.body["n"] == 4
    seed = sample_seed(digest(request), 0, 0)
    assert [text.text for text in answer.texts] == [f"{seed}.{i}" for i in range(4)]


@pytest.mark.parametrize("words", ["Field 'n': Value must be 1", "Only one at a time, please"])
def test_a_server_of_single_choices_is_asked_singly_each_with_its_seed(words: str) -> None:
    script = lambda a: error(400, words) if a.body.get("n", 1) > 1 else numbered(a)  # noqa: E731
    request = question(samples=5, decoding=Decoding(temperature=1.0, seed=3))
    with Server(script) as server:
        served = model(server)
        (answer,) = answers(served, request)
        asked = len(server.asked)
        answers(served, question(name="later", samples=2))
        assert len(server.asked) == asked + 2  # it was remembered
    assert isinstance(answer, Texts)
    expected = [f"{sample_seed(digest(request), 3, i)}.0" for i in range(5)]
    assert [text.text for text in answer.texts] == expected
    assert len(set(expected)) == 5


def test_choices_that_are_missing_are_asked_for_again() -> None:
    """Two of five come, one of them null; then the rest."""

    def script(asked: Asked) -> Reply:
        return chat("a", None, "b") if asked.number == 0 else chat(*"cdefgh")

    answer, asked = ask(script, question(samples=5))
    assert [text.text for text in answer.texts] == list("abcde")
    assert [a.body.get("n", 1) for a in asked] == [5, 3]


def test_a_server_that_makes_one_whatever_it_is_asked() -> None:
    answer, asked = ask(lambda a: chat(str(a.body["seed"])), question(samples=4))
    assert len({text.text for text in answer.texts}) == 4
    assert [a.body.get("n", 1) for a in asked] == [4, 1, 1, 1]


def test_a_rejection_for_another_reason_is_that_reason() -> None:
    answer, _ = ask(lambda _: error(400, "prompt too long"), question(samples=3))
    assert answer == Failed(reason="HTTP 400: prompt too long")


def test_choices_come_in_the_order_of_their_index() -> None:
    choices = [{"index": i, "message": {"content": str(i)}} for i in (2, 0, 1)]
    got = texts(lambda _: Reply({"choices": choices}), question(samples=3))
    assert [text.text for text in got] == ["0", "1", "2"]


# --- refusals, thinking, ends ----------------------------------------------------------------


def test_refusals_are_texts() -> None:
    refusal = reply_to({"content": None, "refusal": "I would rather not."})
    assert texts(refusal, question()) == (Text(text="I would rather not.", finish="refused"),)
    filtered = reply_to({"content": None}, "content_filter")
    assert texts(filtered, question()) == (Text(text="", finish="refused"),)
    policy = Reply({"error": {"message": "no", "code": "content_filter"}}, 400)
    assert texts(lambda _: policy, question(samples=2)) == (Text(text="", finish="refused"),) * 2


def test_a_text_cut_in_mid_thought_is_empty_but_an_answer() -> None:
    cut = reply_to({"content": None, "reasoning_content": "Let me see"}, "length")
    assert texts(cut, question()) == (Text(text="", finish="length", thinking=10),)
    ended = reply_to({"content": None, "reasoning_content": "Let me see"})
    assert texts(ended, question()) == (Text(text="", finish="stop", thinking=10),)


@pytest.mark.parametrize(
    "message",
    [
        {"content": "<think>Hm.</think>\n\nYes"},
        {"content": "Hm.</think>Yes"},
        {"content": "Yes", "reasoning_content": "Hm."},
        {"content": "Yes", "reasoning": "Hm."},
        {
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
                {"type": "text", "text": "Yes"},
            ]
        },
    ],
)
def test_thinking_is_taken_out_and_counted(message: dict[str, Any]) -> None:
    assert texts(reply_to(message), question()) == (Text(text="Yes", thinking=3),)


def test_thinking_tokens_are_not_the_texts() -> None:
    usage = {"completion_tokens": 12, "completion_tokens_details": {"reasoning_tokens": 8}}
    body = {"choices": [{"message": {"content": "x"}}], "usage": usage}
    assert texts(lambda _: Reply(body), question())[0].tokens == 4
