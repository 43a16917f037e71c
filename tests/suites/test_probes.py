"""Suites without Python: templates × word lists in one TOML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.conftest import Epicene
from app.conftest import epicene as command_line
from epicene.core.errors import InputError
from epicene.core.records import (
    Completion,
    Completions,
    Fill,
    Generate,
    Score,
    Scores,
    Text,
    Texts,
    TextScore,
)
from epicene.suites import AnsweredRequest, Answers, DataSource, Suite
from epicene.suites.probes import load_probe

command = command_line

CHOOSE = """
name = "titles"
language = "en"
ask = "choose"
templates = ["The {person} said that {gap} was late.", "{gap} is a {person}."]
choices = ["he", "she"]
right = "{person.pronoun}"

[words]
person = [{ text = "king", pronoun = "he" }, { text = "queen", pronoun = "she" }]
"""

CONTINUE = """
name = "relatives"
language = "en"
ask = "continue"
templates = ["My {relative} is tired, because"]
samples = 2
temperature = 1.0

[words]
relative = "relatives.csv"

[labels]
he = ["he", "him", "his"]
she = ["she", "her"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "titles.toml").write_text(CHOOSE, encoding="utf-8")
    (tmp_path / "relatives.toml").write_text(CONTINUE, encoding="utf-8")
    (tmp_path / "relatives.csv").write_text("text,age\nuncle,old\nniece,young\n", encoding="utf-8")
    return tmp_path


def items_of(suite: Suite[Any, Any]) -> list[Any]:
    return list(suite.read(DataSource(), suite.protocols["epicene"]).items)


def requests_of(suite: Suite[Any, Any], item: Any) -> list[Any]:
    return list(suite.stages[0].ask(item, Answers(), suite.protocols["epicene"]))


def judged(suite: Suite[Any, Any], item: Any, answer: Any) -> list[Any]:
    (request,) = requests_of(suite, item)
    given = Answers([AnsweredRequest("ask", "model", "toy", request.name, answer)])
    return list(suite.judge(item, given, suite.protocols["epicene"]))


def scores(*sums: float) -> Scores:
    return Scores(
        texts=tuple(
            TextScore(logprobs=(each,), starts=(0,), ends=(1,), words=1, characters=1)
            for each in sums
        ),
        method="toy",
    )


def test_every_template_is_filled_with_every_word(folder: Path) -> None:
    suite = load_probe(folder / "titles.toml")
    items = items_of(suite)
    assert [item.id for item in items] == ["1-king", "1-queen", "2-king", "2-queen"]
    assert [item.group for item in items] == ["king", "queen", "king", "queen"]
    (request,) = requests_of(suite, items[1])
    assert isinstance(request, Score)
    assert request.texts == (
        "The queen said that he was late.",
        "The queen said that she was late.",
    )


def test_the_likeliest_choice_is_judged(folder: Path) -> None:
    suite = load_probe(folder / "titles.toml")
    queen = items_of(suite)[1]
    (right,) = judged(suite, queen, scores(-5.0, -4.0))
    assert (right.outcome, right.label) == ("right", "she")
    assert right.facets == {"template": "1", "person": "queen", "person pronoun": "she"}
    (wrong,) = judged(suite, queen, scores(-4.0, -5.0))
    assert (wrong.outcome, wrong.label) == ("wrong", "he")
    (tied,) = judged(suite, queen, scores(-4.0, -4.0))
    assert (tied.outcome, tied.label) == ("undetected", None)


def test_the_first_word_with_a_label_is_what_a_model_wrote(folder: Path) -> None:
    suite = load_probe(folder / "relatives.toml")
    uncle = items_of(suite)[0]
    (request,) = requests_of(suite, uncle)
    assert isinstance(request, Generate)
    assert (request.prompt, request.samples) == ("My uncle is tired, because", 2)
    texts = Texts(texts=(Text(text=" Her work is hard; he rests."), Text(text=" of the heat.")))
    first, second = judged(suite, uncle, texts)
    assert (first.outcome, first.label) == (None, "she")
    assert second.label == "none of them"  # counted, not dropped
    assert first.facets["relative age"] == "old"


def test_a_gap_is_filled(folder: Path) -> None:
    path = folder / "fill.toml"
    path.write_text(CHOOSE.replace('"choose"', '"fill"'), encoding="utf-8")
    suite = load_probe(path)
    item = items_of(suite)[0]
    (request,) = requests_of(suite, item)
    assert isinstance(request, Fill)
    assert (request.before, request.after) == ("The king said that ", " was late.")
    assert request.choices == ("he", "she")
    ranked = Completions(
        completions=(Completion(text=" he", logprob=-1.0, tokens=1),), method="toy"
    )
    (found,) = judged(suite, item, ranked)
    assert (found.outcome, found.label) == ("right", "he")


