"""Reading and writing the layouts of the corpus; what is wrong is said with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from epicene.core.data_files import read_text
from epicene.core.errors import InputError
from epicene.core.records import Texts
from epicene.suites import DataSource
from epicene.suites.apgc.corpus_files import (
    joint_names,
    m2_lines,
    read_lines,
    write_blocks,
    write_folder,
    write_jsonl,
    write_lines,
)
from epicene.suites.apgc.data import read, read_folder
from epicene.suites.apgc.external_answers import read_answers
from epicene.suites.apgc.items import TARGETS
from epicene.suites.apgc.m2 import Edit
from epicene.suites.apgc.protocol import PROTOCOLS, ApgcProtocol
from suites.apgc.corpus_folder import GROUPS, sentences, write_tokens_folder


def changed(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def facts(folder: Path, split: str) -> list[tuple[str, str, dict[str, str], bool]]:
    read_in, _ = read_folder(folder, split)
    return [(each.text, each.label, each.targets, each.original) for each in read_in]


EXPECTED = [(each.text, each.label, each.targets, each.original) for each in sentences()]


def test_tokens(tmp_path: Path) -> None:
    folder = write_tokens_folder(tmp_path)
    assert facts(folder, "dev") == EXPECTED
    read_in, files = read_folder(folder, "dev")
    assert [label.five_way for label in read_in[1].word_labels] == ["B", "1F", "B", "B"]
    assert [each.group for each in read_in] == [
        f"dev-group-{number}" for number, group in enumerate(GROUPS, 1) for _ in group
    ]
    assert len(files) == 6


def test_tokens_without_a_label_file(tmp_path: Path) -> None:
    folder = write_tokens_folder(tmp_path)
    for path in (folder / "joint").iterdir():
        path.unlink()
    assert facts(folder, "dev") == EXPECTED


def test_lines_with_labels_english_and_origin(tmp_path: Path) -> None:
    made = sentences()
    write_lines(tmp_path / "test.arin", [each.text for each in made])
    for target in TARGETS:
        write_lines(tmp_path / f"test.ar.{target}", [each.targets[target] for each in made])
    write_lines(tmp_path / "test.arin.label", [each.label for each in made])
    write_lines(tmp_path / "test.en", [f"English {n}" for n in range(len(made))])
    write_lines(tmp_path / "test.origin", ["A"] * len(made))
    assert facts(tmp_path, "test") == EXPECTED
    read_in, _ = read_folder(tmp_path, "test")
    assert (read_in[3].english, read_in[3].origin) == ("English 3", "A")


def test_forms_are_found_in_the_groups(tmp_path: Path) -> None:
    made = sentences()
    write_lines(tmp_path / "train.arin", [each.text for each in made])
    write_lines(tmp_path / "train.arin.label", [each.label for each in made])
    assert facts(tmp_path, "train") == EXPECTED


def test_version_1(tmp_path: Path) -> None:
    write_lines(tmp_path / "D-set-dev.arin", ["أنا متعبة", "أنا متعب", "نعم"])
    write_lines(tmp_path / "D-set-dev.ar.M", ["أنا متعب", "أنا متعب", "نعم"])
    write_lines(tmp_path / "D-set-dev.ar.F", ["أنا متعبة", "أنا متعبة", "نعم"])
    write_lines(tmp_path / "D-set-dev.arin.label", ["F", "M", "B"])
    read_in, _ = read_folder(tmp_path, "dev")
    assert [each.label for each in read_in] == ["FB", "MB", "BB"]
    assert read_in[0].targets["MF"] == "أنا متعب"


def test_m2_lines() -> None:
    rows = [(["a", "b", "c"], [Edit(0, 1, ("x",)), Edit(2, 3, ("y", "z"))]), (["d"], [])]
    assert "".join(m2_lines(rows)).splitlines() == [
        "S a b c",
        "A 0 1|||UNK|||x|||REQUIRED|||-NONE-|||0",
        "A 2 3|||UNK|||y z|||REQUIRED|||-NONE-|||0",
        "",
        "S d",
        "",
    ]


def test_the_english_side_from_a_file(tmp_path: Path) -> None:
    folder = write_tokens_folder(tmp_path)
    english = tmp_path / "dev.english"
    write_lines(english, [f"Line {n}" for n in range(len(sentences()))])
    protocol = ApgcProtocol(name="x", about="", english=str(english))
    dataset = read(DataSource(path=folder), protocol)
    assert [each.english for each in dataset.items][:2] == ["Line 0", "Line 1"]


def test_the_original_corpus(tmp_path: Path) -> None:
    protocol = ApgcProtocol(name="x", about="", corpus="original")
    dataset = read(DataSource(path=write_tokens_folder(tmp_path)), protocol)
    assert [each.label for each in dataset.items] == ["BB", "FB", "BM", "MF"]


# --- what is wrong -------------------------------------------------------------------------


def test_a_missing_blank_line(tmp_path: Path) -> None:
    folder = write_tokens_folder(tmp_path)
    changed(folder / "dev.ar.MF.tokens", "\n\n", "\n")
    with pytest.raises(InputError, match=r"dev\.ar\.MF\.tokens, line 6, .* blank line is missing"):
        read_folder(folder, "dev")


def test_a_file_that_was_cut_off(tmp_path: Path) -> None:
    folder = write_tokens_folder(tmp_path)
    path = folder / "dev.arin.tokens"
    path.write_text(path.read_text(encoding="utf-8").rstrip("\n"), encoding="utf-8")
    with pytest.raises(InputError, match=r"dev\.arin\.tokens, line \d+: the last sentence"):
        read_folder(folder, "dev")


def test_a_word_label_outside_the_inventory(tmp_path: Path) -> None:
    folder = write_tokens_folder(tmp_path)
    changed(folder / "dev.arin.tokens", "القطار B+B", "القطار 3M+B")
    with pytest.raises(InputError, match=r"dev\.arin\.tokens, line 2, has the word label '3M\+B'"):
        read_folder(folder, "dev")


def test_a_sentence_label_outside_the_inventory(tmp_path: Path) -> None:
    folder = write_tokens_folder(tmp_path)
    (path,) = (folder / "joint").iterdir()
    changed(path, "FB", "XB")
    with pytest.raises(InputError, match=r"label, line 2, has the label 'XB'"):
        read_folder(folder, "dev")


def test_targets_of_different_lengths(tmp_path: Path) -> None:
    made = sentences()
    write_lines(tmp_path / "dev.arin", [each.text for each in made])
    for target in TARGETS:
        write_lines(tmp_path / f"dev.ar.{target}", [each.targets[target] for each in made])
    write_lines(tmp_path / "dev.arin.label", [each.label for each in made])
    changed(tmp_path / "dev.ar.FM", "تسمعني ؟", "تسمعني")
    with pytest.raises(
        InputError, match=r"dev\.arin, line 4, has 3 words, but its form for FM has 2"
    ):
        read_folder(tmp_path, "dev")


def test_four_blocks_of_unequal_size(tmp_path: Path) -> None:
    folder = write_tokens_folder(tmp_path)
    path = tmp_path / "answers.txt"
    write_blocks(path, {target: [each.text for each in sentences()] for target in TARGETS})
    changed(path, "هل تسمعني ؟\n", "")
    protocol = ApgcProtocol(name="x", about="", tasks=("rewriting",))
    dataset = read(DataSource(path=folder), protocol)
    with pytest.raises(InputError, match=r"txt has 35 lines; .* need 36 \(four times 9\)"):
        list(read_answers(path, dataset, protocol))


def test_windows_1256(tmp_path: Path) -> None:
    folder = write_tokens_folder(tmp_path)
    path = folder / "dev.ar.MM.tokens"
    path.write_bytes(path.read_text(encoding="utf-8").encode("windows-1256"))
    with pytest.raises(InputError, match=r"dev\.ar\.MM\.tokens, line 1, is not UTF-8"):
        read_folder(folder, "dev")
    with pytest.raises(InputError, match="save the file as UTF-8"):
        read_text(path)


def test_a_group_without_all_its_forms(tmp_path: Path) -> None:
    write_lines(tmp_path / "train.arin", ["أنا متعب", "نعم"])
    write_lines(tmp_path / "train.arin.label", ["MB", "BB"])
    with pytest.raises(InputError, match=r"train\.arin, line 1: a sentence labelled MB"):
        read_folder(tmp_path, "train")


def test_another_split_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no split 'test'; it has dev"):
        read_folder(write_tokens_folder(tmp_path), "test")


def test_a_folder_of_something_else(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no parallel gender corpus"):
        read_folder(tmp_path, "dev")


def test_answers_want_one_task(tmp_path: Path) -> None:
    dataset = read(DataSource(path=write_tokens_folder(tmp_path)), PROTOCOLS["paper"])
    with pytest.raises(InputError, match="--task"):
        list(read_answers(tmp_path / "x.txt", dataset, PROTOCOLS["paper"]))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "dev-2", "target": "MX", "text": "a"}', "it must be one of MM"),
        ('{"id": "dev-99", "target": "MM", "text": "a"}', "which is not in the data"),
        ('{"id": "dev-2", "target": "MM"}', "lacks the field 'text'"),
    ],
)
def test_records_that_do_not_fit(tmp_path: Path, line: str, message: str) -> None:
    folder = write_tokens_folder(tmp_path)
    path = tmp_path / "answers.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    protocol = ApgcProtocol(name="x", about="", tasks=("rewriting",))
    dataset = read(DataSource(path=folder), protocol)
    with pytest.raises(InputError, match=message):
        list(read_answers(path, dataset, protocol))


# --- writing -------------------------------------------------------------------------------


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    made = [replace(each, english=f"E {n}", origin="A") for n, each in enumerate(sentences())]
    write_folder(tmp_path / "folder", "test", made)
    assert facts(tmp_path / "folder", "test") == EXPECTED
    read_in, _ = read_folder(tmp_path / "folder", "test")
    assert [each.english for each in read_in] == [each.english for each in made]
    assert [each.word_labels for each in read_in] == [each.word_labels for each in made]
    write_jsonl(tmp_path / "own.jsonl", made)
    dataset = read(DataSource(path=tmp_path / "own.jsonl"), PROTOCOLS["epicene"])
    assert list(dataset.items) == made


@pytest.fixture
def joint(tmp_path: Path) -> Path:
    """A folder with nothing but the four blocks."""
    write_folder(tmp_path, "test", sentences())
    for path in tmp_path.glob("test.*"):
        path.unlink()
    return tmp_path


SOURCES, JOINT_TARGETS = joint_names("test")


def test_the_joint_layout_is_written_and_read_back(joint: Path) -> None:
    assert facts(joint, "test") == EXPECTED
    assert len(read_folder(joint, "test")[1]) == 4
    labels = read_lines(joint / "joint" / f"{JOINT_TARGETS}.label")
    assert labels[:9] == ["BB", "MB", "MB", "BM", "BM", "MM", "MM", "MM", "MM"]
    assert labels[-9:] == ["BB", "FB", "FB", "BF", "BF", "FF", "FF", "FF", "FF"]
    with pytest.raises(InputError, match=r"no split 'dev'; it has test"):
        read_folder(joint, "dev")


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        (f"{JOINT_TARGETS}.gender", "FM", "FF", r"gender, line 10, has 'FF'; .* MM, FM, MF, FF"),
        (SOURCES, "أنا متعبة", "أنا متعب", r"arin, line 11, must equal line 2:"),
        (f"{SOURCES}.label", "FB", "MB", r"label, line 11, must equal line 2:"),
        (f"{JOINT_TARGETS}", "هل تسمعني ؟\n", "", r"FF has 35 lines; .*four times 9"),
    ],
)
def test_blocks_that_do_not_fit(joint: Path, name: str, old: str, new: str, message: str) -> None:
    changed(joint / "joint" / name, old, new)
    with pytest.raises(InputError, match=message):
        read_folder(joint, "test")


def test_a_sentence_answered_for_some_targets_only_is_refused(tmp_path: Path) -> None:
    folder = write_tokens_folder(tmp_path)
    path = tmp_path / "answers.jsonl"
    path.write_text('{"id": "dev-2", "target": "MM", "text": "a"}\n', encoding="utf-8")
    protocol = ApgcProtocol(name="x", about="", tasks=("rewriting",))
    dataset = read(DataSource(path=folder), protocol)
    with pytest.raises(InputError, match="no answer for FM and MF and FF of the sentence 'dev-2'"):
        list(read_answers(path, dataset, protocol))


def test_edited_translations_want_translations(tmp_path: Path) -> None:
    protocol = ApgcProtocol(name="x", about="", tasks=("post-editing",))
    dataset = read(DataSource(path=write_tokens_folder(tmp_path)), protocol)
    path = tmp_path / "answers.txt"
    write_blocks(path, {target: [each.text for each in sentences()] for target in TARGETS})
    with pytest.raises(InputError, match="has no translations"):
        list(read_answers(path, dataset, protocol))


def test_a_split_of_a_file_is_not_passed_over() -> None:
    protocol = ApgcProtocol(name="x", about="", split="nope")
    with pytest.raises(InputError, match=r"starter has no split 'nope'; none of its sentences"):
        read(DataSource(), protocol)


# --- several splits ------------------------------------------------------------------------


@pytest.fixture
def three_splits(tmp_path: Path) -> Path:
    for split in ("test", "dev", "train"):
        write_folder(tmp_path, split, sentences())
    return tmp_path


@pytest.mark.parametrize(
    ("named", "splits"),
    [
        ("", ["dev"]),
        ("train", ["train"]),
        ("dev, train", ["dev", "train"]),
        ("train,train", ["train"]),
        ("all", ["train", "dev", "test"]),
    ],
)
def test_one_split_several_or_all(three_splits: Path, named: str, splits: list[str]) -> None:
    protocol = ApgcProtocol(name="x", about="", split=named)
    dataset = read(DataSource(path=three_splits), protocol)
    items = list(dataset.items)
    assert list(dict.fromkeys(each.split for each in items)) == splits
    assert len({each.id for each in items}) == len(items) == len(splits) * len(sentences())
    assert dataset.name.endswith(f"({', '.join(splits)})")


def test_splits_of_a_file(tmp_path: Path) -> None:
    made = [
        replace(each, id=f"{split}-{each.id}", group=f"{split}-{each.group}", split=split)
        for split in ("test", "dev", "train")
        for each in sentences()
    ]
    path = tmp_path / "own.jsonl"
    write_jsonl(path, made)
    for named, number in (("dev,test", 2), ("all", 3), ("", 3)):
        protocol = ApgcProtocol(name="x", about="", split=named)
        items = list(read(DataSource(path=path), protocol).items)
        assert len(items) == number * len(sentences())


def test_a_split_of_a_list_that_is_not_there(three_splits: Path) -> None:
    protocol = ApgcProtocol(name="x", about="", split="dev,nope")
    with pytest.raises(InputError, match=r"no split 'nope'; it has train, dev, test \("):
        read(DataSource(path=three_splits), protocol)


def test_all_splits_of_a_folder_without_any(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no parallel gender corpus"):
        read(DataSource(path=tmp_path), ApgcProtocol(name="x", about="", split="all"))


def test_answers_to_several_splits(three_splits: Path, tmp_path: Path) -> None:
    protocol = ApgcProtocol(name="x", about="", split="train,dev", tasks=("rewriting",))
    dataset = read(DataSource(path=three_splits), protocol)
    path = tmp_path / "answers.txt"
    items = list(dataset.items)
    write_blocks(path, {t: [each.targets[t] for each in items] for t in TARGETS})
    answered = list(read_answers(path, dataset, protocol))
    assert [each.id for each, _ in answered] == [each.id for each in items]
    last = answered[-1][0]
    assert answered[-1][1].where(name="rewriting FF").of(Texts)[0].only == last.targets["FF"]


def test_a_folder_for_each_split(tmp_path: Path) -> None:
    """As version 2.0 is laid out: data/dev/dev.arin."""
    for split in ("train", "dev"):
        write_folder(tmp_path / split, split, sentences())
        write_lines(tmp_path / split / f"{split}.ar.MM.en", ["Yes."] * len(sentences()))
    assert facts(tmp_path, "dev") == EXPECTED
    protocol = ApgcProtocol(name="x", about="", split="all")
    items = list(read(DataSource(path=tmp_path), protocol).items)
    assert [each.split for each in items] == ["train"] * 9 + ["dev"] * 9
    assert {each.english for each in items} == {"Yes."}


# --- the gender of the English -------------------------------------------------------------


def test_labels_of_the_english_are_written_and_read_back(tmp_path: Path) -> None:
    made = [replace(each, english="My sister.", english_gender="F") for each in sentences()]
    write_folder(tmp_path, "test", made)
    assert read_lines(tmp_path / "test.en.label") == ["F"] * len(made)
    assert {each.english_gender for each in read_folder(tmp_path, "test")[0]} == {"F"}
    write_jsonl(tmp_path / "own.jsonl", made)
    assert list(read(DataSource(path=tmp_path / "own.jsonl"), PROTOCOLS["paper"]).items) == made
    changed(tmp_path / "test.en.label", "F\n", "X\n")
    with pytest.raises(InputError, match=r"test\.en\.label, line 1, has the label 'X'"):
        read_folder(tmp_path, "test")
