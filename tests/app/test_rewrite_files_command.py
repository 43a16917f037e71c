"""`epicene rewrite FILE…`: translated strings in files."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from app.conftest import Done, Epicene

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
AR = '{"ready": "هل أنت جاهز يا {name}؟"}'
HI = '{"going": "क्या आप जा रहे हैं, {name}?"}'


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Two catalogues in folders that are named after their languages."""
    for code, text in (("fr", FR), ("ar", AR), ("hi", HI)):
        path = tmp_path / "locales" / code / "app.json"
        path.parent.mkdir(parents=True)
        path.write_bytes(text.encode())
    return tmp_path / "locales"


def test_one_file(epicene: Epicene, files: Path) -> None:
    done = epicene("rewrite", "locales/fr/app.json", "--listener=f", "--out=new.json")
    assert done == Done(
        0, "", "1 of 3 strings changed in locales/fr/app.json; written to new.json\n"
    )
    expected = FR.replace("<b>connecté</b>", "<b>connectée</b>")
    assert Path("new.json").read_bytes() == expected.encode()
    assert (files / "fr" / "app.json").read_bytes() == FR.encode()


@pytest.mark.parametrize("out", ["new", "new/"])
def test_one_file_into_a_folder(epicene: Epicene, files: Path, out: str) -> None:
    assert epicene("rewrite", "locales/fr/app.json", "--listener=f", "--out", out).code == 0
    assert Path("new/app.json").is_file()


def test_several_files_keep_their_folders(epicene: Epicene, files: Path) -> None:
    names = [f"locales/{code}/app.json" for code in ("fr", "ar", "hi")]
    done = epicene("rewrite", *names, "--listener=f", "--out=new")
    assert done.code == 0, done.err
    assert Path("new/fr/app.json").read_text().count("connectée") == 1
    assert "جاهزة" in Path("new/ar/app.json").read_text()
    assert "जा रही हैं" in Path("new/hi/app.json").read_text()


def test_files_of_a_folder_beside_keep_their_folders(
    epicene: Epicene, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files / "fr")
    done = epicene("rewrite", "app.json", "../ar/app.json", "--listener=f", "--out=new")
    assert done.code == 0, done.err
    assert "connectée" in Path("new/fr/app.json").read_text()
    assert "جاهزة" in Path("new/ar/app.json").read_text()


def test_english(epicene: Epicene, tmp_path: Path) -> None:
    (tmp_path / "en.json").write_text('{"a": "{name} says he likes his {he}."}')
    done = epicene("rewrite", "en.json", "--pronouns=they", "--out=out.json", "--route=rules")
    assert done.code == 0, done.err
    assert Path("out.json").read_text() == '{"a": "{name} says they like their {he}."}'


def test_in_place(epicene: Epicene, files: Path) -> None:
    done = epicene("rewrite", "locales/fr/app.json", "--listener=f", "--in-place")
    assert done == Done(0, "", "1 of 3 strings changed in locales/fr/app.json\n")
    assert "connectée" in (files / "fr" / "app.json").read_text()


def test_json_lists_changes_and_writes_nothing(epicene: Epicene, files: Path) -> None:
    done = epicene("rewrite", "locales/fr/app.json", "--listener=f", "--json")
    assert (done.json["strings"], done.json["out"], done.json["language"]) == (3, "", "fr")
    [changed] = done.json["changed"]
    assert (changed["key"], changed["line"]) == ("account.state", 3)
    assert changed["new_text"] == "Vous êtes <b>connectée</b>, {name} !"
    [change] = changed["changes"]
    assert changed["text"][change["start"] : change["end"]] == change["before"] == "connecté"
    assert (files / "fr" / "app.json").read_bytes() == FR.encode()


def test_explained(epicene: Epicene, files: Path) -> None:
    done = epicene("rewrite", "locales/fr/app.json", "--listener=f", "--explain", "--out=x.json")
    first, second = done.out.splitlines()
    assert first == "locales/fr/app.json, line 3: account.state"
    assert second.startswith("    connecté → connectée: listener")


def test_the_user_is_who_people_say(epicene: Epicene, files: Path, tmp_path: Path) -> None:
    (tmp_path / "people.toml").write_text('[keys]\n"chat.*" = "speaker"\n')
    done = epicene(
        "rewrite", "locales/fr/app.json", "--user=f", "--people=people.toml", "--out=x.json"
    )
    assert done.code == 0, done.err
    expected = FR.replace(">connecté<", ">connectée<").replace("suis prêt", "suis prête")
    assert Path("x.json").read_text() == expected


