"""Whatever a provider of pictures does, each shot ends kept, refused or failed with the reason."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from epicene.core.errors import InputError, RunError
from epicene.core.files import ImageFolder
from epicene.core.records import Answer, Draw, Failed, Generate, Image
from epicene.models import ModelOptions, open_model, parse_spec, sample_seed
from epicene.runs.images import RunImages
from models.http.image_servers import (
    FLUX,
    IDEOGRAM_SCHEMA,
    PROVIDERS,
    VERSION,
    Drawing,
    Gallery,
    Order,
    Replicate,
    gallery,
    schema,
)
from models.http.local_server import SHORT_WAITS, Asked, Reply
from models.model_answers import answers, drawn
from models.sample_images import claiming, picture

HOSTED = ("replicate", "ideogram")
SLOW_DOWN = Reply({"detail": "Request was throttled."}, 429, headers={"retry-after": "0.05"})


def draw(prompt: str = "a nurse", **fields: Any) -> Draw:
    return Draw(item=prompt, prompt=prompt, **fields)


def plain(_: Order) -> Drawing:
    return Drawing()


def ask(shop: Gallery, folder: Path, *requests: Draw, **options: Any) -> list[Answer]:
    with shop.server:
        return answers(shop.model(**options), *requests, files=ImageFolder(folder))


def posted(shop: Gallery) -> list[Asked]:
    """What was asked for, without looks and files."""
    return [order.asked for order in shop.studio.orders]


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPLICATE_API_TOKEN", "r8_secret")
    monkeypatch.setenv("IDEOGRAM_API_KEY", "ideogram-secret")


# --- what is sent ----------------------------------------------------------------------------


def test_flux_on_replicate_is_asked_for_the_size_and_not_to_rewrite(tmp_path: Path) -> None:
    shop = gallery("replicate", plain)
    (answer,) = ask(shop, tmp_path, draw(seed=3, width=512, height=256), timeout=20.0)
    (asked,) = posted(shop)
    assert asked.path == f"/v1/models/{FLUX}/predictions"
    assert asked.headers["authorization"] == "Bearer r8_secret"
    assert asked.headers["prefer"] == "wait=20"
    assert asked.headers["cancel-after"] == "20s"
    assert asked.body == {
        "input": {
            "prompt": "a nurse",
            "aspect_ratio": "custom",
            "width": 512,
            "height": 256,
            "seed": sample_seed(3, 0),
            "output_format": "png",
            "prompt_upsampling": False,
        }
    }
    assert drawn(answer) == (
        Image(
            sha256=hashlib.sha256(picture()).hexdigest(),
            media_type="image/png",
            width=4,
            height=3,
            seed=sample_seed(3, 0),
        ),
    )


def test_ideogram_on_replicate_is_asked_for_a_resolution_without_magic(tmp_path: Path) -> None:
    shop = gallery("replicate", plain, schema=IDEOGRAM_SCHEMA)
    ask(shop, tmp_path, draw(), name="ideogram-ai/ideogram-v3-turbo")
    assert posted(shop)[0].body["input"] == {
        "prompt": "a nurse",
        "resolution": "1024x1024",
        "seed": sample_seed(0, 0),
        "magic_prompt_option": "Off",
    }


@pytest.mark.parametrize(
    ("provider", "settings", "name", "sent", "noted"),
    [
        ("replicate", {}, FLUX, {"prompt_upsampling": True}, "on (prompt_upsampling)"),
        ("replicate", {"schema": IDEOGRAM_SCHEMA}, "ideogram-ai/v3", {}, "as the model does"),
        ("ideogram", {}, "V_3", {}, "left to Ideogram"),
    ],
)
def test_rewriting_is_left_to_the_provider_where_it_is_wanted(
    provider: str, settings: dict[str, Any], name: str, sent: Any, noted: str, tmp_path: Path
) -> None:
    shop = gallery(provider, plain, **settings)
    with shop.server:
        model = shop.model(name=name)
        answers(model, draw(rewriting=True), files=ImageFolder(tmp_path))
    body = posted(shop)[0].body
    switches = ("prompt_upsampling", "magic_prompt_option", "magic_prompt")
    found = body.get("input", body)
    assert {each: found[each] for each in switches if each in found} == sent
    assert model.notes()["prompt_rewriting"] == noted


@pytest.mark.parametrize(
    ("published", "size"),
    [
        (schema(prompt="string", width="integer", height="integer"), {"width": 768, "height": 512}),
        (schema(prompt="string", aspect_ratio=["1:1", "3:2"]), {"aspect_ratio": "3:2"}),
        (schema(prompt="string", size=["768x512"]), {"size": "768x512"}),
        (schema(prompt="string"), {}),
    ],
    ids=["pixels", "ratio", "listed", "none"],
)
def test_a_size_is_asked_for_as_the_model_takes_it(
    published: dict[str, Any], size: dict[str, Any], tmp_path: Path
) -> None:
    shop = gallery("replicate", plain, schema=published)
    (answer,) = ask(shop, tmp_path, draw(width=768, height=512))
    assert posted(shop)[0].body["input"] == {"prompt": "a nurse", **size}
    assert drawn(answer)[0].seed is None, "no seed was sent"


def test_a_size_that_the_model_has_not_fails_unasked(tmp_path: Path) -> None:
    shop = gallery("replicate", plain, schema=schema(prompt="string", aspect_ratio=["1:1"]))
    (answer,) = ask(shop, tmp_path, draw(width=300, height=100))
    assert answer == Failed(reason="the model does not draw 3:1; use another size")
    assert not shop.studio.orders


def test_what_is_no_text_to_image_model_fails_unasked(tmp_path: Path) -> None:
    shop = gallery("replicate", plain, schema=schema(image="string"))
    (answer,) = ask(shop, tmp_path, draw())
    assert isinstance(answer, Failed)
    assert "takes no prompt" in answer.reason
    assert not shop.studio.orders


def test_without_a_schema_the_models_name_has_to_do(tmp_path: Path) -> None:
    shop = gallery("replicate", plain, schema=None)
    with shop.server:
        model = shop.model()
        answers(model, draw(), files=ImageFolder(tmp_path))
    assert posted(shop)[0].body["input"] == {
        "prompt": "a nurse",
        "aspect_ratio": "1:1",
        "seed": sample_seed(0, 0),
        "prompt_upsampling": False,
    }
    assert model.notes()["inputs"] == "by the model's name: it publishes no schema"


def test_a_version_is_run_by_its_number(tmp_path: Path) -> None:
    shop = gallery("replicate", plain)
    with shop.server:
        model = shop.model(name=f"me/mine:{VERSION}")
        answers(model, draw(), files=ImageFolder(tmp_path))
        assert model.identity.key["revision"] == VERSION
    (asked,) = posted(shop)
    assert (asked.path, asked.body["version"]) == ("/v1/predictions", VERSION)


def test_a_model_that_is_not_run_by_its_name_is_run_by_its_latest_version(tmp_path: Path) -> None:
    shop = gallery("replicate", plain, official=False)
    with shop.server:
        model = shop.model()
        given = answers(model, draw("a"), draw("b"), files=ImageFolder(tmp_path))
    assert all(drawn(answer)[0].sha256 for answer in given)
    assert {asked.path for asked in posted(shop)} == {"/v1/predictions"}
    assert model.notes()["served_versions"] == [VERSION]


def test_a_model_that_there_is_not_ends_the_run(tmp_path: Path) -> None:
    shop = gallery("replicate", plain, official=False, schema=None)
    with pytest.raises(RunError, match=f"has no model {FLUX} that can be run"):
        ask(shop, tmp_path, draw())


@pytest.mark.parametrize(
    ("name", "path", "fields"),
    [
        (
            "V_3_TURBO",
            "/v1/ideogram-v3/generate",
            {
                "prompt": "a nurse",
                "magic_prompt": "OFF",
                "seed": str(sample_seed(0, 0)),
                "resolution": "1024x1024",
                "rendering_speed": "TURBO",
            },
        ),
        (
            "V_2A",
            "/generate",
            {
                "image_request": {
                    "model": "V_2A",
                    "prompt": "a nurse",
                    "magic_prompt_option": "OFF",
                    "seed": sample_seed(0, 0),
                    "aspect_ratio": "ASPECT_1_1",
                }
            },
        ),
        (
            "V_4",
            "/v1/ideogram-v4/generate",
            {"text_prompt": "a nurse", "resolution": "2048x2048", "rendering_speed": "DEFAULT"},
        ),
    ],
)
def test_each_generation_of_ideogram_has_its_endpoint(
    name: str, path: str, fields: dict[str, Any], tmp_path: Path
) -> None:
    shop = gallery("ideogram", plain)
    with shop.server:
        model = shop.model(name=name)
        (answer,) = answers(model, draw(), files=ImageFolder(tmp_path))
    (asked,) = posted(shop)
    assert asked.path == path
    assert asked.headers["api-key"] == "ideogram-secret"
    assert asked.body == fields
    # The seed is the one that Ideogram says it drew from.
    assert drawn(answer)[0].seed == (17 if name == "V_4" else sample_seed(0, 0))
    rewriting = model.notes()["prompt_rewriting"]
    assert rewriting == (
        "this endpoint has no switch for it" if name == "V_4" else "off (magic prompt)"
    )


@pytest.mark.parametrize("provider", PROVIDERS)
def test_images_come_in_their_order_each_from_its_seed(provider: str, tmp_path: Path) -> None:
    shades = {sample_seed(0, shot): 10 * shot for shot in range(4)}
    shop = gallery(provider, lambda order: Drawing(picture(shade=shades[order.seed or 0])))
    (answer,) = ask(shop, tmp_path, draw(shots=4))
    expected = [hashlib.sha256(picture(shade=10 * shot)).hexdigest() for shot in range(4)]
    assert [image.sha256 for image in drawn(answer)] == expected
    assert [image.seed for image in drawn(answer)] == list(shades)
    assert len(shop.studio.orders) == 4


@pytest.mark.parametrize("provider", ["openai", "ideogram"])
@pytest.mark.parametrize(("rewritten", "kept"), [("A tall nurse.", "A tall nurse."), ("", "")])
def test_a_prompt_that_was_rewritten_is_recorded(
    provider: str, rewritten: str, kept: str, tmp_path: Path
) -> None:
    shop = gallery(provider, lambda _: Drawing(prompt=rewritten))
    (answer,) = ask(shop, tmp_path, draw())
    assert drawn(answer)[0].revised_prompt == kept


@pytest.mark.parametrize("seed", [2**63, -(2**63) - 1, 10**40])
def test_a_seed_that_cannot_be_stored_costs_no_image(seed: int, tmp_path: Path) -> None:
    """The reply was taken for unreadable, and the image asked and paid for three times."""
    shop = gallery("ideogram", lambda _: Drawing(seed=seed))
    (answer,) = ask(shop, tmp_path, draw())
    assert drawn(answer)[0].sha256
    assert drawn(answer)[0].seed is None
    assert len(shop.studio.orders) == 1


def test_a_prediction_that_takes_its_time_is_looked_at_until_it_is_done(tmp_path: Path) -> None:
    shop = gallery("replicate", lambda _: Drawing(steps=3))
    (answer,) = ask(shop, tmp_path, draw())
    assert drawn(answer)[0].sha256
    assert isinstance(shop.script, Replicate)
    assert shop.script.looks == {"p0": 3}
    assert not shop.script.cancelled


def test_a_prediction_that_takes_too_long_is_called_off(tmp_path: Path) -> None:
    shop = gallery("replicate", lambda order: Drawing(steps=10**9 if order.times < 2 else 0))
    with shop.server:
        model = shop.model(SHORT_WAITS, timeout=2.0)
        (answer,) = answers(model, draw(), files=ImageFolder(tmp_path))
    assert drawn(answer)[0].sha256
    assert isinstance(shop.script, Replicate)
    assert shop.script.cancelled == ["p0", "p1"]


def test_an_image_may_come_as_a_data_url_or_by_its_address(tmp_path: Path) -> None:
    """An OpenAI-compatible server that sends addresses: they are fetched, without the key."""
    shop = gallery("replicate", plain)

    def addresses(asked: Asked) -> Reply:
        if asked.path.startswith("/files/"):
            return shop.studio.file(asked)
        return Reply({"data": [{"url": f"{serving.server.root}{shop.studio.keep(picture())}"}]})

    serving = gallery("openai", plain)
    serving.server._script = addresses
    (answer,) = ask(serving, tmp_path, draw())
    assert drawn(answer)[0].sha256 == hashlib.sha256(picture()).hexdigest()


# --- refusals --------------------------------------------------------------------------------

REFUSALS = {
    "openai": "Your request was rejected by our safety system.",
    "replicate": "The input or output was flagged as sensitive. (E005)",
    "ideogram": "Prompt or provided image failed the safety checks",
}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_refusal_is_recorded_and_not_asked_again(provider: str, tmp_path: Path) -> None:
    words = REFUSALS[provider]
    shop = gallery(provider, lambda o: Drawing(refused=words if "nurse" in o.prompt else ""))
    blocked, fine = ask(shop, tmp_path, draw(seed=2), draw("a doctor"))
    assert drawn(blocked) == (Image(seed=sample_seed(2, 0), refused=words),)
    assert drawn(fine)[0].sha256
    assert len(shop.studio.orders) == 2


def test_nsfw_is_a_refusal_and_another_failure_is_tried_again(tmp_path: Path) -> None:
    words = iter(["Prediction interrupted; please retry (code: PA)", "NSFW content detected."])
    shop = gallery("replicate", lambda _: Drawing(refused=next(words)))
    (answer,) = ask(shop, tmp_path, draw())
    assert drawn(answer)[0].refused == "NSFW content detected."
    assert len(shop.studio.orders) == 2


def test_what_ideogram_finds_unsafe_afterwards_is_refused(tmp_path: Path) -> None:
    shop = gallery("ideogram", lambda _: Drawing(b""))
    (answer,) = ask(shop, tmp_path, draw())
    assert "unsafe" in drawn(answer)[0].refused
    assert len(shop.studio.orders) == 1


# --- troubles --------------------------------------------------------------------------------


@pytest.mark.parametrize("provider", HOSTED)
@pytest.mark.parametrize(
    ("drawing", "timeout"),
    [
        (Drawing(fault=SLOW_DOWN), 60.0),
        (Drawing(fault=Reply({"detail": "later"}, 503)), 60.0),
        (Drawing(fault=Reply({}, delay=30.0)), 2.0),
        (Drawing(fault=Reply(close=True)), 60.0),
        (Drawing(fault=Reply(b"<html>gateway</html>")), 60.0),
        (Drawing(picture(64, 64)[:60]), 60.0),
        (Drawing(b"<html>not an image</html>"), 60.0),
    ],
    ids=["throttle", "503", "hang", "closed", "not JSON", "cut image", "no image"],
)
def test_a_passing_fault_is_mended(
    provider: str, drawing: Drawing, timeout: float, tmp_path: Path
) -> None:
    shop = gallery(provider, lambda order: drawing if order.times == 0 else Drawing())
    with shop.server:
        model = shop.model(SHORT_WAITS, timeout=timeout)
        (answer,) = answers(model, draw(), files=ImageFolder(tmp_path))
    assert drawn(answer)[0].sha256
    assert len(shop.studio.orders) == 2
    assert model.notes()["retries"] == 1


def test_replicate_tells_in_words_how_long_to_wait(tmp_path: Path) -> None:
    words = {"detail": "Request was throttled. Your rate limit resets in ~1s."}
    shop = gallery("replicate", lambda o: Drawing(fault=None if o.times else Reply(words, 429)))
    with shop.server:
        model = shop.model(SHORT_WAITS)
        answers(model, draw(), files=ImageFolder(tmp_path))
    first, second = posted(shop)
    assert second.at - first.at >= 1
    assert model.notes()["rate_limited"] == 1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_an_unfinished_request_drew_is_not_drawn_again(provider: str, tmp_path: Path) -> None:
    last = sample_seed(0, 2)
    broken = Drawing(fault=Reply({"detail": "width is too large"}, 422))
    files = RunImages(tmp_path, lambda request: request.item.encode())
    request = draw(shots=3)
    shop = gallery(provider, lambda order: broken if order.seed == last else Drawing())
    with shop.server:
        (failed,) = answers(shop.model(concurrency=1), request, files=files)
    assert isinstance(failed, Failed)
    shop = gallery(provider, plain)
    with shop.server:
        (whole,) = answers(shop.model(), request, files=files)
    assert [order.seed for order in shop.studio.orders] == [last]
    assert [image.seed for image in drawn(whole)] == [sample_seed(0, shot) for shot in range(3)]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("data", "words", "attempts"),
    [
        (picture(64, 64)[:60], "the image is broken", 3),
        (b"<html>not an image</html>", "not a PNG, JPEG or WebP image (3 attempts)", 3),
        (picture(5000, 4000), "5000 × 4000 pixels, which exceeds the limit of 16 megapixels", 1),
        (claiming(60_000, 60_000), "far too many pixels", 1),
    ],
    ids=["broken", "no image", "20 megapixels", "bomb"],
)
def test_an_image_that_cannot_be_kept_is_recorded_with_the_reason(
    provider: str, data: bytes, words: str, attempts: int, tmp_path: Path
) -> None:
    shop = gallery(provider, lambda o: Drawing(data) if "nurse" in o.prompt else Drawing())
    bad, good = ask(shop, tmp_path, draw(), draw("a doctor"))
    (image,) = drawn(bad)
    assert words in image.refused
    assert not image.sha256
    assert image.seed == sample_seed(0, 0)
    assert drawn(good)[0].sha256
    assert len(shop.studio.orders) == attempts + 1
    assert len(list(tmp_path.rglob("*/*"))) == 1, "only the good picture is kept"


def test_an_image_that_would_never_end_is_left_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused while it comes, not when it is all there."""
    from epicene.models import images

    monkeypatch.setattr(images, "MAX_BYTES", 2**20)
    shop = gallery("replicate", lambda _: Drawing(bytes(2**23)))
    (answer,) = ask(shop, tmp_path, draw())
    assert "larger than the limit of 1 MB" in drawn(answer)[0].refused
    assert "the image has 8 MB" not in drawn(answer)[0].refused


