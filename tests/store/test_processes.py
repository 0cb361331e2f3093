"""Several threads and processes on one store: nobody is locked out, nothing is unreachable (rule 5), forks are safe."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from builders import Writer

from jupyter_history.store import Store

WRITER = """
import sys
sys.path.insert(0, sys.argv[4])
from builders import Writer
from jupyter_history.store import Store

store = Store.open(sys.argv[1])
writer = Writer(store, sys.argv[2], place=sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
for n in range(25):
    if n % 5 == 4:
        writer.refresh()
    print(writer.ask(f"Question {n} of {writer.place}"), flush=True)
store.close()
"""


def start(*arguments: str, code: str = WRITER) -> subprocess.Popen[str]:
    here = str(Path(__file__).parent.parent)
    command = [sys.executable, "-c", code, *arguments, here]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_every_turn_of_two_processes_is_reachable_rule_5(writer: Writer, where: str | Path) -> None:
    root = writer.ask("Root")
    kernels = [start(str(where), writer.conversation, place) for place in ("one", "two")]
    for kernel in kernels:
        assert kernel.stdout
        assert kernel.stdout.readline() == "ready\n"
    outputs = []
    for kernel in kernels:
        assert kernel.stdin
        kernel.stdin.write("go\n")
        kernel.stdin.flush()
    for kernel in kernels:
        outputs.append(kernel.communicate(timeout=60)[0].split())
        assert kernel.returncode == 0
    acknowledged = {root, *outputs[0], *outputs[1]}
    assert len(acknowledged) == 51
    heads = writer.store.topology(writer.conversation).heads
    assert {head.id for head in heads} == acknowledged
    parents = {head.parent for head in heads}
    leaves = [head.id for head in heads if head.id not in parents]
    reached = {record.id for leaf in leaves for record in writer.store.path(leaf)}
    assert reached == acknowledged
    for place, output in zip(("one", "two"), outputs, strict=True):
        assert writer.store.place(place, writer.conversation) == (True, output[-1])
    assert writer.store.conversation(writer.conversation).turns == 51
    assert writer.store.problems() == []


def test_many_processes_may_make_the_same_new_store(where: str | Path) -> None:
    code = "import sys; from jupyter_history.store import Store; s = Store.open(sys.argv[1]); s.create(); s.close()"
    kernels = [start(str(where), code=code) for _ in range(4)]
    assert [kernel.wait(60) for kernel in kernels] == [0] * 4
    with Store.open(where) as store:
        assert len(store.conversations()) == 4
        assert store.problems() == []


def test_threads_share_a_store(writer: Writer) -> None:
    root = writer.ask("Root")

    def work(place: str) -> list[str]:
        mine = Writer(writer.store, writer.conversation, place=place)
        return [mine.ask(at=root) if n == 0 else mine.ask() for n in range(10)]

    with ThreadPoolExecutor(4) as pool:
        made = [id for ids in pool.map(work, ("a", "b", "c", "d")) for id in ids]
    assert {head.id for head in writer.store.topology(writer.conversation).heads} == {root, *made}
    assert writer.store.problems() == []


def test_threads_share_a_store_in_memory() -> None:
    store = Store.open(":memory:")
    writer = Writer(store, store.create().id)
    with ThreadPoolExecutor(3) as pool:
        ids = list(pool.map(lambda n: writer.ask(f"Question {n}", at=None), range(9)))
    assert {head.id for head in store.topology(writer.conversation).heads} == set(ids)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no os.fork here")
def test_a_forked_process_opens_the_store_for_itself(writer: Writer) -> None:
    first = writer.ask("Before")
    engine = writer.store._database._engine
    child = os.fork()
    if child == 0:
        status = 1
        try:
            Writer(writer.store, writer.conversation, place="child").ask("In the child", id="ccccca")
            status = 0 if writer.store._database._engine is not engine else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert writer.store._database._engine is engine
    second = writer.ask("After")
    assert [record.id for record in writer.store.path(second)] == [first, second]
    assert [record.id for record in writer.store.path("ccccca")] == [first, "ccccca"]
    assert writer.store.problems() == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no os.fork here")
def test_a_process_forked_while_another_thread_held_the_store_is_not_stuck(writer: Writer) -> None:
    with ThreadPoolExecutor(1) as pool:
        database = writer.store._database
        pool.submit(database._lock.acquire).result()
        child = os.fork()
        if child == 0:
            try:
                writer.store.conversations()
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        pool.submit(database._lock.release).result()
