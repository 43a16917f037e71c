"""The antecedents of pronouns, relative clauses and quantifiers, and the mention of a subject."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.french.context import Context, Referent
from epicene.rewriting.french.inflection import shown_gender, shown_noun_gender
from epicene.rewriting.french.lexicon import read_lists, verb_table, word_list
from epicene.rewriting.french.line import HYPHENS, SENTENCE_ENDS, is_adjective
from epicene.rewriting.word_lists import word_rows

if TYPE_CHECKING:
    from epicene.rewriting.french.mentions import Mention
    from epicene.rewriting.french.sites import Site
    from epicene.rewriting.persons import Gender

_PLURAL = frozenset({"ils", "elles", "les", "eux"})


def pronoun_referent(context: Context, at: int) -> Referent | None:
    """The referent of il, elle, le, la, lui …; None for a thing."""
    word = context.line[at]
    gender: Gender | None = "feminine" if word.startswith(("elle", "la")) else "masculine"
    plural = word.removesuffix("-mêmes") in _PLURAL
    if word in {"l'", "les"}:
        gender = _shown_by_participle(context, at) if word == "l'" else None
    found = _antecedent(context, at, gender, plural=plural)
    found = found or _dislocated(context, at, gender, plural=plural)
    if context.line[at - 1] == context.line[at + 1] == ",":
        found = context.mention_ending(at - 1) or found  # le chien, lui, est resté
    if word.endswith(("-même", "-mêmes")):
        found = context.mention_ending(at) or found  # l'archive elle-même
    if found is None:
        known = _was_taken_up_before(context, at, word) or _is_taken_up_later(context, at, word)
        # What "l'" and "les" are, there may be no one.
        return Referent("others", plural) if known or word not in {"les", "l'"} else None
    return Referent("others", plural) if found.human else None


def _shown_by_participle(context: Context, at: int) -> Gender | None:
    """Feminine if the participle after "l'" says so: les équipes l'ont crue perdue."""
    participle = context.line[context.line.after_adverbs(at + 2)]
    known = context.line[at + 1] in {"ai", "as", "a", "avons", "avez", "ont", "avait", "avaient"}
    feminine = known and is_adjective(participle) and shown_gender(participle) == "feminine"
    return "feminine" if feminine else None


def _dislocated(
    context: Context, at: int, gender: Gender | None, *, plural: bool
) -> Mention | None:
    """The noun that a pronoun announces: Elle est belle, ta maison."""
    line = context.line
    _, end = line.sentence(at)
    for mention in context.mentions_between(at + 1, end):
        reached = mention_chain_end(context, mention)
        if line[reached] in {"à", "de", "d'", "en"} and line.is_open(reached + 1):
            reached += 2  # la machine à café
        if (
            reached in {end, end - 1}
            and line[mention.start - 1] == ","
            and line[mention.start] in _DEFINITE
            and line[mention.start + 1] not in {"plus", "moins"}
            and not _is_apposition(context, mention)
            and mention.plural == plural
            and not _differs(mention.gender, gender)
        ):
            return mention
    return None


def _is_apposition(context: Context, mention: Mention) -> bool:
    """Whether the noun after a comma may say what the one before it is."""
    before = context.mention_ending(mention.start - 1)
    return before is not None and not _differs(before.gender, mention.gender)


_DEFINITE = frozenset("le la l' les ce cet cette ces mon ma mes ton ta tes son sa ses".split())


def _was_taken_up_before(context: Context, at: int, word: str) -> bool:
    """Whether the same pronoun, or one of its other forms, referred to a person before."""
    like = _PRONOUNS_ALIKE.get(word, {word})
    return any(
        site.at < at and site.who == "others" and context.line[site.at] in like
        for site in context.sites
    )


