"""No path of the machine leaves it: everything under one folder, whose name is in no export."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from epicene.app.commands import run_command
from epicene.core.data_files import sha256_of
from epicene.export.path_redaction import base_name, command_without_paths, protocol_without_paths
from epicene.suites import find_suite
from models.hf import tiny_causal
from models.http.local_server import Server
from models.openai.openai_server import chat

PLACE = "quagga-stable"  # in no text of ours

PAIRS = '{"good": "the nurse sleeps", "bad": "the nurse sleep"}\n{"good": "a b", "bad": "b a"}\n'
FORMS = dict.fromkeys(("MM", "FM", "MF", "FF"), "أنا هنا")
SENTENCE = {"id": "s1", "language": "ar", "text": "أنا هنا", "label": "BB", "targets": FORMS}
PRONOUNS = """
[[set]]
name = "zie/zim"
type = "neo"
nominative = "zie"
accusative = "zim"
dependent = "zir"
independent = "zis"
reflexive = "zieself"
plural_verbs = false
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an unmistakable name, and all that a user has in it."""
    place = tmp_path / PLACE
    place.mkdir()
    (place / "pairs.jsonl").write_text(PAIRS, encoding="utf-8")
    (place / "sentences.jsonl").write_text(json.dumps(SENTENCE), encoding="utf-8")
    (place / "english.txt").write_text("I am here.\n", encoding="utf-8")
    (place / "pronouns.toml").write_text(PRONOUNS, encoding="utf-8")
    (place / "corpus.txt").write_text("the nurse sleeps\n", encoding="utf-8")
    monkeypatch.chdir(place)
    return place


def epicene(*arguments: str | Path) -> None:
    """Run a command; what the manifest says of it is read from here."""
    words = [str(argument) for argument in arguments]
    sys.argv = ["epicene", *words]
    assert run_command(words) == 0


def everything(folder: Path) -> bytes:
    """All names of files and all that is in them."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    return b"\n".join(
        str(path.relative_to(folder)).encode() + b"\n" + path.read_bytes() for path in files
    )


