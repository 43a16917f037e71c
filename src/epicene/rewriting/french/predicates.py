"""Predicates of a person: after a copula, beside a name, at the beginning of a sentence, and what
is coordinated with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.french.inflection import inflect, shown_gender, singular_of
from epicene.rewriting.french.lexicon import read_lists, verb_table, word_list
from epicene.rewriting.french.line import (
    ADVERBIAL_ADJECTIVES,
    CLOSING_QUOTES,
    OPENING_QUOTES,
    QUOTES,
    SENTENCE_ENDS,
    TEMPORARY_STATES,
    Line,
    can_be_predicate,
    is_adjective,
    is_adjective_or_person,
    is_person,
    looks_like_adjective,
    participle_infinitives,
)
from epicene.rewriting.french.phrases import PRENOMINAL_ADJECTIVES, read_phrase
from epicene.rewriting.word_lists import word_rows

if TYPE_CHECKING:
    from epicene.rewriting.french.sites import Agreement
    from epicene.rewriting.persons import Gender

# What one calls somebody without more ado.
TERMS_OF_ADDRESS = word_list("function_words", "terms_of_address")
COORDINATORS = frozenset({"et", "ou", "mais", "ni", "puis", "voire", "sinon", "car", "quoique"})
_DEGREE_WORDS = frozenset({"plus", "moins", "aussi", "autant"})
_SUBJECTS = frozenset({"je", "j'", "tu", "il", "on", "ils"})
_CLAUSE_STARTERS = frozenset(
    {"que", "qu'", "qui", "dont", "où", "quand", "lorsque", "lorsqu'", "puisque"}
)


def next_coordination(line: Line, at: int) -> int | None:
    """The next comma or conjunction of the clause that may coordinate something."""
    while at < len(line):
        word = line[at]
        if word in COORDINATORS or word == ",":
            return at
        if word == ":" or word in CLOSING_QUOTES:
            return at if is_adjective(line[line.after_adverbs(at + 1)]) else None
        if word in SENTENCE_ENDS or (_opens_clause(line, at) and not _is_comparison(line, at)):
            return None
        at += 1
    return None


def _is_comparison(line: Line, at: int) -> bool:
    """Whether "que" introduces a comparison, not a clause: plus têtu que mon père."""
    if line[at] not in {"que", "qu'"}:
        return False
    return not _DEGREE_WORDS.isdisjoint(line.keys[max(0, at - 5) : at])


def _opens_clause(line: Line, at: int) -> bool:
    word = line[at]
    return word in _SUBJECTS or word in OPENING_QUOTES or word in _CLAUSE_STARTERS


def closing_comma(line: Line, at: int, *, within: int = 6) -> int | None:
    """The comma that closes the aside opened at that index, if it is near."""
    for index in range(at + 1, min(at + 1 + within, len(line))):
        if line[index] == ",":
            return index
        if line[index] in SENTENCE_ENDS or line[index] in _SUBJECTS:
            return None
    return None


def belongs_to_noun(line: Line, joint: int, start: int, agreement: Agreement) -> bool:
    """Whether a conjunct belongs to another noun's adjective: une équipe soudée et motivée."""
    if line.ends_phrase(joint):
        return False
    if not is_adjective(line[start]):
        return is_person(line[joint - 1])
    if line[joint] in {"et", "ou"} and _is_others_adjective(line, joint - 1, agreement):
        return True  # un pouvoir, daté et signé
    shown = shown_gender(line[start])
    lasting = inflect(line[start], "masculine") not in TEMPORARY_STATES
    if participle_infinitives(line[start]) and line[start + 1] in {"de", "du", "par"}:
        lasting = lasting and "par" not in line.keys[max(joint - 5, 0) : joint]  # par eux, privé de
    if lasting and is_comma_alone(line, joint) and shown in _last_articles(line, joint, agreement):
        return True
    for index in range(joint - 1, max(joint - 9, 0), -1):
        if agreement.sites.get(index) is not None:
            return False
        word = line[index]
        if not line.is_open(index) or not is_adjective(word):
            continue
        if word not in PRENOMINAL_ADJECTIVES and line.is_open(index - 1):
            return shown_gender(word) in {None, shown}
    return False


def _is_others_adjective(line: Line, at: int, agreement: Agreement) -> bool:
    """Whether the word is an adjective after a comma that agrees with nobody."""
    return is_adjective(line[at]) and line[at - 1] == "," and agreement.sites.get(at) is None


