"""What mark-up, placeholders, addresses and escapes look like."""

from __future__ import annotations

import regex

# Nothing is protected in a text without any of these; most texts have none.
HINT = regex.compile(
    r"[<&{%$\\*_`@#/\[~\u00ad\u200b\u2060]|''|\.[a-z]{2,5}\b|\bwww\.|\"\s*:|=[\"\']", regex.IGNORECASE
)

_EXTENSIONS = (
    "apk|arb|bat|bmp|cfg|conf|cpp|css|csv|dll|dmg|docx?|exe|ftl|gif|gz|html?|ini|ipynb|jar|java|jpe?g"
    "|js|json|jsonl|jsx|kt|log|mov|mp[34]|odt|pdf|php|png|pot?|pptx?|py|rar|rtf|scss|sh|sql|srt"
    "|strings|svg|swift|tar|toml|tsv|tsx?|ttf|txt|vtt|wav|webm|webp|xcstrings|xlf|xliff|xlsx?|xml"
    "|ya?ml|zip"
)
_DOMAIN = r"(?:[\w\-]+\.)+(?:com|org|net|edu|gov|info|io)\b(?:/[^\s<>\"]*[\w/])?"
_IN_PATH = r"[\w.@%{}$\-]"
# A conversion is a format only where no word follows: "%s", "%ds", but not "%discount".
_CONVERSION = r"(?:[sd@](?!\p{L}{2})|[iufFeEgGaAxXocpn](?!\p{L}))"

