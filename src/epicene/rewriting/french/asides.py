"""Agreement outside a clause's predicate: before and after the clause, beside tonic moi and toi."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.french.clauses import ClauseReader
from epicene.rewriting.french.context import Referent
from epicene.rewriting.french.infinitives import read_infinitive
from epicene.rewriting.french.inflection import inflect, is_plural, shown_gender
from epicene.rewriting.french.lexicon import verb_table, word_list
from epicene.rewriting.french.line import (
    OPENING_QUOTES,
    SENTENCE_ENDS,
    TEMPORARY_STATES,
    Line,
    can_be_predicate,
    is_adjective,
    is_adjective_or_person,
    is_person,
)
from epicene.rewriting.french.mentions import RARELY_PEOPLE, names_person, shows_gender_by_name
from epicene.rewriting.french.phrases import FIXED_GENDER_NOUNS, PRENOMINAL_ADJECTIVES, read_phrase
from epicene.rewriting.french.predicates import (
    TERMS_OF_ADDRESS,
    closing_comma,
    read_complement,
    read_coordinated,
    read_predicate_element,
)
from epicene.rewriting.french.subjects import Clause, is_polite_order

if TYPE_CHECKING:
    from epicene.rewriting.french.context import Context
    from epicene.rewriting.french.phrases import NounPhrase
    from epicene.rewriting.french.sites import Agreement
    from epicene.rewriting.french.verb_groups import VerbGroup

_CELUI = frozenset({"celui", "celle"})
_BEFORE_MOI = frozenset("chez pour avec sans de d' sur vers par entre".split())


def read_tonic_pronouns(context: Context) -> None:
    """Add what agrees with tonic "moi" and "toi", and "celui" in "celui qui …, c'est moi"."""
    line = context.line
    for at in range(len(line)):
        if line[at] in _CELUI and line[at + 1] in {"que", "qu'"}:
            _read_celui_que(context, at)
        if line[at] in {"quel", "quelle"} or (line.is_word(at) and line.begins(at)):
            _read_exclamation(context, at)
        if line[at] in {"soussigné", "soussignée"} and line[at - 1 - (line[at - 1] == ",")] == "je":
            _read_declarant(context, at)
        if line[at] == "vous" and line[at + 1] in {"seul", "seule"}:
            context.agreement(context.listener(at), "beside vous").add(at + 1, "adjective")
        if line[at] in {"moi", "toi"}:
            _read_beside_pronoun(context, at)
            if line[at - 1] in {"est", "était", "serai", "sera"} and line[at - 2] in {"c'", "n'"}:
                _read_cleft(context, at)
            _read_rewording(context, at)
            if line[at - 1] == "comme":
                _read_likened(context, at)


def _read_declarant(context: Context, at: int) -> None:
    """Add what a declaration says first: je, soussigné Dominique Le Gall, né à Brest et …"""
    line = context.line
    agreement = context.agreement(context.speaker(at), "beside je")
    agreement.add(at, "adjective")
    comma = closing_comma(line, at)
    if comma is not None and all(line.is_capital(index) for index in range(at + 1, comma)):
        reached = read_predicate_element(line, comma + 1, agreement, strict=True)
        read_coordinated(line, reached, agreement)


def _read_likened(context: Context, at: int) -> None:
    """Add who is like the speaker: un débutant comme moi; not ma sœur est têtue comme moi."""
    line = context.line
    mention = context.mention_ending(at - 1)
    if mention is None or mention.phrase is None or line[mention.start] not in {"un", "une"}:
        return
    if mention.phrase.kind == "person" and "être" not in {
        infinitive
        for group in context.groups
        if group.end == mention.start
        for infinitive in group.infinitives
    }:
        mention.phrase.agree(context.agreement(context.tonic_referent(at), "somebody like them"))


def _read_beside_pronoun(context: Context, at: int) -> None:
    """Add the apposition of a tonic pronoun: moi boulanger; moi, leur ancien professeur."""
    line = context.line
    agreement = context.agreement(context.tonic_referent(at), f"beside {line[at]}")
    if line[at + 1] in {"seul", "seule"}:
        agreement.add(at + 1, "adjective")
    if line[at - 1] == "," and line.begins(at - 2) and can_be_predicate(line, at - 2, agreement):
        agreement.add(at - 2, "adjective")  # Fatigué, moi ?
    if line[at - 1] in _BEFORE_MOI and line[at + 1] == "," and line[at + 2] in {"le", "la", "l'"}:
        _read_after_governed(context, at, agreement)
    if line[at - 1] in _BEFORE_MOI or line.is_enclitic(at):
        return
    start = at + 2 if line[at + 1] == "," else at + 1
    start = line.after_adverbs(start)
    if tuple(line.keys[start : start + 2]) == ("en", "tant"):
        read_complement(line, start + 3, agreement)
    elif line[start] in _CELUI:
        read_predicate_element(line, start, agreement)
    elif line.is_determiner(start) and line[start] not in {"mon", "ma", "mes", "nos", "notre"}:
        _read_phrase_beside(context, start, agreement)
    elif can_be_predicate(line, start, agreement) and not _is_finite_verb(line, start):
        end = read_predicate_element(
            line, start, agreement.by(agreement.rule, "likely"), strict=True
        )
        read_coordinated(line, end, agreement.by(agreement.rule, "likely"))


def _read_after_governed(context: Context, at: int, agreement: Agreement) -> None:
    """Add who is meant after a preposition: ils rient de moi, le petit instituteur qu'ils …"""
    start, end = context.line.sentence(at)
    if not any(start <= group.verb < at for group in context.groups):
        return
    relative = next(
        (i for i in range(at, end) if context.line[i] in {"qui", "que", "qu'", "dont"}), end
    )
    if not any(at < group.verb < relative for group in context.groups):
        _read_phrase_beside(context, at + 2, agreement)


