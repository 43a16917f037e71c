"""Verbs in context: which reading of a verb applies, its person and its mood."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.arabic import nouns
from epicene.rewriting.arabic.analysis import analyse_thing, is_listed_thing
from epicene.rewriting.arabic.lexicon import function_words, things, verb_list
from epicene.rewriting.arabic.spelling import DAMMA, FATHA, KASRA, SUKUN, final_mark, fold_letters
from epicene.rewriting.arabic.subjects import explicit_subject, next_noun

if TYPE_CHECKING:
    from epicene.rewriting.arabic.analysis import VerbParse
    from epicene.rewriting.arabic.conjugation import Cell, Mood
    from epicene.rewriting.arabic.context import Context
    from epicene.rewriting.arabic.disambiguation import PassageAnalysis
    from epicene.rewriting.arabic.spelling import Suffix

# The words and marks of a text that is about the one who tells it rather than about somebody else.
_SHORT = 12
_STATEMENT_WORDS = frozenset("هل لماذا لم ما كيف حتي كي لكي".split())


def choose_mood(words: PassageAnalysis, at: int, parse: VerbParse) -> Mood:
    """The mood of a verb in context: indicative (full), subjunctive (cut) or jussive (short)."""
    if parse.prefix.endswith("ل"):
        return "short" if parse.prefix == "فل" else "cut"
    before = words.function(at - 1)
    if before is None or before.suffix is not None:
        return "full"
    if before.base in {"لم", "الم"}:
        return "short"
    if before.base in function_words()["subjunctive"]:
        asks = before.base == "الا" and words.line.after_mark(at - 1)  # ألا ترغب؟
        return "full" if asks else "cut"
    if before.base != "لا":
        return "full"
    if _is_complementiser(words, at - 2):
        return "cut"
    return "short" if _is_prohibition(words, at, parse) else "full"


def _is_complementiser(words: PassageAnalysis, at: int) -> bool:
    function = words.function(at)
    return function is not None and not function.suffix and function.base in {"ان", "كي", "لكي"}


def _is_prohibition(words: PassageAnalysis, at: int, parse: VerbParse) -> bool:
    """Whether لا before the verb prohibits: لا تخف, but not أنت لا تخاف, هل لا تخاف, لا تعرف."""
    cell, stem = parse.cell, parse.verb.imperfect
    shows = cell.gender == "feminine" and cell.mood != "full" and stem[-1] != "ي"  # لا تخشي
    described = words.is_nominal(at - 2) and not words.line.after_mark(at - 1)
    shows = shows and not (described or words.verbs(at - 2))
    if cell.person != 2 or (parse.verb.perfect in verb_list("stative") and not shows):
        return False
    before = words.function(at - 2)
    if before is not None and before.base == "لكن" and not before.suffix:
        before = None
    if before is not None and (
        before.kind in {"you", "inna", "relatives"} or before.base in _STATEMENT_WORDS
    ):
        return False
    if described and parse.suffix is not None and parse.suffix.person == 3:
        return False  # كلمة لا تستخدمها
    return not words.evidence.is_question


def choose_person(context: Context, at: int, parses: tuple[VerbParse, ...]) -> int:
    """The most likely person of the verb in its context."""
    if parses[0].written.startswith("إ"):  # a command with a hamza too many
        parses = tuple(p for p in parses if p.cell.tense == "imperative") or parses
    parses = tuple(p for p in parses if not _is_of_nobody(p)) or parses
    persons: set[int] = {parse.cell.person for parse in parses if not _is_reflexive(parse)}
    if len(persons) == 1:
        return persons.pop()
    if (3 in persons and _describes_thing(context.words, at, parses)) or (
        _is_of_thing_before(context, parses) or object_as_subject(context, at, parses) is not None
    ):
        return 3
    if _is_no_womans(context, at, parses):
        persons.discard(3)
        return 1 if context.words.evidence.says_i or context.words.verbs(at + 1) else 2
    if persons >= {2, 3} and _is_command_beside_others(context, at, parses):
        return 2
    imperfect = all(parse.cell.tense == "imperfect" for parse in parses)
    evidence = context.words.evidence
    was = any(context.words.line[index] == "كنت" for index in range(at, at + 4))
    opens = at == 1 and evidence.says_your and not was  # هل تريد حذف حسابك
    asked = context.words.key(at - 1) == "هل" and (evidence.prior[0] == 2 or opens)
    asked = asked and any(p.cell.person == 2 and p.cell.tense != "imperative" for p in parses)
    told = imperfect and evidence.is_between_us and not _is_told_of_her(context, at)
    if 2 in persons and (asked or told) and not _has_feminine_subject(context, at, parses):
        return 2
    shown = _person_shown_nearby(context, at, parses)
    if shown in persons:
        return shown
    if {1, 3} <= persons and (
        _is_rather_mine(context, at, parses) or _met_somebody(context, at, parses)
    ):
        return 1
    if 3 in persons and len(persons) > 1 and _has_third_as_object(context, at, parses):
        persons.discard(3)
    if {1, 3} <= persons and _is_rather_first_person(context, at, parses):
        return 2 if 2 in persons and context.words.evidence.prior[0] == 2 else 1
    subject = _person_of_clause_subject(context, parses)
    begins = context.words.opens_clause(at) or _follows_subordinator(context, at)
    if subject in persons and not (persons == {1, 2} and begins):
        return subject
    return next((person for person in context.words.evidence.prior if person in persons), 3)


def _follows_subordinator(context: Context, at: int) -> bool:
    before = context.words.function(at - 1)
    begins = {"ان", "اذا", "لو", "لماذا", "حين", "عندما"}
    return before is not None and before.suffix is None and before.base in begins


def _is_no_womans(context: Context, at: int, parses: tuple[VerbParse, ...]) -> bool:
    """Whether a perfect in ت is mine or yours, as nobody is named who could have done it.

    جلست أتأمل, سألت الطبيب وقال لي; also سألت الطبيبة وقالت.
    """
    words, evidence = context.words, context.words.evidence
    if not evidence.asks_for("others") or not all(p.cell.tense == "perfect" for p in parses):
        return False
    if any(p.cell.person == 3 and p.cell.gender != "feminine" for p in parses):
        return False
    after = words.verbs(at + 1)
    if after and all(p.cell.person == 1 and p.cell.tense == "imperfect" for p in after):
        return True
    spoken = evidence.says_i or evidence.says_your
    if spoken and not evidence.names_woman and not _has_unlisted_subject(context, at):
        return True
    answered = any(
        p.prefix[:1] in {"و", "ف"} and p.cell.person == 3 and p.verb.perfect in verb_list("speech")
        for p in words.verbs(at + 2)
    )
    met = any(p.verb.perfect in verb_list("met") for p in parses)
    return met and answered and evidence.says_i and bool(words.known_nouns(at + 1))


def _has_unlisted_subject(context: Context, at: int) -> bool:
    """Whether a thing or a name follows that may be the subject: أعلنت شركته, اتصلت سارة."""
    index = next_noun(context.words, at)
    if index < 0:
        return False
    gender = nouns.noun_gender(context.words, index)
    return gender == "feminine" or (gender is None and not context.words.known_nouns(index))


def _is_of_thing_before(context: Context, parses: tuple[VerbParse, ...]) -> bool:
    """Whether a thing has just been named as the subject: الحفلة ستكون رائعة."""
    subject = context.clause.controller_awaiting_predicate
    if subject is None or subject.who is not None or context.clause.verbal:
        return False
    cells = [parse.cell for parse in parses if parse.cell.person == 3]
    return any(cell.tense == "imperfect" and cell.gender == subject.gender for cell in cells)


def object_as_subject(context: Context, at: int, parses: tuple[VerbParse, ...]) -> Suffix | None:
    """The object of the verb before, which does what this verb says: اتركها تجف, رأيته يبكي."""
    for before in context.words.verbs(at - 1)[:1]:
        suffix = before.suffix
        if suffix is None or suffix.person != 3 or parses[0].prefix:
            return None
        seen = before.verb.perfect in verb_list("object_complement") | {"دع", "ودع", "خلى"}
        cells = [parse.cell for parse in parses if parse.cell.person == 3]
        same = any(c.tense == "imperfect" and c.gender == suffix.gender for c in cells)
        return suffix if seen and same else None
    return None


def _is_command_beside_others(context: Context, at: int, parses: tuple[VerbParse, ...]) -> bool:
    """Whether a form is rather a command than a perfect, though not the listener is asked for.

    It is in a string without a final mark (أرسل الرسالة) and beside what is yours (أدخل رقمك.).
    """
    words, evidence = context.words, context.words.evidence
    perfects = [p for p in parses if p.cell.tense == "perfect" and p.cell.gender == "masculine"]
    commands = [p for p in parses if p.cell.tense == "imperative" and p.exact]
    if not perfects or not commands or not words.line.after_mark(at):
        return False
    if evidence.addresses or evidence.third_gender is not None:
        return False
    mine = any(parse.cell.person == 1 for parse in parses)
    if not evidence.asks_for("others") or (mine and evidence.asks_for("speaker")):
        return False
    after = words.function(at + 1)
    if after is not None and after.suffix is not None:  # اتصل بك
        return False
    if explicit_subject(context, at, perfects[0]) >= 0:
        return False
    hers = any(p.cell.person == 3 and p.cell.tense == "imperfect" for p in parses)  # تقدم
    return evidence.says_your or (not hers and words.line.is_word(len(words.line) - 1))


def _is_told_of_her(context: Context, at: int) -> bool:
    """Whether the words before are about somebody else: اتصلت بك ولم ترد, but التي لم ترد عليك."""
    words = context.words
    before = words.verbs(at - 1)
    if before and all(p.cell.person == 3 and p.cell.gender == "feminine" for p in before):
        return True
    functions = [words.function(index) for index in range(at - 3, at)]
    who = functions[-1] is not None and functions[-1].base == "من"
    return who or any(one is not None and one.kind == "relatives" for one in functions)


def _is_rather_mine(context: Context, at: int, parses: tuple[VerbParse, ...]) -> bool:
    """Whether a perfect in ت is the speaker's, who is named otherwise: سلمت على أخي."""
    holder = context.clause.third or context.clause.subject
    if holder is not None and holder.gender == "feminine":
        return False
    perfect = all(parse.cell.tense == "perfect" for parse in parses)
    evidence = context.words.evidence
    after = context.words.function(at + 1)
    suffix = parses[0].suffix or (after.suffix if after is not None else None)
    if perfect and evidence.is_between_us and suffix is not None and suffix.person == 2:
        return True  # اتصلت بك
    index = next_noun(context.words, at)
    if index >= 0 and nouns.noun_gender(context.words, index) == "feminine":
        return False
    return perfect and evidence.says_my


