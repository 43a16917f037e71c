"""Reading pairs: every form a file may have, what is made of its columns, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.core.errors import InputError
from epicene.suites import DataSource
from epicene.suites.alternations.data import PairStream, read, stratum
from epicene.suites.alternations.items import VARIANTS, Pair
from epicene.suites.alternations.protocol import PROTOCOLS, AlternationsProtocol
from epicene.suites.alternations.sources.rows import RESERVED_COLUMNS

OURS = PROTOCOLS["epicene"]
# U+095C, which NFC would write as two characters.
ONE_CHARACTER = "गा\u095cी चली थी"
TWO_CHARACTERS = "गा\u0921\u093cी चली थी"

BLIMP = {
    "sentence_good": "The cats that the dog saw sleep.",
    "sentence_bad": "The cats that the dog saw sleeps.",
    "field": "morphology",
    "linguistics_term": "subject_verb_agreement",
    "UID": "distractor_agreement",
    "simple_LM_method": True,
    "one_prefix_method": False,
    "lexically_identical": False,
    "pair_id": 7,
}


def write(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    """The rows as whatever the file's name says."""
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows, ensure_ascii=False), "utf-8")
    elif path.suffix == ".parquet":
        pl.DataFrame(rows).write_parquet(path)
    else:
        text = io.StringIO(newline="")
        delimiter = "\t" if path.suffix == ".tsv" else ","
        writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
        path.write_text(text.getvalue(), "utf-8", newline="")
    return path


def pairs(path: Path, protocol: AlternationsProtocol = OURS, **columns: str) -> list[Pair]:
    return list(read(DataSource(path=path, columns=columns), protocol).items)


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".csv", ".tsv", ".parquet"])
def test_every_form_gives_the_same_pairs(suffix: str, tmp_path: Path) -> None:
    rows = [
        {"id": "a", "good": ONE_CHARACTER, "bad": "गा\u095cी, चला था", "phenomenon": "p", "n": "3"},
        {"id": "b", "good": 'he said "no"', "bad": "he say\nno", "phenomenon": "q", "n": "4"},
    ]
    found = pairs(write(tmp_path / f"mine{suffix}", rows))
    assert [(pair.id, pair.good, pair.bad, pair.phenomenon) for pair in found] == [
        (row["id"], row["good"], row["bad"], row["phenomenon"]) for row in rows
    ]
    assert [pair.columns for pair in found] == [{"n": "3"}, {"n": "4"}]


def test_a_blimp_row_keeps_all_it_says(tmp_path: Path) -> None:
    (pair,) = pairs(write(tmp_path / "distractor_agreement.jsonl", [BLIMP]))
    assert pair.id == "7"
    assert pair.phenomenon == "distractor_agreement"
    assert pair.columns == {
        "field": "morphology",
        "linguistics_term": "subject_verb_agreement",
        "simple_LM_method": "true",
        "one_prefix_method": "false",
        "lexically_identical": "false",
    }
    assert pair.cluster == "7"
    assert not pair.has_gap


def test_a_folder_sets_ids_apart_by_file(tmp_path: Path) -> None:
    write(tmp_path / "first.jsonl", [BLIMP])
    write(tmp_path / "second.jsonl", [{**BLIMP, "UID": None}])
    (tmp_path / "README.md").write_text("not pairs", "utf-8")
    found = pairs(tmp_path)
    assert [pair.id for pair in found] == ["first-7", "second-7"]
    # Without its own name, a pair is of the first one that the row has; then of the file's.
    assert [pair.phenomenon for pair in found] == ["distractor_agreement", "subject_verb_agreement"]
    assert {pair.cluster for pair in found} == {"first-7", "second-7"}


def test_what_a_file_leaves_out(tmp_path: Path) -> None:
    rows = [{"good": "a b", "bad": "a c"}, {"good": "d e", "bad": "d f"}]
    found = pairs(write(tmp_path / "mine.csv", rows))
    assert [(pair.id, pair.phenomenon, pair.language) for pair in found] == [
        ("1", "mine", ""), ("2", "mine", ""),
    ]  # fmt: skip
    english = msgspec.structs.replace(OURS, language="en")
    assert {pair.language for pair in pairs(tmp_path / "mine.csv", english)} == {"en"}
    assert stratum(pairs(tmp_path / "mine.csv", english)[0]) == ("en", "mine")


