"""A user's own templates, names and pronouns; and files in the layouts of the published data."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

from epicene.core.errors import InputError
from epicene.core.records import Estimate
from epicene.languages.pronouns import shipped_pronoun_sets
from epicene.models import parse_spec
from epicene.results.summary import summarise
from epicene.runs.config import RunConfig
from epicene.runs.run import run
from epicene.runs.stored_run import StoredRun, read_run
from epicene.show.provenance import card_of, provenance_of
from epicene.show.table_formats import tables_markdown
from epicene.suites import DataSource, choose_protocol
from epicene.suites.data_origin import card_for, data_origin
from epicene.suites.misgendering import suite
from epicene.suites.misgendering.checks import check
from epicene.suites.misgendering.items import Instance
from epicene.suites.misgendering.metrics import family_title
from epicene.suites.misgendering.protocol import PROTOCOLS, MisgenderingProtocol
from runs.conftest import Silent

TEMPLATES = """id,case,template
bus,nominative,"{name}'s pronouns are {nominative}/{accusative}. {name} was late, so {mask} ran."
gift,acc,"{name} goes by {nominative}/{accusative}. {Nominative} {was} away. We sent {mask} a card."
"""
SETS = """
[[set]]
name = "zie"
nominative = "zie"
accusative = "zim"
dependent = "zir"
independent = "zis"
reflexive = "zieself"

