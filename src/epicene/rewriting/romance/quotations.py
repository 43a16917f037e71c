"""Quoted speech in a Romance language, and who is speaker and listener in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting import quotations
from epicene.rewriting.quotations import UNQUOTED, Interlocutors, Introduction, Passage

if TYPE_CHECKING:
    from epicene.rewriting.persons import Person
    from epicene.rewriting.romance.lexicon import Lexicon
    from epicene.rewriting.romance.line import Line

_DASHES = frozenset({"—", "–"})
_NOT_SAID = Interlocutors(*UNQUOTED)  # no word tells who speaks
_CLOSES = {"“": "”", "«": "»", '"': '"', "„": "“", "‘": "’"}


def split_quotations(line: Line, lexicon: Lexicon) -> list[Passage[Line]]:
    """The line without its quoted speech, then each quoted speech."""
    return _split_dialogue(line, lexicon) or _continue_speech(
        quotations.split_quotations(
            line,
            closes=_CLOSES,
            is_speech=lambda part: _is_speech(part, lexicon),
            attribute=lambda introduction: _attribute(introduction, lexicon),
            stop_counts_outside=True,
        )
    )


def _continue_speech(passages: list[Passage[Line]]) -> list[Passage[Line]]:
    """*«No» disse Anna. «Sono stanca.»*: a quotation with no verb of its own continues."""
    found: list[Passage[Line]] = []
    for passage in passages:
        unclear = found and passage.interlocutors is _NOT_SAID
        found.append(
            passage._replace(interlocutors=found[-1].interlocutors) if unclear else passage
        )
    return found


def _split_dialogue(line: Line, lexicon: Lexicon) -> list[Passage[Line]]:
    """*—Estás pálida —me dijo—. Siéntate.*: speech and narration in turn, after dashes."""
    dashes = [at for at in range(len(line)) if line[at] in _DASHES]
    if len(dashes) < 2 or dashes[0] != 0:
        return []
    parts = [
        line.part(line.tokens[start + 1 : end])
        for start, end in zip(dashes, [*dashes[1:], len(line)], strict=True)
    ]
    told = line.part([token for part in parts[1::2] for token in part.tokens])
    who = _attribute(Introduction(line.part([]), told), lexicon)
    if who == UNQUOTED:
        return []
    return [Passage(told), *(Passage(part, who) for part in parts[::2])]


def _is_speech(part: Line, lexicon: Lexicon) -> bool:
    """Whether the words are a sentence, not a title or a single word."""
    if not part or not part.tokens[0].text[:1].isupper():
        known = lexicon.verb(part[0])
        if known is not None and known.persons in ({"1s"}, {"2s"}) and len(part) > 2:
            return True  # “tô exausta, não vou”
        return len(part) > 2 and part[0] in {"¿", "¡", "…"} and known is None
    return any(
        (form := lexicon.verb(word)) is not None and form.mood == "finite" for word in part
    ) or part[len(part) - 1] in {".", "!", "?", ","}


def _attribute(introduction: Introduction[Line], lexicon: Lexicon) -> Interlocutors:
    """The interlocutors of a quotation by the verb of saying before or after it."""
    after = introduction.after
    if after and after.tokens[0].text[0].isupper() and lexicon.is_function_word(after[0]):
        after = after.part([])  # «Sono stanco.» Io non risposi.
    for words in (after.keys, introduction.before.keys):
        for at, word in enumerate(words):
            form = lexicon.verb(lexicon.split_enclitic(word)[0])
            if form is None or form.infinitive not in lexicon["saying"]:
                continue
            return _interlocutors(words, at, _persons(words, at, lexicon), lexicon)
    return _NOT_SAID


def _persons(words: list[str], verb: int, lexicon: Lexicon) -> frozenset[str]:
    """The persons of a verb, or of the auxiliary before its participle."""
    form = lexicon.verb(lexicon.split_enclitic(words[verb])[0])
    before = lexicon.verb(words[verb - 1]) if verb else None
    if form is None or form.mood != "participle" or before is None:
        return form.persons if form is not None else frozenset()
    return before.persons


def _interlocutors(
    words: list[str], verb: int, persons: frozenset[str], lexicon: Lexicon
) -> Interlocutors:
    beside = set(words[max(0, verb - 2) : verb + 2])
    speaks: Person = "others"
    if persons == {"1s"} or beside & lexicon["first_pronouns"]:
        speaks = "speaker"
    elif persons == {"2s"}:
        speaks = "listener"
    near = set(words[max(0, verb - 3) : verb + 1]) | {
        lexicon.split_enclitic(words[verb])[1],
        *words[verb + 1 : verb + 3],
    }
    if near & lexicon["first_clitics"] and speaks != "speaker":
        return Interlocutors(speaks, "speaker")
    if speaks == "listener" or _addresses_others(words, verb, lexicon):
        return Interlocutors(speaks, "others")
    return Interlocutors(speaks, "listener")


def _addresses_others(words: list[str], verb: int, lexicon: Lexicon) -> bool:
    """Whether somebody is named to whom it is said: *le disse*, *disse al fratello*."""
    beside = {*words[max(0, verb - 2) : verb], lexicon.split_enclitic(words[verb])[1]}
    if beside & lexicon["third_datives"]:
        return True
    for at in range(verb + 1, min(verb + 5, len(words))):
        done = lexicon.verb(words[at + 1]) if at + 1 < len(words) else None
        if words[at] in lexicon["said_to"] and (done is None or done.mood != "infinitive"):
            return True
    return False
