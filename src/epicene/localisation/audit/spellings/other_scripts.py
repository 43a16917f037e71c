"""Arabic, Hindi and Russian: طالب/ة, सकता/सकती, готов(а)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.localisation.audit.spellings.patterns import (
    LETTERS,
    Ending,
    Forms,
    Pattern,
    both_words,
    compile_word,
    feminine_of,
    is_known,
    pairs_by_endings,
    written_endings,
)
from epicene.rewriting.russian.conjugation import past_form, short_form
from epicene.rewriting.russian.line import key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import regex

_ARABIC = (
    Ending("ين", "ات", ("ات",)),
    Ending("ون", "ات", ("ات",)),
    Ending("ي", "تي", ("تي",)),
    Ending("ه", "ها", ("ها",)),
    Ending("هم", "هن", ("هن",)),
    Ending("", "ة", ("ة", "ـة")),
    Ending("", "ي", ("ي",)),
    Ending("", "ين", ("ين",)),
    Ending("", "ت", ("ت",)),
)
_HINDI = (
    Ending("ता", "ती", ("ती",)),
    Ending("ते", "ती", ("ती",)),
    Ending("गा", "गी", ("गी",)),
    Ending("गे", "गी", ("गी",)),
    Ending("या", "ई", ("ई", "यी")),
    Ending("ये", "ई", ("ई", "यी")),
    Ending("ए", "ईं", ("ईं", "ई")),
    Ending("आ", "ई", ("ई",)),
    Ending("ा", "ी", ("ी",)),
    Ending("े", "ी", ("ी",)),
)
_RUSSIAN = (
    Ending("шёл", "шла", ("шла", "ла", "а")),
    Ending("шел", "шла", ("шла", "ла", "а")),
    Ending("лся", "лась", ("лась", "ась")),
    Ending("ый", "ая", ("ая",)),
    Ending("ий", "ая", ("ая",)),
    Ending("ий", "яя", ("яя",)),
    Ending("ой", "ая", ("ая",)),
    Ending("ен", "на", ("на",)),
    Ending("л", "ла", ("ла", "а")),
    Ending("ец", "ка", ("ка",)),
    Ending("ник", "ница", ("ница", "ца")),
    Ending("тель", "тельница", ("ница",)),
    Ending("", "ка", ("ка",)),
    Ending("", "ла", ("ла",)),
    Ending("", "а", ("а",)),
)


def _abbreviated(
    endings: Sequence[Ending],
    marks: dict[str, str],
    shortest: int,
    fits: Callable[[str, str], bool] = lambda _stem, _ending: True,
) -> Iterator[Pattern]:
    """Endings after a mark or in brackets; a stem has at least `shortest` letters.

    `fits(stem, ending)` refuses what only looks like a gender.
    """
    tails = written_endings(endings)

    def read(match: regex.Match[str]) -> Forms | None:
        if not fits(match["stem"], match["tail"].lower()):
            return None
        feminine = feminine_of(match["stem"], match["tail"].lower(), endings)
        return Forms(match["stem"], feminine) if feminine else None

    stem = rf"(?P<stem>{LETTERS}{{{shortest},}})"
    for style, mark in marks.items():
        yield Pattern(style, compile_word(rf"{stem}{mark}(?P<tail>{tails})"), read)
    yield Pattern("brackets", compile_word(rf"{stem}\((?P<tail>{tails})\)"), read)


def arabic() -> Iterator[Pattern]:
    pairs = (
        "هو/هي هم/هن أنتم/أنتن عزيزي/عزيزتي السيد/السيدة رجل/امرأة الرجال/النساء هذا/هذه الذي/التي"
    )
    endings = (("", "ة"), ("", "ي"), ("ين", "ات"), ("ون", "ات"), ("ه", "ها"), ("", "ين"))
    yield from both_words(pairs, "أو|و", pairs_by_endings(endings, "ar"))
    yield from _abbreviated(_ARABIC, {"slash": r"\s?/\s?ـ?"}, 2)


def hindi() -> Iterator[Pattern]:
    pairs = "का/की के/की था/थी थे/थीं श्री/श्रीमती पुरुष/महिला मेरा/मेरी आपका/आपकी"
    endings = (("ा", "ी"), ("े", "ी"), ("या", "ई"), ("ये", "ई"), ("ए", "ई"), ("आ", "ई"), ("", "ा"))
    yield from both_words(pairs, "या|और|अथवा", pairs_by_endings(endings, "hi"))
    yield from _abbreviated(_HINDI, {"slash": "/"}, 2)


def russian() -> Iterator[Pattern]:
    pairs = (
        "он/она его/её ему/ей им/ею нём/ней сам/сама мужчина/женщина мужчины/женщины "
        "господин/госпожа господа/дамы г-н/г-жа"
    )
    endings = tuple((each.masculine, each.feminine) for each in _RUSSIAN)
    yield from both_words(pairs, "или|и", pairs_by_endings(endings, "ru"))
    yield Pattern(
        "brackets",
        compile_word(r"он\(а\)"),
        lambda match: Forms(match["all"][:2], f"{match['all'][:2]}а"),
    )
    yield from _abbreviated(
        _RUSSIAN, {"slash": "/", "star": r"\*", "underscore": "_"}, 3, _shows_gender
    )


def _shows_gender(stem: str, ending: str) -> bool:
    """Whether an added -а is a gender: in "готов(а)" it is, in "файл(а)" it is a number."""
    if ending not in {"а", "ла"}:
        return True
    word = key(stem)
    return bool(short_form(word) or past_form(word) or is_known(stem, "ru"))
