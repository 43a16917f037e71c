"""Turn results into what people read: tables, charts and one self-contained HTML page.

`layout`, the table formats, `charts`, `figures` and `page` format records and know no suite and no
run; the other modules compute those records from stored runs.
"""