@pytest.mark.parametrize("provider", HOSTED)
@pytest.mark.parametrize(
    ("fault", "words", "attempts"),
    [
        (SLOW_DOWN, "HTTP 429: Request was throttled. (12 attempts)", 12),
        (Reply({}, delay=30.0), "no reply within 2 s (3 attempts)", 3),
        (Reply({"detail": "width is too large"}, 422), "HTTP 422: width is too large", 1),
        (Reply({"status": "succeeded", "data": []}), "contains no image (3 attempts)", 3),
    ],
    ids=["throttle", "hang", "rejected", "empty"],
)
def test_a_lasting_fault_fails_its_request_and_the_run_goes_on(
    provider: str, fault: Reply, words: str, attempts: int, tmp_path: Path
) -> None:
    shop = gallery(provider, lambda o: Drawing(fault=fault if "nurse" in o.prompt else None))
    timeout = 2.0 if fault.delay else 60.0
    bad, good = ask(shop, tmp_path, draw(), draw("a doctor"), timeout=timeout)
    assert isinstance(bad, Failed)
    assert words in bad.reason
    assert drawn(good)[0].sha256
    assert len(shop.studio.orders) == attempts + 1


@pytest.mark.parametrize("provider", HOSTED)
def test_a_refused_key_and_an_empty_account_end_the_run(provider: str, tmp_path: Path) -> None:
    shop = gallery(provider, lambda _: Drawing(fault=Reply({"detail": "no"}, 401)))
    variable = "REPLICATE_API_TOKEN" if provider == "replicate" else "IDEOGRAM_API_KEY"
    with pytest.raises(RunError, match=f"rejects the key.*{variable}"):
        ask(shop, tmp_path, draw())
    shop = gallery(provider, lambda _: Drawing(fault=Reply({"detail": "pay"}, 402)))
    with pytest.raises(RunError, match=r"quota is used up \(pay\)"):
        ask(shop, tmp_path, draw())


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("request_", [draw(""), draw(shots=0), draw(width=0)])
def test_a_request_for_nothing_fails_unasked(provider: str, request_: Draw, tmp_path: Path) -> None:
    shop = gallery(provider, plain)
    (answer,) = ask(shop, tmp_path, request_)
    assert isinstance(answer, Failed)
    assert not shop.studio.orders