def _met_somebody(context: Context, at: int, parses: tuple[VerbParse, ...]) -> bool:
    """Whether a short text tells whom the speaker met or asked: قابلت طالبًا, طلبت من النادل."""
    words = context.words
    met = any(p.cell.tense == "perfect" and p.verb.perfect in verb_list("met") for p in parses)
    if not met or parses[0].suffix or len(words.line) > _SHORT or not words.opens_clause(at):
        return False
    if words.evidence.third_gender is not None or context.clause.third is not None:
        return False
    index = at + 2 if words.is_preposition(at + 1) else at + 1
    if words.is_thing(at + 1) and words.is_preposition(at + 2):  # سلمت الرسالة إلى السكرتير
        index = at + 3
    return any(
        parse.lemma.person and (index > at + 1 or not parse.definite)
        for parse in words.known_nouns(index)
    )


def _is_of_nobody(parse: VerbParse) -> bool:
    """Whether the reading is none: لم تجب is of أجاب, not of وجب, and قلت of قال."""
    if parse.stem == "قلت":
        return parse.verb.perfect in {"قلى", "قل"}
    if parse.stem == "يسر" and parse.suffix is not None and parse.suffix.person == 1:
        return parse.cell.tense == "imperative"  # يسرني
    return parse.cell.person != 3 and parse.verb.perfect in {"وجب", "انبغى", "تم"}


