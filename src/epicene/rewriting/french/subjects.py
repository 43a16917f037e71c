"""The referents of each verb's subject and of third-person pronouns."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.french.antecedents import (
    ALL,
    LIKE_DETERMINERS,
    QUANTIFIERS,
    WITHOUT_GENDER,
    aside_subject,
    mention_chain_end,
    mention_referent,
    pronoun_referent,
    quantifier_referent,
    relative_antecedent,
    subject_mention,
)
from epicene.rewriting.french.context import Context, Referent
from epicene.rewriting.french.impersonal import is_impersonal
from epicene.rewriting.french.inflection import shown_noun_gender, singular_of
from epicene.rewriting.french.lexicon import verb_table
from epicene.rewriting.french.line import (
    SENTENCE_ENDS,
    is_adjective,
    is_person,
    participle_infinitives,
)
from epicene.rewriting.french.mentions import (
    AMONG_PEOPLE,
    describes_people,
    describes_things,
    last_like,
    predicate_after,
    shows_gender_by_name,
)
from epicene.rewriting.french.sites import Site, Target
from epicene.rewriting.french.verb_groups import SPOKEN_JE_SUIS

if TYPE_CHECKING:
    from epicene.rewriting.french.line import Line
    from epicene.rewriting.french.mentions import Mention
    from epicene.rewriting.french.sites import SiteKind
    from epicene.rewriting.french.verb_groups import VerbGroup
    from epicene.rewriting.persons import Gender

_IMPERATIVES = frozenset({"sois", "soyez", "reste", "restez", "deviens", "devenez"})
_TONIC_PRONOUNS = frozenset({"lui", "elle", "eux", "elles"})
_THIRD_PERSON_PRONOUNS = frozenset({"il", "elle", "ils", "elles", "le", "la", "les"})


class Clause(NamedTuple):
    """A verb and its subject's referent; None where that is no person in particular."""

    group: VerbGroup
    referent: Referent | None
    start: int  # where the subject begins
    named: bool  # whether a word of its own names the subject


def read_subject(context: Context, group: VerbGroup, before: list[Clause]) -> Clause:
    """The clause of a verb, given the clauses before it."""
    if group.kind == "pronoun":
        return Clause(group, _pronoun_subject(context, group, before), group.start, named=True)
    if group.kind == "order":
        return Clause(group, _imperative_subject(context, group), group.start, named=False)
    if group.kind == "relative":
        return _relative_clause(context, group, before)
    if group.kind == "same":
        return _shared_subject_clause(context, group, before)
    return _noun_subject_clause(context, group, before)


def _pronoun_subject(context: Context, group: VerbGroup, before: list[Clause]) -> Referent | None:
    word = context.line[group.subject]
    if word in {"je", "j'", "me", "suis"} or word in SPOKEN_JE_SUIS:
        return context.speaker(group.subject)
    if word in {"tu", "te", "t'"}:
        return context.listener(group.subject)
    if word == "vous":
        plural = _is_plural_vous(context, group)
        mixed = plural and not context.one_gender and not _COUPLES.isdisjoint(context.line.keys)
        return None if mixed else context.listener(group.subject)._replace(plural=plural)
    if word == "nous" and context.one_gender:  # the speaker with listeners or others
        return context.speaker(group.subject)._replace(plural=True)
    if word not in _THIRD_PERSON_PRONOUNS or is_impersonal(context.line, group):
        return None
    if verb_table().is_kind("by_things", group.infinitives) and not group.is_reflexive(
        context.line
    ):
        return None  # combien coûte-t-il ?
    if describes_things(context.line, group) or _is_in_message(context, group):
        return None
    if site := _antecedent_of_nested_pronoun(context, group, before):
        context.sites.add(site)
        return Referent(site.who)
    referent = pronoun_referent(context, group.subject)
    named = any(map(shows_gender_by_name, context.mentions_between(0, group.subject)))
    if referent is None and not named and describes_people(context.line, group):
        referent = Referent("others", plural=word in {"ils", "elles"})  # il est ravi
    if referent is not None:
        context.agreement(referent, "pronoun").add(group.subject, "pronoun")
    return referent


