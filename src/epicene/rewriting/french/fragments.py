"""Sentences without a finite verb: labels and headings, thanks, answers, a copula left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.french.clauses import ClauseReader
from epicene.rewriting.french.context import Referent
from epicene.rewriting.french.infinitives import read_infinitive
from epicene.rewriting.french.inflection import inflect, shown_gender, singular_of
from epicene.rewriting.french.lexicon import verb_table, word_list
from epicene.rewriting.french.line import (
    SENTENCE_ENDS,
    TEMPORARY_STATES,
    Line,
    can_be_predicate,
    is_adjective,
    is_adjective_or_person,
    is_person,
)
from epicene.rewriting.french.mentions import SAID_OF_PEOPLE
from epicene.rewriting.french.phrases import read_phrase
from epicene.rewriting.french.predicates import read_coordinated, read_predicate_element
from epicene.rewriting.french.subjects import Clause
from epicene.rewriting.french.verb_groups import VerbGroup, clitics_before

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.rewriting.french.context import Context
    from epicene.rewriting.french.mentions import Mention
    from epicene.rewriting.persons import TargetGenders


def read_verbless(context: Context, clauses: Sequence[Clause], wanted: TargetGenders) -> None:
    """Add what agrees in sentences without a finite verb, and with "me" before avoir."""
    line = context.line
    for at in range(len(line)):
        if line[at] == "avoir":
            _read_object_of_infinitive(context, at)
        if line[at] in {"de", "d'"} and line.is_infinitive(at + 1):
            _read_infinitive_of_noun(context, at)
        if line[at] in {"de", "d'"} and line[at - 1] in {"merci", "prière"}:
            _read_thanks(context, at + 1)
        if line.is_word(at) and line.begins(at):
            _read_opening_state(context, clauses, at)
        if line.is_word(at) and line[at - 1] == "." and not line.tokens[at - 1].text:
            _read_signature(context, at)
        if line.is_word(at) and line.begins(at):
            _read_continued(context, clauses, at)
        if line.is_word(at) and line.begins(at) and not _sentence_has_subject(context, clauses, at):
            _read_elided_copula(context, at)
            _read_presence(context, at)
            _read_assessment(context, at)
            _read_answer(context, at)
            _read_fragment(context, at, wanted)


def _read_thanks(context: Context, at: int) -> None:
    """Add what agrees with whoever is thanked: Merci de vous être inscrit."""
    while context.line[at] in context.line.closed.clitics:
        at += 1
    if context.line.is_infinitive(at):
        _read_infinitive_of(context, at, context.listener(at))


def _read_infinitive_of_noun(context: Context, at: int) -> None:
    """Add what agrees with whose fear or wish it is: ma peur d'être abandonné."""
    owner = context.line[at - 2]
    if is_person(context.line[at - 1]) or not context.line.is_open(at - 1):
        return
    if owner in {"mon", "ma"}:
        _read_infinitive_of(context, at + 1, context.speaker(at))
    elif owner in {"ton", "ta", "votre"}:
        _read_infinitive_of(context, at + 1, context.listener(at))


def _read_infinitive_of(context: Context, at: int, referent: Referent) -> None:
    """Read an infinitive that depends on no verb."""
    group = VerbGroup(at, "same", "", (), at, (), at + 1)
    reading = ClauseReader(context, Clause(group, referent, at, named=False))
    read_infinitive(reading, at, referent, sure="likely")


