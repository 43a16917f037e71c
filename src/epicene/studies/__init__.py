"""Human studies: their design, files, collection of responses, analysis and web app.

A study folder holds `study.toml`, what is shown and asked, and `responses.sqlite`, what people
answered. `design` says what is asked, `exchange` reads and writes files, `collection` keeps what
people answer: these know no suite and no run. `analysis` and `web` build on both.
"""