def _is_reflexive(parse: VerbParse) -> bool:
    """Whether subject and suffixed object are the same first or second person, which cannot be."""
    suffix = parse.suffix
    return suffix is not None and suffix.person != 3 and suffix.person == parse.cell.person


def _person_shown_nearby(context: Context, at: int, parses: tuple[VerbParse, ...]) -> int:
    """The person that a neighbouring word or the clause shows, 0 if none does."""
    if context.topic is not None or _has_feminine_subject(context, at, parses):
        return 3
    if decided := _perfect_or_imperative(context, at, parses):
        return decided
    if _follows_first_person_was(context, at):
        return 1
    in_clause = context.clause.third is not None and _person_of_clause_subject(context, parses) == 3
    if in_clause and not _has_third_as_object(context, at, parses):
        return 3
    statement = context.words.evidence.prior[0] != 3 and _is_first_person_statement(
        context, at, parses
    )
    return 1 if statement else 0


def _is_rather_first_person(context: Context, at: int, parses: tuple[VerbParse, ...]) -> bool:
    """Whether a form of the first or third person is more likely first person."""
    third = {parse.cell.gender for parse in parses if parse.cell.person == 3}
    if third == {"feminine"} and _is_masculine_state(context, at):
        return True
    return context.words.evidence.says_i and _is_simple_first(parses)


