r"""What a model wrote, made harmless as Markdown (rule 21) and still readable: `safe` for a text, `Safe` for a stream.

Viewers disagree about Markdown, and an export trusts it. So the rule is not "what our parser calls HTML is escaped":
what comes out is harmless *whichever way it is read*. Three statements carry that, and hold for every output:

1. Outside fenced code at the left margin, a `<` that could open a tag is one of our own (`span`, `code`, `pre`);
   all others are entities. No `](`, `][` or `]:` is left but in the links that we wrote.
2. Every link that we wrote has an allowed scheme and an address that needs no further parsing.
3. Fenced code at the left margin is verbatim: closed, set off by blank lines, its fence longer than any run inside,
   and nothing outside can swallow its first line (`$$`, `\begin`, `\\[` stand in closed pairs only).

A real parser (markdown-it) says where code, links, images and formulas are; its inline rules note their positions in
the source, so what needs no change stays as it was written. A dollar that starts no formula (see `formula`) becomes
`<span>&#36;</span>`, which JupyterLab, nbconvert, GitHub and a plain viewer all show as a dollar and typeset nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from .formula import formula_end, written

SCHEMES = ("http", "https", "mailto")
MARKS = 2000
"""A paragraph with more brackets, dollars and the like than this is no text; nothing is looked for in it."""

_BIDI = [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_CONTROL = [*(n for n in range(0x20) if n not in (0x09, 0x0A)), *range(0x7F, 0xA0)]
_VISIBLE = {n: f"\\u{n:04X}" for n in _BIDI} | {n: f"\\x{n:02x}" for n in _CONTROL}
_VISIBLE |= dict.fromkeys([*range(0xD800, 0xE000), *range(0xFDD0, 0xFDF0)], "\ufffd")

_SPACES = [0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000]
_STAND_INS = dict(zip(_SPACES, range(0xFDD0, 0xFDF0), strict=False))
"""Spaces that the parser would strip from a paragraph, and with them whole lines: noncharacters stand in for them."""
_BACK = {stand_in: space for space, stand_in in _STAND_INS.items()}

_SPECIAL = re.compile(r"[\[\]<`$\\~]")
_TAG = re.compile(r"<(?![ \t\n\d=])")
_JOINT = re.compile(r"\](?=[(\[:])")
_IMAGE = re.compile(r"!(?=\[)")
_OPENER = re.compile(r"\\(?=(?:begin|end)\{|\\*[\[\]()])")
_FENCE_LIKE = re.compile(r"^([ \t]*)([`~])(?=\2\2)", re.M)
_RISKY_CODE = re.compile(r"<[A-Za-z/!?]|\][(\[]|^\W*\[[^\]\n]*\]:|\$\$|\\(?:begin|end)\{|\\\\[\[\]()]", re.M)
_MARKUP = re.compile(r"[<>&\[\]`*_\\$~|!#]")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_UNPLAIN = re.compile(r"[^A-Za-z0-9\-._~:/?#@!&+,;=%]")
_RUN = re.compile(r"`+")
_WORD = re.compile(r"[\w+#.-]*", re.A)
_CONTAINER = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*")


def visible(text: str) -> str:
    """`text` with bare newlines at the ends of lines; controls and direction overrides are written as escapes."""
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_VISIBLE)


def safe(markdown: str) -> str:
    """`markdown` in a form that runs nothing, fetches nothing and links only where it says, in any viewer."""
    return _clean(visible(markdown), {})[0]


def safe_line(text: str) -> str:
    """`text` on one line, harmless, to stand inside a paragraph."""
    return _inline(" ".join(visible(text).split()), {})


class Safe:
    """`safe` for an answer that grows: only what stands after the last finished block is read again.

    What a later line decides (a link defined further down) may look different until the answer is finished and `safe`
    reads it whole; it is as harmless all the while.
    """

    def __init__(self) -> None:
        self._read = 0
        self._done = ""
        self._env: dict[str, Any] = {}

    def __call__(self, markdown: str) -> str:
        """The harmless form of `markdown`, which begins with what the call before was given."""
        tail = visible(markdown)[self._read :]
        shown, finished, lines = _clean(tail, self._env)
        shown = self._done + shown
        if lines:
            self._done += finished
            self._read += sum(len(line) + 1 for line in tail.split("\n", lines)[:lines])
            self._env["continued"] = True
        return shown


# -- the parser: CommonMark, and its rules say where they found what -----------------------------------------------


class _Span(NamedTuple):
    """A construct in an inline text: where it stands, where its label ends, its address."""

    start: int
    end: int
    kind: str
    label: int = 0
    href: str = ""


_Rule = Callable[[StateInline, bool], bool]
_BlockRule = Callable[[StateBlock, int, int, bool], bool]


def _noted(kind: str, rule: _Rule) -> _Rule:
    def noted(state: StateInline, silent: bool) -> bool:
        start, made = state.pos, len(state.tokens)
        if not rule(state, silent):
            return False
        if not silent and state.src is state.env["source"]:
            label = 0
            if kind in ("link", "image"):
                label = state.md.helpers.parseLinkLabel(state, start + (kind == "image"), kind == "link")
            attrs = (token.attrs for token in state.tokens[made:] if token.type in ("link_open", "image"))
            href = next((str(a.get("href", a.get("src", ""))) for a in attrs), "")
            state.env["spans"].append(_Span(start, state.pos, kind, label, href))
        return True

    return noted


def _formula(state: StateInline, silent: bool) -> bool:
    """A formula, or dollars that start none."""
    start, src = state.pos, state.src
    if src[start] not in "$\\":
        return False
    end, kind = formula_end(src, start, state.posMax), "formula"
    if not end:
        if src[start] == "\\":
            return False
        end, kind = start + 1, "dollar"
        while end < state.posMax and src[end] == "$":
            end += 1
    if not silent and src is state.env["source"]:
        state.env["spans"].append(_Span(start, end, kind))
    state.pos = end
    return True


def _formula_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A formula on lines of its own: what these begin with (`=`, `-`, `+`) is TeX, not Markdown."""
    at = state.bMarks[start] + state.tShift[start]
    if not state.src.startswith(("$$", "\\[", "\\begin{"), at) or state.is_code_block(start):
        return False
    line = start
    while line < end and not state.isEmpty(line) and state.sCount[line] >= state.blkIndent:
        line += 1
    text = state.getLines(start, line, state.blkIndent, False).strip()
    stop = formula_end(text, 0, len(text)) if text else 0
    if not stop or text[stop:].split("\n", 1)[0].strip(" \t.,;"):
        return False
    if not silent:
        state.line = start + text.count("\n", 0, stop) + 1
        token = state.push("inline", "", 0)
        token.content = state.getLines(start, state.line, state.blkIndent, False).strip()
        token.map = [start, state.line]
        token.children = []
    return True


