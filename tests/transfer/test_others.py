"""Transcripts of other programs: their trees become turns, what the provider would refuse is left out and named."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_history import transfer
from jupyter_history.store import Store
from jupyter_history.transcript import problems
from jupyter_history.transfer.nodes import Node, grow
from jupyter_history.transfer.report import Report

PNG = "iVBORw0KGgo="
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}


def brought(path: Path, *lines: Any) -> tuple[Store, list[Any], tuple[str, ...], str]:
    """A file of these lines, imported into a new store; its turns, the notes, the conversation."""
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    found = transfer.read(path)
    store = Store.open(":memory:")
    made, _ = store.bring(found.bundle)
    assert store.problems() == []
    turns = store.turns([head.id for head in store.topology(made.id).heads])
    for turn in turns:
        told = [message.wire() for message in turn.messages]
        if told[-1]["role"] == "assistant":
            told.append({"role": "user", "content": [said("And on.")]})
        assert not list(problems(told))
    return store, turns, found.notes, made.id


def claude(uuid: str, parent: str | None, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content} | more.pop("message", {})
    return {
        "uuid": uuid, "parentUuid": parent, "type": kind, "message": message, "sessionId": "s",
        "timestamp": "2026-01-02T03:04:05.000Z", "isSidechain": False,
    } | more  # fmt: skip


def call(id: str, **input: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "Bash", "input": input}


def result(id: str, content: Any = "done") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content}


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


ANSWER = {"message": {"id": "msg_1", "model": "claude-opus-4-5", "usage": {"input_tokens": 10, "output_tokens": 5}}}
CLAUDE = [
    {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
    {"type": "summary", "summary": "Two files listed", "leafUuid": "a4"},
    claude("u1", None, "user", "List the files"),
    claude("a1", "u1", "assistant", [{"type": "thinking", "thinking": "Hm.", "signature": "sig"}], **ANSWER),
    claude("a2", "a1", "assistant", [call("t1", command="ls")], **ANSWER),
    # two calls at once: the second hangs on the first, each result on its own call
    claude("a3", "a2", "assistant", [call("t2", command="ls -a")], **ANSWER),
    claude("r1", "a2", "user", [result("t1", "a.py")]),
    claude("r2", "a3", "user", [result("t2", [said(".git")])], toolUseResult={"stdout": ".git"}),
    {"uuid": "p1", "parentUuid": "r2", "type": "progress", "data": {}},
    claude("a4", "p1", "assistant", [said("Two files.")], message={"id": "msg_2", "model": "claude-opus-4-5"}),
    claude("s1", None, "user", "Explore", isSidechain=True),
    claude("m1", "a4", "user", "<local-command-caveat>", isMeta=True),
    claude("u2", "m1", "user", [said("Thanks"), IMAGE]),
    claude("a5", "u2", "assistant", [said("Welcome.")], message={"id": "msg_3", "model": "claude-opus-4-5"}),
    # the second prompt was edited: another branch
    claude("u3", "m1", "user", "No thanks"),
    claude("a6", "u3", "assistant", [said("Fine."), {"type": "server_thing"}], message={"id": "msg_4"}),
    claude("u4", "a6", "user", "Are you there?"),
    '{"uuid": "torn", "parentU',
    "\0\0\0\0",
]  # fmt: skip


def test_claude_code_is_a_tree_of_whole_turns(tmp_path: Path) -> None:
    store, turns, notes, made = brought(tmp_path / "c.jsonl", *CLAUDE)
    first, second, third = turns
    assert [turn.prompt for turn in turns] == ["List the files", "Thanks", "No thanks"]
    assert [turn.parent for turn in turns] == [None, first.id, first.id]
    assert [message.role for message in first.messages] == ["user", "assistant", "user", "assistant"]
    assert [block["type"] for block in first.messages[1].content] == ["thinking", "tool_use", "tool_use"]
    assert [block["tool_use_id"] for block in first.messages[2].content] == ["t1", "t2"]
    assert first.text == "Two files."
    assert (first.model, first.usage.input, first.usage.output) == ("claude-opus-4-5", 10, 5)
    assert first.created == pytest.approx(1767323045.0)
    assert second.messages[0].content[1]["type"] == "image"
    assert third.text == "Fine."
    conversation = store.conversation(made)
    assert conversation.tip == third.id
    assert conversation.title == "Two files listed"
    told = " ".join(notes)
    for part in (
        "1 x a line of a sub-agent", "1 x a line that is no JSON object", "1 x a prompt without an answer",
        "'progress'", "'file-history-snapshot'", "'server_thing'", "added for itself",
    ):  # fmt: skip
        assert part in told, part


def pi_message(id: str, parent: str | None, **message: Any) -> dict[str, Any]:
    return {
        "type": "message",
        "id": id,
        "parentId": parent,
        "timestamp": "2026-01-02T03:04:05.000Z",
        "message": message,
    }


def test_pi_is_a_tree_with_labels_names_and_costs(tmp_path: Path) -> None:
    usage = {"input": 7, "output": 3, "cacheRead": 2, "cacheWrite": 1, "totalTokens": 13, "cost": {"total": 0.5}}
    store, turns, notes, made = brought(
        tmp_path / "p.jsonl",
        {"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-02T03:04:05.000Z", "cwd": "/x"},
        {"type": "model_change", "id": "m", "parentId": None, "provider": "anthropic", "modelId": "x"},
        pi_message("u1", "m", role="user", content="Hello", timestamp=1767323045000),
        pi_message(
            "a1", "u1", role="assistant", model="claude-x", usage=usage, stopReason="toolUse",
            content=[{"type": "thinking", "thinking": "unsigned"},
                     {"type": "toolCall", "id": "call|1", "name": "read", "arguments": {"path": "a"}}],
        ),
        pi_message(
            "t1", "a1", role="toolResult", toolCallId="call|1", toolName="read", isError=True,
            content=[{"type": "text", "text": "no"}, {"type": "image", "data": PNG, "mimeType": "image/png"}],
        ),
        pi_message("a2", "t1", role="assistant", model="claude-x", usage=usage, content=[said("Sorry.")]),
        {"type": "label", "id": "l", "parentId": "a2", "targetId": "a2", "label": "good one"},
        {"type": "session_info", "id": "i", "parentId": "l", "name": "Greeting"},
        {"type": "compaction", "id": "c", "parentId": "i", "summary": "...", "firstKeptEntryId": "u1"},
        pi_message("u2", "c", role="user", content=[said("More")]),
        pi_message("a3", "u2", role="assistant", model="claude-y", content=[said("Yes")], stopReason="stop"),
        pi_message("b", "a3", role="bashExecution", command="ls", output="x"),
        {"type": "branch_summary", "id": "bs", "parentId": "a2", "fromId": "a3", "summary": "..."},
        pi_message("u3", "bs", role="user", content="Other"),
        pi_message("a4", "u3", role="assistant", model="claude-x", content=[said("Oth")], stopReason="aborted"),
    )  # fmt: skip
    first, second, third = turns
    assert [turn.parent for turn in turns] == [None, first.id, first.id]
    assert [message.role for message in first.messages] == ["user", "assistant", "user", "assistant"]
    (asked,), (told,) = first.messages[1].calls, first.messages[2].results
    assert asked["id"] == told["tool_use_id"] != "call|1"
    assert [part["type"] for part in told["content"]] == ["text", "image"]
    assert (first.usage.input, first.usage.cache_read, first.cost) == (14, 4, 1.0)
    assert (second.model, third.outcome) == ("claude-y", "stopped")
    assert store.topology(made).labels == {"good-one": first.id}
    assert (store.conversation(made).title, store.conversation(made).tip) == ("Greeting", third.id)
    told_ = " ".join(notes)
    for part in ("thinking without a signature", "'compaction'", "'branch_summary'", "'bashExecution'"):
        assert part in told_, part


def test_pi_before_trees_is_a_line(tmp_path: Path) -> None:
    lines = [
        pi_message("", None, role=role, content=[said(text)]) for role, text in (("user", "q"), ("assistant", "a")) * 2
    ]
    for line in lines:
        del line["id"], line["parentId"]
    _, turns, notes, _ = brought(tmp_path / "p.jsonl", {"type": "session", "id": "s"}, *lines)
    assert [turn.parent for turn in turns] == [None, turns[0].id]
    assert notes == ()


def test_anthropic_messages_are_a_line_of_turns(tmp_path: Path) -> None:
    body = {
        "model": "claude-x",
        "system": [said("Be brief.")],
        "tools": [{"name": "Bash"}],
        "messages": [
            {"role": "user", "content": "q1"},
            {"role": "assistant", "content": [call("t1")]},
            {"role": "user", "content": [result("t1")]},
            {"role": "assistant", "content": "a1"},
            {"role": "user", "content": [said("q2")]},
            {"role": "assistant", "content": [said("a2"), said("  ")]},
        ],
    }
    store, turns, notes, made = brought(tmp_path / "r.json", body)
    assert [(turn.prompt, turn.text, len(turn.messages)) for turn in turns] == [("q1", "a1", 4), ("q2", "a2", 2)]
    assert turns[0].settings == store.conversation(made).settings == {"system": "Be brief."}
    assert notes == ("Left out: 1 x the request's 'tools'.",)
    assert brought(tmp_path / "l.json", body["messages"])[1][1].prompt == "q2"


def lines_of(kind: str, *told: tuple[str, list[dict[str, Any]]]) -> list[Any]:
    """One conversation, message by message, as each program writes it down."""
    if kind == "messages":
        return [{"messages": [{"role": role, "content": content} for role, content in told]}]
    if kind == "claude":
        return [
            claude(f"n{n}", f"n{n - 1}" if n else None, role, content, message={"id": f"m{n}"})
            for n, (role, content) in enumerate(told)
        ]
    lines: list[dict[str, Any]] = [{"type": "session", "version": 3, "id": "s"}]
    for role, content in told:
        results = [block for block in content if block["type"] == "tool_result"]
        for block in results:
            inner = [said(block["content"])] if isinstance(block["content"], str) else block["content"]
            lines.append({"role": "toolResult", "toolCallId": block["tool_use_id"], "content": inner})
        rest = [
            {"type": "toolCall", "id": block["id"], "name": block["name"], "arguments": block["input"]}
            if block["type"] == "tool_use" else block
            for block in content if block["type"] != "tool_result"
        ]  # fmt: skip
        if rest or not results:
            lines.append({"role": role, "content": rest})
    return [
        line if n == 0 else pi_message(f"n{n}", f"n{n - 1}" if n > 1 else None, **line) for n, line in enumerate(lines)
    ]


EACH = pytest.mark.parametrize("kind", ["messages", "claude", "pi"])


@EACH
def test_a_call_without_a_result_stands_with_a_result_that_says_so_and_is_named(kind: str, tmp_path: Path) -> None:
    told = lines_of(
        kind,
        ("user", [said("Go")]),
        ("assistant", [said("Now."), call("t1"), call("t2")]),
        ("user", [result("t2")]),
    )
    _, (turn,), notes, _ = brought(tmp_path / "x.json", *told)
    assert (turn.outcome, turn.text) == ("stopped", "Now.")
    one, two = turn.messages[2].results
    assert (one["content"], one["is_error"]) == ("No result of this call was recorded.", True)
    assert two["tool_use_id"] == "t2"
    assert "is_error" not in two
    assert notes == ("Changed: 1 x a call without a result: the result it has now says so.",)


@EACH
def test_a_prompt_that_only_a_call_without_a_result_followed_is_left_out_and_named(kind: str, tmp_path: Path) -> None:
    told = lines_of(
        kind,
        ("user", [said("First")]),
        ("assistant", [said("Yes.")]),
        ("user", [said("Go")]),
        ("assistant", [call("t1")]),
        ("user", [said("Well?")]),
        ("assistant", [said("Nothing came.")]),
    )
    _, (first, last), notes, _ = brought(tmp_path / "x.json", *told)
    assert (first.text, last.prompt, last.parent) == ("Yes.", "Well?", first.id)
    assert notes == ("Left out: 1 x a prompt whose only answer was a call without a result.",)


@EACH
def test_results_without_a_call_empty_messages_and_unknown_blocks_are_named(kind: str, tmp_path: Path) -> None:
    told = lines_of(
        kind,
        ("assistant", [said("Before anything.")]),
        ("user", [said("Go")]),
        ("assistant", []),
        ("user", [result("t9")]),
        ("assistant", [said("Here."), {"type": "hologram"}]),
        ("user", [said(" ")]),
    )
    _, (turn,), notes, _ = brought(tmp_path / "x.json", *told)
    assert [block["text"] for block in turn.messages[1].content] == ["Here."]
    assert set(notes) == {
        "Left out: 1 x a message before any prompt.",
        "Left out: 1 x a tool result that no call asked for.",
        "Left out: 1 x a content block of type 'hologram'.",
        "Left out: 2 x an empty message.",
    }


@EACH
def test_a_prompt_of_which_nothing_can_be_sent_still_is_one(kind: str, tmp_path: Path) -> None:
    told = lines_of(
        kind,
        ("user", [said("One")]),
        ("assistant", [said("First.")]),
        ("user", [{"type": "hologram"}]),
        ("assistant", [said("Second.")]),
    )
    _, turns, notes, _ = brought(tmp_path / "x.json", *told)
    assert [turn.text for turn in turns] == ["First.", "Second."]
    assert "nothing of this prompt" in turns[1].prompt
    assert any(note.startswith("Changed: 1 x a prompt of which nothing is left") for note in notes)


@pytest.mark.parametrize("kind", ["messages", "claude"])
def test_what_the_user_says_beside_results_stays_beside_them(kind: str, tmp_path: Path) -> None:
    told = lines_of(
        kind,
        ("user", [said("Go")]),
        ("assistant", [call("t1")]),
        ("user", [result("t1"), said("And be quick.")]),
        ("assistant", [said("Done.")]),
    )
    _, (turn,), notes, _ = brought(tmp_path / "x.json", *told)
    assert [block["type"] for block in turn.messages[2].content] == ["tool_result", "text"]
    assert (turn.text, notes) == ("Done.", ())


def test_neighbours_of_one_role_are_one_message_as_the_api_reads_them(tmp_path: Path) -> None:
    told = lines_of(
        "messages",
        ("user", [said("Look at this.")]),
        ("user", [said("What is it?")]),
        ("assistant", [said("A")]),
        ("assistant", [said("zebra.")]),
    )
    _, (turn,), notes, _ = brought(tmp_path / "x.json", *told)
    assert [len(message.content) for message in turn.messages] == [2, 2]
    assert turn.prompt == "Look at this.\n\nWhat is it?"
    assert notes == ()


def test_blocks_in_a_message_of_the_wrong_role_and_other_roles_are_named(tmp_path: Path) -> None:
    body = {
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [said("Go"), call("t1"), {"type": "tool_use", "id": "t2", "name": "x"}]},
            {"role": "assistant", "content": [said("Gone."), result("t1"), IMAGE]},
            {"role": "user"},
        ]
    }
    _, (turn,), notes, _ = brought(tmp_path / "x.json", body)
    assert [len(message.content) for message in turn.messages] == [1, 1]
    assert set(notes) == {
        "Left out: 1 x a message of the role 'system'.",
        "Left out: 1 x a content block of type 'tool_use'.",
        "Left out: 1 x a content block of type 'tool_use' in a message of the role 'user'.",
        "Left out: 1 x a content block of type 'tool_result' in a message of the role 'assistant'.",
        "Left out: 1 x a content block of type 'image' in a message of the role 'assistant'.",
        "Left out: 1 x an empty message.",
    }


BLOCKS = st.sampled_from(["say", "blank", "think", "call", "result", "image", "odd"])


@settings(max_examples=150, deadline=None)
@given(
    kind=st.sampled_from(["messages", "claude", "pi"]),
    shape=st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.lists(BLOCKS, max_size=3)), max_size=8),
)
def test_whatever_a_transcript_holds_it_is_imported_or_named(kind: str, shape: list[tuple[str, list[str]]]) -> None:
    """Words that were said are in a turn, or a note tells that something was left out."""
    words: list[str] = []

    def block(which: str) -> dict[str, Any]:
        if which == "say":
            words.append(f"word-{len(words)}")
            return said(words[-1])
        number = f"t{len(words) % 2}"
        return {
            "blank": said("  "),
            "think": {"type": "thinking", "thinking": "hm", "signature": "sig"},
            "call": call(number),
            "result": result(number),
            "image": IMAGE,
            "odd": {"type": "hologram"},
        }[which]

    told = [(role, [block(which) for which in blocks]) for role, blocks in shape]
    with tempfile.TemporaryDirectory() as folder:
        _, turns, notes, _ = brought(Path(folder) / "x.json", *lines_of(kind, ("user", [said("Begin.")]), *told))
    kept = [part["text"] for turn in turns for message in turn.messages for part in message.content if "text" in part]
    kept = [text for text in kept if text in words]
    assert len(kept) == len(set(kept))
    assert len(kept) == len(words) or any(note.startswith("Left out") for note in notes)
    for turn in turns:
        after = [part for message in turn.messages[1:] for part in message.content]
        assert any(part["type"] == "text" or "done" in str(part.get("content")) for part in after)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 25))
def test_any_tree_of_messages_becomes_turns_that_can_be_sent(seed: int, size: int) -> None:
    """Parents at random, missing and in cycles too; calls and results anywhere."""
    chance = random.Random(seed)
    nodes = []
    for n in range(size):
        role = chance.choice(["user", "assistant", "assistant", None])
        content = []
        if role == "assistant":
            content = [said(f"a{n}")] * chance.randint(0, 1) + [call(f"t{chance.randint(0, 4)}")] * chance.randint(0, 2)
        elif role == "user":
            content = chance.choice([[said(f"q{n}")], [result(f"t{chance.randint(0, 4)}")]])
        parent = chance.choice([None, *(str(k) for k in range(size + 1))])
        prompt = role == "user" and content[0]["type"] == "text"
        nodes.append(Node(str(n), parent, role, content, chance.choice(["", "m"]), prompt))
    turns, _ = grow(nodes, Report())
    known = {None}
    for turn in turns:
        assert turn.parent in known
        known.add(turn.id)
        told = [message.wire() for message in turn.messages]
        if told[-1]["role"] == "assistant":
            told.append({"role": "user", "content": [said("And on.")]})
        assert not list(problems(told))
