"""The paper's own wording: read from the user's copy when a run begins, and stored with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import epicene
from called_commands import invoke
from epicene.core.errors import InputError
from epicene.runs.manifest import read_manifest
from epicene.suites import choose_protocol, find_suite
from epicene.suites.paper_material import FOLDER_VARIABLE, paper_text, with_paper_wording
from suites.gramvis.made_up_paper import QUESTION, paper, templates

MODELS = {"drawer": "random", "judges": ["random:1", "random:2"]}
SMALL = {"shots": 1, "size": 64}


@pytest.fixture
def material(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of published data, with the material of a paper of ours."""
    folder = tmp_path / "published"
    source = tmp_path / "paper.txt"
    source.write_text(paper(), encoding="utf-8")
    epicene.extract_wording("gramvis", source, out=folder)
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    return folder


def gramvis(out: Path, **settings: object) -> epicene.Run:
    """A small run under `paper`."""
    return epicene.run(
        "gramvis",
        protocol="paper",
        model=MODELS,
        limit=2,
        settings={**SMALL, **settings},
        out=out,
        progress=False,
    )


def stored_protocol(run: Path) -> dict[str, object]:
    return read_manifest(run).settings.protocol


def test_without_the_material_nothing_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    with pytest.raises(InputError) as refused:
        gramvis(tmp_path / "run")
    for part in (
        "gramvis/templates_appendix.json",
        FOLDER_VARIABLE,
        "epicene data extract gramvis",
        "--set wording=epicene",
    ):
        assert part in str(refused.value)
    assert not (tmp_path / "run").exists()


