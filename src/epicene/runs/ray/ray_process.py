"""The child process that talks to Ray: `python -m epicene.runs.ray.ray_process FD`.

It executes commands from a socket and reports events. Ray ends a process that has lost its cluster;
this one can be ended and restarted. It ends with its parent, whatever it is doing: one thread
executes commands, another receives them and notices when the parent is gone.

Ray uses the token in the home folder for a cluster that it starts, but not for one named by its
address; and if a token is used with a cluster that requires none, no worker starts. We therefore
test whether a token is required, for which Ray has no public API.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import ray
import regex
from ray import exceptions

from epicene.runs.ray import messages
from epicene.runs.ray.cluster import LEAVE_TIMEOUT, NODE_GONE, first_line, size_workers
from epicene.runs.ray.settings import AUTO, parse_address
from epicene.runs.ray.worker import Worker

if TYPE_CHECKING:
    from concurrent.futures import Future

_OBJECT_STORE = 512 * 2**20  # of a cluster that is begun here; shards are small
_REACH_TIMEOUT = 10.0  # seconds
_AUTH_MODE = "RAY_AUTH_MODE"
_COPY_TOKEN = (
    "copy ~/.ray/auth_token from the machine of `ray start --head`, or set RAY_AUTH_TOKEN to its "
    "content"
)
_NO_TOKEN = f"it requires a token, but this machine has none: {_COPY_TOKEN}"
_WRONG_TOKEN = f"it requires a different token from the one on this machine: {_COPY_TOKEN}"


def join_cluster(address: str) -> None:
    """Join the cluster at an address, or start one on this machine."""
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if not address:
        ray.init("local", include_dashboard=False, object_store_memory=_OBJECT_STORE, **quiet)
        return
    if address == AUTO:
        address = _local_address()
    check_reachable(address)  # Ray itself would try for minutes
    # Who says how to identify oneself is taken at their word.
    if _AUTH_MODE not in os.environ and not _accepts_us(address):
        _use_local_token()
        if not _accepts_us(address):
            raise ConnectionError(_WRONG_TOKEN)
    try:
        ray.init(address, **quiet)
    except (exceptions.RayError, ConnectionError) as error:
        raise ConnectionError(_token_problem(error) or str(error)) from error


def check_reachable(address: str) -> None:
    """Raise if nothing listens at an address."""
    socket.create_connection(parse_address(address), timeout=_REACH_TIMEOUT).close()


def _local_address() -> str:
    """The address of the cluster on this machine."""
    from ray._private import services

    try:
        address: str = services.canonicalize_bootstrap_address_or_die(AUTO)
    except ConnectionError as error:  # whose further sentences speak of Ray's own options
        raise ConnectionError(str(error).partition(". ")[0]) from error
    return address


def _accepts_us(address: str) -> bool:
    """Whether a cluster accepts this process, with the token that it has or without one."""
    from ray import _raylet

    native: Any = _raylet  # which has no types
    try:
        native.GcsClient(address=address)
    except exceptions.RayError as error:
        if type(error).__name__ == "AuthenticationError":  # which is younger than Ray
            return False
        raise ConnectionError("no Ray cluster answers there") from error
    return True


def _use_local_token() -> None:
    """Use the token that is here."""
    try:
        from ray._private.authentication.authentication_token_setup import (
            maybe_enable_token_auth_if_token_available as taken_up,
        )
    except ImportError:
        raise ConnectionError(f"it requires a token: set {_AUTH_MODE}=token") from None
    if not taken_up(warn_if_disabled=False):
        raise ConnectionError(_NO_TOKEN)


def _token_problem(error: BaseException) -> str | None:
    """What is wrong with the token, if that is what is wrong."""
    said = f"{error} {error.__cause__}"
    if "no authentication token was found" in said:
        return _NO_TOKEN
    if "InvalidAuthToken" not in said:
        return None
    mode = os.environ.get(_AUTH_MODE, "")
    if mode.lower() == "token":
        return _WRONG_TOKEN
    return f"it requires a token, but {_AUTH_MODE} is {mode!r} here: unset it"


# Shards that a worker may have in hand, and the calls beside them.
_MAX_CONCURRENT_CALLS = 8
_PARENT_CHECK_INTERVAL = 1.0  # seconds between looks whether the parent is there
_NODE_CHECK_INTERVAL = 5.0  # seconds between checks that it is still the cluster that was joined
_BECAUSE = regex.compile(r"because (.+?)\.(?:\s|$)")
_RAISED_IN_INIT = "raised in its creation task"  # Ray's words, before a Python traceback
_ERROR_MESSAGES = (
    (exceptions.OutOfMemoryError, "its machine ran out of memory"),
    (exceptions.OutOfDiskError, "its machine's disk is full"),
    (exceptions.ActorUnavailableError, "its process no longer answers"),
    (exceptions.WorkerCrashedError, "its process has died"),
    (exceptions.LocalRayletDiedError, "the cluster's node on its machine is gone"),
    (exceptions.NodeDiedError, "the cluster's node on its machine is gone"),
)
# Ray's words for a worker whose owner it could not ask, one that asks for a token, say.
_FORGOTTEN = "all references to the actor were removed"
_ORPHANED = "owner has died"  # Ray's words where this process's own node is gone


class RayProcess:
    """Executes commands on Ray and reports events."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._commands: SimpleQueue[messages.Command | None] = SimpleQueue()  # None is the end
        self._events: SimpleQueue[messages.Event] = SimpleQueue()
        self._workers: dict[int, Any] = {}
        self._corpus: Any = None
        self._shape: dict[str, Any] = {}
        self._monitor_thread: Thread | None = None  # once a cluster is joined
        self._leaving = Event()
        Thread(target=self._send, daemon=True).start()
        Thread(target=self._receive, args=(os.getppid(),), daemon=True).start()

    def serve(self) -> None:
        """Execute commands until the parent is gone, then leave the cluster."""
        while (command := self._commands.get()) is not None:
            self._execute(command)
        self._leaving.set()
        if self._monitor_thread is not None:
            self._monitor_thread.join()  # it must not ask a cluster that is being left
            ray.shutdown()

    def _receive(self, parent: int) -> None:
        """Queue commands; when the parent is gone, see that this process ends.

        The parent is gone if its end of the socket is closed or, if another process still holds
        that, if this process has a different parent.
        """
        try:
            while os.getppid() == parent:
                if self._connection.poll(_PARENT_CHECK_INTERVAL):
                    self._commands.put(self._connection.recv())
        except (EOFError, OSError):
            pass
        self._commands.put(None)
        if self._monitor_thread is not None:
            time.sleep(LEAVE_TIMEOUT)
        os._exit(1)  # what is being done cannot be broken off

    def _execute(self, command: messages.Command) -> None:
        match command:
            case messages.Connect():
                self._connect(command)
            case messages.SetCorpus():
                self._corpus = ray.put(command.corpus)
            case messages.StartWorker():
                self._start_worker(command.worker)
            case messages.Call():
                self._call(command)
            case messages.StopWorker():
                if actor := self._workers.pop(command.worker, None):
                    ray.kill(actor)

    def _connect(self, command: messages.Connect) -> None:
        try:
            join_cluster(command.address)
        except (OSError, ValueError, RuntimeError, exceptions.RayError) as error:
            self._report_lost(first_line(error))
            return
        self._monitor_thread = Thread(target=self._monitor, daemon=True)
        self._monitor_thread.start()
        nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]  # type: ignore[no-untyped-call]
        shape = size_workers(nodes, command.workers, command.gpus_per_worker)
        self._shape = {"num_cpus": shape.cpus, "num_gpus": shape.gpus}
        self._events.put(shape)

    def _start_worker(self, number: int) -> None:
        kind: Any = ray.remote(Worker)  # its methods get a `remote` of which no type tells
        self._workers[number] = kind.options(
            max_restarts=0, max_task_retries=0, max_concurrency=_MAX_CONCURRENT_CALLS, **self._shape
        ).remote()

    def _call(self, call: messages.Call) -> None:
        """Call a worker, and report its reply or its loss from the thread in which Ray says so."""
        if call.worker not in self._workers:
            return
        method = getattr(self._workers[call.worker], call.method)
        arguments = (*call.arguments, self._corpus) if call.corpus else call.arguments

        def report(future: Future[bytes]) -> None:
            try:
                data = future.result()
                self._events.put(
                    messages.Reply(
                        worker=call.worker, method=call.method, shard=call.shard, data=data
                    )
                )
            except Exception as error:  # whatever it is, the worker is of no more use
                if _ORPHANED in str(error):
                    self._report_lost(NODE_GONE)
                reason = failure_reason(error)
                self._events.put(messages.WorkerLost(worker=call.worker, reason=reason))

        method.remote(*arguments).future().add_done_callback(report)

    def _monitor(self) -> None:
        """Check that this process's own node still belongs to the cluster.

        Without a node, nothing reports that a worker will never start. If a different cluster
        answers instead of the one that was joined, Ray ends the process that asks, which serves the
        same purpose.
        """
        own = ray.get_runtime_context().get_node_id()
        while not self._leaving.wait(_NODE_CHECK_INTERVAL):
            try:
                nodes = ray.nodes()  # type: ignore[no-untyped-call]
            except exceptions.RayError as error:
                self._report_lost(first_line(error))
                return
            if not any(node["Alive"] and node["NodeID"] == own for node in nodes):
                self._report_lost(NODE_GONE)
                return

    def _report_lost(self, why: str) -> None:
        self._events.put(messages.ClusterLost(reason=why))

    def _send(self) -> None:
        while True:
            event = self._events.get()
            try:
                self._connection.send(event)
            except OSError:
                os._exit(1)  # the parent is gone
            if isinstance(event, messages.ClusterLost):
                os._exit(1)


def failure_reason(error: BaseException) -> str:
    """Why a worker ended, in a few words."""
    if isinstance(error, exceptions.RayTaskError):
        return f"it raised {type(error.cause).__name__}: {first_line(error.cause)}"
    for kind, words in _ERROR_MESSAGES:
        if isinstance(error, kind):
            return words
    said = str(error)
    if _RAISED_IN_INIT in said:
        return f"it raised {said.strip().splitlines()[-1]}"
    if _FORGOTTEN in said:
        return (
            "the cluster could not ask this machine about it (if RAY_AUTH_MODE=token is set here "
            "but not there, unset it)"
        )
    found = _BECAUSE.search(said)
    return found[1] if found else first_line(error)


def main() -> None:
    """Serve over the socket whose number is given."""
    RayProcess(Connection(int(sys.argv[1]))).serve()


if __name__ == "__main__":
    main()
