"""`epicene.audit` and `epicene audit`: what is found, printed and written, and the exit codes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import epicene as api
from app.conftest import Epicene

CATALOGUE = """\
msgid ""
msgstr "Language: fr\\n"

msgctxt "account.ready"
msgid "You are ready."
msgstr "Vous êtes prêt."

msgctxt "account.saved"
msgid "Saved."
msgstr "Le fichier est enregistré."
"""


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    path = tmp_path / "fr.po"
    path.write_text(CATALOGUE, encoding="utf-8")
    return path


def test_the_counts_of_files_of_a_folder_and_of_lines(
    epicene: Epicene, catalogue: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = epicene("audit", "fr.po")
    assert done.code == 0
    assert done.out.startswith("1 of 2 strings address a man, 0 a woman.\n")
    assert "account" in done.out
    assert epicene("audit", ".").out == done.out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("Vous êtes prêt.\n".encode())))
    assert epicene("audit", "-l", "fr").out.startswith("1 of 1 strings address a man")


def test_texts_and_files_are_found_alike(catalogue: Path) -> None:
    (found,) = api.audit("Vous êtes prêt.", "fr").findings
    (same,) = api.audit(catalogue).findings
    assert (found.file, found.people, found.forms) == ("-", same.people, same.forms)
    assert [each.line for each in api.audit(["Rien.", "Tu es prêt."], "fr").findings] == [2]
    assert api.audit("Rien.", "fr").findings == []


def test_what_is_new_fails(epicene: Epicene, catalogue: Path) -> None:
    assert epicene("audit", "fr.po", "--fail-on", "mixed").code == 0
    done = epicene("audit", "fr.po", "--fail-on", "listener=masculine")
    assert done.code == 1
    assert "1 string matched --fail-on listener=masculine." in done.err
    epicene("audit", "fr.po", "--out", "earlier.json")
    told = ("audit", "fr.po", "--baseline", "earlier.json", "--fail-on", "new", "--fail-on=mixed")
    assert epicene(*told).code == 0
    more = '\nmsgctxt "mail.sent"\nmsgid "You are in."\nmsgstr "Vous êtes connecté."\n'
    catalogue.write_text(CATALOGUE + more, encoding="utf-8")
    done = epicene(*told, "--json")
    assert done.code == 1
    new = [each["key"] for each in json.loads(done.out)["findings"] if each["status"] == "new"]
    assert new == ["mail.sent|You are in."]


def test_who_is_the_user_comes_from_a_file(epicene: Epicene, catalogue: Path) -> None:
    Path("people.toml").write_text('[keys]\n"account.*" = "you=m"\n', encoding="utf-8")
    done = epicene("audit", "fr.po", "--people", "people.toml")
    assert done.out.startswith("0 of 2 strings mention a man")


def test_every_form_to_a_file_by_its_name(epicene: Epicene, catalogue: Path) -> None:
    for name, start in (
        ("audit.json", '{"schema":"epicene-audit/1"'),
        ("audit.csv", "file,line,key"),
        ("audit.sarif", '{"$schema":'),
        ("audit.html", "<!doctype html>"),
    ):
        done = epicene("audit", "fr.po", "--out", name)
        assert done.code == 0
        assert done.out.startswith("1 of 2 strings")
        assert done.err == f"The audit is in {name}\n"
        assert Path(name).read_text("utf-8").startswith(start)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("missing.po", "There is no file missing.po"),
        ("fr.po --fail-on nonsense", "no rule for --fail-on 'nonsense'"),
        ("fr.po --fail-on new", "--baseline"),
        ("fr.po -l es", "fr.po is in fr, not in es; leave out --language.\n"),
        ("fr.po -l xx", "no rewriter for the language 'xx'"),
        ("fr.po --column text=French", "--column applies to tables (CSV, TSV), but no FILE"),
        ("fr.po --baseline fr.po", "is not JSON"),
        ("fr.po --out audit", "The format of audit is not clear from its name"),
        ("broken.json --out new.json", "broken.json"),
        ("fr.po broken.json --json", "broken.json"),
        ("", "Name the language of the text with --language."),
        ("-l fr --people p.toml", "--people applies to files"),
        # 1 says that a rule matched.
        ("fr.po --out folder.json", "Could not write folder.json"),
        ("fr.po --out fr.po/audit.json", "Could not write fr.po/audit.json"),
        # No file that is read is written over.
        ("fr.po strings.json -o strings.json", "is an input file; name another file with --out."),
        ("fr.po strings.json -o link.json", "is an input file; name another file with --out."),
        ("fr.po --baseline earlier.json -o earlier.json", "is an input file"),
    ],
)
def test_exit_2_for_wrong_input_and_nothing_is_written(
    epicene: Epicene,
    catalogue: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: str,
    message: str,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Salut\n")))
    (tmp_path / "broken.json").write_text('{"a": ', encoding="utf-8")
    (tmp_path / "folder.json").mkdir()
    api.audit(catalogue, out=tmp_path / "earlier.json")
    (tmp_path / "strings.json").write_text('{"a": "Vous êtes prêt."}', encoding="utf-8")
    (tmp_path / "link.json").symlink_to(tmp_path / "strings.json")
    before = {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}
    done = epicene("audit", *arguments.split())
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1
    assert before == {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}


@pytest.mark.parametrize("form", [[], ["--json"]])
@pytest.mark.parametrize("target", ["/dev/full", "closed pipe"])
def test_exit_2_if_standard_output_cannot_be_written(
    catalogue: Path, target: str, form: list[str]
) -> None:
    if target == "closed pipe":
        end, start = os.pipe()
        os.close(end)
    else:
        start = os.open(target, os.O_WRONLY)
    try:
        program = [sys.executable, "-m", "epicene", "audit", str(catalogue), *form]
        done = subprocess.run(program, stdout=start, stderr=subprocess.PIPE)
    finally:
        os.close(start)
    assert done.returncode == 2
    assert (b"No space left" in done.stderr) == (target == "/dev/full")


def test_nothing_acts_on_a_terminal(
    epicene: Epicene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strings = {"a": "\x1b[31m\u202eVous êtes prêt."}
    (tmp_path / "fr.json").write_text(json.dumps(strings), encoding="utf-8")
    assert "\u202e" in epicene("audit", "fr.json", "--json").out  # as it is, for a program
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    shown = epicene("audit", "fr.json", "--json")
    assert shown.code == 0
    assert "\u202e" not in shown.out
    assert "\x1b" not in shown.out
