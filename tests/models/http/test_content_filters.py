"""A content filter's refusal is for ever, any other error is not: how they are told apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from epicene.core.files import ImageFolder
from epicene.core.records import Draw, Failed, Image, Images
from epicene.models.http.errors import RejectedError, parse_error_details
from models.http.image_servers import Drawing, gallery
from models.http.local_server import Reply
from models.model_answers import answers


def rejected(status: int, body: object) -> RejectedError:
    return RejectedError(status, parse_error_details(body))


@pytest.mark.parametrize(
    ("status", "body"),
    [
        # by code or type, whatever the words
        (400, {"error": {"message": "No.", "code": "moderation_blocked", "type": "user_error"}}),
        (400, {"error": {"message": "No.", "code": "content_policy_violation"}}),
        (400, {"error": {"message": "No.", "code": "content_filter"}}),
        (403, {"name": "content_moderation", "errors": ["No."]}),
        # by words, where there is no code
        (400, {"error": {"message": "Rejected by our safety system.", "type": "user_error"}}),
        (400, {"error": {"message": "It was flagged as sensitive. (E005)", "code": 400}}),
        (422, {"error": "Prompt or provided image failed the safety checks"}),
        (422, {"detail": "NSFW content detected in the prompt"}),
        (403, {"message": "Content policy: this cannot be drawn"}),
    ],
)
def test_a_content_filter_is_known_by_its_code_or_its_words(status: int, body: object) -> None:
    assert rejected(status, body).filtered


@pytest.mark.parametrize(
    ("status", "body"),
    [
        # statuses under which nobody has read the prompt
        (401, {"detail": "Your token was flagged as leaked by our safety system"}),
        (404, {"detail": "The model black/safety filter was not found"}),
        (413, {"detail": "Too large for content moderation"}),
        (501, {"detail": "the safety system is not built"}),
        # another code
        (400, {"error": {"message": "The safety system wants another key", "code": "invalid_key"}}),
        (403, {"error": {"message": "flagged for unpaid bills", "code": "billing_hard_limit"}}),
        # another setting
        (400, {"error": {"message": "Unknown safety filter level", "param": "moderation"}}),
        (
            422,
            {"title": "Input validation failed", "detail": "- input.level: safety check wants 1"},
        ),
        (422, {"detail": [{"loc": ["body", "safety"], "msg": "safety check: must be an int"}]}),
        # words that are about something else
        (400, {"error": {"message": "Model names are case-sensitive"}}),
        (422, {"detail": "safety_tolerance must be at most 6"}),
        (403, {"detail": "Your account is flagged; write to support"}),
        (400, {"detail": "Sensitive data must not be in the URL"}),
        (400, {"detail": ""}),
    ],
)
def test_another_error_is_none(status: int, body: object) -> None:
    assert not rejected(status, body).filtered


def drawn(provider: str, folder: Path, fault: Reply) -> object:
    shop = gallery(provider, lambda _: Drawing(fault=fault))
    with shop.server:
        (answer,) = answers(
            shop.model(), Draw(item="a", prompt="a nurse"), files=ImageFolder(folder)
        )
    return answer


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPLICATE_API_TOKEN", "r8_secret")
    monkeypatch.setenv("IDEOGRAM_API_KEY", "ideogram-secret")


@pytest.mark.parametrize("provider", ["openai", "replicate", "ideogram"])
@pytest.mark.parametrize(
    ("status", "body", "refused"),
    [
        (422, {"detail": "The prompt was flagged as sensitive"}, True),
        (422, {"title": "Input validation failed", "detail": "safety check: bad number"}, False),
        (403, {"detail": "Your safety settings need a verified account"}, False),
    ],
)
def test_only_a_refusal_is_kept_as_an_answer(
    provider: str, status: int, body: dict[str, Any], refused: bool, tmp_path: Path
) -> None:
    """What is failed is asked again by the next session; what is refused never is."""
    answer = drawn(provider, tmp_path, Reply(body, status))
    if not refused:
        assert isinstance(answer, Failed)
        return
    assert isinstance(answer, Images)
    (image,) = answer.images
    assert isinstance(image, Image)
    assert image.refused == "The prompt was flagged as sensitive"