def _is_finite_verb(line: Line, at: int) -> bool:
    return bool(verb_table().forms(line[at])) and not (
        line[at + 1] in SENTENCE_ENDS or line[at + 1] == ","
    )


def _copula_of(context: Context, subject: int) -> VerbGroup | None:
    """The copula whose subject is the pronoun at that index: être, devenir, avoir été."""
    found = next((group for group in context.groups if group.subject == subject), None)
    if found is None or {"être", "devenir"} & set(found.infinitives):
        return found
    return found if context.line[context.line.after_adverbs(found.end)] == "été" else None


def _subject_referent(context: Context, subject: int) -> Referent | None:
    if context.line[subject] in {"je", "j'"}:
        return context.speaker(subject)
    return context.listener(subject) if context.line[subject] in {"tu", "vous"} else None


def _read_celui_que(context: Context, at: int) -> None:
    """Add "celui" before a relative clause with a copula: celui que je suis devenu."""
    referent = _subject_referent(context, at + 2)
    if referent is not None and _copula_of(context, at + 2) is not None:
        context.agreement(referent, "the one whom somebody is").add(at, "pronoun")


def _read_exclamation(context: Context, at: int) -> None:
    """Add the noun phrase of an exclamation: Quel idiot je suis ! Idiot que je suis."""
    line = context.line
    phrase = read_phrase(line, at)
    if phrase is None or phrase.kind != "person":
        return
    exclaims = line[at] in {"quel", "quelle"}
    subject = phrase.end if exclaims else phrase.end + 1
    if not exclaims and (phrase.determiners or line[phrase.end] not in {"que", "qu'"}):
        return
    referent = _subject_referent(context, subject)
    if referent is not None and (
        _copula_of(context, subject) is not None
        or (exclaims and _makes_one(context, subject, phrase))
    ):
        phrase.agree(context.agreement(referent, "an exclamation"))


def _makes_one(context: Context, subject: int, phrase: NounPhrase) -> bool:
    """Whether faire says what its subject is: quel idiot je fais."""
    found = next((group for group in context.groups if group.subject == subject), None)
    return (
        found is not None
        and "faire" in found.infinitives
        and not found.clitics
        and is_adjective_or_person(context.line[phrase.head])
    )


def _read_phrase_beside(context: Context, start: int, agreement: Agreement) -> None:
    phrase = read_phrase(context.line, start)
    if phrase is None or phrase.kind != "person" or verb_table().forms(context.line[phrase.end]):
        return
    if context.line[start] in {"les", "des", "ces", "ses", "tes", "vos"}:
        return
    phrase.agree(agreement)


