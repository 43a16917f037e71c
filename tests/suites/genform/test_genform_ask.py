"""What genform asks: prompts in each language, both directions, the formats that are wanted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from epicene import rewriting
from epicene.core.errors import InputError
from epicene.core.records import Generate, Score, Scores, Text, Texts, TextScore, Translate
from epicene.rewriting import Change, Rewriter, persons
from epicene.rewriting.persons import TargetGenders, person_rewriter
from epicene.suites import AnsweredRequest, Answers, DataSource, choose_protocol, find_suite
from epicene.suites.answers import clean_answer
from epicene.suites.genform.ask import ask_for_scores, ask_for_translation, ask_to_write
from epicene.suites.genform.data import read
from epicene.suites.genform.items import Pair
from epicene.suites.genform.judge import judge
from epicene.suites.genform.protocol import PROTOCOLS, GenformProtocol

PAIR = Pair(
    id="1",
    language="fr",
    rule="Active",
    english="I went out.",
    masculine="Je suis sorti.",
    feminine="Je suis sortie.",
)
NEUTRAL = Pair(id="2", language="fr", masculine="J'ai dormi.", feminine="J'ai dormi.")
SUITE = find_suite("genform")


def written(pair: Pair, protocol: GenformProtocol) -> list[Generate]:
    return [r for r in ask_to_write(pair, Answers(), protocol) if isinstance(r, Generate)]


def contents(request: Generate) -> tuple[str, str]:
    assert isinstance(request.prompt, tuple)
    system, user = request.prompt
    assert (system.role, user.role) == ("system", "user")
    return system.content, user.content


def chosen(name: str, **settings: str) -> GenformProtocol:
    protocol = choose_protocol(SUITE, name, settings, None)
    assert isinstance(protocol, GenformProtocol)
    return protocol


# --- writing -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["paper", "epicene"])
def test_both_directions_are_asked_with_the_other_form(name: str) -> None:
    masculine, feminine = written(PAIR, PROTOCOLS[name])
    assert masculine.target == {"speaker": "masculine"}
    assert masculine.source == "Je suis sortie."
    assert feminine.target == {"speaker": "feminine"}
    assert feminine.source == "Je suis sorti."
    for request in (masculine, feminine):
        assert request.language == "fr"
        assert request.choices == ("Je suis sorti.", "Je suis sortie.")
        assert request.decoding.temperature == 0
        assert request.decoding.max_new_tokens == 256
        assert request.group == "1"
        assert contents(request)[1].endswith(request.source)
    assert contents(masculine)[1] != contents(feminine)[1]


@pytest.mark.parametrize(("code", "letter"), [("fr", "é"), ("ar", "ا"), ("hi", "ा")])
def test_the_prompt_is_in_the_sentence_s_language(code: str, letter: str) -> None:
    pair = Pair(id="1", language=code, masculine="x", feminine="y")
    for request in written(pair, PROTOCOLS["epicene"]):
        system, user = contents(request)
        assert letter in system
        assert letter in user
        assert "[" not in system + user


def test_the_english_prompt_names_the_language() -> None:
    system, user = contents(written(PAIR, PROTOCOLS["english"])[0])
    assert "in French" in system
    assert "as a man" in user


def test_a_language_without_a_prompt_is_asked_in_english_only() -> None:
    pair = Pair(id="1", language="zh", masculine="我累了。", feminine="我累了。")
    with pytest.raises(InputError, match="--protocol english"):
        written(pair, PROTOCOLS["epicene"])
    assert "in Chinese" in contents(written(pair, PROTOCOLS["english"])[0])[0]


WORDING = {
    "system": "Change the speaker.",
    "user": {"masculine": "He speaks.", "feminine": "She speaks."},
    "then": "Here it is: [sentence]",
}


def test_a_prompt_file_takes_the_place_of_ours_and_becomes_part_of_the_run(tmp_path: Path) -> None:
    file = tmp_path / "prompt.json"
    file.write_text(json.dumps(WORDING), encoding="utf-8")
    protocol = chosen("paper", prompt=str(file))
    file.unlink()
    masculine, feminine = written(PAIR, protocol)
    assert contents(masculine) == ("Change the speaker.", "He speaks.\nHere it is: Je suis sortie.")
    assert contents(feminine)[1].startswith("She speaks.")


def test_a_prompt_file_may_have_a_wording_for_each_language(tmp_path: Path) -> None:
    file = tmp_path / "prompt.toml"
    lines = ['[fr]\nsystem = "S"\nthen = "[sentence]"', 'user.masculine = "M"\nuser.feminine = "F"']
    file.write_text("\n".join(lines), encoding="utf-8")
    protocol = chosen("epicene", prompt=str(file))
    assert contents(written(PAIR, protocol)[0]) == ("S", "M\nJe suis sortie.")
    with pytest.raises(InputError, match="no wording for 'hi'"):
        written(Pair(id="1", language="hi", masculine="x", feminine="y"), protocol)


@pytest.mark.parametrize(
    "content", [{"system": "S"}, {**WORDING, "then": "nothing"}, {"fr": {"system": 1}}]
)
def test_a_prompt_file_that_does_not_fit_is_refused_before_anything(
    tmp_path: Path, content: dict[str, Any]
) -> None:
    file = tmp_path / "prompt.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match="prompt file"):
        read(DataSource(), chosen("epicene", prompt=str(file)))


@pytest.mark.published("the paper's prompt", "the paper's Appendix F.2")
def test_the_printed_prompt_is_taken_as_it_is(published_data: Path) -> None:
    file = published_data / "morphogen" / "prompt.json"
    printed = json.loads(file.read_text(encoding="utf-8"))
    for request in written(PAIR, chosen("paper", prompt=str(file))):
        system, user = contents(request)
        assert system == printed["system"]
        assert user.startswith(printed["user"][request.target["speaker"]])
        assert user.endswith(request.source)


# --- answers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "text", "by"),
    [
        ("Je suis sortie.", "Je suis sortie.", ()),
        (" “Je suis sortie.” ", "Je suis sortie.", ("quotes",)),
        ("**Je suis sortie.**", "Je suis sortie.", ("quotes",)),
        ("Voici la phrase modifiée :\n« Je suis sortie. »", "Je suis sortie.", ("label", "quotes")),
        ("```text\nJe suis sortie.\n```", "Je suis sortie.", ("fence",)),
        ("Sure!\n```\nSentence: Je suis sortie.\n```", "Je suis sortie.", ("fence", "label")),
        ("```Je suis sortie.```", "Je suis sortie.", ("quotes",)),
        ("Je suis sortie. Note : le participe.", "Je suis sortie. Note : le participe.", ()),
        ("« Je » suis « sortie »", "« Je » suis « sortie »", ()),
        ("```\na\n```\n```\nb\n```", "```\na\n```\n```\nb\n```", ()),
        ("", "", ()),
    ],
)
def test_only_what_stands_around_the_sentence_is_dropped(
    answer: str, text: str, by: tuple[str, ...]
) -> None:
    assert clean_answer(answer, "Je suis sorti.") == (text, by)


def test_what_the_sentence_has_itself_stays() -> None:
    assert clean_answer("« Je suis sortie. »", "« Je suis sorti. »").by == ()
    assert clean_answer("Réponse : sortie.", "Réponse : sorti.").by == ()


def test_answers_can_be_judged_as_they_come() -> None:
    given = AnsweredRequest(
        "", "", "", "generation feminine", Texts(texts=(Text(text="Phrase : x"),))
    )
    (cleaned,) = judge(PAIR, Answers([given]), PROTOCOLS["epicene"])
    (raw,) = judge(PAIR, Answers([given]), chosen("epicene", clean="false"))
    assert (cleaned.evidence["answer"], raw.evidence["answer"]) == ("x", "Phrase : x")
    assert raw.facets["cleaned"] == "no"


def test_a_refusal_by_the_server_is_undetected() -> None:
    text = Text(text="Je suis sortie.", finish="refused")
    given = AnsweredRequest("", "", "", "generation feminine", Texts(texts=(text,)))
    (judgement,) = judge(PAIR, Answers([given]), PROTOCOLS["epicene"])
    assert judgement.outcome == "undetected"


# --- probability ---------------------------------------------------------------------------


def score(*logprobs: float) -> TextScore:
    count = len(logprobs)
    return TextScore(
        logprobs=logprobs, starts=(0,) * count, ends=(1,) * count, words=3, characters=14
    )


def test_both_forms_are_scored_after_the_same_instruction() -> None:
    requests = list(ask_for_scores(PAIR, Answers(), PROTOCOLS["epicene"]))
    asked = written(PAIR, PROTOCOLS["epicene"])
    for request, generate in zip(requests, asked, strict=True):
        assert isinstance(request, Score)
        assert request.texts == ("Je suis sorti.", "Je suis sortie.")
        assert request.context == generate.prompt
    assert list(ask_for_scores(NEUTRAL, Answers(), PROTOCOLS["epicene"])) == []


def test_the_likelier_form_decides_by_each_measure() -> None:
    # The sum prefers the masculine (-4 to -5), the mean per token the feminine (-2 to -5/3).
    scores = Scores(texts=(score(-2.0, -2.0), score(-2.0, -2.0, -1.0)), method="causal")
    for target, by_sum, by_token in (
        ("masculine", "right", "wrong"),
        ("feminine", "wrong", "right"),
    ):
        given = AnsweredRequest("", "", "", f"probability {target}", scores)
        found = {j.name: j for j in judge(PAIR, Answers([given]), PROTOCOLS["epicene"])}
        assert found[f"probability {target}"].outcome == by_sum
        assert found[f"probability {target}"].label == "masculine"
        assert found[f"probability {target} (per token)"].outcome == by_token
        assert found[f"probability {target}"].value == (1.0 if target == "masculine" else -1.0)


def test_a_tie_is_neither_right_nor_wrong() -> None:
    scores = Scores(texts=(score(-2.0), score(-2.0)), method="causal")
    given = AnsweredRequest("", "", "", "probability feminine", scores)
    found = next(judge(PAIR, Answers([given]), PROTOCOLS["epicene"]))
    assert (found.outcome, found.label) == ("undetected", None)


# --- translation ---------------------------------------------------------------------------


def test_the_english_is_translated_with_no_gender_given() -> None:
    (request,) = ask_for_translation(PAIR, Answers(), PROTOCOLS["epicene"])
    assert isinstance(request, Translate)
    assert (request.text, request.language, request.into) == ("I went out.", "en", "fr")
    assert list(ask_for_translation(NEUTRAL, Answers(), PROTOCOLS["epicene"])) == []


@pytest.fixture
def toy_rewriter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A rewriter that knows sorti and sortie."""

    def changes(text: str, wanted: TargetGenders) -> list[Change]:
        before, after = (
            ("sorti", "sortie") if wanted["speaker"] == "feminine" else ("sortie", "sorti")
        )
        found, start = [], 0
        for word in text.split(" "):
            if word == before:
                change = Change(
                    start=start,
                    end=start + len(word),
                    before=word,
                    after=after,
                    rule="",
                    sure="guess",
                )
                found.append(change)
            start += len(word) + 1
        return found

    def find(code: str) -> Rewriter:
        return person_rewriter(changes, version="1")

    for module in (rewriting, persons):
        monkeypatch.setattr(module, "find_rewriter", find)
        monkeypatch.setattr(module, "rewritable_languages", lambda: ["fr"])
    persons._open_rewriter.cache_clear()
    yield
    persons._open_rewriter.cache_clear()


