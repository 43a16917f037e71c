"""Finite verbs with their clitics: which word expresses the subject, and whether a clitic is a
direct or an indirect object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.rewriting.french.lexicon import read_lists, verb_table, word_list
from epicene.rewriting.french.line import (
    ADVERBIAL_ADJECTIVES,
    HYPHENS,
    QUOTES,
    SENTENCE_ENDS,
    Line,
    is_adjective,
    is_person,
)
from epicene.rewriting.french.phrases import read_phrase

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.rewriting.french.conjugation import FiniteForm

# pronoun, noun and relative name the subject; same: joined to the verb before it; order: an
# imperative, whose subject is the second person.
SubjectKind: TypeAlias = Literal["pronoun", "noun", "relative", "same", "order"]

_ALWAYS_SUBJECT = frozenset({"je", "j'", "tu", "il", "on", "ils"})
_PERSON = dict(each.split("=") for each in read_lists("function_words")["persons"].split())
# Pronouns before a verb that can be nothing else.
_SURE_CLITICS = frozenset({"ne", "n'", "me", "m'", "te", "t'", "se", "s'", "lui", "y"})
_REFLEXIVE = {"1s": {"me", "m'"}, "2s": {"te", "t'"}, "1p": {"nous"}, "2p": {"vous"}}


class VerbGroup(NamedTuple):
    """One finite verb: its subject's word, its clitics, and its end."""

    subject: int  # the token that names the subject; the verb itself where none does
    kind: SubjectKind
    person: str
    clitics: tuple[int, ...]
    verb: int
    infinitives: tuple[str, ...]
    end: int  # after the verb and a subject written after it

    @property
    def start(self) -> int:
        """The index where subject, clitics or verb begin."""
        return min(self.subject, self.verb, *self.clitics)

    def is_reflexive(self, line: Line) -> bool:
        """Whether one of its clitics refers to its subject."""
        own = _REFLEXIVE.get(self.person, {"se", "s'"})
        return any(line[index] in own for index in self.clitics)


def find_verb_groups(line: Line) -> Iterator[VerbGroup]:
    """All finite verbs, in order."""
    taken = -1
    for index in range(len(line)):
        if index <= taken:
            continue
        group = (
            _with_voila(line, index)
            or _with_inverted_subject(line, index)
            or _with_pronoun_subject(line, index)
            or _with_noun_subject(line, index)
        )
        if group is not None:
            taken = group.end - 1
            yield group


def _infinitives_of_form(word: str, person: str) -> tuple[str, ...]:
    found: list[FiniteForm] = list(verb_table().forms(word))
    return tuple(form.infinitive for form in found if form.person == person)


def _with_voila(line: Line, at: int) -> VerbGroup | None:
    """The group of "voilà" with a pronoun, read as a form of être: me voilà."""
    if line[at] not in {"me", "te", "le", "la", "les", "vous", "nous"}:
        return None
    if line[at + 1] not in {"voilà", "voici"}:
        return None
    person = {"me": "1s", "te": "2s", "vous": "2p", "nous": "1p", "les": "3p"}.get(line[at], "3s")
    return VerbGroup(at, "pronoun", person, (), at + 1, ("être",), at + 2)


def _with_inverted_subject(line: Line, at: int) -> VerbGroup | None:
    """The group of a verb with an inverted pronoun subject: suis-je, a-t-elle été."""
    pronoun = at + 2
    if line[at + 1] not in HYPHENS or line[pronoun] not in _PERSON or not line.is_word(at):
        return None
    person = _PERSON[line[pronoun]]
    infinitives = _infinitives_of_form(line[at], person)
    if not infinitives and line[pronoun] in {"nous", "vous", "elle", "elles"}:
        return None
    clitics = clitics_before(line, at)
    if not clitics and _is_reflexive_order(line, at, pronoun):
        clitics = (pronoun,)
    return VerbGroup(pronoun, "pronoun", person, clitics, at, infinitives, pronoun + 1)


def _is_reflexive_order(line: Line, at: int, pronoun: int) -> bool:
    """Whether "vous" after the verb is its object: Montrez-vous patient, not Êtes-vous prêt ?"""
    if line[pronoun] != "vous" or not (
        line.begins(at) or line[at - 1] in {",", "et", "ou", "mais"}
    ):
        return False
    _, end = line.sentence(at)
    return "?" not in line.keys[at : end + 1]


