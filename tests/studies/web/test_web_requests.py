"""Requests that no page of ours sends: odd paths, fields, hosts, methods, cookies, bodies."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlencode

import msgspec
import pytest
from fastapi.testclient import TestClient

from epicene.core.errors import InputError, RunError
from epicene.studies.collection.links import SECRET_FILE, User, load_signer
from epicene.studies.collection.task_queue import TaskQueue
from epicene.studies.design.schema import Access
from studies.web.page_visitors import Page, ServedStudy, Visitor, form, served
from study_examples import forced_choice, misgendering

ELSEWHERE = "evil.example"


def still_answers(visitor: Visitor) -> bool:
    """Whether the pages work as before, whatever was tried."""
    return visitor.get().stage == "item"


def leaks_nothing(text: str) -> bool:
    return not any(sign in text for sign in ("Traceback", 'File "', "sqlite", ".py", "/tmp/"))


# --- addresses ----------------------------------------------------------------------------------


def test_a_slash_more_is_another_address(site: ServedStudy) -> None:
    """A redirect to the address without it would lead wherever `Host` says that we are."""
    visitor, _ = site.person()
    owner, _ = site.owner()
    for client, address in (
        (owner.client, "/owner/"),
        (owner.client, "/owner/items/"),
        (visitor.client, "/instructions/"),
        (visitor.client, "/api/work/"),
    ):
        reply = client.get(address, headers={"host": ELSEWHERE}, follow_redirects=False)
        assert reply.status_code == 404, address
        assert "location" not in reply.headers


def test_hosts_and_forwarded_addresses_are_not_believed(site: ServedStudy) -> None:
    visitor, page = site.person()
    odd = {
        "host": ELSEWHERE,
        "x-forwarded-host": ELSEWHERE,
        "x-original-url": "/owner",
        "x-rewrite-url": "/owner",
        "x-http-method-override": "DELETE",
        "forwarded": f"host={ELSEWHERE}",
        "referer": f"https://{ELSEWHERE}/",
        "origin": f"https://{ELSEWHERE}",
    }
    reply = visitor.client.get("/", headers=odd)
    assert Page(reply.text).stage == "item"
    assert ELSEWHERE not in reply.text + str(reply.headers)
    assert "access-control-allow-origin" not in reply.headers
    sent = form(page, {"answer.label": "correct"})
    reply = visitor.client.post("/answer", data=sent, headers=odd, follow_redirects=False)
    assert reply.headers["location"] == "/"


@pytest.mark.parametrize("method", ["HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "FOO"])
def test_other_methods_are_not_there(method: str, site: ServedStudy) -> None:
    visitor, _ = site.person()
    owner, _ = site.owner()
    for client, address in (
        (visitor.client, "/"),
        (visitor.client, "/answer"),
        (visitor.client, "/api/answer"),
        (visitor.client, "/api/work"),
        (owner.client, "/owner"),
        (owner.client, "/owner/export.csv"),
    ):
        reply = client.request(method, address)
        assert reply.status_code == 404, address
    assert owner.client.get("/owner/adjudicate").status_code == 404
    # A reloaded or revisited form leads to the current page.
    assert visitor.client.get("/answer", follow_redirects=False).headers["location"] == "/"
    assert site.folder.responses() == []


# --- who ----------------------------------------------------------------------------------------


def test_links_and_cookies_of_another_study(tmp_path: Path) -> None:
    with (
        served(misgendering(), tmp_path / "one") as one,
        served(misgendering(), tmp_path / "other") as other,
    ):
        visitor, page = one.person()
        (name,) = visitor.client.cookies
        stranger, _ = other.person()
        ((theirs, value),) = stranger.client.cookies.items()
        assert name != theirs
        link = f"/enter/{other.signer.token(User('person', 'ann'))}"
        assert one.visitor().client.get(link).status_code == 404
        for cookie in (f"{theirs}={value}", f"{name}={value}"):
            assert one.visitor().client.get("/", headers={"cookie": cookie}).status_code == 404
        csrf = stranger.get().chosen["csrf"][0]
        sent = form(page, {"answer.label": "correct"}) | {"csrf": csrf}
        assert visitor.client.post("/answer", data=sent).status_code == 403
        assert one.folder.responses() == other.folder.responses() == []


def test_with_a_new_secret_no_old_link_or_cookie_works(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        visitor, _ = site.person()
        cookies = dict(visitor.client.cookies)
        token = site.signer.token(User("owner"))
    (tmp_path / "s" / SECRET_FILE).unlink()
    load_signer(tmp_path / "s")
    with served(misgendering(), tmp_path / "s") as site:
        fresh = site.visitor()
        assert fresh.client.get(f"/enter/{token}").status_code == 404
        said = "; ".join(f"{name}={value}" for name, value in cookies.items())
        assert fresh.client.get("/", headers={"cookie": said}).status_code == 404


def test_nothing_can_be_answered_before_the_consent(tmp_path: Path) -> None:
    with served(forced_choice(), tmp_path / "s") as site:
        visitor = site.visitor()
        page = visitor.enter(User("open"), "?PROLIFIC_PID=5f3a")
        assert page.stage == "consent"
        body = {"number": 1, "revision": 0, "answers": {"better": ["1"]}}
        for address, sent in (("answer", body), ("undo", {"number": 1})):
            assert visitor.api(page, address, sent).status_code == 404
        for address in ("/answer", "/go-on", "/undo"):
            sent_form = form(page, {"number": "1", "revision": "0", "answer.better": "1"})
            assert visitor.client.post(address, data=sent_form).status_code == 404
        assert visitor.post(page, "/begin").stage == "consent"
        assert visitor.client.get("/api/work").json()["stage"] == "consent"
        assert "राम" not in visitor.client.get("/api/work").text
        assert site.folder.responses() == []


@pytest.mark.parametrize(
    "name",
    [
        "a%0d%0aSet-Cookie:%20x=y", "a%00", "%3Cscript%3E", "..%2f..", "=1%2B1", "-1", "a;b",
        "a%20b", "%D9%A1", "a" * 101, "%FF",
    ],
)  # fmt: skip
def test_names_that_no_platform_gives(name: str, tmp_path: Path) -> None:
    with served(forced_choice(), tmp_path / "s") as site:
        link = f"/enter/{site.signer.token(User('open'))}?PROLIFIC_PID={name}"
        reply = site.visitor().client.get(link)
        assert reply.status_code == 400
        assert "set-cookie" not in reply.headers


def test_the_way_back_is_the_studys_own(tmp_path: Path) -> None:
    with served(forced_choice(), tmp_path / "s") as site:
        visitor = site.visitor()
        asked = {"PROLIFIC_PID": "5f3a"}
        for name in ("to", "back", "next", "url", "completion_url", "redirect"):
            asked[name] = f"https://{ELSEWHERE}/"
        page = visitor.enter(User("open"), f"?{urlencode(asked)}")
        assert ELSEWHERE not in page.text
        page = visitor.post(page, "/consent", {"agree": "yes", "back": f"//{ELSEWHERE}"})
        given = {"answer.native": "hindi", "answer.age": "30", "to": f"//{ELSEWHERE}"}
        page = visitor.post(page, "/screening", given)
        page = visitor.post(page, "/begin")
        while page.stage != "done":
            address = "/go-on" if page.stage == "feedback" else "/answer"
            page = visitor.post(page, address, {"answer.better": "1", "url": ELSEWHERE})
        assert ELSEWHERE not in page.text
        assert "https://example.org/done?cc=C0DE" in page.values("href")


@pytest.mark.parametrize("name", ["completion_url", "screened_out_url", "full_url"])
@pytest.mark.parametrize("url", ["javascript:alert(1)", "//x", "data:text/html,x", " https://x"])
def test_a_way_back_that_is_no_web_address_is_refused(url: str, name: str, tmp_path: Path) -> None:
    study = forced_choice()
    access = msgspec.convert({"entry": "open", "completion_code": "C0DE", name: url}, Access)
    with (
        pytest.raises(InputError, match=name),
        served(msgspec.structs.replace(study, access=access), tmp_path / "s"),
    ):
        pass


# --- bodies -------------------------------------------------------------------------------------


def test_fields_that_come_twice(site: ServedStudy) -> None:
    visitor, page = site.person()
    csrf = page.chosen["csrf"][0]

    def send(*fields: tuple[str, str]) -> int:
        body = urlencode([("csrf", csrf), ("number", "1"), ("revision", "0"), *fields])
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        return visitor.client.post("/answer", content=body, headers=headers).status_code

    assert send(("answer.label", "correct"), ("answer.label", "misgendering")) == 422
    assert send(("answer.label", "correct"), ("answer.label", "correct")) == 422
    assert send(("answer.label", "correct"), *[("answer.tags", "repetition")] * 2) == 422
    assert send(("answer.label", "correct"), *[(f"answer.x{n}", "") for n in range(4000)]) == 422
    assert send(*[("x", "")] * 6000) == 400
    assert site.folder.responses() == []
    assert send(("answer.label", "correct"), ("number", "2"), ("csrf", "x")) == 200
    assert [each.item for each in site.folder.responses()] != []


@pytest.mark.parametrize(
    "number", ["", "-1", "1.0", "1e3", "٣", "0x1", " 1", "1" * 5000, "NaN", "1\n", "１"]
)
def test_numbers_that_are_none(number: str, site: ServedStudy) -> None:
    visitor, page = site.person()
    for address in ("/answer", "/undo", "/go-on"):
        sent = form(page, {"number": number, "answer.label": "correct"})
        assert visitor.client.post(address, data=sent).status_code == 400
    owner, _ = site.owner()
    assert owner.client.get("/owner/items", params={"start": number}).status_code in (200, 422)
    assert still_answers(visitor)


DEEP = "[" * 50_000 + "]" * 50_000


@pytest.mark.parametrize(
    "body",
    [
        f'{{"number": 1, "revision": 0, "answers": {{"label": {DEEP}}}}}',
        DEEP.replace("[", '{"a":').replace("]", "}"),
        '{"number": ' + "9" * 6000 + ', "revision": 0, "answers": {}}',
        '{"number": 1, "number": 2, "revision": 0, "answers": {"label": []}}',
        '{"number": 1, "revision": 0, "answers": {"note": ["x"], "__class__": ["y"]}}',
        '{"number": 1, "revision": 0, "answers": {"label": ["correct"]}, "__proto__": {}}',
        '{"number": 1, "revision": 0, "answers": {"label": ["correct"]}, "participant": "bob"}',
        json.dumps({"number": 1, "revision": 0, "answers": {str(n): [] for n in range(20_000)}}),
        json.dumps({"number": 1, "revision": 0, "answers": {"tags": ["x"] * 2001}}),
        "\ufeff{}",
    ],
    ids=lambda body: str(body)[:30],
)
def test_json_that_no_page_sends(body: str, site: ServedStudy) -> None:
    visitor, page = site.person()
    headers = {"X-CSRF-Token": page.chosen["csrf"][0], "Content-Type": "application/json"}
    reply = visitor.client.post("/api/answer", content=body.encode(), headers=headers)
    assert reply.status_code in (400, 404, 422)
    assert isinstance(reply.json()["detail"], str)
    assert len(reply.text) < 500
    assert leaks_nothing(reply.text)
    assert site.folder.responses() == []
    assert still_answers(visitor)


@pytest.mark.parametrize(
    "content_type",
    [
        "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
        "application/xml", "application/json; charset=utf-7", "application/json; charset=x\u00ff",
    ],
)  # fmt: skip
def test_content_types(content_type: str, site: ServedStudy) -> None:
    visitor, page = site.person()
    headers = {
        "X-CSRF-Token": page.chosen["csrf"][0],
        "Content-Type": content_type.encode("latin-1").decode("latin-1"),
    }
    xml = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'
    for content in (b"\xff\xfe\x00", xml, b"--x\r\n\r\n\r\n--x--"):
        for address in ("/api/answer", "/answer"):
            reply = visitor.client.post(
                address,
                content=content,
                headers={name.encode(): text.encode("latin-1") for name, text in headers.items()},
            )
            assert reply.status_code in (400, 403, 422), address
            assert leaks_nothing(reply.text)
    assert site.folder.responses() == []
    assert still_answers(visitor)


@pytest.mark.parametrize("length", ["9" * 5000, "-1", "1e3", "0x10", "²", "1000001", "10 0", " "])
def test_lengths_that_are_none(length: str, site: ServedStudy) -> None:
    visitor, _ = site.person()
    headers = {b"content-length": length.encode("latin-1")}
    reply = visitor.client.post("/answer", content=b"a=b", headers=headers)
    assert reply.status_code == 413
    assert still_answers(visitor)


# --- when something breaks  -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "status"), [(RunError("in /tmp/secret.sqlite"), 503), (KeyError("secret"), 500)]
)
def test_what_broke_is_not_told(
    error: Exception, status: int, site: ServedStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor, page = site.person()
    client = TestClient(site.app, str(visitor.client.base_url), raise_server_exceptions=False)
    client.cookies = visitor.client.cookies
    with monkeypatch.context() as broken:

        def current_state(*_: object) -> None:
            raise error

        broken.setattr(TaskQueue, "current_state", current_state)
        for address in ("/", "/api/work"):
            reply = client.get(address)
            assert reply.status_code == status
            assert "secret" not in reply.text
            assert leaks_nothing(reply.text)
    assert visitor.get().fields == page.fields