def test_a_missing_file_is_named(
    tmp_path: Path, material: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (material / "gramvis/question.json").unlink()
    with pytest.raises(InputError, match=r"has no gramvis/question\.json"):
        gramvis(tmp_path / "run")


def test_the_material_becomes_part_of_the_run(
    tmp_path: Path, material: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = gramvis(tmp_path / "run")
    stored = stored_protocol(run.path)
    assert (stored["wording"], stored["question"]) == ("paper", QUESTION)
    assert json.loads(json.dumps(stored["templates"]))["FR"]["F"] == templates()["French"]["f"]
    monkeypatch.delenv(FOLDER_VARIABLE)
    assert "paper's own" in epicene.load(run.path).tables["3"]
    with pytest.raises(InputError, match=f"{FOLDER_VARIABLE} is not set"):
        gramvis(tmp_path / "run")  # a session that asks reads it again


def test_a_run_in_epicenes_words_needs_no_material(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    run = gramvis(tmp_path / "run", wording="epicene")
    assert stored_protocol(run.path)["wording"] == "epicene"
    assert "(wording: Epicene's)" in run.tables["3"]


def test_what_the_user_sets_is_not_called_the_papers(tmp_path: Path, material: Path) -> None:
    run = gramvis(tmp_path / "run", question="Whom do you see?")
    stored = stored_protocol(run.path)
    assert (stored["wording"], stored["question"]) == ("mixed", "Whom do you see?")
    assert json.loads(json.dumps(stored["templates"]))["EN"]["any"] == templates()["English"]["any"]
    assert "yours where you set it" in run.tables["3"]


def test_mixed_wording_without_a_part_of_the_users_is_the_papers(material: Path) -> None:
    suite = find_suite("gramvis")
    mixed = choose_protocol(suite, "epicene", {"wording": "mixed"}, None)
    assert with_paper_wording(suite, mixed).whose_wording.startswith("the paper's own")
    own = choose_protocol(suite, "epicene", {"wording": "mixed", "question": "Who?"}, None)
    assert with_paper_wording(suite, own).whose_wording.startswith("yours where you set it")


def test_another_paper_is_refused_in_one_sentence(tmp_path: Path) -> None:
    source = tmp_path / "other.txt"
    source.write_text("A paper about something else.", encoding="utf-8")
    with pytest.raises(InputError, match=r"other\.txt: Appendix A\.6 has .* 0 were found\."):
        epicene.extract_wording("gramvis", source, out=tmp_path / "published")


def test_reading_twice_changes_nothing(material: Path) -> None:
    suite = find_suite("gramvis")
    once = with_paper_wording(suite, choose_protocol(suite, "paper", {}, None))
    (material / "gramvis/question.json").unlink()
    assert with_paper_wording(suite, once) == once


def test_given_answers_need_no_material_and_have_no_known_wording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    vote = {
        "language": "DE", "model": "m", "grammar": "M", "category": "occupation", "word": "star",
        "condition": "gendered", "template": 1, "shot": 1, "judge": "j", "choice": "male",
    }  # fmt: skip
    path = tmp_path / "votes.jsonl"
    path.write_bytes(msgspec.json.encode(vote))
    scored = epicene.score("gramvis", path, protocol="paper")
    assert "(wording: unknown (given answers))" in scored.tables["3"]


def test_a_suite_without_a_choice_of_wording_says_nothing(tmp_path: Path) -> None:
    run = epicene.run("alternations", "random", limit=2, out=tmp_path / "run", progress=False)
    assert not any("wording" in title for title in run.tables.values())
    with pytest.raises(InputError, match="does not read any wording from its paper"):
        epicene.extract_wording("alternations", tmp_path / "paper.txt", out=tmp_path / "out")


# --- the paper as text or PDF ------------------------------------------------------------------


def test_half_a_result_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "paper.txt"
    source.write_text(paper(without=templates()["German"]["m"][2]), encoding="utf-8")
    with pytest.raises(InputError, match=r"German \(m\), and 3 were found\. Nothing was written"):
        epicene.extract_wording("gramvis", source, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_paper_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "paper.pdf").write_bytes(b"no PDF")
    with pytest.raises(InputError, match="Could not read"):
        paper_text(tmp_path / "paper.pdf")
    with pytest.raises(InputError, match="There is no file"):
        paper_text(tmp_path / "paper.txt")


def test_a_pdf_is_read_page_by_page(tmp_path: Path) -> None:
    path = tmp_path / "paper.pdf"
    path.write_bytes(one_page("A photo of a [NOUN] at work"))
    assert paper_text(path).strip() == "A photo of a [NOUN] at work"


def one_page(text: str) -> bytes:
    """The smallest PDF with a line of text."""
    drawn = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(out)
    count = len(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (count, table)
    return out + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (count, start)


def test_the_command(tmp_path: Path) -> None:
    source, out = tmp_path / "paper.txt", tmp_path / "out"
    source.write_text(paper(), encoding="utf-8")
    done = invoke(["data", "extract", "gramvis", str(source), "-o", str(out)])
    assert done.exit_code == 0
    assert done.stderr.splitlines() == [
        f"Written to {out / 'gramvis/templates_appendix.json'}",
        f"Written to {out / 'gramvis/question.json'}",
    ]
    for arguments, message in (
        (["-o", str(out)], "paper is missing"),
        ([str(source)], "--out is missing"),
        ([str(source), "-o", str(out), "--limit", "3"], "Unknown option: --limit"),
    ):
        refused = invoke(["data", "extract", "gramvis", *arguments])
        assert message in str(refused.exception)


@pytest.mark.parametrize(
    ("suite", "settings", "wording"),
    [
        ("apgc", {}, "Epicene's"),
        ("apgc", {"wording": "en"}, "Epicene's, in English"),
        ("apgc", {"tasks": ("translation",)}, ""),
        ("alternations", {"formats": ("prompt",)}, "Epicene's"),
        ("alternations", {"formats": ("acceptability", "cloze")}, ""),
    ],
)
def test_suites_whose_papers_have_no_prompt_say_that_the_wording_is_ours(
    suite: str, settings: dict[str, Any], wording: str
) -> None:
    for protocol in find_suite(suite).protocols.values():
        assert msgspec.structs.replace(protocol, **settings).whose_wording == wording
