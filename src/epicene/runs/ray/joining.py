"""The way into a cluster: found, knocked at, joined with the token that it asks for.

Ray uses the token that lies under the home folder for a cluster that it begins, but not for one
that is named by its address; and with a token at a cluster that asks for none no worker begins.
So it is tried whether one is asked for, which Ray has no public way to do.
"""

from __future__ import annotations

import os
import socket
from typing import Any

import ray
from ray import exceptions

from epicene.runs.ray.settings import AUTO, endpoint

_OBJECT_STORE = 512 * 2**20  # of a cluster that is begun here; shards are small
_KNOCK = 10.0  # seconds
_MODE = "RAY_AUTH_MODE"
_COPY = (
    "copy ~/.ray/auth_token from the machine of `ray start --head`, or put what it holds into "
    "RAY_AUTH_TOKEN"
)
_NONE = f"it asks for a token, and there is none here: {_COPY}"
_OTHER = f"it asks for another token than the one here: {_COPY}"


def join(address: str) -> None:
    """Join the cluster at an address, or begin one on this machine."""
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if not address:
        ray.init("local", include_dashboard=False, object_store_memory=_OBJECT_STORE, **quiet)
        return
    if address == AUTO:
        address = _found()
    knock(address)  # Ray itself would try for minutes
    # Who says how to identify oneself is taken at their word.
    if _MODE not in os.environ and not _let_in(address):
        _take_up_token()
        if not _let_in(address):
            raise ConnectionError(_OTHER)
    try:
        ray.init(address, **quiet)
    except (exceptions.RayError, ConnectionError) as error:
        raise ConnectionError(_why_turned_away(error) or str(error)) from error


def knock(address: str) -> None:
    """Raise if nobody opens at an address."""
    socket.create_connection(endpoint(address), timeout=_KNOCK).close()


def _found() -> str:
    """The address of the cluster on this machine."""
    from ray._private import services

    try:
        address: str = services.canonicalize_bootstrap_address_or_die(AUTO)
    except ConnectionError as error:  # whose further sentences speak of Ray's own options
        raise ConnectionError(str(error).partition(". ")[0]) from error
    return address


def _let_in(address: str) -> bool:
    """Whether a cluster lets this process in, with the token that it has or without one."""
    from ray import _raylet

    native: Any = _raylet  # which has no types
    try:
        native.GcsClient(address=address)
    except exceptions.RayError as error:
        if type(error).__name__ == "AuthenticationError":  # which is younger than Ray
            return False
        raise ConnectionError("nothing there answers as a Ray cluster does") from error
    return True


def _take_up_token() -> None:
    """Use the token that is here."""
    try:
        from ray._private.authentication.authentication_token_setup import (
            maybe_enable_token_auth_if_token_available as taken_up,
        )
    except ImportError:
        raise ConnectionError(f"it asks for a token: set {_MODE}=token") from None
    if not taken_up(warn_if_disabled=False):
        raise ConnectionError(_NONE)


def _why_turned_away(error: BaseException) -> str | None:
    """What is wrong with the token, if that is what is wrong."""
    said = f"{error} {error.__cause__}"
    if "no authentication token was found" in said:
        return _NONE
    if "InvalidAuthToken" not in said:
        return None
    mode = os.environ.get(_MODE, "")
    if mode.lower() == "token":
        return _OTHER
    return f"it asks for a token, and {_MODE} is {mode!r} here: unset it"
