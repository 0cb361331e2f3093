"""The reference pages are those that the code makes."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
sys.path.append(str(DOCS))
reference = importlib.import_module("reference")


@pytest.mark.parametrize("name", reference.PAGES)
def test_a_reference_page_is_what_the_code_says(name: str) -> None:
    stored = (DOCS / "reference" / name).read_text(encoding="utf-8")
    assert stored == reference.PAGES[name]().rstrip() + "\n", "run: python docs/reference.py"


def test_every_variable_of_the_environment_is_described() -> None:
    assert reference.variables() == set(reference.ENVIRONMENT)
