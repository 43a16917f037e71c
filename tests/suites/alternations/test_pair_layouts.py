"""Published layouts are recognised by what a file holds; what is in none is refused."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

import epicene
from called_commands import invoke
from epicene.core.errors import EpiceneWarning, InputError
from epicene.suites import Dataset, DataSource
from epicene.suites.alternations.data import PairStream, read
from epicene.suites.alternations.items import Pair
from epicene.suites.alternations.protocol import PROTOCOLS
from epicene.suites.alternations.sources import KNOWN_LAYOUTS

OURS = PROTOCOLS["epicene"]

MULTIBLIMP = (
    "sen\twrong_sen\tprefix\tphenomenon\tlang\tsample_weight\tmetadata\two\n"
    "Dogs bark loudly.\tDogs barks loudly.\tDogs\tSV-#\teng\t0.25\t{'text': 'x'}\tSV\n"
    "Dogs bark loudly.\tDogs barked loudly.\tDogs\tSV-P\teng\t0.5\t{'text': 'x'}\tSV\n"
    "Τα σκυλιά γαβγίζουν.\tΤα σκυλιά γαβγίζει.\tΤα σκυλιά\tSV-#\tell\t1\t{}\tSV\n"
)
RUBLIMP = (
    "id,source_sentence,target_sentence,source_word,target_word,phenomenon,PID\n"
    "71,Собака лаяла.,Собака лаял.,лаяла,лаял,Agreement,gender\n"
)
TURBLIMP = (
    "good_sentence;bad_sentence;good_cue;bad_cue;critical_region;phenomenon\n"
    "Ben, köpeği gördüm.;Ben, köpeği gördün.;Ben;Ben;gördüm;agreement\n"
    "Kedi uyudu.;Kedi uyudu.;Kedi;Kedi;uyudu;agreement\n"
    "Kedi kaçtı.;Kedi kaçtım.;Kedi;Kedi;kaçtı;agreement\n"
)
CLAMS = (
    "True\tle chien aboie\nFalse\tle chien aboient\nFalse\tle chien aboyer\n"
    "\nTrue\tils vont\nFalse\tils va\n"
)
SYNEVAL = "test case\tgrammatical\tungrammatical\nsimple--sing\tthe dog barks.\tthe dog bark.\n"
JBLIMP = (
    "ID,good_diacritic,bad_diacritic,good_sentence,bad_sentence,phenomenon\n"
    "j1,,*,犬が吠える。,犬を吠える。,agreement\n"
)
BLIMP_NL = (
    "Phenomenon,Paradigm,Item,Grammaticality,Sentence\n"
    "Agreement,number,1,Grammatical,De hond blaft.\n"
    "Agreement,number,1,Ungrammatical,De hond blaffen.\n"
)
REGIONS = json.dumps([[["कुत्ता", "कुत्ता"], ["भौंका।", "भौंके।"]], [["a", "b"], ["c", "c"]]])
GYM = json.dumps(
    {
        "meta": {"name": "agreement"},
        "predictions": [{"formula": "(2;%a%) < (2;%b%)"}],
        "items": [
            {
                "item_number": 4,
                "conditions": [
                    {
                        "condition_name": name,
                        "regions": [
                            {"region_number": 1, "content": "The dog"},
                            {"region_number": 2, "content": verb},
                        ],
                    }
                    for name, verb in (("a", "barks"), ("b", "bark"))
                ],
            }
        ],
    }
)


def dataset(path: Path, content: str = "") -> Dataset:
    if content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8", newline="")
    return read(DataSource(path=path), OURS)


def fields(pairs: Sequence[Pair]) -> list[tuple[str, str, str, str, str]]:
    return [(pair.id, pair.language, pair.phenomenon, pair.good, pair.bad) for pair in pairs]


@pytest.mark.parametrize(
    ("name", "content", "layout", "expected"),
    [
        (
            "x.tsv",
            MULTIBLIMP,
            "MultiBLiMP",
            [
                ("1", "en", "SV-#", "Dogs bark loudly.", "Dogs barks loudly."),
                ("2", "en", "SV-P", "Dogs bark loudly.", "Dogs barked loudly."),
                ("3", "ell", "SV-#", "Τα σκυλιά γαβγίζουν.", "Τα σκυλιά γαβγίζει."),
            ],
        ),
        ("x.csv", RUBLIMP, "RuBLiMP", [("71", "ru", "Agreement", "Собака лаяла.", "Собака лаял.")]),
        (
            "x.csv",
            TURBLIMP,
            "TurBLiMP",
            [
                ("1", "tr", "agreement", "Ben, köpeği gördüm.", "Ben, köpeği gördün."),
                ("3", "tr", "agreement", "Kedi kaçtı.", "Kedi kaçtım."),
            ],
        ),
        (
            "fr_evalset/x.txt",
            CLAMS,
            "CLAMS",
            [
                ("1", "fr", "x", "le chien aboie", "le chien aboient"),
                ("2", "fr", "x", "le chien aboie", "le chien aboyer"),
                ("3", "fr", "x", "ils vont", "ils va"),
            ],
        ),
        (
            "x.txt",
            SYNEVAL,
            "LM_syneval",
            [("1", "en", "simple--sing", "the dog barks.", "the dog bark.")],
        ),
        ("x.csv", JBLIMP, "JBLiMP", [("j1", "ja", "agreement", "犬が吠える。", "犬を吠える。")]),
        (
            "x.csv",
            BLIMP_NL,
            "BLiMP-NL",
            [("1", "nl", "Agreement", "De hond blaft.", "De hond blaffen.")],
        ),
        (
            "hindi-bark.json",
            REGIONS,
            "pairs of regions",
            [("1", "hi", "bark", "कुत्ता भौंका।", "कुत्ता भौंके।"), ("2", "hi", "bark", "a c", "b c")],
        ),
        ("x.json", GYM, "SyntaxGym", [("4", "", "agreement", "", "")]),
    ],
)
def test_every_published_layout_is_recognised_whatever_the_file_is_called(
    name: str,
    content: str,
    layout: str,
    expected: list[tuple[str, str, str, str, str]],
    tmp_path: Path,
) -> None:
    found = dataset(tmp_path / name, content)
    assert fields(list(found.items)) == expected
    assert found.remarks[0].startswith(f"{Path(name).name}: {layout} (")
    assert layout in KNOWN_LAYOUTS


def test_pairs_of_one_sentence_are_resampled_together(tmp_path: Path) -> None:
    first, second, third = dataset(tmp_path / "x.tsv", MULTIBLIMP).items
    assert first.cluster == second.cluster != third.cluster
    first, second, third = dataset(tmp_path / "x.txt", CLAMS).items
    assert first.cluster == second.cluster != third.cluster


def test_columns_of_a_published_set(tmp_path: Path) -> None:
    first = next(iter(dataset(tmp_path / "x.tsv", MULTIBLIMP).items))
    # The beginning of its sentence is no gap of ours.
    assert not first.has_gap
    assert first.columns == {"sample_weight": "0.25", "wo": "SV"}
    data = epicene.read_data("alternations", tmp_path / "x.tsv")
    assert data.check()["severity"].to_list() == []


def test_the_language_that_a_user_names_goes_before_what_a_set_implies(tmp_path: Path) -> None:
    path = tmp_path / "fr_evalset" / "x.txt"
    dataset(path, CLAMS)
    named = msgspec.structs.replace(OURS, language="fr-CA")
    assert {pair.language for pair in read(DataSource(path=path), named).items} == {"fr-CA"}


def test_a_folder_of_folders_is_one_run(tmp_path: Path) -> None:
    dataset(tmp_path / "clams/fr_evalset/agreement.txt", CLAMS)
    dataset(tmp_path / "clams/he_evalset/agreement.txt", CLAMS)
    dataset(tmp_path / "multi/x.tsv", MULTIBLIMP)
    dataset(tmp_path / "gym/agreement.json", GYM)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "index.json").write_text("{", "utf-8")
    (tmp_path / "notes.md").write_text("not pairs", "utf-8")
    found = dataset(tmp_path)
    assert [pair.id for pair in found.items] == [
        "clams/fr_evalset/agreement-1", "clams/fr_evalset/agreement-2",
        "clams/fr_evalset/agreement-3", "clams/he_evalset/agreement-1",
        "clams/he_evalset/agreement-2", "clams/he_evalset/agreement-3",
        "gym/agreement-4", "multi/x-1", "multi/x-2", "multi/x-3",
    ]  # fmt: skip
    run = epicene.run("alternations", "random", data=tmp_path, out=tmp_path / "run", progress=False)
    table = run.table("languages")
    rows = {(row["language"], row["phenomenon"]): row["pairs"] for row in table.to_dicts()}
    assert rows["he", "agreement"] == rows["fr", "agreement"] == 3
    assert rows["en", "all"] == 2
    assert rows["", "agreement"] == 1
    assert rows["ell", "all"] == 1
    some = epicene.run(
        "alternations",
        "random",
        data=tmp_path / "multi",
        language="ell",
        out=tmp_path / "some",
        progress=False,
    )
    assert some.coverage.items == 1
    with pytest.raises(InputError, match="has no items in tr; it has ell, en"):
        epicene.run("alternations", "random", data=tmp_path / "multi", language="tr")


def test_files_of_a_folder_go_before_those_below_it(tmp_path: Path) -> None:
    dataset(tmp_path / "x.csv", RUBLIMP)
    dataset(tmp_path / "below" / "y.tsv", MULTIBLIMP)
    assert [pair.id for pair in dataset(tmp_path).items] == ["71"]


def test_a_readme_is_no_file_of_pairs(tmp_path: Path) -> None:
    dataset(tmp_path / "x.csv", RUBLIMP)
    (tmp_path / "README.txt").write_text("How to read these files.\n", "utf-8")
    found = dataset(tmp_path)
    assert [pair.id for pair in found.items] == ["71"]  # as if it stood alone
    assert found.notes == ("README.txt has no pairs in a known layout and is left out.",)
    with pytest.raises(InputError, match="its first line is 'How to read"):
        dataset(tmp_path / "README.txt")


# --- identical pairs -------------------------------------------------------------------------


def test_identical_pairs_are_left_out_and_told(tmp_path: Path) -> None:
    note = "x.csv: 1 pair has the same sentence twice and is left out (the first: line 3)."
    assert dataset(tmp_path / "x.csv", TURBLIMP).notes == (note,)
    data = epicene.read_data("alternations", tmp_path / "x.csv")
    assert len(data) == 2
    assert data.check().rows() == [("warning", "x.csv", note)]
    run = epicene.run(
        "alternations", "random", data=tmp_path / "x.csv", out=tmp_path / "run", progress=False
    )
    # It stays with the run, and whoever reads its numbers is told.
    (tmp_path / "x.csv").unlink()
    again = epicene.load(tmp_path / "run")
    assert run.notes == again.notes == (note,)
    with pytest.warns(EpiceneWarning, match="same sentence twice"):
        again.metrics()
    shown = invoke(["tables", str(tmp_path / "run"), "--markdown"])
    assert note in shown.stdout


def test_a_run_without_them_has_no_such_note(tmp_path: Path) -> None:
    dataset(tmp_path / "x.csv", RUBLIMP)
    run = epicene.run(
        "alternations", "random", data=tmp_path / "x.csv", out=tmp_path / "run", progress=False
    )
    assert run.notes == ()


# --- words -----------------------------------------------------------------------------------


def test_languages_without_rules_are_named(tmp_path: Path) -> None:
    said = "Words in ell are found by the general rules of Unicode: Epicene has no rules of its own"
    assert dataset(tmp_path / "x.tsv", MULTIBLIMP).remarks[1].startswith(said)
    assert len(dataset(tmp_path / "x.csv", RUBLIMP).remarks) == 1
    assert "1 items do not specify their language" in dataset(tmp_path / "y.json", GYM).remarks[1]
    run = epicene.run(
        "alternations", "random", data=tmp_path / "x.tsv", out=tmp_path / "run", progress=False
    )
    (measures,) = (table for table in run.summary.tables if table.name == "measures")
    assert measures.notes[-1].startswith(said)


# --- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.csv", "sentence\na b\n", r"not in a known layout \(its column is 'sentence'\)"),
        ("x.csv", "good|bad\na|b\n", r"its column is 'good\|bad'"),
        (
            "x.csv",
            "text,label\na,b\n",
            "its columns are 'text', 'label'.*MultiBLiMP: the columns sen",
        ),
        ("x.csv", "good\na\n", "has no other sentence"),
        ("x.tsv", "sen\twrong_sen\na\t\n", "has no other sentence.*wrong_sen"),
        ("x.json", "{}", r"not in a known layout \(its keys are \)"),
        ("x.json", '{"items": [1]}', "its keys are 'items'"),
        ("x.json", "[1, 2]", "neither a list of records nor a suite"),
        ("x.json", '[[["a", "b"], ["c"]]]', "neither a list of records nor a suite"),
        ("x.json", '[[["a", "b"]], [["c", 1]]]', "item 2, is not a list of regions"),
        ("x.json", '[[["", "b"]]]', "item 1, lacks a sentence"),
        ("x.txt", "True\ta\nFalse\tb\nMaybe\tc\n", "line 3, must be True or False"),
        (
            "x.txt",
            "True\ta\nTrue\tb\nFalse\tc\n",
            "line 1, is acceptable, but no unacceptable sentence",
        ),
        (
            "x.txt",
            "True\ta\nFalse\tb\nTrue\tc\n",
            "line 3, is acceptable, but no unacceptable sentence",
        ),
        ("x.txt", "False\ta\nTrue\tb\n", "line 1, is not acceptable, but there is no acceptable"),
        ("x.txt", "True\ta\nFalse\t \n", "line 2, has no sentence"),
        ("x.txt", "one\ttwo\na\tb\n", "its columns are 'one', 'two'"),
        ("x.pickle", "cos\nsystem\n", "is a pickle, which could run any program"),
        (
            "x.csv",
            BLIMP_NL.replace("Ungrammatical", "Perhaps"),
            "has the grammaticality 'Perhaps'",
        ),
    ],
)
def test_what_is_in_no_layout_is_refused(
    name: str, content: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        dataset(tmp_path / name, content)


def test_columns_do_not_go_with_a_layout_that_has_none(tmp_path: Path) -> None:
    for name, content in (("x.txt", CLAMS), ("x.json", GYM), ("y.json", REGIONS)):
        (tmp_path / name).write_text(content, "utf-8")
        with pytest.raises(InputError, match="has no columns, so --column cannot be used with it"):
            read(DataSource(path=tmp_path / name, columns={"good": "sen"}), OURS)


def test_a_file_of_tabs_that_is_called_csv(tmp_path: Path) -> None:
    found = dataset(tmp_path / "x.csv", MULTIBLIMP)
    assert len(list(found.items)) == 3


def test_mixed_scripts_are_read_and_found(tmp_path: Path) -> None:
    dataset(tmp_path / "x.csv", RUBLIMP.replace("лаял.", "лаяl."))
    data = epicene.read_data("alternations", tmp_path / "x.csv")
    assert data.check().rows() == [("error", "71", "лаяl. mixes Cyrillic and Latin letters.")]


def test_columns_named_as_before_still_read_a_published_set(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text(MULTIBLIMP, "utf-8")
    data = epicene.read_data(
        "alternations", tmp_path / "x.tsv", columns={"good": "sen", "bad": "wrong_sen"}
    )
    assert len(data) == 3
    assert [row for row in data.check().rows() if row[0] == "error"] == []


def test_check_says_which_layout_and_why(tmp_path: Path) -> None:
    dataset(tmp_path / "x.tsv", MULTIBLIMP)
    shown = invoke(["data", "check", "alternations", str(tmp_path / "x.tsv")])
    assert shown.exit_code == 0
    assert "x.tsv: MultiBLiMP (it has the columns sen and wrong_sen)." in shown.stderr
    assert "3 items, 0 findings." in shown.stderr
    shown = invoke(["data", "check", "alternations", "--data", str(tmp_path / "x.tsv"), "--json"])
    assert json.loads(shown.stdout)["remarks"][0].startswith("x.tsv: MultiBLiMP")
    both = ["data", "check", "alternations", str(tmp_path / "x.tsv"), "--data", "y.tsv"]
    assert invoke(both).exit_code != 0


# --- many rows -------------------------------------------------------------------------------

MANY = 60_000


def test_many_rows_are_read_without_being_held(tmp_path: Path) -> None:
    path = tmp_path / "many.tsv"
    with path.open("w", encoding="utf-8") as file:
        file.write("id\tsen\twrong_sen\tphenomenon\tlang\n")
        for number in range(MANY):
            file.write(f"{number}\tDog {number} barks.\tDog {number} bark.\tSV-#\teng\n")
    tracemalloc.start()
    try:
        found = read(DataSource(path=path), OURS)
        assert isinstance(found.items, PairStream)
        assert sum(1 for _ in found.items) == sum(1 for _ in found.items) == MANY
        # Twenty thousand pairs at most are held at a time; all of them would take far more.
        assert tracemalloc.get_traced_memory()[1] < 60 * 2**20
        assert tracemalloc.get_traced_memory()[0] < 10 * 2**20
    finally:
        tracemalloc.stop()


def test_an_id_that_comes_again_far_away_is_named(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    rows = [f"{number},a {number},b {number}" for number in range(30_000)]
    path.write_text("\n".join(["id,good,bad", *rows, "17,c,d"]) + "\n", "utf-8")
    with pytest.raises(InputError, match=r"line 30002, repeats the id '17' \(.*line 19\)"):
        read(DataSource(path=path), OURS)


def test_a_file_of_identical_pairs_alone_is_no_data(tmp_path: Path) -> None:
    found = dataset(tmp_path / "x.csv", "good,bad\na,a\nb,b\n")
    assert list(found.items) == []
    assert found.notes[0].startswith("x.csv: 2 pairs have the same sentence twice")
    with pytest.raises(InputError, match=r"x\.csv has no items"):
        epicene.run("alternations", "random", data=tmp_path / "x.csv", progress=False)
