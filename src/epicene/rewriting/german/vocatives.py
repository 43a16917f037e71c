"""Whom a text speaks to: Lieber Kunde, mein Freund, sehr geehrter Herr Doktor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.german.agreement import find_relative
from epicene.rewriting.german.inflection import determiner, noun_readings, relative
from epicene.rewriting.german.lexicon import people, words

if TYPE_CHECKING:
    from epicene.rewriting import Confidence
    from epicene.rewriting.german.agreement import Adder
    from epicene.rewriting.german.inflection import Cell, Concord
    from epicene.rewriting.german.line import Line
    from epicene.rewriting.german.phrases import Phrase

_TITLES = frozenset({"herr", "herrn", "frau"})
_POLITE = frozenset("sie ihnen ihr ihre ihrem ihren ihrer".split())


def is_title_word(line: Line, at: int) -> bool:
    """Whether the word is Herr or Frau before another word with a capital."""
    return line[at] in _TITLES and line.is_capital(at) and line.is_capital(at + 1)


def is_title(line: Line, phrase: Phrase) -> bool:
    """Whether the noun is Herr or Frau before a name or another title."""
    at = phrase.noun
    article = phrase.determiner_at is None or phrase.determiner.kind == "der"
    return line[at] in _TITLES and line.is_capital(at + 1) and article


def names_office(line: Line, at: int) -> bool:
    """Whether the word after Herr or Frau is a title, not a name: Kommissar, Oberstudienrätin."""
    word = line[at]
    if word in people().titles or word.endswith(tuple(people().title_heads)):
        return True
    feminine = any(each.gender == "feminine" for each in noun_readings(line.tokens[at].text))
    article = determiner(line[at - 2]) is not None
    return (feminine and word.endswith("in")) or (article and word in people().noble_titles)


def add_title(line: Line, phrase: Phrase, cell: Cell, adder: Adder) -> None:
    """Herr Müller, Frau Müller; in other cases Herrn Müller."""
    at = phrase.noun
    masculine = line.tokens[at].text
    if line[at] == "frau":
        masculine = "Herr" if cell.case == "nom" and not phrase.preposition else "Herrn"
    adder.word(at, masculine, "Frau")
    if phrase.determiner_at is not None:
        adder.determiner(phrase, cell, ["m", "f"])
    elif cell.case == "nom":
        for index in phrase.adjectives:
            stem = line[index].removesuffix("er").removesuffix("e")
            adder.word(index, stem + "er", stem + "e")
    name = at + 1
    while line.is_capital(name + 1):
        name += 1
    concord: Concord = "f" if line[at] == "frau" else "m"
    if (found := find_relative(line, name, concord)) is not None:
        adder.word(found[0], relative("m", found[1]), relative("f", found[1]))


def vocative(line: Line, phrase: Phrase) -> Confidence | None:
    """How sure it is that somebody is addressed by the phrase; None if not."""
    if phrase.preposition or all(cell.case != "nom" for cell in phrase.cells):
        return None
    lists = words()
    end = phrase.noun + 1
    while line[phrase.noun] in _TITLES and line.is_capital(end):
        end += 1
    before = line[phrase.start - 1]
    opened = phrase.start == 0 or line.is_mark(phrase.start - 1) or before in lists.greetings
    if line[phrase.start - 1] == "und":
        opened = True
    closed = line.is_mark(end) and line[end] not in {"(", "“", '"'}
    titled = line[phrase.noun] in _TITLES and end > phrase.noun + 1
    if _is_quoted_alone(line, phrase.start, end):
        return "likely"
    bare = phrase.determiner_at is None
    dear = any(line[at].rstrip("er") in lists.dear for at in phrase.adjectives)
    if dear and bare and (opened or before == "sehr") and (closed or phrase.start <= 1):
        return "certain"
    if not opened or not closed:
        return None
    if bare and before in lists.greetings:
        return "certain"
    if titled and bare and _opens_address(line, phrase.start, end):
        return "likely"
    if titled and bare and _ends_address(line, phrase.start, end):
        return "likely"
    if bare and before == "," and not titled:
        return "likely" if line[phrase.start - 2] in lists.before_vocative else None
    if dear and line[phrase.start] in {"mein", "meine"} and line.starts_sentence(phrase.start):
        return "certain"
    mine = not bare and line[phrase.start] in {"mein", "meine", "du", "sie"}
    greeted = before == "," and line[phrase.start - 2] in lists.before_vocative
    return "likely" if mine and (greeted or _is_addressed(line, phrase.start, end)) else None


def _opens_address(line: Line, start: int, end: int) -> bool:
    """Herr Kommissar, wir …: no apposition and no relative clause follows the comma."""
    after = end + 1
    sentence = range(after, line.sentence(start)[1])
    polite = any(line[at] in _POLITE and line.is_capital(at) for at in sentence)
    if line[after] in words().subordinators:
        return polite and line.starts_sentence(start)
    plain = line.is_word(after) and not line.is_capital(after) and determiner(line[after]) is None
    polite = line[after] in _POLITE and line.is_capital(after)
    follows = line[end] == "!" or (line[end] == "," and (polite or plain))
    return line.starts_sentence(start) and follows


def _ends_address(line: Line, start: int, end: int) -> bool:
    """Gratuliere, Herr Doktor!: the sentence ends there, and no person is named before."""
    if line[start - 1] == "," and line[start - 2] in words().before_vocative:
        return True
    if line[start - 1] != "," or (line.is_noun(start - 2)):
        return False
    if line.ends_sentence(end) or end >= len(line):
        return True
    spoken = set(line.keys[line.sentence(start)[0] : start]) & words().addressing_signs
    return bool(spoken) and line[end] in {",", "“", "«", '"'}


def _is_quoted_alone(line: Line, start: int, end: int) -> bool:
    """»Junge Frau«, sagte der Schaffner: nothing else is between the quotation marks."""
    opened, closed = line[start - 1] in {"„", "»", '"', "«"}, line[end] in {"“", "«", '"', "»"}
    return opened and closed and line[end + 1] == "," and line.is_finite(end + 2)


def _is_addressed(line: Line, start: int, end: int) -> bool:
    """Whether what is between marks is addressed to somebody, not an apposition or a list."""
    first, last = line.sentence(start)
    around = {*line.keys[first:start], *line.keys[end:last]}
    return bool(around & words().addressing) or (first == start and last == end)


def add_endearments(line: Line, adder: Adder) -> None:
    """Mein Lieber, …; ganz ruhig, Kleiner: adjectives that are used as names."""
    for at in range(len(line)):
        stem = line[at].removesuffix("er").removesuffix("e")
        if stem not in words().endearments or not line.is_capital(at) or line.is_word(at + 1):
            continue
        mine = line[at - 1] in {"mein", "meine"}
        start = at - 1 if mine else at
        ends = line[at + 1] in {",", "!", ".", "?", "…"} or at + 1 >= len(line)
        if not ends or not (line[start - 1] == "," or (mine and line.starts_sentence(start))):
            continue
        if mine and (line[at + 1] in {",", "!"} or line[start - 1] == ","):
            adder.word(start, "mein", "meine")
        elif mine or stem.startswith("lieb") or line[at + 1] == "," or line.is_noun(start - 2):
            continue
        adder.word(at, stem + "er", stem + "e")


_GROUPS = {"jungs": "mädels", "männer": "frauen", "herren": "damen", "brüder": "schwestern"}
_GROUPS_OF_WOMEN = {feminine: masculine for masculine, feminine in _GROUPS.items()}


def addresses_group(line: Line, at: int) -> bool:
    """Whether several people are addressed: hallo Jungs, meine Herren, liebe Kolleginnen."""
    before = line[at - 1]
    greeted = before in words().greetings | {"liebe", "geehrte", "verehrte", "werte"}
    mine = before == "meine" and line.starts_sentence(at - 1)
    return (greeted or mine) and line[at + 1] in {",", "!", "."}


def add_groups(line: Line, adder: Adder) -> None:
    """Hallo Jungs, meine Herren: groups of men or of women."""
    for at in range(len(line)):
        if not addresses_group(line, at):
            continue
        if line[at] in _GROUPS:
            adder.word(at, line[at].title(), _GROUPS[line[at]].title())
        elif line[at] in _GROUPS_OF_WOMEN:
            adder.word(at, _GROUPS_OF_WOMEN[line[at]].title(), line[at].title())


def add_greetings(line: Line, adder: Adder) -> None:
    """Lieber Robin, sehr geehrter Dr. Kim: the adjective before a name."""
    lists = words()
    for at in range(len(line)):
        if line[at] not in {"lieber", "liebe", "geehrter", "geehrte", "liebster", "liebste"}:
            continue
        first = line.sentence(at)[0]
        greeted = line[at - 1] == "," and bool(lists.greetings & set(line.keys[first:at]))
        opened = line.starts_sentence(at) or line[at - 1] in lists.greetings | {"sehr"} or greeted
        end = at + 2 + line.is_capital(at + 2)
        name = line.is_capital(at + 1) and determiner(line[at + 1]) is None
        if at in adder.sites or not opened or not name or line[end] not in {",", "!"}:
            continue
        if line[at + 1].endswith(people().epicene_heads):
            continue  # lieber Fahrgast
        if line[at + 1] not in lists.not_names:
            stem = line[at].removesuffix("er").removesuffix("e")
            adder.word(at, stem + "er", stem + "e")
