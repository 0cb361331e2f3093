"""The pictures of these pages, drawn by the product and photographed by Chromium: python docs/pictures.py

Those of the notebook and of the explorers are what the browser tests left in test-results/ when they ran last.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLACE = ROOT / "docs" / "pictures"
SHOTS = ROOT / "test-results"
PHOTOGRAPHED = {"notebook": "notebook"} | {
    f"explorer_{name}": f"explorer_{name}_light" for name in ("tree", "compare", "ladder", "pages")
}
"""Our name: the tests' name."""
STYLE = "font:15px system-ui,sans-serif;color:#222;background:#fff;padding:12px;width:{width}px"


def photograph(views: dict[str, tuple[str, int]]) -> None:
    """`views`: name -> (HTML, width in CSS pixels)."""
    from playwright.sync_api import sync_playwright

    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, ("chromium", "google-chrome"))))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        page = browser.new_page(device_scale_factor=2, viewport={"width": 1200, "height": 900})
        for name, (html, width) in views.items():
            page.set_content(f'<div id="it" style="{STYLE.format(width=width)}">{html}</div>')
            page.locator("#it").screenshot(path=PLACE / f"{name}.png")
        browser.close()


def views() -> dict[str, tuple[str, int]]:
    from jupyter_history import Session, Store, transfer
    from jupyter_history.notebook.explorers.ladder import bars

    store = Store.open(":memory:")
    tea = Session.open("tea", store)
    tea.send("Gyokuro is steeped at 55 degrees. Assam takes milk. Rooibos is without caffeine.", label="notes")
    tea.send("Which is without caffeine?", label="caffeine")
    tea.send("And how hot is Gyokuro?")
    tea.send("Which takes milk?", edit="caffeine", label="milk")
    tea.send("Is it good in the morning?")
    tea.again()
    tea.branch("milk")
    tea.send("How hot shall the water for Gyokuro be?", label="heat")
    found = transfer.read(ROOT / "examples" / "samples" / "greenhouse.jsonl")
    store.bring(found.bundle, "greenhouse")
    greenhouse = Session.open("greenhouse", store)
    turn = greenhouse.send("Which error did valve V-17 report?", ladder="snapshot", label="asked")
    (page,) = greenhouse.pages(turn.id).drawn.pages
    (PLACE / "page.png").write_bytes(page.png)
    plan = greenhouse.plan("...", window=4_000)
    return {
        "tree": (tea.explore().html(), 760),
        "compare": (tea.compare("caffeine", "milk").html(), 1000),
        "ladder": (bars(plan), 640),
    }


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    os.environ["JUPYTER_HISTORY_MODEL"] = "offline"
    PLACE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["JUPYTER_HISTORY_STORE"] = str(Path(folder) / "history.db")
        photograph(views())
    for ours, theirs in PHOTOGRAPHED.items():
        shot = SHOTS / f"{theirs}.png"
        if shot.exists():
            shutil.copy(shot, PLACE / f"{ours}.png")