def _is_taken_up_later(context: Context, at: int, word: str) -> bool:
    """Whether a subject of the next clause is the same person: Je les ai vus, ils dormaient."""
    _, end = context.line.sentence(at)
    stressed = {"eux", "elles"} if word == "les" else {"lui", "elle"}
    if any(
        context.line[index] == "," and context.line[index + 1] in stressed
        for index in range(at, min(at + 5, end))
    ):
        return True  # le juge l'a crue, elle
    later = next((each for each in context.groups if each.start > at), None)
    if later is None or later.kind != "pronoun" or word not in {"l'", "les"}:
        return False
    between = [each for each in context.mentions if at < each.start < later.start]
    if any(not each.after_preposition for each in between):
        return False
    after = context.line[later.subject]
    shown = "elle" in after
    pronouns = {"ils", "elles"} if word == "les" else {"il", "elle"}
    return after in pronouns and _shows(context, at, feminine=shown)


def _shows(context: Context, at: int, *, feminine: bool) -> bool:
    """Whether the participle after an object pronoun shows that gender."""
    participle = context.line[context.line.after_adverbs(at + 2)]
    return participle.endswith(("e", "es")) == feminine


_PRONOUNS_ALIKE = {
    row[0]: set(row[1:]) for row in word_rows(read_lists("function_words")["pronouns_alike"])
}


def _antecedent(
    context: Context, at: int, gender: Gender | None, *, plural: bool
) -> Mention | None:
    """The likeliest antecedent of a pronoun: a subject rather than an object."""
    if _was_taken_up_before(context, at, context.line[at]):
        return None
    subjects = {group.subject for group in context.groups if group.kind == "noun"}
    best: tuple[int, Mention] | None = None
    for mention in context.mentions_between(at - _REACH, at):
        if mention.end > at:
            break
        if mention.plural != plural or _differs(mention.gender, gender):
            continue
        if _is_own_subject(context, mention, at):
            continue
        fixed = context.line[mention.head] in _SOMEBODY
        if not mention.human and not fixed and not _may_be_meant(context, mention, at):
            continue
        owner = context.mention_ending(mention.start)
        if mention.phrase is None and owner is not None and not owner.human:
            continue  # la commande {number} … Elle
        if mention.phrase is None and context.line[mention.start - 1] in {"à", "en", "dans"}:
            continue  # à Kourou
        rank = 3 if fixed else 2 if mention.end - 1 in subjects or mention.human else 1
        if not mention.human and mention.gender is None and not mention.plural:
            rank = 0
        if best is None and rank == 0 and not _POSSESSIVES.isdisjoint(context.line.keys[:at]):
            continue
        if best is None or rank >= best[0]:
            best = (rank, mention)
    return best[1] if best else _thing_before(context, at, gender, plural=plural)


def _thing_before(
    context: Context, at: int, gender: Gender | None, *, plural: bool
) -> Mention | None:
    """A thing of the sentence before: Tu te souviens de la maison ? Elle était blanche."""
    start, _ = context.line.sentence(at)
    if gender is None:
        return None
    colon = next((i for i in range(at - 1, max(at - 4, start), -1) if context.line[i] == ":"), None)
    if colon is not None:  # amoureuse de cette cafetière : elle est belle
        first, start = start, colon
    elif start == 0 or (at - start > 2 and not _takes_up_thing(context, start, at)):
        return None
    else:
        first, _ = context.line.sentence(start - 2)
    found = [
        each
        for each in context.mentions_between(first, start)
        if each.gender == gender and each.plural == plural and not each.human
    ]
    if {"masculine": "lui", "feminine": "elle"}[gender] in context.line.keys[first:start]:
        return None
    timed = found and _TIME_NOUNS & set(context.line.keys[found[-1].start : found[-1].end])
    return found[-1] if found and not timed else None


def _takes_up_thing(context: Context, start: int, at: int) -> bool:
    """Whether a pronoun before it in the sentence is a thing: Débranchez-la, attendez qu'elle …"""
    like = {"elle", "la"} if context.line[at] in {"elle", "la"} else {"il", "le"}
    found = [
        index
        for index in range(start, at)
        if (context.line[index] in like and context.line.is_enclitic(index))
        or context.line[index] == ("celle-ci" if "la" in like else "celui-ci")
    ]
    return bool(found) and context.sites.get(found[0]) is None


# Nouns of one gender that are surely people: la victime … elle.
_SOMEBODY = frozenset("victime personne altesse majesté sentinelle".split())
_REACH = 500  # words: nothing farther back is meant


