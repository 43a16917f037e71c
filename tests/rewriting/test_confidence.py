"""How likely each change is to be right, and what is done with the doubtful ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import epicene
from epicene.core.errors import InputError
from epicene.rewriting import Change, Rewriting, find_rewriter, rewritable_languages
from epicene.rewriting.confidence import add_probabilities, leave_out_doubtful
from epicene.rewriting.persons import PERSONS
from epicene.suites.genform.data import STARTER

SENTENCES = {
    "ar": "أنا متعب اليوم، وهي سعيدة.",
    "de": "Ich bin Lehrer, und meine Nachbarin ist Ärztin.",
    "en": "She says her bus is late.",
    "es": "Estoy cansado, y mi hermana está contenta.",
    "fr": "Je suis fatigué, et ma voisine est contente.",
    "hi": "मैं थक गया हूँ, और मेरी बहन सो रही है।",
    "it": "Sono stanco, e mia sorella è contenta.",
    "pt": "Estou cansado, e a minha irmã está acordada.",
    "ru": "Я устал, а моя сестра довольна.",
}


def _rewritten(language: str, text: str) -> Rewriting:
    english = {"pronouns": "they", "route": "rules"}
    options = english if language == "en" else {"speaker": "f", "others": "m"}
    (made,) = find_rewriter(language).open(options)([text])
    return made


@pytest.mark.parametrize("language", rewritable_languages())
def test_every_change_has_a_probability(language: str) -> None:
    rated = add_probabilities(language, _rewritten(language, SENTENCES[language]))
    assert len(rated.changes) >= 2
    for change in rated.changes:
        assert change.probability is not None
        assert 0 < change.probability < 1


def _change(text: str, word: str, after: str, whose: str, probability: float | None) -> Change:
    start = text.index(word)
    return Change(
        start=start,
        end=start + len(word),
        before=word,
        after=after,
        rule="",
        sure="likely",
        whose=whose,
        probability=probability,
    )


def _two_persons(noun: float | None) -> Rewriting:
    text = "Je suis prêt, mon ami aussi."
    return Rewriting(
        text="Je suis prête, mon amie aussi.",
        changes=(
            _change(text, "prêt", "prête", "speaker", 0.98),
            _change(text, "ami", "amie", "others", noun),
        ),
    )


@pytest.mark.parametrize(
    ("noun", "least", "text", "left_out"),
    [
        (0.7, 0.5, "Je suis prête, mon amie aussi.", []),
        (0.7, 0.7, "Je suis prête, mon amie aussi.", []),
        (0.7, 0.8, "Je suis prête, mon ami aussi.", ["ami"]),
        (0.7, 0.99, "Je suis prêt, mon ami aussi.", ["prêt", "ami"]),
        (None, 0.1, "Je suis prête, mon ami aussi.", ["ami"]),
    ],
)
def test_a_person_with_a_doubtful_change_stays(
    noun: float | None, least: float, text: str, left_out: list[str]
) -> None:
    kept = leave_out_doubtful(_two_persons(noun), least)
    assert kept.text == text
    assert [change.before for change in kept.left_out] == left_out
    assert {change.before for change in (*kept.changes, *kept.left_out)} == {"prêt", "ami"}


def test_the_changes_of_a_person_are_made_or_left_together() -> None:
    text = "un ami est venu"
    both = Rewriting(
        text="une amie est venue",
        changes=(
            _change(text, "un", "une", "others", 0.9),
            _change(text, "ami", "amie", "others", 0.6),
            _change(text, "venu", "venue", "others", 0.9),
        ),
    )
    kept = leave_out_doubtful(both, 0.8)
    assert kept.text == text
    assert kept.changes == ()
    assert len(kept.left_out) == 3


@pytest.mark.parametrize("language", rewritable_languages())
def test_left_out_changes_give_the_text_back(language: str) -> None:
    path = STARTER / f"{language}.jsonl"
    lines = path.read_text("utf-8").splitlines()[::9] if path.is_file() else []
    texts = [json.loads(line)["masculine"] for line in lines] or [SENTENCES["en"]]
    for text in texts:
        rated = add_probabilities(language, _rewritten(language, text))
        assert leave_out_doubtful(rated, 0.0) == rated
        assert leave_out_doubtful(rated, 1.0).text == text


@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan")])
def test_a_probability_is_from_0_to_1(value: float) -> None:
    with pytest.raises(InputError, match="--min-confidence must be a probability from 0 to 1"):
        epicene.rewrite("Je suis prêt.", "fr", speaker="f", min_confidence=value)


def test_persons_are_the_groups() -> None:
    found = epicene.rewrite(SENTENCES["fr"], "fr", speaker="f", others="m")
    assert {change.whose for change in found.changes} <= set(PERSONS)
    assert found.left_out == ()


def test_doubtful_strings_of_a_file_stay_and_are_listed(tmp_path: Path) -> None:
    file, out = tmp_path / "fr.json", tmp_path / "out.json"
    file.write_text('{"a": "Vous êtes connecté.", "b": "Merci."}', "utf-8")
    (done,) = epicene.rewrite(file, listener="f", min_confidence=1, out=out)
    assert out.read_bytes() == file.read_bytes()
    assert done.changed == ()
    assert [(each.key, each.left_out[0].after) for each in done.doubtful] == [("a", "connectée")]
    (done,) = epicene.rewrite(file, listener="f", min_confidence=0, out=out)
    assert [each.new_text for each in done.changed] == ["Vous êtes connectée."]
    assert done.doubtful == ()
