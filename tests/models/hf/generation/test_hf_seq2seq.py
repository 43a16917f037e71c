"""Sequence-to-sequence models against decoding by definition: one row, no cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from epicene.core.records import (
    Answer,
    Decoding,
    Failed,
    Generate,
    Message,
    Request,
    Text,
    Texts,
    Translate,
    digest,
)
from epicene.models import ModelOptions, UnanswerableError, hf
from epicene.models.hf.generation import decoding
from epicene.models.hf.generation.translation_languages import model_language_code, two_letter_code
from epicene.models.hf.seq2seq import HfSeq2Seq
from models.hf.tiny_seq2seq import loaded, marian, nllb, t5
from models.model_answers import batch_answers

if TYPE_CHECKING:
    from pathlib import Path

    from epicene.models import Model

MODELS = {"t5": t5, "nllb": nllb}
SHORT = Decoding(max_new_tokens=10)
SAMPLED = Decoding(max_new_tokens=10, temperature=1.0)


def texts(model: Model, request: Request) -> Texts:
    (answer,) = batch_answers(model, request)
    assert isinstance(answer, Texts), answer
    return answer


def slow(
    pair: tuple[Any, Any], ids: list[int], opening: list[int], request: Request, sample: int = 0
) -> Text:
    """Decode by definition: the whole text through the whole model for every token."""
    model, tokenizer = pair
    assert isinstance(request, Translate | Generate)
    how = request.decoding
    choosing = decoding.SamplingParams(
        digest(request), how.seed, sample, how.temperature or 0.0, how.top_k, how.top_p
    )
    never = [token for (token,) in model.generation_config.bad_words_ids or []]
    written: list[int] = []
    while len(written) < how.max_new_tokens:
        before = [model.config.decoder_start_token_id, *opening, *written]
        with torch.no_grad():
            logits = model(
                input_ids=torch.tensor([ids]), decoder_input_ids=torch.tensor([before])
            ).logits[:, -1]
        logits[:, never] = -torch.inf
        step = len(opening) + len(written)
        token = int(decoding.sample_tokens(logits, [choosing], step)[0])
        if token == model.config.eos_token_id:
            break
        written.append(token)
    finish = "length" if len(written) == how.max_new_tokens else "stop"
    text = tokenizer.decode(written, skip_special_tokens=True)
    return Text(text=text, finish=finish, tokens=len(written))  # type: ignore[arg-type]


# --- translate ---------------------------------------------------------------------------


@pytest.mark.parametrize("decoding", [SHORT, SAMPLED], ids=["greedy", "sampled"])
def test_the_prefix_of_a_t5_pair(decoding: Decoding) -> None:
    request = Translate(item="1", text="she is happy", language="en", into="de", decoding=decoding)
    model = HfSeq2Seq(loaded(*t5()))
    ids = t5()[1]("translate English to German: she is happy")["input_ids"]
    assert texts(model, request).texts == (slow(t5(), ids, [], request),)
    assert "prefix" in str(model.notes()["languages"])


@pytest.mark.parametrize("decoding", [SHORT, SAMPLED], ids=["greedy", "sampled"])
@pytest.mark.parametrize(("into", "code"), [("hi", "hin_Deva"), ("zh", "zho_Hans")])
def test_the_language_tokens_of_nllb(into: str, code: str, decoding: Decoding) -> None:
    request = Translate(item="1", text="she is", language="fr", into=into, decoding=decoding)
    model = HfSeq2Seq(loaded(*nllb()))
    _, tokenizer = nllb()
    plain = tokenizer("she is", add_special_tokens=False)["input_ids"]
    ids = [tokenizer.convert_tokens_to_ids("fra_Latn"), *plain, tokenizer.eos_token_id]
    opening = tokenizer.convert_tokens_to_ids(code)
    assert texts(model, request).texts == (slow(nllb(), ids, [opening], request),)


@pytest.mark.filterwarnings("ignore:Recommended")
def test_marian_has_one_pair_or_a_token_for_the_target(tmp_path: Path) -> None:
    pair = marian(tmp_path)
    german, french = (
        Translate(item="1", text="she is.", language="en", into=into, decoding=SHORT)
        for into in ("de", "fr")
    )
    done, refused = batch_answers(HfSeq2Seq(loaded(*pair)), german, french)
    assert isinstance(done, Texts)
    assert done.texts == (slow(pair, pair[1]("she is.")["input_ids"], [], german),)
    assert isinstance(refused, Failed)
    assert "from en into de, not from en into fr" in refused.reason

    many = marian(tmp_path, targets=(">>ara<<", ">>fra<<"))
    done, refused = batch_answers(HfSeq2Seq(loaded(*many)), french, german)
    assert isinstance(done, Texts)
    ids = many[1](">>fra<< she is.")["input_ids"]
    assert ids[0] == many[1].convert_tokens_to_ids(">>fra<<")
    assert done.texts == (slow(many, ids, [], french),)
    assert isinstance(refused, Failed)
    assert "supports ara, fra" in refused.reason


@pytest.mark.filterwarnings("ignore:Recommended")
def test_punctuation_reaches_marian_as_it_is(tmp_path: Path) -> None:
    one = loaded(*marian(tmp_path))
    one.tokenizer.punc_normalizer = lambda text: text.replace(".", "!")
    HfSeq2Seq(one)
    assert one.tokenizer.normalize("she is.") == "she is."


def test_the_models_own_beams() -> None:
    own, tokenizer = nllb()
    asked = [
        Translate(item=text, text=text, language="en", into="fr", decoding=SHORT)
        for text in ("she is happy", "he", "they write. a")
    ]
    beams = loaded(own, tokenizer)
    beams.model.generation_config.num_beams = 3
    beams.model.generation_config.length_penalty = 0.5
    model = HfSeq2Seq(beams)
    found = batch_answers(model, *asked)
    greedy = batch_answers(HfSeq2Seq(loaded(own, tokenizer)), *asked)
    assert found != greedy
    assert model.notes()["translations"] == "3 beams"
    for request, answer in zip(asked, found, strict=True):
        assert isinstance(answer, Texts)
        written = own.generate(
            torch.tensor([tokenizer(request.text)["input_ids"]]),
            num_beams=3,
            length_penalty=0.5,
            max_new_tokens=11,
            forced_bos_token_id=tokenizer.convert_tokens_to_ids("fra_Latn"),
            do_sample=False,
        )
        assert answer.only == tokenizer.decode(written[0], skip_special_tokens=True)


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (Translate(item="1", text=" ", language="en", into="fr"), "no text"),
        (
            Translate(item="1", text="he", language="en", into="sw"),
            "language 'sw'; it supports arb",
        ),
        (Translate(item="1", text="he", language="", into="fr"), "language ''"),
        (
            Translate(item="1", text="he " * 60, language="en", into="fr"),
            "48 positions of the model",
        ),
        (Generate(item="1", prompt=""), "prompt is empty"),
        (Generate(item="1", prompt="he", samples=0), "at least one"),
        (Generate(item="1", prompt="he", decoding=Decoding(max_new_tokens=0)), "at least one"),
        (
            Generate(
                item="1", prompt="he", decoding=Decoding(max_new_tokens=99, exact_length=True)
            ),
            "99 tokens exceed",
        ),
        (
            Generate(item="1", prompt="he", decoding=Decoding(exact_length=True, stop=("x",))),
            "exact length",
        ),
    ],
)
def test_what_cannot_be_written_fails_with_its_reason(request_: Request, reason: str) -> None:
    (failed,) = batch_answers(HfSeq2Seq(loaded(*nllb())), request_)
    assert isinstance(failed, Failed)
    assert reason in failed.reason


# --- generate ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_samples_are_drawn_by_their_own_noise(name: str) -> None:
    pair = MODELS[name]()
    request = Generate(item="1", prompt="he is", samples=4, decoding=SAMPLED)
    answer = texts(HfSeq2Seq(loaded(*pair)), request)
    ids = pair[1]("he is")["input_ids"]
    assert answer.texts == tuple(slow(pair, ids, [], request, sample) for sample in range(4))
    assert len({text.text for text in answer.texts}) > 1
    assert answer.temperature == 1.0


def test_the_language_of_a_prompt_is_its_own() -> None:
    model = HfSeq2Seq(loaded(*nllb()))
    prompt = Generate(item="1", prompt="he is", decoding=SAMPLED)
    first = texts(model, prompt)
    texts(model, Translate(item="2", text="he is", language="fr", into="en", decoding=SHORT))
    assert texts(model, prompt) == first
    french = Generate(item="1", prompt="he is", decoding=SHORT, language="fr")
    tokenizer = loaded(*nllb()).tokenizer
    tokenizer.src_lang = "fra_Latn"
    ids = tokenizer("he is")["input_ids"]
    assert texts(model, french).texts == (slow(nllb(), ids, [], french),)


def test_greedy_samples_are_alike() -> None:
    request = Generate(item="1", prompt="he is", samples=3, decoding=SHORT)
    answer = texts(HfSeq2Seq(loaded(*t5())), request)
    assert len(answer.texts) == 3
    assert len(set(answer.texts)) == 1
    assert answer.temperature == 0.0


def test_the_temperature_left_open_is_the_models_own() -> None:
    own = loaded(*t5())
    own.model.generation_config.temperature = 0.7
    request = Generate(item="1", prompt="he", decoding=Decoding(temperature=None, max_new_tokens=3))
    assert texts(HfSeq2Seq(own), request).temperature == 0.7


def test_a_chat_is_joined_by_blank_lines() -> None:
    chat = (Message(role="system", content="be brief"), Message(role="user", content="he is"))
    model = HfSeq2Seq(loaded(*t5()))
    asked = Generate(item="1", prompt=chat, decoding=SHORT)
    plain = Generate(item="1", prompt="be brief\n\nhe is", decoding=SHORT)
    answer = texts(model, asked)
    assert answer.texts == texts(model, plain).texts
    assert answer.system == "user"
    assert model.notes()["chats"] == "contents joined by blank lines"


def test_exact_length_and_stop_strings() -> None:
    exact = Decoding(max_new_tokens=30, temperature=1.0, exact_length=True)
    model = HfSeq2Seq(loaded(*t5()))
    answer = texts(model, Generate(item="1", prompt="he", samples=6, decoding=exact))
    assert [text.tokens for text in answer.texts] == [30] * 6
    whole = answer.texts[0].text
    mark = whole[4]
    stopped = Decoding(max_new_tokens=30, temperature=1.0, stop=(mark,))
    for text in texts(model, Generate(item="1", prompt="he", samples=6, decoding=stopped)).texts:
        assert mark not in text.text
        assert text.finish == "length" or text.tokens <= 30


# --- batches -----------------------------------------------------------------------------


def pool(*targets: str) -> list[Request]:
    found: list[Request] = []
    for text in ("he", "she is happy.", "they write a book, and he reads"):
        for how in (SHORT, SAMPLED, Decoding(max_new_tokens=4, temperature=2.0, top_k=5)):
            found.append(Generate(item=text, prompt=text, samples=2, decoding=how))
            found += [
                Translate(item=text, text=text, language="en", into=into, decoding=how)
                for into in targets
            ]
    return found


POOL = {"t5": pool("fr", "de"), "nllb": pool("fr", "ar")}
ALONE: dict[bytes, Answer] = {}


@settings(max_examples=15, deadline=None)
@given(data=st.data(), name=st.sampled_from(sorted(MODELS)), size=st.sampled_from(["auto", 1, 3]))
def test_a_text_does_not_depend_on_its_neighbours(data: Any, name: str, size: Any) -> None:
    batch = data.draw(st.lists(st.sampled_from(POOL[name]), min_size=1, max_size=6))
    found = batch_answers(HfSeq2Seq(loaded(*MODELS[name](), batch_size=size)), *batch)
    for request, answer in zip(batch, found, strict=True):
        key = digest(name, request)
        if key not in ALONE:
            ALONE[key] = batch_answers(HfSeq2Seq(loaded(*MODELS[name]())), request)[0]
        assert answer == ALONE[key]


def test_a_closed_model_keeps_its_name_and_notes() -> None:
    model: Model = HfSeq2Seq(loaded(*t5()))
    batch_answers(model, Generate(item="1", prompt="he", decoding=SHORT))
    model.close()
    assert model.identity.label == "tiny"
    assert model.verbs == {"translate", "generate"}
    assert model.notes()["written"] == 1


@pytest.mark.filterwarnings("ignore:Recommended")
@pytest.mark.parametrize("name", ["t5", "nllb", "marian"])
def test_a_saved_model_is_opened_and_answers_the_same(name: str, tmp_path: Path) -> None:
    """Marian's tokenizer gives no offsets; to translate, none are needed."""
    model, tokenizer = marian(tmp_path) if name == "marian" else MODELS[name]()
    folder = tmp_path / name
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    into = "fr" if name != "marian" else "de"
    request = Translate(item="1", text="she is.", language="en", into=into, decoding=SAMPLED)
    opened = hf.open(str(folder), ModelOptions(device="cpu"))
    assert opened.verbs == {"translate", "generate"}
    assert texts(opened, request) == texts(HfSeq2Seq(loaded(model, tokenizer)), request)
    assert len(opened.identity.key["tokenizer"]) == 64


