"""Published layouts are recognised by what a file holds; what is in none is refused."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

import epicene
from epicene.core.errors import InputError
from epicene.suites import Dataset, DataSource
from epicene.suites.translation.data import is_published, read
from epicene.suites.translation.entities import LANGUAGES
from epicene.suites.translation.external_answers import read_answers
from epicene.suites.translation.items import Sentence, pronoun_gender
from epicene.suites.translation.protocol import PROTOCOLS
from epicene.suites.translation.sources import KNOWN_LAYOUTS

OURS = PROTOCOLS["epicene"]

WINOMT = (
    "female\t1\tThe baker smiled because she was happy.\tbaker\n"
    "male\t1\tThe baker smiled because he was happy.\tbaker\n"
    "neutral\t1\tThe guest said they were late.\tguest\n"
)
HUMAN = (
    "Index,Entity,Sentence,Find entity? [Y/N],Gender? [M/F/N],Comments\n"
    "0,The baker,La panadera sonrió.,Y,F,\n"
    "1,the baker,El panadero sonrió.,Y,m,\n"
    "2,guest,No hay nadie.,N,,\n"
)
GENEVAL = {
    "geneval-sentences-feminine-dev.en_es.en": "She is [an actress].\nShe left.\n",
    "geneval-sentences-feminine-dev.en_es.es": "Es [actriz].\nElla se fue.\n",
    "geneval-sentences-masculine-dev.en_es.en": "He is [an actor].\nHe left.\n",
    "geneval-sentences-masculine-dev.en_es.es": "Es [actor].\nÉl se fue.\n",
}
CONTEXT = {
    "geneval-context-wikiprofessions-2to1-test.en_fr.en": (
        "She won. <sep> Diaz was a dancer.\n<sep> The judge ruled.\n"
    ),
    "geneval-context-wikiprofessions-original-test.en_fr.fr": (
        "Diaz était danseuse.\nLa juge a tranché.\n"
    ),
    "geneval-context-wikiprofessions-flipped-test.en_fr.fr": (
        "Diaz était danseur.\nLe juge a tranché.\n"
    ),
}
GATE = (
    "labels\tsource\tf\tm\tkw_s\tkw_f\tkw_m\tdata_split\n"
    "SUBJ;PROF\tThe composer slept.\tLa compositora durmió.\tEl compositor durmió.\t\t\t\tdev\n"
    'SUBJ\tA "fan" came.\tVino una fan.\tVino un fan.\t\t\t\ttest\n'
)
GATE_4 = (
    "source\tff\tfm\tmf\tmm\n"
    "A saw B.\tUna vio a una.\tUna vio a uno.\tUno vio a una.\tUno vio a uno.\n"
)
GATE_JSON = [
    {
        "labels": ["SUBJ", "PROF"],
        "source": "The composer slept.",
        "variants": {"f": "La compositrice dormiva.", "m": "Il compositore dormiva."},
    }
]


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def dataset(path: Path, **settings: Any) -> Dataset:
    return read(DataSource(path=path), msgspec.structs.replace(OURS, **settings))


def sentences(path: Path, **settings: Any) -> list[Sentence]:
    return list(dataset(path, **settings).items)


# --- layouts ---------------------------------------------------------------------------------


def test_winomt_is_translated_into_every_language(tmp_path: Path) -> None:
    found = sentences(write(tmp_path, {"winomt.txt": WINOMT}) / "winomt.txt")
    assert len(found) == 3 * len(LANGUAGES)
    first, second = (each for each in found if each.language == "es" and each.gender != "neutral")
    assert (first.gender, first.entity, first.stereotype) == ("feminine", "baker", "pro")
    assert (second.gender, second.stereotype) == ("masculine", "anti")
    assert first.group == second.group
    assert {each.language for each in sentences(tmp_path, languages=("es", "fr"))} == {"es", "fr"}


def test_what_people_judged_is_read_with_it(tmp_path: Path) -> None:
    files = {"en.txt": WINOMT, "en_pro.txt": WINOMT, "human_annotations/es.in - es.in.csv": HUMAN}
    files["human_annotations/es.in - es.in (1).csv"] = HUMAN
    files["translations/en-es.txt"] = "The baker smiled because she was happy. ||| La panadera.\n"
    files["notes.txt"] = "Nothing of interest.\n"
    found = dataset(write(tmp_path, files))
    judged = [each for each in found.items if each.human]
    assert [each.human for each in judged] == ["feminine", "masculine"]
    assert [each.language for each in judged] == ["es", "es"]
    assert len([each for each in found.items if each.language == "es" and not each.human]) == 3
    notes = " ".join(found.notes)
    assert "a copy of es.in - es.in" in notes
    assert "en_pro.txt: left out, because en.txt has their sentences." in notes
    assert "Left out because their layout is unknown: notes.txt." in notes
    assert any("--answers" in each for each in found.remarks)


def test_mt_geneval_counterfactual(tmp_path: Path) -> None:
    found = sentences(write(tmp_path, GENEVAL))
    assert [each.gender for each in found] == ["feminine", "masculine"] * 2
    assert found[0].source == "She is an actress."  # without the marks of annotators
    assert found[0].references == {"right": "Es actriz.", "wrong": "Es actor."}
    assert found[1].references == {"right": "Es actor.", "wrong": "Es actriz."}
    assert found[0].group == found[1].group != found[2].group
    # One file of the four finds the others.
    assert sentences(tmp_path / "geneval-sentences-feminine-dev.en_es.en") == found


def test_mt_geneval_contextual(tmp_path: Path) -> None:
    found = sentences(write(tmp_path, CONTEXT))
    assert [each.context for each in found] == ["She won.", ""]
    assert [each.source for each in found] == ["Diaz was a dancer.", "The judge ruled."]
    assert [each.gender for each in found] == ["feminine", ""]
    assert not any(each.is_open for each in found)
    assert pronoun_gender("He gave her his coat.") == ""


def test_an_annotated_copy_is_not_read_twice(tmp_path: Path) -> None:
    marked = {f"annotated/{name}": text for name, text in GENEVAL.items()}
    assert len(sentences(write(tmp_path, GENEVAL | marked))) == 4


def test_a_missing_parallel_file_is_said(tmp_path: Path) -> None:
    some = dict(list(GENEVAL.items())[:3])
    with pytest.raises(InputError, match="has no sentences in a known layout"):
        dataset(write(tmp_path, some))
    found = dataset(write(tmp_path, some | CONTEXT))
    assert any("1 of 4 parallel files are missing" in note for note in found.notes)


def test_gate(tmp_path: Path) -> None:
    write(tmp_path, {"ES_2_variants.tsv": GATE, "FR_4_variants.txt": GATE_4})
    (tmp_path / "IT_compact.json").write_text(json.dumps(GATE_JSON))
    found = sentences(tmp_path)
    assert [each.language for each in found] == ["es", "es", "fr", "it"]
    assert [len(each.references) for each in found] == [2, 2, 4, 2]
    assert found[1].source == 'A "fan" came.'
    assert found[0].labels == found[3].labels == ("SUBJ", "PROF")
    assert all(each.is_open for each in found)
    assert next(each.source for each in sentences(tmp_path, split="test")) == 'A "fan" came.'


def test_a_quotation_mark_may_be_just_that(tmp_path: Path) -> None:
    rows = '"Hi," she said.\t"Hola", dijo ella.\t"Hola", dijo él.\n'
    rows += '"She said ""no"" twice."\tElla.\tÉl.\n'
    write(tmp_path, {"ES_2_variants.tsv": "source\tf\tm\n" + rows})
    found = sentences(tmp_path / "ES_2_variants.tsv")
    assert [each.source for each in found] == ['"Hi," she said.', 'She said "no" twice.']
    assert found[0].references["f"] == '"Hola", dijo ella.'


def test_the_same_sentences_of_gate_are_read_once(tmp_path: Path) -> None:
    lists = {f"IT/IT_{name}.json": json.dumps(GATE_JSON) for name in ("compact", "readable")}
    lists["ES/ES_compact.json"] = json.dumps(GATE_JSON)
    tables = {"ES/ES_2_variants.tsv": GATE, "ES/curly_apostrophe/ES_2_variants.txt": GATE}
    found = dataset(write(tmp_path, lists | tables))
    assert [each.id for each in found.items] == ["es-gate-1-1", "es-gate-1-2", "it-gate-1-1"]
    assert "ES_2_variants.txt, ES_compact.json, IT_readable.json: left out" in " ".join(found.notes)


def test_files_of_your_own_keep_their_ids_apart(tmp_path: Path) -> None:
    row = '{"source": "A nurse.", "entity": "nurse", "language": "es"}\n'
    write(tmp_path, {"one.jsonl": row, "two.jsonl": row})
    assert [each.id for each in sentences(tmp_path)] == ["one-es-1", "two-es-1"]


def test_sentences_of_your_own(tmp_path: Path) -> None:
    rows = [
        {"source": "The nurse slept, and he snored.", "entity": "nurse", "gender": "masculine"},
        {"source": "He sang.", "gender": "masculine", "masculine": "Él.", "feminine": "Ella."},
        {"source": "I sang.", "masculine": "cansado", "feminine": "cansada"},
    ]
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps({"language": "es", **row}) + "\n" for row in rows))
    found = sentences(path)
    assert [each.position for each in found] == [1, 0, 0]
    assert found[0].stereotype == "anti"
    assert found[1].references == {"right": "Él.", "wrong": "Ella."}
    assert found[2].references == {"f": "cansada", "m": "cansado"}
    assert found[2].is_open
    assert is_published([("mine.jsonl", "0" * 64)]) is False
    assert is_published([("ES_2_variants.tsv", "0" * 64)]) is True
    assert is_published([("en.txt", "0" * 64)]) is False


# --- hostile files ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.txt", "Just a sentence.\n", "is not in a known layout .*'Just a sentence.'"),
        ("a.txt", WINOMT.replace("\t", ";"), "is not in a known layout"),  # another delimiter
        ("a.csv", "source\nHello.\n", "is not in a known layout"),  # one column
        ("a.tsv", "source,f,m\nA,B,C\n", "is not in a known layout .*'source,f,m'"),
        ("a.txt", WINOMT + "female\tone\tShe left.\tbaker\n", "line 4, must be a gender, a number"),
        (
            "a.txt",
            WINOMT + "female\t9\tShe left.\tbaker\n",
            "line 4, refers to word 9 of a sentence",
        ),
        ("ES_2_variants.tsv", GATE + "only\ttwo\n", "a different number of columns"),
        ("variants.tsv", GATE, "does not specify its language"),
        ("a.jsonl", '{"source": "A.", "entity": "nurse"}\n', "does not specify its language"),
        (
            "a.jsonl",
            '{"source": "A.", "entity": "nurse", "gender": "f", "language": "es"}\n',
            "has the gender 'f'; it must be masculine",
        ),
        (
            "a.jsonl",
            '{"source": "A.", "entity": "x", "language": "es", "id": "1"}\n' * 2,
            "repeats the id '1'",
        ),
        ("a.json", '{"source": 1}', "is not in a known layout"),
        ("a.json", "[1, 2]", "is not in a known layout"),
        ("a.txt", "", "has no sentences in a known layout"),
        (
            "a.txt",
            "male\t1\tÉl 👩 \u202eсмешно\t",
            "has no sentences in a known layout",
        ),
    ],
)
def test_a_broken_file_is_refused_in_a_sentence(
    tmp_path: Path, name: str, text: str, reason: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=reason):
        dataset(tmp_path / name)


def test_the_refusal_says_what_is_known(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("?\n")
    with pytest.raises(InputError) as refused:
        dataset(tmp_path / "a.txt")
    assert all(f"{name}: {looks}" in str(refused.value) for name, looks in KNOWN_LAYOUTS.items())


def test_parallel_files_of_different_length_are_refused(tmp_path: Path) -> None:
    write(tmp_path, GENEVAL | {"geneval-sentences-masculine-dev.en_es.es": "Es actor.\n"})
    with pytest.raises(InputError, match=r"masculine-dev\.en_es\.es has 1 lines, fewer than"):
        dataset(tmp_path)
    write(tmp_path, GENEVAL | CONTEXT)
    (tmp_path / "geneval-context-wikiprofessions-2to1-test.en_fr.en").write_text("A.\nB.\n")
    with pytest.raises(InputError, match="line 1, has no <sep>"):
        dataset(tmp_path)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("9,baker,La panadera.,Y,F,", "has the index '9', which"),
        ("x,baker,La panadera.,Y,F,", "has the index 'x', which"),
        ("0,nurse,La panadera.,Y,F,", "is about 'nurse', but that sentence of"),
    ],
)
def test_annotations_of_other_sentences_are_refused(tmp_path: Path, row: str, reason: str) -> None:
    header = HUMAN.splitlines()[0]
    write(tmp_path, {"en.txt": WINOMT, "es.in.csv": f"{header}\n{row}\n"})
    with pytest.raises(InputError, match=reason):
        dataset(tmp_path)


def test_languages_without_nouns_are_said(tmp_path: Path) -> None:
    files = {"en.txt": WINOMT, "he.in.csv - he.in.csv": HUMAN, "es.in - es.in.csv": HUMAN}
    found = dataset(write(tmp_path, files))
    assert any("left out, because there are no nouns for he" in note for note in found.notes)
    assert {each.language for each in found.items if each.human} == {"es"}
    with pytest.raises(InputError, match="no list of nouns for the language 'nl'"):
        dataset(tmp_path, languages=("nl",))
    with pytest.raises(InputError, match="no language 'Spanish'"):
        dataset(tmp_path, languages=("Spanish",))
    write(tmp_path, {"x.csv": HUMAN})
    with pytest.raises(InputError, match="does not show its language"):
        dataset(tmp_path)


def test_other_encodings_are_refused(tmp_path: Path) -> None:
    for encoding in ("utf-16", "latin-1"):
        (tmp_path / "a.txt").write_bytes("male\t1\tDécès.\tbaker\n".encode(encoding))
        with pytest.raises(InputError, match="is not UTF-8"):
            dataset(tmp_path / "a.txt")


def test_many_rows_take_no_more_memory(tmp_path: Path) -> None:
    path = tmp_path / "en.txt"
    with path.open("w", encoding="utf-8") as file:
        for _ in range(2_000):
            file.write(WINOMT)
    tracemalloc.start()
    try:
        found = dataset(path, languages=("es",))
        assert sum(1 for _ in found.items) == 6_000
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


# --- translations made elsewhere -------------------------------------------------------------


def texts(path: Path, data: Path, **settings: Any) -> dict[str, str]:
    found = read_answers(path, dataset(data, **settings), OURS)
    return {item.id: answers[0].answer.only for item, answers in found if answers}  # type: ignore[union-attr]


def test_lines_with_their_source(tmp_path: Path) -> None:
    data = write(tmp_path / "data", {"en.txt": WINOMT})
    lines = [f"{line.split(chr(9))[2]} ||| {n}" for n, line in enumerate(WINOMT.splitlines())]
    write(tmp_path / "out", {"en-es.txt": "\n".join(reversed(lines)), "en-fr.txt": lines[0]})
    assert texts(tmp_path / "out", data) == {
        "es-winomt-1": "0", "es-winomt-2": "1", "es-winomt-3": "2", "fr-winomt-1": "0",
    }  # fmt: skip
    again = write(tmp_path / "out", {"other.en-es.txt": lines[0]}) / "other.en-es.txt"
    with pytest.raises(InputError, match=r"translates 1 sentences that another file in .* also"):
        texts(tmp_path / "out", data)
    again.unlink()
    (tmp_path / "out" / "en-es.txt").write_text("Another sentence. ||| x\n")
    with pytest.raises(InputError, match="line 1, translates a sentence that is not in the data"):
        texts(tmp_path / "out", data)


def test_lines_in_the_order_of_the_data(tmp_path: Path) -> None:
    data = write(tmp_path / "data", GENEVAL)
    answers = write(tmp_path, {"hyp-feminine.es": "uno\n\n", "all.es": "a\nb\nc\nd\n"})
    assert list(texts(answers / "hyp-feminine.es", data).values()) == ["uno", ""]
    assert list(texts(answers / "all.es", data).values()) == ["a", "b", "c", "d"]
    (answers / "all.es").write_text("a\n")
    with pytest.raises(InputError, match="has 1 lines, but there are 4 sentences"):
        texts(answers / "all.es", data)
    write(tmp_path, {"data/en.txt": WINOMT, "mystery.out": "a\n"})
    with pytest.raises(InputError, match="does not show its language"):
        texts(tmp_path / "mystery.out", data)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([{"id": "es-winomt-9", "text": "x"}], "which is not in the data"),
        ([{"id": "es-winomt-1", "text": "x"}] * 2, "translates 'es-winomt-1' a second time"),
        ([{"id": "es-winomt-1"}], "lacks `id` or `text`"),
    ],
)
def test_rows_that_fit_nothing_are_refused(
    tmp_path: Path, rows: Sequence[dict[str, str]], reason: str
) -> None:
    data = write(tmp_path / "data", {"en.txt": WINOMT})
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match=reason):
        texts(tmp_path / "answers.jsonl", data)


def test_scores_of_a_file_have_the_agreement_with_people(tmp_path: Path) -> None:
    files = {"en.txt": WINOMT, "human_annotations/es.in - es.in.csv": HUMAN}
    data = write(tmp_path / "data", files)
    answers = tmp_path / "en-es.txt"
    answers.write_text("La panadera sonrió.\nLa panadera sonrió.\nEl invitado llegó tarde.\n")
    metrics = {
        row["metric"]: row
        for row in epicene.score("translation", answers, data=data).metrics().to_dicts()
    }
    assert metrics["WinoMT es accuracy"]["value"] == pytest.approx(1 / 3)
    assert metrics["judge es"]["value"] == 1
    assert metrics["judge es"]["n"] == 2
