"""The pages where people judge: a small web server over the desk.

`server` runs it, `app` puts it together, `guard` lets in who may come in, `person`, `api` and
`owner` hold the pages of each; `views` says what stands on a page, `forms` reads what comes back.
"""