# Who are spoken to as women and men: chers parents, chers mariés.
_COUPLES = frozenset({"parents", "grands-parents", "mariés", "fiancés"})


def _is_in_message(context: Context, group: VerbGroup) -> bool:
    """Whether something is done to a thing in a program's message: il sera lancé au démarrage."""
    line = context.line
    return (
        line.is_technical
        and not group.is_reflexive(line)
        and AMONG_PEOPLE.isdisjoint(line.keys)
        and bool(participle_infinitives(predicate_after(line, group)))
        and not describes_people(line, group)
        and not _is_named_something(line, group)
        and not any(mention.human for mention in context.mentions)
    )


def _is_named_something(line: Line, group: VerbGroup) -> bool:
    """Whether a noun for people follows a participle: il a été nommé président."""
    near = range(group.end, min(group.end + 4, len(line)))
    return any(participle_infinitives(line[at]) and is_person(line[at + 1]) for at in near)


def _is_plural_vous(context: Context, group: VerbGroup) -> bool:
    """Whether the predicate of "vous" is plural."""
    line = context.line
    for index in range(group.end, min(group.end + 6, len(line))):
        word = line[index]
        if word in {"nombreux", "nombreuses"} or (index == group.end and word in ALL):
            return True
        if line.is_open(index) and (is_adjective(word) or is_person(word)):
            return word.endswith(("s", "x")) and singular_of(word) != word
        if not line.is_word(index):
            return False
    return False


def _antecedent_of_nested_pronoun(
    context: Context, group: VerbGroup, before: list[Clause]
) -> Site | None:
    """The site of the noun that the pronoun in a nested clause refers to.

    je suis un homme qui sait ce qu'il veut.
    """
    line = context.line
    if not before or before[-1].group.kind != "relative" or before[-1].referent is None:
        return None
    if line[group.subject - 1] not in {"qu'", "que", "dont", "où", "quand", "lorsqu'", "s'", "si"}:
        return None
    site = relative_antecedent(context, before[-1].group.subject - 1)
    if site is None or site.target.kind != "noun" or site.target.plural:
        return None
    gender = shown_noun_gender(line[site.at])
    if gender != ("masculine" if line[group.subject] == "il" else "feminine"):
        return None
    return site._replace(
        at=group.subject,
        target=Target("pronoun", site.target.plural),
        rule="the noun's pronoun",
        sure="likely",
    )


def _imperative_subject(context: Context, group: VerbGroup) -> Referent | None:
    second = group.person in {"2s", "2p"} or context.line[group.verb] in _IMPERATIVES
    return context.listener(group.verb) if second else None


def is_polite_order(context: Context, group: VerbGroup) -> bool:
    """Whether the verb is an imperative in -ez after an aside: Une fois inscrit, cliquez ici."""
    line = context.line
    return group.kind == "same" and line[group.start - 1] == "," and line[group.verb].endswith("ez")


def _relative_clause(context: Context, group: VerbGroup, before: list[Clause]) -> Clause:
    """The clause of a verb after "qui", with its antecedent: moi qui suis, celui qui est."""
    line = context.line
    at = group.subject - 1
    apart = line[at] == ","
    if apart:
        at -= 1
    if line[at] in {"moi", "toi"}:
        person = "1s" if line[at] == "moi" else "2s"
        return Clause(group._replace(person=person), context.tonic_referent(at), at, named=True)
    if line[at] == "vous" and line[group.verb].endswith(("ez", "êtes", "fûtes")):
        several = _is_plural_vous(context, group)
        return Clause(
            group._replace(person="2p"),
            context.listener(at)._replace(plural=several),
            at,
            named=True,
        )
    referent = None
    if (site := relative_antecedent(context, at, apart=apart)) is not None:
        referent = Referent(site.who, site.target.plural)
    elif line[at] in {"et", "ou", "mais"} and before and before[-1].group.kind == "relative":
        referent = before[-1].referent
    elif (mention := context.mention_ending(at + 1)) is not None:
        plural = line[group.verb].endswith("nt")
        if mention.plural != plural and line[mention.start] == "des":
            mention = context.mention_ending(mention.start) or mention  # le chef des ventes, qui
        elif mention.plural != plural:
            mention = subject_mention(context, at) or mention
        referent = mention_referent(mention)
    elif line[at] in {"lui", "elle"}:
        referent = Referent("others")
    elif line[at - 1] in {"de", "d'"} and (head := subject_mention(context, at - 2)) is not None:
        referent = mention_referent(head)  # le fils du prof de maths qui
    return Clause(group, referent, group.start, named=True)


