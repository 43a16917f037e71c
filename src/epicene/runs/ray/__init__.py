"""The same run on many machines: a stand-in for a model that hands batches to workers on Ray.

The run's own process plans and writes (`model`, `crew`); a child of it speaks to the cluster
(`link` here, `ferry` there), because Ray ends the process that loses its cluster; workers on the
cluster load the model once and answer (`worker`). Nothing here imports Ray but `ferry` and
`joining`.
"""
