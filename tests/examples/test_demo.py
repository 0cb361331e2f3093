"""`./dev demo` never takes work away."""

from __future__ import annotations

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def dev() -> Any:
    """The script, as a module."""
    loader = SourceFileLoader("dev", str(ROOT / "dev"))
    spec = spec_from_loader("dev", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_a_demo_begins_in_an_empty_folder_and_keeps_what_was_done_in_the_last(
    dev: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    demo = tmp_path / "demo"
    dev.begin_anew(demo)
    for n in range(3):  # within one second, too
        (demo / "quickstart.ipynb").write_text(f"work {n}")
        (demo / "history.db").write_text(f"answers {n}")
        dev.begin_anew(demo)
        assert list(demo.iterdir()) == []
    kept = sorted(tmp_path.glob("demo-*"))
    assert sorted((folder / "quickstart.ipynb").read_text() for folder in kept) == ["work 0", "work 1", "work 2"]
    assert all((folder / "history.db").exists() for folder in kept)
    said = capsys.readouterr().out
    assert all(f"is in {folder.name}/ now" in said for folder in kept)


def test_cleaning_up_leaves_the_demo(dev: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ROOT", "VENV", "FRONT", "DEMO"):
        monkeypatch.setattr(dev, name, tmp_path / name.lower())
    monkeypatch.setattr(dev, "BUILT", (tmp_path / "built",))
    for name in ("venv", "built", "demo"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(dev.sys, "argv", ["dev", "clean"])
    monkeypatch.setattr(dev.signal, "signal", lambda *_: None)
    dev.main()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["demo"]