def _shared_subject_clause(context: Context, group: VerbGroup, before: list[Clause]) -> Clause:
    """The clause of a verb that shares an earlier subject: je suis tombé et me suis relevé."""
    line = context.line
    persons = {form.person for form in verb_table().forms(line[group.verb])}
    own = [
        each for each in before if not _sentence_ends_between(context, each.group.end, group.start)
    ]
    signed = _soussigne(context, group)
    if signed is not None and "1s" in persons:
        return Clause(group._replace(person="1s"), context.speaker(signed), signed, named=True)
    mention = aside_subject(context, group.start - 1) if line[group.start - 1] == "," else None
    if mention and (
        _opens_aside(context, mention)
        or not any(each.start >= mention.start for each in own if each.named)
    ):
        third = group._replace(person="3s")
        return Clause(third, mention_referent(mention), mention.start, named=True)
    for clause in reversed(own):
        if clause.named and clause.group.person in persons:
            kept = group._replace(person=clause.group.person)
            return Clause(kept, clause.referent, group.start, named=False)
    if line[group.verb] in _IMPERATIVES or (
        persons & {"2s", "2p"} and is_polite_order(context, group)
    ):
        return Clause(group, context.listener(group.verb), group.start, named=False)
    return Clause(group, None, group.start, named=False)


def _opens_aside(context: Context, mention: Mention) -> bool:
    """Whether an aside with verbs of its own follows: le boxeur, que l'on disait fini, est …"""
    line = context.line
    at = line.after_adverbs(mention_chain_end(context, mention) + 1)
    return line[at] in _ASIDE_OPENERS or (is_adjective(line[at]) and not line.is_determiner(at))


_ASIDE_OPENERS = frozenset("qui que qu' dont où à chez avec pour".split())


def _soussigne(context: Context, group: VerbGroup) -> int | None:
    """Where "je soussigné" stands before the verb of a declaration: je soussigné, …, atteste …"""
    start, _ = context.line.sentence(group.start)
    return next(
        (at for at in range(start, group.start) if context.line[at + 1].startswith("soussigné")),
        None,
    )


def _sentence_ends_between(context: Context, start: int, end: int) -> bool:
    return any(context.line[index] in SENTENCE_ENDS - {";"} for index in range(start, end))


def _noun_subject_clause(context: Context, group: VerbGroup, before: list[Clause]) -> Clause:
    if context.line[group.subject] in {"moi", "toi"}:
        company = _coordinated_referent(context, group.subject)
        return Clause(group, company, group.subject, named=True)
    if context.line[group.subject] in _TONIC_PRONOUNS:
        return Clause(group, pronoun_referent(context, group.subject), group.subject, named=True)
    if (at := _quantifier_at(context, group)) is not None:
        things = describes_things(context.line, group)
        referent = None if things else quantifier_referent(context, at)
        if referent is not None and context.line[at] in QUANTIFIERS:
            kind: SiteKind = "determiner" if context.line[at] in LIKE_DETERMINERS else "pronoun"
            context.agreement(referent, "who is meant of several people", "likely").add(at, kind)
        return Clause(group, referent, at, named=True)
    if context.line[group.subject] in _THE_LATTER:
        return Clause(group, _the_latter(context, group.subject), group.subject, named=True)
    if (one := _one_of_several(context, group.subject)) is not None:
        return Clause(group, one, group.start, named=True)
    mention = subject_mention(context, group.subject)
    if (
        mention is None
        or context.line[mention.start + 1] in {"plus", "moins"}  # les gens les plus riches
        or _is_in_relative_clause(context, group, mention, before)
    ):
        far = _distant_subject(context, group)
        referent = _modified_subject(context, group, before) or (far and mention_referent(far))
        return Clause(group, referent, far.start if far else group.start, named=True)
    referent = mention_referent(mention)
    if group.person == "3p" and not mention.plural:
        referent = _joined_referent(context, mention)
    return Clause(group, referent, mention.start, named=True)