def _read_cleft(context: Context, at: int) -> None:
    """Add the phrase identified by "c'est moi": celui que tu cherches, c'est moi."""
    line = context.line
    start = at
    while start > 0 and line[start - 1] not in SENTENCE_ENDS and line[start - 1] not in {":", "«"}:
        start -= 1
    start = line.after_adverbs(start)
    agreement = context.agreement(context.tonic_referent(at), "the one who is named after c'est")
    if line[start] in _CELUI:
        agreement.add(start, "pronoun")
    elif line[start] in {"le", "la", "l'"}:
        phrase = read_phrase(line, start)
        if phrase and phrase.kind == "person" and line[at - 3] == ",":
            phrase.agree(agreement)


def _read_rewording(context: Context, at: int) -> None:
    """Add a noun phrase reworded as "moi": au responsable du rayon, autrement dit à moi."""
    line = context.line
    before = at - 1
    while line[before] in {"à", "de", "d'", "avec", "chez", "pour"}:
        before -= 1
    if line[before] != "c'est-à-dire" and (line[before - 1], line[before]) != ("autrement", "dit"):
        return
    comma = next((near for near in range(before, max(0, before - 4), -1) if line[near] == ","), 0)
    for near in range(comma - 1, max(0, comma - 8), -1):
        if line[near] in {"au", "du", "le", "la", "l'"}:
            phrase = read_phrase(line, near + (line[near] in {"au", "du"}))
            if phrase is not None and phrase.kind == "person":
                agreement = context.agreement(context.tonic_referent(at), "reworded as moi")
                phrase.agree(agreement)
                agreement.add(near, "determiner")
                return


_DEMONYMS = word_list("people", "demonyms")
_ROLE_NOUNS = word_list("function_words", "roles")
_INTERJECTIONS = word_list("function_words", "interjections")
_POSSESSIVES = {
    **dict.fromkeys(("mon", "ma", "mes"), "first"),
    **dict.fromkeys(("ton", "ta", "tes", "votre", "vos"), "second"),
}


def read_asides(context: Context, clauses: list[Clause]) -> None:
    """Add the asides before, inside and after each clause."""
    _read_role_nouns(context, 0, len(context.line))
    main: Clause | None = None
    start, seen = 0, 0
    for number, clause in enumerate(clauses):
        after = clauses[number + 1].group.start if number + 1 < len(clauses) else len(context.line)
        start = _sentence_start(context.line, clause.group.start, seen) or start
        seen = clause.group.start
        if main is not None and main.group.start < start:
            main = None
        if clause.referent is not None:
            _read_fronted(context, clause, start, main)
            _read_trailing(context, clause, after)
            _read_roles_with_comme(context, clause, clause.group.end, after)
            _read_seul(context, clause, after)
            _read_role_nouns(context, clause.group.end, after, clause)
        if clause.named and not _is_subordinate(context.line, clause, start):
            main = main or clause


def _sentence_start(line: Line, at: int, since: int) -> int | None:
    """Where the sentence at that index starts, if it is after `since`."""
    for before in range(at - 1, since - 1, -1):
        if line[before] in SENTENCE_ENDS | OPENING_QUOTES | {":"}:
            return before + 1
    return None


def _is_subordinate(line: Line, clause: Clause, start: int) -> bool:
    """Whether the clause is a relative clause or follows a subordinator."""
    if clause.group.kind == "relative":
        return True
    at = clause.group.start - 1
    while at >= start and line[at] != ",":
        if line[at] in line.closed.subordinators:
            return True
        at -= 1
    return False


def _read_fronted(context: Context, clause: Clause, start: int, main: Clause | None) -> None:
    """Add the asides before a clause that agree with its subject.

    Fatigué, je …; Né à Lyon, je …; Avant d'être couturier, j'ai …
    """
    line = context.line
    end = clause.start
    if clause.referent is None:
        return
    order = is_polite_order(context, clause.group)
    if clause.group.kind not in {"pronoun", "noun"} and (main is not None or not order):
        return
    if line[end - 1] == "," and line[end - 2] in {"moi", "toi"} and line[end - 3] in {",", ""}:
        end -= 2
    if main is not None:
        # What stands between two clauses belongs to the second only after a conjunction.
        start = next(
            (at for at in range(end - 1, start - 1, -1) if line[at] in {"et", "mais", "ou"}), end
        )
        start = max(start, main.group.end)
    referent = clause.referent
    if order and not _FIRST_PERSON.isdisjoint(line.keys[start : line.sentence(end)[1]]):
        referent = context.speaker(start)  # Coincé ici, partez sans moi
    agreement = context.agreement(referent, "before its subject")
    _read_roles_with_comme(context, clause, start, end)
    if line[end - 1] == ",":
        _read_segments(context, start, end, agreement)
    _read_fronted_infinitives(context, clause, start, end)
    if line[end - 1] in {"seul", "seule", "seuls", "seules"} and clause.group.kind == "noun":
        agreement.add(end - 1, "adjective")  # Seul le gardien était là


