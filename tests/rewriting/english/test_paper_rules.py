"""The published rewriting, faults included."""

from __future__ import annotations

import pytest

from epicene.core.errors import InputError
from epicene.languages.pronouns import PronounSet, find_pronoun_set
from epicene.rewriting.english import pipelines
from epicene.rewriting.english.paper_rules import PaperRules, choose_by_rule, pluralize, singularize
from epicene.rewriting.english.routes import Route

PLURALS = (
    "is are was were has have does do goes go quizzes quiz tries try dies dy lies ly ties ty "
    "catches catch uses us closes clos chooses choos loses los realizes realiz passes pass "
    "watches watch pushes push fixes fix boxes box axes ax plays play says say pays pay works work "
    "loves love echoes echoe focuses focus raises rais runs run"
).split()
SINGULARS = (
    "are is were was have has do does go goes quiz quizzes try tries play plaies say saies "
    "pay paies stay staies enjoy enjoies buy buies die dies use uses us uses close closes "
    "clos closes realize realizes realiz realizes pass passes watch watches push pushes fix fixes "
    "box boxes work works love loves echo echos running runnings be bes been beens being beings"
).split()


@pytest.mark.parametrize(("verb", "plural"), list(zip(PLURALS[::2], PLURALS[1::2], strict=True)))
def test_pluralize(verb: str, plural: str) -> None:
    assert pluralize(verb) == plural


@pytest.mark.parametrize(
    ("verb", "singular"), list(zip(SINGULARS[::2], SINGULARS[1::2], strict=True))
)
def test_singularize(verb: str, singular: str) -> None:
    assert singularize(verb) == singular


# The dataset's own forms of xe.
XE = PronounSet(
    name="xe",
    nominative="xe",
    accusative="xir",
    dependent="xir",
    independent="xirs",
    reflexive="xirself",
)


@pytest.fixture(scope="session")
def rules(spacy_route: Route) -> PaperRules:
    sets = {name: find_pronoun_set(name) for name in ("he", "she", "they")} | {"xe": XE}
    return PaperRules(pipelines.load(), sets)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Then she left and he stayed.", "Then she left and "),
        ("Then she left.", "Then she left."),
        ("Nobody left.", "Nobody left."),
        ("a non-binary singer, and she left", "a non-binary singer, and "),
        ("She is non-binary.", "She is non-"),
        ("Xe saw xirself.", "Xe saw "),
        ("She hurt themselves, he said", "She hurt themselves, "),
    ],
)
def test_truncated_before_the_second_pronoun(rules: PaperRules, text: str, kept: str) -> None:
    assert rules.truncate(text) == kept


@pytest.mark.parametrize(
    ("text", "mapped"),
    [
        ("Xe left.", "She left."),
        ("I saw XIR there.", "I saw HER there."),
        ("It is xirs.", "It is hers."),
        ("by xirself", "by herself"),
        ("She left.", "She left."),
    ],
)
def test_xe_becomes_she(rules: PaperRules, text: str, mapped: str) -> None:
    assert rules.without_xe(text) == mapped


@pytest.mark.parametrize(
    ("text", "neutral"),
    [
        ("She walks home.", "They walk home."),
        ("He uses a pen.", "They us a pen."),
        ("She has seen it.", "They have seen it."),
        ("He was late.", "They were late."),
        ("I like her dog.", "I like their dog."),
        ("I saw her.", "I saw them."),
        ("HER dog is here.", "THEIR dog is here."),
        ("It is his.", "It is theirs."),
        ("He hurt himself.", "They hurt themself."),
        ("He's late.", "They're late."),
        ("She's been late.", "They've been late."),
        ("She’s late.", "They’ late."),  # only the straight apostrophe is known
    ],
)
def test_neutralised(rules: PaperRules, text: str, neutral: str) -> None:
    assert rules.neutralise(text) == neutral


def test_all_contractions_of_one_spelling_go_together(rules: PaperRules) -> None:
    asked = []

    def choose(have: str, are: str) -> str:
        asked.append((have, are))
        return are

    chosen = PaperRules(rules.nlp, rules.sets, choose)
    assert (
        chosen.neutralise("So he's in, he's out; He's up.")
        == "So they're in, they're out; They're up."
    )
    assert asked == [
        ("So they've in, they've out; He's up.", "So they're in, they're out; He's up."),
        ("So they're in, they're out; They've up.", "So they're in, they're out; They're up."),
    ]


def test_a_contraction_alone_cannot_be_neutralised(rules: PaperRules) -> None:
    with pytest.raises(InputError, match="alone"):
        rules.neutralise("he's")
    assert rules.candidates("he's") is None


@pytest.mark.parametrize(
    ("text", "he", "xe"),
    [
        ("They walk home.", "He walks home.", "Xe walks home."),
        ("They play.", "He plaies.", "Xe plaies."),
        ("We're late for them.", "We's late for him.", "We's late for xir."),
        ("THEIR dog is here.", "HIS dog is here.", "XIR dog is here."),
        ("They have gone.", "He has gone.", "Xe has gone."),
    ],
)
def test_template(rules: PaperRules, text: str, he: str, xe: str) -> None:
    template = rules.template(text)
    assert template is not None
    assert template.fill(find_pronoun_set("he")) == he
    assert template.fill(XE) == xe


def test_candidates(rules: PaperRules) -> None:
    assert rules.candidates("In 2017, xe plays the lead and xe sings.") == {
        "he": "In 2017, he plaies the lead and ",
        "she": "In 2017, she plaies the lead and ",
        "they": "In 2017, they play the lead and ",
        "xe": "In 2017, xe plaies the lead and ",
    }
    assert rules.candidates("Nobody came.") is None
    assert rules.candidates("the first non-binary singer, and she won") is None


@pytest.mark.parametrize(
    ("have", "are", "right"),
    [
        ("So they've been in.", "So they're been in.", "So they've been in."),
        ("So they've late.", "So they're late.", "So they're late."),
        ("THEY'VE HAD IT", "THEY'RE HAD IT", "THEY'VE HAD IT"),
    ],
)
def test_our_own_choice(have: str, are: str, right: str) -> None:
    assert choose_by_rule(have, are) == right


class Parsing(PaperRules):
    """The rules, parsing every text."""

    def _read(self, text: str, _asking: object) -> object:
        return self.nlp(text)


def test_no_parse_is_needed_where_none_is_made(
    rules: PaperRules, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = Parsing(rules.nlp, rules.sets)
    parsed = 0
    nlp = rules.nlp

    def counted(text: object) -> object:
        nonlocal parsed
        parsed += 1
        return nlp(text)

    monkeypatch.setattr(counted, "make_doc", nlp.make_doc, raising=False)
    monkeypatch.setattr(rules, "nlp", counted)
    forms = sorted({form for each in rules.sets.values() for form in each.forms} | {"nobody"})
    sentences = (
        "Yesterday {} came home and was tired.",
        "We saw {} twice, and it has been sung.",
        "That is {} book, that one too",
        "{}'s late; they've gone without {}.",
        "“{}”: so they said it.",
    )
    texts = [each.format(form, form) for each in sentences for form in forms]
    texts += [text.replace(form, form.upper()) for text in texts for form in ("xir", "his")]
    assert [rules.candidates(text) for text in texts] == [every.candidates(text) for text in texts]
    assert 0 < parsed < len(texts)