def is_comma_alone(line: Line, at: int) -> bool:
    """Whether a comma coordinates without a conjunction."""
    return line[at] == "," and line[at + 1] not in COORDINATORS


def _last_articles(line: Line, at: int, agreement: Agreement) -> set[Gender]:
    """The genders of the last articles before a comma: la fin du film, trop longue."""
    found: set[Gender] = set()
    for index in range(at - 1, max(at - 6, 0), -1):
        if agreement.sites.get(index) is not None:
            break
        if line[index] in {"le", "un", "du", "au", "ce", "cet"}:
            found.add("masculine")
        elif line[index] in {"la", "une", "cette"}:
            found.add("feminine")
        else:
            continue
        if line[index] not in {"du", "au"} and line[index - 1] not in {"de", "à"}:
            break
    return found


_DEMONSTRATIVE_PRONOUNS = frozenset(
    {"celui", "celle", "ceux", "celles", "celui-là", "celle-là", "celui-ci", "celle-ci"}
)
_PLURAL_DETERMINERS = word_list("function_words", "plural_determiners")
_RANK_ADJECTIVES = word_list("function_words", "rank_adjectives")
_NEVER_VERBS = frozenset({"de", "la", "le", "pour", "entre", "par", "sur", "sous", "plus", "pas"})
_KIND_NOUNS = frozenset({"genre", "type", "sorte", "style"})
# Said of anybody in this form.
_SET_PHRASES = frozenset(word_rows(read_lists("function_words")["set_phrases"]))


def read_complement(line: Line, at: int, agreement: Agreement, *, nouns: bool = True) -> int:
    """Read the complement of a copula; return its end, the same index if nothing agrees."""
    start = _skip_degrees(line, at, agreement)
    if (
        line[start] in {"que", "qu'"}
        and (
            line[start - 1] in {"plus", "mieux"}  # plus qu'un employé
            or not {"ne", "n'"}.isdisjoint(
                line.keys[max(0, start - 4) : start]
            )  # je ne suis qu'un …
        )
    ):
        start = _skip_degrees(line, start + 1, agreement)
    start = _after_time(line, start)
    if line[start] == "du" and line[start + 1] in _KIND_NOUNS:  # du genre inquiet
        start = _skip_degrees(line, start + 2, agreement)
        end = read_predicate_element(line, start, agreement, nouns=nouns, strict=True)
    else:
        end = read_predicate_element(line, start, agreement, nouns=nouns)
    if end == start and line[start] == ",":
        # je suis, malgré tout, heureux
        closing = closing_comma(line, start)
        start = _skip_degrees(line, closing + 1, agreement) if closing else start
        end = read_predicate_element(line, start, agreement, nouns=nouns) if closing else start
    if end == start and line[start] in _BEFORE_STATES:
        return _read_after_state(line, start, agreement) or at
    if end > start and line[end] == "pour" and line[end + 1] in {"un", "une"}:
        end = _read_judged(line, start, end, agreement)
    return at if end == start else read_coordinated(line, end, agreement)


def _read_judged(line: Line, start: int, end: int, agreement: Agreement) -> int:
    """Read as what somebody is judged: bien curieux pour un étranger."""
    phrase = read_phrase(line, end + 1)
    if phrase is None or phrase.kind != "person" or line[start - 1] not in _JUDGING:
        return end
    phrase.agree(agreement.by(agreement.rule, "likely"))
    return phrase.end


_JUDGING = frozenset({"bien", "trop", "plutôt", "assez", "très", "drôlement"})
_BEFORE_STATES = frozenset({"à", "en", "de", "au", "sans", "hors", "sous"})
_TIMES = word_list("function_words", "time_nouns")


def _after_time(line: Line, at: int) -> int:
    """The index past how long it took: devenue en trois jours une habituée."""
    if line[at] not in {"en", "depuis", "pendant", "après"}:
        return at
    for index in range(at + 1, at + 4):
        if line[index] in _TIMES:
            return index + 1
        if not (line.is_determiner(index) or line[index].isdigit()):
            return at
    return at