_FIRST_PERSON = frozenset("je j' me m' moi mon ma mes".split())


def _read_segments(context: Context, start: int, end: int, agreement: Agreement) -> None:
    """Add each segment between commas that begins with a predicate adjective or noun."""
    line = context.line
    at = start
    while at < end:
        first = _after_openers(line, at)
        first += line[first] == "toute" and is_adjective(line[first + 1])
        if line[first] in {"tel", "telle"} and line[first + 1] in {"un", "une"}:
            _read_likeness(line, first, agreement)
        elif line[first] in FIXED_GENDER_NOUNS:  # victime d'un vol et privé de ressources, je …
            at = max(at, read_coordinated(line, first + 1, agreement, commas=False))
        elif (
            can_be_predicate(line, first, agreement)
            and context.sites.get(first) is None
            and line[first] not in _INTERJECTIONS
            and not (agreement.who == "listener" and line[first] in _SAID_OF_SPEAKER)
            and not (line[first] in _ADDRESSED and line[first + 1] == ",")
            and not (line[first] in _DEAR and _DEAR.issubset(line.keys))
            and not _describes_mention(context, at - 1, plural=agreement.plural)
            and _is_aside(line, first, end)
        ):
            if line[first - 1] in {"tout", "toute"}:
                agreement.add(first - 1, "determiner")
            reached = read_predicate_element(line, first, agreement, strict=True)
            at = max(first + 1, read_coordinated(line, reached, agreement))
        while at < end and line[at] != ",":
            at += 1
        at += 1


_DEAR = frozenset({"cher", "chère"})
_ADDRESSED = TERMS_OF_ADDRESS | {"messieurs", "mesdames"}


def _describes_mention(context: Context, comma: int, *, plural: bool) -> bool:
    """Whether a person was named just before the comma: mère de l'élève Lina, inscrite ici, je …"""
    mention = context.mention_ending(comma) if context.line[comma] == "," else None
    return (
        mention is not None
        and (mention.human or shows_gender_by_name(mention))
        and mention.plural == plural  # not: mes chers collègues, élu de ce canton, je …
        and not context.line.begins(mention.start - 1)  # Madame la directrice, empêché, je …
        and not mention.after_preposition
    )


# Désolé, essayez encore: the speaker is.
_SAID_OF_SPEAKER = frozenset("désolé désolée navré navrée ravi ravie enchanté enchantée".split())


def _read_likeness(line: Line, at: int, agreement: Agreement) -> None:
    """Add what somebody is like: Tel un voleur, je …"""
    phrase = read_phrase(line, at + 1)
    if phrase is not None and is_person(line[phrase.head]):
        agreement.add(at, "determiner")
        phrase.agree(agreement)


def _after_openers(line: Line, at: int) -> int:
    """The index past words that may introduce a fronted adjective: et, bien que, même, une fois."""
    while True:
        if line[at] in {"et", "mais", "bien", "quoique", "quoiqu'", "que", "qu'", "ou", "puis"}:
            at += 1
        elif (after := line.adverb_end(at)) > at:
            at = after
        else:
            return at


def _is_aside(line: Line, at: int, end: int) -> bool:
    """Whether the segment is only an aside: no subject pronoun before its closing comma."""
    for index in range(at + 1, end):
        if line[index] == ",":
            return True
        if line[index] in {"je", "tu", "il", "on"}:
            return False
    return True


def _read_fronted_infinitives(context: Context, clause: Clause, start: int, end: int) -> None:
    reading = ClauseReader(context, clause)
    verbs = {group.verb for group in context.groups}
    for index in range(start, end):
        if index in verbs:
            return
        if context.line.is_infinitive(index):
            read_infinitive(reading, index, clause.referent)


