"""Messages between the run's process, its child process at the cluster, and the workers.

Commands and events are pickled, because both ends are the same program. Workers send and receive
MessagePack: another version of Epicene may be installed there, and must be able to say so.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from epicene.core.records import Answer, Identity, Record, Request
from epicene.models import BatchLimit, ModelSpec

# --- what workers get and give ---------------------------------------------------------------


class ShardInput(Record, frozen=True):
    """A shard: whole batches of one verb, and the images that they use, by SHA-256."""

    batches: list[list[tuple[int, Request]]]
    images: dict[str, bytes] = {}


class ShardOutput(Record, frozen=True, tag=True):
    """A shard's answers, the images drawn for them, and the seconds it took."""

    answered: list[tuple[int, Answer]]
    images: dict[str, bytes]
    seconds: float


class WorkerInfo(Record, frozen=True, kw_only=True, tag=True):
    """The identity of a worker. A model that has not been trained yet has no identity."""

    identity: Identity | None
    verbs: frozenset[str]
    batch_limit: BatchLimit
    learner: bool
    machine: str
    versions: dict[str, str]  # of what could change an answer


class Refusal(Record, frozen=True, kw_only=True, tag=True):
    """Why a worker cannot continue, in one sentence; `input` if the user's input is wrong."""

    sentence: str
    input: bool
    machine: str


class WorkerSetup(Record, frozen=True, kw_only=True):
    """Which model a worker opens, in which folder, for which version of Epicene."""

    spec: ModelSpec
    folder: str
    version: str


# --- from the run's process to its child -----------------------------------------------------


class Connect(Record, frozen=True, kw_only=True):
    """Join a cluster, and say how many workers of which size it has room for."""

    address: str
    workers: int | None
    gpus_per_worker: float | None


class SetCorpus(Record, frozen=True, kw_only=True):
    """Keep the text that workers learn from on the cluster."""

    corpus: bytes


class StartWorker(Record, frozen=True, kw_only=True):
    """Start a worker, under a number that no worker had before."""

    worker: int


Method: TypeAlias = Literal["machine_name", "open", "answer", "notes"]


class Call(Record, frozen=True, kw_only=True):
    """Call a method of a worker, with the corpus as the last argument if `corpus` is set."""

    worker: int
    method: Method
    arguments: tuple[bytes, ...] = ()
    corpus: bool = False
    shard: int = 0  # the number of the shard that is to be answered


class StopWorker(Record, frozen=True, kw_only=True):
    """End a worker, whatever it is doing."""

    worker: int


Command: TypeAlias = Connect | SetCorpus | StartWorker | Call | StopWorker


# --- from the child to the run's process -----------------------------------------------------


class Connected(Record, frozen=True, kw_only=True):
    """The cluster is joined; what it has room for."""

    workers: int
    cpus: float
    gpus: float
    suitable_machines: int  # machines with room for a worker if they were idle


class Reply(Record, frozen=True, kw_only=True):
    """What a worker's method returned."""

    worker: int
    method: Method
    shard: int
    data: bytes


class WorkerLost(Record, frozen=True, kw_only=True):
    """A worker was lost, and why."""

    worker: int
    reason: str


class ClusterLost(Record, frozen=True, kw_only=True):
    """The cluster is lost with all its workers."""

    reason: str


Event: TypeAlias = Connected | Reply | WorkerLost | ClusterLost

encode = msgspec.msgpack.Encoder().encode
decode_shard_input = msgspec.msgpack.Decoder(ShardInput).decode
decode_worker_setup = msgspec.msgpack.Decoder(WorkerSetup).decode
# A worker replies with what was asked of it, or says why it cannot.
decode_reply = msgspec.msgpack.Decoder(WorkerInfo | ShardOutput | Refusal).decode