@pytest.mark.parametrize("name", ["titles", "relatives"])
def test_a_run_needs_nothing_but_its_folder(folder: Path, command: Epicene, name: str) -> None:
    assert command("run", f"{name}.toml", "--model", "random", "--out", "a").code == 0
    before = command("tables", "a", "--json").json
    for path in folder.glob("*.*"):
        if path.is_file():
            path.unlink()
    assert command("tables", "a", "--json").json == before
    assert command("report", "a").code == 0
    assert command("check", "a").code == 0


def test_a_run_is_resumed_and_a_changed_probe_is_refused(folder: Path, command: Epicene) -> None:
    assert command("run", "titles.toml", "--model", "random", "--out", "a").code == 0
    again = command("run", "titles.toml", "--model", "random", "--out", "a")
    assert again.code == 0
    (folder / "titles.toml").write_text(CHOOSE.replace("late", "early"), encoding="utf-8")
    before = command("tables", "a", "--json").json
    changed = command("run", "titles.toml", "--model", "random", "--out", "a")
    assert changed.code == 2
    assert "\n" not in changed.err.strip()
    for text in (CHOOSE.replace('["he", "she"]', '["she", "he"]'), CHOOSE.replace("king", "duke")):
        (folder / "titles.toml").write_text(text, encoding="utf-8")
        assert command("run", "titles.toml", "--model", "random", "--out", "a").code == 2
        assert command("tables", "a", "--json").json == before  # the run keeps its own probe


def test_a_probe_is_never_executed(folder: Path, command: Epicene) -> None:
    assert command("run", "titles.toml", "--model", "random", "--out", "a").code == 0
    assert command("--suite", "titles.toml", "tables", "a").code == 0
    hostile = folder / "hostile.toml"
    hostile.write_text("open('executed', 'w').close()\n", encoding="utf-8")
    assert command("--suite", "hostile.toml", "tables", "a").code == 2
    (folder / "hostile.txt").write_text("open('executed', 'w').close()\n", encoding="utf-8")
    assert command("--suite", "hostile.txt", "tables", "a").code == 2
    assert not (folder / "executed").exists()


def test_the_likeliest_completion_counts_whatever_its_length(folder: Path) -> None:
    path = folder / "fill.toml"
    path.write_text(CHOOSE.replace('"choose"', '"fill"'), encoding="utf-8")
    suite = load_probe(path)
    item = items_of(suite)[1]
    ranked = (
        Completion(text="he", logprob=-3.0, tokens=1),
        Completion(text="she", logprob=-1.0, tokens=2),
    )
    (found,) = judged(suite, item, Completions(completions=ranked, method="toy"))
    assert (found.outcome, found.label) == ("right", "she")
    tied = tuple(msgspec.structs.replace(each, logprob=-1.0) for each in ranked)
    (found,) = judged(suite, item, Completions(completions=tied, method="toy"))
    assert found.outcome == "undetected"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("name =", "nam ="), "no key 'nam'; did you mean 'name'"),
        (('"choose"', '"chose"'), "chose"),
        (("{gap} was", "he was"), "template 1 must have {gap} once"),
        (("{gap} is", "{gap} {gap} is"), "template 2 must have {gap} once"),
        (("The {person}", "The {persons}"), "no word list 'persons'; did you mean 'person'"),
        (('["he", "she"]', '["he", "he"]'), "two or more different choices"),
        (("{person.pronoun}", "{person.pronouns}"), "no column in the word list person 'pronouns'"),
        (('pronoun = "he"', 'pronoun = "hey"'), "no choice 'hey'"),
        (('text = "king"', 'word = "king"'), "has no `text`"),
        (("[words]", '[labels]\nhe = ["he"]\n[words]'), "can have labels"),
        (("ask =", "chat = true\nask ="), "be a chat"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    folder: Path, change: tuple[str, str], message: str
) -> None:
    path = folder / "wrong.toml"
    path.write_text(CHOOSE.replace(*change, 1), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        items_of(load_probe(path))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("relative", "name"), "a word list cannot be named 'name'"),
        (("relative", "measure"), "a word list cannot be named 'measure'"),
        (('"her"]', '"her own"]'), "'her own' is not a single word"),
        (('"her"]', '"him"]'), "'him' is in the words of two labels"),
        (('["she", "her"]', "[]"), "the label 'she' has no words"),
    ],
)
def test_labels_and_lists_that_cannot_work_are_refused(
    folder: Path, change: tuple[str, str], message: str
) -> None:
    path = folder / "wrong.toml"
    path.write_text(CONTINUE.replace(*change), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_probe(path)
    assert message in str(caught.value)


def test_items_can_be_stored(folder: Path) -> None:
    suite = load_probe(folder / "titles.toml")
    for item in items_of(suite):
        assert msgspec.json.decode(msgspec.json.encode(item), type=suite.item) == item
