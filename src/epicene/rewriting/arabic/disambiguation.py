"""The readings of each word in its context: as verb, noun or function word, and of which person."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from epicene.rewriting.arabic.analysis import (
    FunctionParse,
    NounParse,
    VerbParse,
    analyse_function_word,
    analyse_noun,
    analyse_thing,
    analyse_verb,
    guess_verbs,
    is_only_name,
)
from epicene.rewriting.arabic.commands import is_seldom_command, read_command
from epicene.rewriting.arabic.evidence import PassageEvidence
from epicene.rewriting.arabic.lexicon import (
    fields_of_work,
    is_somebody,
    name_gender,
    things,
    verb_list,
)
from epicene.rewriting.arabic.spelling import (
    DAMMA,
    SHADDA,
    SUFFIXES,
    TANWIN_FATH,
    TANWIN_KASR,
    fold_letters,
    has_shadda,
)

if TYPE_CHECKING:
    from epicene.rewriting.arabic.line import Line, Token
    from epicene.rewriting.persons import Gender, TargetGenders
    from epicene.rewriting.quotations import Interlocutors

_NEGATIONS = frozenset("لا لم لن ليس ما ولا ولم ولن لست ليست".split())
# Before a noun of action.
_IS_DONE = frozenset(
    "تم يتم تمت تتم سيتم ستتم وتم ويتم وتمت وسيتم فتم فيتم ليتم يرجى ويرجى الرجاء".split()
)
_COPULAS = frozenset("كان صار أصبح ليس ظل بات زال بقي".split())
# Before a verb, when it was.
TIME_NOUNS = frozenset("يوم ليلة عام سنة وقت لحظة ساعة حين".split())
# Quotation marks around the name of a book or a film.
_OPENS_TITLE, _CLOSES_TITLE = frozenset('«"“'), frozenset('»"”')
_LONGEST_TITLE = 4
# Before first names.
_BEFORE_NAMES = frozenset("يا أم أبو أبي أبا ابن بن بنت عبد لأم".split())
# Before names of families.
_TITLES = frozenset("سيد دكتور أستاذ مهندس محامي بروفيسور".split())
# And in, and to me: loyal and guardian only at the end.
_PREPOSITION_AFTER_AND = {
    "وفي": FunctionParse("و", "prepositions", "في"),
    "ولي": FunctionParse("و", "prepositions", "ل", SUFFIXES[-1]),
}
_WARDED = frozenset("امر امره امرها امري الامر عهد العهد".split())
# Going out of, and stop it: neither outside nor enough.
_NO_FUNCTION_WORDS = {("خارج", "من"), ("داخل", "الي"), ("كفي", "عن")}
# Therefore, but before a noun: بهذا المحامي.
_WITH_THIS = frozenset({"بهذا", "لهذا"})
# Somebody who has something: رجل ذو خبرة, but ذات يوم.
_POSSESSING = frozenset("ذو ذا ذي ذات".split())
_ONCE = frozenset("يوم مرة ليلة صباح مساء صلة الوقت يمين شمال شأن".split())
_VERB_PARTICLES = frozenset(
    map(
        fold_letters,
        (
            "قد لقد سوف لم لن كي لكي كلما لما عندما حين بينما إذا لو ريثما حتى "
            "كما حيث ثم أينما حينما بعدما"
        ).split(),
    )
)
# Adverbs that may be adjectives in the accusative.
ADJECTIVAL_ADVERBS = frozenset("جيدا طويلا قريبا بعيدا سريعا مبكرا عاليا جدا مطلقا حالما".split())


class PassageAnalysis:
    """The words of a passage, each analysed once in its context."""

    def __init__(self, line: Line, interlocutors: Interlocutors, wanted: TargetGenders) -> None:
        self.line = line
        self.evidence = PassageEvidence(line, interlocutors, wanted)
        self._functions: dict[int, FunctionParse | None] = {}
        self._nouns: dict[int, tuple[NounParse, ...]] = {}
        self._verbs: dict[int, tuple[VerbParse, ...]] = {}
        self._known_nouns: dict[int, tuple[NounParse, ...]] = {}
        self._commands: dict[int, tuple[VerbParse, ...]] = {}

    def function(self, at: int) -> FunctionParse | None:
        """The reading of the word as a function word, if it is one here."""
        if at not in self._functions:
            self._functions[at] = self._read_function(at)
        return self._functions[at]

    def nouns(self, at: int) -> tuple[NounParse, ...]:
        """The readings as a word for people; none for marks, things and function words."""
        if at not in self._nouns:
            self._nouns[at] = self._read_noun(at)
        return self._nouns[at]

    def verbs(self, at: int) -> tuple[VerbParse, ...]:
        """The readings of the word as a verb, if it is one here."""
        if at not in self._verbs:
            self._verbs[at] = self._read_verb(at)
        return self._verbs[at]

    def _read_function(self, at: int) -> FunctionParse | None:
        word = self.line.token(at)
        if not word.is_word:
            return None
        function = analyse_function_word(word.letters)
        if word.letters == "داعي" and self.line[at - 1] == "لا":  # لا داعي
            return FunctionParse("", "adverbs", "داعي")
        if word.letters in _PREPOSITION_AFTER_AND and not self.line.is_mark(at + 1):
            guardian = word.letters == "ولي" and self.line[at + 1] in _WARDED
            return None if guardian else _PREPOSITION_AFTER_AND[word.letters]
        if function is None or self.command(at) or self.possesses(at):
            return None
        if function.base in _WITH_THIS and self.line.letters(at + 1).startswith("ال"):
            prefix = function.prefix + function.base[0]
            return FunctionParse(prefix, "demonstratives", "هذا", written="هذا")
        if word.letters == "فقد" and self._loses(at):
            return None
        if word.letters in {"اليوم", "الليلة"} and self.is_preposition(at - 1):
            return None
        nunated = TANWIN_FATH in word.text and function.kind != "adverbs"
        if nunated or (function.prefix and self._is_rather_verb(word, function)):
            return None
        if (word.letters, self.line[at + 1]) in _NO_FUNCTION_WORDS:
            return None
        if function.base == "ام" and self._is_mother(at):
            return None
        if function.base == "كون" and self._is_imperative_of_be(at, function):
            return None
        return None if self._is_adjective_here(at) else function

    def _loses(self, at: int) -> bool:
        """Whether فقد is a verb with its object: فقد ذاكرته, not فقد ذهب."""
        after = analyse_thing(self.line.letters(at + 1))
        return after is not None and (after.suffixed or "ال" in after.prefix)

    @staticmethod
    def _is_rather_verb(word: Token, function: FunctionParse) -> bool:
        """Whether a preposition with a prefix is a verb: فتحت as opened, not "and under"."""
        if function.kind != "prepositions" or (function.suffix and function.prefix != "ا"):
            return False
        return any(parse.exact and not parse.prefix for parse in analyse_verb(word.letters))

    def _is_imperative_of_be(self, at: int, function: FunctionParse) -> bool:
        """Whether كوني is the imperative, not "my being": كوني هادئة."""
        if function.written != "كوني":
            return False
        after_comma = self.line[at - 1] in {"،", ","} and self.evidence.says_i_beside(at)
        explains = function.prefix or after_comma or self._says_what_it_does(at)
        if not self.evidence.addresses and explains:
            return self.line.letters(at + 1).startswith("ال")
        joined = function.prefix in {"و", "ف"} and self.evidence.prior[0] == 2
        return joined or self.line.after_mark(at)

    def _is_mother(self, at: int) -> bool:
        """Whether أم is the noun "mother", not "or" in a question."""
        if self.is_thing(at - 1) or self.is_preposition(at - 1):
            return True
        start, _ = self.line.sentence(at)
        return not (self.evidence.asks(at) or self.line[start] == "هل") and not any(
            self.line.letters(index).startswith("أ") and self._has_question(index)
            for index in range(start, at)
        )

    def _has_question(self, at: int) -> bool:
        nouns, verbs = analyse_noun(self.line.letters(at)), analyse_verb(self.line.letters(at))
        return any(p.prefix.letters.startswith("أ") for p in nouns if p.lemma.known) or any(
            p.prefix.startswith("أ") for p in verbs[:1]
        )

    def _is_adjective_here(self, at: int) -> bool:
        """Whether a word that is mostly an adverb is an adjective here: كنت طويلًا."""
        if self.line[at] not in ADJECTIVAL_ADVERBS:
            return False
        if self.line[at] == "مطلقا":  # not at all, or divorced
            start, end = self.line.sentence(at)
            return not any(self.line[index] in _NEGATIONS for index in range(start, end))
        before = analyse_verb(self.line.letters(at - 1))
        copular = any(p.verb.perfect in _COPULAS for p in before)
        if self.line[at] == "حالما":  # as soon as, but يرونني حالمًا
            seen = any(p.suffix is not None for p in before)
            return copular or (seen and not analyse_verb(self.line.letters(at + 1)))
        return copular and not any(p.lemma.adjective for p in self.known_nouns(at + 1))

    def _says_what_it_does(self, at: int) -> bool:
        """Whether the sentence says what being so does to me: كوني أمًا يجعلني."""
        _, end = self.line.sentence(at)
        return any(
            parse.suffix is not None and parse.suffix.person == 1 and parse.cell.person == 3
            for index in range(at + 1, end)
            for parse in analyse_verb(self.line.letters(index))
        )

    def possesses(self, at: int) -> bool:
        """Whether the word says that somebody has what follows: ذو خبرة, ذات خيال."""
        word = self.line.letters(at)
        points = word in {"ذا", "ذي"} and self.line[at - 1] in {"انا", "ها", "من"}  # ها أنا ذا
        if word not in _POSSESSING or points:
            return False
        after = self.line.token(at + 1)
        thing = after.is_word and analyse_function_word(after.letters) is None
        return thing and after.key not in _ONCE

    def key(self, at: int) -> str:
        """The base of a function word, otherwise the folded word."""
        function = self.function(at)
        return function.base if function else self.line[at]

    def is_preposition(self, at: int) -> bool:
        """Whether the word is a preposition without a pronoun."""
        function = self.function(at)
        return function is not None and function.kind == "prepositions" and not function.suffix

    def is_thing(self, at: int) -> bool:
        """Whether the word is a noun for a thing."""
        return bool(analyse_thing(self.line.letters(at)))

    def command(self, at: int) -> tuple[VerbParse, ...]:
        """The imperative readings of a word that is a command though it could be something else."""
        if not self.evidence.addresses:
            return ()
        if at not in self._commands:
            self._commands[at] = read_command(self.line, at, self.evidence)
        return self._commands[at]

    def _read_noun(self, at: int) -> tuple[NounParse, ...]:
        word = self.line.token(at)
        if self.command(at) or _doubled_verbs(word):
            return ()
        if not word.is_word or self.function(at) or not word.key[:1].isalpha() or self._is_name(at):
            return ()
        if word.letters == "جار" and TANWIN_KASR in word.text:  # جارٍ الإرسال
            return ()
        parses = analyse_noun(word.letters)
        if parses and not parses[0].lemma.known and self.is_thing(at):
            return ()
        if _is_past_of_weak_verb(word, parses):
            return ()
        if parses and parses[0].lemma.ending == "defective" and parses[0].stem.endswith("ي"):
            parses = self._kin_before_participle(at, parses)
        if parses and parses[0].prefix.letters.startswith("أ"):
            if self.is_thing(at) or not self._may_ask(at):  # أعمال are no workers
                return ()
            verbs = analyse_verb(word.letters)  # أجيد: I do well, not: good?
            if verbs and verbs[0].exact and not verbs[0].prefix:
                return ()
        return parses

    def _kin_before_participle(
        self, at: int, parses: tuple[NounParse, ...]
    ) -> tuple[NounParse, ...]:
        """The readings as somebody of mine first: خالي معلم, but خالي من, جاري التحميل."""
        mine = tuple(parse for parse in parses if parse.suffix is not None)
        after = self.line.letters(at + 1)
        holds = after.startswith("ال") and self.function(at + 1) is None
        holds = holds and not any(p.lemma.adjective for p in analyse_noun(after))
        governs = holds or (self.key(at + 1) == "من" and parses[0].stem != "جاري")
        known = self.function(at + 1) or any(p.lemma.known for p in analyse_noun(after))
        governs |= parses[0].stem == "جاري" and self.is_label and not known
        if governs and parses[0].stem == "جاري":
            return ()
        return parses if governs or parses[0].prefix.article or not mine else mine

    def _may_ask(self, at: int) -> bool:
        """Whether the word may begin a question with the interrogative أ: أمتأخر أنا, أشجاع أنا."""
        after = self.function(at + 1)
        subject = after is not None and after.kind in {"I", "we", "you", "you all", "he", "they"}
        return subject or self.line.after_mark(at)

    def known_nouns(self, at: int) -> tuple[NounParse, ...]:
        """The readings as a word for people that are in the lists, or a person with the article."""
        if at not in self._known_nouns:
            fields = fields_of_work()
            self._known_nouns[at] = tuple(
                p
                for p in self.nouns(at)
                if (p.lemma.known and (p.lemma.person or p.lemma.masculine not in fields))
                or (p.lemma.person and p.prefix.article)
            )
        return self._known_nouns[at]

    def is_nominal(self, at: int) -> bool:
        """Whether the word is a noun of any kind, not a verb or a function word."""
        word = self.line.token(at)
        return word.is_word and self.function(at) is None and not self.verbs(at)

    # --- verbs ---------------------------------------------------------------------------

    def _read_verb(self, at: int) -> tuple[VerbParse, ...]:
        word = self.line.token(at)
        if not word.is_word or self.function(at) or self._is_name(at):
            return ()
        if self.command(at):
            return self.command(at)
        if doubled := _doubled_verbs(word):
            return doubled
        if self._names_action(at) or self._looks_like_noun(word) or word.letters == "جاري":
            return ()
        parses = self._verb_candidates(at)
        before = self.function(at - 1)
        if self._is_relative_who(at, parses) or (
            before and before.base in _VERB_PARTICLES and parses
        ):
            statements = tuple(p for p in parses if p.cell.tense != "imperative")
            return (before and before.base == "ان" and statements) or parses
        points = before is not None and before.kind == "demonstratives"
        after_all = points and self.is_preposition(at - 2)  # ومع ذلك تنظر
        if self._asks_for_noun(before) and not after_all:
            return ()
        if not parses:
            return guess_verbs(word.letters) if self._expects_verb(at) else ()
        if self._is_rather_noun(at, parses):
            return ()
        if not self._is_noun_too(at):
            return parses
        if before is not None and before.base == "ان":  # إن ابنه is no command, أن زوجتك no perfect
            thing = analyse_thing(word.letters)
            yours = any(p.suffix and p.lemma.person for p in self.known_nouns(at))
            yours = yours or (thing is not None and thing.suffixed)
            never = {"imperative", "perfect"} if yours else {"imperative"}
            parses = tuple(p for p in parses if p.exact and p.cell.tense not in never)
        verb = self._expects_verb(at) or self._opens_report(at, parses)
        return parses if verb or self._continues_report(at, parses) else ()

    def _verb_candidates(self, at: int) -> tuple[VerbParse, ...]:
        """The readings as a verb, without commands that are none here."""
        letters = self.line.letters(at)
        parses = analyse_verb(letters)
        whole = (*parses, *analyse_verb(letters.removesuffix("ي")))  # فشل, فهمي: not ف + همي
        if any(p.exact and not p.prefix and p.cell.tense == "perfect" for p in whole):
            parses = tuple(
                p for p in parses if not p.prefix or len(p.stem.removesuffix("ي")) > 2 or p.suffix
            )
        if is_seldom_command(self.line, at):
            return tuple(p for p in parses if p.cell.tense != "imperative" or p.prefix)
        if self._follows_statement(at):
            return tuple(p for p in parses if not _is_no_command(p, self.verbs(at - 1)[0]))
        return parses

    def _follows_statement(self, at: int) -> bool:
        """Whether a verb that is no command is right before: لا تسيئي فهمي."""
        before = self.verbs(at - 1)
        return bool(before) and all(parse.cell.tense == "imperfect" for parse in before)

    @staticmethod
    def _looks_like_noun(word: Token) -> bool:
        noun = word.letters.endswith("ة") or TANWIN_FATH in word.text or word.key == "اثنين"
        return noun or is_somebody(word.letters)

    def _names_action(self, at: int) -> bool:
        """Whether the word is a noun of action: in a label, and in سيتم حذف الحساب."""
        label = at == 0 and self.is_label and self.line.letters(0) in verb_list("verbal_nouns")
        return label or self.line.letters(at - 1) in _IS_DONE

    def _is_rather_noun(self, at: int, parses: tuple[VerbParse, ...]) -> bool:
        return (
            self._is_possessed(at, parses)
            or self._is_misread(at, parses)
            or self._is_stray_jussive(at, parses)
            or self._is_purpose(at, parses)
            or self._is_verbal_noun(at, parses)
            or self._is_wanted(at, parses)
        )

    def _is_stray_jussive(self, at: int, parses: tuple[VerbParse, ...]) -> bool:
        """Whether a noun looks like a jussive, which no particle governs here: لاعب تنس."""
        jussive = all(p.cell.tense == "imperfect" and p.cell.mood == "short" for p in parses)
        return jussive and self.is_nominal(at - 1)

    def _is_purpose(self, at: int, parses: tuple[VerbParse, ...]) -> bool:
        """Whether ل is before a noun of action that has an object: نصائح لتجنب الحوادث."""
        letters = self.line.letters(at)
        action = letters[1:] if letters.startswith("ل") and parses[0].prefix == "ل" else ""
        own = any(p.exact and p.verb.perfect == action for p in analyse_verb(action))
        object_follows = self.line.letters(at + 1).startswith("ال") or self.is_thing(at + 1)
        return own and action.startswith("ت") and object_follows

    @cached_property
    def names_somebody(self) -> bool:
        """Whether some word is in no list and has no article, as names are."""
        return any(self.is_unlisted_name(at) for at in range(len(self.line)))

    def is_unlisted_name(self, at: int) -> bool:
        """Whether a word is in no list and has no article, as names are."""
        unlisted = self.is_nominal(at) and not self.known_nouns(at) and not self.is_thing(at)
        letters = self.line.letters(at)
        bare = "ال" not in letters[:3] and not letters.endswith(("ة", "ه", "ها", "ا"))
        return unlisted and bare and len(letters) > 2

    @cached_property
    def is_label(self) -> bool:
        """Whether the text is short and no sentence: حفظ التغييرات, غير متصل."""
        return len(self.line) <= 4 and self.line.is_word(len(self.line) - 1)

    def _is_possessed(self, at: int, parses: tuple[VerbParse, ...]) -> bool:
        """Whether the word is a possessor after a thing, not a verb: انخفاض ضغط الدم."""
        bare = parses[0].cell.tense == "perfect" and not parses[0].prefix and not parses[0].suffix
        before = None if self.function(at - 1) else analyse_thing(self.line.letters(at - 1))
        dated = self.line[at - 2].isdigit()  # في 25 فبراير أعلن
        if dated or self.line[at - 1] in TIME_NOUNS:  # يوم كنت تلميذًا
            return False
        if before is None or self.verbs(at - 1):  # أينما ذهب كان سعيدًا
            return False
        return bare and not before.suffixed and "ال" not in before.prefix

    def _is_verbal_noun(self, at: int, parses: tuple[VerbParse, ...]) -> bool:
        """Whether the word is the object of the verb before it: أعلن ترشحه, يمكن تصوره."""
        if not any(p.cell.tense == "perfect" and p.suffix and not p.prefix for p in parses):
            return False
        before = self.verbs(at - 1)
        return bool(before) and not any(parse.verb.perfect in _COPULAS for parse in before)

    def _is_wanted(self, at: int, parses: tuple[VerbParse, ...]) -> bool:
        """Whether the word is a noun of action, which somebody wants or tries: تريد حقًا ترك."""
        bare = [p for p in parses if p.cell.tense == "perfect" and not p.prefix and not p.suffix]
        if not any(p.exact and (p.cell.person, p.cell.gender) == (3, "masculine") for p in bare):
            return False
        verb = at - 1
        while self._may_come_between(verb):
            verb -= 1
        before = self.function(verb - 1)
        if verb < at - 1 and before is not None and before.kind == "relatives":
            return False  # الذي أحب المعلمة ترك المدينة
        return any(p.verb.perfect in verb_list("wanting") for p in self.verbs(verb))

    def _may_come_between(self, at: int) -> bool:
        """Whether the word may stand between a verb and its object: an adverb, منك, its subject."""
        function = self.function(at)
        if function is not None:
            return function.kind == "adverbs" or (
                function.kind == "prepositions" and function.suffix is not None
            )
        return not self.verbs(at) and any(p.lemma.person for p in self.known_nouns(at))

    def _is_misread(self, at: int, parses: tuple[VerbParse, ...]) -> bool:
        """Whether a verb reading after a noun for a person rests on other hamzas: عالم آثار."""
        return not parses[0].exact and any(p.lemma.person for p in self.known_nouns(at - 1))

    def _opens_report(self, at: int, parses: tuple[VerbParse, ...]) -> bool:
        """Whether a word that is also a noun is a verb as it begins a clause: ظهر في, قدم دورًا."""
        if not self.opens_clause(at):
            return False
        commands = [p for p in parses if p.exact and p.cell.tense == "imperative"]
        yours = any(p.stem.endswith("ي") for p in commands)
        if yours and self.evidence.prior[0] == 2:
            return True
        perfects = [p for p in parses if p.exact and p.cell.tense == "perfect" and not p.suffix]
        if not perfects:
            return False
        if any(p.form.number == "singular" and p.lemma.known for p in self.nouns(at)):
            return self.is_preposition(at + 1) and not perfects[0].prefix
        after = self.nouns(at + 1)
        return not any(p.lemma.adjective and not p.definite and not p.form.nunated for p in after)

    def _continues_report(self, at: int, parses: tuple[VerbParse, ...]) -> bool:
        """Whether a word that is also a noun is a verb after another: فتح الباب ونظر إلينا."""
        if not any(p.exact and p.prefix == "و" and p.cell.tense == "perfect" for p in parses):
            return False
        after = self.function(at + 1)
        if after is None or after.kind not in {"prepositions", "inna", "subordinators"}:
            return False
        return after.suffix is not None or after.base in {"ان", "بان"}

    def _is_relative_who(self, at: int, parses: tuple[VerbParse, ...]) -> bool:
        """Whether من before the verb is "who", not "from": من سيفعل, من كنت, أنا من كتب."""
        if self.key(at - 1) != "من" or not parses or not parses[0].exact or self._is_owned(at):
            return False
        if parses[0].cell.tense == "imperfect" or parses[0].verb.perfect == "كان":
            return True
        before = self.function(at - 2)
        subject = before is not None and (
            before.kind in {"I", "we", "you", "he"}
            or (before.kind == "inna" and bool(before.suffix))
        )
        return subject or self.line.letters(at - 1).startswith("و")

    def _is_owned(self, at: int) -> bool:
        """Whether the word is a noun with a pronoun: من أهلك."""
        letters = self.line.letters(at)
        thing = analyse_thing(letters)
        owned = any(p.lemma.known and p.suffix is not None for p in analyse_noun(letters))
        return owned or (thing is not None and thing.suffixed)

    @staticmethod
    def _asks_for_noun(before: FunctionParse | None) -> bool:
        """Whether the word before is a preposition or a demonstrative, without clitics."""
        if before is None or before.suffix or before.base in {"حتي", "منذ", "مذ"}:
            return False
        if before.kind == "transparent":  # كل جهده
            return before.base != "الا"
        return before.kind == "prepositions" or (
            before.kind == "demonstratives" and not before.prefix
        )

    def _is_noun_too(self, at: int) -> bool:
        letters = self.line.letters(at)
        verb = analyse_verb(letters)[0]
        return self.is_thing(at) or any(
            parse.lemma.known
            and len(parse.prefix.letters) <= len(verb.prefix)
            and (not parse.prefix.preposition or bool(verb.suffix))
            for parse in analyse_noun(letters)
        )

    def _expects_verb(self, at: int) -> bool:
        """Whether the function word before calls for a verb."""
        before = self.function(at - 1)
        if before is None:
            return False
        return (
            before.kind in {"relatives", "negations"}
            or before.base in _VERB_PARTICLES
            or (
                before.base in {"ان", "انت", "هل", "لا", "الا"}
                or (
                    before.kind == "inna"
                    and before.suffix is not None
                    and (before.suffix.person == 2 or self._has_complement(at))
                )
            )
        )

    def _has_complement(self, at: int) -> bool:
        """Whether what follows belongs to a verb and not to a noun: لكنه فشل في, إنه عمل هناك."""
        after = self.function(at + 1)
        return after is not None and after.kind in {"prepositions", "adverbs"}

    def is_passive(self, at: int) -> bool:
        """Whether the first vowel of a verb is written, and is that of the passive."""
        return DAMMA in self.line.token(at).text[:4]

    def opens_clause(self, at: int) -> bool:
        """Whether only particles precede the word in its clause."""
        before = self.function(at - 1)
        if before is None or before.kind not in {"negations", "adverbs"}:
            dated = self.line[at - 1].isdigit() and self.line[at - 2] in TIME_NOUNS
            return self.line.after_mark(at) or dated  # في عام 1914 ذهب
        return before.prefix[:1] in {"و", "ف"} or self.opens_clause(at - 1)

    def name_gender(self, at: int) -> Gender | None:
        """The gender of a first name, None if the word is none here: محمود, قال عادل."""
        letters = self.line.letters(at)
        letters = letters if not letters.startswith("و") else letters[1:]
        gender = name_gender(letters)
        if gender is None or TANWIN_FATH in self.line.token(at).text:
            return None
        return gender if is_only_name(letters) or self._is_called(at, gender) else None

    def _is_called(self, at: int, gender: Gender) -> bool:
        """Whether a name of that gender is likely here: after a title, before a family's name."""
        before, after = self.line.letters(at - 1), self.line.letters(at + 1)
        if before in _BEFORE_NAMES or (after.startswith("ال") and after.endswith("ي")):
            return True
        said = any(
            parse.verb.perfect in verb_list("speech")
            and (parse.cell.person, parse.cell.gender) == (3, gender)
            for parse in analyse_verb(before)
        )
        return said or any(
            parse.lemma.known and parse.lemma.person and parse.definite
            for parse in analyse_noun(before)
        )

    def _is_name(self, at: int) -> bool:
        """Whether the word is a name: a first name, alone in brackets, or of a family."""
        if self.name_gender(at) is not None:
            return True
        if fold_letters(self.line.letters(at)) in things().family_names:
            initial = self.line.token(at - 1).text == "." and len(self.line.letters(at - 2)) == 1
            title = any(
                parse.prefix.article and parse.lemma.masculine in _TITLES
                for parse in analyse_noun(self.line.letters(at - 1))
            )
            if title or initial:
                return True
        if self.line.token(at - 1).text == "(" and self.line.token(at + 1).text == ")":
            return True
        return self._is_in_title(at)

    def _is_in_title(self, at: int) -> bool:
        """Whether the word is in a short quotation that begins with the article: فيلم «المعلم»."""
        if not self.evidence.asks_for("others"):
            return False
        start = end = at
        while self.line.is_word(start - 1) and at - start < _LONGEST_TITLE:
            start -= 1
        while self.line.is_word(end + 1) and end - at < _LONGEST_TITLE:
            end += 1
        quoted = self.line.token(start - 1).text in _OPENS_TITLE
        quoted = quoted and self.line.token(end + 1).text in _CLOSES_TITLE
        spoken = self.line.token(start - 2).text in {":", "،"} or start < 2
        return quoted and not spoken and self.line.letters(start).startswith("ال")