def _follows_first_person_was(context: Context, at: int) -> bool:
    """Whether the verb follows كنت with the same subject: كنت أخاف."""
    before = context.words.verbs(at - 1)
    mine = {parse.cell.person for parse in before if parse.verb.perfect == "كان"}
    return bool(mine) and 3 not in mine and context.clause.subject == context.person(1)


def _perfect_or_imperative(context: Context, at: int, parses: tuple[VerbParse, ...]) -> int:
    """The person of a form that is perfect or imperative (توقف), 0 if it is not both."""
    perfects = [p for p in parses if p.cell.tense == "perfect" and p.cell.gender == "masculine"]
    tenses = {parse.cell.tense for parse in parses}
    if not perfects or "imperative" not in tenses:
        return 0
    subject = explicit_subject(context, at, perfects[0])
    if any(parse.cell.person == 1 and parse.verb.simple for parse in parses):
        return 0
    if any(parse.cell.person == 1 for parse in parses):
        person = any(p.lemma.person for p in context.words.known_nouns(subject))
        return 3 if person and perfects[0].verb.perfect not in verb_list("told") else 0
    if subject >= 0:
        return 3
    if "imperfect" in tenses:
        return 0
    return 2 if may_be_imperative(context, at) else 3


def _is_first_person_statement(context: Context, at: int, parses: tuple[VerbParse, ...]) -> bool:
    """Whether a form like an imperative is a first-person imperfect: أعلم, أعتقد.

    أسرع at the beginning of a sentence is an imperative.
    """
    first = [
        parse for parse in parses if parse.cell.person == 1 and parse.cell.tense == "imperfect"
    ]
    if not first or not any(parse.cell.tense == "imperative" for parse in parses):
        return False
    if any(parse.verb.perfect in verb_list("stative") for parse in first):
        return True
    if context.clause.follows_command and parses[0].prefix[:1] in {"و", "ف"}:  # تنفس وأغمض عينيك
        return False
    hamza = parses[0].written.startswith("أ")
    if hamza and context.words.evidence.says_i_beside(at):
        return True
    return hamza and (any(p.verb.simple for p in first) or not may_be_imperative(context, at))


def _has_third_as_object(context: Context, at: int, parses: tuple[VerbParse, ...]) -> bool:
    """Whether the head of the relative clause is the object, so not the subject: التي تراها."""
    third = context.clause.third
    if third is None:
        return False
    suffixes = [parses[0].suffix]
    _, end = context.words.line.sentence(at)
    for index in range(at + 1, min(at + 4, end)):
        function = context.words.function(index)
        suffixes.append(function.suffix if function and function.kind == "prepositions" else None)
    return any(
        one and one.person == 3 and (one.gender, one.number) == (third.gender, third.number)
        for one in suffixes
    )


def _person_of_clause_subject(context: Context, parses: tuple[VerbParse, ...]) -> int:
    """The person of the subject that the clause already has, 0 if that is not decisive."""
    clause = context.clause
    holder = clause.third or clause.subject
    if holder is None or (holder.who is None and holder.gender is None):
        return 0
    if holder.gender is None:
        persons = {context.interlocutors.speaker: 1, context.interlocutors.listener: 2}
        return persons.get(holder.who, 0)
    genders = {parse.cell.gender for parse in parses if parse.cell.person == 3}
    return 3 if holder.gender in genders else 0