def _read_fragment(context: Context, at: int, wanted: TargetGenders) -> None:
    """Add what agrees with the reader of a label: Rester connecté; Déjà inscrit ?"""
    line = context.line
    end = next((i for i in range(at, len(line)) if line.ends_sentence(i)), len(line))
    if any(at <= group.verb < end for group in context.groups):
        return
    if (line[at] in _GREETINGS or line[at] == "alors") and line[at + 1] == ",":
        at += 2
    start = _after_adverbs_and_clitics(line, at)
    question = "?" in line.keys[start : end + 2]
    referent = context.listener(at)
    if not question and "listener" not in wanted and _SECOND_PERSON.isdisjoint(line.keys):
        referent = context.speaker(at)
    if line.is_infinitive(start) and line[start] not in verb_table().gerunds:
        _read_infinitive_of(context, start, referent)
        return
    agreement = context.agreement(referent, "said of whoever reads it", "guess")
    if not can_be_predicate(line, start, agreement) or context.sites.get(start) is not None:
        return
    if _is_said_of_reader(line, start, question=question):
        reached = read_predicate_element(line, start, agreement, strict=True)
        read_coordinated(line, reached, agreement)


_SECOND_PERSON = frozenset("tu te t' toi ton ta tes vous votre vos".split())
_ASKED_OF_READERS = word_list("function_words", "asked_of_readers")
_SAID_OF_USERS = word_list("function_words", "said_of_users")


def _after_adverbs_and_clitics(line: Line, at: int) -> int:
    while line[at] in line.closed.clitics or line.adverb_end(at) > at:
        at = max(at + 1, line.adverb_end(at))
    return at


def _is_said_of_reader(line: Line, at: int, *, question: bool) -> bool:
    """Whether the first word of a label is said of people, not of a file or an order."""
    word, following = inflect(line[at], "masculine"), line[at + 1]
    if not question:
        return word in _SAID_OF_USERS and following in {"depuis", "en", "ou"}
    if word == "nouveau":
        return following in {"ici", "sur", "dans", "chez", "parmi"} or is_person(following)
    if word in _SAID_OF_USERS or word in TEMPORARY_STATES or word in _ASKED_OF_READERS:
        return not line.is_open(at + 1)
    return is_person(line[at]) and not is_adjective(line[at]) and line.ends_sentence(at + 1)


def _sentence_has_subject(context: Context, clauses: Sequence[Clause], start: int) -> bool:
    """Whether the sentence that begins at `start` has a verb with a subject."""
    _, end = context.line.sentence(start)
    return any(
        clause.named and clause.group.kind != "relative" and start <= clause.group.verb < end
        for clause in clauses
    )


def _read_continued(context: Context, clauses: Sequence[Clause], at: int) -> None:
    """Add what is further said of somebody: La pharmacienne est la seule à … Douce, compétente."""
    line = context.line
    start = line.after_adverbs(at)
    ends = line.closed.subordinators | {":"}
    end = next((i for i in range(at, len(line)) if line.ends_sentence(i) or line[i] in ends), at)
    if any(at <= group.verb < end for group in context.groups) or context.sites.get(start):
        return
    told = _told_before(context, clauses, at - 1)
    agreement = context.agreement(Referent("others"), "further said of somebody", "guess")
    if told is None or not can_be_predicate(line, start, agreement):
        return
    if shown_gender(line[start]) in {None, told.gender} and _is_quality(line, start):
        reached = read_predicate_element(line, start, agreement, nouns=False, strict=True)
        read_coordinated(line, reached, agreement)


def _told_before(context: Context, clauses: Sequence[Clause], mark: int) -> Mention | None:
    """The person whom the sentence before is about; before a colon whoever was named last."""
    line = context.line
    if line[mark] == ":":
        last = context.mention_ending(mark)
        return last if last is not None and last.human and last.phrase is not None else None
    if line[mark] not in SENTENCE_ENDS or mark < 1:
        return None
    start, end = line.sentence(mark - 1)
    about = [each for each in clauses if start <= each.group.verb < end and each.named]
    if not about or about[0].referent != Referent("others"):
        return None
    return next((each for each in context.mentions if each.start == about[0].start), None)


def _is_quality(line: Line, at: int) -> bool:
    """Whether an adjective, not said of oneself, is all that is said: Douce, compétente."""
    word = inflect(line[at], "masculine")
    return is_adjective(line[at]) and word not in _SAID_OF_ONESELF and not line.is_open(at + 1)


