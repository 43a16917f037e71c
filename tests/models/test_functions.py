"""Models made of Python functions: what they are passed, what they may return, what is refused."""

from __future__ import annotations

import doctest
import functools
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Pillow

import epicene
from epicene.core.errors import InputError
from epicene.core.files import ImageFolder
from epicene.core.finite import finite_or_failed
from epicene.core.records import (
    Answer,
    Choice,
    Completion,
    Completions,
    Decoding,
    Draw,
    Failed,
    Fill,
    Generate,
    Images,
    Look,
    Message,
    Request,
    Score,
    Scores,
    Text,
    Texts,
    TextScore,
    Translate,
)
from epicene.models import ModelOptions, functions, sample_seed
from epicene.models.functions import SETTINGS, VERBS, FunctionModel, PythonModel, code_digest
from models.model_answers import batch_answers
from models.sample_images import picture


def model(**functions: Callable[..., Any]) -> FunctionModel:
    return FunctionModel(functions, label="mine")


def one(made: FunctionModel, request: Request, files: ImageFolder | None = None) -> Answer:
    (answer,) = batch_answers(made, request, files=files)
    return answer


def reason(made: FunctionModel, request: Request) -> str:
    answer = one(made, request)
    assert isinstance(answer, Failed), answer
    return answer.reason


# --- generate and translate --------------------------------------------------------------------


def test_prompts_are_texts_or_lists_of_messages() -> None:
    seen: list[Any] = []

    def generate(prompts: list[Any]) -> list[str]:
        seen.append(list(prompts))
        prompts.clear()  # a function may do what it likes with its list
        return [f"answer {number}" for number in range(len(seen[-1]))]

    chat = (Message(role="user", content="hello"),)
    answers = batch_answers(
        model(generate=generate), Generate(prompt="a"), Generate(prompt=chat), Generate(prompt="c")
    )
    assert seen == [["a", [{"role": "user", "content": "hello"}], "c"]]
    assert answers == [Texts(texts=(Text(text=f"answer {number}"),)) for number in range(3)]


def test_settings_are_passed_by_name_to_who_takes_them() -> None:
    seen: list[Any] = []

    def generate(
        prompts: list[str], temperature: float, *, stop: list[str], mine: int = 3
    ) -> list[str]:
        seen.append((len(prompts), temperature, stop, mine))
        return ["x. y"] * len(prompts)

    made = model(generate=generate)
    warm = Decoding(temperature=0.5, stop=(".",), max_new_tokens=9)
    answers = batch_answers(
        made,
        Generate(prompt="a", decoding=warm),
        Generate(prompt="b"),
        Generate(prompt="c", decoding=Decoding(temperature=0.5, stop=(".",), max_new_tokens=5)),
    )
    # Requests with the same settings, as far as the function takes them, are asked together.
    assert seen == [(2, 0.5, ["."], 3), (1, 0.0, [], 3)]
    assert answers == [
        Texts(texts=(Text(text="x"),), temperature=0.5),
        Texts(texts=(Text(text="x. y"),), temperature=0.0),
        Texts(texts=(Text(text="x"),), temperature=0.5),
    ]
    noted = made.notes()["generate"]
    assert isinstance(noted, dict)
    assert noted["calls"] == 2
    assert noted["passed"] == ["temperature", "stop"]
    assert "max_new_tokens" in noted["not taken"]


def test_a_function_with_any_keyword_gets_all_settings() -> None:
    seen: dict[str, Any] = {}

    def generate(prompts: list[str], **settings: Any) -> list[str]:
        seen.update(settings)
        return prompts

    one(model(generate=generate), Generate(prompt="a", language="fr"))
    assert set(seen) == set(SETTINGS["generate"]) - {"requests"}
    assert seen["language"] == "fr"


def test_the_requests_themselves_are_passed_on_demand() -> None:
    def generate(prompts: list[str], requests: list[Generate]) -> list[str]:
        return [f"{request.source} {request.target}" for request in requests]

    request = Generate(prompt="p", source="je suis prêt", target={"speaker": "feminine"})
    answer = one(model(generate=generate), request)
    assert isinstance(answer, Texts)
    assert answer.only == "je suis prêt {'speaker': 'feminine'}"


