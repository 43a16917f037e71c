"""Hindi words alone: their forms, their spellings, the verbs they make."""

from __future__ import annotations

import pytest

from epicene.rewriting.hindi import inflection
from epicene.rewriting.hindi.conjugation import analyse_verb
from epicene.rewriting.hindi.inflection import Cell, analyse_agreeing_form, is_agreeing_adjective
from epicene.rewriting.hindi.line import read_line
from epicene.rewriting.hindi.spelling import Style, key, style_of
from epicene.rewriting.hindi.verb_complexes import VerbComplex, find_verb_complexes
from epicene.rewriting.persons import Gender

PLAIN = Style(glide=False, candrabindu=True, composed=False)
CELLS: tuple[Cell, ...] = ("ms", "mp", "fs", "fp")


@pytest.mark.parametrize(
    ("verb", "forms"),
    [
        (True, ("करता", "करते", "करती", "करतीं")),
        (True, ("था", "थे", "थी", "थीं")),
        (True, ("गया", "गए", "गई", "गईं")),
        (True, ("सोया", "सोए", "सोई", "सोईं")),
        (True, ("हुआ", "हुए", "हुई", "हुईं")),
        (True, ("किया", "किए", "की", "कीं")),
        (True, ("पिया", "पिए", "पी", "पीं")),
        (True, ("पला-बढ़ा", "पले-बढ़े", "पली-बढ़ी", "पली-बढ़ीं")),
        (False, ("अच्छा", "अच्छे", "अच्छी")),
        (False, ("नया", "नए", "नई")),
        (False, ("का", "के", "की")),
        (False, ("मेरा", "मेरे", "मेरी")),
        (False, ("पाँचवाँ", "पाँचवें", "पाँचवीं")),
        (False, ("थका-हारा", "थके-हारे", "थकी-हारी")),
        (False, ("छोटा-सा", "छोटे-से", "छोटी-सी")),
        (True, ("जाऊँगा", "जाऊँगे", "जाऊँगी")),
        (True, ("होगा", "होगे", "होगी")),
    ],
)
def test_each_form_gives_all_others(verb: bool, forms: tuple[str, ...]) -> None:
    for cell, form in zip(CELLS, forms, strict=False):
        parts = analyse_agreeing_form(form, verb=verb)
        assert parts is not None
        assert parts.cell == cell
        assert tuple(parts.form(each, PLAIN) for each in CELLS[: len(forms)]) == forms


@pytest.mark.parametrize("word", ["डॉक्टर", "करता/ती", "गया(ई)", "हूँ", "और", "", "5", "-"])
def test_what_does_not_agree_has_no_forms(word: str) -> None:
    assert analyse_agreeing_form(word) is None


@pytest.mark.parametrize(
    "spellings",
    [
        ("हूँ", "हूं"),
        ("लड़का", "लड\u093cका", "\u0932\u095c\u0915\u093e", "लडका"),
        ("गयी", "गई"),
        ("जायेगा", "जाएगा"),
        ("चाहिये", "चाहिए"),
        ("हिन्दी", "हिंदी"),
        ("सम्पादक", "संपादक"),
        ("जाउंगा", "जाऊँगा"),
        ("पढ़\u200dता", "पढ़ता"),
    ],
)
def test_spellings_of_one_word_have_one_key(spellings: tuple[str, ...]) -> None:
    assert len({key(spelling) for spelling in spellings}) == 1


def test_different_words_keep_different_keys() -> None:
    words = ["मैं", "में", "है", "हैं", "थी", "थीं", "की", "कि", "ये", "यह", "गया", "गए", "गई", "गईं"]
    assert len({key(word) for word in words}) == len(words)


def test_the_style_of_a_line() -> None:
    assert style_of("मैं गयी हूँ") == Style(glide=True, candrabindu=True, composed=False)
    assert style_of("मैं गई हूं") == Style(glide=False, candrabindu=False, composed=False)
    assert style_of("\u0932\u095c\u0915\u093e").composed


@pytest.mark.parametrize(
    ("noun", "gender", "forms"),
    [
        ("लड़का", "masculine", "लड़का लड़के लड़के लड़कों"),
        ("शिक्षक", "masculine", "शिक्षक शिक्षक शिक्षक शिक्षकों"),
        ("आदमी", "masculine", "आदमी आदमी आदमी आदमियों"),
        ("साधु", "masculine", "साधु साधु साधु साधुओं"),
        ("लड़की", "feminine", "लड़की लड़की लड़कियाँ लड़कियों"),
        ("महिला", "feminine", "महिला महिला महिलाएँ महिलाओं"),
        ("औरत", "feminine", "औरत औरत औरतें औरतों"),
        ("बहू", "feminine", "बहू बहू बहुएँ बहुओं"),
        ("बुढ़िया", "feminine", "बुढ़िया बुढ़िया बुढ़ियाँ बुढ़ियों"),
    ],
)
def test_declension(noun: str, gender: Gender, forms: str) -> None:
    assert inflection.decline(noun, gender) == tuple(forms.split())


def test_a_fixed_noun_is_not_inflected() -> None:
    assert inflection.decline("राजा", "masculine", fixed=True) == ("राजा", "राजा", "राजा", "राजाओं")