def _read_elided_copula(context: Context, at: int) -> None:
    """Add an adjective without "je suis": Désolé, vraiment. Ravi de vous rencontrer."""
    line = context.line
    start = line.after_adverbs(at)
    agreement = context.agreement(context.speaker(at), "je suis is left out", "guess")
    if (
        not can_be_predicate(line, start, agreement)
        or inflect(line[start], "masculine") not in _SAID_OF_ONESELF
        or "?" in line.keys[start : line.sentence(start)[1] + 1]
    ):
        return
    joined = line[start + 1] in {"et", "mais"} and is_adjective(line[line.after_adverbs(start + 2)])
    if joined or line[start + 1] in _AFTER_FEELINGS or line[start + 1] in SENTENCE_ENDS:
        reached = read_predicate_element(line, start, agreement, strict=True)
        read_coordinated(line, reached, agreement)
        if line[reached] in {"de", "d'"} and line.is_infinitive(reached + 1):
            _read_infinitive_of(context, reached + 1, context.speaker(at))  # Ravi d'être venu


def _read_presence(context: Context, at: int) -> None:
    """Add who is here: Grand amateur de fromages ici !"""
    line = context.line
    _, end = line.sentence(at)
    phrase = read_phrase(line, at)
    here = next((i for i in range(at, end) if line[i] == "ici"), None)
    if here is None or phrase is None or phrase.determiners or line[here + 1] not in _PAUSES:
        return
    if is_person(line[phrase.head]) and not any(at <= each.verb < end for each in context.groups):
        phrase.agree(context.agreement(context.speaker(at), "je suis is left out", "guess"))


def _read_signature(context: Context, at: int) -> None:
    """Add what somebody is, below or beside their name at the end of a letter."""
    line = context.line
    start, end = line.sentence(at)
    comma = next((i for i in range(at, end) if line[i] == ","), None)
    if comma is not None:  # Claude Morel, directeur des ventes
        name, title = range(at, comma), comma + 1
    else:
        start = line.sentence(at - 2)[0]
        name, title = range(start, at - 1), at
    closed = line[start - 2] == "," and line[start - 1] == "."  # Cordialement,
    if not closed or not 0 < len(name) < 4 or not all(_is_capital_or_mark(line, i) for i in name):
        return
    phrase = read_phrase(line, title)
    if phrase is None or phrase.determiners or not is_adjective_or_person(line[phrase.head]):
        return
    if not any(at <= each.verb for each in context.groups):
        phrase.agree(context.agreement(context.speaker(at), "signature", "likely"))


def _is_capital_or_mark(line: Line, at: int) -> bool:
    return not line.is_word(at) or line.tokens[at].text[:1].isupper()


def _read_assessment(context: Context, at: int) -> None:
    """Add who is assessed, as in school reports: Élève sérieux et appliqué, mais discret."""
    line = context.line
    phrase = read_phrase(line, at)
    if phrase is None or phrase.determiners or not phrase.adjectives:
        return
    if inflect(line[phrase.head], "masculine", "noun") not in _ASSESSED:
        return
    _, end = line.sentence(at)
    if any(at <= each.verb < end for each in context.groups):
        return
    agreement = context.agreement(Referent("others"), "who is assessed", "guess")
    phrase.agree(agreement)
    read_coordinated(line, phrase.end, agreement)


_ASSESSED = word_list("function_words", "assessed")
_PAUSES = SENTENCE_ENDS | {",", ":", ""}
_AFTER_FEELINGS = frozenset("de d' du des pour par que qu' à au aux si ,".split()) | {""}
_SAID_OF_ONESELF = word_list("function_words", "said_of_oneself")
_GREETINGS = word_list("function_words", "greetings")
_AFTER_ARRIVING = frozenset({"bien", "enfin", "toujours", "pas"})  # Bien arrivé; Pas encore levé