def test_columns_can_be_named(tmp_path: Path) -> None:
    rows = [{"right": "a b", "wrong": "a c", "kind": "k", "good": "not this"}]
    (pair,) = pairs(
        write(tmp_path / "mine.csv", rows), good="right", bad="wrong", phenomenon="kind"
    )
    assert (pair.good, pair.bad, pair.phenomenon) == ("a b", "a c", "k")
    with pytest.raises(InputError, match="has no column 'rihgt'"):
        pairs(tmp_path / "mine.csv", good="rihgt")


def test_a_column_called_as_one_of_ours_is_set_apart(tmp_path: Path) -> None:
    rows = [
        {"good": "a b", "bad": "a c", **dict.fromkeys(sorted(RESERVED_COLUMNS - {"group"}), "x")}
    ]
    (pair,) = pairs(write(tmp_path / "mine.jsonl", rows))
    assert not RESERVED_COLUMNS & set(pair.columns)
    assert pair.columns["label (of the file)"] == "x"
    assert pair.language == "x"  # ours, and read as such


def test_lists_and_records_are_no_columns(tmp_path: Path) -> None:
    rows = [{"good": "a b", "bad": "a c", "words": ["b", "c"], "more": {"x": 1}, "none": None}]
    (pair,) = pairs(write(tmp_path / "mine.jsonl", rows))
    assert pair.columns == {}