@pytest.mark.parametrize(
    ("word", "gender", "case", "wanted"),
    [
        ("शिक्षक", "feminine", "direct", "शिक्षिका"),
        ("शिक्षिकाओं", "masculine", "oblique plural", "शिक्षकों"),
        ("बेटे", "feminine", "oblique", "बेटी"),
        ("बेटे", "feminine", "direct plural", "बेटियाँ"),
        ("बेटी", "masculine", "oblique", "बेटे"),
        ("लडका", "feminine", "direct", "लडकी"),  # no dot before, none after
        ("पिता", "feminine", "direct", "माँ"),
        ("पिताजी", "feminine", "direct", "माताजी"),
        ("मम्मी", "masculine", "direct", "पापा"),
        ("डॉक्टर", "feminine", "direct", "डॉक्टर"),
        ("निदेशक", "feminine", "direct", "निदेशक"),  # seldom निदेशिका,
        ("निदेशिका", "masculine", "direct", "निदेशक"),  # yet that comes back
    ],
)
def test_nouns_of_people(word: str, gender: Gender, case: inflection.Case, wanted: str) -> None:
    reading = inflection.person_noun(key(word))
    assert reading is not None
    assert inflection.inflect_noun(word, reading, gender, case, PLAIN) == wanted


def test_no_noun_of_people_is_a_thing() -> None:
    assert inflection.person_noun(key("सालों")) is None  # of साल, not of साला
    assert inflection.thing_gender(key("किताबें")) == "feminine"
    assert inflection.thing_gender(key("रास्ते")) == "masculine"
    assert inflection.abstract_noun_gender(key("मानवता")) == "feminine"


def test_adjectives_that_agree() -> None:
    assert all(
        is_agreeing_adjective(key(word))
        for word in "अच्छा थकी-हारी शर्मीले सब्ज़ीवाली पाँचवाँ छोटी-सी".split()
    )
    assert not any(
        is_agreeing_adjective(key(word))
        for word in "आलसी ज़्यादा बढ़िया ग्वाला दिवाली ज्वाला खुश".split()
    )


@pytest.mark.parametrize(
    ("word", "stem", "shape"),
    [
        ("करता", "कर", "imperfective"),
        ("गई", "जा", "perfective"),
        ("दी", "दे", "perfective"),
        ("दूँगा", "दे", "future"),
        ("पिऊँगा", "पी", "future"),
        ("पली-बढ़ी", "बढ", "perfective"),
        ("बैठे-बैठे", "", ""),
        ("किताब", "", ""),
        ("जाने", "जा", "infinitive"),
        ("देखकर", "देख", "conjunctive"),
        ("करनेवाला", "कर", "agentive"),
    ],
)
def test_verb_forms(word: str, stem: str, shape: str) -> None:
    found = {(form.stem, form.shape) for form in analyse_verb(key(word))}
    assert (stem, shape) in found if stem else not found


def verbs(text: str) -> list[tuple[str, VerbComplex]]:
    line = read_line(text)
    return [
        (" ".join(word.text for word in line.tokens[each.first : each.last + 1]), each)
        for each in find_verb_complexes(line)
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("मैं घर जाता हूँ।", ["जाता हूँ"]),
        ("मैं नहीं जा रहा था।", ["जा रहा था"]),
        ("वह चला गया और मैं सो गया।", ["चला गया", "सो गया"]),
        ("मुझे जाना पड़ा।", ["जाना पड़ा"]),
        ("मैं जाने ही वाला था।", ["जाने ही वाला था"]),
        ("मैं वहाँ जाया करता था।", ["जाया करता था"]),
        ("मैं बीस साल की थी।", ["थी"]),  # की is a genitive here
        ("मैंने बात की थी।", ["की थी"]),  # and a verb here
        ("मैं रोते हुए घर गया।", ["गया"]),
        ("मैं मेहनती हूँ।", ["हूँ"]),
        ("मैं झुटपुटाता हूँ।", ["झुटपुटाता हूँ"]),  # of no known verb
    ],
)
def test_where_verbs_begin_and_end(text: str, found: list[str]) -> None:
    assert [words for words, _ in verbs(text)] == found


@pytest.mark.parametrize(
    ("text", "ergative", "obligation", "valency"),
    [
        ("मैंने खाना खाया।", True, False, "transitive"),
        ("मैंने खाना खा लिया है।", True, False, "transitive"),
        ("मैं खाना खा चुका हूँ।", False, False, "transitive"),
        ("मैं रास्ता भूल गया।", False, False, "transitive"),
        ("मैं सो गया।", False, False, "intransitive"),
        ("मैं चुना गया।", False, False, "passive"),
        ("मैं खुश हुआ।", False, False, "copular"),
        ("मुझे किताब पढ़नी है।", False, True, "transitive"),
        ("मुझे जाना चाहिए था।", False, True, "intransitive"),
    ],
)
def test_what_a_verb_agrees_with(text: str, ergative: bool, obligation: bool, valency: str) -> None:
    ((_, verb),) = verbs(text)
    assert (verb.ergative, verb.obligation, verb.valency) == (ergative, obligation, valency)
