"""Every rule of docs/rules.md is named by a test of it: a module ("rule 9"), a docstring or a test's own name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

DOCUMENT = Path(__file__).parents[1] / "docs" / "rules.md"
RULES = {int(number) for number in re.findall(r"^(\d+)\. ", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)}
LISTED = re.compile(r"\brules?[ _](\d+(?:(?:,|_and_|_| and| to) ?\d+)*)", re.IGNORECASE)


def numbers(text: str) -> set[int]:
    """The rules that a text names: rule 9, rules 1, 2 and 5, rules 13 to 19, test_rules_12_and_18_..., ..._rule_24."""
    found: set[int] = set()
    for listed in LISTED.findall(text.replace("_rule", " rule")):
        for first, last in re.findall(r"(\d+) to (\d+)", listed):
            found.update(range(int(first), int(last)))
        found.update(int(number) for number in re.findall(r"\d+", listed))
    return found


def headings(file: Path) -> Iterator[str]:
    """What the tests of a file say they are about."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    yield ast.get_docstring(tree) or ""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield f"{node.name}\n{ast.get_docstring(node) or ''}"


def test_every_rule_is_named_by_a_test() -> None:
    files = [file for file in Path(__file__).parent.rglob("test_*.py") if file != Path(__file__)]
    named = {number for file in files for text in headings(file) for number in numbers(text)}
    assert sorted(RULES) == list(range(1, 26))
    assert sorted(RULES - named) == [], "these rules have no test that names them"
    assert sorted(named - RULES) == [], "there are no such rules"


def test_however_they_are_listed() -> None:
    assert numbers("Rules 1, 2, 3, 5: and rule 9") == {1, 2, 3, 5, 9}
    assert numbers("(rules 13 to 15 and 21)") == {13, 14, 15, 21}
    assert numbers("test_rules_12_and_18_hold test_rules_8_11_12_for test_of_a_rule_24") == {8, 11, 12, 18, 24}