def test_the_listener_may_be_somebody_else_than_the_user(epicene: Epicene, tmp_path: Path) -> None:
    """The gender of --listener is theirs; elsewhere the listener is the user."""
    text = "text,people\nTu es prêt.,\nTu es prête.,you=other\n"
    (tmp_path / "fr.csv").write_text(text)
    (tmp_path / "fr.txt").write_text("Tu es prêt.\n")
    arguments = ["--user=f", "--listener=m", "--out=out"]
    done = epicene("rewrite", "fr.txt", "fr.csv", *arguments)
    assert done.code == 0, done.err
    assert Path("out/fr.csv").read_text() == "text,people\nTu es prête.,\nTu es prêt.,you=other\n"
    assert Path("out/fr.txt").read_text() == "Tu es prête.\n"
    assert epicene("rewrite", "fr.txt", *arguments).code == 2


def test_columns_of_a_table(epicene: Epicene, tmp_path: Path) -> None:
    text = "id,French,who\na,Je suis prêt.,speaker\nb,Je suis prêt.,nobody\nc,Tu es prêt.,\n"
    (tmp_path / "t.csv").write_text(text)
    columns = ["--column=text=French", "--column=people=who"]
    done = epicene("rewrite", "t.csv", "-l", "fr-CA", "--user=f", "--out=x.csv", *columns)
    assert done.err == "2 of 3 strings changed in t.csv; written to x.csv\n"
    assert Path("x.csv").read_text() == text.replace("prêt.,sp", "prête.,sp").replace(
        "es prêt", "es prête"
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["locales/fr/app.json", "--listener=f"], "Choose where to write"),
        (["locales/fr/app.json", "--listener=f", "--out=x", "--in-place"], "not both"),
        (["locales/fr/app.json", "--listener=f", "--out=locales/fr/app.json"], "is an input file"),
        (["locales/fr/app.json", "--listener=f", "--out=locales/fr"], "is an input file"),
        (
            ["locales/fr/app.json", "--user=f", "--people=p.toml", "--out=p.toml"],
            "is an input file",
        ),
        (["locales/fr/app.json", "--out=x"], "Name a person whose gender should change"),
        (
            ["locales/fr/app.json", "-l", "ar", "--listener=f", "--out=x"],
            "is in fr according to its path",
        ),
        (
            ["locales/fr/app.json", "--listener=x", "--out=x"],
            "--listener must be m, f or n, not 'x'",
        ),
        (
            ["a.json", "-l=fr", "--listener=f", "--column=text=a", "--out=x"],
            "--column applies to tables",
        ),
        (["locales/fr/app.json", "--user=x", "--out=x"], "--user must be m, f or n, not 'x'"),
        (["locales/fr/app.json", "--user=f", "--listener=m", "--out=x"], "leave out one of the"),
        (["locales/fr/app.json", "--pronouns=she", "--out=x"], "'fr' does not support"),
        (["locales/fr", "--listener=f", "--out=x"], "is a folder; name its files"),
        (["none.json", "--listener=f", "--out=x"], "There is no file none.json"),
        (["app.json", "--listener=f", "--out=x"], "does not say its language"),
        (["app.json", "-l", "eo", "--listener=f", "--out=x"], "no rewriter for the language"),
        (["en.json", "--user=f", "--pronouns=she", "--out=x"], "'en' does not support --user"),
        (["a.json", "a.json", "-l", "fr", "--listener=f", "--out=x"], "named twice"),
        (["--out=x", "--pronouns=they"], "--out applies to files; name at least one FILE"),
    ],
)
def test_wrong_options(
    epicene: Epicene, files: Path, tmp_path: Path, arguments: list[str], says: str
) -> None:
    for name in ("app.json", "en.json", "a.json"):
        (tmp_path / name).write_text('{"a": "Prêt"}')
    (tmp_path / "p.toml").write_text('default = "listener"')
    before = sorted(tmp_path.rglob("*"))
    done = epicene("rewrite", *arguments)
    assert done.code == 2
    assert says in done.err
    assert done.err.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_an_error_names_only_options_that_there_are(epicene: Epicene, files: Path) -> None:
    """`select` shares the check of --out with `rewrite`, and has no --in-place."""
    name = "locales/fr/app.json"
    done = epicene("select", name, "--listener=gender", "--out", name)
    assert done.err == f"epicene: {name} is an input file; name another file with --out.\n"


