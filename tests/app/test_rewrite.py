"""`epicene.rewrite` and `epicene rewrite`: texts, lines of standard input, and files."""

from __future__ import annotations

import io
import json
import pickle
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import epicene as api
from app.conftest import Done, Epicene
from epicene.core import registry
from epicene.core.errors import InputError
from epicene.languages import Language
from epicene.rewriting import Rewriter, Rewriting

FR = """{
  "account": {
    "state": "Vous êtes <b>connecté</b>, {name} !",
    "profile": "Compléter le profil"
  },
  "chat": {
    "sent": "Je suis prêt à vous aider."
  }
}
"""
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
    """Run `epicene rewrite` with something on standard input."""

    def run(*arguments: str | Path) -> Done:
        text, *rest = arguments
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(str(text).encode())))
        return epicene("rewrite", *rest)

    return run


# --- texts ---------------------------------------------------------------------------------------


def test_a_text_gives_a_text_and_several_give_a_list() -> None:
    assert api.rewrite("She sings.", pronouns="they") == "They sing."
    assert api.rewrite(["She sings."], pronouns="they") == ["They sing."]
    lines = (line for line in ("She sings.", "No one."))
    assert api.rewrite(lines, pronouns="they") == ["They sing.", "No one."]
    assert api.rewrite([], pronouns="they") == []
    assert api.rewrite("", pronouns="they") == ""
    longer = f"{'She sings. ' * 99}a.txt"  # no name of a file
    assert api.rewrite(longer, pronouns="they") == longer.replace("She sings", "They sing")
    text = "She sees him."
    assert api.rewrite(text, pronouns="xe", from_="he", route="rules") == "She sees xem."
    assert api.rewrite(text, pronouns="xe", from_=["he", "she"]) == "Xe sees xem."


def test_changes_say_where_they_are_in_both_texts() -> None:
    texts = ["Je suis prêt et tu es venu.", "", "Il est prêt 😀 et je suis content."]
    people = {"speaker": "f", "listener": "f", "others": "f"}
    for text, found in zip(texts, api.rewrite(texts, "fr", **people), strict=True):  # type: ignore[call-overload]
        assert bool(found.changes) == bool(text)
        for change in found.changes:
            assert text[change.start : change.end] == change.before
            assert found[change.new_start : change.new_end] == change.after
            assert change.whose in people
        assert pickle.loads(pickle.dumps(found)).changes == found.changes


# --- lines ---------------------------------------------------------------------------------------


def test_lines(give: Epicene) -> None:
    given = "She sings.\n\nNo one.\nIt is his\n"
    done = give(given, "--language", "en", "--pronouns", "they", "--route=rules")
    assert done == Done(0, "They sing.\n\nNo one.\nIt is theirs\n", "")
    given = "Je suis prêt.\n\nTu es prêt.\nIl est prêt"
    done = give(given, "-l", "fr", "--speaker", "f", "--others", "f")
    assert done == Done(0, "Je suis prête.\n\nTu es prêt.\nElle est prête", "")
    assert give("Ne told xem.\n", "--pronouns=they", "--from=ne,xe").out == "They told them.\n"


def test_a_set_of_ones_own(give: Epicene, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(SET)
    done = give("She hurt herself.\n", "--pronouns=zie", "--sets=own.toml")
    assert done.out == "Zie hurt zieself.\n"


def test_explained(give: Epicene) -> None:
    done = give("Je suis prêt\nIl pleut", "-l", "fr", "--speaker", "f", "--explain")
    evidence = "prêt → prête: speaker feminine: said of the subject with être (certain, 0.99"
    first, second, *others = done.out.splitlines()
    assert (first, second[: 4 + len(evidence)], others) == (
        "Je suis prête", f"    {evidence}", ["Il pleut"],
    )  # fmt: skip
    assert give("Je suis prêt", "-l=fr", "--speaker=f", "--explain").out.endswith(")\n")


def test_records(give: Epicene) -> None:
    done = give("No one.\nShe's here\n", "--pronouns=they", "--route=rules", "--json")
    first, second = (json.loads(line) for line in done.out.splitlines())
    assert first == {"line": 1, "text": "No one.", "changes": []}
    assert second["text"] == "They're here"
    assert [each["after"] for each in second["changes"]] == ["They", "'re"]
    assert {"start", "before", "rule", "sure", "whose", "probability"} <= {*second["changes"][0]}


def test_doubtful_changes_are_left_and_listed(give: Epicene) -> None:
    line = "Je suis fatigué, et ma voisine est contente."
    options = ("-l=fr", "--speaker=f", "--others=m", "--min-confidence=1")
    first, *listed = give(line, *options, "--explain").out.splitlines()
    assert first == line
    assert [each.split(" → ")[0] for each in listed] == [
        f"    not changed: {word}" for word in ("fatigué", "ma", "voisine", "contente")
    ]
    record = json.loads(give(line, *options, "--json").out)
    assert (record["text"], record["changes"]) == (line, [])
    assert all(0 < change["probability"] < 1 for change in record["left_out"])
    assert give(line, *options[:3], "--min-confidence=0") == give(line, *options[:3])


def rewrite_bytes(given: bytes, *options: str) -> subprocess.CompletedProcess[bytes]:
    program = [sys.executable, "-m", "epicene", "rewrite", "--pronouns=xe", "--route=rules"]
    return subprocess.run([*program, *options], input=given, capture_output=True)


def test_line_endings_and_odd_characters_stay() -> None:
    given = b"He is\r\n\x00 he\t \r\n\nhe\x0bis\xc2\x85he \xf0\x9f\x98\x80"
    done = rewrite_bytes(given)
    assert done.stdout == given.replace(b"He", b"Xe").replace(b"he", b"xe")
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("given", "options", "says"),
    [
        (b"He is.\nHe is \xff\xfe he\n", [], "line 2, is not UTF-8 (byte 7 of the line)"),
        (b"He is.\nHe is \xff\xfe he\n", ["--json"], "line 2, is not UTF-8 (byte 7 of the line)"),
        (b"He is.\n" + b"he " * 6_000_000, [], "line 2, is longer than 16 MiB"),
    ],
)
def test_lines_that_cannot_be_read(given: bytes, options: list[str], says: str) -> None:
    done = rewrite_bytes(given, *options)
    assert done.returncode == 2
    assert f"Standard input, {says}" in done.stderr.decode()