[[set]]
name = "they"
type = "neutral"
nominative = "they"
accusative = "them"
dependent = "their"
independent = "theirs"
reflexive = "themself"
plural_verbs = true
"""
EPICENE = PROTOCOLS["epicene"]


def write(folder: Path, **files: str) -> Path:
    """A folder with these files; `_` stands for the dot of their names."""
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_text(content, "utf-8")
    return folder


def read(path: Path, **settings: str) -> list[Instance]:
    return list(suite.read(DataSource(path=path), protocol(**settings)).items)


def protocol(**settings: str) -> MisgenderingProtocol:
    chosen = choose_protocol(suite, "epicene", settings, None)
    assert isinstance(chosen, MisgenderingProtocol)
    return chosen


def own(tmp_path: Path) -> Path:
    return write(
        tmp_path / "mine", templates_csv=TEMPLATES, names_txt="Ada\nBo\n", pronouns_toml=SETS
    )


# --- reading -------------------------------------------------------------------------------


def test_a_folder_of_ones_own(tmp_path: Path) -> None:
    items = read(own(tmp_path))
    assert len(items) == 2 * 2 * 2, "two sets, two templates, two names"
    assert {item.pronoun for item in items} == {"zie", "they"}
    assert {item.name for item in items} == {"Ada", "Bo"}
    assert {item.dataset for item in items} == {"own templates"}
    texts = {item.filled(item.gold) for item in items}
    assert "Ada's pronouns are zie/zim. Ada was late, so zie ran." in texts
    assert "Bo goes by they/them. They were away. We sent them a card." in texts
    assert [each.form for each in items[0].candidates] == ["zie", "they"]
    assert list(check(items, EPICENE)) == []


def test_a_file_of_templates_takes_epicenes_names_and_pronouns(tmp_path: Path) -> None:
    items = read(own(tmp_path) / "templates.csv")
    assert {item.pronoun for item in items} == set(shipped_pronoun_sets())
    assert len(items) == len(shipped_pronoun_sets()) * 2 * 4
    assert {item.name_list for item in items} == {"feminine", "masculine", "unisex"}
    some = read(
        own(tmp_path) / "templates.csv",
        pronouns="he,zie",
        pronoun_file=str(own(tmp_path) / "pronouns.toml"),
    )
    assert {item.pronoun for item in some} == {"he", "zie"}


def test_toml_and_tsv_and_other_column_names(tmp_path: Path) -> None:
    entry = 'case = "reflexive"\ntext = "{name}, {nominative}: taught {mask}."\n'
    toml = f'[[template]]\nid = "a"\n{entry}'
    items = read(write(tmp_path / "t", templates_toml=toml), pronouns="xe")
    assert items[0].filled(items[0].gold).endswith(", xe: taught xemself.")
    table = write(tmp_path / "u", mine_tsv="sentence\tform\n{mask} ran.\tnom\n") / "mine.tsv"
    source = DataSource(path=table, columns={"template": "sentence"})
    (item,) = suite.read(source, protocol(pronouns="he")).items
    assert (item.before, item.gold.form, item.after) == ("", "He", " ran.")


def test_ids_may_be_numbers_from_zero(tmp_path: Path) -> None:
    rows = [{"id": number, "template": "{mask} ran.", "case": "nom"} for number in (0, 1)]
    path = write(tmp_path / "mine", templates_json=json.dumps(rows)) / "templates.json"
    assert [item.template for item in read(path, pronouns="he")] == ["0", "1"]


def test_the_documented_columns_come_first(tmp_path: Path) -> None:
    """`text` and `form` are other names for them, and may be columns of another meaning."""
    rows = "text,template,form,case\na note,{mask} ran.,short,nom\n"
    path = write(tmp_path / "mine", templates_csv=rows) / "templates.csv"
    (item,) = read(path, pronouns="he")
    assert item.filled(item.gold) == "He ran."


def test_lists_of_names_take_turns(tmp_path: Path) -> None:
    names = "name,list\nAda,old\nBea,old\nCai,new\n"
    items = read(write(tmp_path / "n", templates_csv=TEMPLATES, names_csv=names), pronouns="he")
    assert {(item.name, item.name_list) for item in items} == {
        ("Ada", "old"), ("Bea", "old"), ("Cai", "new"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("template,case\n{name} ran.,nominative\n", ["line 2,", "no gap", "{mask}"]),
        ("template,case\n{mask} and {mask}.,nom\n", ["line 2,", "2 gaps"]),
        (
            "template,case\n{mask_token} ran.,nom\n",
            ["line 2,", "{mask_token}", "{mask} is the gap"],
        ),
        ("template,case\n{mask} ran with {nom}.,nom\n", ["line 2,", "{nom}", "{nominative}"]),
        ("template\n{mask} ran.\n", ["line 2,", "no column 'case'", "template"]),
        ("text,case\n{mask} ran.,obj\n", ["line 2,", "'obj'", "accusative"]),
        ("template,case\n,nom\n", ["line 2,", "nothing in the column 'template'"]),
        (
            "id,template,case\na,{mask} ran.,nom\na,{mask} sat.,nom\n",
            ["line 3,", "repeats the id 'a'"],
        ),
        ("template,case\n", ["has no templates"]),
    ],
)
def test_a_template_that_cannot_be_asked_is_refused(
    tmp_path: Path, content: str, parts: list[str]
) -> None:
    path = write(tmp_path / "mine", templates_csv=content) / "templates.csv"
    with pytest.raises(InputError) as refused:
        read(path)
    for part in ("templates.csv", *parts):
        assert part in str(refused.value)


def test_names_and_sets_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no names"):
        read(write(tmp_path / "a", templates_csv=TEMPLATES, names_txt="\n"))
    both = write(tmp_path / "b", templates_csv=TEMPLATES, templates_toml="")
    with pytest.raises(InputError, match=r"templates.csv, templates.toml; keep one"):
        read(both)
    (tmp_path / "c").mkdir()
    with pytest.raises(InputError, match=r"templates.csv"):
        read(tmp_path / "c")


def test_check_finds_what_reading_cannot(tmp_path: Path) -> None:
    silent = "template,case\n{name} was late and {mask} ran.,nominative\n{mask} ran.,nominative\n"
    items = read(write(tmp_path / "mine", templates_csv=silent), pronouns="he,xe")
    found = [(each.severity, each.message) for each in check(items, EPICENE)]
    assert [severity for severity, _ in found] == ["warning", "warning"], "once per template"
    assert "shows the person's pronouns" in found[0][1]
    assert "before its gap" in found[1][1]


# --- what tables and cards say -------------------------------------------------------------


def finished(tmp_path: Path, path: Path, name: str = "epicene") -> StoredRun:
    config = RunConfig(
        suite=suite,
        protocol=choose_protocol(suite, name, {"samples": "2"}, None),
        models={"model": [parse_spec("random")]},
        source=DataSource(path=path),
        under=tmp_path / "runs",
    )
    return read_run(run(config, Silent())[0])


@pytest.mark.parametrize("name", ["epicene", "paper"])
def test_no_caption_or_card_of_own_data_speaks_of_the_paper(tmp_path: Path, name: str) -> None:
    done = finished(tmp_path, own(tmp_path), name)
    summary = summarise([done])
    source = provenance_of(summary, [done])
    said = tables_markdown(summary.tables, source).replace("protocol paper", "")
    card = card_of([done])
    figures = " ".join(f"{each.title} {each.notes}" for each in summary.figures)
    for text in (said, card.about, card.source, card.published_data, card.chance, figures):
        assert not re.search(r"paper|published|MISGENDERED|TANGO|RUFF", text), text
    assert card.faults == ()
    assert done.origin == "own"
    named = {table.name: table for table in summary.tables}
    assert {"accuracy", "outcomes", "agreement", "conflicts", "disagreement"} <= set(named)
    assert "1" not in named
    assert ("random", "own", "pre", "all") in {row.keys for row in named["agreement"].rows}
    assert summary.metrics["accuracy_own_pre"].n == 8 * 2


def test_the_starter_set_is_not_called_misgendered(tmp_path: Path) -> None:
    config = RunConfig(
        suite=suite,
        protocol=choose_protocol(suite, "epicene", {"samples": "1", "pronouns": "he,she"}, None),
        models={"model": [parse_spec("random")]},
        limit=2,
        under=tmp_path,
    )
    done = read_run(run(config, Silent())[0])
    titles = [table.title for table in summarise([done]).tables]
    assert any("starter set" in title for title in titles)
    assert not any(re.search("MISGENDERED|TANGO|RUFF", title) for title in titles)
    assert done.origin == "starter"
    assert card_of([done]) == suite.card


def test_a_family_is_called_by_the_data_that_are_there() -> None:
    def title(*datasets: str) -> str:
        return family_title(pl.DataFrame({"dataset": datasets}), "declared")

    assert title("misgendered", "ruff") == "declared pronouns (MISGENDERED)"
    assert title("templates") == "declared pronouns (starter set)"
    assert title("misgendered", "templates") == "declared pronouns (MISGENDERED, starter set)"
    assert title("tango") == "declared pronouns"


def test_the_example_in_the_docs_is_read(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "suites" / "misgendering.md").read_text("utf-8")
    (example,) = re.findall(r"```csv\n(.*?)```", page, re.S)
    items = read(write(tmp_path / "mine", templates_csv=example))
    assert {item.template for item in items} == {"ferry", "parcel", "ladder"}
    assert list(check(items, EPICENE)) == []


def test_chance_is_true_of_any_number_of_pronouns(tmp_path: Path) -> None:
    """`pronouns` chooses the candidates of one's own texts, but only items of published ones."""
    assert "9 % with eleven" in suite.card.chance
    own_card = card_for(suite, "own")
    assert "one divided by the number of pronoun sets compared" in own_card.chance
    (mine, *_) = read(own(tmp_path), pronouns="he")
    assert len(mine.candidates) == 1
    sets = "gender,nom,acc,pos_dep,pos_indep,ref\n" + "".join(
        f"{name},{name},{name},{name},{name},{name}\n" for name in ("he", "xe", "ze")
    )
    items = read(misgendered(tmp_path, GOOD, pronouns=sets), pronouns="he")
    assert {item.pronoun for item in items} == {"he"}
    assert {len(item.candidates) for item in items} == {3}
    assert (
        "for published data: all of its sets, whichever ones `pronouns` names" in suite.card.chance
    )