def _read_trailing(context: Context, clause: Clause, after: int) -> None:
    """Add the adjectives after a clause that agree with its subject: …, épuisé mais heureux."""
    line = context.line
    if clause.referent is None:
        return
    agreement = context.agreement(clause.referent, "after its clause", "likely")
    index = clause.group.end
    while index < after and line[index] not in SENTENCE_ENDS:
        if line[index] == ",":
            start = line.after_adverbs(index + 1)
            if line[start] in {"tel", "telle"} and line[start + 1] in {"un", "une"}:
                _read_likeness(line, start, agreement)
            if _introduces_self(context, clause, index) and is_person(line[start]):
                read_predicate_element(line, start, agreement, strict=True)
            if line[start] in {"quel", "quelle"}:
                _read_trailing_exclamation(line, start, agreement)
            if _describes_object(context, index, start):
                return
            if _disagrees(context, clause, start):
                return
            if _may_trail(context, index, start, after, agreement):
                reached = read_predicate_element(line, start, agreement, strict=True)
                index = max(index, read_coordinated(line, reached, agreement) - 1)
        index += 1


def _describes_object(context: Context, comma: int, start: int) -> bool:
    """Whether an aside is about somebody just named: j'ai examiné Mme Morel, née le 2 mai, …"""
    line, mention = context.line, context.mention_ending(comma)
    if mention is None or not is_adjective(line[start]):
        return False
    closing = closing_comma(line, start)
    if closing is not None and any(
        group.start == closing + 1 and group.kind == "same" for group in context.groups
    ):
        return mention.gender == shown_gender(line[start])  # et la chance, lassée, m'a quitté
    if shows_gender_by_name(mention) and mention.gender == shown_gender(line[start]):
        return True
    if not mention.human:
        return False
    if mention.phrase is None:
        titled = context.mention_ending(mention.start)
        if titled is not None and titled.human:  # du cousin Alix, toujours si rêveur
            return titled.gender == shown_gender(line[start])
        lasting = {"né", "âgé", "domicilié", "originaire", "natif"}
        return line[mention.start - 1] != "," and inflect(line[start], "masculine") in lasting
    # j'ai vu une actrice connue, assise au fond
    return mention.gender == shown_gender(line[start]) and not mention.after_preposition


def _disagrees(context: Context, clause: Clause, at: int) -> bool:
    """Whether a word is not said of the subject as it is written: il siffla sa jument, affolée."""
    line = context.line
    subject = line[clause.group.subject]
    shown = shown_gender(line[at]) if is_adjective(line[at]) else None
    if clause.group.kind != "pronoun" or subject not in {"il", "elle"} or shown is None:
        return False
    return shown != ("masculine" if subject == "il" else "feminine")


def _introduces_self(context: Context, clause: Clause, comma: int) -> bool:
    """Whether somebody gives their name: je m'appelle Sacha, lycéen; je me présente : Sacha, …"""
    mention = context.mention_ending(comma)
    return (
        mention is not None
        and mention.phrase is None
        and clause.group.is_reflexive(context.line)
        and bool({"appeler", "nommer", "présenter", "prénommer"} & set(clause.group.infinitives))
    )


def _read_trailing_exclamation(line: Line, at: int, agreement: Agreement) -> None:
    """Add what somebody is called for what they did: j'ai oublié les clés, quel idiot !"""
    phrase = read_phrase(line, at)
    if phrase is not None and phrase.kind == "person" and line[phrase.end] in SENTENCE_ENDS | {""}:
        phrase.agree(agreement)


_DEGREES = frozenset({"aussi", "trop", "si", "très", "plus", "moins"})


def _may_trail(context: Context, comma: int, start: int, after: int, agreement: Agreement) -> bool:
    line = context.line
    if (
        start >= after
        or not can_be_predicate(line, start, agreement)
        or not (is_adjective(line[start]) or line[start - 1] in _DEGREES)
    ):
        return False
    state = inflect(line[start], "masculine") in TEMPORARY_STATES
    if is_person(line[comma - 1]) or line.is_open(start + 1):
        return False
    if verb_table().forms(line[start]) and not (
        state and line[start + 1] in line.closed.prepositions
    ):
        return False  # …, inquiète du silence; not je l'appelle, inquiète sa mère
    mention = context.mention_ending(comma)
    if state:
        return True
    closing = closing_comma(line, start - 1)
    if closing is not None and line.is_determiner(closing + 1):
        return False  # vous trouverez, jointe à ce courrier, la copie
    while mention is not None:  # la fin du film, trop longue
        if mention.gender in {None, shown_gender(line[start])}:
            return False
        if not mention.after_preposition:
            return True
        contracted = line[mention.start] in {"du", "au", "aux"}
        mention = context.mention_ending(mention.start - (not contracted))
    return True


