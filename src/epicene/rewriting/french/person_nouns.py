"""Nouns, pronouns and titles of people who are addressed or in the third person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.french.antecedents import is_tonic, mention_chain_end, pronoun_referent
from epicene.rewriting.french.context import Referent
from epicene.rewriting.french.inflection import (
    inflect,
    is_plural,
    shown_gender,
    shown_noun_gender,
    singular_of,
)
from epicene.rewriting.french.lexicon import verb_table, word_list
from epicene.rewriting.french.line import (
    ABBREVIATION,
    CLOSING_QUOTES,
    OPENING_QUOTES,
    SENTENCE_ENDS,
    can_be_predicate,
    is_adjective,
    is_person,
    participle_infinitives,
)
from epicene.rewriting.french.mentions import (
    SAID_OF_PEOPLE,
    is_one_gender,
    names_person,
    shows_gender_by_name,
)
from epicene.rewriting.french.phrases import read_phrase
from epicene.rewriting.french.predicates import (
    TERMS_OF_ADDRESS,
    read_coordinated,
    read_predicate_element,
)
from epicene.rewriting.french.subjects import ONE_OF
from epicene.rewriting.persons import GENDERS

if TYPE_CHECKING:
    from epicene.rewriting.french.context import Context
    from epicene.rewriting.french.line import Line
    from epicene.rewriting.french.mentions import Mention
    from epicene.rewriting.french.phrases import NounPhrase
    from epicene.rewriting.french.sites import Agreement, SiteKind

# With "mon" or "cher" before it.
_TERMS_AFTER_DEAR = TERMS_OF_ADDRESS | word_list("function_words", "terms_after_dear")
_TERMS_AFTER_CHER = _TERMS_AFTER_DEAR | word_list("function_words", "terms_after_cher")
_VOCATIVE_RULE = "how they are spoken to"


def read_vocatives(context: Context) -> None:
    """Add the vocatives: nouns between marks that address the listener."""
    line = context.line
    for at in range(len(line)):
        if not _opens_vocative(line, at - 1):
            continue
        start = at + 1 if line[at] in _BEFORE_ADDRESS else at
        start = line.after_adverbs(start + 1) if line[start] == "ou" else start  # ou plutôt
        if line[start] in _OPENS_ADDRESS:
            _read_address_phrase(context, start)
        elif line[start] in {"monsieur", "madame"}:
            _read_polite_address(context, start)
        elif line[start] == "les" and line[start + 1] in {"gars", "filles"}:
            _read_familiar_address(context, start + 1)
        elif line[start] == "espèce" and line[start + 1] in {"de", "d'"}:
            agreement = context.agreement(context.listener(start), _VOCATIVE_RULE, "likely")
            read_predicate_element(line, start + 2, agreement, strict=True)  # Espèce d'idiot !
        elif _is_term_of_address(line, start) and _closes_vocative(line, start + 1):
            context.agreement(context.listener(start), _VOCATIVE_RULE, "likely").add(start, "noun")


_BEFORE_ADDRESS = word_list("function_words", "before_address")


def _is_term_of_address(line: Line, at: int) -> bool:
    """Whether somebody is called that: Bonsoir, papa. After a greeting: Bienvenue, voyageur !"""
    greeted = line[at - 1 - (line[at - 1] == ",")] in _BEFORE_VOCATIVES
    greeted = greeted and not is_plural(line[at]) and names_person(line, at)
    return line[at] in TERMS_OF_ADDRESS or (greeted and not is_one_gender(line[at]))


def _read_polite_address(context: Context, at: int) -> None:
    """Add Monsieur, and the office after it: Madame la juge; not Madame, Monsieur."""
    line = context.line
    other = "madame" if line[at] == "monsieur" else "monsieur"
    if other in line.keys[max(0, at - 2) : at + 3]:
        return
    office = read_phrase(line, at + 1) if line[at + 1] in {"le", "la", "l'"} else None
    if office is None and not _closes_vocative(line, at + 1):
        return
    if office is not None and not _is_addressed(context, office):
        return
    agreement = context.agreement(context.listener(at), _VOCATIVE_RULE, "likely")
    agreement.add(at, "pronoun")
    if office is not None:
        office.agree(agreement)


def _is_addressed(context: Context, office: NounPhrase) -> bool:
    """Whether the phrase after Monsieur ends a vocative: Madame la ministre de la Justice,"""
    line = context.line
    if office.kind != "person" or not is_person(line[office.head]):
        return False
    mention = next((each for each in context.mentions if each.head == office.head), None)
    end = office.end if mention is None else mention_chain_end(context, mention)
    return _closes_vocative(line, end)


def _read_familiar_address(context: Context, at: int) -> None:
    """Add les gars, les filles, where they are spoken to."""
    if _closes_vocative(context.line, at + 1) and context.line[at + 1] != ":":
        referent = context.listener(at)._replace(plural=True)
        context.agreement(referent, _VOCATIVE_RULE, "likely").add(at, "pronoun")


_OPENS_ADDRESS = frozenset("mon ma cher chère chers chères mes".split())


_BEFORE_VOCATIVES = word_list("function_words", "before_vocatives")


def _opens_vocative(line: Line, at: int) -> bool:
    return (
        at < 0
        or line[at] in {",", ":", "-", "–", "—"}
        or line[at] in _BEFORE_VOCATIVES
        or line[at] in SENTENCE_ENDS | OPENING_QUOTES | {'"'}
    )


def _closes_vocative(line: Line, at: int) -> bool:
    return (
        at >= len(line)
        or line[at] in {",", ":"}
        or line[at] in SENTENCE_ENDS | CLOSING_QUOTES | {'"'}
    )


def _read_address_phrase(context: Context, at: int) -> None:
    """Add a vocative with "mon" or "cher": mon vieux, ma pauvre amie, cher monsieur."""
    line = context.line
    phrase = read_phrase(line, at)
    end = phrase.end if phrase is not None else at
    if phrase is not None and is_adjective(line[phrase.head]):
        while line.is_capital(end):  # ma chère Camille,
            end += 1
    terms = _TERMS_AFTER_CHER if line[at].startswith(("cher", "chèr")) else _TERMS_AFTER_DEAR
    if (
        phrase is None
        or not _closes_vocative(line, end)
        or line[end + 1] in {"lui", "elle", "eux", "elles", "qui", "dont"}
        or not terms & {line[phrase.head], singular_of(line[phrase.head])}
    ):
        return
    plural = line[at] in {"chers", "chères", "mes"}
    couple = line[phrase.head] in {"mariés", "fiancés"}
    if couple or _names_both_genders(line, phrase.head, plural=plural):
        return
    referent = context.listener(at)._replace(plural=plural)
    agreement = context.agreement(referent, _VOCATIVE_RULE, "likely")
    phrase.agree(agreement)
    if line[phrase.head] in {"monsieur", "madame"}:
        context.sites.drop(phrase.head)
        agreement.add(phrase.head, "pronoun")


def _names_both_genders(line: Line, at: int, *, plural: bool) -> bool:
    """Whether the noun's counterpart is named too: Chères clientes, chers clients."""
    forms = {inflect(line[at], gender, "noun", plural=plural) for gender in GENDERS}
    return len(forms) > 1 and forms <= set(line.keys)


