"""The process that judges ranges of a stored run's items: see `judging_workers`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from epicene.core.garbage import rare_garbage_collection
from epicene.runs.judgement_cache import code_key
from epicene.runs.judging_workers import decode_range, encode, read_frame, write_frame
from epicene.runs.plan import PlanReader
from epicene.runs.store import open_store
from epicene.runs.stored_run import judge_range, read_run


def serve() -> None:
    """Judge the ranges that standard input names, of the run that the command line names.

    The first reply is the key of the code that judges; the reply to a range that fails is empty.
    """
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print does not belong into the replies
    run = read_run(Path(sys.argv[1]))
    key = code_key(run.suite)
    if key is None:
        return
    write_frame(replies, key)
    with open_store(run.folder) as store, rare_garbage_collection():
        reader, sections = PlanReader(store, run.suite, run.protocol), store.sections()
        while (frame := read_frame(sys.stdin.buffer)) is not None:
            try:
                reply = encode(judge_range(run, reader, sections, decode_range(frame)))
            except Exception:  # it is judged again, and the error raised, by who asked
                reply = b""
            write_frame(replies, reply)