def test_a_function_is_called_once_per_sample() -> None:
    seeds: list[int] = []

    def generate(prompts: list[str], seed: int) -> list[str]:
        seeds.append(seed)
        return [f"{prompt}{len(seeds)}" for prompt in prompts]

    request = Generate(prompt="a", samples=3, decoding=Decoding(seed=7))
    answer = one(model(generate=generate), request)
    assert answer == Texts(texts=(Text(text="a1"), Text(text="a2"), Text(text="a3")))
    assert seeds == [7, sample_seed(7, 1), sample_seed(7, 2)]


@pytest.mark.parametrize(
    "generate",
    [
        lambda prompts, samples: [[f"{p}{n}" for n in range(samples)] for p in prompts],
        lambda prompts: [(f"{p}0", f"{p}1") for p in prompts],
    ],
)
def test_a_function_may_return_all_samples_at_once(generate: Callable[..., Any]) -> None:
    answers = batch_answers(
        model(generate=generate), Generate(prompt="a", samples=2), Generate(prompt="b", samples=2)
    )
    assert answers == [Texts(texts=(Text(text=f"{p}0"), Text(text=f"{p}1"))) for p in ("a", "b")]


def test_thinking_is_taken_out_and_counted() -> None:
    made = model(generate=lambda prompts: ["<think>hm</think> yes" for _ in prompts])
    assert one(made, Generate(prompt="a")) == Texts(texts=(Text(text="yes", thinking=2),))


def test_translate_is_told_the_languages() -> None:
    def translate(texts: list[str], source: str, target: str) -> list[str]:
        return [f"{text} {source}>{target}" for text in texts]

    made = model(translate=translate)
    answers = batch_answers(
        made,
        Translate(text="a", language="en", into="fr"),
        Translate(text="b", language="en", into="hi"),
    )
    assert [answer.only for answer in answers if isinstance(answer, Texts)] == [
        "a en>fr",
        "b en>hi",
    ]


# --- score ---------------------------------------------------------------------------------------


def text_score(text: str, *tokens: tuple[float | None, int, int], words: int) -> TextScore:
    logprobs, starts, ends = zip(*tokens, strict=True)
    return TextScore(logprobs=logprobs, starts=starts, ends=ends, words=words, characters=len(text))


def test_a_text_has_one_log_probability() -> None:
    made = model(score=lambda texts: [-len(text) / 3 for text in texts])
    assert one(made, Score(texts=("she is", "he"))) == Scores(
        texts=(
            text_score("she is", (-2.0, 0, 6), words=2),
            text_score("he", (-0.66667, 0, 2), words=1),
        ),
        method="python, whole texts",
    )


@pytest.mark.parametrize(
    "tokens",
    [
        [("she", -1.0), (" ", -0.5), ("is", None), (".", -2)],
        [("she", -1.0), (" ", -0.5), ("is", None), (".", -2.0)],
        [(0, 3, -1.0), (3, 4, -0.5), (4, 6, None), (6, 7, -2.0)],
    ],
)
def test_the_characters_of_tokens_are_found(tokens: list[Any]) -> None:
    assert one(model(score=lambda _: [tokens]), Score(texts=("she is.",))) == Scores(
        texts=(
            text_score("she is.", (-1.0, 0, 3), (-0.5, 3, 4), (None, 4, 6), (-2.0, 6, 7), words=2),
        ),
        method="python",
    )


def test_a_space_between_tokens_is_of_the_second() -> None:
    made = model(score=lambda _: [[("she", -1.0), ("is", -2.0)]])
    answer = one(made, Score(texts=("she  is ",)))
    assert isinstance(answer, Scores)
    assert answer.texts[0].starts == (0, 3)
    assert answer.texts[0].ends == (3, 7)


def test_tokens_of_the_context_are_not_the_texts() -> None:
    """The context is put before the text where the function does not take it by itself."""
    seen: list[str] = []

    def score(texts: list[str]) -> list[Any]:
        seen.extend(texts)
        return [[("the n", -1.0), ("urse s", -2.0), ("aid", -3.0)] for _ in texts]

    answer = one(model(score=score), Score(context="the nurse ", texts=("said",)))
    assert seen == ["the nurse said"]
    assert answer == Scores(
        texts=(text_score("said", (-2.0, 0, 1), (-3.0, 1, 4), words=1),), method="python"
    )