def _read_after_state(line: Line, at: int, agreement: Agreement) -> int | None:
    """Read what is joined to a state with a preposition: être à jeun et accompagné."""
    joint = next((i for i in range(at + 1, at + 5) if line[i] in {"et", "mais"}), None)
    if joint is None or not all(line.is_word(i) for i in range(at, joint)):
        return None
    start = _skip_degrees(line, joint + 1, agreement)
    shown = shown_gender(line[start])
    if line.is_open(start + 1) or is_person(line[start]) or not is_adjective(line[start]):
        return None
    if is_adjective(line[joint - 1]) and shown_gender(line[joint - 1]) == shown:
        return None  # de taille moyenne et ronde
    end = read_predicate_element(line, start, agreement.by(agreement.rule, "likely"), strict=True)
    return read_coordinated(line, end, agreement) if end > start else None


def read_predicate_element(
    line: Line, at: int, agreement: Agreement, *, nouns: bool = True, strict: bool = False
) -> int:
    """Read one element of a predicate; `strict` takes known words only; return its end."""
    word = line[at]
    if not _SET_PHRASES.isdisjoint({(word, line[at + 1]), (line[at - 1], word)}):
        return at
    if word in _DEMONSTRATIVE_PRONOUNS:
        agreement.add(at, "pronoun")
        after = at + 2 if line[at + 1] in line.closed.prepositions else at + 1
        if line[after] in {"auquel", "duquel", "lequel", "laquelle"}:
            agreement.add(after, "determiner")
        elif line[at + 1] in {"auquel", "duquel"}:
            agreement.add(at + 1, "determiner")
        return at + 1
    if line.is_determiner(at) and not _is_adjective_alone(line, at):
        return _read_with_determiner(line, at, agreement) if nouns else at
    if _is_adjective_alone(line, at):
        agreement.add(at, "adjective")
        return at + 1
    if not line.is_open(at) or (
        verb_table().infinitive_of(word) and not is_adjective_or_person(word)
    ):
        return at
    if strict and not can_be_predicate(line, at, agreement):
        return at
    return _read_bare_predicate(line, at, agreement)


def _is_adjective_alone(line: Line, at: int) -> bool:
    """Whether the word is an adjective, not a determiner: je suis nul, j'en suis certaine."""
    if line[at] in {"tel", "telle"}:
        return line[at + 1] in {"que", "qu'"}
    if line[at + 1] in {"ne", "n'"}:  # nul ne le sait
        return False
    return line[at] in {"nul", "nulle", "certain", "certaine"} and not line.is_open(at + 1)


def _read_with_determiner(line: Line, at: int, agreement: Agreement) -> int:
    if line[at] in {"un", "une"} and line[at + 1] in {"des", "de"}:
        return _read_one_of(line, at, agreement)
    if line[at] == "l'" and line[at + 1] in {"un", "une"} and line[at + 2] in {"des", "de"}:
        return _read_one_of(line, at + 1, agreement)
    if line[at] in {"un", "une"} and line[at + 1] == "peu":
        return at
    if line[at] in _PLURAL_DETERMINERS and not agreement.plural:
        return at
    if line[at] in {"le", "la"} and line[at + 1] == "même" and not line.is_open(at + 2):
        agreement.add(at, "determiner")
        return at + 2
    phrase = read_phrase(line, at)
    if phrase is not None and line[phrase.head] in _KIND_NOUNS:
        return _read_kind_of(line, phrase.end, agreement)
    if phrase is None or phrase.kind != "person":
        return at
    phrase.agree(agreement)
    if line[phrase.end] == "des" and is_adjective(line[phrase.head]):
        return _read_among(line, phrase.end, agreement)
    return phrase.end


def _read_kind_of(line: Line, at: int, agreement: Agreement) -> int:
    """Read a noun after "le genre de": le genre d'homme à mentir."""
    if line[at] in {"de", "d'"} and is_person(line[at + 1]):
        agreement.add(at + 1, "noun")
        return at + 2
    return at


def _read_among(line: Line, at: int, agreement: Agreement) -> int:
    """Read the partitive of a superlative: la meilleure des sœurs, le plus heureux des hommes."""
    phrase = read_phrase(line, at + 1)
    if phrase is None or not is_person(line[phrase.head]):
        return at
    phrase.agree(agreement._replace(plural=True))
    return phrase.end


