"""Signed links by which participants and the owner enter; making one takes the secret."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

from epicene.core.errors import InputError, RunError
from epicene.core.files import temporary_prefix, write_atomically
from epicene.studies.design.checks import MAX_NAME_LENGTH

if TYPE_CHECKING:
    from pathlib import Path

SECRET_FILE = "access.key"

UserRole: TypeAlias = Literal["person", "open", "owner"]

_SECRET_BYTES = 32
_MAX_TOKEN_LENGTH = 8 * MAX_NAME_LENGTH  # four bytes per character in base64, and the rest


class User(NamedTuple):
    """The bearer of a link; only participants ("person") and owners after the first have a name.

    `issue` counts the revoked links of the same name before this one; empty for the first.
    """

    role: UserRole
    name: str = ""
    issue: str = ""


class LinkSigner:
    """Signs tokens and verifies them. With another secret no earlier link works."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def token(self, user: User) -> str:
        """The user as a signed token for an address or a cookie."""
        role, name, *issue = user if user.issue else user[:2]
        return ".".join(
            (role, _to_base64(name.encode()), *issue, self.sign("pass", role, name, *issue))
        )

    def read(self, token: str) -> User | None:
        """The user of a token; None if it is not valid."""
        role, *others = token.split(".")
        name, issue = [*others[:-1], "", ""][:2]
        known: dict[str, UserRole] = {each: each for each in get_args(UserRole)}
        if role not in known or len(token) > _MAX_TOKEN_LENGTH:
            return None
        try:
            user = User(known[role], _from_base64(name).decode(), issue)
            # The whole token is compared, so that each user has exactly one.
            valid = hmac.compare_digest(self.token(user).encode(), token.encode())
        except ValueError:
            return None
        return user if valid else None

    def path(self, user: User) -> str:
        """The path of a user's link, after the address of the pages."""
        return f"/enter/{self.token(user)}"

    def open_path(self, parameter: str) -> str:
        """The path of the open link, with a placeholder for the platform's id if it passes one."""
        return self.path(User("open")) + (parameter and f"?{parameter}={_placeholder(parameter)}")

    def sign(self, purpose: str, *parts: str) -> str:
        """The signature of the parts for one purpose."""
        message = b"".join(
            len(part).to_bytes(4, "big") + part for part in (each.encode() for each in parts)
        )
        key = hmac.digest(self._secret, purpose.encode(), hashlib.sha256)
        return _to_base64(hmac.digest(key, message, hashlib.sha256))

    def is_signed(self, signature: str, purpose: str, *parts: str) -> bool:
        """Whether a signature is valid."""
        return hmac.compare_digest(self.sign(purpose, *parts).encode(), signature.encode())


def load_signer(folder: Path) -> LinkSigner:
    """Load the secret of a study, or create it, readable only by the file's owner.

    The file appears with all of its content: of two processes that create it at once, both use the
    secret of the first, and a killed one leaves no empty file.
    """
    path = folder / SECRET_FILE
    if not path.exists():
        draft = path.with_name(temporary_prefix(path.name) + secrets.token_hex(4))
        write_atomically(draft, f"{secrets.token_hex(_SECRET_BYTES)}\n".encode(), private=True)
        try:
            _create_from(draft, path)
        except OSError as error:
            reason = error.strerror or error
            raise RunError(f"Could not store the secret {path}: {reason}.") from error
        finally:
            draft.unlink(missing_ok=True)
    return _load_existing(path)


def _create_from(draft: Path, path: Path) -> None:
    """Give the draft its name, unless another process was first."""
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        draft.rename(path)


def _load_existing(path: Path) -> LinkSigner:
    try:
        secret = bytes.fromhex(path.read_text("ascii"))
    except ValueError:
        secret = b""
    if len(secret) != _SECRET_BYTES:
        raise InputError(
            f"{path} does not contain a valid secret; delete it to get a new one (this changes "
            "all links)."
        )
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise InputError(
            f"Other users of this machine can read {path}, which lets them make links; run `chmod "
            f"600 {path}`."
        )
    return LinkSigner(secret)


# What platforms put in the place of their participants' ids
_PLACEHOLDERS = {
    "prolific_pid": "{{%PROLIFIC_PID%}}",
    "workerid": "${workerId}",
    "psid": "[%%psid%%]",
}


def _placeholder(parameter: str) -> str:
    """What to write for the participant's id in the link, if the platform is known."""
    return _PLACEHOLDERS.get(parameter.lower(), "ID")


def _to_base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _from_base64(text: str) -> bytes:
    return base64.b64decode(text.encode() + b"=" * (-len(text) % 4), b"-_", validate=True)