def test_a_function_that_takes_the_context_scores_the_text_alone() -> None:
    def score(texts: list[str], context: Any) -> list[float]:
        return [-1.0 if context == "the nurse " else -2.0 for _ in texts]

    chat = (Message(role="user", content="who?"),)
    answers = batch_answers(
        model(score=score),
        Score(context="the nurse ", texts=("said",)),
        Score(context=chat, texts=("said", "slept")),
    )
    sums = [[text.sum for text in answer.texts] for answer in answers if isinstance(answer, Scores)]
    assert sums == [[-1.0], [-2.0, -2.0]]


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ("x", "returned 'x' instead of a log-probability"),
        (None, "returned None instead of a log-probability"),
        (True, "returned True instead of a log-probability"),
        (3.5, "returned 3.5, which is above 0, so it is not a log-probability"),
        (
            [("she", -1.0), ("was", -1.0)],
            "returned the token 'was', which is not what the text continues with",
        ),
        ([("she", -1.0)], "returned tokens that end before ' is' of the text 'she is'"),
        ([-1.0, -2.0], "returned -1.0 instead of (token, log-probability)"),
        ([("", -1.0)], "returned '' instead of the text of a token"),
        ([(0, 9, -1.0)], "returned token 1 at 0 to 9, not within 'she is'"),
        ([(0, 3, -1.0), (2, 1, -1.0)], "instead of (start, end)"),
        ([("she", None), (" is", None)], "no token of the text 'she is' has a score"),
        ([], "returned tokens that end before 'she is' of the text 'she is'"),
    ],
)
def test_what_is_no_score_is_refused(result: Any, message: str) -> None:
    assert message in reason(model(score=lambda _: [result]), Score(texts=("she is",)))


def test_texts_that_differ_in_an_unscored_token_are_refused() -> None:
    def score(texts: list[str]) -> list[Any]:
        return [[(text.split()[0], None), (" is", -1.0)] for text in texts]

    assert "differ only in a token that has no score" in reason(
        model(score=score), Score(texts=("she is", "he is"))
    )


def test_a_sum_says_nothing_of_a_text_in_a_context() -> None:
    made = model(score=lambda texts: [-1.0 for _ in texts])
    assert "add an argument `context` to the function score" in reason(
        made, Score(context="a ", texts=("b",))
    )
    chat = (Message(role="user", content="who?"),)
    assert "needs an argument `context`" in reason(made, Score(context=chat, texts=("b",)))


def test_numbers_of_other_libraries_are_numbers() -> None:
    import numpy as np
    import torch

    for numbers in (np.array([-1.0, -2.0]), torch.tensor([-1.0, -2.0])):
        answer = one(model(score=lambda _, n=numbers: n), Score(texts=("a", "b")))
        assert isinstance(answer, Scores)
        assert [text.sum for text in answer.texts] == [-1.0, -2.0]


@pytest.mark.parametrize("value", [math.nan, -math.inf])
def test_numbers_that_are_not_finite_are_refused_as_everywhere(value: float) -> None:
    answer = one(model(score=lambda _: [value]), Score(texts=("a",)))
    found = finite_or_failed(answer)
    assert isinstance(found, Failed)
    assert "not finite" in found.reason


# --- fill ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "result",
    [[-2.0, -1.0], {"she": -1.0, "he": -2.0, "it": -9.0}, [("she", -1.0), ("he", -2.0)]],
)
def test_choices_are_ranked(result: Any) -> None:
    seen: list[Any] = []

    def fill(gaps: list[tuple[str, str]], choices: list[str]) -> list[Any]:
        seen.append((gaps, choices))
        return [result]

    request = Fill(before="the nurse said ", after=" slept", choices=("he", "she"))
    assert one(model(fill=fill), request) == Completions(
        completions=(
            Completion(text="she", logprob=-1.0, tokens=1),
            Completion(text="he", logprob=-2.0, tokens=1),
        ),
        method="python",
    )
    assert seen == [([("the nurse said ", " slept")], ["he", "she"])]


def test_an_open_gap_has_the_best_completions() -> None:
    made = model(fill=lambda gaps: [{"a": -3.0, "b": -1.0, "c": -2.0} for _ in gaps])
    answer = one(made, Fill(before="x ", top=2))
    assert isinstance(answer, Completions)
    assert [each.text for each in answer.completions] == ["b", "c"]


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ({"he": -1.0}, "returned no log-probability for the choice 'she'"),
        ([-1.0], "returned 1 numbers instead of 2"),
        ("she", "returned 'she' instead of completions"),
        ({"he": "x", "she": -1.0}, "returned 'x' instead of a log-probability"),
    ],
)
def test_what_is_no_completion_is_refused(result: Any, message: str) -> None:
    request = Fill(before="x", choices=("he", "she"))
    assert message in reason(model(fill=lambda _: [result]), request)


# --- draw and look -------------------------------------------------------------------------------


