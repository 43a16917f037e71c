"""Items in the layout of Hugging Face datasets."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from epicene.core.errors import InputError
from epicene.core.records import Draw
from epicene.export.hf_dataset import write_dataset
from epicene.export.selection import Selection
from epicene.interop.lm_eval import write_tasks
from epicene.suites import Answers, DataSource
from epicene.suites.gramvis.data import COUNT_COLUMNS, PUBLISHED_COLUMNS
from export.export_samples import read_front_matter, select


@pytest.mark.parametrize("suite", ["genform", "apgc"])
def test_the_suite_reads_its_own_items_back(suite: str, tmp_path: Path) -> None:
    selection = select(suite)
    write_dataset(selection, tmp_path / "set")
    found = [
        item
        for path in (tmp_path / "set").rglob("*.parquet")
        for item in selection.suite.read(DataSource(path=path), selection.protocol).items
    ]
    assert sorted(found, key=lambda item: item.id) == sorted(
        selection.items, key=lambda item: item.id
    )


@pytest.mark.parametrize("suite", ["genform", "misgendering", "apgc", "alternations", "gramvis"])
def test_every_configuration_names_files_with_the_same_columns(suite: str, tmp_path: Path) -> None:
    selection = select(suite, limit=30)
    write_dataset(selection, tmp_path / "set")
    head = read_front_matter(tmp_path / "set")
    languages = {item.language for item in selection.items}
    names = [each["config_name"] for each in head["configs"]]
    assert set(names) == (languages | {"all"} if len(languages) > 1 else languages)
    assert [each.get("default") for each in head["configs"]] == [True] + [None] * (len(names) - 1)
    schemas, ids = [], []
    for files in head["configs"][0]["data_files"]:
        for path in files["path"]:
            frame = pl.read_parquet(tmp_path / "set" / path)
            schemas.append(frame.schema)
            ids += frame["id"].to_list()
    assert all(schema == schemas[0] for schema in schemas)
    assert sorted(ids) == sorted(item.id for item in selection.items)


def sentences(folder: Path, *parts: tuple[str, str]) -> Path:
    """A file of sentences, each of a language and split."""
    rows = [
        {
            "id": f"s{number}",
            "language": language,
            "text": "أنا هنا",
            "label": "BB",
            "targets": dict.fromkeys(("MM", "FM", "MF", "FF"), "أنا هنا"),
            "split": split,
        }
        for number, (language, split) in enumerate(parts)
    ]
    file = folder / "mine.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return file


def test_splits_of_the_data_are_kept(tmp_path: Path) -> None:
    file = sentences(tmp_path, *(("ar", split) for split in ("train", "dev", "train", "", "test")))
    write_dataset(select("apgc", path=file), tmp_path / "set")
    head = read_front_matter(tmp_path / "set")
    assert head["configs"] == [
        {
            "config_name": "ar",
            "default": True,
            "data_files": [
                {"split": split, "path": [f"data/ar/{split}.parquet"]}
                for split in ("train", "dev", "test")
            ],
        }
    ]


def test_datasets_loads_all_languages_or_the_one_that_is_named(tmp_path: Path) -> None:
    from datasets import load_dataset

    file = sentences(tmp_path, ("ar-EG", "dev-1"), ("ar-MA", "dev-2"))
    write_dataset(select("apgc", path=file), tmp_path / "set")

    def ids(*config: str) -> dict[str, list[str]]:
        loaded = load_dataset(str(tmp_path / "set"), *config, cache_dir=str(tmp_path / "cache"))
        return {split: rows["id"][:] for split, rows in loaded.items()}

    assert ids() == {"dev_1": ["s0"], "dev_2": ["s1"]}
    assert ids("ar-EG") == {"dev_1": ["s0"]}


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([("ar", "my split")], "'s0' has the split 'my split'"),
        ([("ar", "dev"), ("ar", "all")], "'s1' has the split 'all'"),
        ([("ar", "dev-1"), ("ar", "dev_1")], "'ar/dev-1' of the data would share a file"),
        ([("ar", "Dev"), ("ar", "dev")], "'ar/Dev' of the data would share a file"),
        ([("ar", "dev"), ("all", "dev")], "'s1' has the language 'all'"),
        ([("../ar", "dev")], "'s0' has the language '../ar'"),
    ],
)
def test_names_that_datasets_does_not_take_are_refused(
    parts: list[tuple[str, str]], message: str, tmp_path: Path
) -> None:
    file = sentences(tmp_path, *parts)
    with pytest.raises(InputError, match=message):
        write_dataset(select("apgc", path=file), tmp_path / "set")
    assert sorted(tmp_path.iterdir()) == [file]


def test_what_is_drawn_goes_out_as_it_is_asked(tmp_path: Path) -> None:
    selection = select("gramvis", limit=2)
    write_dataset(selection, tmp_path / "set")
    (stage,) = (stage for stage in selection.suite.stages if Draw in stage.verbs)
    asked = {
        item.id: {
            request.name: request.prompt
            for request in stage.ask(item, Answers(), selection.protocol)
            if isinstance(request, Draw)
        }
        for item in selection.items
    }
    found = {
        row["id"]: row["prompts"]
        for path in (tmp_path / "set").rglob("*.parquet")
        for row in pl.read_parquet(path).rows(named=True)
    }
    assert found == asked
    assert {len(each) for each in found.values()} == {3}
    assert "`prompts`: the prompts to draw" in (tmp_path / "set" / "README.md").read_text("utf-8")


def test_counts_are_drawn_no_more(tmp_path: Path) -> None:
    file = tmp_path / "counts.csv"
    counts = dict.fromkeys(sorted(COUNT_COLUMNS - set(PUBLISHED_COLUMNS)), "1")
    where = dict(
        zip(PUBLISHED_COLUMNS, ("French", "Flux", "F", "Occupation", "sentinelle"), strict=True)
    )
    rows = [where | counts]
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.DictWriter(opened, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    write_dataset(select("gramvis", path=file, limit=2), tmp_path / "set")
    (path,) = (tmp_path / "set").rglob("*.parquet")
    found = pl.read_parquet(path)
    assert "prompts" not in found.columns
    assert len(found) == 2  # of the three conditions


def test_the_card_is_one_that_the_hub_takes(tmp_path: Path) -> None:
    from huggingface_hub import DatasetCard

    write_dataset(select("alternations"), tmp_path / "set")
    card = DatasetCard.load(tmp_path / "set" / "README.md")
    assert card.data.license == "apache-2.0"
    assert card.data.language == ["hi", "fr", "ar"]
    assert "Known issues" in card.text
    assert "load_dataset" in card.text


def test_data_of_others_go_out_with_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text('{"good": "a b", "bad": "a c"}\n', encoding="utf-8")
    selection = select("alternations", path=file)
    assert "only if their licence allows it" in selection.warning
    # The card's licence is that of the published pairs, which these are not.
    assert selection.suite.card.data_licence not in selection.warning
    write_dataset(selection, tmp_path / "set")
    head = read_front_matter(tmp_path / "set")
    assert head["license"] == "other"
    assert "language" not in head
    assert [each["config_name"] for each in head["configs"]] == ["default"]
    text = (tmp_path / "set" / "README.md").read_text(encoding="utf-8")
    assert selection.warning in text
    assert str(tmp_path) not in text.replace(selection.warning, "")


@pytest.mark.parametrize("write", [write_dataset, write_tasks])
def test_the_card_of_ones_own_pairs_names_no_paper(
    tmp_path: Path, write: Callable[[Selection, Path], object]
) -> None:
    """Version 520b741 named the Hindi paper and its faults on the card of BLiMP."""
    file = tmp_path / "blimp.jsonl"
    file.write_text('{"sentence_good": "a b", "sentence_bad": "a c"}\n', encoding="utf-8")
    settings = {"formats": "acceptability"}
    write(select("alternations", path=file, settings=settings), tmp_path / "set")
    text = (tmp_path / "set" / "README.md").read_text(encoding="utf-8")
    assert not re.search(r"Jain|Hindi|causative|Known issues|as the paper", text)
    assert "blimp.jsonl" in text
    write(select("alternations", limit=2, settings=settings), tmp_path / "starter")
    text = (tmp_path / "starter" / "README.md").read_text(encoding="utf-8")
    assert "Jain" in text
    assert "Known issues" in text


def test_who_owns_the_data_names_the_licence(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text('{"good": "a b", "bad": "a c"}\n', encoding="utf-8")
    selection = select("alternations", path=file, licence="CC-BY-4.0")
    assert selection.warning == ""
    write_dataset(selection, tmp_path / "set")
    assert read_front_matter(tmp_path / "set")["license"] == "cc-by-4.0"


def test_fields_that_no_item_fills_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text('{"good": "a b", "bad": "a c", "kind": "x"}\n', encoding="utf-8")
    write_dataset(select("alternations", path=file), tmp_path / "set")
    frame = pl.read_parquet(tmp_path / "set" / "data" / "default" / "test.parquet")
    assert frame.rows(named=True) == [
        {"id": "1", "good": "a b", "bad": "a c", "phenomenon": "pairs", "columns": {"kind": "x"}}
    ]


def test_no_items_are_no_dataset(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="contains no item"):
        write_dataset(select("alternations", path=file), tmp_path / "set")
    assert not (tmp_path / "set").exists()


def test_a_starter_set_with_a_file_of_others_is_not_ours(tmp_path: Path) -> None:
    beside = tmp_path / "english.txt"
    beside.write_text("x\n" * len(select("apgc").items), encoding="utf-8")
    assert select("apgc").own
    assert not select("apgc", settings={"english": str(beside)}).own


@pytest.mark.published("the sample of Hindi verb frames", "kjain93/verb-knowledge-in-LLMs")
def test_published_pairs_carry_the_card_s_licence(published_data: Path, tmp_path: Path) -> None:
    selection = select("alternations", path=published_data / "alternations")
    write_dataset(selection, tmp_path / "set")
    head = read_front_matter(tmp_path / "set")
    assert (head["license"], head["language"]) == ("other", ["hi"])
    text = (tmp_path / "set" / "README.md").read_text(encoding="utf-8")
    assert "without a licence" in text
    assert "kjain93/verb-knowledge-in-LLMs" in text