def _is_simple_first(parses: tuple[VerbParse, ...]) -> bool:
    """Whether one reading is a first-person imperfect of form I: أعلم, I know."""
    return any(
        parse.cell.person == 1 and parse.cell.tense == "imperfect" and parse.verb.simple
        for parse in parses
    )


def _is_masculine_state(context: Context, at: int) -> bool:
    """Whether a masculine state follows, so that the verb is not a woman's: خرجت مطمئنًا."""
    for index in range(at + 1, at + 7):
        if context.words.line.is_mark(index) or context.words.verbs(index):
            return False
        for parse in context.words.known_nouns(index):
            if parse.form.nunated and parse.form.gender == "masculine" and parse.lemma.adjective:
                before = context.words.line.letters(index - 1)
                return not before.endswith("ا") or index - 1 == at
    return False


def may_be_imperative(context: Context, at: int) -> bool:
    """Whether a form that is imperative or perfect is where imperatives occur."""
    words = context.words
    if not words.evidence.asks_for("listener") and context.interlocutors.listener != "speaker":
        return False
    holder = context.clause.third or context.clause.subject
    if holder is not None and holder.who is None and words.line.after_mark(at):
        return True  # حدث خطأ، حاول لاحقًا
    if holder is not None and holder.gender is not None:
        return False
    if (
        holder is not None
        and holder.who == context.interlocutors.listener
        and (not context.clause.verbal or _continues_statement(words, at))
    ):
        return False  # أنت … تعود
    before = words.line.letters(at)[:1]
    then = words.line[at - 1] in {"ثم", "او"} and context.clause.follows_command
    return then or words.line.after_mark(at) or before in {"و", "ف"}


def _continues_statement(words: PassageAnalysis, at: int) -> bool:
    """Whether the verb before in the sentence says what the listener does: أنت تكذب، وتعرف ذلك."""
    start, _ = words.line.sentence(at)
    if not words.line.letters(at).startswith("و"):
        return False
    for index in range(at - 1, start - 1, -1):
        if parses := words.verbs(index):
            return all(parse.cell.tense == "imperfect" for parse in parses)
    return False


def _has_feminine_subject(context: Context, at: int, parses: tuple[VerbParse, ...]) -> bool:
    """Whether a noun for a woman follows that can be the verb's subject."""
    index = next_noun(context.words, at)
    copular = parses[0].verb.perfect in verb_list("copular")
    if _is_done_by_thing(context, at + 1, parses):
        return True
    if index < 0 or (copular and context.words.evidence.prior[0] == 1):  # أصبحت المدربة
        return False
    return any(
        parse.form.gender == "feminine"
        and parse.lemma.person
        and not parse.form.nunated
        and parse.prefix.letters in {"", "ال"}
        and (parse.definite or parses[0].suffix is not None)
        and not is_listed_thing(parse.lemma.feminine)
        for parse in context.words.known_nouns(index)
    )


def _is_done_by_thing(context: Context, at: int, parses: tuple[VerbParse, ...]) -> bool:
    """Whether a thing does what the verb says: متى تبدأ المحاضرة, تحتوي سلتك على."""
    words = context.words
    function, letters = words.function(at), words.line.letters(at)
    if words.verbs(at) or nouns.has_preposition(words, at):
        return False
    if function is not None and function.base not in {"هذه", "تلك"}:
        return False
    thing = analyse_thing(letters)
    owned = letters.endswith("تك") or (thing is not None and thing.suffixed)
    feminine = nouns.noun_gender(words, at) == "feminine" or letters.endswith("تك")
    definite = function is not None or letters.startswith("ال") or owned
    after = words.line.letters(at + 1)
    owned = after.startswith("ال") or after.endswith("تك")
    definite = definite or (owned and words.is_thing(at))
    if feminine and definite and _is_rather_a_things(words, at, parses):
        return True
    suffix = parses[0].suffix
    resumes = suffix is None or suffix.person == 3  # ما الذي تعنيه الزيادة
    imperfect = parses[0].cell.tense == "imperfect" and resumes
    verb = parses[0].verb
    by_things = verb.perfect in verb_list("by_things") and verb.imperfect != "وقع"  # ستوقع الورقة
    return feminine and definite and imperfect and by_things