def _with_pronoun_subject(line: Line, at: int) -> VerbGroup | None:
    """The group of a verb after a pronoun subject: je ne me suis."""
    word = line[at]
    if _is_spoken_tu(line, at):  # t'es prêt ?
        infinitives = _infinitives_of_form(line[at + 1], "2s")
        return VerbGroup(at, "pronoun", "2s", (), at + 1, infinitives, at + 2)
    if word in SPOKEN_JE_SUIS or _is_suis_alone(line, at):
        return VerbGroup(at, "pronoun", "1s", (), at, ("être",), at + 1)
    if word not in _PERSON or line[at - 1] in HYPHENS:
        return None
    if word in {"nous", "vous"} and (line[at - 2], line[at - 1]) == (word, "qui"):
        return None  # vous qui vous disiez prêt
    person = _PERSON[word]
    verb = at + 1
    while line[verb] in line.closed.clitics:
        verb += 1
    if not line.is_word(verb) or (line[verb + 1] in HYPHENS and line[verb + 2] == word):
        return None  # vous êtes-vous trompé: the second is the subject
    infinitives = _infinitives_of_form(line[verb], person)
    if not infinitives and (word not in _ALWAYS_SUBJECT or not line.is_open(verb)):
        return None
    if line[at - 1] in {"de", "d'", "à", "avec", "pour", "sans", "chez"} and word in {
        "elle",
        "elles",
    }:
        return None
    clitics = tuple(range(at + 1, verb))
    if word in {"vous", "nous"} and line[at - 1] in {"ne", "n'"}:
        clitics = (at, *clitics)  # ne vous croyez pas obligé
    return VerbGroup(at, "pronoun", person, clitics, verb, infinitives, verb + 1)


# Je suis, as it is said and written in chats.
SPOKEN_JE_SUIS = frozenset({"chuis", "chui", "jsuis", "jsui"})


def _is_suis_alone(line: Line, at: int) -> bool:
    """Whether je is left out: suis crevé, on se voit demain; not suis ce chemin."""
    return (
        line[at] == "suis"
        and line.begins(at)
        and line[at + 1] not in HYPHENS
        and is_adjective(line[line.after_adverbs(at + 1)])
    )


def _is_spoken_tu(line: Line, at: int) -> bool:
    """Whether "t'" is the subject: mais t'es fou; not tu t'es trompé, t'es-tu levé."""
    if line[at] != "t'" or line[at + 2] in HYPHENS:
        return False
    if line[at - 1] in {"tu", "qui"} or line[at - 1] in line.closed.clitics:
        return False
    return line[at + 1] in {"es", "as", "étais", "avais", "aurais", "auras", "iras", "irais"}


_NEVER_AFTER_LUI = frozenset("ne n' se s' me m' te t' le la les l'".split())


def clitics_before(line: Line, at: int) -> tuple[int, ...]:
    """The clitics directly before a verb, from left to right."""
    first = at
    while first > 0 and line[first - 1] in line.closed.clitics and not line.is_enclitic(first - 1):
        if line[first - 1] == "lui" and line[first] in _NEVER_AFTER_LUI:
            break  # son frère et lui ne se parlent plus
        first -= 1  # but voulez-vous la voir: vous is the subject
    return tuple(range(first, at))


def _with_noun_subject(line: Line, at: int) -> VerbGroup | None:
    """The group of a verb whose subject is not a pronoun beside it."""
    known = verb_table().forms(line[at])
    if not known or not line.is_word(at) or line[at - 1] in HYPHENS or line.is_first_name(at):
        return None
    clitics = list(clitics_before(line, at))
    if _is_subject_lui(line, at, clitics):
        infinitives = tuple(dict.fromkeys(form.infinitive for form in known))
        return VerbGroup(at - 1, "noun", "3s", (), at, infinitives, at + 1)
    sure = any(line[index] in _SURE_CLITICS for index in clitics)
    before = clitics[0] - 1 if clitics else at - 1
    if not sure and not _is_verb(line, at, clitics):
        return None
    subject, kind = _subject_before(line, before, at)
    persons = [form.person for form in known]
    third = [person for person in persons if person.startswith("3")]
    person = third[0] if third and kind in {"noun", "relative"} else persons[0]
    infinitives = tuple(dict.fromkeys(form.infinitive for form in known))
    clitics += _enclitics(line, at)
    end = max([at, *clitics]) + 1
    return VerbGroup(subject, kind, person, tuple(clitics), at, infinitives, end)


def _is_subject_lui(line: Line, at: int, clitics: list[int]) -> bool:
    """Whether "lui" before être is its subject: et lui est furieux."""
    if [line[index] for index in clitics] != ["lui"] or line[at] not in {"est", "était", "sera"}:
        return False
    return line.begins(at - 1) or line[at - 2] in {"et", "mais", ","}


