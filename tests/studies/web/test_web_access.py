"""No link, no page; and whoever has one gets no further than their own items."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec
import pytest
from starlette.routing import Route

from epicene.core.errors import InputError
from epicene.studies.collection.links import SECRET_FILE, LinkSigner, User, load_signer
from epicene.studies.design.schema import Study, StudyItem
from epicene.studies.web import middleware
from epicene.studies.web.middleware import MAX_BODY_BYTES, RateLimiter
from studies.web.page_visitors import Page, ServedStudy, form, served
from study_examples import en, misgendering

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)> \" ' & {{ 'z' * 9 }} ‮"


def addresses(site: ServedStudy) -> list[tuple[str, str]]:
    """Every address that the application knows, with its method."""
    found = [
        (method, route.path.replace("{form}", "csv").replace("{name}", "a" * 64))
        for route in _routes(site.app)
        for method in route.methods or ()
        if method != "HEAD"
    ]
    assert len(found) > 20
    return found


def _routes(app: object) -> Iterator[Route]:
    for route in getattr(app, "routes", ()):
        if isinstance(route, Route):
            yield route
        else:
            yield from _routes(getattr(route, "original_router", route))


OPEN = ("/enter/", "/static/")


def test_without_a_link_every_address_is_not_there(site: ServedStudy) -> None:
    visitor = site.visitor()
    expected = {
        start: visitor.client.get(f"{start}nothing/here").content for start in ("/", "/api/")
    }
    for method, address in addresses(site):
        if not address.startswith(OPEN):
            reply = visitor.client.request(method, address)
            start = "/api/" if address.startswith("/api/") else "/"
            assert (reply.status_code, reply.content) == (404, expected[start]), address
    for address in ("/docs", "/openapi.json", "/redoc", "/../study.toml", "/study.toml"):
        assert visitor.client.get(address).status_code == 404


def test_a_persons_link_does_not_open_the_owners_pages(site: ServedStudy) -> None:
    visitor, _ = site.person()
    owner, _ = site.owner()
    for method, address in addresses(site):
        if address.startswith(("/owner", "/api/owner")):
            assert visitor.client.request(method, address).status_code == 404
        elif not address.startswith(OPEN) and address != "/":  # which leads to the owner's
            assert owner.client.request(method, address).status_code == 404


def test_the_owner_at_the_front_door_is_shown_in(site: ServedStudy) -> None:
    owner, page = site.owner()
    assert owner.get("/").text == page.text


@pytest.mark.parametrize(
    ("accepted", "language", "words"),
    [
        ("fr-CA,en;q=0.5", "fr", "Ce lien ne fonctionne pas"),
        ("ar", "ar", "هذا الرابط لا يعمل"),
        ("hi-IN", "hi", "यह लिंक काम नहीं कर रहा है"),
        ("de", "de", "Dieser Link funktioniert nicht"),
        ("nl", "en", "This link does not work"),
        ("", "en", "This link does not work"),
    ],
)
def test_a_bad_link_is_explained_in_the_language_of_the_browser(
    site: ServedStudy, accepted: str, language: str, words: str
) -> None:
    reply = site.visitor().client.get("/enter/x", headers={"accept-language": accepted})
    assert reply.status_code == 404
    assert words in reply.text
    assert f'lang="{language}"' in reply.text
    assert site.folder.study.title["en"] not in reply.text


def forged(signer: LinkSigner) -> Iterator[str]:
    token = signer.token(User("person", "ann"))
    role, name, signature = token.split(".")
    yield from ("", ".", "..", "person", f"{role}.{name}", f"{role}.{name}.", "x" * 5000)
    yield f"{role}.{name}.{signature[:-1]}"
    yield f"{role}.{name}.{signature}A"
    yield f"{role}.{name}.{signature}."
    yield f"{role}.{name}=.{signature}"
    yield f"owner.{name}.{signature}"
    yield f"owner..{signature}"
    yield f"{role}.{base64.urlsafe_b64encode(b'bob').decode()}.{signature}"
    yield f"{role}.é.{signature}"
    yield f"{role}.{name}.é{signature}"
    yield LinkSigner(b"another secret, of thirty-two by").token(User("owner"))
    yield f"{role}.{base64.urlsafe_b64encode(bytes([255, 254])).decode()}.{signature}"


def test_forged_tokens_open_nothing(site: ServedStudy) -> None:
    for token in forged(site.signer):
        assert site.signer.read(token) is None
        reply = site.visitor().client.get(f"/enter/{token}")
        assert reply.status_code == 404
        assert "set-cookie" not in reply.headers


def test_forged_cookies_open_nothing(site: ServedStudy) -> None:
    visitor, _ = site.person()
    (name,) = visitor.client.cookies
    for token in forged(site.signer):
        fresh = site.visitor()
        reply = fresh.client.get("/", headers={b"cookie": f"{name}={token}".encode()})
        assert reply.status_code == 404
    owner_as_person = site.signer.token(User("owner"))
    reply = site.visitor().client.get("/", headers={"cookie": f"{name}={owner_as_person}"})
    assert reply.status_code == 404


def test_tokens_of_one_purpose_serve_no_other(site: ServedStudy) -> None:
    signer = site.signer
    assert signer.sign("csrf", "person", "ann") != signer.sign("pass", "person", "ann")
    assert signer.sign("a", "bc", "d") != signer.sign("a", "b", "cd")
    for name in ("ann", "Ünal", "a.b", "a b", "ع" * 50):
        assert signer.read(signer.token(User("person", name))) == User("person", name)


def test_cookies_are_kept_from_scripts_and_other_sites(site: ServedStudy) -> None:
    link = f"/enter/{site.signer.token(User('person', 'ann'))}"
    cookie = site.visitor().client.get(link).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie  # the link may be followed again from another site
    owner = site.visitor().client.get(f"/enter/{site.signer.token(User('owner'))}")
    assert "samesite=strict" in owner.headers["set-cookie"].lower()
    assert "secure" not in cookie
    visitor = site.visitor()
    visitor.client.base_url = "https://127.0.0.1"
    assert "; secure" in visitor.client.get(link).headers["set-cookie"].lower()


def test_every_form_wants_its_token(site: ServedStudy) -> None:
    visitor, page = site.person()
    owner, board = site.owner()
    another = site.person("bob")[1].chosen["csrf"][0]
    tried = 0
    for method, address in addresses(site):
        if method != "POST":
            continue
        who = owner if "owner" in address else visitor
        for token in ("", "x", another):
            if address.startswith("/api/"):
                body = {"number": 1, "revision": 0, "answers": {"label": ["correct"]}}
                body = {"number": 1} if address.endswith("undo") else body
                reply = who.client.post(address, json=body, headers={"X-CSRF-Token": token})
            else:
                reply = who.client.post(address, data={"csrf": token, "number": "1"})
            assert reply.status_code == 403, address
            tried += 1
    assert tried >= 3 * 10
    assert site.folder.responses() == []
    assert page.stage == "item"
    assert board.stage == "owner_progress"


def test_another_persons_item_is_not_there(site: ServedStudy) -> None:
    ann, page = site.person("ann")
    page = ann.answer(page, label="correct")
    assert page.values("data-number")[-1] == "2"
    bob, page = site.person("bob")
    for number in (2, 3, 10**8):
        body = {"number": number, "revision": 0, "answers": {"label": ["correct"]}}
        assert bob.api(page, "answer", body).status_code == 404
        assert bob.api(page, "undo", {"number": number}).status_code == 404
        sent = form(page, {"number": str(number), "answer.label": "correct"})
        assert bob.client.post("/answer", data=sent).status_code == 404
        assert bob.client.post("/undo", data=sent).status_code == 404
    assert [each.participant for each in site.folder.responses()] == ["ann"]


def test_bodies_have_an_end(site: ServedStudy) -> None:
    visitor, page = site.person()
    huge = "x" * (10 * MAX_BODY_BYTES)
    assert visitor.client.post("/answer", data=form(page, {"note": huge})).status_code == 413

    def pieces() -> Iterator[bytes]:
        for _ in range(200):
            yield b"x" * 100_000

    reply = visitor.client.post("/answer", content=pieces())
    assert reply.status_code == 413
    assert visitor.client.post("/api/answer", content=pieces()).status_code == 413
    lied = visitor.client.post("/answer", content=b"a=b", headers={"content-length": "-1"})
    assert lied.status_code == 413
    assert site.visitor().client.post("/answer", content=huge).status_code in (404, 413)
    assert visitor.get().stage == "item"


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe", b"csrf=%FF", b"&".join(b"a=b" for _ in range(6000)), b"", b"\x00", b"[1, 2"],
)
def test_forms_that_are_none(content: bytes, site: ServedStudy) -> None:
    visitor, _ = site.person()
    for address in ("/answer", "/consent", "/undo"):
        reply = visitor.client.post(address, content=content)
        assert reply.status_code in (400, 403)


@pytest.mark.parametrize(
    "body",
    [
        "null", "[]", "{}", '{"number": "1"}', '{"number": 1e99}', '{"number": NaN}', "{",
        '{"number": 99999999999999999999, "revision": 0, "answers": {}}',
        '{"number": 1, "revision": 0, "answers": {"label": "correct"}}',
        '{"number": 1, "revision": 0, "answers": {"label": [null]}}',
        '{"number": 1, "revision": 0, "answers": {"note": ["\\ud800"], "label": ["correct"]}}',
        '{"number": 1, "revision": 0, "answers": {}, "seconds": -1}',
        '{"number": 1, "revision": 0, "answers": {}, "more": 1}',
        '{"number": true, "revision": 0, "answers": {}}',
        "[" * 100_000,
    ],
)  # fmt: skip
def test_requests_that_do_not_fit(body: str, site: ServedStudy) -> None:
    visitor, page = site.person()
    headers = {"X-CSRF-Token": page.chosen["csrf"][0], "Content-Type": "application/json"}
    reply = visitor.client.post("/api/answer", content=body, headers=headers)
    assert reply.status_code in (400, 422)
    assert site.folder.responses() == []


def test_every_answer_has_the_headers(site: ServedStudy) -> None:
    visitor, page = site.person()
    style = next(value for value in page.values("href") if value.endswith(".css"))
    for address, status in (("/", 200), ("/nothing", 404), (style, 200), ("/api/work", 200)):
        reply = visitor.client.get(address)
        assert reply.status_code == status
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["referrer-policy"] == "no-referrer"
        kept = "immutable" in reply.headers["cache-control"]
        assert kept == (address == style)
        assert kept or reply.headers["cache-control"] == "no-store"
    assert "server" not in visitor.client.get("/").headers


def hostile(study: Study) -> Study:
    def changed(item: StudyItem) -> StudyItem:
        return msgspec.structs.replace(item, fields=dict.fromkeys(item.fields, SCRIPT))

    return msgspec.structs.replace(
        study,
        title=en(SCRIPT),
        instructions=en(SCRIPT),
        items=tuple(map(changed, study.items)),
        questions=tuple(
            msgspec.structs.replace(question, ask=en(SCRIPT), hint=en(SCRIPT))
            for question in study.questions
        ),
    )


def is_harmless(page: Page) -> bool:
    """Whether the page has our script alone and nothing that runs."""
    scripts = [given for tag, given in page.attributes if tag == "script"]
    inline = [name for _, given in page.attributes for name in given if name.startswith("on")]
    styled = "style" in [name for _, given in page.attributes for name in given]
    images = [given for tag, given in page.attributes if tag == "img"]
    ours = all(given["src"].startswith("/static/") for given in scripts)
    return (
        ours and len(scripts) <= 1 and not (inline or images or styled) and "z" * 9 not in page.text
    )


def test_texts_stay_texts(tmp_path: Path) -> None:
    with served(hostile(misgendering()), tmp_path / "s") as site:
        people = [site.person(name) for name in ("ann", SCRIPT[:60])]
        for visitor, page in people:
            assert is_harmless(page)
            page = visitor.post(page, "/begin")
            assert page.stage == "item"
            while page.stage == "item":
                assert is_harmless(page)
                assert "<script>alert" not in page.text
                label = "correct" if visitor is people[0][0] else "misgendering"
                page = visitor.answer(page, label=label, note=SCRIPT)
        owner, page = site.owner()
        for address in ("/owner", "/owner/items", "/owner/agreement", "/owner/disagreements"):
            page = owner.get(address)
            assert is_harmless(page), address
        assert "alert(1)" in page.text
        reply = owner.client.get("/owner/export.csv")
        assert reply.headers["content-type"].startswith("text/csv")
        assert "attachment" in reply.headers["content-disposition"]


@pytest.fixture
def stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """No bucket fills again, however slow the machine."""
    monkeypatch.setattr(middleware, "RateLimiter", partial(RateLimiter, clock=lambda: 0.0))


def test_limits_are_by_link_and_not_by_address(stopped_clock: None, tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        ann, _ = site.person("ann")
        codes = [ann.client.get("/").status_code for _ in range(80)]
        assert codes == [200] * 58 + [429] * 22  # two of sixty were for coming in
        assert ann.client.get("/").headers["retry-after"] == "1"
        _, page = site.person("bob")
        assert page.stage == "item"


def test_whoever_has_no_link_cannot_keep_others_out(stopped_clock: None, tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        nobody = site.visitor()
        forged_link = "/enter/person.YW5u.forged"
        codes = [nobody.client.get(forged_link).status_code for _ in range(610)]
        assert codes == [404] * 600 + [429] * 10
        _, page = site.person("ann")
        assert page.stage == "item"


def test_a_bucket_fills_again() -> None:
    now = [0.0]
    buckets = RateLimiter(rate=2, burst=3, clock=lambda: now[0])
    assert [buckets.allow("a") for _ in range(5)] == [True, True, True, False, False]
    assert buckets.allow("b")
    now[0] += 1
    assert [buckets.allow("a") for _ in range(3)] == [True, True, False]
    now[0] += 1000
    assert [buckets.allow("a") for _ in range(4)] == [True, True, True, False]


def test_the_secret_is_for_the_owner_of_the_folder_alone(tmp_path: Path) -> None:
    signer = load_signer(tmp_path)
    assert (tmp_path / SECRET_FILE).stat().st_mode & 0o777 == 0o600
    token = signer.token(User("owner"))
    assert load_signer(tmp_path).read(token) == User("owner")
    (tmp_path / SECRET_FILE).chmod(0o644)
    with pytest.raises(InputError, match="chmod 600"):
        load_signer(tmp_path)
    (tmp_path / SECRET_FILE).write_text("short")
    with pytest.raises(InputError, match="does not contain a valid secret"):
        load_signer(tmp_path)