def _is_rather_a_things(words: PassageAnalysis, at: int, parses: tuple[VerbParse, ...]) -> bool:
    """Whether an organisation acts, or the verb is seldom said of people: تقبل اللجنة."""
    if parses[0].suffix is not None or parses[0].cell.tense != "imperfect":
        return False
    stem = fold_letters(words.line.letters(at).removeprefix("ال"))
    listed = verb_list("intransitive") | verb_list("of_things") | verb_list("by_things")
    told = parses[0].verb.perfect in listed and words.is_thing(at)
    return stem in things().organisations or told


def _describes_thing(words: PassageAnalysis, at: int, parses: tuple[VerbParse, ...]) -> bool:
    """Whether a verb right after a thing says what that does: سيارة تعمل بالديزل."""
    before = analyse_thing(words.line.letters(at - 1))
    if before is None or before.gender != "feminine" or before.suffixed or before.prefix:
        return False
    if words.function(at - 1) is not None or parses[0].prefix:
        return False
    third = [p for p in parses if p.cell.person == 3 and p.cell.tense == "imperfect"]
    resumed = parses[0].suffix is not None  # كلمة تعرفها
    return any(p.cell.gender == "feminine" for p in third) and not resumed


# The vowel of كتبتُ, كتبتَ, كتبتِ, كتبتْ.
_PERSON_OF_VOWEL = {DAMMA: 1, FATHA: 2, KASRA: 2, SUKUN: 3}
_BEFORE_IMPERFECT = frozenset("لم لن سوف ان كي لكي لا".split())


def choose_verb_readings(
    context: Context, at: int, parses: tuple[VerbParse, ...]
) -> list[VerbParse]:
    """The most likely readings in context, the best first; all have the same features."""
    words = context.words
    parses = tuple(p for p in parses if not _is_of_nobody(p)) or parses
    parses = _filter_by_vowel(context, at, parses)
    parses = tuple(p for p in parses if p.exact or _may_lack_hamza(context, p)) or parses
    if any(parse.suffix is None for parse in parses):  # وجدنا: we found, not he found us
        parses = tuple(p for p in parses if p.suffix is None or p.suffix.letters != "نا")
    parses = _filter_by_mood(context, at, parses)
    parses = _filter_by_prefix(context, at, parses)
    parses = _filter_by_particle(context, at, parses)
    person = choose_person(context, at, parses)
    fitting = [parse for parse in parses if parse.cell.person == person] or list(parses)
    if person == 3:
        fitting = _filter_by_gender(context, fitting)
    mood = choose_mood(words, at, fitting[0])
    asked = [p for p in fitting if p.cell.tense != "imperfect" or p.cell.mood == mood]
    commanded = may_be_imperative(context, at)
    ranked = sorted(asked or fitting, key=lambda parse: _reading_rank(parse, commanded=commanded))
    best = ranked[0]
    if best.cell.tense == "imperative" and words.line[at + 1].startswith("لل"):  # استعد للسفر
        best = next((p for p in ranked if p.verb.shape == "doubled" and not p.verb.simple), best)
    return [best, *(p for p in asked if p.cell == best.cell and p != best)]


def _may_lack_hamza(context: Context, parse: VerbParse) -> bool:
    """Whether the first person may be written without its hamza: اعرف for أعرف.

    It may where the line drops hamzas, and for stative verbs.
    """
    if parse.cell.person != 1 or not parse.written.startswith("ا"):
        return False
    stative = parse.verb.perfect in verb_list("stative")
    return context.words.evidence.drops_hamza or stative


def _filter_by_vowel(
    context: Context, at: int, parses: tuple[VerbParse, ...]
) -> tuple[VerbParse, ...]:
    """The readings that the vowel on a final ت allows."""
    word = context.words.line.token(at)
    if not word.letters.endswith("ت"):
        return parses
    person = _PERSON_OF_VOWEL.get(final_mark(word.text))
    return tuple(parse for parse in parses if parse.cell.person == person) or parses


