"""What the explorers weigh and how fast they open, in a real Chromium: run after the front end is built.

    python benchmarks/views.py

Prints bundle sizes, the time to the first paint of trees of 1,000 and 10,000 turns, of which scripting, and the time of
a comparison of two answers of 3,000 words.
"""

from __future__ import annotations

import gzip
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

import jupyter_history
from jupyter_history.notebook.explorers.tree import TreeView
from jupyter_history.session.session import Session
from jupyter_history.store import Basis, Store
from jupyter_history.transcript import Message, TurnRecord

PACKAGE = Path(jupyter_history.__file__).parent
MOUNT = """async ([source, state]) => {
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  const { default: widget } = await import(url);
  const model = { get: () => state, on: () => {}, off: () => {}, send: () => {} };
  const el = document.createElement('div');
  document.body.replaceChildren(el);
  const longest = { value: 0 };
  const observer = new PerformanceObserver(list => list.getEntries().forEach(entry => {
    longest.value = Math.max(longest.value, entry.duration);
  }));
  const begin = performance.now();
  window.gone = widget.render({ model, el });
  const scripting = performance.now() - begin;
  await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
  const painted = performance.now() - begin;
  const rows = el.firstElementChild.shadowRoot.querySelector('.rows');
  let frames = 0, slow = 0;
  if (rows) {
    observer.observe({ type: 'longtask' });
    for (let n = 0; n < 60; n++) {
      const start = performance.now();
      rows.scrollTop = n * 400;
      await new Promise(resolve => requestAnimationFrame(resolve));
      frames++;
      slow = Math.max(slow, performance.now() - start);
    }
    observer.disconnect();
  }
  const drawn = el.firstElementChild.shadowRoot.querySelectorAll('[role=treeitem], .line').length;
  return { scripting, painted, slow, longest: longest.value, drawn };
}"""


def sizes() -> None:
    print("Bundles                        kB    kB gzipped")
    for path in [PACKAGE / "static" / "widget.js", *sorted((PACKAGE / "labextension" / "static").glob("*.js"))]:
        data = path.read_bytes()
        print(f"  {path.name[:24]:24}  {len(data) / 1000:7.1f}  {len(gzip.compress(data, 9)) / 1000:7.1f}")


def talk(store: Store, turns: int) -> Session:
    """A conversation of so many turns; one in ten begins a branch at one of the last fifty."""
    chance = random.Random(7)
    conversation = store.create(f"talk-{turns}").id
    basis = Basis(0, 0, None)
    ids: list[str] = []
    for n in range(turns):
        id = store.new_id()
        parent = chance.choice(ids[-50:]) if ids and chance.random() < 0.1 else (ids[-1] if ids else None)
        prompt = f"Question {n}: what does the {chance.choice('abcdefgh')} test say of mixtures, and why?"
        messages = tuple(
            Message(role, ({"type": "text", "text": text},), id, index)
            for index, (role, text) in enumerate((("user", prompt), ("assistant", "An answer.")))
        )
        done = store.commit(TurnRecord(id, conversation, parent, prompt, messages, "m"), place="", basis=basis)  # type: ignore[arg-type]
        basis = Basis(done.revision, done.n, id)
        ids.append(id)
    return Session(store, store.conversation(conversation))


def tree(page: Page, script: str, store: Store, turns: int) -> None:
    session = talk(store, turns)
    begin = time.perf_counter()
    bundle = TreeView(session)._repr_mimebundle_()
    python = time.perf_counter() - begin
    state = bundle["application/vnd.jupyter-history.view.v1+json"]
    best: dict[str, Any] = min(
        (page.evaluate(MOUNT, [script, state]) for _ in range(3)), key=lambda run: run["painted"]
    )
    size = sum(len(str(part)) for part in bundle.values())
    print(
        f"  {turns:6,} turns: {python * 1000:5.0f} ms in Python ({size / 1e6:.2f} MB in the output), "
        f"{best['scripting']:4.0f} ms of scripting, first paint after {best['painted']:4.0f} ms, "
        f"{best['drawn']} rows drawn, slowest frame while scrolling {best['slow']:.0f} ms"
    )


def compare(page: Page, script: str) -> None:
    chance = random.Random(3)
    words = [f"word{n}" for n in range(400)]
    one = [[chance.choice(words) for _ in range(50)] for _ in range(60)]
    other = [[chance.choice(words) if chance.random() < 0.06 else word for word in block] for block in one]
    texts = ["\n\n".join(" ".join(block) for block in side) for side in (one, other)]
    columns = [{"id": id, "model": "m", "outcome": "complete"} for id in ("a00001", "b00001")]
    data = {
        "columns": columns,
        "texts": [{"id": c["id"], "prompt": "Why?", "text": t} for c, t in zip(columns, texts, strict=True)],
    }
    state = {"v": 1, "view": "compare", "conversation": "c", "name": "n", "args": {}, "data": data}
    best: dict[str, Any] = min(
        (page.evaluate(MOUNT, [script, state]) for _ in range(3)), key=lambda run: run["painted"]
    )
    print(
        f"  two answers of 3,000 words: {best['scripting']:.0f} ms of scripting, painted after {best['painted']:.0f} ms"
    )


def main() -> None:
    script = (PACKAGE / "static" / "widget.js").read_text(encoding="utf-8")
    chromium = next((path for name in ("chromium", "google-chrome") if (path := shutil.which(name))), None)
    if chromium is None:
        sys.exit("The benchmark needs Chromium.")
    sizes()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_content("<!doctype html><body>")
        with Store.open(Path(folder) / "history.db") as store:
            print("Trees")
            for turns in (1_000, 10_000):
                tree(page, script, store, turns)
        print("Comparison")
        compare(page, script)
        browser.close()


if __name__ == "__main__":
    main()