def _is_past_of_weak_verb(word: Token, parses: tuple[NounParse, ...]) -> bool:
    """Whether a participle without its ي is rather a verb, as no mark shows it: صاح, not صاحٍ."""
    if not parses or parses[0].lemma.ending != "defective" or TANWIN_KASR in word.text:
        return False
    cut = parses[0].stem + "ي" == parses[0].lemma.masculine and not parses[0].definite
    return cut and any(
        parse.exact and parse.cell.tense == "perfect" and parse.prefix == parses[0].prefix.letters
        for parse in analyse_verb(word.letters)
    )


def _doubled_verbs(word: Token) -> tuple[VerbParse, ...]:
    """The readings as a verb of the second form, if its middle letter is written doubled: قدّم."""
    if SHADDA not in word.text or TANWIN_FATH in word.text or word.letters.endswith("ة"):
        return ()
    found = tuple(p for p in analyse_verb(word.letters) if p.exact and _is_doubled(word, p))
    return found if any(len(parse.verb.perfect) == 3 for parse in found) else ()


def _is_doubled(word: Token, parse: VerbParse) -> bool:
    """Whether the written double letter is that of the verb's second or fifth form."""
    perfect = parse.verb.perfect
    fifth = len(perfect) == 4 and perfect[0] == "ت" and "ا" not in perfect
    if parse.verb.simple or not (fifth or len(perfect) == 3):
        return False
    return has_shadda(word.text, len(parse.prefix) + 1 + fifth + (parse.cell.tense == "imperfect"))


def _is_no_command(parse: VerbParse, before: VerbParse) -> bool:
    """Whether an imperative after a statement is rather a noun of mine or what I do:
    لا تسيئي فهمي, تجعلني اقبض, but لا تتحرك ابق.
    """
    if parse.cell.tense != "imperative" or parse.prefix:
        return False
    if before.suffix is not None:
        return before.suffix.person == 1 and parse.cell.gender == "masculine"
    noun = parse.stem.endswith("ي") and len(parse.stem) == 4 and parse.stem[0] not in "اأ"
    return noun or parse.stem == "لمن"
