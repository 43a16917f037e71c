"""Messages between the run's process, its child process at the cluster, and the workers."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from epicene.core.records import Answer, Identity, Record, Request
from epicene.models import BatchLimit, ModelSpec

# --- what workers get and give ---------------------------------------------------------------


class ShardInput(Record, frozen=True):
    """A shard: whole batches of one verb, and the images that they look at, by sha256."""

    batches: list[list[tuple[int, Request]]]
    images: dict[str, bytes] = {}


class ShardOutput(Record, frozen=True, tag=True):
    """A shard's answers, the images drawn for them, and the seconds it took."""

    answered: list[tuple[int, Answer]]
    images: dict[str, bytes]
    seconds: float


class WorkerInfo(Record, frozen=True, kw_only=True, tag=True):
    """Who a worker is. A model that has yet to learn has no identity."""

    identity: Identity | None
    verbs: frozenset[str]
    batch_limit: BatchLimit
    learner: bool
    machine: str
    versions: dict[str, str]  # of what could change an answer
    pid: int


class Refusal(Record, frozen=True, kw_only=True, tag=True):
    """Why a worker cannot go on, in a sentence; `input` if the user's input is wrong."""

    sentence: str
    input: bool
    machine: str


class WorkerSetup(Record, frozen=True, kw_only=True):
    """Which model a worker opens, in which folder, for which version of Epicene."""

    spec: ModelSpec
    folder: str
    version: str


# --- from the run's process to its child -----------------------------------------------------


class Connect(Record, frozen=True, kw_only=True, tag=True):
    """Join a cluster, and say how many workers of which size it has room for."""

    address: str
    workers: int | None
    gpus_per_worker: float | None


class SetCorpus(Record, frozen=True, kw_only=True, tag=True):
    """The text that the workers hired from now on learn from."""

    corpus: bytes


class StartWorker(Record, frozen=True, kw_only=True, tag=True):
    """Start a worker."""

    worker: int
    opening: bytes
    learns: bool


class SendShard(Record, frozen=True, kw_only=True, tag=True):
    """Give a worker a shard."""

    worker: int
    shard: int
    load: bytes


class RequestNotes(Record, frozen=True, kw_only=True, tag=True):
    """Let a worker say how its answers were reached."""

    worker: int


class StopWorker(Record, frozen=True, kw_only=True, tag=True):
    """End a worker, whatever it does."""

    worker: int


Command: TypeAlias = Connect | SetCorpus | StartWorker | SendShard | RequestNotes | StopWorker


# --- from the child to the run's process -----------------------------------------------------


class Connected(Record, frozen=True, kw_only=True, tag=True):
    """The cluster is joined; what it has room for."""

    workers: int
    cpus: float
    gpus: float
    machines: int
    suitable_machines: int  # machines on which a worker would have a place if nobody else had one


class WorkerPlaced(Record, frozen=True, kw_only=True, tag=True):
    """A worker has found a place, and begins to load the model."""

    worker: int
    machine: str


class WorkerReady(Record, frozen=True, kw_only=True, tag=True):
    """A worker is ready."""

    worker: int
    introduction: WorkerInfo


class ShardDone(Record, frozen=True, kw_only=True, tag=True):
    """A worker answered a shard."""

    worker: int
    shard: int
    answers: bytes


class NotesReceived(Record, frozen=True, kw_only=True, tag=True):
    """How a worker's answers were reached."""

    worker: int
    notes: dict[str, Any]


class WorkerLost(Record, frozen=True, kw_only=True, tag=True):
    """A worker is no more, and why."""

    worker: int
    reason: str


class WorkerRefused(Record, frozen=True, kw_only=True, tag=True):
    """A worker cannot go on, for a reason that another would have too."""

    worker: int
    refusal: Refusal


class ClusterLost(Record, frozen=True, kw_only=True, tag=True):
    """The cluster is lost with all its workers."""

    reason: str


Event: TypeAlias = (
    Connected
    | WorkerPlaced
    | WorkerReady
    | ShardDone
    | NotesReceived
    | WorkerLost
    | WorkerRefused
    | ClusterLost
)

encode = msgspec.msgpack.Encoder().encode
decode_shard_input = msgspec.msgpack.Decoder(ShardInput).decode
decode_shard_output = msgspec.msgpack.Decoder(ShardOutput).decode
decode_worker_setup = msgspec.msgpack.Decoder(WorkerSetup).decode
decode_command = msgspec.msgpack.Decoder(Command).decode
decode_event = msgspec.msgpack.Decoder(Event).decode
# A worker replies with what was asked of it, or says why it cannot.
decode_reply = msgspec.msgpack.Decoder(WorkerInfo | ShardOutput | Refusal).decode