_TONIC_PRONOUNS = frozenset(
    {"lui", "elle", "eux", "elles", "lui-même", "elle-même", "eux-mêmes", "elles-mêmes"}
)
_PARTITIVE_PRONOUNS = ONE_OF | frozenset(
    "certains certaines quelques-uns quelques-unes lequel laquelle auquel duquel".split()
)
_BEFORE_BARE_NOUNS = frozenset({"pour", "de", "d'", "comme", "en"})
_TITLES = frozenset({"m", "mme", "mr", "mrs", "lord", "lady", "sir", "dame", "monsieur", "madame"})


def read_third_persons(context: Context) -> None:
    """Add the third-person nouns, pronouns and titles that no other rule has found."""
    for mention in context.mentions:
        if mention.phrase is None:
            _read_beside_name(context, mention)
        elif mention.human and context.sites.get(mention.head) is None:
            referent = Referent("others", mention.plural)
            mention.phrase.agree(context.agreement(referent, "a noun for a person", "likely"))
            if context.line[mention.start - 1] in {"monsieur", "madame"}:  # Madame la maire
                context.agreement(referent, "a title", "likely").add(mention.start - 1, "pronoun")
            _read_one_of(context, mention)
            _read_some_of(context, mention)
            _read_joined(context, mention)
            _read_after_complement(context, mention)
            _read_after_mention(context, mention)
    for index in range(len(context.line)):
        if context.line[index] in _BEFORE_BARE_NOUNS or context.line[index - 1] == "tant":
            _read_bare_noun(context, index + 1)
        if context.line[index] in _TONIC_PRONOUNS and context.sites.get(index) is None:
            _read_tonic_pronoun(context, index)
        elif context.line.is_word(index) and context.line.tokens[index].text[0].isupper():
            _read_title(context, index)
            _read_certain(context, index)
        elif context.line[index] in _RELATIVES:
            _read_relative(context, index)