def _read_opening_state(context: Context, clauses: Sequence[Clause], at: int) -> None:
    """Add how the speaker is, before a clause about something else: Crevé ce soir, on annule."""
    line = context.line
    greeted = line[at] in _GREETINGS and line[at + 1] in {",", "!"}
    start = line.after_adverbs(at + 2 if greeted else at)
    _, end = line.sentence(start)
    agreement = context.agreement(context.speaker(at), "je suis is left out", "guess")
    if line[start] in {"certain", "certaine"} and line[start + 1] in {"que", "qu'"}:
        agreement.add(start, "adjective")
    if not can_be_predicate(line, start, agreement) or context.sites.get(start) is not None:
        return
    word = inflect(line[start], "masculine")
    feeling = word in _SAID_OF_ONESELF
    arrived = word in {"arrivé", "rentré", "parti", "levé", "remis", "installé"}
    if not feeling and not (arrived and not _AFTER_ARRIVING.isdisjoint(line.keys[at:start])):
        return
    after = line[start + 1]
    if word in {"désolé", "navré"} and (line.is_determiner(start + 1) or after in _FIRST_PERSON):
        agreement.add(start, "adjective")
        return
    if after in {"que", "qu'"} and word in _SAID_OF_ONESELF:  # Pas certain que ce soit vrai
        read_predicate_element(line, start, agreement, strict=True)
        return
    if after not in line.closed.prepositions and not _is_time(line, start + 1) and after != ",":
        return
    own = [each for each in clauses if start < each.group.verb < end]
    if "?" in line.keys[start : start + 8] and (not own or "," not in line.keys[start:end]):
        return
    if own and (own[0].referent is not None or (own[0].group.kind == "noun" and not greeted)):
        return
    read_coordinated(line, read_predicate_element(line, start, agreement, strict=True), agreement)


_FIRST_PERSON = frozenset({"je", "j'", "on"})


def _is_time(line: Line, at: int) -> bool:
    return line.adverb_end(at) > at or (line.is_determiner(at) and line[at + 1] in _TIMES)


_TIMES = word_list("function_words", "time_nouns")


def _read_answer(context: Context, at: int) -> None:
    """Add the answer to a question about identity: Qui je suis ? Un vieil ami de la famille."""
    line = context.line
    _read_answer_about(context, at)
    asked = [
        group for group in context.groups if group.end <= at and line[group.subject] in {"je", "j'"}
    ]
    if line[at - 1] != "?" or not asked or "être" not in asked[-1].infinitives:
        return
    agreement = context.agreement(
        context.speaker(asked[-1].subject), "answers who somebody is", "likely"
    )
    if line.is_determiner(at):
        read_coordinated(line, read_predicate_element(line, at, agreement), agreement)


def _read_answer_about(context: Context, at: int) -> None:
    """Add the answer to a question about somebody: Et l'otage ? Sain et sauf."""
    line = context.line
    mark = at - 1
    while line[mark] in {"–", "—"}:
        mark -= 1
    if line[mark] != "?" or line[line.sentence(mark - 1)[0]] not in {"et", "–", "—"}:
        return
    asked = context.mention_ending(mark)
    if asked is None or not asked.human or asked.phrase is None:
        return
    agreement = context.agreement(Referent("others", asked.plural), "answers about them", "guess")
    start = line.after_adverbs(at)
    if inflect(singular_of(line[start]), "masculine") in TEMPORARY_STATES | SAID_OF_PEOPLE:
        reached = read_predicate_element(line, start, agreement, nouns=False, strict=True)
        read_coordinated(line, reached, agreement)


def _read_object_of_infinitive(context: Context, at: int) -> None:
    """Add the participle that agrees with the object of an infinitive: m'avoir invité."""
    clitics = clitics_before(context.line, at)
    if any(context.line[index] in {"me", "m'", "te", "t'"} for index in clitics):
        group = VerbGroup(at, "same", "", clitics, at, ("avoir",), at + 1)
        ClauseReader(context, Clause(group, None, at, named=False)).read()