@given(
    good=st.text(st.sampled_from("गाड़ी\u095c\u0921\u093ce\u0301é'\", \t"), min_size=1).filter(
        lambda text: text.strip() != ""
    )
)
def test_a_text_is_never_changed(good: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "texts.jsonl"
    write(path, [{"good": good, "bad": good + "x"}])
    (pair,) = pairs(path)
    assert pair.good.encode() == good.encode()
    assert pair.bad.encode() == (good + "x").encode()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"good": "a", "bad": ""}], "has no other sentence.*--column bad=NAME"),
        ([{"sentence": "a", "bad": "b"}], "has no acceptable sentence.*sentence_good"),
        ([{"good": " ", "bad": "b"}], "has no acceptable sentence"),
        (
            [{"id": 1, "good": "a", "bad": "b"}, {"id": "1", "good": "c", "bad": "d"}],
            r"record 2, repeats the id '1' \(.*record 1\); use another column",
        ),
    ],
)
def test_what_is_refused(rows: list[dict[str, object]], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        pairs(write(tmp_path / "mine.json", rows))


def test_a_folder_without_pairs_and_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no file of pairs"):
        pairs(tmp_path)
    with pytest.raises(InputError, match="There is no file"):
        pairs(tmp_path / "none.csv")


def test_two_encodings_of_one_letter_are_two_sentences(tmp_path: Path) -> None:
    rows = [{"good": ONE_CHARACTER, "bad": TWO_CHARACTERS}]
    (pair,) = pairs(write(tmp_path / "mine.json", rows))
    assert len(pair.bad) == len(pair.good) + 1


# --- the Hindi files --------------------------------------------------------------------------


def hindi_rows(verb: str) -> list[dict[str, str]]:
    """Two pairs of our own under the names that the published files use."""
    return [
        {
            "id": str(number),
            "sentence_good": f"{causer} ने माली से फूल {verb}वाए थे",
            "sentence_bad": f"{causer} ने माली से फूल {verb}े थे",
        }
        for number, causer in enumerate(("रानी", "राजा"))
    ]


def test_files_named_as_the_published_ones_are_the_variants(tmp_path: Path) -> None:
    for name in ("dv", "sv", "no_er", "no_inst"):
        write(
            tmp_path / f"{name}.json", [{**row, "phenomena_type": "c"} for row in hindi_rows("तोड़")]
        )
    found = pairs(tmp_path)
    assert {pair.language for pair in found} == {"hi"}
    assert {pair.phenomenon for pair in found} == {"DV", "SV", "No Case(E)", "No Case(I)"}
    assert {pair.group for pair in found} == {"0", "1"}  # one verb, its four variants
    assert {pair.columns["phenomena_type"] for pair in found} == {"c"}
    first = next(pair for pair in found if pair.id == "sv-0")
    assert (first.prefix, first.gold, first.after) == ("रानी ने माली से फूल", "तोड़वाए", "थे")
    assert first.gapped == "रानी ने माली से फूल ____ थे"
    # The gap of DV is that of SV.
    assert {pair.phenomenon for pair in found if not pair.has_gap} == {"DV"}


def test_one_of_those_files_alone(tmp_path: Path) -> None:
    found = pairs(write(tmp_path / "no_er.json", hindi_rows("तोड़")))
    assert [(pair.id, pair.group, pair.phenomenon) for pair in found] == [
        ("0", "", "No Case(E)"), ("1", "", "No Case(E)"),
    ]  # fmt: skip
    # Among files of another name the language is not taken for granted.
    write(tmp_path / "other.csv", [{"good": "a b", "bad": "a c"}])
    assert {pair.language for pair in pairs(tmp_path)} == {""}


def frame(variant: str, valency: str = "", **more: str) -> dict[str, str]:
    """A row of one file with all variants, as the released ones name their fields."""
    good, bad = f"मैंने {variant} कटवाया था", f"मैंने {variant} कटा था"
    row = {"sentence_good": good, "sentence_bad": bad, "phenomena_type": "causative"}
    return {**row, "variant": variant, "valency": valency, **more}


def test_four_variants_in_one_file(tmp_path: Path) -> None:
    """`phenomena_type` is causative in all of them, and would merge them."""
    rows = [frame(name) for name in ("DV", "sv", "no_er", "No Case(I)", "Different Verb")]
    found = pairs(write(tmp_path / "mine.jsonl", rows))
    assert [pair.phenomenon for pair in found] == ["DV", "SV", "No Case(E)", "No Case(I)", "DV"]


def test_valencies_as_the_paper_writes_them(tmp_path: Path) -> None:
    written = ("Intran", "Tran", "Ditran", "transitive", "")
    rows = [frame("DV", name, id=str(n)) for n, name in enumerate(written)]
    found = pairs(write(tmp_path / "mine.jsonl", rows))
    assert [pair.columns.get("valency", "") for pair in found] == [
        "intransitive", "transitive", "ditransitive", "transitive", "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (frame("DV", "Trans."), "valency 'Trans.'.*intransitive, transitive or ditransitive"),
        (frame("No Case"), r"variant 'No Case'.*DV, SV, No Case\(E\) or No Case\(I\)"),
    ],
)
def test_an_unknown_variant_or_valency_is_refused(
    row: dict[str, str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        pairs(write(tmp_path / "mine.jsonl", [row]))


def test_other_files_may_have_variants_and_valencies_of_their_own(tmp_path: Path) -> None:
    row = {"good": "a", "bad": "b", "variant": "British"}
    assert pairs(write(tmp_path / "one.jsonl", [row]))[0].phenomenon == "British"
    row = {"good": "a", "bad": "b", "phenomenon": "case", "valency": "2"}
    assert pairs(write(tmp_path / "two.jsonl", [row]))[0].columns == {"valency": "2"}


def test_under_paper_the_starter_set_is_the_verb_frames() -> None:
    def phenomena(protocol: AlternationsProtocol) -> set[str]:
        return {pair.phenomenon for pair in read(DataSource(), protocol).items}

    paper = PROTOCOLS["paper"]
    assert phenomena(paper) == set(VARIANTS)
    assert phenomena(OURS) > set(VARIANTS)
    one = (phenomena(OURS) - set(VARIANTS)).pop()
    assert phenomena(msgspec.structs.replace(paper, phenomena=(one,))) == {one}


def test_phenomena_can_be_chosen(tmp_path: Path) -> None:
    for name in ("sv", "no_er"):
        write(tmp_path / f"{name}.json", hindi_rows("तोड़"))
    some = msgspec.structs.replace(OURS, phenomena=("No Case(E)",))
    assert [pair.id for pair in pairs(tmp_path, some)] == ["no_er-0", "no_er-1"]
    with pytest.raises(InputError, match="no phenomenon 'No Case'; did you mean 'No Case"):
        pairs(tmp_path, msgspec.structs.replace(OURS, phenomena=("No Case",)))


def test_pairs_are_read_one_by_one(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.jsonl", [{"good": "a b", "bad": "a c"}, {"good": "d"}])
    stream = iter(PairStream(path, {}, ""))
    assert next(stream).good == "a b"
    with pytest.raises(InputError, match="line 2, has no other sentence"):
        next(stream)
