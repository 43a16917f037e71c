"""Looking at an image: a chat whose one turn holds the picture beside the question."""

from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING

from epicene.models import pictures
from epicene.models.choosing import chosen, question_with_choices
from epicene.models.openai_api.generate import Ask, Habits
from epicene.models.openai_api.tokens import LOOK_TOKENS
from epicene.models.remote.faults import UnansweredError
from epicene.records import Choice, Decoding, Look, Message, digest

if TYPE_CHECKING:
    from epicene.models import Files
    from epicene.models.openai_api.transport import Transport

# A word is asked for; the rest is room for a model that thinks first.
_DECODING = Decoding(max_new_tokens=LOOK_TOKENS, temperature=0.0)


class Looker:
    """Answers look."""

    def __init__(self, transport: Transport, model: str, habits: Habits, files: Files) -> None:
        self._transport = transport
        self._model = model
        self._habits = habits
        self._files = files

    async def look(self, request: Look) -> Choice:
        """The choice that the model's words are; the words are kept whatever they are."""
        if not request.choices:
            raise UnansweredError("there are no choices to choose from")
        question = question_with_choices(request.question, request.choices)
        ask = Ask(
            self._transport,
            self._model,
            self._habits,
            (Message(role="user", content=question),),
            _DECODING,
            key=digest(request),
            image=await asyncio.to_thread(self._data_url, request.image),
        )
        (text,) = await ask.choices(0, 1)
        refused = text.finish == "refused"
        return Choice(
            choice=None if refused else chosen(text.text, request.choices), text=text.text
        )

    def _data_url(self, sha256: str) -> str:
        try:
            data, picture = pictures.kept(self._files, sha256)
        except pictures.PictureError as error:
            raise UnansweredError(str(error)) from None
        return f"data:{picture.media_type};base64,{base64.b64encode(data).decode('ascii')}"