def _filter_by_gender(context: Context, parses: list[VerbParse]) -> list[VerbParse]:
    """The readings whose gender fits the third person of the clause or passage: تلقى.

    It is either he received or she meets.
    """
    if len({parse.cell.gender for parse in parses}) == 1:
        return parses
    holder = context.clause.third or context.clause.subject
    gender = holder.gender if holder is not None else None
    gender = gender or context.words.evidence.third_gender
    if gender is None:
        return sorted(parses, key=lambda parse: parse.cell.tense != "perfect")
    return [parse for parse in parses if parse.cell.gender == gender] or parses


def _reading_rank(parse: VerbParse, *, commanded: bool) -> tuple[bool, bool, bool]:
    """The sort key of a reading: imperatives first where they occur, then singulars.

    Of jussives and imperatives, hollow verbs come before doubled ones: لم تعد is of عاد, not of عد.
    """
    verb, cell = parse.verb, parse.cell
    shortened = cell.mood == "short" and verb.simple and verb.shape == "hollow"
    doubled = verb.shape == "doubled" or verb.perfect == "وعد"
    doubled = cell.tense == "imperative" and verb.simple and doubled
    return (
        commanded and cell.tense != "imperative",
        cell.number == "plural",
        doubled or (cell.mood == "short" and not shortened),
    )


def _filter_by_mood(
    context: Context, at: int, parses: tuple[VerbParse, ...]
) -> tuple[VerbParse, ...]:
    """The readings whose mood fits: a jussive with an object only after لم and the like.

    لم ترني, but أن تكوني. Nor is what may be a perfect a jussive there: تمت الإضافة is not of مات.
    """
    moods = {choose_mood(context.words, at, parse) for parse in parses}
    if moods == {"full"} and any(parse.cell.tense == "perfect" for parse in parses):
        parses = tuple(p for p in parses if p.cell.tense != "imperfect" or p.cell.mood != "short")
    if len({parse.suffix for parse in parses}) == 1:
        return parses
    plain = tuple(parse for parse in parses if parse.suffix is None)
    if plain and choose_mood(context.words, at, parses[0]) == "short":
        rare = all(parse.verb.shape == "doubled" and parse.verb.simple for parse in plain)
        return tuple(p for p in parses if p.suffix is not None) if rare else plain
    return tuple(p for p in parses if p.suffix is None or p.cell.mood != "short") or parses


def _filter_by_prefix(
    context: Context, at: int, parses: tuple[VerbParse, ...]
) -> tuple[VerbParse, ...]:
    """The readings with or without an interrogative أ.

    It needs the beginning of a clause and a question mark: أستطيع is no question.
    """
    plain = tuple(parse for parse in parses if not parse.prefix.startswith("أ"))
    if not plain or len(plain) == len(parses):
        return parses
    asked = tuple(parse for parse in parses if parse.prefix == "أ")
    asks = (
        context.words.evidence.asks(at)
        and context.words.opens_clause(at)
        and context.words.evidence.prior[0] == 2
    )
    return asked if asked and asks else plain


def _filter_by_particle(
    context: Context, at: int, parses: tuple[VerbParse, ...]
) -> tuple[VerbParse, ...]:
    function = context.words.function(at - 1)
    before = context.words.key(at - 1)
    if function is not None and function.suffix is not None:  # إنه تعرض
        return parses
    tense = {"لقد": "perfect"}.get(before, "imperfect" if before in _BEFORE_IMPERFECT else "")
    return tuple(parse for parse in parses if parse.cell.tense == tense) or parses


def cell_in_context(
    context: Context, at: int, parse: VerbParse, parses: tuple[VerbParse, ...]
) -> Cell:
    """The features of the form, in the mood that the words before it govern."""
    cell = parse.cell
    if cell.tense != "imperfect":
        return cell
    mood = choose_mood(context.words, at, parse)
    moods = {
        one.cell.mood
        for one in parses
        if one.verb == parse.verb and one.cell._replace(mood="full") == cell._replace(mood="full")
    }
    return cell._replace(mood=mood) if mood in moods else cell
