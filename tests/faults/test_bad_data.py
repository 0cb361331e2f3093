"""What no store is made for, and ours must take: broken text, empty blocks, huge results, wide and deep trees."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import Writer, assistant, call, result, tool_exchange, turn, user
from kernels import opened

from jupyter_history.errors import ChatError
from jupyter_history.model.scripted import Scripted
from jupyter_history.session.session import Session
from jupyter_history.store import Store
from jupyter_history.transcript import problems


def seconds(act: Callable[[], Any]) -> float:
    began = time.process_time()
    act()
    return time.process_time() - began


def test_lone_surrogates_in_prompts_and_answers_are_replaced(session: Session, script: Scripted, file: Path) -> None:
    turn_ = session.send("half \ud83d of a pair")
    assert turn_.prompt == "half \ufffd of a pair"
    session.store.commit(
        turn(session.id, "bbbbbb", turn_.id, "x", (user("x"), assistant("y \udc00"))),
        place="",
        basis=session._standing.basis,
    )
    assert session.turn("bbbbbb").text == "y \ufffd"
    session.branch("bbbbbb")
    session.send("next")
    assert not list(problems(script.requests[-1]["messages"]))


@pytest.mark.parametrize("prompt", ["", "   ", "\n\n\t"])
def test_a_prompt_of_nothing_is_one_line_and_nothing_is_sent(session: Session, script: Scripted, prompt: str) -> None:
    with pytest.raises(ChatError, match="empty"):
        session.send(prompt)
    assert script.requests == []


def test_an_answer_of_empty_blocks_leaves_a_conversation_that_works(session: Session, script: Scripted) -> None:
    script.blocks({"type": "text", "text": ""}, {"type": "text", "text": "  \n"}, {"type": "text", "text": "words"})
    assert session.send("one").text.strip() == "words"
    session.send("two")
    assert not list(problems(script.requests[-1]["messages"]))


def test_a_tool_result_of_100_megabytes_is_kept_in_a_blob(file: Path) -> None:
    """Slow: it writes, hashes and reads 100 MB."""
    huge = "0123456789 äöü " * (100_000_000 // 18)
    with Store.open(file) as store:
        writer = Writer(store, store.create().id)
        told = (user("q"), assistant([call()]), user([result(content=huge)]), assistant("Long."))
        began = time.process_time()
        id = writer.ask("q", messages=told)
        assert store.turn(id).messages[2].results[0]["content"] == huge
        assert seconds(store.conversations) < 0.5, "a list reads no body"
        assert seconds(lambda: store.topology(writer.conversation)) < 0.5
        store.fork(writer.conversation, id)
        assert time.process_time() - began < 10
        assert file.stat().st_size + file.with_name("history.db-wal").stat().st_size < 250_000_000
        with store._database.read() as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM blob").scalar() == 1


def test_ten_thousand_siblings(file: Path) -> None:
    """Written behind the store's back: what is under test is how they are read, shown and added to."""
    with Store.open(file) as store:
        conversation = store.create("notes").id
    many(file, conversation, 10_000, parent=lambda _: None)
    session = opened(file)
    assert len(session.tree.siblings("t05000")) == 10_000
    assert seconds(session.refresh) < 1
    assert seconds(lambda: session.branch("t05000")) < 2
    spent = seconds(lambda: session.send("below"))
    assert spent < 2
    assert seconds(lambda: session.again("t09999")) < 2
    assert len(session.tree.siblings("t05000")) == 10_001
    session.store.close()


def test_a_path_of_100_000_turns(file: Path) -> None:
    """No recursion anywhere, and what needs a tail reads a tail."""
    depth = 100_000
    with Store.open(file) as store:
        conversation = store.create("notes").id
    many(file, conversation, depth, parent=lambda n: f"t{n - 1:05d}" if n else None)
    with Store.open(file) as store:
        assert [turn.id for turn in store.path("t99999", 4)] == ["t99998", "t99999"]
        assert seconds(lambda: store.path("t99999", 200)) < 0.5
        assert len(store.topology(conversation).heads) == depth
        assert store.problems() == []
        writer = Writer(store, conversation)
        assert seconds(lambda: writer.ask("below", at="t99999")) < 0.5
        path = store.path(writer.tip)
        assert (len(path), path[0].id, path[-2].id) == (depth + 1, "t00000", "t99999")
    session = opened(file)
    assert seconds(lambda: session.branch("t50000")) < 5
    assert len(session.tree.path(session.tip)) == 50_001


def many(file: Path, conversation: str, count: int, parent: Callable[[int], str | None]) -> None:
    """Turns `t00000` ..., each of one question and answer."""
    raw = sqlite3.connect(file)
    depth: dict[str | None, int] = {None: 0}
    with raw:
        for n in range(count):
            depth[f"t{n:05d}"] = depth[parent(n)] + 1
        raw.executemany(
            "INSERT INTO turn (n, id, conversation, parent, depth, messages, question, title, model, outcome, input,"
            " output, cache_read, cache_write, cache_write_1h, seconds, created, context)"
            " VALUES (?, ?, ?, ?, ?, 2, '', 'q', 'offline', 'complete', 0, 0, 0, 0, 0, 0, 0, 0)",
            ((n + 1, id := f"t{n:05d}", conversation, parent(n), depth[id]) for n in range(count)),
        )
        body = b'[{"type":"text","text":"q"}]'
        raw.executemany(
            "INSERT INTO message (n, turn, role, body) VALUES (?, ?, ?, ?)",
            (
                ((n + 1) * 65536 + i, n + 1, role, body)
                for n in range(count)
                for i, role in ((0, "user"), (1, "assistant"))
            ),
        )
        last = f"t{count - 1:05d}"
        raw.execute("INSERT INTO visit (conversation, place, turn) VALUES (?, '', ?)", [conversation, last])
        raw.execute("UPDATE conversation SET turns = ?", [count])
    raw.close()


def test_a_turn_with_tools_is_whole_or_refused(file: Path) -> None:
    with Store.open(file) as store:
        writer = Writer(store, store.create().id)
        writer.ask("whole", messages=tool_exchange("whole"))
        for torn in (tool_exchange("torn")[:2], tool_exchange("torn")[:3], ()):
            with pytest.raises(ChatError, match="turn boundary"):
                writer.ask("torn", messages=torn)
        assert store.conversation(writer.conversation).turns == 1
