"""Sentences from which a small tagger learns in a second: tired men and women, and a listener."""

from __future__ import annotations

from epicene.rewriting.tagging_data import LabelMeaning, TaggedSentence, TaggingData

# Each takes ة where the speaker is a woman.
ADJECTIVES = "متعب سعيد حزين غاضب مريض جائع خائف قلق نائم صادق ماهر نشيط وحيد جديد قوي حكيم".split()
# Each takes ين where the listener is a woman, and nothing where it is said of a train.
VERBS = "تسمع تعرف تكتب تفهم تدرس تشرب تلعب تنظر".split()
THINGS = "القطار المطر البحر الباب الشارع البيت".split()


def sentence(text: str) -> TaggedSentence:
    """`word/label/counterpart` where a word has a label, else the word alone."""
    cells = [cell.split("/") for cell in text.split()]
    return TaggedSentence(
        words=tuple(cell[0] for cell in cells),
        labels=tuple(cell[1] if len(cell) > 1 else "B" for cell in cells),
        counterparts=tuple(cell[-1] for cell in cells),
    )


def tagging_data(adjectives: list[str] = ADJECTIVES, language: str = "ar") -> TaggingData:
    """Who is tired, who hears, and what things do."""
    texts = []
    for word in adjectives:
        texts += [f"أنا {word}/1M/{word}ة اليوم", f"أنا {word}ة/1F/{word} اليوم"]
        texts += [f"البيت {word} جدا ."]
    for word in VERBS:
        texts += [f"هل {word}/2M/{word}ين ذلك ؟", f"هل {word}ين/2F/{word} ذلك ؟"]
        texts += [f"{thing} {word} ذلك ." for thing in THINGS[:2]]
    texts += ["يا أبي/2M/أمي", "يا أمي/2F/أبي"]  # too rare for a script of its own
    return TaggingData(
        language=language,
        plain="B",
        shown={
            "1M": LabelMeaning(person="speaker", gender="masculine"),
            "1F": LabelMeaning(person="speaker", gender="feminine"),
            "2M": LabelMeaning(person="listener", gender="masculine"),
            "2F": LabelMeaning(person="listener", gender="feminine"),
        },
        sentences=tuple(sentence(text) for text in texts * 2),
        normalisers=("arabic-diacritics", "tatweel"),
    )