_RELATIVES = frozenset("lequel laquelle auquel duquel".split())


def _read_relative(context: Context, index: int) -> None:
    """Add a relative pronoun after its antecedent: son entraîneur, sans lequel il n'aurait …"""
    before = index - (context.line[index] in {"lequel", "laquelle"})
    before -= context.line[before - 1] == ","
    mention = context.mention_ending(before)
    if mention is None or mention.phrase is None or context.sites.get(index) is not None:
        return
    if before < index and mention.human:
        agreement = context.agreement(Referent("others"), "relative pronoun", "likely")
        agreement.add(index, "determiner")


def _read_certain(context: Context, name: int) -> None:
    """Add the words before somebody who is hardly known: un certain Dupuis."""
    line = context.line
    if line[name - 1] in {"certain", "certaine"} and line[name - 2] in {"un", "une"}:
        agreement = context.agreement(Referent("others"), "before a name", "likely")
        agreement.add(name - 2, "determiner")
        agreement.add(name - 1, "adjective")


def _read_one_of(context: Context, mention: Mention) -> None:
    """Add a partitive pronoun before a mention: l'un de ses oncles, certaines des mères."""
    line = context.line
    before = mention.start - (line[mention.start] != "des")
    if line[before] in {"de", "d'", "des"} and line[before - 1] in _PARTITIVE_PRONOUNS:
        referent = Referent("others", plural=line[before - 1] in {"certains", "certaines"})
        own = {"chacun", "chacune", "quelques-uns", "quelques-unes"}
        kind: SiteKind = "pronoun" if line[before - 1] in own else "determiner"
        context.agreement(referent, "one of several people", "likely").add(before - 1, kind)


def _read_some_of(context: Context, mention: Mention) -> None:
    """Add one of those just named: deux policiers ont été blessés, dont un grièvement."""
    line = context.line
    _, end = line.sentence(mention.end)
    for at in range(mention.end, end) if mention.plural else ():
        if line[at] == "dont" and line[at + 1] in {"un", "une"} and not line.is_open(at + 2):
            context.agreement(Referent("others"), "one of several people", "likely").add(
                at + 1, "determiner"
            )
        if line[at] == "dont" or line.is_determiner(at):
            return


