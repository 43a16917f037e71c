"""Sets of pairs by seed, and a check that catches every way to break them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from epicene.runs.dataset_builder import BuildConfig, build_dataset
from epicene.suites import DataSource
from epicene.suites.alternations import suite
from epicene.suites.alternations.checks import check
from epicene.suites.alternations.construction import build_pairs, pair_row
from epicene.suites.alternations.data import STARTER, read_pairs
from epicene.suites.alternations.items import Pair
from epicene.suites.alternations.protocol import PROTOCOLS
from runs.conftest import Silent

PROTOCOL = PROTOCOLS["epicene"]


def findings(pairs: list[Pair]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for finding in check(pairs, PROTOCOL):
        assert finding.severity == "error"
        found.setdefault(finding.place, []).append(finding.message)
    return found


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    return list(build_pairs(0))


def changed(pairs: list[Pair], name: str, **fields: object) -> list[Pair]:
    """The set with one pair changed; a column by its name with _ for the space."""
    columns = {key.replace("_", " "): value for key, value in fields.items()}
    made = []
    for pair in pairs:
        if pair.id == name:
            own = {key: value for key, value in fields.items() if key in Pair.__struct_fields__}
            others = {key: str(value) for key, value in columns.items() if key in pair.columns}
            assert own or others
            pair = msgspec.structs.replace(pair, **own, columns={**pair.columns, **others})
        made.append(pair)
    return made


def reworded(pairs: list[Pair], name: str, old: str, new: str) -> list[Pair]:
    """The set with a word of one pair replaced in both sentences."""
    (pair,) = (pair for pair in pairs if pair.id == name)
    assert old in pair.good
    good, bad, prefix = (
        " ".join(text.replace(old, new).split()) for text in (pair.good, pair.bad, pair.prefix)
    )
    return changed(pairs, name, good=good, bad=bad, prefix=prefix)


# --- what is built ---------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_every_seed_keeps_to_the_design(seed: int) -> None:
    assert findings(list(build_pairs(seed))) == {}


def test_another_seed_is_another_set() -> None:
    first, second = ({pair.good for pair in build_pairs(seed)} for seed in (0, 1))
    assert len(first & second) < len(first) / 4
    assert [pair.good for pair in build_pairs(1)] == [pair.good for pair in build_pairs(1)]


def test_numbers(pairs: list[Pair]) -> None:
    assert len(pairs) == 56 * 4
    assert Counter(pair.phenomenon for pair in pairs) == dict.fromkeys(
        ("DV", "SV", "No Case(E)", "No Case(I)"), 56
    )
    lengths = {
        variant: {len(pair.good.split()) for pair in pairs if pair.phenomenon == variant}
        for variant in ("DV", "SV", "No Case(E)", "No Case(I)")
    }
    assert lengths == {
        "DV": {9, 10, 11}, "SV": {9, 10, 11}, "No Case(E)": {8, 9, 10}, "No Case(I)": {7, 8, 9},
    }  # fmt: skip


def test_the_starter_set_is_the_first_seed(pairs: list[Pair]) -> None:
    lines = (STARTER / "hindi.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [pair_row(pair) for pair in pairs]


def test_a_file_gives_back_the_same_pairs(pairs: list[Pair]) -> None:
    assert list(read_pairs(STARTER / "hindi.jsonl", {}, "")) == pairs


def test_one_verb_in_all_variants(pairs: list[Pair]) -> None:
    """What the frame of a verb becomes, checked against the table by hand for its shape."""
    dv, sv, e, i = (pair for pair in pairs if pair.group == "kat")
    causer, ne, causee, se, tool, se_too, patient, gold, aux = sv.good.split()
    assert (ne, se, se_too) == ("ने", "से", "से")
    assert sv.bad == f"{sv.prefix} {gold.replace('वाई', 'ी').replace('वाया', 'ा')} {aux}"
    assert dv.good == sv.good
    assert dv.bad.split()[:-2] == sv.bad.split()[:-2]
    assert i.good == f"{causer} ने {causee} से {patient} {gold} {aux}"
    ending, was = ("ता", "था") if e.columns["causer gender"] == "masculine" else ("ती", "थी")
    assert e.good == f"{causer} {causee} से {tool} से {patient} कटवा{ending} {was}"
    assert e.bad == f"{causer} {causee} से {tool} से {patient} कट{ending} {was}"


def test_build_command(tmp_path: Path) -> None:
    order = BuildConfig(suite=suite, folder=tmp_path, settings={"seed": "3"}, models={})
    said = list(build_dataset(order, Silent()))
    assert said[-1] == "224 items, 0 findings."
    read = suite.read(DataSource(path=tmp_path / "pairs.jsonl"), PROTOCOL)
    assert list(read.items) == list(build_pairs(3))
    assert (tmp_path / "paradigms.csv").read_text(encoding="utf-8").count("\n") > 1000


# --- what the check catches --------------------------------------------------------------------


def test_verb_that_does_not_agree(pairs: list[Pair]) -> None:
    (pair,) = (pair for pair in pairs if pair.id == "sv-kha")
    gold = {"खिलवाई": "खिलवाया", "खिलवाया": "खिलवाई"}[pair.gold]
    wrong = changed(pairs, "sv-kha", good=f"{pair.prefix} {gold} {pair.after}", gold=gold)
    assert findings(wrong) == {"sv-kha": [f"its verb is {gold}, but {pair.gold} agrees."]}


def test_auxiliary_that_does_not_agree(pairs: list[Pair]) -> None:
    wrong = reworded(pairs, "sv-nach", " था", " थी")
    assert "sv-nach" in findings(wrong)
    assert "its last word is थी, but था agrees." in findings(wrong)["sv-nach"]


def test_other_verb_that_is_not_the_base(pairs: list[Pair]) -> None:
    (pair,) = (pair for pair in pairs if pair.id == "sv-nach")
    wrong = changed(pairs, "sv-nach", bad=f"{pair.prefix} नचाया था")
    assert findings(wrong) == {"sv-nach": ["the other verb is नचाया, but नाचा agrees."]}


def test_different_verb_of_the_same_valency(pairs: list[Pair]) -> None:
    (pair,) = (pair for pair in pairs if pair.id == "dv-nach")
    wrong = changed(pairs, "dv-nach", bad=f"{pair.prefix} सोया था")
    message = "the other verb, सोया, is no agreeing base form of a verb of other valency."
    assert findings(wrong) == {"dv-nach": [message]}


def test_missing_case_and_words(pairs: list[Pair]) -> None:
    wrong = reworded(pairs, "sv-so", " ने ", " ")
    assert findings(wrong)["sv-so"] == [
        "it has 9 words instead of 10.",
        "it has 0 times ने instead of 1.",
    ]


def test_prefix_that_is_not_shared(pairs: list[Pair]) -> None:
    (pair,) = (pair for pair in pairs if pair.id == "i-likh")
    wrong = changed(pairs, "i-likh", bad=f"अब {pair.bad}")
    message = "its sentences differ in more than the last word but one."
    assert findings(wrong) == {"i-likh": [message]}


def test_unknown_verb_and_wrong_class(pairs: list[Pair]) -> None:
    assert (
        "the table has no verb calnā." in findings(changed(pairs, "sv-so", verb="calnā"))["sv-so"]
    )
    found = findings([*pairs[:-1], msgspec.structs.replace(
        pairs[-1], columns={**pairs[-1].columns, "class": "transitive"}
    )])  # fmt: skip
    assert found[pairs[-1].id] == ["parosnā is ditransitive, ditransitive."]
    assert found["No Case(I)"] == [
        "11 transitive verbs instead of 10.",
        "4 ditransitive verbs instead of 5.",
    ]


def test_gender_that_is_not_the_nouns(pairs: list[Pair]) -> None:
    (pair,) = (pair for pair in pairs if pair.id == "sv-so")
    other = {"feminine": "masculine", "masculine": "feminine"}[pair.columns["causer gender"]]
    found = findings(changed(pairs, "sv-so", causer_gender=other))
    causer = pair.good.split()[0]
    assert found["sv-so"] == [f"the table gives sonā no {other} causer {causer} in this form."]
    assert "they should be equally many." in found["SV"][0]


@pytest.mark.parametrize(
    ("name", "place", "word", "message"),
    [
        ("sv-kha", 2, "राजा", "the table gives khānā no causee राजा in this form."),
        ("e-kha", 3, "क्रेन", "the table gives khānā no instrument क्रेन in this form."),
        ("i-kha", 4, "बच्चा", "the table gives khānā no recipient बच्चा in this form."),
        ("sv-kha", 8, "पानी", "the table gives khānā no feminine patient पानी in this form."),
        ("dv-kha", 4, "को", "it names 4 people and things instead of 5."),
    ],
)
def test_people_and_things_that_are_not_in_the_table(
    pairs: list[Pair], name: str, place: int, word: str, message: str
) -> None:
    (pair,) = (pair for pair in pairs if pair.id == name)
    sentences = []
    for text in (pair.good, pair.bad, pair.prefix):
        words = text.split()
        words[place] = word
        sentences.append(" ".join(words))
    good, bad, prefix = sentences
    assert message in findings(changed(pairs, name, good=good, bad=bad, prefix=prefix))[name]


def test_causer_that_the_bad_verb_could_agree_past(pairs: list[Pair]) -> None:
    (pair,) = (pair for pair in pairs if pair.id == "e-kat")
    same = {"feminine": "मालकिन", "masculine": "ज़मींदार"}[pair.columns["patient gender"]]
    wrong = reworded(pairs, "e-kat", pair.good.split()[0], same)
    wrong = changed(wrong, "e-kat", causer_gender=pair.columns["patient gender"])
    message = "causer and patient have one gender, so the bad habitual could agree with either."
    assert message in findings(wrong)["e-kat"]


def test_wrong_ko(pairs: list[Pair]) -> None:
    found = findings(changed(pairs, "sv-so", patient_ko="no"))
    assert found == {"sv-so": ["the patient of sonā takes को."]}


def test_repeated_and_missing_verbs(pairs: list[Pair]) -> None:
    again = msgspec.structs.replace(pairs[0], id="again")
    found = findings([*pairs, again])
    assert found["again"] == ["it repeats dv-nach."]
    assert "nācnā comes 2 times." in found["DV"]
    assert findings(pairs[1:])["DV"][0] == "12 unergative verbs instead of 13."


def test_rare_verb(pairs: list[Pair], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epicene.suites.alternations.checks.has_frequencies", lambda _: True)
    monkeypatch.setattr(
        "epicene.suites.alternations.checks.zipf_value", lambda verb: len(verb.base) / 1
    )
    found = findings(pairs)
    assert found["sonā"] == ["its commonest form has a Zipf value of 2.0, below 3.0."]
    assert "parakhnā" not in found


# --- any pairs -----------------------------------------------------------------------------------


def test_faults_of_any_pairs() -> None:
    made = [
        Pair(id="same", good="Two cats sleep.", bad="Two cats sleep."),
        Pair(id="space", good="Two cats purr.", bad="Two  cats purr."),
        Pair(id="encoding", good="Un café", bad="Un cafe\u0301"),
        Pair(id="empty", good="A dog barks.", bad=" "),
        Pair(id="mixed", good="The dоg barks.", bad="The dog bark."),  # a Cyrillic о
        Pair(id="fine", good="The cats sleep.", bad="The cats sleeps."),
        Pair(id="reversed", good="The cats sleeps.", bad="The cats sleep."),
        Pair(id="gap", good="अ आ इ", bad="अ ऊ इ", prefix="अ", gold="ई", after="इ"),
        Pair(id="japanese", good="猫がテレビを見る", bad="猫がテレビを見"),
    ]
    assert findings(made) == {
        "same": ["its sentences are the same."],
        "space": ["its sentences differ in white space only."],
        "encoding": ["its sentences differ in encoding only."],
        "empty": ["one of its sentences is empty."],
        "mixed": ["dоg mixes Cyrillic and Latin letters."],
        "fine": ["its bad sentence is the acceptable one of reversed."],
        "reversed": ["its bad sentence is the acceptable one of fine."],
        "gap": ["its prefix, its verb and what follows do not make up its acceptable sentence."],
    }
