"""`epicene rewrite` for the gender of the speaker, the listener and others."""

from __future__ import annotations

import io
import json
import re
import sys

import pytest

from app.conftest import Done, Epicene


@pytest.fixture
def give(monkeypatch: pytest.MonkeyPatch, epicene: Epicene) -> Epicene:
    """Run `epicene rewrite --language fr` with something on standard input."""

    def run(*arguments: object) -> Done:
        text, *rest = arguments
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(str(text).encode())))
        return epicene("rewrite", "--language=fr", *map(str, rest))

    return run


def test_a_line_for_a_line(give: Epicene) -> None:
    done = give("Je suis prêt.\n\nTu es prêt.\nIl est prêt", "--speaker", "f", "--others", "f")
    assert done == Done(0, "Je suis prête.\n\nTu es prêt.\nElle est prête", "")


def test_explained(give: Epicene) -> None:
    evidence = "prêt → prête: speaker feminine: said of the subject with être"
    done = give("Je suis prêt.\nIl pleut.\n", "--speaker", "f", "--explain")
    assert done.out == f"Je suis prête.\n    {evidence} (certain)\nIl pleut.\n"
    done = give("Je suis prêt.\nIl pleut.\n", "--speaker=f", "--explain", "--min-confidence=0")
    assert re.fullmatch(
        rf"Je suis prête\.\n    {evidence} \(certain, (0\.\d{{3}}|1\.000)\)\nIl pleut\.\n", done.out
    )


def test_explained_without_a_last_line_ending(give: Epicene) -> None:
    done = give("Je suis prêt", "--speaker=f", "--explain")
    assert done.out.splitlines()[0] == "Je suis prête"
    assert done.out.splitlines()[1].startswith("    prêt → prête: ")
    assert done.out.endswith(")\n")


def test_json(give: Epicene) -> None:
    done = give("Tu es prêt.\n", "--listener", "f", "--json")
    record = json.loads(done.out)
    assert record["text"] == "Tu es prête."
    assert record["changes"][0] | {"rule": ""} == {
        "start": 6,
        "end": 10,
        "before": "prêt",
        "after": "prête",
        "rule": "",
        "sure": "certain",
    }


def test_explained_as_json(give: Epicene) -> None:
    """The same record, with whose gender each change shows."""
    plain, explained = (
        json.loads(give("Je suis prêt, et toi ?\n", "--speaker=f", "--json", *more).out)
        for more in ([], ["--explain"])
    )
    assert [change.pop("whose") for change in explained["changes"]] == ["speaker"]
    assert 0.9 < explained["changes"][0].pop("probability") < 1
    assert explained == plain


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "use --speaker, --listener or --others with m or f"),
        (["--speaker", "neuter"], "--speaker must be m, f or n, not 'neuter'"),
        (["--pronouns", "they"], "'fr' does not support --pronouns; it takes --speaker"),
    ],
)
def test_wrong_options(give: Epicene, arguments: list[str], says: str) -> None:
    done = give("Je suis prêt.\n", *arguments)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert len(done.err.splitlines()) == 1


def test_doubtful_changes_are_left_and_listed(give: Epicene) -> None:
    line = "Je suis fatigué, et ma voisine est contente."
    options = ("--speaker=f", "--others=m", "--min-confidence=1")
    first, *listed = give(line, *options, "--explain").out.splitlines()
    assert first == line
    assert [each.split(" → ")[0] for each in listed] == [
        f"    not changed: {word}" for word in ("fatigué", "ma", "voisine", "contente")
    ]
    record = json.loads(give(line, *options, "--json").out)
    assert (record["text"], record["changes"]) == (line, [])
    assert [change["before"] for change in record["left_out"]][:2] == ["fatigué", "ma"]
    assert all(0 < change["probability"] < 1 for change in record["left_out"])
    assert give(line, *options[:2], "--min-confidence=0") == give(line, *options[:2])


def test_a_confidence_is_a_probability(give: Epicene) -> None:
    done = give("Je suis prêt.", "--speaker=f", "--min-confidence=90")
    assert done.code == 2
    assert "--min-confidence must be a probability from 0 to 1, not 90.0." in done.err