@pytest.mark.parametrize("name", ["starter", "starter (copy)", "ruff"])
def test_a_folder_is_not_taken_for_other_data_by_its_name(tmp_path: Path, name: str) -> None:
    folder = write(tmp_path / name, templates_csv=TEMPLATES)
    data = suite.read(DataSource(path=folder), EPICENE).name
    assert data == f"own {name}"
    assert data_origin(suite, data, [("templates.csv", "0" * 64)]) == "own"


def test_a_dash_has_its_own_reason_where_the_format_was_run(tmp_path: Path) -> None:
    """A single sample cannot vary; that probability was not run has nothing to do with it."""
    settings = {"samples": "1", "formats": "generation"}
    config = RunConfig(
        suite=suite,
        protocol=choose_protocol(suite, "epicene", settings, None),
        models={"model": [parse_spec("random")]},
        source=DataSource(path=own(tmp_path)),
        under=tmp_path / "runs",
    )
    summary = summarise([read_run(run(config, Silent())[0])])
    reasons = {
        table.name: {
            cell.why
            for row in table.rows
            for cell in row.cells
            if isinstance(cell, Estimate) and cell.value is None
        }
        for table in summary.tables
    }
    not_run = "the format probability was not run"
    for name in ("variation", "variation by facet", "accuracy", "outcomes"):
        assert not_run not in reasons[name], name
    for name in ("measures", "agreement", "conflicts", "disagreement", "κ by facet"):
        assert reasons[name] == {not_run}, name


