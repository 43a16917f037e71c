"""Verb complexes: a verb with its auxiliaries, from जा to जाया करता रहा होगा.

They are found at their right end, which is a finite form, or a participle at the end of a clause,
and are read from there to the left.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.rewriting.hindi import lexicon
from epicene.rewriting.hindi.conjugation import (
    RARELY_VERBS,
    FinitePerson,
    VerbForm,
    VerbFormType,
    analyse_verb,
    guess_future,
)
from epicene.rewriting.hindi.inflection import (
    Cell,
    cell_gender,
    is_adjective,
    person_noun,
    thing_gender,
)
from epicene.rewriting.hindi.lexicon import function_words, verb_stems

if TYPE_CHECKING:
    from epicene.rewriting.hindi.line import Line

Valency: TypeAlias = Literal["copular", "intransitive", "transitive", "passive"]

# What may stand before a form of a verb: a shape, or a shape in one cell.
_Before: TypeAlias = VerbFormType | tuple[VerbFormType, Cell]
_ANY_PARTICIPLE: tuple[_Before, ...] = ("imperfective", "perfective")
_BEFORE: dict[str, tuple[_Before, ...]] = {
    "हो": (*_ANY_PARTICIPLE, "infinitive", "agentive", "ought"),  # गया होगा, जाना है
    "चाहिए": ("infinitive",),
    "रह": ("stem", *_ANY_PARTICIPLE),  # कर रहा, करता रहा, बैठा रहा
    "जा": ("stem", *_ANY_PARTICIPLE),  # सो गया, चला गया, किया गया
    "आ": ("stem", *_ANY_PARTICIPLE),
    "चल": ("stem", *_ANY_PARTICIPLE),
    "फिर": _ANY_PARTICIPLE,
    "पड": ("stem", "perfective", "infinitive"),  # गिर पड़ा, जला पड़ा, जाना पड़ा
    "लग": (("infinitive", "mp"),),  # जाने लगा
    "दे": ("stem", ("infinitive", "mp")),  # कर दिया, जाने दिया
    "पा": ("stem", ("infinitive", "mp")),
    "चाह": ("infinitive",),
    "वाला": (("infinitive", "mp"),),
    **dict.fromkeys(
        "सक चुक ले डाल रख बैठ उठ निकल पहुंच मर मार छोड भाग दिखा फेंक गुजर बच बन".split(), ("stem",)
    ),
}
# Stems that something may precede: कर पा रहा, किया जा रहा.
_STEMS_IN_THE_MIDDLE = frozenset("जा पा दे ले आ रह डाल सक हो बैठ उठ पड चुक लग".split())


class VerbComplex(NamedTuple):
    """A verb complex: words `first` to `last`, those that agree, and its features."""

    first: int
    last: int
    agreeing: tuple[int, ...]
    main: str  # the stem of the main verb
    valency: Valency
    person: FinitePerson | None  # that the finite form shows
    plural: bool  # whether a form shows the plural
    ergative: bool  # it agrees with its object, and who acts takes ने
    obligation: bool  # करना है, करना पड़ा: who must takes को
    finite: VerbForm


class _FormInLine(NamedTuple):
    at: int
    form: VerbForm


def find_verb_complexes(line: Line) -> list[VerbComplex]:
    """The complexes of a line, in order."""
    found: list[VerbComplex] = []
    at = 0
    while at < len(line):
        end = _finite_form_at(line, at)
        if end is not None:
            start = found[-1].last + 1 if found else 0
            found.append(_read_complex(line, _FormInLine(at, end), start))
        at += 1
    return found


# --- where one ends -------------------------------------------------------------------------


def _finite_form_at(line: Line, at: int) -> VerbForm | None:
    """The finite form with which a complex ends at that word, if it does."""
    word = line[at]
    if line.is_mark(at) or word == "बजे":  # दस बजे
        return None
    forms = analyse_verb(word)
    if not forms:
        return _unknown_future(word)
    always = _always_finite(line, at, forms)
    if always is not None:
        return always
    if word == "हो":
        return forms[0] if _may_end_clause(line, at) else None
    if word == "रह":  # पछताता रह!
        left = any(form.shape == "imperfective" for form in analyse_verb(line[at - 1]))
        return (
            VerbForm("रह", "imperative", None, "third") if left and line.is_mark(at + 1) else None
        )
    if word == "जाने" and line[at - 1] == "न":  # न जाने क्यों
        return None
    if _is_nominal_here(line, at) or _is_adverbial(line, at) or _is_attributive(line, at):
        return None
    if not _may_end_clause(line, at) and not _precedes_final_noun(line, at):
        return None
    return _finite_here(line, at, forms)


def _always_finite(line: Line, at: int, forms: tuple[VerbForm, ...]) -> VerbForm | None:
    """The form, if it is finite in any position: है, था, चाहिए and futures.

    चाहिए था ends with था.
    """
    word = line[at]
    for form in forms:
        goes_on = form.shape == "ought" and line[at + 1] in {"था", "थी", "थे", "थीं"}
        if form.shape in {"copula", "ought"} and not goes_on:
            return form
        if form.shape == "future" and not thing_gender(word) and not person_noun(word):
            return form
    return None


def _finite_here(line: Line, at: int, forms: tuple[VerbForm, ...]) -> VerbForm | None:
    """The participle, subjunctive or imperative that ends a clause."""
    if forms[0].shape == "agentive":
        return forms[0] if _is_infinitive(line, line.before(at)) else None
    infinitive = any(form.shape == "infinitive" for form in forms)
    if infinitive and not any(word.endswith("ने") for word in line.keys[:at]):
        return None  # तुम मत जाना, but मैंने जाना
    for shape in ("imperfective", "perfective", "subjunctive", "imperative"):
        for form in forms:
            if form.shape == shape:
                return form
    return None


def _is_infinitive(line: Line, at: int) -> bool:
    return any(form.shape == "infinitive" for form in analyse_verb(line[at]))


def _unknown_future(word: str) -> VerbForm | None:
    if thing_gender(word) or person_noun(word) or word in function_words().invariable_adjectives:
        return None
    return guess_future(word)


_OPEN_A_CLAUSE = lexicon.ALL_PRONOUNS - lexicon.OBLIQUE_POSSESSIVES - lexicon.OBLIQUE_GROUP_WORDS


def _may_end_clause(line: Line, at: int) -> bool:
    """Whether a clause may end after that word."""
    words = function_words()
    if line[at + 1] == "फिर" and line[at + 2] in {"रहा", "रहे", "रही"}:  # घूमता फिर रहा था
        return False
    after = at + 1
    while line[after] in words.negations or line[after] in {"ही", "भी"}:
        after += 1
    if line[after] == "तक" and line[after + 1] in words.negations:  # बताया तक नहीं
        after += 2
    while line[after] in _POSTPOSED and _may_follow(line, after):
        after += 1
    while line[after] in words.negations:  # आप बैठे क्यों नहीं?
        after += 1
    following = line[after]
    if line.is_mark(after) or following in _OPEN_A_CLAUSE:
        return True
    if following in words.clitics:
        return following == "पर" and not _is_auxiliary(line, after + 1) and line.is_mark(at + 1)
    return following in words.subordinators or following in words.coordinators


# Said after the verb, before the end: तू आया क्यों यहाँ? मर गया रे!
_POSTPOSED = frozenset("क्या क्यों आज अब अभी कल यार रे भाई यहां वहां इधर उधर कब कहां".split())


def _may_follow(line: Line, at: int) -> bool:
    following = line[at + 1]
    said = _POSTPOSED | lexicon.SECOND_PRONOUNS | lexicon.FIRST_PRONOUNS | {"नहीं"}
    return line.is_mark(at + 1) or following in said


def _is_adverbial(line: Line, at: int) -> bool:
    """Whether the participle is adverbial, without a clause of its own: करते हुए, बिना पूछे."""
    if _is_done_without(line, at):
        return True
    return line[at] == "हुए" and any(form.cell == "mp" for form in analyse_verb(line[at - 1]))


_MAX_WORDS_WITHOUT = 4  # between बिना and its participle


def _is_done_without(line: Line, at: int) -> bool:
    """Whether the participle depends on बिना: बिना बताए, बिना किसी से कुछ कहे."""
    if not any(form.shape == "perfective" and form.cell == "mp" for form in analyse_verb(line[at])):
        return False
    for before in range(at - 1, at - 2 - _MAX_WORDS_WITHOUT, -1):
        if line.is_mark(before) or line[before] == "के":
            return False
        if any(form.shape == "perfective" for form in analyse_verb(line[before])):
            return False  # बिना सूचना दिए पहुँचे
        if line[before] in {"बिना", "बगैर", "बिन"}:  # but बिना सूचना अनुपस्थित पाए गए
            return before == at - 1 or "गए" not in {line[at], line[at + 1]}
    return False


def _is_attributive(line: Line, at: int) -> bool:
    """Whether वाला or a participle modifies what follows: हकलाने वाली यह कलाकार, पास बैठा वह लड़का."""
    pronoun = line[at + 1] in {"यह", "वह", "वो", "ये", "वे"}
    if pronoun and line[at - 1] in function_words().postpositions:
        return person_noun(line[at + 2]) is not None
    if not line[at].startswith("वाल"):
        return False
    noun = at + 2 if line[at + 1] in {"यह", "वह", "वो", "ये", "वे"} else at + 1
    return person_noun(line[noun]) is not None or (noun > at + 1 and bool(thing_gender(line[noun])))


def _precedes_final_noun(line: Line, at: int) -> bool:
    """Whether a noun postposed to the verb ends the sentence: बन गया डॉक्टर."""
    headline = line[at] in {"बना", "बनी", "बने"}  # किसान का बेटा बना पायलट
    noun = at + 1
    while headline and (is_adjective(line[noun]) or line[noun] in {"सबसे", "का", "की", "के"}):
        noun += 1
    if not line.is_mark(noun + 1) or person_noun(line[noun]) is None:
        return False
    return headline or any(form.shape == "stem" for form in analyse_verb(line[at - 1]))


def _is_auxiliary(line: Line, at: int) -> bool:
    return any(form.shape == "copula" for form in analyse_verb(line[at]))


# Nouns elsewhere: मैं हँसी, मैं उससे झगड़ा।
_ALSO_VERBS_AT_THE_END = frozenset("हंसी झगडा झूला".split())


def _is_nominal_here(line: Line, at: int) -> bool:
    """Whether a word like a verb form is a noun, an adjective or a postposition."""
    word = line[at]
    if word in RARELY_VERBS:
        return not _is_verb_by_context(line, at)
    words = function_words()
    if word in _ALSO_VERBS_AT_THE_END:
        return line.is_mark(at - 1) and not line.is_mark(at + 1)
    if line[at - 1] == "को" and _is_object_verb(word):
        return False  # लोगों को गिनती
    if line[at - 1] == "की" and word.endswith("ी") and word not in _COPULAR_PERFECTIVES:
        return line[at - 2] not in TIME_WORDS_BEFORE_GENITIVE  # नीलामी की बोली
    return bool(
        person_noun(word)
        or thing_gender(word)
        or word in words.invariable_adjectives
        or word in words.postpositions
        or word in words.adverbs
    )


def _is_object_verb(word: str) -> bool:
    """Whether a noun like a verb form can be a verb with a marked object: गिनती."""
    return any(
        form.shape == "imperfective" and form.stem in verb_stems().transitive
        for form in analyse_verb(word)
    )


# They may follow a genitive that is said of the subject: काम की निकली.
_COPULAR_PERFECTIVES = frozenset("निकली बनी रही लगी दिखी थी हुई ठहरी".split())


# की after them is a genitive: कम उम्र की थी.
_QUALITIES = frozenset("उम्र आयु तरह किस्म नस्ल जाति प्रकृति प्रवृत्ति पीढी श्रेणी हैसियत शक्ल सूरत".split())


def _is_verb_by_context(line: Line, at: int) -> bool:
    """Whether की, दी, ली or पी is a verb, by the words around it: बात की। खबर दी और …"""
    if line[at] == "लिए":  # पैसे लिए और …
        return thing_gender(line[at - 1]) == "masculine"
    if line[at] in {"दो", "लो"}:  # सिक्के दो, वरना …
        return line.is_mark(at + 1) and thing_gender(line[at - 1]) is not None
    if line[at] not in {"की", "दी", "ली", "पी"}:
        return False
    before = line[line.before(at)]
    if before in _QUALITIES:
        return False
    if thing_gender(before) == "feminine" or before in function_words().verbal_nominals:
        return True
    if before[:1].isascii() and before[:1].isalpha():  # room book की, room book की थी
        return _may_end_clause(line, at) or _is_auxiliary(line, at + 1)
    return line.is_mark(at + 1) or any(form.shape == "stem" for form in analyse_verb(before))


# --- reading it to the left -----------------------------------------------------------------


def _read_complex(line: Line, end: _FormInLine, start: int) -> VerbComplex:
    parts = [end]
    while True:
        at = _place_before(line, parts)
        if at < start or line.is_mark(at) or _is_done_without(line, at):
            break
        form = _form_before(line, at, parts[0].form, last=len(parts) == 1)
        if form is None:
            break
        parts.insert(0, _FormInLine(at, form))
    return _complex(line, parts)


# Stressed before the auxiliary: सिखाते बढ़िया हैं, बोलता बहुत है.
_STRESSED = frozenset("बहुत ज्यादा कम खूब काफी क्या कितना इतना ऐसे कैसे यहीं वहीं यहां वहां".split())


def _place_before(line: Line, parts: list[_FormInLine]) -> int:
    """The index of the word that may belong to the complex, before its first part."""
    first = parts[0]
    if line[first.at - 1] == "फिर" and first.form.stem == "रह":  # घूमता फिर रहा था
        roams = any(form.shape == "imperfective" for form in analyse_verb(line[first.at - 2]))
        return first.at - 2 if roams else first.at - 1
    at = line.before(first.at)
    if (first.form.shape == "copula" or line[first.at] == "हो") and len(parts) == 1:
        stressed = line[at] in _STRESSED or is_adjective(line[at])
        before = line[at - 1]
        if (
            stressed
            and any(
                form.shape == "imperfective" and _agrees(form.cell, first.form)
                for form in analyse_verb(before)
            )
            and not (person_noun(before) or thing_gender(before))
        ):
            return at - 1
    return at


def _agrees(cell: Cell | None, copula: VerbForm) -> bool:
    """Whether a participle and the copula have the same gender and number, as far as both show."""
    if cell is None or copula.cell is None:
        plural = copula.person in {"plural", "second"}
        return cell == "fs" or (cell == "mp") == plural
    return cell_gender(cell) == cell_gender(copula.cell)


def _form_before(line: Line, at: int, right: VerbForm, *, last: bool) -> VerbForm | None:
    """The form of the word, if it can precede the form on its right in a complex.

    `last`: the form on the right ends the complex. बना रहा is then to remain, and बना रहा है to
    make.
    """
    word = line[at]
    forms = () if word == "बजे" else analyse_verb(word)
    wanted = _forms_before(right)
    remains = right.stem == "रह" and last and word not in _RATHER_STEMS
    participle_first = right.stem in {"जा", "आ", "चल", "हो", "पड"} or word in _POSTURES or remains
    for form in sorted(forms, key=lambda each: (each.shape == "stem") == participle_first):
        if form.shape in wanted or (form.shape, form.cell) in wanted:
            if form.shape == "perfective" and remains and not _agrees(form.cell, right):
                continue  # नहीं उठा रही
            return None if _is_rather_nominal(line, at, form, right) else form
    if not forms and right.shape == "copula" and _unknown_imperfective(word):
        cell = _TA_CELLS[word[-2:]]
        same = right.cell is None or cell_gender(right.cell) == cell_gender(cell)
        return VerbForm(word[:-2], "imperfective", cell) if same else None
    return None


# Before रहा these are stems, of what somebody does: फ़ोन नहीं उठा रहा.
_RATHER_STEMS = frozenset(
    "उठा चला गिरा जला पका हटा पढा सुना दिखा घुमा सिखा बता जगा भगा हिला नचा हंसा".split()
)
# Before रहा these are participles, not stems of बैठाना and ठहराना.
_POSTURES = frozenset("बैठा बैठी बैठे लेटा ठहरा अडा पडा".split())
_TA_CELLS: dict[str, Cell] = {"ता": "ms", "ते": "mp", "ती": "fs"}


def _has_pronoun_before(line: Line, at: int) -> bool:
    """Whether a subject pronoun precedes in the clause: मैं हँसी थी, not चेहरे पर हँसी थी."""
    while not line.is_mark(at):
        at -= 1
        if line[at] in lexicon.FIRST_PRONOUNS | lexicon.SECOND_PRONOUNS:
            return True
    return False


def _unknown_imperfective(word: str) -> bool:
    return (
        len(word) > 3
        and word[-2:] in _TA_CELLS
        and not thing_gender(word)
        and not person_noun(word)
        and word not in function_words().invariable_adjectives
        and not word.endswith(("त्ता", "यता", "रता", "लता", "ीलता"))
    )


# कब का, कभी का: since long, agreeing with who acts.
TIME_WORDS_BEFORE_GENITIVE = frozenset({"कब", "कभी", "कहीं"})


def _is_rather_nominal(line: Line, at: int, form: VerbForm, right: VerbForm) -> bool:
    """Whether a word like a verb form is a noun, an adjective or a genitive."""
    word = line[at]
    if form.shape == "imperfective" and right.stem == "रह":  # तारे गिनती रही
        return False
    if form.participle and word in RARELY_VERBS:  # की गई is never a genitive
        if right.person in {"first", "second"}:  # बड़ी उम्र की हूँ
            return True
        if line[at - 1] in TIME_WORDS_BEFORE_GENITIVE or right.stem == "रह":
            return True  # कभी की जा चुकी, किसी काम की नहीं रही
        return right.stem != "जा" and not _is_verb_by_context(line, at)
    if form.stem == "वाला":
        return not _is_infinitive(line, line.before(at))
    if form.shape == "stem":
        if word == "समझ" and right.stem == "आ":  # फिर समझ आया
            return True
        return word in {"पर", "बस", "मन", "जन"}
    if word in _ALSO_VERBS_AT_THE_END and _has_pronoun_before(line, at):
        return False
    if form.participle:
        invariable = word in function_words().invariable_adjectives  # दुखी हूँ
        return bool(person_noun(word) or thing_gender(word)) or invariable
    return (
        form.shape == "infinitive"
        and bool(thing_gender(word))
        and word not in {"खाना", "गाना", "सोना"}
    )


def _forms_before(right: VerbForm) -> tuple[_Before, ...]:
    """The forms that may precede a form."""
    if right.shape == "stem" and right.stem not in _STEMS_IN_THE_MIDDLE:
        return ()
    if right.stem == "कर" and right.shape == "imperfective":
        return (("perfective", "ms"),)  # जाया करता
    if right.stem == "रह" and right.shape == "imperfective":
        return _ANY_PARTICIPLE
    return _BEFORE.get(right.stem, ())


_BEFORE_SUBJUNCTIVES = frozenset("अगर यदि मानो जैसे शायद चाहे भले काश ताकि जब जहां".split())


def _is_subjunctive(line: Line, at: int) -> bool:
    """Whether हो is no form of तुम: … क़िल्लत हो तो; जैसे उसी ज़माने में रहा हो."""
    if line[at] != "हो" or "तुम" in line.keys[max(0, at - 8) : at + 3]:
        return False
    start = line.sentence(at)[0]
    return line[at + 1] == "तो" or bool(_BEFORE_SUBJUNCTIVES & set(line.keys[start:at]))


def _wishes(parts: list[_FormInLine]) -> bool:
    """Whether the last of a complex is a subjunctive like a perfective: पार्टी देता रहे."""
    if len(parts) < 2 or not (parts[-1].form.participle and parts[-2].form.participle):
        return False
    return parts[-1].form.cell == "mp" and parts[-2].form.cell in {"ms", "fs"}


def _complex(line: Line, parts: list[_FormInLine]) -> VerbComplex:
    if _is_subjunctive(line, parts[-1].at):
        parts = [*parts[:-1], _FormInLine(parts[-1].at, parts[-1].form._replace(person=None))]
    if _wishes(parts):
        wish = VerbForm(parts[-1].form.stem, "subjunctive", None, "third")
        parts = [*parts[:-1], _FormInLine(parts[-1].at, wish)]
    main, finite = parts[0].form, parts[-1].form
    agreeing = tuple(
        part.at
        for part, right in zip(parts, [*parts[1:], None], strict=True)
        if part.form.cell is not None
        and part.form.shape not in {"infinitive", "conjunctive"}
        and not _is_frequentative(part, right)
    )
    number = [part.form.cell for part in parts if part.at in agreeing]
    return VerbComplex(
        first=parts[0].at,
        last=parts[-1].at,
        agreeing=agreeing,
        main=main.stem,
        valency=_valency(line, parts),
        person=finite.person,
        plural=finite.person == "plural" or bool({"mp", "fp"} & set(number)),
        ergative=_is_ergative(line, parts),
        obligation=_is_obligation(parts),
        finite=finite,
    )


def _is_frequentative(part: _FormInLine, right: _FormInLine | None) -> bool:
    """Whether the participle is the invariable one before करता: जाया करता."""
    follows = right is not None and right.form.stem == "कर"
    return follows and part.form.shape == "perfective"


def _valency(line: Line, parts: list[_FormInLine]) -> Valency:
    main = parts[0].form
    known = verb_stems()
    for part, right in pairwise(parts):  # किया गया, कर दिया गया
        done = part.form.shape == "perfective" and part.form.stem in known.transitive
        if done and right.form.stem == "जा":
            return "passive"
    nominal = line[line.before(parts[0].at)]
    if nominal in {"दिखाई", "सुनाई"}:
        return "copular"
    if main.stem in known.copular and not (main.stem == "आ" and nominal != "नजर"):
        return "copular"
    if main.stem in known.ambitransitive and len(parts) > 1 and parts[1].form.stem == "जा":
        return "intransitive"  # टंकी भर गई
    if main.stem in known.transitive or main.stem in known.labile:
        return "transitive"
    return "intransitive"


def _is_ergative(line: Line, parts: list[_FormInLine]) -> bool:
    """Whether the actor takes ने: a transitive perfective without an intransitive light verb."""
    known = verb_stems()
    main = parts[0].form.stem
    if main not in known.transitive or main in known.labile:
        return False
    if _valency(line, parts) == "passive":
        return False
    aspects = [part.form for part in parts if part.form.participle]
    if not aspects or aspects[-1].shape != "perfective":
        return False
    last = aspects[-2] if aspects[-1].stem == "हो" and len(aspects) > 1 else aspects[-1]
    if last.stem == "पा" and len(parts) > 1 and parts[0].form.shape == "stem":
        return False  # खेल नहीं पाया
    before = line[parts[0].at - 1]
    if main == "पढ" and before in {"से", "में"} and len(parts) > 1:
        return False  # इसी कॉलेज से पढ़ा है
    return last.stem in known.transitive and line[line.before(parts[0].at)] != "दिखाई"


def _is_obligation(parts: list[_FormInLine]) -> bool:
    shapes = [part.form.shape for part in parts]
    if "infinitive" not in shapes:
        return False
    right = parts[shapes.index("infinitive") + 1].form if len(parts) > 1 else None
    infinitive = parts[shapes.index("infinitive")].form
    return right is not None and right.stem in {"हो", "पड", "चाहिए"} and infinitive.cell != "mp"
