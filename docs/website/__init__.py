"""Builds the documentation site into `build/site`: `make docs`.

Pages are staged in `build/docs` first: those of `docs`, a few of the repository's root, and the
reference and the examples, which are generated from the code. Then Zensical builds the site.
"""