# --- the published layouts -----------------------------------------------------------------


def misgendered(tmp_path: Path, templates: str, names: str = "", pronouns: str = "") -> Path:
    """Files of one's own in the layout of MISGENDERED."""
    folder = tmp_path / "misgendered"
    for part in ("templates", "names"):
        (folder / part).mkdir(parents=True)
    (folder / "templates/explicit_template_31.csv").write_text(templates)
    for kind in ("female", "male", "unisex"):
        (folder / f"names/{kind}.txt").write_text(
            names or "".join(f"{kind}{n}\n" for n in range(6))
        )
    (folder / "pronouns.csv").write_text(
        pronouns
        or "gender_type,gender,nom,acc,pos_dep,pos_indep,ref\nbinary,he,he,him,his,his,himself\n"
    )
    return tmp_path


GOOD = "form,template,template_id\nnom,{name} ({nom}) left. {mask_token} ran.,0\n"


def test_a_template_without_its_gap_is_refused(tmp_path: Path) -> None:
    """Version 520b741 scored `… ran.he` here and printed accuracies."""
    path = misgendered(tmp_path, GOOD.replace("mask_token", "mask"))
    with pytest.raises(
        InputError, match=r"explicit_template_31.csv, line 2, has no gap; write {mask_token}"
    ):
        read(path)


@pytest.mark.parametrize(
    ("templates", "names", "pronouns", "parts"),
    [
        (GOOD.replace("form", "kind"), "", "", ["line 2,", "no column 'form'", "kind"]),
        (GOOD.replace("nom,{name}", "obj,{name}"), "", "", ["line 2,", "'obj'", "nom, acc"]),
        (GOOD, "Ada\n", "", ["female.txt", "1 name", "at least 5"]),
        (GOOD, "", "nom,acc\nhe,him\n", ["pronouns.csv, line 2,", "'gender'"]),
        (GOOD, "", "gender,nom\nhe,he\n", ["pronouns.csv, line 2,", "accusative form of 'he'"]),
        ("form,template\n", "", "", ["explicit_template_31.csv", "no templates"]),
    ],
)
def test_files_in_the_layout_of_misgendered_that_are_wrong(
    tmp_path: Path, templates: str, names: str, pronouns: str, parts: list[str]
) -> None:
    with pytest.raises(InputError) as refused:
        read(misgendered(tmp_path, templates, names, pronouns))
    for part in parts:
        assert part in str(refused.value)


def test_other_texts_in_the_layout_of_misgendered_are_ones_own(tmp_path: Path) -> None:
    items = read(misgendered(tmp_path, GOOD))
    assert {item.dataset for item in items} == {"own templates"}
    assert items[0].filled(items[0].gold).endswith("(he) left. He ran.")


def test_a_task_in_the_layout_of_ruff_without_its_gap_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "ruff"
    folder.mkdir()
    (folder / "pronouns.csv").write_text(
        "gender,$NOM_PRONOUN,$ACC_PRONOUN,$POSS_PRONOUN\nhe,he,him,his\n"
    )
    head = "occupation\tsentence\tpronoun_type\tpronoun\tuid\n"
    row = "cook\tThe cook said that $NOM_PRONOUN had salt.\t$NOM_PRONOUN\the\tu\n"
    (folder / "eo_task.tsv").write_text(head + row)
    assert [item.dataset for item in read(tmp_path)] == ["own occupations"]
    (folder / "eo_task.tsv").write_text(head + row.replace("that $NOM", "that $ACC"))
    with pytest.raises(InputError, match=r"eo_task.tsv, line 2, has no gap"):
        read(tmp_path)
    (folder / "eo_task.tsv").write_text(head + row.replace("\t$NOM_PRONOUN\t", "\tnom\t"))
    with pytest.raises(InputError, match=r"eo_task.tsv, line 2, has"):
        read(tmp_path)
