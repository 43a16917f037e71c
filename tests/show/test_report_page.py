"""The page as a file: whole, harmless, and the same twice."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.core.control_characters import escape_controls
from epicene.core.records import Judgement, Table, TextScore
from epicene.show import charts
from epicene.show.findings import Finding
from epicene.show.item_viewer import ItemPacker, PackedItems
from epicene.show.page import NotMeasured, Overview, PageSection, TableGroup, render_page, slug_of
from epicene.suites import ScoredText
from show.report_samples import HOSTILE, Tags, own_figures, pack_items, sample_table, text_table

# Attributes through which a page could reach out.
LINKS = ("src", "href", "xlink:href", "action", "data", "poster", "srcset", "formaction")


def judgement(place: int, **changes: Any) -> Judgement:
    fields: dict[str, Any] = {
        "item": f"item-{place}",
        "language": "hi",
        "outcome": "wrong",
        "label": "feminine",
        "value": place / 3,
        "facets": {"model": "small", "language": "hi"},
        "evidence": {"answer": "मैं जाता हूँ", "reference": "मैं जाती हूँ"},
    }
    return Judgement(**{**fields, **changes})


def sample_page(text: str = "plain", table: Table | None = None) -> str:
    rows: list[dict[str, charts.Value]] = [{"word": text, "times": 4.0}]
    figure = charts.bars("1", text, rows, x="times", y="word", notes=(text,))
    finding = Finding(value=text, about=text, text=text, table="2")
    evidence = tuple(
        judgement(place, label=text, facets={text: text}, evidence={"answer": text, text: text})
        for place in range(3)
    )
    section = PageSection(
        heading=text,
        question=text,
        findings=(finding,),
        warnings=(text,),
        method=(text,),
        faults=(text,),
        missing=(NotMeasured(what=text, why=text, command=text),),
        groups=(
            TableGroup(heading=text, tables=(table or sample_table(), text_table(text))),
            TableGroup(heading=text, tables=(sample_table(),), folded=True),
        ),
        figures=own_figures(text, page=slug_of(text)),
        drawings=(figure, figure),
        judged_items=pack_items(evidence),
    )
    other = msgspec.structs.replace(section, heading=f"{text} 2")
    overview = Overview(data=text, facts=(text,), tables=(text_table(text),))
    return render_page(text, [section, other], overview)


def test_the_page_is_whole_and_reaches_nowhere() -> None:
    made = sample_page()
    tags = Tags(made)
    ids = [attributes["id"] for _, attributes in tags.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in tags.elements:
        for name in LINKS:
            target = attributes.get(name)
            assert target is None or (target[0] == "#" and target[1:].split("?")[0] in ids)
    assert not re.search(r"url\((?!#)|@import", made)
    assert made == sample_page()


def test_the_first_screen_says_what_was_found() -> None:
    found = Finding(value="57 %", about="Right", text="m 57 % [45, 68].", table="places")
    unsure = Finding(value="–", about="Likely", text="no two differ.", table="", sure=False)
    section = PageSection(
        heading="Rewriting", question="Is it right?", findings=(found, unsure), warnings=("Few.",)
    )
    made = render_page("A study", [section], Overview(data="Starter data", facts=("2 runs",)))
    texts = [text.strip() for _, text in Tags(made).texts if text.strip()]
    start = texts.index("A study")
    assert texts[start : start + 3] == ["A study", "Starter data", "2 runs"]
    card = texts[texts.index("Is it right?") :]
    assert card[:5] == ["Is it right?", "Right:", found.text, "Few.", "All 2 findings"]


def test_a_finding_leads_to_the_table_it_is_read_from() -> None:
    finding = Finding(value="1", about="Right", text="It is.", table="2")
    section = PageSection(
        heading="Re writing",
        findings=(finding,),
        groups=(TableGroup(heading="Main", tables=(sample_table(),)),),
    )
    elements = Tags(render_page("A study", [section])).elements
    assert ("a", {"class": "small", "href": "#re-writing-table-2"}) in elements
    assert any(attributes.get("id") == "re-writing-table-2" for _, attributes in elements)


def test_tables_method_and_faults_are_folded() -> None:
    section = PageSection(
        heading="Rewriting",
        faults=("A slash.", "A space."),
        method=("By the protocol.",),
        groups=(TableGroup(heading="Main", tables=(sample_table(),)),),
    )
    tags = Tags(render_page("A study", [section]))
    assert tags.text_of("li")[-2:] == ["A slash.", "A space."]
    folds = [a for tag, a in tags.elements if tag == "details" and "fold" in (a.get("class") or "")]
    assert len(folds) == 3
    assert all("open" not in attributes for attributes in folds)
    assert "Known issues of the published version (2)" in tags.text_of("summary")


def test_hostile_text_stays_text_everywhere() -> None:
    made = sample_page(HOSTILE)
    tags = Tags(made)
    names = {tag for tag, _ in tags.elements}
    assert "img" not in names
    assert [tag for tag, _ in tags.elements].count("script") == 4  # two packs, two scripts
    handlers = [n for _, attributes in tags.elements for n in attributes if n.startswith("on")]
    assert handlers == []
    assert HOSTILE in tags.text_of("td")
    assert HOSTILE in tags.text_of("h1")


def test_control_characters_are_shown_everywhere() -> None:
    text = "a\x1b[2J\x9b\u202eb\x00c \u200fक\u200dष"
    section = PageSection(
        heading=text,
        method=(text, f"`{text}`"),
        groups=(TableGroup(heading=text, tables=(text_table(text),)),),
    )
    page = render_page(text, [section], Overview(data=text, facts=(text,)))
    for sign in "\x1b\x9b\u202e\x00":
        assert sign not in page
    assert "a\\u001b[2J\\u009b\\u202eb\\u0000c \u200fक\u200dष" in page


def test_only_our_script_may_run() -> None:
    made = sample_page(HOSTILE)
    scripts = re.findall(r"<script>(.*?)</script>", made, flags=re.DOTALL)
    digests = [
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts
    ]
    policy = next(
        attributes["content"]
        for tag, attributes in Tags(made).elements
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    assert "default-src 'none'" in policy
    assert len(digests) == 2
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    assert policy.endswith(f"script-src {allowed}")


def test_what_stands_between_backticks_is_code_and_harmless() -> None:
    section = PageSection(
        heading="x",
        method=(f"By `{HOSTILE}` it is {HOSTILE}.", "One ` is none."),
        faults=("`a`",),
    )
    tags = Tags(render_page("title", [section]))
    assert tags.text_of("code") == [HOSTILE, "a"]
    assert "One ` is none." in tags.text_of("p")
    assert [tag for tag, _ in tags.elements].count("script") == 2


def test_without_script_the_page_says_what_is_missing() -> None:
    made = sample_page()
    (first, _) = re.findall(r"<noscript>(.*?)</noscript>", made)
    assert "3 scores" in first
    assert "JavaScript" in first


# --- the packed items ----------------------------------------------------------------------


def unpacked(judgements: list[Judgement]) -> dict[str, list[str | None]]:
    return columns_of(pack_items(judgements))


def columns_of(packed: PackedItems) -> dict[str, list[str | None]]:
    """The columns as the form of the packed bytes is written down, read without our code."""
    raw = gzip.decompress(base64.b64decode(packed.data))
    length = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + length])
    assert header["count"] == packed.judgements
    texts = raw[len(raw) - header["bytes"] :].decode().split("\0")[:-1]
    assert len(texts) == header["texts"] >= header["searched"]
    at = 8 + -(-length // 8) * 8
    columns = {}
    for column in header["columns"]:
        size = header["count"] * column["width"]
        numbers = np.frombuffer(raw[at : at + size], f"<u{column['width']}").tolist()
        at += -(-size // 8) * 8
        columns[column["name"]] = [texts[column["first"] + n - 1] if n else None for n in numbers]
    assert at == len(raw) - header["bytes"]
    return columns


def test_packed_items_are_the_judgements() -> None:
    bare = Judgement(item="bare", outcome="undetected")
    columns = unpacked([judgement(1), judgement(2, facets={"rule": "verb"}), bare])
    assert columns == {
        "item": ["item-1", "item-2", "bare"],
        "outcome": ["wrong", "wrong", "undetected"],
        "label": ["feminine", "feminine", None],
        "language": ["hi", "hi", None],
        "value": ["0.333333", "0.666667", None],
        "model": ["small", None, None],
        "language (facet)": ["hi", None, None],
        "rule": [None, "verb", None],
        "answer": ["मैं जाता हूँ", "मैं जाता हूँ", None],
        "reference": ["मैं जाती हूँ", "मैं जाती हूँ", None],
    }


def test_items_of_several_runs_are_told_apart() -> None:
    packer = ItemPacker()
    packer.add_judgement("small", judgement(1, facets={"rule": "verb"}))
    packer.add_judgement("large", judgement(1, facets={}))
    packer.add_judgement("large", judgement(2, facets={"rule": "noun"}))
    columns = columns_of(packer.packed())
    assert columns["model"] == ["small", "large", "large"]
    assert columns["rule"] == ["verb", None, "noun"]
    assert columns["item"] == ["item-1", "item-1", "item-2"]


def test_texts_set_side_by_side_come_last_and_are_not_searched() -> None:
    items = [judgement(1, evidence={"aligned": "x y z", "answer": "word"})]
    raw = gzip.decompress(base64.b64decode(pack_items(items).data))
    header = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
    assert header["searched"] == header["texts"] - 1
    assert raw.endswith(b"word\0x y z\0")
    assert unpacked(items)["aligned"] == ["x y z"]


def test_what_was_scored_goes_with_the_first_judgement_of_its_item() -> None:
    packer = ItemPacker()
    score = TextScore(logprobs=(None, -1.5, -2.0), starts=(), ends=(), words=1, characters=3)
    texts = [
        ScoredText("acceptability", "good", True, "a\tb", score),
        ScoredText("acceptability", "bad", False, "c", score),
        ScoredText("other", "x", None, "d", score),
    ]
    packer.add_scores("m", "item-1", texts)
    for each in (judgement(1), judgement(1, name="again"), judgement(2)):
        packer.add_judgement("m", each)
    packed = packer.packed()
    columns = columns_of(packed)
    lines = ["acceptability\tgood\t1\ta b", "acceptability\tbad\t0\tc", "other\tx\t\td"]
    assert columns["scored"] == ["\n".join(lines), None, None]
    assert columns["scores"] == ["-3.5 -3.5 -3.5", None, None]
    assert (packed.items, packed.judgements) == (2, 3)


def test_what_has_neither_outcome_nor_text_is_left_to_tables() -> None:
    bare = Judgement(item="bare", label="B", value=0.25, facets={"unit": "word"})
    said = Judgement(item="said", label="male", evidence={"said": "male"})
    assert unpacked([bare, said])["item"] == ["said"]


@pytest.mark.parametrize("values", [255, 256, 65_535, 65_536])
def test_columns_are_as_narrow_as_their_values_allow(values: int) -> None:
    columns = unpacked([Judgement(item=f"i{n}", outcome="right") for n in range(values)])
    assert columns["item"] == [f"i{n}" for n in range(values)]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=5))
def test_any_text_is_unpacked_with_its_control_characters_visible(texts: list[str]) -> None:
    items = [judgement(0, evidence={"answer": text}) for text in texts]
    shown = [escape_controls(text) for text in texts]
    assert unpacked(items)["answer"] == shown


def test_a_facet_that_repeats_the_language_is_left_out() -> None:
    assert "language (facet)" not in unpacked([judgement(1), judgement(2)])


def test_a_text_shared_by_many_items_is_packed_once() -> None:
    packed = pack_items([judgement(place, evidence={"answer": "shared"}) for place in range(1000)])
    assert gzip.decompress(base64.b64decode(packed.data)).count(b"shared") == 1


@pytest.mark.parametrize("size", [10_000_000])
def test_a_text_of_ten_megabytes_is_packed(size: int) -> None:
    text = HOSTILE + "ا" * (size // 2)
    made = render_page(
        "t",
        [
            PageSection(
                heading="h", judged_items=pack_items([judgement(1, evidence={"answer": text})])
            )
        ],
    )
    assert "alert(1)" not in made
    assert unpacked([judgement(1, evidence={"answer": text})])["answer"] == [text]
