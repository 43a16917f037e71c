"""`epicene audit`: what it prints, what it writes, and its exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

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


def test_the_counts_are_printed(epicene: Epicene, catalogue: Path) -> None:
    done = epicene("audit", "fr.po")
    assert done.code == 0
    assert done.out.startswith("1 of 2 strings address a man, 0 a woman.\n")
    assert "account" in done.out


def test_exit_1_if_a_rule_matches(epicene: Epicene, catalogue: Path) -> None:
    assert epicene("audit", "fr.po", "--fail-on", "mixed").code == 0
    done = epicene("audit", "fr.po", "--fail-on", "listener=masculine")
    assert done.code == 1
    assert "1 string matched --fail-on listener=masculine." in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.po"], "There is no file missing.po"),
        (["fr.po", "--fail-on", "nonsense"], "no rule for --fail-on 'nonsense'"),
        (["fr.po", "--fail-on", "new"], "--baseline"),
        (["fr.po", "-l", "es"], "fr.po is in fr, not in es; leave out --language.\n"),
        (["fr.po", "--json", "--csv"], "Choose one of --json, --csv, --sarif and --html."),
        (["fr.po", "--json", "--out", "a.html"], "--json does not match the extension of a.html"),
        (
            ["fr.po", "--column", "text=French"],
            "--column applies to tables (CSV, TSV), but no FILE",
        ),
        (["fr.po", "--baseline", "fr.po"], "is not JSON"),
        (["fr.po", "--out", "audit"], "The format of audit is not clear from its name"),
        (["broken.json", "--json", "--out", "new.json"], "broken.json"),
        (["fr.po", "broken.json", "--csv"], "broken.json"),
    ],
)
def test_exit_2_for_wrong_input_and_nothing_is_written(
    epicene: Epicene, catalogue: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "broken.json").write_text('{"a": ', encoding="utf-8")
    done = epicene("audit", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken.json", "fr.po"]


def test_exit_2_if_the_output_cannot_be_written(
    epicene: Epicene, catalogue: Path, tmp_path: Path
) -> None:
    """1 says that a rule matched."""
    (tmp_path / "folder.json").mkdir()
    for out in ("folder.json", "fr.po/audit.json"):
        done = epicene("audit", "fr.po", "--json", "--out", out)
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert f"Could not write {out}" in done.err


@pytest.mark.parametrize("form", [[], ["--json"]])
@pytest.mark.parametrize("target", ["/dev/full", "closed pipe"])
def test_exit_2_if_standard_output_cannot_be_written(
    catalogue: Path, target: str, form: list[str]
) -> None:
    program = [sys.executable, "-c", "import epicene.cli; epicene.cli.main()"]
    if target == "closed pipe":
        end, start = os.pipe()
        os.close(end)
    else:
        start = os.open(target, os.O_WRONLY)
    try:
        done = subprocess.run(
            [*program, "audit", str(catalogue), *form], stdout=start, stderr=subprocess.PIPE
        )
    finally:
        os.close(start)
    assert done.returncode == 2
    assert (b"No space left" in done.stderr) == (target == "/dev/full")


def test_every_form_to_a_file_by_its_name(
    epicene: Epicene, catalogue: Path, tmp_path: Path
) -> None:
    epicene("audit", "fr.po", "--sarif", "--out", "audit.sarif.json")
    assert (tmp_path / "audit.sarif.json").read_text("utf-8").startswith('{"$schema":')
    for name, start in (
        ("audit.json", '{"schema":"epicene-audit/1"'),
        ("audit.csv", "file,line,key"),
        ("audit.sarif", '{"$schema":'),
        ("audit.html", "<!doctype html>"),
    ):
        done = epicene("audit", "fr.po", "--out", name)
        assert done.code == 0
        assert done.out.startswith("1 of 2 strings")
        assert (tmp_path / name).read_text("utf-8").startswith(start)


def test_the_page_is_written_beside(epicene: Epicene, catalogue: Path, tmp_path: Path) -> None:
    assert epicene("audit", "fr.po", "--html").code == 0
    assert (tmp_path / "audit.html").is_file()


@pytest.mark.parametrize(
    "arguments",
    [
        ["fr.po", "strings.json", "-o", "strings.json"],
        ["fr.po", "strings.json", "-o", "link.json"],
        ["fr.po", "-l", "fr", "audit.html", "--html"],
        ["fr.po", "--people", "people.toml", "--json", "-o", "./people.toml"],
        ["fr.po", "--baseline", "earlier.json", "-o", "earlier.json"],
    ],
)
def test_no_file_that_is_read_is_written_over(
    epicene: Epicene, catalogue: Path, tmp_path: Path, arguments: list[str]
) -> None:
    epicene("audit", "fr.po", "-o", "earlier.json")
    (tmp_path / "strings.json").write_text('{"a": "Vous êtes prêt."}', encoding="utf-8")
    (tmp_path / "link.json").symlink_to(tmp_path / "strings.json")
    (tmp_path / "audit.html").write_text("<p>Vous êtes prêt.</p>", encoding="utf-8")
    (tmp_path / "people.toml").write_text('default = "listener"\n', encoding="utf-8")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    done = epicene("audit", *arguments)
    assert (done.code, done.out) == (2, "")
    assert "is an input file; name another file with --out." in done.err
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert (tmp_path / "link.json").is_symlink()


def test_a_pull_request_fails_on_what_is_new(
    epicene: Epicene, catalogue: Path, tmp_path: Path
) -> None:
    epicene("audit", "fr.po", "--json", "--out", "earlier.json")
    assert epicene("audit", "fr.po", "--baseline", "earlier.json", "--fail-on", "new").code == 0
    more = CATALOGUE + '\nmsgctxt "mail.sent"\nmsgid "You are in."\nmsgstr "Vous êtes connecté."\n'
    catalogue.write_text(more, encoding="utf-8")
    done = epicene("audit", "fr.po", "--baseline", "earlier.json", "--fail-on", "new", "--json")
    assert done.code == 1
    new = [each["key"] for each in json.loads(done.out)["findings"] if each["status"] == "new"]
    assert new == ["mail.sent|You are in."]


def test_who_is_the_user_comes_from_a_file(
    epicene: Epicene, catalogue: Path, tmp_path: Path
) -> None:
    (tmp_path / "people.toml").write_text('[keys]\n"account.*" = "you=m"\n', encoding="utf-8")
    done = epicene("audit", "fr.po", "--people", "people.toml")
    assert done.out.startswith("0 of 2 strings mention a man")


@pytest.mark.parametrize("form", ["--json", "--csv", "--sarif"])
def test_nothing_acts_on_a_terminal(
    epicene: Epicene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    strings = {"a": "\x1b[31m\u202eVous êtes prêt."}
    (tmp_path / "fr.json").write_text(json.dumps(strings), encoding="utf-8")
    printed = epicene("audit", "fr.json", form)
    assert "\u202e" in printed.out  # as it is, for a program
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    shown = epicene("audit", "fr.json", form)
    assert shown.code == 0
    assert "\u202e" not in shown.out
    assert "\x1b" not in shown.out


def test_exit_2_if_the_reader_of_the_tables_ends(
    epicene: Epicene, catalogue: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(text: str) -> int:
        if "address a man" in text or not text.strip():
            return len(text)
        raise BrokenPipeError

    monkeypatch.setattr(sys.stdout, "write", write)
    assert epicene("audit", "fr.po").code == 2
