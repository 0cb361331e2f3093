"""What a cell shows of tool calls: a line with name and arguments, the result folded, nothing of it trusted."""

from __future__ import annotations

from jupyter_history.model.scripted import Scripted
from jupyter_history.notebook import calls
from jupyter_history.notebook.live import Display
from jupyter_history.session.session import Session


def test_a_call_is_a_line_with_its_result_folded_under_it(session: Session, script: Scripted) -> None:
    session.tools.add(lambda a, b: a + b, name="add")
    script.tool_call("add", {"a": 2, "b": 40}, text="Let me see.").reply("It is 42.")
    bundle = session.send("what is 2 + 40?").bundle()
    shown = bundle["text/markdown"]
    assert shown.index("Let me see.") < shown.index("<details><summary>add(a=2, b=40) → 42</summary>")
    assert shown.index("</details>") < shown.index("It is 42.")
    assert "▸ `add(a=2, b=40)` → 42" in bundle["text/plain"]


def test_rule_21_nothing_in_a_call_or_a_result_is_html(session: Session, script: Scripted) -> None:
    bad = "<img src=x onerror=alert(1)> ``` </details><script>alert(2)</script>"
    session.tools.add(lambda what: bad + "\n" + bad, name="read")
    script.tool_call("read", {"what": bad}, text=f"I read. {bad[:28]}").reply("done <script>alert(3)</script>")
    shown = session.send("go").bundle()["text/markdown"]
    outside, fence = [], ""
    for line in shown.splitlines():
        if not fence and line.startswith("```"):
            fence = line
        elif line == fence:
            fence = ""
        elif not fence:
            outside.append(line)
    text = "\n".join(outside)
    assert "<img" not in text
    assert "<script" not in text
    assert text.count("<details>") == text.count("</details>") == 1


def test_a_failure_says_so_on_its_line() -> None:
    content = [{"type": "text", "text": "ValueError: no"}]
    assert calls.line("f", {"x": "`"}, calls.outcome(content, True)) == "▸ `f(x=''')` failed: ValueError: no"


def test_long_arguments_are_cut() -> None:
    assert len(calls.signature("f", {"x": "y" * 10_000})) < 150


def test_a_terminal_shows_what_runs(session: Session, script: Scripted, capsys) -> None:  # type: ignore[no-untyped-def]
    session.tools.add(lambda a: a, name="same")
    script.tool_call("same", {"a": 7}).reply("done")
    display = Display()
    display.finish(session.send("go", watch=display.watch))
    out = capsys.readouterr().out
    assert "[runs same(a=7)]" in out
    assert "→ 7 · 0.0 s" in out
    assert "done" in out