@pytest.fixture
def runs(place: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Runs whose data, settings, models and folders are all named by whole or relative paths."""
    monkeypatch.setattr(sys, "argv", sys.argv)
    tokenizer = tiny_causal.smollm2_like()
    tiny_causal.save(place / "tiny", tiny_causal.llama(len(tokenizer)), tokenizer)
    found = []
    for number, arguments in enumerate(
        [
            ("alternations", "-d", place / "pairs.jsonl",
             "-m", f"hf:{place / 'tiny'}?dtype=float32", "--set=formats=acceptability"),
            ("alternations", f"--data=../{PLACE}/pairs.jsonl", f"-mngram:{place}/corpus.txt",
             "--set=formats=acceptability"),
            ("apgc", "-d", place / "sentences.jsonl", "--english", place / "english.txt",
             "-m", "copy", "--task", "rewriting"),
            ("misgendering", "--set", f"pronoun_file={place / 'pronouns.toml'}", "-m", "random",
             "--limit", "1", "--set=samples=1", "--set=pronouns=zie/zim,he"),
        ]
    ):  # fmt: skip
        # Two suites' runs share the name of their folder.
        out = place / f"{number}" / "run"
        epicene("run", *arguments, "-o", out)
        found.append(out)
    return found


def test_results_do_not_tell_where_anything_lay(place: Path, runs: list[Path]) -> None:
    assert all(PLACE in (run / "manifest.json").read_text(encoding="utf-8") for run in runs)
    epicene("export", "results", *runs, "-o", place / "out")
    assert PLACE.encode() not in everything(place / "out")
    card = (place / "out" / "README.md").read_text(encoding="utf-8")
    # What it was is told by names and hashes.
    for name in ("pairs.jsonl", "english.txt", "pronouns.toml"):
        assert f"`{name}`, sha256 `{sha256_of(place / name)}`" in card
    for said in (
        "epicene run alternations -d pairs.jsonl -m 'hf:tiny?dtype=float32'",
        "--data=pairs.jsonl -mngram:corpus.txt",
        "--english english.txt",
        "--set pronoun_file=pronouns.toml",
        "--set=pronouns=zie/zim,he",
        '| english | `"english.txt"` |',
        '| pronoun_file | `"pronouns.toml"` |',
        "| name | `tiny` |",
        "`run (1)`: suite alternations",
        "`run (2)`: suite alternations",
    ):
        assert said in card, said
    assert "differ in data" not in card  # one file, named in two ways


def test_a_server_that_calls_a_model_by_its_path_tells_no_place(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", sys.argv)
    with Server(lambda _: chat("no")) as server:
        spec = f"openai:{place}/llama?base_url={server.url}"
        epicene("run", "genform", "-m", spec, "--limit", "1", "-l", "fr", "-o", place / "run")
    epicene("export", "results", place / "run", "-o", place / "out")
    assert PLACE.encode() not in everything(place / "out")
    card = (place / "out" / "README.md").read_text(encoding="utf-8")
    assert "# llama: grammatical gender" in card
    assert "| model | `llama` |" in card


@pytest.mark.parametrize("to", ["hf", "lm-eval"])
@pytest.mark.parametrize(
    ("suite", "arguments"),
    [
        ("alternations", ("-d", "{place}/pairs.jsonl")),
        ("apgc", ("-d", "{place}/sentences.jsonl", "--english", "{place}/english.txt")),
        ("misgendering", ("--set", "pronoun_file={place}/pronouns.toml", "--limit", "1")),
    ],
)
def test_items_do_not_tell_where_they_lay(
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    suite: str,
    arguments: tuple[str, ...],
    to: str,
) -> None:
    monkeypatch.setattr(sys, "argv", sys.argv)
    named = [each.format(place=place) for each in arguments]
    epicene("export", "data", suite, "--to", to, "-o", place / "out", *named)
    assert PLACE.encode() not in everything(place / "out")
    card = (place / "out" / "README.md").read_text(encoding="utf-8")
    for name in (Path(each).name for each in named if PLACE in each):
        assert f"`{name}`, sha256 `{sha256_of(place / name)}`" in card


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("epicene run genform -d /home/me/a.jsonl", "epicene run genform -d a.jsonl"),
        ("epicene run genform -d/home/me/a.jsonl", "epicene run genform -da.jsonl"),
        ("epicene run genform --data=data/a.jsonl", "epicene run genform --data=a.jsonl"),
        ("epicene run genform -d '/my files/a b.jsonl'", "epicene run genform -d 'a b.jsonl'"),
        (r"epicene run x -d 'C:\me\a.csv'", "epicene run x -d a.csv"),
        ("epicene run x -m hf:~/tiny", "epicene run x -m hf:tiny"),
        ("epicene run x -m drawer=diffusers:/m/sd", "epicene run x -m drawer=diffusers:sd"),
        ("epicene run x --set=prompt=/home/p.toml", "epicene run x --set=prompt=p.toml"),
        (
            "epicene run x -m judges=random,hf:/a/b,hf:~/c",
            "epicene run x -m judges=random,hf:b,hf:c",
        ),
        ("epicene run x --set=formats=a,b -d /a,b/c", "epicene run x --set=formats=a,b -d c"),
        ("epicene sweep /home/me/plan.toml", "epicene sweep plan.toml"),
        ("epicene run x '/home/me/it", "epicene run x it"),
        (
            "epicene run x -m 'openai:owner/name?price=/home/me/p.toml'",
            "epicene run x -m 'openai:owner/name?price=p.toml'",
        ),
        (
            "epicene run x -m 'openai:n?base_url=http://h:80/v1&price=/home/me/p.toml'",
            "epicene run x -m 'openai:n?base_url=http://h:80/v1&price=p.toml'",
        ),
        ("epicene run x -m hf:/a,dir,x/tiny", "epicene run x -m hf:a,tiny"),
        (r"epicene run x -m 'hf:D:\me\tiny'", "epicene run x -m hf:tiny"),
        # What is no path stays.
        ("epicene run x -m hf:owner/name", "epicene run x -m hf:owner/name"),
        ("epicene run x -m replicate:owner/name:1", "epicene run x -m replicate:owner/name:1"),
        ("epicene run x --price 0.15/0.60", "epicene run x --price 0.15/0.60"),
        ("epicene run x --base-url http://h:80/v1", "epicene run x --base-url http://h:80/v1"),
        ("epicene run x --limit 5 -l fr", "epicene run x --limit 5 -l fr"),
        (
            "epicene run x --label a/b --revision refs/pr/1 -d c/d",
            "epicene run x --label a/b --revision refs/pr/1 -d d",
        ),
        (
            "epicene run x --label=a/b --column=text=in/text",
            "epicene run x --label=a/b --column=text=in/text",
        ),
        ("epicene run x -m 'smollm2?label=a/b'", "epicene run x -m 'smollm2?label=a/b'"),
        (
            "epicene run x -m 'hf:gpt2?revision=refs/pr/1'",
            "epicene run x -m 'hf:gpt2?revision=refs/pr/1'",
        ),
    ],
)
def test_commands_keep_the_names_and_lose_the_places(command: str, shown: str) -> None:
    assert command_without_paths(command, ["owner/name"]) == shown
    assert shlex.split(shown)


def test_a_command_of_an_earlier_version_is_redacted() -> None:
    """It wrote some of what is secret in an address into the manifest."""
    command = (
        "epicene run x --base-url 'http://me:it'\"'\"'s@h/v1?sig=s3cr3t' -m 'openai:n?base_url="
    )
    shown = command_without_paths(command + "http://h/v1%3Fauth=s3cr3t&revision=2'")
    assert "s3cr3t" not in shown
    assert "it" not in shown.partition("@h/v1")[0].partition("http")[2]
    assert shown.endswith("&revision=2'")


def test_a_folder_that_looks_like_a_name_of_the_hub_is_none() -> None:
    assert command_without_paths("epicene run x -m hf:models/tiny") == "epicene run x -m hf:tiny"


def test_texts_of_a_protocol_that_are_no_paths_stay() -> None:
    genform = find_suite("genform").protocols["epicene"]
    told = protocol_without_paths(genform, ["a.jsonl"])
    assert told == genform


@pytest.mark.parametrize("path", ["/a/b", "/a/b/", r"C:\a\b", "b", "../b", r"\\host\a\b"])
def test_the_name_is_the_last_part(path: str) -> None:
    assert base_name(path) == "b"
