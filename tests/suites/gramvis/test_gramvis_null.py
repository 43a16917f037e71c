"""The null model: faces that no prompt decides, drawn by us, or real ones by a real classifier.

A few items only, to see that the whole pipeline runs on pictures; `benchmarks/gramvis_null.py` does
it with real ones at a size at which an effect would show.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from epicene.core.records import Images
from epicene.models import parse_spec
from epicene.results.summary import summarise
from epicene.runs.config import RunConfig
from epicene.runs.run import run
from epicene.runs.stored_run import RunJudgements, read_run
from epicene.show.table_formats import as_json
from epicene.suites import DataSource, choose_protocol
from epicene.suites.gramvis import suite
from epicene.suites.gramvis.ask import DRAW, DRAWER, JUDGES
from runs.conftest import Silent

# A list of its own, whose faces stay when ours changes: a word of each language and gender.
WORDS = """language,word,grammar,stereotype,category,english,chinese,genitive,accusative
DE,Wache,F,male,occupation,a guard,警卫,der Wache,
DE,Charme,M,female,personal_traits,charm,魅力,des Charmes,
ES,patrulla,F,male,occupation,a patrol,巡逻队,,
ES,ballet,M,female,occupation,ballet,芭蕾舞,,
FR,sentinelle,F,male,occupation,a sentry,哨兵,,
FR,ménage,M,female,occupation,housework,家务,,
IT,guida,F,male,occupation,a guide,向导,,
IT,ricamo,M,female,occupation,embroidery,刺绣,,
RU,стража,F,male,occupation,the guard,卫队,стражи,стражу
RU,шарм,M,female,personal_traits,charm,魅力,шарма,шарм
"""
ITEMS = 10  # each word in one of its templates


@pytest.mark.parametrize(
    ("drawer", "judge"),
    [
        ("sketch", "sketch-judge"),
        pytest.param("random-face", "face-classifier", marks=pytest.mark.faces),
    ],
)
def test_faces_that_ignore_the_prompt_show_no_effect_of_grammar(
    drawer: str, judge: str, tmp_path: Path
) -> None:
    how: Any = choose_protocol(suite, "epicene", {"shots": "1", "size": "256"}, None)
    words = tmp_path / "words.csv"
    words.write_text(WORDS, "utf-8")
    models = {DRAWER: [parse_spec(drawer)], JUDGES: [parse_spec(judge)]}
    order = RunConfig(
        suite=suite,
        protocol=how,
        models=models,
        source=DataSource(path=words),
        under=tmp_path,
        limit=ITEMS,
    )
    folder, manifest = run(order, Silent())
    assert manifest.state == "complete"

    finished = read_run(folder)
    files = [
        image.sha256
        for _, answers in RunJudgements(finished).answered()
        for given in answers.where(stage=DRAW)
        if isinstance(given.answer, Images)
        for image in given.answer.images
    ]
    assert len(set(files)) == ITEMS * 3  # every prompt has a face of its own
    judged = [each for each in RunJudgements(finished) if each.name == "majority"]
    assert len({each.group for each in judged}) == ITEMS

    summary = summarise([finished])
    effects = {name: each for name, each in summary.metrics.items() if "_effect_" in name}
    assert len(effects) == 4
    for effect in effects.values():
        assert effect.value is None or effect.low <= 0 <= effect.high  # type: ignore[operator]
    assert any(effect.value is not None for effect in effects.values())
    (table,) = (table for table in summary.tables if table.name == "votes")
    shown: dict[str, Any] = as_json(table)[judge]
    assert shown["votes"]["value"] == ITEMS * 3
    assert shown["unreadable"]["value"] == 0
    # Faces that fill the picture are nearly always found, and both genders are drawn.
    assert shown["neither"]["value"] < 0.2
    assert 0.2 < shown["male"]["value"] < 0.9
