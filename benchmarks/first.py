"""What a user waits for first: loading, the first cell, a warm cell, streaming, the tree.

    python benchmarks/first.py

CPU milliseconds, the median of several runs in fresh processes or a real kernel; these are figures of the machine it
runs on, so each row says what it is compared with in the same run.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

LOAD = """
import json, sys, time
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
began = time.thread_time()
shell.run_line_magic("load_ext", "jupyter_history")
loaded = time.thread_time() - began
heavy = sorted({"sqlalchemy", "anthropic", "anywidget", "ipywidgets", "PIL"} & set(sys.modules))
print(json.dumps([loaded * 1000, heavy]))
import os; os._exit(0)  # the warm-up thread is not waited for
"""

FIRST = """
import json, time
began = time.process_time()
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
bare = time.process_time()
import io, contextlib
from jupyter_history.model import sse
first = []
chunks = sse.Chunks.__iter__
def watched(self):
    first.append(time.process_time())
    yield from chunks(self)
sse.Chunks.__iter__ = watched
shell.run_line_magic("load_ext", "jupyter_history")
with contextlib.redirect_stdout(io.StringIO()):
    shell.run_cell_magic("chat", "", "Hello there")
print(json.dumps((first[0] - bare) * 1000))
"""

WARM = """
import json, time, statistics
from jupyter_history import Session
from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted
class Stamped(Scripted):
    def handle_request(self, request):
        self.arrived = time.thread_time()
        return super().handle_request(request)
transport = Stamped()
client = Client(transport=transport)
def figure(session, times=15):
    found = []
    for n in range(times):
        began = time.thread_time()
        session.send(f"question {n} " + "word " * 40, **where)
        found.append((transport.arrived - began) * 1000)
    return statistics.median(found[3:])
where = {"model": "claude-sonnet-5-5"}
empty = Session.open(client=client)
empty.send("first", **where)
def roots():
    found = []
    for n in range(12):
        empty.branch(None)
        began = time.thread_time()
        empty.send(f"question {n} " + "word " * 40, **where)
        found.append((transport.arrived - began) * 1000)
    return statistics.median(found[2:])
at_root = roots()
long = Session.open(client=client)
for n in range(500):
    long.send(f"question {n} " + "word " * 150, **where)
print(json.dumps([at_root, figure(long)]))
"""

STREAM = """
import json, time
from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted
from jupyter_history.notebook.live import Display
from jupyter_history import Session
line = "The likelihood ratio has **no** chi-squared limit at $\\\\theta = 0$; see `fit(x)`.\\n\\n- one\\n- two\\n\\n"
text = (line * 400)[:20_000]
def client(): return Client(transport=Scripted().reply(text, chunks=200, delay=0.01))
question = {"role": "user", "content": [{"type": "text", "text": "q"}]}
body = {"model": "claude-sonnet-5-5", "max_tokens": 100, "messages": [question]}
for warm in (False, True):
    one = client()
    began, wall = time.process_time(), time.monotonic()
    with one.stream(body) as stream:
        for event in stream: pass
    sdk = time.process_time() - began
    session = Session.open(client=client())
    display = Display()
    began, start = time.process_time(), time.monotonic()
    turn = session.send("q", model="claude-sonnet-5-5", watch=display.watch)
    display.finish(turn)
    ours, seconds = time.process_time() - began, time.monotonic() - start
print(json.dumps([100 * (ours - sdk) / seconds, 100 * sdk / seconds]))
"""

TREE = """
import json, random, statistics, time
from jupyter_history import Session
from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted
from jupyter_history.store import Store
from jupyter_history.store.records import Basis
from jupyter_history.transcript import Message, TurnRecord
from jupyter_history.notebook import trees
session = Session.open(client=Client(transport=Scripted()))
rng, store, ids = random.Random(0), session.store, [None]
for n in range(2000):
    id = store.new_id()
    prompt = Message("user", ({"type": "text", "text": f"question {n}"},))
    answer = Message("assistant", ({"type": "text", "text": "answer"},))
    parent = ids[-1] if rng.random() < 0.9 else rng.choice(ids)
    turn = TurnRecord(id, session.id, parent, f"question {n}", (prompt, answer), "offline")
    store.commit(turn, place="", basis=Basis(0, 0, None))
    ids.append(id)
session.refresh()
session.branch(ids[-1])
found = []
for _ in range(7):
    began = time.process_time()
    session.refresh()
    trees.text(session.tree), trees.html(session.tree)
    found.append((time.process_time() - began) * 1000)
print(json.dumps(statistics.median(found)))
"""


def fresh(code: str, times: int = 3) -> list[Any]:
    """What `code` prints as JSON, run in fresh processes with a store of their own."""
    found = []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as place:
            env = {
                **_clean(),
                "JUPYTER_HISTORY_STORE": f"{place}/history.db",
                "IPYTHONDIR": place,
                "PYTHONPATH": str(ROOT),
            }
            done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(done.stderr)
            found.append(json.loads(done.stdout.strip().splitlines()[-1]))
    return found


@contextmanager
def kernel() -> Iterator[Any]:
    """A real kernel with a store of its own; a function that runs code and gives what it prints as JSON."""
    from jupyter_client.manager import start_new_kernel

    with tempfile.TemporaryDirectory() as place:
        env = {**_clean(), "JUPYTER_HISTORY_STORE": f"{place}/history.db", "IPYTHONDIR": place, "PYTHONPATH": str(ROOT)}
        manager, client = start_new_kernel(env=env)
        try:

            def run(code: str) -> Any:
                printed: list[str] = []

                def hear(message: dict[str, Any]) -> None:
                    if message["msg_type"] == "stream":
                        printed.append(message["content"]["text"])
                    if message["msg_type"] == "error":
                        sys.exit("\n".join(message["content"]["traceback"]))

                client.execute_interactive(code, output_hook=hear, timeout=300)
                return json.loads("".join(printed).strip().splitlines()[-1])

            yield run
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)


def _clean() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if not key.startswith(("ANTHROPIC_", "JUPYTER_HISTORY_"))}


def main() -> None:
    fresh(LOAD, 1)  # bytecode is cached from here on
    loads = fresh(LOAD, 5)
    assert not any(heavy for _, heavy in loads), loads
    first = statistics.median(fresh(FIRST))
    ((root, long),) = fresh(WARM, 1)
    with kernel() as run:
        share, sdk = run(STREAM)
    tree = statistics.median(fresh(TREE, 1))
    rows = [
        (
            "%load_ext, above bare IPython, warm-up thread apart",
            f"{statistics.median(ms for ms, _ in loads):.0f} ms",
            "150 ms",
        ),
        ("first cell, imports included, to its first byte", f"{first:.0f} ms", "3,000 ms"),
        ("warm cell to first byte sent, empty path", f"{root:.1f} ms", "30 ms"),
        ("warm cell to first byte sent, 1,000-message path", f"{long:.1f} ms", "60 ms"),
        (f"streaming 20 kB at 100 chunks/s, above the SDK's own {sdk:.0f} % of a core", f"{share:.1f} %", "10 %"),
        ("%chat tree of 2,000 turns, text and HTML", f"{tree:.0f} ms", "100 ms"),
    ]
    print("| what | CPU | to reach |\n|---|---|---|")
    for what, figure, goal in rows:
        print(f"| {what} | {figure} | {goal} |")


if __name__ == "__main__":
    main()
