"""The corpus as lessons for a tagger."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from epicene.suites.apgc.data import read_folder, tagging_data
from suites.apgc.corpus_folder import sentences


def test_each_labelled_word_has_its_form_for_the_other_gender() -> None:
    made = dict(
        zip((each.label for each in sentences()), tagging_data(sentences()).sentences, strict=True)
    )
    assert set(made["BB"].labels) == {"B"}
    assert made["BB"].counterparts == made["BB"].words
    assert made["FB"].labels == ("B", "1F", "B", "B")
    assert made["FB"].counterparts == ("أنا", "متعب", "اليوم", ".")
    both = made["FM"]
    assert both.words == ("أنا", "فخورة", "بك", "يا", "ابني")
    assert both.labels == ("B", "1F", "B", "B", "2M")
    assert both.counterparts == ("أنا", "فخور", "بك", "يا", "ابنتي")


def test_labels_say_whose_gender_they_show() -> None:
    shown = tagging_data(sentences()).shown
    assert (shown["1F"].person, shown["1F"].gender) == ("speaker", "feminine")
    assert (shown["2M"].person, shown["2M"].gender) == ("listener", "masculine")


@pytest.mark.published("the Arabic parallel gender corpus", "CAMeL-Lab/gender-rewriting")
def test_lessons_of_train_have_the_word_labels_of_table_4(published_data: Path) -> None:
    read, _ = read_folder(published_data / "apgc" / "v2.1", "train")
    made = tagging_data(read)
    counts = Counter(label for lesson in made.sentences for label in lesson.labels)
    assert counts == {"B": 385693, "1F": 3527, "1M": 3527, "2F": 17388, "2M": 17388}
    changed = sum(
        word != counterpart
        for lesson in made.sentences
        for word, counterpart in zip(lesson.words, lesson.counterparts, strict=True)
    )
    assert changed == counts.total() - counts["B"]