def test_images_are_stored(tmp_path: Path) -> None:
    seeds: list[int] = []

    def draw(prompts: list[str], width: int, seed: int) -> list[Any]:
        seeds.append(seed)
        return [
            Pillow.new("RGB", (width, 3)) if number else picture(5, 2)
            for number, _ in enumerate(prompts)
        ]

    images = ImageFolder(tmp_path)
    requests = [Draw(prompt=prompt, shots=2, width=4, height=3, seed=1) for prompt in "ab"]
    first, second = batch_answers(model(draw=draw), *requests, files=images)
    assert isinstance(first, Images)
    assert isinstance(second, Images)
    assert seeds == [sample_seed(1, 0), sample_seed(1, 1)]
    assert [image.seed for image in first.images] == seeds
    assert (first.images[0].width, first.images[0].height) == (5, 2)
    assert images.read(first.images[0].sha256) == picture(5, 2)
    assert (second.images[0].media_type, second.images[0].width) == ("image/png", 4)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ("x", "returned 'x' instead of an image"),
        (b"x", "the bytes are not a PNG, JPEG or WebP image"),
        ([b"x", b"y"], "returned 2 images instead of 1"),
    ],
)
def test_what_is_no_image_is_refused(result: Any, message: str) -> None:
    assert message in reason(model(draw=lambda _: [result]), Draw(prompt="a"))


def test_a_function_looks_at_pillow_images(tmp_path: Path) -> None:
    images = ImageFolder(tmp_path)
    shown = [images.put(picture(9, 7, shade=shade)) for shade in (20, 200)]
    seen: list[Any] = []

    def look(pictures: list[Any], question: str, choices: list[str]) -> list[Any]:
        seen.append((question, choices, [each.size for each in pictures]))
        return ["Dark." if each.getpixel((0, 0))[0] < 99 else "a bright one" for each in pictures]

    answers = batch_answers(
        model(look=look),
        *[Look(image=image, question="How?", choices=("dark", "bright")) for image in shown],
        Look(image="0" * 64, question="How?", choices=("dark", "bright")),
        files=images,
    )
    assert seen == [("How?", ["dark", "bright"], [(9, 7), (9, 7)])]
    assert answers[:2] == [
        Choice(choice="dark", text="Dark."),
        Choice(choice=None, text="a bright one"),
    ]
    assert isinstance(answers[2], Failed)
    assert "is missing from the run's files" in answers[2].reason
    assert one(
        model(look=lambda _: [None]), Look(image=shown[0], question="", choices=()), images
    ) == Choice(choice=None)


# --- failures ------------------------------------------------------------------------------------


def test_requests_fail_one_by_one() -> None:
    def generate(prompts: list[str]) -> list[str]:
        if "bad" in prompts:
            raise ValueError("no such word\nand more")
        return [prompt.upper() for prompt in prompts]

    made = model(generate=generate)
    requests = [Generate(item=f"i{n}", prompt=p) for n, p in enumerate(("a", "bad", "c"))]
    assert batch_answers(made, *requests) == [
        Texts(texts=(Text(text="A"),)),
        Failed(reason="the function generate raised ValueError: no such word (item i1)"),
        Texts(texts=(Text(text="C"),)),
    ]
    assert isinstance(made.last_error, ValueError)


def test_too_few_answers_name_the_item() -> None:
    """A function that drops some prompts answers the others by themselves."""
    made = model(generate=lambda prompts: [p for p in prompts if p != "b"])
    requests = [Generate(item=f"i{n}", prompt=p) for n, p in enumerate("abc")]
    first, second, third = batch_answers(made, *requests)
    assert second == Failed(
        reason="the function generate returned 0 results instead of 1 (item i1)"
    )
    assert (first, third) == (Texts(texts=(Text(text="a"),)), Texts(texts=(Text(text="c"),)))


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ("text", "returned a str instead of a list of results"),
        (None, "returned None instead of a list of results"),
        ({"a": "b"}, "returned a dict instead of a list of results"),
        (["a", "b"], "returned 2 results instead of 1"),
        ([3], "returned 3 instead of a text"),
        ([None], "returned None instead of a text"),
        ([["a", "b"]], "returned 2 texts instead of 1"),
    ],
)
def test_what_is_no_text_is_refused(result: Any, message: str) -> None:
    assert message in reason(model(generate=lambda _: result), Generate(prompt="a"))