# In this order; the first that matches at a place counts.
_KINDS = {
    "comment": r"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[|\]\]>|<![A-Za-z][^<>]*>",
    "control": r"\{%.*?%\}|\{\#.*?\#\}|<%(?!=).*?%>",
    "tag": (
        r"</?[A-Za-z][\w:.\-]*+(?:\s(?:[^<>\"']|\"[^\"]*\"|'[^']*')*+)?/?+>|</?\d+\s*/?>"
        r"|&lt;/?[A-Za-z][\w:.\-]*+(?:\s(?:(?!&[lg]t;)[^<>])*+)?/?+&gt;"
    ),
    "fence": r"(?m:^)```.*?```",
    "code": r"(?<![\w`])(?:``[^\n]{1,200}?``|`[^`\n]{1,200}`)(?![\w`])",
    "address": (
        r"(?i:\b(?:https?|ftps?|wss?|file)://|\bwww\.(?=\w))[^\s<>\"»”]*[\w/\#=&}+~\-]"
        r"|(?:\bmailto:)?(?<![\w.+\-])[\w.+\-]{1,64}@[\w\-]+(?:\.[\w\-]+)+"
        rf"|(?<![\w@.\-]){_DOMAIN}"
        r"|(?<!\w)[A-Za-z]:\\[^\s<>\"|?*]+|(?<![\w\\])\\\\[\w.$\-]+\\[^\s<>\"|?*]+"
        rf"|(?<![\w/<.:~])(?:~|\.{{1,2}})?/{_IN_PATH}+(?:/{_IN_PATH}*)+(?<![.])"
        rf"|(?<![\w.])(?:[\w\-]+/)*[\w\-][\w\-.]*\.(?:{_EXTENSIONS})\b(?!\.?\w)"
    ),
    "placeholder": (
        r"\{\{.{0,200}?\}\}\}?|[$\#%@]\{[^{}\n]{0,200}\}|\\\([\w.]+\)|<%=.*?%>"
        r"|\$t\([^()\n]*\)|\$[A-Z][A-Z0-9_]*\$|(?<![\w$])\$[a-z_]\w*(?:(?:->|\.)[a-z_]\w*)*"
        r"|%\([^()\s]{1,80}\)[\#0\-+]*\d*(?:\.\d+)?[A-Za-z]"
        r"|(?<!\d)%[A-Za-z_][\w.\-]*%|%\#@\w+@"
        r"|(?<!\d)%(?:\d+\$)?[\#0\-+]*\d*(?:\.\d+)?(?:hh?|ll?|[qjzLt])?"
        + _CONVERSION
        + r"|(?<![\d%])%L?\d{1,2}(?!\d)|(?<!\d)%[\-_]?[YmHMSBbAyjIZ](?!\p{L})"
        r"|\{\s*[\w.$\-]*\s*,\s*(?:number|date|time|duration|spellout|ordinal)\s*(?:,[^{}\n]*)?\}"
        r"|\{[^{}\s\"',;]{0,80}\}|\{\s+[\w.$\-]+(?:\([^{}()\n]*\))?\s+\}|\{\s*[A-Z]+\([^{}]*\)\s*\}"
    ),
    "literal": r"\{\s*\"[^\"{}\n]*\"\s*\}",  # Fluent
    "key": r"(?<=[{,]\s*)\"[^\"\\\n]*\"(?=\s*:)|(?m:^)\s*\"[^\"\s]+\"(?=\s*:)"  # JSON
    r"|(?<![\w\-])[A-Za-z][\w:\-]*=(?:\"[^\"\n]*\"|'[^'\n]*')",  # an attribute
    "quoted": r"'[{}](?:[^']|'')*+'",  # ICU
    "doubled": r"%%|''",
    "entity": r"&(?:\#\d{1,7}|\#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});",
    "escape": (
        r"\\u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}"
        r"|\\u(?:\{[0-9A-Fa-f]{1,6}\}|[0-9A-Fa-f]{4})|\\U[0-9A-Fa-f]{8}|\\x[0-9A-Fa-f]{2}"
        r"|\\[^\w\s]|\\[nrt]"
    ),
    "link": r"!?\[(?=[^\[\]\n]{0,500}\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?(?:\s+\"[^\"\n]*\")?\))",
    "target": r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?(?:\s+\"[^\"\n]*\")?\)",
    "bbcode": r"\[/?(?:b|i|u|s|url|color|size|quote)(?:=[^\[\]\n]*)?\]",
    "heading": r"(?m:^)\s{0,3}\#{1,6}\s+",
    # Seen as they are, but never edited: @handles, #tags, names_with_underscores.
    "name": (
        r"(?<![\w&@\#])[@\#][\p{L}_]\w*"
        r"|(?<!\w)(?:[a-z0-9]+(?:_[a-z0-9]+)+|[A-Z0-9]+(?:_[A-Z0-9]+)+)"
        r"(?<!_(?:in|innen|e|es|a|as|o|os|s|x|ne|te|le|ve|se|rice|trice|euse))(?!\w)"
    ),
    "count": r"\#(?!\p{L})",  # in the branches of a plural
    "invisible": r"[\u00ad\u200b\u2060]",
}
# A brace is looked at by its content first (a plural with branches), and only then by its shape.
PROTECTED = regex.compile(
    "|".join(
        [r"(?P<choice>\{(?=\s*[^{}\[\]]{1,200}(?:,\s*(?:plural|select)|->)))"]
        + [f"(?P<{kind}>{pattern})" for kind, pattern in _KINDS.items()]
    ),
    regex.DOTALL,
)
EMPHASIS = (
    regex.compile(r"(\*{2,3})(?=[^\s*])((?:[^*\n]|\*(?!\*))+?)(?<=\S)\1(?!\*)"),
    regex.compile(r"(?<!\w)(_{2,3})(?=[^\s_])((?:[^_\n]|_(?!_))+?)(?<=\S)\1(?!\w)"),
    regex.compile(r"(~~)(?=[^\s~])([^~\n]+?)(?<=\S)\1"),
    regex.compile(r"(?<![\w*\\])(\*)(?=[^\s*])([^*\n]+?)(?<=[^\s*\\])\1(?![\w*])"),
    regex.compile(r"(?<![\w\\])(_)(?=[^\s_])([^_\n]+?)(?<=[^\s_\\])\1(?!\w)"),
)
TAG = regex.compile(r"(?:<|&lt;)(/?)([\w:.\-]+?)(\s.*?)?(/?)(?:>|&gt;)", regex.DOTALL)
ATTRIBUTES = regex.compile(
    r"(?:\s+[\w:.@\-]+(?:\s*=\s*(?:\\?\".*?\"|\\?'.*?'|&quot;.*?&quot;|[^\s\"'=<>]+))?)*\s*/?"
)
# A number stands for these.
NUMBER = regex.compile(
    r"%(?:\d+\$)?[\#0\-+]*\d*(?:\.\d+)?(?:hh?|ll?|[qjzLt])?[diufFeEgGn]|%[\-_]?[YmHMSyj]|\{.*,\s*(?:number|ordinal)\b.*\}|%\([^()]*\)[\#0\-+\d.]*[difg]",
    regex.DOTALL,
)

# Tags that only mark up the words inside them, or between which nothing is said.
INLINE = frozenset(
    "a abbr acronym b bdi bdo bdt big bpt bx cite data del dfn ec em ep ept ex f font g hi i ins it label"
    " mark mrk pc q rt ruby s sc seg small span strike strong sub sup time tt u ut wbr xliff:g".split()
)
# Tags that begin or end a text of its own.
BLOCK = frozenset(
    "address article aside blockquote body button caption center dd details dialog div dl dt fieldset"
    " figcaption figure footer form h1 h2 h3 h4 h5 h6 head header html legend li main menu nav ol"
    " optgroup option p pre section select source summary table target tbody td textarea tfoot th"
    " thead title tr ul".split()
)
BREAK = frozenset({"br", "hr"})
# What they enclose is no text: a formatting code of another file, nothing to read, or code.
NATIVE = frozenset("bpt ept it".split())
NO_TEXT = frozenset("math script style svg template".split())
WITH_CODE = NATIVE | NO_TEXT | frozenset("code kbd ph samp var".split())
KNOWN = INLINE | BLOCK | BREAK | WITH_CODE | {"x", "img", "input"}