_THE_LATTER = frozenset({"celui-ci", "celle-ci", "ceux-ci", "celles-ci"})


def _the_latter(context: Context, at: int) -> Referent | None:
    """The person whom celui-ci takes up: the last noun of its gender and number."""
    word = context.line[at]
    gender: Gender = "feminine" if word.startswith("celle") else "masculine"
    plural = word.startswith(("ceux", "celles"))
    before = [each for each in context.mentions if each.end <= at]
    nouns = [each for each in before if each.phrase is not None or each.end == at - 1]
    last = last_like(nouns, gender, plural=plural)
    if last is None or not last.human:
        return None
    context.agreement(Referent("others", plural), "the last who was named", "likely").add(
        at, "pronoun"
    )
    return Referent("others", plural)


def _one_of_several(context: Context, at: int) -> Referent | None:
    """The referent of chacun, aucun, un before people: chacun de ces experts."""
    mention = context.mention_ending(at + 1)
    if mention is None or not mention.human or mention.phrase is None or not mention.plural:
        return None
    if "des" in context.line.keys[mention.start + 1 : mention.start + 3]:  # l'un des blessés
        return Referent("others")
    before = mention.start - (context.line[mention.start] != "des")
    if context.line[before] not in {"de", "d'", "des"}:
        return None
    return Referent("others") if context.line[before - 1] in ONE_OF else None


ONE_OF = frozenset({"un", "une", "chacun", "chacune", "aucun", "aucune"})


def _joined_referent(context: Context, mention: Mention) -> Referent | None:
    """The referent of nouns joined by "et", if all are people; Paul et Marie may be of either."""
    while mention.human and mention.phrase is not None:
        link = context.line[mention.start - 1]
        before = context.mention_ending(mention.start - 1) if link in {"et", ",", "ou"} else None
        if before is None:
            return Referent("others", plural=True)
        mention = before
    return None


def _is_in_relative_clause(
    context: Context, group: VerbGroup, mention: Mention, before: list[Clause]
) -> bool:
    """Whether the mention before a verb is the object of "qui": celui qui aime le sport est …"""
    if not before or before[-1].group.kind != "relative" or mention.start < before[-1].group.end:
        return False
    between = context.line.keys[before[-1].group.end : group.start]
    return _CLAUSE_MARKS.isdisjoint(between)


def _modified_subject(context: Context, group: VerbGroup, before: list[Clause]) -> Referent | None:
    """The antecedent of the relative clause that ends before a verb: l'homme qui a ri est …"""
    line = context.line
    plural = line[group.verb].endswith("nt")
    if before and before[-1].group.kind == "relative" and before[-1].referent is not None:
        between = line.keys[before[-1].group.end : group.start]
        if _CLAUSE_MARKS.isdisjoint(between) and before[-1].referent.plural == plural:
            return before[-1].referent
    for mention in reversed(context.mentions):
        governed = line[mention.end + 1] == "qui" and line[mention.end] in line.closed.prepositions
        if mention.end < group.start and (
            governed or line[mention.end] in {"que", "qu'", "dont", "où"}
        ):
            between = line.keys[mention.end + 1 + governed : group.start]
            within = [each for each in before if each.group.verb > mention.end]
            if len(within) == 1 and _CLAUSE_MARKS.isdisjoint(between) and mention.plural == plural:
                return mention_referent(mention)
            return None
    return _celui_before(context, group, before) or _inverted_subject(context, group)


