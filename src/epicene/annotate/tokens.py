"""The links by which people come in: signed names, which nobody can make without the secret."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

from epicene.errors import InputError, RunError
from epicene.studies.participants import LONGEST_NAME

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "access.key"

Role: TypeAlias = Literal["person", "open", "owner"]

_BYTES = 32
_LONGEST_TOKEN = 8 * LONGEST_NAME  # four bytes a sign, in base64, and the rest


class Pass(NamedTuple):
    """Who may come in, and as what; only a person has a name.

    `issue` tells a person's link from those that were revoked before it; the first has none.
    """

    role: Role
    name: str = ""
    issue: str = ""


class Keys:
    """Signs passes and knows those it signed. Another secret, and no link works any more."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def token(self, entrant: Pass) -> str:
        """A pass as a word that can stand in an address."""
        role, name, *issue = entrant if entrant.issue else entrant[:2]
        return ".".join((role, _text(name.encode()), *issue, self.sign("pass", role, name, *issue)))

    def read(self, token: str) -> Pass | None:
        """The pass that a token stands for; None where it is none of ours."""
        role, *others = token.split(".")
        name, issue = [*others[:-1], "", ""][:2]
        known: dict[str, Role] = {each: each for each in get_args(Role)}
        if role not in known or len(token) > _LONGEST_TOKEN:
            return None
        try:
            entrant = Pass(known[role], _bytes(name).decode(), issue)
            # As a whole, so that every pass is written in one way.
            ours = hmac.compare_digest(self.token(entrant).encode(), token.encode())
        except ValueError:
            return None
        return entrant if ours else None

    def sign(self, purpose: str, *parts: str) -> str:
        """What only this secret makes of the parts, for one purpose."""
        message = b"".join(
            len(part).to_bytes(4, "big") + part for part in (each.encode() for each in parts)
        )
        key = hmac.digest(self._secret, purpose.encode(), hashlib.sha256)
        return _text(hmac.digest(key, message, hashlib.sha256))

    def is_signed(self, signature: str, purpose: str, *parts: str) -> bool:
        """Whether a signature is ours."""
        return hmac.compare_digest(self.sign(purpose, *parts).encode(), signature.encode())


def read_keys(folder: Path) -> Keys:
    """The keys of a study; its secret is made the first time, for its owner's eyes alone."""
    path = folder / SECRET
    try:
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return _existing(path)
        with os.fdopen(handle, "w") as file:
            secret = secrets.token_bytes(_BYTES)
            file.write(secret.hex() + "\n")
            file.flush()
            os.fsync(handle)
    except OSError as error:
        raise RunError(f"Could not keep the secret {path}: {error.strerror or error}.") from error
    return Keys(secret)


def _existing(path: Path) -> Keys:
    try:
        secret = bytes.fromhex(path.read_text("ascii"))
    except ValueError:
        secret = b""
    if len(secret) != _BYTES:
        raise InputError(
            f"{path} holds no secret; delete it for a new one (all links change with it)."
        )
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise InputError(
            f"Others on this machine can read {path}, and whoever reads it can make links; "
            f"`chmod 600 {path}`."
        )
    return Keys(secret)


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text.encode() + b"=" * (-len(text) % 4), b"-_", validate=True)