@pytest.mark.usefixtures("toy_rewriter")
@pytest.mark.parametrize(
    ("text", "gender"),
    [
        ("Je suis sorti hier", "masculine"),
        ("Je suis sortie hier", "feminine"),
        ("Je suis sorti puis sortie", "mixed"),
        ("J'ai dormi", "undetected"),
    ],
)
def test_the_gender_that_a_translation_assumes(text: str, gender: str) -> None:
    given = AnsweredRequest("", "", "", "translation", Texts(texts=(Text(text=text),)))
    (judgement,) = judge(PAIR, Answers([given]), PROTOCOLS["epicene"])
    assert judgement.label == gender
    assert judgement.outcome is None
    assert judgement.facets["format"] == "translation"


@pytest.mark.usefixtures("toy_rewriter")
def test_a_language_without_a_rewriter_is_not_guessed_at() -> None:
    assert persons.assumed_gender("Estoy cansado.", "es").gender == "unknown"


# --- the suite -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formats", "verbs"),
    [
        ("generation", {Generate}),
        ("probability", {Score}),
        ("translation", {Translate}),
        ("generation,probability", {Generate, Score}),
    ],
)
def test_a_model_needs_only_the_verbs_of_the_formats(formats: str, verbs: set[type]) -> None:
    protocol = chosen("epicene", formats=formats)
    assert SUITE.for_protocol(protocol).verbs_of("model") == verbs
