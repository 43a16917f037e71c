"""What is secret in a text never reaches a file: values of variables, and what URLs can hide."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.core.redaction import redact, redact_all, redact_url
from epicene.models import parse_spec

S = "s3cr3tvalue"


@pytest.mark.parametrize(
    "text",
    [
        f"http://h.example/v1?access_token={S}",
        f"http://h.example/v1?sig={S}&code={S}&subscription-key={S}&auth={S}&x={S}",
        f"http://h.example/v1?{S}",
        f"http://h.example/v1?{S}==",
        f"http://h.example/v1?a%3D{S}=b",
        f"http://h.example/v1#{S}",
        f"http://h.example/v1?a=b#access_token={S}&x={S}",
        f"http://h.example/v1;x?a=1;b={S}",
        f"http://me:p@{S}@h.example/v1",
        f"http://me:p'{S}@h.example/v1",
        f'http://me:p"{S}@h.example/v1',
        f"http://me:pa/{S}@h.example/v1",
        f"http://me:pa?{S}@h.example/v1",
        f"http://me:{S}@h.example:8000/v1*2",
        f"http://{S}@h.example/v1",
        f"http://one.example/v1,http://me:{S}@h.example/v1",
        f"http://h.example/v1?next=http://me:{S}@other.example/{S}",
        f"http://h.example/v1%3Ftoken={S}",
        f"http://h.example/v1%253Ftoken%253D{S}",
        f"openai:x?base_url=http://h.example/v1%3Ftoken={S}",
        f"openai:x?base_url=http://h.example/v1%3Ftoken%3D{S}%26sig%3D{S}&concurrency=4",
        f"openai:x?base_url=http%3A%2F%2Fme%3A{S}%40h.example%2Fv1&concurrency=4",
        f"openai:x?base_url=http://h.example/v1?token={S}&concurrency=4",
        f"openai:x?base_url=http://one.example/v1+http://me:{S}@h.example/v1",
        f"see http%3A%2F%2Fme%3A{S}%40h.example%2Fv1",
        f"see http%253A%252F%252Fme%253A{S}%2540h.example%252Fv1",
        f"(at 'https://h.example/v1?k={S}'), then",
        f"postgres://me:{S}@h.example/db",
    ],
)
def test_no_secret_of_a_url_stays_but_its_host_does(text: str) -> None:
    shown = redact(text)
    assert S not in shown
    assert "[secret]" in shown
    assert "h.example" in shown or "pa?" in text
    assert redact(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "http://127.0.0.1:8000/v1",
        "http://[::1]:8000/v1*2",
        "http://one:8000/v1 http://two:8000/v1*2",
        "openai:org/name?base_url=http://one:8000/v1+http://two:8000/v1*2&concurrency=4",
        "openai:x?base_url=http%3A%2F%2Fh.example%2Fv1&price=1/2",
        "(see https://h.example/a/@b/c%20d.html).",
        "hf:org/model?dtype=float32&revision=main",
        "accuracy: 3 of 4, a=b&c=d, me@h.example, 12:30",
    ],
)
def test_what_holds_no_secret_stays_as_it_is(text: str) -> None:
    assert redact(text) == text


def test_scheme_host_and_path_stay() -> None:
    assert redact_url(f"http://me:{S}@h/v1?k={S}") == "http://[secret]@h/v1?[secret]"
    spec = f"openai:x?base_url=http%3A%2F%2Fme%3A{S}%40h%2Fv1&revision=2"
    assert parse_spec(redact(spec)).options.revision == "2"


def test_variables_are_redacted_as_they_are_and_as_a_url_spells_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk/with+signs==")
    monkeypatch.setenv("SHORT_KEY", "abc")
    said = redact_all({"a": ["sk/with+signs==", ("sk%2Fwith%2Bsigns%3D%3D abc",)], "b": 1})
    assert said == {"a": ["[secret]", ["[secret] abc"]], "b": 1}


@given(st.text(), st.text(), st.text(), st.text())
def test_any_text_can_be_redacted(scheme: str, user: str, query: str, rest: str) -> None:
    for text in (rest, f"{scheme}://{user}@h/{rest}?{query}={rest}", f"?base_url={rest}&{query}"):
        shown = redact(text)
        assert redact(shown) == shown


def test_long_texts_without_urls_take_no_time() -> None:
    assert redact("a" * 1_000_000) == "a" * 1_000_000


def test_a_secret_that_begins_with_another_is_removed_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("A_KEY", "project-1")
    monkeypatch.setenv("B_TOKEN", "project-1-and-more")
    assert redact("project-1-and-more, project-1") == "[secret], [secret]"
