"""A run on several machines: a proxy model that sends batches to workers on a Ray cluster.

The run's process plans and writes (`model`, `scheduler`, `worker_pool`). A child process talks to
Ray (`cluster` on our side, `ray_process` on its side), because Ray ends a process that loses its
cluster. Workers on the cluster load the model once and answer (`worker`). Only `ray_process`
imports Ray.
"""