def _read_joined(context: Context, mention: Mention) -> None:
    """Add what is joined without a determiner: des soldats et officiers; britanniques et russes."""
    line = context.line
    at = mention.end + 1
    if line[mention.end] == "mais" and is_adjective(line[mention.end - 1]):
        at = line.after_adverbs(at)  # un vieil homme bougon mais très généreux
    elif line[mention.end] not in {"et", "ou"}:
        return
    if not line.is_open(at) or line.is_capital(at):
        return
    agreement = context.agreement(
        Referent("others", mention.plural), "joined to a noun for a person", "likely"
    )
    shown = shown_gender(line[at], plural=mention.plural)
    if shown not in {None, mention.gender} or not can_be_predicate(line, at, agreement):
        return
    if is_plural(line[at]) != mention.plural or verb_table().forms(line[at]):
        return
    if names_person(line, at):
        read_predicate_element(line, at, agreement, strict=True)
    elif (
        is_adjective(line[mention.end - 1]) and is_adjective(line[at]) and not line.is_open(at + 1)
    ):
        agreement.add(at, "adjective")


def _read_after_complement(context: Context, mention: Mention) -> None:
    """Add what is said of people after a complement: un ouvrier du bâtiment blessé hier."""
    line = context.line
    agreement = context.agreement(
        Referent("others", mention.plural), "beside a noun for a person", "likely"
    )
    verbs = {group.verb for group in context.groups}
    for at in range(mention.end, min(mention.end + 7, len(line))):
        if at == mention.end and line[at] not in _COMPLEMENT_OPENERS:
            return
        if not line.is_word(at) or at in verbs or line[at] in line.closed.subordinators:
            return
        word = inflect(line[at], "masculine", plural=mention.plural)
        known = SAID_OF_PEOPLE & {word, singular_of(word)}
        if (
            known
            and can_be_predicate(line, at, agreement)
            and is_plural(line[at]) == mention.plural
            and shown_gender(line[at], plural=mention.plural) in {None, mention.gender}
        ):
            read_coordinated(
                line,
                read_predicate_element(line, at, agreement, nouns=False, strict=True),
                agreement,
            )
            return


_COMPLEMENT_OPENERS = frozenset("de d' du des à au aux en".split())


def _read_after_mention(context: Context, mention: Mention) -> None:
    """Add the adjective after a mention and a comma: son fils aîné, âgé de 25 ans,"""
    line = context.line
    end = mention_chain_end(context, mention)
    if line[end] != ",":
        return
    agreement = context.agreement(
        Referent("others", mention.plural), "beside a noun for a person", "likely"
    )
    start = line.after_adverbs(end + 1)
    if line[start] == ("les" if mention.plural else "la" if mention.gender == "feminine" else "le"):
        _read_superlative(line, start, agreement)
        return
    shown = shown_gender(line[start], plural=mention.plural)
    said = line[start] == "dit" and line[start + 1] not in line.closed.prepositions  # dit Luc
    noun = line[start + 1] in {"de", "d'", "du", "des"}
    if (
        can_be_predicate(line, start, agreement)
        and not said
        and (shown is None or is_adjective(line[start]) or noun)
        and (mention.gender is None or shown in {None, mention.gender})
        and is_plural(line[start]) == mention.plural
    ):
        end = read_predicate_element(line, start, agreement, nouns=False, strict=True)
        end = read_coordinated(line, end, agreement, commas=False)
        if participle_infinitives(line[start]):
            _read_further_participles(context, end, agreement)


def _read_further_participles(context: Context, end: int, agreement: Agreement) -> None:
    """Add what else was done before the next verb: arrêté à Lyon, torturé, puis déporté."""
    line = context.line
    verbs = {group.start for group in context.groups}
    while line[end] not in _CLAUSE_ENDS and end not in verbs:
        end += 1
        if line[end - 1] in {",", "puis", "et"}:
            end += line[end] == "puis"
            if participle_infinitives(line[end]):
                end = read_predicate_element(line, end, agreement, nouns=False, strict=True)


_CLAUSE_ENDS = SENTENCE_ENDS | frozenset("qui que qu' dont où".split()) | {""}


def _read_superlative(line: Line, at: int, agreement: Agreement) -> None:
    """Add a superlative without a noun: un bon joueur, le meilleur de l'équipe."""
    compared = line[at + 1] in {"plus", "moins"}
    word = at + 1 + compared
    best = inflect(singular_of(line[word]), "masculine") in _SUPERLATIVES
    if line.is_open(word + 1) or not (best or (compared and is_adjective(line[word]))):
        return
    if not agreement.plural:
        agreement.add(at, "determiner")
    agreement.add(word, "adjective")