def _is_own_subject(context: Context, mention: Mention, at: int) -> bool:
    """Whether the pronoun is the object of that mention's verb: le vendeur l'a réglé."""
    if context.line[at] in {"le", "la", "l'", "les"} and context.line.is_infinitive(at + 1):
        last = next((group for group in reversed(context.groups) if group.verb < at), None)
        if last is not None and mention.start <= last.subject < mention.end:
            return True  # le vétérinaire est venu le voir
    return any(
        at in group.clitics and mention.start <= group.subject < mention.end
        for group in context.groups
    )


def _may_be_meant(context: Context, thing: Mention, at: int) -> bool:
    """Whether a thing may be an antecedent: not within its own clause, nor in c'est le cas."""
    line = context.line
    if thing.after_preposition or line[thing.start] in {"quel", "quelle"}:
        return False
    if thing.gender is None and not thing.plural and line[thing.start] != "l'":
        alone = sum(each.end <= at for each in context.mentions) == 1
        return alone and line[thing.start] in {"notre", "votre", "mon", "ton"}
    if (
        not _TIME_NOUNS.isdisjoint(line.keys[thing.start : thing.end])
        or line[thing.head] in _POSSESSIVE_PRONOUNS
    ):
        return False
    if line[thing.start - 1] in {"est", "était", "fut", "sont"}:
        return False
    between = [
        line[index]
        for index in range(thing.end, at)
        if line[index - 1] not in _CONJUNCTIONS
        and (line[index - 2], line[index - 1]) != ("à", "ce")  # jusqu'à ce qu'elle …
    ]
    if "," in between:  # the relative clause is over
        between = between[len(between) - between[::-1].index(",") :]
    return len(between) > 7 or _RELATIVE_PRONOUNS.isdisjoint(between)


# With "que" they open a clause of their own: parce qu'elle est cassée.
_CONJUNCTIONS = frozenset({"parce", "tandis"})
_POSSESSIVES = frozenset({"son", "sa", "ses"})
_TIME_NOUNS = word_list("function_words", "time_nouns")
_POSSESSIVE_PRONOUNS = frozenset({"sien", "sienne", "mien", "mienne", "tien", "tienne"})
_RELATIVE_PRONOUNS = frozenset("que qu' dont où lequel laquelle duquel auquel lesquels".split())


def _differs(one: Gender | None, other: Gender | None) -> bool:
    return one is not None and other is not None and one != other


def relative_antecedent(context: Context, at: int, *, apart: bool = False) -> Site | None:
    """The site that is the antecedent of a relative clause after `at`."""
    line, sites = context.line, context.sites
    if line[at] in {"et", "ou", "mais"}:  # celui que tu cherches et qui est revenu
        for near in range(at - 1, max(at - 12, -1), -1):
            if (
                (found := sites.get(near))
                and found.target.kind == "pronoun"
                and line[near] not in {"il", "elle"}
            ):
                return found
        return None
    if (site := sites.get(at)) is not None:
        return site
    if apart:
        return None
    for near in range(at - 1, max(at - 4, -1), -1):  # un homme de trente ans qui …
        if line[near] in {"de", "d'", "du", "à", "en"}:
            site = sites.get(near - 1)
            return None if site is None or _is_nearer_antecedent(context, at, site) else site
    return None


def _is_nearer_antecedent(context: Context, at: int, site: Site) -> bool:
    """Whether the complement before "qui" is its antecedent, not the noun that it belongs to.

    marié à une femme qui est née ici; le directeur d'une école qui est fermée.
    """
    if site.target.kind not in {"noun", "pronoun"}:
        return True
    mention = context.mention_ending(at + 1)
    if mention is None or mention.plural != site.target.plural:
        return False
    if mention.human:
        return True
    shown = next(
        (
            gender
            for index in range(at + 2, min(at + 7, len(context.line)))
            if is_adjective(context.line[index])
            and (gender := shown_gender(context.line[index], plural=mention.plural))
        ),
        None,
    )
    own = shown_noun_gender(context.line[site.at], plural=site.target.plural)
    return shown is not None and shown == mention.gender and shown != own


