"""The published instances are the authors', to the byte."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path

import pytest

from epicene.core.errors import InputError
from epicene.core.records import Score
from epicene.suites import Answers, DataSource
from epicene.suites.misgendering.ask import ask_formats
from epicene.suites.misgendering.data import read
from epicene.suites.misgendering.items import PUBLISHED_SETS, Instance
from epicene.suites.misgendering.protocol import PROTOCOLS
from epicene.suites.misgendering.sources import misgendered

pytestmark = pytest.mark.published(
    "MISGENDERED, TANGO and RUFF in misgendering/",
    "the repositories on the card of the suite misgendering",
)

# sha256 of the 750 texts per pronoun, joined by line feeds: names; cut before the gap; filled.
NAMES = "9c81c2259854ef474acea98cae65b48f302c99e1fcc790ac491cb579f537b284"
PRE = {
    "he": "e8747631ba51e52bf1eecaea163a039c5857e8148133e453f1f287a65066a538",
    "she": "25ecfa4fb9efb31228109175e0d8e85557e718aabe1641eed7bc04a39aebc43d",
    "they": "a49c1d029feac8fea269ce6d43ebe6c9bed55e1c5fa554056111c4d79715c812",
    "xe": "e1996ff3ffbc91484cda167533a00f42b229de9462204b4901ac2f38228b05f2",
}
POST = {
    "he": "4d522b3b0c0c3992015e814cef4abd30fb124d656e502ad232536a43897e2ca9",
    "she": "22438acc7a045ae5a296312d180d0995183c6d8b6038dadaf21a3dfe301c7eb3",
    "they": "c765d517356f7138085ddace0e7e2f676857d6d0fefa8b1dab0a694cb9a6bebd",
    "xe": "1e961bd527f364753c44797a7908a937443aa6573d2e057d4eb301155322789c",
}


@pytest.fixture(scope="module")
def folder(published_data: Path) -> Path:
    """The published files of this suite."""
    return published_data / "misgendering"


@pytest.fixture(scope="module")
def paper(folder: Path) -> list[Instance]:
    """All instances under the protocol `paper`."""
    return list(read(DataSource(path=folder), PROTOCOLS["paper"]).items)


@pytest.fixture(scope="module")
def mended(folder: Path) -> list[Instance]:
    """All instances under the protocol `epicene`."""
    return list(read(DataSource(path=folder), PROTOCOLS["epicene"]).items)


def joined(texts: list[str]) -> str:
    """The hash of texts."""
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def of(instances: list[Instance], dataset: str, pronoun: str = "") -> list[Instance]:
    """Those of one dataset and pronoun."""
    return [each for each in instances if each.dataset == dataset and pronoun in ("", each.pronoun)]


def test_there_are_750_480_and_1800_per_pronoun(paper: list[Instance]) -> None:
    counts = Counter((each.dataset, each.pronoun) for each in paper)
    wanted = {"misgendered": 750, "tango": 480, "ruff": 1800}
    assert counts == {
        (dataset, pronoun): count for dataset, count in wanted.items() for pronoun in PRE
    }
    assert len({each.id for each in paper}) == len(paper)


@pytest.mark.parametrize("pronoun", PRE)
def test_misgendered_is_the_authors_to_the_byte(paper: list[Instance], pronoun: str) -> None:
    mine = of(paper, "misgendered", pronoun)
    assert joined([each.name for each in mine]) == NAMES
    assert joined([each.before for each in mine]) == PRE[pronoun]
    assert joined([each.filled(each.gold) for each in mine]) == POST[pronoun]
    assert all(each.before.endswith(" ") for each in mine)
    assert sum(each.gold.form[0].isupper() for each in mine) == 180
    assert [each.pronoun for each in mine[0].candidates] == ["he", "she", "they", "xe"]


def test_ruff_has_sixty_occupations_and_no_capital_gap(paper: list[Instance]) -> None:
    mine = of(paper, "ruff")
    assert len({each.occupation for each in mine}) == 60
    assert Counter(each.case for each in mine) == {
        "nominative": 2400,
        "accusative": 2400,
        "dependent": 2400,
    }
    assert all(each.before.endswith(" ") and each.gold.form.islower() for each in mine)
    assert all(each.gold.form in each.before.lower() or each.case != "nominative" for each in mine)


def test_tango_is_lower_case_but_for_the_first_letter(paper: list[Instance]) -> None:
    mine = of(paper, "tango")
    assert all(each.before[1:] == each.before[1:].lower() for each in mine)
    assert all(each.before[0].isupper() and not each.before.endswith(" ") for each in mine)
    assert Counter(each.antecedent for each in of(paper, "tango", "xe")) == dict.fromkeys(
        ("ante_nongendered", "ante_gendered_female", "ante_gendered_male", "distal"), 120
    )


def test_the_forms_are_those_of_the_files(paper: list[Instance]) -> None:
    for dataset, count in (("misgendered", 18), ("tango", 17), ("ruff", 11)):
        sets = of(paper, dataset)[0].sets
        assert sets == PUBLISHED_SETS[dataset]
        assert len({form for each in sets for form in each.all()}) == count


def test_what_is_mended(mended: list[Instance]) -> None:
    declared = of(mended, "misgendered", "he")
    assert len(declared) == len({each.filled(each.gold) for each in declared}) == 750
    assert not any("/'s" in each.before for each in declared)
    assert Counter(each.name_list for each in declared) == dict.fromkeys(
        ("female", "male", "unisex"), 250
    )
    assert all(each.after[-1:] in ".?!”\"'" for each in declared)
    for each in declared:
        begins = each.before.rstrip()[-1] in ".?!"
        assert each.gold.form[0].isupper() == begins, each.before
    open_contexts = of(mended, "tango", "she")
    assert any("American" in each.before for each in open_contexts)
    assert not any(
        each.name in each.before for each in open_contexts if each.antecedent != "distal"
    )


@pytest.mark.parametrize("protocol", ["paper", "epicene"])
def test_every_template_asks_for_next_words(
    protocol: str, paper: list[Instance], mended: list[Instance]
) -> None:
    templates = [each for each in (paper if protocol == "paper" else mended) if each.is_template]
    assert len(templates) == 4 * (750 + 1800)
    for each in templates:
        requests = {r.name: r for r in ask_formats(each, Answers(), PROTOCOLS[protocol])}
        before, after = requests["next pre"], requests["next post"]
        assert isinstance(before, Score)
        assert isinstance(after, Score)
        for request in (before, after):
            assert len(set(request.texts)) == 4
            assert all(text[0] == " " and text[1:].isalpha() for text in request.texts)
            assert isinstance(request.context, str)
            assert request.context == request.context.rstrip()
        assert f"{before.context}{before.texts[0]}{each.after}" == each.filled(each.candidates[0])
        assert isinstance(after.context, str)
        begins = after.context[-1] in ('.?!"”' if protocol == "epicene" else ".")
        assert after.texts[0][1].isupper() == begins, after.context


def test_all_thirteen_template_files_and_eleven_sets(folder: Path) -> None:
    for declaration in misgendered.DECLARATIONS:
        paths = misgendered.files(folder, declaration, all_sets=True, exact=False)
        made = list(misgendered.instances(paths, mended=False))
        assert len(made) == 11 * 750
        assert not any("{" in each.before + each.after for each in made), declaration


def test_another_file_is_refused_under_paper(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "ruff").mkdir()
    for name in ("eo_task.tsv", "pronouns.csv"):
        text = (folder / "ruff" / name).read_text(encoding="utf-8")
        (tmp_path / "ruff" / name).write_text(text + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="not the published file"):
        read(DataSource(path=tmp_path), PROTOCOLS["paper"])
    assert len(list(read(DataSource(path=tmp_path), PROTOCOLS["epicene"]).items)) == 7200