@pytest.mark.parametrize("provider", HOSTED)
def test_another_verb_fails_with_the_reason(provider: str, tmp_path: Path) -> None:
    shop = gallery(provider, plain)
    with shop.server:
        (answer,) = answers(shop.model(), Generate(item="i", prompt="x"))
    assert isinstance(answer, Failed)
    assert "does not support the verb generate" in answer.reason


# --- opening ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("replicate", "write replicate:OWNER/NAME"),
        ("replicate:flux", "write replicate:OWNER/NAME"),
        ("replicate:a/../b", "write replicate:OWNER/NAME"),
        ("replicate:a/b:latest", "write replicate:OWNER/NAME"),
        ("ideogram", "Ideogram has no model ''"),
        ("ideogram:V_9", "Ideogram has no model 'V_9'"),
        ("ideogram:V_4_FLASH", "Ideogram has no model"),
        ("ideogram:V_3?dtype=float16", "does not take dtype"),
    ],
)
def test_a_name_that_is_none_is_one_sentence(spec: str, words: str) -> None:
    with pytest.raises(InputError, match=r"^[^\n]+$") as caught:
        open_model(parse_spec(spec))
    assert words in str(caught.value)


def test_without_a_key_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REPLICATE_API_TOKEN")
    monkeypatch.delenv("IDEOGRAM_API_KEY")
    for spec, variable in (
        (f"replicate:{FLUX}", "REPLICATE_API_TOKEN"),
        ("ideogram:V_3", "IDEOGRAM_API_KEY"),
    ):
        with pytest.raises(InputError, match=f"Set {variable} to reach"):
            open_model(parse_spec(spec))


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    for spec in (f"replicate:{FLUX}", "ideogram:V_3"):
        with pytest.raises(InputError, match=r"httpx.*pip install 'epicene'"):
            open_model(parse_spec(spec))


