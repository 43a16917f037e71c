"""`epicene rewrite`: one line out for each line in."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from app.conftest import Done, Epicene
from epicene.core import registry
from epicene.languages import Language
from epicene.rewriting import Rewriter, Rewriting

SET = """
[[set]]
name = "zie"
nominative = "zie"
accusative = "zim"
dependent = "zir"
independent = "zis"
reflexive = "zieself"
"""


@pytest.fixture
def give(monkeypatch: pytest.MonkeyPatch, epicene: Epicene) -> Epicene:
    """Run `epicene rewrite` by rules with something on standard input."""

    def run(*arguments: str | Path) -> Done:
        text, *rest = arguments
        data = io.BytesIO(str(text).encode("utf-8", "surrogateescape"))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(data))
        return epicene("rewrite", "--route=rules", *rest)

    return run


def test_lines(give: Epicene) -> None:
    done = give("She sings.\n\nNo one.\nIt is his\n", "--language", "en", "--pronouns", "they")
    assert done == Done(0, "They sing.\n\nNo one.\nIt is theirs\n", "")


def rewrite_bytes(given: bytes, *options: str) -> subprocess.CompletedProcess[bytes]:
    program = "import sys; from epicene.app.commands import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, "rewrite", "--pronouns=xe", *options],
        input=given,
        capture_output=True,
    )


def test_line_endings_and_odd_characters_stay() -> None:
    given = b"He is\r\n\x00 he\t \r\n\nhe\x0bis\xc2\x85he \xf0\x9f\x98\x80"
    done = rewrite_bytes(given, "--route=rules")
    assert done.stdout == given.replace(b"He", b"Xe").replace(b"he", b"xe")
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("options", [("--route=rules",), ("--json",), ("--explain",)])
def test_input_that_is_not_utf8_is_named_by_line_and_byte(options: tuple[str, ...]) -> None:
    done = rewrite_bytes(b"He is.\nHe is \xff\xfe he\n", *options)
    assert done.returncode == 2
    assert done.stderr.decode() == (
        "epicene: Standard input, line 2, is not UTF-8 (byte 7 of the line): it is in another "
        "encoding; save the file as UTF-8.\n"
    )


def test_a_line_without_an_end_is_refused() -> None:
    done = rewrite_bytes(b"He is.\n" + b"he " * 6_000_000, "--route=rules")
    assert done.returncode == 2
    assert b"Standard input, line 2, is longer than 16 MiB" in done.stderr


def test_explained(give: Epicene) -> None:
    done = give("No one.\nShe's here\n", "--pronouns", "they", "--explain")
    assert done.out.splitlines() == [
        "No one.",
        "They're here",
        "    She → They: she: the form has one case (certain)",
        "    's → 're: she: verb of the subject ('s for is) (likely)",
    ]


def test_json(give: Epicene) -> None:
    done = give("No one.\nShe's here\n", "--pronouns", "they", "--json")
    first, second = (json.loads(line) for line in done.out.splitlines())
    assert first == {"line": 1, "text": "No one.", "changes": []}
    assert second["text"] == "They're here"
    assert [(each["before"], each["after"]) for each in second["changes"]] == [
        ("She", "They"),
        ("'s", "'re"),
    ]
    assert {each["sure"] for each in second["changes"]} <= {"certain", "likely", "guess"}


def test_only_some_sets(give: Epicene) -> None:
    done = give("She told him.\n", "--pronouns=they", "--from=he")
    assert done.out == "She told them.\n"
    assert give("Ne told xem.\n", "--pronouns=they", "--from=ne,xe").out == "They told them.\n"


def test_a_set_of_ones_own(give: Epicene, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(SET)
    done = give("She hurt herself.\n", "--pronouns=zie", "--sets=own.toml")
    assert done.out == "Zie hurt zieself.\n"
    assert give("Zie is in.\n", "--pronouns=they", "--sets=own.toml").out == "They are in.\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--pronouns", "thy"], "did you mean 'they'"),
        (["--pronouns", "they", "--from", "hee"], "did you mean 'he'"),
        (["--pronouns", "they", "--language", "eng"], "known: ar, de, en"),
        (["--pronouns", "they", "--language", "zh"], "no rewriter for the language 'zh'"),
        (["--pronouns", "they", "--route", "spacey"], "did you mean 'spacy'"),
        (["--pronouns", "zie", "--sets", "gone.toml"], "There is no file gone.toml"),
        ([], "--pronouns he|she|they"),
    ],
)
def test_wrong_options(give: Epicene, arguments: list[str], says: str) -> None:
    done = give("She\n", *arguments)
    assert done.code == 2
    assert done.out == ""
    assert says in done.err
    assert len(done.err.splitlines()) == 1


def test_a_language_brings_its_own_rewriter(
    monkeypatch: pytest.MonkeyPatch, epicene: Epicene
) -> None:
    """Whoever adds a language names its rewriter; nothing here knows it."""
    module = ModuleType("shouting")
    module.rewriter = Rewriter(  # type: ignore[attr-defined]
        takes=("pronouns",),
        open=lambda _: lambda texts: (Rewriting(text=text.upper()) for text in texts),
    )
    monkeypatch.setitem(sys.modules, "shouting", module)
    shout = Language(
        code="xx-shout",
        name="Shouting",
        own_name="SHOUTING",
        direction="ltr",
        scripts=("Latn",),
        rewriter="shouting:rewriter",
    )
    monkeypatch.setitem(registry._added, ("languages", "xx-shout"), shout)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"hey\n")))
    assert epicene("rewrite", "--language=xx-shout").out == "HEY\n"
    refused = epicene("rewrite", "--language=xx-shout", "--route=rules")
    assert refused.code == 2
    assert "does not support --route; it takes --pronouns." in refused.err
