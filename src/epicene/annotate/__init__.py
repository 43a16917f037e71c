"""Human studies: drawing one from runs or data, keeping what people answer, reading it back.

A study folder holds `study.toml`, what is shown and asked, and `responses.sqlite`, what was
answered. The rooms below know what a study is (`studies`) and what a suite makes of it
(`suites`); this one puts them together with folders and runs.

People judge at a `desk`, which they enter through the `reception` by signed `tokens`; `assignment`
says who gets what, and the `ledger` remembers it. `pages` puts the desk on the web.
"""
