"""Instructions and consent as HTML: a safe subset of Markdown.

Paragraphs, lists, headings, emphasis, code, quotes (for examples), tables and links to web pages.
HTML, images and other addresses are shown as they are written.
"""

from __future__ import annotations

from functools import lru_cache

from markdown_it import MarkdownIt
from markupsafe import Markup

_RULES = (
    *("list", "heading", "blockquote", "hr", "table"),
    *("emphasis", "backticks", "link", "escape", "newline"),
)
_LINKS = ("https://", "http://", "mailto:")


def _parser() -> MarkdownIt:
    parser = MarkdownIt("zero", {"html": False}).enable(_RULES)
    parser.validateLink = lambda url: url.lower().startswith(_LINKS)  # type: ignore[method-assign]
    return parser


_PARSER = _parser()


@lru_cache(maxsize=256)
def render_markdown(text: str) -> Markup:
    """The text as HTML; its headings are below those of the page."""
    tokens = _PARSER.parse(text.strip())
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 1, 6)}"
        for inner in token.children or ():
            if inner.type == "link_open":
                inner.attrSet("rel", "noreferrer noopener")
                inner.attrSet("target", "_blank")
    rendered: str = _PARSER.renderer.render(tokens, _PARSER.options, {})
    return Markup(rendered)  # noqa: S704 (the parser escapes HTML)