BOMB = (
    '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {one} "{f"&{other};" * 10}">' for other, one in pairwise("abcdefghi"))
    + ']><resources><string name="x">&i;</string></resources>'
)
HOSTILE: dict[str, tuple[str, bytes]] = {
    "entities that expand": ("a.xml", BOMB.encode()),
    "an entity of another file": (
        "a.xml",
        b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><resources><string name="a">&x;'
        b"</string></resources>",
    ),
    "broken XML": ("a.xlf", b"<xliff><file></xliff>"),
    "XML of another kind": ("a.xml", b"<html><body>x</body></html>"),
    "deep XML": ("a.xml", b"<resources>" + b"<a>" * 100_000),
    "deep JSON": ("a.json", b"[" * 100_000),
    "deep YAML": ("a.yml", b"- " * 1_000 + b"x"),
    "deep Fluent": ("a.ftl", b"a = " + b"{" * 10_000),
    "a key twice in JSON": ("a.json", b'{"a": "b",\n "a": "c"}'),
    "a key twice in YAML": ("a.yml", b"a: b\na: c\n"),
    "a key twice in PO": ("a.po", b'msgid "a"\nmsgstr "b"\n\nmsgid "a"\nmsgstr "c"\n'),
    "a key twice in Android": (
        "a.xml",
        b'<resources><string name="a">b</string><string name="a">c</string></resources>',
    ),
    "a key twice in Fluent": ("a.ftl", b"a = b\na = c\n"),
    "a key twice in .strings": ("a.strings", b'"a" = "b";\n"a" = "c";\n'),
    "invalid ICU": ("a.arb", b'{"a": "{count, plural, one {x}"}'),
    "invalid Fluent": ("a.ftl", b"a = { $x ->\n"),
    "a table that loses a quotation mark": ("a.csv", b'key,text\na,"b\n'),
    "Latin-1": ("a.json", '{"a": "prêt"}'.encode("latin-1")),
    "another encoding than it names": (
        "a.xml",
        '<?xml version="1.0" encoding="ascii"?><resources>é</resources>'.encode(),
    ),
    "an unknown encoding": (
        "a.po",
        b'msgid ""\nmsgstr "Content-Type: text/plain; charset=EPICENE-1\\n"\n',
    ),
    "an encoding that is no text's": (
        "a.po",
        b'msgid ""\nmsgstr "Content-Type: text/plain; charset=base64\\n"\n',
    ),
    "NULs": ("a.txt", b"Je suis\0 pret"),
    "half a character": ("a.json", b'{"a": "\\ud83d"}'),
    "not valid times of a cue": ("a.srt", b"1\n00:00:01 -> 00:00:02\nx\n"),
    "more than the limit": ("a.txt", b"Je suis content.\n" * 2_500_000),
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_a_hostile_file_gets_a_sentence(epicene: Epicene, tmp_path: Path, name: str) -> None:
    """Also when it is the last of several: nothing is written for the others."""
    path, content = HOSTILE[name]
    (tmp_path / path).write_bytes(content)
    (tmp_path / "good.json").write_text('{"a": "Je suis prêt."}')
    before = sorted(tmp_path.rglob("*"))
    done = epicene("rewrite", "good.json", path, "-l", "fr", "--speaker=f", "--out=out")
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith(f"epicene: {path}")
    assert done.err.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_a_link_out_of_the_folder_is_not_followed(epicene: Epicene, tmp_path: Path) -> None:
    (tmp_path / "fr.json").write_text('{"a": "Je suis prêt."}')
    (tmp_path / "outside.json").write_text("mine")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "fr.json").symlink_to(tmp_path / "outside.json")
    done = epicene("rewrite", "fr.json", "--speaker=f", "--out=out")
    assert (done.code, "is a link that points out of out" in done.err) == (2, True)
    assert (tmp_path / "outside.json").read_text() == "mine"
    (tmp_path / "fr.link.json").symlink_to(tmp_path / "fr.json")
    done = epicene("rewrite", "fr.link.json", "--speaker=f", "--in-place")
    assert (done.code, "is a link" in done.err) == (2, True)


def test_json_records_for_several_files(epicene: Epicene, files: Path) -> None:
    done = epicene(
        "rewrite", "locales/fr/app.json", "locales/ar/app.json", "--listener=f", "--json"
    )
    assert [json.loads(line)["language"] for line in done.out.splitlines()] == ["fr", "ar"]


def test_strings_on_one_line_are_all_explained(tmp_path: Path, epicene: Epicene) -> None:
    path = tmp_path / "fr.md"
    path.write_text("| Tu es prêt. | Tu es content. |\n|---|---|\n| a | b |\n", "utf-8")
    done = epicene("rewrite", path, "--listener=f", "--explain", "--out", tmp_path / "o.md")
    assert "prêt → prête" in done.out
    assert "content → contente" in done.out


def test_control_characters_of_a_key_are_shown(tmp_path: Path, epicene: Epicene) -> None:
    path = tmp_path / "fr.csv"
    path.write_text("key,text\na\x1b[31mb,Tu es prêt.\n", "utf-8")
    done = epicene("rewrite", path, "--listener=f", "--explain", "--out", tmp_path / "o.csv")
    assert "\x1b" not in done.out
    assert "a\\u001b[31mb" in done.out