def mention_referent(mention: Mention) -> Referent | None:
    """The referent of a mention, if it is a person whose words may be changed."""
    return Referent("others", mention.plural) if mention.human else None


def subject_mention(context: Context, before: int) -> Mention | None:
    """The subject that ends with that word: the first of "le père de mon ami"."""
    if context.line[before].endswith(("-même", "-mêmes")):
        before -= 1
    mention = context.mention_ending(before + 1)
    mention = _titled(context, mention)
    while mention is not None and mention.after_preposition:
        contracted = context.line[mention.start] in {"du", "au", "aux"}
        link = mention.start if contracted else mention.start - 1
        mention = context.mention_ending(link)
        if mention is None and context.line[link - 1] in verb_table().gerunds:
            mention = context.mention_ending(link - 1)  # des filles venant de tout l'Empire
        mention = _titled(context, mention)
    return mention


def _titled(context: Context, mention: Mention | None) -> Mention | None:
    """The noun that a name belongs to: le journal Equity, le prince Vyazemsky."""
    if mention is None or mention.phrase is not None:
        return mention
    return context.mention_ending(mention.start) or mention


def mention_chain_end(context: Context, mention: Mention) -> int:
    """The index after a mention and its complements: le patron du café."""
    end = mention.end
    while True:
        contracted = context.line[end] in {"du", "au", "aux", "des"}
        complement = context.by_start.get(end + (not contracted))
        if (
            complement is None
            and context.line[end + 1].isdigit()
            and context.line[end + 2] == "ans"
        ):
            return end + 3  # un ingénieur de 38 ans
        if complement is None and contracted and context.line[end + 1] in {"dessus", "dessous"}:
            return end + 2
        if complement is None or not complement.after_preposition:
            return end
        end = complement.end


def aside_subject(context: Context, comma: int) -> Mention | None:
    """The mention that the aside closed by that comma describes: Levit, le président, parla."""
    line = context.line
    for mention in reversed(context.mentions):
        end = mention_chain_end(context, mention)
        if end >= comma or line[end] != ",":
            continue
        if any(line[index] in SENTENCE_ENDS for index in range(mention.end, comma)):
            return None
        if not mention.after_preposition:
            return mention
    return None


def is_tonic(context: Context, at: int) -> bool:
    """Whether "lui" or "elle" is a tonic pronoun, not a clitic: avec lui, lui aussi."""
    line = context.line
    if line[at - 1] in HYPHENS:
        return False
    subjects = {group.subject for group in context.groups if group.kind == "pronoun"}
    clitics = {index for group in context.groups for index in group.clitics}
    if at in subjects or at in clitics:
        return False
    after = at + 1
    while line[after] in line.closed.clitics:
        after += 1
    return line[at] != "lui" or not verb_table().infinitive_of(line[after])


ALL = frozenset({"tous", "toutes"})
LIKE_DETERMINERS = ALL | {"certains", "certaines", "aucun", "aucune"}
QUANTIFIERS = LIKE_DETERMINERS | set("chacun chacune quelques-uns quelques-unes uns unes".split())
WITHOUT_GENDER = frozenset({"plusieurs", "beaucoup", "plupart", "autres"})
_OF_SEVERAL = frozenset({"chacun", "chacune", "aucun", "aucune"})


def _shown_by_pronoun(word: str) -> Gender | None:
    if word in WITHOUT_GENDER:
        return None
    return "feminine" if word.endswith(("e", "es")) else "masculine"


def quantifier_referent(context: Context, at: int) -> Referent | None:
    """The people whom tous, certains, ceux … stand for; None where they may be things."""
    word = context.line[at]
    if context.line.is_technical:
        return None
    plural = word.endswith(("s", "x")) or word in {"beaucoup", "plupart"}
    near = [each for each in context.mentions if each.end <= at]
    for mention in reversed(near):
        if mention.human and mention.phrase is not None:
            return Referent("others", plural)
        if mention.plural != (plural or word in _OF_SEVERAL) or mention.human:
            continue
        if _differs(mention.gender, _shown_by_pronoun(word)):
            continue
        if not _TIME_NOUNS & set(context.line.keys[mention.start : mention.end]):
            return None
    return Referent("others", plural)
