"""What a cell shows of an answer, and how it reads where none of our code runs (rules 21 and 22)."""

from __future__ import annotations

import json
import re
from typing import Any

import nbformat
import pytest
from builders import assistant, turn, user
from nbconvert import HTMLExporter
from render.reading import HOSTILE, VIEWERS, dangers, judged, text_of

from jupyter_history.notebook.answers import MIME, bundle, footer, price, text, which
from jupyter_history.transcript import TurnRecord, Usage


def answered(*content: str | dict[str, Any], **fields: Any) -> TurnRecord:
    blocks = [block if isinstance(block, dict) else {"type": "text", "text": block} for block in content]
    return turn("c", "k3x9ab", messages=(user("?"), assistant(blocks)), **fields)


def shown(record: TurnRecord, **options: Any) -> dict[str, Any]:
    return bundle(record, siblings=options.pop("siblings", ["k3x9ab"]), **options)


def test_a_bundle_is_markdown_text_and_our_json_and_never_html() -> None:
    made = shown(answered("An answer."))
    assert set(made) == {"text/markdown", "text/plain", MIME}
    assert made["text/plain"].startswith("An answer.\n")
    assert json.loads(json.dumps(made)) == made


def test_the_json_says_what_the_renderer_draws() -> None:
    record = answered("Yes.", parent="b00001", prompt="Is it?", model="offline", window=8000, context=4000, cost=0.0)
    data = shown(record, siblings=["a00001", "k3x9ab"], stored=True, notes=("A note.",), label="best")[MIME]
    assert data == {
        "v": 1,
        "id": "k3x9ab",
        "conversation": "c",
        "parent": "b00001",
        "siblings": ["a00001", "k3x9ab"],
        "outcome": "complete",
        "streaming": False,
        "stored": True,
        "model": "offline",
        "label": "best",
        "body": 4,
        "footer": "k3x9ab (best) · continues from b00001 · offline · 10 tokens in, 5 out · free · window 50 % full · "
        "stored answer, no call",
        "thinking": "",
        "notes": ["A note."],
        "question": "Is it?",
    }


@pytest.mark.parametrize("answer", ["plain", "an emoji 😀 counts twice", "```\nopen", "é\n\n"])
def test_body_counts_the_answer_in_utf_16_units(answer: str) -> None:
    made = shown(answered(answer), siblings=["a00001", "k3x9ab"], notes=("n",))
    units = made["text/markdown"].encode("utf-16-le")[: 2 * made[MIME]["body"]].decode("utf-16-le")
    rest = made["text/markdown"].removeprefix(units)
    assert units == {"```\nopen": "```\nopen\n```", "é\n\n": "é"}.get(answer, answer)
    assert rest.startswith("\n\n<sub>k3x9ab · starts the conversation")
    assert rest.endswith("answer 2 of 2</sub>\n\n<sub>n</sub>")


def test_the_footer_is_one_line_of_facts_rule_23() -> None:
    record = answered("x", outcome="stopped", cost=None, usage=Usage(4, 310, cache_read=1200), stop_reason="max_tokens")
    line = "k3x9ab · starts the conversation · offline · stopped · cut at its longest allowed length · "
    assert footer(record) == line + "1,204 tokens in (1,200 cached), 310 out · price unknown"


@pytest.mark.parametrize(
    ("cost", "told"),
    [(None, "price unknown"), (0.0, "free"), (0.00001, "under $0.0001"), (0.0093, "$0.0093"), (12.5, "$12.50")],
)
def test_a_price_is_told_as_a_reader_wants_it(cost: float | None, told: str) -> None:
    assert price(cost) == told


def test_an_only_answer_is_not_counted() -> None:
    assert which("a", ["a"]) == ""
    assert which("a", ["b", "a", "c"]) == "answer 2 of 3"


def test_thinking_is_folded_below_the_answer_and_not_in_its_body() -> None:
    made = shown(answered({"type": "thinking", "thinking": "Hm <script>x</script>", "signature": "s"}, "Yes."))
    assert made[MIME]["thinking"] == "Hm <script>x</script>"
    assert made[MIME]["body"] == 4
    for render in VIEWERS.values():
        html = render(made["text/markdown"])
        assert dangers(html) == []
        assert re.search(r"<details><summary>thinking</summary>.*Hm &lt;script.*</details>.*<sub>", html, re.S)
    assert "Hm" not in made["text/plain"]


def test_a_terminal_gets_readable_text() -> None:
    record = answered("It costs $5.\x1b[2J", cost=0.5)
    assert text(record) == (
        "It costs $5.\\x1b[2J\n\n[k3x9ab · starts the conversation · offline · 10 tokens in, 5 out · $0.50]"
    )


def test_hostile_answers_are_harmless_in_an_exported_notebook() -> None:
    """A real notebook file, through `nbconvert --to html`: only what the template itself brings may run."""
    exported: list[str] = []
    for answers in (["Harmless."] * len(HOSTILE), HOSTILE):
        notebook = nbformat.v4.new_notebook()
        for answer in answers:
            record = answered(
                {"type": "thinking", "thinking": answer, "signature": "s"},
                answer,
                model='m"><script>alert(1)</script>',
                prompt=answer,
            )
            made = shown(record, notes=(answer[:200],), label="<b onclick=x>")
            output = nbformat.v4.new_output("display_data", data=made)
            notebook.cells.append(nbformat.v4.new_code_cell("%%chat\n?", outputs=[output]))
        nbformat.validate(notebook)
        html, _ = HTMLExporter().from_notebook_node(notebook)
        exported.append(html[html.index("<body") :])
    benign, hostile = (judged(html).dangers for html in exported)
    assert [danger for danger in hostile if danger not in benign] == []
    assert hostile.count("<script>") == benign.count("<script>")


def test_prices_stay_prices_in_an_exported_notebook() -> None:
    html = VIEWERS["nbconvert"](shown(answered("It costs $5 and $6, and $x^2$."))["text/markdown"])
    assert "<span>$</span>5 and <span>$</span>6, and $x^2$." in html
    assert text_of(html).startswith("It costs $5 and $6, and $x^2$.")
