"""The paper's own prompts, found in a made-up paper, sent under `paper` and named in titles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import epicene
from epicene.core.errors import InputError
from epicene.runs.manifest import read_manifest
from epicene.suites.paper_material import FOLDER_VARIABLE

SYSTEM = (
    "You are a machine that rewrites what somebody says about themselves. Change nothing but the "
    "words about them, and write nothing else."
)
_LINES = SYSTEM.replace("themselves. ", "themselves.\n")
# Lines are broken as in a PDF.
PAPER = f"""
F Prompts
F.1 Sentence Generation
system_prompt = "Be a writer."
user_prompt =
Write <Num_Sentences> sentences like
this one: <Template>
Instructions:
1. Write them one
by one.
2. Choose from [<Context_1>, <Context_2>, ..., <Context_n>].
These prompts are explained here.
F.2 Zero Shot Prompts
The system prompt was:
“{_LINES}”
• For male speakers: Let a man
say it.
• For female speakers: Let a woman say it.
Then came: What is said: [sentence].
Table 8
"""
PROMPT = {
    "system": SYSTEM,
    "user": {"masculine": "Let a man say it.", "feminine": "Let a woman say it."},
    "then": "What is said: [sentence]",
}


@pytest.fixture
def material(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of published data, with the prompts of a paper of ours."""
    source, folder = tmp_path / "paper.txt", tmp_path / "published"
    source.write_text(PAPER, encoding="utf-8")
    epicene.extract_wording("genform", source, out=folder)
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    return folder


def ran(out: Path | None, protocol: str = "paper", **settings: str) -> epicene.Run:
    return epicene.run(
        "genform", "copy", protocol=protocol, language="fr", limit=2, settings=settings, out=out,
        progress=False,
    )  # fmt: skip


def notes(results: epicene.Run | epicene.Scored, name: str) -> str:
    """The notes below a table."""
    return " ".join(next(each for each in results.summary.tables if each.name == name).notes)


def test_both_prompts_are_found_in_the_paper(material: Path) -> None:
    assert json.loads((material / "morphogen/prompt.json").read_bytes()) == PROMPT
    assert json.loads((material / "morphogen/generation.json").read_bytes()) == {
        "system": "Be a writer.",
        "user": "Write <Num_Sentences> sentences like this one: <Template>\nInstructions:\n"
        "1. Write them one by one.\n2. Choose from [<Contexts>].",
    }


@pytest.mark.parametrize(
    ("gone", "missing"),
    [
        ("F.2 Zero Shot Prompts", "has no Appendices F.1 and F.2"),
        ("For female speakers:", "female one was not found"),
        ("[sentence]", r"line with \[sentence\] was not found"),
        ("<Template>", "has no <Template>"),
    ],
)
def test_half_a_paper_gives_nothing(tmp_path: Path, gone: str, missing: str) -> None:
    (tmp_path / "paper.txt").write_text(PAPER.replace(gone, ""), encoding="utf-8")
    with pytest.raises(InputError, match=missing):
        epicene.extract_wording("genform", tmp_path / "paper.txt", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_paper_s_prompt_is_sent_and_stored(material: Path, tmp_path: Path) -> None:
    run = ran(tmp_path / "run")
    assert read_manifest(run.path).settings.protocol["prompt"] == PROMPT
    assert "(wording: the paper's own, in English)" in run.tables["9"]
    assert "here it was sent in English" in notes(run, "9")


def test_without_it_nothing_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    with pytest.raises(InputError, match="epicene data extract genform"):
        ran(tmp_path / "run")
    assert not (tmp_path / "run").exists()
    ours = ran(tmp_path / "run", wording="epicene")
    assert "(wording: Epicene's)" in ours.tables["9"]
    assert "(wording: Epicene's, in English)" in ran(tmp_path / "en", "english").tables["9"]


def test_a_prompt_of_the_user_s_is_not_called_the_paper_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    (tmp_path / "mine.json").write_text(json.dumps(PROMPT))
    run = ran(tmp_path / "run", prompt=str(tmp_path / "mine.json"))
    assert "(wording: yours)" in run.tables["9"]


def test_given_answers_have_no_known_wording(tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    pair = next(iter(epicene.read_data("genform", language="fr").items()))
    answers.write_text(json.dumps({"id": pair.id, "target": "feminine", "text": "Rien."}))
    scored = epicene.score("genform", answers, protocol="paper")
    assert "(wording: unknown (given answers))" in scored.tables["9"]
    assert "sent in English" not in notes(scored, "9")


def test_an_export_with_prompts_has_the_paper_s(
    material: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def export(out: str) -> str:
        epicene.export_data(
            "genform", "lm-eval", tmp_path / out, protocol="paper", language="fr", limit=1
        )
        return "".join(path.read_text() for path in (tmp_path / out).rglob("*.jsonl"))

    assert "Let a woman say it." in export("tasks")
    monkeypatch.delenv(FOLDER_VARIABLE)
    with pytest.raises(InputError, match="epicene data extract genform"):
        export("none")
