"""Which part of the JupyterLab extension is missing, and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jupyter_history.notebook.installed import MANAGER, extension, here, widgets


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder of extensions with ours in it, version 1.0."""
    ours = tmp_path / "labextensions" / "jupyter-history"
    ours.mkdir(parents=True)
    (ours / "package.json").write_text(json.dumps({"version": "1.0"}))
    return ours.parent


def off(folder: Path, **names: bool) -> Path:
    path = folder / "page_config.json"
    path.write_text(json.dumps({"disabledExtensions": {name.replace("_", "-"): on for name, on in names.items()}}))
    return path


def test_an_extension_that_talks_to_the_kernel_is_well() -> None:
    assert extension("1.0", "1.0", [], []) == "extension 1.0 talks to this kernel"


def test_a_page_of_another_version_is_named_with_both_versions(place: Path) -> None:
    for said in (extension("1.1", "1.0", [place], []), extension("1.1", None, [place], [])):
        assert said.startswith("! the extension is 1.0, this kernel's jupyter_history 1.1")


def test_an_extension_that_is_nowhere_is_missing(tmp_path: Path) -> None:
    assert extension("1.0", None, [tmp_path], []).startswith("! ")


@pytest.mark.parametrize("name", ["jupyter_history", "jupyter_history:answers"])
def test_an_extension_or_a_plugin_that_is_switched_off_is_named(place: Path, tmp_path: Path, name: str) -> None:
    said = extension("1.0", None, [place], [off(tmp_path, **{name: True, "other": True})])
    assert said.startswith("! the extension is switched off")
    assert f"`jupyter labextension enable {name.replace('_', '-')}`" in said


def test_what_a_nearer_setting_switches_on_is_on(place: Path, tmp_path: Path) -> None:
    near, far = tmp_path / "near", tmp_path / "far"
    for folder, value in ((near, False), (far, True)):
        folder.mkdir()
        off(folder, jupyter_history=value)
    settings = [folder / "page_config.json" for folder in (near, far)]
    assert extension("1.0", None, [place], settings).startswith("extension installed, but no page")


def test_missing_widgets_and_a_manager_that_is_off_or_nowhere_are_named(tmp_path: Path) -> None:
    manager = tmp_path / "@jupyter-widgets" / "jupyterlab-manager"
    assert widgets(["anywidget"], [tmp_path], []).startswith("! the kernel has no anywidget")
    assert widgets([], [tmp_path], []).startswith("no widget manager (jupyterlab_widgets) here")
    manager.mkdir(parents=True)
    (manager / "package.json").write_text("{}")
    assert widgets([], [tmp_path], []) == "the kernel has them, JupyterLab their manager"
    settings = tmp_path / "page_config.json"
    settings.write_text(json.dumps({"disabledExtensions": {MANAGER: True}}))
    assert f"`jupyter labextension enable {MANAGER}`" in widgets([], [tmp_path], [settings])


def test_settings_that_cannot_be_read_switch_nothing_off(place: Path, tmp_path: Path) -> None:
    (tmp_path / "page_config.json").write_text("{")
    settings = [tmp_path / "page_config.json", tmp_path / "none.json"]
    assert extension("0+unknown", None, [place], settings).startswith("extension installed")


def test_this_machine_says_where_it_looks() -> None:
    places, settings = here()
    assert all(place.name == "labextensions" for place in places)
    assert all(path.name == "page_config.json" for path in settings)
