"""`epicene select`: selectors from lines and files, and their check."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from app.conftest import Done, Epicene


@pytest.fixture
def give(monkeypatch: pytest.MonkeyPatch, epicene: Epicene) -> Epicene:
    """Run `epicene select --language fr` with something on standard input."""

    def run(*arguments: object) -> Done:
        text, *rest = arguments
        data = text if isinstance(text, bytes) else str(text).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return epicene("select", "--language=fr", *map(str, rest))

    return run


def test_lines_get_selectors(give: Epicene) -> None:
    done = give("Tu es prêt.\nRien.\n", "--listener", "g")
    made = "Tu es {g, select, male {prêt} female {prête} other {prêt}}."
    assert done == Done(0, f"{made}\nRien.\n", "")
    done = give("Tu es prêt.", "--listener", "g", "--json")
    assert json.loads(done.out) == {"text": "Tu es prêt.", "selectors": made}


def test_lines_are_checked(give: Epicene) -> None:
    good = "Tu es {g, select, male {prêt} female {prête} other {prêt}}."
    assert give(good, "--check") == Done(0, "", "")
    done = give(f"{good}\n{good.replace('prête', 'prêt')}\n", "--check")
    assert done.code == 1
    assert done.out == (
        "-, line 2: form: g: the feminine branch is 'Tu es prêt.', "
        "but the rewriter gives 'Tu es prête.'\n"
    )
    done = give("{g, select, female {x} other {y}}", "--check", "--json")
    assert (done.code, json.loads(done.out)["problems"][0]["kind"]) == (0, "unsure")


def test_files_get_selectors_and_are_checked(epicene: Epicene, tmp_path: Path) -> None:
    source = tmp_path / "app_fr.arb"
    source.write_text('{"a": "Tu es prêt"}', "utf-8")
    done = epicene("select", str(source), "--listener", "g", "--out", str(tmp_path / "new.arb"))
    assert done.out == f"1 string with selectors written to {tmp_path / 'new.arb'}\n"
    assert epicene("select", str(tmp_path / "new.arb"), "--check", "-l", "fr").code == 0
    done = epicene("select", str(source), "--listener", "g")
    assert (done.code, done.err.count("\n")) == (2, 1)


def test_people_columns_and_formats(epicene: Epicene, tmp_path: Path) -> None:
    source, people, out = tmp_path / "a.data", tmp_path / "people.toml", tmp_path / "o.data"
    source.write_text('id,fr\na,Tu es prêt\nb,"Tu es prêt"\n', "utf-8")
    people.write_text('[keys]\na = "nobody"\n', "utf-8")
    options = ["--format=csv", "--column=text=fr", "--column=key=id", f"--people={people}"]
    done = epicene("select", str(source), "-l", "fr", "--listener=g", f"--out={out}", *options)
    assert done == Done(0, f"1 string with selectors written to {out}\n", "")
    assert "a,Tu es prêt\n" in out.read_text("utf-8")
    done = epicene("select", str(out), "-l", "fr", "--check", *options[:2])
    assert done == Done(0, "", "")


def test_a_format_that_is_no_message_is_warned_of(epicene: Epicene, tmp_path: Path) -> None:
    source, out = tmp_path / "a.md", tmp_path / "o.md"
    source.write_text("Tu es prêt.\n", "utf-8")
    done = epicene("select", str(source), "-l", "fr", "--listener", "g", "--out", str(out))
    assert done.err == (
        f"{source}: warning: most programs do not read Markdown as ICU messages; make sure that "
        "yours does\n"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["FILE", "--listener=g"], "Choose where to write: --out FILE or FOLDER."),
        (
            ["FILE", "--listener=g", "--out=o", "--other=x"],
            "--other gives the wording for one line",
        ),
        (["--listener=g", "--out=o"], "--out applies to files; name at least one FILE."),
        (["--listener=g", "--people=o"], "--people applies to files; name at least one FILE."),
        (
            ["FILE", "--check", "--out=o"],
            "--check makes no selectors and cannot be combined with --out.",
        ),
        (["FILE", "--out=o"], "Name a person whose gender to select by"),
    ],
)
def test_options_that_do_nothing_are_refused(
    epicene: Epicene, tmp_path: Path, options: list[str], message: str
) -> None:
    source = tmp_path / "fr.json"
    source.write_text('{"a": "Rien"}', "utf-8")
    done = epicene("select", *[str(source) if each == "FILE" else each for each in options])
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert message in done.err


def test_strings_that_are_left_out_are_named(epicene: Epicene, tmp_path: Path) -> None:
    source, out = tmp_path / "en.yaml", tmp_path / "new.yaml"
    source.write_text("en:\n  a: She left.\n", "utf-8")
    done = epicene("select", str(source), "--others", "g", "--out", str(out))
    assert done.out == f"0 strings with selectors written to {out}\n"
    assert done.err == (
        f"{source}, line 2 (a): skipped because its selectors cannot be written there unless "
        "the text is in quotes\n"
    )
    done = epicene("select", str(source), "--others", "g", "--out", str(out), "--json")
    (file,) = json.loads(done.out)["files"]
    assert (file["strings"], [each["key"] for each in file["left_out"]]) == (0, ["a"])


@pytest.mark.parametrize(
    ("data", "options"),
    [
        ("Tu es prêt.", []),
        ("Tu es prêt.", ["--listener", "a b"]),
        ("Tu es prêt.", ["--listener", "g", "--syntax", "xml"]),
        (b"fatigu\xe9", ["--listener", "g"]),
    ],
)
def test_wrong_input_ends_with_one_sentence(
    give: Epicene, data: object, options: list[str]
) -> None:
    done = give(data, *options)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