def _read_roles_with_comme(context: Context, clause: Clause, start: int, end: int) -> None:
    """Add the subject's roles: en tant que médecin, comme serveur."""
    line = context.line
    if clause.referent is None:
        return
    agreement = context.agreement(clause.referent, "said with en tant que or comme", "likely")
    for at in range(start, end):
        if line[at] in {"que", "qu'"} and line[at - 1] == "tant" and line[at - 2] == "en":
            reached = read_complement(line, at + 1, agreement)
        elif line[at] == "comme" and _has_role(context, clause, at):
            reached = read_predicate_element(line, at + 1, agreement, strict=True)
        elif line[at] == "en" and _is_role(line, at + 1):
            reached = read_predicate_element(
                line, at + 1, agreement, strict=True
            )  # en bon père de famille
        else:
            continue
        read_coordinated(line, reached, agreement)


def _is_role(line: Line, at: int) -> bool:
    """Whether a noun for a person follows "en": en bon père de famille, en spectateur lassé."""
    if line[at] in PRENOMINAL_ADJECTIVES:
        return is_person(line[at + 1]) or line[at + 1] in _DEMONYMS
    never = RARELY_PEOPLE | _DEMONYMS | {"chef"}
    return line[at] not in never and names_person(line, at) and not verb_table().forms(line[at])


def _has_role(context: Context, clause: Clause, at: int) -> bool:
    """Whether "comme" introduces the subject's role, not a comparison."""
    line = context.line
    objects = {"le", "la", "l'", "les", "me", "m'", "te", "t'"}
    reflexive = clause.group.is_reflexive(line)
    if not reflexive and any(line[index] in objects for index in clause.group.clitics):
        return False
    following = line[at + 1]
    if following in {"un", "une", "tout", "toute"}:
        phrase = read_phrase(line, at + 1)
        return phrase is not None and phrase.kind == "person" and is_person(line[phrase.head])
    if following in PRENOMINAL_ADJECTIVES:  # comme nouvel adhérent
        phrase = read_phrase(line, at + 1)
        return phrase is not None and is_person(line[phrase.head])
    return is_person(following)


def _read_seul(context: Context, clause: Clause, after: int) -> None:
    """Add "seul" where it agrees with the subject: je l'ai fait tout seul."""
    line = context.line
    if clause.referent is None:
        return
    for at in range(clause.group.end, after):
        if line[at] not in {"seul", "seule"} or line.is_open(at + 1):
            continue
        before = at - 1 if line[at - 1] in {"tout", "toute"} else at
        if line.is_determiner(before - 1) or line[before - 1] in {"de", "d'", "à", "elle", "lui"}:
            continue
        agreement = context.agreement(clause.referent, "seul, of the subject", "likely")
        agreement.add(at, "adjective")
        if before < at:
            agreement.add(before, "determiner")


def _read_role_nouns(context: Context, start: int, end: int, clause: Clause | None = None) -> None:
    """Add the complements of role nouns: ma carrière de chanteuse, le poste de directeur."""
    line = context.line
    rule = "a role that is somebody's"
    for at in range(start, end):
        if (
            line[at] not in _ROLE_NOUNS
            or line[at + 1] not in {"de", "d'"}
            or not is_person(line[at + 2])
        ):
            continue
        owner = _POSSESSIVES.get(line[at - 1]) or _POSSESSIVES.get(line[at - 2])
        if owner is not None:
            referent = context.speaker(at) if owner == "first" else context.listener(at)
        elif line[at - 1] in {"son", "sa"} or line[at - 2] in {"son", "sa"}:
            referent = Referent("others")
        elif clause and clause.referent and line[at - 1] not in {"leur", "notre"}:
            referent = clause.referent
        else:
            continue
        referent = referent._replace(plural=is_plural(line[at + 2]))
        agreement = context.agreement(referent, rule, "likely")
        read_predicate_element(line, at + 2, agreement, strict=True)
