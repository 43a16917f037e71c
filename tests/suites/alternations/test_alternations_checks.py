"""Data checks: every way to break a pair or a set is found."""

from __future__ import annotations

import msgspec
import pytest

from epicene.suites.alternations.checks import check
from epicene.suites.alternations.construction import build_pairs
from epicene.suites.alternations.items import Pair
from epicene.suites.alternations.protocol import PROTOCOLS

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