def test_nothing_heavy_is_imported_before_a_model_is_asked() -> None:
    program = (
        "import sys; from epicene.models import open_model, parse_spec; "
        f"open_model(parse_spec('replicate:{FLUX}')); open_model(parse_spec('ideogram:V_3')); "
        "sys.exit(bool({'openai', 'httpx', 'PIL', 'torch'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_server_of_other_models_is_not_sent_the_key() -> None:
    """`--base-url` is for OpenAI-compatible servers; a spec may name another of the own kind."""
    everybody = ModelOptions(base_url="http://127.0.0.1:9/v1")
    for text, own in (
        (f"replicate:{FLUX}", "https://api.replicate.com/v1"),
        ("ideogram:V_3", "https://api.ideogram.ai"),
    ):
        assert open_model(parse_spec(text, everybody)).notes()["server"] == own
        stated = open_model(parse_spec(f"{text}?base_url=http://here.example", everybody))
        assert stated.notes()["server"] == "http://here.example"


def test_the_identity_does_not_depend_on_the_server() -> None:
    here = open_model(parse_spec(f"replicate:{FLUX}?base_url=http://127.0.0.1:9/v1&label=x"))
    there = open_model(parse_spec(f"replicate:{FLUX}"))
    pinned = open_model(parse_spec(f"replicate:{FLUX}:{VERSION}"))
    assert here.identity.digest == there.identity.digest != pinned.identity.digest
    assert there.identity.label == "flux-1.1-pro"
    assert there.verbs == {"draw", "look"}
