"""Open models are asked in Python: frames of scores, tokens and texts, and one-sentence errors."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from copy import deepcopy
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import torch

import epicene
from epicene.core import registry
from epicene.core.errors import InputError, OptionError, RunError
from epicene.core.records import Generate, Score, Scores, Texts
from epicene.models import BatchLimit, ModelOptions, hf
from models.hf.tiny_causal import gpt2, gpt2_like, llama, metaspace, save, smollm2_like
from models.hf.tiny_masked import model_and_tokenizer
from models.hf.tiny_seq2seq import t5
from models.http.local_server import Asked, Reply, Server
from models.model_answers import batch_answers
from models.openai.completions_server import completions
from models.openai.openai_server import chat

TEXTS = ["the nurse said that she was tired", "लड़की ने किताब पढ़ी", "he was late, she was not."]


@pytest.fixture
def causal() -> Iterator[epicene.OpenModel]:
    with epicene.open_model(*deepcopy((llama(), smollm2_like())), label="tiny") as opened:
        yield opened


def plain_surprisals(model: Any, tokenizer: Any, text: str, context: str = "") -> list[float]:
    """Surprisals in bits by a plain forward pass, as one would write it with transformers alone."""
    encoded = tokenizer(context + text, add_special_tokens=False, return_offsets_mapping=True)
    ids = torch.tensor([[tokenizer.bos_token_id, *encoded["input_ids"]]])
    with torch.no_grad():
        logprobs = model(ids).logits[0, :-1].double().log_softmax(-1)
    every = -logprobs[range(ids.shape[1] - 1), ids[0, 1:]] / math.log(2)
    own = [end > len(context) for _, end in encoded["offset_mapping"]]
    return [float(bits) for bits, mine in zip(every, own, strict=True) if mine]


@pytest.mark.parametrize("tokenizer", [smollm2_like(), gpt2_like(), metaspace()])
@pytest.mark.parametrize("context", ["", "a b c "])
def test_surprisals_are_those_of_a_plain_forward_pass(tokenizer: Any, context: str) -> None:
    model = deepcopy(llama())
    found = epicene.open_model(model, tokenizer).tokens(TEXTS, context=context)
    for index, text in enumerate(TEXTS):
        mine = found.filter(pl.col("index") == index)
        expected = plain_surprisals(model, tokenizer, text, context)
        assert mine["surprisal"].to_list() == pytest.approx(expected, abs=1e-4)
        assert mine["logprob"].to_list() == pytest.approx(
            [-bits * math.log(2) for bits in expected], abs=1e-4
        )


def test_tokens_have_their_characters_and_words(causal: epicene.OpenModel) -> None:
    frame = causal.tokens("she was late, he")
    assert frame.columns == ["index", "token", "start", "end", "logprob", "surprisal", "word"]
    assert "".join(frame["token"]) == "she was late, he"
    assert frame["start"].to_list() == [0, *frame["end"].to_list()[:-1]]
    by_word = frame.drop_nulls("word").group_by("word", maintain_order=True).agg("token")
    assert ["".join(tokens).strip() for tokens in by_word["token"]] == ["she", "was", "late", "he"]
    assert frame.filter(pl.col("token") == ",")["word"].to_list() == [None]


def test_parts_of_a_character_are_tokens(causal: epicene.OpenModel) -> None:
    frame = causal.tokens("ह")  # three bytes, none of which the tokenizer joins
    assert frame["token"].to_list() == ["ह"] * len(frame)
    assert len(frame) > 1


def test_scores_are_those_of_a_run(causal: epicene.OpenModel, tmp_path: Path) -> None:
    frame = causal.score(TEXTS, context="a b ")
    assert frame.columns == [
        "text", "sum", "per_token", "per_word", "per_character", "tokens", "words", "method",
    ]  # fmt: skip
    opened = hf.open(str(save(tmp_path / "m", llama(), smollm2_like())), ModelOptions())
    answers = batch_answers(opened, *[Score(texts=(text,), context="a b ") for text in TEXTS])
    for row, text, answer in zip(frame.iter_rows(named=True), TEXTS, answers, strict=True):
        assert isinstance(answer, Scores)
        (score,) = answer.texts
        assert row["text"] == text
        assert row["sum"] == pytest.approx(score.sum, abs=1e-4)
        assert row["per_token"] == pytest.approx(score.sum / score.tokens, abs=1e-4)
        assert row["per_word"] == pytest.approx(score.sum / score.words, abs=1e-4)
        assert row["per_character"] == pytest.approx(score.sum / len(text), abs=1e-4)
        assert (row["tokens"], row["words"]) == (score.tokens, score.words)
        assert row["method"] == "causal"
    assert causal.tokens(TEXTS, context="a b ")["logprob"].sum() == pytest.approx(
        frame["sum"].sum(), abs=1e-6
    )


def test_a_chat_may_be_the_context(causal: epicene.OpenModel) -> None:
    chat = [{"role": "user", "content": "who was late"}]
    asked = causal.score("she was", context=chat)
    rendered = smollm2_like().apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
    plain = causal.score("she was", context=rendered, first_token="none")
    assert asked["sum"].item() == pytest.approx(plain["sum"].item(), abs=1e-4)


def test_any_number_of_texts_is_asked_in_batches() -> None:
    sizes: list[int] = []

    def score(texts: list[str]) -> list[float]:
        sizes.append(len(texts))
        return [-float(len(text)) for text in texts]

    texts = ["x" * (1 + number % 7) for number in range(200)]
    frame = epicene.open_model(score=score, label="mine").score(texts)
    assert frame["text"].to_list() == texts
    assert frame["sum"].to_list() == [-float(len(text)) for text in texts]
    assert sum(sizes) == 200
    assert max(sizes) <= BatchLimit().requests
    # A number for a whole text says nothing of its tokens.
    assert frame["tokens"].null_count() == frame["per_token"].null_count() == 200


def test_no_texts_are_an_empty_frame(causal: epicene.OpenModel) -> None:
    assert causal.score([]).is_empty()
    assert causal.score([]).schema == causal.score("a").schema
    assert causal.generate([]).columns == ["prompt", "sample", "text", "finish"]


def test_texts_are_generated_as_in_a_run(causal: epicene.OpenModel) -> None:
    chat = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "she"}]
    prompts: list[Any] = ["the nurse", chat]
    frame = causal.generate(prompts, samples=2, max_new_tokens=5, temperature=1.0, seed=4)
    assert frame["prompt"].to_list() == [
        "the nurse", "the nurse", "system: Be brief.\nuser: she", "system: Be brief.\nuser: she",
    ]  # fmt: skip
    assert frame["sample"].to_list() == [0, 1, 0, 1]
    assert set(frame["finish"]) <= {"stop", "length"}
    decoding = epicene.Decoding(max_new_tokens=5, temperature=1.0, seed=4)
    (answer,) = batch_answers(
        causal.model, Generate(prompt="the nurse", samples=2, decoding=decoding)
    )
    assert isinstance(answer, Texts)
    assert frame["text"].to_list()[:2] == [text.text for text in answer.texts]
    alone = causal.generate(chat, max_new_tokens=5)
    assert len(alone) == 1  # a list of messages is one chat


def test_gaps_are_filled() -> None:
    masked = epicene.open_model(*deepcopy(model_and_tokenizer("bert")))
    frame = masked.fill("the teacher said ___ is happy.", choices=["she", "he"])
    assert frame.columns == ["text", "completion", "logprob", "with_after", "tokens", "method"]
    assert sorted(frame["completion"]) == ["he", "she"]
    assert len(masked.fill(["the [GAP] is", "[GAP] he"], gap="[GAP]", top=3)) == 6
    with pytest.raises(InputError, match=r"Text 1 \('no gap'\) must contain the gap '___' exactly"):
        masked.fill(["___ he", "no gap"])


def test_texts_are_translated() -> None:
    model = epicene.open_model(*deepcopy(t5()))
    frame = model.translate(["he reads.", "a book"], "en", "fr", max_new_tokens=6)
    assert frame.columns == ["text", "translation", "finish"]
    assert frame["text"].to_list() == ["he reads.", "a book"]
    with pytest.raises(
        RunError, match=r"Text 0 \('a'\) could not be translated: the model has no prefix"
    ):
        model.translate("a", "fr", "en")


def test_a_spec_takes_the_options_of_the_command_line(tmp_path: Path) -> None:
    folder = save(tmp_path / "m", llama(), metaspace())
    with epicene.open_model(f"hf:{folder}", dtype="bfloat16", label="short") as opened:
        assert opened.identity.label == "short"
        assert opened.identity.key["dtype"] == "bfloat16"
        assert repr(opened) == "<OpenModel short: fill, generate, score>"
        assert not math.isnan(opened.score("a b")["sum"].item())
    assert repr(opened) == "<OpenModel short: closed>"
    with pytest.raises(InputError, match="The model short is closed; open it again"):
        opened.score("a")


def test_the_models_of_a_spec_without_weights() -> None:
    guesses = epicene.open_model("random:3")
    assert guesses.identity.key["seed"] == "3"
    assert guesses.score(["a b", "c"])["method"].to_list() == ["random", "random"]
    assert epicene.open_model("copy").translate("a", "en", "fr")["translation"].item() == "a"


def test_a_model_of_ones_own_is_a_model() -> None:
    class Loud(epicene.PythonModel):
        def generate(self, prompts: list[str]) -> list[str]:
            return [prompt.upper() for prompt in prompts]

    opened = epicene.open_model(Loud())
    assert opened.generate("ab")["text"].item() == "AB"
    assert opened.identity.label == "Loud"


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((), {}, "takes a spec such as 'smollm2', .*, not nothing"),
        ((3,), {}, "not int"),
        (("random",), {"dtype": "float16"}, "The model random does not take dtype"),
        (("random",), {"dtyp": "float16"}, "dtyp"),
        (("random",), {"version": "1"}, "has its own tokenizer and version"),
        (("random",), {"generate": list}, "a model or functions, not both"),
        (("nonsense:x",), {}, "nonsense"),
        ((), {"generate": list, "device": "cpu"}, "The option device has no effect on functions"),
        ((), {"generate": list, "batch_size": "many"}, "A model option is invalid"),
        (
            (llama(), metaspace()),
            {"dtype": "float16"},
            "has no effect on a model that is already loaded",
        ),
        ((llama(),), {}, "needs its tokenizer"),
    ],
)
def test_what_cannot_be_opened_is_one_sentence(
    arguments: tuple[Any, ...], options: dict[str, Any], message: str
) -> None:
    with pytest.raises((InputError, OptionError), match=message) as caught:
        epicene.open_model(*arguments, **options)
    assert "\n" not in str(caught.value)


def test_failures_name_the_text() -> None:
    def score(texts: list[str]) -> list[float]:
        return [-1 / len(text) for text in texts]

    model = epicene.open_model(score=score, label="mine")
    with pytest.raises(
        RunError,
        match=r"Text 1 \(''\) could not be scored: the function score raised "
        r"ZeroDivisionError: division by zero \(1 more failed\)\.",
    ) as caught:
        model.score(["a", "", "b", ""])
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    with pytest.raises(InputError, match="The model mine cannot fill; it can score"):
        model.fill("a ___")
    with pytest.raises(InputError, match="Text 1 must be a string, not int"):
        model.score(["a", 3])  # type: ignore[list-item]
    with pytest.raises(InputError, match="The context must be a text, or a list of messages"):
        model.score("a", context=[{"role": "nobody", "content": ""}])
    not_finite = epicene.open_model(score=lambda texts: [math.nan for _ in texts], label="x")
    with pytest.raises(RunError, match="a number that is not finite"):
        not_finite.score("a")


def test_functions_are_named_after_themselves() -> None:
    def mine(prompts: list[str]) -> list[str]:
        return prompts

    assert epicene.open_model(generate=mine).identity.label == "mine"
    assert epicene.open_model(generate=lambda prompts: prompts).identity.label == "python"


def test_a_model_in_memory_is_asked_as_it_is_now() -> None:
    model, tokenizer = deepcopy((gpt2(), gpt2_like()))
    opened = epicene.open_model(model, tokenizer)
    before = opened.score("she was")["sum"].item()
    with torch.no_grad():
        model.transformer.h[0].mlp.c_fc.weight.mul_(2)
    assert opened.score("she was")["sum"].item() != before


def test_a_hosted_model_is_asked_inside_a_running_event_loop() -> None:
    """As in a notebook, whose own loop runs all the time."""

    async def notebook(url: str) -> tuple[pl.DataFrame, pl.DataFrame]:
        with epicene.open_model("openai:toy", base_url=url) as m:
            return m.generate([[{"role": "user", "content": "Hi"}]] * 3), m.score(["a b", "c"])

    def reply(asked: Asked) -> Reply:
        return chat("hello") if "chat" in asked.path else completions()(asked)

    with Server(reply) as server:
        written, scored = asyncio.run(notebook(server.url))
    assert written["text"].to_list() == ["hello"] * 3
    assert scored["method"].to_list() == ["causal (echo)"] * 2
    assert scored["sum"].to_list() == sorted(scored["sum"].to_list())


def test_kinds_and_embedded_models_are_listed() -> None:
    frame = epicene.models()
    by_kind = {row["kind"]: row for row in frame.to_dicts()}
    assert by_kind["hf"]["spec"] == "hf:FOLDER_OR_ID"
    assert by_kind["hf"]["licence"] is None
    assert by_kind["smollm2"]["embedded"]
    assert by_kind["smollm2"]["disk_mb"] > 0
    ours = entry_points(group="epicene.models")
    assert all(by_kind[point.name]["about"] for point in ours)
    registry.add("models", "loud", epicene.PythonModel)
    assert "loud" in epicene.models()["kind"]


def test_an_unknown_model_is_not_fetched() -> None:
    with pytest.raises(InputError, match=r"'smolm2'.*'smollm2'"):
        epicene.fetch_model("smolm2")
