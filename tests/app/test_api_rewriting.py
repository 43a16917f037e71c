"""`epicene.rewrite`: what it returns, and how it names what is wrong."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import epicene
from app.conftest import Epicene
from app.conftest import epicene as command_line
from epicene.core.errors import InputError

command = command_line  # the fixture, under a name that the module does not have

FRENCH = ["Je suis prêt et tu es venu.", "", "Il est prêt 😀 et je suis content."]


def test_a_text_gives_a_text_and_several_give_a_list() -> None:
    assert epicene.rewrite("She sings.", pronouns="they") == "They sing."
    assert epicene.rewrite(["She sings."], pronouns="they") == ["They sing."]
    lines = (line for line in ("She sings.", "No one."))
    assert epicene.rewrite(lines, pronouns="they") == ["They sing.", "No one."]
    assert epicene.rewrite([], pronouns="they") == []
    assert epicene.rewrite("", pronouns="they") == ""


def test_sets_may_be_one_or_several_or_of_your_own(tmp_path: Path) -> None:
    text = "She sees him."
    assert epicene.rewrite(text, pronouns="xe", from_="he", route="rules") == "She sees xem."
    assert epicene.rewrite(text, pronouns="xe", from_=["he", "she"]) == "Xe sees xem."
    file = tmp_path / "sets.toml"
    forms = {"nominative": "zie", "accusative": "zim", "dependent": "zir", "independent": "zirs"}
    lines = [f'{case} = "{form}"' for case, form in forms.items()]
    file.write_text("\n".join(["[[set]]", 'name = "zie"', *lines, 'reflexive = "zirself"']))
    assert epicene.rewrite("She sings.", pronouns="zie", sets=file) == "Zie sings."


def test_changes_say_where_they_are_in_both_texts() -> None:
    for text, found in zip(
        FRENCH,
        epicene.rewrite(FRENCH, "fr", speaker="f", listener="f", others="f", changes=True),
        strict=True,
    ):
        assert bool(found.changes) == bool(text)
        for change in found.changes:
            assert text[change.start : change.end] == change.before
            assert found.text[change.new_start : change.new_end] == change.after
            assert change.whose in ("speaker", "listener", "others")
    only = epicene.rewrite("Je suis prêt.", "fr", speaker="f", changes=True)
    assert only.text == "Je suis prête."
    assert len(only.changes) == 1


def test_as_the_command_rewrites(command: Epicene, monkeypatch: pytest.MonkeyPatch) -> None:
    data = io.BytesIO("\n".join(FRENCH).encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(data))
    done = command("rewrite", "-l", "fr", "--speaker", "f", "--json", "--explain")
    records = [json.loads(line) for line in done.out.splitlines()]
    found = epicene.rewrite(FRENCH, "fr", speaker="f", changes=True)
    assert [record["text"] for record in records] == [each.text for each in found]
    for record, each in zip(records, found, strict=True):
        assert record["changes"] == [
            {name: getattr(change, name) for name in keys}
            for change, keys in zip(each.changes, record["changes"], strict=True)
        ]


def test_many_texts_are_read_as_they_are_wanted() -> None:
    read: list[int] = []

    def texts() -> Any:
        for number in range(1000):
            read.append(number)
            yield "Je suis prêt."

    first = next(epicene.open_rewriter("fr", speaker="f")(texts()))
    assert first.text == "Je suis prête."
    assert len(read) == 1


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, 'Rewriting English needs a pronoun set: pronouns="he|she|'),
        ({"language": "fr"}, "use speaker=, listener= or others= with m or f"),
        (
            {"language": "fr", "pronouns": "they"},
            "does not support pronouns=; it takes speaker=, listener=, others=",
        ),
        ({"language": "fr", "from_": "he", "speaker": "f"}, "does not support from_="),
        ({"language": "fr", "speaker": "neuter"}, "speaker= must be m, f or n, not 'neuter'"),
        ({"language": "xx"}, "no rewriter for the language 'xx'; known: ar, de, en, es, fr"),
        ({"pronouns": "they", "from_": ["she", "zork"]}, "no pronoun set 'zork'"),
        ({"model": "copy"}, "model= must be a trained tagger, tagger:FOLDER, not 'copy'"),
    ],
)
def test_what_is_wrong_is_named_by_its_keyword(options: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as caught:
        epicene.rewrite("A text.", **options)
    assert says in str(caught.value)
    assert "--" not in str(caught.value)
