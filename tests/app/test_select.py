"""`epicene select` and `epicene select check`: selectors in lines and files."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

import epicene as api
from app.conftest import Done, Epicene


@pytest.fixture
def give(monkeypatch: pytest.MonkeyPatch, epicene: Epicene) -> Epicene:
    """Run `epicene select` with something on standard input."""

    def run(*arguments: object) -> Done:
        text, *rest = arguments
        data = text if isinstance(text, bytes) else str(text).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return epicene("select", *map(str, rest))

    return run


def test_lines_get_selectors(give: Epicene) -> None:
    done = give("Tu es prêt.\nRien.\n", "-l=fr", "--listener", "g")
    made = "Tu es {g, select, male {prêt} female {prête} other {prêt}}."
    assert done == Done(0, f"{made}\nRien.\n", "")
    assert api.select(["Tu es prêt.", "Rien."], "fr", listener="g") == [made, "Rien."]
    done = give("Tu es prêt.", "-l=fr", "--listener", "g", "--json")
    assert json.loads(done.out) == {"text": "Tu es prêt.", "selectors": made}


def test_lines_are_checked(give: Epicene) -> None:
    good = "Tu es {g, select, male {prêt} female {prête} other {prêt}}."
    assert give(good, "check", "-l=fr") == Done(0, "", "")
    done = give(f"{good}\n{good.replace('prête', 'prêt')}\n", "check", "-l=fr")
    assert done.code == 1
    assert done.out == (
        "-, line 2: form: g: the feminine branch is 'Tu es prêt.', "
        "but the rewriter gives 'Tu es prête.'\n"
    )
    done = give("{g, select, female {x} other {y}}", "check", "-l=fr", "--json")
    assert (done.code, json.loads(done.out)["problems"][0]["kind"]) == (0, "unsure")


def test_files_get_selectors_and_are_checked(epicene: Epicene, tmp_path: Path) -> None:
    Path("app_fr.arb").write_text('{"a": "Tu es prêt"}', "utf-8")
    done = epicene("select", "app_fr.arb", "--listener", "g", "--out", "new.arb")
    assert done == Done(0, "1 string with selectors written to new.arb\n", "")
    assert epicene("select", "check", "new.arb", "-l", "fr") == Done(0, "", "")
    Path("bad.arb").write_text(Path("new.arb").read_text().replace("prête", "prêt"), "utf-8")
    done = epicene("select", "check", "bad.arb", "-l", "fr")
    assert done.code == 1
    assert done.out.startswith("bad.arb, line 1 (a): form: ")
    (problem,) = api.check_selectors(tmp_path / "bad.arb", "fr")
    assert (problem.kind, problem.line, problem.key) == ("form", 1, "a")
    done = epicene("select", "app_fr.arb", "--listener", "g")
    assert done.err == "Nothing was written; use --out FILE or FOLDER.\n"


def test_people_columns_and_formats(epicene: Epicene, tmp_path: Path) -> None:
    Path("people.toml").write_text('[keys]\na = "nobody"\n', "utf-8")
    Path("a.data").write_text('id,fr\na,Tu es prêt\nb,"Tu es prêt"\n', "utf-8")
    read = ["-l=fr", "--format=csv", "--column=text=fr", "--column=key=id"]
    done = epicene(
        "select", "a.data", *read, "--listener=g", "--people=people.toml", "--out=o.data"
    )
    assert done == Done(0, "1 string with selectors written to o.data\n", "")
    assert "a,Tu es prêt\n" in Path("o.data").read_text("utf-8")
    assert epicene("select", "check", "o.data", *read) == Done(0, "", "")


def test_what_is_left_out_or_may_not_work_is_said(epicene: Epicene, tmp_path: Path) -> None:
    Path("fr.md").write_text("Tu es prêt.\n", "utf-8")
    done = epicene("select", "fr.md", "--listener", "g", "--out", "o.md")
    assert "fr.md: warning: most programs do not read Markdown as ICU messages" in done.err
    Path("en.yaml").write_text("en:\n  a: She left.\n", "utf-8")
    done = epicene("select", "en.yaml", "--others", "g", "--out", "o.yaml")
    assert done.out == "0 strings with selectors written to o.yaml\n"
    assert done.err == (
        "en.yaml, line 2 (a): skipped because its selectors cannot be written there unless the "
        "text is in quotes\n"
    )
    done = epicene("select", "en.yaml", "--others", "g", "--out", "o.yaml", "--json")
    (file,) = json.loads(done.out)["files"]
    assert (file["strings"], [each["key"] for each in file["left_out"]]) == (0, ["a"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("fr.json --listener=g --out=o --other=x", "--other gives the wording for one text"),
        ("fr.json --listener=g --out=fr.json", "fr.json is an input file; name another file"),
        ("fr.json --listener=g --people=p.toml --out=p.toml", "p.toml is an input file"),
        ("fr.json --out=o", "Name a person whose gender to select by"),
        ("--listener=g --out=o", "--out applies to files; name at least one FILE."),
        ("--listener=g --people=o", "--people applies to files; name at least one FILE."),
        ("-l=fr", "Name a person whose gender to select by"),
        ("-l=fr --listener=a-b!", "is not a valid argument name"),
        ("-l=fr --listener=g --syntax=xml", "There is no selector syntax 'xml'"),
        ("-l=fr --listener=g", "Standard input, line 1, is not UTF-8"),
        ("check --column text=x", "--column applies to files"),
    ],
)
def test_what_is_wrong_gets_a_sentence(
    give: Epicene, tmp_path: Path, options: str, message: str
) -> None:
    (tmp_path / "fr.json").write_text('{"a": "Rien"}', "utf-8")
    (tmp_path / "p.toml").write_text('default = "listener"', "utf-8")
    given = b"Rien" if options != "-l=fr --listener=g" else b"fatigu\xe9"
    done = give(given, *options.split())
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert message in done.err
    assert not (tmp_path / "o").exists()