def test_a_language_brings_its_own_rewriter(monkeypatch: pytest.MonkeyPatch, give: Epicene) -> None:
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
    assert give("hey\n", "--language=xx-shout").out == "HEY\n"
    refused = give("hey\n", "--language=xx-shout", "--route=rules")
    assert "does not support --route; it takes --pronouns." in refused.err


# --- files ---------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Catalogues in folders that are named after their languages."""
    texts = {
        "fr": FR,
        "ar": '{"ready": "هل أنت جاهز يا {name}؟"}',
        "hi": '{"going": "क्या आप जा रहे हैं, {name}?"}',
    }
    for code, text in texts.items():
        path = tmp_path / "locales" / code / "app.json"
        path.parent.mkdir(parents=True)
        path.write_bytes(text.encode())
    return tmp_path / "locales"


def test_one_file(epicene: Epicene, files: Path) -> None:
    name = "locales/fr/app.json"
    expected = FR.replace("<b>connecté</b>", "<b>connectée</b>")
    done = epicene("rewrite", name, "--listener=f", "--out=new.json")
    assert done == Done(0, "", f"1 of 3 strings changed in {name}; written to new.json\n")
    assert Path("new.json").read_text() == expected
    done = epicene("rewrite", name, "--listener=f")
    assert done.err.endswith("Nothing was written; use --out FILE or FOLDER, or --in-place.\n")
    assert Path(name).read_text() == FR
    assert epicene("rewrite", name, "--listener=f", "--out", "new/").code == 0
    assert Path("new/app.json").read_text() == expected
    done = epicene("rewrite", name, "--listener=f", "--in-place")
    assert done == Done(0, "", f"1 of 3 strings changed in {name}\n")
    assert Path(name).read_text() == expected


def test_a_folder_stands_for_its_files(epicene: Epicene, files: Path) -> None:
    (files / "settings.json").write_text('{"theme": "He is not a translation."}')
    done = epicene("rewrite", "locales", "--listener=f", "--out=new")
    assert done.code == 0, done.err
    assert Path("new/fr/app.json").read_text().count("connectée") == 1
    assert "جاهزة" in Path("new/ar/app.json").read_text()
    assert "जा रही हैं" in Path("new/hi/app.json").read_text()
    assert not Path("new/settings.json").exists()
    (only,) = api.rewrite(files, "hi", listener="f")
    assert only.language == "hi"


def test_files_of_a_folder_beside_keep_their_folders(
    epicene: Epicene, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files / "fr")
    done = epicene("rewrite", "app.json", "../ar/app.json", "--listener=f", "--out=new")
    assert done.code == 0, done.err
    assert "connectée" in Path("new/fr/app.json").read_text()
    assert "جاهزة" in Path("new/ar/app.json").read_text()


def test_json_and_explanations(epicene: Epicene, files: Path) -> None:
    name = "locales/fr/app.json"
    done = epicene("rewrite", name, "locales/ar/app.json", "--listener=f", "--json")
    first, second = (json.loads(line) for line in done.out.splitlines())
    assert (first["strings"], first["out"], second["language"]) == (3, "", "ar")
    [changed] = first["changed"]
    assert (changed["key"], changed["line"]) == ("account.state", 3)
    [change] = changed["changes"]
    assert changed["text"][change["start"] : change["end"]] == change["before"] == "connecté"
    place, explained = epicene("rewrite", name, "--listener=f", "--explain").out.splitlines()
    assert place == f"{name}, line 3: account.state"
    assert explained.startswith("    connecté → connectée: listener")
    Path("fr.csv").write_text("key,text\na\x1b[31mb,Tu es prêt.\n", "utf-8")
    shown = epicene("rewrite", "fr.csv", "--listener=f", "--explain").out
    assert "a\\u001b[31mb" in shown
    assert "\x1b" not in shown