def _is_verb(line: Line, at: int, clitics: list[int]) -> bool:
    """Whether the form is a verb without clitics, or after le, la, les, leur, en."""
    if not clitics:
        return _can_be_verb(line, at)
    return line[clitics[0] - 1] == "qui" or _can_be_object(line, clitics[0], at)


_ENCLITICS = frozenset("moi toi le la les lui en y".split())


def _enclitics(line: Line, at: int) -> list[int]:
    """The indices of the enclitics of a verb: excusez-moi, dis-le-moi."""
    found = []
    while line[at + 1] in HYPHENS and line[at + 2] in _ENCLITICS:
        at += 2
        found.append(at)
    return found


def _can_be_object(line: Line, first: int, at: int) -> bool:
    """Whether "le" before a form can be its object: only if the form is no noun or adjective."""
    word = line[at]
    before = line[first - 1]
    if before in line.closed.prepositions or verb_table().infinitive_of(before):  # à la place
        return False
    named = before in _NAMES_LIKE_VERBS or is_person(before) or line.is_capital(first - 1)
    if verb_table().forms(before) and not named and not line.is_determiner(first - 2):
        return False  # affiche la liste
    if line[first] not in {"l'", "les", "le", "la", "leur", "en"}:
        return True
    if word in _RARELY_VERBS:  # le dessert
        return False
    if word in _AUXILIARIES:
        return True
    if is_adjective(word) or is_person(word) or len(word) < 5 or line.begins(first):
        return False
    # la porte, le centre: nouns with the form of a verb, unless somebody stands before them
    initial = line.tokens[first - 1].text[:1] if first else ""
    if before.endswith(("iser", "ifier")):  # Optimiser la taille
        return False
    if before.endswith(("er", "ir", "re")) and line.begins(first - 1):
        return False
    return not word.endswith(("e", "es")) or initial.isupper() or is_person(before)


_AUXILIARIES = word_list("function_words", "auxiliaries")
_NAMES_LIKE_VERBS = frozenset({"marie", "pierre", "rose", "claude", "serge"})


def _can_be_verb(line: Line, at: int) -> bool:
    """Whether the form is a verb rather than a noun, an adjective or a participle."""
    word, before = line[at], line[at - 1]
    if before in _SUBJECT_QUANTIFIERS and word.endswith("nt") and not is_adjective(word):
        return True  # tous veulent partir
    if before in line.closed.determiners or before in line.closed.prepositions:
        return word in {"est", "était", "sont", "a", "ont"} and before in _BEFORE_ETRE
    if before == "qui" or before in {"ce", "c'", "cela", "ça", "ceci"}:
        return True
    if is_adjective(word) or is_person(word):
        return False
    return word not in _RARELY_VERBS


# Which are no prepositions there: le voisin d'en face est mort.
_BEFORE_ETRE = frozenset("tout un une face près loin autour devant derrière avant après".split())
_SUBJECT_QUANTIFIERS = frozenset(
    {"tous", "toutes", "certains", "certaines", "plusieurs", "deux", "autres"}
)
_RARELY_VERBS = frozenset(
    "dessert livre lit vis sens bois cours fois pièce place porte marche date date note garde"
    " cause entre montre pense aide juge guide danse offre force forme fête trace ruse".split()
) - {"pense", "montre", "offre"}


def _subject_before(line: Line, before: int, verb: int) -> tuple[int, SubjectKind]:
    """The index and kind of the subject, searched from `before` to the left."""
    while (
        before >= 0
        and line.adverb_end(before) == before + 1
        and line[before] not in {"tout", "beaucoup", "peu"}
    ):
        before -= 1
    if line[before] in HYPHENS and line[before + 1] in {"là", "ci"}:  # ce type-là est fou
        before -= 1
    word = line[before]
    if word == "qui":
        return before, "relative"
    if before < 0 or word in SENTENCE_ENDS or word in {":", "«", '"', "“", "–", "—"}:
        return verb, "order"
    if word in {",", "et", "ou", "mais", "puis", "ni"}:
        return verb, "same"
    return before, "noun"


_TIME_NOUNS = word_list("function_words", "time_nouns")
_RANK_ADJECTIVES = frozenset({"premier", "première", "dernier", "dernière", "seul", "seule"})


