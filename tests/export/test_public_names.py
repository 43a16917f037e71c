"""No path of the machine leaves it: everything under one folder, whose name is in no export."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from epicene.app.commands import run_command
from epicene.core.data_files import sha256_of
from epicene.export.public_names import base_name, public_settings
from models.hf import tiny_causal
from models.http.local_server import Server
from models.openai.openai_server import chat

PLACE = "quagga-stable"  # in no text of ours

PAIRS = '{"good": "the nurse sleeps", "bad": "the nurse sleep"}\n{"good": "a b", "bad": "b a"}\n'
FORMS = dict.fromkeys(("MM", "FM", "MF", "FF"), "أنا هنا")
SENTENCE = {"id": "s1", "language": "ar", "text": "أنا هنا", "label": "BB", "targets": FORMS}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an unmistakable name, and all that a user has in it."""
    place = tmp_path / PLACE
    place.mkdir()
    (place / "pairs.jsonl").write_text(PAIRS, encoding="utf-8")
    (place / "sentences.jsonl").write_text(json.dumps(SENTENCE), encoding="utf-8")
    (place / "english.txt").write_text("I am here.\n", encoding="utf-8")
    monkeypatch.chdir(place)
    return place


def epicene(*arguments: str | Path) -> None:
    """Run a command."""
    assert run_command([str(argument) for argument in arguments]) == 0


def everything(folder: Path) -> str:
    """All names of files and all that is in them."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    return "\n".join(
        f"{path.relative_to(folder)}\n{path.read_bytes().decode(errors='replace')}"
        for path in files
    )


@pytest.mark.parametrize("to", ["paper", "eee"])
def test_results_do_not_tell_where_anything_lay(place: Path, to: str) -> None:
    tokenizer = tiny_causal.smollm2_like()
    tiny_causal.save(place / "tiny", tiny_causal.llama(len(tokenizer)), tokenizer)
    # Two suites' runs share the name of their folder.
    runs = [place / "1" / "run", place / "2" / "run", place / "3" / "run"]
    epicene(
        "run", "alternations", "-d", place / "pairs.jsonl", "-o", runs[0],
        "-m", f"hf:{place / 'tiny'}?dtype=float32", "--set=formats=acceptability",
    )  # fmt: skip
    epicene(
        "run", "apgc", "-d", place / "sentences.jsonl", "--english", place / "english.txt",
        "-m", "copy", "--task", "rewriting", "-o", runs[1],
    )  # fmt: skip
    with Server(lambda _: chat("no")) as server:
        spec = f"openai:{place}/llama?base_url={server.url}"
        epicene("run", "genform", "-m", spec, "--limit", "1", "-l", "fr", "-o", runs[2])
    epicene("export", "results", *runs, "--to", to, "-o", place / "out")
    exported = everything(place / "out")
    assert PLACE not in exported
    assert server.url not in exported
    if to == "paper":
        card = (place / "out" / "README.md").read_text(encoding="utf-8")
        for name in ("pairs.jsonl", "english.txt"):
            assert f"`{name}`, sha256 `{sha256_of(place / name)}`" in card
        for said in (
            '| english | `"english.txt"` |',
            "| name | `tiny` |",
            "| model | `llama` |",
            "`run (1)`: suite alternations",
            "`run (2)`: suite apgc",
        ):
            assert said in card, said


@pytest.mark.parametrize("to", ["hf", "lm-eval"])
def test_items_do_not_tell_where_they_lay(place: Path, to: str) -> None:
    files = ("-d", place / "sentences.jsonl", "--english", place / "english.txt")
    epicene("export", "data", "apgc", "--to", to, "-o", place / "out", *files)
    assert PLACE not in everything(place / "out")
    card = (place / "out" / "README.md").read_text(encoding="utf-8")
    for name in ("sentences.jsonl", "english.txt"):
        assert f"`{name}`, sha256 `{sha256_of(place / name)}`" in card


@pytest.mark.parametrize("path", ["/a/b", "/a/b/", r"C:\a\b", "b", "../b", r"\\host\a\b"])
def test_the_name_is_the_last_part(path: str) -> None:
    assert base_name(path) == "b"


def test_only_what_names_a_file_is_shortened() -> None:
    settings = {"a": "/x/y", "b": "data/file.txt", "c": "he/she", "d": "owner/name", "e": 1}
    assert public_settings(settings, ["file.txt"]) == {
        "a": "y", "b": "file.txt", "c": "he/she", "d": "owner/name", "e": 1,
    }  # fmt: skip
