"""Rule 21: what a model wrote is never run or rendered as trusted HTML, and stays readable."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from render.reading import HOSTILE, VIEWERS, dangers, text_of

from jupyter_history.notebook.markdown import Safe, safe

PIECES = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</pre>", "</code>", "<b", "<!--", "-->", "<?x", "]]>",
    "[x](javascript:alert(1))", "[x](Java&#115;cript&colon;x)", "![i](http://e/i.png)", "![i][r]", "[x][r]", "[r]",
    "[r]: javascript:alert(1)\n", "[r]: <javascript:x> 'x'\n", "[ok]: http://x.y\n", "[ok]", "<http://a.b>", "<a@b.c>",
    "<javascript:alert(1)>", "`", "``", "```", "````", "```html\n", "~~~\n", "```mermaid\n", "\n", "\n\n", "    ", "  ",
    "\t", " ", "- ", "* ", "1. ", "> ", "# ", "| a | b |\n|--|--|\n", "|", "$", "$$", "$x$", "$5", "\\", "\\(", "\\)",
    "\\[", "\\]", "\\\\[", "\\\\]", "\\begin{a}", "\\end{a}", "\\href{javascript:x}{y}", "word ", "*", "_", "[", "]",
    "(", ")", "](", "][", "]:", "!", "<", ">", "&", "&lt;", '"', "===\n", "---\n", "\u202e", "é", "😀", "[^1]: x",
    "@@0@@", "\r", "\x0c", "\xa0", "{", "}", "\n\n```html\n<img src=x onerror=alert(1)>\n```\n\n", "`$$`",
    "$\\begin{a}$", "```\n$$ \\end{a}<img src=x onerror=alert(1)>\n```\n", "- a\n\n",
    "> ```\n> <img src=x onerror=alert(1)>\n",
]  # fmt: skip
answers = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("answer", HOSTILE, ids=lambda answer: answer[:24])
def test_a_hostile_answer_is_harmless_in_every_viewer(answer: str, viewer: str) -> None:
    render = VIEWERS[viewer]
    assert dangers(render(safe(answer) + "\n\n<sub>footer</sub>")) == []


@settings(max_examples=150, deadline=None)
@given(answers, st.floats(0, 1))
def test_no_answer_yields_anything_dangerous_whole_or_while_it_streams(answer: str, part: float) -> None:
    streamed = Safe()
    partial = streamed(answer[: int(len(answer) * part)])
    for shown in (safe(answer), partial, streamed(answer), safe(safe(answer))):
        for render in VIEWERS.values():
            assert dangers(render(shown + "\n\n<sub>footer</sub>")) == []


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_text_at_all_is_taken(text: str) -> None:
    for render in VIEWERS.values():
        assert dangers(render(safe(text))) == []


def test_raw_html_stays_readable() -> None:
    for render in VIEWERS.values():
        assert "<b onclick=x>bold</b> & <script>alert(1)</script>" in text_of(
            render(safe("<b onclick=x>bold</b> & <script>alert(1)</script>"))
        )


@pytest.mark.parametrize(
    "plain",
    [
        "# Heading\n\nA *word*, a **strong** one, `code`, a [link](https://e.org/a_b?x)\n\n- one\n- two\n  - three\n",
        "```python\nif a < b:\n    print(d['a'][0])\n```\n\nText after it.",
        "| a | b |\n|---|---|\n| 1 | `x` |\n",
        "> quoted\n\n1. first\n2. second\n\n---\n\nLast, with a <3 and 1 < 2.",
        "$x^2$, the $n$th, $$\\sum_i x_i$$ and\n\n$$\na\n= b\n$$\n",
        "An array `a[0]` and a footnote [1].",
        "",
    ],
)
def test_what_needs_no_change_stays_as_it_was_written(plain: str) -> None:
    assert safe(plain) == plain


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 and $6.", "US$5-$6", "$1,000 to $2,000", "$HOME/$USER", "from $5 to 10$ more", "\\$5 and \\$6",
        "$ 5 $", "earn $$$ now", "($5) or ($6)", "$x and $y",
    ],
)  # fmt: skip
def test_money_is_no_formula(text: str) -> None:
    shown = safe(text)
    assert "$" not in shown, "no viewer's formula scanner finds a dollar"
    for render in VIEWERS.values():
        assert text_of(render(shown)).strip() == text.replace("\\$", "$")
        assert all(alone in ("$", "$$$") for alone in re.findall(r"[$]+", render(shown)))
        assert render(shown).count("<span>") == len(re.findall(r"[$]+", text)), "each dollar stands alone in an element"


@pytest.mark.parametrize("formula", ["$x$", "$x+y$", "$5$", "$3n$", "$10^{-3}$", "$$x$$", "$a_1, a_2$", "$P(A|B)$"])
def test_a_formula_stays_one(formula: str) -> None:
    assert safe(f"Let {formula} be. It costs $5.") == f"Let {formula} be. It costs <span>&#36;</span>5."


def test_a_formula_in_brackets_gets_the_dollars_that_notebooks_know() -> None:
    assert safe("Let \\(x^2\\) be") == "Let $x^2$ be"
    assert safe("\\[\nx\n= y\n\\]") == "$$x\n= y$$"


def test_a_formula_with_a_sign_before_a_letter_keeps_its_meaning() -> None:
    assert safe("$a<b$") == "$a\\lt b$"


def test_links_keep_their_address_and_others_are_shown_as_text() -> None:
    assert safe("[x](https://e.org/a) <https://e.org>") == "[x](https://e.org/a) [https://e.org](https://e.org)"
    assert text_of(VIEWERS["commonmark"](safe("[x](javascript:alert(1))"))) == "[x] (javascript:alert(1))\n"
    assert safe("[x]\n\n[x]: https://e.org/ref") == "[x](https://e.org/ref)\n\n"


def test_a_remote_image_becomes_a_link() -> None:
    assert safe("![cat](https://e.org/cat.png)") == "[image: cat](https://e.org/cat.png)"


def test_an_open_fence_is_closed() -> None:
    assert safe("```python\nx = 1") == "```python\nx = 1\n```"
    assert safe("1. a\n   ```\n   x") == "1. a\n   ```\n   x\n   ```"


def test_code_at_the_margin_stays_verbatim() -> None:
    code = "```html\n<b>$5</b>\n```"
    assert safe(f"Text.\n\n{code}\n\nMore.") == f"Text.\n\n{code}\n\nMore."


def test_direction_overrides_are_visible() -> None:
    assert safe("a\u202eb `\u2066`") == "a\\u202Eb `\\u2066`"


def test_terminal_escapes_are_visible() -> None:
    assert safe("a\x1b[2Jb") == "a\\x1b[2Jb"


@pytest.mark.parametrize("piece", ["[", "![", "<a ", "$a", "`a``b", "\\(", "[a](", "> ", "- ", "\\begin{a}", "[a\n"])
def test_a_huge_answer_takes_linear_time(piece: str) -> None:
    seconds = []
    for size in (25_000, 100_000):
        started = time.process_time()
        safe(piece * (size // len(piece)))
        seconds.append(time.process_time() - started)
    assert seconds[1] < max(1.0, 12 * seconds[0])


def test_streaming_shows_what_the_whole_would_and_reads_only_the_tail() -> None:
    part = "Some **text** with `code`, [a link](https://e.org) and $5.\n\n- one\n- two\n\n```python\nx < y\n```\n\n"
    answer = part * 150
    streamed = Safe()
    started = time.process_time()
    for end in range(0, len(answer), len(answer) // 200):
        streamed(answer[:end])
    each = (time.process_time() - started) / 200
    assert streamed(answer) == safe(answer)
    started = time.process_time()
    safe(answer)
    assert each < (time.process_time() - started) / 3