def _definition(rule: _BlockRule) -> _BlockRule:
    """Link definitions: we write every link out, so their lines are noted and go."""

    def noted(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        found = rule(state, start, end, silent)
        if found and not silent:
            for line in range(start, state.line):
                state.env["defined"][line] = state.eMarks[line] - state.bMarks[line] - state.tShift[line]
        return found

    return noted


@cache
def _blocks() -> MarkdownIt:
    """CommonMark's blocks and tables; raw HTML is text to us, and what we write keeps it text."""
    md = MarkdownIt("commonmark", {"html": False, "maxNesting": 100}).enable("table").disable("html_block")
    md.validateLink = lambda url: True  # type: ignore[method-assign]  # links that we refuse must be seen as links
    block = {rule.name: rule.fn for rule in md.block.ruler.__rules__}
    md.block.ruler.at("reference", _definition(block["reference"]))
    md.block.ruler.before("table", "formula_block", _formula_block, {"alt": ["paragraph"]})
    return md


@cache
def _inlines() -> MarkdownIt:
    """CommonMark's inline rules but emphasis and entities, which need no change. Little nesting: its cost is steep."""
    md = MarkdownIt("commonmark", {"html": False, "maxNesting": 10})
    md.disable(["html_inline", "emphasis", "entity", "newline"])
    md.validateLink = lambda url: True  # type: ignore[method-assign]
    md.inline.terminator_re = re.compile(r"[!\[\]<`$\\]")
    rules = {rule.name: rule.fn for rule in md.inline.ruler.__rules__}
    for name in ("escape", "backticks", "link", "image", "autolink"):
        md.inline.ruler.at(name, _noted(name, rules[name]))
    md.inline.ruler.before("escape", "formula", _formula)
    return md


# -- blocks ------------------------------------------------------------------------------------------------------------


def _clean(text: str, env: dict[str, Any]) -> tuple[str, str, int]:
    """The harmless form of `text`; that of its finished blocks; how many lines these take."""
    env["defined"] = {}
    text = text.translate(_STAND_INS)
    ended = text.endswith("\n")
    lines: list[str | None] = [*text.split("\n")]
    if ended:
        lines.pop()
    tokens: list[Token] = []
    md = _blocks()
    md.block.parse(text if ended else text + "\n", md, env, tokens)
    whole = len(lines) - (not ended)
    open_: set[int] = set(range(len(lines)))
    last = 0
    row: list[Token] | None = None
    for token in tokens:
        if token.map is None:
            if token.type == "tr_close" and row:
                _table_row(lines, row, env)
                row = None
            continue
        start, end = token.map
        if token.level == 0 and last < start < whole:
            last = start
        if token.type == "tr_open":
            row = []
        elif token.type == "inline" and row is not None:
            row.append(token)
        elif token.type == "inline":
            _put(lines, token, _inline(token.content, env))
        elif token.type in ("fence", "code_block"):
            _code(lines, token, env)
        elif token.type not in ("hr", "table_open"):
            continue
        open_.difference_update(range(start, end))
    for line, length in env["defined"].items():
        lines[line] = (lines[line] or "")[: -length or None]
        open_.discard(line)
    for line in open_:  # what the parser gave up on (nested too deep), and blank lines
        lines[line] = _plain(lines[line] or "")
    finished = "".join(f"{line}\n" for line in lines[:last] if line is not None)
    shown = "\n".join(line for line in lines if line is not None)
    return shown.translate(_BACK) + "\n" * ended, finished.translate(_BACK), last


def _put(lines: list[str | None], token: Token, new: str) -> None:
    """Write `new` where the token's text stood, line by line, between what its containers wrote around it."""
    if new == token.content or token.map is None:
        return
    before, after = token.content.split("\n"), new.split("\n")
    for n, piece in enumerate(before):
        line = token.map[0] + n
        raw = lines[line] or ""
        at = raw.rfind(piece)
        if at < 0:  # the parser split a tab
            piece = piece.strip()
            at = raw.rfind(piece)
        if at < 0:
            at, piece = len(_container(raw)), raw
        lines[line] = raw[:at] + after[n] + raw[at + len(piece) :] if n < len(after) else None


def _container(line: str) -> str:
    """What quotes and lists wrote at the start of a line, as far as it looks so."""
    found = _CONTAINER.match(line)
    return found[0] if found else ""


def _table_row(lines: list[str | None], cells: list[Token], env: dict[str, Any]) -> None:
    new = [_inline(cell.content, env) for cell in cells]
    if cells[0].map and new != [cell.content for cell in cells]:
        line = cells[0].map[0]
        row = " | ".join(cell.replace("|", "\\|") for cell in new)
        lines[line] = f"{_container(lines[line] or '')}| {row} |"


def _code(lines: list[str | None], token: Token, env: dict[str, Any]) -> None:
    """Close what is open; give code that another reading could make live a form that has only one reading."""
    assert token.map is not None
    start, end = token.map
    raw = [line or "" for line in lines[start:end]]
    content = token.content.removesuffix("\n").split("\n")
    fenced = token.type == "fence"
    at = raw[0].find(token.markup if fenced else content[0])
    prefix = raw[0][:at] if at >= 0 else _container(raw[0])
    if not fenced:
        prefix = prefix.expandtabs(4).removesuffix("    ")
    inner = re.sub(r"[^\s>]", " ", prefix)
    if not _RISKY_CODE.search("\n".join(raw)):
        if fenced and token.content.count("\n") != end - start - 2:
            lines[end - 1] = f"{lines[end - 1]}\n{inner}{token.markup}"
        return
    if token.level == 0:
        run = max((len(found) for found in _RUN.findall(token.content)), default=0)
        fence = "`" * max(3, run + 1)
        language = (_WORD.match(token.info.strip()) or [""])[0]
        if language.lower().startswith("mermaid"):  # nbconvert writes these out as HTML
            language = "text"
        before = "\n" if (start and lines[start - 1] != "") or (not start and "continued" in env) else ""
        after = "\n" if end < len(lines) and lines[end] != "" else ""
        new = "\n".join([f"{before}{fence}{language}", *content, f"{fence}{after}"])
    else:
        new = f"{prefix}<pre><code>" + f"\n{inner}".join(map(encoded, content)) + "</code></pre>"
    lines[start:end] = [new, *[None] * (end - start - 1)]


# -- inline ------------------------------------------------------------------------------------------------------------


def _inline(content: str, env: dict[str, Any]) -> str:
    if not _SPECIAL.search(content):
        return content
    if sum(1 for _ in _SPECIAL.finditer(content)) > MARKS:
        return _plain(content)
    env["source"], env["spans"] = content, []
    md = _inlines()
    md.inline.tokenize(StateInline(content, md, env, []))
    spans = sorted(env["spans"])
    return _no_fence(_rewritten(content, spans, 0, len(content)))


def _no_fence(text: str) -> str:
    return _FENCE_LIKE.sub(lambda found: f"{found[1]}&#{ord(found[2])};", text)


def _plain(text: str) -> str:
    """Text in which nothing is looked for: no link, no formula."""
    return _no_fence(_text(text.replace("$", "&#36;"), ""))


def _rewritten(src: str, spans: list[_Span], start: int, end: int) -> str:
    """The text between `start` and `end`, each construct in it in its harmless form."""
    out = []
    for span in spans:
        if start <= span.start < end:
            out += [_text(src[start : span.start], src[span.start]), _construct(src, spans, span)]
            start = span.end
    out.append(_text(src[start:end], ""))
    return "".join(out)


def _text(text: str, following: str) -> str:
    """Plain text. `following` is what comes after it: a link must not find a `!` or a `]` before it."""
    text = _OPENER.sub("&#92;", _IMAGE.sub("&#33;", _JOINT.sub("&#93;", _TAG.sub("&lt;", text))))
    return text[:-1] + encoded(text[-1]) if following and text.endswith(("]", "!")) else text


def _construct(src: str, spans: list[_Span], span: _Span) -> str:
    piece = src[span.start : span.end]
    if span.kind == "formula":
        return written(piece)
    if span.kind == "dollar":
        return f"<span>{'&#36;' * len(piece)}</span>"
    if span.kind == "escape":
        if src.startswith(("\\begin{", "\\end{"), span.start):  # an environment that is no formula
            return encoded("\\") + piece[1:]
        following = src[span.end : span.end + 1]
        risky = piece[1:] in ("<", "$") or (piece[1:] == "]" and following in ("(", "[", ":")) or piece == "\\\\"
        return ("<span>&#36;</span>" if piece == "\\$" else encoded(piece[1:])) if risky else piece
    if span.kind == "backticks":
        run = len(piece) - len(piece.lstrip("`"))
        if run == len(piece) or (run < 3 and not _RISKY_CODE.search(piece)):
            return piece
        code = piece[run:-run].replace("\n", " ")
        if code.startswith(" ") and code.endswith(" ") and code.strip():
            code = code[1:-1]
        return f"<code>{encoded(code)}</code>"
    if span.kind == "image":
        label = "image: " + encoded(src[span.start + 2 : span.label]) if span.label > span.start + 2 else "image"
    elif span.kind == "autolink":
        label = encoded(piece[1:-1])
    else:
        inside = [inner for inner in spans if span.start < inner.start < span.label]
        label = _rewritten(src, inside, span.start + 1, span.label)
    scheme = _SCHEME.match(span.href)
    if scheme and scheme[1].lower() in SCHEMES:
        address = _UNPLAIN.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), span.href)
        address = re.sub(r"&(?=#?\w+;)", "&amp;", address)
        return f"[{label or encoded(address)}]({address})"
    address = span.href if len(span.href) <= 200 else span.href[:199] + "…"
    return f"&#91;{label}&#93; ({encoded(address)})"


def encoded(text: str) -> str:
    """`text` on one line, with every character that Markdown or HTML gives a meaning written as an entity."""
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", text.replace("\n", " "))