def _read_one_of(line: Line, at: int, agreement: Agreement) -> int:
    """Read a partitive, its singular and its plural: un des meilleurs, l'une des rares femmes."""
    several = agreement._replace(plural=True)
    phrase = read_phrase(line, at + 2)
    if phrase is None or phrase.kind != "person":
        return at
    agreement.add(at, "determiner")
    phrase.agree(several)
    return phrase.end


_AND_SAFE = frozenset({("et", "sauf"), ("et", "sauve")})


def _read_bare_predicate(line: Line, at: int, agreement: Agreement) -> int:
    """Read successive adjectives, participles and nouns without a determiner."""
    phrase = read_phrase(line, at)
    if phrase is None:
        return at
    if line[phrase.head] == line[at]:
        if phrase.kind == "fixed" and not participle_infinitives(line[at]):
            return at
        if phrase.kind == "thing" and line.is_capital(at):
            return at
    elif phrase.kind != "person" and not is_adjective(line[at]):
        return at
    elif phrase.kind != "person" and line[at] in PRENOMINAL_ADJECTIVES:
        return at  # en tant que nouveau membre; bonne journée
    person = is_person(line[at])
    agreement.add(at, "noun" if person and phrase.head == at else "adjective")
    end = at + 1
    if line[at] in {"sain", "saine"} and tuple(line.keys[end : end + 2]) in _AND_SAFE:
        agreement.add(end + 1, "adjective")
        return end + 2
    if participle_infinitives(line[at]) and not person:
        return max(end, read_after_participle(line, at, agreement))
    for index in sorted((phrase.head, *phrase.adjectives)):
        if index > at:
            if (index > end and line.adverb_end(end) < index) or not can_be_predicate(
                line, index, agreement
            ):
                break
            agreement.add(index, "noun" if index == phrase.head else "adjective")
            end = index + 1
    return end


def read_after_participle(line: Line, at: int, agreement: Agreement) -> int:
    """Read the complement of a participle: devenu médecin, rentré fatigué, élu président."""
    known = verb_table()
    infinitives = participle_infinitives(line[at])
    rule = agreement.by("what the participle says of them")
    if known.is_kind("copulas", infinitives):
        return max(at + 1, read_complement(line, at + 1, rule))
    if known.is_kind("object_predicates", infinitives):
        named = known.is_kind("naming", infinitives)
        return max(at + 1, read_object_predicate(line, at + 1, rule, naming=named))
    return max(at + 1, read_state(line, at + 1, rule))


def read_state(line: Line, at: int, agreement: Agreement) -> int:
    """Read a depictive, a person's state during an action: rentré trempé, arrivé le premier."""
    start = _skip_degrees(line, at, agreement)
    if (
        line[start] in ({"les"} if agreement.plural else {"le", "la"})
        and singular_of(line[start + 1]) in _RANK_ADJECTIVES
        and not line.is_open(start + 2)
    ):
        if not agreement.plural:
            agreement.add(start, "determiner")
        agreement.add(start + 1, "adjective")
        return start + 2
    if line[start] in ADVERBIAL_ADJECTIVES or not can_be_predicate(line, start, agreement):
        return at
    if line.is_determiner(start):
        return at
    end = read_predicate_element(
        line, start, agreement.by(agreement.rule, "likely"), nouns=False, strict=True
    )
    return read_coordinated(line, end, agreement) if end > start else at


_PARTS_PLAYED = word_list("function_words", "parts_played")


def plays_part(line: Line, at: int) -> bool:
    """Whether it is said whom somebody plays: le malin, figure de favori, passer pour un client."""
    if line[at] in {"le", "la", "l'"}:
        return line[at + 1] in _PARTS_PLAYED and not line.is_open(at + 2)
    return (line[at], line[at + 1]) in {("figure", "de"), ("figure", "d'"), ("passer", "pour")}


def read_part_played(line: Line, at: int, agreement: Agreement) -> None:
    """Read whom somebody plays, after faire or jouer."""
    if line[at] == "figure":
        _read_introduced(line, at + 1, agreement)
    elif line[at] == "passer":
        read_complement(line, at + 2, agreement)
    else:
        agreement.add(at, "determiner")
        agreement.add(at + 1, "noun")