def _celui_before(context: Context, group: VerbGroup, before: list[Clause]) -> Referent | None:
    """The person whom the relative clause before a verb is about: celui qu'on a arrêté est …"""
    line = context.line
    if not before or before[-1].group.kind != "pronoun":
        return None
    at = before[-1].start - 2
    site = context.sites.get(at)
    inside = line.keys[at + 2 : group.start]
    if site is None or line[at] not in _CELUI or not _CLAUSE_MARKS.isdisjoint(inside):
        return None
    return Referent(site.who, site.target.plural)


_CELUI = frozenset({"celui", "celle", "ceux", "celles"})


def _inverted_subject(context: Context, group: VerbGroup) -> Referent | None:
    """The subject after its verb: où a été arrêté le voleur ?"""
    line = context.line
    at = line.after_adverbs(group.end)
    if "avoir" in group.infinitives:
        if line[at] != "été":
            return None
        at = line.after_adverbs(at + 1)
    elif "être" not in group.infinitives:
        return None
    if line[group.subject] not in _BEFORE_INVERSION or not is_adjective(line[at]):
        return None
    mention = next((each for each in context.mentions if each.start == at + 1), None)
    return None if mention is None else mention_referent(mention)


_BEFORE_INVERSION = frozenset("où quand comment que qu' dont ainsi alors là".split())


def _distant_subject(context: Context, group: VerbGroup) -> Mention | None:
    """The subject before complements of its own: les hommes d'affaires les plus riches étaient …"""
    plural = context.line[group.verb].endswith("nt")
    verbs = {each.verb for each in context.groups}
    for mention in reversed(context.mentions):
        if mention.end > group.start or mention.after_preposition:
            continue
        if context.line[mention.start + 1] in {"plus", "moins"}:  # les plus riches
            continue
        between = range(mention.end, group.start)
        if not _CLAUSE_MARKS.isdisjoint(context.line.keys[mention.end : group.start]):
            return None
        if not verbs.isdisjoint(between) or mention.plural != plural:
            return None
        opens = context.line[mention.end] in _COMPLEMENT_OPENERS | _ADJUNCT_OPENERS
        return mention if opens else None
    return None


_COMPLEMENT_OPENERS = frozenset("de d' du des à au aux en".split())
_ADJUNCT_OPENERS = frozenset("depuis dans par sur chez avec près sous devant derrière hier".split())
_CLAUSE_MARKS = frozenset(", ; : . ! ? que qu' qui dont où si et mais ou".split())


def _quantifier_at(context: Context, group: VerbGroup) -> int | None:
    """The pronoun for several people that a subject ends with: tous, tous deux, la plupart."""
    line, at = context.line, group.subject
    singular = line[at] in {"chacun", "chacune", "aucun", "aucune"}
    if not singular and not line[group.verb].endswith("nt"):
        return None
    if line[at] in {"deux", "trois", "quatre"}:
        at -= 1
        at -= line[at] == "les"
        return at if line[at] in ALL else None
    if line[at] == "autres" and line[at - 1] not in {"les", "d'"}:
        return None
    return at if line[at] in QUANTIFIERS or line[at] in WITHOUT_GENDER else None


def _coordinated_referent(context: Context, at: int) -> Referent | None:
    """The referent of subjects conjoined with moi, if all others are women: ma sœur et moi."""
    line = context.line
    if line[at - 1] != "et":
        return None
    end = at - 1
    while (mention := context.mention_ending(end)) is not None:
        if mention.gender != "feminine":
            return None
        end = mention.start - 1
        if line[end] != ",":
            return Referent(context.tonic_referent(at).who, plural=True)
    return None