def test_who_the_user_is(epicene: Epicene, files: Path) -> None:
    Path("people.toml").write_text('[keys]\n"chat.*" = "speaker"\n')
    told = ("--user=f", "--people=people.toml", "--out=x.json")
    assert epicene("rewrite", "locales/fr/app.json", *told).code == 0
    expected = FR.replace(">connecté<", ">connectée<").replace("suis prêt", "suis prête")
    assert Path("x.json").read_text() == expected
    # The gender of --listener is theirs; elsewhere the listener is the user.
    Path("fr.csv").write_text("text,people\nTu es prêt.,\nTu es prête.,you=other\n")
    done = epicene("rewrite", "fr.csv", "--user=f", "--listener=m", "--out=y.csv")
    assert done.code == 0, done.err
    assert Path("y.csv").read_text() == "text,people\nTu es prête.,\nTu es prêt.,you=other\n"


def test_columns_of_a_table(epicene: Epicene, tmp_path: Path) -> None:
    text = "id,French,who\na,Je suis prêt.,speaker\nb,Je suis prêt.,nobody\nc,Tu es prêt.,\n"
    (tmp_path / "t.csv").write_text(text)
    columns = ["--column=text=French", "--column=people=who"]
    done = epicene("rewrite", "t.csv", "-l", "fr-CA", "--user=f", "--out=x.csv", *columns)
    assert done.err == "2 of 3 strings changed in t.csv; written to x.csv\n"
    made = text.replace("prêt.,sp", "prête.,sp").replace("es prêt", "es prête")
    assert Path("x.csv").read_text() == made


# --- refusals ------------------------------------------------------------------------------------

_FILE = "locales/fr/app.json"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("", "Rewriting English needs a pronoun set: --pronouns he|she|they"),
        ("--pronouns thy", "did you mean 'they'"),
        ("--pronouns they --from hee", "did you mean 'he'"),
        ("--pronouns they --language zh", "no rewriter for the language 'zh'; known: ar, de, en"),
        ("--pronouns they --route spacey", "did you mean 'spacy'"),
        ("--pronouns zie --sets gone.toml", "There is no file gone.toml"),
        ("--pronouns they --model copy", "--model must be a trained tagger, tagger:FOLDER"),
        ("-l fr", "use --speaker, --listener or --others with m or f"),
        ("-l fr --speaker neuter", "--speaker must be m, f or n, not 'neuter'"),
        ("-l fr --pronouns they", "'fr' does not support --pronouns; it takes --speaker"),
        ("-l fr --speaker f --min-confidence 90", "must be a probability from 0 to 1, not 90.0"),
        ("--out=x --pronouns=they", "--out applies to files; name at least one FILE"),
        (f"{_FILE} --listener=f --out=x --in-place", "not both"),
        (f"{_FILE} --listener=f --out={_FILE}", "is an input file"),
        (f"{_FILE} --listener=f --out=locales/fr", "is an input file"),
        (f"{_FILE} --user=f --people=p.toml --out=p.toml", "is an input file"),
        (f"{_FILE} --out=x", "Name a person whose gender should change"),
        (f"{_FILE} -l ar --listener=f --out=x", "is in fr according to its path"),
        (f"{_FILE} --user=x --out=x", "--user must be m, f or n, not 'x'"),
        (f"{_FILE} --user=f --listener=m --out=x", "leave out one of the"),
        (f"{_FILE} --pronouns=she --out=x", "'fr' does not support"),
        ("a.json -l=fr --listener=f --column=text=a --out=x", "--column applies to tables"),
        ("none.json --listener=f --out=x", "There is no file none.json"),
        ("empty --listener=f --out=x", "empty has no files with translated strings"),
        ("app.json --listener=f --out=x", "does not say its language"),
        ("app.json -l eo --listener=f --out=x", "no rewriter for the language"),
        ("en.json --user=f --pronouns=she --out=x", "'en' does not support --user"),
        ("a.json a.json -l fr --listener=f --out=x", "named twice"),
    ],
)
def test_what_is_wrong_gets_a_sentence(
    give: Epicene, files: Path, tmp_path: Path, arguments: str, says: str
) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("app.json", "en.json", "a.json"):
        (tmp_path / name).write_text('{"a": "Prêt"}')
    (tmp_path / "p.toml").write_text('default = "listener"')
    before = sorted(tmp_path.rglob("*"))
    done = give("She\n", *arguments.split())
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert done.err.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("fr.json", r"'fr.json' is read as a text; for the file, write Path\('fr.json'\)"),
        (["Tu es prêt.", Path("fr.json")], "Name texts or files, not both"),
    ],
)
def test_texts_and_files_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: Any, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("fr.json").write_text('{"a": "Tu es prêt."}')
    with pytest.raises(InputError, match=says):
        api.rewrite(given, "fr", listener="f")