def read_object_predicate(line: Line, at: int, agreement: Agreement, *, naming: bool) -> int:
    """Read an object complement: rendu heureux, pris pour un fou."""
    start = _skip_degrees(line, at, agreement)
    if line[start] in {"comme", "pour"} or (line[start] in {"de", "d'"} and naming):
        return _read_introduced(line, start, agreement)
    if line.is_determiner(start):
        return read_complement(line, start, agreement) if naming else at
    if not line.is_open(start):
        return at
    end = read_predicate_element(line, start, agreement, strict=not naming)
    return read_coordinated(line, end, agreement) if end > start else at


def _read_introduced(line: Line, at: int, agreement: Agreement) -> int:
    """Read an object complement after a preposition: comme ton ami; pour un fou; de menteur."""
    word = line[at]
    start = _skip_degrees(line, at + 1, agreement)
    end = read_predicate_element(
        line, start, agreement.by(agreement.rule, "likely"), strict=word != "comme"
    )
    if end == start:
        return at
    end = read_coordinated(line, end, agreement)
    again = line.after_adverbs(end + 1) if line[end] in {",", "et", "mais"} else end
    same = {word, "de", "d'"} if word in {"de", "d'"} else {word}
    return _read_introduced(line, again, agreement) if again > end and line[again] in same else end


# --- what stands between and after ----------------------------------------------------------


def _skip_degrees(line: Line, at: int, agreement: Agreement) -> int:
    """The index past adverbs and opening quotation marks; "tout" before an adjective agrees."""
    while True:
        if line[at] in {"tout", "toute"} and _is_adverbial_tout(line, at):
            agreement.add(at, "determiner")
            at += 1
        elif (end := line.adverb_end(at)) > at:
            at = end
        elif line[at] in OPENING_QUOTES or line[at] in {'"', "ni", "soit"}:
            at += 1
        else:
            return at


def _is_adverbial_tout(line: Line, at: int) -> bool:
    """Whether "tout" is an adverb, "wholly": tout petit, toute seule."""
    if line.adverb_end(at) > at + 1 or not line.is_open(at + 1):
        return False
    if ("tout", line[at + 1]) in _SET_PHRASES:
        return False
    return is_adjective(line[at + 1]) or not verb_table().forms(line[at + 1])


def read_coordinated(line: Line, at: int, agreement: Agreement, *, commas: bool = True) -> int:
    """Read the conjuncts of a predicate: "et fier de l'être", ", gourmande, un peu menteuse".

    Without `commas`, a conjunct after a comma must follow at once.
    """
    end = reached = _read_compared(line, at, agreement)
    while (joint := next_coordination(line, reached)) is not None:
        adjacent = joint == end
        if not adjacent and not commas and is_comma_alone(line, joint):
            return end
        start = joint
        if line[joint] in COORDINATORS and line[joint + 1] == ",":  # et, ce qui m'a surpris, pressé
            start = closing_comma(line, joint + 1, within=12) or joint
        while line[start] in COORDINATORS or line[start] in {",", ":"} or line[start] in QUOTES:
            start += 1
        likely = agreement if adjacent else agreement.by(agreement.rule, "likely")
        start = _skip_degrees(line, start, likely)
        after = _read_conjunct(line, joint, start, likely, adjacent=adjacent)
        if after == start and adjacent and line[joint] == ":":
            return end
        end, reached = (after, after) if after > start else (end, max(start, joint + 1))
    return end


def _read_compared(line: Line, at: int, agreement: Agreement) -> int:
    """Read the adjective that another is compared with: aussi honteux que soulagé."""
    if not (_is_comparison(line, at) and can_be_predicate(line, at + 1, agreement)):
        return at
    if not is_adjective(line[at + 1]) or line.is_open(at + 2):
        return at
    return read_predicate_element(line, at + 1, agreement, nouns=False, strict=True)


def _read_conjunct(
    line: Line, joint: int, start: int, agreement: Agreement, *, adjacent: bool
) -> int:
    """Read a conjunct, if it can be predicated of the same person."""
    if line[start] in _DEMONSTRATIVE_PRONOUNS:
        if not adjacent and line[start + 1] in {"de", "d'"}:  # l'envie de partir et celle de rester
            return start
        return read_predicate_element(line, start, agreement)
    if _is_adjective_alone(line, start):  # sûr et certain
        return read_predicate_element(line, start, agreement)
    if line.is_determiner(start):
        return _read_conjunct_phrase(line, joint, start, agreement, adjacent=adjacent)
    guessed = (
        adjacent
        and line.is_open(start)
        and looks_like_adjective(line[start])
        and not verb_table().forms(line[start])
    )
    if not (can_be_predicate(line, start, agreement) or guessed):
        return start
    if (
        participle_infinitives(line[start])
        and verb_table().forms(line[start])
        and (line.is_determiner(start + 1) or (line[start] == "dit" and line.is_capital(start + 1)))
        and singular_of(line[start + 2]) not in _RANK_ADJECTIVES
    ):
        return start  # et fait une pause
    if not adjacent and (
        belongs_to_noun(line, joint, start, agreement) or _belongs_to_name(line, joint, start)
    ):
        return start
    if is_comma_alone(line, joint) and _is_address(line, start):
        return start
    return read_predicate_element(line, start, agreement, strict=not guessed)


