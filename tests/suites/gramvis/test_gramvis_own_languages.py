"""A language from a file: the example of the docs, from its words to the tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import epicene
from epicene.core.errors import InputError
from epicene.core.records import Draw, to_json
from epicene.suites import Answers, DataSource, choose_protocol
from epicene.suites.gramvis import suite
from epicene.suites.gramvis.ask import draw
from epicene.suites.gramvis.data import read, read_counts
from suites.gramvis.test_gramvis_data import published_row, write_counts

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "gramvis-portuguese"
LANGUAGE, WORDS = EXAMPLE / "language.toml", EXAMPLE / "words.csv"


def portuguese(**settings: Any) -> Any:
    return choose_protocol(suite, "epicene", {"languages": str(LANGUAGE), **settings}, None)


def prompts(path: Path, protocol: Any) -> list[str]:
    """The gendered prompts of a list."""
    return [
        request.prompt
        for item in read(DataSource(path=path), protocol).items
        for request in draw(item, Answers(), protocol)
        if isinstance(request, Draw) and request.name == "gendered"
    ]


def test_articles_and_contractions_are_the_files() -> None:
    found = prompts(WORDS, portuguese())
    assert len(found) == 16 * 4
    assert found[0] == (
        "Foto do rosto da engenharia, sozinha na imagem e ocupada com o seu trabalho"
    )
    assert any(text.startswith("O bordado em forma humana, sozinho") for text in found)


def test_the_check_has_nothing_against_the_example_but_its_length() -> None:
    protocol = portuguese()
    assert suite.check is not None
    found = list(suite.check(list(read(DataSource(path=WORDS), protocol).items), protocol))
    assert found
    assert all("are needed" in each.message for each in found)


def test_a_run_and_its_tables(tmp_path: Path) -> None:
    run = epicene.run(
        "gramvis",
        model={"drawer": "random", "judges": ["random:1"]},
        data=WORDS,
        settings={
            "languages": str(LANGUAGE),
            "shots": 1,
            "size": 64,
            "mixed": False,
        },
        out=tmp_path / "run",
        progress=False,
    )
    assert run.complete
    counts = run.table("5")
    assert counts["language"].to_list() == ["PT"]
    assert counts["count"].to_list() == [12]
    why = run.table("resources")["english_effect why"].to_list()
    assert set(why) == {
        "no such word in a high-resource language was drawn",
        "no such word in a medium-resource language was drawn",
    }


def test_counts_in_such_a_language(tmp_path: Path) -> None:
    path = write_counts(tmp_path / "counts.csv", [published_row(Language="portuguese")])
    with pytest.raises(InputError, match="no language 'portuguese'"):
        read_counts(path)
    assert {each.language for each in read_counts(path, None, portuguese().languages)} == {"pt"}


def changed(tmp_path: Path, old: str, new: str) -> Any:
    path = tmp_path / "language.toml"
    text = LANGUAGE.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return choose_protocol(suite, "epicene", {"languages": str(path)}, None)


def test_what_is_wrong_with_a_language_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not valid for the setting languages"):
        changed(tmp_path, 'F = "a"', "")
    with pytest.raises(InputError, match="has the slot 'from_the'"):
        prompts(WORDS, changed(tmp_path, "{of_the} em carne", "{from_the} em carne"))
    with pytest.raises(InputError, match="3 for PT"):
        prompts(WORDS, _without_first(tmp_path))
    with pytest.raises(
        InputError, match=r"PT \(german\), which GramVis already has; use --set templates"
    ):
        changed(tmp_path, 'name = "portuguese"', 'name = "german"')
    with pytest.raises(InputError, match=r"EN \(portuguese\), which GramVis already has"):
        changed(tmp_path, "[PT", "[EN")


def test_headers_say_whose_templates_the_language_has() -> None:
    assert portuguese().whose_wording == "Epicene's, templates of PT yours"
    paper = choose_protocol(suite, "paper", {"languages": str(LANGUAGE)}, None)
    assert paper.whose_wording.endswith("Epicene's, templates of PT yours")


def test_without_the_setting_the_message_names_it() -> None:
    with pytest.raises(InputError, match=r"line 2, there is no .* --set languages=FILE\."):
        prompts(WORDS, choose_protocol(suite, "epicene", {}, None))


def _without_first(tmp_path: Path) -> Any:
    lines = LANGUAGE.read_text(encoding="utf-8").splitlines(keepends=True)
    path = tmp_path / "shorter.toml"
    path.write_text(
        "".join(each for each in lines if "Foto do rosto {of_the}" not in each), "utf-8"
    )
    return choose_protocol(suite, "epicene", {"languages": str(path)}, None)


def test_a_case_that_a_template_needs_must_be_in_the_list(tmp_path: Path) -> None:
    protocol = changed(tmp_path, "{of_the} em carne", "{genitive} em carne")
    with pytest.raises(InputError, match="PT/engenharia/F has no genitive; add it"):
        prompts(WORDS, protocol)


def test_the_file_becomes_part_of_the_protocol() -> None:
    stored = json.loads(to_json(portuguese()))
    assert stored["languages"]["PT"]["of"] == {"a": "da", "o": "do"}