# --- codes -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "known", "code"),
    [
        ("fr", ("eng_Latn", "fra_Latn"), "fra_Latn"),
        ("ar", ("ar_AR", "fr_XX"), "ar_AR"),
        ("pt-BR", ("pt_XX", "en_XX"), "pt_XX"),
        ("pt-BR", ("pt_BR", "pt"), "pt_BR"),
        ("zh", ("zho_Hant", "zho_Hans"), "zho_Hans"),
        ("zh", ("cmn_Hans", "fra"), "cmn_Hans"),
        ("ar", ("ara", "fra"), "ara"),
        ("hi", ("en", "hi"), "hi"),
        ("arz_Arab", ("arb_Arab", "arz_Arab"), "arz_Arab"),
    ],
)
def test_codes_are_spelled_as_the_model_knows_them(
    language: str, known: tuple[str, ...], code: str
) -> None:
    assert model_language_code(language, known) == code


def test_an_unknown_language_names_those_known() -> None:
    with pytest.raises(UnanswerableError, match="'xx'; it supports de, fr"):
        model_language_code("xx", ("fr", "de"))


def test_two_letters_of_any_spelling() -> None:
    spellings = ("fr", "fra", "fra_Latn", "fr-CA", "ara", "arb_Arab", "roa")
    assert [two_letter_code(code) for code in spellings] == ["fr"] * 4 + ["ar", "ar", "roa"]