def _read_conjunct_phrase(
    line: Line, joint: int, start: int, agreement: Agreement, *, adjacent: bool
) -> int:
    """Read a conjunct with a determiner, if it can be predicated of the same person."""
    if (line[start] in _PLURAL_DETERMINERS) != agreement.plural:
        return start
    if line[start] in {"le", "la"} and _is_first_to(line, start + 1):
        agreement.add(start, "determiner")
        agreement.add(start + 1, "adjective")
        return start + 2
    if not adjacent and (line[start] not in {"un", "une"} or is_comma_alone(line, joint)):
        return start
    phrase = read_phrase(line, start)
    if phrase is None or phrase.kind != "person" or _is_subject_of_verb(line, phrase.end):
        return start
    if not adjacent and _follows_governed_person(line, joint):
        return start
    if not adjacent and not is_person(line[phrase.head]):
        return start
    return read_predicate_element(line, start, agreement.by(agreement.rule, "likely"))


def _follows_governed_person(line: Line, joint: int) -> bool:
    """Whether a person after a preposition is joined: élevé par une tante sourde et un oncle."""
    for index in range(joint - 1, max(joint - 5, 0), -1):
        if line.is_determiner(index):
            phrase = read_phrase(line, index)
            governed = line[index - 1] in {"par", "avec", "chez", "pour", "entre", "de", "à"}
            return governed and phrase is not None and is_person(line[phrase.head])
    return False


def _belongs_to_name(line: Line, joint: int, start: int) -> bool:
    """Whether a lasting quality follows a name: mère de Lina Morel, inscrite en 3e B"""
    if line[joint - 2] in {"à", "en", "chez", "dans"}:  # a place: né à Sète, gâté et inquiet
        return False
    lasting = inflect(line[start], "masculine") not in TEMPORARY_STATES
    return lasting and is_comma_alone(line, joint) and line.is_capital(joint - 1)


def _is_first_to(line: Line, at: int) -> bool:
    """Whether somebody is the first or last to do something: et la dernière à partir."""
    return (
        line[at] in _RANK_ADJECTIVES
        and line[at + 1] == "à"
        and line[at + 2] in verb_table().infinitives
    )


def _is_address(line: Line, at: int) -> bool:
    """Whether somebody is addressed after a comma: je suis fatigué, papa."""
    listed = is_person(line[at - 2]) and line[at + 2] in {"puis", "et", "enfin"}
    ends = line[at + 1] in SENTENCE_ENDS or (line[at + 1] == "," and not listed)
    return line[at] in TERMS_OF_ADDRESS and (ends or line[at] in {"monsieur", "madame"})


_OBJECTS = frozenset({"le", "la", "les", "l'", "en"})


def _is_only_verb(line: Line, at: int) -> bool:
    """Whether the form is no noun or adjective: le sait, l'apprendra; not la porte."""
    word = line[at]
    known = any(form.person.startswith("3") for form in verb_table().forms(word))
    return known and word.endswith(("a", "ait", "it", "nt", "est")) and not is_adjective(word)


def _is_subject_of_verb(line: Line, at: int) -> bool:
    """Whether a verb follows whose subject would end there: et ma voisine de palier l'est aussi."""
    if line[at] in {"de", "d'"} and line.is_open(at + 1) and not line.is_open(at + 2):
        at += 2
    while line[at] in line.closed.clitics and (
        line[at] not in _OBJECTS or _is_only_verb(line, at + 1)
    ):
        at += 1
    if line[at] in _NEVER_VERBS or is_adjective(line[at]):
        return False
    return bool(verb_table().forms(line[at])) or line[at] in {"étant", "ayant"}