_SUPERLATIVES = frozenset("meilleur premier dernier seul pire".split())


def _read_bare_noun(context: Context, at: int) -> None:
    """Add a noun for people without a determiner: un titre de duchesse, une école pour filles."""
    line = context.line
    if not line.is_open(at) or context.sites.get(at) is not None:
        return
    if line[at] in verb_table().gerunds and (line[at - 1] == "en" or not is_person(line[at])):
        return
    if (line[at - 1], line[at]) == ("en", "chef"):
        return
    if line.is_capital(at) and line.is_capital(at + 1):  # de Marie Curie
        return
    phrase = read_phrase(line, at, stop={group.verb for group in context.groups})
    if phrase is None or phrase.kind != "person" or phrase.determiners:
        return
    word = line[phrase.head]
    if not names_person(line, phrase.head) or context.sites.get(phrase.head) is not None:
        return
    plural = word.endswith(("s", "x")) and singular_of(word) != word
    if plural and shown_noun_gender(word, plural=True) == "masculine" and not is_one_gender(word):
        return
    phrase.agree(context.agreement(Referent("others", plural), "a noun for a person", "guess"))


def _read_beside_name(context: Context, mention: Mention) -> None:
    """Add the apposition of a name: Davies, ancien joueur de hockey,"""
    line = context.line
    if line[mention.end] != "," or shows_gender_by_name(mention):
        return
    agreement = context.agreement(Referent("others"), "beside a name", "likely")
    start = line.after_adverbs(mention.end + 1)
    said = inflect(line[start], "masculine") in SAID_OF_PEOPLE and line[start + 1] in _AFTER_SAID
    if can_be_predicate(line, start, agreement) and (is_person(line[start]) or said):
        read_coordinated(
            line, read_predicate_element(line, start, agreement, strict=True), agreement
        )


_AFTER_SAID = frozenset("le à au en de d' du par depuis dans , . ; ) et".split()) | {""}  # né le 2


def _read_tonic_pronoun(context: Context, index: int) -> None:
    if is_tonic(context, index) and (referent := pronoun_referent(context, index)):
        agreement = context.agreement(referent, "stressed pronoun", "likely")
        agreement.add(index, "tonic")
        start = context.line.after_adverbs(index + 1)  # elle aussi étranglée par les charges
        if context.line[index].endswith("-même") and is_person(context.line[start]):
            read_predicate_element(context.line, start, agreement, strict=True)
        if start > index + 1 and is_adjective(context.line[start]):
            read_predicate_element(context.line, start, agreement, nouns=False, strict=True)
        if context.line[index - 1] == "entre" and context.line[index - 3] in {"un", "une"}:
            agreement._replace(plural=False).add(index - 3, "determiner")  # l'un d'entre eux


def _read_title(context: Context, index: int) -> None:
    """Add a title before a name: M. Brown, Lady James, Père Seton."""
    word = context.line[index]
    if (word not in _TITLES and not is_one_gender(word)) or context.sites.get(index) is not None:
        return
    if word in {"mari", "homme", "femme", "fils", "fille", "garçon"}:  # Mari Cruz, Fille Unique
        return
    name = index + 2 if context.line[index + 1] in {".", ABBREVIATION} else index + 1
    if context.line.tokens[index].text.isupper() and len(context.line[index]) > 1:
        return
    if context.line[name] == "noël" or context.line.is_first_name(name):
        return
    if context.line[name] in {"de", "d'", "du"} and word in {"m", "mme", "monsieur", "madame"}:
        name += 1  # Monsieur de Marsan
    if context.line.is_word(name) and context.line.tokens[name].text[0].isupper():
        kind: SiteKind = "pronoun" if word in _TITLES else "noun"
        context.agreement(Referent("others"), "a title", "likely").add(index, kind)