def pronoun_is_indirect_object(
    line: Line, auxiliary: int, at: int, infinitives: Sequence[str], *, reflexive: bool
) -> bool:
    """Whether the clitic before the auxiliary is an indirect object of the participle."""
    known = verb_table()
    after = line.after_adverbs(at + 1)
    if known.is_kind("unmoved_before_infinitive", infinitives) and (
        infinitive_follows(line, after)
        or not _OBJECTS_OF_FAIRE.isdisjoint(line.keys[at + 1 : after + 1])
    ):
        return True
    if "demander" in infinitives and line[after] == "en":  # on m'a demandée en mariage
        return False
    named = known.is_kind("naming", infinitives) and is_person(line[after])
    if named or (
        known.is_kind("object_predicates", infinitives) and _predicate_follows(line, after)
    ):
        return False  # on m'a déclarée innocente, je me suis dite prête
    if known.is_kind("dative", infinitives) or "vouloir" in infinitives:  # on m'en a voulu
        return True
    if reflexive:
        if _is_unmoved_reflexive(line, at, after, infinitives):
            return True
    elif known.is_kind("dative_but_reflexive", infinitives) and not (
        "rappeler" in infinitives and line[after] not in {"de", "d'"}  # on m'a rappelé hier
    ):
        return True
    if {"rien", "tout"} & set(line.keys[auxiliary:at]):  # on m'a tout pris
        return True
    return _has_object(line, after, infinitives, reflexive=reflexive)


# on m'a fait signe
_OBJECTS_OF_FAIRE = word_list("function_words", "objects_of_faire")


def _predicate_follows(line: Line, at: int) -> bool:
    if line[at] in QUOTES:  # s'est dite « très préoccupée »
        at = line.after_adverbs(at + 1)
    adverb = line[at] in ADVERBIAL_ADJECTIVES and line[at - 1] not in {"trop", "si", "très", "plus"}
    return line.is_open(at) and is_adjective(line[at]) and not adverb


def _is_unmoved_reflexive(line: Line, at: int, after: int, infinitives: Sequence[str]) -> bool:
    """Whether the participle does not agree: je me suis rendu compte, je me suis vu refuser."""
    if line[at] in {"rendu", "rendue"} and line[after] == "compte":
        return True
    return bool({"voir", "entendre"} & set(infinitives)) and infinitive_follows(line, after)


def infinitive_follows(line: Line, at: int) -> bool:
    """Whether an infinitive follows, after its clitics."""
    while line[at] in line.closed.clitics:
        at += 1
    return line[at] in verb_table().infinitives


_BEFORE_QUE = frozenset("alors bien sitôt aussitôt tant ainsi maintenant dès encore".split())


def _has_object(line: Line, at: int, infinitives: Sequence[str], *, reflexive: bool) -> bool:
    """Whether the participle has another direct object: je me suis cassé la jambe."""
    known = verb_table()
    word = line[at]
    if word in {"que", "qu'"} and line[at - 1] in _BEFORE_QUE:
        return False  # on l'a arrêté alors qu'il sortait
    if word in {"que", "qu'"}:
        direct = "reflexive_with_that" if reflexive else "direct_with_that"
        return not known.is_kind(direct, infinitives) and not _is_comparison(line, at)
    if word == ":":
        return known.is_kind("speech", infinitives)
    if word in {"pourquoi", "quelque", "quelqu'un"}:
        return True
    if word in {"de", "d'"} and {"défendre", "proposer"} & set(infinitives):
        return infinitive_follows(line, at + 1)
    if word == "du" or (word == "de" and line[at + 1] in {"la", "l'"}):  # je me suis donné du mal
        return known.is_kind("some_of_a_thing", infinitives)
    if line[at].isdigit() and not _TIME_NOUNS & set(line.keys[at + 1 : at + 3]):
        return True  # il m'a mis 8
    if not line.is_determiner(at):
        return False
    if _is_no_object(line, at, infinitives):
        return False
    if known.is_kind("naming", infinitives):
        phrase = read_phrase(line, at)
        return "appeler" in infinitives and phrase is not None and phrase.kind == "thing"
    return True


def _is_no_object(line: Line, at: int, infinitives: Sequence[str]) -> bool:
    """Whether the phrase after that determiner is a time, a state or a partitive."""
    if line[at] in {"tout", "toute"} and is_adjective(line[at + 1]):
        return True
    if any(line[index] in _TIME_NOUNS for index in range(at + 1, at + 4)):
        return True
    if line[at] == "des" and not verb_table().is_kind("some_of_a_thing", infinitives):
        return True
    return line[at + 1] in _RANK_ADJECTIVES and not line.is_open(at + 2)


def _is_comparison(line: Line, at: int) -> bool:
    """Whether "que" completes a comparison or a degree: on m'a plus aimé que compris."""
    before = set(line.keys[max(0, at - 5) : at])
    return bool(before & {"plus", "moins", "aussi", "autant", "tellement", "si", "tant"})