def test_an_interrupt_is_no_failure() -> None:
    def generate(prompts: list[str]) -> list[str]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        one(model(generate=generate), Generate(prompt="a"))


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ({}, "needs a function for a verb: score, fill, generate, translate, draw, look"),
        ({"generate": "x"}, "generate must be a function, not str"),
        ({"generate": lambda: [""]}, "The function generate must take an argument"),
        (
            {"translate": lambda texts, src: [src for _ in texts]},
            "requires the argument 'src', which is not available",
        ),
    ],
)
def test_functions_are_checked_when_the_model_is_opened(
    functions: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        model(**functions)


def test_the_batch_size_is_the_users() -> None:
    made = FunctionModel({"generate": list}, label="x", options=ModelOptions(batch_size=3))
    assert made.batch_limit.requests == 3


# --- identity ------------------------------------------------------------------------------------


def compiled(source: str) -> Callable[..., Any]:
    namespace: dict[str, Any] = {"functools": functools}
    exec(source, namespace)
    function: Callable[..., Any] = namespace["f"]
    return function


SOURCES = [
    "def f(p): return [x.upper() for x in p]",
    "def f(p): return [x.lower() for x in p]",
    "def f(p): return [x + 'a' for x in p]",
    "def f(p): return [x + 'b' for x in p]",
    "def f(p, seed=1): return [x + 'b' for x in p]",
    "def f(p, seed=2): return [x + 'b' for x in p]",
    "def f(p):\n    g = lambda x: x + 1\n    return list(map(g, p))",
    "def f(p):\n    g = lambda x: x + 2\n    return list(map(g, p))",
    "def f(p): return [x in {'a', 'b', 'c'} for x in p]",
    "def f(p): return [x in {'a', 'b', 'd'} for x in p]",
    "f = functools.partial(lambda p, a: p, a=1)",
    "f = functools.partial(lambda p, a: p, a=2)",
    "f = functools.cache(lambda p: p + 1)",
    "f = functools.cache(lambda p: p + 2)",
    "f = type('C', (), {'__call__': lambda self, p: p})()",
    "f = type('C', (), {'__call__': lambda self, p: p * 2})()",
    "f = sorted",
    "f = list",
]


def test_other_code_is_another_model() -> None:
    digests = [code_digest([compiled(source)]) for source in SOURCES]
    assert len(set(digests)) == len(digests)
    assert digests == [code_digest([compiled("\n\n" + source)]) for source in SOURCES]


def test_the_digest_is_the_same_in_every_process() -> None:
    program = (
        "import functools, sys\n"
        "from epicene.models.functions import code_digest\n"
        f"for source in {SOURCES!r}:\n"
        "    names = {'functools': functools}\n"
        "    exec(source, names)\n"
        "    print(code_digest([names['f']]))\n"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0].split() == [code_digest([compiled(source)]) for source in SOURCES]


def test_a_version_stands_for_the_code() -> None:
    def made(version: str, label: str, function: Callable[..., Any]) -> bytes:
        model = FunctionModel({"generate": function}, label=label, version=version)
        return model.identity.digest

    assert made("1", "x", lambda p: p) == made("1", "x", lambda p: p[:])
    assert made("1", "x", list) != made("2", "x", list)
    assert made("1", "x", list) != made("1", "y", list)
    assert made("", "x", lambda p: p) != made("", "x", lambda p: p[:])


class Shouting(PythonModel):
    """What the documentation shows."""

    def generate(self, prompts: list[str], max_new_tokens: int) -> list[str]:
        return [self.loud(prompt)[:max_new_tokens] for prompt in prompts]

    def loud(self, text: str) -> str:
        return text.upper() + self.name


def test_a_class_is_a_kind_of_model() -> None:
    made = Shouting("!", ModelOptions(label="loud"))
    assert made.verbs == {"generate"}
    assert made.identity.label == "loud"
    assert made.identity.key["name"] == "!"
    assert one(made, Generate(prompt="ab")) == Texts(texts=(Text(text="AB!"),))

    class Louder(Shouting):
        def loud(self, text: str) -> str:
            return text.upper() + "!!"

    class Versioned(Shouting):
        version = "3"

    assert Shouting("!").identity.key == made.identity.key
    assert Louder("!").identity.key != made.identity.key
    assert Versioned().identity.key == {"name": "", "version": "3"}


def test_the_example_in_the_docstring_runs() -> None:
    assert doctest.testmod(functions, extraglobs={"epicene": epicene}) == (0, 2)


def test_every_verb_has_its_settings() -> None:
    assert tuple(SETTINGS) == VERBS
